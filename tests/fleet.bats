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

# serve_somewhere: a server with server.conf. Its port is none that the kernel gives away.
serve_somewhere() {
	for _ in {1..50}; do
		port=$((20000 + RANDOM % 10000))
		try_serve && break
	done
}

# serve [LINE...]: a server with these lines of configuration; HUB and EDGE are commands for it.
serve() {
	printf '%s\n' "jetstream { store_dir: \"$PWD/js\" }" "$@" >server.conf
	serve_somewhere
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

# send ID SUBJECT FILE [REPLY]: a message of anybody, or with $login, without any library.
send() {
	local size header answer
	size=$(stat -c %s "$3")
	printf -v header 'NATS/1.0\r\nNats-Msg-Id: %s\r\n\r\n' "$1"
	exec 5<>"/dev/tcp/127.0.0.1/$port"
	{
		printf 'CONNECT {"verbose":false,"headers":true%s}\r\nHPUB %s %d %d\r\n' "${login:+,$login}" "$2${4:+ $4}" ${#header} $((${#header} + size))
		printf '%s' "$header"
		cat "$3"
		printf '\r\nPING\r\n'
	} >&5
	while read -r -t 300 answer <&5; do
		case $answer in PONG*) break ;; -ERR*) fail "$answer" || return ;; esac
	done
	exec 5>&-
}

# two_accounts NODE: the configuration of tailblame-stream(5), with passwords h and secret.
two_accounts() {
	sed -n '/^accounts {/,/^\.Ed/p' "$TOP/man/tailblame-stream.5" | sed "/^\.Ed/d; s/user: hub, password: \"...\"/user: hub, password: h/
		s/\"...\"/secret/; s/kiosk7/$1/g"
	echo hub h >hub.login
	echo "$1" secret >"$1.login"
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
	for text in 'no stream\n' 'no stream, and no end of its line'; do
		# shellcheck disable=SC2059
		printf "$text" | tee other >same
		run -1 "${hub[@]}" pull -o other anew
		assert_output "run-hub: 'other' has no runs of a fleet in it"
		diff other same
	done
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
	assert_output --regexp 'run-edge: dropped [0-9]+ messages, because its spool was full'
	run -3 --separate-stderr "${hub[@]}" pull -o got here
	assert_regex "$stderr" 'run-hub: tb.told.=.k: dropped [0-9]+ messages'
	dropped=$(cat spool/dropped)
	assert [ "$dropped" -ge 10 ]
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs $((dropped + 1)) 30)"
}

@test "the edge sends in its part of the day only, and no faster than it may" {
	serve
	"${hub[@]}" init
	runs 1 20 >in
	minute() { date -d "$1 min" +%H:%M; }
	"${edge[@]}" -n k --window="$(minute 60)-$(minute 120)" in 2>log 3>&- &
	waiting() { [ "$(find spool/runs -name '*.run' | wc -l)" = 20 ]; }
	until_true 300 waiting
	until_true 300 test -e spool/orders
	# it has looked at the orders again, so it might have sent meanwhile
	"${hub[@]}" order wget --until=1h
	until_true 300 grep -q job=wget spool/orders
	"${hub[@]}" cancel wget
	until_true 300 eval '! grep -q job=wget spool/orders'
	assert waiting
	kill $!
	wait $! || true
	run -0 "${hub[@]}" pull here
	assert_output ""
	size=$(find spool/runs -name '*.run' -printf '%s\n' | awk '{ n += $1 } END { print n }')
	start=$EPOCHREALTIME
	"${edge[@]}" -n k --window="$(minute -60)-$(minute 10)" --rate="$size" in
	end=$EPOCHREALTIME
	# each of them was put into the spool twice: twice the size, a second each
	assert [ $(((${end/[.,]/} - ${start/[.,]/}) / 1000)) -ge 1800 ]
	"${hub[@]}" pull -o got here
	assert_equal "$(grep -c '^run ' got)" 20
	run -2 "${edge[@]}" --window=25:00-01:00 in
	run -2 "${edge[@]}" --window=1-2 in
	run -2 "${edge[@]}" --rate=fast in
}

@test "a run of more features and settings than there can be is passed over; one of as many as may be is not" {
	command -v zstd >/dev/null || skip "needs zstd"
	serve
	"${hub[@]}" init
	for most in 16383 16384; do
		runs $most $most >run.$most
		# it has a feature and a setting already
		seq 2 $most | awk -v id=k:b:$most.0:1 '{ printf "config run=%s name=a%d value=1\n", id, $1 }' >>run.$most
		zstd -qf run.$most -o message
		send $most tb.run.j.k message
	done
	run -3 --separate-stderr "${hub[@]}" pull -o got here
	assert_equal "$stderr" "run-hub: passed over a message of tb.run.j.k: it has more than 16384 features and settings"
	diff <(grep -v '^stream\|^end' got) run.16383
}

@test "a message with the id of another machine's run is passed over, told once, and that run arrives" {
	command -v zstd >/dev/null || skip "needs zstd"
	serve
	"${hub[@]}" init
	for i in 1 2 3; do
		runs $i $i | sed "s/^run \(.*\) node=k/run \1 node=n/" >plain
		zstd -qf plain -o forged
		send "f$i" tb.run.j.n forged
		run -3 "${hub[@]}" pull -o got forged
		assert_output "run-hub: passed over a message of tb.run.j.n, and all like it of this machine: its id is that of another machine"
	done
	runs 1 3 | "${edge[@]}" -n k -
	run -3 --separate-stderr "${hub[@]}" pull -o got here
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs 1 3)"
	assert_equal "$(grep -c 'of another machine' <<<"$stderr")" 1
	# nor does the server drop a run because another machine has sent something with its id
	runs 4 4 >plain
	zstd -qf plain -o plain.zst
	send k:b:4.0:1 tb.run.j.n plain.zst
	runs 4 4 | "${edge[@]}" -n k -
	run -3 "${hub[@]}" pull -o got here
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs 1 4)"
	assert_equal "$(stat -c '%a %s' spool/secret)" "600 32"
	# a long name is cut in ids
	long=$(printf 'a%.0s' {1..203})
	runs 1 1 "$long" | sed "s/a\{3\}:b:/:b:/g" >cut.run
	"${edge[@]}" -n "$long" cut.run
	run -3 "${hub[@]}" pull -o longer there --nodes='a*'
	assert_equal "$(grep -v '^stream\|^end' longer)" "$(<cut.run)"
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
	printf 'told id=n:j:x node=n job=j text="\\x1b[2J"\n' >escape
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
	assert_regex "$stderr" "tb.run.j.n: it is of another machine or job"
	assert_regex "$stderr" "tb.run.j.k: the run 'k:b:2.0:1' comes twice|tb.run.j.k: it has more than one run"
	assert_regex "$stderr" "tb.told.j.n: .x1b.2J"
}

# bats test_tags=long
@test "TLS: the server's host is verified; a login may publish what is its own, and a refusal is told" {
	command -v openssl >/dev/null || skip "needs openssl"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=hub \
		-addext subjectAltName=DNS:localhost 2>/dev/null
	serve "tls { cert_file: \"$PWD/cert.pem\", key_file: \"$PWD/key.pem\", timeout: 300 }" 'authorization { timeout: 300 }' "$(two_accounts k)"
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

@test "a machine cannot have the server purge the stream, or write the orders, by the subject that it names for an answer" {
	serve "$(two_accounts k)"
	"${hub[@]}" --login=hub.login init
	"${hub[@]}" --login=hub.login order wget --until=1h
	runs 1 3 | run -0 "${edge[@]}" --login=k.login -n k -
	grep -q job=wget spool/orders
	"${hub[@]}" --login=hub.login orders >before
	echo junk >junk
	login='"user":"k","pass":"secret"'
	send a tb.run.j.k junk '$JS.API.STREAM.PURGE.tailblame'
	send b tb.run.j.k junk '$KV.tailblame.orders'
	for subject in '$JS.API.STREAM.PURGE.tailblame' '$KV.tailblame.orders' '$JS.API.STREAM.MSG.GET.KV_tailblame' tb.run.j.other; do
		run ! send c "$subject" junk
		assert_output --partial "Permissions Violation"
	done
	run -0 "${hub[@]}" --login=hub.login orders
	assert_output "$(<before)"
	run -3 "${hub[@]}" --login=hub.login pull -o got here
	assert_equal "$(grep -v '^stream\|^end' got)" "$(runs 1 3)"
}

@test "a machine in the hub's own account gets the orders, and says what it could do" {
	serve 'authorization { users: [ {user: hub, password: h},' \
		'{user: k, password: secret, permissions: { publish: ["tb.run.*.k", "$JS.API.STREAM.MSG.GET.KV_tailblame"],' \
		'subscribe: ["_INBOX_k.>", "$KV.tailblame.orders"]}} ] }'
	two_accounts k >unused
	"${hub[@]}" --login=hub.login init
	"${edge[@]}" --login=k.login -n k 2>log 3>&- &
	until_true 300 grep -q "run-edge: this machine has the hub's account on the server, and so could change the orders" log
	"${hub[@]}" --login=hub.login order wget --until=1h
	until_true 300 grep -q job=wget spool/orders
	until_true 300 grep -q 'program wget' log
	assert_equal "$(grep -vc "hub's account\|program wget\|told" log)" 0
	kill $!
	wait $!
}

@test "the five commands that run-hub(1) begins with start a server with TLS and a login" {
	command -v openssl >/dev/null || skip "needs openssl"
	sed -n '/^\.Bd/,/^\.Ed/p; /^\.Ed/q' "$TOP/man/run-hub.1" | sed "/^\./d; s/\\\\e/\\\\/g; s/hub\.example\.org/localhost/; s,/var/lib/nats,$PWD/js," >commands
	assert_equal "$(grep -c '^# ' commands)" 5
	# the handshake may take longer on a machine that has other work, and the port is one that is free
	sed -n '/nats-server/q; s/^# //; p' commands | sed 's/tls {/tls {timeout: 300, /; s/accounts {/authorization {timeout: 300}, &/' >prepare
	bash -e prepare 2>openssl.log
	assert_equal "$(grep '^# nats-server' commands)" "# nats-server -c nats.conf &"
	mv nats.conf server.conf
	serve_somewhere
	last=$(sed -n '$s/^# //p' commands)
	assert_equal "$last" "run-hub -s tls://localhost --ca=ca.pem --login=login init"
	run -0 bash -c "${last/localhost/localhost:$port}"
	run -0 run-hub -s "tls://localhost:$port" --ca=ca.pem --login=login orders
	run -1 run-hub -s "tls://localhost:$port" --ca=ca.pem orders
	assert_equal "$(stat -c %a login key.pem server.conf | sort -u)" 600
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

@test "orders that are malformed, too large, or not fit for a terminal do no harm, and the next order mends them" {
	serve 'max_payload: 4MB'
	"${hub[@]}" init
	"${hub[@]}" order wget --until=1h
	"${edge[@]}" -n k 2>log 3>&- &
	until_true 300 grep -q job=wget spool/orders
	cp spool/orders good
	echo '{"stream":"tailblame", "seq":1}' >malformed
	send a '$KV.tailblame.orders' malformed
	until_true 300 grep -q 'run-edge: the orders on the server are malformed, so those before hold: ' log
	diff good spool/orders
	run -1 "${hub[@]}" orders
	run -0 "${hub[@]}" cancel nothing
	assert_output --partial "run-hub: the orders on the server were malformed, and are gone: "
	run -0 "${hub[@]}" orders
	assert_output ""
	send b '$KV.tailblame.orders' malformed
	run -0 "${hub[@]}" order wget --until=1h
	assert_output --partial "run-hub: the orders on the server were malformed, and are gone: "
	run -0 "${hub[@]}" order wget --until=1h --runs=7
	assert_output ""
	until_true 300 grep -q runs=7 spool/orders
	cp spool/orders good
	# a server that is not init's
	: >empty
	echo '{"name":"KV_tailblame","subjects":["$KV.tailblame.>"]}' >stream
	send c '$JS.API.STREAM.DELETE.KV_tailblame' empty
	send d '$JS.API.STREAM.CREATE.KV_tailblame' stream
	yes 'other x' | head -c 1048577 >large
	send e '$KV.tailblame.orders' large
	until_true 300 grep -q 'run-edge: the orders on the server have more than 1048576 bytes' log
	diff good spool/orders
	run -1 "${hub[@]}" orders
	assert_output --partial "have more than 1048576 bytes"
	sed 's/nodes=\*/nodes="\\x1b[2J"/' good >escape
	send f '$KV.tailblame.orders' escape
	run -0 "${hub[@]}" orders
	assert_output --partial "on '\x1b[2J', until"
	kill $!
	wait $!
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
	# a client in a server's log is an address
	"${hub[@]}" order wget --until=1h --nodes="$(ip -o address show scope global 2>/dev/null | awk '{ sub("/.*", "", $4); print $4; exit }' | grep . || echo '*')"
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

# hour FILE SECOND NAME...: an hour file that comes whole, in which a waits for a second for the disk of NAME, each in its own window.
hour() {
	records "${@:2}" >records
	zstd -qf records -o draft
	mv draft "$1"
}

records() {
	local at=$1 i=0
	printf 'stream version=1 host=%s kernel=6 clock=mono wall=%d boot=b\n' "$(hostname)" "$at"
	printf 'task ts=0 tid=7 comm=a tgid=7 program=/secret/program title="secret title"\ndevice dev=7:0 name=loop0 scheduler=secret\n'
	shift
	for name; do
		i=$((i + 1))
		cat <<-END
			event ts=$i.1 tid=7 comm=a name=secret:event x=1
			signal id=$i ts=$((i + 1)) start=$i chart=own key="secret key" value=1 center=0.1 ucl=0.2 rules=1 tid=7 comm=a path=/secret/shown
			graph id=$i window=$i signal=$i kind=wake target=2 from=$i to=$((i + 1))
			node graph=$i id=1 deed=service who=$name request=read dev=7:0 tid=8 start=$i end=$i.75 what=service sector=4711
			node graph=$i id=2 deed=run who=a tid=7 start=$i.75 end=$((i + 1)) what=run
			edge graph=$i from=1 to=2 kind=seq
			window id=$i from=$i to=$((i + 1)) signals=$i-$i complete=yes
		END
	done
}

ranked() { [ "$(cat "spool.$1/moments" 2>/dev/null)" = "$2" ]; }
hub_has() { "${hub[@]}" pull --moments -o got here && [ "$(grep -c '^stream' got)" -ge "$1" ]; }

@test "what was slow reaches the hub from hour files, without what is the machine's own" {
	command -v zstd >/dev/null || skip "needs zstd"
	serve
	"${hub[@]}" init
	mkdir -m 700 hours.k1 hours.k2
	for host in k1 k2; do
		run-edge -s "$url" -n $host --may=may --spool=spool.$host --moments=hours.$host 2>>log 3>&- &
		edges+=($!)
	done
	hour hours.k1/2026-11-18-110000.tb.zst 1795000000 old old
	until_true 300 ranked k1 2026-11-18-110000.tb.zst
	hour hours.k1/2026-11-18-120000.tb.zst 1795003600 new old new
	hour hours.k2/2026-11-18-120000.tb.zst 1795003600 new new
	echo "half an hour" >hours.k2/2026-11-18-130000.tb
	until_true 300 ranked k1 $'2026-11-18-110000.tb.zst\n2026-11-18-120000.tb.zst'
	until_true 300 hub_has 3
	assert_equal "$(sed -nE 's/^stream version=1 host=([^ ]*) .*moments=([^ ]*)$/\1 \2/p' got | sort)" \
		$'k1 k1:2026-11-18-110000:1\nk1 k1:2026-11-18-120000:1\nk2 k2:2026-11-18-120000:1'
	refute grep -q 'secret\|4711\|^event\|^task\|^node' got
	assert_equal "$(grep -c '^signal .* chart=own .* comm=a$' got)" 7
	run -0 report got
	assert_line --partial "4/7        3.000 s   42.9 %  new: read of loop0 in service, on 2 of 2 hosts,"
	assert_line --partial "old: read of loop0 in service, on 1 of 2 hosts,"
	assert_equal "$(report -f json got | tr -d ' \n' | grep -o '"hosts":[0-9],"since":"[^"]*"' | head -n2)" \
		$'"hosts":2,"since":"2026-11-18T12:06:41.000000000Z"\n"hosts":1,"since":"2026-11-18T11:06:41.000000000Z"'
	# a ranking is not ranked again
	assert_equal "$(blame-rank --text got | grep -v ^end)" "$(grep -v ^end got)"
	# two times, and two groups of hosts
	"${hub[@]}" pull --moments --until=2026-11-18T12:00 -o before a
	"${hub[@]}" pull --moments --since=2026-11-18T12:00 -o after b
	"${hub[@]}" pull --moments --nodes='k[2-9]' -o second c
	assert_equal "$(grep -c ^graph before after second)" $'before:2\nafter:5\nsecond:2'
	run -0 blame-rank --diff --text before after
	assert_line --partial 'name="new: read of 7:0 in service" difference=0.600000 good=0.000000 bad=0.600000 p=0.142857 sure=no good_moments=2 bad_moments=5'
	# runs are another pull
	run -0 "${hub[@]}" pull here
	assert_output ""
	kill "${edges[@]}"
	wait "${edges[@]}"
	assert_equal "$(grep -v 'no orders' log)" ""
	chmod g+w hours.k1
	run -1 run-edge -s "$url" -n k1 --may=may --spool=spool.k1 --moments=hours.k1
	assert_output "run-edge: others can write to 'hours.k1', or it is another user's"
	run -2 run-edge --spool=spool --moments=hours.k2 -
	run -2 "${hub[@]}" pull --since=7d here
}

@test "hour files are read of the folder that it was at first, and a pipe or a link among them holds nothing up" {
	command -v zstd >/dev/null || skip "needs zstd"
	serve
	"${hub[@]}" init
	mkdir parent outside
	mkdir -m 700 parent/hours
	mkfifo parent/hours/2026-11-18-100000.tb.zst
	hour outside/secret 1795000000 secret
	ln -s "$PWD/outside/secret" parent/hours/2026-11-18-103000.tb.zst
	hour parent/hours/2026-11-18-110000.tb.zst 1795000000 old
	run-edge -s "$url" -n k1 --may=may --spool=spool.k1 --moments=parent/hours 2>log 3>&- &
	edge_pid=$!
	until_true 300 ranked k1 $'2026-11-18-100000.tb.zst\n2026-11-18-103000.tb.zst\n2026-11-18-110000.tb.zst'
	assert_equal "$(grep -c "run-edge: 'parent/hours/2026-11-18-10.*.tb.zst' could not be ranked; its moments are missing" log)" 2
	# whoever has the parent puts another in its place
	mv parent/hours parent/before
	mkdir parent/hours
	hour parent/hours/2026-11-18-120000.tb.zst 1795003600 strange
	until_true 300 grep -q "run-edge: 'parent/hours' is no more the folder that it was" log
	hour parent/before/2026-11-18-130000.tb.zst 1795007200 new
	rm parent/before/2026-11-18-10*
	until_true 300 ranked k1 $'2026-11-18-110000.tb.zst\n2026-11-18-130000.tb.zst'
	until_true 300 hub_has 2
	assert_equal "$(sed -n 's/^stream .*moments=//p' got | sort)" $'k1:2026-11-18-110000:1\nk1:2026-11-18-130000:1'
	kill $edge_pid
	wait $edge_pid
}

@test "moments that a command would refuse, or that are another machine's, are passed over" {
	command -v zstd >/dev/null || skip "needs zstd"
	serve
	"${hub[@]}" init
	head='stream version=1 host=k wall=1 moments=k:h:1'
	graph='graph id=1 from=1 to=2 kind=wake'
	i=0
	for text in "$head|$graph" "$graph|end" "$head|$head|end" "$head|graph id=1 from=2 to=1 kind=wake|end" "$head|$graph|node graph=1 id=1 name=a start=1 end=2|end" \
		"stream version=9 host=k moments=x|end" "$head|signal ts=1 value=nan|end" "$head|end|$graph" "${head/host=k/host=n}|end" "$head|lost ts=1|end"; do
		i=$((i + 1))
		printf '%s\n' "$text" | tr '|' '\n' >plain
		zstd -qf plain -o message
		send $i tb.moment.k message
	done
	printf '%s\n' "$head" "$graph event=secret" "blame graph=1 name=x score=1 label=secret" end >plain
	zstd -qf plain -o message
	send good tb.moment.k message
	run -3 --separate-stderr "${hub[@]}" pull --moments -o got here
	assert_equal "$(sed -n 's/^run-hub: passed over a message of tb.moment.k: //p' <<<"$stderr")" "$(cat <<-'END'
		it does not end with one end record
		it has a record that is of no run
		it does not begin with one stream record
		a graph record: it ends before it starts
		it has a record that is of no moment
		its version is not known
		a signal record: value: 'nan' is not a number
		it does not end with one end record
		it is of another machine or job
		a lost record: count= is missing
	END
	)"
	assert_equal "$(<got)" "$(printf '%s\n' "$head" "$graph" "blame graph=1 name=x score=1" end)"
}

@test "watch groups light runs, and orders whole ones from nodes of the slowest and the fastest group" {
	serve
	"${hub[@]}" init
	echo 'program p' >p.job
	long=$(printf 'p%.0s' {1..60})
	cp p.job "$long.job"
	run -1 "${hub[@]}" watch "./$long.job" w --until=1h -o got
	assert_output "run-hub: the name of the job '$long' is too long for its full runs, which would be of '$long.full'"
	: >empty
	send x '$JS.API.STREAM.DELETE.KV_tailblame' empty
	"${hub[@]}" watch ./p.job w --until=1h -r 7 -o got 2>log 3>&- &
	watcher=$!
	light() { # NODE SECONDS
		seq 12 | awk -v n="$1" -v s="$2" '{ printf "run id=%s:b:%d.0:1 node=%s job=p ts=%d elapsed=%.3f program=p light=yes\n", n, $1, n, $1, s + $1 / 100 }' >"$1.run"
		"${edge[@]}" -n "$1" "$1.run"
	}
	for node in k1 k2 k3; do light $node 1; done
	for node in s1 s2; do light $node 5; done
	# where it cannot read the orders, it goes on, and says so once
	until_true 300 grep -q 'run-hub: the server has no orders; .*; waiting for the server' log
	light k4 1
	until_true 300 bash -c "[ \$(grep -c '^run ' got) = 72 ]"
	sleep 2
	"${hub[@]}" init
	ordered() { "${hub[@]}" orders | grep -q '^p.full: 7 runs, full, on '; }
	until_true 300 ordered
	# an order that is there stays
	light s3 5
	all() { [ "$(grep -c '^run ' got)" = 84 ]; }
	until_true 300 all
	kill $watcher
	wait $watcher || true
	assert_equal "$(wc -l <log)" 2
	assert_regex "$(tail -n1 log)" "^run-hub: .* whole runs are ordered of s1(,s2)?, which are slow, and k"
	"${hub[@]}" cancel p.full
	"${hub[@]}" watch ./p.job w --until=1h -o got 2>log 3>&- &
	watcher=$!
	until_true 300 grep -q 'whole runs are ordered of s1,s2,s3, which are slow, and k[1-4],k[1-4],k[1-4]$' log
	kill $watcher
	wait $watcher || true
	run -0 "${hub[@]}" orders
	assert_line --regexp "^p.full: 20 runs, full, on 's1,s2,s3,k[1-4],k[1-4],k[1-4]', until "
	# a server that is lost is waited for, and what was to be ordered is ordered then
	"${hub[@]}" cancel p.full
	kill -STOP "$server" # it takes connections, and says nothing
	"${hub[@]}" watch ./p.job w --until=1h -r 7 -o got 2>log 3>&- &
	watcher=$!
	serve_again
	until_true 300 ordered
	kill $watcher
	wait $watcher || true
	run -2 "${hub[@]}" watch ./p.job w --until=1h
}

@test "watch groups the clients of a server by its access log, for their size, and orders from their addresses" {
	serve
	"${hub[@]}" init
	echo 'program p' >p.job
	awk 'BEGIN { for (i = 0; i < 60; i++) { client = i % 5; bytes = 1000 * (1 + i % 4); printf "10.0.0.%d - - [22/Nov/2026:20:00:%02d +0000] \"GET /a HTTP/1.1\" 200 %d \"-\" \"p/1\" %.3f\n",
		client, i, bytes, bytes / 1e4 * (client < 3 ? 1 : 5) * (1 + i % 7 / 100) } }' >access.log
	run-features --log=nginx -j ./p.job access.log | "${edge[@]}" -n www -
	"${hub[@]}" watch ./p.job w --until=1h --metric=elapsed/bytes -o got 2>log 3>&- &
	watcher=$!
	ordered() { "${hub[@]}" orders | grep -q "^p.full: 20 runs, full, on '10.0.0.[34],10.0.0.[34],10.0.0.[012],10.0.0.[012]', "; }
	until_true 300 ordered
	kill $watcher
	wait $watcher || true
	assert_regex "$(<log)" "^run-hub: 60 runs of p on 5 nodes: 36 fast, 24 slow; whole runs are ordered of 10.0.0.[34],10.0.0.[34], which are slow, and "
}

# bats test_tags=live,long
@test "an order's runs are recorded where they are, and reach the hub" {
	need_tracefs
	serve
	"${hub[@]}" init
	cp /bin/true tbfleet
	cp /bin/sleep tblight
	printf 'program tbfleet\nsysctl kernel.ostype\nsysctl net.*\n' >tbfleet.job
	echo 'program tblight' >tblight.job
	echo 'sysctl kernel.ostype' >down.job
	printf 'program tbfleet tblight tburl tbshort tbfit*\nsysctl kernel.*\n' >may
	# programs that name a server: one that runs, and one that is over at once
	cp /bin/bash tburl
	cp /bin/true tbshort
	mkfifo hold
	# others that name it, too, take no place of these
	for i in {1..70}; do
		ln -s tburl tbfit$i
		./tbfit$i -c 'read -r' download http://files.example.org:80/x <>hold 3>&- &
	done
	./tburl -c 'read -r' download http://files.example.org:80/x <>hold 3>&- &
	# with no more rights than the service has
	taken=$(sed -n 's/^CapabilityBoundingSet=~//p' "$TOP/cmd/run-edge.service" | sed 's/CAP_/-/g; s/ /,/g' | tr '[:upper:]' '[:lower:]')
	assert [ -n "$taken" ]
	setpriv --no-new-privs --bounding-set="$taken" "${edge[@]}" -n k 2>log 3>&- &
	edge_pid=$!
	"${hub[@]}" order ./tbfleet.job --until=1h --runs=1000
	"${hub[@]}" order ./tblight.job --until=1h --runs=1000 --light
	"${hub[@]}" order ./down.job --until=1h --runs=1000 --url=files.example.org
	cp down.job brief.job
	"${hub[@]}" order ./brief.job --until=1h --runs=1000 --url=Brief.example.org
	"${hub[@]}" order wget --until=1h --runs=1000 --url=example.org
	# the kernel tells what begins, for each of the two that are not found yet
	told() { [ "$(find /proc/$edge_pid/fd -lname '*bpf_link' | wc -l)" = 2 ]; }
	until_true 300 told
	./tbshort http://brief.example.org
	trace() { [ "$(pgrep -c -P $edge_pid -x trace-collect)" = 4 ] && for pid in $(pgrep -P $edge_pid -x trace-collect); do is_tracing "$pid" || return; done; }
	until_true 300 trace
	for i in 1 2 3; do ./tbfleet; done
	./tburl -c true
	./tbshort
	./tblight 60 3>&- &
	executed() { [ "$(cat /proc/$!/comm)" = tblight ]; }
	until_true 300 executed
	kill $!
	wait $! || true
	"${hub[@]}" cancel tbfleet
	"${hub[@]}" cancel tblight
	"${hub[@]}" cancel down
	"${hub[@]}" cancel brief
	pulled() { "${hub[@]}" pull -o got here 2>told; [ "$(grep -c '^run ' got)" -ge 6 ]; }
	until_true 300 pulled
	run -0 grep -c '^run .* node=k job=tbfleet .* program=tbfleet exit=0 children=no$' got
	assert_output 3
	assert_equal "$(grep -c '^run .* job=tblight .* program=tblight exit=143 light=yes$' got)" 1
	assert_equal "$(grep -c 'name=sysctl.kernel.ostype value=Linux' got)" 5
	refute grep -q 'sysctl.net\|example.org' got
	assert_equal "$(grep -c '^run .* job=down .* program=tburl exit=0 children=no$' got)" 1
	assert_equal "$(grep -c '^run .* job=brief .* program=tbshort exit=0 children=no$' got)" 1
	counts_gone() { [ -z "$(find spool -name 'count-*' -print -quit)" ]; }
	until_true 300 counts_gone
	grep -q 'left out, because it may not be recorded here: sysctl net' told log
	grep -q 'left out: 8 programs whose names fit a pattern, because 63 others name the server' told log
	kill $edge_pid
	wait $edge_pid
}
