#!/usr/bin/env bats
# shellcheck disable=SC2154 # $stderr is set by run
# Tasks of programs' own: what asyncio and Node.js tell, and the graphs of that.

load helper

teardown() {
	local left
	left=$(jobs -p)
	[ -z "$left" ] || kill -KILL $left 2>/dev/null || true
	[ -z "${PLACE:-}" ] || rm -rf "$PLACE"
}

nodes() { # FILE: name, parent, what its parent waited
	graph-build --text "$1" | sed -nE 's/^node .* id=([0-9]+) name=("[^"]*"|[^ ]*) .*/\1 \2 &/p' |
		sed -E 's/ node .* start=([0-9.]+) end=([0-9.]+)( parent=([0-9]+))?/ \1-\2 \4 /; s/ call=async| tid=[0-9]+| join=[a-z]*//g; s/ wait_start=([0-9.]+) wait_end=([0-9.]+)/ \1-\2/; s/0{8}\b//g; s/ +/ /g; s/ $//'
}

@test "a request waits for the tasks that it awaits, for all of several, and for the task that ended a future" {
	cat >tasks <<-'END'
		async ts=1.0 op=create pid=7 tid=7 id=1 name=handle
		async ts=1.0 op=run pid=7 tid=7 id=1
		async ts=1.1 op=create pid=7 tid=7 id=2 parent=1 name=query
		async ts=1.1 op=create pid=7 tid=7 id=3 parent=1 name=query
		async ts=1.2 op=pause pid=7 tid=7 id=1
		async ts=1.2 op=await pid=7 tid=7 id=1 on=2 mode=all
		async ts=1.2 op=await pid=7 tid=7 id=1 on=3 mode=all
		async ts=1.2 op=run pid=7 tid=7 id=3
		async ts=1.3 op=pause pid=7 tid=7 id=3
		async ts=1.3 op=end pid=7 tid=7 id=3 result=done
		async ts=1.3 op=run pid=7 tid=7 id=2
		async ts=1.6 op=pause pid=7 tid=7 id=2
		async ts=1.6 op=end pid=7 tid=7 id=2 result=done
		async ts=1.6 op=run pid=7 tid=7 id=1
		async ts=1.6 op=create pid=7 tid=7 id=4 parent=1 name=setter
		async ts=1.6 op=pause pid=7 tid=7 id=1
		async ts=1.6 op=await pid=7 tid=7 id=1 on=5
		async ts=1.7 op=run pid=7 tid=7 id=4
		async ts=1.9 op=end pid=7 tid=7 id=5 parent=4 result=done
		async ts=1.9 op=pause pid=7 tid=7 id=4
		async ts=1.9 op=end pid=7 tid=7 id=4 result=done
		async ts=1.9 op=run pid=7 tid=7 id=1
		async ts=2.0 op=await pid=9 tid=9 id=1 on=2
		signal id=1 ts=2.0 start=1.0 chart=turn value=1 center=0.1 ucl=0.2 rules=1 tid=7
		window id=1 from=0 to=3 signals=1-1 complete=yes
	END
	run -0 nodes tasks
	assert_output "1 handle 1.0-2.0
2 query 1.1-1.6 1
3 \"join all\" 1.2-1.6 1 1.2-1.6
4 query 1.1-1.3 1
5 setter 1.6-1.9 1 1.6-1.9"
	run -0 bash -c "graph-build --text tasks | blame-rank --text | sed -nE 's/^blame graph=1 rank=1 name=([^ ]*).*/\1/p'"
	assert_output "query"
	# What was dropped in between may have been a turn: that wait is not known.
	for pid in 7 0; do # 0: of several processes
		sed "/ts=1.7 op=run/i async ts=1.65 op=lost pid=$pid count=3" tasks >lossy
		run -0 nodes lossy
		refute_output --partial "1.6-1.9 1 1.6-1.9"
	done
	# More tasks than a window may have: those before are forgotten, and that is said.
	{ awk 'BEGIN { for (id = 10; id < 262160; id++) print "async ts=0.9 op=create pid=7 tid=7 id=" id }'; cat tasks; } >many
	run -3 --separate-stderr bash -c 'graph-build many >/dev/null'
	assert_equal "$stderr" "graph-build: a window has too many tasks of programs' own; what they did before the last of them was forgotten, 1 time"
	# Who was made when nearly all was over does not explain it.
	sed 's/ts=1.0 op=create/ts=1.6 op=create/' tasks >late
	run -0 nodes late
	refute_output --partial handle
}

@test "of promises, what goes on after an await is a part of its function" {
	# f awaits g, which awaits a timer; 1 runs all of them first.
	cat >promises <<-'END'
		async ts=1.0 op=run pid=7 tid=7 id=1
		async ts=1.0 op=create pid=7 tid=7 id=2 parent=1 name=f
		async ts=1.0 op=create pid=7 tid=7 id=3 parent=1 name=g
		async ts=1.0 op=create pid=7 tid=7 id=4 parent=1 name=PROMISE
		async ts=1.0 op=create pid=7 tid=7 id=5 parent=1 name=Timeout
		async ts=1.1 op=create pid=7 tid=7 id=6 parent=1 name=PROMISE on=4
		async ts=1.2 op=create pid=7 tid=7 id=7 parent=1 name=PROMISE on=3
		async ts=1.2 op=pause pid=7 tid=7 id=1
		async ts=1.6 op=run pid=7 tid=7 id=5
		async ts=1.6 op=end pid=7 tid=7 id=4 parent=5 result=done
		async ts=1.7 op=pause pid=7 tid=7 id=5
		async ts=1.7 op=run pid=7 tid=7 id=6
		async ts=1.8 op=end pid=7 tid=7 id=3 parent=6 result=done
		async ts=1.8 op=end pid=7 tid=7 id=6 parent=6 result=done
		async ts=1.8 op=pause pid=7 tid=7 id=6
		async ts=1.8 op=run pid=7 tid=7 id=7
		async ts=2.0 op=end pid=7 tid=7 id=2 parent=7 result=done
		async ts=2.0 op=pause pid=7 tid=7 id=7
		signal id=1 ts=2.0 start=1.0 chart=turn value=1 center=0.1 ucl=0.2 rules=1 tid=7
		window id=1 from=0 to=3 signals=1-1 complete=yes
	END
	run -0 nodes promises
	assert_output "1 f 1.0-2.0
2 g 1.0-1.8 1 1.2-1.8
3 Timeout 1.0-1.7 2 1.1-1.7"
}

# turn TS OP ID FIELD...: of a task of thread 10; the client 20 asks it three times, and then housekeeping has a task crunch for 0.87 seconds.
turn() { echo "async ts=$1 op=$2 pid=10 tid=10 id=$3 ${*:4}"; }
event() { echo "event ts=$1 cpu=$2 tid=$3 comm=t$3 name=$4 ${*:5}"; }
switch() { event "$1" "$2" "$3" sched:sched_switch "prev_comm=t$3 prev_pid=$3 prev_state=$4 next_comm=t$5 next_pid=$5"; }
loop() { # FIELDS of a turn
	echo 'stream version=1 host=h machine=x86_64'
	turn 0.5 create 1 name=serve
	turn 0.5 create 2 name=housekeeping
	switch 1 0 0 R 10
	switch 1 1 0 R 20
	for i in 1 2 3 4; do
		if [ $i = 4 ]; then
			turn 4.002 run 2 "$1"
			turn 4.003 create 3 parent=2 name=crunch
			turn 4.004 pause 2
		fi
		event $i.01 1 20 raw_syscalls:sys_enter id=45 args=0x3,0x0
		switch $i.02 1 20 S 0
		if [ $i = 4 ]; then
			turn 4.03 run 3 "$1"
			turn 4.9 pause 3
			turn 4.9 end 3 result=done
		fi
		turn $i.91 run 1 "$1"
		event $i.92 0 10 sched:sched_waking comm=t20 pid=20 prio=120 target_cpu=1
		turn $i.925 pause 1
		turn $i.925 await 1 on=7
		turn $i.926 end 7 parent=2 result=done
		switch $i.93 1 0 R 20
		event $i.94 1 20 raw_syscalls:sys_exit id=45 ret=1
	done
	echo 'signal id=1 ts=4.94 start=4.01 chart=x value=.93 center=0.05 ucl=0.1 tid=20 comm=t20'
}

@test "turns of tasks are segments, and a busy loop is so in a task, which another one posted" {
	loop prompt=yes >in
	run -0 graph-walk -x 'at 1; culprit; at 10 4.01 4.8; show t10/10@4.5; back t10/10@4.02' in
	assert_line --regexp '^t20/20 +recvfrom fd 3 +is usually ended by t10/10 \(3 of 3\)$'
	assert_line 'culprit: t10/10 is busy: it runs 900 ms of 900 ms'
	assert_equal "$(grep -c '^in task crunch: ' <<<"$output")" 2
	assert_line 'in task crunch: 870 ms, most of it in t10/10#10, posted by t10/10#8, in task housekeeping'
	assert_line 'event task=crunch'
	assert_line --partial 't10/10#9  waits 0 ns in crunch; ended by t10/10#8, which handed it over'
	diff <(graph-walk -x 'show t10/10#9' in) <(graph-walk --semantics=asyncio -x 'show t10/10#9' in) # it is shipped, and not read twice
	# A graph that was written says the same; without semantics there are no turns.
	diff <(graph-walk -f json -x 'at 1; culprit' in) <(graph-build --whole in | graph-walk -f json -x 'at 1; culprit')
	run -0 graph-walk --semantics=none -x 'culprit t20/20@4.5' in
	assert_line 'culprit: t10/10 is busy: it runs 900 ms of 900 ms'
	refute_output --partial task
	# Records may come before the events of their time, in any order.
	{ head -n 1 in; grep ^async in | shuf; sed 1d in | grep -v ^async; } >mixed
	diff <(graph-build --whole --text in | grep -E '^(node|edge)') <(graph-build --whole --text mixed | grep -E '^(node|edge)')
	# What awaited something goes on because of who ended that, and a post serves one turn.
	run -0 graph-walk -x 'back t10/10@4.905' in
	assert_line --regexp '^t10/10#[0-9]+  waits 0 ns in serve; ended by t10/10#[0-9]+, which handed it over$'
	# A turn that was not told when it began is none; who posted one is not known where markers were lost meanwhile; a program may never have told.
	run -0 graph-walk -x 'culprit t20/20@4.5' <(loop prompt=no)
	refute_output --partial 'in task'
	run -0 graph-walk -x 'culprit t20/20@4.5' <(sed 's/name=crunch/& before=yes/' in)
	assert_line --regexp '^in task crunch: 870 ms, most of it in t10/10#[0-9]+$'
	run -0 graph-walk -x 'culprit t20/20@4.5' <(sed 's/ts=4.9 op=pause/ts=4.2 op=pause/' in) # for the rest it did something else
	refute_output --partial 'in task'
	for pid in 10 0; do # 0: of several processes
		sed "/ts=4.004 /a async ts=4.01 op=lost pid=$pid count=1" in >lossy
		run -0 graph-walk -x 'culprit t20/20@4.5' lossy
		assert_line --regexp '^in task crunch: 870 ms, most of it in t10/10#[0-9]+$'
	done
	echo "boundary event='async:run'" >known
	run -1 bash -c 'grep -v ^async in | graph-build --whole --semantics=known 2>&1 >/dev/null'
	assert_output --partial 'known:1: the stream has no event async:run; trace-collect records it (--async)'
	run -0 blame-rank -t --semantics=known in
	run -1 graph-build --whole <(loop prompt=yes; echo 'async ts=x op=run pid=1 id=1')
}

# A socket of the test's own, and what programs load, where everybody can reach them.
own_socket() {
	PLACE=$(mktemp -d /tmp/tailblame-async.XXXXXX)
	chmod 755 "$PLACE"
	cp "$BUILD"/preload/* "$PLACE"
	export TAILBLAME_MARKERS=$PLACE/markers
}

# Runs it with a write lock on the file of names.
names_locked() { # COMMAND...
	/usr/bin/python3 -c 'import fcntl, os, struct, sys
names = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o644)
os.set_inheritable(names, True)
fcntl.fcntl(names, 37, struct.pack("hh4xqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)) # F_OFD_SETLK
os.execvp(sys.argv[2], sys.argv[2:])' "$PLACE/names" "$@"
}

# Runs a program that fails as another user, without a collector and with one: it says and ends the same. What it did is in trace.
run_told() { # COMMAND...
	set -- setpriv --reuid=65534 --clear-groups sh -c 'cd "$0" && "$@"; echo $?' "$PLACE" "$@"
	run -0 --separate-stderr "$@"
	local alone="$output$stderr"
	assert_output --partial "served"
	run -0 --separate-stderr names_locked trace-collect --async --exceptions node -e sched:sched_process_exit -o trace.tb -- "$@"
	assert_equal "$output$stderr" "$alone"
	assert_equal "$(ls "$PLACE"/markers*)" "$PLACE/markers.node"
	rm "$PLACE/names"
	stream-cat --text trace.tb | grep -E '^(async|exception)' >trace
}

# bats test_tags=live
@test "asyncio tells of tasks, also those of another user, and the program notices nothing" {
	need_tracefs
	/usr/bin/python3 -c 'import asyncio' 2>/dev/null || skip "needs python3 with asyncio"
	own_socket
	cat >"$PLACE/program.py" <<-'END'
		import asyncio
		async def query():
		    await asyncio.sleep(0.001)
		async def setter(future):
		    future.set_result(None)
		async def handle():
		    future = asyncio.get_running_loop().create_future()
		    asyncio.create_task(setter(future))
		    await future
		    await asyncio.gather(query(), query())
		    await asyncio.wait([asyncio.create_task(query())], return_when=asyncio.FIRST_COMPLETED)
		    print("served")
		    raise ValueError("as planned")
		asyncio.run(handle())
	END
	run_told env PYTHONPATH="$PLACE" /usr/bin/python3 program.py
	run -0 sed -nE 's/^async ts=[0-9.]+ op=(create|await|end) pid=[0-9]+ tid=[0-9]+ /\1 /p' trace
	assert_line "create id=1 name=handle before=yes" # by run(), before the loop
	assert_line --regexp '^create id=[0-9]+ parent=1 name=setter$'
	assert_line --regexp '^end id=[0-9]+ parent=[0-9]+ result=done$'
	assert_line --regexp '^await id=1 on=[0-9]+ mode=all$'
	assert_line --regexp '^await id=1 on=[0-9]+ mode=any$'
	assert_line "end id=1 result=error"
}

@test "asyncio: the ring of a thread ends with the thread, and so does its descriptor" {
	/usr/bin/python3 -c 'import asyncio' 2>/dev/null || skip "needs python3 with asyncio"
	cat >program.py <<-'END'
		import asyncio, os, socket, threading
		collector = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		collector.bind("markers")
		async def task():
		    print(rings())
		def rings():
		    return sum("tailblame-markers" in os.path.realpath("/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd"))
		for _ in range(2):
		    thread = threading.Thread(target=lambda: asyncio.run(task()))
		    thread.start()
		    thread.join()
		print(rings())
	END
	run -0 env TAILBLAME_MARKERS=markers PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$BUILD/preload" /usr/bin/python3 program.py
	assert_line -n 0 --regexp '^[1-9]'
	assert_line -n 2 0
}

@test "Node: the sockets of a worker end with the worker" {
	command -v node >/dev/null || skip "needs node"
	cat >program.js <<-'END'
		const {Worker} = require('worker_threads'), fs = require('fs');
		const kind = (fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } };
		const sockets = () => fs.readdirSync('/proc/self/fd').filter((fd) => kind(fd).startsWith('socket:')).length;
		(async () => {
			console.log(sockets());
			await new Promise((done) => new Worker('setTimeout(() => {}, 1)', {eval: true}).on('exit', done));
			const endless = new Worker('setInterval(() => {}, 1)', {eval: true});
			await new Promise((done) => endless.on('online', done));
			await endless.terminate();
			console.log(sockets());
		})();
	END
	perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_DGRAM, 0); bind($s, sockaddr_un("markers")); sleep 30' 3>&- &
	until [ -S markers ]; do sleep 0.01; done
	run -0 env TAILBLAME_MARKERS=markers node --require "$BUILD/preload/node.js" program.js
	kill $!
	assert_output "$(printf '%s\n' 1 1)"
}

# bats test_tags=live
@test "Node tells of promises and of what is thrown, also those of another user, and the program notices nothing" {
	need_tracefs
	command -v node >/dev/null || skip "needs node"
	own_socket
	cat >"$PLACE/program.js" <<-'END'
		const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
		async function query() { await sleep(1); }
		class Odd extends Error { get name() { console.log('read name'); return 'x'; } }
		async function refuse() { await query(); throw TypeError('as\nplanned'); }
		async function handle() {
			await Promise.all([query(), query()]);
			await Promise.race([query()]);
			await Promise.race([new Proxy({}, {get(target, key) { console.log('read', key); }}), 1]);
			await Promise.reject(5).catch(() => 0);
			await Promise.reject(new Odd('odd')).catch(() => 0);
			console.log('served', Promise.all.name, /native code/.test(Promise.all));
			try {
				await refuse();
			} catch (error) {
				throw Error('because of it', {cause: error});
			}
		}
		process.on('uncaughtException', (error) => { console.log(error.message); process.exit(3); });
		handle();
	END
	run_told node --require "$PLACE/node.js" program.js
	run -0 sed -nE 's/^async ts=[0-9.]+ op=(create|run|await|end) pid=[0-9]+ tid=[0-9]+ /\1 /p' trace
	assert_line --regexp '^create id=[0-9]+ parent=1 name=handle$'
	assert_line --regexp '^create id=[0-9]+ parent=[0-9]+ name=query on=[0-9]+$'
	assert_line --regexp '^create id=[0-9]+ parent=[0-9]+ name="sleep \(Timeout\)"$'
	assert_line --regexp '^run id=[0-9]+$'
	assert_line --regexp '^await id=[0-9]+ on=[0-9]+ mode=all$'
	assert_line --regexp '^await id=[0-9]+ on=[0-9]+ mode=any$'
	assert_line --regexp '^end id=[0-9]+ parent=[0-9]+ result=done$'
	run -0 sed -nE 's/^exception ts=[0-9.]+ tid=([0-9]+) pid=\1 //p' trace
	assert_output 'object=0x1 name=? what=5
object=0x2 name=Odd what=odd
object=0x3 name=TypeError what="as planned" function=refuse calls=refuse;handle
object=0x4 name=Error what="because of it" function=handle cause=0x3 calls=handle
object=0x4 name=Error what="because of it" function=handle cause=0x3 again=yes calls=handle'
	# A stack each is what only those can ask for who may write to the file.
	touch "$PLACE/names"
	setpriv --reuid=65534 --clear-groups flock "$PLACE/names" sleep 1000 3>&- &
	holder=$!
	until_true 20 bash -c "! flock -n '$PLACE/names' true"
	trace-collect --async -e sched:sched_process_exit -o other.tb -- node --require "$PLACE/node.js" "$PLACE/program.js" || true
	kill "$(pgrep -P $holder -x sleep)"
	run -0 bash -c 'stream-cat --text other.tb | grep "^async .* op=create"'
	assert_output --partial ' name=PROMISE'
	refute_output --partial ' name=query'
}

# bats test_tags=live
@test "what is no marker is dropped; one collector has the socket; a killed one leaves none" {
	need_tracefs
	own_socket
	trace-collect --async -e sched:sched_process_exit --text -o trace &
	collector=$!
	until_true 20 test -S "$PLACE/markers"
	assert_equal "$(stat -c %a "$PLACE/markers")" 666
	run -1 --separate-stderr trace-collect --async -e sched:sched_process_exit -d 0 -o other
	assert_equal "$stderr" "trace-collect: another trace-collect has '$PLACE/markers'"
	# The last one is a marker, of a thread that its process has not, whose sender had to drop three.
	run -0 perl -MSocket -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'socket(my $s, AF_UNIX, SOCK_DGRAM, 0);
		connect($s, pack_sockaddr_un($ARGV[0])) or die;
		my ($magic, $now) = (1952604465, 1e9 * int clock_gettime(CLOCK_MONOTONIC));
		send($s, $_, 0) for "", "x", "x" x 60000, pack("d5", $magic, 1e9, 0, 0, 0), pack("d10", $magic, 1, 1, $$, 0, 2 * $now, 2, 1, 0, 0),
			pack("d10", $magic, 1, 1, $$, 1e12, $now, 2, 1, 0, 0),
			pack("d10", $magic, 1, 1, $$, 3, $now, 1 + 256 * 3, 1, 0, 0) . "a\n\"";
		print $$' "$PLACE/markers"
	sender=$output
	until_true 20 grep -q 'op=lost' trace
	kill -KILL $collector
	wait $collector 2>/dev/null || true
	until_true 20 test ! -e "$PLACE/markers"
	run -0 sed -n '/^async/s/ ts=[0-9.]*//p' trace
	assert_output "async op=create pid=$sender id=1 name=\"a\\n\\\"\"
async op=lost pid=$sender count=3"
}

# bats test_tags=live
@test "somebody who has a lock on the folder of the socket, for as long as he likes, holds nobody up" {
	need_tracefs
	own_socket
	setpriv --reuid=65534 --clear-groups flock "$PLACE" sleep 1000 3>&- &
	holder=$!
	until_true 20 bash -c "! flock -n '$PLACE' true"
	run -0 timeout -s KILL 60 trace-collect --async -e sched:sched_process_exit -d 0.1 -o trace
	kill "$(pgrep -P $holder -x sleep)"
	# In the folder of our own nobody else can have one.
	# shellcheck disable=SC2016 # the inner shell's
	run -0 unshare --mount bash -c 'unset TAILBLAME_MARKERS
		mount -t tmpfs none /run && mkdir /run/tailblame &&
		trace-collect --async -e sched:sched_process_exit -d 0.1 -o "$0"/trace &&
		! setpriv --reuid=65534 --clear-groups flock -n /run/tailblame true 2>/dev/null &&
		stat -c %a /run/tailblame' "$PWD"
	assert_output 711
}

# bats test_tags=live
@test "a file that comes along with markers, and whose end may take for ever, is not taken" {
	need_tracefs
	/usr/bin/python3 -c 'import socket; socket.send_fds' 2>/dev/null || skip "needs python3.9"
	own_socket
	# A kernel before 6.16 cannot refuse files.
	cat >older.c <<-'END'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <sys/socket.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
		{
			if (level == SOL_SOCKET && option == 83) {
				errno = ENOPROTOOPT;
				return -1;
			}
			return (int)syscall(SYS_setsockopt, fd, level, option, value, length);
		}
	END
	${CC:-gcc} -shared -fPIC -o older.so older.c
	# A connection that lingers until what was sent is read, and nobody reads.
	cat >"$PLACE/lingers.py" <<-'END'
		import os, socket, struct, sys, time
		server = socket.create_server(("127.0.0.1", 0))
		markers = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		markers.connect(sys.argv[1])
		kept = []
		for i in range(3):
		    client = socket.create_connection(server.getsockname())
		    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 1000))
		    client.setblocking(False)
		    try:
		        while True:
		            client.send(b"x" * 65536)
		    except BlockingIOError:
		        pass
		    try:
		        socket.send_fds(markers, [b"x"], [client.fileno()])
		        os.close(client.detach())
		    except PermissionError: # as it should be; closed here, it would hold up this one
		        kept.append(client)
		now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 10**9 * 10**9
		markers.send(struct.pack("10d", 1952604465, 1, 1, 0, 3, now, 1, 1, 0, 0))
		print("sent", flush=True)
		time.sleep(1000)
	END
	for older in "" "$PWD/older.so"; do
		LD_PRELOAD=$older ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 trace-collect --async -e sched:sched_process_exit --text -o trace &
		collector=$!
		until_true 20 test -S "$PLACE/markers"
		kill -STOP $collector # it is to be the last one who has the files
		setpriv --reuid=65534 --clear-groups /usr/bin/python3 "$PLACE/lingers.py" "$PLACE/markers" >told 3>&- &
		sender=$!
		until_true 20 grep -q sent told
		kill -CONT $collector
		until_true 20 grep -q 'op=lost' trace
		kill $collector
		until_true 20 test ! -e "$PLACE/markers"
		kill $sender
		rm trace told # that which says `sent` is of this round
	done
}

# bats test_tags=live
@test "a coroutine that keeps the loop busy holds up another's reply: graph-walk names it, and who posted it" {
	need_tracefs
	chrt -f 5 true 2>/dev/null || skip "needs real-time priorities"
	/usr/bin/python3 -c 'import asyncio' 2>/dev/null || skip "needs python3 with asyncio"
	own_socket
	cat >"$PLACE/server.py" <<-'END'
		import asyncio, sys, time
		told = lambda: "_install" in asyncio.events.Handle._run.__qualname__
		async def crunch():
		    end = time.monotonic() + 1
		    while time.monotonic() < end:
		        pass
		async def housekeeping(wanted):
		    await wanted.wait()
		    asyncio.create_task(crunch())
		async def reply(writer, byte):
		    writer.write(byte)
		async def main():
		    wanted = asyncio.Event()
		    keeper = asyncio.create_task(housekeeping(wanted))
		    async def serve(reader, writer):
		        while byte := await reader.read(1):
		            if byte == b"b":
		                wanted.set()
		            await reply(writer, b"t" if told() else b"n")
		    async with await asyncio.start_unix_server(serve, sys.argv[1]) as server:
		        await server.serve_forever()
		asyncio.run(main())
	END
	cat >"$PLACE/client.py" <<-'END'
		import socket, sys
		server = socket.socket(socket.AF_UNIX)
		server.connect(sys.argv[1])
		def ask(byte):
		    server.send(byte)
		    return server.recv(1)
		while ask(b"a") != b"t":
		    pass
		for byte in [b"a"] * 30 + [b"b"] + [b"a"] * 30:
		    ask(byte)
	END
	PYTHONPATH="$PLACE" chrt -f 5 /usr/bin/python3 "$PLACE/server.py" "$PLACE/socket" 3>&- & # whoever else uses the machine has no part in it
	until_true 20 test -S "$PLACE/socket"
	timeout 60 trace-collect --semantics=asyncio -c syscall -p command --no-recorder -o all.tb -- chrt -f 5 /usr/bin/python3 "$PLACE/client.py" "$PLACE/socket"
	cchart-filter --pass=all -c syscall --limit=300ms --only-limit all.tb >marked.tb
	run -0 graph-walk -x 'at 1; culprit' marked.tb
	assert_line --regexp "^blocked: .* in recvfrom "
	assert_line --regexp "^culprit: .*/$! is busy: "
	assert_line --regexp "^in task crunch: [0-9.]+ m?s, most of it in .*/$!#[0-9]+, posted by .*/$!#[0-9]+, in task housekeeping$"
	run -0 graph-walk --semantics=none -x 'at 1; culprit' marked.tb
	refute_output --partial crunch
}
