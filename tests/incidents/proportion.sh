#!/usr/bin/env bash
# proportion.sh: logging in proportion to blame (Luo et al., USENIX ATC'18, section 1): of 200 firings, three in four blame one function and the others
# another, in random order; so must the calls be that are logged.
#
#	proportion.sh BUILD [FIRINGS]
#
# Each firing logs the most blamed function only, for the same time. Prints the calls of both, how long after the firing the first of its calls
# began, and how long after its end the probes were gone; more firings than are due mean that the machine stalled. BUILD is as for logged.sh.
# Ends with 1 unless the calls are 3:1 within 15 %. Needs root and tracefs, and five minutes.
set -u

build=$(cd "${1:?usage: proportion.sh BUILD [FIRINGS]}" && pwd) || exit 2
firings=${2:-200}
program=$build/incidents/logged/two-culprits
PATH=$build:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-proportion.XXXXXX") || exit 1
trap 'exec 3>&-; wait; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 1

cat >trigger <<-'TRIGGER'
	DEFINE TRIGGER slow ON RequestEnd R IF R.Latency > 15ms
	LOG Top(1) Method WITH ToLog=args UNTIL 900 ms
TRIGGER
mkfifo orders records
trace-collect -c "func:$program:handle(request)" -f "$program:*" -- "$program" <orders 2>collect.err | trigger-filter --rest=0s --before=100ms -T ./trigger 2>trigger.err |
	blame-rank 2>rank.err | probe-log -t 2>log.err | grep -aE --line-buffered '^(trigger|call) ' >records &
exec 3>orders 4<records

# ended: keeps the records until one says that the logging has ended; 1: none came
ended()
{
	local record

	while read -t 60 -r record <&4; do
		printf '%s\n' "$record" >>log
		[[ $record != *\ state=ended\ * ]] || return 0
	done
	echo "proportion.sh: no logging ended for a minute" >&2
	cat ./*.err >&2
	return 1
}

# How many probes the program has.
probes()
{
	grep -c "$program" /sys/kernel/tracing/uprobe_events
}

ms()
{
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

awk -v n="$firings" 'BEGIN { srand(19); for (i = 0; i < n; i++) print rand(), (i % 4 == 3 ? "user" : "post") }' | sort -n | cut -d' ' -f2 >culprits
sleep 2
own=$(probes)
while read -r culprit; do
	printf %s "${culprit:0:1}" >&3
	ended || exit 1
	begun=$(ms)
	while [ "$(probes)" -gt "$own" ]; do sleep 0.02; done
	echo $(($(ms) - begun)) >>ends
done <culprits
exec 3>&-
cat <&4 >>log

awk -v due="$firings" '
	/ state=fired / { sub("ts=", "", $2); fired = $2; firings++; awaited = 1 }
	/^call / {
		sub("start=", "", $3)
		sub(".*:", "", $5)
		calls[$5]++
		if (awaited) printf "%.0f\n", 1000 * ($3 - fired) >"delays"
		awaited = 0
	}
	END {
		ratio = calls["find_user"] ? calls["find_post"] / calls["find_user"] : 0
		printf "%d firings, %d due: %d calls of find_post, %d of find_user: %.2f:1, where 3:1 is due\n", firings, due, calls["find_post"], calls["find_user"], ratio
		exit !(ratio > 3 * 0.85 && ratio < 3 * 1.15)
	}' log
status=$?
spread()
{
	sort -n "$1" | awk -v what="$2" '{ value[NR] = $1 } END { printf "%s: %d ms in the median, %d ms at most, of %d\n", what, value[int((NR + 1) / 2)], value[NR], NR }'
}
spread delays "from a firing to its first call"
spread ends "from an end until no probe is left"
exit $status
