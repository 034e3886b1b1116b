#!/usr/bin/env bats
# span-build: requests and their answers, found in what connections carried.

load helper

WAITS=epoll_pwait,epoll_pwait2,ppoll,pselect6,io_uring_enter,epoll_wait,poll,select

# served [EXTRA-EVENT]...: asker (10) asks front (20), which asks store (30), twice; bytes of each way differ. An extra event is "TIME TID NAME FIELDS",
# its time from 110 on: 110.0035 is between the read of the first request and the call that it causes. With ANSWERER, that thread answers for front.
served() {
	echo "host name=h machine=x86_64 waits=${told-$WAITS}"
	for task in "10 ask asker" "20 front front" "21 front front" "30 store store"; do
		read -r tid comm program <<<"$task"
		echo "task ts=109.0 tid=$tid tgid=${tid/21/20} comm=$comm program=/usr/bin/$program"
	done
	{
		connection 109.1 10 1 2 0x1 0x2 40000 7000
		connection 109.2 20 3 4 0x2 0x3 40001 7001
		for second in 110 111; do
			sends $second.0000 10 1 2 16
			reads $second.0030 20 2 16
			sends $second.0040 20 3 4 18
			reads $second.0052 30 4 18
			sends $second.0100 30 4 3 64
			reads $second.0120 20 3 64
			sends $second.0130 "${ANSWERER:-20}" 2 1 32
			reads $second.0150 10 1 32
		done
		for extra; do
			read -r ts tid name fields <<<"$extra"
			echo "event ts=${ts}00000 cpu=0 tid=$tid name=$name $fields"
		done
	} | sort -s -t = -k 2,2 | sed "${EDIT-}"
}

# connection TIME TID ASKING-SOCKET ANSWERING-SOCKET FROM TO PORT PORT
connection() {
	local state="name=sock:inet_sock_set_state family=2 protocol=6"
	echo "event ts=${1}00000000 cpu=0 tid=$2 $state skaddr=$3 oldstate=7 newstate=2 sport=0 dport=$8 saddr=10,0,0,$5 daddr=10,0,0,$6"
	echo "event ts=${1}10000000 cpu=0 tid=0 $state skaddr=$3 oldstate=2 newstate=1 sport=$7 dport=$8 saddr=10,0,0,$5 daddr=10,0,0,$6"
	echo "event ts=${1}20000000 cpu=0 tid=0 $state skaddr=$4 oldstate=10 newstate=3 sport=$8 dport=$7 saddr=10,0,0,$6 daddr=10,0,0,$5"
	echo "event ts=${1}30000000 cpu=0 tid=0 $state skaddr=$4 oldstate=3 newstate=1 sport=$8 dport=$7 saddr=10,0,0,$6 daddr=10,0,0,$5"
}

# sends TIME TID SOCKET OTHER BYTES: it enters the call then, has sent 50 us later; the segment comes in at once, half a millisecond later
sends() {
	echo "event ts=${1}00000 cpu=0 tid=$2 name=syscalls:sys_enter_sendto fd=3"
	echo "event ts=${1}50000 cpu=0 tid=$2 name=sock:sock_send_length sk=$3 family=2 protocol=6 ret=$5 flags=0"
	echo "event ts=${1%?}500000 cpu=0 tid=0 name=tcp:tcp_probe skaddr=$4 sport=1 dport=1 family=2 data_len=$5"
}

reads() {
	echo "event ts=${1}00000 cpu=0 tid=$2 name=sock:sock_recv_length sk=$3 family=2 protocol=6 ret=$4 flags=0"
}

# spans: "PARENT>ID SERVICE KIND SURE" of each, by start
spans() {
	span-build --text | awk '/^span / {
		for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
		printf "%s>%s %s %s %s%s\n", v["parent"], v["id"], v["service"], v["kind"], v["sure"], v["candidates"]; split("", v) }'
}

certain=$'>1 asker client yes\n1>2 front server yes\n2>3 front client yes\n3>4 store server yes\n>5 asker client yes\n5>6 front server yes\n6>7 front client yes\n7>8 store server yes'
unsure=$'>1 asker client yes\n1>2 front server yes\n>3 front client no1\n3>4 store server yes\n>5 asker client yes\n5>6 front server yes\n6>7 front client yes\n7>8 store server yes'

@test "who asked whom, from when to when, by which thread, and how much" {
	served >stream
	assert_equal "$(spans <stream | sort -t '>' -k 2n)" "$certain"
	run -0 span-build --text stream
	assert_line 'span id=2 parent=1 ts=110.013050000 start=110.000500000 host=h pid=20 tid=20 service=front kind=server peer=10.0.0.1 bytes_in=16 bytes_out=32 sure=yes'
	assert_line 'span id=3 parent=2 ts=110.012000000 start=110.004000000 host=h pid=20 tid=20 service=front kind=client peer=10.0.0.3:7001 bytes_in=64 bytes_out=18 sure=yes'
	refute_line --regexp '^event '
}

@test "a request's time parts into services, their queues and the network; the ranking needs no change" {
	served | span-build | blame-rank --text >ranked
	awk '/^path graph=1 / { split($3, node, "="); split($4, from, "="); split($5, to, "="); time[node[2]] += to[2] - from[2] }
		/^node graph=1 / { split($3, node, "="); match($0, /name="[^"]*"|name=[^ ]*/); name[node[2]] = substr($0, RSTART + 5, RLENGTH - 5) }
		END { for (n in time) printf "%s %.2f\n", name[n], time[n] * 1000 }' ranked | LC_ALL=C sort >parts
	diff parts - <<-'END'
		"network: asker to front" 2.45
		"network: front to store" 2.45
		"queue: front" 2.50
		"queue: store" 0.70
		front 2.05
		store 4.85
	END
}

@test "after a wait for several descriptors nobody knows for whom a thread goes on; after one for a single descriptor it is as before" {
	assert_equal "$(served "110.0035 20 syscalls:sys_enter_epoll_wait epfd=4" | spans | sort -t '>' -k 2n)" "$unsure"
	assert_equal "$(served "110.0035 20 syscalls:sys_enter_poll nfds=2" | spans | sort -t '>' -k 2n)" "$unsure"
	assert_equal "$(served "110.0035 20 syscalls:sys_enter_poll nfds=1" | spans | sort -t '>' -k 2n)" "$certain"
	assert_equal "$(served "110.0035 21 syscalls:sys_enter_epoll_wait epfd=4" | spans | sort -t '>' -k 2n)" "$certain"
}

@test "where events were lost meanwhile, another thread answers, or waits were not collected, nothing is certain" {
	served | awk '{ print } /ts=110.0035/ || /ts=110.003000/ { print "lost ts=110.003700000 cpu=0 count=1 from=110.003600000" }' >stream
	spans <stream >got
	assert_equal "$(grep -c 'front server' got)" 1 # whose socket is whose is not known behind it
	assert_equal "$(grep -c 'front client yes' got)" 0
	assert_equal "$(ANSWERER=21 served | spans | grep '>[37] ')" $'>3 front client no1\n>7 front client no1'
	run -0 --separate-stderr span-build --text < <(told=epoll_wait,poll served)
	assert_regex "$stderr" "cannot be told where the stream does not tell how threads wait; record with trace-collect -s requests"
	assert_equal "$(grep -c 'sure=no candidates=1$' <<<"$output")" 2
}

@test "several requests at a time by one thread: none is certain" {
	# a second connection of asker to front, whose request the same thread reads before it asks store
	local another
	another=$(connection 109.3 10 5 6 0x1 0x2 40005 7000; sends 110.0010 10 5 6 16; reads 110.0035 20 6 16; sends 110.0160 20 6 5 32; reads 110.0180 10 5 32)
	{ served | grep -v ^event; { served | grep ^event; echo "$another"; } | sort -s -t = -k 2,2; } | spans >got
	assert_equal "$(grep -c 'front client no2' got)" 1
	assert_equal "$(grep -c 'front client yes' got)" 1
}

@test "live: three programs with threads of their own, each call joined to its request, none wrong" {
	need_tracefs
	command -v python3 >/dev/null || skip "needs python3"
	cat >services.py <<-'END'
		import socket, threading
		def serve(port, work):
		    listener = socket.create_server(("127.0.0.1", port))
		    def one(end):
		        with end:
		            while (asked := end.recv(16, socket.MSG_WAITALL)):
		                end.sendall(work(asked))
		    def loop():
		        while True:
		            threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()
		    threading.Thread(target=loop, daemon=True).start()
		    return listener.getsockname()
		store = serve(0, lambda asked: asked * 4)
		def front(asked):
		    with socket.create_connection(store) as call:
		        call.sendall(asked)
		        return call.recv(64, socket.MSG_WAITALL)[:32]
		address = serve(0, front)
		def ask(count):
		    for _ in range(count):
		        with socket.create_connection(address) as call:
		            call.sendall(b"0123456789abcdef")
		            assert len(call.recv(32, socket.MSG_WAITALL)) == 32
		askers = [threading.Thread(target=ask, args=(5,)) for _ in range(4)]
		for asker in askers: asker.start()
		for asker in askers: asker.join()
	END
	trace-collect -s requests -p command -o trace -- python3 services.py
	span-build --text trace >got
	# of 20 requests: who asks front, front, front asking store, store; the front's thread asks within its request
	assert_equal "$(grep -c '^span .*bytes_in=16 bytes_out=32' got) $(grep -c '^span .*bytes_in=16 bytes_out=64' got)" "20 20"
	awk '/^span / {
		for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
		id = v["id"]; kind[id] = v["kind"]; tid[id] = v["tid"]; parent[id] = v["parent"]; from[id] = v["start"]; to[id] = v["ts"]; split("", v)
	} END {
		for (id in kind) if (kind[id] == "client" && parent[id] != "") {
			found++
			if (tid[id] != tid[parent[id]] || from[id] < from[parent[id]] || to[id] > to[parent[id]]) wrong++
		}
		print found, wrong + 0
	}' got >joined
	assert_equal "$(cat joined)" "20 0"
}
