load helper

# Recordings of one and the same run of the incident rt-hog (hog.*) and of a program that reads a disk (disk.*): by
# trace-cmd, by the kernel's trace file in its layouts, by trace-cmd report, and by perf at the same time.
DATA=$BATS_TEST_DIRNAME/../testdata/import

# sample NAME: one of them, unpacked, as ./NAME
sample() {
	if [ -e "$DATA/$1.gz" ]; then zcat "$DATA/$1.gz" >"$1"; else cp "$DATA/$1" "$1"; fi
}

# answers FILE: what the pipe says of it, as text records
answers() {
	trace-import "$1" | cchart-filter -c runq | blame-rank --text
}

# Text cuts times to microseconds, so values differ in their last digits; kinds, keys, culprits and counts do not.
gist() {
	grep -E '^(signal|window|blame|path|limits) ' |
		sed -E 's/[0-9]+\.[0-9]+/T/g; s/ (score|share|lcl|ucl|center|sigma|threshold|shape|scale|largest|impact|waited)=[^ ]*//g'
}

# --- one recording, one answer -----------------------------------------------------------------------------------

@test "version 6 and 7, packed and not, a pipe and a file: the same events" {
	sample hog.dat
	sample hog.6.dat
	trace-import hog.dat >seven
	trace-import hog.6.dat >six
	trace-import <hog.dat >redirected
	cat hog.dat | trace-import >piped
	for other in six redirected piped; do
		cmp <(stream-cat --text seven | grep -v ^usage) <(stream-cat --text $other | grep -v ^usage)
	done
	assert_equal "$(stream-cat --text seven | grep -c '^event ')" 1848
}

# build_bench NAME: a program of tests/bench
build_bench() {
	local flags
	read -r -a flags <<<"$(pkg-config --cflags --libs libtracecmd libtracefs libtraceevent)"
	${CC:-gcc} -std=gnu11 -O1 -D_GNU_SOURCE -o "$1" "$TOP/tests/bench/$1.c" "${flags[@]}"
}

@test "the same events in the same order, at the same times, as libtracecmd's iterator gives" {
	build_bench iterate
	build_bench recording
	./recording 16 3000 many.dat
	for file in hog.dat hog.6.dat disk.dat lost.dat many.dat; do
		[ -e $file ] || sample $file
		./iterate $file -l >theirs
		{ trace-import --text $file || true; } 2>/dev/null | sed -nE 's/^event ts=([0-9.]+) cpu=([0-9]+) .*/\1 \2/p' >ours
		[ "$(wc -l <ours)" -ge 800 ]
		cmp ours theirs
	done
}

@test "the same limits, signals and blame from trace.dat and from text in every layout" {
	sample hog.dat
	answers hog.dat | gist >wanted
	run cat wanted
	assert_output --partial 'hogger: on CPU 0 while'
	for layout in report-ns 6.dat; do
		sample hog.$layout
		answers hog.$layout | gist >got
		diff wanted got || fail "$layout"
	done
	# a limit is told anew when its centre moved by so much, which microseconds may show or not
	sed -i '/^limits/d' wanted
	for layout in trace tgid plain report; do
		sample hog.$layout
		answers hog.$layout | gist >got
		grep -q '^limits' got
		diff wanted <(grep -v '^limits' got) || fail "$layout"
	done
}

@test "traces that have sched_wakeup only: the wait for a CPU begins there" {
	sample hog.trace
	trace-import hog.trace | cchart-filter -c runq --text | grep -E '^(signal|limits|window) ' >wanted
	assert [ "$(grep -c '^signal' wanted)" -ge 1 ]
	sed 's/sched_waking:/sched_wakeup:/' hog.trace >wakeup.trace
	run -0 --separate-stderr bash -c "trace-import wakeup.trace | cchart-filter -c runq --text | grep -E '^(signal|limits|window) '"
	assert_equal "$stderr" ""
	assert_output "$(cat wanted)"
	sed '/sched_waking:/p; s/sched_waking:\(.*\)/sched_wakeup:\1/' hog.trace | # where there are both, sched_waking counts
		awk '/sched_wakeup:/ { if (!n++) next } { print }' >both.trace
	run -0 bash -c "trace-import both.trace | cchart-filter -c runq --text | grep -E '^(signal|limits|window) '"
	assert_output "$(cat wanted)"
	run -0 bash -c "trace-import hog.trace wakeup.trace | cchart-filter -c runq --text | grep -c '^signal '"
	assert [ "$output" -gt "$(grep -c '^signal' wanted)" ]
}

# Text has no number of a system call and its arguments in hexadecimal, and names of I/O classes that are no numbers.
fields_of() {
	grep '^event ' | sed -E 's/^event ts=([0-9]+\.[0-9]{6})[0-9]* cpu=([0-9]+) tid=([0-9]+)( comm=("[^"]*"|[^ ]*))? name=/\2 \3 /
		s/ (__syscall_nr|common_flags|ioprio|which_clock|flags|rqtp|rmtp|ret)=("[^"]*"|[^ ]*)//g' |
		awk '{ line = $0; n = 0; $0 = $1 " " $2 " " $3
			while (match(line, /[a-z_]+=("[^"]*"|[^ ]*)/)) {
				for (i = n++; i > 0 && field[i] > substr(line, RSTART, RLENGTH); i--) field[i + 1] = field[i]
				field[i + 1] = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH) }
			for (i = 1; i <= n; i++) $0 = $0 " " field[i]; print }'
}

@test "text gives each event's own fields, by the kernel's names" {
	for name in hog disk; do
		sample $name.dat
		sample $name.trace
		trace-import --text $name.dat | fields_of | head -n 1800 >binary
		trace-import --text $name.trace | fields_of | head -n 1800 >text
		assert [ "$(wc -l <binary)" -ge 1800 ]
		diff binary text
	done
}

@test "latency-format: times from the begin of the trace, names that were cut are unknown" {
	for name in hog disk; do
		sample $name.latency
		sample $name.trace
		trace-import --text $name.latency | grep '^event ' >latency
		trace-import --text $name.trace | grep '^event ' >trace
		diff <(sed -E 's/^event ts=[0-9.]+ (.*)( comm=("[^"]*"|[^ ]*))? name=/\1 /; s/ comm=("[^"]*"|[^ ]*)//' latency) \
			<(sed -E 's/^event ts=[0-9.]+ (.*)( comm=("[^"]*"|[^ ]*))? name=/\1 /; s/ comm=("[^"]*"|[^ ]*)//' trace) >difference || true
		run cat difference
		refute_output --partial 'sched_switch'
	done
	run -0 trace-import --text hog.latency
	assert_line --regexp '^event ts=0\.[0-9]{6}000 cpu=[01] tid=[0-9]+ comm=victim name='
	refute_line --partial 'comm=trace-cm'
}

@test "perf script, in microseconds, and in nanoseconds with pid and tid: the same culprit" {
	for name in perf perf-ns; do
		sample hog.$name
		run -0 --separate-stderr answers hog.$name
		assert_output --partial 'name="hogger: on CPU 0 while'
		assert_equal "$stderr" ""
	done
	run -0 trace-import --text hog.perf-ns
	assert_line --regexp '^task ts=[0-9.]+ tid=[0-9]+ comm=hogger tgid=[0-9]+$'
	assert_line --regexp '^event ts=[0-9]+\.[0-9]{9} .*name=syscalls:sys_exit_clock_nanosleep ret=0x0$'
	sample disk.perf
	run -0 trace-import --text disk.perf
	assert_line --regexp 'name=block:block_rq_issue dev=254:0 rwbs=RS bytes=4096 cmd="" sector=[0-9]+ nr_sector=8 .*comm=dd$'
}

@test "a systrace page, new and old" {
	sample hog.trace
	trace-import --text hog.trace | grep -E '^(event|task) ' >wanted
	{
		printf '<!DOCTYPE html>\n<html><body>\n<script class="trace-data" type="application/text">\n'
		cat hog.trace
		printf '</script>\n</body></html>\n'
	} >page.html
	{
		printf '<!DOCTYPE html>\n<script>\n  var linuxPerfData = "\\\n'
		sed 's/$/\\n\\/' hog.trace
		printf '";\n</script>\n'
	} >old.html
	for page in page.html old.html; do
		run -0 --separate-stderr trace-import --text $page
		assert_equal "$stderr" ""
		cmp wanted <(grep -E '^(event|task) ' <<<"$output")
	done
}

@test "atrace of a phone whose CPU was throttled for its heat: who ran, and how slowly" {
	cat >atrace.txt <<-'EOT'
		capturing trace... done
		TRACE:
		# tracer: nop
		#
		#
		#           TASK-PID     TGID   CPU#  ||||   TIMESTAMP  FUNCTION
		#              | |         |      |   ||||      |         |
		          <idle>-0     (-----) [004] d..2  9100.000100: sched_switch: prev_comm=swapper/4 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=RenderThread next_pid=2310 next_prio=110
		          <idle>-0     (-----) [000] d..2  9100.000110: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=thermal-engine next_pid=811 next_prio=120
		    sugov:4-291        (  291) [005] ....  9100.000200: cpu_frequency: state=2419200 cpu_id=4
		    sugov:4-291        (  291) [005] ....  9100.000201: cpu_frequency: state=2419200 cpu_id=5
		  thermal-engine-811   (  811) [000] ....  9100.001000: cpu_frequency_limits: min=710400 max=902400 cpu_id=4
		    sugov:4-291        (  291) [005] ....  9100.001100: cpu_frequency: state=825600 cpu_id=4
		    sugov:4-291        (  291) [005] ....  9100.001101: cpu_frequency: state=825600 cpu_id=5
		    RenderThread-2310  ( 2290) [004] d..2  9100.002000: sched_switch: prev_comm=RenderThread prev_pid=2310 prev_prio=110 prev_state=S ==> next_comm=swapper/4 next_pid=0 next_prio=120
		  thermal-engine-811   (  811) [000] d..3  9100.016000: sched_waking: comm=RenderThread pid=2310 prio=110 target_cpu=004
		          <idle>-0     (-----) [004] d..2  9100.016100: sched_switch: prev_comm=swapper/4 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=RenderThread next_pid=2310 next_prio=110
		    RenderThread-2310  ( 2290) [004] d..2  9100.046100: sched_switch: prev_comm=RenderThread prev_pid=2310 prev_prio=110 prev_state=S ==> next_comm=swapper/4 next_pid=0 next_prio=120
	EOT
	run -0 --separate-stderr trace-import --text atrace.txt
	assert_equal "$stderr" ""
	assert_line --regexp '^event ts=9100.001000000 .*name=power:cpu_frequency_limits min_freq=710400 max_freq=902400 cpu_id=4 '
	signal='signal id=1 ts=9100.046 start=9100.0161 chart=frame value=0.03 center=0.008 ucl=0.016 rules=1 tid=2310 comm=RenderThread'
	run -0 bash -c "{ trace-import --text atrace.txt | grep -v ^end; echo '$signal'; } | blame-rank --text"
	assert_line --regexp '^blame graph=1 rank=1 name="RenderThread: running at a low frequency" label="RenderThread/2310 on CPU 4, at 826 of 2419 MHz, limited to 902 MHz"'
}

@test "of a systrace page only the trace counts, not its program and the other parts" {
	cat >page.html <<'END'
<!DOCTYPE html>
<html><body>
<script>
const last=events[0];while(!/var linuxPerfData = "/.test(last)){next('class="trace-data"');}
a-1 [0] b.c
</script>
  <script class="trace-data" type="application/text">
PROCESS DUMP
USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME
root             1     0   10640   1800 do_epoll_wait       0 S init
  </script>
  <script class="trace-data" type="application/text">
TRACE:
# tracer: nop
#
           <...>-959   (  959) [006] d..3   538.064659: sched_switch: prev_comm=kworker/u17:1 prev_pid=959 prev_prio=100 prev_state=S ==> next_comm=atrace next_pid=7952 next_prio=120
<7952>-7952  (-----) [000] ...1   538.064761: tracing_mark_write: trace_event_clock_sync: parent_ts=538.064758
  </script>
  <script class="trace-data" type="application/text">
{"traceEvents": [{"category": "process_argv", "name": "process_argv"}]}
  </script>
</body></html>
END
	run -0 --separate-stderr trace-import --text page.html
	assert_equal "$(grep -c '^event' <<<"$output")" 2
	assert_line --partial 'tid=959 name=sched:sched_switch '
	assert_line 'event ts=538.064761000 cpu=0 tid=7952 name=ftrace:print buf="trace_event_clock_sync: parent_ts=538.064758" common_flags=0'
	assert_line --index 0 --partial 'stream'
	assert_equal "$stderr" 'trace-import: page.html:8: a part that is no ftrace text is left out (4 lines)'
}

@test "an old systrace page: bare markers, and the line that ends it" {
	cat >old.html <<'END'
<!DOCTYPE html>
<script>
  var linuxPerfData = "\
# tracer: nop\n\
      Binder_1-340   [000] 50260.935656: 0: C|124|StatusBar|1\n\
           dummy-0000  [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0\n";
  </script>
END
	run -0 --separate-stderr trace-import --text old.html
	assert_equal "$stderr" ""
	run -0 bash -c 'trace-import --text old.html | grep ^event'
	assert_output 'event ts=50260.935656000 cpu=0 tid=340 comm=Binder_1 name=ftrace:print buf=C|124|StatusBar|1'
}

# bats test_tags=live, long
@test "the same answer as from the live stream, exported and imported back" {
	need_tracefs
	command -v trace-export >/dev/null || skip "needs trace-export"
	trace-collect -c runq -o live.tb -- "$BUILD/incidents/greedy"
	trace-export -f tracedat -o live.dat live.tb
	trace-export -f ftrace --nanoseconds -o live.trace live.tb
	# The twelve threads of greedy are woken one behind the other onto a CPU that is busy, so that there are waits to tell of.
	# What is abnormal is said beforehand, lest another load makes it normal.
	echo 'limits ts=0 chart=runq center=0.00001 lcl=0 ucl=0.0002 n=1000 method=imr' >known
	# A thread that got its name between two events is cut in two there by the one stream, so pieces are not counted.
	asked() {
		cchart-filter -c runq --method=imr --limits=known | blame-rank --text |
			grep -E '^(limits|signal|window|blame|path) ' | sed -E 's/ (node|instances)=[0-9]+//'
	}
	# A recording does not tell which threads are the pipe's own, nor what program a process runs, nor of most threads whose they are. Nor does it say
	# that all events until then have come, so a wait that lasts is told a little earlier or later.
	known_to_both() {
		sed -E '/^(stage|tick) /d; /^stream /s/ boot=[^ ]*//; /^task /s/ (program|script|title|cgroup|read|tgid|began|kernel)=("([^"\\]|\\.)*"|[^ ]*)//g'
	}
	stream-cat --text live.tb | known_to_both | asked >wanted
	run cat wanted
	assert_line --regexp '^blame graph=1 '
	for file in live.dat live.trace; do
		trace-import --text $file | known_to_both | asked >got
		diff wanted got
	done
}

# --- hangs and gaps ----------------------------------------------------------------------------------------------

# demo MILLISECOND CPU begin|finish|other ID: an event for packed()
demo() {
	printf '%d.%03d@%d demo:%s %02x%02x0000\n' $(($1 / 1000)) $(($1 % 1000)) "$2" "$3" $(($4 & 255)) $(($4 >> 8))
}

# 120 healthy requests from second 0 on, of 10 or 12 ms, on both CPUs; then one that begins at second 3, on CPU 0, which goes on to 5.5.
one_waits() (
	for ((i = 0; i < 120; i++)); do
		demo $((i * 20)) $((i % 2)) begin $i
		demo $((i * 20 + 10 + i % 2 * 2)) $((i % 2)) finish $i
	done
	demo 3000 0 begin 4711
	others 0 3100 5500
)

others() ( # CPU FROM TO: an event of no chart each 100 ms
	for ((t = $2; t < $3; t += 100)); do demo $t "$1" other 1; done
)

# hangs_in EVENTS: the values of signals, as of a trace.dat of these events, and then as of trace-cmd's text; both are ./EVENTS.*
hangs_in() {
	local -a events
	mapfile -t events < <(sort -s -t@ -k1,1n "$1")
	printf '%s\n' 'chart name=demo' {'start event='{demo,unknown}:begin,'end event='{demo,unknown}:finish}' key=id' >demo.chart # text does not tell the system
	packed "$1.tb" 'demo:begin demo:finish demo:other' 'unsigned int id:8:4' '"id=%u", REC->id' "${events[@]}"
	trace-export -f tracedat -o "$1.dat" "$1.tb" || [ $? = 3 ]
	{
		echo cpus=2
		{ trace-import "$1.dat" || [ $? = 3 ]; } | trace-export -f ftrace || [ $? = 3 ]
	} >"$1.trace"
	for file in "$1.dat" "$1.trace"; do
		{ trace-import "$file" || [ $? = 3 ]; } | cchart-filter -c ./demo.chart --text | grep '^signal ' | grep -o ' value=[^ ]*' || true
	done
}

@test "a request whose end lies in a gap is no hang, in trace.dat and in text; one without a gap is" {
	{ one_waits; others 1 2900 5500; } >hang
	run hangs_in hang
	assert_output $' value=1.100000000\n value=1.100000000'
	# nothing tells of the gap until the next event of the CPU
	{ one_waits; echo '5.45@1 lost 7'; others 1 5450 5500; } >gap
	run hangs_in gap
	assert_output ""
	grep -q '^CPU:1 \[LOST 7 EVENTS\]' gap.trace
	# a gap of so many seconds that the context is not kept
	{ one_waits; others 0 5500 30000; echo '29.95@1 lost 7'; others 1 29950 30000; } >long
	run hangs_in long
	assert_output ""
	# where nothing more comes of a CPU, and nothing tells of a loss, the end of the file decides
	one_waits >silent
	run hangs_in silent
	assert_output $' value=2.400000000\n value=2.400000000'
	{ one_waits; others 0 5500 30000; } >silent
	run hangs_in silent
	assert_output $' value=26.900000000\n value=26.900000000'
}

@test "a request whose end lies before its CPU's events begin is no hang" {
	# as where rings were overwritten: the busy one reaches back the least
	{ one_waits | sed 's/@1 /@0 /' | sort -s -k1,1n; echo '5.45@1 lost 7'; others 1 5450 5500; } >gap
	run hangs_in gap
	assert_output ""
}

# --- what is chosen ----------------------------------------------------------------------------------------------

@test "-c passes what the chart needs, and its answer stays the same" {
	sample hog.dat
	trace-import -c runq hog.dat >some
	trace-import hog.dat | cchart-filter -c runq | blame-rank --text | gist >wanted
	cchart-filter some | blame-rank --text | gist >got
	diff wanted got
	run stream-cat --text some
	assert_line --regexp '^chart name=runq '
}

# filtered_by_hand FILE: of the events of a recording those that the chart of the next test lets through
filtered_by_hand() {
	trace-import --text "$1" | awk '
		function field(key, own) { own = substr($0, index($0, " name=") + 6)
			return match(own, " " key "=[^ ]*") ? substr(own, RSTART + length(key) + 2, RLENGTH - length(key) - 2) : "" }
		!/^event/ { next }
		/name=sched:sched_waking/ && (field("prio") + 0 < 120 || field("comm") ~ /^v.*m$/) ||
		/name=sched:sched_switch/ && field("next_pid") != 0 && (field("next_comm") == "hogger" || / cpu=1 / && field("prev_state") % 2) ||
		/name=syscalls:sys_exit_clock_nanosleep/ && / comm=victim name/'
}

@test "-c passes what a chart's filters let through, of packed events and of text" {
	cat >mine.chart <<-'EOT'
		chart name=mine
		start event=sched:sched_waking key=pid filter="prio < 120 || comm ~ \"v*m\""
		end event=sched:sched_switch key=next_pid filter="next_pid != 0 && (next_comm == \"hogger\" || CPU == 1 && prev_state & 1)"
		context event=syscalls:sys_exit_clock_nanosleep filter="COMM == \"victim\" && !(ret < 0)"
	EOT
	for file in hog.dat hog.trace hog.perf; do
		sample $file
		run -0 --separate-stderr bash -c "trace-import --text -c ./mine.chart $file | grep ^event"
		assert_equal "$stderr" ""
		diff <(filtered_by_hand $file) <(echo "$output")
		assert [ "${#lines[@]}" -gt 200 ]
	done
	sed 's/filter=.*//; s/name=mine/name=all/' mine.chart >all.chart # who wants them all gets them all
	diff <(trace-import -t -c ./all.chart hog.dat | grep ^event) <(trace-import -t -c ./mine.chart -c ./all.chart hog.dat | grep ^event)
}

@test "what a trace does not tell passes a filter, and is told; a wrong filter is refused" {
	cat >mine.chart <<-'EOT'
		chart name=mine
		start event=sched:sched_waking key=pid filter="common_flags & 8"
		end event=sched:sched_switch key=next_pid filter="next_pid > 0 && nxt_comm == \"a\""
	EOT
	sample hog.perf
	run -0 --separate-stderr bash -c "trace-import --text -c ./mine.chart hog.perf | grep -c name=sched:sched_waking"
	assert_output 89
	assert_regex "$stderr" "trace-import: the filter of sched:sched_waking asks for common_flags, which 89 of them do not tell; they pass"
	assert_regex "$stderr" "trace-import: the filter of sched:sched_switch asks for nxt_comm, which [0-9]+ of them do not tell; they pass"
	sed -i 's/nxt_comm == //' mine.chart
	run -1 --separate-stderr trace-import -c ./mine.chart hog.perf
	assert_equal "$stderr" "trace-import: wrong filter 'next_pid > 0 && \"a\"' of event 'sched:sched_switch': a field is missing before '\"a\"'"
}

@test "-e passes only what is asked for, of packed events and of text" {
	for file in hog.dat hog.trace; do
		sample $file
		run -0 bash -c "trace-import --text -e 'sched:*wak*' $file | grep -o '^event .* name=sched:[^ ]*' | sed 's/.*name=//' | LC_ALL=C sort -u"
		assert_output "$(printf 'sched:%s\n' sched_wakeup_new sched_waking)"
		run -0 bash -c "trace-import --text -e syscalls $file | grep -c ^event"
		assert_output "$(trace-import --text $file | grep -c 'name=syscalls:')"
	done
}

@test "-e that nothing matches is told, with what is near" {
	for file in hog.dat hog.trace; do
		sample $file
		run -0 --separate-stderr trace-import --text -e sched_switch -e sched:sched_swich -e 'sched:sched_s*' -e nosuch:event $file
		assert_equal "$stderr" "trace-import: no event 'sched_switch' in what was read; is it 'sched:sched_switch'?
trace-import: no event 'sched:sched_swich' in what was read; is it 'sched:sched_switch'?
trace-import: no event 'nosuch:event' in what was read"
	done
}

@test "several files: one stream behind the other; with --merge one stream, by time" {
	sample hog.dat
	sample hog.6.dat
	sample disk.dat
	trace-import hog.dat hog.6.dat >two
	assert_equal "$(stream-cat --text two | grep -c '^stream ')" 2
	assert_equal "$(cchart-filter -c runq two | blame-rank --text | grep -c '^window ')" \
		$((2 * $(answers hog.dat | grep -c '^window ')))
	trace-import --merge hog.dat hog.6.dat >merged
	assert_equal "$(stream-cat --text merged | grep -c '^stream ')" 1
	assert_equal "$(stream-cat --text merged | grep -c '^event ')" 3696
	stream-cat --text merged | sed -n 's/^event ts=\([0-9.]*\) .*/\1/p' | sort -c
	run -1 --separate-stderr trace-import --merge hog.dat disk.dat
	assert_regex "$stderr" "'hog.dat' and 'disk.dat' do not record the same events, so they cannot be merged"
	sample hog.trace
	run -1 --separate-stderr trace-import --merge hog.trace
	assert_regex "$stderr" 'only files of trace.dat, otlp, jaeger and strace can be merged'
}

# --- text by hand ------------------------------------------------------------------------------------------------

# Text on standard input, its events, threads and losses
imported() {
	trace-import --text - 2>messages | grep -E '^(event|lost|task) '
}

@test "names with blanks, brackets, dashes, arrows; the idle thread; a name that was forgotten" {
	run imported <<'END'
      my [0] prog-12    [001] d..2.   100.000001: sched_switch: prev_comm=my [0] prog prev_pid=12 prev_prio=120 prev_state=R+ ==> next_comm=a => b ==> c-d next_pid=13 next_prio=120
          <idle>-0     [000] dNh1.   100.000002: sched_waking: comm=x pid=14 y pid=15 prio=120 target_cpu=003
           <...>-77    [000] .....   100.000003: irq_handler_exit: irq=36 ret=handled
END
	assert_line -n 0 'event ts=100.000001000 cpu=1 tid=12 comm="my [0] prog" name=sched:sched_switch prev_comm="my [0] prog" prev_pid=12 prev_prio=120 prev_state=256 next_comm="a => b ==> c-d" next_pid=13 next_prio=120 common_flags=1'
	assert_line -n 1 'event ts=100.000002000 cpu=0 tid=0 comm=swapper name=sched:sched_waking comm="x pid=14 y" pid=15 prio=120 target_cpu=3 common_flags=45'
	assert_line -n 2 'event ts=100.000003000 cpu=0 tid=77 name=irq:irq_handler_exit irq=36 ret=1 common_flags=0'
}

@test "older layouts: four flags, no I/O priority, bare hexadecimal arguments" {
	run imported <<'END'
            dd-2105  [001] d..1  6150.442017: block_rq_issue: 8,0 R 4096 () 2048 + 8 [dd]
            dd-2105  [001] d..1  6150.442018: block_rq_complete: 8,17 R () 2048 + 8 [-5]
            dd-2105  [001] ....  6150.442019: sys_read(fd: 3, buf: 7ffe10, count: 400)
            dd-2105  [001] ....  6150.442020: sys_read -> 0xfffffffffffffff2
            dd-2105  [001] ....  6150.442021: sys_enter: NR 0 (3, 7ffe10, 400, 0, 0, 0)
            dd-2105  [001] ....  6150.442022: tracing_mark_write: B|2105|work = 3
            dd-2105  [001] d..1  6150.442023: prog__request__return: (0x401136 <- 0x401186)
            dd-2105  [001] d..1  6150.442023: prog__request__return: (401186 <- 401136)
            dd-2105  [001] d..1  6150.442024: do_exit <-__x64_sys_exit
END
	assert_line -n 0 'event ts=6150.442017000 cpu=1 tid=2105 comm=dd name=block:block_rq_issue dev=8:0 rwbs=R bytes=4096 cmd="" sector=2048 nr_sector=8 comm=dd common_flags=1'
	assert_line -n 1 --partial 'name=block:block_rq_complete dev=8:17 rwbs=R cmd="" sector=2048 nr_sector=8 error=-5'
	assert_line -n 2 --partial 'name=syscalls:sys_enter_read fd=0x3 buf=0x7ffe10 count=0x400'
	assert_line -n 3 --partial 'name=syscalls:sys_exit_read ret=-14'
	assert_line -n 4 --partial 'name=raw_syscalls:sys_enter id=0 args=0x3,0x7ffe10,0x400,0x0,0x0,0x0'
	assert_line -n 5 --partial 'name=ftrace:print buf="B|2105|work = 3"'
	assert_line -n 6 --partial 'name=func:prog__request__return __probe_ret_ip=0x401136 __probe_func=0x401186'
	assert_line -n 7 --partial 'name=func:prog__request__return __probe_func=0x401186 __probe_ret_ip=0x401136'
	assert_line -n 8 --partial 'name=ftrace:function ip=do_exit parent_ip=__x64_sys_exit'
}

@test "block events of older kernels, without the I/O priority" {
	run imported <<'END'
            dd-2105  [001] d..1     1.000001: block_rq_merge: 8,0 WS 4096 () 2056 + 8 [a b]
            dd-2105  [001] d..1     1.000002: block_io_start: 8,0 WS 4096 () 2056 + 8 [a b]
            dd-2105  [001] d..1     1.000003: block_io_done: 8,0 WS 0 () 2056 + 8 [a b]
            dd-2105  [001] d..1     1.000004: block_rq_error: 8,0 WS () 2056 + 8 [-5]
            dd-2105  [001] d..1     1.000005: block_rq_remap: 253,0 R 2048 + 8 <- (8,1) 16
END
	assert_line -n 0 --partial 'name=block:block_rq_merge dev=8:0 rwbs=WS bytes=4096 cmd="" sector=2056 nr_sector=8 comm="a b" '
	assert_line -n 1 --partial 'name=block:block_io_start dev=8:0 rwbs=WS bytes=4096 cmd="" sector=2056 nr_sector=8 comm="a b" '
	assert_line -n 2 --partial 'name=block:block_io_done dev=8:0 rwbs=WS bytes=0 cmd="" sector=2056 nr_sector=8 comm="a b" '
	assert_line -n 3 --partial 'name=block:block_rq_error dev=8:0 rwbs=WS cmd="" sector=2056 nr_sector=8 error=-5 '
	assert_line -n 4 --partial 'name=block:block_rq_remap dev=253:0 rwbs=R sector=2048 nr_sector=8 old_dev=8:1 old_sector=16 '
}

@test "older kernels: letters of states, success of a wake-up, works, probes, and what trace-cmd calls a marker" {
	run imported <<'END'
            dd-2105  [001] d..3  6150.442000: sched_switch: prev_comm=dd prev_pid=2105 prev_prio=120 prev_state=D|K ==> next_comm=a b next_pid=7 next_prio=120
            dd-2105  [001] d..3  6150.442001: sched_switch: prev_comm=dd prev_pid=2105 prev_prio=120 prev_state=x|W ==> next_comm=a b next_pid=7 next_prio=120
            dd-2105  [001] d..3  6150.442002: sched_switch: task dd:2105 [120] (D) ==> a b:7 [120]
            dd-2105  [001] d..3  6150.442003: sched_wakeup: comm=a pid=9 prio=1 b pid=7 prio=120 success=1 target_cpu=001
            dd-2105  [001] d..3  6150.442004: sched_wakeup: task a b:7 [120] success=1 [001]
            dd-2105  [001] d..3  6150.442005: workqueue_execute_end: work struct ffffff83b8f89238
            dd-2105  [001] d..3  6150.442006: myopen: (do_sys_open+0x0/0x220)
            dd-2105  [001] d..3  6150.442007: myopen_ret: (SyS_open+0x1e/0x20 <- do_sys_open) arg1=0x3
            dd-2105  [001] d..3  6150.442008: print:                tracing_mark_write: B|2105|x
            dd-2105  [001] d..3  6150.442009: ext4_sync_file_enter: dev 252,0 ino 1054060 parent 1053671 datasync 1
END
	assert_line -n 0 --partial 'prev_pid=2105 prev_prio=120 prev_state=2 next_comm="a b" next_pid=7'
	assert_line -n 1 --partial 'prev_pid=2105 prev_prio=120 prev_state=16 next_comm="a b" next_pid=7'
	assert_line -n 2 --partial 'name=sched:sched_switch prev_comm=dd prev_pid=2105 prev_prio=120 prev_state=2 next_comm="a b" next_pid=7 next_prio=120'
	assert_line -n 3 --partial 'name=sched:sched_wakeup comm="a pid=9 prio=1 b" pid=7 prio=120 success=1 target_cpu=1'
	assert_line -n 4 --partial 'name=sched:sched_wakeup comm="a b" pid=7 prio=120 success=1 target_cpu=1'
	assert_line -n 5 --partial 'name=workqueue:workqueue_execute_end work=0xffffff83b8f89238'
	assert_line -n 6 --partial 'name=unknown:myopen __probe_ip=do_sys_open+0x0/0x220'
	assert_line -n 7 --partial 'name=unknown:myopen_ret __probe_ret_ip=SyS_open+0x1e/0x20 __probe_func=do_sys_open arg1=0x3'
	assert_line -n 8 --partial 'name=ftrace:print ip=tracing_mark_write buf=B|2105|x'
	assert_line -n 9 --partial 'name=ext4:ext4_sync_file_enter dev=252:0 ino=1054060 parent=1053671 datasync=1'
}

@test "events that newer kernels have no more: of which system they are, and their fields" {
	cat >trace <<'END'
            dd-7     [001] ...1.     1.000001: hrtimer_init: hrtimer=00000000ab12cd34 clockid=CLOCK_MONOTONIC mode=REL
            dd-7     [001] .....     1.000002: writeback_dirty_page: bdi 8:0: ino=5 index=1
            dd-7     [001] .....     1.000003: wait_on_page_writeback: bdi 8:0: ino=5 index=1
            dd-7     [001] .....     1.000004: block_bio_bounce: 8,0 R 2048 + 8 [dd]
            dd-7     [001] .....     1.000005: mm_vmscan_writepage: page=00000000ab pfn=5 flags=RECLAIM_WB_FILE|RECLAIM_WB_ASYNC
            dd-7     [001] .....     1.000006: tasklet_hi_entry: function=foo
            dd-7     [001] .....     1.000007: kmalloc_node: call_site=foo+0x1/0x2 ptr=0000000000001234 bytes_req=5 bytes_alloc=8 gfp_flags=GFP_KERNEL node=-1
            dd-7     [001] .....     1.000008: kmem_cache_alloc_node: call_site=foo+0x1/0x2 ptr=0000000000001234 bytes_req=5 bytes_alloc=8 gfp_flags=GFP_KERNEL node=-1
            dd-7     [001] .....     1.000009: clock_set_rate: bus clk state=200000 cpu_id=0
            dd-7     [001] .....     1.000010: tlb_flush: pages:1 reason:local mm shootdown (3)
            dd-7     [001] .....     1.000011: softirq_entry: softirq=1 action=TIMER
END
	run -0 imported <trace
	assert_line -n 0 --partial 'name=timer:hrtimer_init hrtimer=0xab12cd34 clockid=CLOCK_MONOTONIC mode=REL '
	assert_line -n 1 --partial 'name=writeback:writeback_dirty_page name=8:0 ino=5 index=1 '
	assert_line -n 2 --partial 'name=writeback:wait_on_page_writeback name=8:0 ino=5 index=1 '
	assert_line -n 3 --partial 'name=block:block_bio_bounce dev=8:0 rwbs=R sector=2048 nr_sector=8 comm=dd '
	assert_line -n 4 --partial 'name=vmscan:mm_vmscan_writepage page=00000000ab pfn=5 flags=RECLAIM_WB_FILE|RECLAIM_WB_ASYNC '
	assert_line -n 5 --partial 'name=irq:tasklet_hi_entry function=foo '
	assert_line -n 6 --partial 'name=kmem:kmalloc_node call_site=foo+0x1/0x2 ptr=0x1234 bytes_req=5 bytes_alloc=8 gfp_flags=GFP_KERNEL node=-1 '
	assert_line -n 7 --partial 'name=kmem:kmem_cache_alloc_node call_site=foo+0x1/0x2 ptr=0x1234 bytes_req=5 '
	assert_line -n 8 --partial 'name=power:clock_set_rate name="bus clk" state=200000 cpu_id=0 '
	assert_line -n 9 --partial 'name=tlb:tlb_flush pages=1 reason=3 '
	assert_line -n 10 --partial 'name=irq:softirq_entry vec=1 '
	run -0 bash -c 'trace-import --text -e timer trace | grep -c ^event'
	assert_output 1
}

@test "events that another kernel prints with more, fewer or other fields: what is known of the rest stays known" {
	run imported <<'END'
            dd-7     [001] ...1.     1.000001: hrtimer_start: hrtimer=00000000ab12cd34 function=hrtimer_wakeup expires=100 softexpires=90 mode=REL
            dd-7     [001] .....     1.000002: hrtimer_start: hrtimer=0000000012345678 function=hrtimer_wakeup expires=100 softexpires=90 mode=REL
            dd-7     [001] .....     1.000003: balance_dirty_pages: bdi 8:0: limit=1 setpoint=2 dirty=3 bdi_setpoint=4 bdi_dirty=5 dirty_ratelimit=6
            dd-7     [001] .....     1.000004: writeback_single_inode_start: bdi 8:0: ino=5 state=I_DIRTY_SYNC dirtied_when=1 age=1 index=1 to_write=1 wrote=0
            dd-7     [001] .....     1.000005: kfree_skb: skbaddr=000000000000ab12 protocol=2048 location=foo+0x1/0x2
            dd-7     [001] .....     1.000006: kmalloc: call_site=foo+0x1/0x2 ptr=0000000000001234 bytes_req=5 bytes_alloc=8 gfp_flags=GFP_KERNEL
            dd-7     [001] .....     1.000007: timer_start: timer=00000000ab12cd34 function=delayed_work_timer_fn expires=5 [timeout=1] cpu=4 idx=7 flags=D|I
END
	assert_line -n 0 --partial 'name=timer:hrtimer_start hrtimer=0xab12cd34 function=hrtimer_wakeup expires=100 softexpires=90 mode=REL common_flags=0'
	assert_line -n 1 --partial 'name=timer:hrtimer_start hrtimer=0x12345678 function=hrtimer_wakeup '
	assert_line -n 2 --partial 'bdi=8:0 limit=1 setpoint=2 dirty=3 bdi_setpoint=4 bdi_dirty=5 dirty_ratelimit=6 '
	assert_line -n 3 --partial 'name=8:0 ino=5 state=I_DIRTY_SYNC dirtied_when=1 '
	assert_line -n 4 --partial 'name=skb:kfree_skb skbaddr=0xab12 protocol=2048 location=foo+0x1/0x2 '
	assert_line -n 5 --partial 'name=kmem:kmalloc call_site=foo+0x1/0x2 ptr=0x1234 bytes_req=5 bytes_alloc=8 gfp_flags=GFP_KERNEL '
	assert_line -n 6 --partial 'name=timer:timer_start timer=0xab12cd34 function=delayed_work_timer_fn expires=5 '
}

@test "what a system call returned: errors of 64-bit and of 32-bit kernels" {
	run imported <<'END'
            dd-7     [001] ...1     1.000001: sys_futex -> 0xffffffffffffff92
            dd-7     [001] ....     1.000002: sys_futex -> 0xffffff92
            dd-7     [001] ....     1.000003: sys_mmap2 -> 0xb6f00000
            dd-7     [001] ....     1.000004: sys_mmap2 -> 0xfffff000
            dd-7     [001] ....     1.000005: sys_mmap -> 0x7f00fffff001
END
	assert_line -n 0 --partial 'name=syscalls:sys_exit_futex ret=-110 '
	assert_line -n 1 --partial 'name=syscalls:sys_exit_futex ret=-110 '
	assert_line -n 2 --partial ' ret=3069181952 '
	assert_line -n 3 --partial ' ret=4294963200 '
	assert_line -n 4 --partial " ret=$((0x7f00fffff001)) "
}

@test "what trace-cmd prints of futexes: operations by their names" {
	run imported <<'END'
            dd-7     [001]     1.000001: sys_enter_futex:      op=FUTEX_WAKE|FUTEX_PRIVATE_FLAG uaddr=0x7f00 val=1
            dd-7     [001]     1.000002: sys_enter_futex:      op=FUTEX_WAIT uaddr=0x00007f00 val=0x00000001 utime=0x00000000
            dd-7     [001]     1.000003: sys_enter_futex:      op=FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME uaddr=0x7f00 val=0x00000001 utime=0x00000000 val3=0xffffffff
            dd-7     [001]     1.000004: sys_enter_futex:      uaddr: 0x00007f00, op: 0x00000081, val: 0x00000001
            dd-7     [001]     1.000005: sys_futex(uaddr: 7f00, op: 81, val: 1)
END
	assert_line -n 0 --partial 'name=syscalls:sys_enter_futex op=129 uaddr=0x7f00 val=1'
	assert_line -n 1 --partial 'name=syscalls:sys_enter_futex op=0 uaddr=0x7f00 val=0x1 utime=0x0'
	assert_line -n 2 --partial 'name=syscalls:sys_enter_futex op=393 uaddr=0x7f00 val=0x1 utime=0x0 val3=0xffffffff'
	assert_line -n 3 --partial 'name=syscalls:sys_enter_futex uaddr=0x7f00 op=0x81 val=0x1'
	assert_line -n 4 --partial 'name=syscalls:sys_enter_futex uaddr=0x7f00 op=0x81 val=0x1'
}

@test "events between functions: function_graph and call stacks; what is left out is said" {
	cat >trace <<'END'
# tracer: function_graph
#
#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
#      |          |     |    |           |   |                     |   |   |   |
 ------------------------------------------
   0)   dd-7   =>   sh-8
 ------------------------------------------

  100.000001 |   0)  my [0] | d-8   |               |  schedule() {
  100.000002 |   0)  my [0]-8       |               |    /* sched_switch: prev_comm=my [0] prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=dd next_pid=7 next_prio=120 */
  100.000003 |   0)    dd-7         | ! 204.123 us  |  } /* schedule */
              dd-7     [001] .....   100.000004: irq_handler_entry: irq=1 name=x
              dd-7     [001] .....   100.000004: <stack trace>
 => handle_irq
 => do_IRQ
END
	run -0 --separate-stderr trace-import --text trace
	assert_line 'event ts=100.000002000 cpu=0 tid=8 comm="my [0]" name=sched:sched_switch prev_comm="my [0]" prev_pid=8 prev_prio=120 prev_state=1 next_comm=dd next_pid=7 next_prio=120'
	assert_equal "$(grep -c '^event' <<<"$output")" 2
	assert_equal "$stderr" "$(printf 'trace-import: trace:%s\n' '6: functions are left out (3 lines)' '13: call stacks are left out (3 lines)')"
	printf '%s\n' '# tracer: function_graph' ' 0)               |  /* sched_waking: comm=dd pid=7 prio=120 target_cpu=000 */' >bare
	run -3 --separate-stderr trace-import --text bare
	assert_regex "$stderr" 'bare:2: events of function_graph without time or thread are left out.*funcgraph-abstime'
}

@test "ftrace text: a thread may be called like a line that is no event" {
	for name in '=> x' 'cpus=4' 'CPU:0 [LOST 9]'; do
		printf '%16s-77      [000] d..2.     1.000001: irq_handler_entry: irq=1 name=x\n' "$name" >trace
		run -0 --separate-stderr trace-import -f ftrace --text trace
		assert_line --partial "tid=77 comm=\"$name\" name=irq:irq_handler_entry "
		assert_equal "$stderr" ""
	done
}

@test "perf script: samples that are no tracepoints, call stacks, perf's own records, losses" {
	printf '%s\n' '# ========' '# captured on: Thu Aug 17 14:14:43 2017' \
		'my [0] prog  12/13  [001]   100.000001:     250000 cycles:upp: ' \
		$'\tffffffff9fa00a67 native_irq_return_iret ([kernel.kallsyms])' $'\t           10b33 _dl_init (/usr/lib64/libc-2.25.so)' '' \
		'prog     13 [000] 100.000002: cpu-clock:I:      555eab8feb3d work+0xbd (/usr/bin/prog)' \
		'prog     13 [001] 100.000003: PERF_RECORD_COMM: prog:12/13' \
		'prog     13 [001] 100.000004: PERF_RECORD_LOST lost 5' \
		$'prog\t13 [000] 100.000005:\t\t1 sched:sched_waking:k: comm=x pid=14 prio=120 target_cpu=003' \
		$'prog\t13 [001] 100.000006:\t\t1 sched:sched_waking: comm=x pid=14 prio=120 target_cpu=003' >script
	run -3 --separate-stderr trace-import --text script
	assert_line 'event ts=100.000001000 cpu=1 tid=13 comm="my [0] prog" name=perf:cycles period=250000'
	assert_line 'event ts=100.000002000 cpu=0 tid=13 comm=prog name=perf:cpu-clock ip="555eab8feb3d work+0xbd (/usr/bin/prog)"'
	assert_line 'event ts=100.000005000 cpu=0 tid=13 comm=prog name=sched:sched_waking comm=x pid=14 prio=120 target_cpu=3'
	assert_line 'lost ts=100.000006000 cpu=1 count=5 from=100.000001000'
	assert_line 'event ts=100.000006000 cpu=1 tid=13 comm=prog name=sched:sched_waking comm=x pid=14 prio=120 target_cpu=3'
	assert_equal "$(grep -c '^event' <<<"$output")" 4
	assert_equal "$stderr" "$(printf 'trace-import: script:%s\n' '4: call stacks are left out (2 lines)' \
		"8: perf's own records are left out (1 line)")"
	# threads and files may have such names, too
	printf '%s\n' '  PERF_RECORD_MMA    13 [001] 100.000001: sched:sched_waking: comm=x pid=14 prio=120 target_cpu=003' \
		'prog 13 [001] 100.000002: sched:sched_process_exec: filename=./PERF_RECORD_LOST99 pid=13 old_pid=13' \
		'prog 13 [001] 100.000003: sched:sched_process_exec: filename=./x 13 [001] 1.5: PERF_RECORD_LOST99 pid=13 old_pid=13' \
		'  PERF_RECORD_LOST lost 7' 'prog 13 [001] 100.000004: sched:sched_waking: comm=x pid=14 prio=120 target_cpu=003' >script
	run -3 --separate-stderr trace-import --text script
	assert_equal "$(grep -c '^event' <<<"$output")" 4
	assert_line --partial ' comm=PERF_RECORD_MMA name=sched:sched_waking '
	assert_line 'lost ts=100.000004000 cpu=1 count=7 from=100.000003000'
	assert_equal "$stderr" ""
}

# perf numbers a thread -1 that has exited, though it runs on until it is switched out.
@test "perf script: threads that are gone are those that run on the CPU; one such line makes no ftrace text of it" {
	cat >script <<'END'
             :-1    -1 [001] 100.000000: irq:softirq_entry: vec=1 [action=TIMER]
         swapper     0 [001] 100.000001: sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=work next_pid=12 next_prio=120
             :-1    -1 [001] 100.000002: sched:sched_stat_runtime: comm=work pid=12 runtime=5 [ns]
             :-1    -1 [001] 100.000003: sched:sched_switch: prev_comm=work prev_pid=12 prev_prio=120 prev_state=X ==> next_comm=y next_pid=15 next_prio=120
         :-1 -1/-1 [001] 100.000004: irq:softirq_entry: vec=1 [action=TIMER]
             :-1    -1 [002] 100.000005: sched:sched_switch: prev_comm=z prev_pid=16 prev_prio=120 prev_state=Z ==> next_comm=y next_pid=15 next_prio=120
             :-1    -1 [003] 100.000006: sched:sched_switch: a:b:17 [120] X ==> c:18 [120]
             :-1    -1 [003] 100.000007: irq:softirq_entry: vec=1 [action=TIMER]
END
	run -3 --separate-stderr trace-import --text script
	assert_equal "$stderr" "trace-import: script:1: the thread of these events has exited and is not told; 0 is taken for it (1 line)"
	run -0 grep -o '^event ts=[^ ]* cpu=[0-9]* tid=[-0-9]* \(comm=swapper \)\?name=[^ ]*' <<<"$output"
	assert_output - <<-'END'
		event ts=100.000000000 cpu=1 tid=0 comm=swapper name=irq:softirq_entry
		event ts=100.000001000 cpu=1 tid=0 comm=swapper name=sched:sched_switch
		event ts=100.000002000 cpu=1 tid=12 name=sched:sched_stat_runtime
		event ts=100.000003000 cpu=1 tid=12 name=sched:sched_switch
		event ts=100.000004000 cpu=1 tid=15 name=irq:softirq_entry
		event ts=100.000005000 cpu=2 tid=16 name=sched:sched_switch
		event ts=100.000006000 cpu=3 tid=17 name=sched:sched_switch
		event ts=100.000007000 cpu=3 tid=18 name=irq:softirq_entry
	END
}

# perf of Linux 3.0 to 3.6 leaves out the system, and puts the address of a sample in the same place as the fields of a tracepoint.
@test "perf script of older kernels: tracepoints without their system" {
	run -0 imported <<'END'
         swapper     0 [001] 100.000001: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=work next_pid=12 next_prio=120
              :-1    -1 [001] 100.000002: sched_wakeup: comm=x pid=14 prio=120 success=1 target_cpu=003
            work    12 [001] 100.000003: cycles:  ffffffff9fa00a67 native_irq_return_iret ([kernel.kallsyms])
END
	assert_line -n 0 --partial 'cpu=1 tid=0 comm=swapper name=sched:sched_switch prev_comm=swapper/1 '
	assert_line -n 1 'event ts=100.000002000 cpu=1 tid=12 name=sched:sched_wakeup comm=x pid=14 prio=120 success=1 target_cpu=3'
	assert_line -n 2 --partial 'name=perf:cycles ip="ffffffff9fa00a67 native_irq_return_iret ([kernel.kallsyms])"'
}

@test "perf script, whatever its fields: none for the name, the mode, an address behind the event, none for the CPU" {
	run -0 imported <<'END'
   13 [001] 100.000001: sched:sched_waking: comm=x pid=14 prio=120 target_cpu=003
prog 13 [001] K     100.000002: sched:sched_waking: comm=x pid=14 prio=120 target_cpu=003 ffffffff810a88b4 try_to_wake_up+0x1 ([kernel.kallsyms])
prog 13 [001] 100.000002: block:block_rq_issue: 259,76 R 4096 () 576 + 8 [prog] ffffffff8beead90 blk_mq_start_request ([kernel.kallsyms])
prog 13 [001] 100.000003: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=D ==> next_comm=b next_pid=2 next_prio=120               0
END
	assert_line -n 0 'event ts=100.000001000 cpu=1 tid=13 name=sched:sched_waking comm=x pid=14 prio=120 target_cpu=3'
	assert_line -n 1 'event ts=100.000002000 cpu=1 tid=13 comm=prog name=sched:sched_waking comm=x pid=14 prio=120 target_cpu=3'
	assert_line -n 2 --partial ' sector=576 nr_sector=8 comm=prog'
	refute_line -n 2 --partial 'kernel.kallsyms'
	assert_line -n 3 --partial 'prev_pid=1 prev_prio=120 prev_state=2 next_comm=b next_pid=2 next_prio=120'
	echo 'prog  12/13  100.000001: sched:sched_waking: comm=x pid=14 prio=120 target_cpu=003' >script
	run -3 --separate-stderr trace-import --text script
	assert_line 'event ts=100.000001000 cpu=0 tid=13 comm=prog name=sched:sched_waking comm=x pid=14 prio=120 target_cpu=3'
	assert_equal "$stderr" 'trace-import: script:1: the CPU of these events is not told; 0 is taken for it (1 line)'
}

@test "every letter of the flags reads back what the export writes; an NMI leaves no room for softirq" {
	local flags
	(for ((flags = 0; flags < 256; flags++)); do
		printf 'event ts=%d cpu=1 tid=9 comm=cat name=irq:irq_handler_entry irq=1 name=x common_flags=%d\n' $flags $flags
	done) >all
	stream-cat all | trace-export -f ftrace >trace || [ $? = 3 ]
	run -0 --separate-stderr bash -c "trace-import --text trace | sed -n 's/^event ts=\([0-9]*\).* common_flags=/\1 /p'"
	assert_output "$(for ((flags = 0; flags < 256; flags++)); do echo "$flags $((flags & 64 ? flags & ~16 : flags))"; done)"
}

@test "kernels with PREEMPT_RT have more columns" {
	run -0 imported <<'END'
             cat-9     [001] d..h2..   100.000001: sched_waking: comm=cyclictest pid=12 prio=19 target_cpu=001
             cat-9     [001] dNLh313   100.000002: irq_handler_exit: irq=36 ret=handled
             cat-9     [001] ....1..   100.000003: irq_handler_entry: irq=1 name=x
             cat-9     [001] d.s2.   100.000004: irq_handler_entry: irq=1 name=x
     cat-9         1dN.s3.. 100000005us : irq_handler_entry: irq=1 name=x
END
	assert_line -n 0 'event ts=100.000001000 cpu=1 tid=9 comm=cat name=sched:sched_waking comm=cyclictest pid=12 prio=19 target_cpu=1 common_flags=9'
	assert_line -n 1 --partial ' ret=1 common_flags=45'
	assert_line -n 2 --partial ' common_flags=0'
	assert_line -n 3 --partial ' common_flags=17'
	assert_line -n 4 'event ts=100.000005000 cpu=1 tid=9 comm=cat name=irq:irq_handler_entry irq=1 name=x common_flags=53'
}

@test "a dump of the trace in the kernel's log, as dmesg, syslog and the journal have it" {
	cat >plain <<'END'
Dumping ftrace buffer:
---------------------------------
CPU:1 [LOST 12 EVENTS]
  rcuc/1-25        1d..2. 10347723908us : sched_switch: prev_comm=rcuc/1 prev_pid=25 prev_prio=97 prev_state=S ==> next_comm=kernel: [ 1.0] next_pid=26 next_prio=97
kworker/-18422     1d..4. 10347736965us : sched_waking: comm=rcu_torture_bar pid=193 prio=139 target_cpu=000
---------------------------------
END
	for prefix in '[10363.661789] ' '[10363.661789][   T12] ' '<4>[    3.661789] ' 'Nov 21 10:00:01 host kernel: [10363.661789] ' \
		'2026-11-21T10:00:01.123456+00:00 host kernel: ' '[Fri Nov 21 10:00:01 2026] ' '[ven. 21 août  10:00:01 2026] [   T12] ' \
		'kern  :warn  : [10363.661789] ' 'kern  :warn  : 2026-11-21T10:00:01,123456+00:00 ' '2026-11-21T10:00:01,123456+00:00 ' \
		'[10363.661789] host kernel: ' '[  +0.000012] ' '[10363.661789 <    0.000012>] ' '[10363.661789 <    0.000012 >] host kernel: ' \
		'[Nov21 10:00] ' 'Fri 2026-11-21 10:00:01 UTC host kernel: ' '1763719201.123456 host kernel: '; do
		sed "s/^/$prefix/" plain >log
		run -3 --separate-stderr trace-import --text log
		assert_equal "$stderr" ""
		assert_line 'lost ts=10347.723908000 cpu=1 count=12'
		assert_line 'event ts=10347.723908000 cpu=1 tid=25 comm=rcuc/1 name=sched:sched_switch prev_comm=rcuc/1 prev_pid=25 prev_prio=97 prev_state=1 next_comm="kernel: [ 1.0]" next_pid=26 next_prio=97 common_flags=1'
		assert_line 'event ts=10347.736965000 cpu=1 tid=18422 name=sched:sched_waking comm=rcu_torture_bar pid=193 prio=139 target_cpu=0 common_flags=1'
	done
}

@test "trace-cmd report of instances, or of several files: the main or first one's events, unless asked for all" {
	cat >instances <<'END'
cpus=2
other:            <...>-7     [001] 100.000001: softirq_entry:        vec=4 [action=BLOCK]
                   a: b-8     [001] 100.000002: (+1)     softirq_entry:        vec=4 [action=BLOCK]
other: CPU:1 [5 EVENTS DROPPED]
       CPU:0 [6 EVENTS DROPPED]
                  <...>-9     [000] 100.000003: (+1)     softirq_entry:        vec=4 [action=BLOCK]
END
	run -3 --separate-stderr trace-import --text instances
	assert_equal "$stderr" "trace-import: instances:2: what is of 'other' is left out; see --instances (2 lines)"
	assert_equal "$(grep -o '^event.* name\|^lost.*' <<<"$output")" "$(printf '%s\n' 'event ts=100.000002000 cpu=1 tid=8 comm="a: b" name' \
		'lost ts=100.000003000 cpu=0 count=6' 'event ts=100.000003000 cpu=0 tid=9 name')"
	run -3 --separate-stderr trace-import --text -i instances
	assert_equal "$stderr" ""
	assert_line 'event ts=100.000001000 cpu=1 tid=7 name=irq:softirq_entry vec=4'
	assert_line 'lost ts=100.000003000 cpu=1 count=5 from=100.000001000'
	cat >files <<'END'
host.dat: cpus=2
vm.dat: cpus=1
vm.dat:              cat-7     [000] 100.000001: softirq_entry:        vec=4 [action=BLOCK]
host.dat:              cat-8     [000] 100.000002: softirq_entry:        vec=4 [action=BLOCK]
END
	run -0 --separate-stderr trace-import --text files
	assert_equal "$stderr" "trace-import: files:3: what is of 'vm.dat' is left out; see --instances (1 line)"
	assert_equal "$(grep -c '^event' <<<"$output")" 1
	assert_line 'event ts=100.000002000 cpu=0 tid=8 comm=cat name=irq:softirq_entry vec=4'
}

@test "events that are not in the order of time: told, and the data incomplete where it is by far" {
	printf '            dd-7     [00%d] .....     %s: irq_handler_entry: irq=1 name=x\n' 0 1.5 1 1.499999 >near
	run -0 --separate-stderr trace-import --text near
	assert_equal "$stderr" 'trace-import: near:2: the time goes back (1 line)'
	printf '            dd-7     [00%d] .....     %s: irq_handler_entry: irq=1 name=x\n' 0 1.5 1 1.25 >far
	run -3 --separate-stderr trace-import --text far
	assert_equal "$stderr" 'trace-import: far:2: the time goes back far, so waits may be wrong (1 line)'
	assert_equal "$(grep -c '^event' <<<"$output")" 2
}

@test "clocks that count something else than time are refused as such" {
	printf '%s\n' '             cat-9     [001] d..2. 133684752085824: irq_handler_entry: irq=1 name=x' \
		'             cat-9     [001]  5812238: irq_handler_entry: irq=1 name=x' \
		'    cat-9     1dN.2.    2: irq_handler_entry: irq=1 name=x' >trace
	run -3 --separate-stderr trace-import --text trace
	refute_line --regexp '^event'
	assert_regex "$stderr" 'trace:1: the clock of these events does not tell the time; record with another one, such as mono \(3 lines\)'
}

@test "fields that a tool or an option of the kernel spells differently, or adds" {
	run -0 imported <<'END'
             cat-9     [001] d..2.   100.000001: sched_switch: prev_comm=a prev_pid=0x10 (16) prev_prio=0x78 (120) prev_state=0x1 (1) next_comm=b next_pid=0x11 (17) next_prio=0x78 (120)
             cat-9     [001] d..2.   100.000002: sched_switch: a:16 [120] S ==> b:17 [120] Latency: 85.751 usecs
             cat-9     [001] d..2.   100.000003: sched_switch: prev_comm=a prev_pid=16 prev_state=S ==> next_comm=b next_pid=17
             cat-9     [001] .....   100.000004: nobody_knows: overutilized=1
             cat-9     [001] .....   100.000004: sched_stat_wait: comm=a pid=1 delay=3 [ns]
             cat-9     [001] .....   100.000005: myprobe: (do_open+0x0/0x30) path="a (1)" n=5
             cat-9     [001] d.h1.   100.000006: #1     context    irq timer_latency       932 ns
             cat-9     [001] .....   100.000008: 1000000        190  99.98100       9     18      0   1007     18      1
             cat-9     [001] d....   100.000009: #3     inner/outer(us):   11/12    ts:1581527483.343962693 count:6
END
	assert_line -n 0 --partial ' prev_pid=16 prev_prio=120 prev_state=1 next_comm=b next_pid=17 next_prio=120 '
	assert_line -n 1 --partial ' prev_pid=16 prev_prio=120 prev_state=1 next_comm=b next_pid=17 next_prio=120 Latency="85.751 usecs" '
	assert_line -n 2 --partial ' prev_comm=a prev_pid=16 prev_state=S next_comm=b next_pid=17 '
	assert_line -n 3 --partial ' name=unknown:nobody_knows overutilized=1 '
	assert_line -n 4 --partial ' comm=a pid=1 delay=3 '
	assert_line -n 5 --partial ' __probe_ip=do_open+0x0/0x30 path="\"a (1)\"" n=5 '
	assert_line -n 6 --partial ' name=ftrace:timerlat seqnum=1 context=0 timer_latency=932 '
	assert_line -n 7 --partial ' name=ftrace:osnoise runtime=1000000 noise=190 max_sample=9 hw_count=18 nmi_count=0 irq_count=1007 softirq_count=18 thread_count=1 '
	assert_line -n 8 --partial ' name=ftrace:hwlat seqnum=3 duration=11 outer_duration=12 timestamp=1581527483.343962693 count=6 '
}

@test "losses are told at their place: gaps, and what had been overwritten at the begin" {
	cat >trace <<'END'
# tracer: nop
#
# entries-in-buffer/entries-written: 3/10   #P:2
#
            dd-7     [001] .....     1.000001: irq_handler_entry: irq=1 name=x
CPU:1 [LOST 12 EVENTS]
##### CPU 0 buffer started ####
            dd-7     [000] .....     1.000002: irq_handler_entry: irq=1 name=x
            dd-7     [001] .....     1.000003: irq_handler_entry: irq=1 name=x
END
	run -3 trace-import --text trace
	assert_output --partial $'lost ts=1.000001000 cpu=1 count=7\nevent ts=1.000001000'
	assert_output --partial $'lost ts=1.000002000 cpu=0 count=1\nevent ts=1.000002000'
	assert_output --partial $'lost ts=1.000003000 cpu=1 count=12 from=1.000001000\nevent ts=1.000003000'
	assert_output --partial ' lost=20'
}

# Rings of 8 KiB that were overwritten until they were read; trace-cmd report tells the same counts.
@test "losses in a trace.dat are told at their place; instances are left out, and said to be, unless asked for" {
	sample lost.dat
	run -3 --separate-stderr trace-import --text lost.dat
	assert_line 'lost ts=16016.850529758 cpu=1 count=4640'
	assert_line 'lost ts=16016.864659308 cpu=0 count=5510'
	assert_equal "$(grep -c '^event .* name=raw_syscalls:sys_exit ' <<<"$output")" 800
	refute_output --partial softirq
	assert_equal "$stderr" "trace-import: lost.dat: the events of instance 'other' are left out; see --instances"
	run -3 --separate-stderr trace-import --text --instances lost.dat
	assert_equal "$stderr" ""
	assert_equal "$(grep -c '^event .* name=irq:softirq_entry ' <<<"$output")" 90
	sed -n 's/^event ts=\([0-9.]*\) .*/\1/p' <<<"$output" | sort -c
}

@test "what is not understood is counted, shown with its first line, and passed on where it is an event" {
	cat >trace <<'END'
            dd-7     [001] ...1.     1.000001: irq_handler_entry: irq=1 name=x
what is this
            dd-7     [001] .....     1.000002: nobody_knows: this (event)
            dd-7     [001] .....     1.000003: sched_switch: in a new layout
and this
END
	run -3 --separate-stderr trace-import --text trace
	assert_regex "$stderr" 'trace:2: this is no event \(2 lines\)'
	assert_regex "$stderr" 'trace:3: the fields of such events are not known; they are passed on as text= \(1 line\)'
	assert_regex "$stderr" 'trace:4: the fields of sched:sched_switch are not understood'
	assert_line --partial 'name=unknown:nobody_knows text="this (event)" common_flags=0'
	assert_line --partial 'name=sched:sched_switch text="in a new layout" common_flags=0'
	assert_line 'end records=5 lost=0 gaps=yes'
	# and whoever reads what comes of it is told
	trace-import trace 2>/dev/null >some || :
	run -3 --separate-stderr bash -c 'cchart-filter -c runq some | blame-rank | report'
	assert_line 'INCOMPLETE: an earlier stage had gaps in its data'
}

@test "records of devices and charts in comments are passed on, others are not" {
	cat >trace <<'END'
# tailblame: device dev=8:0 name=sda scheduler=bfq
# tailblame: signal id=1 ts=1
            dd-2105  [001] d..1     1.000001: block_rq_issue: 8,0 R 4096 () 2048 + 8 [dd]
END
	run -0 --separate-stderr trace-import --text trace
	assert_line 'device dev=8:0 name=sda scheduler=bfq'
	refute_line --partial 'signal'
	assert_regex "$stderr" 'trace:2: this comment is no record of a device or a chart'
}

@test "files that came by way of Windows: the mark of UTF-8, carriage returns; UTF-16 is refused" {
	printf '%s\r\n' $'\357\273\277            dd-7     [001] ...1.     1.000001: irq_handler_entry: irq=1 name=x' >marked
	run -0 trace-import --text marked
	assert_line 'event ts=1.000001000 cpu=1 tid=7 comm=dd name=irq:irq_handler_entry irq=1 name=x common_flags=0'
	printf '\377\376#\0' >wide
	run -1 trace-import --text wide
	assert_output --partial 'wide: it is UTF-16; convert it with iconv'
}

@test "a pipe that goes on: what came is written at once" {
	mkfifo pipe
	trace-import --text <pipe >got 3>&- &
	exec 4>pipe
	echo '            dd-7     [001] .....     1.000001: irq_handler_entry: irq=1 name=x' >&4
	until_true 60 grep -q 'irq=1' got
	exec 4>&-
	wait $!
}

# in_pieces: what comes on standard input, a line at a time, each when the one before has been read
in_pieces() {
	python3 -c 'import fcntl, struct, sys, termios, time
for line in sys.stdin.buffer:
    while struct.unpack("i", fcntl.ioctl(1, termios.FIONREAD, b"0000"))[0]:
        time.sleep(0.01)
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()'
}

@test "a pipe that gives a heading first: what it is is told when events come" {
	command -v python3 >/dev/null || skip "needs python3"
	printf '%s\n' cpus=2 'CPU:0 [SUBBUFFER START]' '            dd-7     [001] ...1.     1.000001: irq_handler_entry: irq=1 name=x' >trace
	run -0 --separate-stderr bash -c "$(declare -f in_pieces); in_pieces <trace | trace-import --text"
	assert_line --partial 'name=irq:irq_handler_entry irq=1 name=x '
	run -1 --separate-stderr bash -c 'yes cpus=2 | trace-import'
	assert_regex "$stderr" 'standard input: no trace of a known format'
}

# --- what is no trace, or not a whole one ------------------------------------------------------------------------

# big_endian FILE: a trace.dat of a 32-bit machine of the other byte order, with two events; the length of a name is a
# sum in their format, as kernels print that of ftrace:branch, and there is a long list of the kernel's symbols
big_endian() {
	python3 - "$1" <<'END'
import struct, sys
u4 = lambda n: struct.pack(">I", n)
u8 = lambda n: struct.pack(">Q", n)
page = b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
form = (b"name: sched_wakeup_new\nID: 513\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        b"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        b"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        b"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:char comm[15+1];\toffset:8;\tsize:16;\tsigned:0;\n"
        b"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\n"
        b"print fmt: \"pid=%d\", REC->pid\n")
head = b"\x17\x08\x44tracing6\0" + bytes((1, 4)) + u4(4096) + b"header_page\0" + u8(len(page)) + page
head += b"header_event\0" + u8(0) + u4(0) + u4(1) + b"sched\0" + u4(1) + u8(len(form)) + form
head += u4(5 << 20) + bytes(5 << 20) + u4(0) + u8(10) + b"77 powered" + u4(1) + b"options  \0" + struct.pack(">HI", 7, 5) + b"1000\0" + b"\0\0" + b"flyrecord\0"
events = b""
for delta, pid in ((0, 78), (5, 79)):
    data = struct.pack(">HBBi16sii", 513, 0, 0, 77, b"child-%d" % pid, pid, 120)
    events += u4(len(data) // 4 << 27 | delta) + data
at = (len(head) + 16 + 4095) // 4096 * 4096
head += u8(at) + u8(4096)
body = u8(9_000_000_000) + u4(len(events) | 1 << 31) + events
open(sys.argv[1], "wb").write(head.ljust(at, b"\0") + body.ljust(4096, b"\0"))
END
}

@test "a 32-bit machine of the other byte order, and times with an offset" {
	command -v python3 >/dev/null || skip "needs python3"
	big_endian big.dat
	run -3 --separate-stderr trace-import --text big.dat
	assert_line -n 1 'lost ts=9.000001000 cpu=0 count=1'
	assert_line 'task ts=9.000001000 tid=77 comm=powered'
	assert_line 'event ts=9.000001000 cpu=0 tid=77 comm=powered name=sched:sched_wakeup_new comm=child-78 pid=78 prio=120'
	assert_line 'event ts=9.000001005 cpu=0 tid=77 comm=powered name=sched:sched_wakeup_new comm=child-79 pid=79 prio=120'
	trace-import big.dat >big.tb || true
	run -3 stream-cat --text big.tb
	assert_line 'event ts=9.000001005 cpu=0 tid=77 comm=powered name=sched:sched_wakeup_new comm=child-79 pid=79 prio=120'
}

# with_times NAME FILE: ./whole.dat with an option that changes times: samples of a guest's clock against its host's, the rate of
# the processor's ticks, an offset
with_times() {
	python3 - "$@" <<'END'
import struct, sys
def samples(flags):
    of = lambda *rows: struct.pack("<I%dq" % (3 * len(rows)), len(rows), *(row[i] for i in range(3) for row in rows))
    at = lambda ns, offset: (1_000_000_000 + ns, offset, 1)
    cpus = (of(at(0, 5000), at(40_000, 9001), at(90_000, 2002), at(150_000, 77_777)), of(at(20_000, -3000)))
    return struct.pack("<QII", 4711, flags, 2) + b"".join(cpus) + struct.pack("<5Q", 0, 0, 0, 0, 0)
options = {
    "between": ((12, samples(1)),), "steps": ((12, samples(0)),), "ticks": ((14, struct.pack("<IIQ", 700_000_001, 31, 0)),),
    "all": ((12, samples(1)), (14, struct.pack("<IIQ", 1_400_000_001, 31, 0)), (7, b"-1234\0")),
}[sys.argv[1]]
data = open("whole.dat", "rb").read()
at = data.index(b"options  \0") + 10
added = b"".join(struct.pack("<HI", number, len(option)) + option for number, option in options)
empty = data.index(bytes(len(added)), data.index(b"flyrecord", at) + 10 + 2 * 16) # up to the first page
open(sys.argv[2], "wb").write(data[:at] + added + data[at:empty] + data[empty + len(added):])
END
}

@test "times of guests, of ticks, with an offset: those that libtracecmd makes of them" {
	command -v python3 >/dev/null || skip "needs python3"
	build_bench iterate
	build_bench recording
	./recording 2 300 whole.dat
	./iterate whole.dat -l >plain
	for name in between steps ticks all; do
		with_times $name shifted.dat
		./iterate shifted.dat -l | LC_ALL=C sort >theirs
		assert [ "$(wc -l <theirs)" -eq 300 ]
		run ! cmp -s theirs <(LC_ALL=C sort plain) # it does change them
		trace-import --text shifted.dat | sed -nE 's/^event ts=(-?[0-9.]+) cpu=([0-9]+) .*/\1 \2/p' | LC_ALL=C sort >ours
		cmp ours theirs || fail "$name"
	done
}

@test "an output that cannot be written is a failure, said once; a closed pipe is a quiet end" {
	for file in hog.dat hog.trace; do
		sample $file
		run -1 --separate-stderr bash -c "trace-import $file >/dev/full"
		assert_equal "$stderr" "trace-import: cannot write to standard output: no space left on device"
		run -0 --separate-stderr bash -c "trace-import $file | head -c 1 >/dev/null; exit \${PIPESTATUS[0]}"
		assert_equal "$stderr" ""
	done
}

@test "what is no trace is refused by name, with what to do" {
	: >empty
	head -c 4096 /dev/zero >zeros
	head -c 4096 /dev/urandom >junk
	echo "Dear all," >letter
	printf 'PERFILE2xxxxxxxxxxxxxxxx' >perf.data
	printf 'sample ts=1 chart=x value=1\n' | stream-cat --binary >stream
	for file in empty zeros junk letter perf.data stream missing; do
		run -1 --separate-stderr trace-import $file
		assert_regex "$stderr" "$file"
	done
	run -1 --separate-stderr trace-import perf.data
	assert_regex "$stderr" 'perf script'
	for text in 'Attaching 2 probes...|bpftrace' '[000011] (+?.?) host sched_switch: { cpu_id = 3 }, { prev_tid = 0 }|babeltrace' \
		'           time    cpu  task name  wait time  sch delay   run time|perf sched' '{"traceEvents": []}|JSON' 'dd 7 [001] sched:sched_waking: comm=x|perf script'; do
		echo "${text%|*}" >other
		run -1 --separate-stderr trace-import other
		assert_regex "$stderr" "trace-import: other: it (is|has) .*${text#*|}"
	done
	run -2 trace-import -f nonsense empty
}

@test "a file that is cut gives what it has, says where, and ends with 3" {
	sample hog.6.dat
	size=$(stat -c %s hog.6.dat)
	head -c $((size - 30000)) hog.6.dat >cut.dat
	run -3 --separate-stderr trace-import --text cut.dat
	assert_regex "$stderr" "cut.dat: it was cut: [0-9]+ bytes of events are missing behind byte $((size - 30000))"
	assert [ "$(grep -c '^event ' <<<"$output")" -gt 100 ]
	assert_line --partial 'cut=yes'
	head -c 20000 hog.6.dat >short.dat
	run -1 --separate-stderr trace-import short.dat
	assert_regex "$stderr" 'short.dat: byte [0-9]+: '
}

@test "a file that is cut while it is read is one that was cut" {
	build_bench recording
	./recording 2 20000 whole.dat
	mkfifo out
	trace-import whole.dat >out 2>messages &
	exec 5<out
	head -c 1 <&5 >/dev/null # now it has begun, and waits for its output to be read
	truncate -s 400000 whole.dat
	cat <&5 >/dev/null
	exec 5<&-
	status=0
	wait $! || status=$?
	assert_equal "$status" 3
	assert_regex "$(cat messages)" 'whole.dat: it was cut: [0-9]+ bytes of events are missing behind byte 400000'
}

# latency_dat VERSION FILE: what trace-cmd makes of a latency tracer: not events, but the kernel's text; of version 7, packed
latency_dat() {
	python3 - "$@" <<'END'
import struct, sys, zlib
text = b"""# tracer: wakeup
#
# wakeup latency trace v1.1.5 on 3.8.0-test+
# latency: 15 us, #4/4, CPU#3 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
  <idle>-0       3dNs7    0us :      0:120:R   + [003]   312:100:R kworker/1:1H
  <idle>-0       3dNs7    1us+: ttwu_do_activate.constprop.87 <-try_to_wake_up
  <idle>-0       3d..3   15us : __schedule <-schedule
  <idle>-0       3d..3   15us :      0:120:R ==> [003]   312:100:R kworker/1:1H
"""
magic = b"\x17\x08\x44tracing" + sys.argv[1].encode() + b"\0" + bytes((0, 8)) + struct.pack("<I", 4096)
if sys.argv[1] == "6":
    page = b"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    data = magic + b"header_page\0" + struct.pack("<Q", len(page)) + page + b"header_event\0" + struct.pack("<Q", 0)
    data += struct.pack("<IIIIQI", 0, 0, 0, 0, 0, 4) + b"options  \0" + b"\0\0" + b"latency  \0" + text
else:
    head = magic + b"zlib\0" + b"1\0"
    chunks = b"".join(struct.pack("<II", len(zlib.compress(part)), len(part)) + zlib.compress(part) for part in (text[:300], text[300:]))
    section = struct.pack("<I", 2) + chunks
    at = len(head) + 8
    data = head + struct.pack("<Q", at + 16 + len(section)) + struct.pack("<HHIQ", 22, 1, 0, len(section)) + section
    buffer = struct.pack("<Q", at) + b"\0" + b"local\0"
    options = struct.pack("<HI", 22, len(buffer)) + buffer + struct.pack("<HIQ", 0, 8, 0)
    data += struct.pack("<HHIQ", 0, 0, 0, len(options)) + options
open(sys.argv[2], "wb").write(data)
END
}

@test "a trace.dat of a latency tracer: the text in it, of version 6 and of version 7, packed" {
	command -v python3 >/dev/null || skip "needs python3"
	for version in 6 7; do
		latency_dat $version latency.dat
		run -0 --separate-stderr bash -c 'trace-import --text latency.dat | grep ^event'
		assert_equal "$stderr" ""
		assert_line -n 0 'event ts=0.000000000 cpu=3 tid=0 comm=swapper name=ftrace:wakeup prev_pid=0 prev_prio=120 prev_state=R next_cpu=3 next_pid=312 next_prio=100 next_state=R next_comm=kworker/1:1H common_flags=53'
		assert_line -n 1 'event ts=0.000001000 cpu=3 tid=0 comm=swapper name=ftrace:function ip=ttwu_do_activate.constprop.87 parent_ip=try_to_wake_up common_flags=53'
		assert_line -n 3 --partial 'ts=0.000015000 cpu=3 tid=0 comm=swapper name=ftrace:context_switch prev_pid=0 prev_prio=120 prev_state=R next_cpu=3 next_pid=312 '
	done
	TMPDIR=$PWD run -0 --separate-stderr bash -c 'trace-import --text latency.dat | grep ^event' # a confined command can write nowhere else
	run -1 --separate-stderr trace-import --merge latency.dat
	assert_regex "$stderr" 'latency.dat: it was recorded by a latency tracer'
	latency_dat 6 latency.dat
	head -c -40 latency.dat >cut.dat
	run -3 --separate-stderr trace-import --text cut.dat
	assert_regex "$stderr" 'cut.dat:8: this is no event'
}

@test "events of which no format can be read are left out and counted" {
	build_bench recording
	./recording 2 100 whole.dat
	sed 's/name: sched_switch/NAME: sched_switch/' whole.dat >nameless.dat
	run -3 --separate-stderr trace-import --text nameless.dat
	assert_regex "$stderr" "nameless.dat: cannot read the format of an event of system 'sched'"
	assert_regex "$stderr" 'nameless.dat: 100 events are left out, because no format describes them'
	refute_line --regexp '^event '
}

# The same damage in every run.
@test "damaged files end with a message, never with a crash" {
	command -v python3 >/dev/null || skip "needs python3"
	for name in hog.dat hog.6.dat hog.trace hog.perf; do
		sample $name
	done
	run -0 python3 - <<'END'
import random, subprocess
random.seed(7)
for name in ("hog.dat", "hog.6.dat", "hog.trace", "hog.perf"):
    whole = open(name, "rb").read()
    for turn in range(25):
        data = bytearray(whole)
        reach = len(data) if turn % 2 else min(len(data), 60000)
        for _ in range(random.choice((1, 4, 40))):
            at = random.randrange(reach)
            data[at] = random.choice((0, 255, random.randrange(256), data[at] ^ (1 << random.randrange(8))))
        if turn % 5 == 4:
            del data[random.randrange(len(data)):]
        open("damaged", "wb").write(data)
        end = subprocess.run(["trace-import", "damaged"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
        if end.returncode not in (0, 1, 3) or (end.returncode == 1 and not end.stderr):
            raise SystemExit("%s, turn %d: status %d: %s" % (name, turn, end.returncode, end.stderr[-2000:]))
END
}

# number BYTES VALUE: little-endian
number() {
	local i
	for ((i = 0; i < $1; i++)); do printf '%b' "\\x$(printf %x $(($2 >> 8 * i & 255)))"; done
}

@test "a section that is said to be huge is refused, not made room for" {
	{
		printf '\x17\x08\x44tracing7\0\0\x08'
		number 4 4096
		printf 'zstd\x001\0'
		number 8 33
		number 4 0 # a section of options, without flags, of no name
		number 4 0
		number 8 28
		number 2 16 # it says where the head page's section is
		number 4 8
		number 8 77
		number 2 0
		number 4 8
		number 8 0
		number 2 16 # that section: packed, of 8 bytes
		number 2 1
		number 4 0
		number 8 8
		number 4 0
		number 4 $((1 << 29)) # which become so many
	} >huge.dat
	run -1 trace-import --text huge.dat
	assert_output --partial "the sizes of a compressed section cannot be"
}

# --- machines ----------------------------------------------------------------------------------------------------

# An ARM phone's ioctl has the number that setsockopt has on x86_64.
@test "calls of a machine that is not told are numbers, until --machine or the trace says which it is" {
	(
		printf '# tracer: nop\n#\n'
		for i in {1..400}; do
			printf '  app-77  [000] .... %d.%06d: sys_enter: NR 54 (3, 0, 0, 0, 0, 0)\n' $((i / 100)) $((i % 100 * 10000))
			printf '  app-77  [000] .... %d.%06d: sys_exit: NR 54 = 0\n' $((i / 100)) $((i % 100 * 10000 + 300 + i % 7 + (i == 400) * 90000))
		done
	) >phone
	named() { trace-import "$@" | cchart-filter -c syscall --text | sed -nE 's/^signal .* key=([a-z0-9_]+) .*/\1/p'; }
	assert_equal "$(named phone)" syscall_54
	assert_equal "$(named --machine=armv7l phone)" ioctl
	assert_equal "$(named --machine=x86_64 phone)" setsockopt
	sed -E 's/ \[000\] \.\.\.\. / [000] /; s/(sys_e)/raw_syscalls:\1/; s/^# tracer.*/# ========\n# arch : armv7l\n# ========/' phone >perf
	assert_equal "$(named perf)" ioctl
	assert_equal "$(named --machine=x86_64 perf)" ioctl # the trace is believed
	sed 's/$/\r/' perf >windows
	assert_equal "$(named windows)" ioctl
}

@test "dots in place of flags prove nothing where no event has a flag: another tool may have written them" {
	printf '  dd-7 [001] %s 1.00000%d: sched_wakeup: comm=a pid=8 prio=120 target_cpu=000\n' .... 1 .... 2 >converted
	{ cat converted; printf '  dd-7 [001] d.h4 1.000003: sched_wakeup: comm=a pid=8 prio=120 target_cpu=000\n'; } >kernels
	run -0 trace-import --text converted
	refute_output --partial common_flags
	run -0 trace-import --text kernels
	assert_equal "$(grep -o 'common_flags=.*' <<<"$output" | xargs)" 'common_flags=0 common_flags=0 common_flags=9'
}

@test "perf script without times or threads is refused with the option to add" {
	lacking() { # LINE OPTION
		echo "$1" >lacking
		for format in '' --format=perf; do
			run -1 --separate-stderr trace-import $format lacking
			assert_equal "$stderr" "trace-import: lacking: it has events without $2"
		done
	}
	lacking '  my prog: x   77 [000] sched:sched_wakeup: comm=a:b c:d pid=8 prio=120 target_cpu=000' 'times; print them with perf script -F +time'
	lacking '  prog   76/77   irq:irq_handler_entry:k:  ffffffff81399b71 foo' 'times; print them with perf script -F +time'
	lacking '  prog [000] 12.345678: sched:sched_wakeup: comm=a pid=8 prio=120 target_cpu=000' 'threads; print them with perf script -F +tid'
	lacking 'block:block_rq_issue: 8,0 R 4096 () 8 + 8 [dd]' 'threads and times; print them with perf script -F +tid,+time'
	echo 'root:x:0:0:root:/root:/bin/bash' >accounts
	run -1 --separate-stderr trace-import accounts
	[[ $stderr == *"no trace of a known format"* ]]
}

# --- strace ------------------------------------------------------------------------------------------------------

# calls FILE...: its events: time, thread, whether it enters, number, arguments or result
calls() {
	trace-import --text "$@" | sed -nE 's/^event ts=[0-9]*(\.[0-9]{6})000 cpu=0 tid=([0-9]+) .*sys_(enter|exit) id=([0-9]+) (args|ret)=/\1 \2 \3 \4 /p'
}

@test "strace: calls, results, errors, signals, exits and what several threads do at a time" {
	run -0 --separate-stderr calls --machine=x86_64 "$DATA/threads.strace"
	assert_output - <<'END'
.000100 800 enter 59 0x0,0x0,0x7ffcb2efed28,0x0,0x0,0x0
.000446 800 exit 59 0
.000500 800 enter 12 0x0,0x0,0x0,0x0,0x0,0x0
.000553 800 exit 12 93931072221184
.000600 800 enter 21 0x0,0x0,0x0,0x0,0x0,0x0
.000656 800 exit 21 -2
.000700 800 enter 257 0x0,0x0,0x0,0x1a4,0x0,0x0
.000710 800 exit 257 3
.000800 800 enter 18 0x3,0x0,0x1000,0x1000,0x0,0x0
.000821 800 exit 18 4096
.000900 800 enter 56 0x0,0x0,0x0,0x0,0x0,0x0
.000950 801 enter 273 0x7f2adb91b9e0,0x18,0x0,0x0,0x0,0x0
.000960 800 exit 56 801
.000985 801 exit 273 0
.001000 801 enter 157 0x0,0x0,0x0,0x0,0x0,0x0
.001001 801 exit 157 0
.001010 801 enter 0 0x4,0x0,0x1,0x0,0x0,0x0
.001020 800 enter 58 0x0,0x0,0x0,0x0,0x0,0x0
.001040 801 exit 0 1
.001100 802 enter 59 0x0,0x0,0x7ffe,0x0,0x0,0x0
.001200 802 exit 59 0
.001205 800 exit 58 802
.001300 800 enter 202 0x556e08317000,0x0,0x2,0x0,0x0,0x0
.001400 801 enter 7 0x0,0x1,0xffffffffffffffff,0x0,0x0,0x0
.101400 801 exit 7 -516
.101500 801 enter 219 0x0,0x0,0x0,0x0,0x0,0x0
.101700 801 exit 219 1
.101800 801 enter 95 0x12,0x0,0x0,0x0,0x0,0x0
.101810 801 exit 95 2
.101850 802 enter 450 0x1,0xffffffffffffffff,0x0,0x0,0x0,0x0
.101860 802 exit 450 -38
.101900 801 enter 60 0x0,0x0,0x0,0x0,0x0,0x0
END
	run -0 --separate-stderr trace-import --text --machine=x86_64 "$DATA/threads.strace"
	assert_line 'stream version=1 machine=x86_64 wall=0.000000000'
	assert_equal "$(grep ^task <<<"$output")" "task ts=1700000000.000446000 tid=800 comm=wget tgid=800 began=yes
task ts=1700000000.000960000 tid=801 comm=wget tgid=800
task ts=1700000000.001001000 tid=801 comm=loader
task ts=1700000000.001200000 tid=802 comm=gzip tgid=802 began=yes
task ts=1700000000.101950000 tid=801 ended=yes
task ts=1700000000.102010000 tid=802 ended=yes
task ts=1700000000.102020000 tid=800 ended=yes"
}

@test "strace -ff -m: a file a thread, merged, is the same as one file of all" {
	for tid in 800 801 802; do
		# where a thread has a file of its own, no call is parted
		sed -n "s/^$tid //p" "$DATA/threads.strace" | sed -n '
			/unfinished/ { s/ *<unfinished ...>//; h; d; }
			/resumed/ { s/.*resumed>//; H; x; s/\n//; }
			p' >log.$tid
	done
	calls -m log.* >merged
	calls "$DATA/threads.strace" | sort >one
	diff one <(sort merged)
	sort -c merged
	run -1 trace-import -m log.800 "$DATA/hog.dat"
	assert_output --partial 'trace.dat cannot be merged with strace'
	run -1 trace-import -m <(cat log.800)
	assert_output --partial 'merged by files, not by pipes'
}

@test "strace on standard error: the thread that has no number is the one that strace names later" {
	cat >log <<'END'
1700000000.000100 getpid() = 70 <0.000001>
1700000000.000200 vfork(strace: Process 71 attached
 <unfinished ...>
[pid    71] 1700000000.000300 getuid() = 0 <0.000001>
[pid    70] 1700000000.000400 <... vfork resumed>) = 71 <0.000190>
[pid    70] 1700000000.000500 clone(child_stack=NULL, flags=SIGCHLDstrace: Process 72 attached
, child_tidptr=0x7f) = 72 <0.000050>
[pid    71] 1700000000.000600 +++ exited with 0 +++
[pid    72] 1700000000.000650 +++ exited with 0 +++
1700000000.000700 getgid() = 0 <0.000002>
END
	run -0 --separate-stderr calls --machine=x86_64 log
	assert_output - <<'END'
.000100 70 enter 39 0x0,0x0,0x0,0x0,0x0,0x0
.000101 70 exit 39 70
.000200 70 enter 58 0x0,0x0,0x0,0x0,0x0,0x0
.000300 71 enter 102 0x0,0x0,0x0,0x0,0x0,0x0
.000301 71 exit 102 0
.000390 70 exit 58 71
.000500 70 enter 56 0x0,0x0,0x0,0x0,0x0,0x0
.000550 70 exit 56 72
.000700 70 enter 104 0x0,0x0,0x0,0x0,0x0,0x0
.000702 70 exit 104 0
END
}

@test "strace: a machine's calls have its numbers, and charts and blame its names" {
	for i in {1..400}; do
		printf '9 17000000%02d.%06d fcntl64(5, F_GETFL) = 1 <0.%06d>\n' $((i / 100)) $((i % 100 * 10000)) \
			$((500 + i % 7 + (i == 400) * 90000))
	done >log
	trace-import --machine=armv7l log >arm.tb
	run -0 stream-cat --text arm.tb
	assert_line --partial 'sys_enter id=221 args=0x5,0x0'
	cchart-filter --text -c syscall arm.tb | grep ^signal >signals
	run cat signals
	assert_output --regexp 'key=fcntl64 value=0\.0905'
	assert_equal "${#lines[@]}" 1
	run -0 --separate-stderr trace-import --text log # by its calls it is no x86_64
	assert_output --regexp '^stream version=1 machine=(i686|armv7l)'
	run -3 trace-import --text --machine=x86_64 log
	assert_output --partial "'fcntl64' is no system call of the machine; see --machine (400 lines)"
}

@test "strace: what lacks times or durations says which options to add" {
	echo '700 execve("/bin/true", ["true"], 0x7ffe /* 3 vars */) = 0' >none
	echo '700 12:01:02.123456 execve("/bin/true", ["true"], 0x7ffe /* 3 vars */) = 0 <0.1>' >day
	echo '     0.000000 execve("/bin/true", ["true"], 0x7ffe /* 3 vars */) = 0' >difference
	echo '% time     seconds  usecs/call     calls    errors syscall' >summary
	for log in none day difference summary; do
		run -1 trace-import $log
		assert_output --partial 'strace -f -ttt -T -o FILE'
	done
	run -1 trace-import -f strace none
	assert_output --partial 'strace -f -ttt -T -o FILE'
	echo '700 1700000000.000000 getpid() = 700 <0.000001>' | cat - none >some
	run -3 trace-import --text some
	assert_output --partial 'these calls have no time since 1970; record with strace -ttt'
	echo '700 1700000000.000001 getpid() = 700' >untimed
	run -3 trace-import --text untimed
	assert_line --partial 'sys_enter'
	refute_line --partial 'sys_exit id'
	assert_output --partial 'record with strace -T'
}

# --- CTF ---------------------------------------------------------------------------------------------------------

# as_lttng: text records of a stream as what babeltrace2 --clock-seconds prints of LTTng's trace of the same, with the context tid
as_lttng() {
	sed -nE '
		/^event /!d
		s/^event ts=([0-9.]+) cpu=([0-9]+) tid=([0-9]+) (comm=("[^"]*"|[^ ]*) )?name=([^ ]*)/[\1] (+0.000000001) host \6: { cpu_id = \2 }, { tid = \3 }, {/
		s/host [a-z]+:sys_enter_/host syscall_entry_/; s/host [a-z]+:sys_exit_/host syscall_exit_/
		s/host irq:softirq/host irq_softirq/; s/host [a-z]+:/host /
		/host sched/s/pid=/tid=/g
		s/ ([a-z_]+)=("[^"]*"|[^ ]+)/ \1 = \2,/g
		s/ = ([^"0-9-][^ ,]*)/ = "\1"/g
		s/,$/ }/
		p' | awk '{ # priorities count from the lowest of real-time threads
			while (match($0, /prio = [0-9]+/)) {
				out = out substr($0, 1, RSTART - 1) "PRIO = " substr($0, RSTART + 7, RLENGTH - 7) - 100
				$0 = substr($0, RSTART + RLENGTH)
			}
			gsub("PRIO", "prio", out); print out $0; out = "" }'
}

@test "CTF by LTTng: the same events, limits, signals and blame as of the same recording by trace-cmd" {
	sample hog.dat
	trace-import --text hog.dat >direct
	as_lttng <direct >lttng
	run -0 grep -m1 sched_switch lttng
	assert_output --partial '[14241.657100963] (+0.000000001) host sched_switch: { cpu_id = 0 }, { tid = 18281 }, { prev_comm = "bash", prev_tid = 18281, prev_prio = 20, prev_state = 1, next_comm = "python3", '
	run -0 trace-import --text lttng
	bare() { sed -nE 's/^(event ts=[^ ]* cpu=[^ ]* tid=[^ ]*)( comm=("[^"]*"|[^ ]*))? name=/\1 /p' | sed 's/ __syscall_nr=[0-9]*//' | grep -v ' syscalls:'; }
	cmp <(bare <direct) <(bare <<<"$output")
	answers hog.dat | gist >wanted
	grep -q 'hogger: on CPU 0 while' wanted
	diff wanted <(answers lttng | gist)
}

@test "CTF: lines wait for the first switch of their CPU, but at most 32 MiB of them" {
	perl -e 'my $waking = "[10:00:00.%09d] (+?.?????????) host sched_waking: { cpu_id = 1 }, { comm = \"%s\", tid = 5, prio = 120, target_cpu = 0 }\n";
		my $lines = shift;
		printf $waking, $_, "x" x 60000 for 1 .. $lines;
		print "[10:00:00.4] (+?.?????????) host sched_switch: { cpu_id = 1 }, { prev_comm = \"a\", prev_tid = 31, prev_prio = 20, prev_state = 1, next_comm = \"b\", next_tid = 32, next_prio = 20 }\n";
		printf $waking, 500000000, "last"' 600 >many
	run -0 bash -c 'trace-import --text many 2>told | grep -oE "^event.* tid=[0-9]+ " | grep -oE "tid=[0-9]+" | sort | uniq -c'
	assert_output --regexp "^ *600 tid=0"$'\n'" *1 tid=31"$'\n'" *1 tid=32$"
	run -0 grep -F 'the thread of these events is not told' told
	tail -n 12 many >few
	run -0 bash -c 'trace-import --text few | grep -oE "^event.* tid=[0-9]+ " | grep -oE "tid=[0-9]+" | sort | uniq -c'
	assert_output --regexp "^ *11 tid=31"$'\n'" *1 tid=32$"
}

@test "of a line longer than 64 KiB the beginning is read, and the next line as ever" {
	{
		printf 'x-1 [000] .... 1.000000: sched_waking: comm=' && head -c 100000 /dev/zero | tr '\0' y
		printf '\nx-1 [000] .... 2.000000: sched_waking: comm=z pid=3 prio=120 target_cpu=000\n'
	} >long
	run -0 bash -c 'trace-import --text long | grep ^event | cut -c-90'
	assert_line --index 0 --partial 'event ts=1.000000000 cpu=0 tid=1 comm=x name=sched:sched_waking comm=yyy'
	assert_line --index 1 'event ts=2.000000000 cpu=0 tid=1 comm=x name=sched:sched_waking comm=z pid=3 prio=120 targ'
}

@test "CTF: the names and spellings of LTTng's, old and new, become the kernel's" {
	cp "$DATA/lttng.ctf" lttng
	run -3 --separate-stderr trace-import --text lttng
	assert_equal "$(grep -E '^(event|task|device|lost)' <<<"$output" | sed 's/ts=[0-9]*/ts=/')" "$(cat <<'END'
event ts=.794572361 cpu=5 tid=31 name=syscalls:sys_exit_epoll_wait ret=1 fds="[ [0] = 7, [1] = 9 ]"
event ts=.794572362 cpu=5 tid=31 name=sched:sched_switch prev_comm="a, \"b\" }" prev_pid=31 prev_prio=120 prev_state=1 next_comm=c next_pid=32 next_prio=1
event ts=.794572363 cpu=5 tid=32 name=syscalls:sys_enter_read fd=3 buf=0x7ffe count=18446744073709551615
event ts=.794572364 cpu=5 tid=32 name=syscalls:sys_exit_read ret=-11
event ts=.794572365 cpu=5 tid=32 name=irq:softirq_entry vec=1
event ts=.794572366 cpu=5 tid=32 name=timer:hrtimer_expire_entry hrtimer=18446612132844857728 now=5 function=0xffffffff81000000
event ts=.794572367 cpu=5 tid=32 name=block:block_rq_issue dev=8:16 sector=8 nr_sector=8 bytes=4096 tid=32 rwbs=WS comm=c
task ts=.794572368 tid=33 comm=c tgid=30
event ts=.794572368 cpu=5 tid=32 name=sched:sched_process_fork parent_comm=c parent_pid=32 child_comm=c child_pid=33
device dev=8:16 name=sdb
event ts=.794572369 cpu=5 tid=32 name=lttng:statedump_block_device dev=8388624 diskname=sdb
task ts=.999999999 tid=34 comm=d tgid=30
event ts=.999999999 cpu=5 tid=34 comm=d name=power:cpu_frequency state=800000 cpu_id=4
event ts=.000000001 cpu=5 tid=32 name=timer:hrtimer_cancel hrtimer=5
lost ts=.000000003 cpu=5 count=1200 from=86400.000000001
event ts=.000000003 cpu=5 tid=0 comm=swapper name=timer:timer_cancel timer=5
END
)"
	assert_output --partial 'event ts=86400.000000003'
	assert_output --partial 'event ts=63982.794572361'
	assert_equal "$stderr" 'trace-import: lttng:13: the thread of these events is not told, because their CPU did not switch threads; 0 is taken for it (1 line)'
}

@test "the chart of system calls takes an event a call, in text, too: by its name, whatever the machine" {
	for i in {1..800}; do
		call=(openat ioctl)
		printf 'app 77 [000] %d.%06d: syscalls:sys_enter_%s: fd: 0x00000003\n' $((i / 100)) $((i % 100 * 10000)) ${call[i % 2]}
		printf 'app 77 [000] %d.%06d: syscalls:sys_exit_%s: 0x0\n' $((i / 100)) $((i % 100 * 10000 + 300 + i % 7 + (i == 800) * 90000)) ${call[i % 2]}
	done >perf
	sed -E 's/^app 77 \[000\] ([0-9.]+): syscalls:sys_enter_([a-z]+): .*/[\1] (+0.1) h syscall_entry_\2: { cpu_id = 0 }, { tid = 77 }, { fd = 3 }/
		s/^app 77 \[000\] ([0-9.]+): syscalls:sys_exit_([a-z]+): .*/[\1] (+0.1) h syscall_exit_\2: { cpu_id = 0 }, { tid = 77 }, { ret = 0 }/' perf >lttng
	for trace in perf lttng; do
		for machine in x86_64 armv7l ''; do
			trace-import ${machine:+--machine=$machine} -c syscall $trace | cchart-filter --text >out
			assert_equal "$(sed -nE 's/^limits .* key=([a-z_0-9]+) .*/\1/p' out | sort -u | xargs)" 'ioctl openat'
			assert_equal "$(sed -nE 's/^signal .* key=([a-z_0-9]+) .*/\1/p' out)" openat
		done
	done
}

@test "CTF: what babeltrace2 prints with all names, dates or seconds; cycles are refused; perf's CTF" {
	echo 'timestamp = 1457113582.794565804, delta = +?.?????????, trace:hostname = w, name = irq_handler_entry, stream.packet.context = { cpu_id = 2 }, event.context = { tid = 7 }, event.fields = { irq = 5, name = "a" }' >long
	echo '[1457113582.794565804] (+?.?????????) w irq_handler_entry: { cpu_id = 2 }, { tid = 7 }, { irq = 5, name = "a" }' >seconds
	echo '[2016-03-04 17:46:22.794565804] (+?.?????????) irq_handler_entry: { cpu_id = 2 }, { tid = 7 }, { irq = 5, name = "a" }' >dates
	for form in long seconds dates; do
		run -0 trace-import --text $form
		assert_line 'event ts=1457113582.794565804 cpu=2 tid=7 name=irq:irq_handler_entry irq=5 name=a'
		if [ $form = dates ]; then refute_line --regexp '^stream .*wall='; else assert_line --regexp '^stream .*wall=0'; fi
	done
	sed 's/2016-/9999-/' dates >late # behind what 64 bits of nanoseconds hold
	run -1 --separate-stderr trace-import late
	echo '[00000002357617049815] (+????????????) w sched_waking: { cpu_id = 2 }, { comm = "a", tid = 4297, prio = 20, target_cpu = 5 }' >cycles
	run -1 --separate-stderr trace-import cycles
	assert_equal "$stderr" 'trace-import: cycles: it has events without times; print them with babeltrace2 --clock-seconds'
	echo '[979.417057183] (+?.?????????) sched:sched_wakeup: { perf_ip = 0x0, perf_tid = 6, perf_pid = 5, perf_id = 13, perf_cpu = 3, perf_period = 1, common_type = 61, common_flags = 13, common_preempt_count = 3, common_pid = 6, comm = "perf", pid = 1834, prio = 120, success = 1, target_cpu = 0 }' >perf
	run -0 trace-import --text perf
	assert_line 'event ts=979.417057183 cpu=3 tid=6 name=sched:sched_wakeup comm=perf pid=1834 prio=120 success=1 target_cpu=0 common_flags=13'
}

# --- symbols -----------------------------------------------------------------------------------------------------

# with_symbols FILE: puts lists of functions and of formats into a trace.dat that trace-export wrote, whose own are empty
with_symbols() {
	python3 - "$1" <<'END'
import struct, sys
path = sys.argv[1]
data = open(path, "rb").read()
lists = (b"ffffffffffffffff a unknown\n", b'0xffffffffffffffff : "unknown"\n')
wanted = (b"ffffffff81000000 T first\nffffffff81000100 t second\t[module]\nffffffff81000200 D data\nffffffff81000300 T third\n",
	b'0xffffffff82000000 : "said \\"so\\" %d times\\n"\n')
end = data.index(b"flyrecord") + 10
for had, has in zip(lists, wanted):
    had, has = (struct.pack("<I", len(text)) + text for text in (had, has))
    at = data.index(had)
    end += len(has) - len(had)
    data = data[:at] + has + data[at + len(had):]
    # the pages of the CPUs stay where they were: what grew was padding
    pad = end + 16 * 1
    data = data[:pad] + data[pad + len(has) - len(had):]
open(path, "wb").write(data)
END
}

@test "functions and formats of trace_printk that trace.dat saved are kept: in words, in ftrace text, in trace.dat" {
	packed stream ftrace:bprint 'unsigned long ip:8:8,const char * fmt:16:8,u32 buf[0]:24:0' '"%ps: %s", (void *)REC->ip, REC->fmt' \
		'1.5 ftrace:bprint 10010081ffffffff00000082ffffffff03000000' '1.6 ftrace:bprint 00030081ffffffff00000082ffffffff04000000'
	trace-export -f tracedat -o file.dat stream
	with_symbols file.dat
	run -0 trace-import --text file.dat
	assert_equal "$(grep -E '^(symbol|printk)' <<<"$output")" 'printk address=0xffffffff82000000 format="said \"so\" %d times\n"
symbol address=0xffffffff81000110 name=second offset=16
symbol address=0xffffffff81000300 name=third'
	trace-import file.dat | trace-export -f ftrace --exact >text
	assert_equal "$(sed -n 's/.*bprint: //p' text)" 'second: said "so" 3 times
third: said "so" 4 times'
	trace-import file.dat | trace-export -f tracedat -o again.dat
	cmp <(trace-import --text file.dat | grep -E '^(event|symbol|printk)') <(trace-import --text again.dat | grep -E '^(event|symbol|printk)')
	trace-import -c runq file.dat 2>/dev/null | stream-cat --text >runq
	run ! grep -E '^(symbol|printk)' runq # of events that are not wanted
}

@test "strace: arguments that only the resumed line tells belong to the entry" {
	cat >log <<-'END'
		7 1700000000.100000 read(3,  <unfinished ...>
		8 1700000000.100100 write(1, "x", 1) = 1 <0.000010>
		7 1700000000.300000 <... read resumed>"abc, \"d", 4096) = 7 <0.200000>
		7 1700000000.500000 pread64(3<f>,  <unfinished ...>
		7 1700000000.600000 <... pread64 resumed>"z", 512, 77) = 1 <0.100000>
		7 1700000000.610000 getrandom( <unfinished ...>
		7 1700000000.620000 <... getrandom resumed>"z", 8, GRND_NONBLOCK) = 8 <0.010000>
		7 1700000000.700000 read(3,  <unfinished ...>
		7 1700000000.800000 +++ killed by SIGKILL +++
		8 1700000000.900000 read(3,  <unfinished ...>
	END
	# far more calls of another thread than may wait for one
	awk 'BEGIN { for (i = 0; i < 40000; i++) printf "7 %.6f getpid() = 7 <0.000001>\n", 1700000001 + i / 1e5 }' >>log
	echo '8 1700000009.000000 <... read resumed>"", 4096) = 0 <8.100000>' >>log
	trace-import -t -f strace log | sed -n 's/.*tid=\([0-9]*\) .*sys_enter id=\([0-9]*\) args=\(.*\)/\1 \2 \3/p' | grep -v ' 39 ' >entries
	assert_equal "$(cat entries)" "$(cat <<-'END'
		7 0 0x3,0x0,0x1000,0x0,0x0,0x0
		8 1 0x1,0x0,0x1,0x0,0x0,0x0
		7 17 0x3,0x0,0x200,0x4d,0x0,0x0
		7 318 0x0,0x8,0x0,0x0,0x0,0x0
		7 0 0x3,0x0,0x0,0x0,0x0,0x0
		8 0 0x3,0x0,0x0,0x0,0x0,0x0
	END
	)"
}

@test "strace: if the output is full where a record of a thread is due, that is an error and no crash" {
	awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "%d %.6f +++ exited with 0 +++\n", i, 1700000000 + i / 1e3 }' >log
	run -1 bash -c "trace-import -f strace log >/dev/full"
	assert_output --partial 'cannot write to standard output'
}
