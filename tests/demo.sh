#!/usr/bin/env bash
# Shows what the pipe is good for, on an incident of its own making, for make demo:
#
#	demo.sh [BUILD]
#
# A crowd of 316 processes falls upon a loop device that four readers had for themselves; its scheduler is bfq. Where
# that cannot be had, the same incident comes from a recorded stream. Leaves the report in BUILD/demo.
set -u
cd "$(dirname "$0")/.." || exit 1

build=${1:-build}
out=$build/demo
recorded=testdata/demo.tb
PATH=$(cd "$build" && pwd):$PATH

# shellcheck source=tests/incidents/loop.sh
. tests/incidents/loop.sh
trap loop_end EXIT
trap 'exit 1' INT TERM HUP

# What is in the way of tracing here, in trace-collect's own words; nothing where all is well.
tracing_problem()
{
	trace-collect -e sched:sched_switch -d 10ms 2>&1 >/dev/null | head -n1
}

live()
{
	echo "316 processes (crowd) read from $loop (scheduler bfq), which four had for themselves; this takes some seconds:"
	echo
	echo "    trace-collect -c block -- crowd $loop | cchart-filter -c block | blame-rank | report"
	echo
	trace-collect -c block -- "$build/incidents/crowd" "$loop" | cchart-filter -c block | blame-rank >"$out/incident.tb"
}

from_record()
{
	echo "So this is such an incident as it was recorded elsewhere, with larger blocks:"
	echo
	echo "    cchart-filter -c block $recorded | blame-rank | report"
	echo
	cchart-filter -c block "$recorded" | blame-rank >"$out/incident.tb"
}

mkdir -p "$out" || exit 1
problem=$(tracing_problem)
if [ -z "$problem" ] && ! loop_begin bfq 2>"$out/problem"; then
	problem=$(cat "$out/problem")
fi
if [ -z "$problem" ]; then
	live
else
	echo "No live incident here: $problem."
	from_record
fi

echo
report "$out/incident.tb"
status=$?
[ $status = 0 ] || [ $status = 3 ] || exit 1
echo
report -f html -o "$out" "$out/incident.tb"
status=$?
[ $status = 0 ] || [ $status = 3 ] || exit 1
echo "The same with charts: $(cd "$out" && pwd)/report.html"
