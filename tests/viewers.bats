#!/usr/bin/env bats
# trace-export: what the programs make of it that people open it with. They come from the npm registry and Debian, into build/.

load helper

DATA=$TOP/testdata

setup_file() {
	NO_VIEWERS=$("$TOP/tests/viewers/npm.sh" "$TOP/build/viewers") || export NO_VIEWERS=${NO_VIEWERS:-needs the viewers}
	NO_KERNELSHARK=$("$TOP/tests/viewers/kernelshark.sh" "$TOP/build/viewers") || export NO_KERNELSHARK=${NO_KERNELSHARK:-needs KernelShark}
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	case $BATS_TEST_DESCRIPTION in
	*KernelShark*) [ -z "${NO_KERNELSHARK-}" ] || skip "$NO_KERNELSHARK" ;;
	*) [ -z "${NO_VIEWERS-}" ] || skip "$NO_VIEWERS" ;;
	esac
}

ask() { # TRACE SQL...: a row a line, with tabs
	node "$TOP/tests/viewers/trace_processor.mjs" "$TOP/build/viewers/trace_processor" "$@"
}

# The rows that begin with this word, without it.
rows() { # WORD FILE
	sed -n "s/^$1\t//p" "$2"
}

# Events of a stream's text: their time in nanoseconds, and fields.
events() { # NAME FIELD...
	local name=$1 pattern='' fields='' i=2
	shift
	for field; do
		pattern+=".* $field=([^ ]*)"
		fields+="	\\$((i += 1))"
	done
	sed -nE "s/^event ts=([0-9]+)\.([0-9]+) .*name=$name$pattern.*/\1\2$fields/p"
}

# In the text of a stream: a switch is missing where another thread leaves a CPU than came; why the one that had it left
# nobody knows.
unknown() {
	awk '/name=sched:sched_switch/ {
		match($0, /cpu=[0-9]+/); cpu = substr($0, RSTART, RLENGTH)
		match($0, /prev_pid=[0-9]+/); prev = substr($0, RSTART + 9, RLENGTH - 9)
		if (cpu in last && last[cpu] != prev && last[cpu] != 0) unknown++
		match($0, /next_pid=[0-9]+/); last[cpu] = substr($0, RSTART + 9, RLENGTH - 9)
		} END { print unknown + 0 }'
}

ERRORS="select 'error', name, sum(value) from stats where severity in ('error', 'data_loss') and value > 0 group by name"
SWITCHES="select 'switch', ts, extract_arg(arg_set_id, 'prev_pid'), extract_arg(arg_set_id, 'prev_state'),
	extract_arg(arg_set_id, 'next_pid') from ftrace_event where name = 'sched_switch' order by ts"
WAKINGS="select 'waking', ts, extract_arg(arg_set_id, 'pid') from ftrace_event where name = 'sched_waking' order by ts"

@test "perfetto: every switch, wake-up and thread of a recording; what lacks is put in" {
	cchart-filter "$DATA/demo.tb" 2>/dev/null | blame-rank >incident.tb
	trace-export -f perfetto -o incident.pftrace incident.tb
	stream-cat -t incident.tb >text
	ask incident.pftrace "$ERRORS" "$SWITCHES" "$WAKINGS" \
		"select 'thread', tid, thread.name, pid from thread join process using (upid) where tid > 0" \
		"select 'count', count(*) from ftrace_event" \
		"select 'open', count(*) from sched where dur < 0" \
		"select 'interrupt', sum(irq_context) + (select sum(irq_context) from spurious_sched_wakeup) from thread_state" >answers

	events sched:sched_switch prev_pid prev_state next_pid <text | sort >there
	rows switch answers | sort >told
	comm -23 there told >missing
	assert [ "$(wc -l <there)" = 12379 -a ! -s missing ]
	events sched:sched_waking pid <text | sort >there
	rows waking answers | sort | diff there -

	assert_equal "$(rows error answers)" "task_state_invalid	$(unknown <text)"
	assert_equal "$(rows open answers)" 2 # of each CPU the last
	assert_equal "$(rows interrupt answers)" "$(trace-export incident.tb | grep -cE '\] ..[hHsZz]. .* sched_waking: ')"
	assert_equal "$(rows count answers)" $((42555 + $(rows switch answers | wc -l) - 12379))

	# Each by its last name, in its process.
	sed -nE -e 's/^task .* tid=([0-9]+) comm=(\S+) tgid=([0-9]+).*/\1 \2 \3/p' \
		-e 's/^event .* name=task:task_rename pid=([0-9]+) .*newcomm=(\S+) .*/\1 \2/p' text |
		awk '{ name[$1] = $2; if (NF > 2) group[$1] = $3 } END { for (tid in group) print tid "\t" name[tid] "\t" group[tid] }' |
		sort >there
	rows thread answers | sort | comm -23 there - >missing
	assert [ "$(wc -l <there)" -gt 300 -a ! -s missing ]
}

@test "perfetto: moments, paths, blame and charts are where the stream has them" {
	cchart-filter "$DATA/lock.txt" 2>/dev/null | blame-rank -t >text
	trace-export -f perfetto -o lock.pftrace text
	grep -q '^window id=1 .*complete=yes' text
	ask lock.pftrace "$ERRORS" \
		"select 'moment', ts, ts + dur, s.name from slice s join track t on t.id = track_id where t.name = 'tailblame'" \
		"create view place as select s.*, t.name as row, p.name as above, p.parent_id as top from slice s
			join track t on t.id = s.track_id join track p on p.id = t.parent_id" \
		"create view piece as select * from place where above glob '1. *' and row not glob 'blame *'" \
		"select 'piece', ts, ts + dur from piece order by ts" \
		"select 'story', ts, ts + dur, name from place where row glob '1. *'" \
		"select 'blame', row, name from place where row glob 'blame *' order by track_id" \
		"select 'arrow', count(*), sum(a.ts + a.dur = b.ts) from flow join piece a on a.id = slice_out join piece b on b.id = slice_in" \
		"select 'signal', ts, ts + dur, name from place where above = 'abnormal values'" \
		"select 'counter', t.name, c.ts, value from counter c join track t on t.id = c.track_id order by t.id, c.ts" \
		"select 'running', count(*), sum(dur - (select sum(min(s.ts + s.dur, p.ts + p.dur) - max(s.ts, p.ts)) from sched s
			join thread using (utid) where row = thread.name || '/' || tid and s.ts < p.ts + p.dur and p.ts < s.ts + s.dur))
			from piece p where name glob '* running'" \
		"include perfetto module viz.summary.track_event" \
		"select 'order', g.name from _track_event_tracks_ordered_groups g order by parent_id, order_id" >answers
	assert_equal "$(rows error answers)" "task_state_invalid	$(unknown <text)"

	nanoseconds='s/ (ts|start|from|to)=([0-9]+)\.([0-9]{9})/ \1=\2\3/g'
	sed -nE -e "$nanoseconds" -e 's/^path .*from=([0-9]+) to=([0-9]+).*/\1\t\2/p' text | diff - <(rows piece answers)
	sed -nE -e "$nanoseconds" -e 's/^window .*from=([0-9]+) to=([0-9]+).*/\1\t\2\trequest of lock by victim\/1559 took 150 ms/p' text |
		diff - <(rows moment answers)
	sed -nE -e "$nanoseconds" -e 's/^signal .*ts=([0-9]+) start=([0-9]+).*/\2\t\1\trequest of lock by victim\/1559 took 150 ms/p' text >signal
	diff signal <(rows signal answers)
	diff signal <(rows story answers)
	rows blame answers | head -n 1 >first
	run -0 cat first
	assert_output --regexp '^blame 1. grinder: running	99\.[0-9] %, 149 ms: grinder: running$'
	assert_equal "$(rows blame answers | wc -l)" "$(grep -c '^blame graph=1 ' text)"

	# An arrow from each piece to the next; what the path calls running did run.
	pieces=$(rows piece answers | wc -l)
	assert_equal "$(rows arrow answers)" "$((pieces - 1))	$((pieces - 1))"
	run -0 rows running answers
	assert_output --regexp '^[1-9][0-9]*	0$'

	# A value for each sample and signal, and the limits from the first on.
	sed -nE -e "$nanoseconds" -e 's/^(sample|signal) .*ts=([0-9]+) .*value=([0-9.e-]+).*/\2 \3/p' text |
		awk '{ printf "value\t%s\t%.0f\n", $1, $2 * 1e9 }' | sort | diff - <(rows counter answers | grep '^value' | sort)
	sed -nE -e "$nanoseconds" -e 's/^limits .*ts=([0-9]+) .*ucl=([0-9.e-]+).*/\1 \2/p' text |
		awk '{ printf "upper limit\t%s\t%.0f\n", $1, $2 * 1e9 }' | diff - <(rows counter answers | grep '^upper limit')

	rows order answers | grep -vE "^(blame|holder|grinder|victim|the kernel's)" >order
	diff - order <<-'END'
		tailblame
		1. request of lock by victim/1559 took 150 ms
		control charts
		abnormal values
		func:lock:request
		value
		center
		upper limit
		func:lock:request
	END
}

@test "perfetto: a system call has its arguments and what it returned" {
	printf '%s\n' 'stream version=1 clock=mono' \
		'event ts=1.0 cpu=0 tid=7 comm=a name=raw_syscalls:sys_enter id=257 args=0xffffff9c,0x0,0x3' \
		'event ts=1.1 cpu=0 tid=7 comm=a name=raw_syscalls:sys_exit id=257 ret=5' >text
	trace-export -f perfetto text >calls.pftrace || [ $? = 3 ]
	run ask calls.pftrace "select name, key, int_value from slice join args using (arg_set_id)" "$ERRORS"
	assert_output "$(printf 'sys_257\t%s\t%s\n' 'args[0]' 4294967196 'args[1]' 0 'args[2]' 3 ret 5)"
}

@test "perfetto: where nothing was kept nobody ran, and nobody knows why a thread left" {
	cat >gap.txt <<-'END'
		stream version=1 kernel=6.18.5 machine=x86_64
		task ts=1.000000000 tid=10 comm=hog tgid=10
		task ts=1.000000000 tid=20 comm=worker tgid=20
		event ts=1.000000000 cpu=0 tid=10 comm=hog name=a:b
		event ts=1.100000000 cpu=1 tid=0 comm=swapper name=sched:sched_waking comm=worker pid=20 prio=120 target_cpu=1
		event ts=1.200000000 cpu=1 tid=20 comm=worker name=sched:sched_switch prev_comm=worker prev_pid=20 prev_prio=120 prev_state=D next_comm=swapper/1 next_pid=0 next_prio=120
		window id=1 from=1.000000000 to=1.500000000 signals=1-1 complete=yes
		event ts=5.000000000 cpu=0 tid=10 comm=hog name=sched:sched_switch prev_comm=hog prev_pid=10 prev_prio=120 prev_state=R+ next_comm=worker next_pid=20 next_prio=120
		lost ts=5.300000000 from=5.100000000 cpu=0 count=7
		event ts=5.400000000 cpu=0 tid=20 comm=worker name=sched:sched_switch prev_comm=worker prev_pid=20 prev_prio=120 prev_state=S next_comm=swapper/0 next_pid=0 next_prio=120
		window id=2 from=4.900000000 to=6.000000000 signals=2-2 complete=no
	END
	run -3 trace-export -f perfetto -o gap.pftrace gap.txt
	run -0 ask gap.pftrace "$ERRORS" \
		"select 'ran', name, s.ts / 1000000, dur / 1000000, cpu from sched s join thread using (utid) where tid > 0 and dur > 0 order by s.ts" \
		"select name, ts / 1000000, ifnull(state, 'nobody knows') from thread_state join thread using (utid) where state != 'Running' or state is null order by ts" \
		"select s.name, s.ts / 1000000, s.dur / 1000000, t.name from slice s join track t on t.id = track_id where s.name like '%lost'"
	# An idle CPU was left as soon as a thread could run; what is certain of a thread ends with its last event.
	assert_output - <<-'END'
		error	ftrace_cpu_has_data_loss	1
		error	task_state_invalid	2
		ran	hog	1000	500	0
		ran	worker	1100	100	1
		worker	1100	R
		worker	1200	D
		hog	1500	nobody knows
		hog	5000	R+
		worker	5000	nobody knows
		worker	5400	S
		7 events of CPU 0 lost	5100	200	lost events
	END
}

@test "ftrace: Perfetto reads the same switches and wake-ups from the text" {
	trace-export -f ftrace -o demo.ftrace "$DATA/demo.tb"
	stream-cat -t "$DATA/demo.tb" >text
	ask demo.ftrace "select 'error', name from stats where severity in ('error', 'data_loss') and value > 0" \
		"select 'switch', cast(round(ts / 1000.0) as int), extract_arg(arg_set_id, 'prev_pid'), extract_arg(arg_set_id, 'prev_state'),
			extract_arg(arg_set_id, 'next_pid') from ftrace_event where name = 'sched_switch'" \
		"select 'wakings', count(*) + (select count(*) from spurious_sched_wakeup) from thread_state where waker_utid is not null" >answers
	# What the recording itself lacks is all that it complains of.
	assert_equal "$(rows error answers)" mismatched_sched_switch_tids
	events sched:sched_switch prev_pid prev_state next_pid <text | awk -v OFS='\t' '
		BEGIN { letter[128] = 1026; letter[256] = 2048 } # as Perfetto keeps I and R+
		{ $1 = sprintf("%.0f", int($1 / 1000 + 0.5)); $3 = $3 in letter ? letter[$3] : $3; print }' | sort >there
	rows switch answers | sort | diff there -
	assert_equal "$(rows wakings answers)" "$(grep -c 'name=sched:sched_waking' text)"
}

@test "tracedat: KernelShark reads every event" {
	cchart-filter "$DATA/demo.tb" 2>/dev/null | blame-rank >incident.tb
	trace-export -f tracedat -o incident.dat incident.tb
	"$TOP/build/viewers/kernelshark/kshark" incident.dat | tr / : >told
	stream-cat -t incident.tb | sed -nE 's/^event ts=([0-9]+)\.([0-9]+) cpu=([0-9]+) tid=([0-9]+) comm=[^=]* name=(\S+).*/\1\2 \3 \4 \5/p' >there
	assert_equal "$(wc -l <there)" 42555
	diff <(sort there) <(sort told)
}

@test "folded: a flame graph has each stack, and its time" {
	cchart-filter "$DATA/lock.txt" 2>/dev/null | blame-rank | trace-export -f folded >stacks
	(cd "$TOP/build/viewers" && node -e 'const fs = require("fs");
		const lines = fs.readFileSync(process.argv[1], "utf8").trim().split("\n");
		fs.writeFileSync(process.argv[2], require("flamegraph").svg(lines, { countname: "us" }))' "$BATS_TEST_TMPDIR/stacks" "$BATS_TEST_TMPDIR/graph.svg")
	for function in victim holder grinder; do
		time=$(grep -E "(^|;)$function;" stacks | awk '{ sum += $NF } END { print sum }')
		sed 's/\([0-9]\),/\1/g' graph.svg | grep -q "<title>$function ($time us)" || fail "$function is not $time us"
	done
}

@test "perfetto: rates are no times; moments may lie across each other" {
	cat >rates.txt <<-'END'
		stream version=1 kernel=6.18.5 machine=x86_64
		limits ts=1.000000000 chart=syscall-errors center=0.02 lcl=0 ucl=0.1 n=100 method=laney-p unit=share
		sample ts=2.000000000 start=1.000000000 chart=syscall-errors value=0.03 n=200 unit=share
		sample ts=2.000000000 start=1.000000000 chart=wakeups value=4123 n=1 unit=per_second
		signal id=1 ts=3.000000000 start=2.000000000 chart=syscall-errors value=0.5 unit=share n=200 center=0.02 ucl=0.1 rules=1
		window id=1 from=1.500000000 to=3.000000000 signals=1-1 complete=yes
		signal id=2 ts=4.000000000 start=2.500000000 chart=block value=1.5 center=0.001 ucl=0.1 rules=1
		window id=2 from=2.500000000 to=4.000000000 signals=2-2 complete=yes
	END
	trace-export -f perfetto -o rates.pftrace rates.txt
	run -0 ask rates.pftrace "$ERRORS" \
		"select p.name, t.name, n.unit, c.ts / 1000000, round(value, 3) from counter c
			join counter_track n on n.id = c.track_id join track t on t.id = n.id join track p on p.id = t.parent_id order by c.track_id, c.ts" \
		"select t.name, s.ts / 1000000, s.dur / 1000000 from slice s join track t on t.id = s.track_id where t.name = 'tailblame' order by s.ts"
	assert_output - <<-'END'
		syscall-errors	value	%	2000	3
		syscall-errors	value	%	3000	50
		syscall-errors	center	%	2000	2
		syscall-errors	upper limit	%	2000	10
		wakeups	value	a second	2000	4123
		block	value	ns	4000	1500000000
		tailblame	1500	1500
		tailblame	2500	1500
	END
}
