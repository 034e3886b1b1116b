#!/usr/bin/env bats
# Functions that an exception or another stack may leave: the traced program goes on as before, and each call is measured.
# bats file_tags=live

load helper

# What runs on until a test tells it to stop must not outlive a test that fails.
teardown() {
	local left
	left=$(jobs -p)
	[ -z "$left" ] || kill -KILL $left 2>/dev/null || true
}

# What each test program writes down of its calls: name, thread, begin and end as its caller saw them, and what it took at least.
calls_h() {
	cat >calls.h <<-'C'
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static inline double now(void)
		{
			struct timespec time;
			clock_gettime(CLOCK_MONOTONIC, &time);
			return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
		}
		static inline void called(const char *name, double begin, double least)
		{
			static FILE *file;
			if (!file)
				file = fopen("calls", "a");
			fprintf(file, "%s %ld %.9f %.9f %.9f\n", name, syscall(SYS_gettid), begin, now(), least);
			fflush(file);
		}
		#ifdef __cplusplus
		struct Call {
			const char *name; double least, begin = now();
			Call(const char *name, double least) : name(name), least(least) {}
			~Call() { called(name, begin, least); }
		};
		#endif
	C
}

# run_traced PROGRAM OPTION...: runs it untraced, then traced; both must say the same and end alike.
run_traced() {
	rm -f calls
	sh -c "$1 >said 2>&1; echo \$? >>said"
	rm -f calls
	sh -c 'echo $$ >pid; exec trace-collect "$@"' - "${@:2}" -o trace -- sh -c "$1 >said.traced 2>&1; echo \$? >>said.traced"
	diff said said.traced
	[[ ! $(tracing_left) =~ tailblame[-_]$(cat pid)[^0-9] ]]
}

# Each call that the program wrote down is one value of its chart, neither shorter nor longer than its caller saw.
check_calls() {
	local binary=$1 names
	names=$(cut -d' ' -f1 calls | sort -u)
	# shellcheck disable=SC2046
	cchart-filter --text --only-limit $(printf -- "--limit=func:$binary:%s=1ns " $names) trace 2>filter.err | grep '^signal ' >signals
	cat filter.err
	awk -v prefix="chart=func:$binary:" '
		FNR == 1 { file++ }
		file == 1 { n++; name[n] = $1; tid[n] = $2; from[n] = $3 + 0; to[n] = $4 + 0; least[n] = $5; next }
		{
			delete f
			for (i = 2; i <= NF; i++) { at = index($i, "="); f[substr($i, 1, at - 1)] = substr($i, at + 1) }
			begun = f["start"] + 0; ended = f["ts"] + 0
			for (i = 1; i <= n; i++)
				if (!used[i] && prefix name[i] == "chart=" f["chart"] && tid[i] == f["tid"] &&
				    begun >= from[i] - 1e-6 && ended <= to[i] + 1e-6 && f["value"] + 0 >= least[i] + 0)
					break
			if (i > n) { print "no call: " $0; wrong++ } else used[i] = 1
		}
		END {
			for (i = 1; i <= n; i++)
				if (!used[i]) { print "no value: " name[i], tid[i], from[i], to[i]; wrong++ }
			print n " calls"
			exit wrong > 0 || n == 0
		}' calls signals
}

exceptions_cc() {
	calls_h
	cat >plain.c <<-'C'
		/* A frame of C, without clean-up, that exceptions pass through. */
		void plain(void (*work)(int), int n) { work(n); __asm__ volatile(""); }
	C
	cat >exceptions.cc <<-'C'
		#include <future>
		#include <stdexcept>
		#include <string>
		#include <vector>
		#include "calls.h"
		#define NOINLINE extern "C" __attribute__((noinline))
		extern "C" void plain(void (*work)(int), int n);
		struct Guard { ~Guard() { try { usleep(300); throw 1; } catch (int) { usleep(100); } } };
		NOINLINE void inner(int n) { usleep(500); if (n % 2) throw std::runtime_error("odd"); asm volatile(""); }
		static void inner_by_plain(int n) { Call call("inner", 500e-6); inner(n); }
		NOINLINE void middle(int n) { Guard guard; { Call call("plain", 500e-6); plain(inner_by_plain, n); } }
		NOINLINE void rethrower(int n)
		{
			try { Call call("middle", 900e-6); middle(n); } catch (...) { usleep(200); throw; }
		}
		NOINLINE int outer(int n)
		{
			try { Call call("rethrower", 900e-6); rethrower(n); return n; }
			catch (const std::logic_error &) { return -9; }
			catch (const std::exception &error) { usleep(100); return -1; }
		}
		NOINLINE int deep(int n)
		{
			if (n == 0)
				throw std::string("deep");
			Call call("deep", 0);
			int r = deep(n - 1);
			asm volatile("" : "+r"(r));
			return r + 1;
		}
		static int timed(int n) { Call call("outer", 900e-6); return outer(n); }
		static int caught(int n) { try { Call call("deep", 0); return deep(n); } catch (std::string &s) { return int(s.size()); } }
		int main()
		{
			std::vector<std::future<int>> all;
			int sum = 0;
			for (int i = 0; i < 10; i++)
				sum += timed(i);
			sum += caught(40);
			for (int i = 0; i < 6; i++)
				all.push_back(std::async(std::launch::async, timed, i));
			for (auto &one : all)
				sum += one.get();
			auto one = std::async(std::launch::async, [] { Call call("deep", 0); return deep(5); });
			try { one.get(); } catch (std::string &s) { sum += int(s.size()); }
			printf("%d\n", sum);
			return 7;
		}
	C
}

# bats test_tags=long
@test "exceptions of C++ go through traced functions, and end their calls where they are caught" {
	need_tracefs
	exceptions_cc
	gcc -O2 -c plain.c
	for how in "g++ -O2" "g++ -O0 -fcf-protection=full" "g++ -O2 -fcf-protection=none -static-libgcc" "clang++ -O2"; do
		command -v "${how%% *}" >/dev/null || continue
		$how -o exceptions exceptions.cc plain.o
		run_traced ./exceptions -c func:./exceptions:inner -c func:./exceptions:plain -c func:./exceptions:middle \
			-c func:./exceptions:rethrower -c func:./exceptions:outer -c func:./exceptions:deep
		check_calls exceptions
		run_traced ./exceptions -c func:./exceptions:inner
		sed -i '/^inner /!d' calls
		check_calls exceptions
	done
	run_traced ./exceptions -f './exceptions:*' -f './exceptions:_*' -f './exceptions:std::*'
}

# bats test_tags=long
@test "who has probes at their returns is told at the start; functions of C have return probes" {
	need_tracefs
	exceptions_cc
	gcc -O2 -c plain.c
	g++ -O2 -o exceptions exceptions.cc plain.o
	run -0 --separate-stderr trace-collect -c func:./exceptions:inner -c func:./exceptions:plain --text -d 0
	assert_equal "$stderr" "trace-collect: '$PWD/exceptions': 2 of 2 functions are probed at each instruction that leaves them, for an exception \
or another stack may"
	printf 'int work(void) { __asm__ volatile(""); return 0; }\nint main(void) { return work(); }\n' >c.c
	gcc -O2 -o c c.c
	run -0 --separate-stderr trace-collect -c func:./c:work --text -o out -- sh -c './c; cat /sys/kernel/tracing/uprobe_events'
	assert_equal "$stderr" ""
	run -0 grep -c "^[pr]:tailblame_[0-9_]*/p[0-9]* $PWD/c:0x[0-9a-f]* part=" <<<"$output"
	assert_output 2
}

# bats test_tags=long
@test "panics of Rust go through traced functions" {
	need_tracefs
	command -v rustc >/dev/null || skip "needs rustc"
	cat >panics.rs <<-'R'
		use std::{panic, thread, time::Duration};
		struct Guard;
		impl Drop for Guard { fn drop(&mut self) { thread::sleep(Duration::from_micros(200)); } }
		#[no_mangle] #[inline(never)] pub extern "C-unwind" fn inner(n: i32) -> i32 {
			thread::sleep(Duration::from_micros(300));
			if n % 2 == 1 { panic!("odd"); }
			std::hint::black_box(n)
		}
		#[no_mangle] #[inline(never)] pub extern "C-unwind" fn middle(n: i32) -> i32 { let _guard = Guard; inner(n) + 1 }
		#[no_mangle] #[inline(never)] pub extern "C-unwind" fn outer(n: i32) -> i32 {
			panic::catch_unwind(|| middle(n)).unwrap_or(-1)
		}
		fn main() {
			panic::set_hook(Box::new(|_| {}));
			let mut sum: i32 = (0..20).map(|n| outer(n)).sum();
			sum += (0..4).map(|n| thread::spawn(move || outer(n))).map(|t| t.join().unwrap()).sum::<i32>();
			sum += thread::spawn(|| middle(1)).join().is_err() as i32;
			println!("{}", sum);
			std::process::exit(5);
		}
	R
	for how in "-O" "-C debuginfo=2" "-O -C panic=abort"; do
		# shellcheck disable=SC2086
		rustc $how -o panics panics.rs
		run_traced ./panics -c func:./panics:inner -c func:./panics:middle -c func:./panics:outer
		[ "$how" != "-O -C panic=abort" ] || continue
		cchart-filter --text --limit=func:panics:{inner,middle,outer}=1ns trace 2>/dev/null | grep '^signal ' >signals
		for function in inner:25 middle:25 outer:24; do
			assert_equal "$function $(grep -c "chart=func:panics:${function%:*} " signals)" "$function ${function#*:}"
		done
		assert_equal "$(grep -c 'open=yes' signals)" 0
	done
	rustc -O -o panics panics.rs
	run_traced ./panics -f './panics:*'
}

# bats test_tags=long
@test "longjmp out of traced functions, in C and in C++" {
	need_tracefs
	calls_h
	cat >jumps.c <<-'C'
		#include <setjmp.h>
		#include "calls.h"
		#ifdef __cplusplus
		extern "C" {
		#endif
		static jmp_buf back;
		static sigjmp_buf far_back;
		__attribute__((noinline)) int inner(int n)
		{
			usleep(300);
			if (n % 3 == 1)
				longjmp(back, 1);
			if (n % 3 == 2)
				siglongjmp(far_back, 1);
			return n;
		}
		__attribute__((noinline)) int middle(int n) { int r = inner(n); usleep(100); return r + 1; }
		__attribute__((noinline)) int outer(int n)
		{
			volatile double begin = now();
			int r;
			if (setjmp(back) || sigsetjmp(far_back, 1))
				r = -1;
			else
				r = middle(n);
			called("middle", begin, 300e-6);
			called("inner", begin, 300e-6);
			usleep(1000);
			return r;
		}
		#ifdef __cplusplus
		}
		#endif
		int main(void)
		{
			int sum = 0;
			for (int i = 0; i < 30; i++) {
				double begin = now();
				sum += outer(i);
				called("outer", begin, 1300e-6);
			}
			printf("%d\n", sum);
			return 3;
		}
	C
	for how in "gcc -O2" "gcc -O2 -D_FORTIFY_SOURCE=2" "gcc -static -O1" "g++ -x c++ -O2"; do
		$how -o jumps jumps.c
		run_traced ./jumps -c func:./jumps:inner -c func:./jumps:middle -c func:./jumps:outer
		check_calls jumps
	done
}

@test "functions that go on with other stacks" {
	need_tracefs
	calls_h
	cat >fibers.c <<-'C'
		#include <stdlib.h>
		#include <ucontext.h>
		#include "calls.h"
		enum { FIBERS = 4, STACK = 1 << 16 };
		static ucontext_t main_context, contexts[FIBERS];
		static int sum;
		__attribute__((noinline)) void leave(int i) { swapcontext(&contexts[i], &main_context); __asm__ volatile(""); }
		__attribute__((noinline)) int work(int i)
		{
			for (int n = 0; n <= i; n++) {
				double begin = now();
				leave(i);
				called("leave", begin, 0);
			}
			return i;
		}
		static void run(int i) { double begin = now(); sum += work(i); called("work", begin, 0); setcontext(&main_context); }
		__attribute__((noinline)) void resume(int i) { swapcontext(&main_context, &contexts[i]); __asm__ volatile(""); }
		int main(void)
		{
			for (int i = 0; i < FIBERS; i++) {
				getcontext(&contexts[i]);
				contexts[i].uc_stack.ss_sp = malloc(STACK);
				contexts[i].uc_stack.ss_size = STACK;
				makecontext(&contexts[i], (void (*)(void))run, 1, i);
			}
			for (int n = 0; n < FIBERS + 2; n++)
				for (int i = 0; i < FIBERS; i++) {
					double begin = now();
					if (n <= i + 1) {
						resume(i);
						called("resume", begin, 0);
					}
				}
			printf("%d\n", sum);
			return 4;
		}
	C
	gcc -O2 -o fibers fibers.c
	run_traced ./fibers -c func:./fibers:leave -c func:./fibers:work -c func:./fibers:resume
	check_calls fibers
}

# What a return probe would break in programs of C: nothing called _start, save() keeps where it returns to, parameter() returns elsewhere.
odd_c() {
	cat >odd.c <<-'C'
		#include <stdio.h>
		struct context { void *bx, *bp, *r12, *r13, *r14, *r15, *sp, *pc; };
		int save(struct context *) __attribute__((returns_twice));
		void restore(struct context *) __attribute__((noreturn));
		int user(void);
		__asm__(".text\n.globl save\n.type save, @function\nsave:\n"
			"mov %rbx, (%rdi)\nmov %rbp, 8(%rdi)\nmov %r12, 16(%rdi)\nmov %r13, 24(%rdi)\nmov %r14, 32(%rdi)\nmov %r15, 40(%rdi)\n"
			"lea 8(%rsp), %rdx\nmov %rdx, 48(%rdi)\nmov (%rsp), %rdx\nmov %rdx, 56(%rdi)\nxor %eax, %eax\nret\n.size save, .-save\n"
			".globl parameter\n.type parameter, @function\nparameter:\n"
			"pop %rdx\nmov (%rdx), %eax\nadd $4, %rdx\npush %rdx\nret\n.size parameter, .-parameter\n"
			".globl user\n.type user, @function\nuser:\nsub $8, %rsp\ncall parameter\n.long 42\nadd $8, %rsp\nret\n.size user, .-user\n"
			".globl restore\n.type restore, @function\nrestore:\n"
			"mov (%rdi), %rbx\nmov 8(%rdi), %rbp\nmov 16(%rdi), %r12\nmov 24(%rdi), %r13\nmov 32(%rdi), %r14\nmov 40(%rdi), %r15\n"
			"mov 56(%rdi), %rcx\nmov $1, %eax\n" RESTORES "jmp *%rcx\n.size restore, .-restore\n");
		static struct context context;
		static volatile int n;
		int main(int argc, char **argv)
		{
			int again = save(&context);
			int sum = user();
			if (n++ < 20)
				restore(&context);
			printf("%d %d %d %d\n", again, n, sum, argc);
			return 3;
		}
	C
}

# Coroutines switched in assembly; the name and the type of what switches are not told.
switched_c() {
	cat >switched.c <<-'C'
		#include <stdlib.h>
		#include "calls.h"
		void to(void **from, void **to);
		__asm__(".text\nto:\npush %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\nmov %rsp, (%rdi)\n" SWITCHES
			"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
		enum { COUNT = 4, STACK = 1 << 16 };
		static void *back, *stacks[COUNT];
		static int current, sum;
		__attribute__((noinline)) void yield(int i) { to(&stacks[i], &back); __asm__ volatile(""); }
		__attribute__((noinline)) void work(int i) { for (int n = 0; n < 5; n++) { yield(i); sum += i; } __asm__ volatile(""); }
		static void run(void)
		{
			int i = current;
			double begin = now();
			work(i);
			called("work", begin, 0);
			for (;;)
				to(&stacks[i], &back);
		}
		int main(void)
		{
			for (int i = 0; i < COUNT; i++) {
				void **top = (void **)((char *)aligned_alloc(16, STACK) + STACK);
				top[-2] = run;
				stacks[i] = top - 8;
			}
			for (int n = 0; n < 7; n++)
				for (current = 0; current < COUNT; current++)
					to(&back, &stacks[current]);
			printf("%d\n", sum);
			return 5;
		}
	C
}

# A signal's handler on a stack that lies above the one that it interrupts.
handler_c() {
	cat >handler.c <<-'C'
		#include <signal.h>
		#include <stdio.h>
		static int hits;
		__attribute__((noinline)) void inner(void) { hits++; __asm__ volatile(""); }
		__attribute__((noinline)) void handler(int number) { (void)number; inner(); __asm__ volatile(""); }
		__attribute__((noinline)) void outer(void) { raise(SIGUSR1); inner(); __asm__ volatile(""); }
		int main(void)
		{
			char stack[1 << 15];
			stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
			struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
			sigaltstack(&other, NULL);
			sigaction(SIGUSR1, &action, NULL);
			for (int i = 0; i < 20; i++)
				outer();
			printf("%d\n", hits);
			return 6;
		}
	C
}

# bats test_tags=long
@test "programs of C in which a return is no return: contexts and coroutines of their own, a signal's stack, _start" {
	need_tracefs
	calls_h
	odd_c
	gcc -O2 -DRESTORES='"mov 48(%rdi), %rsp\n"' -o odd odd.c
	run_traced ./odd -f ./odd:save -f ./odd:parameter -f ./odd:user -f ./odd:_start -f ./odd:restore
	# no stack is changed: each function is looked at for itself
	gcc -O2 -DRESTORES='"mov 48(%rdi), %rdx\nsub %rsp, %rdx\nadd %rdx, %rsp\n"' -o odd odd.c
	run_traced ./odd -f ./odd:save -f ./odd:parameter -f ./odd:_start
	switched_c
	for how in 'mov (%rsi), %rsp' 'mov (%rsi), %rdx\nmov %rdx, %rsp' 'mov (%rsi), %rax\nxchg %rsp, %rax' 'mov (%rsi), %r9\nlea (%r9), %rsp'; do
		gcc -O2 -fcf-protection=none -DSWITCHES="\"$how\\n\"" -o switched switched.c
		run_traced ./switched -c func:./switched:work -c func:./switched:yield
		check_calls switched
	done
	handler_c
	gcc -O2 -o handler handler.c
	run_traced ./handler -f ./handler:inner -f ./handler:handler -f ./handler:outer
}

# bats test_tags=long
@test "coroutines of C++20" {
	need_tracefs
	cat >coroutines.cc <<-'C'
		#include <coroutine>
		#include <cstdio>
		#include <exception>
		#include <unistd.h>
		struct Generator {
			struct promise_type {
				int value = 0;
				std::exception_ptr error;
				Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
				std::suspend_always initial_suspend() { return {}; }
				std::suspend_always final_suspend() noexcept { return {}; }
				std::suspend_always yield_value(int v) { value = v; return {}; }
				void return_void() {}
				void unhandled_exception() { error = std::current_exception(); }
			};
			std::coroutine_handle<promise_type> handle;
			~Generator() { handle.destroy(); }
			int next() { handle.resume(); if (handle.promise().error) std::rethrow_exception(handle.promise().error); return handle.promise().value; }
		};
		struct Switch { /* symmetric transfer */
			std::coroutine_handle<> to;
			bool await_ready() noexcept { return false; }
			std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return to; }
			void await_resume() noexcept {}
		};
		__attribute__((noinline)) int step(int n) { usleep(100); if (n == 7) throw n; return n; }
		Generator count(int from) { for (int i = from;; i++) co_yield step(i); }
		Generator pass(std::coroutine_handle<> to) { for (;;) { co_await Switch{to}; co_yield step(1); } }
		int main()
		{
			int sum = 0;
			{
				Generator a = count(0), b = count(3), c = pass(a.handle);
				try { for (;;) sum += a.next() + b.next(); } catch (int n) { sum += n; }
				(void)c;
			}
			Generator a = count(0), c = pass(a.handle);
			for (int i = 0; i < 3; i++) c.next(), sum += a.next();
			printf("%d\n", sum);
			return 2;
		}
	C
	g++ -std=c++20 -O2 -o coroutines coroutines.cc || skip "needs coroutines"
	run_traced ./coroutines -f './coroutines:*' -f './coroutines:_*'
	nm coroutines | awk '$2 ~ /[tT]/ && /\.(actor|destroy)/ { print "-c func:./coroutines:" $3 }' >parts
	# shellcheck disable=SC2046
	run_traced ./coroutines -c func:./coroutines:step $(cat parts)
	cchart-filter --text --limit=func:coroutines:step=1ns trace 2>/dev/null | grep '^signal ' >signals
	run cat signals
	assert_equal "$(grep -c chart=func:coroutines:step signals)" "$(stream-cat --text trace | grep -c 'name=func:coroutines__step ')"
	assert_equal "$(grep -c open=yes signals)" 0
}

# bats test_tags=long
@test "tail calls end where they jump away; switches, cold parts, aliases, loops to the entry, data between instructions" {
	need_tracefs
	calls_h
	cat >shapes.cc <<-'C'
		#include <cstdlib>
		#include "calls.h"
		#define NOINLINE extern "C" __attribute__((noinline))
		NOINLINE int back(int n) { usleep(500); asm volatile("" : "+r"(n)); return n; }
		NOINLINE int front(int n) { usleep(200); return back(n + 1); }
		int (*volatile pointer)(int) = back;
		extern "C" int table(int n, int m);
		int (*volatile opaque)(int, int) = table; /* else its call might be moved */
		NOINLINE int by_pointer(int n) { usleep(200); return pointer(n); }
		NOINLINE int table(int n, int m) /* a leaf with a jump table, and a return in each case */
		{
			switch (n) {
			case 0: return m * 3; case 1: return m ^ 77; case 2: return m - 5; case 3: return m << 3; case 4: return m % 7;
			case 5: return m / 3; case 6: return m | 9; case 7: return m & 12; case 8: return ~m; case 9: return -m; default: return m;
			}
		}
		NOINLINE int strings(int n, const char **name)
		{
			switch (n) {
			case 0: *name = "a"; back(1); break; case 1: *name = "bc"; return back(2); case 2: back(3); *name = "d"; return 3;
			case 3: *name = "e"; throw n; case 4: back(0); return back(0) + 1; case 5: *name = "x"; return 8; default: *name = "?";
			}
			return n;
		}
		__attribute__((cold, noinline)) int rare(int n) { usleep(100); return n + 1; }
		NOINLINE int cold(int n)
		{
			if (__builtin_expect(n > 3, 0)) { if (rare(n) == 5) throw 5; usleep(300); return rare(n) * rare(n + 1); }
			asm volatile("" : "+r"(n));
			return n + 1;
		}
		NOINLINE long loop(long n) { long sum = 0; do { sum += n; asm volatile("" : "+r"(sum)); } while (--n); return sum; }
		extern "C" int alias(int n) __attribute__((alias("cold")));
		/* Numbers between instructions, among them bytes as those of returns; a jump back to behind endbr64; a return with a prefix. */
		extern "C" int woven(int n, int m);
		asm(".text\n.p2align 4\n.globl woven\n.type woven, @function\nwoven:\n\tendbr64\n1:\tdecl %edi\n\tjg 1b\n\tcmpl $3, %esi\n\tja 3f\n"
		    "\tlea 2f(%rip), %rax\n\tmov %esi, %esi\n\tmovslq (%rax, %rsi, 4), %rdx\n\tadd %rax, %rdx\n\tjmp *%rdx\n"
		    "2:\t.long 4f - 2b, 5f - 2b, 3f - 2b, 5f - 2b\n\t.long 0xc3c3c3c3, 0x900000c3\n"
		    "4:\tmov 2b+16(%rip), %eax\n\trep ret\n5:\tmov $11, %eax\n\tret\n3:\tmov $12, %eax\n\tret $0\n.size woven, . - woven\n");
		int main()
		{
			const char *name;
			long sum = 0;
			for (int i = 0; i < 12; i++) {
				{ Call call("front", 0); sum += front(i); }
				{ Call call("by_pointer", 0); sum += by_pointer(i); }
				{ Call call("table", 0); sum += opaque(i, 1000 + i); }
				{ Call call("loop", 0); sum += loop(i + 1); }
				{ Call call("woven", 0); sum = sum * 3 + woven(i, i % 5); }
				try { Call call("strings", 0); sum += strings(i, &name) + *name; } catch (int n) { sum += n; }
				try { Call call("cold", i == 4 ? 100e-6 : i > 3 ? 600e-6 : 0); sum += i % 2 ? alias(i) : cold(i); } catch (int n) { sum += n; }
			}
			printf("%ld\n", sum);
			return 9;
		}
	C
	for how in "g++ -O2 -foptimize-sibling-calls" "g++ -O2 -fcf-protection=full" "g++ -O2 -fno-pie -no-pie" "g++ -O0" "clang++ -O2"; do
		command -v "${how%% *}" >/dev/null || continue
		$how -o shapes shapes.cc
		run_traced ./shapes --chart=func:./shapes:{front,by_pointer,table,strings,cold,loop,woven}
		check_calls shapes
		run_traced ./shapes --chart=func:./shapes:{front,back}
		[ "${how#*-O0}" != "$how" ] && continue
		# each call of front is over before back begins, in the same place of the stack
		stream-cat --text trace | sed -n 's/^event .* name=func:shapes__\([^ ]*\) .* sp=\(.*\)/\1 \2/p' >order
		run awk '$1 == "front__return" { left = $2; next } left { n += $1 == "back" && $2 == left; left = "" } END { print n }' order
		assert_output 12
	done
	g++ -O2 -rdynamic -o shapes shapes.cc
	strip shapes
	run_traced ./shapes --chart=func:./shapes:{front,by_pointer,cold,loop,woven}
	sed -i '/^table \|^strings /d' calls
	check_calls shapes
	run_traced ./shapes -f './shapes:*' # one is left out where its jump table leads to a part that has no name any more
}

# bats test_tags=long
@test "a program that runs already, in the midst of traced functions" {
	need_tracefs
	cat >runs.cc <<-'C'
		#include <cstdio>
		#include <unistd.h>
		extern "C" __attribute__((noinline)) int inner(int n) { usleep(2000); if (n % 2) throw n; asm volatile(""); return n; }
		extern "C" __attribute__((noinline)) int outer(int n) { int r = inner(n); usleep(1000); return r + 1; }
		int main()
		{
			int i, wrong = 0;
			puts("runs");
			fflush(stdout);
			for (i = 0; access("stop", F_OK); i++)
				try { wrong += outer(i) != i + 1; } catch (int n) { wrong += n != i; }
			printf("%d wrong\n", wrong);
			return 6;
		}
	C
	g++ -O2 -o runs runs.cc
	./runs >said &
	victim=$!
	until_true 60 grep -q runs said
	for _ in 1 2 3; do
		trace-collect -p $victim -c func:./runs:inner -c func:./runs:outer -d 300ms -o trace
		run bash -c "cchart-filter --text --limit=func:runs:inner=1ns trace 2>/dev/null | grep -c '^signal .*chart=func:runs:inner '"
		[ "$output" -gt 0 ]
	done
	touch stop
	status=0
	wait $victim || status=$?
	assert_equal "$status" 6
	assert_equal "$(tail -n1 said)" "0 wrong"
}

# bats test_tags=long
@test "a function that somebody else probes already ends as before" {
	need_tracefs
	calls_h
	cat >twice.cc <<-'C'
		#include "calls.h"
		extern "C" __attribute__((noinline)) int inner(int n) { if (n % 2) throw n; asm volatile(""); return n; }
		int main()
		{
			for (int i = 0; i < 9; i++)
				try { Call call("inner", 0); inner(i); } catch (int) { }
		}
	C
	g++ -O2 -o twice twice.cc
	printf '__attribute__((noipa)) int work(int n) { return n - 1; }\nint main(int n) { return work(n); }\n' >c.c
	gcc -O2 -o c c.c
	trace-collect -f ./twice:inner -f ./c:work -o other -- sh -c 'touch on; while [ ! -e off ]; do sleep 0.02; done' &
	until_true 60 test -e on
	trace-collect -c func:./twice:inner -c func:./c:work -o trace -- sh -c './twice; ./c'
	touch off
	wait $!
	run bash -c "stream-cat --text trace | grep -o '^event .*name=func:c__work[^ ]*' | sed 's/.*name=//'"
	assert_output "$(printf 'func:c__work\nfunc:c__work__return')"
	check_calls twice
}

# bats test_tags=long
@test "a library of C has probes at its returns where a caller's exception may leave it" {
	need_tracefs
	calls_h
	cat >lib.c <<-'C'
		int leaf(int n) { __asm__ volatile(""); return n + 1; }
		void each(void (*work)(int), int n) { for (int i = 0; i < n; i++) work(i); }
	C
	cat >user.cc <<-'C'
		#include "calls.h"
		extern "C" int leaf(int n);
		extern "C" void each(void (*work)(int), int n);
		static void work(int i) { usleep(100); if (i == 3) throw i; }
		int main()
		{
			int sum = 0;
			for (int i = 0; i < 8; i++) {
				try { Call call("each", 0); each(work, i); } catch (int n) { sum += n; }
				Call call("leaf", 0);
				sum += leaf(i);
			}
			printf("%d\n", sum);
			return sum;
		}
	C
	gcc -O2 -shared -fPIC -o libplain.so lib.c
	g++ -O2 -o user user.cc -L. -lplain -Wl,-rpath,"$PWD"
	run_traced ./user -c func:./libplain.so:each -c func:./libplain.so:leaf
	check_calls libplain.so
	# a program of C whose library throws through it
	cat >thrower.cc <<-'C'
		extern "C" void throws(int n) { if (n % 2) throw n; }
		extern "C" int guarded(void (*work)(int), int n) { try { work(n); return n; } catch (int) { return -1; } }
	C
	cat >host.c <<-'C'
		#include "calls.h"
		void throws(int n);
		int guarded(void (*work)(int), int n);
		void passed(int n) { usleep(100); throws(n); __asm__ volatile(""); }
		int main(void)
		{
			int sum = 0;
			for (int i = 0; i < 8; i++) {
				double begin = now();
				sum += guarded(passed, i);
				called("passed", begin, 100e-6);
			}
			printf("%d\n", sum);
			return 1;
		}
	C
	g++ -O2 -shared -fPIC -o libthrower.so thrower.cc
	gcc -O2 -o host host.c -L. -lthrower -Wl,-rpath,"$PWD"
	run_traced ./host -c func:./host:passed
	check_calls host
}

# A library that throws, one that only calls it, and a host in C that is called from it and calls it in its turn.
throwing_host() {
	calls_h
	cat >thrower.cc <<-'C'
		extern "C" void throws(int n) { if (n % 2) throw n; }
		extern "C" int guarded(void (*work)(int), int n) { try { work(n); return n; } catch (int) { return -1; } }
	C
	cat >between.c <<-'C'
		void throws(int n);
		int guarded(void (*work)(int), int n);
		void calls_throws(int n) { throws(n); __asm__ volatile(""); }
		int calls_guarded(void (*work)(int), int n) { return guarded(work, n); }
	C
	cat >host.c <<-'C'
		#include <dlfcn.h>
		#include <stdlib.h>
		#include "calls.h"
		#ifdef LOADS
		static void (*calls_throws)(int);
		static int (*calls_guarded)(void (*)(int), int);
		static void load(void)
		{
			void *library = dlopen(LOADS, RTLD_NOW);
			calls_throws = (void (*)(int))dlsym(library, "throws");
			calls_guarded = (int (*)(void (*)(int), int))dlsym(library, "guarded");
		}
		#else
		void calls_throws(int n);
		int calls_guarded(void (*work)(int), int n);
		static void load(void) {}
		#endif
		void passed(int n) { usleep(100); calls_throws(n); __asm__ volatile(""); }
		int main(int argc, char **argv)
		{
			int sum = 0;
			load();
			if (argc > 1)
				puts("loaded"), fflush(stdout);
			for (int i = 0; argc > 1 ? access("stop", F_OK) : i < 8; i++) {
				double begin = now();
				sum += calls_guarded(passed, i);
				if (argc == 1)
					called("passed", begin, 100e-6);
			}
			if (argc == 1)
				printf("%d\n", sum);
			return 1;
		}
	C
	g++ -O2 -shared -fPIC -o libthrower.so thrower.cc
}

@test "a program of C that has a library that throws only by way of another one" {
	need_tracefs
	throwing_host
	mkdir sub
	mv libthrower.so sub
	gcc -O2 -shared -fPIC -o libbetween.so between.c -Lsub -lthrower -Wl,-rpath,"\$ORIGIN/sub"
	gcc -O2 -o host host.c -L. -lbetween -Wl,-rpath,"$PWD" -Wl,-rpath-link,sub
	run_traced ./host -c func:./host:passed
	check_calls host
}

# bats test_tags=long
@test "a program of C that loads a library that throws, from its start and when it runs already" {
	need_tracefs
	throwing_host
	gcc -O2 -DLOADS="\"$PWD/libthrower.so\"" -o host host.c
	run_traced ./host -c func:./host:passed
	check_calls host
	./host on >said &
	victim=$!
	until_true 60 grep -q loaded said
	run -0 --separate-stderr trace-collect -p $victim -c func:./host:passed -d 300ms -o trace
	assert_equal "$stderr" "trace-collect: '$PWD/host': 1 of 1 functions are probed at each instruction that leaves them, for an exception \
or another stack may"
	run bash -c "cchart-filter --text --limit=func:host:passed=1ns trace 2>/dev/null | grep -c '^signal .*chart=func:host:passed '"
	[ "$output" -gt 0 ]
	touch stop
	status=0
	wait $victim || status=$?
	assert_equal "$status" 1
}

@test "a program of C that has loaded nothing that throws has return probes, and it is told that it may" {
	need_tracefs
	throwing_host
	cat >quiet.c <<-'C'
		void throws(int n) { __asm__ volatile("" : "+r"(n)); }
		int guarded(void (*work)(int), int n) { work(n); return n; }
	C
	gcc -O2 -shared -fPIC -o libquiet.so quiet.c
	gcc -O2 -DLOADS="\"$PWD/libquiet.so\"" -o host host.c
	./host on >said &
	victim=$!
	until_true 60 grep -q loaded said
	run -0 --separate-stderr trace-collect -p $victim -c func:./host:passed -o trace -- sh -c 'cat /sys/kernel/tracing/uprobe_events'
	assert_equal "$stderr" "trace-collect: '$PWD/host' may load libraries: if it loads one that throws, its functions are traced no more"
	run -0 grep -c "^r:tailblame_[0-9_]*/p[0-9]* $PWD/host:0x[0-9a-f]* part=" <<<"$output"
	assert_output 1
	touch stop
	wait $victim || true
}

# Whether the kernel asks us before a file is opened.
asks_before() {
	{ zcat /proc/config.gz 2>/dev/null || cat "/boot/config-$(uname -r)" 2>/dev/null; } | grep -q '^CONFIG_FANOTIFY_ACCESS_PERMISSIONS=y'
}

# A program of C that loads the library when it is told to, calls what throws, and ends with 5.
late_host() { # OPTION...
	throwing_host
	cat >late.c <<-'C'
		#include <dlfcn.h>
		#include <stdio.h>
		#include <unistd.h>
		static void (*throws)(int);
		__attribute__((noinline)) void passed(int n) { usleep(1000); if (throws) throws(n); __asm__ volatile(""); }
		__attribute__((noinline)) void begun_before(void (*work)(void)) { work(); __asm__ volatile(""); }
		static int waits;
		static void work(void)
		{
			int (*guarded)(void (*)(int), int), sum = 0;
			void *library;
			for (puts("up"), fflush(stdout); access("load", F_OK);)
				passed(0);
			library = dlopen("./libthrower.so", RTLD_NOW);
			guarded = (int (*)(void (*)(int), int))dlsym(library, "guarded");
			while (waits && access("off", F_OK))
				passed(0);
			throws = (void (*)(int))dlsym(library, "throws");
			for (int i = 0; i < 10; i++)
				sum += guarded(passed, i);
			printf("%d\n", sum);
		}
		int main(int argc, char **argv) { waits = argc > 1; begun_before(work); return 5; }
	C
	gcc -O2 -o late late.c "$@"
}

@test "a program of C that loads a library that throws while it is traced goes on as before, also if it throws at once" {
	need_tracefs
	late_host
	asks_before || waits=yes
	for option in --no-recorder --max-cost=90%; do
		rm -f load off said trace errors
		./late ${waits:-} >said &
		victim=$!
		until_true 60 grep -qs up said
		trace-collect $option -c func:./late:passed -c func:./late:begun_before --text -o trace 2>errors 3>&- &
		collector=$!
		until_true 60 grep -qs 'name=func:late__passed__return' trace
		touch load
		until_true 60 grep -q "has loaded a library that throws" errors
		touch off
		status=0
		wait $victim || status=$?
		assert_equal "$status $(tail -n1 said)" "5 15"
		kill $collector
		status=0
		wait $collector || status=$?
		assert_equal "$status $(tail -n1 errors)" \
			"3 trace-collect: '$PWD/late' has loaded a library that throws, so its functions are traced no more"
	done
}

@test "where a program with the unwinder linked in throws stacks away is seen, whatever its path" {
	need_tracefs
	mkdir c++
	cat >prog.cc <<-'EOT'
		#include <cstdio>
		extern "C" __attribute__((noinline)) int request(int n) { if (n > 2) throw n; printf("%d\n", n); return n; }
		int main() { for (int n = 0; n < 5; n++) try { request(n); } catch (int) {} }
	EOT
	g++ -O1 -static-libgcc -o c++/prog prog.cc
	run -0 trace-collect -c func:./c++/prog:request -o out -- ./c++/prog
	stream-cat --text out | grep -q ' name=func:unwind '
}

@test "one that has the unwinder of exceptions already waits where it opens the runtime of C++, and goes on as before" {
	need_tracefs
	asks_before || skip "needs fanotify's permissions"
	late_host -Wl,--no-as-needed -lgcc_s
	./late >said &
	victim=$!
	until_true 60 grep -qs up said
	trace-collect -c func:./late:passed -c func:./late:begun_before --text -o trace 2>errors 3>&- &
	collector=$!
	until_true 60 grep -qs 'name=func:late__passed__return' trace
	touch load
	status=0
	wait $victim || status=$?
	assert_equal "$status $(tail -n1 said)" "5 15"
	kill $collector
	status=0
	wait $collector || status=$?
	assert_equal "$status $(tail -n1 errors)" "3 trace-collect: '$PWD/late' has loaded a library that throws, so its functions are traced no more"
}

@test "who stops the process that is asked before the unwinder is opened holds nobody up, and no program dies" {
	need_tracefs
	asks_before || skip "needs fanotify's permissions"
	late_host
	./late >said &
	victim=$!
	until_true 60 grep -qs up said
	trace-collect -c func:./late:passed -c func:./late:begun_before --text -o trace 2>errors 3>&- &
	collector=$!
	until_true 60 grep -qs 'name=func:late__passed__return' trace
	gate=$(pgrep -P $collector tailblame-gate)
	kill -STOP $gate
	touch load
	status=0
	wait $victim || status=$?
	assert_equal "$status $(tail -n1 said)" "5 15"
	until_true 60 [ ! -e "/proc/$gate" ] # its end lets the program go on, and then the collector takes its status
	kill $collector
	status=0
	wait $collector || status=$?
	assert_equal "$status $(tail -n1 errors)" \
		"3 trace-collect: the process tailblame-gate was stopped or killed, so functions of '$PWD/late' are traced no more"
}
