#!/usr/bin/env bats
# shellcheck disable=SC2154 # $stderr is set by run
# trace-collect --exceptions: what programs throw, without a change to what they do.
# bats file_tags=live

load helper

teardown() {
	local left
	left=$(jobs -p)
	[ -z "$left" ] || kill -KILL $left 2>/dev/null || true
}

# A program that throws in several ways, and then waits until its first argument, a FIFO, is written to; with a second one, it dies of what
# nobody catches.
thrower() { # OPTION...
	command -v g++ >/dev/null || skip "needs g++"
	cat >thrower.cc <<-'CC'
		#include <exception>
		#include <fcntl.h>
		#include <iostream>
		#include <stdexcept>
		#include <system_error>
		#include <unistd.h>
		namespace app {
		struct Bad : std::runtime_error { using std::runtime_error::runtime_error; };
		struct Plain { virtual ~Plain() {} const char *text = "no text"; };
		struct Two : Plain, std::runtime_error { Two() : std::runtime_error("behind another base") {} };
		template <class T> struct Of : std::logic_error { using std::logic_error::logic_error; };
		}
		__attribute__((noinline)) static void thrower(int i)
		{
			switch (i) {
			case 0: throw app::Bad("bad\nthing");
			case 1: throw app::Plain();
			case 2: throw 5;
			case 3: throw app::Of<int>(std::string(300, 'x'));
			case 4: throw app::Two();
			case 5: throw std::system_error(2, std::generic_category(), "opening");
			}
		}
		__attribute__((noinline)) static void handler()
		{
			try {
				throw std::out_of_range("while handled");
			} catch (std::exception &e) {
				std::cout << e.what() << std::endl;
			}
		}
		int main(int argc, char **argv)
		{
			std::exception_ptr kept;
			char byte;
			for (int i = 0; i < 6; i++)
				try {
					try {
						thrower(i);
					} catch (const app::Bad &e) {
						handler();
						throw;
					}
				} catch (...) {
					if (i == 0)
						kept = std::current_exception();
				}
			try {
				std::rethrow_exception(kept);
			} catch (const std::exception &e) {
				std::cout << e.what() << std::endl;
				handler();
			}
			int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
			std::cout << (fd >= 0 && read(fd, &byte, 1) == 1 ? "told" : "not told") << std::endl;
			if (argc > 2)
				thrower(0);
		}
	CC
	g++ -O1 "$@" -o thrower thrower.cc
}

thrown() { # COUNT
	[ "$(stream-cat -t trace 2>/dev/null | grep -c '^exception')" -ge "$1" ]
}

# run_both SOURCE: untraced and traced the program says the same and dies alike.
run_both() {
	mkfifo go
	{ echo >go & sh -c './thrower go die >said 2>&1; echo $? >>said'; } 2>/dev/null
	trace-collect -p command --exceptions "$1" -o trace -- sh -c './thrower go die >said.traced 2>&1; echo $? >>said.traced' 3>&- &
	local collector=$!
	until_true 60 thrown 10
	echo >go
	wait $collector
	diff said said.traced
	grep -q "what():  bad" said
	stream-cat -t trace | sed -n 's/^exception ts=[0-9.]* tid=[0-9]* //p' >thrown
}

# What was thrown; the cause by the number of its first throw. The last two are thrown, and once more by the runtime to tell of it, when the program
# dies: then there may be no process to ask for the function.
check_thrown() {
	awk '{ for (i = 1; i <= NF; i++) if (split($i, a, "=") && a[1] == "object" && !(a[2] in seen)) seen[a[2]] = NR
		for (i = 1; i <= NF; i++) if (split($i, a, "=") && a[1] == "cause") sub("=.*", "=" seen[a[2]], $i)
		print }' thrown | sed -e 's/^pid=[0-9]* //' -e 's/^object=[^ ]* //' -e 's/ stack=[0-9]*$//' -e 's/\.cold//' -e '11,$s/ function=[^ ]*//' >told
	diff - told <<-END
		name=app::Bad what="bad\\nthing" function=thrower
		name=std::out_of_range what="while handled" function=handler cause=1
		name=app::Bad function=main again=yes
		name=app::Plain function=thrower
		name=int function=thrower
		name=app::Of<int> what=$(printf 'x%.0s' {1..255}) function=thrower
		name=app::Two function=thrower
		name=std::system_error what="opening: No such file or directory" function=thrower
		name=app::Bad what="bad\\nthing" function=main again=yes
		name=std::out_of_range what="while handled" function=handler cause=1
		name=app::Bad what="bad\\nthing"
		name=app::Bad again=yes
	END
}

@test "what a C++ program throws is told with its text, its cause and its function, and triggers see it" {
	need_tracefs
	thrower
	run_both c++
	check_thrown
	[[ ! $(tracing_left) =~ $$ ]]
	run -0 --separate-stderr trigger-filter -t -T exception trace
	assert_line --regexp '^trigger ts=[0-9.]* name=exception state=fired'
	report <<<"$output" >words
	grep -q 'trigger exception fired: app::Bad: bad.*thing' words
	printf 'DEFINE TRIGGER t ON Exception E IF E.Name = %s AND E.What LIKE %s AND E.Function = %s\n' "'std::system_error'" "'opening*'" "'thrower'" >t.trigger
	run -0 --separate-stderr trigger-filter -t -T ./t.trigger trace
	assert_line --regexp '^trigger ts=[0-9.]* name=t state=fired'
	assert_equal "$(grep -c '^signal' <<<"$output")" 1
}

@test "a program that has the C++ runtime linked in is traced by its name" {
	need_tracefs
	thrower -static-libstdc++ -static-libgcc
	run_both c++:./thrower
	check_thrown
}

# bats test_tags=long
@test "a handler in which a program is when tracing begins may end" {
	need_tracefs
	command -v g++ >/dev/null || skip "needs g++"
	cat >handler.cc <<-'CC'
		#include <stdexcept>
		#include <unistd.h>
		int main()
		{
			char byte;
			try {
				throw 5;
			} catch (int) {
				read(0, &byte, 1);
			}
			for (int i = 0; i < 3; i++)
				try {
					throw std::out_of_range("behind it");
				} catch (std::exception &) {
				}
			pause();
		}
	CC
	g++ -O1 -o handler handler.cc
	mkfifo go
	./handler <go 3>&- &
	local handler=$!
	exec {to}>go
	until_true 20 grep -q pipe_read "/proc/$handler/stack"
	trace-collect -p $handler --exceptions c++ --stack -e sched:sched_process_exit -t -o trace 3>&- &
	until_true 30 grep -q '^stack\|^traced' trace
	echo >&"$to"
	until_true 30 eval '[ "$(grep -c "^exception .*what=.behind it. function=main" trace)" = 3 ]'
	refute grep -q '^exception .*cause=' trace
	kill $handler $!
	wait $! || true
}

@test "sources of exceptions that there are not are refused" {
	run -1 trace-collect --exceptions rust -d 1
	assert_output "trace-collect: unknown source of exceptions 'rust'; there are c++[:BINARY], python[:BINARY], node, return:BINARY:FUNCTION:COND and syscall"
	run -1 trace-collect --exceptions c++:./nothing -d 1
	assert_output --partial "nothing"
	run -1 trace-collect --exceptions return:./nothing:query -d 1
	assert_output "trace-collect: 'return:./nothing:query' needs a program, a function and a condition: return:./server:query:<0"
	run -1 trace-collect --exceptions python:/bin/sh -d 1
	assert_output --partial 'is not Python 3.11, the only one whose exceptions are known'
	for condition in '' '<' '=0' '<x' '<0x' '< 0 || common_pid == 1'; do
		run -1 trace-collect --exceptions "return:./nothing:query:$condition" -d 1
		assert_output "trace-collect: '$condition' is no condition of a result, such as <0, ==0 or s32!=-1"
	done
}

@test "errors of system calls are exceptions; their events come only if they are wanted, too" {
	need_tracefs
	trace-collect -p command --exceptions syscall -o trace -- cat ./no-such-file 2>/dev/null || true
	stream-cat -t trace >told
	grep -Eq '^exception ts=[0-9.]* tid=[0-9]* name=ENOENT function=openat' told
	refute grep -q 'name=raw_syscalls:sys_exit' told
	printf 'DEFINE TRIGGER t ON Exception E IF E.Name = %s AND E.Comm = %s\n' "'ENOENT'" "'cat'" >t.trigger
	trigger-filter -t -T ./t.trigger trace | grep -q 'name=t state=fired'
	trace-collect -p command --exceptions syscall -e raw_syscalls:sys_exit -o trace -- cat ./no-such-file 2>/dev/null || true
	stream-cat -t trace >told
	grep -q '^exception .*name=ENOENT' told
	grep -q 'name=raw_syscalls:sys_exit .*ret=[1-9]' told
}

# bats test_tags=long
@test "an exception that a future carries to another thread, and what is thrown because of it, are one way, from the first throw on" {
	need_tracefs
	command -v g++ >/dev/null || skip "needs g++"
	cat >way.cc <<-'CC'
		#include <future>
		#include <stdexcept>
		struct Lost : std::runtime_error { using std::runtime_error::runtime_error; };
		__attribute__((noinline)) int query(int i) { if (i > 3) throw std::out_of_range("no such key"); return i; }
		__attribute__((noinline)) int work(int i) { return query(i) + 1; }
		__attribute__((noinline)) int collect(std::future<int> &f) { return f.get() + 1; }
		__attribute__((noinline)) int serve(int i)
		{
			auto f = std::async(std::launch::async, work, i);
			try { return collect(f); } catch (std::exception &e) { throw Lost("request failed"); }
		}
		__attribute__((noinline)) int status(int i) { return i % 2 ? -i : i; }
		__attribute__((noinline)) const char *name(int i) { return i % 2 ? "odd" : nullptr; }
		int main()
		{
			int sum = 0;
			try { sum = serve(5); } catch (Lost &e) { }
			for (volatile int i = 0; i < 4; i = i + 1)
				sum += status(i) + !name(i);
			return sum == 12345;
		}
	CC
	g++ -g -O1 -pthread -o way way.cc
	run -0 --separate-stderr trace-collect -p command --exceptions c++ --exceptions 'return:./way:status:<0' --exceptions 'return:./way:name:==0' -o trace -- ./way
	printf 'DEFINE TRIGGER lost ON Exception E IF E.Name = %s\n' "'Lost'" >t.trigger
	trigger-filter -T ./t.trigger trace 2>/dev/null >filtered
	run -0 --separate-stderr blame-rank -t filtered
	[[ ! $stderr ]]
	assert_equal "$(sed -n 's/^node .* name=way:\([a-z]*\) .*call=\([a-z]*\).*/\1 \2/p' <<<"$output")" "$(printf '%s\n' 'query sync' 'work async' 'collect sync' 'serve sync')"
	assert_equal "$(sed -n 's/^node .* name=way:\([a-z]*\) .*threw=\("[^"]*"\).*/\1 \2/p' <<<"$output")" \
		"$(printf '%s\n' 'query "std::out_of_range: no such key"' 'collect "std::out_of_range: no such key"' 'serve "Lost: request failed"')"
	assert_equal "$(sed -n 's/^blame .* name=way:\([a-z]*\) .*algorithm=exception.*/\1/p' <<<"$output")" "$(printf '%s\n' query work collect serve main)"
	refute_line --regexp '^(path|blame graph=total)'
	blame-rank filtered | report | grep -q 'threw *way:query: std::out_of_range: no such key'
	assert_equal "$(stream-cat -t trace | sed -n 's/^exception .* name=\("[^"]*"\) function=/\1 /p')" \
		"$(printf '"%s" %s\n' name=0 name status=-1 status name=0 name status=-3 status)"
}

@test "what Python raises is told with its text and its functions, and not what C code drops, or what is raised once more" {
	need_tracefs
	[[ $(readlink -f /usr/bin/python3) == *3.11 ]] || skip "needs Python 3.11"
	cat >raise.py <<-'PY'
		class Bad(ValueError): pass
		def query(i):
		    if i > 3: raise Bad(f"no such key {i}")
		def serve(i):
		    try: query(i)
		    except Bad as e:
		        hasattr(e, "nothing")
		        raise
		def convert(): return int("x")
		def bare(): raise KeyError
		def name_é(): raise Bad("né")
		for f in lambda: serve(5), convert, bare, name_é:
		    try: f()
		    except Exception: pass
		for x in iter([1]): hasattr(x, "nothing")
		for i in range(5000):
		    try: query(9)
		    except Bad: pass
	PY
	trace-collect -p command --exceptions python -o trace -- /usr/bin/python3 -I -S raise.py
	stream-cat -t trace | sed -n 's/^exception ts=[0-9.]* tid=[0-9]* //p' >thrown
	assert_equal "$(grep -c 'what="no such key 9" function=query calls=query;<module>$' thrown)" 5000
	grep -v 'key 9"' thrown | tail -n 4 >told
	diff - told <<-'END'
		name=Bad what="no such key 5" function=query calls=query;serve;<lambda>;<module>
		name=ValueError what="invalid literal for int() with base 10: 'x'" function=convert calls=convert;<module>
		name=KeyError function=bare calls=bare;<module>
		name=Bad
	END
	printf 'DEFINE TRIGGER t ON Exception E IF E.What = %s\n' "'no such key 5'" >t.trigger
	trigger-filter -T ./t.trigger trace 2>/dev/null | blame-rank -t >ranked
	assert_equal "$(sed -n 's/^blame .* name=\([^ ]*\) .*/\1/p' ranked)" "$(printf '%s\n' query serve '<lambda>' '<module>')"
}

# Makes the program NAME of NAME.cc. Its four clients call handle(), and two workers call work_once(); each fourth request throws.
make_workers() { # NAME FLAG...
	cat >workers.hh <<-'CC'
		#include <exception>
		#include <pthread.h>
		#include <semaphore.h>
		#include <stdexcept>
		#include <unistd.h>
		template <class T> class queue {
			T items[64];
			unsigned head = 0, tail = 0;
			pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
			sem_t posted;
		public:
			queue() { sem_init(&posted, 0, 0); }
			void put(T item)
			{
				pthread_mutex_lock(&lock);
				items[tail++ % 64] = item;
				pthread_mutex_unlock(&lock);
				sem_post(&posted);
			}
			T take()
			{
				sem_wait(&posted);
				pthread_mutex_lock(&lock);
				T item = items[head++ % 64];
				pthread_mutex_unlock(&lock);
				return item;
			}
		};
		extern "C" int handle(int id);
		static void work_once();
		extern "C" __attribute__((noipa)) void check(int id) { if (id % 4 == 3) throw std::out_of_range("no such item"); }
		static void *work(void *)
		{
			for (;;)
				work_once();
		}
		static void *ask(void *first)
		{
			for (long i = 0; i < 40; i++) {
				handle((int)((long)first + i));
				usleep(500);
			}
			return nullptr;
		}
		int main()
		{
			pthread_t clients[4], workers[2];
			for (auto &worker : workers)
				pthread_create(&worker, nullptr, work, nullptr);
			for (long i = 0; i < 4; i++)
				pthread_create(&clients[i], nullptr, ask, (void *)(i * 40));
			for (auto &client : clients)
				pthread_join(client, nullptr);
		}
	CC
	g++ -O1 -g "${@:2}" -o "$1" "$1.cc" -pthread
}

# The requests that threw match, and no others. Those that ended before the first throw are not told.
assert_thrown_for_requests() { # NAME CLAUSE OPTION...
	printf 'DEFINE TRIGGER t ON Exception E %s LOG RequestActivity WITH UnmatchSamplingProb = 1 UNTIL 1 h\n' "$2" >t.trigger
	trace-collect -c "func:./$1:handle(request=id)" "${@:3}" --exceptions c++ -o trace -- "./$1" 2>/dev/null
	run -0 bash -c "trigger-filter -t -T ./t.trigger trace | sed -n 's/^request .* match=\([a-z]*\) .* request=\([0-9]*\)$/\1 \2/p' | awk '{ print \$1, \$2 % 4 == 3 }' | sort | uniq -c"
	assert_equal "$(wc -l <<<"$output")" 2
	assert_line --regexp '^ *40 yes 1$'
	assert_line --regexp '^ *1[0-9][0-9] no 0$'
}

@test "what a worker throws is thrown for the request whose job it has, and for no other that is open" {
	need_tracefs
	cat >pool.cc <<-'CC'
		#include "workers.hh"
		struct job { int id, result; sem_t done; };
		static queue<job *> jobs;
		extern "C" {
		__attribute__((noipa)) int run(job *j) { try { check(j->id); usleep(500); return 1; } catch (std::exception &) { return -1; } }
		__attribute__((noipa)) void post(job *j) { jobs.put(j); }
		__attribute__((noipa)) int handle(int id)
		{
			job j = {id, 0, {}};
			sem_init(&j.done, 0, 0);
			post(&j);
			while (sem_wait(&j.done))
				;
			return j.result;
		}
		}
		static void work_once()
		{
			job *j = jobs.take();
			j->result = run(j);
			sem_post(&j->done);
		}
	CC
	make_workers pool
	echo "handoff from='func:./pool:post(j)' to='func:./pool:run(j)'" >pool.handoffs
	assert_thrown_for_requests pool '' --handoffs=pool.handoffs
}

@test "a coroutine that goes on elsewhere throws for the request that began it" {
	need_tracefs
	cat >co.cc <<-'CC'
		#include <coroutine>
		#include "workers.hh"
		static queue<std::coroutine_handle<>> waiting;
		struct elsewhere {
			bool await_ready() { return false; }
			void await_suspend(std::coroutine_handle<> handle) { waiting.put(handle); }
			void await_resume() {}
		};
		struct task {
			struct promise_type {
				task get_return_object() { return {}; }
				std::suspend_never initial_suspend() { return {}; }
				std::suspend_never final_suspend() noexcept { return {}; }
				void return_void() {}
				void unhandled_exception() { std::terminate(); }
			};
		};
		__attribute__((noipa)) task fetch(int id, sem_t *done)
		{
			co_await elsewhere{};
			try { check(id); } catch (std::exception &) {}
			co_await elsewhere{};
			sem_post(done);
		}
		extern "C" __attribute__((noipa)) int handle(int id)
		{
			sem_t done;
			sem_init(&done, 0, 0);
			fetch(id, &done);
			while (sem_wait(&done))
				;
			return id;
		}
		static void work_once() { waiting.take().resume(); }
	CC
	make_workers co -std=c++20 || skip "needs coroutines"
	assert_thrown_for_requests co "FOR 'func:co:handle'" -c 'func:./co:_Z5fetchiP5sem_t'
}
