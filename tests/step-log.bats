#!/usr/bin/env bats
# step-log: what a thread does between two functions, and that the process is unharmed.

load helper

setup_file() {
	cat >"$BATS_FILE_TMPDIR/prog.c" <<-'END'
		#define _GNU_SOURCE
		#include <pthread.h>
		#include <sched.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		volatile int odd, count, caught;
		__attribute__((noipa)) int look(int n)
		{
			if (odd)
				return n * 3;
			return n + 1;
		}
		__attribute__((noipa)) void done(void) { count++; }
		__attribute__((noipa)) void never(void) { count--; }
		static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
		__attribute__((noipa)) int handle(int n)
		{
			int values[3] = {3, n, 2};

			qsort(values, 3, sizeof(*values), compare);
			return look(values[0]) + look(values[1]);
		}
		__attribute__((noipa)) void spin(void) { while (!count) look(1); }
		__attribute__((noipa)) void block(int how)
		{
			sigset_t all;

			sigfillset(&all);
			sigprocmask(how, &all, NULL);
		}
		__attribute__((noipa)) void ignore(void (*how)(int)) { signal(SIGTRAP, how); }
		__attribute__((noipa)) void block_itself(void) /* no library does it */
		{
			long got, trap = 1 << (SIGTRAP - 1);
			register long size __asm__("r10") = 8;

			__asm__ volatile("syscall" : "=a"(got) : "a"(SYS_rt_sigprocmask), "D"(SIG_BLOCK), "S"(&trap), "d"(NULL), "r"(size) : "rcx", "r11", "memory");
		}
		static void wait_in_line(void) /* 40000 signals */
		{
			siginfo_t info = {.si_code = SI_QUEUE};
			sigset_t one;

			sigemptyset(&one);
			sigaddset(&one, SIGRTMIN);
			sigprocmask(SIG_BLOCK, &one, NULL);
			for (int i = 0; i < 40000 && syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGRTMIN, &info) == 0; i++)
				;
		}
		__attribute__((noipa)) void queue(void) /* one signal after the other, without a branch between */
		{
			long number = SYS_tkill, me = syscall(SYS_gettid), got;

			__asm__ volatile(".rept 500\nmov %1, %%rax\nsyscall\n.endr" : "=&a"(got) : "r"(number), "D"(me), "S"(SIGUSR2) : "rcx", "r11", "memory");
			if (caught != 500)
				abort();
		}
		static char stack[65536];
		static int child(void *arg) { return execl("/bin/true", "true", arg); }
		static void *other(void *arg) { for (;;) { usleep(1000); odd = odd; } return arg; }
		static void on_signal(int number) { if (number == SIGUSR1) count = 1; else caught++; }
		int main(int argc, char **argv)
		{
			pthread_t thread;

			signal(SIGUSR1, on_signal);
			signal(SIGUSR2, on_signal);
			signal(SIGTRAP, on_signal);
			for (int i = 0; i < 3; i++)
				pthread_create(&thread, NULL, other, NULL);
			for (int byte; (byte = getchar()) != EOF;) {
				odd = byte == 'o';
				if (byte == 's')
					spin();
				if (byte == 'q')
					queue();
				if (byte == 'r')
					block_itself();
				if (byte == 'p')
					wait_in_line();
				if (byte == 't')
					for (int i = 0; i < 60; i++)
						pthread_create(&thread, NULL, other, NULL);
				if (byte == 'c')
					clone(child, stack + sizeof(stack), SIGURG, NULL);
				if (byte == 'i' || byte == 'd')
					ignore(byte == 'i' ? SIG_IGN : SIG_DFL);
				if (byte == 'b' || byte == 'u')
					block(byte == 'b' ? SIG_BLOCK : SIG_UNBLOCK);
				if (byte == 'v' && vfork() == 0) { /* until it ends its parent cannot be stopped */
					pause();
					_exit(0);
				}
				handle(1);
				done();
			}
			printf("fine %d\n", argc);
			return argv[0] ? 7 : 1;
		}
	END
	gcc -O0 -pthread -Wl,-z,now -o "$BATS_FILE_TMPDIR/prog" "$BATS_FILE_TMPDIR/prog.c"
}

# begin: the program runs, and waits for bytes in descriptor 9. Its end is in `end`.
begin() {
	[ "$(id -u)" = 0 ] || skip "needs root"
	[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
	rm -f begin end
	mkfifo begin
	bash -c 'exec 3>&-; "$1"/prog <begin >out & echo $! >pid; wait $!; echo "$? $(cat out)" >end' - "$BATS_FILE_TMPDIR" 3>&- &
	exec 9>begin
	until_true 60 [ -s pid ]
	pid=$(cat pid)
	rm pid
	until_true 60 [ "/proc/$pid/exe" -ef "$BATS_FILE_TMPDIR/prog" ]
	until_true 60 bash -c "[ \$(ls /proc/$pid/task | wc -l) = 4 ]"
}

is_traced() { grep -q 'TracerPid:.[1-9]' "/proc/$pid/status"; }
is_free() { ! is_traced; }

# Each of the threads has one.
has_breakpoints() {
	[ "$(find "/proc/$(sed -n 's/TracerPid:.//p' "/proc/$pid/status")/fd" -lname '*perf_event*' | wc -l)" = "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" ]
}

# unharmed: the program ends as it should.
unharmed() {
	until_true 60 is_free
	exec 9>&-
	until_true 60 [ -s end ]
	assert_equal "$(cat end)" '7 fine 1'
}

# stepping BYTE ARG...: step-log in the background, in `logger`; the program gets the byte when it is waited for.
stepping() {
	local byte=$1
	shift
	step-log -p "$pid" "$@" -t >log 2>err 3>&- 9>&- &
	logger=$!
	until_true 60 is_traced || fail "not traced: $(cat err)"
	[ -z "$byte" ] || until_true 60 has_breakpoints || fail "no breakpoints: $(cat err; ls -l "/proc/$logger/fd")"
	printf %s "$byte" >&9
}

# bats test_tags=live
@test "calls, results, blocks and libraries between two functions; the first block that differs" {
	begin
	for byte in e o; do
		stepping $byte --from=handle --to=done,never
		wait "$logger"
		assert_equal "$(cat err)" ''
		perl -ne '/what=(enter|call|over|return|end) (depth=\d+)(?: function=(\S+))?/ or next; my @told = ($1, $2, $3 // ()); print join(" ", @told, /((?:result|why)=\S+)/), "\n"' log >"$byte"
		grep -o 'what=block .*last=[^ ]*' log >"$byte.blocks"
	done
	run cat e
	assert_equal "$(grep -v '^over' e)" 'enter depth=0 handle
call depth=1
return depth=1 handle result=0x0
call depth=1 look
return depth=1 handle result=0x2
call depth=1 look
return depth=1 handle result=0x3
return depth=0 main result=0x5
call depth=0 done
end depth=0 why=to'
	assert_line --regexp '^over depth=1 .*qsort'
	run diff e.blocks o.blocks
	assert_line --index 1 --regexp 'function=look'
	unharmed
}

# bats test_tags=live, long
@test "compare --steps: the first block that differs, by line, and the variable, memory or result that its branch depends on" {
	cat >player.c <<-'END'
		#include <pthread.h>
		#include <stdlib.h>
		#include <unistd.h>
		struct job { long kind[2]; short state; };
		static volatile int is_done, table[4], count, rounds;
		static char buffer[8], digits[2];
		__attribute__((noipa)) void done(void) { count++; }
		__attribute__((noipa)) void by_flag(struct job *job)
		{
			do {
				usleep(job->kind[0]);
				rounds++;
			} while (!is_done);
		}
		__attribute__((noipa)) void by_memory(struct job *job)
		{
			if (job->state > 2)
				count += 2;
		}
		__attribute__((noipa)) void by_table(struct job *job)
		{
			if (job->state && table[2] == 7)
				count += 2;
		}
		__attribute__((noipa)) void by_result(struct job *job)
		{
			job->kind[0] = 1;
			if (strtol(digits, NULL, 10))
				count += 2;
		}
		static void *finish(void *arg) { while (rounds < 4) usleep(1000); is_done = 1; return arg; }
		int main(void)
		{
			struct job *job = calloc(1, sizeof(*job));
			pthread_t thread;

			while (read(0, buffer, 2) == 2) {
				int bad = buffer[1] == 'b';

				job->kind[0] = job->kind[1] = 2;
				job->state = bad ? 5 : 1;
				table[2] = bad ? 7 : 1;
				is_done = !bad;
				digits[0] = bad ? '3' : '0';
				if (*buffer == 'f' && bad)
					pthread_create(&thread, NULL, finish, NULL);
				(*buffer == 'f' ? by_flag : *buffer == 'm' ? by_memory : *buffer == 't' ? by_table : by_result)(job);
				done();
			}
			return 0;
		}
	END
	gcc -O1 -g -pthread -Wl,-z,lazy -o player player.c
	mkfifo bytes
	./player <bytes 3>&- &
	pid=$!
	exec 9>bytes
	until_true 60 [ "/proc/$pid/exe" -ef player ]
	one_waits() { [ -n "$(find "/proc/$(sed -n 's/TracerPid:.//p' "/proc/$pid/status")/fd" -lname '*perf_event*' 2>/dev/null)" ]; }
	echo 'graph id=w kind=event' >w.txt
	echo 'node graph=w id=1 name=a what=segment tid=1 start=1 end=2 wait=1' >>w.txt
	for kind in flag memory table result; do
		for case in good bad; do
			step-log -p "$pid" --from=by_$kind --to=done >$case.tb 2>err 3>&- 9>&- &
			logger=$!
			until_true 60 one_waits
			printf %s "${kind:0:1}${case:0:1}" >&9
			wait $logger || fail "$kind $case: $(cat err)"
		done
		cp good.tb $kind.good
		cp bad.tb $kind.bad
		graph-walk -x 'compare --steps good.tb bad.tb' w.txt >$kind
		graph-walk -x 'compare --steps bad.tb bad.tb' w.txt >$kind.same
	done
	option=$(grep -o -e '--watch=.*' memory)
	run -1 trace-collect "${option%:2:rw}"
	assert_output --partial 'memory at an address needs its length in bytes: PID:0xADDRESS:LENGTH'
	run -1 trace-collect "--watch=$pid:0x10:4"
	assert_output --partial "process $pid has no memory at 0x10"
	if [ -d /sys/kernel/tracing/instances ]; then
		timeout 60 trace-collect "$option" --no-recorder --no-programs -t -- bash -c '
			before=$(grep ^vol "/proc/$1/status")
			printf mb >&9
			until [ "$(grep ^vol "/proc/$1/status")" != "$before" ]; do :; done # it waits again' - "$pid" >watched
		grep -q 'name=flag:write .*flag=player:0x[0-9a-f]* .*function=main' watched
	fi
	exec 9>&-
	run cat flag
	assert_line --index 0 --regexp '^both run the same [0-9]+ blocks, up to the branch in by_flag, player.c:13 \(player\+0x[0-9a-f]+\)$'
	assert_line --index 2 --regexp '^then bad.tb: by_flag, player.c:11 '
	assert_line --index 3 --regexp '^that depends on is_done, 4 bytes at 0x'
	assert_line --index 4 "who writes it: trace-collect --watch=$pid:is_done:4:rw"
	run cat memory
	assert_line --index 0 --regexp 'in by_memory, player.c:17 '
	assert_line --index 3 --regexp '^that depends on no variable that has a name, 2 bytes at 0x'
	assert_line --index 4 --regexp "^who writes it: trace-collect --watch=$pid:0x[0-9a-f]+:2:rw\$"
	run cat table
	assert_line --index 3 --regexp '^that depends on table, 4 bytes at 0x'
	assert_line --index 4 "who writes it: trace-collect --watch=$pid:table+8:4:rw"
	run cat result
	assert_line --index 3 --regexp '^that depends on what .*strto[a-z]+ returned: 0x0, and 0x3$'
	run cat flag.same
	assert_output --regexp '^the same [0-9]+ blocks, one after the other$'
	stream-cat -t flag.bad | sed 's/ variable=is_done/ variable="(anonymous namespace)::x\\x1b[2J"/' >hostile.txt
	run -0 graph-walk -x 'compare --steps flag.good hostile.txt' w.txt
	assert_line --index 4 "who writes it: trace-collect '--watch=$pid:(anonymous namespace)::x\\x1b[2J:4:rw'"
	# what cannot be quoted is no command to copy
	stream-cat -t flag.bad | sed "s/ variable=is_done/ variable=\"x';id;'\"/" >quote.txt
	run -0 graph-walk -x 'compare --steps flag.good quote.txt' w.txt
	assert_line --partial "that depends on x';id;', 4 bytes"
	refute_output --partial 'who writes it'
	printf '%s\n' 'step what=block at=p+0x1 last=p+0x2' 'step what=end why="\x1b[2Jdone"' >short.txt
	printf '%s\n' 'step what=block at=p+0x1 last=p+0x2' 'step what=block at=p+0x3 last=p+0x4' >long.txt
	run -0 graph-walk -x 'compare --steps short.txt long.txt' w.txt
	assert_line 'then short.txt: it ends: \x1b[2Jdone'
	head -c -20 bad.tb >cut.tb
	run -3 graph-walk -x 'compare --steps bad.tb cut.tb' w.txt
	run -1 graph-walk -x 'compare --steps good.tb none.tb' w.txt
	run -1 graph-walk -x 'compare --steps good.tb w.txt' w.txt
	assert_output "graph-walk: 'w.txt' has no steps, as step-log writes them"
}

# bats test_tags=live
@test "the process is unharmed whatever becomes of the logger, while it waits and while it steps" {
	for how in TERM KILL; do
		begin
		stepping '' --from=handle --to=done
		kill -$how "$logger"
		unharmed
		begin
		stepping s --from=look --to=never --limit=10000000
		kill -$how "$logger"
		until_true 60 is_free
		kill -USR1 "$pid" # spins no more
		unharmed
	done
}

# The logger waits for a call; the process, for its child: no signal but the last reaches it.
begin_stuck() {
	begin
	stepping '' --from=handle --to=done
	until_true 60 has_breakpoints
	printf v >&9
	until_true 60 grep -q '^State:.D' "/proc/$pid/status"
	child=$(pgrep -P "$pid")
}

# bats test_tags=live
@test "a second signal ends it though a thread cannot be stopped, which is let go later" {
	begin_stuck
	kill "$logger"
	run timeout 2 tail --pid="$logger" -f /dev/null
	assert_failure
	kill "$logger"
	run timeout 60 tail --pid="$logger" -f /dev/null
	assert_success
	kill "$child"
	unharmed
}

# bats test_tags=live
@test "a process that is killed while it is let go is not waited for" {
	begin_stuck
	kill "$logger"
	kill -KILL "$pid"
	run timeout 60 tail --pid="$logger" -f /dev/null
	assert_success
	kill "$child"
}

# set_has_trap NAME: such a set of signals of the main thread, as SigBlk, has SIGTRAP.
set_has_trap() { grep -q "^$1:.*[13579bdf]\\w\$" "/proc/$pid/status"; }

# bats test_tags=live
@test "a thread that blocks SIGTRAP is not stepped, which is told, and let go as it was" {
	begin
	printf b >&9
	until_true 60 set_has_trap SigBlk
	blocked=$(grep SigBlk "/proc/$pid/status")
	stepping ee --from=handle --to=done
	until_true 60 grep -q . err
	assert_equal "$(cat err)" "step-log: thread $pid entered 'handle', but blocks SIGTRAP, and cannot be stepped as long as it does"
	set_has_trap SigPnd
	kill "$logger"
	run timeout 60 tail --pid="$logger" -f /dev/null
	assert_success
	is_free
	assert_equal "$(grep -e SigBlk -e SigPnd "/proc/$pid/status")" "SigPnd:	0000000000000000
$blocked"
	unharmed
}

# bats test_tags=live
@test "a thread is stepped when it no longer blocks SIGTRAP; if it blocks that between, the log ends" {
	begin
	printf b >&9
	until_true 60 set_has_trap SigBlk
	stepping e --from=handle --to=done
	until_true 60 grep -q 'blocks SIGTRAP' err
	printf ue >&9
	until_true 60 is_free
	until_true 60 grep -q 'what=end .*why=to' log
	stepping b --from=block --to=done
	until_true 60 grep -q 'what=end .*why=trap' log
	assert_equal "$(cat err)" "step-log: the thread blocked or ignored SIGTRAP before 'block' was over"
	assert_equal "$(grep SigPnd "/proc/$pid/status")" "SigPnd:	0000000000000000"
	set_has_trap SigBlk
	printf u >&9
	while set_has_trap SigBlk; do :; done
	stepping r --from=block_itself --to=done
	until_true 60 grep -q 'what=end .*why=trap' log
	set_has_trap SigBlk
	set_has_trap SigCgt
	unharmed
}

# bats test_tags=live
@test "a process that ignores SIGTRAP is not stepped, and goes on to ignore it" {
	begin
	printf i >&9
	until_true 60 set_has_trap SigIgn
	run -1 timeout 60 step-log -p "$pid" --from=handle --to=done
	assert_output "step-log: cannot step process $pid: it ignores SIGTRAP, and would no longer ignore that afterwards"
	for from in handle ignore; do # before it comes there, and after
		printf d >&9
		while set_has_trap SigIgn; do :; done
		stepping i --from=$from --to=done
		wait "$logger" || echo $? >>statuses
		set_has_trap SigIgn
		cat err >>errors
	done
	assert_equal "$(cat statuses errors)" "1
3
$output
step-log: the thread blocked or ignored SIGTRAP before 'ignore' was over"
	unharmed
}

# bats test_tags=live
@test "a signal that comes when nobody reads any more is not lost" {
	begin
	stepping '' --from=queue --to=done
	until_true 60 has_breakpoints
	kill -STOP "$logger" # its pipe has room for some 370 strides
	printf q >&9
	unharmed
	kill -CONT "$logger"
	wait "$logger" || true
	assert_equal "$(cat err)" "step-log: stopped before 'queue' was over"
	[ "$(grep -c what=signal log)" -gt 300 ]
}

# bats test_tags=live
@test "a thread for which many signals wait is let go at once" {
	begin
	[ "$(ulimit -i)" -gt 50000 ] || skip "so many signals may not wait"
	printf p >&9
	until_true 60 grep -q 'SigQ:.[4-9]..../' "/proc/$pid/status"
	stepping e --from=handle --to=done
	run timeout 4 tail --pid="$logger" -f /dev/null
	assert_success
	unharmed
}

# bats test_tags=live
@test "a process has more threads than step-log may have files, at first" {
	begin
	printf t >&9
	until_true 60 bash -c "[ \$(ls /proc/$pid/task | wc -l) = 64 ]"
	ulimit -Sn 20
	stepping e --from=handle --to=done
	wait "$logger"
	assert_equal "$(cat err)" ''
	unharmed
}

# bats test_tags=live
@test "a child by clone(2) with a signal of its own executes a program while a thread is waited for" {
	begin
	stepping c --from=queue --to=done
	until_true 60 pgrep -P "$pid" -x true >pids
	printf q >&9
	wait "$logger"
	grep -q 'what=end .*why=to' log
	unharmed
}

# bats test_tags=live
@test "a signal comes before the first instruction" {
	local signal tracer

	for signal in WINCH USR1; do
		begin
		stepping '' --from=handle --to=done
		until_true 60 has_breakpoints
		tracer=$(sed -n 's/TracerPid:.//p' "/proc/$pid/status")
		kill -STOP "$tracer"
		printf e >&9
		until_true 60 grep -q 'State:.t' "/proc/$pid/status"
		perl -e "syscall(200, $pid, $(kill -l "$signal")) == 0 or die" # tkill(2): others have not stopped
		kill -CONT "$tracer"
		until_true 60 grep -q 'what=end .*why=to' log
		grep -q "what=signal .*number=$(kill -l "$signal")" log
		wait "$logger"
		unharmed
	done
}

# bats test_tags=live
@test "the limit, a closed pipe, a full disk, a signal meanwhile, and another debugger" {
	begin
	stepping s --from=look --to=never --limit=300
	until_true 60 is_free
	until_true 60 grep -q '^end ' log
	assert_equal "$(cat err)" "step-log: the limit is reached before 'look' was over"
	assert_equal "$(grep -c what=end log)" 1
	timeout 100 step-log -p "$pid" --from=look --to=never --limit=300 -t | true
	run -1 bash -c "timeout 100 step-log -p $pid --from=look --to=never --limit=300 -t >/dev/full"
	assert_output --partial 'no space left on device'
	stepping '' --from=look --to=done
	kill -USR1 "$pid" # spins no more
	printf e >&9      # if that was before the first breakpoint
	until_true 60 is_free
	until_true 60 grep -q '^end ' log
	grep -q 'why=to' log
	unharmed
	begin
	stepping '' --from=handle --to=done
	run -1 timeout 100 step-log -p "$pid" --from=handle --to=done
	assert_output "step-log: cannot step process $pid: Operation not permitted; it needs root, and nobody else may debug it"
	kill "$logger"
	unharmed
	run -1 step-log -p $$ --from=nobody --to=main
	assert_output --partial "no function 'nobody' in"
	run -2 step-log --from=a --to=b
	run -2 step-log -p 1 --from=a --to=b --limit=0
}
