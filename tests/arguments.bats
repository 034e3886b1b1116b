#!/usr/bin/env bats
# Arguments and results of functions: what the events of calls tell, and what is refused.
# bats file_tags=live

load helper

# What is not optimised away although nobody asks for it.
noipa='__attribute__((noipa))'

server_c() {
	cat >server.c <<-C
		#include <stdint.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		enum color { RED, GREEN = 7, BLUE = -1 };
		struct inner { long number; const char *name; short list[4]; };
		struct request {
			const char *url; unsigned length; char tag[8]; struct inner *to; struct inner here;
			unsigned three : 3, nine : 9; int minus : 5; uint8_t zero; enum color color; union { int one; long two; }; double real;
		};
		int counter = 41;
		struct inner global = {5, "global", {1, 2, 3, 4}};
		$noipa int handle(struct request *r, int n, const char *text, double d, enum color c, short five, long six, int seven, char eight)
		{
			__asm__ volatile("" : : "r"(r), "r"(n), "r"(text), "x"(d), "r"(c), "r"(five), "r"(six), "r"(seven), "r"(eight) : "memory");
			counter++;
			return -n;
		}
		int main(void)
		{
			struct inner inner = {-42, "inner", {9, -8, 7, 6}};
			struct request whole = {"/a?b=1", 6, "tagged!", &inner, {17, "here", {4, 3, 2, 1}}, 5, 300, -7, 0, GREEN, {.two = 99}, 2.5};
			struct request empty = {""}, wild = {(char *)0xdead0000, 9, "", (void *)0xdead0000};
			char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *many = malloc(9000);
			munmap(page + 4096, 4096);
			strcpy(page + 4090, "edges");
			memset(many, 'm', 8999);
			many[8999] = 0;
			handle(&whole, 5, "text", 1.5, GREEN, -5, 6, -7, 'x');
			handle(&empty, 0, "", 1.5, BLUE, 5, 6, 7, 'y');
			handle(&wild, 1, page + 4090, 0, RED, 0, 0, 0, 0);
			handle(NULL, 2, NULL, 0, RED, 0, 0, 0, 0);
			handle((void *)0xdead0000, 3, (void *)0xffff800000000000, 0, RED, 0, 0, 0, 0);
			handle(&whole, 4, many, 0, RED, 0, 0, 0, 0);
			many[300] = 0;
			handle(&whole, 6, many, 0, RED, 0, 0, 0, 0);
			handle(&whole, 7, "a \"b\" \n\033[1m\377", 0, RED, 0, 0, 0, 0);
			return 0;
		}
	C
}

# told STREAM: the events of functions, from their names on, without addresses.
told() {
	stream-cat --text "$1" | grep '^event .* name=func:' | sed 's/.* name=func://; s/ __probe[a-z_]*=[0-9]*//g; s/ sp=[0-9]*//'
}

# bats test_tags=long
@test "the arguments of a call are told where it begins, optimised or not, the result where it ends" {
	need_tracefs
	server_c
	for how in -O2 -O0; do
		gcc -g $how -o server server.c
		trace-collect -c 'func:./server:handle(r->url,r->length,r->tag,n,text,c,five,six,seven,eight,ret)' -o trace -- ./server
		told trace >calls
		run -0 sed -n '1p; 2p; 3p; 4p' calls
		assert_output - <<-'END'
			server__handle url="/a?b=1" length=6 tag=tagged! n=5 text=text c=7 five=-5 six=6 seven=-7 eight=120
			server__handle__return ret=-5
			server__handle url="" length=0 tag="" n=0 text="" c=-1 five=5 six=6 seven=7 eight=121
			server__handle__return ret=0
		END
		trace-collect -c 'func:./server:handle(to=r->to->name,r->to->list[1],of=r->here.name,n=@global.number,@counter,r->three,r->nine,r->minus,r->zero,r->color,r->two,%2:s32)' \
			-o trace -- ./server
		run -0 sed -n 1p <(told trace)
		assert_output "server__handle to=inner list=-8 of=here n=5 counter=41 three=5 nine=300 minus=-7 zero=0 color=7 two=99 arg2=5"
	done
}

@test "a wild pointer is told as unknown, an empty text is not; long text is cut" {
	need_tracefs
	server_c
	gcc -g -O2 -o server server.c
	trace-collect -c 'func:./server:handle(r->url,r->length,r->to->number,r->zero,text,n)' -o trace -- ./server
	told trace | grep -v return >calls
	run -0 sed -n '2,5p; 8p' calls
	assert_output - <<-'END'
		server__handle url="" length=0 number=? zero=0 text="" n=0
		server__handle url=? length=9 number=? zero=0 text=edges n=1
		server__handle url=? length=? number=? zero=? text=? n=2
		server__handle url=? length=? number=? zero=? text=? n=3
		server__handle url="/a?b=1" length=6 number=-42 zero=0 text="a \"b\" \n\x1b[1m\xff" n=7
	END
	run -0 sed -n 's/.* text=\(m*\) n=6$/\1/p' calls
	assert_equal ${#output} 255
	trace-collect -c 'func:./server:handle(r->url,r->to->number)' -o trace -- ./server # all of it two steps away
	run -0 sed -n '1,5p' <(told trace | grep -v return)
	assert_output - <<-'END'
		server__handle url="/a?b=1" number=-42
		server__handle url="" number=?
		server__handle url=? number=?
		server__handle url=? number=?
		server__handle url=? number=?
	END
	run -0 sed -n 6p calls # of text of 4 KiB and more the kernel tells the first bytes
	assert_output --regexp ' text=(m+|\?) n=4$'
}

@test "what is told is shown in signals, and stays what it is as text" {
	need_tracefs
	server_c
	gcc -g -O2 -o server server.c
	trace-collect -c 'func:./server:handle(r->url,at=n,r->length,ret)' -f './server:*' -o trace -- ./server
	cchart-filter --text --limit=func:server:handle=1ns trace 2>complaints | grep '^signal ' >signals
	run -0 sed -n '1p; 3p; 4p' <(sed 's/.* comm=server //' signals)
	assert_output - <<-'END'
		url="/a?b=1" at=5 length=6
		url=? at=1 length=9
		url=? at=2 length=?
	END
	run ! grep 'func:server:handle' complaints
	stream-cat --text trace >trace.txt
	cchart-filter --text --limit=func:server:handle=1ns trace.txt 2>/dev/null | grep '^signal ' | diff signals -
	assert_equal "$(grep -c '^chart name=func:server:handle ' trace.txt)" 1
}

# bats test_tags=long
@test "strings, references and members of C++; of a tail call there is no result" {
	need_tracefs
	cat >server.cc <<-C
		#include <string>
		#include <string_view>
		struct Base { int id = 3; virtual ~Base() {} };
		int level = 13;
		namespace app {
		int level = 12;
		struct Pair { int a, b; };
		struct Big { long x[5]; };
		struct Server : Base {
			std::string name = "front"; struct { int nameless = 77; };
			$noipa int handle(const std::string &url, std::string_view part, std::string copy, int n, Pair p, Big big, bool flag)
			{
				asm volatile("" : : "r"(this), "r"(&url), "r"(part.data()), "r"(&copy), "r"(n), "r"(p.a), "r"(&big), "r"((int)flag) : "memory");
				if (n == 13)
					throw 13;
				return n + id;
			}
			$noipa long tail(long n) { asm volatile("" : : : "memory"); return other(n + 1); }
			$noipa long other(long n) { asm volatile("" : "+r"(n) : : "memory"); if (n > 100) throw 1; return n * 2; }
			$noipa std::string_view view(const char *text) { asm volatile("" : : : "memory"); return text; }
		};
		}
		int main()
		{
			app::Server server;
			std::string url = "/a/long/url/that/is/not/short/enough?x=1";
			char raw[] = "part of it";
			server.handle(url, std::string_view(raw, 4), "copied", 5, {1, -2}, {{1, 2, 3, 4, 5}}, true);
			try { server.handle("", std::string_view(), std::string(300, 'c'), 13, {}, {}, false); } catch (int) {}
			server.tail(3);
			return server.view("x").size() != 1;
		}
	C
	for how in -O2 -O0; do
		g++ -std=c++17 -g $how -o server server.cc
		trace-collect -c 'func:./server:app::Server::handle(url,part,copy,n,p.b,big.x[1],flag,this->id,this->name,this->nameless,ret)' \
			-c 'func:./server:app::Server::tail(n,ret,@app::level)' -o trace -- ./server 2>/dev/null
		told trace | sed 's/cccccccccc*/LONG/' >calls
		run -0 grep -c 'handle__return ret=8$' calls
		run -0 grep -Ev 'return|unwind' calls
		assert_output - <<-'END'
			server__app__Server__handle url="/a/long/url/that/is/not/short/enough?x=1" part=part copy=copied n=5 b=-2 x=2 flag=1 id=3 name=front nameless=77
			server__app__Server__handle url="" part="" copy=LONG n=13 b=0 x=0 flag=0 id=3 name=front nameless=77
			server__app__Server__tail n=3 level=12
		END
		run -0 grep -o 'tail__return ret=.*' calls
		assert_output "tail__return ret=$([ $how = -O0 ] && echo 8 || echo '?')"
	done
}

# bats test_tags=long
@test "all functions of C++ are traced whose names have brackets, too: of what returns std::string, and of a lambda that becomes a pointer" {
	need_tracefs
	cat >text.cc <<-C
		#include <string>
		struct Page { $noipa std::string text(int n) { return std::string(n, 'x'); } $noipa int operator()() { return 2; } };
		int main()
		{
			int (*twice)(int) = [](int n) { return 2 * n; };
			Page page;
			return page.text(twice(2)).size() + page() != 6;
		}
	C
	g++ -g -O0 -o text text.cc
	run -0 trace-collect -p command -f './text:*' -o trace -- ./text
	run -0 told trace
	assert_line --regexp '^text__Page__text_abi_cxx11__'
	assert_line --regexp '^text__main$'
	run -0 trace-collect -p command -c 'func:./text:Page::text[abi:cxx11](n,ret)' -o trace -- ./text
	run -0 told trace
	assert_line --regexp ' n=4$'
	assert_line --regexp ' ret=xxxx$'
}

# refused EXPRESSIONS: the message.
refused() {
	run -1 trace-collect -d 0 --text -c "func:./server:$1"
	output=${output#trace-collect: }
}

# bats test_tags=long
@test "what is not there when a call begins is refused by name" {
	need_tracefs
	server_c
	cat >>server.c <<-'C'
		static __attribute__((noinline)) int known(int gone, int kept) { __asm__ volatile("" : : "r"(kept) : "memory"); return kept; }
		__attribute__((noinline)) float real(float f) { __asm__ volatile("" : : "x"(f) : "memory"); return f; }
		__attribute__((noinline)) void nothing(void) { __asm__ volatile("" : : : "memory"); }
		int call(int n) { nothing(); return known(1, n) + (int)real(0); }
	C
	gcc -g -O2 -o server server.c
	known=$(nm server | grep -o 'known.*') # GCC made a copy of it that lacks the parameter
	refused "$known(gone)"
	assert_output --regexp "cannot tell 'gone' of '$known': (the compiler made it a constant|it was optimised away).*"
	refused 'handle(d)'
	assert_output "cannot tell 'd' of 'handle': it is a floating-point number, or larger than 64 bits; :x64 tells its bits where they are in memory"
	refused 'handle(d:u64)'
	assert_output "cannot tell 'd:u64' of 'handle': it is in a vector register or in none, and the kernel tells only general ones"
	refused 'real(ret)'
	assert_output "cannot tell 'ret' of 'real': it is not returned in one general register"
	refused 'nothing(ret)'
	assert_output "cannot tell 'ret' of 'nothing': the function returns nothing"
	refused 'handle(r.url)'
	assert_output "cannot tell 'r.url' of 'handle': a pointer's members come behind '->'"
	refused 'handle(n, r->lenght)'
	assert_output "cannot tell 'r->lenght' of 'handle': type 'request' has no member 'lenght'; is it 'length'?"
	refused 'handle(txt)'
	assert_output "function 'handle' has no parameter 'txt'; is it 'text'?"
	refused 'handle(r->here)'
	assert_output "cannot tell 'r->here' of 'handle': it is a struct: name a member of it"
	refused 'handle(r->url, url=n)'
	assert_output "wrong arguments 'r->url, url=n': a second one has this name, so give it another, NAME=..., at column 9"
	refused 'handle(r->url:u12)'
	assert_output "wrong arguments 'r->url:u12': there are the types u8 to u64, s8 to s64, x64, string, text, path, ptr, but not this at column 8"
	refused 'handle(n+1)'
	assert_output "wrong arguments 'n+1': ',' or the end is wanted at column 2"
	strip -g server
	refused 'handle(n)'
	assert_output "cannot tell 'n' of 'handle': the program has no debugging information of this function; %1 is its first argument"
	trace-collect -c 'func:./server:handle(%2:s32,%3:string,ret:s32)' -o trace -- ./server
	run -0 sed -n '1,2p' <(told trace)
	assert_output - <<-'END'
		server__handle arg2=5 arg3=text
		server__handle__return ret=-5
	END
}

@test "types that refer to themselves without end, and members beyond all memory, are refused at once" {
	need_tracefs
	[ "$(uname -m)" = x86_64 ] || skip "needs a program for x86-64"
	zcat "$TOP/testdata/fuzz/arguments/endless-reference.gz" >server
	chmod +x server
	for expression in p 'p->a->b' p.a 'p[1]'; do
		refused "f($expression)"
		assert_output "cannot tell '$expression' of 'f': it is too far away"
	done
	echo 'stream version=1' >in
	run -0 probe-log -t --dry-run --methods ./server:f in
	assert_line "probe-log: logs f of '$PWD/server': ret"
	zcat "$TOP/testdata/fuzz/arguments/far-members.gz" >server
	refused 'f(p->a)'
	assert_output "cannot tell 'p->a' of 'f': type 'far' has no member 'a'"
}

# bats test_tags=long
@test "an instruction is an event without an end, with the arguments that are in a place there" {
	need_tracefs
	server_c
	for how in -O2 -O0; do
		gcc -g $how -o server server.c
		begin=$(nm server | awk '$3 == "handle" { print "0x" $1 }')
		# Where the program reads the counter.
		at=$(objdump -d --no-show-raw-insn --disassemble=handle server | awk '/counter/ { sub(":", "", $1); print "0x" $1; exit }')
		at=$(printf '0x%x' $((at - begin)))
		trace-collect -c "func:./server:handle+$at(r->length,n,seven,r->url,@counter)" -o trace -- ./server
		stream-cat --text trace >trace.txt
		run -0 sed -n 's/^event .* name=point:server__handle_[0-9a-z_]* __probe_ip=[0-9]* //p' trace.txt
		assert_line --index 0 'length=6 n=5 seven=-7 url="/a?b=1" counter=41'
		assert_line --index 3 'length=? n=2 seven=0 url=? counter=44'
		assert_equal ${#lines[@]} 8
		run -0 grep -c "^chart name=point:server:handle+$at " trace.txt
		refused "handle+$((at + 1))"
		assert_output "cannot probe 'handle+$(printf '0x%x' $((at + 1)))': no instruction begins there; the one before begins at +$at"
	done
	refused 'handle+0x10000'
	assert_output --regexp "cannot probe 'handle\+0x10000': the function has 0x[0-9a-f]* bytes"
	refused 'handle+0(r->url)' # not yet written
	assert_output "cannot tell 'r->url' of 'handle': its place is not known to be written yet at this instruction"
	refused 'handle+0(%1)'
	assert_output "cannot tell '%1' of 'handle': only at a function's entry arguments are where the calling convention has them"
}

@test "a job behind another's in a busy pool belongs to the call that posted it" {
	need_tracefs
	cat >pool.c <<-C
		#include <pthread.h>
		#include <time.h>
		struct job { long us; int done; struct job *next; };
		static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
		static pthread_cond_t more = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
		static struct job *first, **last = &first;
		$noipa void sleeps(long us) { nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL); }
		$noipa void run(struct job *job) { sleeps(job->us); }
		$noipa void post(struct job *job)
		{
			pthread_mutex_lock(&lock);
			*last = job;
			last = &job->next;
			pthread_cond_signal(&more);
			pthread_mutex_unlock(&lock);
		}
		$noipa void await(struct job *job)
		{
			pthread_mutex_lock(&lock);
			while (!job->done)
				pthread_cond_wait(&finished, &lock);
			pthread_mutex_unlock(&lock);
		}
		static void *worker(void *none)
		{
			for (;;) {
				pthread_mutex_lock(&lock);
				while (!first)
					pthread_cond_wait(&more, &lock);
				struct job *job = first;
				if (!(first = job->next))
					last = &first;
				pthread_mutex_unlock(&lock);
				run(job);
				pthread_mutex_lock(&lock);
				job->done = 1;
				pthread_cond_broadcast(&finished);
				pthread_mutex_unlock(&lock);
			}
			return none;
		}
		$noipa void request(void)
		{
			struct job job = {.us = 60000};
			post(&job);
			await(&job);
		}
		static void *other(void *none)
		{
			struct job job = {.us = 40000};
			sleeps(1000); /* the worker waits */
			post(&job);
			await(&job);
			return none;
		}
		int main(void)
		{
			pthread_t thread;
			pthread_create(&thread, NULL, worker, NULL);
			pthread_create(&thread, NULL, other, NULL);
			sleeps(20000);
			request();
		}
	C
	gcc -g -O1 -pthread -o pool pool.c
	printf '%s\n' '# jobs' "handoff from='func:./pool:post(job)' to='func:./pool:run(job)'" >pool.handoffs
	trace-collect -p command -c func:./pool:request --handoffs=pool.handoffs -f './pool:await' -o trace -- ./pool
	cchart-filter -c func:./pool:request --limit=10ms trace 2>/dev/null >filtered
	graph-build -k rag -t filtered | sed -n 's/^node .* name=pool:\([a-z]*\) .*/& \1/p' | sed -E 's/^node .* parent=([0-9]*) call=([a-z]*).* ([a-z]*)$/\3 \2 \1/; s/^node .* ([a-z]*)$/\1/' >nodes
	assert_equal "$(cat nodes)" "$(printf '%s\n' request 'post sync 1' 'await sync 1' 'run async 2')"
	assert_equal "$(blame-rank -t filtered | sed -n 's/^blame graph=[0-9]* rank=1 name=pool:\([a-z]*\) .*/\1/p')" run
	# without, nobody knows who posted it
	refute grep -q 'name=pool:run .*parent=2' <(stream-cat -t filtered | grep -v ^handoff | graph-build -k rag -t)
}

@test "what is handed over is known when calls begin, and by one argument" {
	printf '%s\n' '' "handoff from='func:./pool:post(job)' to='func:./pool:run(ret)'" >pool.handoffs
	run -1 trace-collect --handoffs=pool.handoffs -d 1
	assert_output "trace-collect: pool.handoffs:2: the value that a call takes over must be known when the call begins, but 'func:./pool:run(ret)' is known at its end"
	echo "handoff from='sched:sched_switch(prev_pid)' to='func:./pool:run(job)'" >pool.handoffs
	run -1 trace-collect --handoffs=pool.handoffs -d 1
	assert_output --partial 'pool.handoffs:1: the value that is handed over must be an argument of a function'
	echo "handoff from='func:./pool:post' to='func:./pool:run'" >pool.handoffs
	run -1 trace-collect --handoffs=pool.handoffs -d 1
	assert_output --partial 'pool.handoffs:1: the events of a handoff have a key each'
}

# bats test_tags=long
@test "a coroutine that goes on in another thread belongs to the call that made it" {
	need_tracefs
	command -v g++ >/dev/null || skip "needs g++"
	cat >server.cc <<-'CC'
		#include <condition_variable>
		#include <coroutine>
		#include <deque>
		#include <exception>
		#include <mutex>
		#include <thread>
		#include <time.h>
		#include <unistd.h>
		struct task {
			struct promise_type {
				std::coroutine_handle<> waiting;
				task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
				std::suspend_always initial_suspend() { return {}; }
				struct last {
					bool await_ready() noexcept { return false; }
					std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().waiting; }
					void await_resume() noexcept {}
				};
				last final_suspend() noexcept { return {}; }
				void return_void() {}
				void unhandled_exception() { std::terminate(); }
			};
			std::coroutine_handle<promise_type> h;
			bool await_ready() { return false; }
			std::coroutine_handle<> await_suspend(std::coroutine_handle<> w) { h.promise().waiting = w; return h; }
			void await_resume() { h.destroy(); }
		};
		static std::mutex lock;
		static std::condition_variable more, over;
		static std::deque<std::coroutine_handle<>> ready;
		static int running;
		struct on_pool { // goes on in a thread of the pool
			bool await_ready() { return false; }
			void await_suspend(std::coroutine_handle<> h) { std::lock_guard<std::mutex> guard(lock); ready.push_back(h); more.notify_one(); }
			void await_resume() {}
		};
		static void worker()
		{
			for (;;) {
				std::unique_lock<std::mutex> guard(lock);
				more.wait(guard, [] { return !ready.empty(); });
				auto h = ready.front();
				ready.pop_front();
				guard.unlock();
				h.resume();
			}
		}
		static void naps(long ms) { struct timespec t = {0, ms * 1000000}; nanosleep(&t, nullptr); }
		task query(int ms) { co_await on_pool(); naps(ms); }
		task serve(int ms) { co_await query(ms); co_await query(1); }
		struct root {
			struct promise_type {
				root get_return_object() { return {}; }
				std::suspend_never initial_suspend() { return {}; }
				std::suspend_never final_suspend() noexcept { return {}; }
				void return_void() {}
				void unhandled_exception() { std::terminate(); }
			};
		};
		root go(int ms, bool *done)
		{
			co_await serve(ms);
			std::lock_guard<std::mutex> guard(lock);
			*done = true;
			over.notify_all();
		}
		__attribute__((noinline)) void request(int ms)
		{
			bool done = false;
			go(ms, &done);
			std::unique_lock<std::mutex> guard(lock);
			over.wait(guard, [&] { return done; });
		}
		int main()
		{
			 std::thread(worker).detach();
			std::thread(worker).detach();
			request(40);
			_exit(0);
		}
	CC
	g++ -std=c++20 -g -O1 -pthread -o server server.cc || skip "needs coroutines"
	trace-collect -p command -c func:./server:request -f './server:go' -f './server:serve' -f './server:query' -o trace -- ./server 2>/dev/null
	cchart-filter -c func:./server:request --limit=20ms trace 2>/dev/null >filtered
	assert_equal "$(blame-rank -t filtered | sed -n 's/^blame graph=2 rank=1 name=\([^ ]*\) .*/\1/p')" server:query
	graph-build -k rag -t filtered | grep '^node' >nodes
	# each goes on from where it was: its parent is the same coroutine
	run -0 awk '{ for (i = 1; i <= NF; i++) if (split($i, a, "=") > 1) f[a[1]] = a[2]; name[f["id"]] = f["name"] }
		/ call=async/ && !/ join=/ { aside[f["name"]]++; if (name[f["parent"]] != f["name"]) print }
		END { print (aside["server:go"] > 0), (aside["server:serve"] > 1), (aside["server:query"] > 1) }' nodes
	assert_output "1 1 1"
	strip --strip-debug -o bare server
	run --separate-stderr trace-collect -f './bare:query' -d 0.1 -o bare.trace
	[[ $stderr == *"coroutines without debugging information are not followed where they go on"* ]]
}
