#!/usr/bin/env bats
# stream-merge: one clock for the streams of several hosts. testdata/clock/talk.awk makes streams whose true times are known; a.txt and b.txt there
# were recorded: two network namespaces, of which the second got a clock of its own.

load helper

DATA=$BATS_TEST_DIRNAME/../testdata/clock

# talk HOST [VARIABLE=VALUE]...
talk() {
	local host=$1 set=()
	shift
	for variable; do set+=(-v "$variable"); done
	LC_ALL=C awk -v host="$host" "${set[@]}" -f "$DATA/talk.awk"
}

# clocks: the clock records of a stream.
clocks() {
	stream-cat --text "$1" | grep '^clock '
}

# within HOST PPM SHIFT < clock records: the true time, by a's clock, is not farther off than the width, at either end.
within() {
	LC_ALL=C awk -v host="$1" -v ppm="$2" -v shift="$3" '
		{ for (i = 2; i <= NF; i++) { split($i, kv, "="); value[kv[1]] = kv[2] } }
		value["host"] == host {
			for (i = 0; i < 2; i++) {
				t = i ? value["to"] : value["from"]
				error = value["a"] * t + value["b"] - ((t - shift + 1000 * ppm / 1e6) / (1 + ppm / 1e6))
				if (error > value["width"] + 2e-9 || -error > value["width"] + 2e-9 || value["width"] > 5e-5) exit 1
				seen++
			}
		}
		END { exit seen != 2 }'
}

# in_order FILE: what the hosts recorded in turn is in that order.
in_order() {
	stream-cat --text "$1" | sed -n 's/.* name=x:mark n=//p' >marks
	[ "$(wc -l <marks)" = "${2:-600}" ]
	sort -n marks | diff marks -
}

@test "two hosts, an hour and 37 ppm apart: the error is within the width, and all is in order" {
	talk a >a
	talk b ppm=37 shift=3600 >b
	stream-merge a b >all
	clocks all | within b 37 3600
	in_order all 400
	stream-merge -r b a b >all
	in_order all 400
	assert_regex "$(clocks all)" '^clock host=a reference=b '
}

@test "a third host that talks to the second alone is chained to the first; its width is the sum" {
	talk a >a
	talk b ppm=37 shift=3600 >b
	talk c ppm=-50 shift=-20 >c
	stream-merge c=c a b=b -r a >all
	clocks all | within b 37 3600
	clocks all | within c -50 -20
	in_order all
	assert_regex "$(clocks all)" 'host=c reference=a by=b '
	LC_ALL=C awk -v RS=' ' '/^width=/ { split($1, w, "="); print w[2] }' <(clocks all) | sort -n >widths
	assert_equal "$(head -n 1 widths | cut -c1-4)" 0.00
	LC_ALL=C awk 'NR == 1 { b = $1 } END { exit $1 <= b }' widths
}

@test "a clock that is stepped amid the trace: two lines, each of them true, and all is in order" {
	talk a >a
	talk b ppm=37 shift=3600 step=2.5 step_at=1004.9 >b
	run -0 --separate-stderr stream-merge --text a b
	assert_regex "$stderr" "no one line fits the clock of host b: .* 2 lines"
	echo "$output" >all
	in_order all 400
	clocks all | head -n 1 | within b 37 3600
	clocks all | tail -n 1 | within b 37 3602.5
}

# sorted FILE: its events' times never go back.
sorted() {
	sed -n 's/^event ts=\([^ ]*\) .*/\1/p' "$1" >"times"
	LC_ALL=C sort -c -n times
}

@test "a clock that is set back amid the trace: a line before and one behind, each of them true, and all is in order" {
	talk a >a
	for step in -0.4 -700; do
		talk b ppm=37 shift=3600 step=$step step_at=1004.9 >b
		run -0 --separate-stderr stream-merge --text a b
		assert_regex "$stderr" "host b: its clock was set back, by [0-9.]+ (ms|s|min) or more; by how much is found from its connections"
		echo "$output" >all
		in_order all 400
		sorted all
		assert_equal "$(clocks all | wc -l)" 2
		clocks all | head -n 1 | within b 37 3600
		clocks all | tail -n 1 | within b 37 "$(LC_ALL=C awk "BEGIN { print 3600 + $step }")"
		# the second host's own clock is the other's reference; the reference's times stay those of the host that was not set back
		run -0 --separate-stderr stream-merge --text b a
		assert_regex "$output" 'clock host=b reference=a '
	done
}

@test "set back twice, and the other host at another time" {
	talk a step=-0.2 step_at=1007.1 >a
	talk b ppm=37 shift=3600 step=-0.4 step_at=1004.9 >b
	talk c ppm=-50 shift=-20 >c
	stream-merge --text c a b >all 2>said
	sorted all
	clocks all | grep -c width=0.0000 >known
	assert_equal "$(cat known)" "$(clocks all | wc -l)"
	in_order all
	grep -q "host a: its clock was set back" said
	{ cat b; sed -n '/x:mark/ { s/ts=[0-9]*/ts=4000/; p }' b | head -n 3; } >twice
	run -3 --separate-stderr stream-merge --text c twice
	assert_regex "$stderr" "host b: its clock was set back 2 times"
}

@test "a clock that is set back while nobody talks: its times behind that are unknown, which is told" {
	talk a >a
	talk b ppm=37 shift=3600 step=-0.4 step_at=1004.9 | sed '/ts=4604.[5-9]/,$ { /sock:\|tcp:/d }' >b
	run -3 --separate-stderr stream-merge --text a b
	assert_regex "$stderr" "host b: its clock was set back, by .*too few bytes went both ways before or behind that"
	echo "$output" >all
	sorted all
	clocks all | head -n 1 | within b 37 3600
	assert_equal "$(clocks all | sed -n 's/.* width=//p' | tail -n 1)" unknown
	talk b step=-0.4 step_at=1004.9 >b
	run -3 --separate-stderr stream-merge --text -r b a b
	assert_regex "$stderr" "host b: its clock was set back, by .*; it is the reference"
	run -3 stream-merge --text b
	assert_equal "$(clocks <(echo "$output") | grep -vc 'width=unknown')" 0
}

@test "answers missing, or all of it: placed by the wall clocks, which is told" {
	talk a oneway=1 >a
	talk b oneway=1 shift=5 >b
	run -3 --separate-stderr stream-merge --text a b
	assert_regex "$stderr" "host b: no connection to the others carried bytes both ways"
	assert_line --regexp '^clock host=b reference=a a=1 b=-5.000000000 .* pairs=0 width=unknown$'
	printf 'stream version=1 host=z\nevent ts=1.0 cpu=0 tid=1 name=x:y\n' >z
	run -3 --separate-stderr stream-merge --text a z
	assert_regex "$stderr" "placed by nothing: it has no wall clock"
}

@test "recorded connections: the width is some microseconds, and the error less" {
	zcat "$DATA/a.txt.gz" >a
	zcat "$DATA/b.txt.gz" >b
	stream-merge a b >all
	run clocks all
	assert_regex "$output" '^clock host=b reference=a a=0.9[0-9]* b=-3[0-9.]* .* width=0.0000[0-5]'
	# what came in at b left a before, by the times that were true: b's clock was set to 3600 s more, and 37 ppm fast from its first event on
	base=$(cat "$DATA/base.txt")
	stream-cat --text all | LC_ALL=C awk -v base="$base" '
		/^clock / { for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
		END {
			for (i = 0; i < 2; i++) {
				t = i ? v["to"] : v["from"]
				error = v["a"] * t + v["b"] - ((t - 3600 + base * 37e-6) / (1 + 37e-6))
				if (error > v["width"] + 1e-7 || -error > v["width"] + 1e-7) exit 1
			}
		}'
}

# older FILE SOCKETS: the stream without what made the connection, and with `socket` records.
older() {
	grep '^stream' "$1"
	printf '%s\n' "${@:2}"
	grep '^event' "$1" | grep -v inet_sock_set_state |
		sed -E 's/(name=tcp:tcp_probe) sport=1 dport=1 family=2 (.*skaddr=0x1001)/\1 sport=40000 dport=80 family=2 saddr=0x2,0x0,0x0,0x0,0xa,0x0,0x0,0x1 daddr=0x2,0x0,0x0,0x0,0xa,0x0,0x0,0x2 \2/
			s/(name=tcp:tcp_probe) sport=1 dport=1 family=2 (.*skaddr=0x2001)/\1 sport=80 dport=40000 family=2 saddr=0x2,0x0,0x0,0x0,0xa,0x0,0x0,0x2 daddr=0x2,0x0,0x0,0x0,0xa,0x0,0x0,0x1 \2/'
}

@test "a connection that is older than the trace counts from its socket record, unless it sent just then" {
	talk a >a.all
	talk b ppm=37 shift=3600 >b.all
	local here='local=10.0.0.1:40000 peer=10.0.0.2:80' there='local=10.0.0.2:80 peer=10.0.0.1:40000'
	older a.all "socket ts=1000.009 from=1000.008 inode=1 cookie=1 $here bytes_in=500 bytes_out=700" >a
	older b.all "socket ts=4600.009 from=4600.008 inode=2 cookie=2 $there bytes_in=700 bytes_out=500" >b
	stream-merge a b >all
	clocks all | within b 37 3600
	in_order all 400
	older a.all "socket ts=1000.011 from=1000.008 inode=1 cookie=1 $here bytes_in=500 bytes_out=700" >a
	run -3 stream-merge --text a b
	assert_line --regexp '^clock .*width=unknown'
	older a.all >a
	run -3 stream-merge --text a b
	assert_line --regexp '^clock .*width=unknown'
}

@test "what was sent behind a loss does not count; what was sent before does" {
	talk a | sed '/ts=1005.0/,$ { /sock_send/d }' >a
	sed -i "$(grep -n 'ts=1005\.0' a | head -n 1 | cut -d: -f1)i lost ts=1005.000000000 cpu=0 count=9 from=1004.990000000" a
	talk b ppm=37 shift=3600 >b
	run -3 stream-merge --text a b
	echo "$output" >all
	clocks all | sed 's/ width=[^ ]*/ width=0.0000499/' | within b 37 3600
	grep -q '^lost ts=1005.000000000 cpu=0 count=9 from=1004.990000000$' all
	grep -q '^end .*lost=9' all
}

@test "segments sent again are not counted on" {
	talk a | awk '{ print } /tcp_probe/ && !n++ { sub(/name=.*/, "name=tcp:tcp_retransmit_skb skaddr=0x1001"); print }' >a
	# the segment arrives twice: by what arrived, all later ones would be 20 bytes too early
	talk b ppm=37 shift=3600 | awk '{ print } /tcp_probe/ && !n++ { print }' >b
	run -0 stream-merge --text a b
	echo "$output" >all
	clocks all | within b 37 3600
}

@test "addresses that come twice, and those of loopback, say nothing" {
	talk a >a
	talk b ppm=37 shift=3600 >b
	sed 's/0xa,0x0,0x0/0x7f,0x0,0x0/g' a >a.loop
	sed 's/0xa,0x0,0x0/0x7f,0x0,0x0/g' b >b.loop
	run -3 stream-merge a.loop b.loop
	{ cat a; sed -n '/inet_sock/p' a | sed 's/0x1001/0x5001/; s/ts=100/ts=102/'; } >twice
	run -3 stream-merge twice b
}

@test "host records say whose records follow; with --only they are one host's, by the reference's clock" {
	talk a >a
	talk b ppm=37 shift=3600 | sed '2i task ts=4600.0 tid=22 comm=b read=4600.5\
device dev=8:0 name=sda' >b
	run -0 stream-merge --text a b
	assert_equal "$(grep -c '^host name=a kernel=6.18$' <<<"$output")$(grep -c '^host name=b kernel=6.18$' <<<"$output")" 11
	assert_line --regexp '^stream version=1 clock=mono wall=1790000000.000000000$'
	awk '/^host / { host = $2 } /comm=a/ && host != "name=a" || /comm=b/ && host != "name=b" { exit 1 }' <<<"$output"
	run -0 stream-merge --text --only=b a b
	refute_line --regexp '^host '
	assert_line --regexp '^stream version=1 host=b kernel=6.18 clock=mono wall=1790000000.000000000$'
	assert_line --regexp '^task ts=1000.0000[0-9]* tid=22 comm=b read=1000.499[0-9]*$'
	assert_line 'device dev=8:0 name=sda'
	assert_equal "$(grep -c '^event ' <<<"$output")" "$(grep -c '^event ' b)"
	stream-merge --only=b a b | cchart-filter | report >text
}

# in_turn A B: a stream of hosts a and b, a record of each at a time.
in_turn() {
	echo 'stream version=1 clock=mono'
	paste -d '\n' <(grep -Ev '^(#|stream|end)' "$1" | sed 's/^/a /') <(grep -Ev '^(#|stream|end)' "$2" | sed 's/^/b /') |
		awk 'NF { host = $1; sub(/^[^ ]* /, ""); print "host name=" host (told[host]++ ? "" : " kernel=6.18 cpus=4"); print }'
}

# records_of HOST: what a stream has behind the host's records.
records_of() {
	awk -v host="name=$1" '/^host / { here = $2 == host; next } !/^(stream|end|usage)/ && here'
}

# alone FILE COMMAND...: what the command makes of that host's stream.
alone() {
	{ echo 'stream version=1 host=a kernel=6.18 cpus=4 clock=mono'; grep -Ev '^(#|stream|end)' "$1"; } | "${@:2}" | grep -Ev '^(stream|end|usage|host) '
}

@test "each host of a merged stream has graphs, rankings and windows of its own, as if it were alone" {
	local pair wake=$TOP/testdata/wake
	for pair in "block asks" "backed born" "behind behind"; do
		read -r a b <<<"$pair"
		[ -e "$wake/$a.txt" ] && [ -e "$wake/$b.txt" ]
		in_turn "$wake/$a.txt" "$wake/$b.txt" >both
		blame-rank --text both >ranked
		diff <(records_of a <ranked) <(alone "$wake/$a.txt" blame-rank --text)
		diff <(records_of b <ranked) <(alone "$wake/$b.txt" blame-rank --text)
		graph-build both | blame-rank --text >again
		diff <(grep -E '^(host|blame)' ranked) <(grep -E '^(host|blame)' again)
	done
	graph-build --whole --text both >whole
	diff <(records_of a <whole) <(records_of b <whole)
	run -0 bash -c "blame-rank both | report"
	assert_line "moments of a:"
	assert_line "moments of b:"
}

@test "limits, windows and context of each host are its own; so are charts in the report" {
	# b is a thousand times slower than a, which is no reason for a signal of either; then each has a slow one
	for host in a b; do
		awk -v slow="$([ $host = a ] && echo 1 || echo 1000)" 'BEGIN {
			for (i = 0; i < 300; i++) {
				value = slow * (1 + i % 7) / 1e6 * (i == 250 ? 100 : 1)
				printf "sample ts=%.9f start=%.9f chart=reads key=sda value=%.9f tid=7\n", 10 + i, 10 + i - value, value
			}
		}' >$host
	done
	in_turn a b | cchart-filter --text >filtered
	for host in a b; do
		diff <(records_of $host <filtered | grep -E '^(limits|signal|window)') <(alone $host cchart-filter --text | grep -E '^(limits|signal|window)')
		assert_equal "$(records_of $host <filtered | grep -c '^signal')" 1
	done
	run -0 report filtered
	assert_output --partial 'sda on a: limit 14.0 us, median 4.00 us; sda'
	assert_output --partial 'on b: limit 14.0 ms, median 4.00 ms'
	run -1 --separate-stderr cchart-filter --save-limits=limits filtered
	assert_regex "$stderr" "it is of several hosts; limits in a file are those of one"
}

@test "all times of a record are by the reference's clock" {
	printf '%s\n' 'stream version=1 host=a wall=0.0' 'event ts=1.0 cpu=0 tid=1 comm=a name=x:y' >a
	printf '%s\n' 'stream version=1 host=b wall=100.0' 'event ts=1.0 cpu=0 tid=1 comm=a name=x:y' \
		'limits ts=2.0 chart=x center=0.1 lcl=0 ucl=0.2 n=100 method=pot change=up since=1.5' \
		'signal id=1 ts=2.0 start=1.5 chart=x value=0.5 center=0.1 ucl=0.2 rules=1 signs=2 sign_ts=1.25 sign_value=0.3' \
		'step ts=1.75 tid=1 what=end depth=0 why=gone' 'event ts=1.75 cpu=0 tid=1 comm=a name=x:y ts=5' \
		'event ts=1.75 cpu=0 tid=1 comm=a name=swap:out pid=1 since=1500000000 bytes=4096 all=4096' >b
	run -3 --separate-stderr stream-merge -t a b
	assert_line --regexp '^limits ts=102\.0{9} .* since=101\.5'
	assert_line --regexp '^signal id=1 ts=102\.0{9} start=101\.50* .* sign_ts=101\.250* '
	assert_line --regexp '^step ts=101\.750* '
	assert_line --regexp '^event ts=101\.750* .* ts=5$' # its own field is no time of ours
	assert_line --regexp '^event ts=101\.750* .* since=101500000000 bytes='
}

@test "what one host lost is not said of another's moments" {
	local lost='lost ts=2.5 cpu=0 count=3 from=2.4' other='device dev=8:0 name=sda' first
	for first in "$lost" "$other"; do
		{
			echo "$first"
			printf '%s\n' 'signal id=1 ts=2.0 start=1.0 chart=x value=1 center=0.1 ucl=0.2 rules=1' 'window id=1 from=1.5 to=3 signals=1-1 complete=no'
		} >a
		{ [ "$first" = "$lost" ] && echo "$other" || echo "$lost"; sed 1d a; } >b
		in_turn a b >both
		run -3 report both
		assert_output --partial "3 events LOST"
		assert_equal "$(grep -c 'INCOMPLETE: events of this moment' <<<"$output")" 1
		[[ $output == *"moments of $([ "$first" = "$lost" ] && echo a || echo b):"*"INCOMPLETE: events of"* ]]
	done
}

@test "states of several hosts, of which one loses events" {
	printf 'event ts=%s cpu=0 tid=1 name=sched:sched_switch next_comm=%s next_pid=2\n' 1.0 one 2.0 two 4.0 four >a
	{ sed '2q' a; echo 'lost ts=3.0 cpu=0 count=1 from=1.5'; } >b
	in_turn a b >both
	run -3 state-build -s cpus -o history both
	run -0 state-query -f csv history at 3.5
	assert_line 'a/CPUs/0/Thread,two/2'
	refute_line --partial 'b/CPUs'
	run -0 state-query -f csv history at 1.2
	assert_line 'b/CPUs/0/Thread,one/2'
}

@test "triggers fire on each host by what that host did" {
	printf 'chart name=req\nstart event=t:begin key=id\nend event=t:finish key=id\n' >req.chart
	printf '%s\n' 'DEFINE TRIGGER t' 'ON RequestEnd R' 'IF R.Count(-1s, now) >= 3' 'LOG RequestActivity' 'UNTIL 2 Match' >t.trigger
	for host in a b; do # the numbers of requests are the same; a has three within a second, b two at a time
		awk -v every="$([ $host = a ] && echo 300 || echo 600)" 'BEGIN {
			for (t = 1000; t < 4000; t += every) {
				printf "event ts=%.9f cpu=0 tid=7 name=t:begin id=%d\n", t / 1000, t
				printf "event ts=%.9f cpu=0 tid=7 name=t:finish id=%d\n", t / 1000 + 0.01, t
			}
		}' >$host
	done
	in_turn a b | trigger-filter -t -c ./req.chart -T ./t.trigger >fired
	for host in a b; do
		diff <(records_of $host <fired) <(alone $host trigger-filter -t -c ./req.chart -T ./t.trigger)
	done
	assert_equal "$(records_of a <fired | grep -c '^trigger .*state=fired')" 1
	assert_equal "$(records_of b <fired | grep -c '^trigger')" 0
	export -f in_turn
	run -1 --separate-stderr bash -c 'in_turn a b | trigger-filter -c ./req.chart -T ./t.trigger --exec true >out'
	assert_regex "$stderr" "it is of several hosts; --exec"
}

@test "the runs of each host have its name, and are grouped together" {
	grep -Ev '^(stream|end)' "$TOP/testdata/run/kin.txt" >a
	in_turn a a | sed 's/cpus=4/machine=x86_64/' >both
	run -0 run-features -t -j wget both
	assert_line --regexp '^run id=a:.*:10 node=a job=wget '
	assert_line --regexp '^run id=b:.*:10 node=b job=wget '
	assert_equal "$(grep '^features run=a:' <<<"$output" | cut -d' ' -f3-)" "$(grep '^features run=b:' <<<"$output" | cut -d' ' -f3-)"
	run -0 run-cluster -t <<<"$output"
	refute_line --regexp '^host '
	run -1 run-features --node=x both
	assert_output --partial "it is of several hosts; --node names one"
}

@test "of a merged stream --host chooses one, and without it those that cannot keep hosts apart refuse it" {
	local wake=$TOP/testdata/wake format command
	in_turn "$wake/block.txt" "$wake/asks.txt" >both
	blame-rank both >ranked
	for format in ftrace folded "csv -k blame" "csv -k event"; do
		for host in a b; do
			run -0 bash -c "trace-export -f $format --host=$host ranked | md5sum"
			records_of $host < <(stream-cat --text ranked) | sed "1i stream version=1 host=$host kernel=6.18 cpus=4 clock=mono" >one
			assert_output "$(trace-export -f $format one | md5sum)"
		done
	done
	assert_equal "$(graph-walk --host=b -x windows both)" "$(graph-walk -x windows "$wake/asks.txt")"
	for command in "trace-export -f csv -k event" trace-export "graph-walk -x windows"; do
		run -1 --separate-stderr bash -c "$command both >out"
		assert_regex "$stderr" 'both:2: it is of several hosts.* name one by --host'
		run -1 --separate-stderr bash -c "$command --host=c both >out"
		assert_regex "$stderr" "no stream is of host 'c'"
	done
	talk a count=5 >a
	talk b count=5 ppm=37 shift=3600 >b
	stream-merge a b >all
	stream-cat --text all >text
	diff <(grep -v ^end text) <(stream-cat --binary text | stream-cat --text | grep -v ^end)
}

# live WAIT: starts a merge of the FIFOs a and b into `all`, of which the writers are the descriptors 7 and 8. `end` ends it.
live() {
	mkfifo a b
	stream-merge --text --wait="$1" a b >all 2>said 3>&- &
	merger=$!
	exec 7>a
}

end() {
	exec 7>&- 8>&-
	wait $merger
}

# true_throughout PPM SHIFT < clock records of b: each is true, and they leave out no time.
true_throughout() {
	LC_ALL=C awk -v ppm="$1" -v shift="$2" '
		{ for (i = 2; i <= NF; i++) { split($i, kv, "="); value[kv[1]] = kv[2] } }
		NR > 1 && value["from"] != to { exit bad = 1 }
		{
			to = value["to"]
			for (i = 0; i < 2; i++) {
				t = i ? value["to"] : value["from"]
				error = value["a"] * t + value["b"] - ((t - shift + 1000 * ppm / 1e6) / (1 + ppm / 1e6))
				if (error > value["width"] + 2e-9 || -error > value["width"] + 2e-9 || value["width"] > 2e-4) exit bad = 1
			}
		}
		END { exit bad || NR < 2 }'
}

@test "live: records come out while the streams go on, in order, with clocks that are told again and again" {
	talk a >a.all
	talk b ppm=37 shift=3600 >b.all
	live 10s
	exec 8>b
	sed '/n=297/q' a.all >&7
	sed '/n=298/q' b.all >&8
	until_true 20 grep -q 'comm=a.* n=294$' all # long before the wait is over
	sed '1,/n=297/d' a.all >&7
	sed '1,/n=298/d' b.all >&8
	end
	in_order all 400
	sorted all
	clocks all | true_throughout 37 3600
	assert_equal "$(cat said)" ""
	assert_equal "$(grep -c '^event' all)" "$(cat a.all b.all | grep -c '^event')"
}

@test "live: a silent host holds back nobody for ever; what it has to say too late is lost, and counted" {
	talk a >a.all
	talk b ppm=37 shift=3600 >b.all
	live 2s # so long that the machine's load makes nobody silent
	exec 8>b
	sed '/n=297/q' a.all >&7
	sed '/n=298/q' b.all >&8
	until_true 20 grep -q 'n=294$' all
	sed '1,/n=297/d' a.all >&7
	until_true 20 grep -q 'n=597$' all
	sed '1,/n=298/d' b.all >&8
	status=0
	end || status=$?
	assert_equal "$status" 3
	sorted all
	lost=$(sed -n 's/^lost ts=1009.* count=\([0-9]*\) from=100[45]\..*/\1/p' all)
	assert_equal "$(grep -c '^event' all)" $(($(cat a.all b.all | grep -c '^event') - lost))
	((lost > 500))
	assert_equal "$(sed -n 's/^end .* lost=//p' all)" "$lost"
	grep -q "host b: nothing came from it for the time to wait, .*: $lost of its events are lost" said
	grep -q 'n=598$' all # what is not too late stays
}

@test "live: a host that has not begun holds back nobody for ever, nor does one whose clock is not known" {
	talk a count=5 >a.all
	live 200ms
	cat a.all >&7
	until_true 20 grep -q 'n=12$' all
	exec 8>b
	printf 'stream version=1 host=b clock=mono\nevent ts=5.0 cpu=0 tid=1 name=x:late\nevent ts=5.1 cpu=0 tid=1 name=x:late\n' >&8
	until_true 20 grep -q 'host b: no connection .* it is placed by when its records came' said
	status=0
	end || status=$?
	assert_equal "$status" 3
	assert_equal "$(grep -c x:late all)" 2
	assert_equal "$(grep -c '^event' all)" $(($(grep -c '^event' a.all) + 2))
	exec 8<>b # a writer that says nothing
	stream-merge --wait=100ms --text b - <a.all >/dev/null 2>said 3>&- 8>&- &
	until_true 20 grep -q "b has not begun; times are by the clock of host a" said
	kill $!
	exec 8>&-
	run -2 stream-merge --wait=1s --only=a a.all
	assert_output --partial "it does not go with --wait"
}

@test "names: by the stream, by the file, as given; a host twice is refused" {
	talk a count=5 >a
	talk b count=5 shift=5 | sed '1s/ host=b//' >other.txt
	run -0 stream-merge --text a other.txt
	assert_line --regexp '^clock host=other.txt '
	run -0 stream-merge --text web=a db=./other.txt
	assert_line --regexp '^clock host=db reference=web '
	run -1 stream-merge a a
	assert_output --partial "two streams are of host 'a'"
	run -1 stream-merge -r none a
	assert_output --partial "no stream is of host 'none'"
	run -1 stream-merge --only=none a
	run -2 stream-merge
	cat a a >both
	run -1 stream-merge both other.txt
	assert_output --partial "it holds a stream behind another"
	for _ in {1..70}; do printf 'event ts=9.0 cpu=0 tid=1 name=x:y\nevent ts=7.0 cpu=0 tid=1 name=x:y\n'; done >back
	run -1 stream-merge a back
	assert_output --partial "back:130: time goes back here, and did 64 times before"
	run -1 stream-merge a "$TOP/testdata/blame/two-levels.txt"
	assert_output --partial "it has graphs already"
}

@test "a binary recording and a FIFO; formats of each host are its own" {
	talk a count=5 >a
	mkfifo fifo
	cat "$TOP/testdata/demo.tb" >fifo &
	run -3 --separate-stderr stream-merge --text --only=demo a demo=fifo
	diff <(sed -n 's/^event ts=[^ ]* //p' <<<"$output") <(stream-cat --text "$TOP/testdata/demo.tb" | sed -n 's/^event ts=[^ ]* //p')
}

# The sanitizers see a sum that overflows.
@test "live: times and wall clocks that are as far apart as they can be" {
	printf 'stream version=1 host=a wall=9000000000.0\nevent ts=-9000000000.0 cpu=0 tid=1 comm=a name=x:y\n' >a.txt
	printf 'stream version=1 host=b wall=-9000000000.0\nevent ts=9000000000.0 cpu=0 tid=1 comm=a name=x:y\n' >b.txt
	run -3 --separate-stderr stream-merge --wait=100ms -t a.txt b.txt
	assert_line 'event ts=-9000000000.000000000 cpu=0 tid=1 comm=a name=x:y'
	assert_line 'event ts=9000000000.000000000 cpu=0 tid=1 comm=a name=x:y'
	[[ $stderr != *"runtime error"* ]] || fail "$stderr"
}
