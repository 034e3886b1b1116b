#!/usr/bin/env bats
# The graph of everything that threads did (graph-build --whole), and what is asked of it (graph-walk).
# shellcheck disable=SC2016,SC2154 # what bash -c is to expand; what run sets

load helper

# event SECOND CPU TID NAME FIELD...: of a thread t<TID>.
event() {
	local ts=$1 cpu=$2 tid=$3 name=$4
	shift 4
	echo "event ts=$ts cpu=$cpu tid=$tid comm=t$tid name=$name $*"
}

# switch SECOND CPU PREV STATE NEXT; wake SECOND CPU WAKER WOKEN; enter SECOND CPU TID NUMBER ARGUMENTS; leave SECOND CPU TID NUMBER RESULT.
switch() { event "$1" "$2" "$3" sched:sched_switch "prev_comm=t$3 prev_pid=$3 prev_prio=120 prev_state=$4 next_comm=t$5 next_pid=$5 next_prio=120"; }
wake() { event "$1" "$2" "$3" sched:sched_waking "comm=t$4 pid=$4 prio=120 target_cpu=0"; }
enter() { event "$1" "$2" "$3" raw_syscalls:sys_enter "id=$4 args=$5,0x0,0x0,0x0,0x0"; }
leave() { event "$1" "$2" "$3" raw_syscalls:sys_exit "id=$4 ret=$5"; }
begin() { echo 'stream version=1 host=h machine=x86_64 wall=1790000000.000000000 boot=b'; }

nodes() { graph-build --whole --text "$@" | sed -n 's/^node graph=whole id=[0-9]* //p'; }
edges() { graph-build --whole --text "$@" | sed -n 's/^edge graph=whole //p'; }

# Thread 10 waits for a futex, is woken in vain by 20, and then for good by 30; it reads nothing.
vain() {
	begin
	switch 1.0 0 0 R 10
	switch 1.0 1 0 R 20
	enter 1.1 0 10 202 0x5000,0x80
	switch 1.2 0 10 S 0
	wake 1.3 1 20 10
	switch 1.4 0 0 R 10
	switch 1.5 0 10 S 0
	switch 1.6 1 20 R 30
	wake 1.7 1 30 10
	switch 1.75 0 0 R 10
	leave 1.8 0 10 202 0
	enter 1.85 0 10 39 0x0,0x0
	leave 1.86 0 10 39 10
	switch 1.9 0 10 S 0
}

@test "a wait lasts from its first sleep to its last wake-up: wake-ups in vain do not end it" {
	vain >in
	nodes in >out
	assert_equal "$(grep tid=10 out)" "$(cat <<-'END'
		name=t10 what=segment tid=10 n=1 process=t10 start=1.000000000 end=1.700000000 wait_from=1.200000000 wait=0.500000000 ended=thread syscall=futex object=0x5000 ret=0 run=0.200000000 runnable=0.000000000 events="call=futex;wait=futex,0x5000," order=0,1
		name=t10 what=segment tid=10 n=2 process=t10 start=1.700000000 end=1.900000000 wait_from=1.900000000 wait=0.000000000 ended=open run=0.150000000 runnable=0.050000000 events="call=getpid;woken=t30" order=1,0 results="getpid more"
	END
	)"
	run edges in
	assert_line --regexp '^from=[0-9]+ to=1 kind=wake ts=1.700000000$'
	assert_equal "$(grep -c kind=wake <<<"$output")" 1
	run bash -c 'graph-build --whole --text in | grep "events=.*wakes=t10" | grep -o " tid=[0-9]*"'
	assert_output ' tid=20
 tid=30'
}

@test "preemption does not cut a segment; an own timer and a timer of another are told apart" {
	{
		begin
		switch 1.0 0 0 R 10
		switch 1.0 1 0 R 20
		event 1.05 1 20 timer:hrtimer_start 'hrtimer=0xa'
		switch 1.1 0 10 R 30
		switch 1.2 0 30 S 10
		enter 1.3 0 10 230 0x0,0x0
		event 1.31 0 10 timer:hrtimer_start 'hrtimer=0xb'
		switch 1.4 0 10 S 0
		event 1.6 0 0 timer:hrtimer_expire_entry 'hrtimer=0xb'
		wake 1.6 0 0 10
		event 1.6 0 0 timer:hrtimer_expire_exit 'hrtimer=0xb'
		switch 1.7 0 0 R 10
		leave 1.8 0 10 230 0
		enter 1.9 0 10 0 0x3,0x0
		switch 2.0 0 10 S 0
		event 2.1 0 0 timer:hrtimer_expire_entry 'hrtimer=0xa'
		wake 2.1 0 0 10
		event 2.1 0 0 timer:hrtimer_expire_exit 'hrtimer=0xa'
		switch 2.2 0 0 R 10
		leave 2.3 0 10 0 1
	} >in
	run nodes in
	assert_line --partial 'tid=10 n=1 process=t10 start=1.000000000 end=1.600000000 wait_from=1.400000000 wait=0.200000000 ended=timer syscall=clock_nanosleep ret=0 run=0.300000000 runnable=0.100000000'
	assert_line --partial 'tid=10 n=2 process=t10 start=1.600000000 end=2.100000000 wait_from=2.000000000 wait=0.100000000 ended=timer syscall=read object=3 ret=1 run=0.300000000 runnable=0.100000000'
	id() { graph-build --whole --text in | sed -nE "s/^node graph=whole id=([0-9]+) .* tid=$1 n=$2 .*/\1/p"; }
	run edges in
	assert_line "from=$(id 10 1) to=$(id 10 1) kind=timer ts=1.600000000"
	assert_line "from=$(id 20 1) to=$(id 10 2) kind=timer ts=2.100000000"
}

@test "a descriptor that is closed and made anew is another object; both futexes of a condition variable are one" {
	{
		begin
		switch 1.0 0 0 R 10
		switch 1.0 1 0 R 20
		for i in 1 2 3; do
			enter $i.1 0 10 0 0x3,0x0
			switch $i.2 0 10 S 0
			wake $i.3 1 20 10
			switch $i.4 0 0 R 10
			leave $i.5 0 10 0 1
			if [ $i = 2 ]; then
				enter $i.6 0 10 3 0x3,0x0
				leave $i.7 0 10 3 0
			fi
		done
		for i in 4 5 6; do
			enter $i.1 0 10 202 $((0x6000 + (i == 5 ? 4 : 0))),$((i == 6 ? 0 : 0x189))
			switch $i.2 0 10 S 0
			wake $i.3 1 20 10
			switch $i.4 0 0 R 10
			leave $i.5 0 10 202 0
		done
	} >in
	run bash -c 'graph-build --whole --text in | grep -o "syscall=[^ ]* object=[^ ]*"'
	assert_output "$(printf '%s\n' 'syscall=read object=3' 'syscall=read object=3' 'syscall=read object=3#2' \
		'syscall=futex object=0x6000' 'syscall=futex object=0x6000' 'syscall=futex object=0x6000')"
}

@test "a wake-up in a receiving call is weak, unless it gives room to one that sends" {
	for call in 0:weak 1:strong; do
		{
			begin
			switch 1.0 0 0 R 10
			switch 1.0 1 0 R 20
			enter 1.1 0 10 "${call%:*}" 0x4,0x0
			switch 1.2 0 10 S 0
			enter 1.25 1 20 0 0x3,0x0
			wake 1.3 1 20 10
			leave 1.35 1 20 0 5
			switch 1.4 0 0 R 10
			leave 1.5 0 10 "${call%:*}" 1
		} >in
		edges in | grep kind=wake >out
		assert_equal "$call $(grep -c weak=yes out)" "$call $([ "${call#*:}" = weak ] && echo 1 || echo 0)"
	done
}

# Thread 20 sends to 10 by a pipe, twice while 10 waits for that; then two times from two segments, and 10 takes it without having slept.
sent() {
	begin
	switch 1.0 0 0 R 10
	switch 1.0 1 0 R 20
	for i in 1 2; do
		enter $i.1 0 10 0 0x3,0x0
		switch $i.2 0 10 S 0
		echo "file ts=$i.25 tid=10 fd=3 kind=pipe inode=77"
		enter $i.3 1 20 1 0x4,0x0
		wake $i.31 1 20 10
		leave $i.32 1 20 1 5
		switch $i.4 0 0 R 10
		leave $i.5 0 10 0 5
	done
	enter 3.1 1 20 1 0x4,0x0
	leave 3.12 1 20 1 5
	enter 3.2 1 20 0 0x9,0x0
	switch 3.21 1 20 S 0
	wake 3.22 0 10 20
	switch 3.23 1 0 R 20
	leave 3.24 1 20 0 1
	enter 3.3 1 20 1 0x4,0x0
	leave 3.32 1 20 1 7
	for i in 5:5 6:3 7:4; do
		enter 3.${i%:*} 0 10 0 0x3,0x0
		leave 3.${i%:*}1 0 10 0 ${i#*:}
	done
}

@test "what a thread receives without having slept has an edge from where it was sent, by the byte" {
	sent >in
	run bash -c 'graph-build --whole --text in | grep -E "^edge .*kind=(ipc|wake)"'
	assert_output 'edge graph=whole from=2 to=1 kind=wake ts=1.310000000
edge graph=whole from=4 to=2 kind=wake ts=3.220000000
edge graph=whole from=2 to=3 kind=wake ts=2.310000000
edge graph=whole from=5 to=4 kind=ipc ts=3.610000000'
	run graph-walk -x 'back 10#3; show 10#3' in
	assert_line 't10/10#3  waits 0 ns in read pipe 3; ended by t20/20#2, by what it sent'
	# Somebody else takes bytes out of it: they do not add up when 10 sleeps, and nothing is said.
	sed '/ts=2.5 /s/ret=5/ret=4/; s/ts=1.5 \(.*\) ret=5/ts=1.5 \1 ret=4/' in >unsure
	run bash -c 'graph-build --whole --text unsure | grep -c kind=ipc'
	assert_output 0
	# The same number, of another pipe.
	sed '/ts=2.25 /s/77/78/' in >other
	run bash -c 'graph-build --whole --text other | grep -o "object=[^ ]*" | sort | uniq -c'
	assert_output --partial '2 object=3#2'
}

# Clients 10 and 30 ask server 20, twice each while it waits for that; then both at once.
batch() {
	local n=0 client
	begin
	switch 0.0 0 0 R 20
	switch 0.0 1 0 R 10
	switch 0.0 2 0 R 30
	for client in 10 30 10 30; do
		n=$((n + 1))
		enter $n.1 0 20 45 0x$client,0x0
		switch $n.2 0 20 S 0
		enter $n.3 $((client / 20 + 1)) $client 44 0x4,0x0
		wake $n.31 $((client / 20 + 1)) $client 20
		leave $n.32 $((client / 20 + 1)) $client 44 5
		switch $n.4 0 0 R 20
		leave $n.5 0 20 45 5
	done
	enter 5.1 1 10 44 0x4,0x0
	leave 5.12 1 10 44 5
	enter 5.2 1 10 45 0x4,0x0
	switch 5.3 1 10 S 0
	enter 5.4 2 30 44 0x4,0x0
	leave 5.42 2 30 44 5
	enter 5.5 0 20 45 0x10,0x0
	leave 5.51 0 20 45 5
	enter 5.6 0 20 45 0x30,0x0
	leave 5.61 0 20 45 5
	enter 6.5 0 20 44 0x10,0x0
	wake 6.51 0 20 10
	leave 6.52 0 20 44 5
	switch 6.6 1 0 R 10
	leave 6.7 1 10 45 5
}

@test "in a batch a reply that is late blames the request that was handled before it was sent" {
	batch >in
	run -0 graph-walk -x 'back 10#1' in
	assert_line 't10/10#1  waits 1.210 s in recvfrom fd 4; ended by t20/20#7'
	assert_line 't20/20#6  waits 0 ns in recvfrom fd 48; ended by t30/30#1, by what it sent'
	refute_line --partial 't20/20#5'
}

@test "a timer that is cancelled leads from who armed it to who cancelled it; a handler of a signal is a segment of its own, weak both ways" {
	{
		begin
		switch 1.0 0 0 R 10
		switch 1.0 1 0 R 20
		event 1.1 0 10 timer:hrtimer_start hrtimer=0xa
		event 1.2 1 20 timer:hrtimer_cancel hrtimer=0xa
		event 1.3 0 10 timer:hrtimer_start hrtimer=0xb
		event 1.4 0 10 timer:hrtimer_cancel hrtimer=0xb
		enter 1.5 1 20 0 0x3,0x0
		switch 1.6 1 20 S 0
		event 1.7 0 10 signal:signal_deliver 'sig=14 sa_handler=0x5000'
		wake 1.8 0 10 20
		enter 1.9 0 10 15 0x0,0x0
		switch 2.0 1 0 R 20
		leave 2.1 1 20 0 1
	} >in
	run bash -c 'graph-build --whole --text in | grep -E "^edge .*kind=(timer|wake)"'
	assert_output 'edge graph=whole from=1 to=2 kind=timer ts=1.200000000
edge graph=whole from=3 to=2 kind=wake ts=1.800000000 weak=yes'
	run nodes in
	assert_line --partial 'tid=10 n=1 process=t10 start=1.000000000 end=1.700000000 '
	assert_line --partial 'tid=10 n=2 process=t10 start=1.700000000 end=1.900000000 '
}

# flag SECOND CPU TID read|write [NAME]
flag() { event "$1" "$2" "$3" "flag:$4" "ip=0x55d0 flag=${5:-app:done} function=f"; }

# sleeps SECOND TID UNTIL: in clock_nanosleep, until its timer is over.
sleeps() {
	enter "$1" 0 "$2" 230 0x1,0x0
	switch "$1"1 0 "$2" S 0
	event "$3" 0 0 irq:softirq_entry vec=8
	event "$3"1 0 0 timer:hrtimer_expire_entry 'hrtimer=0xc function=0xd'
	wake "$3"2 0 0 "$2"
	switch "$3"3 0 0 R "$2"
	leave "$3"4 0 "$2" 230 0
}

@test "a flag leads from its last write to the first read, in another segment: to the wait of who polls for it, or to where it is read" {
	{
		begin
		switch 1.0 0 0 R 10
		switch 1.0 1 0 R 20
		flag 1.1 0 10 write
		flag 1.11 0 10 read # the same segment
		sleeps 1.12 10 1.2
		flag 1.3 0 10 read
		sleeps 1.32 10 1.4
		flag 1.33 1 20 write
		flag 1.5 0 10 read
		flag 1.51 0 10 read # not the first
		flag 1.52 1 20 write
		flag 1.53 0 10 read
		flag 1.54 1 20 write
		echo 'lost ts=1.55 cpu=1 count=0 flag=app:done' # nothing else is
		flag 1.56 0 10 read
	} | sort -t= -k2,2 -s >in
	assert_equal "$(edges in | grep flag | sort -t= -k5)" 'from=1 to=3 kind=flag ts=1.300000000
from=2 to=3 kind=flag ts=1.500000000
from=2 to=4 kind=flag ts=1.530000000
from=2 to=5 kind=flag ts=1.560000000'
}

@test "where events were lost a wait is unknown, and so is one that began before the data" {
	{
		begin
		switch 1.0 0 0 R 10
		enter 1.1 0 10 0 0x3,0x0
		switch 1.2 0 10 S 20
		echo 'lost ts=1.5 cpu=0 count=7 from=1.3'
		wake 1.6 0 20 10
		switch 1.7 0 20 S 10
		leave 1.8 0 10 0 1
		wake 1.9 0 10 20
		switch 2.0 0 10 S 20
	} >in
	run -3 graph-build --whole --text in
	run grep -o 'tid=10 n=. .*' <<<"$output"
	assert_line --regexp 'tid=10 n=1 .* start=1.000000000 end=1.300000000 wait_from=1.200000000 wait=0.100000000 .* lost=yes'
	assert_line --regexp 'tid=10 n=2 .* start=1.500000000 end=1.600000000 wait_from=1.500000000 wait=0.100000000 ended=thread .* lost=yes'
	refute_line --regexp 'tid=10 n=3 .* lost=yes'
}

@test "a thread that begins has an edge from whoever made it; one that ends, and one that is killed in a call, has no ender" {
	{
		begin
		switch 1.0 0 0 R 10
		event 1.1 0 10 sched:sched_process_fork 'comm=t10 pid=10 child_comm=t30 child_pid=30'
		event 1.1 0 10 sched:sched_wakeup_new 'comm=t30 pid=30 prio=120 target_cpu=1'
		switch 1.2 1 0 R 30
		enter 1.3 1 30 0 0x3,0x0
		switch 1.4 1 30 S 0
		wake 1.5 0 10 30
		switch 1.6 1 0 R 30
		event 1.7 1 30 sched:sched_process_exit 'comm=t30 pid=30 prio=120'
		switch 1.8 1 30 X 0
	} >in
	run nodes in
	assert_line --regexp 'tid=30 n=1 .* start=1.100000000 .*run=0.200000000 runnable=0.100000000'
	run edges in
	assert_line 'from=1 to=2 kind=async ts=1.100000000'
}

@test "other stages pass a whole graph on, and rank it not" {
	vain >in
	graph-build --whole in >graph.tb
	blame-rank graph.tb | stream-cat --text >out
	run grep -c 'graph=whole' out
	assert_output "$(stream-cat --text graph.tb | grep -c 'graph=whole')"
	run ! grep '^blame' out
	report graph.tb >page
	graph-build --kind=event in | cmp - graph.tb
	run -2 graph-build --whole --kind=wake in
	assert_output --partial 'graph-build: --whole builds a graph of its own kind, without --kind'
}

@test "a graph is announced before the events, which are then not read for it once more" {
	vain >in
	graph-build --whole --text in >graph.txt
	assert_equal "$(grep -oE -m1 '^(graph|event|node) ' graph.txt)" 'graph '
	assert_equal "$(grep -c '^graph ' graph.txt)" 1
	sed 's/ cpu=1 / cpu=9000 /' graph.txt >odd.txt
	run -1 graph-walk -x 'show t10/10#1' <(grep -v '^graph ' odd.txt)
	assert_output --partial 'there is no CPU 9000'
	graph-walk -x 'show t10/10#1; at t10/10#1' in >expected
	run -0 graph-walk -x 'show t10/10#1; at t10/10#1' odd.txt
	assert_output "$(cat expected)"
	# without an event there is nothing to announce it before
	run bash -c 'head -n1 in | graph-build --whole --text | grep -c "^graph id=whole kind=event$"'
	assert_output 1
}

@test "with --pass=all all events pass, and windows say so" {
	{
		vain
		echo 'sample ts=1.95 start=1.2 chart=x value=0.7 tid=10'
	} >in
	cchart-filter --pass=all --text --limit=1ms --only-limit -c runq in >out
	diff <(grep ^event in) <(grep ^event out)
	run grep '^window' out
	assert_output --partial ' passed=all'
	run -2 cchart-filter --pass=some in
	assert_output --partial "there is no choice of what passes 'some'; there are windows and all"
	# Of windows only, the time between is a gap.
	run -0 bash -c 'graph-build --whole --text out 2>&1 >/dev/null'
	refute_output
	sed -i 's/ passed=all//' out
	run bash -c 'graph-build --whole --text out 2>&1 >/dev/null'
	assert_output --partial 'graph-build: the stream has windows only'
}

# --- graph-walk ----------------------------------------------------------------------------------------------------------------

# bats test_tags=long
@test "random graphs have the answers that an independent reference gives" {
	command -v python3 >/dev/null || skip "needs python3"
	python3 "$TOP/tests/reference/walk.py" --random . 1 60
	for i in {1..60}; do
		graph-walk -n 100000 -f json --script="$i.commands" "$i.txt" >have || fail "seed $i"
		diff "$i.want" have || fail "seed $i"
	done
}

@test "of many similar segments the first are told, and how many more there are" {
	{
		echo 'graph id=w kind=event'
		for i in {1..99}; do
			node $i 1 main $((10 * i)) $((10 * i + 1)) $((10 * i + 2 + i * 7 % 3)) "syscall=futex object=0x50 events=\"call=futex;a;b;c$((i * 7 % 5))\""
		done
		node 100 1 main 1000 1001 1900 'syscall=futex object=0x50 events="call=futex;a;b;c1;c2;c3"'
		node 101 1 main 2000 2001 2002 'syscall=futex object=0x50 events="call=futex;a;b;c1"'
	} >in
	graph-walk -n 1000 -x 'similar main/1#100' in >all
	run -0 grep -c '^main/1#.* alike$' all
	assert_output 61
	for most in 2 3 10 59 60; do
		run -0 graph-walk -n $most -x 'similar main/1#100' in
		assert_output "$(head -n $((most - 1)) all; echo "... $((62 - most)) more: say -n")"
	done
	run -0 graph-walk -n 61 -x 'similar main/1#100' in
	assert_output "$(cat all)"
	run -0 bash -c 'graph-walk -f json -n 7 -x "similar main/1#100" in | jq -c "[(.answer | length), .more, .answer[6].node]"'
	assert_output "[7,54,\"$(sed -n '7s/ .*//p' all)\"]"
}

# node ID TID NAME START WAIT_FROM END IDENTITY [MORE]: in milliseconds; IDENTITY is "syscall=... object=... function=...".
node() {
	awk -v id="$1" -v tid="$2" -v name="$3" -v start="$4" -v from="$5" -v end="$6" -v rest="$7" 'BEGIN {
		printf "node graph=w id=%d name=%s what=segment tid=%d start=%.3f end=%.3f wait_from=%.3f wait=%.3f run=%.3f runnable=0 %s\n",
			id, name, tid, start / 1000, end / 1000, from / 1000, (end - from) / 1000, (from - start) / 1000, rest }'
}

edge() { # FROM TO MS KIND
	awk -v from="$1" -v to="$2" -v ts="$3" -v kind="$4" 'BEGIN { printf "edge graph=w from=%d to=%d kind=%s ts=%.3f\n", from, to, kind, ts / 1000 }'
}

# Three times main waits 2 ms for io, which waits for the renderer; then the renderer waits in another place for main, whose timer ends that.
circle() {
	echo 'stream version=1 host=h wall=1790000000.0'
	echo 'graph id=w kind=event'
	for i in 0 1 2; do
		node 1$i 1 main $((10 * i)) $((10 * i + 1)) $((10 * i + 3)) 'syscall=futex object=0x50 function=get_rect events="wait=futex,0x50,get_rect;call=futex"'
		node 2$i 2 io $((10 * i)) $((10 * i)) $((10 * i + 2)) 'syscall=read object=5 object_kind=pipe'
		node 3$i 3 renderer $((10 * i)) $((10 * i)) $((10 * i + 1)) 'syscall=read object=3 object_kind=pipe'
		node 4$i 1 main $((10 * i + 3)) $((10 * i + 3)) $((10 * i + 9)) 'syscall=nanosleep'
		node 5$i 2 io $((10 * i + 2)) $((10 * i + 4)) $((10 * i + 9)) 'syscall=idle'
		node 6$i 3 renderer $((10 * i + 1)) $((10 * i + 4)) $((10 * i + 9)) 'syscall=idle'
		edge 5$i 1$i $((10 * i + 3)) wake
		edge 6$i 2$i $((10 * i + 2)) wake
		edge 4$i 4$i $((10 * i + 9)) timer
	done
	node 100 1 main 40 41 341 'syscall=futex object=0x50 function=get_rect events="wait=futex,0x50,get_rect;call=futex"'
	node 101 1 main 341 345 400 'syscall=nanosleep'
	node 102 2 io 40 40 343 'syscall=read object=5 object_kind=pipe'
	node 103 3 renderer 40 40 342 'syscall=futex object=0x60 function=run_script'
	edge 100 100 341 timer
	edge 101 103 342 wake
	echo 'signal id=1 ts=0.341 start=0.041 chart=func:x:get_rect value=0.3 center=0.002 ucl=0.01 rules=1 tid=1'
	echo 'window id=1 from=0 to=0.35 signals=1-1 complete=yes passed=all'
}

@test "the culprit is where the wake-up is missing, and a circle says what broke it" {
	circle >in
	run -0 env TZ=UTC graph-walk -x 'windows; at 1; culprit' in
	assert_output "$(cat <<-'END'
		1  14:13:20.041  0.300 s  func:x:get_rect  main/1
		blocked: main/1#7 waits 300 ms in futex, get_rect; 100 % of the time
		main/1                    futex, get_rect                   is usually ended by io/2 (3 of 3)
		io/2                      read pipe 5                       is usually ended by renderer/3 (3 of 3)
		culprit: renderer/3#7 waits 302 ms in futex, run_script: this never ended normally
		circle: main/1 ended it, after its own timer of 300 ms
	END
	)"
	diff <(graph-walk -x 'at 1; culprit' in) <(graph-walk -x 'at 1; culprit -r' in) # nothing else is behind it, and it is said once
	run -0 graph-walk -x 'at 1; similar; similar main/1#3' -n 2 in
	assert_line 'main/1#5  14:13:20.020  waits 2.00 ms  100 % alike'
	assert_line 'none is similar: no normal wait for the same thing took less than half as long'
	assert_line '... 2 more: say -n'
	run -0 graph-walk -x 'back main/1#1; back 3@0.1; show 1#1' in
	assert_line 'main/1#1  waits 2.00 ms in futex, get_rect; ended by io/2#2'
	assert_line 'io/2#1  waits 2.00 ms in read pipe 5; ended by renderer/3#2'
	assert_line 'renderer/3#1  waits 1.00 ms in read pipe 3; was ended by nobody who is known'
	assert_line 'renderer/3#7  waits 302 ms in futex, run_script; ended by main/1#8'
	assert_line 'main/1#7  waits 300 ms in futex, get_rect; was ended by its own timer'
	# A report says it beneath the moment, where the graph is in the stream.
	run -0 report in
	assert_output --partial '   usual   culprit: renderer/3#7 waits 302 ms in futex, run_script: this never
           ended normally
           circle: main/1 ended it, after its own timer of 300 ms'
	run -0 bash -c 'report <(cat in)'
	assert_line --partial 'usual in window 1: culprit: renderer/3#7 waits 302 ms'
	run -0 bash -c 'report -f json in | grep -c "this never ended normally.ncircle: main/1"'
	run -0 bash -c 'report -f json in | jq -r ".usual[0].culprit[0].culprit, .usual[0].culprit[1].circle"'
	assert_output $'renderer/3\nmain/1'
	report -f html -o page in
	run -0 grep -E 'culprit|circle' page/report.html
	assert_line '<p>culprit: renderer/3#7 waits 302 ms in futex, run_script: this never ended normally</p>'
	assert_line --partial 'circle: main/1 ended it'
	run -0 bash -c "grep -v 'id=[1-6]0 ' in | sed '/=[1-6]0 /d' | report"
	refute_output --partial 'usual'
	# Who it really was is worth nothing without normal cases: with two of them, the answer says so.
	sed '/id=[1-6]0 /d; /=[1-6]0 /d' in >few
	run -0 graph-walk -x 'culprit main/1#5' few
	assert_line 'few normal cases: main/1 has 2'
}

@test "nobody was asked: who usually ends the wait waits to be asked; a busy and a starved thread are culprits" {
	normal() { # a server that ends its client's waits, and is woken by it
		echo 'graph id=w kind=event'
		for i in 0 1 2; do
			node 1$i 1 client $((10 * i)) $((10 * i + 1)) $((10 * i + 3)) 'syscall=read object=4'
			node 2$i 2 server $((10 * i)) $((10 * i)) $((10 * i + 1)) 'syscall=epoll_wait object=3'
			node 3$i 2 server $((10 * i + 1)) $((10 * i + 9)) $((10 * i + 9)) ''
			edge 3$i 1$i $((10 * i + 3)) wake
			edge 1$i 2$i $((10 * i + 1)) wake
		done
		node 100 1 client 40 41 141 'syscall=read object=4 ended=open'
		echo 'signal id=1 ts=0.141 start=0.041 chart=x value=0.1 tid=1'
	}
	{ normal; node 101 2 server 40 40 141 'syscall=epoll_wait object=3 ended=open'; } >in
	run -0 graph-walk -x 'at 1; culprit' in
	assert_line 'culprit: server/2#7 waits 101 ms in epoll_wait fd 3: nobody was asked, for client/1 usually ends this; it is the last that was'
	{ normal; node 101 2 server 40 141 141 ''; } >in
	run -0 graph-walk -x 'at 1; culprit' in
	assert_line 'culprit: server/2 is busy: it runs 100 ms of 100 ms'
	run -0 graph-walk -x 'at server 0.04 0.14; culprit' in
	assert_output 'busy: server/2 runs 100 ms of 100 ms
culprit: server/2 is busy: it runs 100 ms of 100 ms'
	{ normal; node 101 2 server 40 141 141 '' | sed 's/run=[^ ]* runnable=0/run=0.01 runnable=0.091/'; } >in
	run -0 graph-walk -x 'at 1; culprit' in
	assert_line --partial 'culprit: server/2 is starved: it could run and has no CPU'
	{ cat in; node 102 9 hog 30 150 150 ''; node 103 8 cron 100 110 150 ''; } >hogged
	run -0 graph-walk -x 'at 1; culprit; at server 0.04 0.14' hogged
	assert_equal "$(grep -c '^meanwhile hog/9 ran 100 ms of 100 ms' <<<"$output")" 2
	refute_line --partial 'cron/8'
	{ cat in; for i in 0 1 2 3 4 5 6 7 8 9; do node 11$i 4$i hog $((40 + 10 * i)) $((50 + 10 * i)) 150 ''; done; } >crowded
	run -0 graph-walk -x 'at server 0.04 0.14' crowded
	assert_line 'meanwhile 10 threads of hog ran 100 ms in 100 ms'
	# Two threads of the path had no CPU for 40 of 100 ms, one after the other: none of them is starved alone.
	{
		normal | sed 's/ from=1\([012]\) to=2.*/ from=5\1 to=2\1 kind=wake ts=0.0\11/'
		for i in 0 1 2; do
			node 4$i 3 db $((10 * i)) $((10 * i)) $((10 * i + 1)) 'syscall=read object=8'
			node 5$i 3 db $((10 * i + 1)) $((10 * i + 9)) $((10 * i + 9)) ''
			edge 1$i 4$i $((10 * i + 1)) wake
		done
		node 101 2 server 41 81 141 'syscall=epoll_wait object=3 ended=open' | sed 's/run=[^ ]* runnable=0/run=0 runnable=0.04/'
		node 102 3 db 41 81 141 'syscall=read object=8 ended=open' | sed 's/run=[^ ]* runnable=0/run=0 runnable=0.04/'
		node 103 9 hog 30 150 150 ''
	} >in
	run -0 graph-walk -x 'at 1; culprit' in
	assert_line --regexp '^culprit: db/3#7 waits 60.0 ms in read fd 8: nobody was asked'
	assert_line 'starved: threads on this path could run and had no CPU, in sum 80.0 ms of 100 ms'
	assert_line 'meanwhile hog/9 ran 100 ms of 100 ms'
	# It was not there at all.
	normal >in
	run -0 graph-walk -x 'at 1; culprit' in
	assert_line 'unknown: nothing is known of server/2 then'
}

# What the segments of two reads of one thread have: events in order, results, counters, samples, stacks.
details() {
	begin
	echo 'stack id=1 user="fetch (app);main (app);__libc_start_main (libc.so.6)"'
	echo 'stack id=2 user="hash (app);main (app)"'
	switch 1.0 0 0 R 10
	for i in 1 2; do
		local ret=$((i == 1 ? -11 : 8))
		enter $i.01 0 10 1 0x4,0x0
		leave $i.02 0 10 1 5
		enter $i.05 0 10 45 0x5,0x0
		leave $i.06 0 10 45 $ret
		for n in 1 2 3 4 5 6; do event $i.1$n 0 10 stack:run "stack=$((n == 6 ? 1 : 2))"; done
		[ $i = 1 ] || { enter $i.2 0 10 3 0x9,0x0 && leave $i.21 0 10 3 0; }
		enter $i.3 0 10 0 0x3,0x0
		event $i.39 0 10 counter:cycles "count=$((i * 100))"
		event $i.4 0 10 stack:sleep 'stack=1'
		switch $i.4 0 10 S 20
		wake $i.6 0 20 10
		switch $i.7 0 20 S 10
		leave $i.8 0 10 0 $i
	done
}

@test "compare: counters, results, the last common event and how each goes on, stacks; at: where a busy thread ran" {
	details >in
	run -0 graph-walk -n 50 -x 'compare 10#1 10#2' in
	assert_output "$(cat <<-'END'
		t10/10#1  waits 200 ms in read fd 3, fetch, runs 400 ms, could run 0 ns
		t10/10#1  waits in fetch;main
		t10/10#2  waits 200 ms in read fd 3, fetch, runs 700 ms, could run 100 ms
		t10/10#2  waits in fetch;main
		cycles: 100, and 200
		read fd 3, fetch returned 1, and 2
		recvfrom returned -11, and more than 0
		both begin with 2 events, the last call=recvfrom
		then t10/10#1:  call=read  wait=read,3,fetch
		then t10/10#2:  call=close  call=read  wait=read,3,fetch
		only t10/10#2: call=close
		only t10/10#2: woken=t20
	END
	)"
	run -0 graph-walk -x 'at 10 1 1.4' in
	assert_output 'busy: t10/10 runs 400 ms of 400 ms
in hash: 5 of 6 samples
in fetch: 1 of 6 samples'
	# A graph that was written says the same as one that was built.
	for commands in 'compare 10#1 10#2' 'at 10 1 1.4' 'show 10#2'; do
		diff <(graph-walk -n 50 -f json -x "$commands" in) <(graph-build --whole in | graph-walk -n 50 -f json -x "$commands")
	done
	graph-build --whole --text in | sed -E 's/recvfrom (-11|more)/recvfrom \1\\x1b[2J/' >hostile
	run -0 graph-walk -n 50 -x 'compare 10#1 10#2' hostile
	refute_output --partial $'\e'
	assert_line --partial 'recvfrom returned '
	graph-build --whole --text in | sed 's/order=[^ ]*/order=7/' >bad
	run -1 graph-walk -x help bad
	assert_output --partial 'order= has numbers of the words of events='
}

@test "a thread that sleeps again and again, until its own timer, is yielding" {
	{
		echo 'graph id=w kind=event'
		for i in {1..20}; do
			node "$i" 1 app $((10 * i)) $((10 * i + 1)) $((10 * i + 10)) 'syscall=poll'
			edge "$i" "$i" $((10 * i + 10)) timer
		done
	} >in
	run -0 graph-walk -x 'at app 0.01 0.2; culprit' in
	assert_line 'yielding: app/1 waits 19 times in poll, 171 ms in all; its own timer ended 19'
	assert_line 'what it looks at: step-log -p 1 --from=FUNCTION --to=FUNCTION, in a good case and in this one; then compare --steps'
	assert_line --partial 'its own timer usually ends this'
	sed 's/syscall=poll/tgid=9 function="ns::operator<(a b)" &/' in >named
	run -0 graph-walk -f json -x 'at app 0.01 0.2' named
	assert_output --partial "{\"step_log\":\"step-log -p 9 --from='ns::operator<(a b)' --to=FUNCTION\"}"
	{
		echo 'graph id=w kind=event'
		node 1 1 spinner 0 100 200 'syscall=poll counters="syscalls_sys_enter_sched_yield:5000;cycles:7"'
		node 2 2 polite 0 100 200 'syscall=poll counters="syscalls_sys_enter_sched_yield:7"'
	} >spinning
	run -0 graph-walk -x 'at spinner 0 0.05; at polite 0 0.05' spinning
	assert_line 'yielding: spinner/1 calls sched_yield 2500 times in 50.0 ms: it waits for a flag, in a loop'
	assert_line --partial 'what it looks at: step-log -p 1 --from=FUNCTION'
	assert_line 'busy: polite/2 runs 50.0 ms of 50.0 ms'
	sed '/from=[12] /d' in | sed -E 's/(id=[12] .*)/\1 ended=outside/' >mixed
	run -0 graph-walk -x 'at app 0.01 0.2' mixed
	assert_line --partial 'blocked: '
}

@test "what overlaps lost events is unknown, never normal, and the answer says so" {
	circle >in
	sed -E 's/(id=1[01] .*)/\1 lost=yes/' in >lost
	echo 'lost ts=0.2 from=0.1 cpu=0 count=3' >>lost
	run -3 graph-walk -x 'at 1; culprit' lost
	assert_line --partial '(1 of 1)'
	assert_line 'few normal cases: main/1 has 1'
	assert_line 'events were lost meanwhile: what is said here may be wrong'
}

@test "a script stops at its first failing command; exit statuses; hostile names stay off the terminal" {
	circle >in
	run -1 graph-walk -x 'show main/1#99; help' in
	assert_output "graph-walk: there is no node 'main/1#99'"
	run -1 graph-walk -x 'at 7' in
	assert_output 'graph-walk: there is no window 7'
	run -1 graph-walk -x culprit in
	assert_output 'graph-walk: which node? '"'at'"' finds one, such as '"'at 1'"'; or name one: THREAD/TID#N'
	run -2 graph-walk -x 'frob' in
	run -2 graph-walk -x 'compare 1#1' in
	assert_output "graph-walk: it is 'compare NODE NODE | --steps GOOD BAD'"
	run -1 graph-walk -x 'compare -sh/10#1 -1#1' in # names, as threads may have them
	assert_output "graph-walk: there is no thread '-sh/10'"
	run -2 graph-walk -x 'at 1 2' in
	assert_output "graph-walk: it is 'at WINDOW | NODE | THREAD FROM TO'"
	run -2 graph-walk -x 'show -x' in
	assert_output "graph-walk: 'show' has no option '-x'"
	run -2 graph-walk -f yaml in
	run -2 graph-walk in in
	run -2 bash -c 'graph-walk <in'
	printf '# a comment; quit\nhelp\nquit\nfrob\n' >script
	run -0 graph-walk --script=script in
	run -0 bash -c 'graph-walk in <script'
	run -1 bash -c 'set -o pipefail; graph-walk -x help in >/dev/full'
	run -0 bash -c 'set -o pipefail; graph-walk -n 1000000 -x "$(yes "help;" | head -n 20000)" in | head -n 1'
	sed 's/name=main/name="\\x1b[31mred"/' in >red
	run -0 graph-walk -x 'windows; at 1; back; show' red
	refute_output --partial $'\e'
	assert_output --partial '\x1b[31mred/1#7'
	# a time is at most 95 years from zero
	echo 'signal id=1 ts=9000000000 start=-9000000000 chart=c value=1' >far
	run -0 graph-walk -x windows far
	assert_output '1  -3000000000.000000 s  6000000000.000 s  c  -'
	for bad in 'edge graph=w from=10 to=999 kind=wake ts=1' 'edge graph=w from=100 to=10 kind=wake ts=0.003' 'node graph=w id=500 tid=1 start=3' \
		'node graph=w id=10 tid=9 start=3 end=4' 'node graph=w id=501 tid=1 start=0.002 end=4' 'edge graph=w from=10 to=11 kind=hop ts=1'; do
		{ cat in; echo "$bad"; } >broken
		run -1 graph-walk -x help broken
		assert_output --regexp '^graph-walk: (broken:[0-9]+: )?(an edge|a segment|there|the edge|segment|end=) ?'
	done
	# what cannot be read, and what is no text, is no end
	run -1 graph-walk --script=. in
	assert_output 'graph-walk: cannot read the commands: is a directory'
	run -1 bash -c 'printf "windows\0; bogus\n" | graph-walk in'
	assert_output 'graph-walk: the commands are no text: they have a NUL'
	run -1 graph-walk -x 'back --edge=9 main/1#1' in
	assert_output 'graph-walk: that wait has 1 edge to choose from, not 9'
	run -2 graph-walk -x 'back --edge=0 main/1#1' in
	assert_output 'graph-walk: edges count from 1'
	run -2 graph-walk -x '# a " in a comment' -x 'show "main/1#1' in
	assert_output 'graph-walk: a quote is not closed'
}

# at_terminal FILE: graph-walk at a terminal, which the lines of Python on standard input type at: os.write(fd, ...), until(text). Then it is to quit.
at_terminal() {
	command -v python3 >/dev/null || skip "needs python3"
	{
		cat <<-'BEGIN'
		import os, pty, signal, sys
		signal.alarm(100)
		pid, fd = pty.fork()
		if pid == 0:
		    os.environ["TERM"] = "dumb"
		    os.environ["ASAN_OPTIONS"] = "detect_leaks=0" # libedit keeps two words for ever
		    os.execv(sys.argv[1], ["graph-walk", sys.argv[2]])
		seen = b""
		def until(text):
		    global seen
		    while text not in seen:
		        seen += os.read(fd, 4096)
		    seen = seen[seen.index(text) + len(text):]
		BEGIN
		cat
		cat <<-'END'
		os.write(fd, b"quit\r")
		print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
		END
	} >typed.py
	run -0 python3 typed.py "$BUILD/graph-walk" "$1"
	assert_output 0
}

@test "at a terminal there is a prompt, which an interrupt returns to" {
	circle >in
	at_terminal in <<-'END'
		def ask(line, answer):
		    os.write(fd, line)
		    until(answer)
		until(b"graph-walk> ")
		ask(b"frob\r", b"there is no command 'frob'")
		until(b"graph-walk> ")
		ask(b"at 1\r", b"blocked: main/1#7")
		until(b"graph-walk> ")
		for _ in range(150): # at any moment
		    os.write(fd, b"culp")
		    ask(b"\x03", b"\ngraph-walk> ")
		ask(b"cul\t\r", b"circle: main/1 ended it")
		until(b"graph-walk> ")
	END
}

@test "at a terminal a name with spaces is completed in quotes" {
	circle | sed 's/ name=main / name="ma\\"i; n" /' >in
	at_terminal in <<-'END'
		def ask(line, answer):
		    until(b"graph-walk> ")
		    os.write(fd, line)
		    until(answer)
		ask(b"show ma\t#7\r", b'ma"i; n/1#7')
		ask(b'show "ma\t#7\r', b'ma"i; n/1#7')
		ask(b'windows; sho\t "ma_i; n/1"#7\r', b'ma"i; n/1#7')
		until(b"graph-walk> ")
	END
}

# Thread 20 posts jobs 7 and 8, which 10 runs, and 9, which nobody posted; then 20 wakes 10.
jobs() {
	begin
	switch 1.0 0 0 R 10
	switch 1.0 1 0 R 20
	event 1.1 1 20 func:app__post 'job=7'
	event 1.2 1 20 func:app__post 'job=8'
	event 1.3 0 10 func:app__run 'job=7'
	event 1.4 0 10 func:app__run 'job=8'
	event 1.45 0 10 func:app__run 'job=9'
	enter 1.5 0 10 0 0x3,0x0
	switch 1.6 0 10 S 0
	wake 1.7 1 20 10
	switch 1.8 0 0 R 10
	leave 1.9 0 10 0 1
}

@test "what the user knows: edges by key, boundaries, and who is served; in files, and at a prompt" {
	jobs >in
	echo "edge from='func:./app:post(job)' to='func:./app:run(job)' # same key" >known
	edges --semantics=known in | grep -v seq >out
	assert_equal "$(cat out)" $'from=2 to=1 kind=async ts=1.300000000\nfrom=2 to=3 kind=async ts=1.400000000\nfrom=2 to=5 kind=wake ts=1.700000000'
	run -0 nodes --semantics=known in
	assert_line --partial 'n=2 process=t10 start=1.300000000 end=1.400000000 wait_from=1.400000000 wait=0.000000000 ended=thread function=app__run run=0.100000000'
	assert_line --partial 'n=3 process=t10 start=1.400000000 end=1.450000000 run=0.050000000 runnable=0.000000000 boundary=yes'
	run -0 graph-walk --semantics=known -x 'at 10#4; boundary func:./app:post; save more; show 20#2; back 10#4; undo; back 10#1' in
	assert_line '3 boundaries'
	assert_line '2 rules'
	assert_line 'undone: boundary event=func:./app:post'
	assert_line 't10/10#4  waits 100 ms in read fd 3; ended by t20/20#3'
	assert_line 't10/10#1  waits 0 ns in app__run; ended by t20/20#1, which handed it over'
	assert_equal "$(cat more)" $'edge from=\'func:./app:post(job)\' to=\'func:./app:run(job)\'\nboundary event=func:./app:post'
	diff <(graph-build --whole --text --semantics=more in) <(sed '1s/^/# twice\n\n/' more >again && graph-build --whole --text --semantics=again in)
	sed 's/job=9/job=20/' in >served
	run -0 graph-walk -x 'show 10#4' --semantics=<(echo 'for event="func:./app:run(job)" process=job') served
	assert_line 'event for=t20'
}

@test "what is shipped of libraries is used where the stream has their events; flags: who reads was waiting for who wrote" {
	local task=func:libgio_2_0_so_0__g_task
	jobs | sed "s/func:app__post job=/${task}_return_pointer task=/; s/func:app__run job=/${task}_propagate_pointer task=/" >in
	edges in | grep -v seq >out
	assert_equal "$(cat out)" $'from=2 to=1 kind=async ts=1.300000000\nfrom=2 to=3 kind=async ts=1.400000000\nfrom=2 to=5 kind=wake ts=1.700000000'
	assert_equal "$(edges --semantics=none in | grep -v seq)" 'from=2 to=1 kind=wake ts=1.700000000'
	run -0 graph-walk -x 'save mine; at 10 1 1.5' in
	assert_line '0 rules'
	# The first read in another segment than that of the last write; a read behind that is none.
	{
		jobs | sed -n 1,3p
		event 1.1 1 20 flag:write 'flag=app:ready ip=0x1 function=set'
		event 1.15 1 20 flag:read 'flag=app:ready ip=0x2 function=look'
		event 1.2 0 10 flag:read 'flag=app:ready ip=0x2 function=look'
		event 1.3 0 10 flag:read 'flag=app:ready ip=0x2 function=look'
		jobs | sed -n '9,$p'
	} >in
	assert_equal "$(edges in | grep flag)" 'from=2 to=1 kind=flag ts=1.200000000'
	run -0 graph-walk -x 'back 10#1' in
	assert_line 't10/10#1  waits 0 ns in flag app:ready; ended by t20/20#1, by what it wrote'
	echo 'flag name=app:ready' >known
	assert_equal "$(edges --semantics=known in | grep flag)" 'from=2 to=1 kind=flag ts=1.200000000'
	echo 'flag name=app:other' >known
	run -1 bash -c 'graph-build --whole --semantics=known in 2>&1 >/dev/null'
	assert_output --partial "known:1: the stream has no writes to the flag 'app:other'"
}

# Thread 30 waits for 10, which does job 8, and then job 7, which 20 posted meanwhile.
posted() {
	begin
	switch 0.4 0 0 R 10
	switch 0.4 1 0 R 20
	switch 0.4 2 0 R 30
	event 0.45 0 10 func:app__run 'job=8'
	enter 0.49 2 30 202 0x5000,0x80
	switch 0.5 2 30 S 0
	event 1.1 1 20 func:app__post 'job=7'
	enter 1.12 1 20 35 0x0,0x0
	switch 1.15 1 20 S 0
	event 1.5 0 10 func:app__run 'job=7'
	wake 2.0 0 10 30
	switch 2.0 2 0 R 30
	leave 2.01 2 30 202 0
	echo 'signal id=1 ts=2.01 start=0.49 chart=x value=1.52 center=0.01 ucl=0.1 tid=30 comm=t30'
}

@test "what the user knows is true in graphs of moments, too" {
	posted >in
	blamed() { blame-rank -t --semantics="$1" "$2" | sed -En 's/^blame graph=1 rank=. name=("[^"]*") .* score=([0-9.]+) .*/\1 \2/p'; }
	assert_equal "$(blamed none in)" $'"t10: running" 1.500000000\n"t30: running" 0.020000000'
	# Before job 7 was posted, what 10 did has nothing to do with it; 20 ran.
	echo "edge from='func:./app:post(job)' to='func:./app:run(job)'" >known
	assert_equal "$(blamed known in)" $'"t10: running" 0.900000000\n"t20: running" 0.600000000\n"t30: running" 0.020000000'
	diff <(blame-rank -t --semantics=known in) <(graph-build --semantics=known in | blame-rank -t)
	echo 'cut from="t1*" to=t30 syscall=futex' >known
	assert_equal "$(blamed known in)" $'"unknown: futex of t30" 1.500000000\n"t30: running" 0.020000000'
	echo 'for event="func:./app:run(job)" process=job' >known
	sed 's/job=7/job=20/' in | graph-build -t --semantics=known >graph
	grep -q '^node .* name="t10: running for t20" .* start=1.500000000 ' graph
	echo 'boundary event=func:./app:stop' >known
	run -1 blame-rank --semantics=known in
	assert_output --partial 'known:1: the stream has no event func:app__stop'
}

@test "live: what is known of a program's functions is collected" {
	need_tracefs
	cat >pair.c <<-'C'
		#include <pthread.h>
		__attribute__((noipa)) void post(long job) { (void)job; }
		__attribute__((noipa)) void run(long job) { (void)job; }
		static void *worker(void *job) { run((long)job); return 0; }
		int main(void)
		{
			pthread_t thread;
			for (long job = 1; job < 4; job++) {
				post(job);
				pthread_create(&thread, 0, worker, (void *)job);
				pthread_join(thread, 0);
			}
		}
	C
	cc -O1 -o pair pair.c
	echo "edge from='func:./pair:post(job=%1)' to='func:./pair:run(job=%1)'" >known
	trace-collect --semantics=known -e sched -e raw_syscalls -p command --no-programs -o trace -- ./pair
	assert_equal "$(nodes --semantics=known trace | grep -c function=pair__run)" 3
	run -1 trace-collect --semantics=nothing -o x
	assert_output --partial "'nothing'"
	echo 'boundary event=func:./pair:missing' >known
	run -1 trace-collect --semantics=known -o x
	assert_output --partial missing
}

@test "what is wrong in a file of what the user knows is refused, with file and line" {
	jobs >in
	for wrong in 'boundary' 'frob a=b' 'boundary event=run' 'edge from="func:./app:post(job)" to="func:./app:run"' 'cut from=a' 'boundary event=a:b c=d' \
		'boundary event="a:b' 'join from=10#1 to=11#1' 'join from=10#2 to=20#0' 'boundary event=func:./app:stop' 'boundary event="func:./app:run(size)"' \
		'boundary event="func:./app:run(a,b)"' 'for event=a:b process=c' 'flag' 'flag name=a b=c' 'handoff from=a:b to=c:d'; do
		printf '# two lines\n%s\n' "$wrong" >known
		run -1 bash -c 'graph-build --whole --semantics=known in 2>&1 >/dev/null'
		assert_output --regexp '^(.*\n)*graph-build: (in:[0-9]+: )?known:2: '
	done
	printf 'cut from=a to=b\0 and=more\n' >known
	run -1 graph-walk --semantics=known -x help in
	assert_output "graph-walk: 'known' is no text: it has a NUL"
	graph-build --whole --text in | grep -v ^event >graph.txt
	echo 'boundary event=func:./app:run' >known
	run -1 graph-walk --semantics=known -x help graph.txt
	assert_output --partial 'the stream has a graph only; give --semantics to graph-build'
	run -1 graph-walk -x 'boundary func:./app:run' graph.txt
	assert_output --partial 'the stream has a graph only'
	run -1 bash -c 'graph-walk -x "boundary func:./app:run" <in'
	assert_output --partial 'that needs the events again, from a file'
	run -1 graph-walk -x undo in
	assert_output 'graph-walk: there is nothing to undo'
	run -1 graph-walk -x 'boundary func:./app:stop' in
	assert_output --partial 'the stream has no event func:app__stop'
}

@test "edges that mean nothing are cut, others joined, and both taken back; a picture" {
	circle >in
	run -0 graph-walk -x 'show main/1#1; cut 1 main/1#1; back main/1#3; at 1; culprit; undo; join 3#1 main/1#3; back main/1#3; undo; back main/1#3' in
	assert_line 'cut from=io to=main syscall=futex function=get_rect: 3 edges'
	assert_line 'main/1#3  waits 2.00 ms in futex, get_rect; was ended by a thread'
	assert_line 'culprit: main/1#7 waits 300 ms in futex, get_rect: no thread is known to end this'
	assert_line 'undone: cut from=io to=main syscall=futex function=get_rect'
	assert_line 'main/1#3  waits 2.00 ms in futex, get_rect; ended by io/2#4'
	run -1 graph-walk -x 'cut 1 main/1#7' in
	assert_output 'graph-walk: that edge is from the thread itself; no other thread woke it'
	run -1 graph-walk -x 'cut 9 main/1#7' in
	run -1 graph-walk -x 'join main/1#7 main/1#1' in
	assert_output --partial 'goes back in time'
	run -1 graph-walk -x 'save no/such' in
	run -0 graph-walk -x 'join 3#1 main/1#3; back main/1#3; cut 1 main/1#1; save known; at 1; dot picture; dot' in
	assert_line 'main/1#3  waits 2.00 ms in futex, get_rect; ended by renderer/3#1, as you said'
	assert_line '	s18 [label="main/1#7\nwaits 300 ms in futex, get_rect"];'
	diff picture <(graph-walk --semantics=known -x 'at 1; dot' in | sed 1d)
	run -0 graph-walk --semantics=known -x 'back main/1#1' in
	assert_line 'main/1#1  waits 2.00 ms in futex, get_rect; was ended by a thread'
	command -v dot >/dev/null && dot -Tsvg picture >/dev/null
	graph-build --whole --semantics=<(echo 'cut from="*" to="*"') --text <(vain) >graph
	run ! grep 'kind=wake' graph
}

@test "what is normal may be in another stream: threads by name, waits without their objects" {
	circle | grep -v ^signal >normal
	circle | sed -E '/id=[1-6][0-2] /d; /from=[1-6][0-2] /d; s/tid=([123])/tid=1\1/; s/object=5 /object=9 /; s/0x50/0x70/g' >in
	run -0 graph-walk -x 'at 1; culprit' in
	assert_line --partial 'this never ended normally'
	{ cat normal; echo 'lost ts=9 cpu=0 count=3'; } >lossy
	run -3 graph-walk --normal=lossy -x 'at 1; culprit' in
	run -0 graph-walk --normal=normal -x 'at 1; culprit; similar; compare 11#1 normal:1#5' in
	assert_line 'main/11                   futex, get_rect                   is usually ended by io/12 (3 of 4)'
	assert_line --regexp '^culprit: renderer/13#1 waits 302 ms in futex, run_script: '
	assert_line 'normal:main/1#1  14:13:20.000  waits 2.00 ms  100 % alike'
	assert_line 'normal:main/1#5  waits 2.00 ms in futex, get_rect, runs 1.00 ms, could run 0 ns'
	refute_line --partial 'only '
}

# asked CASE: what graph-walk says of the worst moment of that case of the program.
asked() {
	local chart=func:$BUILD/incidents/desktop:request
	# At a real-time priority: whoever else uses the machine has no part in it.
	trace-collect -c "$chart" -c syscall -p command --no-recorder --no-programs -o all.tb -- chrt -f 5 "$BUILD/incidents/desktop" "$1" &&
		cchart-filter --pass=all -c "$chart" --limit=100ms --only-limit all.tb >marked.tb &&
		graph-walk -x 'at 1; culprit' marked.tb
}

# bats test_tags=live
@test "live: who polls for a flag waits for whoever sets it" {
	need_tracefs
	chrt -f 5 true 2>/dev/null || skip "needs real-time priorities"
	cat >player.c <<-'END'
		#include <pthread.h>
		#include <semaphore.h>
		#include <stdio.h>
		#include <sys/prctl.h>
		#include <time.h>
		static volatile int is_done;
		static sem_t wanted;
		static void wait_ms(int ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL); }
		static void *decode(void *arg)
		{
			prctl(PR_SET_NAME, "decoder");
			for (int i = 0;; i++) {
				sem_wait(&wanted);
				wait_ms(i == 6 ? 400 : 12);
				is_done = 1;
			}
			return arg;
		}
		__attribute__((noipa)) void seek(void)
		{
			is_done = 0;
			sem_post(&wanted);
			do
				wait_ms(5);
			while (!is_done);
		}
		int main(void)
		{
			pthread_t thread;

			sem_init(&wanted, 0, 0);
			pthread_create(&thread, NULL, decode, NULL);
			for (int i = getchar() == 'x' ? 0 : 10; i < 10; i++)
				seek();
			return 0;
		}
	END
	gcc -O1 -pthread -o player player.c
	mkfifo begin
	chrt -f 5 ./player <begin 3>&- & # at a real-time priority: whoever else uses the machine has no part in it
	exec 9>begin
	until_true 60 bash -c "grep -qs decoder /proc/$!/task/*/comm"
	timeout 60 trace-collect --watch=$!:is_done:rw -c func:./player:seek -c syscall --no-recorder --no-programs -o all.tb -- \
		bash -c 'echo x >begin; while [ -d /proc/'$!' ]; do sleep 0.1; done'
	exec 9>&-
	cchart-filter --pass=all -c func:./player:seek --limit=300ms --only-limit all.tb >marked.tb
	run -0 graph-walk -x 'at 1; culprit' marked.tb
	assert_line --regexp '^yielding: player/[0-9]+ waits [0-9]+ times in clock_nanosleep, '
	assert_line --regexp '^player/[0-9]+ +clock_nanosleep +is usually ended by decoder/[0-9]+ \([0-9]+ of [0-9]+\)$'
	assert_line --regexp '^culprit: decoder/[0-9]+#[0-9]+ waits 400 ms in clock_nanosleep: '
	# in the last poll the decoder was done
	thread=$(sed -nE 's/^yielding: (player\/[0-9]+) .*/\1/p' <<<"$output")
	for ts in $(stream-cat --text marked.tb | awk '/^signal / { sub(/.* ts=/, ""); for (t = $1 - 0.39; t < $1; t += 0.0485) printf "%.6f ", t }'); do
		run -0 graph-walk -x "culprit $thread@$ts" marked.tb
		assert_line --regexp '^culprit: decoder/[0-9]+#[0-9]+ waits 400 ms in clock_nanosleep: '
	done
}

# bats test_tags=live,long
@test "live: a circle, a poll for what never comes, a reconnect behind two threads, a daemon that waits for its user" {
	need_tracefs
	[ -x "$BUILD/incidents/desktop" ] || skip "needs the incidents' programs"
	chrt -f 5 true 2>/dev/null || skip "needs real-time priorities"
	run -0 asked circle
	assert_line --regexp '^browser/.* is usually ended by browser-io/'
	assert_line --regexp '^culprit: renderer/.* in futex .*: this never ended normally$'
	assert_line --regexp '^circle: browser/[0-9]+ ended it, after its own timer of '
	run -0 asked datagram
	assert_line --regexp '^yielding: preferences/[0-9]+ waits [0-9]+ times in clock_nanosleep, '
	run -0 asked reconnect
	assert_line --regexp '^worker/.* is usually ended by ssh/'
	assert_line --regexp '^culprit: ssh/.* in clock_nanosleep: '
	run -0 asked installer
	assert_line --regexp '^culprit: authd/.* in read .*: this never ended normally$'
}

@test "events that no stream record precedes end where a stream begins" {
	{ switch 1.21 0 10 D 0; begin; } >in
	run -0 graph-build --whole --text in
	run -0 graph-walk -x windows in
	# a stream that has nothing is not the one that is asked
	{ begin; vain; } >in
	run -0 graph-walk -x 'show 10#1' in
	cat <(vain) <(vain) >in
	run -1 graph-walk -x 'show 10#1' in
	assert_output --partial 'there are several streams; a graph is of one'
}
