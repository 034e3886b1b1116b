#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2002 # what bash -c is to expand; a pipe is not a file here
# trace-export: each format against a reader of it. Golden files are beside their input in testdata/export/.

load helper

DATA=$TOP/testdata/export

need() { # PROGRAM
	command -v "$1" >/dev/null || skip "needs $1"
}

# The recorded incident, with its windows, paths and blame.
incident() {
	cchart-filter "$TOP/testdata/demo.tb" 2>/dev/null | blame-rank >incident.tb
}

# --- options -------------------------------------------------------------------------------------------------------

@test "wrong usage ends with 2 and says what there is" {
	run -2 --separate-stderr trace-export -f svg "$DATA/moment.txt"
	[[ $stderr == "trace-export: there is no format 'svg'; there are ftrace, perfetto, tracedat, folded and csv"* ]]
	run -2 --separate-stderr trace-export -f csv "$DATA/moment.txt"
	[[ $stderr == *"name it with --kind"* ]]
	run -2 --separate-stderr trace-export -f csv -k sheep "$DATA/moment.txt"
	[[ $stderr == *"there is no table of kind 'sheep'"* ]]
	run -2 --separate-stderr trace-export -f csv -k signal -e a:b "$DATA/moment.txt"
	run -2 --separate-stderr trace-export -f folded -k signal "$DATA/moment.txt"
	run -2 --separate-stderr trace-export -f csv -k signal -n "$DATA/moment.txt"
}

@test "binary is not for a terminal" {
	need script
	for format in perfetto tracedat; do
		run script -qec "trace-export -f $format $DATA/moment.txt" /dev/null
		assert_failure 2
		assert_output --partial "$format is not for a terminal"
	done
}

@test "a file is there when it is complete, or not at all" {
	incident
	mkdir out
	for format in ftrace perfetto tracedat folded "csv -k blame"; do
		# shellcheck disable=SC2086 # two words
		TMPDIR='' trace-export -f $format -o out/file incident.tb
		assert_equal "$(ls -A out)" file
		assert [ -s out/file ]
		rm out/file
		head -c 20000 incident.tb | tr '\0' '\1' | { run ! trace-export -f $format -o out/file; }
		assert_equal "$(ls -A out)" ""
	done
}

@test "a full disk is an error in every format; a closed pipe is none" {
	incident
	for format in ftrace perfetto tracedat folded "csv -k signal"; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr trace-export -f $format -o /dev/full incident.tb
		[[ $stderr == *"no space left"* ]] || fail "$format: $stderr"
		# shellcheck disable=SC2086
		{ trace-export -f $format incident.tb 2>error; echo $? >status; } | true
		assert_equal "$(cat status error)" 0
	done
}

@test "a cut stream is exported, and ends with 3" {
	incident
	head -c 1000000 incident.tb >cut.tb
	for format in ftrace perfetto tracedat "csv -k event"; do
		# shellcheck disable=SC2086
		run -3 --separate-stderr trace-export -f $format -o out cut.tb
		[[ $stderr == *"the stream was cut"* ]] || fail "$format: $stderr"
		assert [ -s out ]
	done
}

@test "what a format cannot hold is counted and told" {
	printf 'event ts=%s cpu=%s tid=1 comm=a name=x:y\n' -1 0 1 2000 2 1 >odd.txt
	run -3 --separate-stderr trace-export -f perfetto -o out odd.txt
	[[ $stderr == "trace-export: 2 records were left out: an event's time or CPU is out of range" ]] || fail "$stderr"
	run -3 --separate-stderr trace-export -f ftrace odd.txt
	[[ $stderr == "trace-export: 1 record was left out"* ]] || fail "$stderr"
	printf '%s\n' 'sample ts=-1 start=-2 chart=c value=1' 'signal id=1 ts=-1 start=-2 chart=c value=1' 'window id=1 from=-3 to=1 signals=1-1' >early
	run -3 --separate-stderr trace-export -f perfetto -o out early
	[[ $stderr == "trace-export: 3 records were left out: a time before zero" ]] || fail "$stderr"
}

# --- ftrace --------------------------------------------------------------------------------------------------------

@test "ftrace: events that are text, as the kernel would print them" {
	run -3 trace-export "$DATA/moment.txt"
	trace-export -f ftrace "$DATA/moment.txt" | diff -u "$DATA/moment.ftrace" -
}

# The patterns by which Trace Compass (IGenericFtraceConstants.FTRACE_PATTERN) and Perfetto
# (systrace_line_tokenizer.cc) take a line apart.
@test "ftrace: every line of a recording is one that Trace Compass and Perfetto understand" {
	need python3
	trace-export -f ftrace "$TOP/testdata/demo.tb" >text
	stream-cat -t "$TOP/testdata/demo.tb" | grep -a '^event' >events
	cat >check.py <<-'END'
		import re
		compass = re.compile(r"\s*(?P<comm>.*)-(?P<pid>\d+)(?:\s+\([^0-9]*(?P<tgid>\d+)?\))?\s+\[(?P<cpu>\d+)\](?:\s+(?P<flags>\S*))?"
		                     r"\s+(?P<ts>\d+(?:\.\d+)?): (?P<name>\w+)(?P<sep>:\s+|\(|\s+->\s+)(?P<data>[^)]*)\)?")
		perfetto = re.compile(r"-(\d+)\s+\(?\s*(\d+|-+)?\)?\s?\[(\d+)\]\s*([a-zA-Z.]{3}[0-9a-f.]{1,2}\s*)?(\d+\.\d+):\s+(\S+):")
		lines = [line for line in open("text") if not line.startswith("#")]
		events = [re.match(r"event ts=(\S+) cpu=(\d+) tid=(\d+) .*? name=[^:]+:(\S+)", line).groups() for line in open("events")]
		assert len(lines) == len(events) > 10000, (len(lines), len(events))
		for line, (ts, cpu, tid, name) in zip(lines, events):
		    c, p = compass.fullmatch(line.rstrip("\n")), perfetto.search(line)
		    assert c and p, line
		    assert len(c["flags"]) == 4 and "[" not in c["data"] and "]" not in c["data"], line
		    assert (int(c["cpu"]), c["pid"], c["name"]) == (int(cpu), tid, name) == (int(p[3]), p[1], p[6]), line
		    assert abs(float(c["ts"]) - float(ts)) < 0.0000006, line
	END
	python3 check.py
}

@test "ftrace: nanoseconds, if asked for" {
	trace-export -n "$TOP/testdata/demo.tb" | sed -nE 's/.* ([0-9]+\.[0-9]{9}): .*/\1/p' >written
	stream-cat -t "$TOP/testdata/demo.tb" | sed -nE 's/^event ts=([0-9.]+) .*/\1/p' | diff - written
}

@test "ftrace: brackets and five flags only if asked for" {
	run -3 trace-export -x "$DATA/moment.txt"
	assert_line --partial '] .....     1.000002: softirq_entry: vec=7 [action=SCHED]'
	assert_line --partial 'next_comm=Web [Content]=1 next_pid=101'
	run -3 trace-export "$DATA/moment.txt"
	assert_line --partial '] ....     1.000002: softirq_entry: vec=7 action=SCHED'
	assert_line --partial 'next_comm=Web {Content}_1 next_pid=101'
}

@test "ftrace: an address is no text that wants cleaning" {
	packed in.tb x:begin '__u8 addr[4]:8:4' '"addr=%pI4", REC->addr' '1 x:begin 0a00285b'
	run -0 trace-export in.tb
	assert_line --partial 'begin: addr=10.0.40.91'
}

@test "ftrace: there is one line to an event, whatever its texts hold" {
	local evil='\n           evil-9 [000] ..... 1.500000: sched_waking: comm=victim pid=3 prio=120 target_cpu=000'
	printf '%s\n' 'stream version=1' "event ts=1.0 cpu=0 tid=7 comm=\"a\\nb\" name=fs:open filename=\"one$evil\"" \
		"event ts=1.1 cpu=0 tid=7 comm=\"a\\nb\" name=sched:sched_waking comm=\"x$evil\" pid=8 prio=120 target_cpu=1" >text
	for exact in '' -x; do
		trace-export $exact text >exported || [ $? = 3 ]
		assert_equal "$(grep -vc '^#' exported)" 2
	done
	grep -q '^ *a b-7 .*: open: filename=one  *evil-9 ' exported
}

@test "ftrace: where a number would lead the printer astray, the fields stand as in the stream" {
	local format rest=00000000000000000000000000000000
	begin() { packed in.tb x:begin '__u32 n:8:4,__u8 b[16]:12:16' "$1" "1 x:begin $2$rest"; }
	for format in '"v=%d", REC->b[REC->n]' '"v=%s", __print_array(REC->b, REC->n, 8)' '"v=%s", __print_hex(REC->b, REC->n)' '"v=%*d", REC->n, REC->n'; do
		begin "$format" 02000000
		run -0 trace-export in.tb
		assert_line --partial 'begin: v='
		begin "$format" ffffff7f # behind the payload, or too wide
		run -0 timeout 20 trace-export in.tb
		assert_line --partial 'begin: n=2147483647 b=0x0,'
	done
	begin '"v=%2000000000d", REC->n' 02000000
	run -0 timeout 20 trace-export in.tb
	assert_line --partial 'begin: n=2 b=0x0,'
	begin '"v=%d", 100 / REC->n' 02000000
	run -0 trace-export in.tb
	assert_line --partial 'begin: v=50'
	begin '"v=%d", 100 / REC->n' 00000000
	run -0 trace-export in.tb
	assert_line --partial 'begin: n=0 b=0x0,'
}

@test "a terminal is not told what a name says in its language" {
	printf '%s\n' 'event ts=1.0 cpu=0 tid=7 comm="\x1b]0;t\x07 \xc2\x9b" name=sched:sched_waking comm=x pid=8 prio=120 target_cpu=0' >in
	for format in ftrace 'csv -k event'; do
		run -0 script -qec "trace-export -f $format in" /dev/null
		assert_output --partial '\xc2\x9b'
		refute_output --partial $'\033'
		refute_output --partial $'\302\233'
	done
}

@test "ftrace: what was imported from text is that text, flags in their column" {
	printf '%s\n' '# tracer: nop' \
		'            bash-31224   [000] d.h. 50001.000001: sched_migrate_task: comm=bash pid=8 prio=120 orig_cpu=1 dest_cpu=0' \
		'            bash-31224   [000] bn.. 50001.000002: sys_read(fd: 3, buf: 0x7ffc, count: 0x10)' >text
	trace-import text | trace-export >exported
	run grep -v '^#' exported
	assert_output "$(grep -v '^#' text)"
}

# The kernel's own trace file of another instance, of the same events at the same time. Flags may differ: whether a
# thread is to be preempted changes between the two.
# bats test_tags=live
@test "ftrace: exactly as the kernel prints it, if asked for" {
	need_tracefs
	instance=/sys/kernel/tracing/instances/tailblame-export-test-$$
	mkdir "$instance"
	echo 32768 >"$instance/buffer_size_kb"
	cp "$(command -v cat)" tbcat
	for event in sched/sched_switch sched/sched_waking irq syscalls/sys_enter_openat syscalls/sys_exit_openat syscalls/sys_enter_read; do
		echo 1 >"$instance/events/$event/enable"
	done
	trace-collect -e sched:sched_switch -e sched:sched_waking -e 'irq:*' -e syscalls:sys_enter_openat -e syscalls:sys_exit_openat \
		-e syscalls:sys_enter_read -- ./tbcat /etc/passwd >live.tb 2>/dev/null || [ $? = 3 ]
	echo 0 >"$instance/tracing_on"
	cat "$instance/trace" >kernel
	echo 0 >"$instance/events/enable"
	rmdir "$instance"
	trace-export -x live.tb >ours || [ $? = 3 ]
	pid=$(sed -nE 's/^ *tbcat-([0-9]+) .*/\1/p' kernel | head -n 1)
	for file in ours kernel; do # the name of a thread may be learnt later than it is needed
		sed -nE "s/^.{16}-($pid +\\[[0-9]+\\]) .{5} +[0-9.]+: /\\1 /p" "$file" | sort >"$file.sorted"
	done
	grep -q ' sys_openat(dfd: 0xffffff9c, ' ours.sorted
	grep -q ' sys_openat -> 0x' ours.sorted
	grep -q ' sched_switch: ' ours.sorted
	diff <(grep -a '^#  ' ours) <(grep -a '^#  ' kernel)
	comm -23 ours.sorted kernel.sorted >different
	assert [ ! -s different ]
}

# --- trace.dat -----------------------------------------------------------------------------------------------------

# AbstractBinaryFTraceFileParser takes each line of these sections apart, and there is one even in nothing.
@test "tracedat: Trace Compass finds a line in the sections of functions and formats" {
	trace-export -f tracedat -o t.dat "$TOP/testdata/demo.tb"
	run grep -a -A1 '^.*ffffffffffffffff a unknown$' t.dat
	assert_output --partial '0xffffffffffffffff : "unknown"'
}

@test "tracedat: libtracecmd reads what was in the stream, to the byte" {
	incident
	trace-export -f tracedat -o incident.dat incident.tb
	run -0 "$BUILD/tests/export_tracedat" incident.tb incident.dat
	assert_output "42555 events"
	trace-export -f tracedat <incident.tb | cmp - incident.dat
}

@test "tracedat: trace-cmd tells the same events" {
	need trace-cmd
	incident
	trace-export -f tracedat -o incident.dat incident.tb
	trace-cmd report -t incident.dat 2>/dev/null |
		sed -nE 's/^.*-([0-9]+) +\[([0-9]+)\] +([0-9]+\.[0-9]{9}): ([a-z_0-9]+):.*/\3 \2 \1 \4/p' | sed 's/ 0*\([0-9]\)/ \1/' >told
	stream-cat -t incident.tb | sed -nE 's/^event ts=([0-9.]+) cpu=([0-9]+) tid=([0-9]+) .* name=[a-z_0-9]+:([a-z_0-9]+).*/\1 \2 \3 \4/p' >there
	assert_equal "$(wc -l <there)" 42555
	diff <(sort there) <(sort told)
	trace-cmd report incident.dat 2>/dev/null | grep -q ' crowd-[0-9]* .* block_rq_issue: '
}

@test "tracedat: lost events are where they were" {
	need trace-cmd
	need python3
	# A loss before the thousandth event, spelled as trace-collect does.
	cat >lose.py <<-'END'
		import struct, sys
		data, out, at, events = open(sys.argv[1], "rb").read(), bytearray(), 16, 0
		out += data[:16]
		while at < len(data):
		    size, kind = struct.unpack_from("<IB", data, at)
		    events += kind == 7
		    if kind == 7 and events == 1000:
		        ts, cpu = struct.unpack_from("<qI", data, at + 8)
		        text = b"lost ts=%d.%09d cpu=%d count=321" % (ts // 10**9, ts % 10**9, cpu)
		        out += struct.pack("<IBBBB", 8 + len(text), 8, 0, 0, 0) + text
		    out += data[at:at + size]
		    at += size
		sys.stdout.buffer.write(out)
	END
	python3 lose.py "$TOP/testdata/demo.tb" >lossy.tb
	stream-cat -t lossy.tb | grep -aq '^lost .* count=321' || fail "the stream was not made as it should be"
	run -3 trace-export -f tracedat -o lossy.dat lossy.tb
	"$BUILD/tests/export_tracedat" lossy.tb lossy.dat
	trace-cmd report lossy.dat 2>/dev/null | grep -qE '\[321 EVENTS DROPPED\]'
	trace-export -f ftrace lossy.tb >lossy.ftrace || [ $? = 3 ]
	grep -qE '^CPU:[0-9]+ \[LOST 321 EVENTS\]$' lossy.ftrace
}

@test "tracedat: text events cannot be in it" {
	run -1 --separate-stderr trace-export -f tracedat -o out.dat "$DATA/moment.txt"
	[[ $stderr == *"the events of this stream are text and have no format"* ]]
	run -1 --separate-stderr trace-export -f tracedat -o out.dat "$TOP/testdata/rag/any.txt"
	assert [ ! -e out.dat ]
	{ cat "$TOP/testdata/demo.tb"; cat "$DATA/moment.txt"; } >both 2>/dev/null
	run -3 --separate-stderr trace-export -f tracedat -o out.dat "$TOP/testdata/demo.tb" "$DATA/moment.txt"
	[[ $stderr == "trace-export: 12 records were left out: an event that is text"* ]] || fail "$stderr"
}

# --- perfetto ------------------------------------------------------------------------------------------------------

# The numbers below are those of Perfetto's public protos/perfetto/trace/:
#   Trace                  1 packet
#   TracePacket            1 ftrace_events 2 process_tree 6 clock_snapshot 8 timestamp 10 trusted_packet_sequence_id
#                          11 track_event 13 sequence_flags (1: incremental state cleared) 45 system_info 60 track_descriptor
#   FtraceEventBundle      1 cpu 2 event 3 lost_events 4 compact_sched
#   CompactSched           5 intern_table 7 waking_timestamp 8 waking_pid 9 waking_target_cpu 10 waking_prio
#                          11 waking_comm_index 12 waking_common_flags
#   FtraceEvent            1 timestamp 2 pid 4 sched_switch 17 sched_wakeup 20 sched_waking 24 softirq_entry
#                          25 softirq_exit 36 irq_handler_entry 37 irq_handler_exit 45 block_rq_issue 327 generic
#   SchedSwitch            1 prev_comm 2 prev_pid 3 prev_prio 4 prev_state 5 next_comm 6 next_pid 7 next_prio
#   SchedWaking, -Wakeup   1 comm 2 pid 3 prio 5 target_cpu
#   GenericFtraceEvent     1 event_name 2 field (1 name 3 str_value 4 int_value 5 uint_value)
#   ClockSnapshot          1 clocks (1 clock_id: 6 boottime, 1 realtime; 2 timestamp)
#   ProcessTree            1 processes (1 pid 3 cmdline) 2 threads (1 tid 2 name 3 tgid)
#   SystemInfo             1 utsname (1 sysname 2 version 3 release 4 machine)
#   TrackDescriptor        1 uuid 2 name 4 thread (1 pid 2 tid) 5 parent_uuid 8 counter (3 unit: 1 nanoseconds; 6 unit_name 7 y_axis_share_key)
#                          11 child_ordering (3: explicit) 12 sibling_order_rank
#   TrackEvent             4 debug_annotations (5 double_value 6 string_value 10 name) 9 type (1 begin 2 end 3 instant 4 counter)
#                          11 track_uuid 22 categories 23 name 30 counter_value 44 double_counter_value 47 flow_ids
#                          48 terminating_flow_ids
@test "perfetto: a moment, field by field" {
	need protoc
	trace-export -f perfetto "$DATA/moment.txt" >moment.pftrace || [ $? = 3 ]
	protoc --decode_raw <moment.pftrace | diff -u "$DATA/moment.perfetto" -
}

# What of a decoded trace stands at a path of field numbers: "1.1.2" are the events of all bundles.
at_path() { # PATH
	awk -v path="$1" '
		/\{$/ { stack[++depth] = $1; here = ""; for (i = 1; i <= depth; i++) here = here (i > 1 ? "." : "") stack[i]
			if (here == path) print "{"; next }
		/^ *\}$/ { depth--; next }
		{ here = ""; for (i = 1; i <= depth; i++) here = here stack[i] "."; split($1, key, ":")
		  if (here key[1] == path) { sub(/^ *[0-9]+: /, ""); print } }'
}

@test "perfetto: a system call has its arguments" {
	need protoc
	printf '%s\n' 'stream version=1' \
		'event ts=1.0 cpu=0 tid=7 comm=a name=raw_syscalls:sys_enter id=257 args=0xffffff9c,0x0,18446744073709551615' >text
	trace-export -f perfetto text >calls.pftrace || [ $? = 3 ]
	protoc --decode_raw <calls.pftrace >tree
	assert_equal "$(at_path 1.1.2.329.1 <tree)" 257
	assert_equal "$(at_path 1.1.2.329.2 <tree | tr '\n' ' ')" "4294967196 0 18446744073709551615 "
}

@test "perfetto: calls of functions are slices of their thread, which nest and end" {
	need protoc
	{
		echo 'stream version=1'
		echo 'chart name=func:prog:ns::outer definition="chart name=func:prog:outer title=t binary=/x/prog function=_ZN2ns5outerEv\nstart event=func:prog__outer\nend event=func:prog__outer__return"'
		echo 'task ts=0 tid=7 comm=a tgid=5'
		while read -r ts event; do echo "event ts=$ts cpu=0 tid=7 comm=a name=func:$event"; done <<-EOT
			1.0 prog__late__return
			1.1 prog__outer
			1.2 prog__inner
			1.3 prog__lost
			1.4 prog__outer__return
			1.5 prog__inner
		EOT
	} >text
	trace-export -f perfetto text >calls.pftrace || [ $? = 3 ]
	protoc --decode_raw <calls.pftrace >tree
	assert_equal "$(at_path 1.60.4.2 <tree)" 7
	assert_equal "$(at_path 1.60.4.1 <tree)" 5
	assert_equal "$(at_path 1.11.23 <tree | tr -d '"' | tr '\n' ' ')" "ns::outer() prog__inner prog__lost prog__inner "
	assert_equal "$(at_path 1.11.9 <tree | tr -d '\n')" 11122212
	# of 600 calls within each other, the outer 512 are drawn, and the outermost ends last
	awk 'BEGIN { print "stream version=1"; print "task ts=0 tid=7 comm=a tgid=5"
		for (i = 0; i < 1200; i++) printf "event ts=%d cpu=0 tid=7 comm=a name=func:prog__f%s\n", i + 1, i < 600 ? "" : "__return" }' >text
	trace-export -f perfetto text >calls.pftrace || [ $? = 3 ]
	protoc --decode_raw <calls.pftrace >tree
	assert_equal "$(at_path 1.11.9 <tree | sort | uniq -c | xargs)" '512 1 512 2'
	assert_equal "$(grep -c '^  8: 1200000000000$' tree)" 1
}

@test "perfetto: limits without a time are not drawn" {
	need protoc
	printf '%s\n' 'stream version=1 clock=mono' 'sample ts=2.0 start=1.9 chart=block key=8:0 value=0.1' \
		'limits chart=block key=8:0 center=0.1 ucl=0.2' >text
	trace-export -f perfetto text >limits.pftrace || [ $? = 3 ]
	protoc --decode_raw <limits.pftrace >tree
	assert_equal "$(at_path 1.11.9 <tree | grep -cx 4)" 1
}

@test "perfetto: attributes are tracks or counters, and an arrow leads from a span to each that it called" {
	need protoc
	cat >text <<-'END'
		stream version=1
		state ts=1.0 path=h/a.7/Loop value=busy
		state ts=1.0 path=h/a.7/Bytes value=-5
		state ts=2.0 path=h/a.7/Loop
		state ts=2.5 path=h/a.7/Loop value=idle
		state ts=3.0 path=h/a.7/Bytes value=9
		span id=1 ts=9.0 start=4.0 service=web kind=client sure=yes
		span id=2 parent=1 ts=6.0 start=5.0 service=db kind=server sure=yes name="GET /x"
		span id=3 parent=1 ts=8.0 start=7.0 service=db kind=server sure=yes
		graph id=1 kind=rag from=4.0 to=9.0
		span id=2 parent=1 ts=11.0 start=10.0 service=other kind=server sure=yes
	END
	trace-export -f perfetto text >lines.pftrace || [ $? = 3 ]
	protoc --decode_raw <lines.pftrace >tree
	assert_equal "$(at_path 1.11.23 <tree | head -n 8 | tr -d '"' | paste -sd,)" "busy,idle,web,calls,GET /x,calls,db,other"
	assert_equal "$(at_path 1.11.9 <tree | head -n 17 | tr -d '\n')" 14214123123121212
	assert_equal "$(at_path 1.11.30 <tree | paste -sd,)" "18446744073709551611,9"
	assert_equal "$(at_path 1.11.47 <tree)" "$(at_path 1.11.48 <tree)"
	assert_equal "$(at_path 1.11.47 <tree | sort -u | wc -l)" 2
}

# What Perfetto makes of it: tests/viewers.bats.
# bats test_tags=long
@test "perfetto: every event is there, and arrows lead along the paths" {
	need protoc
	incident
	trace-export -f perfetto -o incident.pftrace incident.tb
	protoc --decode_raw <incident.pftrace >tree
	# Each event is one, or a wake-up by an interrupt in a column; there are more switches than were recorded.
	at_path 1.1.2 <tree | grep -c '{' >events
	at_path 1.1.2.4 <tree | grep -c '{' >switches
	at_path 1.1.4.5 <tree | grep -c . >wakings
	switches=$(stream-cat -t incident.tb | grep -ac 'name=sched:sched_switch')
	assert_equal $(($(cat events) + $(cat wakings) - $(cat switches) + switches)) 42555
	assert_equal "$(at_path 1.13 <tree)" 1 # once: the state begins
	assert_equal "$(at_path 1.10 <tree | sort -u)" 1
	# Each begun slice ends; each arrow has two ends.
	assert_equal "$(at_path 1.11.9 <tree | grep -cx 1)" "$(at_path 1.11.9 <tree | grep -cx 2)"
	at_path 1.11.47 <tree | sort >from
	at_path 1.11.48 <tree | sort >to
	assert [ -s from ]
	diff from to
	assert_equal "$(wc -l <from)" $(($(stream-cat -t incident.tb | grep -c '^path') - $(stream-cat -t incident.tb | grep -c '^graph')))
	# Every event stands on a track that was described before.
	diff <(at_path 1.11.11 <tree | sort -u) <(at_path 1.60.1 <tree | sort -u) | run ! grep '^<'
	at_path 1.60.2 <tree | grep -q '"block of loop0"'
}

# --- folded --------------------------------------------------------------------------------------------------------

@test "folded: who waited for whom" {
	for name in moment stacks; do
		trace-export -f folded "$DATA/$name.txt" >folded || [ $? = 3 ]
		diff -u "$DATA/$name.folded" folded
	done
	run -0 bash -c "blame-rank '$TOP/testdata/blame/wake-lock.txt' | trace-export -f folded"
	assert_output "victim;running 1500000
victim;waiting for a CPU 500000
victim;holder;running 2000000
victim;holder;worker;running 2000000
victim;holder;worker;7:0;worker: read of 7:0 in service 1000000
victim;holder;worker;7:0;read by worker in the bfq queue of 7:0 3000000"
	run -0 bash -c "blame-rank '$TOP/testdata/audit/scenario-1.txt' | trace-export -f folded"
	assert_line "Main;C 8600000"
}

@test "folded: the times of a path are its length" {
	incident
	trace-export -f folded incident.tb >stacks
	run ! grep -vE '^[^;]+(;[^;]+)* [0-9]+$' stacks
	length=$(stream-cat -t incident.tb | sed -nE 's/^path .*from=([0-9.]+) to=([0-9.]+).*/\2 \1/p' | awk '{ sum += $1 - $2 } END { print sum * 1e6 }')
	awk -v length_="$length" '{ sum += $NF } END { exit !(sum > length_ - 10 && sum < length_ + 10) }' stacks
}

@test "folded: a moment that the next graph ends takes nothing of that with it" {
	for g in 1 2; do
		printf '%s\n' "graph id=$g window=$g target=1 from=$g.0 to=$g.9 kind=wake" \
			"node graph=$g id=1 deed=run who=a start=$g.0 end=$g.3 tid=5 what=run stack=\"first$g;main\"" \
			"node graph=$g id=2 deed=run who=a start=$g.3 end=$g.9 tid=5 what=run stack=\"then$g;main\"" \
			"path graph=$g node=1 from=$g.0 to=$g.3" "path graph=$g node=2 from=$g.3 to=$g.9"
	done >text
	run -0 trace-export -f folded text text
	assert_output "$(for g in 1 2 1 2; do printf '%s\n' "a;main;then$g;running 600000" "a;main;first$g;running 300000"; done)"
}

@test "folded: a line is a stack, whatever functions are called" {
	printf '%s\n' 'stream version=1 clock=mono' 'graph id=1 target=1 from=1.0 to=2.0 kind=wake' \
		'node graph=1 id=1 deed=run who=victim start=1.0 end=2.0 tid=5 what=run stack="get\nfake 99;main"' \
		'path graph=1 node=1 from=1.0 to=2.0' \
		'blame graph=1 rank=1 deed=run who=victim score=1 share=1 on_path=yes instances=1 algorithm=blame' >text
	run -0 trace-export -f folded text
	assert_output 'victim;main;get\x0afake 99;running 1000000'
}

@test "folded: a stream without paths has nothing to fold" {
	run -1 --separate-stderr trace-export -f folded "$TOP/testdata/demo.tb"
	[[ $stderr == "trace-export: there are no critical paths in the stream; blame-rank finds them" ]]
	printf 'sample ts=%d chart=load value=1\n' {1..9} | cchart-filter --text >healthy
	run -1 --separate-stderr trace-export -f folded healthy
	[[ $stderr == "trace-export: there are no critical paths in the stream: nothing in it was slow" ]]
}

# --- csv -----------------------------------------------------------------------------------------------------------

@test "csv: quoting, the last column, and keys that are not there" {
	printf '%s\n' 'signal id=1 ts=2 start=1 chart="a, b" value=1 rules=1,5 comm="say \"so\"" odd="x y" dev=7:0' 'signal id=2 ts=3' >in
	trace-export -f csv -k signal in | tr -d '\r' >out
	diff - out <<-'END'
		id,ts,start,chart,key,value,unit,n,center,lcl,ucl,rules,tid,comm,open,mean,signs,sign_ts,sign_value,trigger,text,more
		1,2,1,"a, b",,1,,,,,,"1,5",,"say ""so""",,,,,,,,"odd=""x y"" dev=7:0"
		2,3,,,,,,,,,,,,,,,,,,,,
	END
	run -0 trace-export -f csv -k blame in
	assert_output --partial "graph,rank,name"
}

@test "csv: a name that the kernel cut within a character leaves the table readable" {
	need python3
	printf '%s\n' 'stream version=1' 'signal id=1 ts=2 comm="caf\xc3" key="é \xff,\"q\"" odd="\xc3"' \
		'event ts=1.0 cpu=0 tid=7 comm="обработч\xd0" name=a:b text="x\x00y"' >in
	trace-export -f csv -k signal -o signals.csv in
	trace-export -f csv -k event -e a:b -o events.csv in
	run -0 python3 -c 'import csv
for name, column in ("signals", "comm"), ("signals", "key"), ("signals", "more"), ("events", "comm"), ("events", "text"):
    print(*[row[column] for row in csv.DictReader(open(name + ".csv", encoding="utf-8", newline=""))])'
	assert_output 'caf\xc3
é \xff,"q"
odd="\xc3"
обработч\xd0
x\x00y'
}

@test "csv: no name tells the terminal anything" {
	printf '%s\n' 'signal id=1 ts=2 comm="\x1b[2Jx" key="\xc2\x9b2J" chart="a\x7fb"' >in
	run -0 trace-export -f csv -k signal in
	assert_output --partial ',a\x7fb,\xc2\x9b2J,'
	assert_output --partial ',\x1b[2Jx,'
}

@test "csv: no cell is a formula, numbers stay numbers, and every text can be had back" {
	need python3
	cat >cells.py <<-'END'
		import csv, io, subprocess
		bad = ["=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1-1", "-2+3+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1", "=", "-", "-inf", "+0x1",
		       "'=1", "''@x", "\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "=HYPERLINK(\"http://x\",\"y\")", "-" + "1" * 90 + "x",
		       " =1", "  +cmd", " '=1", "' @x"]
		good = ["-1", "+2.5", "-1e-9", "-.5", "1-1", "a=b", "'x", "'", "", " 1", " '", "\"=1", "'-1", "\uff1c"]
		behind = {"a;=1": "a;'=1", "x\t=1": "x\t'=1", "x;=cmd|'/C calc'!A0;": "x;'=cmd|'/C calc'!A0;", "a;'@x;+1;-y": "a;''@x;+1;'-y", "=a;=b": "'=a;'=b"}
		quoted = lambda text: '"' + "".join({'"': '\\"', "\n": "\\n", "\r": "\\x0d", "\t": "\\t"}.get(c, c) for c in text) + '"'
		with open("in", "w", newline="") as out:
		    for i, text in enumerate(bad + good + list(behind)):
		        out.write("signal id=%d ts=2 comm=%s\n" % (i, quoted(text)))
		table = subprocess.run(["trace-export", "-f", "csv", "-k", "signal", "in"], stdout=subprocess.PIPE, check=True).stdout.decode()
		cells = [row["comm"] for row in csv.DictReader(io.StringIO(table, newline=""))]
		assert cells == ["'" + (text if text[0] not in "\t\r\n" else text[0] + "'" + text[1:]) for text in bad] + good + list(behind.values()), cells
		for text in bad:
		    assert text[0] in "\t\r\n" or ",\"'" + text.replace('"', '""') + '",' in table, text
	END
	run -0 python3 cells.py
}

@test "csv: an event that is not in the stream is a failure, and told with what is near" {
	stream-cat --text "$TOP/testdata/demo.tb" >text
	for wanted in sched_switch sched:sched_swich shed:sched_switch; do
		for stream in "$TOP/testdata/demo.tb" text; do
			run -1 trace-export -f csv -k event -e $wanted -o out.csv $stream
			assert_output "trace-export: there is no event '$wanted' in the stream; is it 'sched:sched_switch'?"
			refute [ -e out.csv ]
		done
	done
}

@test "csv: an event that did not come is a table without rows where the stream knows it" {
	cchart-filter -c syscall "$TOP/testdata/demo.tb" >stream
	run -0 trace-export -f csv -k event -e irq:irq_handler_entry stream
	assert_output --regexp '^ts,cpu,[^ ]*more.$'
}

@test "csv: of one event, its fields are columns" {
	need python3
	trace-export -f csv -k event -e sched:sched_switch -o out.csv "$TOP/testdata/demo.tb"
	stream-cat -t "$TOP/testdata/demo.tb" | grep -a 'name=sched:sched_switch' >there
	python3 - <<-'END'
		import csv
		with open("out.csv", newline="") as file:
		    rows = list(csv.DictReader(file))
		lines = open("there").read().splitlines()
		assert len(rows) == len(lines) > 1000
		for row, line in zip(rows, lines):
		    assert row["more"] == ""
		    for key in "ts", "cpu", "tid", "prev_pid", "prev_state", "next_pid", "next_prio":
		        assert " %s=%s" % (key, row[key]) in line, (row, line)
	END
}

@test "a file is there whole or not at all, where a link leads, with the mode that it had" {
	stream-cat --binary "$TOP/testdata/lock.txt" >lock.tb
	mkdir folder
	mkfifo input
	trace-export -f csv -k signal -o folder/file input &
	exec 8>input
	cat lock.tb >&8
	until_true 60 [ -n "$(ls /proc/$!/fd)" ]
	kill -KILL $!
	wait $! || [ $? = 137 ]
	exec 8>&-
	assert_equal "$(ls -A folder)" ""
	touch folder/real
	chmod 640 folder/real
	ln -s real folder/link
	trace-export -f csv -k signal -o folder/link lock.tb
	# the name that it has for a moment takes no other file's place, nor that file away
	run -0 bash -c 'echo kept >folder/real.$$.0; exec trace-export -f csv -k signal -o folder/link lock.tb'
	assert_equal "$(cat folder/real.*)" kept
	[ -L folder/link ]
	assert_equal "$(stat -c %a folder/real)" 640
	[ -s folder/real ]
	ln -s new folder/ahead # of what it leads to
	ln -s folder/ahead further
	trace-export -f csv -k signal -o further lock.tb
	[ -L further ] && [ -L folder/ahead ]
	cmp folder/new folder/real
	ln -s round circle
	ln -s circle round
	run -1 trace-export -f csv -k signal -o circle lock.tb
	assert_output "trace-export: cannot write 'circle': too many levels of symbolic links"
}
