#!/usr/bin/env bash
# How fast saved traces are read, for make bench:
#
#	saved.sh BUILD
#
# Records a load of our own (context switches, system calls, disk reads), as a trace.dat and with perf, and times: a bare walk
# over the file's pages, libtracecmd's own iterator, our whole pipe, and the peers' reports. Prints events a second, how
# often the iterator's time that is, and each stage's peak memory. Then how an event's cost grows with the number of
# events and of CPUs.
#
# Environment: SAVED events at least (20000000), RUNS of which the median counts (5), TRACE_CMD, FLAT events of the longest
# generated stream (100000000).
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1

build=$(cd "${1:?usage: saved.sh BUILD}" && pwd) || exit 1
runs=${RUNS:-5} trace_cmd=${TRACE_CMD:-trace-cmd} wanted=${SAVED:-20000000} flat=${FLAT:-100000000}
PATH=$build:$build/bench:$PATH
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tailblame-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# shellcheck source=tests/bench/common.bash
. tests/bench/common.bash

systems=(sched raw_syscalls block irq)

# About 12 events for each pass of a byte, two for each system call.
make_load()
{
	dd if=/dev/urandom of="$work/disk" bs=1M count=16 status=none
	cat >"$work/load" <<-END
		#!/bin/bash
		load switches $((wanted / 20)) &
		load syscalls $((wanted / 4)) &
		dd if=$work/disk of=/dev/null bs=4k iflag=direct status=none
		wait
	END
	chmod +x "$work/load"
}

record()
{
	trace-collect -b 512M "${systems[@]/#/-e}" -- "$work/load" 2>"$work/err" | trace-export -f tracedat -o "$work/trace.dat" 2>>"$work/err"
	[ -s "$work/trace.dat" ] || { echo "not measured: $(head -n1 "$work/err")"; return 1; }
	events=$(walk "$work/trace.dat" | cut -d' ' -f1)
}

record_with_perf()
{
	local system selected=()
	perf_problem="not installed"
	for system in "${systems[@]}"; do
		selected+=(-e "$system:*")
	done
	command -v perf >/dev/null || return 1
	perf record -q -a -m 64M "${selected[@]}" -o "$work/perf.data" -- "$work/load" >"$work/err" 2>&1 && return
	perf_problem=$(grep -v '^$' "$work/err" | tail -n1)
	return 1
}

row() # NAME EVENTS: as just measured
{
	awk -v name="$1" -v n="$2" -v real="$real" -v cpu="$cpu" -v iterator="${iterator:-0}" -v all="$events" 'BEGIN {
		ratio = iterator ? sprintf("%.2f", (real / n) / (iterator / all)) : "-"
		printf "  %-54s %8.2f s %8.2f s %9.2f M/s %8s\n", name, real, cpu, n / real / 1e6, ratio }'
}

timed() # NAME EVENTS COMMAND...
{
	if measure "${@:3}"; then
		row "$1" "$2"
	else
		printf '  %-54s not measured: %s\n' "$1" "$(grep -v '^$' "$work/err" | tail -n1)"
	fi
}

# To nowhere: a file would cost more than the import.
import_alone()
{
	trace-import "$1" >/dev/null
}

whole_pipe()
{
	trace-import "$work/trace.dat" | cchart-filter -c block | blame-rank | report
}

# Each stage's peak memory in the pipe.
memory()
{
	local stage
	# shellcheck disable=SC2015
	/usr/bin/time -o "$work/import.kb" -f %M trace-import "$work/trace.dat" 2>/dev/null |
		/usr/bin/time -o "$work/filter.kb" -f %M cchart-filter -c block 2>/dev/null |
		/usr/bin/time -o "$work/rank.kb" -f %M blame-rank 2>/dev/null |
		/usr/bin/time -o "$work/report.kb" -f %M report >/dev/null 2>&1
	printf '  peak memory, MB:'
	for stage in import filter rank report; do
		printf ' %s %.0f' "$stage" "$(tail -n1 "$work/$stage.kb" | awk '{ print $1 / 1024 }')"
	done
	echo
}

bench_saved()
{
	printf '%-56s %10s %10s %13s %8s\n' "a saved trace of $events events, medians of $runs runs" time "CPU time" events "of it"
	timed "a bare walk over its pages" "$events" walk "$work/trace.dat"
	if measure iterate "$work/trace.dat"; then
		iterator=$real
		row "libtracecmd's iterator" "$events"
	fi
	timed "trace-import alone" "$events" import_alone "$work/trace.dat"
	timed "trace-import | cchart-filter | blame-rank | report" "$events" whole_pipe
	memory
	runs=1
	timed "$trace_cmd report (one run)" "$events" "$trace_cmd" report "$work/trace.dat"
	rm -f "$work/trace.dat"
}

bench_perf()
{
	local count=0
	if ! record_with_perf; then
		echo "  perf: not measured: $perf_problem"
		return
	fi
	runs=1
	measure perf script -i "$work/perf.data" && count=$(wc -l <"$work/out") && row "perf script (one run)" "$count"
	runs=3
	timed "perf sched timehist" "$count" perf sched timehist -i "$work/perf.data"
	rm -f "$work/perf.data" "$work/out"
}

# The demo's first seconds, again and again: an event costs the same however many there are.
bench_flat()
{
	local n
	runs=1
	echo
	printf '%-56s %10s %10s %12s\n' "cchart-filter | blame-rank | report, generated events" time "an event" "memory"
	for ((n = 1000000; n <= flat; n *= 10)); do
		/usr/bin/time -o "$work/kb" -f '%e %M' bash -c "stream-cat --binary testdata/demo.tb | repeat $n 0.2s |
			{ /usr/bin/time -o $work/filter.kb -f %M cchart-filter --min-ratio=1000; } | blame-rank | report" >/dev/null 2>&1
		awk -v n="$n" -v kb="$(tail -n1 "$work/filter.kb")" 'END { printf "  %-54s %8.2f s %7.1f ns %9.1f MB\n",
			n, $1, $1 / n * 1e9, kb / 1024 }' "$work/kb"
	done
}

# Rings are merged: the cost of an event grows with the logarithm of their number.
bench_cpus()
{
	local cpus
	echo
	printf '%-56s %10s %10s %13s\n' "5,000,000 events of so many CPUs, hardly two of one in a row" time "CPU time" events
	runs=3 iterator=
	for cpus in 2 16 256; do
		recording "$cpus" 5000000 "$work/cpus.dat" || return
		timed "$cpus CPUs: libtracecmd's iterator" 5000000 iterate "$work/cpus.dat"
		timed "$cpus CPUs: trace-import" 5000000 import_alone "$work/cpus.dat"
	done
	rm -f "$work/cpus.dat"
}

compile walk iterate load repeat recording || exit 1
make_load
record || exit 0
bench_saved
bench_perf
bench_flat
bench_cpus
