#!/usr/bin/env bash
# run.sh: plays the incidents of this directory live and tells how often the planted culprit is blamed.
#
#	run.sh [-v] BUILD [NAME...]	all of them, or these; -v prints each report that blames somebody else
#
# BUILD is where the commands and the programs were built. Needs root and tracefs. Ends with 1 unless every culprit
# comes first.
set -u

here=$(cd "$(dirname "$0")" && pwd)
verbose=
if [ "${1-}" = -v ]; then
	verbose=yes
	shift
fi
build=$(cd "${1:?usage: run.sh [-v] BUILD [NAME...]}" && pwd) || exit 2
PATH=$build:$PATH
shift

# shellcheck source=tests/incidents/loop.sh
. "$here/loop.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-incidents.XXXXXX") || exit 1
trap 'loop_end; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# The names blamed over all graphs, first to last; a lone graph has no total.
blamed_names()
{
	local graph=1
	grep -q '^blame graph=total ' "$1" && graph=total
	sed -nE "s/^blame graph=$graph .* name=(\"([^\"]*)\"|([^ ]*)).*/\2\3/p" "$1"
}

# The place of the first name that is wholly matched by the pattern; "-" if there is none.
rank_of()
{
	grep -nxE -m1 -- "$2" "$1" | cut -d: -f1 | grep . || echo -
}

# What is not installed of what a script of the folder stock/ starts; 1 if there is some.
stock_needs()
{
	local words

	read -r -a words <<<"$1"
	"$here/stock/${words[1]}.sh" needs
}

play()
{
	local name=$1 command=$2 pattern=$3 options=$4 told=$5 program start seconds rank lacking

	if [[ $command == "stock "* ]] && ! lacking=$(stock_needs "$command"); then
		printf '%-18s %s\n' "$name" "skipped: $lacking"
		return
	fi
	if [[ $command == *LOOP* ]]; then
		[ -n "$loop" ] || loop_begin mq-deadline || return 1
		command=${command/LOOP/$loop}
	fi
	read -r -a program <<<"$command"
	[ "${program[0]}" = stock ] && program[1]=$here/stock/${program[1]}.sh
	program[0]=$build/incidents/${program[0]}
	start=$EPOCHREALTIME
	# On a machine of two CPUs, whoever reads what is traced would keep the incident from one of them.
	# shellcheck disable=SC2086 # a list of words
	trace-collect $options -c "func:${program[0]}:request" -- "${program[@]}" 2>"$work/errors" |
		nice -n 10 cchart-filter 2>>"$work/errors" | blame-rank 2>>"$work/errors" >"$work/stream"
	stream-cat --text "$work/stream" >"$work/text" 2>>"$work/errors"
	blamed_names "$work/text" >"$work/names"
	seconds=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
	rank=$(rank_of "$work/names" "$pattern")
	if [ -n "$told" ] && ! COLUMNS=1000 report "$work/stream" 2>>"$work/errors" | grep -qE -- "$told"; then
		rank='who?' # the process is not told
	fi

	printf '%-18s %-48s %-48s %4s %5s s\n' "$name" "$pattern" "$(head -n1 "$work/names" | grep . || echo nobody)" \
		"$rank" "$seconds"
	count=$((count + 1))
	[ "$rank" = 1 ] && first=$((first + 1))
	[[ $rank == [123] ]] && among_three=$((among_three + 1))
	if [ "$rank" != 1 ] && [ -n "$verbose" ]; then
		cat "$work/errors"
		report "$work/stream"
	fi
}

count=0 first=0 among_three=0
printf '%-18s %-48s %-48s %4s %7s\n' incident culprit 'blamed first' rank time
while IFS=$'\t' read -r name command pattern options told <&3; do
	[ "$options" != - ] || options=
	[[ -z $name || $name == \#* ]] && continue
	[[ $# -gt 0 && " $* " != *" $name "* ]] && continue
	play "$name" "$command" "$pattern" "$options" "$told"
done 3<"$here/expected"

echo "culprit first in $first of $count, among the first three in $among_three"
[ "$count" -gt 0 ] && [ "$first" -eq "$count" ]
