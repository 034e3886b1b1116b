#!/usr/bin/env bats
# Where threads sleep and wake others, by function, live: trace-collect --stack.

# bats file_tags=live
load helper

teardown() {
	if [ -n "$debug_file" ]; then rm -f "$debug_file"; fi
	for process in $elder $collector; do kill -KILL $process 2>/dev/null || true; done
	if [ -n "$debug_folder" ]; then rmdir --ignore-fail-on-non-empty "$debug_folder"; fi
}

need_stacks() {
	need_tracefs
	[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
}

# A thread that sleeps in wait_for_work() is woken 20 times from hand_out(). As Debian's programs it has no frame pointers.
program() {
	cat >"$1" <<-'EOT'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <stdio.h>
		#include <unistd.h>

		static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
		static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
		static int ready;
		static volatile int tid;

		/* The name in its state has no blank. */
		static int worker_sleeps(void)
		{
			char path[64], state = 0;
			FILE *file;

			snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
			file = fopen(path, "r");
			if (file) {
				if (fscanf(file, "%*d %*s %c", &state) != 1)
					state = 0;
				fclose(file);
			}
			return state == 'S';
		}

		__attribute__((noinline)) static void wait_for_work(void)
		{
			pthread_mutex_lock(&lock);
			while (!ready)
				pthread_cond_wait(&changed, &lock);
			ready = 0;
			pthread_mutex_unlock(&lock);
		}

		__attribute__((noinline)) static void hand_out(void)
		{
			ready = 1;
			pthread_cond_signal(&changed);
			__asm__ volatile("");
		}

		static void *worker(void *none)
		{
			tid = gettid();
			for (;;)
				wait_for_work();
			return none;
		}

		int main(void)
		{
			pthread_t thread;

			pthread_create(&thread, NULL, worker, NULL);
			for (int i = 0; i < 20; i++) {
				do
					usleep(1000);
				while (!worker_sleeps());
				pthread_mutex_lock(&lock);
				hand_out();
				pthread_mutex_unlock(&lock);
			}
			return 0;
		}
	EOT
}

build() { gcc -O2 -fomit-frame-pointer -pthread "$@"; }

# collect_stacks PROGRAM: into the file out, as text. On a very busy machine some stacks are lost, of whichever thread, which status 3 tells: who
# calls looks for one of many that the program has.
collect_stacks() {
	trace-collect --stack -e sched:sched_switch --text -o out -- "$@" || [ $? = 3 ]
}
collect_stacks_of_all() { # ARG...
	trace-collect --stack -e sched:sched_process_exit --text -o out "$@" || [ $? = 3 ]
}

# users EVENT: the program's frames of each such event of the threads of this name: users sleep prog.
users() {
	awk -v event="name=stack:$1 " -v comm="comm=$2 " '
		/^stack / { split($0, part, "user="); id = $2; sub("id=", "stack=", id)
			    text = part[2]; sub(" kernel=.*", "", text); gsub("\"", "", text); user[id] = text }
		index($0, event) && index($0, comm) { for (i = 1; i <= NF; i++) if ($i ~ /^stack=/) print user[$i] }' out
}

@test "a thread sleeps in one function and is woken from another, without frame pointers" {
	need_stacks
	program prog.c
	build -o prog prog.c
	collect_stacks ./prog
	run users sleep prog
	assert_line --regexp '^[^ ]+ \(libc.*;wait_for_work \(prog\);worker \(prog\);'
	run users wake prog
	assert_line --regexp '^([^ ]+ \(libc[^;]*;)+hand_out \(prog\);main \(prog\);'
	run bash -c "grep -c 'comm=prog .*name=stack:wake ' out"
	[ "$output" -ge 20 ]
}

# A program whose last request, of 100, computes for 0.3 s of CPU time in a function that nobody waits for.
busy_program() {
	cat >"$1" <<-'EOT'
		#include <time.h>
		#include <unistd.h>

		static volatile unsigned long work;

		static long cpu_ms(void)
		{
			struct timespec now;

			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
			return now.tv_sec * 1000 + now.tv_nsec / 1000000;
		}

		__attribute__((noinline)) static void characters_at_index(void)
		{
			for (long i = 0; i < 1000000; i++)
				work = work * 31 + 7;
		}

		__attribute__((noinline)) void request(int slow)
		{
			for (long end = cpu_ms() + 300; slow && cpu_ms() < end;)
				characters_at_index();
		}

		int main(void)
		{
			for (int i = 0; i < 100; i++) {
				request(i == 99);
				usleep(1000);
			}
			return 0;
		}
	EOT
}

# bats test_tags=long
@test "what runs is sampled, and a busy thread is blamed in its function" {
	need_stacks
	busy_program prog.c
	build -o prog prog.c
	run trace-collect --stack -c func:./prog:request -o out -- ./prog
	[ "$status" -ne 3 ] || skip "stacks were lost: the machine is too busy"
	assert_success
	run bash -c "cchart-filter --limit=200ms --idle out | blame-rank -n 99 | stream-cat --text | grep '^blame.* deed=run who=prog function='"
	assert_line --regexp ' name="prog: running in characters_at_index" .* function=characters_at_index .*samples=[0-9]+ in_function=[0-9]+'
	run bash -c 'stream-cat --text out | awk "/ comm=prog name=stack:run /" | wc -l' # 59 in 0.3 s of CPU time
	[ "$output" -ge 30 ]
	trace-collect --stack --sample=0 -e sched:sched_switch --text -o none -d 0.1 -- ./prog || [ $? = 3 ]
	run grep -c ' name=stack:run ' none
	assert_output 0
	run -2 trace-collect --sample=10 -d 0.1
	assert_output --partial "option --sample: samples are stacks; give --stack too"
	run -2 trace-collect --stack --sample=10001 -d 0.1
	assert_output --partial "option --sample: at most 10000 samples a second"
}

# bats test_tags=long
@test "what a run counted is told: yields always, page faults where they are asked for" {
	need_stacks
	cat >prog.c <<-'EOT'
		#include <sched.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>

		__attribute__((noinline)) void request(void)
		{
			memset(mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 4 << 20);
			for (int i = 0; i < 2000; i++)
				sched_yield();
			usleep(1000);
		}

		int main(void)
		{
			request();
			return 0;
		}
	EOT
	build -o prog prog.c
	run trace-collect --stack --counters=minor-faults,syscalls:sys_enter_sched_yield -c func:./prog:request -o out -- ./prog
	[ "$status" -ne 3 ] || skip "stacks were lost: the machine is too busy"
	assert_success
	counted() { stream-cat --text out | awk -v name="name=counter:$1" '/ comm=prog / && index($0, name " ") { n += substr($NF, 7) } END { print n + 0 }'; }
	assert_equal "$(counted syscalls_sys_enter_sched_yield)" 2000
	[ "$(counted minor_faults)" -ge 2 ] # a huge page is one
	run bash -c "cchart-filter --limit=1us --idle out | blame-rank | tee ranked | stream-cat --text | grep '^node.* who=prog .*counters='"
	assert_output --partial 'yielding ('
	trace-collect --stack -e sched:sched_switch -o out -- ./prog || [ $? = 3 ]
	run counted syscalls_sys_enter_sched_yield # by the hundred
	[ "$output" -ge 1600 ] && [ "$output" -le 2000 ] || skip "stacks were lost: the machine is too busy"
}

# without PROGRAM ARG...: runs it, and the kernel refuses bpf(2); unattached, unset: only one of its commands.
without_bpf() {
	cat >without.c <<-'EOT'
		#include <errno.h>
		#include <linux/bpf.h>
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>

		int main(int argc, char **argv)
		{
			struct sock_filter code[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		#ifdef ONLY
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 3),
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ONLY, 0, 1),
		#else
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
		#endif
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
				return 99;
			execvp(argv[1], argv + 1);
			return 99;
		}
	EOT
	gcc -o without without.c
	gcc -DONLY=BPF_RAW_TRACEPOINT_OPEN -o unattached without.c
	gcc -DONLY=BPF_MAP_UPDATE_ELEM -o unset without.c
}

# bats test_tags=long
@test "counters are read by a program in the kernel, or as a group where that is refused: the counts are the same" {
	need_stacks
	cat >prog.c <<-'EOT'
		#include <sched.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>

		int main(void)
		{
			/* without sleep: 40 ticks or so */
			for (int round = 0; round < 60; round++) {
				char *memory = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

				madvise(memory, 4 << 20, MADV_NOHUGEPAGE);
				memset(memory, 1, 4 << 20);
				munmap(memory, 4 << 20);
			}
			for (int i = 0; i < 500; i++) {
				sched_yield();
				usleep(1);
			}
			return 0;
		}
	EOT
	build -o prog prog.c
	counted() { stream-cat --text out | awk -v name="name=counter:$1" '/ comm=prog / && index($0, name " ") { n += substr($NF, 7) } END { print n + 0 }'; }
	without_bpf
	for by in '' ./without ./unattached ./unset; do
		run $by trace-collect --stack --counters=page-faults,syscalls:sys_enter_sched_yield,context-switches -e sched:sched_process_exit -o out -- ./prog
		[ "$status" -ne 3 ] || skip "stacks were lost: the machine is too busy"
		assert_success
		grep -q "the kernel refuses a BPF program for the counters (.*)" <<<"$output" && assert [ "$by" ] || assert [ ! "$by" ]
		assert_equal "$(counted syscalls_sys_enter_sched_yield)" 500
		faults=$(counted page_faults)
		assert [ "$faults" -ge 61440 -a "$faults" -le 63000 ]
		assert [ "$(counted context_switches)" -ge 500 ]
		run bash -c 'stream-cat --text out | grep -c " comm=prog name=counter:page_faults "'
		assert [ "$output" -ge 5 ]
		$by trace-collect --stack --counters=page-faults -e sched:sched_process_exit -o other 3>&- &
		others+=" $!"
		until_true 60 is_tracing $!
		run bash -c "find /proc/$!/fd -lname 'anon_inode:bpf-prog' 2>/dev/null | wc -l" # others of its files come and go
		kill $!
		wait $! || [ $? = 3 ]
		if [ "$by" ]; then
			assert [ "$output" -le "$([ $by = ./unset ] && echo 1 || echo 0)" ] # the one that reads what is executed
		else
			[ "$output" -gt 1 ] || skip "this kernel refuses BPF"
		fi
	done
}

@test "a counter that nobody knows, or that the machine lacks, is refused with what it has" {
	need_stacks
	run -1 trace-collect --stack --counters=page-faults,nonsense -d 0.1 -o out
	assert_output --partial "nobody knows the counter 'nonsense'"
	run -1 trace-collect --stack --counters=page-faults,page-faults -d 0.1 -o out
	assert_output --partial "the counter 'page-faults' is there already"
	run -1 trace-collect --stack --counters=page-faults, -d 0.1 -o out
	assert_output --partial "a counter has a name"
	run -2 trace-collect --counters=page-faults -d 0.1 -o out
	assert_output --partial "give --stack too"
	[ ! -e /sys/bus/event_source/devices/cpu ] || skip "this machine has counters in hardware"
	run -1 trace-collect --stack --counters=cycles -d 0.1 -o out
	assert_output --partial "this machine cannot count 'cycles'"
	assert_output --partial "it has cpu-clock, task-clock, page-faults,"
}

@test "a stack comes right before its event" {
	need_stacks
	program prog.c
	build -o prog prog.c
	trace-collect --stack -e sched:sched_process_exit --text -o out -- ./prog
	run awk '
		/^event/ { cpu = $3; tid = $4; sub("tid=", "", tid)
			if (cpu in sleeper && /name=sched:sched_switch/) {
				if (index($0, " prev_pid=" sleeper[cpu] " ")) right++; else wrong++
			}
			delete sleeper[cpu]
			if (/name=stack:sleep/ && /comm=prog /) sleeper[cpu] = tid }
		END { print (right > 20), wrong + 0 }' out
	assert_output "1 0"
}

@test "what cannot be walked ends the stack, and nothing is made up" {
	need_stacks
	cat >hard.c <<-'EOT'
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>

		__attribute__((noinline)) void nap(void) { usleep(1000); __asm__ volatile(""); }

		/* Without tables: one is seen to set up its frame pointer, the other is not, though the register would do. */
		void framed(void), frameless(void);
		__asm__(".text; .type framed,@function; framed: push %rbp; mov %rsp,%rbp; call nap; pop %rbp; ret; .size framed,.-framed");
		__asm__(".type frameless,@function; frameless: push %rbp; mov %rsp,%rbx; mov %rbx,%rbp; call nap; pop %rbp; ret;"
			".size frameless,.-frameless");

		__attribute__((noinline)) static void call(void (*function)(void)) { function(); __asm__ volatile("" ::: "rbx"); }

		int main(void)
		{
			/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
			static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
			void *made = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			memcpy(made, code, sizeof(code));
			call(framed);
			call(frameless);
			((void (*)(void (*)(void)))made)(nap);
			return 0;
		}
	EOT
	build -o hard hard.c
	collect_stacks ./hard
	users sleep hard | sed -n 's/.*\(nap (hard);\)/\1/p' | sed 's/\(main (hard)\).*/\1/' >naps
	run cat naps
	assert_output "$(printf '%s\n' 'nap (hard);framed (hard);call (hard);main (hard)' 'nap (hard);frameless (hard);...' 'nap (hard);?;...')"
}

@test "a signal's handler has the function that it interrupted beneath it" {
	need_stacks
	cat >alarm.c <<-'EOT'
		#include <signal.h>
		#include <sys/time.h>
		#include <unistd.h>

		static volatile int over;

		__attribute__((noinline)) static void nap(void) { usleep(10000); __asm__ volatile(""); }
		static void handle(int signal) { nap(); over = signal; }
		__attribute__((noinline)) static void spin(void) { while (!over) ; }

		int main(void)
		{
			struct itimerval soon = {{0}, {0, 10000}};

			signal(SIGVTALRM, handle);
			setitimer(ITIMER_VIRTUAL, &soon, NULL); /* of its own time, so that it is spent there */
			spin();
			return 0;
		}
	EOT
	build -o alarm alarm.c
	collect_stacks ./alarm
	run users sleep alarm
	assert_line --regexp ';nap \(alarm\);handle \(alarm\);[^;]*libc[^;]*;spin \(alarm\);\.\.\.$'
}

# bats test_tags=long
@test "a stripped program's functions are in its debug file, by build id" {
	need_stacks
	program prog.c
	build -g -Wl,--build-id -o prog prog.c
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	objcopy --only-keep-debug prog symbols
	strip --strip-all prog
	collect_stacks ./prog
	run users sleep prog
	assert_line --regexp ';prog\+0x[0-9a-f]+;'
	refute_output --partial wait_for_work
	debug_folder=/usr/lib/debug/.build-id/${id:0:2}
	mkdir -p "$debug_folder"
	debug_file=$debug_folder/${id:2}.debug
	cp symbols "$debug_file"
	collect_stacks ./prog
	run users sleep prog
	assert_line --partial ';wait_for_work (prog);worker (prog);'
}

@test "a function without a symbol has its name in DWARF" {
	need_stacks
	program prog.c
	build -g -o prog prog.c
	objcopy --strip-symbol=wait_for_work --strip-symbol=hand_out prog
	run nm prog
	refute_output --partial wait_for_work
	collect_stacks ./prog
	run users sleep prog
	assert_line --partial ';wait_for_work (prog);worker (prog);'
}

# bats test_tags=long
@test "functions that were inlined are named, each before the one that it is in" {
	need_stacks
	command -v clang >/dev/null && compilers="gcc clang" || compilers=gcc
	cat >deep.c <<-'EOT'
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		static inline long receive(int fd, char *to, size_t size) { long n = read(fd, to, size); return n + !n; }
		static inline long serve(int fd) { char *to = malloc(9); long n = receive(fd, to, (size_t)to % 9 + 1); free(to); return n; }
		int main(void)
		{
			int fds[2];
			char path[64], state = 0;

			if (pipe(fds) < 0)
				return 1;
			snprintf(path, sizeof(path), "/proc/%d/stat", (int)getpid());
			if (fork() == 0) {
				while (state != 'S') { /* it sleeps, so there it is */
					FILE *file = fopen(path, "r");
					if (!file || fscanf(file, "%*d %*s %c", &state) != 1 || fclose(file))
						return 1;
				}
				return write(fds[1], "x", 1) != 1;
			}
			return serve(fds[0]) != 1;
		}
	EOT
	for compiler in $compilers; do # with the wrapper of read() that is not to be seen
		$compiler -O2 -g -D_FORTIFY_SOURCE=2 -o deep deep.c
		collect_stacks ./deep
		run users sleep deep
		assert_line --regexp '^[_a-z]*read \(libc[^;]*;receive \(deep\);serve \(deep\);main \(deep\);'
	done
	# Of another file, when the program was linked.
	{ sed -n '/include/p; /long serve/s/static inline //p' deep.c; } >served.c
	sed -i 's/static inline long receive/long receive/' deep.c
	{ sed -n '/include/p; /long receive/p' deep.c; } >received.c
	sed -i '1ilong receive(int, char *, unsigned long);' served.c
	sed -i '/long receive/d; s/.*long serve.*/long serve(int fd);/' deep.c
	gcc -O2 -g -flto -o deep deep.c served.c received.c
	collect_stacks ./deep
	run users sleep deep
	assert_line --regexp '^[_a-z]*read \(libc[^;]*;receive \(deep\);serve \(deep\);main \(deep\);'
}

# bats test_tags=long
@test "functions of C++ that were inlined have the names that they have elsewhere" {
	need_stacks
	cat >deep.cc <<-'EOT'
		#include <condition_variable>
		#include <mutex>
		#include <thread>
		namespace shop {
		template <typename T> struct Counter {
			std::mutex lock;
			std::condition_variable changed;
			T items = 0;
			void take() { std::unique_lock<std::mutex> held(lock); changed.wait(held, [this] { return items > 0; }); items--; }
			void put() { std::lock_guard<std::mutex> held(lock); items++; changed.notify_one(); }
			T left() { std::lock_guard<std::mutex> held(lock); return items; }
		};
		namespace { struct Clerk { Counter<int> &counter; int sold; void sell() { counter.take(); sold++; } }; }
		}
		int main()
		{
			shop::Counter<int> counter;
			std::thread thread([&] { shop::Clerk clerk{counter, 0}; while (clerk.sold < 10) clerk.sell(); });
			for (int i = 0; i < 10; i++) {
				do
					std::this_thread::sleep_for(std::chrono::milliseconds(2));
				while (counter.left());
				counter.put();
			}
			thread.join();
		}
	EOT
	g++ -O2 -g -pthread -o deep deep.cc
	collect_stacks ./deep
	run users sleep deep
	clerk='shop::Counter<int>::take (deep);shop::(anonymous namespace)::Clerk::sell (deep);main::{lambda}::operator() (deep);std::'
	assert_line --partial ";$clerk"
	run users wake deep
	assert_line --partial ';shop::Counter<int>::put (deep);main (deep);'
}

@test "C++ names are as they are written" {
	need_stacks
	cat >nap.cc <<-'EOT'
		#include <unistd.h>
		namespace house {
		template <typename T> struct Bed {
			__attribute__((noinline)) void nap(T seconds) { usleep(useconds_t(seconds * 1e6)); rested = true; }
			volatile bool rested;
		};
		}
		int main() { house::Bed<double> bed; for (int i = 0; i < 5; i++) bed.nap(.001); }
	EOT
	g++ -O2 -o nap nap.cc
	collect_stacks ./nap
	run users sleep nap
	assert_line --partial ';house::Bed<double>::nap (nap);main (nap);'
}

@test "names that are very long are cut, so that a stack of them can be told" {
	need_stacks
	long=$(printf '%048000d' 0)
	{
		echo '#include <unistd.h>'
		for n in $(seq 24); do
			echo "__attribute__((noinline)) static void f${n}_$long(void)"
			echo "{ $(if [ $n -gt 1 ]; then echo "f$((n - 1))_$long()"; else echo 'usleep(2000)'; fi); __asm__ volatile(\"\"); }"
		done
		echo "int main(void) { f24_$long(); return 0; }"
	} >deep.c
	build -o deep deep.c
	collect_stacks ./deep
	users sleep deep >slept
	grep -q ';f1_0*\.\.\. (deep);f2_0*\.\.\. (deep);' slept
	run awk '{ split($0, frame, ";"); for (i in frame) if (length(frame[i]) > 4200) print length(frame[i]) }' slept
	refute_output
}

@test "what compilers append to names is left out, and nothing else is" {
	need_stacks
	names='main.coldStart github.com/x/cache.coldPath main.(*T).part.Read job.isra.go one.cold two.cold.3 three.part.0.isra.1 four.llvm.123 main.five.abi0'
	n=0
	{
		echo '#include <unistd.h>'
		for name in $names; do echo "__attribute__((noinline)) void f$((n += 1))(void) { usleep(1000); __asm__ volatile(\"\"); }"; done
		echo "int main(void) { $(seq -f 'f%g();' 9) return 0; }"
	} >names.c
	build -c -o names.o names.c
	n=0
	for name in $names; do objcopy --redefine-sym "f$((n += 1))=$name" names.o; done
	gcc -o names names.o
	collect_stacks ./names
	users sleep names | sed -n 's/.*;\([^;]*\) (names);main (names).*/\1/p' >slept
	run cat slept
	assert_output "$(printf '%s\n' main.coldStart github.com/x/cache.coldPath 'main.(*T).part.Read' job.isra.go one two three four main.five)"
}

@test "processes that end before anybody looks have names too" {
	need_stacks
	cat >brief.c <<-'EOT'
		#include <unistd.h>
		__attribute__((noinline)) static void doze(void) { usleep(20000); __asm__ volatile(""); }
		int main(void) { doze(); return 0; }
	EOT
	build -o brief brief.c
	collect_stacks sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do ./brief; done'
	users sleep brief >slept
	run grep -c ';doze (brief);main (brief);' slept
	[ "$output" -ge 10 ]
	run ! grep 'brief+' slept
}

@test "kernel functions, of programs and of the kernel's own threads" {
	need_stacks
	program prog.c
	build -o prog prog.c
	collect_stacks ./prog
	grep -q '^stack .*user=.*wait_for_work.* kernel=.*schedule.*futex' out
	grep -q '^stack id=[0-9]* kernel=.*\(kthread\|try_to_wake_up\)' out
	# how a sleep or a wake-up is traced is no part of its stack; samples of runs may be taken in just that
	run awk '/^stack .*__traceiter/ { sub("id=", "stack=", $2); traced[$2] } / name=stack:(sleep|wake) / { for (i = 1; i <= NF; i++) if ($i in traced) print }' out
	assert_output ""
}

@test "text, binary and text again are the same" {
	need_stacks
	trace-collect --stack -e sched:sched_process_exit -o binary -- sh -c 'sleep 0.1; sleep 0.1'
	stream-cat --text binary >text
	grep -q '^stack ' text
	stream-cat text >again
	stream-cat --text again | cmp - text
}

# bats test_tags=long
@test "with a recorder, stacks come with the context of each window, and their names before them" {
	need_stacks
	[ -x "$BUILD/incidents/functions" ] || skip "needs make incident-programs"
	trace-collect --stack -c "func:$BUILD/incidents/functions:request" -- "$BUILD/incidents/functions" 2>/dev/null |
		cchart-filter --text >out
	[ "$(sed -n 's/^usage command=cchart-filter events=\([0-9]*\) .*/\1/p' out)" -gt \
		"$(sed -n 's/^usage command=trace-collect events=\([0-9]*\) .*/\1/p' out)" ]
	run users sleep victim
	assert_line --partial ';request (functions);'
	run users wake worker
	assert_line --partial ';compress_page (functions);'
	refute_line ""
}

@test "who may not see stacks is told so, and gets the rest" {
	need_stacks
	command -v capsh >/dev/null || skip "needs capsh"
	run capsh --drop=cap_perfmon,cap_sys_admin -- -c \
		"PATH=$PATH trace-collect --stack -e sched:sched_switch -d 0.2 --text -o out"
	assert_failure 3
	assert_output "trace-collect: no stacks: the kernel does not permit to see stacks (perf_event_open): permission denied"
	grep -q 'name=sched:sched_switch' out
	run grep -c '^stack' out
	assert_output 0
}

@test "stacks need a clock that they can be told the time by" {
	need_stacks
	run trace-collect --stack -C local -d 0.1 -e sched:sched_switch --text -o out
	assert_failure 3
	assert_output "trace-collect: no stacks: stacks need the clock mono or mono_raw, not 'local'"
	run trace-collect --stack -C mono_raw -e sched:sched_switch --text -o out -- sh -c 'sleep 0.1; sleep 0.1'
	assert_success
	grep -q 'name=stack:sleep' out
}

@test "functions in C++ are chosen and charted by their names as written, or by symbol" {
	need_stacks
	cat >two.cc <<-'EOT'
		#include <unistd.h>
		namespace shop {
		__attribute__((noinline)) void sell(int n) { usleep(useconds_t(n)); }
		__attribute__((noinline)) void sell(double n) { usleep(useconds_t(n)); }
		__attribute__((noinline)) void buy(int n) { usleep(useconds_t(n)); }
		struct Price {
			int euros;
			__attribute__((noinline)) bool operator<(const Price &other) const { sell(1); return euros < other.euros; }
			__attribute__((noinline)) bool operator>(const Price &other) const { sell(1.0); return euros > other.euros; }
		};
		}
		int main(int n, char **)
		{
			shop::Price price{n}, other{2 * n};

			shop::buy((price < other) + (price > other));
		}
	EOT
	g++ -O2 -o two two.cc
	trace-collect -f './two:shop::*' --text -o out -- ./two
	run sed -nE 's/^chart name=([^ ]+) .*/\1/p' out
	assert_line func:two:shop::buy
	assert_line func:two:_ZN4shop4sellEi
	assert_line func:two:_ZN4shop4sellEd
	run grep -c 'name=func:two__shop__buy ' out
	assert_output 1
	run bash -c "grep -o 'name=func:two__shop__Price__operator_[_0-9a-f]* ' out | sort | uniq -c | awk '{ print \$1 }'"
	assert_output "$(printf '1\n1')" # operators that differ by signs only, each with its own events
	trace-collect -c func:./two:_ZN4shop3buyEi --text -o out -- ./two
	run trace-collect -c func:./two:shop::sell -d 0
	assert_failure 1
	assert_output --partial "there are several functions 'shop::sell'"
	run trace-collect -c func:./two:shop::by -d 0
	assert_failure 1
	assert_output --partial "is it 'shop::buy'"
}

@test "a function in C++ is not taken for several because the compiler put what is rare elsewhere" {
	need_stacks
	cat >rare.cc <<-'EOT'
		#include <cstdlib>
		#include <string>
		#include <vector>
		namespace {
		__attribute__((cold, noinline)) void complain(int n) { std::exit(n); }
		__attribute__((noinline)) int work(int n)
		{
			std::vector<std::string> all;
			for (int i = 0; i < n; i++)
				all.push_back(std::to_string(n));
			if (n > 1000)
				complain(n);
			return int(all.size());
		}
		}
		int main(int n, char **) { return work(n) - work(n + 1) + 1; }
	EOT
	g++ -O2 -o rare rare.cc
	nm rare | grep -q 'work.*cold' || skip "this compiler does not"
	trace-collect -c 'func:./rare:(anonymous namespace)::work' --text -o out -- ./rare
	run grep -c 'name=func:rare__.*work[0-9a-f_]* ' out
	assert_output 2
}

# bats test_tags=long
@test "programs that are only where their process sees them, that were deleted, and that were there before" {
	need_stacks
	command -v unshare >/dev/null || skip "needs unshare"
	program prog.c
	build -static -o prog prog.c # -static: of libraries there may be others
	cat >elsewhere <<-'EOT'
		mount -t tmpfs none inner
		cp prog inner/hidden
		inner/hidden
		inner/hidden
		for try in $(seq 600); do
			! grep -q '(hidden)\|hidden+' out || exit 0
			sleep 0.1
		done
	EOT
	mkdir inner
	collect_stacks unshare -m sh elsewhere # over before anybody looks, but for the shell
	run users sleep hidden
	assert_line --regexp ';wait_for_work \(hidden\);worker \(hidden\);'
	sed 's/i < 20/i < 1000000/' prog.c >long.c
	build -static -o gone long.c
	build -static -DOTHER -o other prog.c
	./gone 3>&- &
	elder=$!
	until_true 60 grep -q gone "/proc/$elder/comm"
	mv other gone
	collect_stacks_of_all -d 0.5
	kill $elder
	run users sleep gone
	assert_line --regexp ';wait_for_work \(gone\);worker \(gone\);'
}

@test "two programs have the same path and inode number, each in its own mount namespace" {
	need_stacks
	unshare -m true || skip "needs a mount namespace"
	program prog.c
	mkdir app
	for who in first second; do
		sed "s/wait_for_work/${who}_waits/; s/i < 20/i < 1000000/" prog.c >$who.c
		build -static -Wl,--build-id=none -o $who $who.c
		unshare -m sh -c "mount -t tmpfs none app && cp $who app/prog && exec app/prog" 3>&- &
		elder+=" $!"
	done
	for process in $elder; do until_true 60 grep -q prog /proc/$process/comm; done
	collect_stacks_of_all -d 0.5
	kill $elder
	run users sleep prog
	assert_line --partial ';first_waits (prog);worker (prog);'
	assert_line --partial ';second_waits (prog);worker (prog);'
}

@test "processes that were there before, and children that are forked, have names" {
	need_stacks
	cat >elder.c <<-'EOT'
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		__attribute__((noinline)) static void rest(void) { usleep(10000); __asm__ volatile(""); }
		__attribute__((noinline)) static void play(void) { usleep(1000); __asm__ volatile(""); }
		int main(int argc, char **argv)
		{
			for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
				if (fork() == 0) {
					play();
					_exit(0);
				}
				rest();
				wait(NULL);
			}
			return 0;
		}
	EOT
	build -o elder elder.c
	./elder 3000 3>&- &
	elder=$!
	collect_stacks_of_all -d 0.5
	kill $elder
	run users sleep elder
	assert_line --partial ';rest (elder);main (elder);'
	assert_line --partial ';play (elder);main (elder);'
}

has_stacks() { stream-cat --text out 2>/dev/null | grep -q ' name=stack:'; }

# bats test_tags=long
@test "stacks that are lost are counted" {
	need_stacks
	cat >pair.c <<-'EOT'
		#include <unistd.h>
		int main(void)
		{
			int there[2], back[2];
			char c = 0;

			if (pipe(there) < 0 || pipe(back) < 0)
				return 1;
			int child = fork() == 0;
			for (int i = 0; i < 50000; i++)
				if (child ? read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1
					  : write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
					return 1;
			return 0;
		}
	EOT
	build -o pair pair.c
	trace-collect --stack -e sched:sched_process_exit -o out 2>errors 3>&- &
	collector=$!
	until_true 60 has_stacks
	kill -STOP $collector
	taskset -c 0 ./pair
	kill -TERM $collector # so that no further stack comes, with which the kernel would say how many there were before
	kill -CONT $collector
	status=0
	wait $collector || status=$?
	assert_equal $status 3
	run cat errors
	assert_line --regexp '^trace-collect: [0-9]+ stacks were lost$'
}

# bats test_tags=long
@test "counts that are lost are counted, too" {
	need_stacks
	cat >pair.c <<-'EOT'
		#include <sched.h>
		#include <stdio.h>
		#include <sys/resource.h>
		#include <sys/wait.h>
		#include <unistd.h>

		/* Switches that are neither sleep nor wake-up; prints how many. */
		int main(void)
		{
			struct rusage own, child;
			int is_child = fork() == 0;

			for (int i = 0; i < 500000; i++)
				sched_yield();
			if (is_child)
				return 0;
			wait(NULL);
			getrusage(RUSAGE_SELF, &own);
			getrusage(RUSAGE_CHILDREN, &child);
			printf("%ld\n", own.ru_nvcsw + own.ru_nivcsw + child.ru_nvcsw + child.ru_nivcsw);
			return 0;
		}
	EOT
	build -o pair pair.c
	without_bpf
	for by in '' ./without; do # a program, and a group
		rm -f out
		$by trace-collect --stack --sample=0 --counters=context-switches -e sched:sched_process_exit -o out 2>errors 3>&- &
		collector=$!
		until_true 60 has_stacks
		kill -STOP $collector
		switches=$(taskset -c 0 ./pair)
		kill -TERM $collector
		kill -CONT $collector
		status=0
		wait $collector || status=$?
		assert_equal $status 3
		lost=$(sed -n 's/^trace-collect: \([0-9]*\) stacks were lost$/\1/p' errors)
		came=$(stream-cat --text out | grep -c ' name=counter:')
		assert [ $((lost + came)) -ge "$switches" ]
	done
}

@test "what a program puts beside itself makes nobody wait: pipes, and links that lead elsewhere" {
	need_stacks
	program prog.c
	build -s -o prog prog.c
	echo here >link.bin
	objcopy --add-gnu-debuglink=link.bin prog linked
	mkfifo pipe
	LC_ALL=C sed "s|link\.bin|./pipe\x00\x00|" linked >prog
	mkdir .debug
	mkfifo prog.debug .debug/prog.debug .debug/pipe
	timeout -s KILL 60 trace-collect --stack -e sched:sched_switch --text -o out -- ./prog || [ $? = 3 ]
	run users sleep prog
	assert_line --regexp ';prog\+0x[0-9a-f]+;'
}

@test "what a program is called makes no frames" {
	need_stacks
	program prog.c
	build -o 'pro;g' prog.c
	collect_stacks './pro;g'
	run users sleep 'pro;g'
	assert_line --partial ';wait_for_work (pro:g);worker (pro:g);'
}

@test "what stands elsewhere under a program's path is not opened unless it is a file" {
	need_stacks
	program prog.c
	build -o prog prog.c
	mkfifo path
	timeout 20 sh -c ': >path && touch opened' >/dev/null 2>&1 3>&- & # as soon as somebody opens it to read
	elder=$!
	timeout -s KILL 20 trace-collect --stack -e sched:sched_switch --text -o out -- \
		unshare -m sh -c 'mount --bind prog path && exec ./path'
	run users sleep path
	assert_output --partial path
	kill $elder
	wait $elder || elder=
	refute [ -e opened ]
}

# bats test_tags=long
@test "a debug file beside the program names its functions, if nobody else may write it" {
	need_stacks
	program prog.c
	build -g -Wl,--build-id -o prog prog.c
	objcopy --only-keep-debug prog symbols
	strip --strip-all prog
	objcopy --add-gnu-debuglink=symbols prog
	chmod 644 symbols
	collect_stacks ./prog
	run users sleep prog
	assert_line --partial ';wait_for_work (prog);worker (prog);'
	chmod 666 symbols
	collect_stacks ./prog
	run users sleep prog
	refute_output --partial wait_for_work
	assert_line --regexp ';prog\+0x[0-9a-f]+;'
}

# bats test_tags=long
@test "what a program says of its own size is not believed without end" {
	need_stacks
	program prog.c
	build -static -o prog prog.c
	cp prog packed
	head -c 100000 /dev/urandom >data
	objcopy --add-section .gnu_debugdata=data packed
	collect_stacks ./packed
	run users sleep packed
	assert_line --partial ';wait_for_work (packed);worker (packed);'
	chmod o+w packed # who knows who wrote it; that makes no difference
	collect_stacks ./packed
	run users sleep packed
	assert_line --partial ';wait_for_work (packed);worker (packed);'
	# A note of 4 GiB, most of which is a hole, in a program without sections.
	sed 's/i < 20/i < 1000000/' prog.c >long.c
	build -static -o noted long.c
	header=$(readelf -hW noted | sed -n 's/.*Start of program headers: *\([0-9]*\).*/\1/p')
	n=$(readelf -lW noted | awk '/^ *Type /{ in_table = 1; next } in_table && /NOTE/ { print n; exit } in_table { n++ }')
	size=$(stat -c %s noted)
	printf "\\x$(printf '%02x' $((size & 255)))\\x$(printf '%02x' $((size >> 8 & 255)))\\x$(printf '%02x' $((size >> 16 & 255)))\\0\\0\\0\\0\\0" |
		dd of=noted bs=1 seek=$((header + 56 * n + 8)) conv=notrunc status=none
	printf '\0\0\0\0\1\0\0\0' | dd of=noted bs=1 seek=$((header + 56 * n + 32)) conv=notrunc status=none
	head -c 8 /dev/zero | dd of=noted bs=1 seek=40 conv=notrunc status=none
	head -c 4 /dev/zero | dd of=noted bs=1 seek=60 conv=notrunc status=none
	truncate -s $((size + (1 << 32))) noted
	./noted 3>&- &
	elder=$!
	run -0 timeout 10 trace-collect --stack -e sched:sched_process_exit -d 0.5 --text -o out
	kill $elder
}

@test "a library that is shortened while it is looked at goes on to be looked at" {
	need_stacks
	cat >library.c <<-'EOT'
		#include <sys/syscall.h>
		#include <time.h>

		static inline long nap(void)
		{
			struct timespec ms5 = {0, 5000000};
			long result;

			__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_nanosleep), "D"(&ms5), "S"(0) : "rcx", "r11", "memory");
			return result;
		}

		int before(void) { return nap() + 1; }
		int after(void) { volatile char room[200]; room[0] = nap(); return room[0]; }
	EOT
	cat >prog.c <<-'EOT'
		#include <stdlib.h>
		#include <unistd.h>

		int before(void), after(void);

		int main(int count, char **arguments)
		{
			for (int i = 0; i < 60 || (i < 6000 && access("seen", F_OK) < 0); i++)
				before();
			if (count < 2 || truncate("library.so", atol(arguments[1])) < 0)
				return 1;
			for (int i = 0; i < 20; i++)
				after();
			_exit(0);
		}
	EOT
	gcc -O1 -shared -fPIC -o library.so library.c
	gcc -O1 -o prog prog.c ./library.so -Wl,-z,now
	# All that the program needs lies before the tables, which go.
	tables=$(readelf -SW library.so | sed -n 's/.* \.eh_frame_hdr *PROGBITS *[0-9a-f]* *\([0-9a-f]*\).*/\1/p')
	{ until_true 60 grep -qs '^stack .*before (library\.so);main' out; touch seen; } 3>&- &
	run -0 collect_stacks ./prog $((0x$tables))
	wait $!
	run users sleep prog
	assert_line --regexp '^before \(library\.so\);main \(prog\);'
}
