#!/usr/bin/env bash
# fleet.sh: server, hub and edge are killed a hundred times, one of the three at random each time; says how many runs arrived, and how often.
#
#	fleet.sh BUILD
#
# Ends with 1 unless each run arrived once. SEED (1) decides who is killed, and when.
set -u

build=$(cd "${1:?usage: fleet.sh BUILD}" && pwd) || exit 2
PATH=$build:$PATH
KILLS=100 RUNS=3000
RANDOM=${SEED:-1}
"$(dirname "$0")/../deps.sh" nats-server || { echo "fleet: skipped: needs nats-server"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-fleet.XXXXXX") || exit 1
cd "$work" || exit 1
server='' edge='' hub=''

clean()
{
	for pid in $server $edge $hub; do kill -KILL "$pid"; done 2>/dev/null
	wait 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

# start_server: at $port; fails if it ends instead, as where the port is another's
start_server()
{
	: >server.log
	nats-server -js -sd js -a 127.0.0.1 -p "$port" >server.log 2>&1 &
	server=$!
	until grep -q 'Server is ready' server.log; do
		kill -0 $server 2>/dev/null || return 1
		sleep 0.02
	done
}

# The edge begins anew with all runs each time: those that were sent are sent again, under the same names.
start_edge()
{
	run-edge -s "$url" --may=may --spool=spool -n k runs 2>>edge.log &
	edge=$!
}

start_hub()
{
	run-hub -s "$url" pull --follow -o got here 2>>hub.log &
	hub=$!
}

arrived() { grep -c '^run ' got 2>/dev/null; }

for ((try = 0; ; try++)); do
	port=$((20000 + $$ % 5000 + try * 7))
	start_server && break
	[ $try -lt 50 ] || { echo "fleet: no port is free"; exit 1; }
done
url=nats://127.0.0.1:$port
run-hub -s "$url" init || exit 1
seq $RUNS | awk '{ id = "k:b:" $1 ".0:1"; printf "run id=%s node=k job=j ts=%d elapsed=1.5 program=p\nfeatures run=%s count.read=%d\n", id, $1, id, $1 }' >runs
start=$EPOCHREALTIME
start_edge
start_hub
for ((kills = 0; kills < KILLS; kills++)); do
	sleep "0.$((RANDOM % 40 + 10))"
	case $((RANDOM % 3)) in
	0) kill -KILL $server && wait $server; until start_server; do sleep 0.05; done ;;
	1) kill -KILL $edge; wait $edge; start_edge ;;
	2) kill -KILL $hub; wait $hub; start_hub ;;
	esac 2>/dev/null
done
end=$((SECONDS + 600))
until [ "$(arrived)" -ge $RUNS ] || [ $SECONDS -ge $end ]; do sleep 0.2; done
wait $edge
# What is still to be acknowledged comes again, and is not written again.
kill $hub
wait $hub 2>/dev/null
run-hub -s "$url" pull -o got here || exit 1
once=$(grep '^run ' got | sort -u | wc -l)
printf 'fleet: %d kills of server, hub and edge: %d of %d runs arrived, %d twice, %.1f s\n' $KILLS "$once" $RUNS $(($(arrived) - once)) \
	"$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
[ "$once" -eq $RUNS ] && [ "$(arrived)" -eq $RUNS ]
