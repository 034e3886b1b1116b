#!/usr/bin/env bash
# Measures speed and cost, for make bench:
#
#	bench.sh [BUILD]
#
# 1. How many events a second cchart-filter | blame-rank | report takes from a binary stream file.
# 2. How often each charting method cries wolf, how soon it finds what it should, and how much of the demo's incident is kept.
# 3. How much CPU time trace-collect uses to write events to a file, beside trace-cmd ($TRACE_CMD), same events.
#    And what share of a CPU --ring takes at 100,000 events a second.
# 4. What tracing costs the load that is traced, and the machine; see bench/overhead.sh. And what counters cost a switch; see
#    bench/counters.sh.
# 5. What a hit of a function's probe costs; see bench/probes.sh.
# 6. How fast saved traces are read, beside libtracecmd, trace-cmd and perf; see bench/saved.sh.
# 7. How fast runs become features and rules, and what an order costs; see bench/runs.sh.
# 8. What triggers and logged calls cost PHP behind nginx; see bench/server.sh.
#
# Environment: EVENTS of the stream file (5000000), RUNS of which the median counts (5), TRACE_CMD.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1

build=$(cd "${1:-build}" && pwd) || exit 1
events=${EVENTS:-5000000} runs=${RUNS:-5} trace_cmd=${TRACE_CMD:-trace-cmd}
PATH=$build:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# shellcheck source=tests/bench/common.bash
. tests/bench/common.bash

ratio()
{
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else print "-" }'
}

# --- 1: the pipe ---------------------------------------------------------------------------------------------------

# pipe FILE [OPTION...]
pipe()
{
	cchart-filter "${@:2}" "$1" | blame-rank | report
}

pipe_row()
{
	measure "${@:2}" || { printf '%-56s failed: %s\n' "$1" "$(tail -n1 "$work/err")"; return; }
	awk -v name="$1" -v n="$events" -v real="$real" -v cpu="$cpu" 'BEGIN {
		printf "%-56s %8.3f s %8.3f s %8.2f M/s\n", name, real, cpu, n / real / 1e6 }'
}

# pipe_rows NAME SECONDS [OPTION...]: with the first seconds of the demo's incident, again and again.
pipe_rows()
{
	stream-cat --binary testdata/demo.tb | repeat "$events" "$2" >"$work/input.tb" || return 1
	pipe_row "$1: cchart-filter | blame-rank | report" pipe "$work/input.tb" "${@:3}"
	pipe_row "$1: cchart-filter alone" cchart-filter "${@:3}" "$work/input.tb"
}

bench_pipe()
{
	printf '%-56s %10s %10s %12s\n' "$events events from a stream file, medians of $runs runs" time "CPU time" events
	pipe_rows "quiet" 0.2s --min-ratio=1000 &&
		pipe_row "quiet: trigger-filter, 10 triggers" trigger-filter -c block -T tests/bench/ten.trigger "$work/input.tb" &&
		pipe_row "stream-cat alone" stream-cat "$work/input.tb" &&
		pipe_rows "restless" 0.2s &&
		pipe_rows "troubled" 1h || return 1
	rm -f "$work/input.tb"
	echo "quiet: nothing counts as abnormal; restless: a slow read now and then; troubled: the demo's incident throughout"
}

# --- 2: charts -----------------------------------------------------------------------------------------------------

# kept_row FILE OPTION...: what is left of the incident
kept_row()
{
	printf '  %-54s ' "cchart-filter ${*:2}"
	cchart-filter -c block --text "${@:2}" "$1" 2>/dev/null | awk '/^signal / { signals++ } /^window / { windows++ }
		/^usage command=cchart-filter / { for (i = 2; i <= NF; i++) { split($i, f, "="); of[f[1]] = f[2] } }
		END { printf "%9.4f %8d %8d\n", of["kept_bytes"] / of["bytes"], signals, windows }'
}

# kept_rows NAME FILE
kept_rows()
{
	printf '%-56s %9s %8s %8s\n' "share of the bytes kept: $1" share signals windows
	kept_row "$2" --method=pot --keep=1
	kept_row "$2" --method=pot --keep=0.01 --burst=0
	kept_row "$2" --method=imr --keep=1
	kept_row "$2" --method=paper --keep=1
}

bench_charts()
{
	charts "${VALUES:-2000000}"
	kept_rows "the demo's incident" testdata/demo.tb
	# shellcheck source=tests/incidents/loop.sh
	. tests/incidents/loop.sh
	trap 'loop_end; rm -rf "$work"' EXIT
	if loop_begin bfq 2>"$work/err" && trace-collect -c block -o "$work/crowd.tb" -- "$build/incidents/crowd" "$loop" 2>>"$work/err"; then
		kept_rows "320 processes read 4 KiB blocks, bfq" "$work/crowd.tb"
	else
		echo "320 processes read 4 KiB blocks, bfq: not measured: $(head -n1 "$work/err")"
	fi
	loop_end
	rm -f "$work/crowd.tb"
}

# --- 3: collecting -------------------------------------------------------------------------------------------------

declare -A load=([switches]="$build/bench/load switches 300000" [syscalls]="$build/bench/load syscalls 1000000")
declare -A traced=([switches]="-e sched:sched_switch -e sched:sched_waking"
	[syscalls]="-e raw_syscalls:sys_enter -e raw_syscalls:sys_exit")

cost_row()
{
	printf '  %-54s %10s %10s   %s\n' "$@"
}

# A wrapper script around trace-cmd may take its time to start; that is not trace-cmd's.
wrapper_cost()
{
	if [ "$(head -c2 "$(command -v "$trace_cmd")")" = '#!' ]; then
		measure "$trace_cmd" list -t
		echo "$cpu"
	else
		echo 0
	fi
}

trace_cmd_works()
{
	command -v "$trace_cmd" >/dev/null || { trace_cmd_problem="not installed"; return 1; }
	"$trace_cmd" record -e sched:sched_switch -o "$work/try.dat" true >"$work/out" 2>"$work/err" ||
		{ trace_cmd_problem="refuses: $(grep -v '^$' "$work/err" | tail -n1)"; return 1; }
}

# What came of it, as each says itself: "N events, N lost".
counted_by_us()
{
	stream-cat --text "$1" |
		sed -nE 's/^usage .* events=([0-9]+).*/\1 events, /p; s/^end .* lost=([0-9]+).*/\1 lost/p' | tr -d '\n'
}

counted_by_trace_cmd()
{
	"$trace_cmd" report "$1" 2>/dev/null | awk '/: / { n++ } END { printf "%d events, ", n }'
	"$trace_cmd" report --stat "$1" 2>/dev/null | awk '/^(overrun|dropped events):/ { n += $NF } END { print n + 0, "lost" }'
}

difference()
{
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a - b }'
}

bench_load()
{
	local kind=$1 command wanted alone ours theirs plain=
	read -r -a command <<<"${load[$kind]}"
	read -r -a wanted <<<"${traced[$kind]}"

	printf '%-56s %10s %10s\n' "$kind: ${wanted[1]} and ${wanted[3]}" "CPU time" net
	measure "${command[@]}"
	alone=$cpu
	cost_row "the load alone" "$alone s" - ""
	measure trace-collect -b 16M "${wanted[@]}" -o "$work/ours.tb" -- "${command[@]}" ||
		{ cost_row "trace-collect" - - "failed: $(tail -n1 "$work/err")"; return; }
	ours=$cpu
	cost_row "trace-collect -b 16M -o FILE" "$ours s" "$(difference "$ours" "$alone") s" "$(counted_by_us "$work/ours.tb")"
	trace_cmd_works || { cost_row "$trace_cmd record" - - "$trace_cmd_problem"; return; }

	[[ $("$trace_cmd" record -h 2>&1) != *--compression* ]] || plain="--compression none"
	# shellcheck disable=SC2086 # $plain is two words or none
	measure "$trace_cmd" record $plain -C mono -b 16384 "${wanted[@]}" -o "$work/theirs.dat" "${command[@]}" ||
		{ cost_row "$trace_cmd record" - - "failed: $(tail -n1 "$work/err")"; return; }
	theirs=$(difference "$cpu" "$(wrapper_cost)")
	cost_row "trace-cmd record $plain -b 16384 -o FILE" "$theirs s" "$(difference "$theirs" "$alone") s" \
		"$(counted_by_trace_cmd "$work/theirs.dat")"
	cost_row "trace-collect's share of trace-cmd's" "$(ratio "$ours" "$theirs")" \
		"$(ratio "$(difference "$ours" "$alone")" "$(difference "$theirs" "$alone")")" ""
}

# CPU time of all threads of a process so far, in nanoseconds.
spent()
{
	awk '{ n += $1 } END { print n }' /proc/"$1"/task/*/schedstat
}

# ring_row NAME CALLS: the share of a CPU that a collector with --ring takes while so many calls a second are made; two events each.
ring_row()
{
	local calling='' collector before begun
	[ "$2" = 0 ] || { load steady "$2" & calling=$!; }
	trace-collect --ring=64M -e syscalls:sys_enter_getppid -e syscalls:sys_exit_getppid -o "$work/ring.tb" >"$work/out" 2>"$work/err" &
	collector=$!
	sleep 3
	before=$(spent $collector) begun=$(date +%s%N)
	sleep 10
	cost_row "$1" "$(awk -v n=$(($(spent $collector) - before)) -v t=$(($(date +%s%N) - begun)) 'BEGIN { printf "%.2f %%", 100 * n / t }')" - ""
	kill $collector ${calling:+"$calling"}
	wait
}

bench_ring()
{
	printf '%-56s %10s %10s\n' "trace-collect --ring=64M, while it collects" "of a CPU" ""
	ring_row "no events but those of processes that begin and end" 0
	ring_row "100,000 events of system calls a second" 50000
}

bench_collect()
{
	echo "CPU time (user and system, of all processes) to collect events into a file, medians of $runs runs"
	echo "net: without what the load alone takes"
	if ! trace-collect -e sched:sched_switch -o "$work/try.tb" -- true 2>"$work/err"; then
		sed 's/^/not measured: /' "$work/err"
		return
	fi
	bench_load switches
	bench_load syscalls
	bench_ring
}

compile load repeat charts || exit 1
PATH=$build/bench:$PATH
bench_pipe || exit 1
echo
bench_charts
echo
bench_collect
echo
tests/bench/overhead.sh "$build"
echo
tests/bench/counters.sh "$build"
echo
tests/bench/probes.sh "$build"
echo
tests/bench/saved.sh "$build"
echo
tests/bench/runs.sh "$build"
echo
tests/bench/server.sh "$build"
