# The builder of wake graphs on hand-written traps.
# shellcheck disable=SC2016,SC2154 # what bash -c is to expand; what run sets

load helper

W=$TOP/testdata/wake

graphs() { grep -E '^(graph|node|edge) '; }

# who FIXTURE: the most blamed name.
who() { blame-rank --text "$W/$1.txt" | sed -nE '/^blame graph=1 rank=1 /s/.* name=("([^"]*)"|(\S*)).*/\2\3/p'; }

# window ID SECOND SIGNAL...: a window of five seconds in which the victim runs, sleeps and is woken by its timer.
window() {
	local id=$1 t=$2 signal
	shift 2
	cat <<-EOT
		event ts=$t.0 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=$t.2 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=S next_pid=0
		event ts=$t.4 cpu=0 tid=0 name=timer:hrtimer_expire_entry hrtimer=0x1
		event ts=$t.4 cpu=0 tid=0 name=sched:sched_waking pid=10 target_cpu=0
		event ts=$t.4 cpu=0 tid=0 name=timer:hrtimer_expire_exit hrtimer=0x1
		event ts=$t.5 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_pid=10
	EOT
	for signal; do
		echo "signal id=$signal ts=$t.6 start=$t.1 chart=func:x:y value=${signal}0 center=1 ucl=10 rules=1 tid=10"
	done
	echo "window id=$id from=$t.1 to=$t.6 signals=${1-0}-${!#} complete=yes"
}

@test "each trap has the graph that it should" {
	for f in "$W"/*.txt; do
		graph-build --text "$f" | graphs >out || [ "${PIPESTATUS[0]}" = 3 ]
		diff "${f%.txt}.graph" out || fail "$f"
	done
}

@test "a sleep in a server is for the program that asked, if that began within the data and has no answer yet" {
	sleeper() { blame-rank --text | grep -m1 '^blame graph=1 rank=1 '; }
	sleeper <"$W/served.txt" | grep -q ' name="timer: clock_nanosleep of session for client" .* whom_tid=30'
	blame-rank <"$W/served.txt" | COLUMNS=1000 report - | grep -q 'session for client'
	# a copy of the shell may be asked by the server as well as ask it
	sed '/sched_process_exec/d' "$W/served.txt" | sleeper | grep -q ' name="timer: clock_nanosleep of session" '
	# nor does an older program show that
	sed '/sched_process_fork/d' "$W/served.txt" | sleeper | grep -q ' name="timer: clock_nanosleep of session" '
	# nor one that asks after it, and was answered before
	awk '{ print }
		/^event ts=1.0.*session/ {
			print "event ts=1.01 cpu=2 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=older next_pid=50"
			print "event ts=1.02 cpu=2 tid=50 comm=older name=syscalls:sys_enter_read fd=3"
			print "event ts=1.03 cpu=2 tid=50 comm=older name=sched:sched_switch prev_pid=50 prev_state=S next_pid=0"
			print "event ts=1.05 cpu=1 tid=20 comm=session name=sched:sched_waking comm=older pid=50 target_cpu=2" }
		/sys_exit_epoll_wait/ {
			print "event ts=1.81 cpu=1 tid=20 comm=session name=syscalls:sys_enter_epoll_wait"
			print "event ts=1.82 cpu=1 tid=20 comm=session name=sched:sched_switch prev_pid=20 prev_state=S next_pid=0"
			print "event ts=1.83 cpu=2 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=older next_pid=50"
			print "event ts=1.835 cpu=2 tid=50 comm=older name=syscalls:sys_exit_read ret=1"
			print "event ts=1.836 cpu=2 tid=50 comm=older name=syscalls:sys_enter_write fd=3"
			print "event ts=1.84 cpu=2 tid=50 comm=older name=sched:sched_waking comm=session pid=20 target_cpu=1"
			print "event ts=1.85 cpu=1 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=session next_pid=20"
			print "event ts=1.86 cpu=1 tid=20 comm=session name=syscalls:sys_exit_epoll_wait" }
		/^task.*tid=40/ { print "task ts=0.5 tid=50 comm=older tgid=50" }' "$W/served.txt" >older.txt
	sleeper <older.txt | grep -q ' name="timer: clock_nanosleep of session" '
	# it was answered before the sleep
	awk '{ print }
		/sys_exit_epoll_wait/ { print "event ts=1.850000000 cpu=1 tid=20 comm=session name=sched:sched_waking comm=client pid=30 target_cpu=2" }' \
		"$W/served.txt" | sleeper | grep -q ' name="timer: clock_nanosleep of session" '
	# so it was, while it was awake, so that the answer woke nobody
	awk '/ts=1.6.*client/ { print "event ts=1.59 cpu=0 tid=30 comm=client name=syscalls:sys_enter_sendto fd=3" }
		/ts=1.7.*prev_pid=30/ { sub("prev_state=S", "prev_state=R") }
		/ts=2.2/ { sub("next_pid=0", "next_comm=client next_pid=30") }
		{ print }
		/ts=1.6.*client/ {
			print "event ts=1.61 cpu=0 tid=30 comm=client name=syscalls:sys_exit_sendto ret=2"
			print "event ts=1.62 cpu=0 tid=30 comm=client name=syscalls:sys_enter_recvfrom fd=3" }
		/sys_exit_epoll_wait/ {
			print "event ts=1.82 cpu=1 tid=20 comm=session name=syscalls:sys_enter_sendto fd=5"
			print "event ts=1.83 cpu=1 tid=20 comm=session name=syscalls:sys_exit_sendto ret=3" }
		/ts=2.2/ {
			print "event ts=2.25 cpu=0 tid=30 comm=client name=syscalls:sys_exit_recvfrom ret=3"
			print "event ts=2.26 cpu=0 tid=30 comm=client name=sched:sched_switch prev_pid=30 prev_state=S next_pid=0" }' "$W/served.txt" >awake.txt
	sleeper <awake.txt | grep -q ' name="timer: clock_nanosleep of session" '
	# it has ended, and so has its answer, though it did not sleep for that
	sed '/ts=5.5/d; s/prev_pid=30 prev_state=S/prev_pid=30 prev_state=Z/
		/ts=1.7.* tid=30/i event ts=1.65 cpu=0 tid=30 comm=client name=sched:sched_process_exit comm=client pid=30' \
		"$W/served.txt" | sleeper | grep -q ' name="timer: clock_nanosleep of session" '
}

# in_order: records in the order of time; the signal and its window at the end.
in_order() {
	sort -s -t = -k 2,2n >sorted.txt
	grep ^task sorted.txt
	grep ^event sorted.txt
	grep -E '^(signal|window)' sorted.txt
}

@test "a run in a server is for the program that asked, however often others have the CPU in between" {
	awk '/ts=1.9|ts=2.0|ts=5.0|ts=5.1|ts=5.2/ { next } /ts=5.3/ {
		for (t = 2; t < 5; t += 0.01) {
			printf "event ts=%.6f cpu=1 tid=20 comm=session name=sched:sched_switch prev_pid=20 prev_state=R+ next_comm=other next_pid=60\n", t
			printf "event ts=%.6f cpu=1 tid=60 comm=other name=sched:sched_switch prev_pid=60 prev_state=S next_comm=session next_pid=20\n", t + 0.001 } }
		{ print }' "$W/served.txt" | in_order | blame-rank --text | grep '^blame graph=1 ' >out
	head -n1 out | grep ' name="session: running for client" '
	run ! grep 'name="session: running"' out
}

@test "a run in a server is for the program that asked, though its thread naps for its colleagues meanwhile" {
	napping() {
		awk -v nap="$1" '/ts=1.9|ts=2.0|ts=5.0|ts=5.1|ts=5.2/ { next } /ts=5.3/ {
			for (t = 2; t < 5; t += 0.01) {
				printf "event ts=%.6f cpu=1 tid=20 comm=session name=syscalls:sys_enter_futex uaddr=0x10 op=0x89 val=0x7 utime=0x1\n", t
				printf "event ts=%.6f cpu=1 tid=20 comm=session name=sched:sched_switch prev_pid=20 prev_state=S next_pid=0\n", t + 0.0001
				printf "event ts=%.6f cpu=1 tid=0 name=timer:hrtimer_expire_entry hrtimer=0x1\n", t + nap
				printf "event ts=%.6f cpu=1 tid=0 name=sched:sched_waking comm=session pid=20 target_cpu=1\n", t + nap
				printf "event ts=%.6f cpu=1 tid=0 name=timer:hrtimer_expire_exit hrtimer=0x1\n", t + nap
				printf "event ts=%.6f cpu=1 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=session next_pid=20\n", t + nap + 0.0001
				printf "event ts=%.6f cpu=1 tid=20 comm=session name=syscalls:sys_exit_futex ret=-110\n", t + nap + 0.0002 } }
			{ print }' "$W/served.txt" | in_order | blame-rank --text | grep '^blame graph=1 ' >out
	}
	napping 0.001
	head -n1 out | grep ' name="session: running for client" '
	run ! grep 'name="session: running"' out
	# it did next to nothing but nap
	napping 0.009
	grep 'name="session: running"' out
	run ! grep 'name="session: running for client"' out
}

@test "the last of several who do a part of a request hands on nothing" {
	{
		sed '/ts=1.9/d; /ts=2.0/d; /ts=5.[012]/d; /ts=1/{ s/session/listener/g; s/id=20/id=23/g }' "$W/served.txt"
		printf 'task ts=0.5 tid=%d comm=%s tgid=20\n' 21 worker 22 worker 23 listener
		while read -r ts cpu tid rest; do
			echo "event ts=$ts cpu=$cpu tid=$tid name=$rest"
		done <<-EOT
			0.90 2 0 sched:sched_switch prev_pid=0 prev_state=R next_comm=worker next_pid=21
			0.91 2 21 syscalls:sys_enter_futex uaddr=0x20 op=0x89 val=0x7
			0.92 2 21 sched:sched_switch prev_pid=21 prev_state=S next_comm=worker next_pid=22
			0.93 2 22 syscalls:sys_enter_futex uaddr=0x20 op=0x89 val=0x7
			0.94 2 22 sched:sched_switch prev_pid=22 prev_state=S next_pid=0
			0.95 3 0 sched:sched_switch prev_pid=0 prev_state=R next_comm=session next_pid=20
			0.96 3 20 syscalls:sys_enter_futex uaddr=0x50 op=0x89 val=0x7
			0.97 3 20 sched:sched_switch prev_pid=20 prev_state=S next_pid=0
			1.81 1 23 sched:sched_waking comm=session pid=20 target_cpu=1
			1.82 1 23 syscalls:sys_enter_epoll_wait
			1.83 1 23 sched:sched_switch prev_pid=23 prev_state=S next_comm=session next_pid=20
			1.84 1 20 syscalls:sys_exit_futex ret=0
			1.90 1 20 sched:sched_waking comm=worker pid=21 target_cpu=2
			1.91 1 20 sched:sched_waking comm=worker pid=22 target_cpu=2
			1.92 1 20 syscalls:sys_enter_futex uaddr=0x30 op=0x89 val=0x7
			1.93 1 20 sched:sched_switch prev_pid=20 prev_state=S next_pid=0
			2.00 2 0 sched:sched_switch prev_pid=0 prev_state=R next_comm=worker next_pid=21
			2.01 2 21 syscalls:sys_exit_futex ret=0
			2.30 2 21 syscalls:sys_enter_futex uaddr=0x40 op=0x89 val=0x7
			2.31 2 21 sched:sched_switch prev_pid=21 prev_state=S next_comm=worker next_pid=22
			2.32 2 22 syscalls:sys_exit_futex ret=0
			2.60 2 22 sched:sched_waking comm=worker pid=21 target_cpu=2
			2.61 2 22 syscalls:sys_enter_futex uaddr=0x20 op=0x89 val=0x7
			2.62 2 22 sched:sched_switch prev_pid=22 prev_state=S next_comm=worker next_pid=21
			2.63 2 21 syscalls:sys_exit_futex ret=0
			2.90 2 21 sched:sched_waking comm=session pid=20 target_cpu=1
			2.91 2 21 syscalls:sys_enter_futex uaddr=0x20 op=0x89 val=0x7
			2.92 2 21 sched:sched_switch prev_pid=21 prev_state=S next_pid=0
			3.00 1 0 sched:sched_switch prev_pid=0 prev_state=R next_comm=session next_pid=20
			3.01 1 20 syscalls:sys_exit_futex ret=0
		EOT
	} | in_order >team.txt
	blame-rank --text team.txt | grep -m1 '^blame graph=1 rank=1 ' | grep ' name="session: running for client" '
	# the session had not asked the workers since it slept the last time
	grep -vE 'ts=1.9[01].*pid=2[12] ' team.txt | blame-rank --text | grep -m1 '^blame graph=1 rank=1 ' | grep ' name="session: running" '
}

@test "whom a connection that wakes nobody asks, and what a thread that has started a job waits for" {
	chain() { blame-rank | COLUMNS=1000 report | sed -n 's/^   chain   //p'; }
	assert_equal "$(chain <"$W/taker.txt")" 'victim waits for server (poll) > job (poll), running'
	# connections woke another process, too
	several() {
		sed '/^task.*tid=40/a task ts=0.5 tid=50 comm=other tgid=50
			/^event ts=1.13 /a event ts=1.131 cpu=0 tid=40 comm=earlier name=syscalls:sys_enter_connect fd=4
			/^event ts=1.13 /a event ts=1.132 cpu=0 tid=40 comm=earlier name=sock:inet_sock_set_state oldstate=2 newstate=1 dport=443 daddr_v6=0x7f
			/^event ts=1.13 /a event ts=1.133 cpu=0 tid=40 comm=earlier name=sched:sched_waking comm=other pid=50 target_cpu=1
			/^event ts=1.13 /a event ts=1.134 cpu=0 tid=40 comm=earlier name=syscalls:sys_exit_connect ret=0' "$W/taker.txt"
	}
	assert_equal "$(several | chain)" ''
	# two did, and wait alike; then not alike
	assert_equal "$(chain <"$W/workers.txt")" 'victim waits for first (poll), still asleep in flock'
	assert_equal "$(sed 's/\(tid=21 .*\)flock/\1fsync/' "$W/workers.txt" | chain)" ''
	# one of them has ended; a third, which listened when tracing began, waits alike, or not
	assert_equal "$(sed 's/^event ts=1.28 /event ts=1.274 cpu=1 tid=0 comm=swapper name=sched:sched_switch prev_pid=0 prev_state=R next_comm=first next_pid=20\
event ts=1.275 cpu=1 tid=20 comm=first name=sched:sched_process_exit comm=first pid=20\
event ts=1.276 cpu=1 tid=20 comm=first name=sched:sched_switch prev_comm=first prev_pid=20 prev_state=X next_comm=swapper\/1 next_pid=0\n&/' "$W/workers.txt" | chain)" \
		'victim waits for second (poll), still asleep in flock'
	third() { sed "s/^task.*tid=21 .*/&\ntask ts=0.5 tid=22 comm=third tgid=22\ntraced process=22 listens=443 seen=1.001 takes=yes call=$1/; s/daddr/saddr_v6=0x7f daddr/" "$W/workers.txt"; }
	assert_equal "$(third flock | chain)" 'victim waits for third (poll), still asleep in flock'
	assert_equal "$(third fsync | chain)" ''
	# in another window one of them was not seen
	later() {
		sed '/^window/q' "$W/workers.txt"
		awk '/^event ts=1.(0[0-9]|1|2[0-7])/ { next } /^(event|signal|window)/ { gsub(/=1\./, "=11."); gsub(/=3\./, "=13."); sub(/id=1/, "id=2"); sub(/signals=1-1/, "signals=2-2"); print }' "$W/workers.txt" |
			sed '/^signal/i event ts=13.0 cpu=1 tid=20 comm=first name=irq:softirq_entry vec=1\nevent ts=13.01 cpu=1 tid=20 comm=first name=irq:softirq_exit vec=1'
	}
	assert_equal "$(later | chain)" 'victim waits for first (poll), still asleep in flock' # in the first window only
	# another port
	assert_equal "$(sed 's/\(ts=1.31 .*dport=\)443/\180/' "$W/taker.txt" | chain)" ''
	# two jobs: the server waits for either
	assert_equal "$(sed 's/^event ts=1.21 .*/event ts=1.205 cpu=1 tid=20 comm=server name=sched:sched_process_fork parent_comm=server parent_pid=20 child_comm=server child_pid=31\
task ts=1.2 tid=31 comm=server tgid=31\n&/' "$W/taker.txt" | chain)" 'victim waits for server (poll), still asleep in poll'
	# another client had it go on since it started the job
	assert_equal "$(sed 's/^event ts=1.3 .*/event ts=1.235 cpu=0 tid=10 comm=victim name=sched:sched_waking comm=server pid=20 target_cpu=1\nevent ts=1.24 cpu=1 tid=30 comm=job name=sched:sched_switch prev_comm=job prev_pid=30 prev_state=R next_comm=server next_pid=20\nevent ts=1.25 cpu=1 tid=20 comm=server name=syscalls:sys_exit_poll ret=1\n&/
		/^event ts=1.32 /i event ts=1.315 cpu=1 tid=20 comm=server name=syscalls:sys_enter_poll ufds=0x7 nfds=2
		/^event ts=1.32 /i event ts=1.316 cpu=1 tid=20 comm=server name=sched:sched_switch prev_comm=server prev_pid=20 prev_state=S next_comm=job next_pid=30' "$W/taker.txt" | chain)" \
		'victim waits for server (poll), still asleep in poll'
}

@test "what a thread was handed before, and was done with, does not matter for whom it works" {
	worker() { blame-rank --text | grep -m1 '^blame graph=1 rank=1 '; }
	{
		sed -n '/^task/p' "$W/served.txt"
		printf 'task ts=0.5 tid=%d comm=%s tgid=20\n' 21 worker 22 other
		sed '/^task/d; /ts=[15].*tid=20/s/clock_nanosleep/epoll_wait/; /ts=5.*cpu=1/d; /^signal/,$d' "$W/served.txt"
		while read -r ts tid rest; do
			echo "event ts=$ts cpu=2 tid=$tid name=$rest"
		done <<-EOT
			1.000 0 sched:sched_switch prev_pid=0 prev_state=R next_comm=worker next_pid=21
			1.010 21 syscalls:sys_enter_epoll_wait
			1.020 21 sched:sched_switch prev_pid=21 prev_state=S next_comm=other next_pid=22
			1.050 22 sched:sched_waking comm=worker pid=21 target_cpu=2
			1.060 22 sched:sched_switch prev_pid=22 prev_state=S next_comm=worker next_pid=21
			1.070 21 syscalls:sys_exit_epoll_wait
			1.080 21 sched:sched_waking comm=other pid=22 target_cpu=2
			1.090 21 syscalls:sys_enter_epoll_wait
			1.100 21 sched:sched_switch prev_pid=21 prev_state=S next_comm=other next_pid=22
			1.200 22 sched:sched_switch prev_pid=22 prev_state=S next_pid=0
			1.860 0 sched:sched_switch prev_pid=0 prev_state=R next_comm=worker next_pid=21
			1.870 21 syscalls:sys_exit_epoll_wait
			1.880 21 syscalls:sys_enter_clock_nanosleep
			1.890 21 sched:sched_switch prev_pid=21 prev_state=S next_pid=0
			5.000 0 timer:hrtimer_expire_entry hrtimer=0x1
			5.001 0 sched:sched_waking comm=worker pid=21 target_cpu=2
			5.002 0 timer:hrtimer_expire_exit hrtimer=0x1
			5.100 0 sched:sched_switch prev_pid=0 prev_state=R next_comm=worker next_pid=21
			5.300 21 sched:sched_waking comm=victim pid=10 target_cpu=0
		EOT
		echo 'event ts=1.850 cpu=1 tid=20 comm=session name=sched:sched_waking comm=worker pid=21 target_cpu=2'
		sed -n '/^signal/,$p' "$W/served.txt"
	} | in_order >in.txt
	worker <in.txt | grep ' name="timer: clock_nanosleep of worker for client" '
	# it was not done with that
	sed '/ts=1.080/d' in.txt | worker | grep ' name="timer: clock_nanosleep of worker" '
}

@test "who sent a datagram and has ended, without waiting or receiving, has no answer" {
	sleeper() { blame-rank --text | grep -m1 '^blame graph=1 rank=1 '; }
	sent() {
		sed "/ts=5.5/d; s/prev_pid=30 prev_state=S/prev_pid=30 prev_state=Z/
			/ts=1.6.* tid=30/i event ts=1.59 cpu=0 tid=30 comm=client name=syscalls:sys_enter_sendto fd=3
			/ts=1.7.* tid=30/i event ts=1.61 cpu=0 tid=30 comm=client name=syscalls:sys_exit_sendto ret=4
			/ts=1.7.* tid=30/i event ts=1.65 cpu=0 tid=30 comm=client name=sched:sched_process_exit comm=client pid=30" "$W/served.txt"
	}
	sent | sleeper | grep -q ' name="timer: clock_nanosleep of session for client" '
	# it received something, and need not have waited for that
	sent | sed '/ts=1.65/i event ts=1.62 cpu=0 tid=30 comm=client name=syscalls:sys_enter_recvfrom fd=3
		/ts=1.65/i event ts=1.63 cpu=0 tid=30 comm=client name=syscalls:sys_exit_recvfrom ret=4' |
		sleeper | grep -q ' name="timer: clock_nanosleep of session" '
	# only the server's calls are known: it sent nothing, or something
	unsent() { sent | sed '/sendto/d; /ts=1.8/a event ts=1.81 cpu=1 tid=20 comm=session name=syscalls:sys_enter_recvfrom fd=3' |
		sed '/ts=1.81/a event ts=1.815 cpu=1 tid=20 comm=session name=syscalls:sys_exit_recvfrom ret=4'; }
	unsent | sleeper | grep -q ' name="timer: clock_nanosleep of session for client" '
	unsent | sed '/ts=1.815/a event ts=1.82 cpu=1 tid=20 comm=session name=syscalls:sys_enter_sendto fd=3
		/ts=1.815/a event ts=1.83 cpu=1 tid=20 comm=session name=syscalls:sys_exit_sendto ret=4' |
		sleeper | grep -q ' name="timer: clock_nanosleep of session" '
}

@test "a wait that began before the data was in the call that returned first" {
	window 1 10 1 | sed '/ts=10.2/d; /ts=10.0/s/cpu=0/cpu=1/; /ts=10.0/s/victim next_pid=10/other next_pid=20/; /ts=10.5/a event ts=10.55 cpu=0 tid=10 comm=victim name=syscalls:sys_exit_recvfrom ret=4' >in.txt
	graph-build --text in.txt | graphs >out
	grep -q 'name="victim: waiting" .* syscall=recvfrom' out
	# such failures are among the data without their entries
	sed 's/sys_exit_recvfrom ret=4/sys_exit_mkdir ret=-17/' in.txt | graph-build --text | graphs >out
	run ! grep syscall= out
}

# bats test_tags=long
@test "who still leaves a CPU has not got it back" {
	for f in "$W"/*.txt; do
		awk '{ print } /name=sched:sched_switch/ { print $1, $2, $3, $4, "name=tlb:tlb_flush reason=0 pages=0" }' "$f" >in
		graph-build --text in 2>/dev/null | graphs | diff "${f%.txt}.graph" - || fail "$f"
	done
}

@test "who had asked is told of a request that was answered, where the answer woke nobody else" {
	asked() { blame-rank "$1" | report -f json | jq -r '.moments[0].worst[0] | .words, .client_tid'; }
	run asked "$W/client.txt"
	assert_output $'request from slowclient/20 to server/10 took 411 ms\n20'
	sed '/ts=1.408 /i event ts=1.4075 cpu=0 tid=10 comm=server name=sched:sched_waking comm=client pid=30 target_cpu=1' "$W/client.txt" >in
	run asked in
	assert_output $'request to server/10 took 411 ms\nnull'
	sed 's/^\(signal .*\) fd=5/\1 fd=8/' "$W/client.txt" >in # another connection
	run asked in
	assert_output $'request to server/10 took 411 ms\nnull'
}

@test "what another client did before it asked a server that had gone idle is not on the path, and its time is unknown" {
	run blame-rank --text <(sed 's/ expires=[0-9]*//' "$W/deadline.txt")
	assert_line --regexp '^blame graph=1 .* name="unknown: epoll_wait of server" .* score=1.78'
	refute_line --regexp '^(path|blame) .*other'
}

@test "a wait that its own timers end is for an answer only where the thread asked by that connection, and it ever answered" {
	run blame-rank --text <(sed 's/^traced .*//' "$W/unanswered.txt")
	assert_line --regexp '^blame graph=1 rank=1 name="timer: epoll_wait of victim" '
	run blame-rank --text <(sed 's/^traced .*/traced process=10 asked=4/' "$W/unanswered.txt")
	assert_line --regexp '^blame graph=1 rank=1 name="timer: epoll_wait of victim" '
	run blame-rank --text <(sed '/sys_exit_recvfrom/s/ret=5/ret=0/' "$W/unanswered.txt")
	assert_line --regexp '^blame graph=1 rank=1 name="timer: epoll_wait of victim" '
	run blame-rank --text <(sed '/sys_enter_write/i event ts=2.525 cpu=0 tid=10 comm=victim name=syscalls:sys_enter_close fd=4\nevent ts=2.526 cpu=0 tid=10 comm=victim name=syscalls:sys_exit_close ret=0' "$W/unanswered.txt")
	assert_line --regexp '^blame graph=1 rank=1 name="server: running" .* score=0.98' # it was given up then
	assert_line --regexp '^blame graph=1 rank=2 name="timer: epoll_wait of victim" .* score=0.94'
}

@test "a connection that wakes nobody is for the one process that listens there, where that is certain" {
	first() { sed "$1" "$W/listener.txt" | blame-rank --text | sed -nE 's/^blame graph=1 rank=1 name="([^"]*)" .*/\1/p'; }
	assert_equal "$(first '')" "server: stopped by a signal"
	assert_equal "$(first 's/stopped=signal/takes=yes stopped=tracer/')" "server: stopped by a tracer"
	assert_equal "$(first 's/stopped=signal/takes=yes call=flock/')" "unknown: flock of server"
	# the collector has seen who has the lock
	assert_equal "$(first 's/stopped=signal/takes=yes call=flock/; /^event ts=1.0 /i event ts=1.0 cpu=0 tid=20 comm=server name=filelock:holder pid=30 s_dev=254:0 i_ino=7 fl_start=0 fl_end=9223372036854775807 late=0 path=/lock')" \
		"other: holding the lock of /lock that server wants"
	for other in 's/stopped=signal/stopped=tracer/' 's/stopped=signal/takes=yes/' 's/seen=1.001 stopped/seen=0.9 stopped/' 's/saddr_v6=0x7f/saddr_v6=0x80/' \
		's/listens=22/listens=443/' 's/listens=80,443/listens=80/' 's/process=20 /process=10 /' 's/^task.*tid=20 .*//' \
		'/sys_enter_connect/i event ts=1.2 cpu=1 tid=20 comm=server name=sched:sched_process_exit comm=server pid=20' \
		'/sys_enter_connect/i event ts=1.2 cpu=1 tid=20 comm=server name=sched:sched_process_fork parent_pid=20 child_pid=21' \
		'/sys_enter_connect/i event ts=1.2 cpu=1 tid=40 comm=new name=sock:inet_sock_set_state oldstate=7 newstate=10 sport=443 dport=0'; do
		assert_equal "$other: $(first "$other")" "$other: unknown: poll of victim"
	done
}

@test "who hangs at the other end of a connection since before the data explains the wait for it" {
	# peer FIELDS [SCRIPT]: of other, for which the server waits
	peer() {
		sed "s/^traced process=20 .*/traced process=20 listens=443 seen=1.001 takes=yes call=recvfrom\ntraced waiter=20 peer=30 seen=1.001 $1/; ${2-}" "$W/listener.txt" |
			blame-rank --text | sed -nE 's/^blame graph=1 rank=1 name="([^"]*)" .*/\1/p'
	}
	assert_equal "$(peer 'takes=yes stopped=signal')" "other: stopped by a signal"
	assert_equal "$(peer 'takes=yes call=futex')" "unknown: futex of other"
	assert_equal "$(peer 'stopped=signal')" "unknown: state of other" # which of its threads is not known
	assert_equal "$(peer 'takes=yes')" "unknown: state of other"
	assert_equal "$(peer 'takes=yes call=recvfrom' 's/^traced process=30 .*/traced waiter=30 peer=20 seen=1.001 takes=yes call=recvfrom/')" "unknown: recvfrom of server"
	assert_equal "$(peer 'takes=yes call=recvfrom' 's/^traced process=30 .*/&\ntraced waiter=30 peer=40 seen=1.001 takes=yes call=flock\ntask ts=0.5 tid=40 comm=third tgid=40/')" \
		"unknown: flock of third"
	assert_equal "$(peer 'takes=yes call=futex' 's/peer=30 seen=1.001/peer=30 seen=0.9/')" "unknown: recvfrom of server"
	assert_equal "$(peer 'takes=yes call=futex' 's/^task .*tid=30 .*//')" "unknown: recvfrom of server"
}

@test "of several processes that listen there any is the answer if they wait alike; their master does not count" {
	# together FIELDS FIELDS [FIELDS]: of the processes 20, server, and 30, other, and 31, third
	together() {
		sed "s/^traced process=20 .*/traced process=20 $1 listens=443 seen=1.001 takes=yes/; s/^traced process=30 .*/traced process=30 $2 listens=443 seen=1.001 takes=yes/
			${3+s/^task.*tid=30 .*/&\ntask ts=0.5 tid=31 comm=third tgid=31\ntraced process=31 $3 listens=443 seen=1.001 takes=yes/}" \
			"$W/listener.txt" | blame-rank --text | sed -nE 's/^blame graph=1 rank=1 name="([^"]*)" .*/\1/p'
	}
	assert_equal "$(together 'parent=1 call=flock' 'parent=20 call=flock')" "unknown: flock of server"
	assert_equal "$(together 'parent=1 call=flock' 'parent=20 call=recvfrom')" "unknown: poll of victim"
	assert_equal "$(together 'parent=1 stopped=signal' 'parent=20 stopped=signal')" "server: stopped by a signal"
	assert_equal "$(together 'parent=1 call=accept4' 'parent=20 call=accept4')" "unknown: poll of victim" # one of them would have been woken
	assert_equal "$(together 'parent=1 call=pselect6' 'parent=20 call=flock')" "unknown: poll of victim" # it has one child
	assert_equal "$(together 'parent=1 call=pselect6' 'parent=20 call=flock' 'parent=20 call=flock')" "unknown: flock of other"
	assert_equal "$(together 'parent=1 call=pselect6' 'parent=20 call=poll' 'parent=20 call=poll')" "unknown: poll of other"
	assert_equal "$(together 'parent=1 call=pselect6' 'parent=20 call=poll' 'parent=1 call=poll')" "unknown: poll of victim"
	assert_equal "$(together 'parent=1 stopped=signal' 'parent=20 call=flock' 'parent=20 call=flock')" "unknown: poll of victim"
}

@test "a server whose handler of a signal ends it was killed in its wait; one that goes on working was not" {
	# handled CALL SECONDS: the handler sleeps in this call, and so long after that the server ends
	handled() {
		awk -v call="$1" -v later="$2" '
			function event(ts, tid, rest) { print "event ts=" ts " cpu=0 tid=" tid " name=" rest }
			match($0, / ts=[0-9.]+/) && (ts = substr($0, RSTART + 4, RLENGTH - 4)) > 2.500045 { sub(/ ts=[0-9.]+/, sprintf(" ts=%.6f", ts + later)) }
			/^window/ { sub(/to=2.6/, "to=" 2.6 + later) }
			{ print }
			/ ts=2.50004/ {
				event("2.500041", 30, "syscalls:sys_enter_" call " fd=5")
				event("2.500042", 30, "sched:sched_switch prev_comm=server prev_pid=30 prev_state=S next_pid=0")
				event("2.500043", 0, "sched:sched_waking comm=server pid=30 target_cpu=0")
				event("2.500044", 0, "sched:sched_switch prev_pid=0 prev_state=R next_comm=server next_pid=30")
				event("2.500045", 30, "syscalls:sys_exit_" call " ret=1")
			}' "$W/killed-server.txt" | blame-rank --text | sed -nE 's/^blame graph=1 rank=1 name="([^"]*)" .*/\1/p'
	}
	assert_equal "$(handled write 0.1)" "unknown: futex of server"
	assert_equal "$(handled recvfrom 0.1)" "timer: sleep of watchdog"
	assert_equal "$(handled write 1.6)" "server: running"
	# a signal that asks for the end, which the data do not show
	asked() { sed "/sched_process_exit/d; s/prev_state=Z/prev_state=R/; /ts=2.50004/a event ts=2.500041 cpu=0 tid=30 comm=server name=signal:signal_deliver sig=$1 sa_handler=$2" "$W/killed-server.txt"; }
	first() { blame-rank --text | sed -nE 's/^blame graph=1 rank=1 name="([^"]*)" .*/\1/p'; }
	asked 6 0x7f | blame-rank --text | grep -q '^blame .*name="unknown: futex of server" label="until a signal broke it off"'
	assert_equal "$(asked 6 0x7f | first)" "unknown: futex of server"
	assert_equal "$(asked 10 0x7f | first)" "timer: sleep of watchdog" # SIGUSR1
	assert_equal "$(asked 15 0x1 | first)" "timer: sleep of watchdog" # it is ignored
	assert_equal "$(asked 15 0x7f | sed 's/\(enter_\|exit_\)futex/\1pause/' | first)" "timer: sleep of watchdog"
	# it goes back to its wait
	asked 15 0x7f | sed '/signal_deliver/a event ts=2.500042 cpu=0 tid=30 comm=server name=syscalls:sys_enter_futex uaddr=0x1028 op=128 utime=0\
event ts=2.500043 cpu=0 tid=30 comm=server name=sched:sched_switch prev_pid=30 prev_state=S next_pid=0\
event ts=2.500044 cpu=0 tid=0 name=sched:sched_waking comm=server pid=30 target_cpu=0\
event ts=2.500045 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=server next_pid=30\
event ts=2.500046 cpu=0 tid=30 comm=server name=syscalls:sys_exit_futex ret=0' | blame-rank --text >out
	grep -q '^node .*name="unknown: futex of server"' out
	run ! grep -q "until a signal" out
}

# bats test_tags=long
@test "the culprit of each trap is blamed" {
	while IFS='|' read -r fixture name; do
		assert_equal "$fixture: $(who "$fixture")" "$fixture: $name"
	done <<-'EOT'
		asks|cruncher: running
		asks-look|cruncher: running
		asks-on|unknown: futex of victim
		signalled|server: running
		impatient|server: running
		lost-datagram|unknown: waits in a circle
		apart|unknown: wait of victim
		armed|timer: armed by alarm for victim
		asked|slow: running
		asleep|unknown: futex of victim
		batch|server: running for bulky
		began|waker: running
		block|crowd: write of 7:0 in service
		backed|bulky: read of 254:0 in service
		backed-whole|grinder: running
		backed-flush|grinder: running
		behind|bulky: write of 7:0 in service
		slices|bulky: write of 7:0 in service
		stand|victim: write of 7:0 in service
		clients|worker: running
		handed-on|worker: running
		handed-to-new|backend: running
		room|worker: running
		shared-loop|worker: running
		others-answer|timer: epoll_wait of helper
		pooled|backend: running
		tick|maker: running
		unanswered|server: running
		workers|unknown: flock of first
		born|master: running
		broadcast|waker: running
		child|slowchild: running
		deadline|timer: epoll_wait of server
		delayed-work|timer: work on events
		dirty|bulky: write of 7:0 in service
		early|victim: running
		early-moved|hog: on CPU 2 while victim was runnable
		file|unknown: read tty of victim
		gathered|slow: running
		gives-up|server: running
		flags|unknown: wait of victim
		forked|hog: on CPU 1 while child was runnable
		held-back|io throttled: victim
		hidden|unknown: state of victim
		hidden-idle|worker: running
		flooded|timer: clock_nanosleep of server
		flush|bulky: flush of 7:0 in service
		commit|jbd2: write of 7:0 in service
		frequency|server: running at a low frequency
		joined|unknown: wait of victim
		killed|hoarder: killed by the OOM killer
		hit|worker: running
		hung|unknown: futex of victim
		unended-child|xz: running
		killed-server|unknown: futex of server
		polled|keeper: running
		polled-shell|unknown: holder of what sleep polls by mkdir
		hog|hogger: on CPU 0 while victim was runnable
		hog-for|bulky: on CPU 0 while victim was runnable
		hogged|hog: on CPU 0 while ksoftirqd/0 was runnable
		hogs|hog: on CPU while others were runnable
		idle|victim: runnable while an idle CPU woke up
		idle-first|hog: on CPU 0 while victim was runnable
		housekeeping|the kernel's deferred work (softirq RCU): membarrier of victim
		housework|the kernel's deferred work (softirq RCU): work on events
		interrupted|victim: running
		in-turn|writer: running
		ipi|unknown: wait of victim
		irq|irq virtio0: outside event for victim
		ksoftirqd|server: running
		lock|grinder: running
		loopback|server: running
		busy|editor: running in characters_at_index
		stacks|flusher: running in write_back_done
		lost|unknown: events were lost
		lost-request|crowd: write of 8:0 in service
		lost-work|kworker/1:1: running
		merged|reader: read of 254:0 in service
		merged-two|victim: read of 8:0 in service
		migrate|first: on CPU 1 while victim was runnable
		moved|victim: runnable
		no-exit|server: running
		no-exits|server: running
		nap|timer: pselect6 of sender
		nothing|unknown: what victim did is not in the data
		nothing-call|unknown: what victim did in futex is not in the data
		on-timer|unknown: wait of victim
		open|other: read of 7:0 in service
		packet|the kernel's receiving of packets (softirq NET_RX): outside event for victim
		packets|unknown: wait of victim
		packets-again|unknown: wait of victim
		paced|reader: running
		path|victim: read of 259:1 in service
		read|crowd: write of 7:0 in service
		renamed|shell: running
		reused|old: running
		ring|unknown: wait of other
		sent-again|timer: packet to victim
		spin|owner: running
		split|reader: read of 7:0 in service
		steered|unknown: wait of victim
		reclaim|victim: reclaiming memory of a control group
		crash|server: dying of SIGABRT
		spurious|victim: running
		stacked|reader: read of 254:0 in service
		stacked-later|bulky: write of 254:0 in service
		submitter|reader: read of 7:0 in service
		swapped-out|hoarder: swap-out of 7:0 in service
		swapper|unknown: wait of victim
		syscall-number|timer: nanosleep of victim
		taken-over|worker: running
		tasklets|unknown: wait of victim
		threaded|victim: read of 259:0 in service
		throttled|cpu throttled: victim
		timer|timer: nanosleep of victim
		timer-softirq|timer: sleep of victim
		twice|bfq of 7:0: held back read by reader
		work|bulky: work on flush
		writeback|bulky: write of 7:0 in service
	EOT
}

@test "a call that names no file to wait for only sleeps, also where its event has all arguments in a row" {
	{
		echo 'stream version=1 machine=x86_64'
		sed -E 's/syscalls:sys_enter_poll ufds=(.*) nfds=(.*) timeout.*/raw_syscalls:sys_enter id=7 args=\1,\2,0xea60,0x0,0x0,0x0/
			s/syscalls:sys_enter_pselect6 .*/raw_syscalls:sys_enter id=270 args=0x0,0x0,0x0,0x0,0x2,0x0/
			s/syscalls:sys_exit_poll /raw_syscalls:sys_exit id=7 /; s/syscalls:sys_exit_pselect6 /raw_syscalls:sys_exit id=270 /' "$W/nap.txt"
	} >in
	run -0 bash -c 'blame-rank --text in | grep -m1 "^blame "'
	assert_output --partial 'name="timer: pselect6 of sender"'
}

@test "a device that does all at once, and less than at other times, stood still" {
	# the last slice took 4 s instead of one, or as long as there is time
	for end in 8 2999999999; do
		sed -E "s/ts=5\./ts=$end./" "$W/slices.txt" >in
		run -0 bash -c 'blame-rank --text in | grep -m1 "^blame "'
		assert_output --partial 'name="victim: write of 7:0 in service"'
	done
	# what it can do is not known without other slices
	sed -E '/ts=[23]\./d' "$W/slices.txt" >in
	run -0 bash -c 'blame-rank --text in | grep -m1 "^blame "'
	assert_output --partial 'name="victim: write of 7:0 in service"'
}

@test "answers are waited for since they were asked for, and locks are not" {
	first() { sed "$1" "$W/gathered.txt" | blame-rank --text | sed -n 's/^blame graph=1 rank=1 name="\([^"]*\)" .*/\1/p'; }
	local slept futex='s/sys_enter_read fd=\(.\)/sys_enter_futex uaddr=0x\1 op=OP val=0/; s/sys_exit_read ret=8/sys_exit_futex ret=0/'

	run first "${futex//OP/393}" # a condition
	assert_output 'slow: running'
	run first "${futex//OP/128}" # a mutex
	assert_output 'quick: running'
	# a condition may be one, too: then all must be conditions, and the other one have run since; of a pipe neither matters
	run first "s/read fd=3/flock fd=3/; ${futex//OP/393}"
	assert_output 'quick: running'
	run first 's/read fd=3/flock fd=3/'
	assert_output 'slow: running'
	slept='/^event ts=1.030/i\
event ts=1.025000000 cpu=2 tid=30 comm=slow name=sched:sched_switch prev_pid=30 prev_state=S next_pid=0
		/^event ts=1.910/a\
event ts=2.400000000 cpu=1 tid=0 name=sched:sched_waking comm=slow pid=30 target_cpu=2\
event ts=2.400000000 cpu=2 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_pid=30'
	run --separate-stderr first "${futex//OP/393}
$slept"
	assert_output 'quick: running'
	run --separate-stderr first "$slept"
	assert_output 'unknown: wait of slow'
	# who has something to do in between has a story, too
	run first 's/ts=1\.904/ts=2.2/; s/ts=1\.910/ts=2.3/'
	assert_output 'quick: running'
}

@test "who gave up at a condition has not waited for its lock meanwhile, nor for what it then waits for without limit" {
	names() { blame-rank --text "$1" | sed -n 's/^blame graph=1 .* name="\([^"]*\)" .* score=\([0-9]\.[0-9]\).*/\2 \1/p'; }
	run -0 names "$W/gives-up.txt"
	assert_line '1.2 server: running'
	assert_line '0.5 holder: running'
	sed '/2\.507/s/utime=0x7f00/utime=0/' "$W/gives-up.txt" >in
	run -0 names in
	assert_line '1.0 timer: futex of victim'
	assert_line '0.2 server: running'
	sed '/ts=2\.50[78]/d; /ts=2\.70[89]/d' "$W/gives-up.txt" >in
	run -0 names in
	assert_line '1.0 timer: futex of victim'
	assert_line '0.5 holder: running'
}

@test "who goes on after a signal waited for whoever sent it; who ends did not" {
	cat >reads <<-'EOT'
		event ts=2.5011 cpu=0 tid=10 comm=victim name=syscalls:sys_enter_read fd=3
		event ts=2.5012 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=S next_pid=0
		event ts=2.5013 cpu=1 tid=20 comm=watchdog name=sched:sched_waking comm=victim pid=10 target_cpu=0
		event ts=2.5014 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=2.5015 cpu=0 tid=10 comm=victim name=syscalls:sys_exit_read ret=1
	EOT
	for change in 's/ret=-512/ret=0/' '/process_exit/d' '/exit_futex/r reads'; do
		sed "$change" "$W/hung.txt" >in
		run bash -c 'blame-rank --text in | sed -n "s/^blame graph=1 rank=1 name=\"\([^\"]*\)\".*/\1/p"'
		assert_output 'watchdog: running'
	done
}

@test "who only counts in its name is one all the time" {
	sed 's/=server/=shell-2/g; s/oldcomm=shell/oldcomm=shell-1/' "$W/renamed.txt" >in
	run bash -c 'graph-build --text in | grep -c "name=\"shell.*: running\""'
	assert_output 2 # before it slept and after
	run bash -c 'graph-build --text "$1" | grep -cE "name=\"(shell|server): running\""' - "$W/renamed.txt"
	assert_output 3
}

@test "a ring that receives from a socket still waits for any of many" {
	names() { blame-rank --text in | sed -n 's/^blame graph=1 rank=1 name="\([^"]*\)".*/\1/p'; }
	cat >in <<-'EOT'
		event ts=1.000 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=1.005 cpu=1 tid=20 comm=backend name=sched:sched_switch prev_pid=20 prev_state=S next_pid=0
		event ts=1.020 cpu=0 tid=10 comm=victim name=sched:sched_waking comm=backend pid=20 target_cpu=1
		event ts=1.021 cpu=1 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=backend next_pid=20
		event ts=1.800 cpu=0 tid=10 comm=victim name=syscalls:sys_enter_io_uring_enter fd=4
		event ts=1.810 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=S next_pid=0
		event ts=1.900 cpu=1 tid=20 comm=backend name=sched:sched_waking comm=victim pid=10 target_cpu=0
		event ts=1.901 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=1.902 cpu=0 tid=10 comm=victim name=sock:sock_recv_length family=2 protocol=6
		event ts=1.903 cpu=0 tid=10 comm=victim name=syscalls:sys_exit_io_uring_enter ret=1
		signal id=1 ts=1.930 start=1.010 chart=func:x:request value=0.92 center=0.1 ucl=0.5 rules=1 tid=10 comm=victim
	EOT
	run -0 names
	assert_output 'backend: running'
}

@test "of the devices that share an interrupt the one is named whose turn it was" {
	sed '/irq_handler_entry/{h; s/name=virtio0/name=ahci/; p; s/entry irq=\([0-9]*\).*/exit irq=\1/; p; g}' "$W/irq.txt" >in
	run -0 bash -c 'grep -c name=ahci in; graph-build --text in | grep -E "^(graph|node|edge) " | diff "$1" -' - "$W/irq.graph"
	assert_output 1
}

@test "what a thread did before it waited for a lock is its own story, and that of one of a pool is not" {
	sed 's/op=393/op=128/' "$W/pooled.txt" >in
	run -0 bash -c "blame-rank --text in | sed -n 's/^blame graph=1 rank=1 name=\\(.*\\) label=.*/\\1/p'"
	assert_output '"timer: nanosleep of other"'
	# nor is it where the poller had the answer before the wait, which was for the poller alone
	sed 's/ts=5\.5/ts=5.9/; /ts=6.* tid=20 /s/cpu=1/cpu=3/; /ts=6\.010/s/cpu=1/cpu=3/; /ts=5\.97/d; s/ts=5\.95/ts=6.015/
		/ts=5\.96/{s/ts=5\.96/ts=6.016/; s/next_comm=other next_pid=40/next_pid=0/}' "$W/pooled.txt" >moved
	{ grep ^task moved; grep ^event moved | sort -k 2,2; grep -E '^(signal|window)' moved; } >in
	run -0 bash -c "blame-rank --text in | sed -n 's/^blame graph=1 rank=1 name=\\(.*\\) label=.*/\\1/p'"
	assert_output '"timer: nanosleep of other"'
}

@test "who had a CPU has one name: what is true of nearly all of the time" {
	sed '/prev_pid=50/s/4\.0/2.12/' "$W/hogs.txt" >in
	run -0 bash -c "blame-rank --text in | grep -o '^blame graph=1 .*name=\"hog[^\"]*'"
	assert_output --regexp 'name="hog: on CPU 0 while victim was runnable$'
	# of a quarter of the time it is not true; each node tells of its own
	sed '/prev_pid=50/s/4\.0/2.5/' "$W/hogs.txt" >in
	run -0 bash -c "blame-rank --text in | grep -o '^blame graph=1 .*name=\"hog[^\"]*'"
	assert_output --regexp 'name="hog: on CPU while others were runnable$'
	run -0 bash -c "graph-build --text in | sed -n 's/^node .* deed=hold-cpu \(who=hog .*\) whom_tid.*/\1/p' | sort -u"
	assert_output 'who=hog whom=server cpu=1
who=hog whom=victim cpu=0'
}

@test "who arms a timer that another had armed, and that has not expired, is not why it expires" {
	local armed='event ts=1.500000000 cpu=0 tid=10 comm=victim name=timer:hrtimer_start hrtimer=0xb1'
	who_armed() { sed "$1" "$W/armed.txt" | graph-build --text | sed -n 's/^node .* name="\([^"]*\)" .* end=5\.5.* what=timer.*/\1/p'; }
	run -0 who_armed "/ts=1.5/i $armed"
	assert_output 'timer: sleep of victim'
	run -0 who_armed "/ts=1.5/i $armed
		/ts=2.5/p" # the second time it was its own
	assert_output 'timer: armed by alarm for victim'
	run -0 who_armed 's/0xb1/0xa1/' # it had expired
	assert_output 'timer: armed by alarm for victim'
}

@test "a writer that is let go on at once is not throttled" {
	sed '/sys_e/d' "$W/dirty.txt" >in
	run -0 bash -c "graph-build --text in | grep -E '^node .*(dirty throttled|timer): '"
	assert_equal "${#lines[@]}" 2
	assert_line --partial ' name="timer: sleep of victim" '
}

@test "a file system that has no disk, or several, is one of its own" {
	sed 's/bdi=7:0/bdi=cifs-2/' "$W/dirty.txt" >in
	run -0 bash -c "graph-build --text in | grep -E '^node .*dirty throttled: '"
	assert_output --partial ' label="until cifs-2 keeps up with what is written" '
	sed 's/name=7:0/name=btrfs-1/; /writeback_dirty/{p; s/btrfs-1/btrfs-2/; s/ts=1.10/ts=1.11/; s/tid=20 comm=bulky/tid=10 comm=victim/; s/cpu=1/cpu=0/}' \
		"$W/writeback.txt" >in
	run -0 bash -c 'grep -c btrfs-2 in; blame-rank --text in | grep "^blame graph=1 rank=1 "'
	assert_line 1
	assert_line --partial ' name="bulky: write of 7:0 in service" '
}

@test "a work queue of which there is but the address has no name, and the function may tell which it is" {
	names() { sed "s/workqueue=kthrotld/$1/" "$W/held-back.txt" | graph-build --text | graphs; }
	run names 'function=blk_throtl_dispatch_work_fn workqueue=00000000fa3d5f37'
	assert_line --partial ' name="io throttled: victim" '
	run names workqueue=0xffff9c1a00123400
	assert_line --partial ' name="timer: work on ?" '
	for address in 0xffff9c1a00123400 18446635512389120 ffff953f8005d378; do
		run names "function=ffffffff9a3b2c10 workqueue=$address"
		assert_line --partial ' name="timer: work on ?" '
		refute_output --partial "$address"
	done
}

@test "whoever is over is over, as kernels of all ages say it" {
	for state in X Z 16 32 x 64; do
		sed "/process_fork/d; s/prev_state=X/prev_state=$state/" "$W/reused.txt" >in
		run -0 bash -c 'graph-build --text in | grep -c "name=\"old: running"'
		assert_output 1
	done
}

@test "where it is not recorded who raised soft interrupts, nobody is known" {
	grep -v softirq_raise "$W/loopback.txt" >in
	run -0 bash -c "blame-rank --text in | grep '^blame graph=1 rank=1 '"
	assert_output --partial ' name="unknown: wait of victim" '
	refute_output --partial 'outside event'
}

@test "where interrupts woke threads and no event tells which, that is said" {
	local waking='/^signal/i event ts=2.9 cpu=3 tid=0 name=sched:sched_waking pid=99 target_cpu=3'
	sed "$waking" "$W/lock.txt" >in
	for command in graph-build blame-rank; do
		run -0 --separate-stderr $command in
		assert_regex "$stderr" "^$command: interrupts woke threads, and no event tells which: [^
]*\$"
	done
	for known in 's/sched_waking/& common_flags=0/' '/^signal/i event ts=2.9 cpu=3 tid=0 name=irq:softirq_entry vec=1'; do
		run -0 --separate-stderr bash -c 'sed "$1" in | graph-build' - "$known"
		assert_equal "$stderr" ""
	done
}

@test "functions that were traced make a graph of calls" {
	for f in "$TOP"/testdata/rag/*.txt; do
		{ graph-build --text --kind=rag "$f" || [ $? = 3 ]; } | graphs | diff "${f%.txt}.graph" - || fail "$f"
	done
}

@test "a job in a queue belongs to whoever handed it over, of the same process, unless events were lost in between" {
	local file=$TOP/testdata/rag/handoff.txt
	culprit() { blame-rank -t | sed -n 's/^blame graph=2 rank=1 name=\([^ ]*\) .*/\1/p'; }
	assert_equal "$(culprit <"$file")" prog:compress
	assert_equal "$(grep -v ^handoff "$file" | culprit)" prog:request
	assert_equal "$(sed 's/^task .*tid=21 .*/task ts=0.4 tid=21 comm=worker tgid=20/' "$file" | culprit)" prog:request
	assert_equal "$(sed 's/^task .*tid=21 .*/task ts=0.4 tid=21 comm=worker tgid=20/; s/^handoff.*/& process=any/' "$file" | culprit)" prog:compress
	assert_equal "$(sed 's/job=0x2/job=0x3/' "$file" | sed '0,/job=0x3/s//job=0x2/' | culprit)" prog:request
	assert_equal "$(sed 's/job=0x2/job="a b"/; s/job=0x1/job=c/' "$file" | culprit)" prog:compress
	assert_equal "$(sed '/ts=1.3000/a lost ts=1.4 cpu=3 count=1 from=1.35' "$file" | blame-rank -t | sed -n 's/^blame graph=2 rank=1 name=\([^ ]*\) .*/\1/p')" prog:request
	assert_equal "$(sed 's/^handoff.*/& again=again/; s/job=0x2/& again=1/' "$file" | culprit)" prog:compress
	assert_equal "$(sed 's/^handoff.*/& again=again/; s/job=0x2/& again=0/' "$file" | culprit)" prog:request
	run -1 graph-build <<<'handoff from=func:a__b to=func:a__c to_key=x'
	assert_output --partial 'a handoff needs from, from_key, to and to_key'
	# a call does not take over, at its return, what a call nested in it handed over
	cat >circle <<-'END'
		handoff from=func:p__inner from_key=x to=func:p__outer__return to_key=x
		event ts=1.0 cpu=0 tid=1 comm=one name=func:p__outer
		event ts=2.0 cpu=0 tid=1 comm=one name=func:p__inner x=7
		event ts=2.5 cpu=1 tid=2 comm=two name=func:p__slow
		event ts=3.0 cpu=0 tid=1 comm=one name=func:p__inner__return
		event ts=4.0 cpu=0 tid=1 comm=one name=func:p__outer__return x=7
		event ts=5.0 cpu=1 tid=2 comm=two name=func:p__slow__return
		signal id=1 ts=5.0 start=2.5 chart=func:p:slow value=2.5 tid=2 comm=two
		window id=1 from=1.0 to=5.0 signals=1-1 complete=yes
	END
	run -0 timeout 20 bash -c 'graph-build --text --kind=rag circle | grep -o "^node.* name=[^ ]*"'
	assert_output 'node graph=1 id=1 name=p:slow'
}

@test "a graph of calls comes after that of threads, or in its place where no switches are in the data" {
	run -0 bash -c 'graph-build --text "$1" | grep ^graph | grep -o "id=.\|kind=.*root\|kind=[a-z]*"' - "$TOP/testdata/rag/pool.txt"
	assert_output "$(printf 'id=1\nkind=wake\nid=2\nkind=rag root')"
	run -0 bash -c 'graph-build --text "$1" | grep -c ^graph' - "$TOP/testdata/rag/nested.txt"
	assert_output 1
	run -0 bash -c 'graph-build --kind=wake --text "$1" | grep ^graph' - "$TOP/testdata/rag/pool.txt"
	assert_output --partial kind=wake
	refute_output --partial kind=rag
}

# bats test_tags=long
@test "a loop that waits for each of its many calls: time in proportion to them" {
	awk 'function event(cpu, tid, rest) { printf "event ts=%.9f cpu=%d tid=%d name=%s\n", t += 1e-5, cpu, tid, rest }
		function switches(cpu, from, to) { event(cpu, from, "sched:sched_switch prev_pid=" from " prev_state=S next_pid=" to) }
		BEGIN {
			t = 1
			switches(0, 0, 10)
			event(0, 10, "func:prog__loop")
			while (n++ < 100000) {
				event(0, 10, "sched:sched_waking pid=21 target_cpu=1")
				switches(1, 0, 21)
				event(1, 21, "func:prog__handle")
				switches(0, 10, 0)
				event(1, 21, "func:prog__handle__return")
				event(1, 21, "sched:sched_waking pid=10 target_cpu=0")
				switches(0, 0, 10)
				switches(1, 21, 0)
			}
			printf "signal id=1 ts=%.9f start=1.00002 value=%f center=1 ucl=2 tid=10\n", t, t
		}' >t
	run -0 bash -c 'ulimit -t 20; graph-build --kind=rag --text t | grep "^node" | grep -c "prog:handle.* wait_start="'
	assert_output 100000
}

@test "one function alone makes no graph of calls" {
	grep -v 'func:prog__[^r]\|func:prog__resize' "$TOP/testdata/rag/pool.txt" >t
	run -0 --separate-stderr graph-build --text t
	assert_line --partial "func:prog__"
	refute_line --partial kind=rag
}

@test "a window without a graph of the kind that was asked for says so, and nobody builds another" {
	{
		cat "$W/lock.txt"
		sed 's/\([ =]\)\([0-9]\)\(\.[0-9]\{9\}\)/\11\2\3/g; s/^signal id=1/signal id=2/; s/^window id=1/window id=2/; s/signals=1-1/signals=2-2/' \
			"$TOP/testdata/rag/nested.txt"
	} >t
	run -0 bash -c 'graph-build --kind=rag t | blame-rank --text | grep "^graph"'
	assert_line --index 0 'graph id=1 window=1 signal=1 kind=rag from=1.050000000 to=2.000000000'
	assert_line --index 1 'graph id=2 window=2 signal=2 kind=rag root=1 from=11.000000000 to=14.000000000'
	assert_equal "${#lines[@]}" 2
	# it is no time of nobody's
	run -0 bash -c 'graph-build --kind=rag t | blame-rank --text | grep "^blame graph=total rank=1 "'
	assert_output --partial ' score=1.600000000 share=0.533333 '
	graph-build --kind=rag t | blame-rank | report >/dev/null
}

@test "a stream that has graphs passes as it is" {
	graph-build "$W/lock.txt" >once
	for kind in all wake rag; do
		graph-build --kind=$kind once | cmp - once
	done
	# the next of concatenated streams may have none
	run -0 bash -c 'cat once <(stream-cat -b "$1") | graph-build --text | grep -c "^graph"' - "$W/lock.txt"
	assert_output 2
}

@test "the total is over graphs of one kind" {
	run -0 --separate-stderr blame-rank --text "$TOP/testdata/rag/nested.txt"
	assert_line --regexp '^blame graph=total .*prog:'
	run -0 --separate-stderr blame-rank --text "$TOP/testdata/rag/pool.txt"
	assert_line --partial 'blame graph=total '
	refute_line --regexp '^blame graph=total .*prog:'
}

@test "all records pass, in order; graphs come before their window" {
	graph-build --text "$W/lock.txt" >out
	diff <(grep -v '^#' "$W/lock.txt") <(grep -vE '^(graph|node|edge|end) ' out)
	run -0 tail -n2 out
	assert_line --index 0 --partial 'window id=1 '
}

@test "binary and text give the same graph" {
	stream-cat -b "$W/lock.txt" | graph-build | stream-cat --text | graphs | diff "$W/lock.graph" -
}

@test "the worst signals of each window, worst first" {
	window 1 1 1 5 2 4 3 >t
	run -0 --separate-stderr bash -c 'graph-build --text t | grep -o "^graph id=. window=1 signal=."'
	assert_output "$(printf 'graph id=%s window=1 signal=%s\n' 1 5 2 4 3 3)"
	run -0 --separate-stderr bash -c 'graph-build --text --worst=1 t | grep -c ^graph'
	assert_output 1
}

@test "a wait that was told of while it went on has one graph, of its end" {
	window 1 1 1 2 3 4 | sed '/id=2/s/ts=1.6/ts=1.4/; /id=2/s/$/ open=yes/; /id=[14]/s/start=1.1/start=1.2/; /id=4/s/$/ open=yes/' >t
	run -0 --separate-stderr bash -c 'graph-build --text --worst=9 t | grep -o "^graph id=. window=1 signal=."'
	assert_output "$(printf 'graph id=%d window=1 signal=%d\n' 1 4 2 3 3 1)"
}

@test "the worst is what cost the most time, however small it is against its limit; what is no wait comes last" {
	{
		window 1 1 | grep -v ^window
		echo "signal id=1 ts=1.6 start=1.599 chart=syscall key=write value=0.001 center=0.000001 ucl=0.00001 rules=1 tid=10"
		echo "signal id=2 ts=1.6 start=1.2 chart=syscall key=read value=0.4 center=0.39 ucl=0.395 rules=1 tid=10"
		echo "signal id=3 ts=1.6 start=1.3 chart=syscall key=fsync value=0.3 center=0.01 ucl=0.2 rules=1 tid=10"
		echo "signal id=4 ts=1.6 start=1.3 chart=block value=900 unit=number center=1 ucl=2 rules=1 tid=10"
		echo "signal id=5 ts=1.6 start=1.3 chart=syscall key=fsync value=9 center=0.01 ucl=0.2 rules=shift tid=10"
		echo "window id=1 from=1.1 to=1.6 signals=1-5 complete=yes"
	} >t
	run -0 --separate-stderr bash -c 'graph-build --text --worst=5 t | grep -o "^graph id=. window=1 signal=."'
	assert_output "$(printf 'graph id=%s window=1 signal=%s\n' 1 3 2 2 3 1 4 4 5 5)"
}

@test "a window knows nothing of the one before it" {
	{ window 1 1 1 && window 2 101 2; } >t
	graph-build --text t | grep '^node graph=2 ' >second
	run -1 grep -E 'start=[1-9]\.' second
	run -0 grep -c 'what=timer' second
	assert_output 1
}

@test "of more signals in a window than are kept, the worst stays, wherever it stood" {
	{
		echo 'event ts=9 cpu=0 tid=10 name=sched:sched_switch prev_comm=victim prev_pid=10 prev_state=S next_comm=holder next_pid=11'
		echo 'event ts=10.0006 cpu=0 tid=11 name=sched:sched_waking comm=victim pid=10 prio=120 target_cpu=0'
		echo 'event ts=10.0007 cpu=0 tid=11 name=sched:sched_switch prev_comm=holder prev_pid=11 prev_state=S next_comm=victim next_pid=10'
		echo 'event ts=20 cpu=0 tid=10 name=sched:sched_waking comm=holder pid=11 prio=120 target_cpu=0'
		awk 'BEGIN { for (i = 1; i <= 70000; i++) { t = 10 + i / 10000; v = i == 8 ? 0.5 : 0.002
			printf "signal id=%d ts=%.4f start=%.4f chart=c key=k value=%.4f center=0.001 ucl=0.002 tid=%d\n", i, t, t - v, v, i == 8 ? 10 : 11 } }'
		echo 'window id=1 from=9 to=20 signals=1-70000 complete=yes'
	} >in
	run -0 bash -c 'graph-build --text in | grep -m 1 ^graph'
	assert_output --regexp '^graph id=1 window=1 signal=8 kind=wake target=[0-9]+ from=9\.500800000 to=10\.000800000'
}

@test "signals without a window record are one window" {
	window 1 1 1 | grep -v ^window >t
	run -0 --separate-stderr bash -c 'graph-build --text t | grep -c "^graph id=1 signal=1 kind=wake"'
	assert_output 1
}

@test "each of several streams is a trace of its own" {
	stream-cat -b "$W/lock.txt" >b
	window 1 1 7 | grep -v ^window | stream-cat -b >c
	cat c b | graph-build | stream-cat --text >out
	run -0 grep -oE '^graph id=.( window=.)? signal=.' out
	assert_output "$(printf 'graph id=1 signal=7\ngraph id=2 window=1 signal=1')"
}

@test "a wait for an answer tells how many others were answered meanwhile" {
	run -0 bash -c "graph-build --text $W/flooded.txt | grep 'what=wait.*who=victim'"
	assert_output --partial ' others=12 crowd=flood'
	assert_output --partial 'label="victim/10 in recvfrom, behind 12 others, mostly flood"'
	# no name has most of them
	run -0 bash -c "sed -E '/(pid|tid)=6[1-4]( |$)/s/flood/visitor/g' $W/flooded.txt | graph-build --text | grep 'what=wait.*who=victim'"
	assert_output --partial ' others=12'
	refute_output --partial crowd
	# threads of its own, a few, and processes that are not known, are no others
	for change in 's/ tgid=[67].$/ tgid=50/' 's/^task.* tid=6[1-3] .*//'; do
		run -0 bash -c "sed '$change' $W/flooded.txt | graph-build --text | grep 'what=wait.*who=victim'"
		refute_output --partial others
	done
	# however often the server waits for one that works for it
	awk '{ print }
		/^task.* tid=50 / { print "task ts=1.000000000 tid=80 comm=store tgid=80" }
		/sys_exit_clock_nanosleep/ {
			print "event ts=1.6001 cpu=2 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=store next_pid=80"
			for (n = 0; n < 70; n++) {
				printf "event ts=%.6f cpu=0 tid=50 comm=server name=sched:sched_switch prev_pid=50 prev_state=S next_pid=0\n", 1.6002 + n * 0.0002
				printf "event ts=%.6f cpu=2 tid=80 comm=store name=sched:sched_waking comm=server pid=50 target_cpu=0\n", 1.60025 + n * 0.0002
				printf "event ts=%.6f cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=server next_pid=50\n", 1.6003 + n * 0.0002
			}
		}' $W/flooded.txt >in
	run -0 bash -c "graph-build --text in | grep 'what=wait.*who=victim'"
	assert_output --partial ' others=12 crowd=flood'
	COLUMNS=130 run -0 bash -c "blame-rank $W/flooded.txt | report"
	assert_line --partial 'chain   victim waits for server (recvfrom, behind 12 others, mostly flood), asleep in clock_nanosleep'
	run -0 bash -c "blame-rank $W/flooded.txt | report -f json | jq -r '.moments[0].graphs[0].links[0].queue'"
	assert_output 'behind 12 others, mostly flood'
}

@test "without scheduler switches nothing is said about threads" {
	grep -v sched_switch "$W/lock.txt" >t
	run -0 --separate-stderr bash -c 'graph-build --text t | grep ^node'
	assert_output --partial 'name="unknown: what victim did is not in the data"'
	assert_equal "${#lines[@]}" 1
}

@test "lost events: exit status 3" {
	run -3 --separate-stderr graph-build --text "$W/lost.txt"
	assert_line --partial 'name="unknown: events were lost"'
}

@test "lost events: a flush is for those who asked since" {
	sed '/ts=5.0/d; s/ts=5.1/ts=2.2/; /ts=6.000001/d; /comm=other pid=40/d; /ts=1.5/a\
lost ts=1.6 cpu=1 count=9' "$W/flush.txt" >in
	run -3 --separate-stderr blame-rank --text in
	assert_line --regexp '^blame graph=1 rank=1 name="victim: flush of 7:0 in service" '
	refute_output --regexp '(bulky|other): flush'
}

@test "lost events: who has a CPU is not known until that shows something" {
	sed '/ts=1\.2/i lost ts=1.150000000 cpu=2 count=9' "$W/spin.txt" >in
	run -3 --separate-stderr blame-rank --text in
	assert_line --regexp '^blame graph=1 rank=1 name="victim: spinning for a kernel lock" '
	cat >in <<-'EOT'
		event ts=1.00 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=1.00 cpu=2 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=passer next_pid=30
		lost ts=1.20 cpu=2 count=100 from=1.1
		event ts=1.25 cpu=3 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_pid=30
		event ts=1.30 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=R+ next_comm=other next_pid=20
		event ts=1.31 cpu=0 tid=20 comm=other name=sched:sched_migrate_task comm=victim pid=10 orig_cpu=0 dest_cpu=2
		event ts=1.63 cpu=3 tid=30 comm=passer name=sched:sched_switch prev_pid=30 prev_state=S next_pid=0
		signal id=1 ts=1.63 start=1.25 chart=func:x:y value=0.38 center=.01 ucl=.1 rules=1 tid=10 comm=victim
	EOT
	run -3 --separate-stderr blame-rank --text in
	assert_line --partial 'blame graph=1 rank=1 name="victim: runnable" '
	refute_output --partial 'name="passer: on CPU'
}

@test "a cut stream is answered, with exit status 3" {
	stream-cat -b "$W/lock.txt" | head -c -30 >cut.tb
	run -3 --separate-stderr graph-build --text cut.tb
	assert_line --partial 'graph id=1 '
}

@test "arguments of a function may be called like what other charts show, and need not be known" {
	sed 's/^signal .*/& fd=? dev=x sector=?/' "$W/lock.txt" >t
	grep -q '^signal .* chart=func:.* fd=? ' t
	diff <(graph-build --text "$W/lock.txt" | grep '^node') <(graph-build --text t | grep '^node')
}

@test "malformed records: exit status 1, file and line" {
	while IFS='|' read -r line sentence; do
		{ grep -v ^window "$W/lock.txt" && echo "$line"; } >t
		run -1 --separate-stderr graph-build --text t
		assert_regex "$stderr" "^graph-build: t:[0-9]+: $sentence"
	done <<-'EOT'
		signal id=2 start=1 value=1 tid=10|a signal needs a ts
		signal id=2 ts=1 start=2 value=1 tid=10|a signal ends before it starts
		signal id=2 ts=soon|
		signal id=2 ts=1 dev=x sector=1|
		stack user=a|a stack needs an id from 1 to
		quota ts=2 since=1 time=9223372036 group=/g quota=1 period=2 tids=1|a quota was used up at no time that there is
		stack id=x user=a|id: 'x' is not a whole number
		event ts=3 cpu=9999 tid=1 name=x:y|there is no CPU 9999
		event cpu=0 tid=1 name=x:y|
	EOT
}

# bats test_tags=long
@test "ten thousand threads, each woken by the next: the last is to blame, and soon" {
	awk 'BEGIN {
		n = 10000
		for (i = 1; i <= n; i++)
			printf "event ts=1.%09d cpu=0 tid=%d name=sched:sched_switch prev_pid=%d prev_state=S next_comm=t%d next_pid=%d\n",
				i * 1000, i, i, i + 1, i + 1
		for (i = n; i >= 1; i--)
			printf "event ts=2.%09d cpu=0 tid=%d name=sched:sched_waking pid=%d target_cpu=0\n" \
				"event ts=2.%09d cpu=0 tid=%d name=sched:sched_switch prev_pid=%d prev_state=S next_pid=%d\n",
				(n - i) * 10000, i + 1, i, (n - i) * 10000 + 9000, i + 1, i + 1, i
		print "signal id=1 ts=2.2 start=1.0 chart=x:y value=1.2 ucl=1 rules=1 tid=1"
	}' >t
	run -0 --separate-stderr timeout 100 bash -c 'blame-rank --text t | grep "^blame graph=1 rank=1 "'
	assert_output --partial 'name="t10001: running"'
}

# on MACHINE: the victim, in call 101 of that machine, is asleep until interrupt 11 of this name wakes it.
on() {
	cat <<-EOT
		stream version=1 machine=$1
		event ts=1.0 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=1.1 cpu=0 tid=10 comm=victim name=raw_syscalls:sys_enter id=101
		event ts=1.2 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=S next_pid=0
		event ts=1.4 cpu=0 tid=0 name=irq:irq_handler_entry irq=11 name=$2
		event ts=1.4 cpu=0 tid=0 name=sched:sched_waking pid=10 target_cpu=0
		event ts=1.4 cpu=0 tid=0 name=irq:irq_handler_exit irq=11
		event ts=1.5 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_pid=10
		signal id=1 ts=1.6 start=1.0 value=1 tid=10
		end records=10
	EOT
}

@test "numbers are named as on the machine that the stream is from" {
	labels() { graph-build --text "$@" | grep -E '^node .* what=wait' | sed -E 's/.* label="([^"]*)".*/\1/'; }
	while IFS='|' read -r machine call; do
		on "$machine" x >t
		run labels t
		assert_output --partial " in $call"
	done <<-'EOT'
		x86_64|ptrace
		i686|ioperm
		aarch64|nanosleep
		armv7l|syscall_101
		riscv64|nanosleep
		ppc64le|ioperm
		s390x|syscall_101
		abacus|syscall_101
	EOT
}

@test "the number that a call has first is a file's only where the call is for one" {
	labels() {
		on x86_64 x | sed "s/id=101/id=$1 args=0,0,0,0,0,0/; /ts=1.1/i file ts=1.1 tid=10 fd=0 kind=pipe" |
			graph-build --text | sed -nE '/^node .* what=wait/s/.* label="([^"]*)".*/\1/p'
	}
	run labels 230
	assert_output --partial ' in clock_nanosleep'
	refute_output --partial 'pipe'
	run labels 0
	assert_output --partial ' in read pipe'
}

# overtaken COUNT: a read of which nobody tells that it is done, then so many that are, and a victim who waits for one.
overtaken() {
	echo 'event ts=1 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=ghost next_pid=30'
	echo 'event ts=1.1 cpu=0 tid=30 comm=ghost name=block:block_bio_queue dev=8:0 sector=8 nr_sector=8 rwbs=R'
	echo 'event ts=1.1 cpu=0 tid=30 comm=ghost name=block:block_rq_issue dev=8:0 sector=8 nr_sector=8 rwbs=R'
	echo 'event ts=1.2 cpu=0 tid=30 comm=ghost name=sched:sched_switch prev_pid=30 prev_state=S next_comm=victim next_pid=10'
	for ((i = 0; i < $1; i++)); do
		for what in bio_queue rq_issue rq_complete; do
			echo "event ts=1.$((300 + i)) cpu=0 tid=10 comm=victim name=block:block_$what dev=8:0 sector=$((800 + i * 8)) nr_sector=8 rwbs=R"
		done
	done
	cat <<-'EOT'
		event ts=1.8 cpu=0 tid=10 comm=victim name=block:block_bio_queue dev=8:0 sector=80000 nr_sector=8 rwbs=R
		event ts=1.81 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=D next_pid=0
		event ts=2.0 cpu=0 tid=0 name=block:block_rq_issue dev=8:0 sector=80000 nr_sector=8 rwbs=R
		event ts=2.1 cpu=0 tid=0 name=block:block_rq_complete dev=8:0 sector=80000 nr_sector=8 rwbs=R
		event ts=2.1 cpu=0 tid=0 name=sched:sched_waking comm=victim pid=10 target_cpu=0
		event ts=2.1 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=2.2 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=S next_pid=0
		signal id=1 ts=2.15 start=1.79 chart=func:x:y value=0.36 center=0.1 ucl=0.2 rules=1 tid=10 comm=victim
	EOT
}

@test "a request that more have overtaken than a device would serve first may be over unseen, and is not the first answer" {
	overtaken 50 >in
	run bash -c 'blame-rank --text in | sed -n "s/^blame graph=1 rank=1 name=\"\([^\"]*\)\".*/\1/p"'
	assert_output 'ghost: read of 8:0 in service'
	overtaken 150 >in
	run bash -c 'blame-rank --text in | sed -n "s/^blame graph=1 rank=\(.\) name=\"\([^\"]*\)\".*/\1 \2/p"'
	assert_line '1 victim: read of 8:0 in service'
	assert_line --regexp '^[2-9] unknown: ghost: read of 8:0 in service, which may have ended unseen$'
	{ echo 'stream version=1 boot=0b492225-136f-433d-ad21-f53ee9e768cf' && cat in; } >known
	run bash -c 'blame-rank --text known | sed -n "s/^blame graph=1 rank=1 name=\"\([^\"]*\)\".*/\1/p"'
	assert_output 'ghost: read of 8:0 in service'
}

@test "the function of the timer that sent a packet says what it is" {
	{ echo 'timer address=0xffffffff81000010 function=tcp_delack_timer' &&
		sed 's/name=timer:timer_expire_entry.*/& function=0xffffffff81000010/' "$W/sent-again.txt"; } >in
	run bash -c 'graph-build --text in | grep -o "name=\"timer: [^\"]*"'
	assert_output 'name="timer: delayed acknowledgement to victim'
	sed 's/name=timer:timer_expire_entry.*/& function=tcp_write_timer/' "$W/sent-again.txt" >in
	run bash -c 'graph-build --text in | grep -o "name=\"timer: [^\"]*"'
	assert_output 'name="timer: retransmission to victim'
}

@test "a packet that a timer sent explains no tick that was over before the timer was armed" {
	{
		sed '/comm=maker name=sched:sched_waking/,$d' "$W/tick.txt"
		while read -r ts event; do
			echo "event ts=$ts cpu=2 tid=30 comm=maker name=$event"
		done <<-'EOF'
			5.5 timer:hrtimer_start hrtimer=0xb1
			5.900000 irq:softirq_entry vec=8
			5.900001 timer:hrtimer_expire_entry hrtimer=0xb1
			5.900002 irq:softirq_raise vec=3
			5.900003 timer:hrtimer_expire_exit hrtimer=0xb1
			5.900004 irq:softirq_exit vec=8
			5.900005 irq:softirq_entry vec=3
		EOF
		sed -n '/comm=maker name=sched:sched_waking/,$p' "$W/tick.txt"
	} >in
	graph-build --text in >out
	grep ' deed=packet ' out | grep -c ' start=5.500000000 end=6.000000000 ' | grep -x 1
	grep -c ' deed=packet ' out | grep -x 3
}

@test "waits in vain that were over before a shaper held back the packet are for the thread that sent it" {
	vain() { # SENT: when the server sends
		sed '/comm=server name=sched:sched_waking/,$d' "$W/impatient.txt" | awk -v sent="$1" '
			!done && substr($2, 4) > sent { print sending; done = 1 } { print } END { if (!done) print sending }' \
			sending="event ts=$1 cpu=1 tid=20 comm=server name=qdisc:qdisc_enqueue ifindex=3 handle=0x80010000 skbaddr=0xc1"
		while read -r ts event; do
			echo "event ts=$ts cpu=1 tid=20 comm=server name=$event"
		done <<-'EOF'
			5.900000 timer:hrtimer_expire_entry hrtimer=0xa1
			5.900001 irq:softirq_raise vec=2
			5.900002 timer:hrtimer_expire_exit hrtimer=0xa1
			5.900003 irq:softirq_entry vec=2
			5.900004 qdisc:qdisc_dequeue ifindex=3 handle=0x80010000 packets=1 skbaddr=0xc1
			5.900005 irq:softirq_raise vec=3
			5.900006 irq:softirq_exit vec=2
			5.900007 irq:softirq_entry vec=3
		EOF
		sed -n '/comm=server name=sched:sched_waking/,$p' "$W/impatient.txt"
	}
	shaped() { vain "$1" | graph-build --text | sed -nE 's/^node .* start=(\S*) end=(\S*) .* for="packet that a shaper held back".*/\1 \2/p' | sort; }
	run shaped 5.0
	assert_output '5.000000000 6.000000000'
	run shaped 3.5
	assert_output '3.500000000 4.000001000
3.500000000 6.000000000'
	vain 5.0 | graph-build --text >out
}

@test "the kernel's function of a wait is what the program caused, not how the kernel waits for a page" {
	while IFS='|' read -r frames function; do
		sed "s/^\(stack id=1 .*kernel=\).*/\1\"$frames\"/" "$W/stacks.txt" >in
		run bash -c 'graph-build --text in | grep -m1 "^node.*deed=wait" | grep -oE " kernel=[^ ]*"'
		assert_output " kernel=$function"
	done <<-'EOT'
		__schedule;io_schedule;folio_wait_bit_common;filemap_get_pages;filemap_splice_read;ovl_copy_up_one;ovl_open;do_sys_openat2|ovl_copy_up_one
		__schedule;io_schedule;folio_wait_bit_common;filemap_read;vfs_read;__x64_sys_read|folio_wait_bit_common
		__schedule;schedule;rwsem_down_read_slowpath;down_read;do_user_addr_fault|do_user_addr_fault
		__schedule;schedule;do_nanosleep|do_nanosleep
	EOT
}

@test "a run in a system call tells the kernel's function that nine of ten samples share, if that is not the call or the way of its data" {
	saved() { # KERNEL OF THREE SAMPLES, AND OF SIX
		awk -v one="$1" -v other="$2" '/^stack id=7 / { print $0 " kernel=\"" one "\""; sub("id=7", "id=17"); print $0 " kernel=\"" other "\""; next }
			/tid=30 .* stack=7$/ { print; sub("0000000 ", "5000000 "); sub("=7$", "=17"); print; sub("5000000 ", "6000000 "); print; next }
			{ print }' "$W/busy.txt" >in
		graph-build --text in | grep '^node .*who=saver' | grep -o 'kernel=[^ ]*' | sort -u
	}
	run saved '__pi_memcpy;ext4_buffered_write_iter;ovl_copy_up_file;ovl_open;__x64_sys_openat' 'read_one;ovl_copy_up_file;ovl_open;__x64_sys_openat'
	assert_output 'kernel=ovl_copy_up_file'
	COLUMNS=200 run bash -c 'blame-rank in | report'
	assert_output --partial 'running in write_out, 100 % of 9 samples, in the kernel ovl_copy_up_file'
	run saved 'asm_sysvec_apic_timer_interrupt' 'asm_sysvec_apic_timer_interrupt'
	assert_output ''
	run saved 'ext4_buffered_write_iter;vfs_write;ksys_write' 'ext4_buffered_write_iter;vfs_write;ksys_write'
	assert_output ''
	run saved 'read_one;ovl_open;__x64_sys_openat' 'vfs_write;ksys_write'
	assert_output ''
}

@test "a run has the function that most samples of it were in; short runs have that of all of them; under five nothing is said" {
	run bash -c 'graph-build --text "$1" | grep -o "^node.*what=run .*" | grep -o "label=.*\|no label"' - "$W/busy.txt"
	assert_line --regexp '^label="editor/10 on CPU 0, 60 % of 10 samples in characters_at_index < layout < main" start=1\.25.* samples=10 in_function=6 '
	assert_line --regexp '^label="editor/10 on CPU 0, 60 % of 10 samples in characters_at_index < layout < main" start=1\.00.* samples=10 in_function=6 '
	assert_line --regexp '^label="editor/10 on CPU 0, 100 % of 6 samples in draw < main" start=1\.58.* function=draw '
	assert_line --regexp '^label="hog/20 on CPU 0, 100 % of 5 samples in spin < main" .* deed=hold-cpu .* function=spin '
	assert_line --regexp '^label="saver/30 on CPU 1, from tell < main" .* function=tell cpu=1 stack=' # three samples
	run bash -c 'blame-rank --text "$1" | grep -c "^blame.* name=\"editor: running in characters_at_index\".* samples=10 in_function=6$"' - "$W/busy.txt"
	assert_output 2
	run bash -c 'blame-rank "$1" | COLUMNS=120 report' - "$W/busy.txt"
	assert_line '   blame    300 ms   50.8 %  editor: running in characters_at_index, 60 % of 10 samples'
	assert_line '           50.0 ms    8.5 %  hog: on CPU 0 in spin while editor was runnable, 100 % of 5 samples'
	run bash -c 'blame-rank "$1" | report -f json | jq -c ".moments[0].graphs[0].blame[0] | [.deed.function, .samples, .in_function]"' - "$W/busy.txt"
	assert_output '["characters_at_index",10,6]'
	blame-rank "$W/busy.txt" | report -f html -o . && run bash -c "grep -rhoF 'editor: running in characters_at_index, 60 % of 10 samples' --include=*.html . | wc -l"
	[ "$output" -ge 1 ]

	sed '/tid=10 .*name=stack:run stack=[1-4]$/{/ts=1\.3/d;/ts=1\.1/d}' "$W/busy.txt" >few.txt # two are left of that run
	run bash -c 'graph-build --text few.txt | grep -o "^node.*name=\"editor: running[^\"]*" | sed "s/.*name=//" | sort -u'
	refute_output --partial characters_at_index
	sed 's/\(tid=20 .*name=stack:run stack=\)5/\17/; s/\(ts=1\.205.*stack=\)7/\15/; s/\(ts=1\.213.*stack=\)7/\15/; s/\(ts=1\.229.*stack=\)7/\16/' "$W/busy.txt" >tie.txt
	run bash -c 'graph-build --text tie.txt | grep -o "name=\"hog: [^\"]*"'
	assert_output 'name="hog: on CPU 0 while editor was runnable' # 2, 2 and 1
}

@test "a run has what was counted in it, from wait to wait" {
	awk '/^event ts=1\.2000.*sched_switch/ { print "event ts=1.199 cpu=0 tid=10 comm=editor name=counter:page_faults count=1200" }
		/^event ts=1\.4000000.*sched_switch/ { print "event ts=1.399 cpu=0 tid=10 comm=editor name=counter:page_faults count=34"
			print "event ts=1.399 cpu=0 tid=10 comm=editor name=counter:syscalls_sys_enter_sched_yield count=45210" }
		/^event ts=1\.5301000.*sched_switch/ { print "event ts=1.530 cpu=0 tid=10 comm=editor name=counter:syscalls_sys_enter_sched_yield count=7" }
		{ print }' "$W/busy.txt" >in
	run bash -c 'graph-build --text in | grep "^node.*counters="'
	assert_line --regexp 'start=1\.25.*counters=page_faults:1234,syscalls_sys_enter_sched_yield:45210 counted=0\.350'
	assert_line --regexp 'start=1\.00.*counters=page_faults:1234,syscalls_sys_enter_sched_yield:45210 counted=0\.350'
	assert_line --regexp 'start=1\.500.*counters=syscalls_sys_enter_sched_yield:7 counted=0\.030'
	assert_equal "${#lines[@]}" 3
	run bash -c 'blame-rank in | COLUMNS=150 report'
	assert_line --partial 'editor: running in characters_at_index, 60 % of 10 samples, 1,234 page faults, yielding (45,210 yields)'
	refute_output --partial '7 yields' # not of the longest of the three runs
	run bash -c 'blame-rank in | report -f json | jq -c ".moments[0].graphs[0].blame[0] | [.counters, .counted]"'
	assert_output '["page_faults:1234,syscalls_sys_enter_sched_yield:45210",0.35]'
}

@test "what is read from a device that pages are swapped out to comes back from swap, also by way of a loop device" {
	{ echo 'device dev=7:0 name=loop0 swap=yes' && cat "$W/backed.txt"; } >in
	run bash -c 'graph-build --text in | grep -o "^node.*deed=service" | grep -o "name=\"[^\"]*"'
	assert_line --regexp '^name="victim: swap-in of 7:0 in service$'
	assert_line --regexp '^name="bulky: swap-in of 254:0 in service$'
}

@test "a thread that still waits for one of several children waits for nobody who is known" {
	sed '/ts=1.001300000/i event ts=1.00125 cpu=0 tid=10 comm=victim name=sched:sched_process_fork parent_comm=victim parent_pid=10 child_comm=victim child_pid=31' \
		"$W/unended-child.txt" >in
	run bash -c 'graph-build --text in | grep -o "name=\"unknown: [^\"]*"'
	assert_output 'name="unknown: wait4 of victim'
	# one of them has ended
	sed -i '/ts=1.002000000/i event ts=1.0014 cpu=2 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_pid=31\
		event ts=1.0015 cpu=2 tid=31 name=sched:sched_switch prev_pid=31 prev_state=Z next_pid=0' in
	run bash -c 'graph-build --text in | grep -c "name=\"xz: running"'
	assert_output 1
}

@test "a wait whose end may have come on a CPU that was not recorded says so" {
	sed -e '/^event ts=2/d; /next_pid=20/d' -e '/^signal/s/ts=2\.501000000/ts=2.4/; s/value=1\.501/& open=yes/' "$W/hung.txt" >in
	sed -i '2i event ts=1.0 cpu=0 tid=10 comm=victim name=sched:sched_waking comm=other pid=30 target_cpu=5' in
	run bash -c 'graph-build --text in | grep -o "name=\"unknown: [^\"]*"'
	assert_output 'name="unknown: futex of victim, which may have ended unseen'
}

@test "what numbers mean does not outlive the stream" {
	{ on x86_64 virtio0 && on aarch64 nvme7q1; } >t
	run -0 --separate-stderr graph-build --text t
	run -0 grep -oE '"irq [a-z0-9]*|in (ptrace|nanosleep)"' < <(grep ^node <<<"$output")
	assert_output "$(printf '%s\n' 'in ptrace"' '"irq virtio0' 'in nanosleep"' '"irq nvme7q1')"
}

@test "events that make no sense are no crash" {
	cat >t <<-'EOT'
		event ts=5 cpu=0 tid=7 name=sched:sched_switch prev_pid=7 prev_state=S next_pid=7
		event ts=4 cpu=0 tid=8 name=sched:sched_switch prev_pid=9 prev_state=X next_pid=-1
		event ts=6 cpu=1 tid=8 name=sched:sched_waking pid=9 target_cpu=-1
		event ts=6 cpu=1 tid=8 name=sched:sched_waking pid=8 target_cpu=77777777
		event ts=6 cpu=8191 tid=8 name=irq:softirq_entry vec=4000000000
		event ts=6 cpu=8191 tid=8 name=irq:softirq_raise vec=-3
		event ts=6 cpu=8191 tid=8 name=sched:sched_waking pid=7 target_cpu=0
		event ts=6 cpu=8191 tid=8 name=irq:irq_handler_exit irq=4
		event ts=7 cpu=0 tid=8 name=sched:sched_process_fork child_pid=8
		event ts=7 cpu=0 tid=8 name=block:block_rq_complete dev=1:1 sector=18446744073709551615 nr_sector=4294967295 rwbs=R
		event ts=7 cpu=0 tid=8 name=block:block_bio_queue dev=1:1 sector=18446744073709551615 nr_sector=4294967295 rwbs=
		event ts=7 cpu=0 tid=8 name=block:block_rq_issue dev=1:1 sector=18446744073709551610 nr_sector=10 rwbs=W
		event ts=7 cpu=0 tid=8 name=block:block_rq_complete dev=1:1 sector=18446744073709551610 nr_sector=3 rwbs=W
		event ts=7 cpu=0 tid=8 name=block:block_rq_complete dev=1:1 sector=0 nr_sector=0 rwbs=FF
		event ts=7 cpu=0 tid=8 name=block:block_rq_complete dev=1:1 sector=0 nr_sector=0 rwbs=
		event ts=7 cpu=0 tid=8 name=block:block_rq_issue dev=1:1 sector=0 nr_sector=0 rwbs=FF
		event ts=7 cpu=0 tid=8 name=block:block_bio_complete dev=1:1 sector=0 nr_sector=0 rwbs=F
		event ts=7 cpu=0 tid=8 name=block:block_bio_queue dev=7:0 sector=64 nr_sector=8 rwbs=R
		event ts=7 cpu=0 tid=8 name=workqueue:workqueue_queue_work work=0xa workqueue=loop0
		event ts=7 cpu=0 tid=8 name=block:block_bio_remap dev=8:0 sector=100 nr_sector=8 old_dev=7:0 old_sector=64
		event ts=7 cpu=0 tid=8 name=block:block_bio_queue dev=8:0 sector=100 nr_sector=8 rwbs=R
		event ts=7 cpu=0 tid=8 name=block:block_rq_issue dev=7:0 sector=64 nr_sector=8 rwbs=R
		event ts=7 cpu=0 tid=8 name=block:block_rq_complete dev=7:0 sector=64 nr_sector=8 rwbs=R
		event ts=7 cpu=0 tid=8 name=raw_syscalls:sys_enter id=-5
		lost ts=6 cpu=3000000000 count=1
		event ts=9223372036 cpu=0 tid=8 name=sched:sched_switch prev_pid=8 prev_state=S next_pid=9
		signal id=1 ts=9223372036 start=-9223372036 value=1 tid=9
		signal id=2 ts=8 start=3 value=1 tid=8
		signal id=3 ts=8 start=3 value=1 tid=-1 dev=1:1 sector=18446744073709551610
	EOT
	run -3 --separate-stderr graph-build --text t
	run -0 grep -c '^graph' <<<"$output"
	assert_output 3
}

# bats test_tags=long
@test "times at both ends of what can be written: a graph, and no time that does not fit" {
	for f in "$W"/*.txt "$TOP"/testdata/rag/*.txt; do
		awk -v half="$(($(grep -c '^event' "$f") / 2))" '{
			if ($1 == "event") events++
			for (i = 2; i <= NF; i++) if ($i ~ /^(ts|start|from|to|since)=-?[0-9.]+$/) {
				split($i, part, "=")
				early = $1 == "signal" || $1 == "window" || $1 == "quota" ? part[1] != "ts" && part[1] != "to" : events <= half
				$i = part[1] "=" sprintf("%.9f", part[2] + (early ? -9223372000 : 9223372000))
			}
			print }' "$f" >far
		run -0 --separate-stderr bash -c 'graph-build --text far || [ $? = 3 ]'
		assert_line --partial 'graph id=1 '
		graph-build far 2>/dev/null | blame-rank -a ilz 2>/dev/null | report >/dev/null || [ $? = 3 ]
	done
}

@test "junk, nothing and directories: exit status 1 with a name" {
	head -c 4096 /dev/urandom >junk
	for input in junk none .; do
		run -1 --separate-stderr graph-build "$input"
		assert_regex "$stderr" "^graph-build: .*$input"
	done
}

@test "output errors: a full device is one, a closed pipe is none" {
	run -1 --separate-stderr bash -c 'graph-build "$1" >/dev/full' - "$W/lock.txt"
	assert_regex "$stderr" '^graph-build: .*[Nn]o space'
	run -0 --separate-stderr bash -c 'graph-build --text "$1" | head -n1 >/dev/null; exit ${PIPESTATUS[0]}' - "$W/lock.txt"
	assert_equal "$stderr" ""
}

@test "wrong usage: exit status 2" {
	for option in --kind=x --worst=0 --worst=x --nonsense; do
		run -2 --separate-stderr graph-build "$option" "$W/lock.txt"
	done
}

@test "calls that an exception leaves, and calls on other stacks, nest by where they lie on the stack" {
	{
		echo 'event ts=1.0 cpu=0 tid=7 comm=p name=func:p__outer sp=9000'
		echo 'event ts=1.1 cpu=0 tid=7 comm=p name=func:p__middle sp=8900'
		echo 'event ts=1.2 cpu=0 tid=7 comm=p name=func:p__inner sp=8800'
		echo 'event ts=1.3 cpu=0 tid=7 comm=p name=func:unwind from=8000 to=8900' # both are left
		echo 'event ts=1.4 cpu=0 tid=7 comm=p name=func:p__fiber sp=500'
		echo 'event ts=1.5 cpu=0 tid=7 comm=p name=func:p__middle sp=8900' # the fiber has gone to sleep
		echo 'event ts=1.6 cpu=0 tid=7 comm=p name=func:p__middle__return sp=8900'
		echo 'event ts=1.7 cpu=0 tid=7 comm=p name=func:p__inner sp=400' # and goes on
		echo 'event ts=1.8 cpu=0 tid=7 comm=p name=func:p__inner__return sp=400'
		echo 'event ts=1.9 cpu=0 tid=7 comm=p name=func:p__fiber__return sp=500'
		echo 'event ts=2.0 cpu=0 tid=7 comm=p name=func:p__outer__return sp=9000'
		echo 'signal id=1 ts=2.0 start=1.0 chart=func:p:outer value=1 center=0.1 ucl=0.5 rules=1 tid=7 comm=p'
		echo 'window id=1 from=1.0 to=2.1 signals=1-1 complete=yes'
	} >t
	run bash -c 'graph-build --kind=rag --text t | sed -nE "s/^node .* id=([0-9]+) name=p:([a-z]+) .* start=([0-9.]+) end=([0-9.]+)( parent=[0-9])?.*/\1 \2 \3 \4\5/p" | sed "s/00000000//g"'
	assert_output "1 outer 1.0 2.0
2 middle 1.1 1.3 parent=1
3 inner 1.2 1.3 parent=2
4 fiber 1.4 1.9 parent=1
5 middle 1.5 1.6 parent=1
6 inner 1.7 1.8 parent=4"
}

# The way of what was thrown at $1 in thread $2: its functions, the first that threw first, with what they threw; ">": not called by the next.
way_of() { # TS TID
	{
		cat throws
		echo "signal id=1 ts=$1 start=$1 chart=t value=0 rules=trigger trigger=t tid=$2"
		echo "window id=1 from=0 to=100 signals=1-1"
	} | graph-build -t | sed -n 's/^node .* name=\([^ ]*\) .*/&\n\1/p' | awk '/^node/ { threw = match($0, / threw=[^ ]*/) ? "(" substr($0, RSTART + 7, RLENGTH - 7) ")" : ""; aside = / call=async/ ? ">" : ""; next }
		{ printf "%s%s%s%s", sep, $0, threw, aside; sep = " " } END { print "" }'
}

@test "the way of an exception: thrown once more, elsewhere, because of another; an address is an object until a new throw has it" {
	cat >throws <<-'END'
		task ts=0 tid=11 comm=srv tgid=10
		task ts=0 tid=20 comm=other tgid=20
		stack id=1 user="__cxa_throw (libstdc++.so.6);std::__throw_x (libstdc++.so.6);query (srv);work (srv);clone3 (libc.so.6)"
		stack id=2 user="std::rethrow_exception (libstdc++.so.6);std::future<int>::get (srv);collect (srv);serve (srv);main (srv);_start (srv)"
		stack id=3 user="__cxa_throw (libstdc++.so.6);tell (srv);serve (srv);main (srv);_start (srv)"
		stack id=4 user="__cxa_rethrow (libstdc++.so.6);again (srv);serve (srv);main (srv);_start (srv)"
		exception ts=1 tid=11 object=0xa0 name=Bad function=query stack=1
		exception ts=2 tid=10 pid=10 object=0xa0 name=Bad again=yes stack=2
		exception ts=3 tid=10 pid=10 object=0xb0 name=Lost cause=0xa0 stack=3
		exception ts=4 tid=10 pid=10 object=0xb0 name=Lost again=yes stack=4
		exception ts=5 tid=20 object=0xb0 name=Lost function=elsewhere again=yes
		exception ts=6 tid=10 pid=10 object=0xb0 name=New stack=3
		exception ts=7 tid=10 pid=10 object=0xb0 name=New again=yes stack=4
		exception ts=8 tid=10 name=EIO function=pread64
		lost ts=9 cpu=0 count=1
		exception ts=10 tid=10 pid=10 object=0xb0 name=New again=yes stack=4
		exception ts=11 tid=10 pid=10 object=0xc0 name="status=-1" function=a;b stack=99
		exception ts=10.5 tid=10 pid=10 object=0xc0 name=Late again=yes stack=4
	END
	assert_equal "$(way_of 1 11)" "srv:query(Bad) srv:work"
	assert_equal "$(way_of 2 10)" "srv:query(Bad) srv:work> srv:collect(Bad) srv:serve srv:main"
	assert_equal "$(way_of 3 10)" "srv:query(Bad) srv:work> srv:collect(Bad)> srv:tell(Lost) srv:serve srv:main"
	assert_equal "$(way_of 4 10)" "srv:query(Bad) srv:work> srv:collect(Bad)> srv:tell(Lost)> srv:again(Lost) srv:serve srv:main"
	assert_equal "$(way_of 5 20)" "elsewhere(Lost)"
	assert_equal "$(way_of 6 10)" "srv:tell(New) srv:serve srv:main"
	assert_equal "$(way_of 7 10)" "srv:tell(New)> srv:again(New) srv:serve srv:main"
	assert_equal "$(way_of 8 10)" "pread64(EIO)"
	assert_equal "$(way_of 10 10)" "srv:again(New) srv:serve srv:main"
	assert_equal "$(way_of 11 10)" 'a:b("status=-1")'
	assert_equal "$(way_of 10.5 10)" "srv:again(Late) srv:serve srv:main"
	assert_equal "$(way_of 3 11 | grep -c threw || true)" 0
	run -1 graph-build <<<'exception ts=1 tid=4 object=x name=y'
	assert_output --partial "standard input:1"
}
