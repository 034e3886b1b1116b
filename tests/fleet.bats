#!/usr/bin/env bats
# run-hub and run-edge: runs of a fleet, through a NATS server that a test starts.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	command -v nats-server >/dev/null || skip "needs nats-server"
	server='' port=''
	mkdir -m 700 spool
}

# What a test has started, of which some may wait for what never comes.
teardown() {
	local pid
	for pid in $server $(jobs -p); do kill -KILL "$pid" 2>/dev/null; done
	wait
}

# try_serve: starts a server at $port, and waits until it is ready; fails if it ends instead.
try_serve() {
	: >server.log
	# shellcheck disable=SC2086
	nats-server -c server.conf -a 127.0.0.1 -p "$port" >server.log 2>&1 3>&- &
	server=$!
	until grep -q 'Server is ready' server.log; do
		kill -0 $server 2>/dev/null || return 1
		sleep 0.05
	done
}

# serve [LINE...]: a server with these lines of configuration; HUB and EDGE are commands for it. Its port is none that the kernel gives away.
serve() {
	printf '%s\n' "jetstream { store_dir: \"$PWD/js\" }" "$@" >server.conf
	for _ in {1..50}; do
		port=$((20000 + RANDOM % 10000))
		try_serve && break
	done
	url=nats://127.0.0.1:$port
	hub=(run-hub -s "$url") edge=(run-edge -s "$url" --may=may --spool=spool)
}

# The server as after a crash, at the same port.
serve_again() {
	kill -KILL "$server"
	wait "$server" || true
	until try_serve; do sleep 0.1; done
}

# runs FROM TO [NODE]
runs() {
	seq "$1" "$2" | awk -v n="${3:-k}" '{ id = n ":b:" $1 ".0:1"; printf "run id=%s node=%s job=j ts=%d elapsed=1.5 program=p\n", id, n, $1
		printf "features run=%s count.read=%d\nconfig run=%s name=sysctl.a value=%d\n", id, $1, id, $1 }'
}

# send ID SUBJECT FILE: a message of anybody, without any library.
send() {
	local size header answer
	size=$(stat -c %s "$3")
	printf -v header 'NATS/1.0\r\nNats-Msg-Id: %s\r\n\r\n' "$1"
	exec 5<>"/dev/tcp/127.0.0.1/$port"
	{
		printf 'CONNECT {"verbose":false,"headers":true}\r\nHPUB %s %d %d\r\n' "$2" ${#header} $((${#header} + size))
		printf '%s' "$header"
		cat "$3"
		printf '\r\nPING\r\n'
	} >&5
	while read -r -t 300 answer <&5; do
		case $answer in PONG*) break ;; -ERR*) fail "$answer" ;; esac
	done
	exec 5>&-
}

@test "runs of a stream reach the hub's file, once each, however often they are sent and pulled" {
	serve
	run -0 "${hub[@]}" init
	run -0 "${hub[@]}" init
	runs 1 30 | run -0 "${edge[@]}" -n k -
	run -0 "${hub[@]}" pull -o got here
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs 1 30)"
	assert_equal "$(stream-cat -t got | grep -c ^run)" 30
	runs 25 35 | run -0 "${edge[@]}" -n k -
	run -0 "${hub[@]}" pull -o got here
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs 1 35)"
	# another name has all of them; a file that has them is not added to
	run -0 "${hub[@]}" pull -o got there
	assert_equal "$(grep -c ^run got)" 35
	"${hub[@]}" pull third | run-features -t --facts=never >third
	assert_equal "$(grep -c ^run third)" 35
}

@test "what a crash of the hub left of a run is cut off, and the run comes again" {
	serve
	"${hub[@]}" init
	runs 1 3 | "${edge[@]}" -n k -
	"${hub[@]}" pull -o got here
	head -c -20 got >torn
	run -0 "${hub[@]}" pull -o torn anew
	diff torn got
	printf 'no stream\n' >other
	run -1 "${hub[@]}" pull -o other anew
	assert_output "run-hub: 'other' has no runs of a fleet in it"
	assert_equal "$(cat other)" "no stream"
}

@test "server, hub and edge are killed again and again: every run arrives, none twice" {
	serve
	"${hub[@]}" init
	runs 1 150 >in
	start_edge() { "${edge[@]}" -n k in 2>>edge.log 3>&- & edge_pid=$!; }
	start_hub() { "${hub[@]}" pull --follow -o got here 2>>hub.log 3>&- & hub_pid=$!; }
	begun() { [ -n "$(find spool/runs -type f -print -quit 2>/dev/null)" ]; }
	start_edge
	start_hub
	for i in 1 2 3 4; do
		until_true 300 begun
		kill -KILL $edge_pid && wait $edge_pid || true
		start_edge
		serve_again
		sleep 0.$((i * 2))
		kill -KILL $hub_pid && wait $hub_pid || true
		start_hub
	done
	wait $edge_pid
	all() { [ "$(grep -c '^run ' got)" -ge 150 ]; }
	until_true 300 all
	kill $hub_pid
	assert_equal "$(grep '^run ' got | sort -u | wc -l)" 150
	assert_equal "$(grep -c '^run ' got)" 150
}

@test "a full server: the edge keeps its runs, and sends them when there is room" {
	serve
	"${hub[@]}" init --size=8k
	runs 1 60 | "${edge[@]}" -n k - 2>log 3>&- &
	until_true 300 grep -q 'error 10077' log
	"${hub[@]}" init --size=1M
	wait $!
	run -0 "${hub[@]}" pull -o got here
	assert_equal "$(grep -c ^run got)" 60
}

@test "a full spool: the oldest runs go, and that is told" {
	serve
	"${hub[@]}" init
	runs 1 30 >in
	run -3 "${edge[@]}" -n k --size=1500 in
	assert_output --regexp 'run-edge: dropped [0-9]+ runs, for its spool was full'
	run -3 --separate-stderr "${hub[@]}" pull -o got here
	assert_regex "$stderr" 'run-hub: tb.told.=.k: dropped [0-9]+ runs'
	dropped=$(cat spool/dropped)
	assert [ "$dropped" -ge 10 ]
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs $((dropped + 1)) 30)"
}

@test "messages that are no runs are passed over, counted and told; those of another machine, too" {
	command -v zstd >/dev/null || skip "needs zstd"
	serve
	"${hub[@]}" init
	head -c 4000 /dev/urandom >junk
	runs 1 1 >other
	{ runs 2 2; runs 2 2; } >twice
	runs 3 3 | sed 's/count.read=3/count.read=nan/' >nan
	head -c 9000000 /dev/zero >large
	printf 'signal id=1 ts=2 chart=block\n' >signal
	printf 'told id=x node=n job=j text="\\x1b[2J"\n' >escape
	zstd -q --rm other twice nan large signal escape
	for file in *.zst; do mv "$file" "${file%.zst}"; done
	: >empty
	send a tb.run.j.n junk
	send b tb.run.j.n other
	send c tb.run.j.k twice
	send d tb.run.j.k nan
	send e tb.run.j.k large
	send f tb.run.j.k signal
	send g tb.run.j.k empty
	send h tb.told.j.n escape
	send i tb.run.j.k other
	send k tb.log.j.n other
	run -3 --separate-stderr "${hub[@]}" pull -o got here
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs 1 1)"
	assert_equal "$(grep -c 'passed over a message of tb.run.j' <<<"$stderr")" 7
	assert_regex "$stderr" "tb.run.j.n: its run is of another machine or job"
	assert_regex "$stderr" "tb.run.j.k: the run 'k:b:2.0:1' comes twice|tb.run.j.k: it has more than one run"
	assert_regex "$stderr" "tb.told.j.n: .x1b.2J"
}

@test "TLS: the server's host is verified; a login may publish what is its own, and a refusal is told" {
	command -v openssl >/dev/null || skip "needs openssl"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=hub \
		-addext subjectAltName=DNS:localhost 2>/dev/null
	serve "tls { cert_file: \"$PWD/cert.pem\", key_file: \"$PWD/key.pem\", timeout: 300 }" 'authorization { timeout: 300, users: [ {user: hub, password: h},' \
		'{user: k, password: secret, permissions: { publish: ["tb.run.*.k", "tb.told.*.k", "$JS.API.STREAM.MSG.GET.KV_tailblame"],' \
		'subscribe: ["_INBOX_k.>", "$KV.tailblame.orders"]}} ] }'
	echo hub h >hub.login
	echo k secret >k.login
	echo k wrong >wrong.login
	run -0 run-hub -s "tls://localhost:$port" --ca=cert.pem --login=hub.login init
	run -1 run-hub -s "tls://127.0.0.1:$port" --ca=cert.pem --login=hub.login orders
	assert_output --partial "cannot connect to 'tls://127.0.0.1:$port'"
	run -1 run-hub -s "tls://localhost:$port" --login=hub.login orders
	assert_output --partial "cannot connect to 'tls://localhost:$port'"
	run -1 run-hub -s "tls://localhost:$port" --ca=cert.pem --login=wrong.login orders
	assert_output --partial "Authorization"
	refute_output --partial "k wrong"
	edge=(run-edge -s "tls://localhost:$port" --ca=cert.pem --login=k.login --spool=spool)
	runs 1 3 | run -0 "${edge[@]}" -n k -
	runs 4 4 other | "${edge[@]}" -n k - 2>log 3>&- &
	until_true 300 grep -q 'Permissions Violation for Publish to "tb.log.j.k"' log
	kill $!
	run -0 run-hub -s "tls://localhost:$port" --ca=cert.pem --login=hub.login pull -o got here
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs 1 3)"
}

@test "orders are listed, replaced and cancelled; bad ones are refused" {
	serve
	run -1 "${hub[@]}" orders
	assert_output --partial "run-hub init"
	"${hub[@]}" init
	run -0 "${hub[@]}" orders
	assert_output ""
	run -0 "${hub[@]}" order wget --until=2030-01-01 --runs=5 --nodes='kiosk*'
	run -0 "${hub[@]}" order sqlite3 --until=2030-01-01T05:30 --light
	run -0 "${hub[@]}" orders
	assert_line "wget: 5 runs, full, on 'kiosk*', until 2030-01-01T00:00Z"
	assert_line "sqlite3: 20 runs, light, on '*', until 2030-01-01T05:30Z"
	run -0 "${hub[@]}" order wget --until=2030-01-01 --runs=7
	run -0 "${hub[@]}" cancel sqlite3
	run -0 "${hub[@]}" orders
	assert_output "wget: 7 runs, full, on '*', until 2030-01-01T00:00Z"
	run -1 "${hub[@]}" cancel sqlite3
	assert_output "run-hub: there is no order 'sqlite3'"
	run -2 "${hub[@]}" order wget
	run -2 "${hub[@]}" order wget --until=soon
	run -2 "${hub[@]}" fetch
	assert_line --partial "there is no command 'fetch'"
	echo 'size read' >none.job
	run -1 "${hub[@]}" order ./none.job --until=1h
	run -1 run-hub -s nats://127.0.0.1:1 orders
	assert_output --partial "cannot connect to 'nats://127.0.0.1:1'"
}

@test "an edge refuses what its own file does not list, and tells the hub" {
	serve
	"${hub[@]}" init
	echo 'program curl' >may
	"${hub[@]}" order wget --until=1h
	"${hub[@]}" order wget --until=1h --nodes=nobody
	"${edge[@]}" -n k 2>log 3>&- &
	edge_pid=$!
	until_true 300 test -s spool/orders
	refute grep -q wget log
	"${hub[@]}" order wget --until=1h
	until_true 300 grep -q "run-edge: 'program wget' may not be recorded here" log
	told() { run -3 "${hub[@]}" pull here && [[ $output == *"tb.told.wget.k: 'program wget' may not be recorded here"* ]]; }
	until_true 300 told
	kill $edge_pid
	wait $edge_pid
	chmod g+w spool
	run -1 "${edge[@]}" -n k
	assert_output "run-edge: others can write to 'spool', or it is another user's"
	echo 'program w*t' >may
	run -1 "${edge[@]}" -n k
	assert_output --partial "may:1: a name is whole, or ends in '*', unlike 'w*t'"
}

# bats test_tags=live
@test "an order's runs are recorded where they are, and reach the hub" {
	need_tracefs
	serve
	"${hub[@]}" init
	cp /bin/true tbfleet
	cp /bin/sleep tblight
	printf 'program tbfleet\nsysctl kernel.ostype\nsysctl net.*\n' >tbfleet.job
	echo 'program tblight' >tblight.job
	printf 'program tbfleet tblight\nsysctl kernel.*\n' >may
	"${edge[@]}" -n k 2>log 3>&- &
	edge_pid=$!
	"${hub[@]}" order ./tbfleet.job --until=1h --runs=1000
	"${hub[@]}" order ./tblight.job --until=1h --runs=1000 --light
	# collectors trace when they read their rings
	traces() { [ "$(pgrep -c -P $edge_pid -x trace-collect)" = 2 ] && for pid in $(pgrep -P $edge_pid -x trace-collect); do [ -n "$(find /proc/"$pid"/fd -lname '*trace_pipe_raw' -print -quit)" ] || return; done; }
	until_true 300 traces
	for i in 1 2 3; do ./tbfleet; done
	./tblight 60 3>&- &
	executed() { [ "$(cat /proc/$!/comm)" = tblight ]; }
	until_true 300 executed
	kill $!
	wait $! || true
	"${hub[@]}" cancel tbfleet
	"${hub[@]}" cancel tblight
	pulled() { "${hub[@]}" pull -o got here 2>told; [ "$(grep -c '^run ' got)" -ge 4 ]; }
	until_true 300 pulled
	run -0 grep -c '^run .* node=k job=tbfleet .* program=tbfleet exit=0 children=no$' got
	assert_output 3
	assert_equal "$(grep -c '^run .* job=tblight .* program=tblight exit=143 light=yes$' got)" 1
	assert_equal "$(grep -c 'name=sysctl.kernel.ostype value=Linux' got)" 3
	refute grep -q 'sysctl.net' got
	counts_gone() { [ -z "$(find spool -name 'count-*' -print -quit)" ]; }
	until_true 300 counts_gone
	grep -q 'left out, for it may not be recorded here: sysctl net' told log
	kill $edge_pid
	wait $edge_pid
}
