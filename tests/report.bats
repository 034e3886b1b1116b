#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2002 # what bash -c is to expand; a pipe is not a file here
# report: what it says, in each form. Golden files are beside their input in testdata/report/.

load helper

DATA=$TOP/testdata/report
export COLUMNS=80

need_gnuplot() {
	command -v gnuplot >/dev/null || skip "needs gnuplot"
}

# A file whose columns are all within the width.
assert_width() { # FILE COLUMNS
	run awk -v most="$2" 'length($0) > most { print NR ": " length($0) }' "$1"
	assert_output ""
}

# The crowd with its window behind its graphs, as the stages write it.
crowd_as_written() {
	grep -v '^window' "$DATA/crowd.txt" | sed '/graph=total rank=1/i\
window id=1 from=10.190000000 to=13.991000000 signals=1-3 complete=yes'
}

# --- text ----------------------------------------------------------------------------------------------------------

@test "text: a saved stream, summary first" {
	for name in crowd charts methods quiet hostile; do
		report "$DATA/$name.txt" >"$name.text" || [ $? = 3 ]
		diff -u "$DATA/$name.text" "$name.text" || fail "$name differs"
	done
}

@test "text: the limits are those of the signals, with the later one if it has risen" {
	grep '^limits' "$DATA/crowd.txt" | sed 's/ts=[0-9.]*/ts=13.9/; s/ucl=[0-9.]*/ucl=9/' >limits
	{ grep -v '^end' "$DATA/crowd.txt"; cat limits; } >later.txt
	COLUMNS=200 run report later.txt
	assert_output --partial 'queued to complete; limit 41.2 ms, median 4.50 ms, later limit 9.000 s)'
	refute_line --regexp '^1\. .*limit 9'
	sed 's/ucl=9/ucl=0.05/' later.txt >hardly.txt
	COLUMNS=200 run report hardly.txt
	refute_output --partial 'later limit'
	{ grep -v '^signal\|^window' "$DATA/crowd.txt" | grep -v '^\(end\|graph\|node\|edge\|path\|blame\)'
	grep '^signal id=3' "$DATA/crowd.txt" | sed 's/ucl=[0-9.]*/ucl=0.5/'
	grep -v '^signal id=3\|^end' "$DATA/crowd.txt" | grep '^\(signal\|window\|graph\|node\|edge\|path\|blame\)'; } >other.txt
	COLUMNS=200 run report other.txt
	assert_line --regexp 'on chart block .*limit 500 ms'
	assert_line --regexp 'reader/3312 took 2.288 s \(at the time: limit 41.2 ms, median 4.50 ms\)'
}

@test "text: who ended a wait, where that was nobody of this machine, or nobody knows" {
	run bash -c 'blame-rank --text "$1" | report' - "$TOP/testdata/wake/packet.txt"
	assert_output --regexp 'path .*victim waiting for the network \(softirq NET_RX\)'
	run bash -c 'blame-rank --text "$1" | report' - "$TOP/testdata/wake/sent-again.txt"
	assert_output --regexp 'path .*victim waiting for a packet that a timer sent'
	run bash -c 'blame-rank --text "$1" | report' - "$TOP/testdata/wake/timer-softirq.txt"
	assert_output --regexp 'path .*victim asleep \(timer\)'
	run bash -c 'blame-rank --text "$1" | report' - "$TOP/testdata/wake/asleep.txt" # has not ended
	assert_line --regexp 'path .*victim still asleep in futex$'
	run bash -c 'sed "s/ open=yes//" "$1" | blame-rank --text | report' - "$TOP/testdata/wake/asleep.txt"
	assert_output --regexp 'path .*victim asleep in futex, woken by somebody unknown'
	run bash -c 'blame-rank --text "$1" | report' - "$TOP/testdata/wake/hung.txt"
	assert_line --regexp 'path .*victim asleep in futex until its end$'
	run bash -c 'blame-rank --text "$1" | report' - "$TOP/testdata/wake/renamed.txt" # later it is called server
	assert_line --regexp 'chain +victim waits for shell \(read\), running$'
}

@test "text: a pipe, moments first" {
	cat "$DATA/crowd.txt" | report >live
	diff -u "$DATA/crowd.live" live
}

@test "text: - is standard input; a redirected file is known to be whole" {
	report - <"$DATA/crowd.txt" | diff -u "$DATA/crowd.text" -
	report <"$DATA/crowd.txt" | diff -u "$DATA/crowd.text" -
}

@test "text: binary says the same" {
	stream-cat --binary "$DATA/crowd.txt" >crowd.tb
	report crowd.tb | diff -u "$DATA/crowd.text" -
}

@test "text: a ranking without its graph has no time, and no share of one" {
	echo 'blame graph=1 rank=1 name="b: running" score=2' >ranking
	run report ranking
	assert_success
	assert_output "1 moment: graph 1
  to blame: b: running

1. graph 1
   blame   2.000 s           b: running"
}

@test "text: no wider than asked for" {
	for columns in 40 80 200; do
		for name in crowd charts quiet hostile; do
			COLUMNS=$columns LC_ALL=C.UTF-8 report "$DATA/$name.txt" >out || [ $? = 3 ]
			LC_ALL=C.UTF-8 assert_width out $((columns < 60 ? 60 : columns))
		done
	done
	echo 'signal id=1 ts=5.5 start=5.0 chart="日本語のとても長い名前 日本語のとても長い名前 日本語のとても長い名前" value=0.5 ucl=0.1 rules=1 tid=7 comm="日本語"' >wide
	report wide >out
	[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ]
	COLUMNS=200 report "$DATA/crowd.txt" | grep -q '^host web1, .*, none lost$'
}

@test "text: a moment is printed before the pipe ends" {
	mkfifo pipe
	report <pipe >out &
	exec 7>pipe
	crowd_as_written | sed '/graph=total/,$d' >&7
	until_true 60 grep -q '^   blame .* reader (3 threads)' out
	run ! grep -q '^  to blame' out
	exec 7>&-
	wait $! || [ $? = 3 ]
	grep -q '^  to blame' out
}

@test "text: a moment whose records come with a pause between them is told whole" {
	local order
	mkfifo pipe
	for order in "cat $DATA/crowd.txt" crowd_as_written; do
		$order | report >whole
		report <pipe >out &
		exec 7>pipe
		$order | sed '/graph=1 rank=2/,$d' >&7
		until_true 60 grep -q '^host web1' out
		$order | sed -n '/graph=1 rank=2/,$p' >&7
		exec 7>&-
		wait $!
		diff -u whole out
	done
}

@test "text: SIGUSR1 asks for the totals so far" {
	mkfifo pipe
	report <pipe >out &
	local pid=$!
	exec 7>pipe
	crowd_as_written | sed '/graph=total/,$d' >&7
	until_true 60 grep -q '^   blame' out
	kill -USR1 $pid
	until_true 60 grep -q '^so far: 1 moment' out
	exec 7>&-
	wait $pid || [ $? = 3 ]
	[ "$(grep -c '^  to blame' out)" = 2 ]
}

@test "text: the window may come before its graphs or after them" {
	crowd_as_written >after
	report after | diff -u "$DATA/crowd.text" -
}

@test "text: who comes again and again" {
	for n in 1 2 3; do
		echo "window id=$n from=$n to=$n.5 signals= complete=yes"
		echo "graph id=$n window=$n from=$n to=$n.5 kind=wake"
		echo "node graph=$n id=1 deed=run who=grinder start=$n end=$n.5 tid=7 what=run"
		echo "path graph=$n node=1 from=$n to=$n.5"
		echo "blame graph=$n rank=1 name=\"grinder: running\" score=0.4 share=0.8 on_path=yes instances=1"
		echo "blame graph=$n rank=2 name=\"once$n: running\" score=0.1 share=0.2 on_path=no instances=1"
	done >again
	run report again
	assert_success
	assert_line --index 0 'worst of 3 moments: graph 1 took 500 ms at 1.000000 s'
	assert_line --index 1 '  mostly grinder/7 running'
	assert_line --index 2 '  to blame: grinder: running 80 %; once1: running 20 %'
	assert_line --index 3 'next: graph 2 took 500 ms at 2.000000 s; to blame: grinder: running 80 %'
	assert_line --index 4 '      graph 3 took 500 ms at 3.000000 s; to blame: grinder: running 80 %'
	assert_line --index 5 'blamed most, and in how many moments:'
	assert_line --index 6 --regexp '^3/3 +1.200 s +80.0 %  grinder: running$'
	assert_line --index 7 --regexp '^1/3 +100 ms +6.7 %  once1: running$'
}

@test "text: two streams, one after the other" {
	cat "$DATA/crowd.txt" "$DATA/crowd.txt" >twice
	run report twice
	assert_success
	assert_line --regexp '^2 abnormal moments on chart block'
	assert_line --partial '2,408,662 events read, 63,744'
	assert_line --regexp '^2/2 +8.800 s +97.8 %  reader: read of loop0 in service$'
}

@test "streams of several hosts: whose each moment is, and when by its own clock" {
	# of HOST [WALL]: a stream with a moment
	of() {
		echo "stream version=1 host=$1${2:+ wall=$2}"
		echo "signal id=1 ts=5.5 start=5 chart=x value=0.5 center=0.01 ucl=0.1 rules=1 tid=7 comm=a"
		echo "window id=1 from=4 to=5.51 signals=1-1 complete=yes"
		echo "limits ts=6 chart=x center=0.05 ucl=0.2 n=100 method=pot change=up since=5.6"
	}
	of web1 1700000000 >w1
	of web2 1700100000 >w2
	of web3 >w3
	run report w1 w2
	assert_line --index 0 'worst of 2 moments: x by a/7 took 500 ms at 2023-11-14 22:13:25 on web1, normal'
	assert_line --partial 'hosts web1 and web2, 2023-11-14 22:13:25 to 2023-11-16 02:00:05 UTC'
	assert_line --partial 'x became slower at 2023-11-14 22:13:25 and'
	report w1 w2 | awk '/^moments/ { on = 1 } /^2 abnormal/ { exit } on' >out
	report w1 w2 w2 | grep -c '^moments' >>out
	diff -u - out <<-'END'
		moments of web1 on 2023-11-14:

		1. 22:13:25.000  x by a/7 took 500 ms

		moments of web2 on 2023-11-16:

		2. 02:00:05.000  x by a/7 took 500 ms

		2
	END
	run bash -c 'report -f json w1 w2 | jq -c ".hosts, .host, [.moments[].host], [.charts[0].keys[0].changes[].since]"'
	assert_output "$(printf '["web1","web2"]\nnull\n["web1","web2"]\n[5.6,5.6]')"
	report -f html -o page w1 w2
	grep -q '<title>.*: web1 and web2</title>' page/report.html
	grep -q '<h2>Moments of web2 on 2023-11-16</h2>' page/report.html
	# What has no wall clock is told by its trace clock, and has no part in the time of all.
	for order in "w1 w3" "w3 w1"; do
		# shellcheck disable=SC2086
		COLUMNS=200 run report $order
		assert_line --regexp '^hosts web[13] and web[13], 2023-11-14 22:13:25 UTC, '
		assert_line --regexp '^[12]. 22:13:25.000  x'
		assert_line --regexp '^[12]. 5.000000 s  x'
	done
}

@test "a device of a stream that is over has its name of then; a number of two devices is told as such" {
	limits='limits ts=1 chart=block key=253:0 center=0.001 ucl=0.01 n=100 method=pot'
	change='limits ts=1.5 chart=block key=253:1 center=0.01 ucl=0.05 n=100 method=pot change=up since=1.2 unit=number'
	first=$(printf '%s\n' 'stream version=1 host=a' 'device dev=253:0 name=data' 'device dev=253:1 name=logs' "$limits" "${limits/3:0/3:1}" "$change")
	second=$(printf '%s\n' 'stream version=1 host=b' 'device dev=253:0 name=swap' 'sample ts=3 start=2 chart=runq value=1')
	COLUMNS=200 run -0 report <(echo "$first") <(echo "$second")
	assert_line --partial 'block: 0 values; data: limit 0.01'
	assert_line --partial '; logs: limit 0.05'
	assert_line --partial 'block of logs became higher'
	COLUMNS=200 run -0 report <(echo "$first") <(echo "$second"; echo "$limits")
	assert_line --partial 'block: 0 values; 253:0: limit 0.01'
	assert_line --partial '; logs: limit 0.05'
}

@test "a long incident over several moments is one story, told by its worst moment" {
	# moments CULPRIT...: one each, five seconds apart
	moments() {
		local n=0
		for culprit; do
			n=$((n + 1))
			cat <<-EOT
				signal id=$n ts=$((5 * n)).$((n % 3))5 start=$((5 * n)) chart=block key=7:0 value=0.$((n % 3))5 center=0.01 ucl=0.02 rules=1 tid=$n comm=db
				window id=$n from=$((5 * n - 1)) to=$((5 * n + 1)) signals=$n-$n complete=$([ $n = 3 ] && echo no || echo yes)
				graph id=$n window=$n signal=$n from=$((5 * n)) to=$((5 * n)).$((n % 3))5 kind=wake
				blame graph=$n rank=1 deed=run who=$culprit score=0.05 share=0.8
			EOT
		done
	}
	moments backup backup backup backup cron >long
	run -3 report long
	assert_line --index 0 --regexp '^worst of 5 moments \(INCOMPLETE\): request of 7:0 by db/2 took 250 ms at'
	assert_line 'next: request of 7:0 by db/5 took 250 ms at 25.000000 s; to blame: cron 80 %'
	refute_output --partial 'by db/4 took 150 ms at'
	assert_line '2. 10.000000 s  request of 7:0 by db/2 took 250 ms'
	assert_line '   on    the same in 4 moments from 4.000000 s to 21.000000 s: 600 ms in all; 1'
	assert_line '         of them INCOMPLETE'
	assert_line --regexp '^5. 25.000000 s '
	refute_line --regexp '^[134]\. '
	run -3 report -a long
	assert_line --regexp '^1. 5.000000 s '
	refute_output --partial 'the same in'
	run -3 bash -c 'cat long | report'
	assert_line --regexp '^4. 20.000000 s '
	assert_equal "$(grep -c '^   on    as in the moment before$' <<<"$output")" 3
	run -0 bash -c 'report -f json long | jq -c "[.moments[].goes_on_from]"'
	assert_output '[null,1,1,1,null]'
	report -f html -o page long || [ $? = 3 ]
	grep -q '^<p>the same in 4 moments from 4.000000 s to 21.000000 s: 600 ms in all; 1 of them INCOMPLETE</p>$' page/report.html
	assert_equal "$(grep -c '<h3>' page/report.html)" 2
	# a pause of more than ten seconds
	sed '/^stream/!s/from=19/from=39/; s/=20/=40/g; s/to=21/to=41/' long >apart
	run -3 report apart
	assert_line --regexp '^4. 40.000000 s '
}

@test "moments of another day are told so" {
	# at SECONDS...: a moment each, of a stream that begins at 2023-11-14 23:59:50
	at() {
		echo "stream version=1 host=web wall=1700006390"
		echo "sample ts=0 chart=x value=0.01"
		for at; do
			echo "signal id=$at ts=$at start=$at chart=x value=0.5 center=0.01 ucl=0.1 rules=1 tid=7 comm=a$at"
			echo "window id=$at from=$at to=$at signals=$at-$at complete=yes"
		done
	}
	for both in "at 1 9 >x && report x" "at 1 9 | report" "at 1 20 >x && report x" "at 1 20 | report" "at 20 30 >x && report x" "at 20 30 | report" \
		    "at 1 20 30 200000 | report" "at 5 12 30 | sed s/comm=a12/comm=a5/ >x && report x"; do
		echo "$both:" >>out
		eval "$both" | grep -o '^moments.*\|^[0-9]*\. [0-9:]*' >>out
	done
	diff -u - out <<-'END'
		at 1 9 >x && report x:
		1. 23:59:51
		2. 23:59:59
		at 1 9 | report:
		1. 23:59:51
		2. 23:59:59
		at 1 20 >x && report x:
		moments on 2023-11-14:
		1. 23:59:51
		moments on 2023-11-15:
		2. 00:00:10
		at 1 20 | report:
		1. 23:59:51
		moments on 2023-11-15:
		2. 00:00:10
		at 20 30 >x && report x:
		moments on 2023-11-15:
		1. 00:00:10
		2. 00:00:20
		at 20 30 | report:
		moments on 2023-11-15:
		1. 00:00:10
		2. 00:00:20
		at 1 20 30 200000 | report:
		1. 23:59:51
		moments on 2023-11-15:
		2. 00:00:10
		3. 00:00:20
		moments on 2023-11-17:
		4. 07:33:10
		at 5 12 30 | sed s/comm=a12/comm=a5/ >x && report x:
		moments on 2023-11-14:
		1. 23:59:55
		moments on 2023-11-15:
		2. 00:00:02
		3. 00:00:20
	END
}

@test "--plot: the control chart in text" {
	need_gnuplot
	for columns in 80 120; do
		COLUMNS=$columns report --plot "$DATA/crowd.txt" >out
		grep -q '^chart block of loop0$' out
		grep -q '^ *1 s .*[*]' out
		grep -q 'time, UTC' out
		assert_width out $columns
	done
	# what hangs for hours is beside a number, too
	report --plot <(echo 'signal id=1 ts=90000 start=10000 chart=c value=80000 center=0.001 ucl=0.01 rules=1') >out
	grep -q '^ *100000 s ' out
}

@test "--table: the values of each chart and key in a few numbers, as text, JSON and csv" {
	{
		echo 'stream version=1 host=web1 wall=1700000000'
		echo 'device dev=7:0 name=loop0'
		echo 'summary chart=block key=7:0 count=1679 mean=0.176 p50=0.0014 p95=0.805 p99=0.898 max=1.086 max_ts=28.5'
		echo 'summary chart=wakeups count=12 mean=1500 p50=1400 p95=1900 p99=1990 max=2000 max_ts=30 unit=per_second'
		echo 'summary chart="=1+2" key="a,b" count=1 mean=2 max=2 max_ts=31 unit=number'
	} >counted
	report --table counted >table
	diff -u - table <<-'END'
		chart                count     mean      p50      p95      p99      max    max at
		block of loop0       1,679   176 ms  1.40 ms   805 ms   898 ms  1.086 s  22:13:48
		wakeups                 12   1500/s   1400/s   1900/s   1990/s   2000/s  22:13:50
		=1+2 of a,b              1        2        -        -        -        2  22:13:51
	END
	report --table -f csv counted | tr -d '\r' >csv
	diff -u - csv <<-'END'
		chart,key,count,mean,p50,p95,p99,max,max_at,unit
		block,loop0,1679,0.176,0.0014,0.805,0.898,1.086,2023-11-14T22:13:48.500000000Z,seconds
		wakeups,,12,1500,1400,1900,1990,2000,2023-11-14T22:13:50.000000000Z,per_second
		"'=1+2","a,b",1,2,,,,2,2023-11-14T22:13:51.000000000Z,
	END
	# a clock that has run for 104 days
	run -0 bash -c 'report --table -f csv <(echo "summary chart=x count=1 mean=2 max=2 max_ts=9007199.254740993") | grep -o 9007199[.0-9]*'
	assert_output 9007199.254740993
	run -0 bash -c 'report --table -f json counted | jq -c ".[0] | [.chart, .key, .label, .count, .p95, .max_time]"'
	assert_output '["block","7:0","block of loop0",1679,0.805,"2023-11-14T22:13:48.500000000Z"]'
	run -0 bash -c 'report -f json counted | jq -c ".charts[0].keys[0].summary | [.count, .max]"'
	assert_output '[1679,1.086]'
	# a key that does not fit is whole, on a line of its own
	sed 's/key=7:0/key="the first of two long keys: a"/; s/key="a,b"/key="the first of two long keys: b"/' counted | COLUMNS=80 report --table >table
	grep -A1 '^block of the first of two long keys: a$' table | grep -q '^ *1,679  '
	grep -A1 '^=1+2 of the first of two long keys: b$' table | grep -q '^ *1    '
	for columns in '' 200; do # a file has room for it, and so has a wide terminal; no wider than it must be
		sed 's/key="a,b"/key="the first of two long keys: b"/' counted | COLUMNS=$columns report --table >table
		diff -u - table <<-'END'
			chart                                     count     mean      p50      p95      p99      max    max at
			block of loop0                            1,679   176 ms  1.40 ms   805 ms   898 ms  1.086 s  22:13:48
			wakeups                                      12   1500/s   1400/s   1900/s   1990/s   2000/s  22:13:50
			=1+2 of the first of two long keys: b         1        2        -        -        -        2  22:13:51
		END
	done
	# of two streams quantiles are not known
	run -0 report --table counted counted
	assert_line --regexp '^block of loop0 +3,358 +176 ms +- +- +- +1.086 s '
	run -0 report --table <(echo 'stream version=1 host=web1')
	assert_line --index 1 --partial 'no chart has a summary of its values'
	run -1 --separate-stderr report --table <(echo 'summary chart=x count=1')
	assert_equal "$stderr" "report: /dev/fd/63:1: a summary record needs count=, mean=, max= and max_ts= as numbers"
	run -2 report --table -f html counted
	run -2 report -f csv counted
	run -2 report --table --plot counted
}

# --- JSON ----------------------------------------------------------------------------------------------------------

# hears_usr1 PID: report runs, and has its handler; the shell before it has one, too, and ends
hears_usr1() {
	[ "$(cat "/proc/$1/comm")" = report ] && grep -q 'SigCgt:.*[2367abef]..$' "/proc/$1/status"
}

@test "text: SIGUSR1 before all is told: nothing has come, or a moment is not over" {
	mkfifo pipe
	report <pipe >out &
	local pid=$!
	exec 7>pipe
	until_true 60 hears_usr1 $pid
	kill -USR1 $pid
	until_true 60 grep -q '^so far: no data have come$' out
	grep -E '^(stream|limits|signal)' "$DATA/crowd.txt" >&7
	until_true 60 grep -q '^host web1' out
	kill -USR1 $pid
	until_true 60 grep -q '^so far: an abnormal moment that is not over on chart block' out
	exec 7>&-
	wait $pid || [ $? = 3 ]
	run ! grep -q '^0 abnormal' out
}

@test "json: the documented shape" {
	for name in crowd charts methods quiet hostile; do
		report -f json "$DATA/$name.txt" >"$name.json" || [ $? = 3 ]
		diff -u "$DATA/$name.json" "$name.json" || fail "$name differs"
	done
}

@test "json: every key is in tailblame-report(5)" {
	page=$(mandoc -T utf8 "$TOP/man/tailblame-report.5" | col -bx)
	for key in $(grep -hoE '^ +"[a-z_]+":' "$DATA"/*.json | tr -d ' ":' | sort -u); do
		[[ $key =~ ^(dev|sector|rwbs)$ ]] || grep -qw -- "$key" <<<"$page" || fail "$key is not explained"
	done
}

# --- HTML ----------------------------------------------------------------------------------------------------------

@test "html: one page with its charts inside" {
	need_gnuplot
	mkdir tmp
	TMPDIR=$PWD/tmp run --separate-stderr report -f html -o new "$DATA/crowd.txt"
	assert_success
	assert_output ""
	[ -z "$stderr" ]
	[ "$(ls new)" = report.html ]
	[ -z "$(ls -A tmp)" ]
	[ "$(grep -c '<svg' new/report.html)" = 3 ]
	[ "$(tail -n1 new/report.html)" = "</html>" ]
	grep -q '<title>Who was slow, and who is to blame: web1</title>' new/report.html
	run ! grep -qE '<script|<link|<img|@import|url\(|Gnuplot<' new/report.html
	run ! bash -c 'grep -oE "(https?:)?//[a-z.0-9]+" new/report.html | grep -v //www.w3.org'
}

@test "a path's picture has the wait of each link, and the wake-up that ended it" {
	blame-rank "$TOP/testdata/wake/lock.txt" >lock
	report --plot lock | sed -n 's/^   \(victim\|holder\|grinder\)[^|]*//p' >picture
	diff -u - picture <<-'END'
		|===.........................................^==|
		|  ======..................................^==  |
		|       ====================================    |
	END
	need_gnuplot
	mkdir bin
	printf '#!/bin/sh\n[ ! -e path ] || cp path "%s/drawn"\nexec %s "$@"\n' "$PWD" "$(command -v gnuplot)" >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run -0 report -f html -o . lock
	diff -u - <(sed -n '/^0\tvictim/,/^$/p; /^2\t160/p; /^[01]\t[0-9.]*\t[0-9.]*$/p; /^[0-9.]*\t[12]\t-1$/p' drawn | grep .) <<-'END'
		0	victim/10
		1	holder/20
		2	grinder/30
		1	160	850
		0	50	900
		2	160	850	1
		850	2	-1
		900	1	-1
	END
	grep -q 'waiting for another' report.html
}

# bats test_tags=figures
@test "the pictures of README are drawn from stored streams" {
	need_gnuplot
	PATH=$BUILD:$PATH run -0 "$TOP/tests/picture.sh" "$BUILD" .
	grep -q 'signals' chart.svg
	grep -q 'grinder/1561' path.svg
	grep -q 'wakes' path.svg
}

@test "the samples of README are what the stored streams give" {
	# sample STREAM FIRST LAST: the lines of the report from one to the other
	sample() {
		cchart-filter "$TOP/testdata/$1" 2>/dev/null | blame-rank >ranked
		report ranked | sed -n "/^$2/,/^$3/p"
	}
	sed -n '/^    1 moment: read/,/^    none lost/s/^    //p; /^$/d' "$TOP/README.md" >readme
	sample demo.tb '1 moment' 'none lost' | grep . | diff -u <(grep . readme) -
	sed -n '/^    1\. .*lock/,/^       blame/s/^    //p' "$TOP/README.md" >readme
	sample lock.txt '1\.' '   blame' | diff -u readme -
}

@test "html: views of a state file, alarms with what changed before, and the slowest request" {
	{
		printf '%s\n' 'stream version=1 host=h wall=1790000000.0' 'view kind=lanes path="Threads/*/Do" title="what <b> did"' 'view kind=rate path=Out title=sent' \
			'view kind=volume path=Out' 'view kind=lanes path="Not/*" title=nothing' 'view kind=flow path="**" title="the way"'
		# 25,000 changes of one thread within ten seconds; another's stay as they came until the second half, which is lost
		awk 'BEGIN {
			for (i = 0; i < 25000; i++) {
				printf "state ts=%.6f path=h/a.1/Threads/1/Do value=%s\n", i / 2500, i % 2 ? "read" : "\"wr\\\"ite\""
				if (i % 2500 == 0) printf "state ts=%.6f path=h/a.1/Out value=%d\n", i / 2500, i
				if (i % 5000 == 1) printf "state ts=%.6f path=h/a.1/Threads/2/Do value=#%d\n", i / 2500, i
			}
		}'
		printf '%s\n' 'state ts=10.0 path=h/a.1/Threads/2/Do since=5.0' 'signal id=1 ts=10.0 start=10.0 chart=x value=0 rules=state tid=2 comm=a text="<i>freed twice"'
		printf '%s\n' 'span id=1 ts=3.0 start=1.0 host=h service=web' 'span id=2 parent=1 ts=2.0 start=1.5 host=k service=db' 'graph id=1 root=1 from=1.0 to=3.0 kind=rag' \
			'node graph=1 id=1 name=web start=1.0 end=3.0' 'span id=9 ts=9.0 start=8.9 service=web' 'graph id=2 root=1 from=8.9 to=9.0 kind=rag' 'node graph=2 id=1 name=web start=8.9 end=9.0'
	} >states
	run -0 --separate-stderr report -f html -o . states
	[ -z "$stderr" ] || fail "$stderr"
	[ "$(grep -c '<svg' report.html)" = 5 ] # and the control chart
	grep -q '^<figcaption>what &lt;b&gt; did, from 14:13:20.000. What changed again within [0-9.]* ms is drawn as one.</figcaption>$' report.html
	grep -q '^<figcaption>sent, each second, from 14:13:20.000.</figcaption>$' report.html
	grep -q '^<figcaption>the way. The slowest of 2 requests: from 14:13:21.000, 2.000 s.</figcaption>$' report.html
	# lanes are as high as others below a legend of two rows, too
	grep -q 'viewBox="0 0 900 200"' report.html
	grep -A5 '&lt;i&gt;freed twice' report.html | grep -q 'a/2</summary>'
	grep -q '^<li>h/a.1/Threads/2/Do: nothing</li>$' report.html
	# marks: of 25,000 at most half of VIEW_MARKS are left; of thread 2 those before 5.0 s
	[ "$(grep -c '<polygon' report.html)" -lt 20000 ]
	grep -q "wr'ite" report.html
	grep -q '>#10001<' report.html
	run ! grep -q '>#15001<' report.html
}

@test "html: a view that a further stream brings has paths that were known before" {
	need_gnuplot
	printf '%s\n' 'stream version=1 host=h wall=1790000000.0' 'view kind=lanes path="T/*"' 'state ts=1.0 path=T/1 value=a' 'state ts=2.0 path=T/1 value=b' >first
	printf '%s\n' 'stream version=1 host=h wall=1790000000.0' 'view kind=lanes path=T/1 title=further' 'state ts=3.0 path=T/1 value=c' 'state ts=4.0 path=T/1 value=d' >second
	run -0 --separate-stderr report -f html -o . first second
	grep -q '^<figcaption>further, from 14:13:23.000.</figcaption>$' report.html
}

@test "a path of more threads than rows shows those on which the time went" {
	need_gnuplot
	# each of forty threads wakes the next; only the third takes long
	perl -e 'my ($n, $t) = (40, 1);
		print "event ts=0.9 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=t1 next_pid=101\n";
		for my $i (1 .. $n) {
			my ($p, $q) = (100 + $i, $i < $n ? 101 + $i : 0);
			$t += $i == 3 ? 0.5 : 0.001;
			printf "event ts=%.6f cpu=0 tid=$p comm=t$i name=sched:sched_waking pid=$q target_cpu=0\n", $t - 1e-5 if $q;
			printf "event ts=%.6f cpu=0 tid=$p comm=t$i name=sched:sched_switch prev_comm=t$i prev_pid=$p prev_state=S next_comm=t%d next_pid=$q\n", $t, $i + 1 }
		printf "signal id=1 ts=%.6f start=1 chart=func:p:f value=%.6f tid=140\nwindow id=1 from=0.9 to=%.6f signals=1-1 complete=yes\n", $t, $t - 1, $t' |
		blame-rank >chain
	report --format=html -o . chain
	run grep -oE '>(t[0-9]+/[0-9]+|others)<' report.html
	assert_equal "${#lines[@]}" 24
	assert_line --index 0 ">t40/140<"
	assert_line ">t3/103<"
	assert_line --index 23 ">others<"
}

@test "html: a Ctrl-C that ends the pipe's input ends no picture" {
	need_gnuplot
	mkdir bin
	cat >bin/gnuplot <<-END
		#!/bin/sh
		[ -e "$PWD/interrupted" ] || { : >"$PWD/interrupted"; kill -INT 0; }
		exec $(command -v gnuplot) "\$@"
	END
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run -0 --separate-stderr setsid -w report -f html -o . "$DATA/crowd.txt"
	[ -z "$stderr" ] || fail "$stderr"
	[ -e interrupted ]
	[ "$(grep -c '<svg' report.html)" = 3 ]
}

@test "html: without gnuplot the rest still comes" {
	run --separate-stderr env PATH="$BUILD" report -f html -o . "$DATA/crowd.txt"
	assert_success
	[[ $stderr == "report: no chart: cannot start gnuplot: it is not installed; install gnuplot-nox" ]] || fail "$stderr"
	sed '/<style>/,/<\/style>/d' report.html | diff -u "$DATA/crowd.html" -
}

@test "plot: without gnuplot the rest still comes" {
	run --separate-stderr env PATH="$BUILD" report --plot "$DATA/crowd.txt"
	assert_success
	assert_line --regexp '^   loop0 +\|[qs]+\|$'
	diff -u "$DATA/crowd.text" <(sed '/|$/d; /^   = runs/,/unknown$/d' <<<"$output")
	[[ $stderr == *"install gnuplot-nox"* ]] || fail "$stderr"
}

# bats test_tags=long
@test "a hundred thousand moments make no report that nobody reads" {
	awk 'BEGIN { for (n = 1; n <= 100000; n++) {
		printf "signal id=%d ts=%d start=%d.%03d chart=x value=%.3f center=0.01 ucl=0.02 rules=1 tid=%d comm=c%d\n", n, n + 1, n, n % 1000, 1 - n % 1000 / 1000, n, n
		printf "window id=%d from=%d to=%d signals=%d-%d complete=yes\n", n, n, n + 1, n, n } }' >many
	timeout 100 report -f html -o . many
	[ "$(stat -c %s report.html)" -lt 1000000 ]
	assert_equal "$(grep -c '<h3>' report.html)" 100
	grep -q 'and 99,900 moments that lost less time' report.html
	grep -q '<h3>20000\. ' report.html
	run ! grep -q 'took 990 ms' report.html

	timeout 100 report many >text
	assert_equal "$(grep -c '^[0-9]*\. .* took' text)" 100
	grep -qx 'and 99,900 moments that lost less time; --all lists them' text
	assert_equal "$(timeout 100 report --all many | grep -c '^[0-9]*\. .* took')" 100000
}

@test "of the requests of a pipe those are told, behind the first, that are worse than all before" {
	awk 'BEGIN { for (n = 1; n <= 300; n++) {
		end = n + (n == 40 || n == 250 ? 0.9 : n == 251 ? 0.95 : 0.1)
		printf "graph id=%d kind=rag root=1 from=%d to=%.3f\nnode graph=%d id=1 name=n start=%d end=%.3f\nend graph=%d\n", n, n, end, n, n, end, n } }' >requests
	run -0 bash -c 'blame-rank <requests | report'
	assert_equal "$(grep -c '^[0-9]*\. ' <<<"$output")" 101
	assert_line --regexp '^251\. '
	refute_line --regexp '^250\. '
	assert_line 'and 199 moments that lost less time; --all lists them'
	run -0 bash -c 'blame-rank <requests | report --all'
	assert_equal "$(grep -c '^[0-9]*\. ' <<<"$output")" 300
	blame-rank requests >ranked
	run -0 report ranked
	assert_equal "$(grep -c '^[0-9]*\. ' <<<"$output")" 100
	assert_line --regexp '^250\. '
}

@test "html: the page says that it loads and runs nothing" {
	report -f html -o . "$DATA/crowd.txt"
	grep -q "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">" report.html
}

@test "html: names do no harm" {
	report -f html -o . "$DATA/hostile.txt"
	report --plot "$DATA/hostile.txt" >out
	[ ! -e PWNED ]
	run ! grep -qE '<script|<b>host|<i>c|<u>' report.html
	LC_ALL=C run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' report.html out
	iconv -f utf-8 -t utf-8 report.html >/dev/null
}

@test "html: every fixture has its page" {
	need_gnuplot
	for name in crowd charts methods quiet hostile; do
		run --separate-stderr report -f html -o "$name" "$DATA/$name.txt"
		[ -z "$stderr" ] || fail "$name: $stderr"
		grep -q '</html>' "$name/report.html"
	done
}

@test "html: a directory that cannot be written" {
	touch file
	for directory in file file/below; do
		run --separate-stderr report -f html -o "$directory" "$DATA/crowd.txt"
		assert_failure 1
		[[ $stderr == "report: cannot "*"'$directory"* ]] || fail "$stderr"
	done
	assert_equal "$(find . -type f ! -name "separate-stderr*" | wc -l)" 1
}

# --- data that are not whole ---------------------------------------------------------------------------------------

@test "nothing at all ends with 3 and says so" {
	run report /dev/null
	assert_failure 3
	assert_output "no data: the input is empty"
	run report -f json /dev/null
	assert_failure 3
	assert_line --partial '"complete": false'
}

@test "behind a stage that failed there is one line" {
	run bash -c 'cchart-filter </dev/null 2>/dev/null | blame-rank 2>/dev/null | report'
	assert_failure 3
	assert_output "no data: the input is empty"
}

@test "lost events end with 3, their count in the first lines" {
	run report "$DATA/quiet.txt"
	assert_failure 3
	assert_line --index 0 "INCOMPLETE: 12 events were lost"
	assert_line --partial "12 LOST"
	{ cat "$DATA/crowd.txt"; echo 'lost ts=13.99 cpu=0 count=12'; } >lossy
	COLUMNS=200 run report lossy
	assert_failure 3
	assert_line --index 0 --regexp '^1 moment \(12 events LOST\): read of loop0 .* took 2.288 s at 15:43:11.203, normal 4.50 ms$'
}

has_lines() { # COUNT PATTERN
	[ "$(grep -c "$2" out)" -ge "$1" ]
}

@test "lost events are told at once in a pipe, and again when they are twice as many" {
	sed '/^window/i lost ts=13.1 cpu=0 count=1234' "$DATA/crowd.txt" >lossy
	cat lossy | { report || echo "status $?"; } >out
	run grep -m1 -n 'INCOMPLETE: 1,234 events lost so far' out
	assert_success
	[ "${output%%:*}" -lt 5 ]
	[ "$(tail -n1 out)" = "status 3" ]
	mkfifo in
	report <in >out &
	local pid=$! i
	exec 7>in
	sed '/^window/q' lossy >&7
	until_true 60 grep -q '^INCOMPLETE: 1,234 events lost so far$' out
	for i in 1 2 3; do
		echo 'lost ts=13.1 cpu=0 count=10' >&7
		kill -USR1 "$pid"
		until_true 60 has_lines "$i" '^so far: '
	done
	echo 'lost ts=13.1 cpu=0 count=2000' >&7
	until_true 60 has_lines 2 'lost so far$'
	exec 7>&-
	wait "$pid" || assert_equal $? 3
	assert_equal "$(grep -c 'lost so far$' out)" 2
}

@test "a cut stream is told as far as it goes, and ends with 3" {
	stream-cat --binary "$DATA/crowd.txt" | head -c -40 >short
	run report short
	assert_failure 3
	assert_line "INCOMPLETE: the input was cut before its end"
	assert_line --partial "reader (3 threads): read of loop0 in service"
}

@test "signals whose window was cut off are told" {
	stream-cat --binary "$DATA/crowd.txt" >whole
	stream-cat --binary <(sed '/^window/,$d' "$DATA/crowd.txt") | head -c -40 >short
	run report short
	assert_failure 3
	assert_line --partial "took 2.288 s"
	assert_line --partial "INCOMPLETE: the input ended before this moment did"
}

@test "what makes no sense ends with 1, file and line named, and what went before is printed" {
	while IFS='|' read -r line reason; do
		{ cat "$DATA/methods.txt"; echo "$line"; echo "signal id=99 ts=1 value=1"; } >bad
		run --separate-stderr report bad
		assert_failure 1
		[[ $stderr == "report: bad:1"[0-9]": $reason" ]] || fail "$line: $stderr"
		assert_line --partial "A1 took 10.000 s"
	done <<-'END'
		signal id=1 ts=1|a signal record needs ts= and value= as numbers
		signal id=1 ts=1 start=2 value=1|a signal ends before it starts
		sample ts=x value=1|a sample record needs ts= and value= as numbers
		window id=1 from=1|a window record needs from= and to= as numbers
		path graph=g1 node=1 from=2 to=1|a path piece ends before it starts
		blame graph=g1 name=x|a blame record needs score= as a number
	END
}

@test "signals before what makes no sense are told, though their window did not come" {
	{
		echo "stream version=1 host=web1 wall=1795189380.000000000"
		echo "signal id=1 ts=3 start=2 chart=runq value=1 center=0.001 ucl=0.01 rules=1 tid=4 comm=worker"
		echo "window id=1 from=x to=4"
	} >bad
	run --separate-stderr report bad
	assert_failure 1
	assert_line "INCOMPLETE: 1 moment with gaps"
	assert_line "1 abnormal moment on chart runq"
	assert_line --regexp '^1\. [0-9:.]+  worker/4 waited 1.000 s for a CPU'
	assert_line "   INCOMPLETE: the input ended before this moment did"
	run bash -c "report -f json bad 2>/dev/null | jq -c '[.moments[] | .worst[0].words, .complete]'"
	assert_output '["worker/4 waited 1.000 s for a CPU",false]'
}

@test "extreme numbers are only numbers" {
	cat >extreme <<-'END'
		stream version=1 host=h wall=9000000000
		limits ts=0 chart=c center=0 lcl=0 ucl=1e-300 n=0
		sample ts=-5 start=-6 chart=c value=0 count=18446744073709551615 max=1e300
		signal id=18446744073709551615 ts=200000000 start=-200000000 chart=c value=1e300 ucl=1e-300
		window id=1 from=-200000000 to=200000000 signals=5-2 complete=yes
		graph id=1 window=1 from=-200000000 to=200000000 kind=wake
		node graph=1 id=9223372036854775807 name=x start=-200000000 end=200000000 tid=2147483647 what=run
		path graph=1 node=9223372036854775807 from=-200000000 to=200000000
		blame graph=1 rank=1 name=x score=-1e300 share=1e300
	END
	for format in text json html; do
		run report -f $format extreme
		[ "$status" = 0 ] || fail "$format: $status $output"
	done
	run report --plot extreme
	assert_success
}

@test "an exception's distance is no time" {
	cat >thrown <<-'END'
		graph id=1 kind=rag
		node graph=1 id=1 name=Main start=0 end=10
		node graph=1 id=2 name=Query parent=1 start=1 end=8 wait_start=1 wait_end=8
		node graph=1 id=3 name=Socket parent=2 start=2 end=4 wait_start=2 wait_end=4 threw=Timeout
	END
	run bash -c 'blame-rank -a exception thrown | report --format=text | sed -n "/^   blame/,/^$/p"'
	assert_line --index 0 --regexp '^   blame     threw           Socket$'
	assert_line --index 1 --regexp '^ +1 call up           Query$'
	assert_line --index 2 --regexp '^ +2 calls up           Main$'
	refute_output --regexp '[0-9] (s|ms) '
	run bash -c 'blame-rank -a exception thrown | report -f json | python3 -c "
import json, sys
report = json.load(sys.stdin)
print([\"share\" in entry for entry in report[\"blame\"] + report[\"moments\"][0][\"graphs\"][0][\"blame\"]])"'
	assert_output '[False, False, False, False, False, False]'
	run bash -c 'blame-rank -a exception thrown | report -f html -o page; grep -c "1 call up\|threw" page/report.html'
	assert_output 2
}

@test "a signal with a graph of threads and one of calls is told once" {
	run bash -c 'blame-rank "$1" | report' - "$TOP/testdata/rag/server.txt"
	assert_line --partial '   path    2.300 s   76.7 %  server/20 running'
	assert_line '   blame   the same, in this order'
	assert_line --partial '   calls   2.000 s   66.7 %  server:search'
	refute_output --partial '   also '
	{ cat "$TOP/testdata/rag/server.txt"; } >two
	sed -i 's/^window .*/signal id=2 ts=4 start=2 value=2 center=0.1 ucl=1 rules=1 tid=10 comm=victim chart=func:prog:request\n&/' two
	run bash -c 'blame-rank two | report | grep -c "   also "'
	assert_output 1
}

@test "in the sum over streams a wait counts once, not again with its calls, as in the total of each" {
	blame-rank "$TOP/testdata/rag/server.txt" >ranked
	verdicts='[.blame[] | [.words, (.share * 10000 | round)]]'
	once=$(report -f json ranked | jq -c "$verdicts")
	run bash -c "report -f json ranked ranked | jq -c '$verdicts'"
	assert_output "$once"
}

@test "what is blamed more than in another stream, as JSON" {
	cat "$TOP/testdata/blame/wake-circle.txt" <(sed 's/id=1 kind/id=2 kind/; s/graph=1/graph=2/' "$TOP/testdata/blame/wake-circle.txt") >good
	run bash -c 'blame-rank --diff good "$1/wake-lock.txt" | report -f json | python3 -c "
import json, sys
change = json.load(sys.stdin)[\"changes\"][0]
print(*(change[key] for key in (\"rank\", \"name\", \"good\", \"bad\", \"sure\", \"good_moments\", \"bad_moments\")), \"p\" in change)"' - "$TOP/testdata/blame"
	assert_output '1 holder: running 0.0 0.25 few 2 1 False'
	run bash -c 'report -f json "$1" | grep -c changes' - "$DATA/crowd.txt"
	assert_output 0
}

# --- which is the worst --------------------------------------------------------------------------------------------

@test "the worst is what cost the most time; what is no wait comes last, by how far outside its limits it lies" {
	{
		echo "signal id=1 ts=1.1 start=1.099 chart=syscall key=pwrite64 value=0.000432 center=0.000001 ucl=0.00001 rules=1 tid=10"
		echo "signal id=2 ts=1.6 start=1.2 chart=syscall key=read value=0.4 center=0.39 ucl=0.395 rules=1 tid=10"
		echo "signal id=3 ts=1.6 start=1.5 chart=syscall key=fsync value=0.052 center=0.01 ucl=0.02 rules=1 tid=10"
		echo "signal id=4 ts=1.6 start=0.6 chart=wakeups value=9000 unit=per_second center=1000 ucl=2000 rules=1"
		echo "signal id=5 ts=1.6 start=0.6 chart=block-rate key=8:0 value=10 unit=per_second center=1000 lcl=900 ucl=2000 rules=1"
		echo "signal id=6 ts=1.6 start=1.3 chart=syscall key=fsync value=9 center=0.01 ucl=0.2 rules=shift tid=10"
		echo "window id=1 from=1 to=2 signals=1-6 complete=yes"
		for i in 1 3; do
			echo "graph id=$i window=1 signal=$i from=1.5 to=1.6 kind=wake"
			echo "node graph=$i id=1 deed=run who=n start=1.5 end=1.6 tid=7 what=run"
			echo "path graph=$i node=1 from=1.5 to=1.6"
		done
	} >order
	run -0 bash -c 'report -f json order | jq -c ".moments[0] | [.worst[].id], [.graphs[].signal]"'
	assert_output "$(printf '["3","2","1","6","5","4"]\n["3","1"]')"
	run -0 report order
	assert_line --partial '1. 1.500000 s  fsync by thread 10 took 52.0 ms'
}

@test "what is too low is told with the lower limit, and the lowest" {
	{
		echo "limits ts=1 chart=load center=100.5 lcl=99.5 ucl=101.5 n=100 method=imr unit=number"
		for value in 29 27 28; do
			echo "signal id=$value ts=$value chart=load value=$value unit=number center=100.5 lcl=99.5 ucl=101.5 rules=1"
		done
		echo "signal id=40 ts=40 chart=load value=104 unit=number center=100.5 lcl=99.5 ucl=101.5 rules=1"
		echo "signal id=41 ts=41 chart=load value=105 unit=number center=100.5 lcl=99.5 ucl=101.5 rules=1"
		echo "window id=1 from=20 to=41 complete=yes"
	} >low
	run report low
	assert_line '1 abnormal moment on chart load (limit 99.5, median 100.5)'
	assert_line '1. 27.000000 s  load was 27'
	assert_line '   also 2 signals on load, the lowest 28'
	assert_line '   also 2 signals on load, the largest 105'
	# Values below zero have a largest one, too.
	sed 's/value=/&-/g; s/lcl=[^ ]*//; s/center=[^ ]*/center=-200/' low >negative
	run report negative
	assert_line --partial 'the largest -28'
}

@test "a wait that was told while it lasted and when it was over is one" {
	{
		echo "signal id=1 ts=2.011 start=1 chart=syscall key=read value=1.011 center=0.001 ucl=0.01 rules=1 tid=10 open=yes"
		echo "signal id=2 ts=3.002 start=1 chart=syscall key=read value=2.002 center=0.001 ucl=0.01 rules=1 tid=10"
		echo "signal id=3 ts=3.002 start=1 chart=syscall key=read value=2.002 center=0.001 ucl=0.01 rules=1 tid=11"
		echo "window id=1 from=1 to=4 signals=1-3 complete=yes"
		echo "graph id=1 window=1 signal=1 from=1 to=2.011 kind=wake"
		echo "node graph=1 id=1 deed=run who=n start=1 end=2.011 tid=10 what=run"
		echo "path graph=1 node=1 from=1 to=2.011"
	} >twice
	run -0 bash -c 'report -f json twice | jq -c ".moments[0] | .signals, [.worst[].id], .graphs[0].signal, .graphs[0].words"'
	assert_output "$(printf '2\n["2","3"]\n"2"\n"read by thread 10 took 2.002 s (the first 1.011 s explained)"')"
	run -0 bash -c 'report -f json twice | jq -c ".charts[0] | .signals, .keys[0].signals"'
	assert_output "$(printf '2\n2')"
}

# bats test_tags=long
@test "of a great many keys and names the first are told, and that there were more" {
	{
		for i in $(seq 1100); do echo "sample ts=1.$i chart=c key=k$i value=$i"; done
		echo "limits ts=2 chart=c key=k1100 center=7 ucl=9 n=100 method=imr"
	} >keys
	run -0 bash -c 'report -f json keys | jq -c ".charts[0].keys | length, (.[] | select(.key == \"k1\" or .others) | [.key, .values, .largest, .ucl, .others])"'
	assert_output "$(printf '1025\n["k1",1,1,null,null]\n["other keys",76,1100,null,true]')"
	run -0 report keys
	assert_line --partial 'more than 1,024 keys'
	for i in $(seq 4100); do
		echo "blame graph=1 rank=$i name=n$i score=0.5 share=0.1 on_path=yes instances=1 algorithm=critical"
	done >names
	run -0 report names
	assert_line --partial 'more than 4,096 names were blamed: 2.000 s'
}

@test "keys with signals are told first, the largest value by its key; of many keys some" {
	{
		for k in a b c d e f g h; do
			echo "limits ts=1 chart=c key=$k center=1 ucl=2 n=100 method=imr"
			echo "sample ts=2 chart=c key=$k value=1 count=10 max=1.5"
		done
		echo "sample ts=3 chart=c key=b value=1 count=5 max=1.75"
		echo "sample ts=3 chart=c key=i value=1.9"
	} >keys
	COLUMNS=400 run -0 report keys
	assert_line "nothing abnormal on chart c: 86 values; b: limit 2, median 1; a: limit 2, median 1; c: limit 2, median 1; d: limit 2, median 1; e: limit 2, median 1; f: limit 2, median 1; 3 other keys; largest 1.9 (i), before there were limits"
	echo "signal id=1 ts=4 chart=c key=h value=9 center=1 ucl=2 rules=1" >>keys
	COLUMNS=400 run -0 report keys
	assert_line --partial "1 abnormal moment on chart c (h: limit 2, median 1; b: "
}

@test "a value beyond the limits that is not abnormal has a reason" {
	{
		echo "sample ts=1 chart=c value=3"
		echo "limits ts=2 chart=c center=1 ucl=2 n=20 method=imr"
		echo "sample ts=3 chart=c value=1"
	} >early
	COLUMNS=200 run -0 report early
	assert_output --partial "largest 3, before there were limits"
	COLUMNS=200 run -0 report <(sed 1s/3/1.5/ early) early # each stream has its own
	assert_output --partial "largest 3, before there were limits"
	run -0 report <(sed 1s/3/1.5/ early)
	assert_line --regexp 'largest 1.5$'
	sed 3s/value=1/value=2.5/ early | sed 1d >late
	COLUMNS=200 run -0 report late
	assert_line --regexp 'largest 2.5, not enough to be abnormal$'
}

@test "what has not ended is not put together with what has, nor said to have ended" {
	{
		for i in 1 2 3 4 5; do
			echo "signal id=$i ts=40 start=1$i chart=block key=7:0 value=$((30 - i)) center=0.001 ucl=0.01 rules=1 tid=10 comm=db $([ $i -gt 3 ] || echo open=yes)"
		done
		echo "window id=1 from=9 to=41 signals=1-5 complete=yes"
	} >open
	run -0 report open
	assert_line "   also 2 requests of 7:0 by db not done after 55.000 s in all, the longest"
	assert_line "   also 2 requests of 7:0 by db took 51.000 s in all, the longest 26.000 s"
	run -0 jq -c '[.moments[0].groups[].open]' <(report -f json open)
	assert_output "[true,false]"
}

@test "of a moment over midnight, what is of another day than its head says so" {
	{
		echo "stream version=1 host=web1 wall=1700000000.000000000" # 22:13:20
		echo "signal id=1 ts=6500 start=6300 chart=runq value=200 center=0.001 ucl=0.01 rules=1 tid=10 comm=a"
		echo "signal id=2 ts=6550 start=6500 chart=runq value=50 center=0.001 ucl=0.01 rules=1 tid=11 comm=b"
		echo "signal id=3 ts=7500 start=6500 chart=runq value=1000 center=0.001 ucl=0.01 rules=1 tid=12 comm=c"
		echo "window id=1 from=6300 to=7500 signals=1-5 complete=yes"
	} >midnight
	run -0 report midnight
	assert_line "1. 00:01:40.000  c/12 waited 1000.000 s for a CPU"
	assert_line "   also 2023-11-14 23:58:20  a/10 waited 200.000 s for a CPU"
	assert_line "   also 00:01:40.000  b/11 waited 50.000 s for a CPU"
	assert_line "   and  2 more signals between 2023-11-14 23:58:20 and 00:18:20.000"
}

@test "what many functions have in common is told once" {
	{
		for i in $(seq 9); do echo "chart name=func:prog:f$i definition=x"; done
		echo "limits ts=1 chart=func:prog:f1 center=1 ucl=2 n=100 method=imr"
		echo "sample ts=2 start=1 chart=func:prog:f1 value=1 count=10 max=1.5"
		echo "chart name=syscall definition=x"
		echo "usage command=cchart-filter events=10 kept=0 bytes=10 kept_bytes=0 cpu=0.1 wall=1"
	} >functions
	COLUMNS=200 run -0 report functions
	assert_line --index 0 "nothing abnormal on chart func:prog:f1: 10 values, limit 2.000 s, median 1.000 s, largest 1.500 s"
	assert_line --index 1 "no values on chart syscall: nothing that it measures came to an end"
	assert_line --index 2 "8 of 9 functions: no call of them ended"
	assert_equal "${#lines[@]}" 4
}

@test "a chart without values does not say that nothing happened" {
	kept="usage command=cchart-filter events=10 kept=0 bytes=10 kept_bytes=0 cpu=0.1 wall=1"
	silent() { COLUMNS=200 run -0 report <(echo "chart name=$1 definition=\"$(sed -z 's/"/\\"/g; s/\n/\\n/g')\""; echo "$kept"); }
	silent block <"$TOP/charts/block.chart"
	assert_line "no values on chart block, block requests, queued to complete: nothing that it measures came to an end"
	silent func:a:f <<<"chart name=func:a:f"
	assert_line "no values on chart func:a:f: no call of it ended"
	silent block-rate <"$TOP/charts/block-rate.chart"
	assert_line "no values on chart block-rate, block requests queued: nothing that it counts happened in a whole interval"
}

@test "what hangs without limits to judge it by is told with its chart" {
	{
		echo "device dev=8:16 name=sdb"
		echo "sample ts=2 start=1 chart=block key=8:0 value=0.001 count=10 max=0.002"
		echo "limits ts=2 chart=block key=8:0 center=0.001 ucl=0.01 n=100 method=pot"
		echo "open ts=60 start=2 chart=block key=8:16 count=1"
		for i in $(seq 4); do echo "chart name=func:prog:f$i definition=x"; done
		echo "open ts=60 start=2 chart=func:prog:f2 count=1"
		echo "open ts=60 start=1 chart=func:prog:f3 count=2"
	} >hang
	COLUMNS=400 run -0 report hang
	assert_line --regexp '^nothing abnormal on chart block: 10 values;.*; 1 begun and not ended, 58.000 s ago \(sdb\): no limits to judge it by, see --limit of cchart-filter$'
	assert_line "4 of 4 functions: no call of them ended; 3 begun and not ended, the oldest 59.000 s ago (func:prog:f3): no limits to judge them by, see --limit of cchart-filter"
	{ cat hang; echo "open ts=60 start=3 chart=block key=8:0 count=2 doubt=cpu cpu=1"; } >doubted
	COLUMNS=400 run -0 report doubted
	assert_line --partial "; 2 begun whose ends are not in the data, the oldest 57.000 s ago (8:0): unknown if they ended, as CPU 1 was not recorded all the time"
	run -0 jq -c '[.charts[].keys[] | select(.doubted) | [.key, .open, .doubted]]' < <(report -f json doubted)
	assert_output '[["8:0",null,{"count":2,"oldest":57,"doubt":"cpu","cpu":1}]]'
	sed -i 's/count=2 doubt=.*/count=1 doubt=overtaken/' doubted
	COLUMNS=400 run -0 report doubted
	assert_line --partial "; 1 begun whose end is not in the data, 57.000 s ago (8:0): unknown if it ended, as many others did that began after it"
	run -0 jq -c '[.charts[].keys[] | select(.open) | [.key, .open, (.oldest | floor)]]' < <(report -f json hang)
	assert_output '[["8:16",1,58],[null,1,58],[null,2,59]]'
	run -1 --separate-stderr report <(echo "open ts=60 chart=block count=1")
	assert_regex "$stderr" "an open record needs ts=, start= and count= as numbers"
}

@test "a stream that has not passed cchart-filter says so, and nothing else of its charts" {
	run -0 report <(echo "chart name=block definition=x"; echo "event ts=1 cpu=0 tid=1 comm=a name=sched:sched_waking pid=1"; echo "usage command=trace-collect events=1 kept=1 bytes=10 kept_bytes=10 cpu=0.1 wall=1")
	assert_output --partial "the stream has not passed cchart-filter"
	refute_output --partial "nothing that it"
}

@test "the time is that which was watched, and the cost that of who told it" {
	{
		echo "stream version=1 host=h wall=1795189380.000000000 cpus=2"
		echo "chart name=block definition=x"
		echo "usage command=trace-collect events=0 kept=0 bytes=0 kept_bytes=0 cpu=0.1 setup=9 wall=10 began=1795189385"
		echo "usage command=cchart-filter events=0 kept=0 bytes=0 kept_bytes=0 cpu=0.1 wall=10"
	} >watched
	COLUMNS=200 run -0 report watched
	assert_line --partial "host h, 2026-11-20 15:43:05 to 15:43:15 UTC, "
	assert_line --partial "trace-collect and cchart-filter took 200 ms of CPU time in 10.000 s, 1.0 % of 2 CPUs"
	assert_line --partial "; and 9.000 s to get ready"
	run -0 bash -c 'report -f json watched | jq -c "[.start, .end, .span]"'
	assert_output '["2026-11-20T15:43:05.000000000Z","2026-11-20T15:43:15.000000000Z",10]'
}

@test "what tailblame cost on several machines is a share of the CPUs of each" {
	cost() { # CPUS SECONDS
		echo "stream version=1 host=h$1 cpus=$1"
		echo "usage command=trace-collect events=1 kept=1 bytes=1 kept_bytes=1 cpu=$2 wall=100"
	}
	COLUMNS=200 run -0 report <(cost 64 64) <(cost 2 2)
	assert_line --partial 'took 66.000 s of CPU time in 200.000 s, 1.0 % of all CPUs, for'
	COLUMNS=200 run -0 report <(cost 2 1) <(cost 2 3)
	assert_line --partial 'took 4.000 s of CPU time in 200.000 s, 1.0 % of 2 CPUs, for'
}

@test "the time is that of all streams, of those too that do not tell when they were watched" {
	{
		echo "stream version=1 host=h wall=1795189380.000000000"
		echo "usage command=trace-collect events=1 kept=1 bytes=0 kept_bytes=0 cpu=0.1 wall=10 began=1795189385"
	} >watched
	{
		echo "stream version=1 host=h wall=1795189380.000000000"
		echo "signal id=1 ts=33 start=32 chart=runq value=1 center=0.001 ucl=0.01 rules=1 tid=4 comm=worker"
	} >killed
	for order in "watched killed" "killed watched"; do
		run -0 report $order
		assert_line --partial "host h, 2026-11-20 15:43:05 to 15:43:33 UTC, "
		run -0 bash -c "report -f json $order | jq -c '[.start, .end, .span]'"
		assert_output '["2026-11-20T15:43:05.000000000Z","2026-11-20T15:43:33.000000000Z",28]'
	done
}

@test "of a stream that was filtered twice, what came to the first filter was read, and the last one kept the rest" {
	{
		echo 'stream version=1 host=web1'
		echo 'usage command=cchart-filter events=402 kept=40 bytes=44529 kept_bytes=4432 cpu=0.001 wall=0.1'
		echo 'usage command=cchart-filter events=40 kept=4 bytes=4432 kept_bytes=432 cpu=0.001 wall=0.1'
	} >once
	run report once once
	assert_line --partial '804 events read, 8 kept (1/100)'
}

@test "what was read is of each stream what its stages tell, in JSON as in text" {
	{
		echo 'stream version=1 host=web1'
		echo 'usage command=trace-collect events=1000 kept=1000 bytes=1 kept_bytes=1 cpu=0.001 wall=0.1'
		echo 'usage command=cchart-filter events=900 kept=90 bytes=1 kept_bytes=1 cpu=0.001 wall=0.1'
	} >whole
	grep -v trace-collect whole >killed # which came to tell nothing
	run report whole killed
	assert_line --partial '1,900 events read, 180 kept'
	run bash -c "report -f json whole killed | jq -c '[.events_read, .events_kept]'"
	assert_output '[1900,180]'
}

@test "further signals are told together, by call, thread name and culprit; --all tells each" {
	{
		for i in $(seq 10); do
			echo "signal id=$i ts=$i.5 start=$i chart=syscall key=recvfrom value=0.$((i + 10)) center=0.001 ucl=0.01 rules=1 tid=$((20 + i)) comm=python3"
		done
		echo "signal id=11 ts=5.5 start=5 chart=block key=8:0 value=0.01 center=0.001 ucl=0.002 rules=1 tid=7 dev=8:0 rwbs=R sector=1"
		echo "signal id=12 ts=5.5 start=5 chart=block key=8:0 value=0.02 center=0.001 ucl=0.002 rules=1 tid=7 dev=8:0 rwbs=R sector=2"
		echo "signal id=13 ts=5.5 start=5 chart=runq value=0.01 center=0.001 ucl=0.002 rules=1 tid=7 comm=x"
		echo "window id=1 from=1 to=12 signals=1-15 complete=yes"
		for i in 10 9 8; do
			echo "graph id=$i window=1 signal=$i from=$i to=$i.5 kind=wake"
			echo "node graph=$i id=1 deed=sleep who=reporter start=$i end=$i.5 what=timer"
			echo "path graph=$i node=1 from=$i to=$i.5"
			echo "blame graph=$i rank=1 deed=sleep who=reporter score=0.5 share=1 on_path=yes instances=1 algorithm=critical"
		done
	} >many
	COLUMNS=200 run -0 report many
	assert_line "   also 9 calls of recvfrom by python3 took 1.350 s in all, the longest 190 ms; to blame (for the worst ones): timer: sleep of reporter"
	assert_line "   also 2 requests of 8:0 by threads without a name took 30.0 ms in all, the longest 20.0 ms"
	assert_line "   also 5.000000 s  x/7 waited 10.0 ms for a CPU"
	assert_line "   and  2 more signals between 1.000000 s and 12.000000 s"
	COLUMNS=200 run -0 report --all many
	assert_equal "$(grep -c '^   also .* recvfrom by python3' <<<"$output")" 12
	run -0 bash -c 'report -f json many | jq -c ".moments[0].groups[0] | [.signals, .explained, .longest, .culprit]"'
	assert_output '[9,2,0.19,"timer: sleep of reporter"]'
	report -f html many
	grep -q 'also 9 calls of recvfrom by python3 took' report.html
}

@test "a chain tells who waits for whom, down to where the time went" {
	run -0 bash -c 'blame-rank "$1/wake/lock.txt" | report' - "$TOP/testdata"
	assert_line '   chain   victim waits for holder > grinder, running'
	assert_line '   blame   the same, in this order'
	run -0 bash -c 'blame-rank "$1/wake/lock.txt" | report -f json | jq -r ".moments[0].graphs[0].chain"' - "$TOP/testdata"
	assert_output 'victim waits for holder > grinder, running'
	{
		echo "signal id=1 ts=2 start=1 chart=syscall key=read value=1 center=0.1 ucl=0.2 rules=1 tid=10 comm=a"
		echo "window id=1 from=1 to=2 signals=1-1 complete=yes"
		echo "graph id=1 window=1 signal=1 kind=wake target=1 from=1 to=2"
		echo 'node graph=1 id=1 deed=run who=a start=1.95 end=2 tid=10 what=run'
		echo 'node graph=1 id=2 deed=wait who=a syscall=read object="tcp socket" start=1 end=1.95 tid=10 what=wait'
		echo 'node graph=1 id=3 deed=run who=a start=1.9 end=1.95 tid=11 what=run'
		echo 'node graph=1 id=4 deed=wait who=a syscall=futex stack="b;c" start=1 end=1.9 tid=11 what=wait'
		echo 'node graph=1 id=5 deed=sleep who=b syscall=nanosleep start=1 end=1.9 what=timer'
		echo 'node graph=1 id=6 deed=run who=b start=1.9 end=1.91 tid=12 what=run'
		echo 'node graph=1 id=7 deed=wait who=b syscall=nanosleep start=1 end=1.9 tid=12 what=wait'
		echo "path graph=1 node=5 from=1 to=1.9"
		echo "path graph=1 node=6 from=1.9 to=1.91"
		echo "path graph=1 node=3 from=1.91 to=1.95"
		echo "path graph=1 node=1 from=1.95 to=2"
	} >three
	COLUMNS=200 run -0 report three
	assert_line '   chain   a/10 waits for a/11 (read tcp socket) > b (futex), asleep in nanosleep (timer)'
	# who does not wait for most of it is no part of the chain
	run -0 report <(sed '/id=4 /s/start=1 /start=1.5 /' three)
	assert_line '   chain   a waits for b (read tcp socket), asleep in nanosleep (timer)'
	# where no part takes most of the time there is none
	run -0 report <(sed 's/node=5 from=1 /node=5 from=1.6 /' three)
	refute_output --partial "chain"
	# each link is told once, with what its process called itself then
	{
		echo 'task ts=0 tid=10 comm=a tgid=10 program=/bin/a read=0.1'
		echo 'task ts=0 tid=11 comm=a tgid=9 program="python3 /srv/server.py" script=server.py cgroup=docker/web read=0.1'
		echo 'task ts=0 tid=12 comm=b tgid=12 program=b title="b: starting" read=0.1'
		echo 'task ts=1.5 tid=12 title="b: idle in transaction"'
		echo 'task ts=2.5 tid=12 title="b: idle"'
		cat three
		echo 'blame graph=1 rank=1 name="timer: nanosleep of b" label=b score=0.9 share=0.9 on_path=yes instances=1 algorithm=critical deed=sleep who=b syscall=nanosleep'
	} >told
	sed -i '/id=5 /s/$/ who_tid=12/' told
	COLUMNS=200 run -0 report told
	assert_output --partial '   who     a/10 is /bin/a
           a/11 is of process 9, python3 /srv/server.py, of docker/web
           b is process 12, b: idle in transaction
'
	run -0 bash -c 'report -f json told | jq -c ".moments[0].graphs[0].links[]"'
	assert_output '{"name":"a","tid":10,"pid":10,"program":"/bin/a","syscall":"read","object":"tcp socket","waits_for":11}
{"name":"a","tid":11,"pid":9,"program":"python3 /srv/server.py","unit":"docker/web","syscall":"futex","waits_for":12}
{"name":"b","tid":12,"pid":12,"program":"b","title":"b: idle in transaction","syscall":"nanosleep"}'
	report -f html -o page told
	grep -q '<p class="soft">a/11 is of process 9, python3 /srv/server.py, of docker/web</p>' page/report.html
	# threads of one process are one line
	run -0 bash -c 'sed "s/^\(task.*tid=1[01] .*\)tgid=[0-9]*/\1tgid=9/; s/comm=a tgid/comm=a tgid/" told | COLUMNS=200 report'
	assert_output --partial '   who     a/10 and a/11 are of process 9, /bin/a'
	# who looks around while it waits, and waits on, is on the path again: what it waits for is told all the same
	{
		sed '/^path/d; s/^node graph=1 id=3 /edge graph=1 from=4 to=2 kind=wake\nedge graph=1 from=7 to=4 kind=wake\n&/' three
		echo 'node graph=1 id=8 deed=run who=a start=1 end=1.01 tid=11 what=run'
		echo 'path graph=1 node=8 from=1 to=1.01'
		echo 'path graph=1 node=5 from=1.01 to=1.9'
		echo 'path graph=1 node=3 from=1.9 to=1.95'
		echo 'path graph=1 node=1 from=1.95 to=2'
	} >again
	COLUMNS=200 run -0 report again
	assert_line '   chain   a/10 waits for a/11 (read tcp socket) > b (futex), asleep in nanosleep (timer)'
}

@test "text: how often who polls slept, and that nobody is known to have kept a thread from a CPU" {
	{
		echo "signal id=1 ts=2 start=1 chart=func:x:f value=1 center=0.1 ucl=0.2 rules=1 tid=10 comm=a"
		echo "window id=1 from=1 to=2 signals=1-1 complete=yes"
		echo "graph id=1 window=1 signal=1 kind=wake target=12 from=1 to=2"
		echo 'node graph=1 id=12 deed=ready who=a start=1.9 end=2 tid=10 what=runnable'
		for n in 0 1 2 3 4; do
			echo "node graph=1 id=$((n + 1)) deed=sleep who=a syscall=nanosleep start=1.$((2 * n)) end=1.$((2 * n + 1)) what=timer"
			[ $n = 4 ] || echo "node graph=1 id=$((n + 6)) deed=run who=a start=1.$((2 * n + 1)) end=1.$((2 * n + 2)) tid=10 what=run"
		done
		for n in 0 1 2 3 4; do
			echo "path graph=1 node=$((n + 1)) from=1.$((2 * n)) to=1.$((2 * n + 1))"
			[ $n = 4 ] || echo "path graph=1 node=$((n + 6)) from=1.$((2 * n + 1)) to=1.$((2 * n + 2))"
		done
		echo "path graph=1 node=12 from=1.9 to=2"
		echo 'blame graph=1 rank=1 deed=ready who=a score=0.1 share=0.1 on_path=yes'
	} >polls
	COLUMNS=200 run -0 report polls
	assert_line --partial '50.0 %  a asleep in nanosleep (timer), 5 times'
	assert_line --partial '10.0 %  a: waiting for a CPU that an unknown thread held'
	COLUMNS=200 run -0 report <(sed '/^node.* id=5 /s/nanosleep/poll/' polls)
	assert_line --regexp '40.0 %  a asleep in nanosleep \(timer\)$'
}

@test "who held a CPU is named if it was the same for most of the time" {
	holders() {
		echo "graph id=1 kind=wake target=1 from=1 to=2"
		echo 'node graph=1 id=1 deed=ready who=v start=1 end=2 tid=10 what=runnable'
		while [ $# -gt 0 ]; do
			echo "node graph=1 id=1$2 deed=hold-cpu who=h$2 cpu=0 whom=v start=$1 end=$3 tid=2$2 what=run"
			echo "edge graph=1 from=1$2 to=1 kind=cpu"
			shift 3
		done
		echo "path graph=1 node=1 from=1 to=2"
	}
	while read -r said edges; do
		# shellcheck disable=SC2086
		holders $edges >held
		COLUMNS=200 run -0 report held
		assert_line --partial "v/10 waiting for a CPU, held by ${said//_/ }"
	done <<-'END'
		h1/21 1 1 1.6 1.6 2 2
		several_threads,_longest_by_h1/21_(40_%) 1 1 1.4 1.4 2 1.7 1.7 3 2
		unknown_threads_for_99.5_%_of_it 1.1 1 1.105
	END
	COLUMNS=200 run -0 bash -c 'blame-rank --text "$1" | report' - "$TOP/testdata/wake/throttled.txt"
	assert_line --partial 'victim/10 waiting for a CPU, throttled at the limit of its CPU time'
}

# A moment whose time went into two threads named python3 and one named sh; further task records are standard input.
told() {
	{
		cat
		cat <<-'EOT'
			signal id=1 ts=2.1 start=2 chart=c value=0.1 tid=10 comm=web
			window id=1 from=2 to=3 signals=1 complete=yes
			graph id=1 window=1 signal=1 target=1 from=2 to=2.1 kind=wake
			node graph=1 id=1 deed=run who=web start=2.1 end=2.1 tid=10 what=run
			node graph=1 id=2 deed=run who=python3 start=2 end=2.06 tid=21 what=run
			node graph=1 id=3 deed=run who=python3 start=2.06 end=2.08 tid=22 what=run
			node graph=1 id=4 deed=run who=sh start=2.08 end=2.1 tid=30 what=run
			path graph=1 node=2 from=2 to=2.06
			path graph=1 node=3 from=2.06 to=2.08
			path graph=1 node=4 from=2.08 to=2.1
			blame graph=1 rank=1 deed=run who=python3 score=0.08 share=0.8
			blame graph=1 rank=2 deed=run who=sh score=0.02 share=0.2
		EOT
	} >told.txt
	report told.txt
}

@test "which process is blamed, and which one was slow" {
	run told <<-'EOT'
		task ts=1 tid=10 comm=web tgid=9 program="/usr/sbin/web\x1b[2J" cgroup=docker/0123456789abcdef0123456789abcdef read=1.1
		task ts=1 tid=21 comm=python3 tgid=20 began=yes program="python3 /srv/rollup.py" cgroup=system.slice/rollup.service read=1.1
		task ts=1 tid=22 comm=python3 tgid=20 program="python3 /srv/rollup.py" cgroup=system.slice/rollup.service read=1.1
		task ts=1 tid=30 comm=sh tgid=30 cgroup=user.slice/session-3.scope read=1.1
	EOT
	assert_success
	assert_line '   blame   80.0 ms   80.0 %  python3 (2 threads): running'
	assert_line '   who     python3 is process 20, python3 /srv/rollup.py, of rollup.service'
	assert_line '           sh is process 30, of session-3.scope'
	assert_line '           web/10 is of process 9, /usr/sbin/web\x1b[2J, of docker/0123456789ab'
	assert_line '  to blame: python3 (2 threads) 80 % (process 20, python3 /srv/rollup.py, of'
	assert_line '  rollup.service); sh 20 % (process 30, of session-3.scope)'
	report -f json told.txt >json
	run jq -c '.blame[].process, (.moments[0] | .worst[].process, (.graphs[0].blame[] | .processes, .process))' json
	assert_line --index 0 '{"pid":20,"program":"python3 /srv/rollup.py","cgroup":"system.slice/rollup.service"}'
	assert_line --index 2 '{"pid":9,"program":"/usr/sbin/web\\x1b[2J","cgroup":"docker/0123456789abcdef0123456789abcdef"}'
	assert_line --index 3 1
	assert_line --index 6 '{"pid":30,"cgroup":"user.slice/session-3.scope"}'
	report -f html -o . told.txt || true
	grep -q '<td>process 20, python3 /srv/rollup.py, of rollup.service</td>' report.html
}

@test "two lines of blame have one name, which itself looks like words: each says what it did" {
	run told <<-'EOT'
		task ts=1 tid=10 comm=web tgid=10 program=web read=1.1
		task ts=1 tid=21 comm="a: b" tgid=21 program=/bin/one read=1.1
		task ts=1 tid=22 comm="a: b" tgid=22 program=/bin/two read=1.1
	EOT
	sed -i 's/who=python3/who="a: b"/; /id=3/s/$/ function=sum/; /^blame.*rank=2/s/who=sh/who="a: b" function=sum/; /id=4/d; /node=4/d' told.txt
	COLUMNS=120 run report told.txt
	assert_line '   who     a: b (running) is process 21, /bin/one'
	assert_line '           a: b (running in sum) is process 22, /bin/two'
}

@test "what a name says is not said again of its process" {
	run told <<-'EOT'
		task ts=1 tid=10 comm=web tgid=10 program=web read=1.1
		task ts=1 tid=21 comm=python3 tgid=20 program=python3 read=1.1
		task ts=1 tid=22 comm=python3 tgid=20 program=python3 read=1.1
		task ts=1 tid=30 comm=sh tgid=30 program=sh cgroup=system.slice/job.service read=1.1
	EOT
	assert_line '   who     python3 is process 20'
	assert_line '           sh is process 30, of job.service'
	refute_line --partial 'web/10 is'
	sed -i '/tid=10/s/program=web/program=web cgroup=system.slice\/web.service/' told.txt
	run report told.txt
	assert_line '           web/10 is of web.service'
}

@test "a thread's own request for a page of swap is told as that" {
	for request in swap-in swap-out write; do
		cat <<-EOT
			signal id=1 ts=2.1 start=2 chart=c value=0.1 tid=10 comm=web
			window id=1 from=2 to=3 signals=1 complete=yes
			graph id=1 window=1 signal=1 target=1 from=2 to=2.1 kind=wake
			node graph=1 id=1 deed=run who=web start=2.09 end=2.1 tid=10 what=run
			node graph=1 id=2 deed=service who=web request=$request dev=7:0 start=2.04 end=2.09 tid=10 what=service disk=loop0
			node graph=1 id=3 deed=hold-back whom=web request=$request dev=7:0 scheduler=bfq start=2 end=2.04 tid=10 what=queue disk=loop0
			path graph=1 node=3 from=2 to=2.04
			path graph=1 node=2 from=2.04 to=2.09
			path graph=1 node=1 from=2.09 to=2.1
		EOT
	done >in
	COLUMNS=120 run bash -c "head -n9 in | report"
	assert_line '   path    50.0 ms   50.0 %  page coming back from swap, in service at loop0'
	assert_line '           40.0 ms   40.0 %  page coming back from swap, in the bfq queue of loop0'
	COLUMNS=120 run bash -c "sed -n 10,18p in | report"
	assert_line '   path    50.0 ms   50.0 %  page going out to swap, in service at loop0'
	COLUMNS=120 run bash -c "tail -n9 in | report"
	assert_line '   path    50.0 ms   50.0 %  in service at loop0'
}

@test "where a thread just ran for most of the time, it is said that stacks would tell more" {
	run told </dev/null
	assert_line '   hint    python3 was computing or spinning: --stack tells in what'
	assert_equal "$(report -f json told.txt | jq -r '.moments[0].graphs[0].hint')" "python3 was computing or spinning: --stack tells in what"
	run bash -c "sed '/id=2 /s/$/ function=work/' told.txt | COLUMNS=80 report"
	refute_output --partial hint
	run bash -c "sed '/id=2 /s/deed=run/deed=ready/; /id=2 /s/what=run/what=runnable/' told.txt | COLUMNS=80 report"
	refute_output --partial hint
	run bash -c "sed '/id=2 /s/2.06/2.03/; /node=2 /s/2.06/2.03/' told.txt | COLUMNS=80 report" # less than half
	refute_output --partial hint
}

@test "what all groups have in common is not told; a unit always is" {
	run told <<-'EOT'
		task ts=1 tid=21 comm=python3 tgid=20 program=python3 cgroup=jobs/night/a read=1.1
		task ts=1 tid=22 comm=python3 tgid=20 program=python3 cgroup=jobs/night/a read=1.1
		task ts=1 tid=30 comm=sh tgid=30 program=sh cgroup=jobs/night/b read=1.1
	EOT
	assert_line '   who     python3 is process 20, of a'
	assert_line '           sh is process 30, of b'
	run bash -c "sed 's!night/b!night/a!' told.txt | COLUMNS=80 report"
	assert_line '   who     python3 is process 20'
	assert_line '           sh is process 30'
	# "a" is no parent of "ab"
	run bash -c "sed 's!night/b!night/ab!' told.txt | COLUMNS=80 report"
	assert_line '   who     python3 is process 20, of a'
	assert_line '           sh is process 30, of ab'
	run bash -c "sed 's!night/.!night/sh.service!' told.txt | COLUMNS=80 report"
	assert_line '   who     python3 is process 20, of sh.service'
}

@test "input that is no stream: an error, and nothing else" {
	run -1 --separate-stderr report /etc/passwd
	assert_output ""
	assert_equal "${#stderr_lines[@]}" 1
}

@test "several processes of one name are counted; of one that is not known nothing is told" {
	run told <<-'EOT'
		task ts=1 tid=21 comm=python3 tgid=21 program="python3 /srv/a.py" read=1.1
		task ts=1 tid=22 comm=python3 tgid=22 program="python3 /srv/b.py" read=1.1
	EOT
	assert_line '   blame   80.0 ms   80.0 %  python3 (2 processes): running'
	refute_output --partial 'is process'
	for other in 'comm=python3' 'comm=python3 tgid=20' 'comm=other tgid=20 program="python3 /srv/rollup.py" read=1.1'; do
		run told <<-EOT
			task ts=1 tid=21 comm=python3 tgid=20 program="python3 /srv/rollup.py" read=1.1
			task ts=1 tid=22 $other
		EOT
		assert_line '   blame   80.0 ms   80.0 %  python3 (2 threads): running'
		refute_output --partial 'is process'
	done
}

@test "what a process ran is told of the time of the blame, and not where another program began meanwhile" {
	first='task ts=1 tid=30 comm=sh tgid=30 program="sh /first" read=1.1'
	whose() {
		told <<<"$1" | sed -n 's/^.* sh is //p' | sort -u
	}
	assert_equal "$(whose "$first")" 'process 30, sh /first'
	# the next program, before the blame, after it, and before it was read what runs
	assert_equal "$(whose "$first"$'\ntask ts=1.5 tid=30 comm=sh tgid=30 began=yes program="sh /second" read=1.6')" 'process 30, sh /second'
	assert_equal "$(whose "$first"$'\ntask ts=2.5 tid=30 comm=sh tgid=30 began=yes program="sh /second" read=2.6')" 'process 30, sh /first'
	assert_equal "$(whose "${first/read=1.1/read=2.6}"$'\ntask ts=2.5 tid=30 comm=sh tgid=30 began=yes')" ''
	assert_equal "$(whose $'task ts=2.5 tid=30 comm=sh tgid=30 began=yes\n'"${first/read=1.1/read=2.6}")" ''
	assert_equal "$(whose "$first"$'\ntask ts=1.5 tid=30 comm=sh began=yes')" ''
	# one that gives no more than the name, as who was asked too late does
	assert_equal "$(whose "$first"$'\ntask ts=1.9 tid=30 comm=sh')" 'process 30, sh /first'
	assert_equal "$(whose "$first"$'\ntask ts=1.9 tid=30 comm=sh tgid=30')" ''
	# known only later
	assert_equal "$(whose "${first/ts=1 /ts=2.2 }")" ''
	# of very many the newest before the blame
	many=$(for i in {10..29}; do echo "task ts=1.$i tid=30 comm=sh tgid=30 began=yes program=\"sh /$i\" read=1.$i"; done)
	assert_equal "$(whose "$many")" 'process 30, sh /29'
	assert_equal "$(whose "$many"$'\nstream version=1')" ''
}

@test "signals beyond what can be kept are counted" {
	for i in $(seq 4196); do echo "signal id=$i ts=1.$i chart=c value=$i center=1 ucl=2 rules=1"; done >many
	echo "window id=1 from=1 to=2" >>many
	run -0 bash -c 'report -f json many | jq .moments[0].signals'
	assert_output 4196
}

@test "signals that are not in the input are all counted" {
	echo 'window id=1 from=5 to=6 signals=1-3 complete=yes' >window
	run report window
	assert_line '1. 5.000000 s  abnormal, but its signals are not in the input'
	assert_line --partial 'and  3 more signals between'
}

@test "what began before the data is no loss of events" {
	{
		echo "signal id=1 ts=2 start=1 chart=syscall key=read value=1 center=0.001 ucl=0.01 rules=1 tid=10"
		echo "window id=1 from=1.5 to=4 signals=1-1 complete=no"
	} >early
	run -3 report early
	assert_line --partial 'INCOMPLETE: 1 signal of this moment began before the data'
	echo "lost ts=1 cpu=0 count=1" >lost
	run -3 report <(cat lost early)
	assert_line --partial 'INCOMPLETE: events of this moment were lost or left out'
	run -3 report lost early # what another stream lost was none of this one
	assert_line --partial 'INCOMPLETE: 1 signal of this moment began before the data'
}

@test "charts: an axis of more than a day has dates, which do not run into each other" {
	need_gnuplot
	for hours in 25 40 60; do
		{
			echo "stream version=1 host=web1 wall=1700000000.000000000"
			echo "limits ts=1 chart=runq center=0.001 ucl=0.01 n=100 method=pot"
			for ts in 10 $((hours * 3600)); do echo "signal id=$ts ts=$ts.5 start=$ts chart=runq value=0.5 center=0.001 ucl=0.01 rules=1 tid=10 comm=a"; done
		} >days
		run -0 report --plot days
		assert_line --regexp '^ *11-15 00:00 .* 11-1[5-7] ..:00$'
		report -f html days
		labels=$(grep -o '11-1[5-7] [0-9][0-9]:00' report.html | sort -u | wc -l)
		[ "$labels" -ge 4 ] && [ "$labels" -le 8 ] || fail "$hours h: $labels labels"
	done
}

@test "charts: limits of two hosts are two lines, each to the end" {
	mkdir bin
	printf '%s\n' '#!/bin/sh' "cp limits '$PWD'; echo drawn" >bin/gnuplot
	chmod +x bin/gnuplot
	for host in 1 2; do
		echo "stream version=1 host=$host wall=0"
		printf "limits ts=%d chart=c center=$host ucl=${host}0 n=9 method=imr\n" 10 50
		echo "sample ts=90 start=89 chart=c value=0.5"
	done >hosts
	PATH=$PWD/bin:$PATH report --plot hosts
	run cat limits
	assert_output '10.000000 1 10
50.000000 1 10
90.000000 1 10

10.000000 2 20
50.000000 2 20
90.000000 2 20'
}

# bats test_tags=long
@test "charts: many short pieces do not look like one long" {
	need_gnuplot
	command -v python3 >/dev/null || skip "needs python3"
	{
		echo 'graph id=1 target=1 from=0 to=2 kind=wake'
		echo 'node graph=1 id=1 name="victim: running" label=victim/10 start=0 end=2 tid=10 what=run'
		echo 'node graph=1 id=2 name="victim: read of loop0 in service" label="read of loop0" start=0 end=2 tid=10 what=service'
		for i in $(seq 1000 1999); do # of each 2 ms 0.1 ms
			echo "path graph=1 node=2 from=$(((i - 1000) / 500)).$(printf %03d $(((i * 2) % 1000)))0 to=$(((i - 1000) / 500)).$(printf %03d $(((i * 2) % 1000)))1"
		done
	} >often
	report -f html -o . often
	run -0 python3 -c 'import re
boxes = []
for color, points in re.findall(r"<polygon fill = .rgb\(([ 0-9,]+)\). points = .([-0-9., ]+)", open("report.html").read()):
    x = [float(point.split(",")[0]) for point in points.split()]
    if [int(part) for part in color.split(",")] == [0x1f, 0x9a, 0xa8]:
        boxes.append((min(x), max(x)))
boxes.sort()
end = covered = 0
for left, right in boxes:
    covered += max(0, right - max(left, end))
    end = max(end, right)
print(len(boxes) > 100, covered < 0.5 * (boxes[-1][1] - boxes[0][0]), covered > 100)'
	assert_output "True True True"
}

@test "charts: the legend of the blame has room beside long names" {
	need_gnuplot
	{
		echo "graph id=1 kind=wake target=1 from=10 to=11"
		echo "node graph=1 id=1 name=a start=10 end=11 tid=10 what=run"
		for i in 1 2; do echo "blame graph=1 rank=$i name=\"$i$(printf '%080d' 0 | tr 0 m): running\" label=x score=0.5 share=0.5 on_path=yes instances=1 algorithm=critical"; done
	} >long
	report -f html long
	awk '/translate/ { at = $0; gsub(/.*translate.|,.*/, "", at) }
		/<text>.*share/ { gsub(/.*<text>|<.*/, ""); found = 1; end = at + 7 * length }
		END { print end; exit !(found && end < 900) }' report.html # of 900; a letter has 7
}

# --- output --------------------------------------------------------------------------------------------------------

# Text of 4 to 8 kB: the last write is one that no buffer holds.
many_moments() {
	for i in $(seq 150); do
		echo "signal id=$i ts=$i.5 start=$i chart=runq value=0.5 center=0.001 ucl=0.01 rules=1 tid=10 comm=a"
		echo "window id=$i from=$i to=$i.6 signals=$i-$i complete=yes"
	done
}

@test "a full disk ends with 1 and a message" {
	for options in "-f text" "-f json" "--plot"; do
		# shellcheck disable=SC2086
		run bash -c 'report '"$options"' "$1" 2>&1 >/dev/full' - "$DATA/crowd.txt"
		assert_failure 1
		assert_output "report: cannot write standard output: no space left on device"
	done
	run bash -c 'cat "$1" | report 2>&1 >/dev/full' - "$DATA/crowd.txt"
	assert_failure 1
	many_moments >many
	for options in "-f text" "-f json"; do # it is full long before the end
		run -1 --separate-stderr bash -c "report $options many >/dev/full"
		assert_equal "$stderr" "report: cannot write standard output: no space left on device"
	done
}

@test "a full temporary folder ends with 1 and a message, and nothing that looks whole" {
	for format in text json html; do
		run --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 1; report -f "$2" $3 "$1" | cat; exit "${PIPESTATUS[0]}"' - "$DATA/hostile.txt" $format "$([ $format = html ] && echo -opage)"
		assert_failure 1
		[[ $stderr == "report: cannot write a temporary file"* ]] || fail "$format: $stderr"
		if [ $format != text ]; then assert_output ""; fi
	done
	run ! ls page/report.html*
	TMPDIR=$PWD/none run report "$DATA/crowd.txt"
	assert_failure 1
	assert_output "report: no temporary file: cannot write '$PWD/none/': no such file or directory"
}

@test "a closed pipe is a quiet end" {
	for format in text json; do
		run bash -c 'set -o pipefail; report -f "$2" "$1" 2>&1 | true' - "$DATA/crowd.txt" "$format"
		assert_success
		assert_output ""
	done
	many_moments >many
	mkfifo pipe
	exec {both}<>pipe {closed}>pipe
	exec {both}>&-
	for format in text json; do
		run -0 --separate-stderr bash -c 'report -f "$1" many >&"$2"' - "$format" "$closed"
		assert_equal "$stderr" ""
	done
}

@test "-o names the file of text and JSON, which is there when it is complete" {
	report -o text "$DATA/crowd.txt"
	diff -u "$DATA/crowd.text" text
	report -f json -o json "$DATA/crowd.txt"
	diff -u "$DATA/crowd.json" json
	mkdir folder
	for place in folder none/file; do
		run report -o $place "$DATA/crowd.txt"
		assert_failure 1
		assert_output --partial "report: cannot write '$place': "
	done
	run report -f json -o /dev/full "$DATA/crowd.txt"
	assert_failure 1
	assert_output "report: cannot write '/dev/full': no space left on device"
}

@test "a place that cannot be written is told before any input is read" {
	mkfifo never && exec {never}<>never # nothing comes, and it does not end
	for options in "-o none/file" "-f json -o none/file" "-f html -o /proc" "-f html -o none/page"; do
		# shellcheck disable=SC2086
		run -1 timeout 20 report $options never
		assert_output --regexp "^report: cannot (write|make directory) '"
	done
	cp "$(command -v report)" bare # its style is not beside it
	run -1 timeout 20 ./bare -f html never
	assert_output --partial "'charts/report.css' is not installed"
	run ! ls report.html
	exec {never}<&-
}

@test "options that a format has no use for end with 2" {
	for options in "--plot -f json" "--plot -f html" "--all -f html"; do
		# shellcheck disable=SC2086
		run report $options "$DATA/crowd.txt"
		assert_failure 2
	done
}

@test "a format that there is not ends with 2" {
	run report -f xml "$DATA/crowd.txt"
	assert_failure 2
	assert_line --index 0 "report: there is no format 'xml'; there are text, json, html and csv"
}

@test "of changes of level those that matter are told: worse first, none that went the other way or are small" {
	run -0 report <<-'EOT'
		limits ts=1 chart=block key=7:0 center=0.001 ucl=0.01 n=100 method=imr
		limits ts=2 chart=block key=7:0 center=0.0001 ucl=0.01 n=100 method=imr change=down
		limits ts=1 chart=runq center=0.001 ucl=0.01 n=100 method=imr
		limits ts=2 chart=runq center=0.004 ucl=0.01 n=100 method=imr change=up
		limits ts=3 chart=runq center=0.009 ucl=0.01 n=100 method=imr change=down
		limits ts=4 chart=runq center=0.010 ucl=0.01 n=100 method=imr change=up
	EOT
	assert_line --index 2 --partial 'runq became higher at 2.000000 s and stayed so: median 0.001 -> 0.004'
	assert_line --partial 'block of 7:0 became lower at 2.000000 s and stayed so'
	assert_line 'and 2 lesser changes of level (told by report -f json)'
	assert_equal "$(grep -c became <<<"$output")" 2
}

# bats test_tags=figures
@test "a million names of charts or keys take no more memory than the bounds allow, and it is said" {
	perl -e 'for (1 .. 1000000) { print "signal id=$_ ts=$_.5 start=$_.0 chart=chart$_ value=1\n" }' >charts
	perl -e 'for (1 .. 200000) { print "signal id=$_ ts=$_.5 start=$_.0 chart=c", $_ % 300, " key=k$_ value=1\n" }' >keys
	run -3 bash -c 'ulimit -v 200000; report charts | grep -o "the input has more than 16,384 charts"; exit "${PIPESTATUS[0]}"'
	assert_output "the input has more than 16,384 charts"
	run -3 bash -c 'ulimit -v 300000; report keys | grep -o "the charts have more than 65,536 keys"; exit "${PIPESTATUS[0]}"'
	assert_output "the charts have more than 65,536 keys"
	head -n 10000 charts >few # as of a program with many functions
	run -0 report few
	refute_output --partial "other charts"
}

@test "what trace-collect shed to bound its cost is told, a line each" {
	{
		echo 'stream version=1 clock=mono wall=1700000000'
		echo 'shed ts=9.5 what=stacks cost=0.0812 share=0.04 limit=0.05'
		echo 'shed ts=10 what=context name=irq events=irq:irq_handler_entry cost=0.0812 share=0.02 limit=0.05'
		echo 'shed ts=21 what=chart name=runq events=sched:sched_switch cost=0.06 share=0.02 limit=0.05'
		echo 'shed ts=32 what=all cost=0.055 share=0.055 limit=0.05'
		echo 'shed ts=33 what=function name=shop:mix cost=0.02 share=0.015 limit=0.01'
	} >in
	COLUMNS=200 run -0 report in
	assert_line "trace-collect shed stacks at 22:13:29.500, because tracing cost 8.12 % of all CPUs, more than 5 %"
	assert_line "trace-collect shed the context of irq at 22:13:30.000, because tracing cost 8.12 % of all CPUs, more than 5 %"
	assert_line "trace-collect shed the chart runq at 22:13:41.000, because tracing cost 6 % of all CPUs, more than 5 %"
	assert_line "trace-collect ended at 22:13:52.000, because tracing cost 5.5 % of all CPUs, more than 5 %"
	assert_line "probe-log shed the calls of shop:mix at 22:13:53.000, because logging cost 2 % of all CPUs, more than 1 %"
	{ echo 'stream version=1'; for i in {1..20}; do echo 'shed ts=9.5 what=x name="a\x1b[2Jb"'; done; echo 'shed ts=9.6 what=all'; } >in
	COLUMNS=200 run -0 report in
	assert_line "trace-collect ended at 9.600000 s, because tracing cost too much"
	assert_line "and 5 more before (shed records in the stream)"
	refute_output --partial $'\e'
	echo 'shed what=all' >in
	run -1 report in
	assert_output --partial "a shed record needs ts= as a time"
}

@test "an idle CPU that a thread waits for is held by nobody" {
	blame-rank "$TOP/testdata/wake/shaped.txt" | COLUMNS=200 report - >out
	grep 'server/20 waiting for an idle CPU to wake up$' out
}
