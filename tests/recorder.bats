#!/usr/bin/env bats
# Context that stays in the kernel until cchart-filter asks for it, live.

# bats file_tags=live
load helper

INSTANCES=/sys/kernel/tracing/instances

teardown() {
	if [ -n "$pid" ]; then kill $pid 2>/dev/null || true; fi
	if [ -n "$filter" ]; then kill $filter 2>/dev/null || true; fi
	if [ -n "$titled" ]; then kill $titled 2>/dev/null || true; fi
}

# A program that always calls itself something else: what tells so comes in the stream ahead of events that happened before.
titles_change() {
	perl -e 'while (1) { $0 = "shop: " . ++$n; select undef, undef, undef, 0.01 }' 3>&- &
	titled=$!
}

need_incident() {
	need_tracefs
	[ -x "$BUILD/incidents/lock" ] || skip "needs make incident-programs"
	incident=$BUILD/incidents/lock
	chart=func:$incident:request
}

kinds() {
	sed 's/ .*//' "$1" | sort | uniq -c | awk '{ print $2, $1 }'
}

# How many events a command read or wrote, by its usage record: usage FILE COMMAND.
usage() {
	sed -nE "s/^usage command=$2 events=([0-9]+) .*/\1/p" "$1"
}

# Bounds and completeness of the window of what took longest: "FROM TO yes". Others may be of a machine that was busy.
window() {
	awk 'function value(key) { return match($0, " " key "=[^ ]*") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "" }
		/^signal / && value("value") + 0 > longest { longest = value("value") + 0; ts = value("ts") + 0 }
		/^window / { from[++n] = value("from"); to[n] = value("to"); complete[n] = value("complete") }
		END { for (i = 1; i <= n; i++) if (from[i] + 0 <= ts && ts <= to[i] + 0) { print from[i], to[i], complete[i]; exit } }' "$1"
}

# bats test_tags=long
@test "a filter gets context that was not in the stream, in the order of time" {
	need_incident
	titles_change
	trace-collect -c "$chart" -- "$incident" 2>/dev/null | cchart-filter --text >out
	[ "$(usage out trace-collect)" -gt 0 ]
	[ "$(usage out cchart-filter)" -gt "$(usage out trace-collect)" ]
	run kinds out
	assert_line --regexp '^window '
	refute_line --regexp '^recorder '
	run window out
	assert_line --regexp ' yes$'
	grep -q '^event .* name=sched:sched_switch ' out
	awk '/^event/ { t = substr($2, 4); if (t < last) exit 1; last = t }' out
	stream-cat --text out | grep '^task' | grep -o ' tid=[0-9]*' | sort -u >named
	grep '^event' out | grep -o ' tid=[0-9]*' | sort -u | grep -vx ' tid=0' >seen
	run comm -13 named seen
	assert_output ""
}

@test "who a thread is holds at the time of its events, though what named it came in the stream" {
	need_incident
	titles_change
	incident=$BUILD/incidents/vfork # its children have another name from when they run another program
	trace-collect -c "func:$incident:request" -- "$incident" 2>/dev/null | cchart-filter --text >out
	run awk 'function value(key) { return match($0, " " key "=[^ ]*") ? substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "" }
		/^task / && value("comm") == "slowchild" && !(value("tid") in since) { since[value("tid")] = value("ts") + 0 }
		/^event / && value("comm") == "slowchild" { n++; early += !(value("tid") in since) || value("ts") + 0 < since[value("tid")] }
		END { print (n > 0), early + 0 }' out
	assert_output "1 0"
}

# bats test_tags=long
@test "--no-recorder, a file, and whoever else reads the pipe get everything" {
	need_incident
	context='name=sched:sched_switch '
	trace-collect --no-recorder -c "$chart" -- "$incident" 2>/dev/null | cchart-filter --text >out
	assert_equal "$(usage out trace-collect)" "$(usage out cchart-filter)"
	grep -q "$context" out
	trace-collect -c "$chart" -- "$incident" 2>/dev/null | tee saved | cchart-filter --text >out
	assert_equal "$(usage out trace-collect)" "$(usage out cchart-filter)"
	stream-cat --text saved | grep -q "$context"
	trace-collect -c "$chart" -d 0.2 | cat >saved
	stream-cat --text saved | grep -q "$context"
	trace-collect -c "$chart" -d 0.2 >saved
	run bash -c 'stream-cat --text saved | grep ^recorder'
	assert_output ""
	run cchart-filter saved
	refute_output --partial recorder
}

@test "a filter whose charts measure context is sent that context" {
	need_incident
	trace-collect -c "$chart" -- "$incident" 2>/dev/null | cchart-filter -c runq --text >out
	assert_equal "$(usage out trace-collect)" "$(usage out cchart-filter)"
}

# context FILE FROM TO: the events between two times, without what differs between two instances that see the same: times,
# the order of an event and an interrupt that hit it, names (an exec may be known a little sooner), a state that changes
# meanwhile, what the pipes' own threads do (in the file ours), and contention for locks in the tracing of one of them.
context() {
	stream-cat --text "$1" |
		awk -v from="$2" -v to="$3" '/^event/ && substr($2, 4) >= from && substr($2, 4) <= to' |
		grep -vE ' name=(lock:|filelock:holder )' | grep -vwFf ours |
		sed -E 's/ts=[^ ]* //; s/ (comm|prev_state|function|now)=[^ ]*//g' | sort
}

# quiet FILE FROM TO: the middle of the longest time without an event.
quiet() {
	awk -v from="$2" -v to="$3" '/^event/ {
		t = substr($2, 4)
		if (t >= from && t <= to && last && t - last > longest) { longest = t - last; middle = (t + last) / 2 }
		last = t >= from ? t : 0
	} END { printf "%.9f\n", middle }' "$1"
}

# pair OUT ARG...: a collector and a filter by a named pipe, in the background, with their pids in $pid and $filter.
pair() {
	mkfifo "$1.pipe"
	cchart-filter --text <"$1.pipe" >"$1" 2>err 3>&- &
	filter=$!
	trace-collect "${@:2}" >"$1.pipe" 3>&- &
	pid=$!
	until_true 60 is_tracing "$pid"
}

is_gone() {
	[ ! -e $INSTANCES/tailblame-"$1" ] && [ ! -e $INSTANCES/tailblame-"$1".kept ]
}

# bats test_tags=long
@test "the context is the same with and without recorder, of one incident" {
	need_incident
	pair streamed --no-recorder -c "$chart"
	trace-collect -c "$chart" -- "$incident" 2>/dev/null | cchart-filter --text >asked
	kill $pid
	wait $pid $filter
	read -r from1 to1 complete1 <<<"$(window streamed)"
	read -r from2 to2 complete2 <<<"$(window asked)"
	assert_equal "$complete1 $complete2" "yes yes"
	[ "$(usage asked cchart-filter)" -gt "$(usage asked trace-collect)" ]
	# Inside of both windows, from when both traced, cut where neither sees anything: each gives an event a time of its own.
	read -r from to <<<"$(awk -v a="$from1" -v b="$from2" -v c="$to1" -v d="$to2" '/^event/ { first = substr($2, 4); exit } END {
		from = a > b ? a : b; printf "%.9f %.9f\n", (first > from ? first : from), (c < d ? c : d) }' asked)"
	from=$(quiet streamed "$from" "$(awk -v t="$from" 'BEGIN { printf "%.9f", t + 0.05 }')")
	to=$(quiet streamed "$(awk -v t="$to" 'BEGIN { printf "%.9f", t - 0.05 }')" "$to")
	cat streamed asked | sed -nE 's/^task .* (tid=[0-9]*) comm=(trace-collect|cchart-filter).*/\1/p' >ours
	context streamed "$from" "$to" >one
	context asked "$from" "$to" >two
	[ "$(grep -c sched_switch one)" -gt 20 ]
	run diff one two
	assert_output ""
}

@test "what a thread sleeps for in read() is told though its switches stay in the kernel" {
	need_incident
	cat >prog.c <<-'C'
		#include <unistd.h>
		int main(void)
		{
			int pair[2];
			char byte;

			if (pipe(pair) < 0 || fork() == 0)
				return usleep(400000) < 0 || write(pair[1], "", 1) < 0;
			return read(pair[0], &byte, 1) < 0;
		}
	C
	gcc -o prog prog.c || skip "needs gcc"
	trace-collect -c syscall -p command -- ./prog | cchart-filter --idle --limit=300ms --text >out
	[ "$(usage out cchart-filter)" -gt "$(usage out trace-collect)" ]
	graph-build --text out | grep -q '^node .* label="prog/[0-9]* in read pipe"'
}

# bats test_tags=long
@test "what lasted longer than the rings hold makes a window incomplete" {
	need_incident
	cat >slow.c <<-'C'
		#include <sys/syscall.h>
		#include <unistd.h>
		__attribute__((noinline)) void request(int ms)
		{
			for (int i = 0; ms && i < 400000; i++)
				syscall(SYS_getppid);
			usleep(100);
		}
		int main(void)
		{
			for (int i = 0; i < 300; i++)
				request(i == 250);
			return 0;
		}
	C
	gcc -O1 -o slow slow.c || skip "needs gcc"
	trace-collect -b 64k -c func:./slow:request -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -- ./slow 2>/dev/null |
		cchart-filter --text >small || [ $? = 3 ]
	run window small
	assert_line --regexp ' no$'
	trace-collect -b 64M -c func:./slow:request -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -- ./slow 2>/dev/null |
		cchart-filter --text >large
	run window large
	assert_line --regexp ' yes$'
}

@test "a collector killed in the midst leaves nothing, and the filter says that its input was cut" {
	need_incident
	pair out -c block
	until_true 60 is_tracing "$pid.kept"
	kill -9 $pid
	until_true 60 is_gone $pid
	wait $filter && status=0 || status=$?
	assert_equal "$status" 3
	run cat err
	assert_output --partial "the stream was cut"
	run grep -c "tailblame-$pid" /proc/net/unix
	assert_output 0
}

@test "a filter that is gone ends the collector" {
	need_incident
	pair out -c block
	kill -9 $filter
	wait $pid
	is_gone $pid
}

@test "another user's process may not ask" {
	need_incident
	command -v setpriv >/dev/null || skip "needs setpriv"
	trace-collect -c "$chart" -- "$incident" 2>/dev/null |
		setpriv --reuid=65534 --clear-groups "$BUILD/cchart-filter" --text >out
	assert_equal "$(usage out trace-collect)" "$(usage out cchart-filter)"
	grep -q 'name=sched:sched_switch ' out
}

# bats test_tags=long
@test "where the budget ends, the recorder is asked for the last moments only" {
	need_incident
	trace-collect -c "$chart" -- "$incident" 2>/dev/null | cchart-filter --text --keep=1 >whole
	trace-collect -c "$chart" -- "$incident" 2>/dev/null | cchart-filter --text --burst=16k --keep=0 >out
	kept() { sed -nE 's/^usage command=cchart-filter .* kept_bytes=([0-9]+).*/\1/p' "$1"; }
	[ "$(kept whole)" -gt 40000 ]
	[ "$(kept out)" -gt 400 ]
	[ "$(kept out)" -le 16384 ]
	grep -q '^event .* name=sched:sched_switch ' out
	run window out
	assert_line --regexp ' no$'
	awk '/^event/ { t = substr($2, 4); if (t < last) exit 1; last = t }' out
	run bash -c 'blame-rank out | report'
	assert_output --regexp ' request of lock by victim/[0-9]+ took '
	assert_output --partial "INCOMPLETE: "
}
