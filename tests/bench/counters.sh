#!/usr/bin/env bash
# What trace-collect --counters costs a switch between threads, above --stack alone; for make bench:
#
#	counters.sh BUILD
#
# The load: two processes on CPU 0 wake each other through pipes. By turns it runs with stacks alone and with each list of
# counters; of each turn, the load's own CPU time counts, less that of the same turn with stacks alone. The collector is on CPU 1, if there is one.
#
# Environment: RUNS (5): three times so many turns, of which the medians count.
set -u
cd "$(dirname "$0")/../.." || exit 1

build=$(cd "${1:?usage: counters.sh BUILD}" && pwd) || exit 1
turns=$((3 * ${RUNS:-5})) rounds=100000
PATH=$build:$build/bench:$PATH
command -v load >/dev/null || { echo "counters.sh: no $build/bench/load, which bench.sh makes" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tailblame-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# shellcheck source=tests/bench/common.bash
. tests/bench/common.bash

lists=('page-faults' 'page-faults,cpu-migrations' 'page-faults,cpu-migrations,major-faults,syscalls:sys_enter_sched_yield' 'context-switches')
behind=1
[ -d /sys/devices/system/cpu/cpu1 ] || behind=0

# Its own CPU time in seconds, of both processes.
cat >"$work/load" <<-END
	#!/bin/bash
	TIMEFORMAT='%U %S'
	{ time taskset -c 0 load switches $rounds; } 2>$work/time
END
chmod +x "$work/load"

# turn OPTION...: sets $spent
turn()
{
	taskset -c "$behind" trace-collect --stack "$@" -e sched:sched_switch -o "$work/out" -- "$work/load" >"$work/log" 2>&1 || [ $? = 3 ] || return 1
	spent=$(awk '{ print $1 + $2 }' "$work/time")
}

for ((n = 0; n < turns; n++)); do
	turn || { echo "cost of counters: not measured: $(head -n1 "$work/log")"; exit 0; }
	alone=$spent
	for list in "${lists[@]}"; do
		turn --counters="$list" || { echo "cost of counters: not measured: $(head -n1 "$work/log")"; exit 0; }
		awk -v a="$alone" -v b="$spent" -v n=$((2 * rounds)) 'BEGIN { print (b - a) / n * 1e9 }' >>"$work/$list"
	done
	echo "$alone" >>"$work/alone"
done
echo "cost of counters: a switch between threads above --stack, medians of $turns turns"
for list in "${lists[@]}"; do
	printf '  %-72s %8.0f ns\n' "--counters=$list" "$(median <"$work/$list")"
done
