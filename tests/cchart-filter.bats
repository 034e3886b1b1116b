#!/usr/bin/env bats
# shellcheck disable=SC2154 # $stderr is set by run
# cchart-filter on streams written by hand: what is measured, what is abnormal, what is passed.

load helper

# Input is written with these. Times are in milliseconds.

event() { # TIME TID SYSTEM:EVENT [FIELD=VALUE]...
	printf 'event ts=%d.%06d000 cpu=0 tid=%d comm=t%d name=%s\n' $(($1 / 1000)) $(($1 % 1000 * 1000)) "$2" "$2" "${*:3}"
}

queued() { # TIME SECTOR [SECTORS]
	event "$1" 100 block:block_bio_queue dev=7:0 sector="$2" nr_sector="${3:-8}" rwbs=R
}

done_at() { # TIME SECTOR [SECTORS]
	event "$1" 0 block:block_rq_complete dev=7:0 sector="$2" nr_sector="${3:-8}" error=0 rwbs=R
}

noise() ( # FROM TO: an event of no chart each 100 ms
	for ((t = $1; t < $2; t += 100)); do event $t 5 sched:sched_waking pid=6; done
)

# 120 healthy reads from time 0 on, of 10 or 12 ms: median 11, never abnormal.
healthy() (
	for ((i = 0; i < 120; i++)); do
		queued $((i * 20)) $((i * 8))
		done_at $((i * 20 + 10 + i % 2 * 2)) $((i * 8))
	done
)

filter() {
	cchart-filter --text "$@"
}

records() { # KIND: those of this kind on standard input
	grep "^$1 " || true
}

value() { # KEY: the values of this key on standard input
	grep -o " $1=[^ ]*" | cut -d= -f2-
}

# --- limits and signals --------------------------------------------------------------------------------------------

@test "limits come from the first hundred values" {
	healthy | filter --method=imr >out
	run value center < <(records limits <out)
	assert_output --regexp '^0\.0109544511501033[0-9]*$' # the logarithmic middle of 10 and 12 ms
	run value ucl < <(records limits <out)
	# sigma = ln(1.2) / 1.1283791670955
	assert_output --regexp '^0\.01778722831[0-9]*$'
	run value n < <(records limits <out)
	assert_output 100
	run records signal <out
	assert_output ""
	run records event <out
	assert_output ""
}

@test "the paper's limits are of means of five, on a linear scale" {
	healthy | filter --method=paper >out
	# groups of 10 12 10 12 10 and 12 10 12 10 12: mean 11, range 2
	run value center < <(records limits <out)
	assert_output --regexp '^0\.011(0000000[0-9]*)?$'
	run value ucl < <(records limits <out)
	assert_output --regexp '^0\.0121536[0-9]*$'
}

@test "a slow read is a signal with its circumstances" {
	{ healthy; queued 3000 4711; done_at 3040 4711; } | filter >out
	run records signal <out
	assert_line --regexp '^signal id=1 ts=3\.040000000 start=3\.000000000 chart=block key=7:0 value=0\.040000000 center=[0-9.]+ ucl=[0-9.]+ rules=1 tid=100 comm=t100 dev=7:0 sector=4711 nr_sector=8 rwbs=R$'
	assert_equal "${#lines[@]}" 1
}

@test "how long the kernel writes in the background is no signal; what somebody may wait for is" {
	for letters in W=0 WM=0 D=0 WS=1 RA=1 DS=0; do
		{ healthy; queued 3000 4711; done_at 3040 4711; } | sed "s/rwbs=R/rwbs=${letters%=*}/" >in
		assert_equal "$letters $(filter in 2>/dev/null | records signal | wc -l)" "$letters ${letters#*=}"
	done
}

@test "a signal has practical weight too" {
	(healthy; queued 3000 4711; done_at 3021 4711) >in
	run filter in
	refute_output --partial signal
	filter --min-ratio=0 in >out
	run value value < <(records signal <out)
	assert_output 0.021000000
}

@test "an incident in the baseline is found when the limits are known" {
	(
		queued 0 1; done_at 10 1
		queued 100 2; done_at 400 2
		healthy | sed 's/ts=\([0-9]*\)/ts=1\1/' # ten seconds later
	) >in
	filter in >out
	run value value < <(records signal <out)
	assert_output 0.300000000
	run records window <out
	assert_output --partial "from=0.000000000 to=0.410000000 signals=1-1 complete=yes"
	run value sector < <(records event <out)
	assert_output "$(printf '%s\n' 1 1 2 2)"
}

@test "a short run is judged by what there is" {
	{ healthy | head -n 40; queued 900 9; done_at 990 9; } | filter >out
	run value n < <(records limits <out)
	assert_output 21
	run value value < <(records signal <out)
	assert_output 0.090000000
}

@test "too few values are no ground to judge" {
	healthy | head -n 12 >in
	run -0 --separate-stderr filter in
	assert_equal "$stderr" "cchart-filter: chart 'block': too few values to learn limits from (6 in all), so nothing was judged; see --baseline and --limits"
}

@test "limits are kept in a file and used without a baseline" {
	healthy | filter --save-limits=limits >/dev/null
	{ queued 5000 1; done_at 5005 1; queued 6000 2; done_at 6100 2; } >in
	filter --limits=limits in >out
	run value value < <(records signal <out)
	assert_output 0.100000000
	run records limits <out
	assert_output "$(sed 's/ts=[^ ]*/ts=5.000000000/' limits)"
	filter --limits=limits --save-limits=again in >/dev/null
	cmp limits again
}

@test "a broken limits file is named with its line before any input is read" {
	healthy | filter --save-limits=limits >/dev/null
	{ echo "# by hand"; echo "limits chart=x center=1 lcl=2 ucl=3 n=1 method=imr"; } >order
	head -c 60 limits >half
	run -1 filter --limits=order absent
	assert_output "cchart-filter: order:2: the limits are not in order: lcl, center, ucl"
	run -1 filter --limits=half absent
	assert_output --regexp "^cchart-filter: half:1: "
	run -1 filter --limits=absent absent
	assert_output --regexp "^cchart-filter: .*absent"
	sed 's/ method=/ unit=furlong&/' limits >odd
	run -1 filter --limits=odd absent
	assert_output "cchart-filter: odd:1: unit= is none of number, share, per_n, per_second"
}

@test "limits have the unit of their values, from a file too" {
	(for ((i = 0; i < 30; i++)); do echo "sample ts=$i chart=load value=$((100 + i % 5))"; done) >numbers
	filter --save-limits=kept numbers >/dev/null
	filter --limits=kept --save-limits=again <(sed 's/load/other/' numbers) >/dev/null
	diff <(records limits <kept) <(records limits <again | grep chart=load)
	run value unit < <(records limits <kept)
	assert_output number
	filter --limits=kept numbers >out
	run value unit < <(records limits <out | head -n 1)
	assert_output number
	# a count per second or per n
	(for ((i = 0; i < 30; i++)); do echo "sample ts=$((i + 1)) start=$i chart=calls value=$((100 + i % 5))"; done) >calls
	run value unit < <(filter --method=u calls | records limits)
	assert_output per_second
	run value unit < <(sed 's/$/ n=10/' calls | filter --method=u | records limits)
	assert_output per_n
}

@test "a rate of nothing is no value" {
	(for ((i = 0; i < 30; i++)); do echo "sample ts=$i chart=bounces value=$((i % 5)) n=800"; done) >mails
	for method in p u; do
		filter --method=$method mails >without
		{ head -n 10 mails; echo "sample ts=9.5 chart=bounces value=0 n=0"; tail -n +11 mails; } | filter --method=$method >out
		diff <(grep -v ^usage without) <(grep -v ^usage out)
	done
	run -1 filter --method=p <(echo "sample ts=1 chart=bounces value=1 n=0")
	assert_output --partial "1: a rate needs n="
}

# --- pairs ---------------------------------------------------------------------------------------------------------

@test "a merged request ends each of its reads, a split one ends with its last part" {
	{
		healthy
		queued 3000 1000; queued 3010 1008; done_at 3100 1000 16
		queued 6000 2000 64; done_at 6001 2000 32; done_at 6200 2032 32
	} | filter >out
	run value value < <(records signal <out)
	assert_output "$(printf '%s\n' 0.090000000 0.100000000 0.200000000)" ||
		assert_output "$(printf '%s\n' 0.100000000 0.090000000 0.200000000)"
}

@test "a partition's reads end on its disk" {
	{
		echo "device dev=8:1 name=sda1 disk=8:0"
		healthy | sed 's/\(bio_queue.*\)dev=7:0/\1dev=8:1/; s/\(rq_complete.*\)dev=7:0/\1dev=8:0/'
	} | filter >out
	run value key < <(records limits <out)
	assert_output 8:0
}

@test "a device without a request queue ends its bios itself" {
	healthy | sed 's/block_rq_complete/block_bio_complete/' | filter >out
	run value n < <(records limits <out)
	assert_output 100
}

@test "a request that its device did not take is no value, and nothing that hangs" {
	issued() { event "$1" 9 "block:block_rq_$2" dev=7:0 sector="$3" nr_sector=8 rwbs=R; }
	(
		for ((i = 0; i < 60; i++)); do
			issued $((i * 20)) issue $((i * 8))
			issued $((i * 20)) requeue $((i * 8))
			issued $((i * 20 + 2)) issue $((i * 8))
			issued $((i * 20 + 5)) complete $((i * 8))
		done
		noise 1200 4000
	) >in
	filter -c block-service in >out
	run records signal <out
	assert_output ""
	run value n < <(records limits <out)
	assert_output 60
	# what the device had for too long, though it gave it back: told when it was, with what followed
	{ cat in; issued 4000 issue 4711; noise 4000 5900; issued 5900 requeue 4711; issued 6000 issue 4711; issued 6003 complete 4711; } |
		filter --baseline=50 -c block-service >out
	run value value < <(records signal <out)
	assert_output "$(printf '%s\n' 1.100000000 1.900000000)"
}

@test "a wake-up of a thread that runs is no wait for a CPU" {
	(for ((i = 0; i < 120; i++)); do
		event $((i * 20)) 5 sched:sched_waking pid=9
		event $((i * 20 + 1)) 0 sched:sched_switch prev_pid=0 prev_state=0 next_pid=9
		event $((i * 20 + 2)) 5 sched:sched_waking pid=9
		event $((i * 20 + 12)) 9 sched:sched_switch prev_pid=9 prev_state=1 next_pid=0
	done) >in
	filter -c runq in >out
	run value center < <(records limits <out)
	assert_output --regexp '^0\.001(0000[0-9]*)?$'
	run records signal <out
	assert_output ""
}

@test "system calls have limits of their own, by name" {
	(for ((i = 0; i < 120; i++)); do
		event $((i * 20)) 9 raw_syscalls:sys_enter id=202
		event $((i * 20 + 8)) 9 raw_syscalls:sys_exit id=202 ret=0
		event $((i * 20 + 10)) 9 raw_syscalls:sys_enter id=0
		event $((i * 20 + 11)) 9 raw_syscalls:sys_exit id=0 ret=0
	done) >events
	{ echo "stream version=1 machine=x86_64"; cat events; } | filter -c syscall >out
	run value key < <(records limits <out)
	assert_output "$(printf '%s\n' futex read)"
	{ echo "stream version=1 machine=aarch64"; cat events; } | filter -c syscall >out
	run value key < <(records limits <out)
	assert_output "$(printf '%s\n' accept io_setup)"
	named() { # MACHINE: what calls 202 and 0 are there
		{ echo "stream version=1 machine=$1"; cat events; } | filter -c syscall --idle | records limits | value key | paste -sd ' '
	}
	assert_equal "$(named i686)" "getegid32 restart_syscall"
	assert_equal "$(named i386)" "getegid32 restart_syscall"
	assert_equal "$(named armv7l)" "getegid32 restart_syscall"
	assert_equal "$(named riscv64)" "accept io_setup"
	assert_equal "$(named s390x)" "getegid syscall_0"
	assert_equal "$(named ppc64le)" "getdents64 restart_syscall"
	assert_equal "$(named i786)" "syscall_202 syscall_0"
	assert_equal "$(named armv7b)" "syscall_202 syscall_0"
	assert_equal "$(named abacus)" "syscall_202 syscall_0"
}

@test "calls of a function nest" {
	(for ((i = 0; i < 60; i++)); do
		event $((i * 20)) 9 func:prog__f
		event $((i * 20 + 1)) 9 func:prog__f
		event $((i * 20 + 3)) 9 func:prog__f__return
		event $((i * 20 + 5)) 9 func:prog__f__return
	done) >in
	filter -c func:./a/prog:f --baseline=120 in >out
	run value center < <(records limits <out)
	assert_output --regexp '^0\.003162277[0-9]*$' # the logarithmic middle of 2 and 5 ms
	run value chart < <(records limits <out)
	assert_output func:prog:f
}

@test "what a thread had begun is forgotten when it exits" {
	(for ((i = 0; i < 120; i++)); do
		event $((i * 20)) 9 raw_syscalls:sys_enter id=0
		event $((i * 20 + 5)) 9 raw_syscalls:sys_exit id=0
	done) >in
	{ event 2500 9 raw_syscalls:sys_enter id=0; event 2501 9 sched:sched_process_exit pid=9; noise 2600 9000; } >>in
	filter -c syscall in >out
	run records signal <out
	assert_output ""
}

@test "what took too long when its thread exits is told, whether anything came meanwhile or not" {
	for meanwhile in "" "tick ts=1.5"; do
		{ event 1000 9 raw_syscalls:sys_enter id=0; echo "$meanwhile"; event 1600 9 sched:sched_process_exit pid=9; } >in
		filter -c syscall --limit=100ms in >out
		run value value < <(records signal <out)
		assert_output 0.600000000
		run records window <out
		assert_output "window id=1 from=1.000000000 to=1.610000000 signals=1-1 complete=yes"
	done
}

@test "what a thread had begun that became the leader of its process by an exec is no hang" {
	(for ((i = 0; i < 120; i++)); do
		event $((i * 20)) 9 raw_syscalls:sys_enter id=59
		event $((i * 20 + 5)) 9 raw_syscalls:sys_exit id=59
	done) >in
	{
		event 2500 101 raw_syscalls:sys_enter id=59
		event 2501 100 sched:sched_process_exit pid=100
		event 2502 100 sched:sched_process_exec filename=/bin/x pid=100 old_pid=101
		event 2503 100 raw_syscalls:sys_exit id=59
		noise 2600 9000
	} >>in
	filter -c syscall in >out
	run records signal <out
	assert_output ""
}

# --- what hangs ----------------------------------------------------------------------------------------------------

@test "a read that hangs is found while it hangs" {
	{ healthy; queued 3000 4711; noise 3000 5000; } | filter >out
	run value value < <(records signal <out)
	assert_output 1.100000000 # the first event when it has been too old for a second
	run records signal <out
	assert_output --partial " open=yes"
	run records window <out
	assert_output --partial "from=2.000000000 to=4.900000000 signals=1-1 complete=yes"
}

@test "a tick is enough to find it" {
	{ healthy; queued 3000 4711; echo "tick ts=4"; echo "tick ts=4.5"; } | filter >out
	run value value < <(records signal <out)
	assert_output 1.500000000
	run records tick <out
	assert_output ""
}

@test "where ticks come regularly, it is told once all events of its time have come, and not if some were lost" {
	{ echo "tick ts=0 every=0.1"; healthy; queued 3000 4711; noise 3000 5000; } >until
	{ cat until; noise 5000 5500; echo "lost ts=5.5 cpu=1 count=7 from=2.9"; } >lost
	filter lost >out || assert_equal $? 3
	run records signal <out
	assert_output ""
	{ cat until; echo "tick ts=3.9 every=0.1"; noise 5000 5500; echo "tick ts=5.5 every=0.1"; } | filter >out
	run value value < <(records signal <out)
	assert_output 2.500000000
	# as long as nothing promises ticks, time is enough
	sed 1d lost | filter >out || assert_equal $? 3
	run value value < <(records signal <out)
	assert_output 1.100000000
}

@test "it is told with the limit that it passed, though others as slow have raised that since" {
	{
		healthy
		queued 3000 4711
		for ((t = 3010; t < 3400; t += 10)); do
			queued $t $((8 * t))
			done_at $((t + 300 + t % 70 * 6)) $((8 * t))
		done
		noise 4000 4300
		done_at 4300 4711
	} | sort -t= -k2,2n | sed '1i stream version=1 host=a boot=b' | filter --relearn=100ms >out
	run value ucl < <(records limits <out | tail -n 1)
	assert_output --regexp '^1\.55'
	run value value < <(grep 'sector=4711' out | records signal)
	assert_output "$(printf '%s\n' 1.100000000 1.300000000)"
	run value ucl < <(grep 'sector=4711' out | records signal)
	assert_output --regexp $'^0\.0198[0-9]*\n0\.0198[0-9]*$'
}

@test "its end is a second signal, in the same window" {
	{ healthy; queued 3000 4711; noise 3000 7000; done_at 7000 4711; noise 7100 10000; } | filter >out
	run value value < <(records signal <out)
	assert_output "$(printf '%s\n' 1.100000000 4.000000000)"
	run records window <out
	assert_output "window id=1 from=2.000000000 to=7.010000000 signals=1-2 complete=yes"
}

@test "a slow read that ends within a second of its limit is one signal" {
	{ healthy; queued 3000 4711; noise 3000 3900; done_at 3950 4711; } | filter >out
	run value value < <(records signal <out)
	assert_output 0.950000000
}

@test "at the end of the input what is too old counts" {
	(healthy; queued 3000 4711; done_at 3001 1; noise 3020 3030) >in
	run filter in
	refute_output --partial signal
	{ cat in; noise 3030 3040; } | filter >out
	run value value < <(records signal <out)
	assert_output 0.030000000
}

@test "where the clock goes back nothing hangs since before" {
	(healthy | sed 's/ts=/ts=100/'; queued 1004000 9; healthy; queued 3000 1; noise 3100 3500; done_at 3500 1; noise 3600 6000) >in
	filter in >out
	run value value < <(records signal <out)
	assert_output 0.500000000
	run records window <out
	assert_output "window id=1 from=2.000000000 to=3.510000000 signals=1-1 complete=yes"
	assert_equal "$(records limits <out | value ts | head -2)" "$(printf '%s\n' 1001.992000000 1.992000000)"
	# What was learnt on this boot holds from the first value on.
	{ echo "stream version=1 host=a boot=b"; cat in; } | filter >out
	assert_equal "$(records limits <out | value ts | head -2)" "$(printf '%s\n' 1001.992000000 0.010000000)"
	# Events that are a little out of order are of the same time.
	{ healthy; queued 3000 1; noise 3900 4000; done_at 3500 1; } | filter >out
	assert_equal "$(records signal <out | value value)" 0.500000000
}

# --- windows -------------------------------------------------------------------------------------------------------

@test "a window holds exactly what lies between its times" {
	(healthy; noise 2400 5000) >in
	{ queued 3000 4711; done_at 3060 4711; } >>in
	sort -s -t= -k2,2n in >sorted
	filter --before=500ms --after=340ms sorted >out
	run records window <out
	assert_output "window id=1 from=2.500000000 to=3.400000000 signals=1-1 complete=yes"
	run value ts < <(records event <out)
	assert_output "$(awk -F'[= ]' '$3 >= 2.5 && $3 <= 3.4 { print $3 }' sorted)"
	assert_line 2.500000000
	assert_line 3.400000000
}

@test "windows that overlap are one, others are not" {
	{
		healthy
		queued 3000 1; done_at 3100 1
		queued 4100 2; done_at 4200 2 # begins just within a second of the end
		noise 4300 9000
		queued 9000 3; done_at 9100 3
	} | filter --after=0 >out
	run records window <out
	assert_line --index 0 "window id=1 from=2.000000000 to=4.200000000 signals=1-2 complete=yes"
	assert_line --index 1 "window id=2 from=8.000000000 to=9.100000000 signals=3-3 complete=yes"
	run value ts < <(records event <out)
	assert_output "$(sort -n -c <<<"$output" && echo "$output")"
}

@test "a window comes after its events and signals" {
	{ healthy; queued 3000 1; done_at 3100 1; noise 3200 9000; queued 9000 2; done_at 9100 2; } | filter >out
	run cut -d' ' -f1 < <(grep -E '^(event|signal|window) ' out | uniq -w6)
	assert_output "$(printf '%s\n' signal event window signal event window)" ||
		assert_output "$(printf '%s\n' event signal event window event signal event window)"
}

@test "events that are lost make a window incomplete, and are passed wherever they are" {
	(
		echo "lost ts=0.5 cpu=0 count=3"
		healthy
		queued 3000 1; noise 3000 3100; echo "lost ts=3.1 cpu=1 count=4"; noise 3100 3900; done_at 3900 1
		queued 5000 2; noise 5000 8000; done_at 8000 2; echo "lost ts=8.005 cpu=1 count=5"
		noise 8100 12000
	) >in
	run -3 --separate-stderr filter in
	assert_line --regexp '^lost ts=0.5 cpu=0 count=3$'
	assert_line --regexp '^lost ts=3.1 cpu=1 count=4$'
	assert_line --regexp '^lost ts=8.005 cpu=1 count=5$'
	# No hang is made up where the end may be among what was lost, and no short wait from an end whose start may be.
	assert_equal "$(records signal <<<"$output" | value value)" "$(printf '%s\n' 1.100000000 3.000000000)"
	assert_equal "$(records window <<<"$output" | value complete)" no
	assert_equal "$(records end <<<"$output" | value lost)" 12
	(healthy; echo "lost ts=9223372036.854775807 cpu=0 count=6") >in # the last time that there is
	run -3 --separate-stderr filter in
	assert_line 'lost ts=9223372036.854775807 cpu=0 count=6'
}

@test "a loss that is told behind a window may be of events within it" {
	for lost in "from=3.5 no" "from=2.1 no" "from=3.92 yes" " no"; do
		{ healthy; queued 3000 1; done_at 3900 1; echo "lost ts=4.5 cpu=0 count=9 ${lost% *}"; noise 5000 6000; } >in
		run -3 --separate-stderr filter in
		assert_equal "$lost: $(records window <<<"$output" | value complete)" "$lost: ${lost##* }"
	done
	# A window that is opened when that was told already: the limits were not known before.
	{ queued 0 1; done_at 900 1; echo "lost ts=1.1 cpu=0 count=9 from=0.5"; noise 1200 2200; healthy | sed 's/ts=/ts=1/'; } >in
	run -3 --separate-stderr filter in
	assert_equal "$(records window <<<"$output" | value complete | head -1)" no
	# So it is where others followed it, be they many.
	for others in 1 40; do
		for ((i = 0; i < others; i++)); do echo "lost ts=2.$((200 + i)) cpu=0 count=9 from=2.$((200 + i))"; done >further
		{ queued 0 1; done_at 900 1; echo "lost ts=1.1 cpu=0 count=9 from=0.5"; noise 1200 2200; cat further; healthy | sed 's/ts=/ts=1/'; } >in
		run -3 --separate-stderr filter in
		assert_equal "$others: $(records window <<<"$output" | value complete | head -1)" "$others: no"
	done
}

@test "an end that may be that of a later start, because a CPU has not told its losses yet, makes no complete window" {
	# done at 3010 and queued again at 3890, on a CPU that tells the loss at 4000
	{ echo "tick ts=0 every=0.1"; healthy; queued 3000 1; done_at 3900 1; echo "lost ts=4 cpu=1 count=2 from=2.99"; echo "tick ts=4.1 every=0.1"; noise 4200 6000; } >in
	run -3 --separate-stderr filter in
	assert_equal "$(records window <<<"$output" | value complete)" no
	assert_equal "$(records end <<<"$output" | value lost)" 2
}

@test "what ends while a CPU is in a gap is not measured: its true end may have been lost" {
	{ echo "tick ts=0 every=0.1"; healthy; queued 3000 1; echo "gap ts=2.99 until=4 cpu=1"; done_at 3900 1; echo "lost ts=4 cpu=1 count=2 from=2.99"; noise 4200 6000; } >in
	run -3 --separate-stderr filter in
	assert_equal "$(records signal <<<"$output")" ""
	sed -i 's/^gap .*/gap ts=2.99 until=3.8 cpu=1/' in # over before the end
	run -3 --separate-stderr filter in
	assert_equal "$(records signal <<<"$output" | value value)" 0.900000000
}

@test "a signal whose events did not pass for want of a budget makes its window incomplete" {
	local slow second
	slow="$(queued 3000 1; done_at 3500 1)"
	second="$(queued 3600 2; done_at 3700 2)" # less slow, so what passes ends before it
	{ healthy; echo "$slow"; echo "$second"; queued 8000 3; done_at 8010 3; } | filter --before=200ms --burst=0 --keep=0.5 >out
	assert_equal "$(records event <out)" "$slow"
	run records window <out
	assert_output "window id=1 from=2.800000000 to=3.710000000 signals=1-2 complete=no"
	# With the one signal all of it passes.
	{ healthy; echo "$slow"; queued 8000 3; done_at 8010 3; } | filter --before=200ms --burst=0 --keep=0.5 >out
	run value complete < <(records window <out)
	assert_output yes
}

# about TIME TID [FIELD=VALUE]...: a task record
about() {
	printf 'task ts=%d.%03d tid=%d comm=t%d %s\n' $(($1 / 1000)) $(($1 % 1000)) "$2" "$2" "${*:3}"
}

# passed: of the task and file records in `out`, with the signal and the events of the moment at 3 s to 3.9 s
passed() {
	grep -E '^(task|file|signal|event ts=3)' out | sed -E 's/^(signal|event) .*(tid=[0-9]*).*/\1 \2/' | uniq
}

@test "the titles that a process had pass with its first event, the last eight of this program" {
	{
		about 0 6 tgid=6
		echo 'task ts=0.1 tid=6 title=before'
		about 200 6 tgid=6 program=six began=yes
		healthy
		for i in 1 2 3 4 5 6 7 8 9; do echo "task ts=2.0$i tid=6 title=\"at work on $i\""; done
		about 2700 6
		queued 3000 1
		event 3300 0 sched:sched_waking pid=6
		done_at 3900 1
		noise 5000 9000
	} | filter >out
	run passed
	assert_output - <<-end
		signal tid=100
		event tid=100
		$(about 200 6 tgid=6 program=six began=yes)
		$(for i in 2 3 4 5 6 7 8 9; do echo "task ts=2.0$i tid=6 title=\"at work on $i\""; done)
		$(about 2700 6)
		event tid=0
	end
}

@test "who a thread is passes before its first event that passes" {
	{
		about 0 100; about 0 5 tgid=5 read=0.1; about 0 6; about 0 7; about 0 8 tgid=8 read=0.1; about 0 99 tgid=99
		healthy
		about 2700 7 tgid=7 program=seven; about 2800 8; echo "file ts=2.8 tid=8 fd=3 kind=pipe"
		queued 3000 1
		event 3300 0 sched:sched_waking pid=6
		event 3400 5 sched:sched_process_fork child_pid=7
		about 3500 7 program=later tgid=7
		event 3500 0 sched:sched_switch prev_pid=5 next_pid=8
		event 3600 7 sched:sched_waking pid=5
		about 3700 9 tgid=9
		done_at 3900 1
		noise 5000 9000
		about 9000 10
	} | filter >out
	run passed
	assert_output - <<-end
		$(about 0 100)
		signal tid=100
		event tid=100
		$(about 0 6)
		event tid=0
		$(about 0 5 tgid=5 read=0.1)
		$(about 2700 7 tgid=7 program=seven)
		event tid=5
		$(about 0 8 tgid=8 read=0.1)
		$(about 2800 8)
		file ts=2.8 tid=8 fd=3 kind=pipe
		event tid=0
		$(about 3500 7 program=later tgid=7)
		event tid=7
		event tid=0
	end
}

@test "a program that makes void what passed is told, whether the thread is named again or not" {
	{
		about 0 5 tgid=5 program=first read=3.5; about 0 6 tgid=6 program=first read=3.2
		healthy
		queued 3000 1; event 3100 5 sched:sched_waking pid=6
		about 3400 5 tgid=5 program=second began=yes read=3.5; about 3400 6 tgid=6 program=second began=yes read=3.5
		done_at 3900 1; noise 5000 9000
	} | filter >out
	run grep ^task out
	assert_output - <<-end
		$(about 0 5 tgid=5 program=first read=3.5)
		$(about 0 6 tgid=6 program=first read=3.2)
		$(about 3400 5 tgid=5 program=second began=yes read=3.5)
	end
}

@test "who the thread of a signal is passes with it, however late it is told" {
	{
		healthy
		queued 3000 1; done_at 3900 1
		about 3800 100 tgid=100
		noise 5000 9000
	} | filter --before=0 --after=0 >out
	run grep -c "^$(about 3800 100 tgid=100)" out
	assert_output 1
}

@test "threads that ended are forgotten, if not at once, and the next of the number is another" {
	{
		for ((i = 1000; i < 6000; i++)); do about 0 $i tgid=$i; done
		for ((i = 1000; i < 6000; i++)); do echo "task ts=0.1 tid=$i ended=yes"; done
		about 1 1001 tgid=77
		healthy; queued 3000 1
		for i in 1000 1001 1002 5999; do event 3500 $i sched:sched_waking pid=4; done
		done_at 3900 1; noise 5000 9000
	} | filter >out
	run grep ^task out
	assert_output "$(about 1 1001 tgid=77; about 0 5999 tgid=5999)"
}

# many_threads COUNT: as many task records, then healthy reads and a slow one, meanwhile the first and the last of the threads wake others
many_threads() {
	perl -e 'printf "task ts=0.000000001 tid=%d comm=worker%d tgid=%d program=/usr/bin/worker read=0.000000001\n", ($_ + 1000) x 3 for 1 .. shift' "$1"
	healthy
	queued 3000 1; event 3500 1001 sched:sched_waking pid=4; event 3600 $(($1 + 1000)) sched:sched_waking pid=4
	done_at 3900 1; noise 5000 9000
}

# bats test_tags=figures
@test "100,000 living threads are all remembered; of a million the oldest are not, and whoever lacks a name is counted" {
	many_threads 100000 >real
	run -0 --separate-stderr filter real
	assert_equal "$(grep -o '^task .*tid=[0-9]*' <<<"$output" | grep -o '[0-9]*$' | xargs)" "1001 101000"
	refute_regex "$stderr" forgotten
	many_threads 1000000 >hostile
	run -3 --separate-stderr bash -c 'ulimit -v 400000; cchart-filter -c block --text hostile'
	assert_equal "$(grep -o '^task .*tid=[0-9]*' <<<"$output" | grep -o '[0-9]*$' | xargs)" 1001000
	assert_regex "$stderr" "too many threads: the names of 1 were forgotten before they were needed"
	grep -v -e tid=1001\  hostile >unneeded # who was forgotten is not needed
	run -0 --separate-stderr filter unneeded
	refute_regex "$stderr" forgotten
}

@test "that a group used up its quota is told with the events of that time, that it has one always" {
	quota() { echo "quota ts=$1 group=/g quota=0.01 period=0.1 $2"; }
	{
		quota 0.1
		healthy
		quota 2.9 "since=2.8 time=0.05 tids=1"
		queued 3000 1; noise 3000 3500; quota 3.55 "since=3.5 time=0.06 tids=1"; noise 3500 3900; done_at 3900 1
		noise 4000 9000
		quota 9.1 "since=9 time=0.07 tids=1"
		noise 9100 12000
	} | filter --before=0 --after=0 >out
	run grep ^quota out
	assert_output "$(quota 0.1; quota 3.55 "since=3.5 time=0.06 tids=1")"
	run grep -nE '^(quota|window|event ts=3.5)' out
	assert_line --index 2 --partial 'ts=3.5' # in its place
}

@test "where the ring is too small for the beginning, the window says so" {
	(healthy; queued 3000 1) >in
	(for ((i = 3000; i < 3900; i++)); do event $i 5 sched:sched_waking pid=6 comm=0123456789abcdef; done) >>in
	{ done_at 3950 1; queued 9000 2; done_at 9100 2; } >>in
	sed -i 's/$/ padding=0123456789012345678901234567890123456789/' in
	echo "limits chart=block key=7:0 center=0.1 lcl=0.1 ucl=0.9 n=100 method=pot" >limits
	sed -i 's/^event ts=9.1/event ts=19.1/' in
	filter --context=64k --limits=limits in >out
	run value complete < <(records window <out)
	assert_output "$(printf '%s\n' no yes)"
	filter --limits=limits in >out
	run value complete < <(records window <out)
	assert_output "$(printf '%s\n' yes yes)"
}

@test "what was filtered before keeps its windows and their events" {
	local i
	(
		healthy; queued 3000 1
		for ((i = 3000; i < 4900; i += 2)); do event $i 5 sched:sched_waking pid=6; done
		done_at 4900 1; noise 5000 9000; queued 20000 1; done_at 20010 1; noise 21000 22000
	) >in
	filter in >once
	filter -c syscall once >twice 2>complaint
	diff -u <(grep -E '^(event|window)' once) <(grep -E '^(event|window)' twice)
	diff -u <(records signal <once) <(records signal <twice)
	[ "$(records event <twice | wc -l)" -gt 950 ]
	# Where there is no room for them, the window says so.
	sed -i 's/pid=6/& padding=0123456789012345678901234567890123456789/' once
	filter --context=64k -c syscall once >twice 2>complaint
	run value complete < <(records window <twice)
	assert_output no
	run value signals < <(records window <twice)
	assert_output 1-2
}

# bats test_tags=long
@test "a window that gets too large is cut, and the next goes on" {
	(healthy; queued 3000 1) >in
	(for ((i = 12000; i < 21000; i++)); do event $((i / 4)) 5 sched:sched_waking pid=$i comm=0123456789abcdef; done) >>in
	done_at 6000 1 >>in
	filter --context=205k in >out
	run value complete < <(records window <out)
	assert_output "$(printf '%s\n' yes no)"
	# nothing twice, nothing missing
	diff <(records event <out | value pid | tail -n 8999) <(value pid <in | tail -n 8999)
}

@test "a reader that goes away is no error, a full disk is one" {
	(healthy; queued 3000 1; noise 3000 5000) >in
	run -1 bash -c 'cchart-filter --text in >/dev/full'
	assert_output --partial "cchart-filter: cannot write to standard output"
	(for ((i = 0; i < 200; i++)); do cat in; done) >many
	run -0 bash -c 'set -o pipefail; cchart-filter --text many | head -n 1 >/dev/null'
	assert_output ""
}

# --- samples by hand, thinned samples, text ------------------------------------------------------------------------

@test "any column of numbers can be charted" {
	(for ((i = 0; i < 110; i++)); do echo "sample ts=$i chart=load key=web$((i % 2)) value=$((10 + i / 2 % 3))"; done) >in
	echo "sample ts=200 start=150 chart=load key=web1 value=900 tid=7 comm=x" >>in
	filter --baseline=50 in >out
	run value key < <(records limits <out | head -n 2)
	assert_output "$(printf '%s\n' web0 web1)"
	run records signal <out
	assert_output --regexp "^signal id=1 ts=200.000000000 start=150.000000000 chart=load key=web1 value=900 unit=number center=1[01](\.[0-9]*)? ucl=[0-9.]+ rules=1 tid=7 comm=\?$"
}

@test "healthy values are thinned: none is missing, few records are written" {
	seq 1 200000 | awk '{ printf "sample ts=%.3f chart=x value=%d\n", $1 / 100, 100 + $1 % 11 }' | filter >out
	run awk '{ split($6, c, "="); n += c[2] } END { print n }' < <(records sample <out | sed 's/ key=[^ ]*//')
	assert_output 200000
	run wc -l < <(records sample <out)
	[ "$output" -lt 3000 ]
	run value max < <(records sample <out | tail -n1)
	assert_output 110
	run value value < <(records sample <out | tail -n1)
	[ "$output" -ge 104 ] && [ "$output" -le 106 ]
}

@test "a limit that is given holds from the first value on, besides what is learnt" {
	# slow since before the beginning: too few values to learn from, then enough to learn that this is usual
	(for ((i = 0; i < 6; i++)); do event $((i * 500)) 9 raw_syscalls:sys_enter id=45; event $((i * 500 + 404)) 9 raw_syscalls:sys_exit id=45; done) >few
	{ echo "stream version=1 machine=x86_64"; cat few; } >in
	run -0 --separate-stderr filter -c syscall --limit=100ms in
	assert_equal "$(records signal <<<"$output" | value value | sort -u)" 0.404000000
	assert_equal "$(records signal <<<"$output" | grep -c ' key=recvfrom value=0.404000000 ucl=0.1 rules=fixed tid=9 ')" 6
	assert_equal "$(records window <<<"$output" | value complete | sort -u)" yes
	assert_equal "$stderr" "cchart-filter: chart 'syscall': too few values to learn limits from (6 in all), so they were judged by --limit alone; see --baseline and --limits"
	assert_equal "$(filter -c syscall --limit=500ms in 2>/dev/null | records signal)" ""
	assert_equal "$(filter -c syscall --limit=1ms --limit=syscall=404ms in 2>/dev/null | records signal)" ""
	run -0 --separate-stderr filter -c syscall --limit=syscal=1ms in
	assert_equal "${stderr_lines[0]}" "cchart-filter: chart 'syscall': too few values to learn limits from (6 in all), so nothing was judged; see --baseline and --limits"
	assert_equal "${stderr_lines[1]}" "cchart-filter: --limit=syscal=1ms: there was no such chart"
	run -0 --separate-stderr filter -c syscall-errors --limit=syscall-errors=1ms in
	assert_equal "${stderr_lines[1]}" "cchart-filter: --limit=syscall-errors=1ms: not used, because rates are no times"
	# what is learnt is as it is without
	(healthy; queued 3000 4711; done_at 3040 4711) >in
	for method in pot imr xbar-r ewma; do
		filter --method=$method --baseline=20 in >without
		filter --method=$method --baseline=20 --limit=11ms in >with
		diff <(records limits <without) <(records limits <with)
		assert_equal "$(records signal <with | grep -c ' rules=.*fixed')" 61
		diff <(records signal <without | value value) <(records signal <with | grep -v rules=fixed | value value)
	done
	assert_equal "$(filter --method=pot --limit=11ms in | records signal | value rules | uniq -c | xargs)" "60 fixed 1 1,fixed"
	# what has not ended, while nothing is learnt
	{ queued 10 4711; noise 20 3000; done_at 3000 4711; } >in
	filter --limit=100ms in >out 2>/dev/null
	assert_equal "$(records signal <out | value value | paste -sd ' ')" "1.110000000 2.990000000"
	assert_equal "$(records signal <out | value rules | paste -sd ' ')" "fixed fixed"
	# numbers by hand have a limit by name only; a time by hand has any
	echo "sample ts=1 chart=load value=7" >in
	assert_equal "$(filter --limit=5 in 2>/dev/null | records signal)" ""
	assert_equal "$(filter --limit=load=5 in 2>/dev/null | records signal | value ucl)" 5
	{ echo "sample ts=0.5 start=0.5 chart=load value=0"; echo "sample ts=8 start=1 chart=load value=7"; } >in
	assert_equal "$(filter --limit=5 in 2>/dev/null | records signal | value ucl)" 5
	run -2 filter --limit=0
	assert_output --partial "'0' is not a limit, such as 200ms or block=200ms"
	run -2 filter --limit=block=
	run -2 filter --limit==5s
	run -0 report <(healthy | filter --limit=11ms)
	assert_output --partial "took 12.0 ms (limit 11.0 ms)"
}

@test "what is shorter than its chart cares for is no signal, unless by a limit that is given" {
	call() { echo "event ts=$1 cpu=0 tid=9 comm=x name=raw_syscalls:sys_enter id=39"; echo "event ts=$2 cpu=0 tid=9 comm=x name=raw_syscalls:sys_exit id=39"; }
	(
		echo "stream version=1 machine=x86_64"
		for ((i = 100; i < 400; i++)); do call 1.$i 1.${i}000$((2 + i % 3)); done
		call 2.1 2.100999
		call 2.2 2.201001
		call 2.3 2.300002
	) >in
	sed 's/ common=yes//' "$TOP/charts/syscall.chart" >alone.chart
	for method in pot imr paper; do
		run -0 --separate-stderr filter -c ./alone.chart --method=$method in
		assert_equal "$(records signal <<<"$output" | value value)" 0.001001000
	done
	run -0 --separate-stderr filter -c syscall --limit=50us in
	assert_equal "$(records signal <<<"$output" | value value | xargs)" "0.000999000 0.001001000"
	# nor is it while it lasts
	sed '$d' in >lasting
	echo "tick ts=2.300999" >>lasting
	assert_equal "$(filter -c ./alone.chart lasting | records signal | value value)" 0.001001000
	# with a limit in common, nor is what is hardly longer, while nothing else is known of the machine
	{ cat in; call 2.4 2.502; } >longer
	assert_equal "$(filter -c syscall longer | records signal | value value)" 0.102000000
	printf '%s\n' 'chart name=x shortest=1ms method=u' 'count event=a:b' >x.chart
	run -1 cchart-filter -c ./x.chart </dev/null
	assert_output --partial "chart 'x' counts, so it has no shortest="
	sed -i 's/shortest=1ms/common=yes/' x.chart
	run -1 cchart-filter -c ./x.chart </dev/null
	assert_output --partial "chart 'x' counts, so it has no common="
}

# polls FROM CALL ERROR COUNT SLEPT: so many tries, each 0.1 s after the one before, of which it slept so many ms; all fail
polls() {
	awk -v at="$1" -v id="$2" -v error="$3" -v count="$4" -v slept="$5" 'function call(n, from, to, ret) {
		printf "event ts=%.6f cpu=0 tid=9 comm=x name=raw_syscalls:sys_enter id=%d args=0x3,0x6,0x0,0x0,0x0,0x0\n", from, n
		printf "event ts=%.6f cpu=0 tid=9 comm=x name=raw_syscalls:sys_exit id=%d ret=%d\n", to, n, ret
	}
	BEGIN { for (; count-- > 0; at += 0.1) { call(id, at, at + 0.0001, -error); call(230, at + 0.0002, at + 0.0002 + slept / 1000, 0) } }'
}

@test "tries that fail because somebody else has the thing are one wait, if the thread sleeps in between" {
	call() { echo "event ts=$1 cpu=0 tid=9 comm=x name=raw_syscalls:sys_enter id=$2 args=0x3,$3,0x0,0x0,0x0,0x0"; echo "event ts=${1}001 cpu=0 tid=9 comm=x name=raw_syscalls:sys_exit id=$2 ret=0"; }
	signals() { filter -c syscall --limit=0.35 --only-limit 2>/dev/null | records signal | awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^(start|value|key|open)=/) printf "%s ", $i; print "" }'; }
	stream() { echo "stream version=1 machine=x86_64"; }
	# the lock of a file: while it lasts, and in the end
	{ stream; polls 2 72 11 6 99; call 2.600 72 0x6; echo "tick ts=9"; } >in
	run signals <in
	assert_output "start=2.000000000 key=fcntl value=0.400100000 open=yes 
start=2.000000000 key=fcntl value=0.600001000 "
	# it is given up: the last that is known
	{ stream; polls 2 72 11 6 99; echo "tick ts=60"; } >in
	run signals <in
	assert_output "start=2.000000000 key=fcntl value=0.400100000 open=yes "
	# a directory that is there may be all that is wanted
	{ stream; polls 2 83 17 6 99; } >in
	run signals <in
	assert_output ""
	call 2.600 83 0x0 >>in
	run signals <in
	assert_output "start=2.000000000 key=mkdir value=0.600001000 "
	# a directory of the other's, in whose place another is to be, is in the way
	{ stream; polls 2 82 39 6 99; } >in
	run signals <in
	assert_output "start=2.000000000 key=rename value=0.400100000 open=yes "
	# not if the thread has other things to do, another call fails, or fcntl() is asked for something else
	{ stream; polls 2 72 11 6 40; call 2.600 72 0x6; } >in
	run signals <in
	assert_output ""
	{ stream; polls 2 72 22 6 99; call 2.600 72 0x6; } >in
	run signals <in
	assert_output ""
	{ stream; polls 2 72 11 3 99; call 2.300 72 0x2; polls 2.301 72 11 3 99; } >in
	run signals <in
	assert_output "start=2.000000000 key=fcntl value=0.401100000 open=yes "
	# as many threads as are followed have found a directory that they wanted, and live on
	{ stream
		awk 'BEGIN { for (i = 0; i < 4096; i++) for (part = 0; part < 2; part++) printf "event ts=%.6f cpu=0 tid=%d comm=y name=raw_syscalls:%s\n",
			1 + i / 10000 + part / 100000, 100 + i, part ? "sys_exit id=83 ret=-17" : "sys_enter id=83 args=0x3,0x6,0x0,0x0,0x0,0x0" }'
		polls 2 72 11 6 99; } >in
	run signals <in
	assert_output "start=2.000000000 key=fcntl value=0.400100000 open=yes "
}

@test "limits that were made another way are refused" {
	(for ((i = 0; i < 110; i++)); do echo "sample ts=$i chart=load key=web value=$((10 + i / 2 % 3))"; done) >in
	refused() { # OPTION...: limits of the file `limits`
		run -1 filter --limits=limits "$@" in
	}
	filter --method=xbar-r --save-limits=limits in >/dev/null
	refused
	assert_output "cchart-filter: limits:1: these limits are of method xbar-r, not pot: say --method=xbar-r, or learn anew"
	filter --method=xbar-r --limits=limits in >/dev/null
	refused --method=xbar-r --scale=log
	assert_output "cchart-filter: limits:1: these limits are on a linear scale: say --scale=linear, or learn anew"
	refused --method=xbar-r --subgroup=4
	assert_output "cchart-filter: limits:1: these limits are of subgroups of 5: say --subgroup=5, or learn anew"
	filter --method=xbar-r --scale=log --subgroup=10 --baseline=10 --save-limits=limits in >/dev/null
	grep -q ' axis=log subgroup=10$' limits
	filter --method=xbar-r --scale=log --subgroup=10 --limits=limits in >/dev/null
	refused --method=xbar-r --subgroup=10
	assert_output "cchart-filter: limits:1: these limits are on a log scale: say --scale=log, or learn anew"
	filter --save-limits=limits in >/dev/null
	filter --limits=limits in >/dev/null
	refused --method=imr
	assert_output --partial "are of method pot, not imr"
	# Of a chart that has a method of its own, limits are of that.
	echo "limits chart=syscall-errors key=read center=0.01 lcl=0 ucl=0.05 n=100 method=laney-p sigma=0.01" >limits
	filter --limits=limits in >/dev/null
}

# ten FROM TO: an event every tenth of a second
ten() {
	awk -v at="$1" -v to="$2" 'BEGIN { for (; at < to; at++) printf "event ts=%d.%d00000000 cpu=0 tid=7 comm=a name=t:x n=%d\n", at / 10, at % 10, at }'
}

@test "a signal that no filter wrote opens a window, and a later filter none" {
	{
		ten 0 51
		echo 'signal id=7 ts=4.9 start=4.5 chart=door value=0 rules=state tid=7 text="it opened"'
		ten 51 71
		echo 'signal id=3 ts=7 start=7 chart=door value=0 rules=trigger trigger=t tid=7'
		echo 'signal id=4 ts=7 chart=door value=0 rules=state'
		ten 71 100
	} >in
	run -0 --separate-stderr cchart-filter --text in
	[ -z "$stderr" ] || fail "$stderr"
	printf '%s\n' "$output" >out
	run grep -E '^(signal|window)' out
	assert_output - <<-END
		signal id=7 ts=4.9 start=4.5 chart=door value=0 rules=state tid=7 text="it opened"
		window id=1 from=3.500000000 to=4.910000000 signals=7-7 complete=yes
		signal id=8 ts=7 start=7 chart=door value=0 rules=trigger trigger=t tid=7
		signal id=9 ts=7 chart=door value=0 rules=state
		window id=2 from=6.000000000 to=7.010000000 signals=8-9 complete=yes
	END
	assert_equal "$(value n < <(records event <out) | sed -n '1p;15,16p;$p' | paste -sd ' ')" "35 49 60 70"
	diff <(cchart-filter --text out | grep -Ev '^(usage|end)') <(grep -Ev '^(usage|end)' out)
	# the chart's own signals go on from there
	{ echo 'signal id=7 ts=0 start=0 chart=door value=0 rules=state'; healthy; queued 3000 1; done_at 3100 1; } | filter >out
	assert_equal "$(value id < <(records signal <out) | paste -sd ' ')" "7 8"
	assert_equal "$(value signals < <(records window <out) | paste -sd ' ')" "7-7 8-8"
}

@test "an earlier filter's window is that of its signals, though nothing told of the filter before" {
	{ ten 0 51; echo 'signal id=1 ts=4.9 start=4.5 chart=door value=9 rules=fixed'; echo 'window id=5 from=1.5 to=5 signals=1-1 complete=yes'; } >in
	cchart-filter --text in >out
	assert_equal "$(grep -c '^window' out)" 1
	grep -q '^window id=5 from=1.5' out
}

@test "samples that are thinned already, and what is unknown, pass" {
	{
		echo "sample ts=1 chart=x value=5 count=10 max=7"
		echo "unheard-of a=b"
		echo "signal id=7 ts=1 start=1 chart=x value=1 center=1 ucl=1 rules=1"
		echo "window id=3 from=1 to=2 signals=7-7 complete=yes"
		healthy; queued 3000 1; done_at 3100 1
	} | filter >out
	run head -n 4 out
	assert_line --index 0 "sample ts=1 chart=x value=5 count=10 max=7"
	assert_line --index 1 "unheard-of a=b"
	run -0 --separate-stderr filter <(echo "sample ts=1 chart=x value=5 count=10 max=7")
	assert_equal "$stderr" "cchart-filter: nothing was charted: the input's samples are summaries already (count=), and no chart was asked for; see -c"
	run value id < <(records signal <out)
	assert_output "$(printf '%s\n' 7 1000000001)"
	run value id < <(records window <out)
	assert_output "$(printf '%s\n' 3 1000000001)"
}

# call TIME LENGTH TID NUMBER ARGS RESULT: a system call
call() {
	event "$1" "$3" raw_syscalls:sys_enter id=$4 args=$5
	event $(($1 + $2)) "$3" raw_syscalls:sys_exit id=$4 ret=$6
}

# too_long [OPTION...]: the lengths of the calls in `in` that are longer than 100 ms, in ms
too_long() {
	{ echo "stream version=1 machine=x86_64"; cat in; } | filter -c syscall --limit=100ms "$@" 2>err | records signal | value value | sed -E 's/^0\.0*([0-9]+)000000$/\1/' | paste -sd ' '
}

@test "sleeps and waits for work are no moments, unless they are asked for; waits for an answer are" {
	local sleep=230 epoll=232 accept=43 futex=202 ioctl=16 read=0 write=1 open=257 connect=42 recv=45
	{
		call 0 201 9 $sleep 0x0,0x0,0x0 0x0
		call 300 202 9 $epoll 0x3,0x0,0x1 1
		call 600 203 9 $accept 0x3,0x0,0x0 7
		call 900 204 9 $recv 0x7,0x0,0x40 40 # of a connection that was accepted
		call 1200 205 9 $futex 0x1000,0x189,0x5 0
		call 1500 206 9 $read 0x0,0x0,0x40 40 # of something that was there
		call 1800 207 9 $write 0x7,0x0,0x40 40 # the answer waits for its reader
		call 2100 208 9 $recv 0x7,0x0,0x40 40 # the next question
		call 2400 209 9 $futex 0x1000,0x80,0x2 0 # a lock
		call 2700 0 9 $open 0x0,0x0,0x0 8; call 2701 210 9 $read 0x8,0x0,0x40 40 # of a file
		call 3000 0 9 $connect 0x9,0x0,0x0 0; call 3001 0 9 $write 0x9,0x0,0x40 40
		call 3002 211 9 $epoll 0x3,0x0,0x1 1 # asked, and not answered yet
		call 3300 212 9 $recv 0x9,0x0,0x40 40; call 3600 213 9 $recv 0x9,0x0,0x40 40 # the answer, and then nothing was asked
		call 3900 214 9 $epoll 0x3,0x0,0x1 1
		call 4200 215 9 $futex 0x1000,0x189,0x3 0; call 4500 216 9 $futex 0x1000,0x80,0x80000010 0 # locks of glibc and musl
		call 4800 217 9 $futex 0x1000,0x80,0x80007771 0                                             # with the holder's tid
		call 5100 218 9 $futex 0x1000,0x189,0xffffffff 0                                            # a thread of Rust is parked
		call 5400 219 9 $ioctl 0x5,0xae80,0x0 0; call 5700 220 9 $ioctl 0x5,0x5401,0x0 0          # a virtual CPU; a terminal
	} >in
	assert_equal "$(too_long)" "207 209 210 211 212 215 216 217 220"
	assert_equal "$(too_long --idle)" "$(seq -s ' ' 201 220)"
	# Calls that have events of their own name their arguments: a virtual CPU, a terminal, a lock.
	{
		event 0 9 syscalls:sys_enter_ioctl fd=0x5 cmd=0xae80 arg=0x0; event 201 9 syscalls:sys_exit_ioctl ret=0
		event 300 9 syscalls:sys_enter_ioctl fd=0x5 cmd=0x5401 arg=0x0; event 502 9 syscalls:sys_exit_ioctl ret=0
		event 600 9 syscalls:sys_enter_futex_wait uaddr=0x1000 val=0x2 mask=0xffffffff; event 803 9 syscalls:sys_exit_futex_wait ret=0
	} >in
	assert_equal "$(too_long)" "202 203"
	# The value of a mutex, which is a condition's in musl.
	{ echo "task ts=0 tid=9 comm=a tgid=9 libc=musl"; call 0 201 9 $futex 0x1000,0x80,0x2 0; call 300 202 9 $futex 0x1000,0x80,0x80000010 0; } >in
	assert_equal "$(too_long)" 202
	# Who speaks first on a connection from before asks; in which of several threads does not matter.
	{
		echo "task ts=0 tid=9 comm=a tgid=9"; echo "task ts=0 tid=10 comm=a tgid=9"
		call 0 0 9 $write 0x5,0x0,0x40 40; call 1 1 10 $recv 0x5,0x0,0x40 40
		call 10 0 9 $write 0x5,0x0,0x40 40; call 11 201 10 $recv 0x5,0x0,0x40 40
		call 300 202 10 $recv 0x6,0x0,0x40 40; call 600 0 9 $write 0x6,0x0,0x40 40; call 601 203 10 $recv 0x6,0x0,0x40 40
	} >in
	assert_equal "$(too_long)" 201
	# A server that waited for a question when the trace began: what it sends first is an answer. A client that was at its prompt asks.
	for what in "$recv" "$read"; do
		{
			event 5 9 raw_syscalls:sys_exit id=$what ret=40
			for i in 0 300 600; do call $((10 + i)) 0 9 $write 0x5,0x0,0x40 40; call $((11 + i)) $((201 + i / 100)) 9 $recv 0x5,0x0,0x40 40; done
		} >in
		if [ $what = $recv ]; then assert_equal "$(too_long)" ""; else assert_equal "$(too_long)" "204 207"; fi
	done
	# Where all calls are such, that is said.
	call 0 201 9 $sleep 0x0,0x0,0x0 0x0 >in
	too_long
	assert_regex "$(cat err)" "was a sleep or a wait for work, which is not measured; see --idle"
}

@test "a wait for an answer lasts until that comes, however often a time limit of its own came before" {
	local poll=7 write=1 connect=42 recv=45 close=3 action=13
	asks() { call "$1" 0 9 $connect 0x9,0x0,0x0 0; call "$1" 0 9 $write 0x9,0x0,0x40 40; }
	# three limits of a second, with other calls in between, as curl does; the answer, and one to the next question
	{
		asks 10
		for i in 0 1 2; do
			call $((11 + i * 1001)) 1000 9 $poll 0x8,0x2,0x3e8 0; call $((i * 1001 + 1011)) 0 9 $action 0xd,0x0,0x0 0
			call $((i * 1001 + 1011)) 0 9 $poll 0x8,0x1,0x0 0
		done
		call 3014 500 9 $poll 0x8,0x2,0x3e8 1; call 3514 0 9 $recv 0x9,0x0,0x40 40
		call 3600 0 9 $write 0x9,0x0,0x40 40; call 3601 300 9 $poll 0x8,0x2,0x3e8 0; call 3901 200 9 $poll 0x8,0x2,0x3e8 1
		call 4101 0 9 $recv 0x9,0x0,0x40 40; call 4200 900 9 $poll 0x8,0x2,0x3e8 0
	} >in
	assert_equal "$(too_long)" "3.503000000 500" # from the first poll on
	# No answer ever came by that connection: it may be one to which things are told, and it was given up.
	{ asks 10; call 11 201 9 $poll 0x8,0x2,0xc8 0; for i in {1..20}; do call $((11 + i * 202)) 201 9 $poll 0x8,0x2,0xc8 0; done; call 4300 0 9 $close 0x9,0x0,0x0 0; } >in
	assert_equal "$(too_long)" 201
	# A client that does nothing else is told while it lasts: not one that has sent something elsewhere, nor one that has sent more after a wait.
	lasts() {
		{ call 9 0 9 41 0x2,0x80801,0x0 9; asks 10; for i in {0..9}; do call $((13 + i * 300)) 299 9 $poll 0x8,0x2,0xc8 0; event $((113 + i * 300)) 8 sched:sched_switch; done; event 3100 8 sched:sched_switch; "$@"; } | sort -s -t= -k2,2n >in
		{ echo "stream version=1 machine=x86_64"; cat in; } | filter -c syscall --limit=1s 2>err | records signal | grep -c open=yes
	}
	run lasts true
	assert_output 1
	run lasts call 11 0 9 $write 0x5,0x0,0x40 40
	assert_output 0
	run lasts call 312 0 9 $write 0x9,0x0,0x40 40
	assert_output 0
	# Another event than the answer ends no such wait; nor do other things than the thread's own waits belong to it.
	{ asks 10; call 11 201 9 $poll 0x8,0x2,0xc8 0; call 213 5000 9 $poll 0x8,0x2,0xc8 1; call 5204 300 9 $write 0x5,0x0,0x40 40; call 8000 0 9 $action 0xd,0x0,0x0 0; } >in
	assert_equal "$(too_long)" "300 201"
	# Where answers came before, it is told while it lasts.
	{ asks 10; call 11 0 9 $recv 0x9,0x0,0x40 40; call 12 0 9 $write 0x9,0x0,0x40 40; for i in {0..9}; do call $((13 + i * 300)) 299 9 $poll 0x8,0x2,0xc8 0; event $((113 + i * 300)) 8 sched:sched_switch; done; event 3100 8 sched:sched_switch; } | sort -s -t= -k2,2n >in
	{ echo "stream version=1 machine=x86_64"; cat in; } | filter -c syscall --limit=1s | records signal >signals
	grep -q 'start=0.013000000 .*open=yes' signals
}

@test "calls that were recorded one by one are charted as those that were recorded all" {
	(
		echo "stream version=1 machine=x86_64"
		for ((i = 0; i < 6; i++)); do
			event $((i * 500)) 9 syscalls:sys_enter_fsync __syscall_nr=74 fd=4; event $((i * 500 + 404)) 9 syscalls:sys_exit_fsync __syscall_nr=74 ret=0
			event $((i * 500 + 405)) 9 syscalls:sys_enter_nanosleep __syscall_nr=35; event $((i * 500 + 495)) 9 syscalls:sys_exit_nanosleep __syscall_nr=35 ret=0
		done
	) >in
	run -0 --separate-stderr filter -c syscall --limit=50ms in
	assert_equal "$(records signal <<<"$output" | grep -c ' key=fsync value=0.404000000 ')" 6
	assert_equal "$(records signal <<<"$output" | grep -c .)" 6
	# They stand in for the others, which come with them in a live stream.
	{ cat in; event 4000 9 raw_syscalls:sys_enter id=74; event 4000 9 syscalls:sys_enter_fsync __syscall_nr=74 fd=4
	  event 4200 9 raw_syscalls:sys_exit id=74 ret=0; event 4200 9 syscalls:sys_exit_fsync __syscall_nr=74 ret=0; } >both
	assert_equal "$(filter -c syscall --limit=50ms both | records signal | value value | tail -n +7)" 0.200000000
}

@test "what the pipe itself waits for is not measured" {
	{ echo "stream version=1 machine=x86_64"; echo "stage command=trace-collect tid=9"
	  call 0 201 9 1 0x5,0x0,0x40 40; call 300 202 8 1 0x5,0x0,0x40 40; } >in
	assert_equal "$(filter -c syscall --limit=100ms in | records signal | value value)" 0.202000000
}

@test "a suspect that ends without a signal passes nothing" {
	# Half of what is late is given up, which is no signal; the pool of events around it does not pass.
	(healthy; queued 3000 1; noise 3010 3400; event 3500 0 block:block_rq_complete dev=7:0 sector=99 nr_sector=8; echo "lost ts=3.6 cpu=0 count=1 from=3.6"; noise 3700 9000) >in
	run -3 --separate-stderr filter in
	assert_equal "$(records window <<<"$output")$(records event <<<"$output")" ""
}

@test "a turn is measured from the first byte received to the last that is answered" {
	turns() {
		for ((i = 0; i < ${1}; i++)); do
			event $((i * 1000)) 9 syscalls:sys_enter_recvfrom fd=5; event $((i * 1000 + 10)) 9 syscalls:sys_exit_recvfrom ret=4
			event $((i * 1000 + 11)) 9 syscalls:sys_enter_recvfrom fd=5; event $((i * 1000 + 12)) 9 syscalls:sys_exit_recvfrom ret=-11
			event $((i * 1000 + 20)) 9 syscalls:sys_enter_sendto fd=5; event $((i * 1000 + 20)) 9 syscalls:sys_exit_sendto ret=4
			event $((i * 1000 + 310 + i)) 9 syscalls:sys_enter_write fd=5; event $((i * 1000 + 310 + i)) 9 syscalls:sys_exit_write ret=4
		done
	}
	turns 3 >in
	run -0 --separate-stderr filter -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output" | value value | paste -sd ' ')" "0.300000000 0.301000000 0.302000000"
	assert_equal "$(records signal <<<"$output" | value fd | sort -u)" 5
	# A request that is not answered hangs; one whose connection is closed is over. What a process asks others is no turn.
	{
		event 0 9 syscalls:sys_enter_accept4 fd=3; event 1 9 syscalls:sys_exit_accept4 ret=5
		event 2 9 syscalls:sys_enter_read fd=5; event 10 9 syscalls:sys_exit_read ret=4
		event 11 9 syscalls:sys_enter_connect fd=6; event 12 9 syscalls:sys_exit_connect ret=0
		event 13 9 syscalls:sys_enter_write fd=6; event 13 9 syscalls:sys_exit_write ret=4
		event 14 9 syscalls:sys_enter_read fd=6; event 1214 9 syscalls:sys_exit_read ret=4
		event 2000 9 syscalls:sys_enter_write fd=6; event 2000 9 syscalls:sys_exit_write ret=4
		event 3010 9 syscalls:sys_enter_close fd=5; event 3010 9 syscalls:sys_exit_close ret=0
		noise 3100 5000
	} >in
	run -0 --separate-stderr filter -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output" | value value | paste -sd ' ')" "1.204000000 3.000000000"
	# A job that comes by a pipe has its answer elsewhere; one by a socket may be the first of those.
	for kind in pipe=0 socket=1; do
		{
			event 2 9 syscalls:sys_enter_read fd=5; echo "file ts=0.003 tid=9 fd=5 kind=${kind%=*}"; event 10 9 syscalls:sys_exit_read ret=4
			noise 100 9000
		} >in
		run -0 --separate-stderr filter -c turn --limit=100ms in
		assert_equal "$kind $(records signal <<<"$output" | wc -l)" "$kind ${kind#*=}"
	done
	# An eventfd, by which threads wake each other, is no connection.
	{
		event 5 9 syscalls:sys_enter_read fd=5; event 10 9 syscalls:sys_exit_read ret=8
		for i in 1 2 3; do
			event ${i}000 9 syscalls:sys_enter_write fd=5 count=8; event ${i}000 9 syscalls:sys_exit_write ret=8
			event ${i}001 9 syscalls:sys_enter_read fd=5; event ${i}002 9 syscalls:sys_exit_read ret=8
		done
		noise 4000 6000
	} >in
	run -0 --separate-stderr filter -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output")" ""
	# A server that has waited for a client since before the trace: the return of accept() tells of the connection.
	{
		event 1 9 syscalls:sys_exit_accept4 ret=5
		event 2 9 syscalls:sys_enter_read fd=5; event 10 9 syscalls:sys_exit_read ret=4
		event 420 9 syscalls:sys_enter_write fd=5; event 421 9 syscalls:sys_exit_write ret=4
		noise 500 2000
	} >in
	run -0 --separate-stderr filter -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output" | value value)" 0.411000000
	# The last time that a record can have.
	{
		event 0 9 syscalls:sys_enter_accept4 fd=3; event 1 9 syscalls:sys_exit_accept4 ret=5
		event 2 9 syscalls:sys_enter_read fd=5; event 10 9 syscalls:sys_exit_read ret=4
		noise 100 400
		event 420 9 syscalls:sys_enter_write fd=5; event 421 9 syscalls:sys_exit_write ret=4
		echo 'event ts=9223372036.854775807 cpu=0 tid=9 comm=t9 name=sched:sched_wakeup pid=9'
	} >in
	run -0 --separate-stderr timeout 20 cchart-filter --text -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output" | value value)" 0.411000000
	# What a process that ends has not answered is given up then; another with its number has requests of its own.
	{
		event 0 9 syscalls:sys_enter_accept4 fd=3; event 1 9 syscalls:sys_exit_accept4 ret=5
		event 2 9 syscalls:sys_enter_read fd=5; event 10 9 syscalls:sys_exit_read ret=4
		event 12 9 sched:sched_process_exit pid=9 comm=t9
		noise 100 9000
		event 9000 9 syscalls:sys_enter_accept4 fd=3; event 9001 9 syscalls:sys_exit_accept4 ret=5
		event 9002 9 syscalls:sys_enter_read fd=5; event 9010 9 syscalls:sys_exit_read ret=4
		event 9120 9 syscalls:sys_enter_write fd=5; event 9121 9 syscalls:sys_exit_write ret=4
		noise 9200 12000
	} >in
	# One that was answered late is over, though nothing comes behind the answer.
	run -0 --separate-stderr filter -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output" | sed -E 's/.* value=([^ ]*).* fd=5/\1/')" 0.111000000
}

@test "which side of a connection a process is, is known from before the trace, and not taken by a look in vain" {
	# Both wait for the answer of a slow one when the trace begins: thread 9 answers first, thread 8 receives first.
	sides() {
		event 90 9 syscalls:sys_enter_sendto fd=5; event 90 9 syscalls:sys_exit_sendto ret=4
		event 100 8 syscalls:sys_enter_recvfrom fd=6; event 101 8 syscalls:sys_exit_recvfrom ret=4
		for ((i = 1; i < 4; i++)); do
			event $((i * 1000)) 8 syscalls:sys_enter_sendto fd=6; event $((i * 1000)) 8 syscalls:sys_exit_sendto ret=4
			event $((i * 1000 + 1)) 9 syscalls:sys_enter_recvfrom fd=5; event $((i * 1000 + 2)) 9 syscalls:sys_exit_recvfrom ret=4
			event $((i * 1000 + 302)) 9 syscalls:sys_enter_sendto fd=5; event $((i * 1000 + 302)) 9 syscalls:sys_exit_sendto ret=4
			event $((i * 1000 + 303)) 8 syscalls:sys_enter_recvfrom fd=6; event $((i * 1000 + 304)) 8 syscalls:sys_exit_recvfrom ret=4
		done
		noise 5000 7000
	}
	{ echo 'traced tids=8,9'; echo 'traced process=9 asked=3,5'; echo 'traced process=8 asks=6'; sides; } >in
	run -0 --separate-stderr filter -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output" | value tid | sort -u)" 9
	assert_equal "$(records signal <<<"$output" | value value | paste -sd ' ')" "0.300000000 0.300000000 0.300000000"
	# A client that looks first whether something has come asks all the same.
	(
		event 10 8 syscalls:sys_enter_recvfrom fd=6; event 11 8 syscalls:sys_exit_recvfrom ret=-11
		for ((i = 0; i < 3; i++)); do
			event $((i * 1000 + 20)) 8 syscalls:sys_enter_sendto fd=6; event $((i * 1000 + 20)) 8 syscalls:sys_exit_sendto ret=4
			event $((i * 1000 + 21)) 8 syscalls:sys_enter_recvfrom fd=6; event $((i * 1000 + 22)) 8 syscalls:sys_exit_recvfrom ret=4
		done
		noise 5000 7000
	) >in
	run -0 --separate-stderr filter -c turn --limit=100ms in
	assert_equal "$(records signal <<<"$output")" ""
}

@test "with --only-limit nothing learnt is told" {
	(healthy; queued 3000 4711; done_at 3040 4711; queued 3500 4712; done_at 3900 4712) >in
	assert_equal "$(filter in | records signal | grep -c .)" 2
	assert_equal "$(filter --limit=200ms --only-limit in | records signal | value rules)" fixed
	assert_equal "$(filter --limit=200ms --only-limit in | records signal | value value)" 0.400000000
	assert_equal "$(filter --limit=2s --only-limit in | records window)" ""
	run -2 filter --only-limit in
	assert_output --partial "--only-limit needs --limit"
}

@test "of a run of abnormal values one is told with --once" {
	values="1 1 9 9 9 1 9"
	{ for ((i = 0; i < 200; i++)); do echo "sample ts=$i.5 chart=c value=1.$((i % 7))"; done
	  i=200; for v in $values; do echo "sample ts=$((i++)).5 chart=c value=$v"; done; } >in
	assert_equal "$(filter --limit=c=5 --only-limit in | records signal | value ts | paste -sd ' ')" "202.500000000 203.500000000 204.500000000 206.500000000"
	assert_equal "$(filter --limit=c=5 --only-limit --once in | records signal | value ts | paste -sd ' ')" "202.500000000 206.500000000"
}

@test "SIGUSR1 opens a window over what has just happened" {
	mkfifo events
	cchart-filter --text --before=500ms <events >out 2>err &
	filter=$!
	exec 7>events
	{ healthy; noise 3000 3990; echo "tick ts=3.990"; } >&7
	until grep -q ^limits out && [ "$(awk '{ print $3 }' /proc/$filter/stat)" = S ]; do sleep 0.01; done # all is read
	kill -USR1 $filter
	{ noise 4000 4990; echo "tick ts=4.990"; } >&7
	exec 7>&-
	wait $filter
	run records signal <out
	assert_output --partial "chart=asked value=0.500000000 rules=asked"
	assert_regex "$(report <out)" "asked for the last 500 ms"
	assert_equal "$(records window <out | value signals)" 1-1
	assert_equal "$(records event <out | grep -c .)" "$(records event <out | awk '{ split($2, t, "="); if (!first) first = t[2]; n += t[2] >= first } END { print n }')"
	[ "$(records event <out | wc -l)" -gt 10 ]
}

@test "the values of each chart and key are summed up at the end" {
	(for ((i = 1; i <= 1000; i++)); do echo "sample ts=$i chart=c key=k value=0.$(printf %03d $((i % 1000)))"; done) >in
	run records summary < <(filter in)
	assert_regex "$output" "^summary chart=c key=k count=1000 mean=0.4995.* p50=0.(49|50)[0-9]* p95=0.9[45][0-9]* p99=0.9[89][0-9]* max=0.999 max_ts=999.000000000 unit=number$"
	(healthy; queued 3000 1; done_at 3900 1) >in
	run records summary < <(filter in)
	assert_regex "$output" "^summary chart=block key=7:0 count=[0-9]+ .* max=0.9 max_ts=3.900000000$"
}

@test "limits of another kernel or build are learnt anew, and that is said" {
	{ echo "stream version=1 kernel=6.1.0"; healthy; } >before
	{ echo "stream version=1 kernel=6.2.0"; healthy; } >now
	filter --save-limits=limits before >/dev/null
	assert_regex "$(cat limits)" " kernel=6.1.0$"
	run -0 --separate-stderr filter --limits=limits before
	assert_equal "$stderr" ""
	run -0 --separate-stderr filter --limits=limits --save-limits=new now
	assert_equal "$stderr" "cchart-filter: 1 limits were learnt anew, such as those of block: they are of kernel 6.1.0, and this is 6.2.0"
	assert_regex "$(cat new)" " kernel=6.2.0$"
	built() {
		echo "stream version=1 kernel=6.1.0"
		echo "chart name=func:p:f definition=\"chart name=func:p:f nest=yes binary=/p function=f build=$1\\nstart event=func:p__f\\nend event=func:p__f__return\\n\""
		for ((i = 0; i < 120; i++)); do event $((i * 10)) 9 func:p__f; event $((i * 10 + 5)) 9 func:p__f__return; done
	}
	built aa >before; built ab >now
	filter --save-limits=limits before >/dev/null
	assert_regex "$(cat limits)" " kernel=6.1.0 build=aa$"
	run -0 --separate-stderr filter --limits=limits now
	assert_equal "$stderr" "cchart-filter: 1 limits were learnt anew, such as those of func:p:f: the program is of another build"
	run -0 --separate-stderr filter --limits=limits before
	assert_equal "$stderr" ""
	# the user may name the chart; the stream has its build all the same
	run -0 --separate-stderr filter -c func:p:f --limits=limits now
	assert_equal "$stderr" "cchart-filter: 1 limits were learnt anew, such as those of func:p:f: the program is of another build"
	filter -c func:p:f --save-limits=limits now >/dev/null
	assert_regex "$(cat limits)" " kernel=6.1.0 build=ab$"
}

@test "values beyond the warning line are told with the signal that follows them" {
	# four reads of 60 ms, where 11 ms are normal and 124 the limit; then one of 300
	{ healthy; for t in 3000 4000 5000 6000; do queued $t 1; done_at $((t + 60)) 1; noise $((t + 61)) $((t + 900)); done
	  queued 8000 1; done_at 8300 1; noise 8400 9000; queued 9100 1; done_at 9500 1; } >in
	run records signal < <(filter --method=imr --sigma=15 in)
	assert_regex "${lines[0]}" " signs=4 sign_ts=3.060000000 sign_value=0.06$"
	refute_regex "${lines[1]}" "signs="
	filter --method=imr --sigma=15 in | report >told
	assert_regex "$(cat told)" "before +first sign .*3\.060.*, 60.0 ms \(normal 11.0 ms\), then 3 more"
}

@test "method pot watches the lower side, too, where that is asked for" {
	awk 'BEGIN { srand(7); for (i = 1; i <= 3000; i++) printf "sample ts=%d chart=c value=%.4f\n", i, exp(0.2 * (rand() + rand() + rand() + rand() - 2))
		print "sample ts=3001 chart=c value=0.1"; print "sample ts=3002 chart=c value=1.1"; print "sample ts=3003 chart=c value=10" }' >in
	assert_equal "$(filter --sides=both in | records signal | value value | paste -sd ' ')" "0.1 10"
	assert_equal "$(filter --sides=lower in | records signal | value value | paste -sd ' ')" 0.1
	assert_equal "$(filter in | records signal | value value | paste -sd ' ')" 10
	run records signal < <(filter --sides=lower in)
	assert_regex "$output" " lcl=0\.[3-9]"
}

@test "a change of level may be learnt after so many values, however long that takes" {
	# values 300 s apart; from the 300th on they are ten times as large
	awk 'BEGIN { for (i = 0; i < 600; i++) printf "sample ts=%d chart=c value=%.3f\n", 300 * i, (i < 300 ? 1 : 10) * (1 + i % 7 / 50) }' >in
	assert_equal "$(filter --relearn=100v in | records limits | value change)" up
	since() { filter "$@" in | records limits | grep change=up | value ts; }
	assert_equal "$(since --relearn=100v)" "$(awk 'BEGIN { printf "%.9f", 300 * 400 }')"
	assert_equal "$(since --relearn=150v)" "$(awk 'BEGIN { printf "%.9f", 300 * 450 }')"
	run -2 filter --relearn=v in
	assert_output --partial "not a number of values, such as 200v"
}

@test "a trace with nothing but switches has the waits of threads that were preempted" {
	switches() { # STATE
		for ((i = 0; i < 100; i++)); do
			event $((i * 20)) 5 sched:sched_switch prev_pid=5 prev_state="$1" next_pid=6
			event $((i * 20 + 10)) 6 sched:sched_switch prev_pid=6 prev_state=S next_pid=5
		done
		event 3000 5 sched:sched_switch prev_pid=5 prev_state="$1" next_pid=0
		event 3500 0 sched:sched_switch prev_pid=0 prev_state=R next_pid=5
	}
	for state in R R+ 0; do
		assert_equal "$(switches "$state" | filter -c runq | records signal | value value)" 0.500000000
	done
	for state in S D I 1 2 128; do
		assert_equal "$(switches "$state" | filter -c runq 2>/dev/null | records signal)" ""
	done
	# With wake-ups these tell the waits.
	assert_equal "$({ switches R; event 3600 5 sched:sched_switch prev_pid=5 prev_state=S next_pid=0; event 3700 0 sched:sched_waking pid=5
		event 3701 0 sched:sched_switch prev_pid=0 prev_state=R next_pid=5; event 4000 5 sched:sched_switch prev_pid=5 prev_state=R next_pid=6
		event 4600 5 sched:sched_switch prev_pid=6 prev_state=S next_pid=5; } | filter -c runq | records signal | value value)" 0.500000000
}

@test "flushes of a disk's cache have a chart, and only they are on it" {
	flush() { # FROM TO
		event "$1" 10 block:block_rq_issue dev=7:0 sector=0 nr_sector=0 rwbs=FF
		event "$1" 11 block:block_rq_issue dev=7:0 sector=8 nr_sector=8 rwbs=WSM
		event "$2" 14 block:block_rq_complete dev=7:0 sector=18446744073709551615 nr_sector=0 rwbs=FF
		event "$(($2 + 1))" 14 block:block_rq_complete dev=7:0 sector=8 nr_sector=8 rwbs=WSM
	}
	(for ((i = 0; i < 120; i++)); do flush $((i * 10)) $((i * 10 + 2 + i % 2)); done; flush 2000 2400) >in
	run records summary < <(filter -c flush in)
	assert_regex "$output" "^summary chart=flush key=7:0 count=121 .* max=0.4 "
	filter -c flush in | report >told
	assert_regex "$(cat told)" "flush of 7:0 took 400 ms"
}

@test "discards have a chart of their own, and are on no other" {
	queued() { event "$1" 10 block:block_bio_queue dev=7:0 sector="$3" nr_sector=8 "rwbs=$4"; event "$2" 14 block:block_rq_complete dev=7:0 sector="$3" nr_sector=8 "rwbs=$4"; }
	(for ((i = 0; i < 120; i++)); do queued $((i * 10)) $((i * 10 + 1)) 8 R; queued $((i * 10 + 2)) $((i * 10 + 5)) 16 DS; done; queued 2000 2400 16 DS) >in
	run records summary < <(filter -c block -c discard in)
	assert_regex "$output" "summary chart=block key=7:0 count=120 .* max=0.001 "
	assert_regex "$output" "summary chart=discard key=7:0 count=121 .* max=0.4 "
	filter -c block -c discard in | report >told
	assert_regex "$(cat told)" "discard of 7:0 sector 16 by .* took 400 ms"
}

@test "a turn of an event loop lasts from poll to poll, and each thread has its own" {
	turn() { event "$1" 11 syscalls:sys_exit_epoll_wait ret=1; event "$2" 11 syscalls:sys_enter_epoll_wait; }
	(
		event 5 12 syscalls:sys_exit_poll ret=0
		for ((i = 0; i < 120; i++)); do turn $((i * 10 + 10)) $((i * 10 + 12 + i % 2)); done
		turn 2000 2400
		event 2500 12 syscalls:sys_enter_ppoll
		event 2501 12 syscalls:sys_exit_ppoll ret=1
		event 9000 13 syscalls:sys_exit_select ret=0
	) >in
	run records summary < <(filter -c loop in)
	assert_regex "$output" "summary chart=loop count=122 .* max=2.495 "
	filter -c loop --limit=0.3 --only-limit in | report >told
	assert_regex "$(cat told)" "event loop of [^ ]*/11 was held up for 400 ms"
	assert_regex "$(cat told)" "event loop of [^ ]*/12 was held up for 2.495 s"
	assert_regex "$(cat told)" "event loop of [^ ]*/12 still held up after 6.49"
}

@test "a second and a third filter have ids of their own" {
	(
		healthy
		for ((t = 3000; t < 99000; t += 30000)); do
			queued $t 1; event $((t + 100)) 7 raw_syscalls:sys_enter id=0; event $((t + 200)) 7 raw_syscalls:sys_exit id=0; done_at $((t + 500)) 1
			noise $((t + 600)) $((t + 5000))
		done
	) >in
	filter -c block in | filter -c syscall --limit=10ms >two
	filter -c block --limit=50ms two >three
	run value id < <(records signal <two | sort -t= -k3,3n)
	assert_output "$(printf '%s\n' 1000000001 1 1000000002 2 1000000003 3 1000000004 4)"
	for kind in signal window; do
		assert_equal "$(records $kind <three | value id | sort | uniq -d)" ""
	done
	run grep -c '^signal id=2000' three
	assert_output 4
}

@test "the output is what it was when it was looked at closely" {
	run -0 --separate-stderr filter "$TOP/testdata/filter/slow-read.txt"
	assert_equal "$(grep -v '^usage' <<<"$output")" "$(cat "$TOP/testdata/filter/slow-read.golden")"
}

@test "a stream has the same result in binary" {
	(healthy; queued 3000 1; done_at 3100 1) >in
	stream-cat -b in | cchart-filter | stream-cat -t | grep -v ^usage >binary
	filter in | grep -v ^usage >text
	diff text binary
}

@test "two streams in a row are two" {
	{ echo "stream version=1 host=a"; healthy; queued 3000 1; } >in
	filter in in >out
	run value host < <(records stream <out)
	assert_output "$(printf '%s\n' a a)"
	# The read that was open at the end of the first does not hang in the second.
	run records signal <out
	assert_output ""
	# What each cost is told of it alone.
	run value events < <(records usage <out)
	assert_output "$(printf '%s\n' "$(grep -c '^event' in)" "$(grep -c '^event' in)")"
}

# --- charts --------------------------------------------------------------------------------------------------------

# A value each second, of a tenth more or less than so many milliseconds.
values() { # FROM TO MILLISECONDS
	awk -v from="$1" -v to="$2" -v ms="$3" 'BEGIN {
		for (t = from; t < to; t++) printf "sample ts=%d start=%.6f chart=x value=%.6f\n", t, t - ms / 1000 * (1 + t % 3 / 10), ms / 1000 * (1 + t % 3 / 10)
	}'
}

@test "what was learnt on another machine or boot is not usual on this one" {
	for other in "host=b boot=1" "host=a boot=2"; do
		{ echo "stream version=1 host=a boot=1"; values 1000 1200 1; echo "stream version=1 $other"; values 1200 1400 20; } >in
		run filter in
		refute_output --partial "signal "
		assert_equal "$(grep -c '^limits ' <<<"$output")" 2
	done
	# the same boot goes on
	{ echo "stream version=1 host=a boot=1"; values 1000 1200 1; echo "stream version=1 host=a boot=1"; values 1200 1201 20; } >in
	run filter in
	assert_output --partial "signal id=1 ts=1200.000000000"
	# where no boot is told the clock must go on
	sed 's/ boot=1//' in | filter >out
	assert_equal "$(records signal <out | wc -l)" 1
	{ echo "stream version=1"; values 1000 1200 1; echo "stream version=1"; values 10 11 20; } | filter >out
	assert_equal "$(records signal <out | wc -l)" 0
	# limits that are given hold on all, those that are kept are of the last
	{ echo "stream version=1 host=a"; values 1000 1200 1; echo "stream version=1 host=b"; values 1000 1200 20; } >in
	filter --save-limits=kept in >out
	run value center <kept
	assert_output --regexp '^0\.02'
	{ echo "stream version=1 host=a"; values 1000 1001 1; echo "stream version=1 host=b"; values 1000 1001 90; } | filter --limits=kept >out
	run value ts < <(records signal <out)
	assert_output 1000.000000000
}

@test "what is told in a stream has happened in it" {
	# of the baseline's worst values and of the begin of a change of level
	{
		echo "stream version=1 host=a boot=1"
		values 1000 1004 1; values 1004 1005 900
		echo "stream version=1 host=a boot=1"
		values 1005 1200 1
	} | filter >out
	run records signal <out
	assert_output ""
	{
		echo "stream version=1 host=a boot=1"
		values 1000 1200 1; values 1200 1230 4
		echo "stream version=1 host=a boot=1"
		values 1300 1500 4
	} | filter >out
	run value since <out
	assert_output 1300.000000000
}

@test "the charts that are shipped can be read" {
	echo "# nothing" >in
	for chart in "$TOP"/charts/*.chart; do
		run -0 filter -c "$(basename "$chart" .chart)" in
		assert_output --partial "chart '$(basename "$chart" .chart)': no event"
	done
}

@test "a chart of one's own works the same way" {
	cat >mine.chart <<-'EOF'
		# jobs, submitted to finished
		chart name=job title="my jobs"
		start event=app:submit key=id split=queue show=id,user,lcl,the_name_of_a_field_that_is_as_long_as_an_argument_may_be tid=worker
		end   event=app:finish key=job
	EOF
	(for ((i = 0; i < 120; i++)); do
		event $((i * 20)) 9 app:submit id=$i queue=fast user=me worker=$((50 + i))
		event $((i * 20 + 10 + i % 2)) 8 app:finish job=$i
	done) >in
	{ event 3000 9 app:submit id=500 queue=fast user=me lcl=low the_name_of_a_field_that_is_as_long_as_an_argument_may_be=7 worker=77; event 3100 8 app:finish job=500; } >>in
	filter -c ./mine.chart in >out
	run records signal <out
	assert_output --regexp "chart=job key=fast value=0.100000000 .* tid=77 comm=\? event.id=500 event.id=500 user=me event.lcl=low the_name_of_a_field_that_is_as_long_as_an_argument_may_be=7$"
}

@test "a limit for a chart with each=yes is the only one, also of what has not ended" {
	printf '%s\n' 'chart name=job each=yes' 'start event=app:submit key=id' 'end event=app:finish key=id' >each.chart
	(for ((i = 0; i < 120; i++)); do
		event $((i * 20)) 9 app:submit id=$i
		event $((i * 20 + 10 + i % 2)) 9 app:finish id=$i
	done
	event 3000 9 app:submit id=500; event 3200 9 app:finish id=500
	event 4000 9 app:submit id=501; noise 4100 6000) >in
	run -0 --separate-stderr filter -c ./each.chart --limit=job=100ms in
	assert_equal "$(records signal <<<"$output" | value rules | paste -sd ' ')" "fixed fixed"
	assert_equal "$(records signal <<<"$output" | value ucl | paste -sd ' ')" "0.1 0.1"
}

@test "a chart that a second stream brings has its patterns matched, too" {
	one() { # NAME
		echo "stream version=1 machine=x86_64"
		printf 'chart name=%s definition="' "$1"
		printf '%s\\n' "chart name=$1 calls=yes" 'start event=raw_syscalls:sys_enter' 'start event=syscalls:sys_enter_* instead=raw_syscalls:sys_enter' \
			'end event=raw_syscalls:sys_exit' 'end event=syscalls:sys_exit_* instead=raw_syscalls:sys_exit' | tr -d '\n'
		echo '"'
		for ((i = 0; i < 5; i++)); do event $((i * 20)) 9 syscalls:sys_enter_fsync fd=3; event $((i * 20 + 10)) 9 syscalls:sys_exit_fsync ret=0; done
	}
	one a >first; one b >second
	run -0 --separate-stderr filter first second
	assert_equal "$(records summary <<<"$output" | value count | paste -sd ' ')" "5 5 5"
}

@test "a start that stands in for another may be defined before it" {
	waking='start event=x:waking' wakeup='start event=x:wakeup instead=x:waking'
	{ event 1000 9 x:waking; event 1300 9 x:wakeup; event 1400 9 x:run; } >in
	for lines in "$waking\n$wakeup" "$wakeup\n$waking"; do
		printf 'chart name=c\n%b\nend event=x:run\n' "$lines" >c.chart
		run value value < <(filter -c ./c.chart --limit=200ms in | records signal)
		assert_output 0.400000000
	done
}

# What is no number: the length of a name is not the name, and an array is not the half of it before a zero.
@test "texts of one length are told apart, and long arrays" {
	local six=fd000000000000000000000000000
	packed in.tb 'x:begin x:done' 'u32 id:8:4,__data_loc char[] path:12:4,u8 six[16]:16:16' '""' \
		"1 x:begin 0100000020000200${six}001""6100" "1.001 x:begin 0200000020000200${six}001""6200" "1.002 x:begin 0300000020000200${six}002""6200" \
		"1.005 x:done 0100000020000200${six}001""6100" "1.006 x:done 0200000020000200${six}001""6200" "1.007 x:done 0300000020000200${six}002""6200"
	printf '%s\n' 'chart name=c' 'start event=x:begin key=id split=path,six' 'end event=x:done key=id' >c.chart
	cchart-filter -c ./c.chart --limit=1ms in.tb >out.tb
	local zeros=0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0,0x0
	run -0 bash -c 'stream-cat -t out.tb | sed -n "s/^signal .* key=\([^ ]*\).*/\1/p"'
	assert_output "a,0xfd,$zeros,0x1
b,0xfd,$zeros,0x1
b,0xfd,$zeros,0x2"
}

# Bytes are not text that ends at the first zero.
@test "what differs in an array of bytes is told apart" {
	packed in.tb 'x:begin x:done' 'u32 id:8:4,__u8 addr[4]:12:4' '""' \
		"1 x:begin 010000000a000007" "1.001 x:begin 020000000a000009" "1.005 x:done 010000000a000007" "1.006 x:done 020000000a000009"
	printf '%s\n' 'chart name=c' 'start event=x:begin key=id split=addr' 'end event=x:done key=id' >c.chart
	run -0 --separate-stderr cchart-filter -t -c ./c.chart --limit=1ms in.tb
	assert_line --partial 'chart=c key=0xa,0x0,0x0,0x7 '
	assert_line --partial 'chart=c key=0xa,0x0,0x0,0x9 '
	assert_line --partial 'name=x:begin id=1 addr=0xa,0x0,0x0,0x7'
}

@test "a signal tells keys as the events of its start do, binary or text" {
	packed in.tb 'x:begin x:done' 'dev_t dev:8:4,u8 addr[4]:12:4,void * at:16:8' '""' \
		"1 x:begin 010070000a000007785634128888ffff" "1.005 x:done 010070000a000007785634128888ffff"
	printf '%s\n' 'chart name=c' 'start event=x:begin key=dev,addr,at' 'end event=x:done key=dev,addr,at' >c.chart
	printf '%s\n' 'chart name=c' 'start event=x:begin key=dev,at' 'end event=x:done key=dev,at' >numbers.chart
	stream-cat -t in.tb >in.txt
	for in in in.tb in.txt; do
		run -0 --separate-stderr cchart-filter -t -c ./c.chart --limit=1ms "$in"
		assert_line --regexp '^signal .* tid=77 comm=\? dev=7:1 at=0xffff888812345678 addr=0xa,0x0,0x0,0x7$'
		run -0 --separate-stderr cchart-filter -t -c ./numbers.chart --limit=1ms "$in"
		assert_line --regexp '^signal .* tid=77 comm=\? dev=7:1 at=0xffff888812345678$'
	done
	# text may leave out what is zero; the thread of an event is there
	printf 'event ts=%s cpu=0 tid=77 comm=a name=x:%s\n' 1 begin 1.005 'done' >in.txt
	printf '%s\n' 'chart name=c' 'start event=x:begin key=common_pid,at' 'end event=x:done key=common_pid,at' >c.chart
	run -0 --separate-stderr cchart-filter -t -c ./c.chart --limit=1ms in.txt
	assert_line --regexp '^signal .* common_pid=77 at=0$'
}

@test "a chart with a fault is named with file and line" {
	chart() {
		printf '%s\n' "$@" >x.chart
		run -1 filter -c x.chart /dev/null
	}
	chart "chart name=x" "start event=a:b kee=c"
	assert_output --partial "x.chart:2: unknown key 'kee' in a line of kind 'start'"
	chart "" "begin event=a:b"
	assert_output --partial "x.chart:2: unknown kind of line 'begin'"
	chart "chart name=x" "start event=ab"
	assert_output --partial "x.chart:2: event= must be SYSTEM:NAME"
	chart "chart name=x" "start event=a:b"
	assert_output --partial "x.chart: chart 'x' needs a start and an end line"
	chart "start event=a:b" "end event=a:c"
	assert_output --partial "x.chart: no chart line"
	chart "chart name=x" "start event=a:b key=c:size" "end event=a:c key=c"
	assert_output --partial "unknown form 'size' of field 'c'"
	chart "chart name=x" "start event=a:b key=c,d" "end event=a:c key=c"
	assert_output --partial "key fields"
	chart "chart name=x" "start event=a:b instead=a:c" "end event=a:c"
	assert_output --partial "instead=a:c is no event of another start line"
	chart "chart name=x" "start event=a:b instead=a:b" "end event=a:c"
	assert_output --partial "instead=a:b is no event of another start line"
	chart "chart name=x" "include name=nothing"
	assert_output --partial "nothing.context"
}

@test "of two charts of one name the second is left out, and that is told" {
	printf '%s\n' 'chart name=c' 'start event=a:b' 'end event=a:c' >one.chart
	sed 's/a:/x:/' one.chart >two.chart
	{ event 1000 9 a:b; event 1300 9 a:c; } >in
	run -0 --separate-stderr filter -c ./one.chart -c ./two.chart --limit=c=100ms in
	assert_equal "$(records signal <<<"$output" | value value)" 0.300000000
	assert_regex "$stderr" "cchart-filter: chart 'c': another chart has this name, and was left out"
	run -0 --separate-stderr filter -c ./one.chart -c ./one.chart --limit=c=100ms in
	refute_regex "$stderr" "another chart"
}

@test "an unknown chart is refused with the names there are" {
	run -1 filter -c nothing /dev/null
	assert_output --regexp "unknown chart 'nothing'; there are block.*, runq, syscall-errors, .*, func:BINARY:FUNCTION"
}

@test "a chart whose events never came is named" {
	run -0 --separate-stderr filter -c runq -c block <(healthy)
	assert_equal "$stderr" "cchart-filter: chart 'runq': no event sched:sched_waking came; collect with -c runq, and see that it happened at all"
	printf '%s\n' 'chart name=x definition="chart name=x\nstart event=a:b key=id\nend event=a:c key=id"' 'tick ts=5' >quiet
	run -0 --separate-stderr filter quiet # it was collected
	assert_equal "$stderr" "cchart-filter: chart 'x': no event a:b came, so nothing was measured"
}

@test "where all hangs, it is not said that nothing was measured, nor that the end was not collected" {
	definition='chart name=x\nstart event=a:b key=id\nend event=a:c key=id'
	{ echo "chart name=x definition=\"$definition\""; echo "event ts=1 cpu=0 tid=7 comm=a name=a:b id=1"; echo "tick ts=60"; } >hang
	run -0 --separate-stderr filter --limit=1s hang
	assert_line --partial "open=yes"
	assert_equal "$stderr" "cchart-filter: chart 'x': no event a:c came: nothing that began has ended"
	printf '%b\n' "$definition" >x.chart
	run -0 --separate-stderr filter -c ./x.chart hang
	assert_equal "$stderr" "cchart-filter: chart 'x': no event a:c came: nothing that began has ended"
	sed -i /^chart/d hang
	run -0 --separate-stderr filter -c ./x.chart hang
	assert_equal "$stderr" "cchart-filter: chart 'x': no event a:c came, as if nothing had ended; collect with -c x"
}

@test "of many functions one thing is said once" {
	for i in 1 2 3 4; do
		for f in quiet open few; do
			name=func:p:$f$i
			echo "chart name=$name definition=\"chart name=$name nest=yes\\nstart event=func:p__$f$i\\nend event=func:p__${f}${i}__return\""
		done
		echo "event ts=1 cpu=0 tid=7 comm=p name=func:p__open$i"
		echo "event ts=1 cpu=0 tid=7 comm=p name=func:p__few$i"
		echo "event ts=2 cpu=0 tid=7 comm=p name=func:p__few${i}__return"
	done | sort -k1,1 -k2,2 >functions
	run -0 --separate-stderr filter functions
	assert_equal "$stderr" "cchart-filter: 4 functions: no call came, so nothing was measured
cchart-filter: 4 functions: no return came: nothing that began has ended
cchart-filter: 4 functions: too few values to learn limits from (4 in all), so nothing was judged; see --baseline and --limits"
	grep -v 'quiet4\|open4\|few4' functions >three
	run -0 --separate-stderr filter three
	assert_equal "$(grep -c "^cchart-filter: chart 'func:p:.*'" <<<"$stderr")" 9
}

@test "samples that were too few are named by their chart, if it is one" {
	echo "sample ts=1 chart=bounces value=3 n=812" >one
	{ cat one; echo "sample ts=2 chart=calls value=5 n=790"; } >two
	run -0 --separate-stderr filter --method=p one
	assert_equal "$stderr" "cchart-filter: chart 'bounces': too few values to learn limits from (1 in all), so nothing was judged; see --baseline and --limits"
	run -0 --separate-stderr filter --method=p two
	assert_equal "$stderr" "cchart-filter: samples: too few values to learn limits from (2 in all), so nothing was judged; see --baseline and --limits"
}

@test "what hangs without limits to judge it by is counted at the end" {
	definition='chart name=x\nstart event=a:b key=id split=id\nend event=a:c key=id'
	{
		echo "chart name=x definition=\"$definition\""
		printf 'event ts=%s cpu=0 tid=7 comm=a name=a:b id=%s\n' 1 5 1.5 6 59.5 7 # the last for half a second
		echo "tick ts=60"
	} >hang
	run -0 --separate-stderr filter hang
	assert_equal "$(grep -c '^open' <<<"$output")" 2
	assert_line "open ts=60.000000000 start=1.000000000 chart=x key=5 count=1"
	assert_line "open ts=60.000000000 start=1.500000000 chart=x key=6 count=1"
	refute_output --partial signal
	run -0 --separate-stderr filter --limit=100s hang # judged: it is normal
	refute_output --partial "open "
	sed 's/^tick/lost ts=50 cpu=0 count=1\n&/' hang >lost
	run -3 --separate-stderr filter lost
	refute_output --partial "open "
	# in a filtered stream the end may be missing
	{ cat hang; echo "window id=1 from=1 to=2 signals=1-1 complete=yes"; } >filtered
	run -0 --separate-stderr filter filtered
	refute_output --partial "open "
}

@test "an input that never came is told in one line; one without events is another matter" {
	run -3 --separate-stderr filter </dev/null
	assert_equal "$stderr" "cchart-filter: standard input: no data"
	run -3 --separate-stderr filter -c runq -c block --limit=runq=1ms /dev/null
	assert_equal "$stderr" "cchart-filter: /dev/null: no data"
	run -3 --separate-stderr filter -c runq /dev/null <(echo "stream version=1")
	assert_regex "$stderr" "no event sched:sched_waking came"
	run -0 --separate-stderr filter <(echo "# nothing yet")
	assert_regex "$stderr" "nothing was charted"
}

@test "charts come from the stream where none is asked for" {
	definition='chart name=mine\nstart event=block:block_bio_queue key=sector\nend event=block:block_rq_complete key=sector\n'
	{ echo "chart name=mine definition=\"$definition\""; healthy; } >in
	run value chart < <(filter in | records limits)
	assert_output mine
	run value chart < <(filter -c block in | records limits)
	assert_output block
}

# --- faults and bounds ---------------------------------------------------------------------------------------------

@test "options that make no sense are refused" {
	run -2 cchart-filter --method=guess
	assert_output --partial "there is no method 'guess'; there are pot, imr, paper"
	run -2 cchart-filter --method=paper --baseline=4
	run -2 cchart-filter --min-ratio=-1
	run -2 cchart-filter --before=soon
	run -2 cchart-filter --baseline=0
	assert_output --partial "a baseline has one value or more"
	run -2 cchart-filter --interval=0
	assert_output --partial "--interval must be a millisecond or more"
	run -2 cchart-filter --false-alarms=1/fortnight
	assert_output --partial "'1/fortnight' is not a rate of false alarms, such as 6/m, 1/h or 2/d, nor a probability"
	run -2 cchart-filter --false-alarms=1
	run -2 cchart-filter --rules=1,9
	assert_output --partial "'1,9' is not a list of rules"
	run -2 cchart-filter --scale=square
	assert_output --partial "unknown 'square'; there are log, linear"
	run -2 cchart-filter --scale=linear
	assert_output --partial "method pot has no such scale"
	run -2 cchart-filter --method=xbar-r --subgroup=26
	run -2 cchart-filter --method=p -c block
}

@test "requests that overlap, however they are split, leave none open" {
	queue() { echo "event ts=$1 cpu=0 tid=$2 comm=x name=block:block_bio_queue dev=7:0 sector=$3 nr_sector=$4 rwbs=R"; }
	complete() { echo "event ts=$1 cpu=0 tid=0 name=block:block_rq_complete dev=7:0 sector=$2 nr_sector=$3"; }
	{
		queue 1 1 851968 3528
		queue 1.1 2 851968 2184
		complete 1.2 851968 2016
		complete 1.25 853984 1504
		complete 1.3 851968 1160
		complete 1.35 853128 1024
		complete 1.4 855488 8
		echo "event ts=9 cpu=0 tid=0 name=x:y"
	} >in
	filter -c block --limit=0.2 in >out
	run grep -c "^signal" out
	assert_output 2
	run grep "^signal" out
	refute_output --partial open=yes
}

@test "a bio that is told done with what was left of it is done" {
	bio() { echo "event ts=$1 cpu=0 tid=1 comm=x name=block:block_bio_$2 dev=253:0 sector=$3 nr_sector=$4 rwbs=R"; }
	{
		bio 1 queue 0 100
		bio 1.3 complete 50 50
		bio 2 queue 0 8
		bio 2.3 complete 8 0
		echo "event ts=9 cpu=0 tid=0 name=x:y"
	} >in
	filter -c block --limit=0.2 in >out
	run grep -o "value=[0-9.]* ucl.*open=yes\|value=[0-9.]* ucl" out
	assert_output "value=0.300000000 ucl
value=0.300000000 ucl"
}

@test "a request that is taken back after a part of it was done is begun anew" {
	rq() { echo "event ts=$1 cpu=0 tid=0 name=block:block_rq_$2 dev=7:0 sector=$3 nr_sector=$4 rwbs=R"; }
	{
		rq 1 issue 0 16
		rq 1.05 complete 0 8
		rq 1.06 requeue 8 8
		rq 3 issue 8 8
		rq 3.1 complete 8 8
		echo "event ts=9 cpu=0 tid=0 name=x:y"
	} >in
	filter -c block-service --limit=0.2 in >out
	run grep -c "^signal" out
	assert_output 0
}

@test "malformed records are named with their line" {
	for line in "event ts=x cpu=0 tid=1 name=a:b" "sample ts=1 chart=x" "sample ts=1 value=1" "sample ts=1 chart=x value=y" "sample ts=1 start=2 chart=x value=1" \
		"tick" "lost cpu=1" "chart name=x" 'chart name=x definition="start a=b"'; do
		run -1 filter <(echo "# first"; echo "$line")
		assert_output --partial ":2: "
	done
}

# bats test_tags=figures
@test "memory stays within the context, whatever the input" {
	many='BEGIN { for (i = 0; i < 300000; i++) {
		printf "event ts=%d.%06d cpu=0 tid=%d comm=x name=block:block_bio_queue dev=%d:0 sector=%d nr_sector=8 rwbs=R\n", i / 1000, i % 1000 * 1000, i % 50000 + 1, i % 3000, i
		printf "sample ts=%d.%06d chart=c%d key=k value=1\n", i / 1000, i % 1000 * 1000, i
	} }'
	awk "$many" | stream-cat -b >in
	/usr/bin/time -f %M -o least "$(command -v cchart-filter)" --context=8M <(echo stream) >/dev/null 2>err
	/usr/bin/time -f %M -o peak "$(command -v cchart-filter)" --context=8M in >/dev/null 2>err
	run cat err
	assert_output --partial "starts were open at once"
	case $BUILD in *san*) ;; *) [ $(($(cat peak) - $(cat least))) -lt $((8 * 1024 + 30 * 1024)) ] ;; esac
}

@test "a file without end is refused, not read into memory" {
	for option in --limits --chart; do
		run -1 cchart-filter $option /dev/zero </dev/null
		assert_output "cchart-filter: cannot read '/dev/zero': file too large"
	done
}

# switch TIME CPU PREV NEXT
switch() {
	event "$1" "$3" sched:sched_switch prev_pid="$3" prev_state=S next_pid="$4" | sed "s/ cpu=0 / cpu=$2 /"
}

@test "who may have got a CPU unseen is not told to wait for one still" {
	(
		# thread 7 is woken and gets CPU 0 at once, 120 times
		for ((i = 0; i < 120; i++)); do
			event $((i * 20)) 5 sched:sched_waking pid=7 target_cpu=0
			switch $((i * 20 + 1 + i % 2)) 0 0 7
			switch $((i * 20 + 5)) 0 7 0
		done
		event 2400 5 sched:sched_waking pid=8 target_cpu=0
		switch 2401 0 0 9 # and another has it for long
		for ((i = 0; i < 30; i++)); do event $((2500 + i * 100)) 5 block:block_plug; done
	) >seen
	run -0 bash -c 'cchart-filter --text -c runq seen | grep "^signal"'
	assert_output --partial "tid=8 "
	assert_output --partial "open=yes"
	# CPU 1 tells whom it leaves, and not whom the idle thread left it to
	{ switch 0 1 5 0; switch 1 1 6 0; cat seen; } >hidden
	run -0 filter -c runq hidden
	refute_line --partial "open=yes"
	# busy all the time: nobody got it
	{ switch 0 1 5 0; switch 1 1 6 0; switch 2 1 0 6; cat seen; } >busy
	run -0 bash -c 'cchart-filter --text -c runq busy | grep "^signal"'
	assert_output --partial "open=yes"
}

# --- what a recording lacks ----------------------------------------------------------------------------------------

elsewhere() { # FROM TO: an event of CPU 1 each 100 ms
	noise "$@" | sed 's/cpu=0/cpu=1/'
}

open_signals() { # FILE...
	cchart-filter --text -c block -c runq "$@" >told
	grep -c '^signal .*open=yes' told || true
}

@test "a thread that was woken to a CPU of which the recording tells nothing may have run there" {
	(
		for ((i = 0; i < 120; i++)); do
			event $((i * 20)) 5 sched:sched_wakeup pid=7 target_cpu=0
			switch $((i * 20 + 1 + i % 2)) 0 0 7
			switch $((i * 20 + 5)) 0 7 0
		done
		switch 2400 0 0 9
		event 2410 9 sched:sched_wakeup pid=8 target_cpu=1
		noise 2420 6000 | sed 's/sched:sched_waking pid=6/block:block_plug/'
	) >masked
	assert_equal "$(open_signals masked)" 0
	assert_equal "$(grep '^open' told)" "open ts=5.920000000 start=2.410000000 chart=runq count=1 doubt=cpu cpu=1"
	# so it may have though it is seen later
	switch 6000 0 9 8 | cat masked - >later
	cchart-filter --text -c runq later >told
	assert_equal "$(grep -c '^signal' told)" 0
	assert_equal "$(grep '^open' told)" "open ts=6.000000000 start=2.410000000 chart=runq count=1 doubt=cpu cpu=1"
	# the collector reads all CPUs: this one is quiet
	{ echo "stream version=1 host=a boot=b"; cat masked; } >live
	assert_equal "$(open_signals live)" 1
	{ cat masked; echo "tick ts=6"; } >live
	sed -i '1i tick ts=0' live
	assert_equal "$(open_signals live)" 1
	# it was woken to one that is recorded, where another runs
	sed 's/target_cpu=1/target_cpu=0/' masked >recorded
	assert_equal "$(open_signals recorded)" 1
}

@test "what began before each CPU was recorded may have ended there, and after one was no more" {
	{ healthy; queued 3000 4711; noise 3000 6000; elsewhere 3550 6000; } | sort -t= -k2,2n >late
	assert_equal "$(open_signals late)" 0
	assert_equal "$(grep '^open' told)" "open ts=5.950000000 start=3.000000000 chart=block key=7:0 count=1 doubt=cpu cpu=1"
	# what began later did not
	queued 3600 815 | sort -t= -k2,2n late - >both
	assert_equal "$(open_signals both)" 1
	assert_equal "$(grep '^open' told)" "open ts=5.950000000 start=3.000000000 chart=block key=7:0 count=1 doubt=cpu cpu=1"
	# a CPU that is as silent at other times is a quiet one
	{ healthy; queued 3000 4711; noise 3000 9000; elsewhere 1000 1001; elsewhere 5000 5001; elsewhere 8900 9000; } | sort -t= -k2,2n >quiet
	assert_equal "$(open_signals quiet)" 1
	# threads are woken to CPU 1, and nothing happens there any more
	{ healthy; elsewhere 0 2900; queued 3000 4711; noise 3000 6000 | sed 's/$/ target_cpu=1/; s/waking/wakeup/'; } | sort -t= -k2,2n >early
	assert_equal "$(open_signals early)" 0
	assert_equal "$(grep '^open.*block' told)" "open ts=5.900000000 start=3.000000000 chart=block key=7:0 count=1 doubt=cpu cpu=1"
}

@test "a request that a hundred others overtook may have ended unseen, unless the collector says it did not" {
	(healthy; queued 3000 4711; for ((i = 0; i < 400; i++)); do queued $((3000 + i * 5)) $((i * 8)); done_at $((3003 + i * 5)) $((i * 8)); done) >overtaken
	assert_equal "$(open_signals overtaken)" 0
	assert_equal "$(grep '^open' told)" "open ts=4.998000000 start=3.000000000 chart=block key=7:0 count=1 doubt=overtaken"
	{ echo "stream version=1 host=a boot=b"; cat overtaken; } >live
	assert_equal "$(open_signals live)" 1
}

@test "where the stream tells who is traced, only what these threads begin is measured" {
	(
		echo 'traced tids=7,8'
		for i in $(seq 60); do
			t=$(printf '%d.%09d' $((i / 10)) $((i % 10 * 100000000)))
			echo "event ts=$t cpu=0 tid=$((i > 40 ? 8 : 7)) comm=a name=raw_syscalls:sys_enter id=1"
			echo "event ts=${t%0000}1000 cpu=0 tid=$((i > 40 ? 8 : 7)) comm=a name=raw_syscalls:sys_exit id=1 ret=0"
			echo "event ts=${t%0000}2000 cpu=0 tid=9 comm=b name=raw_syscalls:sys_enter id=1"
			echo "event ts=${t%0000}9000 cpu=0 tid=9 comm=b name=raw_syscalls:sys_exit id=1 ret=0"
			[ $i != 50 ] || echo 'traced gone=8'
		done
	) >in
	run -0 --separate-stderr cchart-filter --text -c syscall --save-limits=limits --baseline=20 in
	run -0 grep -o ' n=[0-9]*' limits
	assert_output --regexp '^ n=50$'
	run cchart-filter --text -c syscall <<<'traced tids=7,x'
	assert_failure 1
	assert_output --partial "tids=: 'x' is not a whole number"
	sed -i 's/^traced tids=.*/traced tids=99/' in
	run -0 --separate-stderr cchart-filter --text -c syscall in
	assert_regex "$stderr" "no event raw_syscalls:sys_enter was of the processes that were traced"
}

@test "calls are paired by their depth on the stack, in any order, and several end where an exception is caught" {
	(
		echo 'chart name=func:p:f definition="chart name=func:p:f nest=yes\nstart event=func:p__f depth=sp\nend event=func:p__f__return depth=sp\nend event=func:unwind depth=from to=to"'
		echo "event ts=1.0 cpu=0 tid=7 comm=p name=func:p__f sp=9000"
		echo "event ts=1.1 cpu=0 tid=7 comm=p name=func:p__f sp=100" # on another stack
		echo "event ts=1.2 cpu=0 tid=7 comm=p name=func:p__f__return sp=9000"
		echo "event ts=1.3 cpu=0 tid=7 comm=p name=func:p__f__return sp=50" # of none
		echo "event ts=1.4 cpu=0 tid=7 comm=p name=func:p__f__return sp=100"
		for i in 1 2 3 4; do
			echo "event ts=2.$i cpu=0 tid=7 comm=p name=func:p__f sp=$((9000 - i * 100))"
		done
		echo "event ts=2.5 cpu=0 tid=8 comm=p name=func:unwind from=8000 to=9000" # another thread
		echo "event ts=2.6 cpu=0 tid=7 comm=p name=func:unwind from=8500 to=8800"
		echo "event ts=2.7 cpu=0 tid=7 comm=p name=func:p__f sp=8900" # takes the place of the one that was left unseen
		echo "event ts=2.8 cpu=0 tid=7 comm=p name=func:p__f__return sp=8900"
	) >in
	filter --limit=func:p:f=1ns in >out
	run sed -n 's/^signal .* start=\([0-9.]*\) .* value=\([0-9.]*\) .*/\1 \2/p' out
	assert_output "1.000000000 0.200000000
1.100000000 0.300000000
2.200000000 0.400000000
2.300000000 0.300000000
2.400000000 0.200000000
2.700000000 0.100000000"
}

@test "a rate whose events were shed is none, not zero" {
	rates() {
		awk 'BEGIN { for (s = 0; s < 50; s++) for (i = 0; i < 100 + s % 3; i++)
			printf "event ts=%.9f cpu=0 tid=10 comm=a name=sched:sched_waking comm=b pid=11\n", s + i / 110 }'
		printf '%s\n' "$@"
		for i in {51..90}; do echo "tick ts=$i"; done
	}
	run -0 bash -c 'cchart-filter -c wakeups | report' < <(rates)
	assert_output --partial "90 values"
	assert_output --partial "wakeups became rarer"
	run -0 bash -c 'cchart-filter -c wakeups | report' < <(rates \
		'shed ts=50 what=chart name=wakeups events=x:y,sched:sched_waking cost=0.0812 share=0.07 limit=0.05' \
		'shed ts=50 what=context name=irq events=irq:irq_handler_entry cost=0.0812 share=0.01 limit=0.05')
	assert_output --partial "49 values"
	refute_output --partial "rarer"
	run -0 bash -c 'cchart-filter -c wakeups | stream-cat --text | grep "^shed"' < <(rates 'shed ts=50 what=stacks cost=0.0812 share=0.07 limit=0.05')
	assert_output "shed ts=50 what=stacks cost=0.0812 share=0.07 limit=0.05"
}

@test "what has begun when its chart is shed is no hang" {
	calls() {
		for i in {1..60}; do
			echo "event ts=$i.0 cpu=0 tid=7 comm=a name=raw_syscalls:sys_enter id=1"
			echo "event ts=$i.001 cpu=0 tid=7 comm=a name=raw_syscalls:sys_exit id=1 ret=0"
		done
		echo "event ts=61 cpu=0 tid=7 comm=a name=raw_syscalls:sys_enter id=1"
		printf '%s\n' "$@"
		echo "event ts=61.05 cpu=0 tid=8 comm=b name=raw_syscalls:sys_enter id=1"
		for i in {62..90}; do echo "tick ts=$i"; done
	}
	shed='shed ts=61.1 what=chart name=syscall events=raw_syscalls:sys_enter,raw_syscalls:sys_exit cost=0.0812 share=0.07 limit=0.05'
	run -0 bash -c 'cchart-filter --text -c syscall --limit=1s | grep -c "open=yes"' < <(calls)
	assert_output 2
	run -0 bash -c 'cchart-filter --text -c syscall --limit=1s | grep -E "^(open|signal|shed)"' < <(calls \
		"$shed")
	assert_output "$shed"
}

# 200 calls a second, of 30 kinds; this share of them, whichever kind they are, is preempted for 5 to 80 ms.
calls() { # SECONDS SHARE [SEED]
	awk -v seconds="$1" -v share="$2" -v seed="${3-7}" '
	function random() { # the same with any awk: of Park and Miller
		state = state * 16807 % 2147483647
		return state / 2147483647
	}
	BEGIN {
		state = seed * 100003
		print "stream version=1 machine=x86_64"
		for (i = 0; i < 200 * seconds; i++) {
			start = 1 + i / 200; last = 0.00001 + random() * 0.00001
			if (random() < share)
				last += 0.005 * exp(random() * log(16))
			what = sprintf("tid=%d comm=x name=raw_syscalls:sys_", 100 + i % 40)
			id = sprintf("id=%d", 200 + int(random() * 30)) # none of them waits for work
			printf "event ts=%.9f cpu=0 %senter %s\nevent ts=%.9f cpu=0 %sexit %s\n", start, what, id, start + last, what, id
		}
	}'
}

one_call() { # START END
	echo "event ts=$1 cpu=0 tid=9 comm=x name=raw_syscalls:sys_enter id=205"
	echo "event ts=$2 cpu=0 tid=9 comm=x name=raw_syscalls:sys_exit id=205"
}

in_time() { # a stream whose events are in no order
	sort -s -t= -k2,2n
}

@test "what disturbs system calls of all kinds is no signal, though each kind has seen little of it" {
	{ calls 40 0.025; one_call 31.5 33.0; } | in_time >in
	filter -c syscall in >out
	assert_equal "$(records signal <out | value value | tail -1)" 1.500000000
	# the limit that is told is the one that it passed
	awk -v ucl="$(records signal <out | value ucl | head -1)" 'BEGIN { exit !(ucl > 0.1 && ucl < 1) }'
	assert_equal "$(records window <out | wc -l)" 1
	refute [ "$(records signal <out | wc -l)" -gt 2 ] # while it lasted, and in the end
	# few disturbances of the first seconds are enough to know that there are some
	for seed in 1 3 6; do
		{ calls 40 0.01 $seed; one_call 31.5 33.0; } | in_time >in
		assert_equal "$(filter -c syscall in | records signal | value value | tail -1)" 1.500000000
		assert_equal "$(filter -c syscall in | records window | wc -l)" 1
	done
}

@test "a signal of a chart's first seconds is told when its keys' common limit is known" {
	{ calls 10 0.025; one_call 2.1 3.4; } | in_time >in
	assert_equal "$(filter -c syscall in | records signal | value value)" 1.300000000
	# where the input ends before that, too, and where next to nothing is disturbed
	{ calls 2 0.025; one_call 1.6 2.9; } | in_time >in
	assert_equal "$(filter -c syscall in | records signal | value value | sort -n | tail -1)" 1.300000000
	{ calls 10 0; one_call 6.1 6.2; one_call 2.1 2.2; } | in_time >in
	assert_equal "$(filter -c syscall in | records signal | wc -l)" 2
}

locks() { # MILLISECONDS SECOND...: a call of flock each tenth of a second, of which those of these seconds wait so long
	awk -v wait="$1" -v at="${*:2}" '
	BEGIN {
		count = split(at, second, " ")
		for (i = 1; i <= count; i++) waits[second[i]]
		for (i = 10; i < 2420; i++) {
			what = "tid=9 comm=x name=raw_syscalls:sys_"; start = 1 + i / 10
			last = i % 10 == 0 && i / 10 in waits ? wait / 1000 : 0.000002 + i % 3 / 1e6
			printf "event ts=%.9f cpu=1 %senter id=73\nevent ts=%.9f cpu=1 %sexit id=73\n", start, what, start + last, what
			i += int(last * 10)
		}
	}'
}

@test "what befalls calls of one kind alone, however often, is no disturbance of all" {
	{ calls 240 0.002; locks 700 60 100 140 180 220; } | in_time >in
	filter -c syscall in >out
	assert_equal "$(records signal <out | grep -c 'key=flock.* value=0.7000')" 5
	refute [ "$(records signal <out | grep -vc 'key=flock')" -gt 2 ] # those of the first second, when nothing was known
}

@test "with limits that were given, what is abnormal by them does not become usual" {
	{ calls 10 0; } | in_time >good
	calls 40 0.025 | in_time >bad
	filter -c syscall --save-limits=limits good >/dev/null
	[ "$(filter -c syscall --limits=limits bad | records signal | wc -l)" -gt 100 ]
}

@test "turns of others, however seldom a thread has to wait for one, are soon no signal; a wait that is longer than they are is" {
	wait_of() { # FROM MILLISECONDS
		event "$1" 9 sched:sched_waking pid=100
		event $(($1 + $2)) 9 sched:sched_switch prev_pid=9 prev_state=R next_pid=100
		event $(($1 + $2 + 1)) 100 sched:sched_switch prev_pid=100 prev_state=S next_pid=9
	}
	for ((i = 0; i < 400; i++)); do wait_of $((i * 15)) $((i > 105 && i % 8 == 0 ? 10 + i % 3 : 1 + i % 2)); done >turns
	filter -c runq turns >out
	refute [ "$(records window <out | wc -l)" -gt 1 ] # of the first second, when no wait had taken so long
	assert_equal "$(records signal <out | value ts | awk '$1 > 3')" ""
	{ cat turns; wait_of 7000 200; } >long
	assert_equal "$(filter -c runq long | records signal | value value | tail -1)" 0.200000000
	# what a chart without keys has in common is its bursts
	sed 's/bursts=yes/common=yes/' "$TOP/charts/runq.chart" >older.chart
	assert_equal "$(filter -c ./older.chart long | records signal)" "$(filter -c runq long | records signal)"
}

@test "a burst of requests that is longer than those before it is no signal, one that is much longer is" {
	# each request of a burst waits for those before it, a tenth of a millisecond each
	burst() ( # FROM REQUESTS [DISK]
		for ((i = 1; i <= $2; i++)); do
			echo "event ts=$1.000000 cpu=0 tid=9 comm=x name=block:block_bio_queue dev=${3-7:0} sector=$((i * 8)) nr_sector=8 rwbs=R"
			printf 'event ts=%d.%06d cpu=0 tid=0 name=block:block_rq_complete dev=%s sector=%d nr_sector=8\n' "$1" $((i * 100)) "${3-7:0}" $((i * 8))
		done
	)
	count=(10 14 7 30 12 9 21 16 8 11 25 13 6 18 10 40 9 15 22 12)
	for i in "${!count[@]}"; do burst "$i" "${count[i]}"; done >bursts
	{ cat bursts; burst 20 80; burst 21 12; } >longer
	assert_equal "$(filter -c block longer | records signal | wc -l)" 0
	{ cat bursts; burst 20 2000; burst 21 12; } >longest
	filter -c block longest >out
	assert_equal "$(records window <out | wc -l)" 1
	assert_equal "$(records signal <out | value value | sort -n | tail -1)" 0.200000000
	awk -v ucl="$(records signal <out | value ucl | head -1)" 'BEGIN { exit !(ucl > 0.008 && ucl < 0.1) }'
	# an incident of some seconds does not make itself usual
	{
		for i in {0..19}; do burst "$i" $((i % 7 == 3 ? 350 : i % 3 * 4 + 2)); done
		for i in {1..30}; do
			event 20000 9 block:block_bio_queue dev=7:0 sector=$((i * 8)) nr_sector=8 rwbs=R
			event $((20000 + i * 100)) 0 block:block_rq_complete dev=7:0 sector=$((i * 8)) nr_sector=8
		done
	} | in_time >lasting
	assert_equal "$(filter -c block lasting | records signal | value value | sort -n | tail -1)" 3.000000000
	[ "$(filter -c block lasting | records signal | grep -vc open=yes)" -gt 15 ]
	# each disk has bursts of its own
	for i in "${!count[@]}"; do burst "$i" "${count[i]}"; burst "$i" "$((count[i] * 20))" 7:1; done | in_time >two
	{ cat two; burst 20 2000; } >three
	assert_equal "$(filter -c block two | records signal | wc -l)" 0
	assert_equal "$(filter -c block three | records signal | value key | sort -u)" 7:0
}

# --- charts that tell each value ---------------------------------------------------------------------------------------

# A command, process 7, that becomes another program, and runs until TIME; its child 8 runs programs, too.
command_until() ( # TIME: that the command ends; none: it does not
	echo "traced tids=7"
	echo "traced command=7"
	event 1000 7 sched:sched_process_exec filename=/bin/sh pid=7 old_pid=7
	event 1100 7 sched:sched_process_fork parent_comm=sh parent_pid=7 child_comm=sh child_pid=8
	echo "traced tids=8"
	event 1200 8 sched:sched_process_exec filename=/bin/true pid=8 old_pid=8
	event 1300 8 sched:sched_process_exit comm=t8 pid=8
	event 1400 7 sched:sched_process_exec filename=/bin/sleep pid=7 old_pid=7
	noise 1500 "${1:-4000}"
	[ -z "$1" ] || event "$1" 7 sched:sched_process_exit comm=t7 pid=7
)

@test "a command is told as a whole, once, however long it took, and of all processes it alone" {
	command_until 4000 | filter -c command >out 2>err
	assert_equal "$(<err)" ""
	assert_equal "$(records signal <out)" "signal id=1 ts=4.000000000 start=1.000000000 chart=command value=3.000000000 rules=fixed tid=7 comm=t7 filename=/bin/sh"
	assert_equal "$(records window <out)" "window id=1 from=1.000000000 to=4.010000000 signals=1-1 complete=yes"
	assert_equal "$(records event <out)" "$(command_until 4000 | records event)"
	command_until | filter -c command --limit=1h --only-limit >out
	assert_equal "$(records signal <out)" "signal id=1 ts=3.900000000 start=1.000000000 chart=command value=2.900000000 rules=fixed tid=7 comm=t7 filename=/bin/sh open=yes"
	command_until 4000 | filter -c command --limit=command=5s >out # the user knows better
	assert_equal "$(records signal <out)" ""
	command_until 4000 | sed '/^traced command/d' | filter -c command >out
	assert_equal "$(records signal <out)" ""
}

@test "a command is told though events were lost" {
	command_until 4000 | sed '/^event ts=2.5/i lost ts=2.4 cpu=0 count=9 from=2.0' >in
	run -3 --separate-stderr filter -c command in
	assert_equal "$(records signal <<<"$output" | value value)" 3.000000000
	assert_equal "$(records window <<<"$output" | value complete)" no
	sed -i '/sched_process_exit comm=t7/d' in
	run -3 --separate-stderr filter -c command in
	assert_equal "$(records signal <<<"$output" | grep -o "value=.*")" "value=2.900000000 rules=fixed tid=7 comm=t7 filename=/bin/sh open=yes"
}

@test "a command that outlasts the budget is told so far, and again at its end" {
	{ command_until | records traced; for ((t = 1000; t < 4000; t += 1)); do event $t 7 sched:sched_process_exec filename=/bin/sh pid=7 old_pid=7; done
	  event 4000 7 sched:sched_process_exit comm=t7 pid=7; } >in
	filter -c command --context=32K --burst=150K in >out
	assert_equal "$(records signal <out | wc -l)" 2
	assert_equal "$(records signal <out | sed -n 's/ comm.*//; 2p')" "signal id=2 ts=4.000000000 start=1.000000000 chart=command value=3.000000000 rules=fixed tid=7"
	run value complete < <(records window <out)
	assert_output $'yes\nno'
	told=$(records signal <out | value ts | head -1)
	assert_equal "$(records window <out | value to | head -1)" "$told"
	# all that the first window covers is there, and no more passes in all than may
	assert_equal "$(records event <out | awk -v to="$told" '{ split($2, a, "="); n += a[2] <= to } END { print n }')" \
		"$(awk -v to="$told" '/^event/ { split($2, a, "="); n += a[2] <= to } END { print n }' in)"
	[ "$(records event <out | wc -c)" -lt 400000 ]
}
