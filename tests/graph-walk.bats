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
		name=t10 what=segment tid=10 n=1 process=t10 start=1.000000000 end=1.700000000 wait_from=1.200000000 wait=0.500000000 ended=thread syscall=futex object=0x5000 ret=0 run=0.200000000 runnable=0.000000000 events="call=futex;wait=futex,0x5000,"
		name=t10 what=segment tid=10 n=2 process=t10 start=1.700000000 end=1.900000000 wait_from=1.900000000 wait=0.000000000 ended=open run=0.150000000 runnable=0.050000000 events="call=getpid;woken=t30"
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
	run -2 graph-build --whole --kind=wake in
	assert_output --partial 'graph-build: --whole builds a graph of its own kind, without --kind'
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
