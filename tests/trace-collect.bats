#!/usr/bin/env bats
# trace-collect on the live kernel.

# bats file_tags=live
load helper

INSTANCES=/sys/kernel/tracing/instances

# collect ARG...: in the background, with its pid in $pid.
collect() {
	trace-collect "$@" 3>&- &
	pid=$!
}

teardown() {
	if [ -n "$pid" ]; then kill $pid 2>/dev/null || true; fi
	for process in $victim $other; do kill $process 2>/dev/null || true; done
	for option in $options; do echo $option >/sys/kernel/tracing/trace_options; done
	if [ -n "$owned" ]; then mount -o remount,uid=0 /sys/kernel/tracing; fi
	if [ -n "$swap" ]; then swapoff "$swap"; fi
	if [ -n "$group" ]; then until_true 60 rmdir $group 2>/dev/null; fi
}

is_gone() {
	[ ! -e $INSTANCES/tailblame-"$1" ] && ! grep -qs "tailblame_$1/" /sys/kernel/tracing/uprobe_events
}

events() {
	stream-cat --text "$1" | grep -c '^event' || true
}

# has FILE PATTERN [COUNT]: so many lines (1) of the stream match, which may still be written
has() {
	[ "$(stream-cat --text "$1" 2>/dev/null | grep -cE -- "$2")" -ge "${3:-1}" ]
}

@test "a wrong option is status 2" {
	run trace-collect --nonsense
	assert_failure 2
	run trace-collect -d soon
	assert_failure 2
	run -2 trace-collect -o -- touch started # a forgotten -p starts nothing
	assert_line --index 0 "trace-collect: 'touch' is no option; a command to start comes behind --"
	assert [ ! -e started ]
	run trace-collect -b 0
	assert_failure 2
}

@test "who may not trace is told what to do, once" {
	need_tracefs
	exec 9<"$BUILD/trace-collect" # nobody else may be able to reach the folder
	# libtracefs loses the path of what it may not look into
	ASAN_OPTIONS=detect_leaks=0 run -1 setpriv --reuid=65534 --regid=65534 --clear-groups /proc/self/fd/9 -d 10ms
	assert_output --regexp "^[^ ]*: cannot make an instance in '.*/instances': permission denied; run as root, or: mount -o remount,uid=USER /sys/kernel/tracing\$"
}

@test "who owns tracefs may trace, as told" {
	need_tracefs
	[ "$(stat -c %u /sys/kernel/tracing)" = 0 ] || skip "tracefs has another owner"
	exec 9<"$BUILD/trace-collect"
	chmod 777 .
	owned=yes
	mount -o remount,uid=65533 /sys/kernel/tracing
	[ "$(stat -c %u /sys/kernel/tracing/trace)" = 65533 ] || skip "needs a kernel with tracefs owned by a user"
	run -0 setpriv --reuid=65533 --regid=65533 --clear-groups /proc/self/fd/9 -e sched:sched_process_exec -o out -- true
	assert_output ""
	[ "$(events out)" -gt 0 ]
}

@test "root that may not mount tracefs is not told to be root" {
	need_tracefs
	cat >contained <<-'EOT'
		while umount -l /sys/kernel/tracing 2>/dev/null; do :; done
		while umount -l /sys/kernel/debug 2>/dev/null; do :; done
		exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin trace-collect -d 0 -o out
	EOT
	run -1 unshare -m sh contained
	assert_output "trace-collect: cannot mount tracefs on '/sys/kernel/tracing': operation not permitted; in a container, it needs \
CAP_SYS_ADMIN or the host's tracefs"
}

@test "an unknown event names those that are near" {
	need_tracefs
	run trace-collect -e sched:sched_swich -d 0
	assert_failure 1
	assert_output "trace-collect: no event 'sched:sched_swich' in this kernel; is it 'sched_switch'?"
	run -1 trace-collect -e sched_switch -d 0
	assert_output "trace-collect: no event 'sched_switch' in this kernel; is it 'sched:sched_switch'?"
	run -1 trace-collect -e shed -d 0
	assert_output --regexp "no event 'shed' in this kernel; is it .*'sched'"
	run trace-collect -e nosuch:event -d 0
	assert_failure 1
	assert_output --partial "no event 'nosuch:event' in this kernel"
}

@test "a wrong filter is explained in the kernel's words" {
	need_tracefs
	run trace-collect -e 'sched:sched_switch/nosuch == 1' -d 0
	assert_failure 1
	assert_output "trace-collect: wrong filter 'nosuch == 1' of event 'sched:sched_switch': Field not found"
}

@test "a wrong filter of a chart's context is an error too, a context event that is not there is none" {
	need_tracefs
	{
		cat "$TOP/charts/runq.chart"
		echo 'context event=nosuch:event filter="x == 1"'
	} >own.chart
	trace-collect -c ./own.chart -d 0 -o out
	echo 'context event=sched:sched_pi_setprio filter="no_such_field == 3"' >>own.chart
	run trace-collect -c ./own.chart -d 0 -o out
	assert_failure 1
	assert_output "trace-collect: wrong filter 'no_such_field == 3' of event 'sched:sched_pi_setprio': Field not found"
}

@test "an unknown clock and a clock that does not count nanoseconds are refused" {
	need_tracefs
	run trace-collect -C nosuch -d 0
	assert_failure 1
	assert_output --partial "no clock 'nosuch' in this kernel; there are: "
	run trace-collect -C counter -d 0
	assert_failure 1
	assert_output --partial "does not count nanoseconds"
}

@test "an output that cannot be written is a failure, a closed pipe is not" {
	need_tracefs
	run bash -c 'trace-collect -e sched:sched_switch -d 0.2 >/dev/full'
	assert_failure 1
	assert_output --partial "no space left on device"
	run bash -c 'trace-collect -e sched:sched_switch -e raw_syscalls:sys_enter | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}'
	assert_success
	assert_output ""
}

# bats test_tags=long
@test "a file that is there is overwritten only if what is asked for can be had" {
	need_tracefs
	seq 100000 >out
	cp out before
	run -1 trace-collect -e 'sched:sched_switch/nosuch == 1' -o out -d 0
	run -1 trace-collect -e sched:sched_switch -p 4194303 -o out -d 0
	cmp out before
	trace-collect -e sched:sched_process_exec -o out -- true
	run -0 stream-cat --text out
	assert_line --index -1 --regexp '^end records='
	# whose formats alone are more than is written at once (libtraceevent leaks two bytes of one)
	ASAN_OPTIONS=detect_leaks=0 trace-collect -e '*' -o large -- true
	ASAN_OPTIONS=detect_leaks=0 trace-collect -e '*' -d 0 -o large
	run -0 bash -c 'stream-cat --text large | tail -n 1'
	assert_output --regexp '^end records='
	trace-collect -e sched:sched_process_exec -d 0 -o /dev/null
}

@test "a command is traced from its first instruction to its end, and in the order of time" {
	need_tracefs
	trace-collect -b 64M -e sched:sched_process_exec -e raw_syscalls -o out -- sh -c 'true; ls / >/dev/null'
	run stream-cat --text out
	assert_line --regexp '^stream version=1 host=.* clock=mono wall=[0-9]+\.[0-9]{9}'
	assert_line --regexp '^event .* name=sched:sched_process_exec filename=.*/sh '
	assert_line --regexp '^task ts=.* comm=ls'
	assert_line --regexp '^end records=[0-9]+ lost=0$'
	stream-cat --text out | awk '/^event/ { t = substr($2, 4); if (t < last) exit 1; last = t; n++ } END { exit n < 50 }'
}

@test "a command's end is reported, its output stays out of the stream" {
	need_tracefs
	run --separate-stderr trace-collect -e sched:sched_process_exec --text -- sh -c 'echo hello; exit 7'
	assert_success
	refute_line hello
	assert_equal "$stderr" "hello
trace-collect: 'sh' ended with status 7"
	run trace-collect -e sched:sched_process_exec -o out -- sh -c 'kill -9 $$'
	assert_output --partial "'sh' was killed by signal 9"
	run trace-collect -e sched:sched_process_exec -o out -- ./nosuch
	assert_failure 1
	assert_output "trace-collect: cannot run './nosuch': no such file or directory"
}

# Each CPU needs several files, and a machine may have hundreds of CPUs.
@test "the usual limit of open files is none to it, and COMMAND keeps it" {
	need_tracefs
	(
		ulimit -Sn 9
		trace-collect -o out -- bash -c 'ulimit -Sn >limit' 3>&- 4>&-
	)
	assert_equal "$(cat limit)" 9
	run -1 bash -c 'ulimit -n 9; trace-collect -e sched:sched_process_exec -o out -d 0 3>&- 4>&-'
	assert_output --regexp "^trace-collect: cannot open '.*/instances/tailblame-.*': too many open files\$"
}

# bats test_tags=long
@test "a ring on disk is stored at the end, and when it is asked to; SIGKILL leaves no file" {
	need_tracefs
	umask 022
	ln -s no/such/file ring.tb.1 # where anybody may put names, this one would be taken
	trace-collect --ring=1M -e raw_syscalls -p command --no-programs -o ring.tb -- sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null
		kill -USR1 $PPID; dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null'
	for file in ring.tb ring.tb.2; do
		assert_equal "$(stat -c %a "$file")" 600
		run -0 stream-cat --text "$file"
		assert_line --regexp '^end records=[0-9]+ lost=0$'
		[ "$(stat -c %s "$file")" -lt 1600000 ] || fail "$file: $(stat -c %s "$file") bytes"
	done
	assert_equal "$(stream-cat --text ring.tb.2 | grep -c '^stream ')" 1
	# A signal of a filter behind it, which gets the same stream, stores it, too.
	trace-collect --ring=8M -c syscall -p command --no-programs -o behind.tb -- bash -c 'sleep 0.1
		for _ in {1..500}; do [ ! -e behind.tb.1 ] || break; sleep 0.02; done' |
		cchart-filter --idle --limit=90ms --only-limit >behind.windows
	run -0 stream-cat --text behind.windows
	assert_line --regexp '^signal '
	run -0 stream-cat --text behind.tb.1
	assert_line --regexp '^end records=[0-9]+ lost=0$'
	[ ! -e behind.tb.2 ]
	run -2 trace-collect --ring=1M -e sched
	run -2 trace-collect --ring=1k -e sched -o x
	run -1 trace-collect --ring=1M -e sched -o no/such/file
	mkdir killed
	trace-collect --ring=1M -e sched -o killed/ring.tb 3>&- &
	for _ in {1..500}; do
		[ -z "$(find "/proc/$!/fd" -lname '*/killed/#*' 2>/dev/null)" ] || break
		sleep 0.02
	done
	kill -KILL $!
	wait $! || true
	assert_equal "$(ls killed)" ""
}

@test "signals end it with all rings drained and an end record" {
	need_tracefs
	for signal in INT TERM HUP; do
		env --default-signal=INT trace-collect -e sched:sched_switch -o out 3>&- &
		pid=$!
		until_true 60 is_tracing $pid
		kill -$signal $pid
		wait $pid
		is_gone $pid
		run bash -c 'stream-cat --text out | tail -1'
		assert_output --regexp '^end records='
	done
}

@test "what fails before COMMAND is started leaves nothing behind" {
	need_tracefs
	run -1 trace-collect -e 'sched:sched_switch/nosuch == 1' -o out -- true
	assert_output "trace-collect: wrong filter 'nosuch == 1' of event 'sched:sched_switch': Field not found"
	run -1 trace-collect -p 4194303 -e sched:sched_switch -o out -- true
	assert_output "trace-collect: there is no process 4194303"
}

is_probing() {
	grep -q "tailblame_$pid/" /sys/kernel/tracing/uprobe_events
}

@test "a signal before tracing is on: COMMAND is not started, and no more probes are placed" {
	need_tracefs
	for i in {1..2000}; do echo "void f$i(void) {}"; done | gcc -x c -shared -fPIC -o many.so - || skip "needs gcc"
	collect -f './many.so:f*' -o out -- touch started 2>err
	until_true 60 is_probing
	kill -TERM $pid
	wait $pid && status=0 || status=$?
	assert_equal "$status $(<err)" "1 trace-collect: stopped before tracing began"
	is_gone $pid
	mkfifo pipe
	cat <pipe >out 3>&- &
	collect -c block -- touch started >pipe 2>err
	until_true 60 [ -e $INSTANCES/tailblame-$pid.kept ] # a cchart-filter has a moment to call
	kill -TERM $pid
	wait $pid
	assert_equal "$(<err)" "trace-collect: 'touch' was not started"
	refute [ -e started ]
}

@test "a signal that is sent twice, as timeout(1) does, is one wish: nothing is lost" {
	need_tracefs
	for signal in HUP TERM INT; do # the last is ignored in the background of a script
		collect -e sched:sched_switch -o out
		until_true 60 [ -s out ]
		python3 -c 'import os, signal, sys; [os.kill(int(sys.argv[1]), int(getattr(signal, "SIG" + sys.argv[2]))) or os.sched_yield() for _ in range(40)]' $pid $signal
		wait $pid
		run -0 stream-cat out
		rm out
	done
}

@test "nothing stays behind after SIGKILL, at any moment" {
	need_tracefs
	cp "$BUILD"/trace-collect prog
	for moment in 0 .005 .01 .02 .03 .05 .1; do
		collect -c func:./prog:main -e sched:sched_switch -o out
		sleep $moment
		kill -9 $pid
		until_true 60 is_gone $pid
	done
	setsid trace-collect -c func:./prog:main -o out 3>&- &
	pid=$!
	until_true 60 is_tracing $pid
	kill -9 -$pid
	until_true 60 is_gone $pid
}

# bats test_tags=preload
@test "a step of the wall clock is told" {
	need_tracefs
	cat >step.c <<-'EOT'
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>

		int clock_gettime(clockid_t clock, struct timespec *now)
		{
			int status = (int)syscall(SYS_clock_gettime, clock, now);

			if (clock == CLOCK_REALTIME && access("stepped", F_OK) == 0)
				now->tv_sec -= 3600;
			return status;
		}
	EOT
	gcc -shared -fPIC -o step.so step.c
	run -0 trace-collect -e sched:sched_process_exec -o out -- true
	assert_output ""
	LD_PRELOAD=$PWD/step.so run -0 trace-collect -e sched:sched_process_exec -o out -- touch stepped
	assert_output "trace-collect: the wall clock was set, or the machine slept: at the end, hours in the stream are 3600 s ahead"
}

# bats test_tags=preload
@test "the guardian holds none of the collector's files, and looks for no others, where the kernel cannot close all at once" {
	need_tracefs
	cat >old.c <<-'EOT'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <fcntl.h>
		#include <sys/syscall.h>
		#include <unistd.h>

		int close_range(unsigned from, unsigned to, int flags)
		{
			(void)from, (void)to, (void)flags;
			errno = ENOSYS;
			return -1;
		}

		int close(int fd)
		{
			static int count;

			if (++count == 5000)
				creat("many", 0666);
			return (int)syscall(SYS_close, fd);
		}
	EOT
	gcc -shared -fPIC -o old.so old.c
	(
		ulimit -n 10000
		exec 9<old.c
		LD_PRELOAD=$PWD/old.so exec trace-collect -e sched:sched_process_exec -o out 3>&-
	) &
	pid=$!
	until_true 60 is_tracing $pid
	guardian=$(pgrep -P $pid tailblame-guard)
	run bash -c "stat -c %N /proc/$guardian/fd/*"
	assert_output --regexp "^'/proc/$guardian/fd/0' -> 'pipe:\[[0-9]+\]'
'/proc/$guardian/fd/1' -> 'anon_inode:\[pidfd\]'\$"
	kill -KILL $pid
	until_true 60 is_gone $pid
	refute [ -e many ]
}

# guardians PID: those of this collector, two
guardians() {
	local first
	first=$(pgrep -P "$1" tailblame-guard)
	[ -n "$first" ] && echo "$first" && pgrep -P "$first" tailblame-ward
}

has_guardians() {
	[ "$(guardians "$1" | wc -l)" = 2 ]
}

# other_guardians PID OLD: there are two, and not these
other_guardians() {
	has_guardians "$1" && [ "$(guardians "$1")" != "$2" ]
}

# bats test_tags=long
@test "collector and guardian killed together leave nothing" {
	need_tracefs
	cp "$BUILD"/trace-collect prog
	for _ in {1..10}; do
		collect -c func:./prog:main -o out
		until_true 60 is_tracing $pid
		until_true 60 has_guardians $pid
		kill -9 "$(pgrep -P $pid tailblame-guard)" $pid
		until_true 60 is_gone $pid
	done
	collect -c func:./prog:main -o "only-$BATS_TEST_NUMBER"
	until_true 60 is_tracing $pid
	until_true 60 has_guardians $pid
	pkill -9 -f "only-$BATS_TEST_NUMBER"
	until_true 60 is_gone $pid
}

@test "a guardian that is killed is replaced, as is its second" {
	need_tracefs
	collect -e sched:sched_switch -o out
	until_true 60 is_tracing $pid
	until_true 60 has_guardians $pid
	before=$(guardians $pid)
	kill -9 "${before%%[^0-9]*}"
	until_true 60 other_guardians $pid "$before"
	before=$(guardians $pid)
	kill -9 "${before##*[^0-9]}"
	until_true 60 other_guardians $pid "$before"
	kill $pid
	wait $pid
	is_gone $pid
}

is_off() {
	[ "$(cat "$1/tracing_on")" = 0 ] && [ "$(cat "$1/buffer_total_size_kb")" -lt 1000 ]
}

# The guardians are stopped, not killed: what is tested is all that the kernel does, and nothing is left in the end.
@test "where nobody can remove it, the kernel turns tracing off and frees the rings" {
	need_tracefs
	mkfifo pipe
	cat <pipe >out 3>&- &
	collect -c block >pipe
	until_true 60 is_tracing $pid
	until_true 60 is_tracing $pid.kept
	until_true 60 has_guardians $pid
	stopped=$(guardians $pid)
	kill -STOP $stopped
	kill -9 $pid
	for instance in $INSTANCES/tailblame-$pid $INSTANCES/tailblame-$pid.kept; do
		until_true 60 is_off $instance
	done
	trace-collect --sweep
	is_gone $pid
	[ ! -e $INSTANCES/tailblame-$pid.kept ]
	kill -CONT $stopped
}

@test "a control group that is killed leaves nothing" {
	need_tracefs
	for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
		[ -e $root/cgroup.controllers ] && group=$root/tailblame-test.$$ && mkdir "$group" && break
	done
	[ -e "$group/cgroup.kill" ] || skip "needs cgroup.kill"
	sh -c 'echo 0 >"$0/cgroup.procs"; exec trace-collect -e sched:sched_switch -o out' "$group" 3>&- &
	pid=$!
	until_true 60 is_tracing $pid
	until_true 60 has_guardians $pid
	echo 1 >"$group/cgroup.kill"
	until_true 60 is_gone $pid
}

# meddle SHELL-COMMAND: it is run in the instance while that traces; the collector's status in $status, what it says in err
meddle() {
	rm -f out
	collect -c block -e sched:sched_switch -o out 2>err
	until_true 60 is_tracing $pid
	until_true 60 has out '^(event|tick)' # by then it has looked once
	(cd $INSTANCES/tailblame-$pid && eval "$1")
	kill $pid
	status=0
	wait $pid || status=$?
}

# bats test_tags=long
@test "somebody else who changes an instance that is traced is noticed" {
	need_tracefs
	for change in 'echo 0 >events/sched/sched_switch/enable' 'echo 0 >events/block/enable' 'echo 0 >events/enable' \
		'echo >set_event' 'echo prev_pid==1 >events/sched/sched_switch/filter' 'echo 1 >set_event_pid' \
		'echo 0 >tracing_on' 'echo 0 >tracing_on; echo 1 >tracing_on' 'echo 100 >buffer_size_kb' \
		'echo 100 >per_cpu/cpu0/buffer_size_kb' 'echo >trace' ': >per_cpu/cpu0/trace' 'echo boot >trace_clock' \
		'echo 1 >tracing_cpumask' 'echo nooverwrite >trace_options' 'echo traceoff >events/sched/sched_switch/trigger'; do
		meddle "$change"
		file=${change##*>}
		assert_equal "$change: $status $(<err)" \
			"$change: 3 trace-collect: somebody else changed 'tailblame-$pid/$file' while it was traced: events may be missing"
		has out '^lost ts=.* cpu=0 count=0 from='
		has out '^end .* gaps=yes'
	done
	meddle 'timeout 20 head -c 1 trace_pipe >/dev/null || true'
	assert_equal "$status" 3
	meddle 'dd if=per_cpu/cpu0/trace_pipe_raw of=/dev/null bs=64k count=1 iflag=nonblock 2>/dev/null || true'
	assert_equal "$status $(<err)" \
		"3 trace-collect: somebody else changed 'tailblame-$pid/per_cpu/cpu0/trace_pipe_raw' while it was traced: events may be missing"
}

@test "somebody else who only looks at an instance is not told of" {
	need_tracefs
	meddle 'cat trace_options tracing_on events/sched/sched_switch/enable per_cpu/cpu0/stats >/dev/null; head -n1 trace >/dev/null; echo x >trace_marker
		ls . events events/sched per_cpu/cpu0 options >/dev/null; sleep 0.2; ls -R . >/dev/null'
	assert_equal "$status $(<err)" "0 "
	run ! has out '^lost'
}

@test "what somebody else changed makes the report incomplete" {
	need_tracefs
	mkfifo pipe
	{ cchart-filter <pipe | blame-rank | report >report; } 2>errors 3>&- &
	reader=$!
	collect -c block >pipe 2>err
	# a new instance traces until the collector turns that off, and has no events then
	until_true 60 bash -c "grep -qs '^entries: [1-9]' $INSTANCES/tailblame-$pid.kept/per_cpu/cpu*/stats"
	echo 0 >$INSTANCES/tailblame-$pid.kept/tracing_on
	kill $pid
	wait $pid && status=0 || status=$?
	assert_equal "$status" 3
	wait $reader && status=0 || status=$?
	assert_equal "$status" 3
	assert_equal "$(<err)" "trace-collect: somebody else changed 'tailblame-$pid.kept/tracing_on' while it was traced: events may be missing"
}

@test "a pipe of the same number in another file system has no stages" {
	need_tracefs
	for folder in ours other; do
		mkdir $folder
		mount -t tmpfs none $folder
		mkfifo $folder/pipe
	done
	[ "$(stat -c %i ours/pipe)" = "$(stat -c %i other/pipe)" ] || skip "the numbers differ"
	cat <>other/pipe >/dev/null 3>&- &
	foreign=$!
	cat <ours/pipe >out 3>&- &
	reader=$!
	trace-collect -e sched:sched_process_exec --text -d 300ms >ours/pipe
	wait $reader
	kill $foreign
	wait $foreign || [ $? = 143 ] # it holds the file system
	umount ours other
	run -0 grep '^stage' out
	assert_output --partial " tid=$reader"
	refute_output --partial " tid=$foreign"
}

# Between its making and the file that holds it an instance looks like one that was left behind.
# bats test_tags=long
@test "collectors that start at once do not take away each other's instances" {
	need_tracefs
	for i in {1..20}; do
		for _ in {1..5}; do
			trace-collect -e sched:sched_process_fork -d 0 -o /dev/null 2>>"err$i" 3>&- || echo "failed: $?" >>"err$i"
		done &
		starts+=($!)
	done
	wait "${starts[@]}"
	run -0 cat err*
	assert_output ""
}

@test "two collectors that have the same pid, each in a PID namespace of its own" {
	need_tracefs
	unshare -pf --mount-proc true 2>/dev/null || skip "needs PID namespaces"
	run -0 --separate-stderr unshare -pf --mount-proc trace-collect -e task:task_rename -o outer -- \
		unshare -pf --mount-proc trace-collect -e task:task_rename -o inner -- \
		sh -c 'printf marker >/proc/self/comm; ls /sys/kernel/tracing/instances'
	assert_equal "$stderr" ""
	assert_equal "$(grep -c '^tailblame-1\.[0-9]*$' <<<"$output")" 2
	for name in outer inner; do
		assert_equal "$(stream-cat --text $name | grep -c '^event .* newcomm=marker')" 1
	done
	for name in $(grep '^tailblame-1\.' <<<"$output"); do
		assert [ ! -e "$INSTANCES/$name" ]
	done
}

@test "in a PID namespace of its own, nobody goes by the name of another" {
	need_tracefs
	unshare -pf --mount-proc true 2>/dev/null || skip "needs PID namespaces"
	cp "$BUILD/trace-collect" own-collect # nobody else's has this name
	# the first numbers, the kernel's own threads', are sleeps there
	unshare -pf --mount-proc sh -c '
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 10 & done
		./own-collect --text -o trace -e sched:sched_switch -e raw_syscalls -- sleep 0.3
		trace-collect -p 2 -d 0 -e raw_syscalls; echo $? >status' 2>err
	run grep -E '^task .* tid=[12]?[0-9] .*(tgid=|comm=sleep)' trace
	assert_output ""
	# its own system calls are left out; those of its child, on the way to sleep, are sleep's
	of() { sed -nE "s/^event .* (tid=[0-9]+) comm=$1 name=raw_syscalls:sys_enter.*/\\1/p" trace | sort -u; }
	assert_equal "$(of own-collect)" ""
	[ -n "$(of sleep)" ]
	assert_equal "$(<status) $(<err)" "1 trace-collect: -p needs the machine's own PID namespace: in this one processes have other numbers than in events"
}

@test "the rings keep the newest, and threads have names, whatever is set for the whole machine" {
	need_tracefs
	options=$(grep -xE '(no)?(overwrite|userstacktrace|record-cmd|markers)' /sys/kernel/tracing/trace_options)
	for option in nooverwrite userstacktrace norecord-cmd nomarkers; do echo $option >/sys/kernel/tracing/trace_options; done
	collect -e sched:sched_process_exec -o out
	until_true 60 is_tracing $pid
	run bash -c "grep -xE '(no)?(overwrite|userstacktrace|record-cmd|markers)' $INSTANCES/tailblame-$pid/trace_options | sort"
	assert_output "$(printf '%s\n' markers nouserstacktrace overwrite record-cmd)"
	kill $pid
	wait $pid
}

@test "what a crash left is removed at the next start" {
	need_tracefs
	sleep 0 &
	left=$!
	wait $left
	mkdir $INSTANCES/tailblame-$left $INSTANCES/tailblame-$left.4026530000 $INSTANCES/tailblame-$left.kept
	cp "$BUILD"/trace-collect prog
	echo "p:tailblame_$left/p0 $PWD/prog:0x1000" >>/sys/kernel/tracing/uprobe_events
	echo "p:tailblame_${left}_4026530000/p0 $PWD/prog:0x1000" >>/sys/kernel/tracing/uprobe_events
	run ! is_gone $left
	collect -e sched:sched_switch -o other
	until_true 60 is_tracing $pid
	trace-collect -e sched:sched_switch -d 0 -o out
	is_tracing $pid
	kill $pid
	wait $pid
	is_gone $left
	run tracing_left
	refute_output --regexp "tailblame[-_]$left"
}

# bats test_tags=long
@test "an instance that somebody else uses stays, is told of, and is removed at the next start" {
	need_tracefs
	trace-collect -e sched:sched_switch -o out 2>errors 3>&- &
	pid=$!
	until_true 60 is_tracing $pid
	exec 7<$INSTANCES/tailblame-$pid/trace_pipe
	kill $pid
	wait $pid
	assert_equal "$(cat errors)" "trace-collect: cannot remove '$INSTANCES/tailblame-$pid': device or resource busy; it stays until the next start of trace-collect"
	exec 7<&-
	trace-collect -e sched:sched_switch -d 0 -o out
	is_gone $pid
}

# longer FILE LINES: it has more lines than these
longer() {
	[ "$(wc -l <"$1")" -gt "$2" ]
}

# A busy machine may be late at times, but not each time.
@test "the event of a quiet CPU is there though no other comes, and within 200 ms if it can" {
	need_tracefs
	collect -C boot -e sched:sched_process_exec --text >file
	until_true 60 is_tracing $pid
	for try in {1..50}; do
		before=$(wc -l <file)
		env true marker
		start=$(cut -d' ' -f1 /proc/uptime)
		until_true 60 longer file "$before"
		now=$(cut -d' ' -f1 /proc/uptime)
		if [ $try -ge 3 ] && awk -v a="$start" -v b="$now" 'BEGIN { exit b - a > 0.2 }'; then break; fi
	done
	[ $try -lt 50 ]
	kill $pid
	wait $pid
}

# bats test_tags=preload
@test "a CPU that is off is no hindrance" {
	need_tracefs
	[ "$(nproc)" -gt 1 ] || skip "needs two CPUs"
	# What the kernel says of the ring of a CPU that was never on. How often it was asked is told at the end.
	cat >off.c <<-'EOT'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <poll.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <unistd.h>

		static int polls;

		static int is_off(int fd)
		{
			char path[64], target[256];
			ssize_t length;

			snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
			length = fd < 0 ? -1 : readlink(path, target, sizeof(target) - 1);
			target[length < 0 ? 0 : length] = '\0';
			return strstr(target, "/cpu1/trace_pipe_raw") != NULL;
		}

		ssize_t read(int fd, void *to, size_t size)
		{
			ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");

			errno = ENODEV;
			return is_off(fd) ? -1 : real(fd, to, size);
		}

		void *mmap(void *at, size_t size, int access, int flags, int fd, off_t offset)
		{
			void *(*real)(void *, size_t, int, int, int, off_t) = dlsym(RTLD_NEXT, "mmap");

			errno = EINVAL;
			return is_off(fd) ? MAP_FAILED : real(at, size, access, flags, fd, offset);
		}

		int poll(struct pollfd *files, nfds_t count, int wait)
		{
			int (*real)(struct pollfd *, nfds_t, int) = dlsym(RTLD_NEXT, "poll");

			polls++;
			for (nfds_t i = 0; i < count; i++)
				if (is_off(files[i].fd)) {
					files[i].revents = POLLERR;
					return 1;
				}
			return real(files, count, wait);
		}

		__attribute__((destructor)) static void tell(void) { fprintf(stderr, "%d polls\n", polls); }
	EOT
	gcc -shared -fPIC -o off.so off.c -ldl
	LD_PRELOAD=$PWD/off.so trace-collect -e sched:sched_switch -d 1 -o out 2>errors
	[ "$(events out)" -gt 0 ]
	[ "$(sed -n 's/ polls$//p' errors)" -lt 300 ]
}

@test "lost events are counted: what came and what was lost is what there was" {
	need_tracefs
	cp "$(command -v dd)" own-dd # nobody else's writes have this name
	run --separate-stderr trace-collect -b 64k -e 'syscalls:sys_enter_write/comm == "own-dd" && fd == 1' -o out -- \
		./own-dd if=/dev/zero of=/dev/null bs=1 count=500000 status=none
	came=$(events out)
	lost=$(stream-cat --text out | sed -n 's/^lost .* count=\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
	[ "$lost" = 0 ] || assert_equal "$stderr" "trace-collect: $lost events were lost; larger rings (--buffer) lose fewer"
	[ $((came + lost)) -ge 500000 ]
	[ $((came + lost)) -le 510000 ] # and threads renamed meanwhile, whose events may be lost too
	run bash -c 'stream-cat --text out | tail -1'
	assert_output --partial "lost=$lost"
	stream-cat --text out | sed -n '/^gap \|^lost /p' >text # each gap is told where it begins, too
	assert_equal "$(comm -13 <(sed -nE 's/^gap ts=(\S+) until=(\S+) cpu=(\S+)$/\1 \2 \3/p' text | sort) \
		<(sed -nE 's/^lost ts=(\S+) cpu=(\S+) .* from=(\S+)$/\3 \1 \2/p' text | sort))" ""
}

# bats test_tags=long
@test "own events are left out, but for those that concern others" {
	need_tracefs
	collect -e raw_syscalls -e sched:sched_switch -d 1 -o out # the machine may make more of them than can be looked through meanwhile
	wait $pid || [ $? = 3 ]
	has out 'name=raw_syscalls'
	run bash -c "stream-cat --text out | grep -c 'tid=$pid .*name=raw_syscalls'"
	assert_output 0
	run bash -c "stream-cat --text out | grep -cE 'name=sched:sched_switch.* (prev|next)_pid=$pid '"
	refute_output 0
}

# spins: a process whose children sleep and wake all the time, one after the other, and the names of the files that count them
spins() {
	(
		exec 3>&-
		while :; do
			sleep 0.005
			echo >>laps.$BASHPID
		done
	) &
}

# lapped PID COUNT: it has had so many children
lapped() {
	[ "$(wc -l 2>/dev/null <laps.$1)" -ge "$2" ]
}

@test "with -p only one process and its children count, while charts keep their context" {
	need_tracefs
	spins
	victim=$!
	spins
	other=$!
	collect -p $victim -e raw_syscalls:sys_enter -o out
	until_true 60 has out '^event .* comm=sleep ' 500 # each named anew when it became that; one alone makes some sixty
	kill $pid
	wait $pid
	collect -b 64M -p $victim -c syscall -o context
	until_true 60 has context "^event .*next_pid=$other "
	kill $pid
	wait $pid
	kill $victim $other
	stream-cat --text out | sed -n 's/^event .* comm=\([^ ]*\) .*/\1/p' | sort -u >names
	run cat names
	assert_line sleep
	refute_line "trace-collect"
	run bash -c "stream-cat --text out | sed -nE 's/^event .* tid=([0-9]+) comm=sleep .*/\1/p' | sort -u | wc -l"
	[ "$output" -ge 3 ]
	run -1 trace-collect -p 4194303 -e sched:sched_switch -d 0
	assert_output "trace-collect: there is no process 4194303"
}

@test "with -p the chart of system calls still tells what others sleep in" {
	need_tracefs
	sleep 60 3>&- &
	victim=$!
	sh -c 'while :; do sleep 0.05; done' 3>&- &
	other=$!
	collect -p $victim -c syscall --text -o out
	until_true 60 grep -q ' comm=sleep name=syscalls:sys_enter_clock_nanosleep ' out
	kill $pid
	wait $pid
	kill $victim $other
	run bash -c "grep ' comm=sleep name=raw_syscalls:sys_enter ' out | grep -v ' tid=$victim '"
	assert_output ""
}

@test "the command goes by its own name from the start" {
	need_tracefs
	cat /bin/true >slow-start && chmod +x slow-start
	trace-collect --text -e sched:sched_switch -e task:task_rename -o out -- ./slow-start
	run grep -c ' name=task:task_rename .*oldcomm=trace-collect .*newcomm=slow-start' out
	assert_output 0
	grep -q ' name=task:task_rename .*newcomm=slow-start' out
}

@test "with -p command only the command's events count" {
	need_tracefs
	run -2 trace-collect -p command -d 10ms
	assert_output --partial "no COMMAND is given that it could be"
	trace-collect -e raw_syscalls:sys_enter -p command -o out -- sh -c 'echo $$ >self'
	stream-cat --text out | grep ^event | grep -o ' tid=[0-9]*' | sort -u >tids
	run cat tids
	assert_output " tid=$(cat self)"
}

# bats test_tags=long
@test "with -p charts measure what the asked processes and their children wait for, and nobody else" {
	need_tracefs
	spins
	victim=$!
	spins
	other=$!
	for option in --stack --no-recorder; do
		mkfifo pipe
		cchart-filter --text --limit=1us --only-limit --keep=1 --before=1m <pipe >context 3>&- &
		filter=$!
		collect -b 64M -p $victim -c runq $option >pipe
		until_true 60 is_tracing $pid
		rm -f laps.*
		until_true 60 lapped $victim 120
		until_true 60 lapped $other 40
		kill $pid
		wait $pid
		wait $filter
		rm pipe
		sed -n 's/^signal .* tid=\([0-9]*\) .*/\1/p' context | sort -u >suffered
		[ "$(wc -l <suffered)" -gt 20 ]
		run bash -c "sed -n 's/^signal .* comm=\([^ ]*\).*/\1/p' context | grep -vx 'bash\|sleep'"
		assert_output ""
		{
			sed -n "s/^event .* parent_pid=$other .*child_pid=\([0-9]*\).*/\1/p" context
			echo $other
		} | sort -u >others
		[ "$(wc -l <others)" -gt 20 ] # whoever else ran is still told
		run comm -12 suffered others
		assert_output ""
	done
	trace-collect -p $victim -p 1,$other -c runq -d 0.2 --text -o context
	sed -n 's/^traced tids=//p' context | head -n1 | tr , '\n' >members
	for asked in 1 $victim $other; do grep -qx $asked members; done
	kill $other
}

@test "with -p the children that there are already count too, and theirs" {
	need_tracefs
	bash -c 'bash -c "sleep 1000 & echo \$! >grandchild; wait" & echo $! >child; wait' 3>&- &
	victim=$!
	until_true 60 [ -s grandchild ]
	other="$(cat child grandchild)"
	trace-collect -p $victim -c runq -d 0 --text -o context
	sed -n 's/^traced tids=//p' context | head -n1 | tr , '\n' | sort >members
	printf '%s\n' $victim $other | sort | diff - members
}

@test "with -p the threads that the kernel makes for a process count too" {
	need_tracefs
	cat >prog.c <<-'C'
		#include <linux/io_uring.h>
		#include <sys/mman.h>
		#include <sys/syscall.h>
		#include <unistd.h>

		/* One operation, which the ring leaves to a worker. */
		int main(void)
		{
			struct io_uring_params how = {0};
			int ring = (int)syscall(SYS_io_uring_setup, 1, &how);
			char *queue = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
			struct io_uring_sqe *entry = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);

			if (ring < 0 || queue == MAP_FAILED || entry == MAP_FAILED)
				return 77;
			entry->opcode = IORING_OP_NOP;
			entry->flags = IOSQE_ASYNC;
			++*(unsigned *)(queue + how.sq_off.tail);
			return syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1;
		}
	C
	gcc -o prog prog.c || skip "needs io_uring"
	./prog || skip "needs io_uring"
	trace-collect --text -e sched:sched_switch -p command -o out -- ./prog
	worker=$(sed -nE 's/^event .* tid=([0-9]+) comm=iou-wrk-.*/\1/p' out | head -n 1)
	grep -qx "traced tids=$worker" out
}

@test "with -p PID tracing ends when the process has ended, and the children that it made" {
	need_tracefs
	bash -c 'sleep 1000 & echo $! >child; read -r </dev/zero' 3>&- &
	victim=$!
	until_true 60 [ -s child ]
	trace-collect -p $victim -e sched:sched_switch -o ends.tb 2>err 3>&- &
	collector=$!
	until_true 60 bash -c "stream-cat --text ends.tb 2>/dev/null | grep -q '^event'"
	kill $victim
	run ! timeout 1 tail --pid=$collector -f /dev/null
	kill "$(cat child)"
	wait $collector
	assert_equal "$(cat err)" "trace-collect: process $victim has ended"
	stream-cat --text ends.tb | grep -q ^end
	# whoever may begin under that name is waited for
	bash -c 'read -r </dev/zero' 3>&- &
	victim=$!
	trace-collect -p $victim,tb-nobody -e sched:sched_switch -o more.tb 3>&- &
	collector=$!
	until_true 60 bash -c "stream-cat --text more.tb 2>/dev/null | grep -q '^event'"
	kill $victim
	run -124 timeout 1 tail --pid=$collector -f /dev/null
	kill $collector
	wait $collector
}

@test "-p: what is no process is refused" {
	for wrong in 0 1,0 4194304 99999999999999999999 1,,2 "nginx," ","; do
		run trace-collect -p $wrong -d 0
		assert_failure 2
	done
}

# members FILE: how many of the traced threads that the stream names have which name
members() {
	awk '$1 == "traced" { sub(/tids=/, "", $2); n = split($2, tids, ","); for (i = 1; i <= n; i++) is[tids[i]] = 1 }
		$1 == "task" { tid = ""; for (i = 2; i <= NF; i++) { if ($i ~ /^tid=/) tid = substr($i, 5); if ($i ~ /^comm=/) comm[tid] = substr($i, 6) } }
		END { for (tid in is) if (tid in comm) print comm[tid] }' "$1" | sort | uniq -c | awk '{ print $1, $2 }'
}

@test "-p NAME takes all processes of that name, those that begin later too, with their children, and nobody else" {
	need_tracefs
	cp "$(command -v sleep)" tb-idler
	printf '#!/bin/sh\nsleep 0.2\n' >tb-job.sh
	chmod +x tb-job.sh
	./tb-idler 60 3>&- &
	first=$!
	./tb-idler 61 3>&- &
	second=$!
	until_true 60 grep -qx tb-idler /proc/$first/comm
	until_true 60 grep -qx tb-idler /proc/$second/comm
	run -0 --separate-stderr trace-collect -p tb-idler,tb-job.sh -e sched:sched_switch --text -o out -- \
		sh -c './tb-idler 0.1; sh ./tb-job.sh; sleep 0.1; exec true'
	kill $first $second
	wait $first $second || true
	assert_equal "$stderr" ""
	tids=$(sed -n 's/^traced tids=//p' out | head -n1)
	for pid in $first $second; do [[ ,$tids, == *,$pid,* ]] || fail "$pid is not in $tids"; done
	assert_equal "$(members out)" $'1 sh\n1 sleep\n1 tb-idler'
	# none of them runs yet
	run -0 --separate-stderr trace-collect -p tb-idler -e sched:sched_switch --text -o out -- sh -c './tb-idler 0.1; true'
	assert_equal "$stderr" "trace-collect: no process is called 'tb-idler' yet; those that begin are traced"
	run -0 cchart-filter --text out
	assert_equal "$(sed -n 's/^traced //p' out | head -n1)" 'tids=""'
	assert_equal "$(members out)" '1 tb-idler'
}

# bats test_tags=live
@test "whoever has the lock of a file that a process waits for since before the trace is named while it waits" {
	need_tracefs
	bash -c 'exec 9>lock; flock 9; exec sleep 60' 3>&- &
	holder=$!
	until_true 60 bash -c 'grep -q ":$(stat -c %i lock) " /proc/locks'
	flock lock true 3>&- &
	victim=$!
	until_true 60 grep -q '^73 ' /proc/$victim/syscall # flock
	trace-collect -c syscall -p $victim -d 0.3 | cchart-filter --limit=100ms 2>err | blame-rank | COLUMNS=1000 report >told || [ $? = 3 ]
	kill $holder
	run -0 cat told
	assert_line --regexp "to blame: sleep: holding the lock of $PWD/lock that flock wants 100 % .process $holder"
}

# bats test_tags=long
@test "-p: a call in which a process is already counts from the beginning on, and its end is explained" {
	need_tracefs
	cp "$(command -v flock)" tb-victim
	mkfifo go
	flock lock sh -c 'echo >held; read -r x <go' 3>&- &
	until_true 60 test -s held
	./tb-victim lock sleep 0.1 3>&- &
	victim=$!
	until_true 60 grep -q '^73 ' /proc/$victim/syscall # flock
	trace-collect -p tb-victim -c syscall --text -o out 3>&- &
	pid=$!
	until_true 60 grep -qs "^traced ts=.* within=$victim\$" out
	sleep 0.5 # how long it hangs
	echo >go
	wait $victim
	kill $pid
	wait $pid || true
	assert_equal "$(grep -c "^traced ts=.* within=$victim\$" out)" 1
	cchart-filter --limit=300ms out 2>err | blame-rank | COLUMNS=200 report >told || [ $? = 3 ]
	run -0 cat told
	assert_output --regexp "flock by tb-victim/$victim took at least [0-9.]+ (ms|s)"
	assert_output --regexp "tb-victim waits for (flock|sh)"
	# one that runs, or does not sleep on in the same call, is in none
	sh -c 'while :; do :; done' 3>&- &
	victim=$!
	trace-collect -p $victim -c syscall -d 100ms --text -o out
	kill $victim
	run grep -c within= out
	assert_output 0
}

# A thread waits for a futex with the value 2: for a mutex, but in a program with musl for work.
@test "which programs have the C library musl is told, so that their threads that wait for work wait for no lock" {
	need_tracefs
	cat >waits.c <<-'C'
		#include <fcntl.h>
		#include <linux/futex.h>
		#include <pthread.h>
		#include <sys/mman.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static int value = 2;
		static void *wait_until_changed(void *unused) { while (value == 2) syscall(SYS_futex, &value, FUTEX_WAIT_PRIVATE, 2, NULL); return unused; }
		int main(int argc, char **argv)
		{
			pthread_t thread;
			if (mmap(NULL, 1, PROT_READ, MAP_PRIVATE, open(argv[argc - 1], O_RDONLY), 0) == MAP_FAILED) return 1;
			while (access("go", F_OK) != 0) usleep(10000);
			pthread_create(&thread, NULL, wait_until_changed, NULL);
			usleep(500000);
			value = 0;
			syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, 1, NULL);
			return pthread_join(thread, NULL);
		}
	C
	gcc -pthread -o waits waits.c
	mkdir musl
	echo library | tee libc.so.6 musl/libc.so >ld-musl-x86_64.so.1
	for library in libc.so.6 ld-musl-x86_64.so.1 musl/libc.so; do
		touch go
		trace-collect -c syscall --text -o begun -- ./waits $library
		rm -f go there
		./waits $library 3>&- &
		victim=$!
		trace-collect -c syscall -p $victim --text -o there 3>&- &
		pid=$!
		until_true 60 grep -qs '^task .*comm=waits' there
		touch go
		wait $victim
		kill $pid
		wait $pid
		for stream in begun there; do
			cchart-filter --text --limit=100ms $stream >out 2>err
			waits=$(grep -c '^signal .*key=futex' out) || true
			told=$(grep -c '^task .*comm=waits .*libc=musl' $stream) || true
			if [ $library = libc.so.6 ]; then assert_equal "$stream $waits $told" "$stream 1 0"; else assert_equal "$stream $waits" "$stream 0"; [ "$told" -ge 1 ]; fi
		done
	done
}

@test "which side of its connections a process is, is told when tracing begins: of the chosen ones, else of all" {
	need_tracefs
	command -v python3 >/dev/null || skip "needs python3"
	cat >sides.py <<-'END'
		import os, socket, sys, time
		def listen(port):
		    try: return socket.create_server(("127.0.0.2", port))
		    except OSError: return listen(port + 1)
		pair, far = socket.socketpair(), listen(9000) # of another address than those who ask, and no port that they are given
		path, port = socket.socket(socket.AF_UNIX), socket.create_server(("127.0.0.1", 0))
		path.bind("socket")
		path.listen()
		def tell(name, files):
		    with open(name + ".new", "w") as file: file.write(",".join(str(f.fileno()) for f in files))
		    os.rename(name + ".new", name)
		    time.sleep(60)
		if os.fork():
		    accepted = [path.accept()[0], port.accept()[0], far.accept()[0]]
		    tell("asked", sorted(accepted, key=lambda f: f.fileno()))
		client = socket.socket(socket.AF_UNIX)
		client.connect("socket")
		tell("asks", [client, socket.create_connection(port.getsockname()), socket.create_connection(far.getsockname())])
	END
	python3 sides.py 3>&- &
	pid=$!
	until_true 60 test -e asked -a -e asks
	trace-collect -p $pid -c turn -d 50ms --text -o out
	trace-collect -c syscall -d 50ms --text -o all
	client=$(pgrep -P $pid)
	pkill -P $pid
	kill $pid
	for process in $pid $client; do
		assert_equal "$(grep "^traced process=$process as" all)" "$(grep "^traced process=$process as" out)"
	done
	run sed -nE 's/^traced process=[0-9]+ (as.*)/\1/p' out
	assert_line "asked=$(tr -d '"' <asked)"
	assert_line "asks=$(cat asks)"
	assert_equal "${#lines[@]}" 2
}

@test "an event that several want passes the filter of any" {
	need_tracefs
	trace-collect -e 'raw_syscalls:sys_enter/id == 39' -e 'raw_syscalls:sys_enter/id == 102' -o out -- true
	trace-collect -e 'sched:sched_process_exec/pid < 0' -e sched:sched_process_exec -o out -- true
	[ "$(events out)" -gt 0 ]
}

# program NAME FLAG...: a program that calls request() seven times
program() {
	cat >prog.c <<-'C'
		#include <stdlib.h>
		#include <unistd.h>
		__attribute__((noinline)) int request(int n) { usleep(10); return n + 1; }
		int main(void)
		{
			int sum = 0;
			for (int i = 0; i < 7; i++)
				sum += request(i) + !getenv("NOSUCH");
			return sum == 0;
		}
	C
	gcc -O1 -o "$@" prog.c
}

calls() {
	stream-cat --text out | grep -c "^event .* comm=\?.*name=func:$1 " || true
}

@test "a filter on what renames threads does not leave them their old names" {
	need_tracefs
	cp "$(command -v ls)" renamed
	trace-collect -e raw_syscalls:sys_enter -e 'task:task_rename/newcomm == "nobody" || pid == 1' \
		-e 'sched:sched_process_exec/filename ~ "*/renamed"' -o out -- sh -c './renamed / >/dev/null; true'
	stream-cat --text out >text
	grep -q ' comm=renamed name=raw_syscalls:sys_enter ' text
	run ! grep ' name=task:task_rename ' text
	run bash -c "grep ' name=sched:sched_process_exec ' text | grep -cv '/renamed'"
	assert_output 0
	grep -q ' name=sched:sched_process_exec .*renamed' text
	run -1 trace-collect -e 'task:task_rename/nothing == 1' -d 0
	assert_output --partial "wrong filter 'nothing == 1' of event 'task:task_rename': "
}

# bats test_tags=long
@test "functions: PIE, fixed address, stripped with dynamic symbols, shared library, odd names" {
	need_tracefs
	command -v gcc >/dev/null || skip "needs gcc"
	program pie -pie -fPIE
	program fixed -no-pie
	program dynamic -rdynamic -s
	program 'odd name.x'
	for name in pie fixed dynamic; do
		trace-collect -c func:$name:request -o out -- ./$name
		assert_equal "$(calls ${name}__request)" 7
		assert_equal "$(calls ${name}__request__return)" 7
	done
	trace-collect -c 'func:./odd name.x:request' -o out -- './odd name.x'
	assert_equal "$(calls odd_name_x__request)" 7
	mkdir other
	cp pie other/pie
	trace-collect -c func:pie:request -c func:./pie:request -c func:other/pie:request -o out -- sh -c './pie; other/pie'
	assert_equal "$(calls pie__request)" 14
	libc=$(ldd pie | awk '/libc\.so/ { print $3 }')
	trace-collect -c func:"$libc":getenv -o out -- ./pie
	run bash -c "stream-cat --text out | grep '^event' | grep -c 'comm=pie name=func:libc_so_6__getenv '"
	assert_output 7
	run tracing_left
	refute_output --partial "$PWD"
}

@test "functions: long names, as C++ has them" {
	need_tracefs
	command -v gcc >/dev/null || skip "needs gcc"
	long=$(printf '%0300d' 0)
	cat >prog.c <<-EOT
		__attribute__((noinline)) int f${long}1(int n) { __asm__ volatile(""); return n; }
		__attribute__((noinline)) int f${long}2(int n) { __asm__ volatile(""); return n; }
		int main(void) { return f${long}1(1) + f${long}1(2) - f${long}2(3); }
	EOT
	mkdir bin
	name=bin/$(printf 'p%0200d' 0)
	gcc -O1 -o "$name" prog.c
	trace-collect -f "$name:f*" -o out -- "$name"
	run bash -c "stream-cat --text out | grep -o 'name=func:p0*_[0-9a-f]*__f0*_[0-9a-f]* ' | sort | uniq -c | awk '{ print \$1 }' | sort -n"
	assert_output "$(printf '1\n2')"
}

@test "functions of a program in another mount namespace, by /proc" {
	need_tracefs
	command -v gcc >/dev/null || skip "needs gcc"
	unshare -m true || skip "needs a mount namespace"
	program prog
	sed 's/request/inside/; s/i < 7/i < 100000000/' prog.c >inside.c
	gcc -O1 -o inside inside.c
	mkdir app
	cp prog app/prog
	unshare -m sh -c 'mount -t tmpfs none app && cp inside app/prog && exec app/prog' 3>&- &
	victim=$!
	until_true 60 grep -q '^prog$' /proc/$victim/comm
	trace-collect -c "func:/proc/$victim/root$PWD/app/prog:inside" -o out -d 0
	trace-collect -c "func:/proc/$victim/exe:inside" -o out -d 0
	run trace-collect -c "func:/proc/$victim/root$PWD/app/prog:request" -o out -d 0
	assert_failure 1
	assert_output --partial "no function 'request' in '/proc/$victim/root$PWD/app/prog'"
}

@test "functions: what cannot be found is said, with near names" {
	need_tracefs
	command -v gcc >/dev/null || skip "needs gcc"
	program pie
	program stripped -s
	run trace-collect -c func:pie:reqest -d 0
	assert_failure 1
	assert_output "trace-collect: no function 'reqest' in '$PWD/pie'; is it 'request'?"
	run trace-collect -c func:stripped:request -d 0
	assert_failure 1
	assert_output --partial "stripped"
	run trace-collect -c func:prog.c:request -d 0
	assert_failure 1
	assert_output --partial "is no program or shared library"
	run trace-collect -c func:./nosuch:request -d 0
	assert_failure 1
	assert_output --partial "cannot find the program './nosuch': no such file or directory"
	libc=$(ldd pie | awk '/libc\.so/ { print $3 }')
	run trace-collect -c func:"$libc":memcpy -d 0
	assert_failure 1
	assert_output --partial "indirect function"
}

# The clock is one that there is not, so that no probe is placed: that takes seconds.
@test "--functions: that many probes take their time is told to a terminal" {
	need_tracefs
	for i in {1..50}; do echo "void f$i(void) {}"; done | gcc -x c -shared -fPIC -o many.so -
	run -1 script -qec "trace-collect --max-cost=5% -C none -f ./many.so:f* -o many.tb" /dev/null
	assert_line --index 0 --partial "trace-collect: placing probes in 50 functions"
	run -1 script -qec "trace-collect --max-cost=5% -C none -f ./many.so:f*[1-9] -o many.tb" /dev/null
	refute_output --partial "placing"
	run -1 script -qec "trace-collect -C none -f ./many.so:f* -o many.tb" /dev/null
	refute_output --partial "placing"
	run -1 trace-collect --max-cost=5% -C none -f './many.so:f*' -o many.tb
	refute_output --partial "placing"
}

@test "--functions: many share a few events of the kernel, so that they are soon removed" {
	need_tracefs
	{
		for i in {1..150}; do echo "__attribute__((noinline)) void f$i(void) { __asm__ volatile(\"\"); }"; done
		echo 'int main(void) {'
		for i in {1..150}; do echo "f$i();"; done
		echo '}'
	} >many.c
	gcc -O2 -o many many.c
	begun=$EPOCHREALTIME
	run -0 trace-collect -f './many:f*' -o many.tb -- sh -c \
		'./many; cut -d" " -f1 /sys/kernel/tracing/uprobe_events | grep "tailblame_$PPID[/_]" | sort -u >events'
	took=$(((${EPOCHREALTIME/[.,]/} - ${begun/[.,]/}) / 1000))
	assert [ $took -lt 5000 ] # 12 s with an event for each
	assert_equal "$(wc -l <events)" 2
	stream-cat --text many.tb | awk '/^event .* name=func:many__f/ { for (i = 5; i <= NF; i++) if ($i ~ /^name=/) print $i }' >seen
	assert_equal "$(head -n4 seen)" $'name=func:many__f1\nname=func:many__f1__return\nname=func:many__f2\nname=func:many__f2__return'
	assert_equal "$(sort -u seen | wc -l)" 300
	run grep -a -c ' part' many.tb
	assert_output 0
}

@test "--functions: a chart for each function that matches" {
	need_tracefs
	run -0 --separate-stderr bash -c 'trace-collect --text -d 10ms --functions="$1:incident_[nps]*" | grep -o "^chart name=[^ ]*"' \
		- "$BUILD/incidents/lock"
	assert_line 'chart name=func:lock:incident_name'
	assert_line 'chart name=func:lock:incident_sleep'
	refute_line --partial incident_run
	run -1 --separate-stderr trace-collect --text -d 10ms --functions="$BUILD/incidents/lock:nothing*"
	assert_regex "$stderr" "^trace-collect: no function in '.*lock' matches 'nothing\*'"
	run -1 --separate-stderr trace-collect --functions=nothing
	assert_regex "$stderr" '^trace-collect: functions are chosen as BINARY:GLOB'
}

@test "events are written into no other file where standard output is closed" {
	need_tracefs
	run -1 bash -c 'trace-collect -d 0.1 -e sched:sched_switch >&-'
	assert_output "trace-collect: cannot write to standard output: bad file descriptor"
}

# told FD KIND: who sleeps for this descriptor is told to do so
told() {
	grep -sq "^file ts=[0-9.]* tid=[0-9]* fd=$1 kind=$2\( inode=[1-9][0-9]*\)\{0,1\}\$" trace
}

# bats test_tags=long
@test "what a thread sleeps for in read() is told: pipe, socket, eventfd, timerfd, terminal" {
	need_tracefs
	cat >prog.c <<-'EOT'
		#define _GNU_SOURCE
		#include <fcntl.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/eventfd.h>
		#include <sys/socket.h>
		#include <sys/timerfd.h>
		#include <unistd.h>

		/* A byte comes when somebody has told what the other process sleeps for. */
		static void next_step(void)
		{
			char byte;

			if (read(9, &byte, 1) != 1)
				_exit(1);
		}

		/* Reads what a child writes. */
		static void wait_for(int from, int to)
		{
			uint64_t one = 1;

			if (fork() == 0) {
				next_step();
				_exit(write(to, &one, sizeof(one)) < 0);
			}
			if (read(from, &one, sizeof(one)) < 0)
				exit(1);
		}

		int main(void)
		{
			struct itimerspec never = {.it_value = {1000000, 0}}, soon = {.it_value = {0, 1}};
			int pair[2], timer = timerfd_create(CLOCK_MONOTONIC, 0), counter = eventfd(0, 0);
			int master = posix_openpt(O_RDWR), slave;

			pipe(pair);
			wait_for(dup2(pair[0], 20), pair[1]);
			socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
			wait_for(dup2(pair[0], 21), pair[1]);
			wait_for(dup2(counter, 22), counter);
			timerfd_settime(timer, 0, &never, NULL);
			if (fork() == 0) {
				next_step();
				_exit(timerfd_settime(timer, 0, &soon, NULL) < 0);
			}
			if (read(dup2(timer, 23), pair, 8) < 0)
				return 1;
			grantpt(master);
			unlockpt(master);
			slave = open(ptsname(master), O_RDWR | O_NOCTTY);
			wait_for(dup2(master, 24), slave);
			/* the same number is something else a second later */
			sleep(1);
			pipe(pair);
			wait_for(dup2(pair[0], 21), pair[1]);
			return 0;
		}
	EOT
	gcc -w -o prog prog.c
	mkfifo steps
	for events in "-e sched:sched_switch -e syscalls:sys_enter_read -e syscalls:sys_exit_read" "-c syscall"; do
		: >trace
		# shellcheck disable=SC2086 # a list of words
		collect --text $events -o trace -- bash -c 'exec ./prog 9<steps'
		exec 8<>steps
		for step in "20 pipe" "21 socket" "22 eventfd" "23 timerfd" "24 pty" "21 pipe"; do
			# shellcheck disable=SC2086 # two words
			until_true 60 told $step
			printf x >&8
		done
		exec 8>&-
		wait $pid
		tid=$(sed -n 's/.* tid=\([0-9]*\) comm=prog name=[a-z_]*syscalls:sys_enter.* fd=20\b.*/\1/p; s/.* tid=\([0-9]*\) comm=prog .* args=0x14,.*/\1/p' trace | head -n1)
		run sed -n "s/^file ts=[0-9.]* tid=$tid fd=\(2[0-9]\) kind=\([a-z]*\).*/\1 \2/p" trace
		assert_output $'20 pipe\n21 socket\n22 eventfd\n23 timerfd\n24 pty\n21 pipe'
	done
}

@test "who has the lock of a file since before the trace is told when another tries to get it" {
	need_tracefs
	flock -F "$PWD/shop.lock" sleep 600 3>&- &
	victim=$!
	held() { ! flock -n "$PWD/shop.lock" true; }
	until_true 60 held
	collect -e filelock:flock_lock_inode -o stream
	told() { held; has stream " name=filelock:holder pid=$victim .* path=$PWD/shop.lock\$"; }
	until_true 120 told # others may lock more than the collector asks about in a second
	kill $pid
	wait $pid
}

@test "a process that has the lock of a file to read, and wants it to write, does not wait for itself" {
	need_tracefs
	/usr/bin/python3 -c 'import fcntl' 2>/dev/null || skip "needs python3"
	cat >lock.py <<-'EOT'
		import fcntl, sys, time
		file = open(sys.argv[1], "r+")
		fcntl.lockf(file, fcntl.LOCK_SH)
		open(sys.argv[2], "w").close()
		while True:
		    try:
		        if sys.argv[3:]: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
		    except OSError: pass
		    time.sleep(0.05)
	EOT
	: >"$PWD/shop.lock"
	/usr/bin/python3 lock.py "$PWD/shop.lock" has 3>&- &
	victim=$!
	until_true 60 test -e has
	/usr/bin/python3 lock.py "$PWD/shop.lock" has_too wants 3>&- & # its own lock, the later one, comes first in /proc/locks
	other=$!
	collect -e filelock:posix_lock_inode -o stream
	until_true 120 has stream " name=filelock:holder pid=[0-9]+ .* path=$PWD/shop.lock\$"
	kill $pid
	wait $pid
	assert_equal "$(stream-cat --text stream | sed -n "s,.* name=filelock:holder pid=\([0-9]*\) .* path=$PWD/shop.lock\$,\1,p" | sort -u)" $victim
}

memory_group() { # LIMIT
	group=/sys/fs/cgroup/memory/tailblame-$$
	if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
		mkdir $group && echo "$1" >$group/memory.limit_in_bytes
	else
		group=/sys/fs/cgroup/tailblame-$$
		mkdir $group && echo "$1" >$group/memory.max
	fi
}

@test "most of whose pages are swapped out is told, whoever makes room" {
	need_tracefs
	cat >fill.c <<-'EOT'
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			char *memory = malloc(24 << 20);
			for (long i = 0; i < 24 << 20; i += 4096) {
				memory[i] = (char)(rand() + argc);
				if (argc > 2 && i % (1 << 20) == 0)
					usleep(200000);
			}
			write(1, "", 1);
			return pause();
		}
	EOT
	gcc -w -o hoarder fill.c
	cp hoarder newcomer
	head -c 96M /dev/zero >"$W/swap"
	chmod 600 "$W/swap"
	mkswap -q "$W/swap" >/dev/null
	swapon "$W/swap" 2>/dev/null || skip "needs a file system that can be swapped to"
	swap=$W/swap
	memory_group 32M 2>/dev/null || skip "needs control groups with a limit of memory"
	in_group() { exec bash -c "echo \$\$ >$group/cgroup.procs; exec $1" 3>&-; }
	in_group ./hoarder >filled &
	victim=$!
	until_true 60 [ -s filled ]
	collect --text -c block -o trace
	until_true 60 [ -s trace ]
	in_group "./newcomer slowly now" >/dev/null &
	other=$!
	until_true 120 grep -q " tid=$victim comm=hoarder name=swap:out pid=$victim since=[0-9]* bytes=[0-9]* all=[0-9]*$" trace
	grep -q "^task .* tid=$victim comm=hoarder " trace
	kill $victim $other
	wait $victim $other || true
}

@test "which functions timers call is told by the addresses that their events have" {
	trace-collect --no-programs -d 0 -e timer:hrtimer_expire_entry | stream-cat --text >text
	grep -qE '^timer address=0x[0-9a-f]{9,16} function=tcp_write_timer$' text
}

@test "what a process runs is told, without its arguments, and its control group" {
	need_tracefs
	[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "needs the first namespace of processes"
	printf 'until [ -e "$1" ]; do sh ./step secret; done\n' >job
	printf 'sleep 0.3\n' >step
	# one that is asked about too late is told without, so there are many
	trace-collect --text -e sched:sched_process_exit -o trace -- sh ./job over &
	until_true 60 grep -q '^task .* comm=sh tgid=[0-9]* .*program="sh ./step" .*read=' trace || { touch over; wait; return 1; }
	touch over
	wait $!
	run grep -c '^task.*secret' trace
	assert_output 0
	grep -q '^task .* comm=sh .*began=yes' trace
	tid=$(sed -n 's/^task .* tid=\([0-9]*\) .*program="sh .\/step".*/\1/p' trace | head -n 1)
	grep -q "^task ts=[0-9.]* tid=$tid ended=yes\$" trace
	if grep -q '^[0-9]*:[^:]*:/.' /proc/self/cgroup; then
		grep -q '^task .* program="sh ./step" script=step cgroup=[^ ]* read=' trace
	fi
	trace-collect --text --no-programs -e sched:sched_process_exit -- sh ./job over >trace
	run grep -cE '^task.* (program|cgroup|read)=' trace
	assert_output 0
}

@test "programs that end at once, and those that call themselves otherwise, are told as they were begun" {
	need_tracefs
	[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "needs the first namespace of processes"
	[ -e /sys/kernel/btf/vmlinux ] || skip "needs a kernel that tells its types"
	printf '#!/bin/sh\n:\n' >runs
	echo 'exit 0' >plain.pl
	chmod +x runs
	cp "$(command -v env)" tb-env # others begin env and perl, too
	mkdir bin
	cp "$(command -v perl)" bin
	cat >job <<-'EOF'
		for i in 1 2 3 4 5 6 7 8 9; do /bin/true secret; done
		./runs secret
		PATH=.:$PATH tb-env -i bin/perl -w plain.pl secret
		bin/perl -e 1 secret
		bin/perl -e '$0 = "titled: at work"; select undef, undef, undef, 0.2; system "true"'
		bin/perl -e 1 "$(head -c 100000 /dev/zero | tr '\0' x)"
	EOF
	trace-collect --text -e sched:sched_process_exit -o trace -- sh ./job
	run grep -c '^task.*secret' trace
	assert_output 0
	run bash -c 'sed -n "/comm=perl/{ /program=\"*bin.perl/!d }; s/^task .* comm=\(true\|runs\|tb-env\|perl\) tgid=.* began=yes \(program=.*\) read=.*/\1 \2/p" trace | sed "s/ cgroup=.*//"'
	assert_output "$(printf 'true program=/bin/true\n%.0s' {1..9})
runs program=\"/bin/sh ./runs\" script=runs
tb-env program=tb-env
perl program=\"bin/perl plain.pl\" script=plain.pl
perl program=bin/perl
perl program=bin/perl
true program=true
perl program=bin/perl"
	# what a child is before it begins the program is not that program
	run bash -c 'grep "^task .* comm=sh .*program=/bin/true" trace'
	assert_output ""
	# the kernel renames a thread right before it begins a program: what /proc says by then is of that program, so nobody asks
	run bash -c 'grep "^task .* comm=perl .*program=\"*bin/perl" trace | grep -v " began=yes "'
	assert_output ""
}

# quota_group: makes a group of 10 ms in 100, of whichever version the CPU controller is; its path in $group
quota_group() {
	for group in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
		group=$group/tailblame-test.$$
		mkdir $group 2>/dev/null || continue
		if [ -e $group/cpu.max ]; then
			echo 10000 100000 >$group/cpu.max && return 0
		elif [ -e $group/cpu.cfs_quota_us ]; then
			echo 100000 >$group/cpu.cfs_period_us && echo 10000 >$group/cpu.cfs_quota_us && return 0
		fi
		rmdir $group
	done
	group=
	return 1
}

@test "a group that uses up its CPU quota is told of, with its threads" {
	need_tracefs
	quota_group || skip "no CPU controller"
	collect --text -e sched:sched_switch -o trace
	until_true 60 grep -sqE "^quota ts=[0-9.]+ group=/${group##*/} quota=0\.010000000 period=0\.100000000" trace
	run ! grep "^quota .* since=.* group=/${group##*/} " trace
	for spinner in victim other; do
		bash -c "echo \$\$ >$group/cgroup.procs; while :; do :; done" 3>&- &
		printf -v $spinner %d $!
	done
	until_true 60 grep -qE "^quota ts=.* since=.* group=/${group##*/} .* count=[1-9][0-9]* time=[0-9.]*[1-9][0-9]* tids=($victim,$other|$other,$victim)$" trace
	kill $pid
	wait $pid
}

# told_after_end: quota records tell of threads that ended between the two looks, though not of all
told_after_end() {
	awk 'function value(key) { return match($0, " " key "=[^ ]*") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "" }
		/^task / && !(value("tid") in began) { began[value("tid")] = value("ts") + 0 }
		/^task .* comm=prog/ { ours[value("tid")] = 1 }
		/^task .* ended=yes/ { ended[value("tid")] = value("ts") + 0 }
		/^quota .* since=/ { since[++n] = value("since") + 0; ts[n] = value("ts") + 0; tids[n] = "," value("tids") "," }
		END {
			for (i = 1; i <= n; i++)
				for (tid in ours)
					if (began[tid] < since[i] && ended[tid] > since[i] && ended[tid] < ts[i])
						index(tids[i], "," tid ",") ? told++ : untold++
			exit !(told >= 5 && untold < told / 2)
		}' trace
}

@test "threads of a group that used up its CPU quota are told of though they ended right after" {
	need_tracefs
	cat >prog.c <<-'C'
		#include <time.h>
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC / 1000 * 11) {
			}
			return 0;
		}
	C
	gcc -o prog prog.c || skip "needs gcc"
	quota_group || skip "no CPU controller"
	collect --text -e sched:sched_switch -o trace
	until_true 60 grep -sqE "^quota ts=[0-9.]+ group=/${group##*/} " trace
	sh -c "echo \$\$ >$group/cgroup.procs; while :; do ./prog; done" 3>&- &
	victim=$!
	until_true 30 told_after_end
	kill $victim $pid
	wait $pid
}

@test "the hidden paths of an NVMe disk are named as that disk's" {
	need_tracefs
	[ -r /proc/diskstats ] || skip "needs /proc/diskstats"
	printf ' 259 %s 0 0 0 0\n' '3 nvme0c1n2' '1 nvme0n2' '2 nvme0n2p1' '4 nvme1c1n2' >diskstats
	echo '   0 0 nvme0c4n2 0 0 0 0' >>diskstats
	unshare -m true || skip "needs a mount namespace"
	run -0 --separate-stderr unshare -m bash -c 'mount --bind diskstats /proc/diskstats && trace-collect --text -e block:block_rq_issue -d 10ms'
	run -0 grep 'name=nvme[0-9]*c' <<<"$output"
	assert_output 'device dev=259:3 name=nvme0c1n2 disk=259:1'
}

@test "functions of languages whose runtimes would end the program are refused" {
	need_tracefs
	printf 'int work(void) { __asm__ volatile(""); return 0; }\nint main(void) { return work(); }\n' >go.c
	gcc -c -o go.o go.c
	objcopy --redefine-sym work=main.work go.o
	gcc -o go go.o
	trace-collect -c func:./go:main.work --text -d 0 -o out
	echo here >table
	objcopy --add-section .gopclntab=table go
	run trace-collect -c func:./go:main.work --text -d 0 -o out
	assert_failure 1
	assert_output "trace-collect: cannot probe 'main.work' in '$PWD/go': the runtime of Go would end the program, because it \
does not know a return probe; --stack tells where its threads wait"
	run -1 trace-collect -f './go:main.*' --text -d 0 -o out
	assert_output --partial "cannot probe 'main.*' in '$PWD/go': the runtime of Go "
	trace-collect -c func:./go:main --text -d 0 -o out
	sed 's/work/camlMain__work_81/' go.c >caml.c
	sed -i '1i int caml_frametable; void camlless(void) { }' caml.c
	gcc -o caml caml.c
	run -1 trace-collect -c func:./caml:camlMain__work_81 --text -d 0 -o out
	assert_output --partial "the runtime of OCaml would end the program"
	trace-collect -f './caml:caml*' --text -d 0 -o out
	run sed -n 's/^chart name=\([^ ]*\) .*/\1/p' out
	assert_output func:caml:camlless
}

# Two processes that wake up 2,000 times a second, until they are killed: next to no work, but more than 0.01 % of all CPUs to trace.
storm() {
	perl -e 'select(undef, undef, undef, 0.0004) while 1' 3>&- &
	victim=$!
	perl -e 'select(undef, undef, undef, 0.0004) while 1' 3>&- &
	other=$!
}

# shed FILE: what was, in order
shed() {
	stream-cat --text "$1" | sed -nE 's/^shed ts=[^ ]* what=([^ ]*)( name=([^ ]*))?.*/\1 \3/p'
}

@test "--max-cost is a share" {
	run -2 trace-collect --max-cost=5
	assert_line --index 0 "trace-collect: option --max-cost: '5' is not a share above 0 and up to 100%"
	run -2 trace-collect --max-cost=0%
	run -2 trace-collect --max-cost=lots
	assert_line --index 0 "trace-collect: option --max-cost: 'lots' is not a share, such as 5% or 0.05"
}

# bats test_tags=long, aside, cost
@test "--max-cost: what costs too much is shed, context before charts, until the last chart ends it" {
	need_tracefs
	storm
	run -3 --separate-stderr trace-collect --max-cost=0.0001 -c block -c runq -e sched:sched_stat_runtime -e 'irq:softirq_*' -e task -d 300 -o out
	assert_equal "$stderr" "trace-collect: tracing cost more than 0.01 % of all CPUs' time: some of it was shed, and then ended"
	run shed out
	assert_line --index -1 "all "
	assert_equal "$(grep -c ^chart <<<"$output")" 1
	# what comes behind the chart is context that began to cost only then
	assert_equal "$(sed '/^chart/q' <<<"$output" | grep -cE '^(context (sched|irq)|chart (block|runq))$')" 3
	run -0 bash -c 'stream-cat --text out | tail -n1'
	assert_output --regexp '^end .* gaps=yes$'
	# what was shed comes no more once all before has been told; what is measured, and what names threads, stays
	stream-cat --text out | awk '
		/^shed/ && /name=sched / { shed = 1 }
		/^lost/ && /count=0/ && shed { gone = 1 }
		/^event/ && gone && / name=(sched:sched_stat_runtime|irq:)/ { exit 1 }
		/^event/ && gone && / name=sched:sched_(switch|process_fork)/ { measured = 1 }
		END { exit !gone || !measured }'
	COLUMNS=200 run report out
	assert_output --regexp $'INCOMPLETE: .*\ntrace-collect shed the context of [a-z]+ at .*, because tracing cost .* % of all CPUs, more than 0.01 %'
	assert_line --regexp '^trace-collect ended at '
}

# bats test_tags=long, aside, cost
@test "--max-cost: context that stays in the kernel is shed, too, and stacks first" {
	need_tracefs
	storm
	mkfifo pipe
	cchart-filter --text <pipe >out 2>/dev/null 3>&- &
	filter=$!
	trace-collect --max-cost=0.01% --stack -c block >pipe 2>err 3>&- &
	pid=$!
	until_true 60 grep -q '^shed .* what=context' out
	kill $pid
	wait $pid && status=0 || status=$?
	assert_equal "$status" 3
	wait $filter || [ $? = 3 ]
	run shed out
	assert_line --index 0 'stacks '
	assert_line --index 1 --regexp '^context .' # the costliest, which depends on what else the machine does
	run cat err
	assert_output --partial "some of it was shed"
}

# bats test_tags=long, aside, cost
@test "--max-cost: what costs little stays" {
	need_tracefs
	run -0 trace-collect --max-cost=90% -c runq -e 'irq:*' -d 14 -o out
	assert_output ""
	assert_equal "$(shed out)" ""
	run -0 bash -c 'stream-cat --text out | grep -c "count=0"; stream-cat --text out | tail -n1'
	refute_output --partial gaps
}

# bats test_tags=live, long
@test "--watch: who writes and reads a variable, threads that begin too; a copy of the kernel's is one hit; too many hits end it, and a lost record says so" {
	need_tracefs
	chrt -f 5 true 2>/dev/null || skip "needs real-time priorities"
	cat >prog.cc <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		namespace app { volatile long word, pair[2]; volatile int count; }
		volatile int big[5];
		__thread int own;
		static void *begun(void *arg) { app::count++; return arg; }
		int main()
		{
			int ends[2];
			pthread_t thread;

			if (pipe(ends) < 0 || getchar() != 'x')
				return 1;
			write(ends[1], "0123456789abcdef", 16);
			read(ends[0], (void *)&app::word, 8);
			write(ends[1], (void *)&app::word, 8);
			pthread_create(&thread, NULL, begun, NULL);
			pthread_join(thread, NULL);
			if (fork() == 0) {
				app::word = 7;
				_exit(0);
			}
			wait(NULL);
			app::pair[1] = 1;
			for (int i = 0; i < 50000; i++)
				app::count = i;
			app::word = own + big[2];
			return 0;
		}
	END
	g++ -O1 -fno-inline -pthread -o prog prog.cc
	mkfifo begin
	chrt -f 5 ./prog <begin 3>&- & # as fast as the processor lets it
	pid=$!
	exec 9>begin
	until_true 60 [ /proc/$pid/exe -ef prog ]
	while read -r watch message; do
		run -1 trace-collect --watch="${watch/PID/$pid}" -d 0 -o none.tb
		assert_output --partial "$message"
	done <<-'END'
		1x:a begins with the number of a process
		PID: names a variable
		PID:big:3 the length is 1, 2, 4 or 8 bytes
		PID:big 'big' has 20 bytes; say which
		PID:big+20:4 'big' has 20 bytes only
		PID:big+2:4 a breakpoint of 4 bytes lies at a multiple of that
		PID:own each thread has its own 'own'
		PID:bog is it 'big'
		4194305:big there is no process 4194305
	END
	run -1 trace-collect --watch=$pid:app::word:rw --watch=$pid:big+4:4:rw --watch=$pid:app::count -d 0 -o none.tb
	assert_output "trace-collect: the machine has 4 debug registers left, and 5 are needed: 'prog:app::word' 2, 'prog:big+4' 2, 'prog:app::count' 1"
	run --separate-stderr timeout 60 trace-collect --watch=$pid:app::word:rw --watch=$pid:app::count:4:w --watch=$pid:app::pair+8:8 -t -- \
		bash -c 'echo x >begin; while [ -d /proc/'$pid' ]; do sleep 0.1; done'
	exec 9>&-
	rc=0
	wait $pid || rc=$?
	[ $rc != 133 ] || ! grep -q hypervisor /proc/cpuinfo || skip "this virtual machine loses the causes of hits" # SIGTRAP
	assert_equal $rc 0
	assert_equal $status 3
	assert_equal "$(grep -v 'on this virtual machine' <<<"$stderr")" "trace-collect: 'prog:app::count' was hit more than 10000 times a second, and was watched no longer"
	run sed -nE 's/^(event|lost) .*(name=flag:[a-z]+|count=0).*( flag=\S+)( function=\S+)?$/\2\3\4/p' <<<"$output"
	assert_equal "$(grep -v 'count function=main' <<<"$output")" 'name=flag:write flag=prog:app::word function=read
name=flag:read flag=prog:app::word function=write
name=flag:write flag=prog:app::count function=begun
name=flag:write flag=prog:app::pair+8 function=main
count=0 flag=prog:app::count
name=flag:write flag=prog:app::word function=main'
	assert_equal "$(grep -c 'count function=main' <<<"$output")" 9999
}
