#!/usr/bin/env bash
# states.sh: stock servers whose states and requests are known otherwise, each with its figure.
#
#	states.sh BUILD [CASE...]	all of them, or these
#
# publish	a Redis cluster of 3 and of 6 nodes, 200 messages of 100 bytes and of 10 KiB: the bytes that the nodes received over the bus must be as
#		many as CLUSTER INFO's sends, times 2264 and the channel and the payload
# subscribers	three nodes, publishers at two, two subscribers at each: which message each subscriber got, by span-build, against what they logged
# services	20 clients at a time, threads of Python, Node, Redis: whom each call is for, against the services' own logs: none may be wrong, and of the
#		threads' calls 99 % must have a parent
# lifecycle	20,000 each of get, set, subscribe and publish, at a node of a cluster; the link to another node is slow. The pieces of each command,
#		and of the way of what was published: most of its time must be before the slow node read it, and its volume must be as published
# tls		TLS, and threads that read: clients that break off within large SETs, until the server frees one twice, which is its end (redis issue 12540).
#		The alarm must name that client, and its connection must have been read twice in the last turn of the loop, and by both threads
# link		of two links to one Redis one is slow: of each, the requests, their bytes, and who is blamed most; of the slow one it is the network
#
# Needs root and tracefs. Ends with 1 unless each is as it must be.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: states.sh BUILD [CASE...]}" && pwd) || exit 2
PATH=$build:$PATH
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-states.XXXXXX") || exit 1
cd "$work" || exit 1
servers=() collector=''

clean()
{
	for pid in ${servers[@]+"${servers[@]}"} $collector; do kill "$pid"; done 2>/dev/null
	servers=() collector=''
	ip netns del tailblame-slow
	ip link del tb-slow
	wait
} 2>/dev/null
trap 'clean; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# redis PORT OPTION...: in a folder of its own.
redis()
{
	mkdir "$1"
	redis-server --port "$@" --save '' --dir "$1" >"$1/log" 2>&1 &
	servers+=($!)
	until redis-cli -p "$1" ping 2>/dev/null | grep -q PONG; do
		kill -0 ${servers[-1]} 2>/dev/null || return 1
		sleep 0.02
	done
}

# collect OPTION...: into ./trace, until collected.
collect()
{
	timeout 120 trace-collect "$@" -o trace 2>messages &
	collector=$!
	until [ -s trace ]; do sleep 0.05; done
	sleep 2 # until the probes are there
}

collected()
{
	kill -INT "$collector"
	wait "$collector"
	collector=''
}

# sends PORT: of messages that were published.
sends()
{
	redis-cli -p "$1" cluster info | tr -d '\r' | sed -n 's/^cluster_stats_messages_publish_sent://p' | grep . || echo 0
}

# cluster FIRST NODES: at the ports from this one on.
cluster()
{
	local port

	for ((port = $1; port < $1 + $2; port++)); do redis $port --cluster-enabled yes || return 1; done
	seq -f "127.0.0.1:%.0f" $1 $(($1 + $2 - 1)) | xargs redis-cli --cluster-yes --cluster create >created || return 1
	for ((port = $1; port < $1 + $2; port++)); do
		until redis-cli -p $port cluster info | grep -q cluster_state:ok; do sleep 0.1; done
	done
}

# publish NODES BYTES
publish()
{
	local nodes=$1 bytes=$2 first=6390 before count volume payload

	cluster $first $nodes || return 1
	collect -s redis-cluster
	before=$(sends $first)
	payload=$(head -c "$bytes" /dev/zero | tr '\0' x)
	for ((count = 0; count < 200; count++)); do echo "PUBLISH chan $payload"; done | redis-cli -p $first >answers
	sleep 0.5
	count=$(($(sends $first) - before))
	collected
	state-build -s redis-cluster --text trace >states || return 1
	volume=$(awk '/^state .*\/Bus\/publish\/Bytes value=/ { split($3, path, "/"); split($4, value, "="); last[path[2]] = value[2] }
		END { for (node in last) sum += last[node]; print sum + 0 }' states)
	echo "$nodes nodes, $bytes bytes: $count sends, $volume bytes over the bus, $(awk "BEGIN { printf \"%.2f\", $volume / 200 / $bytes }") of the payload"
	[ "$count" -eq $((200 * (nodes - 1))) ] && [ "$volume" -eq $((count * (2264 + 4 + bytes))) ]
}

# subscribers PUBLISHED [older]: by each of three publishers, over connections that are older than the trace.
subscribers()
{
	local clients

	cluster 6390 3 || return 1
	[ "${2-}" ] || collect -s requests -s redis -s redis-cluster
	timeout 100 python3 "$here/states/publishers.py" log "$1" 6390 6391 6392 &
	clients=$!
	until [ -e log.ready ]; do sleep 0.05; done
	[ ! "${2-}" ] || collect -s requests -s redis -s redis-cluster
	touch log.go
	wait "$clients" || return 1
	sleep 0.1
	collected
	span-build --text -s redis -s redis-cluster trace >spans && python3 "$here/states/published.py" log <spans
}

services()
{
	redis 6395 || return 1
	node "$here/states/service.js" node.log 6395 &
	servers+=($!)
	until [ -s node.log ]; do sleep 0.05; done
	collect --slow-probes -s requests -s node
	timeout 60 python3 "$here/states/services.py" python.log "$(head -n 1 node.log)" 6395 20
	collected
	span-build --text -s node trace >spans && python3 "$here/states/judge.py" python.log node.log <spans
}

# slow_link RATE: that needs no netem in the kernel.
slow_link()
{
	ip netns add tailblame-slow && ip link add tb-slow type veth peer name tb-there netns tailblame-slow &&
		ip addr add 10.93.0.1/24 dev tb-slow && ip link set tb-slow up && ip -n tailblame-slow addr add 10.93.0.2/24 dev tb-there &&
		ip -n tailblame-slow link set lo up && ip -n tailblame-slow link set tb-there up && tc qdisc add dev tb-slow root tbf rate "$1" burst 8kb latency 400ms
}

# lifecycle REQUESTS: of each kind. The third node is behind the slow link.
lifecycle()
{
	local at=(10.93.0.1 10.93.0.1 10.93.0.2) tag=0 subscribers=() kind

	slow_link 50mbit || return 1
	for node in 0 1; do redis 639$node --cluster-enabled yes --bind 10.93.0.1 127.0.0.1 --protected-mode no || return 1; done
	mkdir 6392
	ip netns exec tailblame-slow redis-server --port 6392 --cluster-enabled yes --bind 10.93.0.2 --protected-mode no --save '' --dir 6392 >6392/log 2>&1 &
	servers+=($!)
	until redis-cli -h 10.93.0.2 -p 6392 ping 2>/dev/null | grep -q PONG; do kill -0 $! || return 1; done
	redis-cli --cluster-yes --cluster create 10.93.0.1:6390 10.93.0.1:6391 10.93.0.2:6392 >created || return 1
	for node in 0 1 2; do until redis-cli -h "${at[$node]}" -p 639$node cluster info | grep -q cluster_state:ok; do sleep 0.1; done; done
	until [ "$(redis-cli -h 10.93.0.1 -p 6390 cluster keyslot "{$tag}")" -lt 5000 ]; do tag=$((tag + 1)); done
	collect -s requests -s redis -s redis-cluster
	ip netns exec tailblame-slow redis-cli -h 10.93.0.2 -p 6392 subscribe chan >there &
	subscribers+=($!)
	redis-cli -h 10.93.0.1 -p 6391 subscribe chan >beside &
	subscribers+=($!)
	timeout 10 sh -c 'until grep -q ^subscribe there && grep -q ^subscribe beside; do sleep 0.1; done' || return 1
	for kind in "set {$tag}k 0123456789" "get {$tag}k" "subscribe other" "publish chan $(head -c 100 /dev/zero | tr '\0' x)"; do
		# shellcheck disable=SC2086 # words
		redis-benchmark -h 10.93.0.1 -p 6390 -c 20 -n "$1" -q $kind >/dev/null || return 1
	done
	timeout 60 sh -c "until [ \$(grep -c ^message there) = $1 ]; do sleep 0.2; done"
	sleep 0.1
	kill "${subscribers[@]}"
	collected
	span-build -s redis -s redis-cluster trace | blame-rank --text |
		grep -E '^span .*kind=(server|consumer)|^blame graph=[0-9]+/messages' >answer || return 1
	python3 "$here/states/lifecycle.py" "$1" 10.93.0.2:16392 $((2264 + 4 + 100)) <answer
}

# tls SECONDS: at most. A server that others keep from the CPU lives longer.
tls()
{
	local server load client fd begin turn

	openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -subj /CN=x -days 2 2>/dev/null || return 1
	nice -n -10 redis-server --port 0 --tls-port 6395 --tls-cert-file cert --tls-key-file key --tls-ca-cert-file cert --tls-auth-clients no --save '' \
		--io-threads 2 --io-threads-do-reads yes >log 2>&1 &
	server=$!
	servers+=("$server")
	until redis-cli --tls --insecure -p 6395 ping 2>/dev/null | grep -q PONG; do kill -0 $server || return 1; done
	collect -s redis
	nice -n -10 redis-benchmark --tls --insecure -p 6395 -c 60 -n 100000000 -t set -q >/dev/null 2>&1 &
	load=$!
	servers+=("$load")
	python3 "$here/states/tls.py" 6395 "$1"
	kill $load 2>/dev/null
	sleep 0.2
	collected
	grep -m 1 'is not true' log || { echo "the server lives"; return 1; }
	state-build -s redis --text trace | grep '^signal ' | tee alarm | sed -n 's/.*ts=\([0-9.]*\) .* text=/alarm at \1: /p'
	[ "$(wc -l <alarm)" = 1 ] || return 1
	# its connection was listed twice, so it was read twice in one turn of the loop, and in its life by both threads
	client=$(grep -o '0x[0-9a-f]*' alarm)
	stream-cat --text trace | grep -E "name=probe:(beforeSleep|createClient__return c=$client|freeClient c=$client fd=[0-9])" >events
	begin=$(sed -n "s/.* ts=\([0-9.]*\) .*createClient.*/\1/p" events | tail -n 1)
	turn=$(sed -n "s/.* ts=\([0-9.]*\) .*beforeSleep.*/\1/p" events | tail -n 1)
	fd=$(sed -n 's/.*freeClient.* fd=\([0-9]*\) .*/\1/p' events | tail -n 1)
	state-build -s redis -o history trace && state-query -f csv history when "Threads/*/Fd == $fd" | awk -F , -v begin="$begin" -v turn="$turn" '
		NR > 1 && $1 > begin { threads[$3]++ } NR > 1 && $1 > turn { reads++; print }
		END { for (thread in threads) count++; print reads, "reads in the last turn,", count, "threads"; exit reads < 2 || count != 2 }'
}

link()
{
	local clients=()

	slow_link 16mbit || return 1
	redis 6395 --bind 10.93.0.1 127.0.0.1 --protected-mode no || return 1
	collect -s requests
	redis-benchmark -h 127.0.0.1 -p 6395 -c 4 -d 4000 -t set,get -n 2000 -q >fast &
	clients+=($!)
	ip netns exec tailblame-slow redis-benchmark -h 10.93.0.1 -p 6395 -c 4 -d 4000 -t set,get -n 2000 -q >slow &
	clients+=($!)
	wait "${clients[@]}"
	collected
	span-build trace | blame-rank --text >answer || return 1
	python3 "$here/states/links.py" 10.93.0.1:6395 127.0.0.1:6395 <answer
}

status=0
play() # CASE ARGUMENT...
{
	[ -z "$wanted" ] || [[ " $wanted " == *" $1 "* ]] || return
	for program in $needs; do
		command -v "$program" >/dev/null || { echo "$1: skipped: needs $program"; return; }
	done
	echo "$*:"
	"$@" || { echo "$* is NOT as it must be"; status=1; }
	clean
	rm -rf "${work:?}"/*
}

wanted=$*
needs="redis-server redis-cli"
for nodes in 3 6; do
	for bytes in 100 10240; do play publish $nodes $bytes; done
done
needs="redis-server redis-cli python3" play subscribers 3000
needs="redis-server redis-cli python3" play subscribers 1000 older
needs="redis-server node python3" play services
needs="redis-server redis-cli redis-benchmark ip tc python3" play lifecycle 20000
needs="redis-server redis-cli redis-benchmark openssl python3" play tls 240
needs="redis-server redis-benchmark ip tc python3" play link
exit $status
