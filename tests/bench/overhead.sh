#!/usr/bin/env bash
# What tracing costs a load, side by side, the same events by each, in turns; for make bench:
#
#	overhead.sh BUILD
#
# Two loads on CPU 0: perf's bench of system calls (or our own), and reads from a disk. Each is traced by the kernel's ring
# alone, by trace-collect | cchart-filter with and without recorder, by trace-cmd record and by perf record.
# Printed are medians: the load's own CPU time more than without tracing, for each event; and the CPU time of the whole
# machine from before the tracer starts until it has ended. What an event costs by the kernel's ring alone is EVENT_NS of
# lib/source/cost.c, by which --max-cost reckons.
#
# Environment: RUNS (5), TRACE_CMD.
set -u
cd "$(dirname "$0")/../.." || exit 1

build=$(cd "${1:?usage: overhead.sh BUILD}" && pwd) || exit 1
runs=${RUNS:-5} trace_cmd=${TRACE_CMD:-trace-cmd}
PATH=$build:$build/bench:$PATH
tracing=/sys/kernel/tracing instance=$tracing/instances/bench-$$
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tailblame-bench.XXXXXX") || exit 1
trap '[ ! -d "$instance" ] || rmdir "$instance"; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# shellcheck source=tests/bench/common.bash
. tests/bench/common.bash

# CPU time of the whole machine so far, in seconds: all but idle and waiting, guests counted once.
machine()
{
	awk -v hz="$(getconf CLK_TCK)" '/^cpu / { print ($2 + $3 + $4 + $7 + $8) / hz }' /proc/stat
}

# The load, with its CPU time written to a file; a program of its own, so that every tracer can start it.
make_load()
{
	cat >"$work/load" <<-END
		#!/bin/bash
		TIMEFORMAT='%U %S'
		{ time taskset -c 0 $1 >/dev/null 2>&1; } 2>$work/time
	END
	chmod +x "$work/load"
}

# --- the tracers: each runs the load while it traces the events in the array; 1: it is not there -------------------

by_nobody()
{
	"$work/load"
}

by_ring()
{
	local event status
	mkdir "$instance" && echo mono >"$instance/trace_clock" || return 1
	echo 16 2>/dev/null >"$instance/buffer_subbuf_size_kb"
	echo 32768 >"$instance/buffer_size_kb"
	for event in "${events[@]}"; do
		echo 1 >"$instance/events/${event/://}/enable"
	done
	"$work/load"
	status=$?
	echo 0 >"$instance/tracing_on"
	awk '/^(entries|overrun):/ { n += $2 } END { print n }' "$instance"/per_cpu/cpu*/stats >"$work/count"
	rmdir "$instance"
	return $status
}

pipe()
{
	trace-collect "$@" -c "$chart" "${context[@]}" -b 32M -- "$work/load" | cchart-filter >"$work/out"
}

by_recorder()
{
	pipe
}

by_stream()
{
	pipe --no-recorder
}

by_trace_cmd()
{
	command -v "$trace_cmd" >/dev/null || { echo "not installed" >"$work/why"; return 1; }
	"$trace_cmd" record -C mono -b 32768 "${events[@]/#/-e}" -o "$work/out" "$work/load" >"$work/log" 2>&1 && return
	grep -v '^$' "$work/log" | tail -n1 >"$work/why"
	return 1
}

by_perf()
{
	command -v perf >/dev/null || { echo "not installed" >"$work/why"; return 1; }
	perf record -q -a -m 32M "${events[@]/#/-e}" -o "$work/out" -- "$work/load" >"$work/log" 2>&1 && return
	grep -v '^$' "$work/log" | tail -n1 >"$work/why"
	return 1
}

# --- the table -----------------------------------------------------------------------------------------------------

rows=(by_nobody by_ring by_recorder by_stream by_trace_cmd by_perf)
declare -A names=([by_nobody]="nothing" [by_ring]="kernel ring alone" [by_recorder]="trace-collect | cchart-filter"
	[by_stream]="... --no-recorder" [by_trace_cmd]="$trace_cmd record" [by_perf]="perf record")

# One run of each tracer, one after the other, so that a change of the machine's mood hits all.
run_all()
{
	local row before
	for row in "${rows[@]}"; do
		before=$(machine)
		"$row" 2>"$work/err" || [ $? = 3 ] || { cat "$work/why" "$work/err" 2>/dev/null | head -n1 >"$work/$row.why"; continue; }
		awk -v a="$before" -v b="$(machine)" 'BEGIN { print b - a }' >>"$work/$row.machine"
		awk '{ print $1 + $2 }' "$work/time" >>"$work/$row.cpu"
		rm -f "$work/out"
	done
}

print_row()
{
	local cpu whole
	if [ ! -s "$work/$1.cpu" ]; then
		printf '  %-40s not measured: %s\n' "${names[$1]}" "$(cat "$work/$1.why")"
		return
	fi
	cpu=$(median <"$work/$1.cpu") whole=$(median <"$work/$1.machine")
	awk -v name="${names[$1]}" -v cpu="$cpu" -v whole="$whole" -v nothing="$nothing" -v ring="$ring" -v n="$count" 'BEGIN {
		ratio = "-"
		if (ring > nothing)
			ratio = sprintf("%.2f", (cpu - nothing) / (ring - nothing))
		printf "  %-40s %8.3f s %8.1f ns %8s %10.2f s\n", name, cpu, (cpu - nothing) / n * 1e9, ratio, whole }'
}

# compare NAME COMMAND
compare()
{
	local n row
	make_load "$2"
	rm -f "$work"/*.cpu "$work"/*.machine "$work"/*.why
	for ((n = 0; n < runs; n++)); do
		run_all
	done
	[ -s "$work/by_ring.cpu" ] || { echo "$1: not measured: $(cat "$work/by_ring.why")"; return; }
	nothing=$(median <"$work/by_nobody.cpu") ring=$(median <"$work/by_ring.cpu") count=$(cat "$work/count")
	printf '%-42s %10s %11s %8s %12s\n' "$1, $count events" "CPU time" "an event" "of ring" "the machine"
	for row in "${rows[@]}"; do
		print_row "$row"
	done
}

# The events of a chart that this kernel has.
events_of()
{
	sed -nE 's/^(start|end|arm|context) +event=([^ ]*).*/\2/p' "charts/$1.chart" charts/wake.context | sort -u |
		while read -r event; do
			[ ! -e "$tracing/events/${event/://}/enable" ] || echo "$event"
		done
}

[ -w "$tracing/instances" ] || { echo "cost of tracing: not measured: needs root and tracefs"; exit 0; }
echo "cost of tracing a load on CPU 0, by turns, medians of $runs runs"
chart=block
mapfile -t events < <(events_of block; printf '%s\n' raw_syscalls:sys_enter raw_syscalls:sys_exit)
context=(-e raw_syscalls:sys_enter -e raw_syscalls:sys_exit)
if command -v perf >/dev/null; then
	compare "perf bench syscall basic" "perf bench syscall basic -l 2000000"
else
	compare "2,000,000 system calls" "load syscalls 2000000"
fi
mapfile -t events < <(events_of block)
context=()
dd if=/dev/urandom of="$work/disk" bs=1M count=250 status=none
compare "dd: 64,000 direct reads of 4 KiB" "dd if=$work/disk of=/dev/null bs=4k iflag=direct"
echo "100 ns an event is 1 % of a CPU at 100,000 events a second; the machine: whatever else runs on it, too"
