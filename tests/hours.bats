#!/usr/bin/env bats
# tailblame-hours: what it has recorded stays, whatever happens.

load helper

HOURS=$TOP/cmd/tailblame-hours

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -m 700 log
	# much is abnormal, so that a file grows from the beginning
	cat >configuration <<-END
		FOLDER=$PWD/log
		COLLECT='-c runq --no-recorder'
		FILTER='-c runq --limit=1us --before=0 --after=0 --keep=1'
	END
	export TAILBLAME_HOURS=$PWD/configuration
}

# Something wakes up a thousand times a second, on an idle machine too.
wake_up() {
	timeout 250 perl -e 'select(undef, undef, undef, 0.001) while 1' >/dev/null 2>&1 3>&- &
	waker=$!
}

teardown() {
	if [ -n "$waker" ]; then kill $waker 2>/dev/null || true; fi
	if [ -n "$pid" ]; then kill $pid 2>/dev/null || true; fi
	if mountpoint -q log; then until_true 60 umount log; fi
}

start() {
	"$HOURS" 2>>err 3>&- &
	pid=$!
}

newest() {
	find log -name '*.tb' | sort | tail -n1
}

# growing FILE: a file of which there is something is newer than this
growing() {
	[ "$(newest)" != "$1" ] && [ -s "$(newest)" ]
}

# tree PID: it and all that it started
tree() {
	echo "$1"
	for child in $(pgrep -P "$1"); do tree "$child"; done
}

nobody_writes() {
	flock -n log/lock true
}

@test "wrong use is status 2, a folder of others is none to record in" {
	run -2 "$HOURS" --nonsense
	run -1 timeout 20 bash -c '"$0" --help >/dev/full' "$HOURS"
	run -1 timeout 20 bash -c '"$0" --version >/dev/full' "$HOURS"
	run -2 env KEEP=lots "$HOURS"
	run -2 env PERIOD=1h "$HOURS"
	chmod 777 log
	run -1 "$HOURS"
	assert_output "tailblame-hours: others may write to '$PWD/log', or it is somebody else's; what is recorded is for root alone"
	assert_equal "$(ls log)" ""
}

@test "triggers stand in the place of charts; a wrong one ends it before it records" {
	mkdir bin
	printf '#!/bin/sh\ntrap "exit 0" TERM\ncat %s\nwhile :; do sleep 0.1; done\n' "$TOP/testdata/lock.txt" >bin/trace-collect
	chmod +x bin/trace-collect
	printf 'DEFINE TRIGGER slow ON RequestEnd R IF R.Latency > 100ms\n' >slow.trigger
	printf 'FOLDER=%s\nTRIGGERS="error-return %s"\nFILTER=--before=10ms\n' "$PWD/log" "$PWD/slow.trigger" >configuration
	PATH=$PWD/bin:$PATH start
	until_true 60 growing ""
	kill $pid
	wait $pid && status=0 || status=$?
	assert_equal "$status" 0
	run -0 bash -c 'stream-cat --text "$1"' - "$(newest)"
	assert_line --regexp '^trigger ts=[0-9.]* name=slow state=fired( |$)'
	[ ! -e log/limits ]
	printf 'DEFINE TRIGGER slow ON Sun\n' >slow.trigger
	PATH=$PWD/bin:$PATH run -2 "$HOURS"
	assert_output --partial "slow.trigger:1:24: 'Sun' where"
}

# bats test_tags=live
@test "an hour ends in good order when it is told to, is compressed by the next, and only one runs" {
	need_tracefs
	umask 022
	start
	until_true 60 growing ""
	first=$(newest)
	assert_equal "$(stat -c %a "$first")" 600
	run -1 "$HOURS"
	assert_output "tailblame-hours: one runs already, in '$PWD/log'"
	run -0 "$HOURS" -q
	assert_output ""
	kill $pid
	wait $pid && status=0 || status=$?
	[ $status = 0 ] || assert_equal "$status" 3
	run -0 bash -c 'stream-cat --text "$1" | tail -n1' - "$first"
	assert_output --regexp '^end '
	[ -s log/limits ]
	cp "$first" first
	start
	until_true 60 [ -e "$first.zst" ]
	until_true 60 [ ! -e "$first" ]
	zstdcat "$first.zst" | cmp first
	until_true 60 growing ""
	tree $pid | xargs kill -TERM
	wait $pid && status=0 || status=$?
	[ $status = 0 ] || assert_equal "$status" 3
	assert_equal "$(<err)" ""
}

# bats test_tags=live,long
@test "files follow each other without a restart" {
	need_tracefs
	echo PERIOD=1 >>configuration
	start
	until_true 60 eval '[ "$(find log -name "*.tb.zst" | wc -l)" -ge 2 ]'
	kill $pid
	wait $pid || [ $? = 3 ]
	for file in log/*.zst; do
		zstdcat "$file" | stream-cat --text | grep -q '^end '
	done
}

rests() {
	pgrep -P $pid -x sleep >/dev/null
}

# bats test_tags=live, long, aside
@test "where tracing costs too much to go on, the next hour is soon enough" {
	need_tracefs
	echo "COLLECT='-c runq --no-recorder --max-cost=0.0001'" >>configuration
	wake_up
	start
	until_true 120 grep -q "tracing cost more than 0.01 % of all CPUs' time: .*ended" err || fail "$(cat err; ls -l log; ps -o pid,stat,etimes,args --ppid $pid)"
	until_true 60 rests
	assert_equal "$(find log -name '*.tb' | wc -l)" 1
	kill $pid
	wait $pid && status=0 || status=$?
	assert_equal "$status" 3
	run -0 bash -c 'stream-cat --text "$1" | grep ^shed' - "$(newest)"
	assert_line --index -1 --partial "what=all"
}

# bats test_tags=live, long, aside
@test "killed and started again ten times within a minute, nothing that was recorded is lost or cut" {
	need_tracefs
	last=
	for i in {1..10}; do
		start
		until_true 60 growing "$last"
		last=$(newest)
		for process in $(tree $pid); do kill -9 "$process" 2>/dev/null || true; done # some may just have ended
		wait $pid || true
		until_true 60 nobody_writes
		cp "$last" "kept.$i"
		echo "$last" >"name.$i"
	done
	start
	until_true 60 growing "$last"
	until_true 60 [ ! -e "$last" ]
	kill $pid
	wait $pid || [ $? = 3 ]
	for i in {1..10}; do
		zstdcat "$(<"name.$i").zst" | cmp "kept.$i"
	done
	assert_equal "$(cat name.* | sort -u | wc -l)" 10
	assert_equal "$(find log -name '*.part')" ""
}

# bats test_tags=live
@test "a script that is killed alone: nobody else begins before what it had started has ended" {
	need_tracefs
	start
	until_true 60 growing ""
	collector=$(pgrep -P $pid trace-collect)
	kill -9 $pid
	wait $pid || true
	run -1 "$HOURS"
	assert_output --partial "one runs already"
	kill "$collector"
	until_true 60 nobody_writes
	run -0 bash -c 'stream-cat --text "$1" | tail -n1' - "$(newest)"
	assert_output --regexp '^end '
}

# bats test_tags=live, long
@test "a full disk is a failure, and takes nothing that is there" {
	need_tracefs
	mount -t tmpfs -o size=3m,mode=700 none log || skip "cannot mount a tmpfs"
	head -c 300000 /dev/urandom >log/2026-01-01-000000.tb
	cp log/2026-01-01-000000.tb before
	wake_up
	run -1 timeout 60 "$HOURS"
	assert_output --partial "no space left on device"
	assert_line --partial "tailblame-hours: cchart-filter ended with status 1"
	zstdcat -f log/2026-01-01-000000.tb* | cmp before
	head -c 3000000 /dev/zero >log/other 2>/dev/null || true
	run -1 timeout 60 "$HOURS"
	zstdcat -f log/2026-01-01-000000.tb* | cmp before
	assert_equal "$(find log -name '*.tb*' -empty)" ""
}

# bats test_tags=live
@test "what is kept stays within its bound, the oldest goes first" {
	need_tracefs
	echo KEEP=4M >>configuration
	for i in {1..9}; do head -c 500000 /dev/urandom >log/2026-01-0$i-000000.tb; done
	start
	until_true 60 [ -e log/2026-01-09-000000.tb.zst ]
	kill $pid || true # it may have ended, with a file that has its part
	wait $pid || true
	[ ! -e log/2026-01-01-000000.tb ] && [ ! -e log/2026-01-01-000000.tb.zst ]
	[ "$(du -sk log | cut -f1)" -le 4096 ]
}

@test "what others keep in a folder below, or under a name of their own, neither counts nor goes" {
	mkdir bin
	printf '#!/bin/sh\necho "sample ts=1 chart=x value=1"\nkill $PPID\n' >bin/trace-collect
	chmod +x bin/trace-collect
	printf 'KEEP=1M\nFILTER=\n' >>configuration
	echo precious >victim
	# A line break in a name begins a path that leads elsewhere.
	mkdir -p log/export/x$'\n'"$PWD/victim"$'\n'
	head -c 900000 /dev/zero | tee log/export/x$'\n'"$PWD/victim"$'\n'/y.tb log/export/z.tb log/mail.tb >log/2020-01-01-000000.tb.bak
	head -c 100000 /dev/zero >log/2026-01-01-000000.tb
	PATH=$PWD/bin:$PATH "$HOURS"
	assert_equal "$(cat victim)" precious
	[ -e log/export/z.tb ] && [ -e log/mail.tb ] && [ -e log/2020-01-01-000000.tb.bak ]
	zstdcat log/2026-01-01-000000.tb.zst | cmp - <(head -c 100000 /dev/zero)
}

# bats test_tags=live
@test "a file that takes more than its part ends, and stays" {
	need_tracefs
	echo KEEP=1M >>configuration
	echo "FILTER='-c runq --limit=1ns --keep=1'" >>configuration
	run -1 timeout 300 "$HOURS"
	assert_output --partial "tailblame-hours: cchart-filter ended with status 1"
	size=$(stat -c %s "$(newest)")
	[ "$size" -gt 100000 ] && [ "$size" -le $((1048576 / 8)) ]
}

@test "no hour is lost when summer time ends" {
	mkdir bin
	printf '#!/bin/sh\ntrap "" HUP\nprintf "sample ts=%%d chart=x value=1\\n" %s\nkill $PPID\n' "$(seq -s ' ' 9)" >bin/trace-collect
	printf '#!/bin/sh\nexec /bin/date -d @$NOW "$@"\n' >bin/date
	chmod +x bin/*
	echo FILTER= >>configuration
	for NOW in 1792888200 1792891800; do # both at half past two
		PATH=$PWD/bin:$PATH TZ=CET-1CEST,M3.5.0,M10.5.0/3 NOW=$NOW "$HOURS"
	done
	run ls log
	assert_output $'2026-10-25-003000.tb.zst\n2026-10-25-013000.tb\nlimits\nlock'
}

@test "the service is right, and names what is installed, as does the line for cron" {
	make -C "$TOP" --no-print-directory O="$BUILD" PREFIX="$PWD/root" program_prefix=tb- install >log/make 2>&1
	[ -x root/bin/tb-tailblame-hours ]
	run grep -o '[^ =]*tb-[^ ]*' root/lib/systemd/system/tb-tailblame-hours.service root/etc/cron.d/tb-tailblame-hours
	assert_line --partial "$PWD/root/bin/tb-tailblame-hours"
	assert_line --partial "$PWD/root/bin/tb-trace-collect"
	grep -qx 'prefix=tb-' root/bin/tb-tailblame-hours
	run -0 root/bin/tb-tailblame-hours --version
	assert_output --partial tb-tailblame-hours
	run ! grep -v '^#' root/etc/cron.d/tb-tailblame-hours
	command -v systemd-analyze >/dev/null || skip "needs systemd-analyze"
	run -0 systemd-analyze verify --man=no "$PWD/root/lib/systemd/system/tb-tailblame-hours.service"
	assert_output ""
}
