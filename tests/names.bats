#!/usr/bin/env bats
# A thread may call itself anything. Whatever it is, the answer is the same, and nothing takes a name for words of its own.

load helper

need_python() {
	command -v python3 >/dev/null || skip "needs python3"
}

# answers FILE NAME: all that is made of a stream.
answers() {
	blame-rank "$1" >"$2.tb" 2>/dev/null || [ $? = 3 ]
	stream-cat --text "$2.tb" | grep -aE '^(graph|node|edge|path|blame) ' >"$2.records"
	COLUMNS=400 report "$2.tb" >"$2.text" || [ $? = 3 ]
	report -f json "$2.tb" >"$2.json" || [ $? = 3 ]
	PATH=$BUILD:/usr/bin:/bin report -f html -o . "$2.tb" || [ $? = 3 ]
	mv report.html "$2.html"
	trace-export -f folded "$2.tb" >"$2.folded" || [ $? = 3 ]
	for kind in node path blame; do
		trace-export -f csv -k $kind "$2.tb" || [ $? = 3 ]
	done >"$2.csv"
	trace-export -f perfetto -o "$2.perfetto" "$2.tb" || [ $? = 3 ]
	trace-export -f ftrace "$2.tb" >"$2.ftrace" || [ $? = 3 ]
}

# bats test_tags=long
@test "with names that mean trouble all says the same as with plain ones" {
	need_python
	local rename="$TOP/tests/reference/rename.py" format shift
	python3 "$rename" rename plain "$TOP"/testdata/wake/*.txt >plain.in
	answers plain.in plain
	for format in records text json html folded csv; do
		python3 "$rename" restore $format plain <"plain.$format" >"plain.$format.restored"
		[ "$(wc -l <"plain.$format.restored")" -ge 100 ]
	done
	for shift in 0 11; do
		python3 "$rename" rename $shift "$TOP"/testdata/wake/*.txt >in
		grep -q 'comm="qaa[^"]' in
		answers in out
		for format in records text json html folded csv; do
			python3 "$rename" restore $format $shift <"out.$format" | diff "plain.$format.restored" - || fail "$format, $shift"
		done
	done
	# what was stored says the same again
	stream-cat --text out.tb >again.text || [ $? = 3 ]
	stream-cat -b again.text >again || [ $? = 3 ]
	COLUMNS=400 run report again
	diff out.text - <<<"$output"
}

# sleeper NAME: a thread that sleeps, and is woken by its timer.
sleeper() {
	cat <<-EOF
		event ts=1.0 cpu=0 tid=5 comm="$1" name=sched:sched_switch prev_comm="$1" prev_pid=5 prev_state=S next_comm=swapper next_pid=0
		event ts=1.9 cpu=0 tid=0 name=timer:hrtimer_expire_entry hrtimer=0x1234
		event ts=1.900001 cpu=0 tid=0 name=sched:sched_waking comm="$1" pid=5 target_cpu=0
		event ts=1.900002 cpu=0 tid=0 name=timer:hrtimer_expire_exit hrtimer=0x1234
		event ts=1.900003 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm="$1" next_pid=5
		event ts=2.0 cpu=0 tid=5 comm="$1" name=sched:sched_switch prev_comm="$1" prev_pid=5 prev_state=S next_pid=0
		signal id=1 ts=1.95 start=1 chart=x value=0.95 center=0.001 ucl=0.01 rules=1 tid=5 comm="$1"
		window id=1 from=1.0 to=2.0 signals=1 complete=yes
	EOF
}

# reader NAME: a thread that reads from a disk that has no scheduler.
reader() {
	cat <<-EOF
		event ts=0.9 cpu=0 tid=5 comm="$1" name=block:block_bio_queue dev=7:0 sector=100 nr_sector=8 rwbs=R
		event ts=1.2 cpu=0 tid=5 comm="$1" name=block:block_rq_issue dev=7:0 sector=100 nr_sector=8 bytes=4096 rwbs=R cmd=""
		event ts=1.9 cpu=0 tid=0 name=block:block_rq_complete dev=7:0 sector=100 nr_sector=8 rwbs=R error=0 cmd=""
		signal id=1 ts=1.9 start=0.9 chart=block key=7:0 value=1.0 center=0.001 ucl=0.01 rules=1 tid=5 comm="$1" sector=100 dev=7:0
		window id=1 from=0.8 to=2.0 signals=1 complete=yes
	EOF
}

@test "what is in a name is not what the thread did" {
	sleeper "job in queue" >in
	run -0 bash -c 'blame-rank in | COLUMNS=200 report'
	assert_line --regexp '^   path +900 ms +94.7 %  job in queue asleep \(timer\)$'
	refute_output --partial 'called by'
	reader "copy of a" >in
	run -0 bash -c 'blame-rank in | COLUMNS=200 report'
	assert_line --regexp '^   path +700 ms +70.0 %  in service at 7:0$'
	assert_line --regexp '^   blame +700 ms +70.0 %  copy of a: read of 7:0 in service$'
}

@test "a disk without scheduler, too, has words for what waits for it" {
	{ echo 'device ts=0 dev=7:0 name=loop0 scheduler=none'; reader victim; } >in
	run -0 bash -c 'blame-rank in | COLUMNS=200 report'
	assert_line --regexp '^ +300 ms +30.0 %  queued before loop0$'
}

@test "a node without a deed is opaque: grouped by its name, and printed as it is" {
	# as version 0.1 stored them
	cat >in <<-'EOF'
		graph id=1 window=1 kind=wake target=1 from=0 to=3
		node graph=1 id=1 name="timer: sleep of job in queue" start=0 end=1 tid=5 what=run
		node graph=1 id=2 name="timer: sleep of job in queue" start=1 end=2 tid=5 what=run
		node graph=1 id=3 name="xz: on CPU 7:0 in service" label="xz/5 on CPU 1" start=2 end=3 tid=5 what=run deed=of-tomorrow who=xz
		edge graph=1 from=2 to=3 kind=seq
		edge graph=1 from=1 to=2 kind=seq
		window id=1 from=0 to=3
	EOF
	sed -i 's/target=1/target=3/; s/^window/device dev=7:0 name=loop0\n&/' in
	run -0 bash -c 'blame-rank --text in | grep -E "^(path|blame graph=1)"'
	assert_output 'path graph=1 node=1 from=0.000000000 to=1.000000000
path graph=1 node=2 from=1.000000000 to=2.000000000
path graph=1 node=3 from=2.000000000 to=3.000000000
blame graph=1 rank=1 name="timer: sleep of job in queue" label="timer: sleep of job in queue" score=2.000000000 share=0.666667 on_path=yes instances=2 algorithm=critical
blame graph=1 rank=2 name="xz: on CPU 7:0 in service" label="xz/5 on CPU 1" score=1.000000000 share=0.333333 on_path=yes instances=1 algorithm=critical'
	run -0 bash -c 'blame-rank in | COLUMNS=200 report | grep -E "^   (path|blame)" -A 1'
	assert_output --partial '%  timer: sleep of job in queue'
	assert_output --partial '%  xz: on CPU 7:0 in service'
	refute_output --partial loop0
}

@test "a path without its nodes is told by what it says itself" {
	reader "copy of a" | blame-rank --text - | sed '/^node/d; /^edge/d; s/target=[0-9]* //' >in
	run -0 bash -c 'COLUMNS=200 report in'
	assert_line --regexp '^   path +700 ms +70.0 %  copy of a: read of 7:0 in service$'
	assert_line --regexp '^ +300 ms +30.0 %  read by copy of a queued before 7:0$'
}

@test "a thread is the kernel's by data, not for a slash in its name" {
	sed 's/\bbulky\b/"CPU 0\/KVM"/g' "$TOP/testdata/wake/batch.txt" >in
	run -0 bash -c 'blame-rank --text in | grep "^blame graph=1 rank=1 "'
	assert_output --partial 'name="server: running for CPU 0/KVM"'
	assert_output --partial 'deed=serve who=server whom="CPU 0/KVM" whom_tid=30'
	# the kernel's threads ask for nothing
	sed '/^task.*tid=30 /s/$/ kernel=yes/' "$TOP/testdata/wake/batch.txt" >in
	run -0 bash -c 'blame-rank --text in | grep "^blame graph=1 rank=1 "'
	assert_output --partial 'name="server: running"'
}

# bats test_tags=live, long
@test "live: the kernel's threads are told from others" {
	need_tracefs
	bash -c 'printf "CPU 0/KVM" >/proc/$$/comm; until [ -e over ]; do sleep 0.1; done' 3>&- &
	trace-collect -c runq -o all -d 2 2>log || [ $? = 3 ]
	touch over
	wait
	stream-cat -t all | grep '^task .*tgid=' >tasks
	grep -E ' comm=(kworker/|ksoftirqd/|rcu_)' tasks | run ! grep -v ' kernel=yes'
	grep -q ' kernel=yes' tasks
	run ! grep -E '(program=|comm="CPU 0).* kernel=|kernel=.*program=' tasks
	grep -q 'comm="CPU 0/KVM"' tasks
}

# turn TID COMM SECOND: in it the thread runs for 0.3 s, and then sleeps.
turn() {
	cat <<-END
		event ts=$3.0 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm="$2" next_pid=$1
		event ts=$3.3 cpu=0 tid=$1 comm="$2" name=sched:sched_switch prev_comm="$2" prev_pid=$1 prev_state=S next_comm=swapper next_pid=0
	END
}

# woken TID COMM SECOND: the thread runs for 0.2 s and wakes the victim, 7.
woken() {
	cat <<-END
		event ts=$3.5 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm="$2" next_pid=$1
		event ts=$3.7 cpu=0 tid=$1 comm="$2" name=sched:sched_waking comm=victim pid=7 target_cpu=0
		event ts=$3.700001 cpu=0 tid=$1 comm="$2" name=sched:sched_switch prev_comm="$2" prev_pid=$1 prev_state=S next_comm=victim next_pid=7
		event ts=$3.700002 cpu=0 tid=7 comm=victim name=sched:sched_switch prev_comm=victim prev_pid=7 prev_state=S next_comm=swapper next_pid=0
	END
}

# blamed: the names of the ranking of the victim's second from 1.7 to 2.7, of the stream in.
blamed() {
	{ cat; echo 'signal id=1 ts=2.700002 start=1.700002 chart=x value=1 center=0.001 ucl=0.01 rules=1 tid=7 comm=victim'
	  echo 'window id=1 from=1.0 to=2.8 signals=1 complete=yes'; } >in
	blame-rank --text in | sed -n 's/^blame graph=1 .* name=\("[^"]*"\|[^ ]*\) .*/\1/p' | tr -d '"'
}

@test "a process has one name everywhere: with the script that an interpreter runs" {
	local a='task ts=0 tid=5 comm=python3 tgid=5 program="/usr/bin/python3 /srv/a b.py" script="a b.py" read=0.1'
	run -0 blamed <<<"$a
$(woken 5 python3 1; woken 5 python3 2)"
	assert_line 'python3 a b.py: running'
	# a thread with a name of its own keeps it; and so does a process that is called as its script
	run -0 blamed <<<"${a/comm=python3/comm=worker}
$(woken 5 worker 1; woken 5 worker 2)"
	assert_line 'worker: running'
	run -0 blamed <<<"task ts=0 tid=5 comm=job.sh tgid=5 program=\"/bin/sh ./job.sh\" script=job.sh read=0.1
$(woken 5 job.sh 1; woken 5 job.sh 2)"
	assert_line 'job.sh: running'
	# what it runs from now on is not what it ran before, nor the other way round
	run -0 blamed <<<"$a
$(woken 5 python3 1; woken 5 python3 2)
task ts=2.75 tid=5 comm=python3 tgid=5 began=yes program=\"python3 other.py\" script=other.py read=2.75"
	assert_line 'python3: running'
	refute_output --partial other
	# a title in the program of an older stream is no script
	run -0 blamed <<<"task ts=0 tid=5 comm=nginx: tgid=5 program=\"nginx: worker process\" read=0.1
$(woken 5 nginx: 1; woken 5 nginx: 2)"
	assert_line 'nginx:: running'
}

@test "namesakes are told apart by what they run, and by the process that did most of it" {
	local who='task ts=0 tid=%d comm=python3 tgid=%d program="python3 %s.py" script=%s.py read=0.1\n'
	run -0 blamed <<<"$(printf "$who" 5 5 a a 6 6 b b)
$(woken 5 python3 1)
$(turn 6 python3 2; woken 5 python3 2)"
	assert_line 'python3 a.py: running'
	refute_line 'python3: running'
	# forks of one service are one; the process with the most of it is named
	who='task ts=0 tid=%d comm=nginx tgid=%d program=nginx title="nginx: worker process" read=0.1\n'
	blamed <<<"$(printf "$who" 5 5 6 6)
$(woken 5 nginx 1)
$(woken 6 nginx 2)" >names
	run -0 bash -c 'blame-rank in | COLUMNS=200 report'
	assert_output --partial 'process 6, nginx: worker process'
}

@test "recorded: of two python3, which one had the lock" {
	blame-rank "$TOP/testdata/report/two-python.txt" >out
	COLUMNS=120 run -0 report out
	assert_output "$(cat "$TOP/testdata/report/two-python.text")"
	run -0 bash -c 'report -f json out | jq -c "[.moments[0].graphs[0].links[] | [.pid, .name, .waits_for]], .moments[0].graphs[0].blame[0].process.pid"'
	assert_output '[[29293,"python3 lock.py",29122],[29122,"python3 nightly.py",null]]
29122'
}

@test "who asked a server meanwhile has a process, too" {
	sed '/^task.*tid=30 /s/$/ program="redis-cli -s" read=1/' "$TOP/testdata/wake/batch.txt" | blame-rank >out
	COLUMNS=120 run -0 report out
	assert_output --partial 'who     bulky is process 30, redis-cli -s'
	run -0 bash -c 'report -f json out | jq -c ".moments[0].graphs[0].blame[0].whom_process"'
	assert_output '{"pid":30,"program":"redis-cli -s"}'
}

@test "a process has the title of the time that is told of" {
	local told='task ts=1 tid=5 comm=postgres tgid=5 program=/usr/bin/postgres title="postgres: shop starting" cgroup=system.slice/db.service read=1.1'
	blamed <<<"$told
task ts=1.2 tid=5 title=\"postgres: shop idle in transaction\"
$(woken 5 postgres 1; woken 5 postgres 2)
task ts=2.79 tid=5 title=\"postgres: shop idle\"" >names
	run -0 bash -c 'blame-rank in | COLUMNS=200 report'
	assert_output --partial 'process 5, postgres: shop idle in transaction, of db.service'
	run -0 bash -c 'blame-rank in | report -f json | jq -r ".moments[0].graphs[0].blame[] | .process.title // empty" | sort -u'
	assert_output 'postgres: shop idle in transaction'
	# what the process was before it ran another program is not its title
	blamed <<<"task ts=0 tid=5 title=before
${told/ title=/ began=yes title=}
$(woken 5 postgres 1; woken 5 postgres 2)" >names
	run -0 bash -c 'blame-rank in | COLUMNS=200 report'
	assert_output --partial 'process 5, postgres: shop starting, of db.service'
}

@test "titles and scripts that mean trouble pass every stage as they are, and no format takes them for its own" {
	local evil='\x1b]0;owned\x07<script>alert(1)</script>\"=\\ {}$(id);|,@DDE \xff\n'
	local long format
	long=$(printf '%0119d' 0)
	{ printf 'task ts=0 tid=5 comm=python3 tgid=5 program="python3 /srv/%s" script="%s" title="python3 %s" cgroup="%s" read=0.1\n' \
		"$evil" "$evil" "$evil$evil" "$evil"
	  printf 'task ts=0 tid=7 comm=victim tgid=7 program=%s script=%s title=%s read=0.1\n' $long $long $long
	  woken 5 python3 1
	  woken 5 python3 2
	} >begin
	blamed <begin
	blame-rank --text in | grep -q '^blame .* name="python3 .*: running" '
	stream-cat -b in >binary
	stream-cat --text binary | grep '^task ' | diff <(stream-cat --text in | grep '^task ') -
	answers in evil
	jq -e . evil.json >parsed
	for format in text html folded json records; do
		run ! grep -qaP '\x1b|\x07' evil.$format
	done
	run ! grep -qF '<script>alert' evil.html
}
