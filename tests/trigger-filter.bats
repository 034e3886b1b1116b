#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # a trigger's $; $stderr is set by run
# trigger-filter on streams written by hand and at random: the language, when triggers fire, and what is logged until when.

load helper

# The chart of these tests: requests from t:begin to t:finish of the same id, which show url and size.
chart() {
	printf 'chart name=req\nstart event=t:begin key=id split=kind show=url,size\nend event=t:finish key=id\n' >req.chart
}

# requests FROM TO EVERY TOOK [FIELD=VALUE]...: requests of thread 7, from and to in ms, each so long (ms), with ids that count on.
requests() {
	awk -v from="$1" -v to="$2" -v every="$3" -v took="$4" -v rest="${*:5}" 'BEGIN {
		for (t = from; t < to; t += every) {
			printf "event ts=%.9f cpu=0 tid=7 comm=srv name=t:begin id=%d kind=k %s\n", t / 1000, t, rest
			printf "event ts=%.9f cpu=0 tid=7 comm=srv name=t:finish id=%d ret=0\n", (t + took) / 1000, t
		}
	}'
}

trigger() { # LINE...: the trigger "t"
	printf '%s\n' "DEFINE TRIGGER t" "$@" >t.trigger
}

records() { # KIND: of standard input, without the kind
	sed -n "s/^$1 //p"
}

# --- the language --------------------------------------------------------------------------------------------------

@test "the paper's figure 2 is accepted as printed, and fires when the feed becomes slow" {
	chart
	{
		requests 0 130000 500 10 url=http://x/GetGlobalFeed
		requests 130000 200000 500 50 url=http://x/GetGlobalFeed
	} >in
	run -0 --separate-stderr trigger-filter -t -c ./req.chart -T "$TOP/testdata/trigger/figure-2.trigger" in
	[ -z "$stderr" ] || fail "$stderr"
	# of 120 requests in the window so many are slow that the mean is above 20 ms: 30, less what slots of a second cut off
	assert_line "trigger ts=144.550000000 name=T state=fired activity=yes methods=5 to_log=args,retValue"
	assert_line "signal id=1 ts=144.550000000 start=144.500000000 chart=req key=k value=0 rules=trigger trigger=T tid=7 comm=srv event.id=144500 url=http://x/GetGlobalFeed"
	assert_line "window id=1 from=143.500000000 to=144.560000000 signals=1-1 complete=yes"
	assert_line "request ts=145.050000000 start=145.000000000 id=291 trigger=T match=yes logged=yes tid=7 chart=req key=k value=0.050000000 event.id=145000 url=http://x/GetGlobalFeed"
	assert_line --regexp "^trigger ts=199.550000000 name=T state=ended reason=input matched=10 unmatched=0$"
	# other requests are not the feed's
	sed 's,GetGlobalFeed,GetUser,' in >other
	run -0 trigger-filter -t -c ./req.chart -T "$TOP/testdata/trigger/figure-2.trigger" other
	refute_line --regexp '^trigger '
}

@test "each wrong trigger is refused with file, line and column, before any input is read" {
	local place text count=0
	while read -r place text; do
		[ "$place" != "#" ] || continue
		printf '%s' "$text" | tr '|' '\n' >bad
		run --separate-stderr trigger-filter -T ./bad no/such/input
		[ "$status" = 1 ] || fail "status $status: $text"
		[[ $stderr == "trigger-filter: ./bad:$place: "* ]] || fail "not $place: $stderr: $text"
		[ "${#stderr_lines[@]}" = 1 ] || fail "$stderr"
		count=$((count + 1))
	done <"$TOP/testdata/trigger/bad.txt"
	[ "$count" -ge 60 ]
}

@test "messages say what stands where what is expected" {
	trigger 'ON RequestEnd R IF R.Latency' LOG
	run -1 trigger-filter --check -T ./t.trigger
	assert_output "trigger-filter: ./t.trigger:3:1: 'LOG' where a comparison is expected"
	trigger 'ON RequestEnd R LOG Methods WITH ToLog=memoryDump'
	run -1 trigger-filter --check -T ./t.trigger
	assert_output --partial "memoryDump is not logged; run gcore by --exec"
	printf 'DEFINE TRIGGER t ON RequestEnd R IF %s1 = 1' "$(printf '%65s' '' | tr ' ' '(')" >deep
	run -1 trigger-filter --check -T ./deep
	assert_output --partial "parentheses nest deeper than 64"
	run -1 trigger-filter --check -T nothing
	assert_output --regexp "^trigger-filter: unknown trigger 'nothing'; there are error-return, .*throughput-spike, or the path of a trigger file"
	run -2 trigger-filter
	assert_line --index 0 "trigger-filter: which trigger? name one by -T"
}

@test "charts of FOR are among those of -c, and have requests" {
	chart
	trigger 'ON RequestEnd R' 'FOR req, block'
	run -1 trigger-filter -c ./req.chart -T ./t.trigger no/such/input
	assert_output "trigger-filter: ./t.trigger:3:10: chart 'block' is not among those of -c"
	run -0 trigger-filter --check -c ./req.chart -c block -T ./t.trigger
	run -1 trigger-filter -c syscall-errors -T slow-request /dev/null
	assert_output --partial "chart 'syscall-errors' counts events, and has no requests"
}

@test "what figure 2 says is the default" {
	chart
	requests 0 130000 500 10 >in
	requests 130000 200000 500 50 >>in
	trigger 'ON RequestEnd R' 'IF R.AvgLatency(-1min, now) > 2 * R.AvgLatency(-2min, -1min)'
	trigger-filter -t -c ./req.chart -T ./t.trigger in | grep -E '^(trigger|request)' >short
	trigger 'ON RequestEnd R' 'IF R.Avg(latency, now, -60s) > 2 * R.Avg(Latency, -120 secs, -1Minutes)' \
		'LOG RequestActivity A, Top(5) Methods M WITH M.ToLog=args, retValues AND MatchSamplingProb = 1 AND UnmatchSamplingProb = 0.3' \
		'UNTIL (10 Match,10 Unmatch) OR 5 Minutes'
	trigger-filter -t -c ./req.chart -T ./t.trigger in | grep -E '^(trigger|request)' | diff short -
	[ "$(wc -l <short)" -gt 50 ]
}

# --- firing and logging --------------------------------------------------------------------------------------------

@test "the window of a firing is over at its end, also where no request is logged and some never end" {
	chart
	trigger 'ON RequestEnd R IF R.Latency > 30ms' 'LOG Method UNTIL 500 ms'
	{
		requests 0 1000 100 10
		echo 'event ts=1.0005 cpu=0 tid=8 comm=srv name=t:begin id=7 kind=k url=/ size=1'
		requests 1001 1002 10 50
		requests 1060 1200 10 5
	} >in
	run -0 bash -c "trigger-filter -t -c ./req.chart -T ./t.trigger in | grep -E '^(window|request|trigger)' | sed -n 1,3p"
	assert_line --index 0 "trigger ts=1.051000000 name=t state=fired activity=no methods=all to_log=args,retValue"
	assert_line --index 1 --regexp '^request ts=1.065000000 ' # the first record behind the end
	assert_line --index 2 --regexp '^window id=1 .* to=1.061000000 signals=1-1 complete=yes$'
}

# Calls of srv:serve, which calls srv:step twice, of threads 7 and 8 at the same time; the second call of thread 7 ends by an exception.
calls() {
	for f in serve step; do
		printf 'chart name=func:srv:%s definition="chart name=\\"func:srv:%s\\" nest=yes binary=./srv function=%s\\nstart event=func:srv__%s depth=sp\\nend event=func:srv__%s__return depth=sp\\nend event=func:unwind depth=from to=to\\n"\n' $f $f $f $f $f
	done
	awk 'function event(ms, tid, name, rest) { printf "event ts=%.9f cpu=0 tid=%d comm=srv name=func:%s %s\n", ms / 1000, tid, name, rest }
		BEGIN {
			for (i = 0; i < 6; i++) {
				t = 10 * i
				event(t, 7, "srv__serve", "sp=900"); event(t + 0.5, 8, "srv__step", "sp=950")
				event(t + 1, 7, "srv__step", "sp=800"); event(t + 2, 7, "srv__step__return", "sp=800 ret=0")
				event(t + 3, 7, "srv__step", "sp=800")
				if (i == 1) event(t + 4, 7, "unwind", "from=700 to=900")
				else { event(t + 4, 7, "srv__step__return", "sp=800 ret=0"); event(t + 5, 7, "srv__serve__return", "sp=900 ret=0") }
				event(t + 6, 8, "srv__step__return", "sp=950 ret=0")
			}
		}'
}

@test "where nobody says what a request is, it is the outermost call of a thread, and what FOR names" {
	calls >in
	said() { # the requests, as thread and function
		trigger-filter -t -T ./t.trigger in | sed -n 's/^request .* id=\([0-9]*\) .* tid=\([78]\) chart=func:srv:\([a-z]*\) .*/\1 \2 \3/p'
	}
	trigger 'ON RequestEnd R IF R.Latency > 0' 'UNTIL 1 h'
	# the first that ends fires the trigger
	assert_equal "$(said)" "2 8 step
3 7 serve
4 8 step
5 7 serve
6 8 step
7 7 serve
8 8 step
9 7 serve
10 8 step
11 7 serve
12 8 step"
	trigger 'ON RequestEnd R' "FOR 'func:srv:step'" 'IF R.Tid = 7' 'UNTIL 1 h'
	assert_equal "$(said | awk '{ print $2, $3 }' | sort | uniq -c | tr -s ' ')" " 11 7 step
 6 8 step"
	sed -i 's/ name=func:srv:serve / &asked=yes /' in # then what the user asked for counts
	trigger 'ON RequestEnd R IF R.Latency > 0' 'UNTIL 1 h'
	assert_equal "$(said | awk '{ print $2, $3 }' | uniq -c | tr -s ' ')" " 5 7 serve"
}

# bats test_tags=long
@test "random triggers on random streams agree with the reference" {
	command -v python3 >/dev/null || skip "needs python3"
	run -0 python3 "$TOP/tests/reference/trigger.py" "$BUILD/trigger-filter" 1 150
	assert_output --regexp '^150 agree'
}

@test "shipped triggers fire on what they are for" {
	chart
	fires() { # TRIGGER FILE COUNT
		assert_equal "$(trigger-filter -t -c ./req.chart -T "$1" "$2" 2>/dev/null | records trigger | grep -c "name=$1 state=fired")" "$3"
	}
	requests 0 250000 500 10 >even
	{ requests 0 130000 500 10 && requests 130000 200000 500 50; } >slower
	{ requests 0 130000 500 10 && requests 130000 131000 500 90; } >slow
	{ requests 0 130000 500 10 && requests 130000 250000 50 10; } >rising
	{ requests 0 130000 500 10 && requests 130000 250000 5000 10; } >fewer
	sed 's/ret=0/ret=-5/' slow >failing
	for t in latency-spike slow-request throughput-spike throughput-drop error-return; do fires $t even 0; done
	fires latency-spike slower 1
	fires slow-request slow 1
	fires throughput-spike rising 1
	fires throughput-drop fewer 1
	fires error-return failing 1
	awk 'BEGIN { for (i = 0; i < 260; i++) for (k = 0; k < (i < 200 ? 0.1 : 1); k++)
		printf "exception ts=%d.%d00 tid=7 name=std::bad_alloc\n", i * 2, k }' >thrown
	fires exception thrown 2
	sed -n '1~10p' thrown >some
	awk 'BEGIN { for (i = 0; i < 400; i++) printf "exception ts=%.3f tid=7 name=err\n", i < 100 ? i * 2 : 200 + (i - 100) / 3 }' >rising
	fires exception-spike thrown 0
	fires exception-spike rising 1
}

@test "where requests never cease, the window of a firing ends soon, and says whom to blame" {
	chart
	requests 0 500 4 6 size=1 >in
	trigger 'ON RequestEnd R IF R.Start > 0.1' 'LOG RequestActivity WITH UnmatchSamplingProb=1 UNTIL 1 h'
	trigger-filter -t -c ./req.chart -T ./t.trigger --before=50ms in >out
	assert_equal "$(grep -m1 '^window.* signals=1-1' out)" "window id=1 from=0.054000000 to=0.120000000 signals=1-1 complete=yes"
	# it comes at once, and but the requests that were open when it ended have all their events
	[ "$(grep -n '^window.* signals=1-1' out | cut -d: -f1)" -lt 50 ]
	assert_equal "$(records window <out | grep -c 'request=.*complete=no')" 1
	[ "$(records window <out | grep -c 'request=.*complete=yes')" -gt 80 ]
}

@test "a text of 255 bytes can be asked for, and its firing and requests tell it" {
	chart
	local url
	url=/$(printf 'x%.0s' {1..240})/feed
	requests 0 1000 500 10 "url=$url" size=4 >in
	trigger 'ON RequestEnd R' "IF R.url LIKE '/x*x/feed' AND R.size = 4" 'LOG Methods WITH ToLog=latency, stack, cpu, exceptionName UNTIL 1 Match'
	trigger-filter -t -c ./req.chart -T ./t.trigger in >out
	assert_equal "$(records signal <out | sed 's/.* url=//')" "$url size=4"
	assert_equal "$(records request <out | sed 's/.* url=//')" "$url size=4"
	assert_equal "$(records trigger <out | sed -n '1s/.*fired //p')" "activity=no methods=all to_log=exceptionName,latency,stack,cpu"
}

@test "the same stream logs the same, a share of each class" {
	chart
	(for i in {1..2000}; do printf 'event ts=%d.5 cpu=0 tid=7 name=t:begin id=%d size=%d\nevent ts=%d.6 cpu=0 tid=7 name=t:finish id=%d\n' "$i" "$i" $((i % 2)) "$i" "$i"; done) >in
	trigger 'ON RequestEnd R IF R.size = 1' 'LOG RequestActivity WITH MatchSamplingProb=0.75 AND UnmatchSamplingProb=0.25 UNTIL 10 h'
	trigger-filter -t -c ./req.chart -T ./t.trigger in >once
	trigger-filter -t -c ./req.chart -T ./t.trigger in | diff <(grep -v ^usage once) <(grep -v ^usage -)
	# 999 and 1,000 requests: five standard deviations are 68; the draws are those of trigger and id, so this never changes
	matched=$(records request <once | grep -c 'match=yes logged=yes') unmatched=$(records request <once | grep -c 'match=no logged=yes')
	[ "$matched" -gt 681 ] && [ "$matched" -lt 817 ]
	[ "$unmatched" -gt 182 ] && [ "$unmatched" -lt 318 ]
}

# thrown TS...: the match of the request of thread 10 in testdata/rag/handoff.txt, with these throws of its worker, then an end of it that is not awaited
thrown() {
	local ts
	{
		cat "$TOP/testdata/rag/handoff.txt"
		echo "exception ts=0.1 tid=9 name=First"
		for ts; do echo "exception ts=$ts tid=21 name=Lost"; done
	} | grep -v '^signal\|^window\|^#' | awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^ts=/) ts = substr($i, 4); printf "%.9f %s\n", ts, $0 }' | sort -s -n | cut -d' ' -f2- |
		sed "${change:-}" | trigger-filter -t -c ./calls.chart -T ./t.trigger 2>/dev/null | sed -n 's/^request .* match=\([a-z]*\) .*/\1/p'
}

@test "ON Exception: what another thread throws is the request's if a call of the request handed its work over" {
	printf 'chart name=calls nest=yes\nstart event=func:prog__request\nend event=func:prog__request__return\n' >calls.chart
	printf 'DEFINE TRIGGER t ON Exception E LOG RequestActivity WITH UnmatchSamplingProb = 1 UNTIL 1 h\n' >t.trigger
	assert_equal "$(thrown 3)" yes
	# in another's job, between jobs, and before the request
	assert_equal "$(thrown 1.5 2.005 0.7)" no
	assert_equal "$(change='/^handoff/d' thrown 3)" no
	# a worker of another process
	change='s/^task .*tid=21 .*/task ts=0.4 tid=21 comm=worker tgid=20/'
	assert_equal "$(change=$change thrown 3)" no
	assert_equal "$(change="$change; s/^handoff.*/& process=any/" thrown 3)" yes
	# a coroutine that begins anew takes nothing over
	assert_equal "$(change='s/^handoff.*/& again=again/; s/job=0x2/& again=1/' thrown 3)" yes
	assert_equal "$(change='s/^handoff.*/& again=again/; s/job=0x2/& again=0/' thrown 3)" no
	# events may be lost, in which the job may have ended; the request, too
	assert_equal "$(change='s/^event ts=2.02.*/&\nlost ts=2.5 cpu=1 count=3/' thrown 3)" ""
	# the worker hands it on, and is over with it by another's exception
	assert_equal "$(change='s/^handoff.*/&\nhandoff from=func:prog__run from_key=job to=func:prog__compress to_key=file/
		s/tid=21 comm=worker name=func:prog__compress/tid=22 comm=deep name=func:prog__compress file=0x2/; s/tid=21 name=Lost/tid=22 name=Lost/' thrown 3)" no
	assert_equal "$(change='s/^handoff.*/&\nhandoff from=func:prog__run from_key=job to=func:prog__compress to_key=file/
		s/tid=21 comm=worker name=func:prog__compress/tid=22 comm=deep name=func:prog__compress file=0x2/; s/tid=21 name=Lost/tid=22 name=Lost/
		s/^task .*tid=21 .*/&\ntask ts=0.4 tid=22 comm=deep tgid=10/' thrown 3)" yes
	change='s/job=0x2/& sp=0x500/; s/^event ts=2.02.*/event ts=2.015 cpu=1 tid=21 comm=worker name=func:unwind from=0x400 to='
	assert_equal "$(change="${change}0x500/" thrown 3)" no
	assert_equal "$(change="${change}0x4ff/" thrown 3)" yes
}

@test "behind cchart-filter a trigger on signals takes the filter's window" {
	cchart-filter -t "$TOP/testdata/lock.txt" >filtered 2>/dev/null || true
	grep -q '^window' filtered
	trigger 'ON Signal S IF S.Value > 0'
	trigger-filter -t -T ./t.trigger filtered >out || [ $? = 3 ]
	assert_equal "$(records trigger <out | grep -c state=fired)" 1
	diff <(grep '^window' filtered) <(grep '^window.* signals=' out)
	# so do requests that it logs: their windows follow
	[ "$(grep -c '^window id=10000000[0-9]* .* request=[0-9]* complete=yes$' out)" -gt 5 ]
	diff <(grep '^event' filtered) <(grep '^event' out)
	# its own firing has an id that no signal of the filter has
	[ "$(sed -n 's/^signal id=\([0-9]*\) .*rules=trigger.*/\1/p' out)" -ge 1000000000 ]
	graph-build out | blame-rank | report >report
	grep -q 'to blame' report
}

@test "what the collector was asked for are requests, functions of -f are none" {
	chart
	requests 0 5000 500 10 >events
	sed 's/t:begin/u:begin/; s/t:finish/u:finish/' events >others
	definition() { sed 's/name=req/name='"$1"'/; s/ event=t:/ event='"$2"':/' req.chart | awk '{ printf "%s\\n", $0 }'; }
	trigger 'ON RequestEnd R' 'UNTIL 1 h'
	{
		echo "chart name=asked definition=\"$(definition asked t)\" asked=yes"
		echo "chart name=other definition=\"$(definition other u)\""
		sort -t= -k2 -s events others
	} >in
	trigger-filter -t -T ./t.trigger in >out
	assert_equal "$(records request <out | sed 's/.* chart=\([a-z]*\) .*/\1/' | sort -u)" asked
	assert_equal "$(records request <out | sed -n '1s/.* id=\([0-9]*\) .*/\1/p')" 2
	# of a stream that does not say, all charts count, but for what lies within others of the same thread
	sed 's/ asked=yes//; s/tid=7\(.* name=u:\)/tid=8\1/' in >old
	trigger-filter -t -T ./t.trigger old >out
	assert_equal "$(records request <out | sed 's/.* chart=\([a-z]*\) .*/\1/' | sort -u | tr '\n' ' ')" "asked other "
}

@test "--exec runs the command at each firing, one at a time, and waits for the last" {
	chart
	requests 0 1000 500 10 >in
	echo 'task ts=0 tid=7 comm=srv tgid=6' | cat - in >known
	trigger 'ON RequestEnd R' 'UNTIL 1 Match'
	trigger-filter -t -c ./req.chart -T ./t.trigger --rest=0 \
		--exec 'echo "$TAILBLAME_TRIGGER $TAILBLAME_TS $TAILBLAME_PID $TAILBLAME_TID" >>fired; echo noise' known >out 2>err
	assert_equal "$(cat fired)" "t 0.010000000 6 7"
	refute grep -q noise out
	grep -q noise err
	trigger-filter -t -c ./req.chart -T ./t.trigger --exec 'exit 3' known >out
}

@test "SIGHUP reads trigger files anew: what is unchanged keeps its state, a wrong file leaves the old ones" {
	chart
	printf 'DEFINE TRIGGER stays ON RequestEnd R UNTIL 1 h\n' >a.trigger
	printf 'DEFINE TRIGGER t ON RequestEnd R IF R.size = 5\n' >b.trigger
	mkfifo in
	trigger-filter -t -c ./req.chart -T ./a.trigger -T ./b.trigger in >out 2>err 3>&- &
	local filter=$!
	exec {to}>in
	requests 0 1000 500 10 size=4 >&"$to"
	until_true 60 grep -q 'name=stays state=fired' out
	printf 'DEFINE TRIGGER t ON RequestEnd R IF R.size = 4\n' >b.trigger
	kill -HUP $filter
	requests 1000 2000 500 10 size=4 >&"$to"
	until_true 60 grep -q 'name=t state=fired' out
	printf 'DEFINE TRIGGER stays ON Sun\n' >a.trigger
	kill -HUP $filter
	requests 2000 3000 500 10 size=4 >&"$to"
	until_true 60 grep -q 'Sun' err
	exec {to}>&-
	wait $filter
	grep -q "^trigger-filter: ./a.trigger:1:25: 'Sun' where .* is expected; its triggers stay as they are$" err
	assert_equal "$(records trigger <out | grep -c 'name=stays state=fired')" 1
	assert_equal "$(records trigger <out | grep -c 'name=t state=fired')" 1
	assert_equal "$(records request <out | grep -c 'trigger=stays ')" 5
	grep -q 'name=stays state=ended reason=input matched=5' out
}

@test "a clock that jumps by years costs nothing" {
	chart
	printf 'event ts=1 cpu=0 tid=7 name=t:begin id=1\nevent ts=2 cpu=0 tid=7 name=t:finish id=1\nevent ts=900000000 cpu=0 tid=7 name=t:begin id=2\n' >in
	trigger 'ON Always EVERY 1ms A IF A.Count(-1h, now) > 0' 'UNTIL 1 s'
	run -0 timeout 20 trigger-filter -t -c ./req.chart -T ./t.trigger in
	assert_line "trigger ts=2.001000000 name=t state=fired activity=yes methods=5 to_log=args,retValue"
	assert_line "trigger ts=3.001000000 name=t state=ended reason=time matched=0 unmatched=0"
	# for an hour, each a minute's rest after the end of the one before
	assert_equal "$(records trigger <<<"$output" | grep -c fired)" 59
}

@test "at the last time that there is, a trigger that does not log ends nothing" {
	chart
	printf 'tick ts=1\ntick ts=9223372036.854775807\n' >in
	for on in 'RequestEnd R' 'Always EVERY 1ms A IF A.Count(-1h, now) > 0'; do
		trigger "ON $on"
		timeout 20 trigger-filter -t -c ./req.chart -T ./t.trigger in 2>/dev/null | head -c 100000 >out
		assert_equal "$(records trigger <out)" ""
	done
}

@test "a trigger that had nothing to look at is told; report says that none fired" {
	chart
	requests 0 5000 500 10 >in
	run -0 --separate-stderr trigger-filter -t -c ./req.chart -T exception -T slow-request in
	assert_equal "$stderr" "trigger-filter: trigger 'exception' had nothing to look at: no exceptions"
	trigger-filter -c ./req.chart -T slow-request in | report >words
	grep -q 'no trigger fired on chart req: 10 values' words
	# no trigger looks at functions of -f
	printf 'chart name=%s definition=""%s\nsummary chart=%s count=9 mean=1 p50=1 p95=1 p99=1 max=1 max_ts=2\n' func:a:b ' asked=yes' func:a:b func:a:c '' func:a:c >in
	assert_equal "$(report in | grep 'no trigger fired')" "no trigger fired on chart func:a:b: 9 values"
}

@test "report says which trigger fired, and how long the request took" {
	chart
	requests 0 1000 500 10 >in
	trigger 'ON RequestEnd R'
	trigger-filter -c ./req.chart -T ./t.trigger in | blame-rank 2>/dev/null | report >words
	grep -q 'req k by srv/7 took 10.0 ms: trigger t fired' words
}

# --- logged requests -----------------------------------------------------------------------------------------------

@test "each logged request has a window of its own with its graph, and report sets those that matched beside the others" {
	# the first fires on the first request, and then sees the slow one
	printf 'DEFINE TRIGGER t ON RequestEnd R IF R.Latency > 100ms OR R.Start < 2911.984\nLOG RequestActivity WITH UnmatchSamplingProb=0.2 UNTIL 30 Match\n' >t.trigger
	trigger-filter -t -T ./t.trigger "$TOP/testdata/lock.txt" >out
	ids() { sed -n "s/^$1 .*$2=\([0-9]*\) .*$3.*/\1/p" out | sort -n | uniq; }
	diff <(ids request id logged=yes) <(ids window request complete=yes)
	[ "$(ids window request complete=yes | wc -l)" -gt 10 ]
	assert_equal "$(ids window request complete=yes | wc -l)" "$(grep -c '^window.* request=' out)"
	assert_equal "$(sed -n 's/^window id=\([0-9]*\) .*/\1/p' out | uniq -d)" ""
	blame-rank -t out >ranked
	# each has a graph, the ranker's total none of them
	diff <(ids window request complete=yes) <(sed -n 's/^graph .*request=\([0-9]*\) .*/\1/p' ranked | sort -n)
	run -0 report ranked
	assert_line --partial "1 moment: request of lock by victim/1559 took 3"
	assert_line --regexp "^trigger t logged 1 request that matched, which took 150 ms; and [0-9]+ others,"
	assert_line --regexp "^ +149 ms +0 +149 ms +0  grinder: running$"
	run -0 report -f json ranked
	assert_equal "$(jq -r '.triggers[] | select(.name == "t") | .rows[0] | [.words, .requests.matched, .requests.others] | join(" ")' <<<"$output")" "grinder: running 1 0"
	report -f html -o page ranked
	grep -q '<h2>Logged requests</h2>' page/report.html
	graph-build -t out | blame-rank -t | grep -E '^(blame|path)' | diff <(grep -E '^(blame|path)' ranked) -
	# methods alone are for another stage
	sed 's/RequestActivity/Methods/' t.trigger >methods.trigger
	trigger-filter -t -T ./methods.trigger "$TOP/testdata/lock.txt" >out
	[ "$(ids request id 'trigger=t .*logged=yes' | wc -l)" -gt "$(grep -c '^window.* request=' out)" ]
}

@test "behind a filter, triggers that are not ON Signal are refused; of alarms alone they are not" {
	chart
	cchart-filter -t "$TOP/testdata/lock.txt" >filtered 2>/dev/null
	run -1 trigger-filter -t -T slow-request filtered
	assert_line --regexp "^trigger-filter: filtered:[0-9]+: trigger 'slow-request' is ON RequestEnd, but the stream was filtered before; behind a filter triggers are ON Signal, others stand in its place$"
	# what state files alarm of is no filter's: a firing has a window of its own, and requests are whole
	{ requests 0 1000 500 10; echo 'signal id=4 ts=1 start=1 chart=door value=0 rules=state tid=7'; requests 1000 3000 500 10; } >in
	printf 'DEFINE TRIGGER s ON Signal S\nDEFINE TRIGGER t ON RequestEnd R IF R.Start > 1\n' >t.trigger
	run -0 trigger-filter -t -c ./req.chart -T ./t.trigger --before=100ms in
	assert_line "signal id=4 ts=1 start=1 chart=door value=0 rules=state tid=7"
	assert_line "signal id=5 ts=1.000000000 start=1.000000000 chart=door value=0 rules=trigger trigger=s tid=7 comm=srv"
	assert_line "window id=1 from=0.900000000 to=1.010000000 signals=5-5 complete=yes"
	# nor may a file that is read anew bring others
	printf 'DEFINE TRIGGER s ON Signal S\n' >t.trigger
	mkfifo pipe
	trigger-filter -t -T ./t.trigger pipe >out 2>err 3>&- &
	exec {to}>pipe
	cat filtered >&"$to"
	until_true 60 grep -q 'name=s state=fired' out
	printf 'DEFINE TRIGGER t ON RequestEnd R\n' >t.trigger
	kill -HUP $!
	until [ -s err ]; do sed -n '$p' filtered; sleep 0.05; done | sed -u 's/^end.*/tick ts=9999/' >&"$to"
	exec {to}>&-
	wait $!
	assert_equal "$(cat err)" "trigger-filter: trigger 't' is ON RequestEnd, but the stream was filtered before; behind a filter triggers are ON Signal, others stand in its place; its triggers stay as they are"
}

@test "stacks that a trigger logs, and that were not collected, are told" {
	chart
	requests 0 1000 500 10 >in
	trigger 'ON RequestEnd R LOG RequestActivity WITH ToLog=stack, latency AND UnmatchSamplingProb=1'
	run -0 --separate-stderr trigger-filter -t -c ./req.chart -T ./t.trigger in
	assert_equal "$stderr" "trigger-filter: trigger 't' logs stacks, but none of threads came; collect with --stack"
}
