#!/bin/bash
# desktop.sh [ROUNDS]: the cases of desktop.c, each so many times (1): whether graph-walk(1) says who is to blame, and report(1) the same culprit.
# Needs root. Not part of make check: it is a measure, on a machine as busy as it happens to be; a thread that had no CPU is right where a hog is named with it.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
PATH=$build:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# NAME|what must be said
cases='circle|^culprit: renderer/.* in futex .*: this never ended normally
datagram|^yielding: preferences/
reconnect|^culprit: ssh/.* in clock_nanosleep
installer|^culprit: authd/.* in read .*: this never ended normally
notes|^culprit: hidd/.* in clock_nanosleep
word|^busy: word/
editor|^in characters_at_index: 
copy|^in convert_image: 
paste|^in lay_out_lines: 
fold|^in fold_code: 
highlight|^in highlight_text: '

# reported WANTED: whether a report of the case names the culprit and the circle that graph-walk named
reported()
{
	[[ $1 == '^culprit: '* ]] || return 0
	graph-build --whole marked.tb 2>>err | blame-rank 2>>err | report >report.out 2>>err
	grep -qE "usual in window 1: $(grep -oE '^culprit: [^ ]+' said)" report.out &&
		{ ! grep -q '^circle: ' said || grep -q "$(grep -oE '^circle: [^ ]+' said)" report.out; }
}

right=0 all=0
for ((round = 0; round < ${1:-1}; round++)); do
	while IFS='|' read -r name wanted; do
		chart=func:$build/incidents/desktop:request
		stacks=()
		[[ $wanted != *'^in '* ]] || stacks=(--stack)
		trace-collect "${stacks[@]}" -c "$chart" -c syscall -p command --no-recorder -o all.tb -- "$build/incidents/desktop" "$name" 2>err &&
			cchart-filter --pass=all -c "$chart" --limit=100ms --only-limit all.tb >marked.tb 2>>err &&
			graph-walk -x 'at 1; culprit' marked.tb >said 2>>err
		all=$((all + 1))
		if grep -qE "$wanted" said && ! reported "$wanted"; then
			echo "$name: not in the report: $(grep -E '^(c|few)' said)"
		elif grep -qE "$wanted" said; then
			right=$((right + 1))
		elif grep -qE 'is starved|^starved: ' said && grep -q '^meanwhile ' said; then
			right=$((right + 1))
			echo "$name: had no CPU: $(grep -m1 '^meanwhile ' said)"
		else
			echo "$name: not said: $wanted"
			sed 's/^/	/' said err
		fi
	done <<<"$cases"
done
echo "$right of $all"
[ "$right" = "$all" ]
