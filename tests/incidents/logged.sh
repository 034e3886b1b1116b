#!/usr/bin/env bash
# logged.sh: the cases of AUDIT (Luo et al., USENIX ATC'18, table 1) as live programs: the log of the calls of blamed functions must hold the guilty
# argument and result.
#
#	logged.sh BUILD [NAME...]	all of them, or these
#
# BUILD is where the commands were built, and in incidents/logged the programs. Needs root and tracefs. Ends with 1 unless all are found.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: logged.sh BUILD [NAME...]}" && pwd) || exit 2
PATH=$build:$PATH
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-logged.XXXXXX") || exit 1
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 1

# record NAME CONDITION METRICS EXPRESSION COUNT: until a call of a request that matched matches the expression so often, or 30 seconds are over
record()
{
	local name=$1 exceptions=() asks log i

	[[ $2 != ON\ Exception* ]] || exceptions=(--exceptions c++)
	printf 'DEFINE TRIGGER %s %s\nLOG RequestActivity, Top(5) Methods WITH ToLog=%s UNTIL 10000 Match OR 10 min\n' "$name" "$2" "$3" >trigger
	rm -f on
	mkfifo on
	sleep 60 >on &
	asks=$!
	trace-collect -c "func:$build/incidents/logged/$name:handle(request,ret)" -f "$build/incidents/logged/$name:*" "${exceptions[@]}" \
		-- "$build/incidents/logged/$name" <on 2>collect.err | trigger-filter -T ./trigger 2>trigger.err | blame-rank 2>rank.err |
		probe-log -t >out 2>log.err &
	log=$!
	for ((i = 0; i < 60 && $(guilty "$4" | sort | uniq -c | awk -v n="$5" '$1 >= n' | wc -l) == 0; i++)); do sleep 0.5; done
	kill $asks 2>/dev/null
	wait $log
}

# guilty EXPRESSION: the requests of the calls that match it
guilty()
{
	grep -sa '^call .* match=yes ' out | grep -aE -- "$1" | grep -ao ' request=[0-9]*'
}

# play NAME CONDITION METRICS EXPRESSION [COUNT]
play()
{
	local most first

	record "$1" "$2" "$3" "$4" "${5:-1}"
	most=$(guilty "$4" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')
	first=$(awk '/^trigger .*state=fired/ { sub("ts=", "", $2); fired = $2 } /^call / { sub("start=", "", $3); if (!start || $3 < start) start = $3 }
		END { printf "%.0f ms", 1000 * (start - fired) }' out)
	if [ "${most:-0}" -lt "${5:-1}" ]; then
		printf '%-15s %s\n' "$1" "not found"
		cat ./*.err
		return 1
	fi
	printf '%-15s found, %s after the firing: %s\n' "$1" "$first" "$(grep -am1 -E -- "$4" out | sed 's/^call .* function=/function=/' | cut -c1-100)"
}

tried=0 found=0
while IFS=$'\t' read -r name condition metrics expression count; do
	[[ $name != '#'* ]] || continue
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	tried=$((tried + 1))
	play "$name" "$condition" "$metrics" "$expression" "$count" && found=$((found + 1))
done <"$here/logged/expected"
echo "the guilty argument and result found in $found of $tried"
[ "$tried" -gt 0 ] && [ "$found" = "$tried" ]
