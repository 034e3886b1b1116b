#!/usr/bin/env bash
# What a hit of a uprobe costs, by the instruction that it is on, and of a return probe; for make bench:
#
#	probes.sh BUILD
#
# Printed are medians of the CPU time of a call, more than without a probe. The kernel emulates `push`; endbr64 and `ret` it steps over.
#
# Environment: RUNS (5), CALLS of each (100000).
set -u
cd "$(dirname "$0")/../.." || exit 1

build=$(cd "${1:?usage: probes.sh BUILD}" && pwd) || exit 1
runs=${RUNS:-5} calls=${CALLS:-100000}
tracing=/sys/kernel/tracing instance=$tracing/instances/bench-$$ probe=bench_$$/hit
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tailblame-bench.XXXXXX") || exit 1

clean()
{
	[ ! -d "$instance" ] || rmdir "$instance"
	[ ! -d "$tracing/events/bench_$$" ] || echo "-:$probe" >>"$tracing/uprobe_events"
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

# shellcheck source=tests/bench/common.bash
. tests/bench/common.bash

# call FUNCTION: nanoseconds
call()
{
	local n
	for ((n = 0; n < runs; n++)); do
		"$build/bench/probe" "$1" "$calls"
	done | median
}

# hit WORDS FUNCTION KIND BEHIND [ARGUMENTS]: with a probe of this kind so many bytes behind its begin
hit()
{
	local offset bare
	offset=$(($("$build/bench/probe" "$2") + $4)) bare=$(call "$2")
	printf '%s:%s %s:0x%x %s\n' "$3" "$probe" "$build/bench/probe" "$offset" "${5:-}" >>"$tracing/uprobe_events" || exit 1
	echo 1 >"$instance/events/$probe/enable"
	awk -v what="$1" -v call="$(call "$2")" -v bare="$bare" 'BEGIN { printf "%-56s %7.2f us\n", what, (call - bare) / 1000 }'
	echo 0 >"$instance/events/$probe/enable"
	echo "-:$probe" >>"$tracing/uprobe_events"
}

echo "CPU time of a probe's hit, medians of $runs runs of $calls calls"
compile probe || exit 1
if ! mkdir "$instance" 2>"$work/err" || ! [ -w "$tracing/uprobe_events" ]; then
	sed 's/^/not measured: /' "$work/err"
	exit 0
fi
hit "a call's begin, on push" plain p 0
hit "a call's begin, on push, with the stack pointer" plain p 0 "sp=%sp:x64"
hit "a call's begin, on endbr64" marked p 0
hit "a call's begin, behind endbr64" marked p 4
hit "a call's end, on ret" plain p 2
hit "a call's end, by a return probe" plain r 0
