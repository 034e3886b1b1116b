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
	echo "event ts=${1}00000 cpu=0 tid=$2 name=syscalls:sys_enter_sendto fd=${FD-3}"
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

# older: the connections of `served` began before the trace; FRONT is what the collector tells of the answering sides.
older() {
	local side=${SIDE- side=server}
	served | grep -E '^(host|task)'
	echo "socket ts=109.9 from=109.8 inode=1 cookie=1 local=10.0.0.2:40000 peer=10.0.0.1:7000 bytes_in=500 bytes_out=160 tid=10"
	echo "socket ts=109.9 from=109.8 inode=2 cookie=2 local=10.0.0.1:7000 peer=10.0.0.2:40000$side bytes_in=160 bytes_out=500 tid=20"
	echo "socket ts=109.9 from=109.8 inode=3 cookie=3 local=10.0.0.2:40001 peer=10.0.0.3:7001 bytes_in=640 bytes_out=180 tid=20"
	echo "socket ts=109.9 from=109.8 inode=4 cookie=4 local=10.0.0.3:7001 peer=10.0.0.2:40001$side bytes_in=180 bytes_out=640 tid=30"
	served | grep ^event | grep -v inet_sock | sed -E '
		s/(tcp_probe skaddr=2) .*family=2/\1 sport=7000 dport=40000 family=2 saddr=2,0,0,0,10,0,0,1 daddr=2,0,0,0,10,0,0,2/
		s/(tcp_probe skaddr=1) .*family=2/\1 sport=40000 dport=7000 family=2 saddr=2,0,0,0,10,0,0,2 daddr=2,0,0,0,10,0,0,1/
		s/(tcp_probe skaddr=4) .*family=2/\1 sport=7001 dport=40001 family=2 saddr=2,0,0,0,10,0,0,3 daddr=2,0,0,0,10,0,0,2/
		s/(tcp_probe skaddr=3) .*family=2/\1 sport=40001 dport=7001 family=2 saddr=2,0,0,0,10,0,0,2 daddr=2,0,0,0,10,0,0,3/'
}

@test "connections older than the trace: from the first request behind an answer on, where it is known who listens" {
	assert_equal "$(older | spans | sort -t '>' -k 2n)" "$(sed -n '1,4p' <<<"$certain")"
	assert_equal "$(older | span-build --text | grep -c 'start=111.0.*bytes_in=18 bytes_out=64')" 1
	assert_equal "$(SIDE='' older | spans)" ""
}

@test "a unit line: pipelined requests are split in order, each by its name; what a script calls is none" {
	cat >kv.state <<-'END'
		states   name=kv
		probe    function=call binary=store args="fd=%1:s32,line=%2:string"
		unit     name=kv port=7001 by=event event=probe:call fd={fd} name="{line}"
		unit     name=web by=event event=probe:call name="{line}"
	END
	call="probe:call fd=3 line"
	served "110.0060 30 $call=\"GET /cart/7?a=b HTTP/1.1\"" "110.0070 30 $call=get" "110.0075 30 probe:call fd=-1 line=inner" "110.0080 31 $call=other" >stream
	run -0 span-build -s ./kv.state --text stream
	assert_line --regexp '^span id=4 parent=3 ts=110.007000000 start=110.004500000 .*service=store kind=server peer=10.0.0.2 sure=yes name="GET /cart/7"$'
	assert_line --regexp '^span id=5 parent=3 ts=110.010050000 start=110.004500000 .*service=store kind=server peer=10.0.0.2 sure=yes name=get$'
	assert_line --regexp '^node .*name="store: get" .* start=110.007000000 end=110.010050000 '
	assert_equal "$(grep -c 'service=store' < <(grep ^span <<<"$output"))" 3
	run -0 bash -c "span-build -s ./kv.state stream | blame-rank --text"
	assert_output --partial 'name="store: GET /cart/*"'
	# span-build knows no attributes, and so no host
	sed 's/name="{line}"$/name="{host}{line}" if="[\/{host}\/A] == null"/' kv.state >host.state
	run -0 span-build -s ./host.state --text stream
	assert_line --regexp '^span id=5 parent=3 ts=110.010050000 start=110.004500000 .*service=store kind=server peer=10.0.0.2 sure=yes$'
	run -1 --separate-stderr span-build -s <(printf 'states name=x\nunit name=x by=event event=probe:none\n') stream
	assert_regex "$stderr" "no probe line makes the event probe:none"
}

@test "unit lines of one event with conditions; of a port that another line names they do not count" {
	cat >web.state <<-'END'
		states   name=web
		probe    function=on_url binary=store args="method=%1:u8,url=%2:path"
		unit     name=http by=event event=probe:on_url if="method == 1" name="GET {url}"
		unit     name=http by=event event=probe:on_url if="method != 1 || method == null" name="{url}"
	END
	served "110.0053 30 probe:on_url method=1 url=/cart" "111.0053 30 probe:on_url url=/pay" >stream
	run -0 span-build -s ./web.state --text stream
	assert_equal "$(sed -n 's/^span .*service=store .*sure=yes name=//p' <<<"$output")" $'"GET /cart"\n/pay'
	echo 'unit name=kv port=7001' >>web.state
	run -0 span-build -s ./web.state --text stream
	refute_output --partial name=/pay
	echo 'unit name=kv if="x == 1"' >>web.state
	run -1 --separate-stderr span-build -s ./web.state stream
	assert_regex "$stderr" "web.state:6: .*event=, if=, fd=, key= and until= are for by=event"
}

# parts GRAPH: the nodes below a span or its queue that tell what its thread did, "PARENT'S-NAME > NAME FROM TO".
parts() {
	awk -v graph="$1" '/^node / { split($2, g, "="); split($3, id, "="); match($0, /name="[^"]*"|name=[^ ]*/); name[id[2]] = substr($0, RSTART + 5, RLENGTH - 5) }
		/^node / && g[2] == graph && /(held|works|busy|idle|runnable|wake)/ { match($0, /parent=[0-9]+/); parent = substr($0, RSTART + 7, RLENGTH - 7)
			match($0, /wait_start=[0-9.]+/); from = substr($0, RSTART + 11, RLENGTH - 11); match($0, /wait_end=[0-9.]+/)
			print name[parent], ">", name[id[2]], from, substr($0, RSTART + 9, RLENGTH - 9) }'
}

@test "a service's time, and that in its queue, is cut by what its thread did: states, but for its waits" {
	cat >store.state <<-'END'
		states name=store
		on event=x:begin push path="Jobs/{tid}/Client" value="works for {client}"
		on event=x:end   pop path="Jobs/{tid}/Client"
		on event=x:busy  set path="Jobs/{tid}/Step" value="busy"
		on event=x:idle  clear path="Jobs/{tid}/Step"
		view kind=lanes path="Jobs/*/Client"
		view kind=lanes path="Jobs/*/Step"
	END
	# before it reads the second request, at 111.0052, it works for client 7; the step within that is not told
	served "110.0060 30 x:busy " "110.0070 30 x:idle " "111.0040 30 x:begin client=7" "111.0046 30 x:busy " "111.0050 30 x:end " "111.0060 30 x:idle " >stream
	span-build -s ./store.state --text stream >got
	parts 1 <got >first
	diff first - <<-'END'
		store > "store: busy" 110.006000000 110.007000000
	END
	parts 5 <got >second
	diff second - <<-'END'
		"queue: store" > "store: works for *" 111.004500000 111.005000000
		"queue: store" > "store: busy" 111.005000000 111.005200000
		store > "store: busy" 111.005200000 111.006000000
	END
	# of very many steps, 64 are told, also if all take as long
	served >few
	{
		grep -v '^event' few
		{
			grep '^event' few
			seq 0 99 | awk '{ t = 5300 + 40 * $1; for (i = 0; i < 2; i++)
				printf "event ts=110.%06d000 cpu=0 tid=30 name=x:%s\n", t + 10 * i, i ? "idle" : "busy" }'
		} | sort -s -t = -k 2,2
	} >many
	assert_equal "$(span-build -s ./store.state --text many | parts 1 | wc -l)" 64
	# behind a wait for several descriptors nobody knows for whom it works
	sed '/ts=110.006/i event ts=110.005500000 cpu=0 tid=30 name=syscalls:sys_enter_epoll_wait epfd=4' stream >waited
	assert_equal "$(span-build -s ./store.state --text waited | parts 1)" ""
	# who answers with others does not do all of it
	sed 's/\(ts=110.010050000 .*\)tid=30/\1tid=31/' stream >shared
	assert_equal "$(span-build -s ./store.state --text shared | parts 1)" ""
}

@test "who held a service's thread up is told before what its states were" {
	printf 'states name=s\non event=x:busy set path="T/{tid}" value=busy\nview kind=lanes path="T/*"\n' >s.state
	local switch="name=sched:sched_switch"
	served "110.0050 30 x:busy " "110.0060 30 x:switch " "110.0080 66 x:switch " |
		sed -e "s/tid=30 name=x:switch/tid=30 comm=store $switch prev_comm=store prev_pid=30 prev_prio=120 prev_state=R next_comm=hog next_pid=66 next_prio=120/" \
			-e "s/tid=66 name=x:switch/tid=66 comm=hog $switch prev_comm=hog prev_pid=66 prev_prio=120 prev_state=S next_comm=store next_pid=30 next_prio=120/" >switched
	span-build -s ./s.state --text switched >got
	run -0 cat got
	assert_line --regexp '^node graph=1 .*name="hog: on CPU 0 while store was runnable" .*start=110.006000000 end=110.008000000 .*deed=hold-cpu who=hog whom=store'
	assert_line --regexp '^node graph=1 .*name="store: busy" .*start=110.005200000 end=110.006000000 '
	assert_line --regexp '^node graph=1 .*name="store: busy" .*start=110.008000000 end=110.010050000 '
	blame-rank --text got >ranked
	grep -q '^path graph=1 .* from=110.006000000 to=110.008000000 .*who=hog' ranked
}

@test "of several hosts each has its own wake graphs, though the numbers of threads are the same" {
	printf 'states name=s\non event=x:busy set path="T/{tid}" value=busy\nview kind=lanes path="T/*"\n' >s.state
	local switch="name=sched:sched_switch"
	served "110.0060 30 x:switch " "110.0080 66 x:switch " |
		sed -e "s/tid=30 name=x:switch/tid=30 comm=store $switch prev_comm=store prev_pid=30 prev_prio=120 prev_state=R next_comm=hog next_pid=66 next_prio=120/" \
			-e "s/tid=66 name=x:switch/tid=66 comm=hog $switch prev_comm=hog prev_pid=66 prev_prio=120 prev_state=S next_comm=store next_pid=30 next_prio=120/" >one
	# on another host a thread of that number is held up all the time, by another program
	{
		echo "host name=other machine=x86_64"
		echo "event ts=109.500000000 cpu=0 tid=30 comm=store $switch prev_comm=store prev_pid=30 prev_prio=120 prev_state=R next_comm=worse next_pid=77 next_prio=120"
		sed '1s/ machine.*//' one
		echo "host name=other"
		echo "event ts=112.000000000 cpu=0 tid=77 comm=worse $switch prev_comm=worse prev_pid=77 prev_prio=120 prev_state=S next_comm=store next_pid=30 next_prio=120"
	} >both
	sed -i '3s/^host name=h$/& machine=x86_64 waits='"$WAITS/" both
	run -0 span-build -s ./s.state --text both
	assert_line --regexp '^node graph=1 .*name="hog: on CPU 0 while store was runnable" .*start=110.006000000 end=110.008000000 .*deed=hold-cpu who=hog whom=store'
	refute_output --partial worse
	assert_equal "$(grep -c '^node' <<<"$output")" "$(span-build -s ./s.state --text one | grep -c '^node')"
}

@test "a dispatch line: what a callback sends is for the request that it received, however many are open" {
	printf 'states name=node\ndispatch binary=front within=on_read\n' >node.state
	local wait another
	wait="110.0035 20 syscalls:sys_enter_epoll_wait epfd=4"
	# a second request, which the same thread received before, is open all the while
	another=$(connection 109.3 10 5 6 0x1 0x2 40005 7000; sends 110.0010 10 5 6 16; reads 110.0025 20 6 16; sends 110.0160 20 6 5 32; reads 110.0180 10 5 32)
	runs() {
		{ served "110.0027 20 probe:on_read" "110.0045 20 probe:on_read__return" "$@" | grep -v ^event
			{ served "110.0027 20 probe:on_read" "110.0045 20 probe:on_read__return" "$@" | grep ^event; echo "$another"; } | sort -s -t = -k 2,2; }
	}
	runs | span-build -s ./node.state --text | grep '^span .*start=110.004.*kind=client' >found
	assert_regex "$(cat found)" 'parent=[0-9]+ .*sure=yes'
	assert_equal "$(runs | span-build --text | grep -c '^span .*start=110.004.*service=front kind=client.*sure=no candidates=2')" 1
	# it sends behind the callback, from a timer
	runs "110.0026 20 probe:x" | sed 's/ts=110.004500000\(.*return\)/ts=110.003500000\1/' | sort -s -t = -k 2,2 | span-build -s ./node.state --text >later
	assert_equal "$(grep -c '^span .*start=110.004.*service=front kind=client.*sure=no' later)" 1
	served "$wait" | span-build -s ./node.state --text | grep -q '^span .*start=110.004.*kind=client.*sure=no'
}

@test "a call line: what a thread sends next is for the request of the same key, however many are open" {
	cat >web.state <<-'END'
		states name=web
		probe  function=begin binary=front args="r=%1:ptr,what=%2:string"
		probe  function=call binary=front args="r=%1:ptr,fd=%2:s32"
		unit   name=web port=7000 by=event event=probe:begin key={r} name="{what}"
		call   event=probe:call fd={fd} key={r}
	END
	local another
	another=$(connection 109.3 10 5 6 0x1 0x2 40005 7000; sends 110.0010 10 5 6 16; reads 110.0025 20 6 16; sends 110.0160 20 6 5 32; reads 110.0180 10 5 32)
	# of: the name of the request that front's call at 110.0040 belongs to; "" where that is not known
	of() {
		{ served "110.0026 20 probe:begin r=0xa what=first" "110.0032 20 probe:begin r=0xb what=second" "$@" | grep -v ^event
			{ served "110.0026 20 probe:begin r=0xa what=first" "110.0032 20 probe:begin r=0xb what=second" "$@" | grep ^event; echo "$another"; } |
				sort -s -t = -k 2,2; } | span-build -s ./web.state --text | awk '/^span / { id = parent = name = ""
			for (i = 2; i <= NF; i++) { split($i, kv, "="); if (kv[1] == "id") id = kv[2]; if (kv[1] == "parent") parent = kv[2]; if (kv[1] == "name") name = kv[2] }
			names[id] = name; if (/start=110.004.*service=front kind=client/) cause = parent } END { print names[cause] }'
	}
	assert_equal "$(of "110.0036 20 probe:call fd=3 r=0xa")" first
	assert_equal "$(of "110.0036 20 probe:call fd=3 r=0xb")" second
	# the key is used again; another thread's is another's
	assert_equal "$(of "110.0034 20 probe:begin r=0xa what=third" "110.0036 20 probe:call fd=3 r=0xa")" third
	assert_equal "$(of "110.0034 21 probe:begin r=0xa what=third" "110.0036 20 probe:call fd=3 r=0xa")" first
	# no key, another descriptor, a wait in between, a loss, another call in between
	assert_equal "$(of "110.0036 20 probe:call fd=3 r=0xc")" ""
	assert_equal "$(of "110.0036 20 probe:call fd=4 r=0xa")" ""
	assert_equal "$(of "110.0036 20 probe:call fd=3 r=0xa" "110.0038 20 syscalls:sys_enter_epoll_wait epfd=4")" ""
	assert_equal "$(of "110.0036 20 probe:call fd=3 r=0xa" "110.0037 20 probe:call fd=4 r=0xb")" ""
	local EDIT='/ts=110.003600/a lost ts=110.003700000 count=1 from=110.003600000'
	assert_equal "$(of "110.0036 20 probe:call fd=3 r=0xa")" ""
	unset EDIT
	echo 'call event=probe:call fd={fd}' >>web.state
	run -1 --separate-stderr span-build -s ./web.state /dev/null
	assert_regex "$stderr" "web.state:6: key= is missing"
}

bus_state() {
	cat >bus.state <<-'END'
		states  name=bus
		probe   function=call binary=a return=yes args="fd=%1:s32,cmd=%2:string"
		probe   function=spread binary=a
		probe   function=packet binary=a return=yes args="bytes=%1:u64"
		probe   function=leave binary=a args="fd=%1:s32"
		probe   function=waits binary=a args="fd=%1:s32,left=%2:s32"
		unit    name=kv by=event event=probe:call fd={fd} until=probe:call__return name="{cmd}"
		unit    name=bus by=message event=probe:packet bytes={bytes} until=probe:packet__return name=bus
		message event=probe:spread to=bus
		message event=probe:leave fd={fd}
		backlog event=probe:waits if="left == 1" fd={fd}
		backlog event=probe:waits if="left == 0" fd={fd} over=yes
	END
}

# published [EXTRA-EVENT]...: asker (10) publishes at node a (20), which passes it on over a bus (its descriptor 4) to node b (30), to whom a subscriber
# (40) is connected as 3: a message at 110, two at once at 111. With OLDER, the connections of bus and subscriber are older than the trace.
published() {
	local call="probe:call fd=3 cmd=publish" second
	echo "host name=h machine=x86_64 waits=$WAITS"
	for task in "10 asker" "20 a" "30 b" "40 sub"; do
		echo "task ts=109.0 tid=${task% *} tgid=${task% *} comm=${task#* } program=/usr/bin/${task#* }"
	done
	{
		connection 109.1 10 1 2 0x1 0x2 40000 7000
		connection 109.2 20 3 4 0x2 0x3 40001 17001
		connection 109.3 40 5 6 0x4 0x3 40002 7001
		sends 109.4000 40 5 6 20
		reads 109.4010 30 6 20
		sends 109.4020 30 6 5 10
		reads 109.4030 40 5 10
		for second in 110 111; do
			sends $second.0000 10 1 2 16
			reads $second.0010 20 2 16
			event $second.0012 20 $call
			event $second.0013 20 probe:spread
			event $second.0014 20 probe:call__return
			[ $second = 110 ] || { event $second.0015 20 $call; event $second.0016 20 probe:spread; event $second.0017 20 probe:call__return; }
			sends $second.0020 20 2 1 8
			reads $second.0025 10 1 8
			FD=4 sends $second.0030 20 3 4 $(((second - 109) * 100))
			event $second.0032 20 probe:waits fd=4 left=0
			reads $second.0040 30 4 100
			event $second.0041 30 probe:packet bytes=100
			event $second.0042 30 probe:leave fd=3
			event $second.0043 30 probe:packet__return
			[ $second = 110 ] || { reads $second.0044 30 4 100; event $second.0045 30 probe:packet bytes=100
				event $second.0046 30 probe:leave fd=3; event $second.0047 30 probe:packet__return; }
			sends $second.0060 30 6 5 $(((second - 109) * 50))
			event $second.0063 30 syscalls:sys_enter_epoll_wait epfd=4
			reads $second.0070 40 5 $(((second - 109) * 50))
		done
		for extra; do
			# shellcheck disable=SC2086 # words
			event $extra
		done
	} | sort -s -t = -k 2,2 | sed "${EDIT-}"
}

event() { # TIME TID NAME FIELDS
	echo "event ts=${1}00000 cpu=0 tid=$2 name=${*:3}"
}

# messages: "PARENT>ID SERVICE SURE" of each that was received, by its id
messages() {
	span-build -s ./bus.state --text | awk '/^span .*kind=consumer/ {
		for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
		printf "%s>%s %s %s%s\n", v["parent"], v["id"], v["service"], v["sure"], v["candidates"]; split("", v) }' | sort -t '>' -k 2n
}

followed=$'4>8 b yes\n6>9 b yes\n7>10 b yes\n8>11 sub yes\n9>12 sub yes\n10>13 sub yes'

@test "messages: what is published is followed over a bus to who subscribed, by positions and order" {
	bus_state
	published >stream
	assert_equal "$(messages <stream)" "$followed"
	run -0 span-build -s ./bus.state --text stream
	assert_line --regexp '^span id=4 .*service=a kind=server .*name=publish$'
	assert_line 'span id=8 parent=4 ts=110.006050000 start=110.003500000 host=h pid=30 tid=30 service=b kind=consumer peer=10.0.0.2 bytes_in=100 sure=yes name=bus'
	assert_line 'span id=11 parent=8 ts=110.007000000 start=110.006500000 host=h pid=40 tid=40 service=sub kind=consumer peer=10.0.0.3 bytes_in=50 sure=yes'
	# the bus has no requests, and a subscription's answer does not last until the last message
	refute_output --partial 'peer=10.0.0.3:17001'
	assert_line --regexp '^span id=[0-9]+ parent=[0-9]+ ts=109.402050000 .*service=b kind=server .*bytes_out=10 '
	# where a message's time went: a graph of its own, which the ranking takes as any other
	span-build -s ./bus.state stream | blame-rank --text >ranked
	awk '/^path graph=4\/messages / { split($3, node, "="); split($4, from, "="); split($5, to, "="); time[node[2]] += to[2] - from[2] }
		/^node graph=4\/messages / { split($3, node, "="); match($0, /name="[^"]*"|name=[^ ]*/); name[node[2]] = substr($0, RSTART + 5, RLENGTH - 5) }
		END { for (n in time) printf "%s %.2f\n", name[n], time[n] * 1000 }' ranked | LC_ALL=C sort >parts
	diff parts - <<-'END'
		"b: bus" 0.20
		"network: a to b at 10.0.0.3:17001" 0.50
		"network: b to sub at 10.0.0.4" 0.50
		"queue: b" 0.50
		"queue: sub" 0.50
		"send queue: a to 10.0.0.3:17001" 1.70
		"send queue: b to 10.0.0.4" 1.80
	END
	report ranked | tr -s ' \n' ' ' >said
	grep -q 'messages of a: publish, span 6 took .* (graph 6/messages)' said
}

@test "messages: where order and positions do not tell, none has a parent" {
	bus_state
	# one more was left than came in, and it may be any
	assert_equal "$(published "111.0018 20 probe:spread" | messages | grep ' b ')" $'4>8 b yes\n>9 b no3\n>10 b no3'
	# nobody knows whether all was sent: the queue's end is not told, or it is told that something is left
	assert_equal "$(EDIT='/111.0032.*waits/d' published | messages | grep ' b ')" $'4>8 b yes\n>9 b no0\n>10 b no0'
	assert_equal "$(published "111.0061 30 probe:waits fd=3 left=1" | messages | grep ' sub ')" $'8>11 sub yes\n>12 sub no2'
	assert_equal "$(EDIT='/111.0063/d' published | messages | grep ' sub ')" $'8>11 sub yes\n>12 sub no2'
	# it is sent when it is told that nothing is left
	assert_equal "$(published "111.0061 30 probe:waits fd=3 left=1" "111.0062 30 probe:waits fd=3 left=0" | messages)" "$followed"
	# what the calls received is not what the program has: it is enciphered
	assert_equal "$(EDIT='s/bytes=100/bytes=80/' published | messages | grep -c ' b ')" 0
	# events were lost: from then on nothing is known
	assert_equal "$(EDIT='/ts=111.000000/i lost ts=110.900000000 cpu=0 count=1 from=110.800000000' published | messages)" $'4>5 b yes\n5>6 sub yes'
	# an event that comes too late tells nothing about what was sent before it came
	assert_equal "$(EDIT='$a event ts=110.005000000 cpu=0 tid=30 name=probe:waits fd=3 left=0' published | messages)" "$followed"
	# what is left outside of any request has no cause
	assert_equal "$(EDIT='/111.0042/{h;d};/111.0043/G' published | messages | grep ' sub ')" $'8>11 sub yes\n>12 sub no1\n10>13 sub yes'
}

@test "messages: redis.state and redis-cluster.state follow what three nodes passed on, as it was recorded" {
	ways() {
		span-build -s redis -s redis-cluster --text | awk '/^span / {
			for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
			if (v["name"] != "" || v["kind"] == "consumer") { id = v["id"]; of[id] = v["parent"]; sure[id] = v["sure"]; kinds[id] = v["kind"]
				what[id] = v["service"] "." v["pid"] (v["name"] != "" ? " " v["name"] : "") (v["bytes_in"] != "" ? " " v["bytes_in"] : "") }
			split("", v) }
			END { for (id in what) if (kinds[id] == "consumer") { line = what[id]; for (at = of[id]; at in what; at = of[at]) line = line " < " what[at]; print line, sure[id] } }' |
			LC_ALL=C sort
	}
	ways <"$TOP/testdata/spans/publish.txt" >got
	diff got "$TOP/testdata/spans/publish.out"
	# the connections are older than the trace: that their queues were empty only the waits show; what is not known has no parent
	sed '/epoll_wait /d' "$TOP/testdata/spans/publish.txt" | ways >got
	assert_equal "$(grep -c ' no$' got)" 4
	grep -q '^redis-server.16633 publish 2271 no$' got
	assert_equal "$(grep ' yes$' got | LC_ALL=C comm -23 - "$TOP/testdata/spans/publish.out" | grep -vc 'redis-server.16633 publish 2271 yes$')" 0
}

@test "messages: what a program asks for behind one that it received may be for that one" {
	bus_state
	# the subscriber asks node b something else, over another connection
	others() {
		published | grep -v ^event
		{ published | grep ^event; connection 109.4 40 7 8 0x4 0x3 40003 7001
			for second in 109.6 111.5; do
				FD=5 sends ${second}000 40 7 8 16; reads ${second}010 30 8 16; FD=$1 sends ${second}020 30 8 7 8; reads ${second}030 40 7 8
			done; } | sort -s -t = -k 2,2
	}
	others 5 | span-build -s ./bus.state --text >got
	grep -q '^span .*start=109.600.*service=sub kind=client .*sure=yes$' got
	grep -q '^span .*start=111.500.*service=sub kind=client .*sure=no candidates=0$' got
	assert_equal "$(grep -c '^span .*service=sub kind=consumer .*sure=yes' got)" 3
	# two connections that seem to be one descriptor: whose messages are left there is not known
	others 3 | span-build -s ./bus.state --text >got
	assert_equal "$(grep -c '^span .*service=sub kind=consumer' got)" 0
}

@test "messages: between two hosts" {
	bus_state
	# node a and who asks it are one host, node b and the subscriber another
	published | awk -v waits="$WAITS" '
		function at(name) { if (name != host) print "host name=" name " machine=x86_64 waits=" waits; host = name }
		/^host/ { next }
		/^task/ { at(/tid=[12]0 /  ? "one" : "two") }
		/^event/ { side = /sk(addr)?=[0-9]/ ? (/sk(addr)?=[123] / ? "one" : "two") : (/tid=[12]0 / ? "one" : "two"); at(side) }
		{ print }' >hosts
	assert_equal "$(messages <hosts)" "$followed"
	run -0 span-build -s ./bus.state --text hosts
	assert_line --regexp '^span id=8 parent=4 .* host=two pid=30 .*kind=consumer peer=10.0.0.2 bytes_in=100 sure=yes name=bus$'
	assert_line --regexp '^span id=4 .* host=one pid=20 '
	# where clocks may be apart by more than the way took, its label says so
	{ echo "clock host=two reference=one a=1 b=0 from=0 to=200 pairs=9 width=0.009"; cat hosts; } | span-build -s ./bus.state --text >apart
	grep -q 'label="network: a to b at 10.0.0.3:17001, before span 8, no longer than the clocks may be apart, 9.00 ms"' apart
}

@test "messages: faults in message and backlog lines" {
	bus_state
	bad() { # LINE MESSAGE
		{ cat bus.state; echo "$1"; } >bad.state
		run -1 --separate-stderr span-build -s ./bad.state /dev/null
		assert_regex "$stderr" "$2"
	}
	bad 'message event=probe:leave' "bad.state:13: a message line has fd= or to="
	bad 'message event=probe:leave fd={fd} to=bus' "bad.state:13: a message line has fd= or to="
	bad 'message event=probe:none to=bus' "no probe line makes the event probe:none of a message line"
	bad 'backlog event=probe:leave' "bad.state:13: fd= is missing"
	bad 'backlog event=probe:leave fd={fd} over=perhaps' "bad.state:13: over= is yes or no"
	bad 'unit name=x by=message event=probe:packet' "bad.state:13: by=message needs bytes="
	bad 'unit name=x by=event event=probe:packet bytes={bytes}' "bad.state:13: by=message needs bytes="
	bad 'unit name=x by=event event=probe:packet until=probe:none' "no probe line makes the event probe:none of a unit line"
}

@test "a span that is shorter than its clock may be wrong says so, and so does the network" {
	served | sed '1i clock host=h reference=r a=1 b=0 from=0 to=200 pairs=9 width=0.009' >stream
	run -0 span-build --text stream
	assert_equal "$(grep -c '^span .* width=0.009000000' <<<"$output")" "$(grep -Ec '^span id=[3478] ' <<<"$output")"
	# a stream that was merged live tells a clock again and again
	{ sed 's/width=0.009/width=0.000001/' stream; head -n 1 stream; } >live
	assert_equal "$(span-build --text live | grep -c '^span .* width=0.009000000')" "$(grep -c '^span .* width=0.009000000' <<<"$output")"
	sed -i 's/width=0.009/width=unknown/' stream
	assert_equal "$(span-build --text stream | grep -c '^span .* width=unknown')" 8
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

# bats test_tags=live
@test "live: nginx as a proxy: each call of a worker is joined to its request, none wrong" {
	need_tracefs
	command -v nginx >/dev/null && command -v python3 >/dev/null || skip "needs nginx and python3"
	mkdir www
	head -c 3000 /dev/zero >www/file
	local common="daemon off; pid %s.pid; events { } http { access_log off; %s }\n"
	# shellcheck disable=SC2059
	printf "worker_processes 2; $common" front "upstream back { server 127.0.0.1:7982; keepalive 4; } server { listen 127.0.0.1:7981;
		location / { proxy_pass http://back; proxy_http_version 1.1; proxy_set_header Connection \"\"; } location /new/ { proxy_pass http://127.0.0.1:7982; } }" >front.conf
	# shellcheck disable=SC2059
	printf "master_process off; $common" back "limit_rate 20k; server { listen 127.0.0.1:7982; root $PWD/www; location / { try_files /file =404; } }" >back.conf
	cat >ask.py <<-'END'
		import http.client, threading
		def ask(name):
		    call = http.client.HTTPConnection("127.0.0.1", 7981)
		    for i in range(5):
		        call.request("GET", "/%s/%s%d" % (("kept", "new")[i & 1], name, i))
		        assert len(call.getresponse().read()) == 3000
		askers = [threading.Thread(target=ask, args=(name,)) for name in "abcdefghijklmnopqrst"]
		for asker in askers: asker.start()
		for asker in askers: asker.join()
	END
	local end pids=()
	for end in front back; do
		nginx -p "$PWD/" -c "$end.conf" -e "$end.err" 3>&- &
		pids+=($!)
	done
	listening() { ss -Hltn "sport = :7981 or sport = :7982" | grep -c . | grep -qx 2; }
	until_true 5 listening
	status=0
	trace-collect -s requests -s nginx -o trace -- python3 ask.py || status=$?
	kill "${pids[@]}"
	wait "${pids[@]}" || true
	[ "$status" = 0 ]
	span-build -s nginx --text trace >got
	# What the server behind was asked is what the client asked, by the names of both. The layout line is believed once it has led to a socket, so the
	# first calls may belong to nobody.
	awk '/^span / {
		id = parent = kind = service = name = ""
		for (i = 2; i <= NF; i++) { split($i, kv, "="); if (kv[1] == "id") id = kv[2]; if (kv[1] == "parent") parent = kv[2]
			if (kv[1] == "kind") kind = kv[2]; if (kv[1] == "service") service = kv[2] }
		if (match($0, /name="[^"]*"/)) name = substr($0, RSTART, RLENGTH)
		names[id] = name; parents[id] = parent; what[id] = service " " kind
	} END {
		for (id in names) if (what[id] == "nginx server" && what[parents[id]] == "nginx client") {
			all++
			top = parents[parents[id]]
			found += top != "" && names[top] == names[id]
			wrong += top != "" && names[top] != "" && names[top] != names[id]
		}
		print all, wrong + 0, (found >= 95 ? "most" : found)
	}' got >joined
	assert_equal "$(cat joined)" "100 0 most"
}
