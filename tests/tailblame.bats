#!/usr/bin/env bats
# tailblame: the pipe that it prints is the one that runs, and its stream stays.

load helper

SCRIPT=$TOP/cmd/tailblame

# Commands that say how they were called, in place of the suite's.
say_calls() {
	mkdir -p said
	for c in trace-collect cchart-filter blame-rank report; do
		printf '#!/bin/sh\nprintf "%%s" "${0##*/}" >>calls.${0##*/}\nprintf " %%s" "$@" >>calls.${0##*/}\n%s\n' \
			"$([ $c = trace-collect ] && echo 'echo a stream; exit ${TRACED:-0}' || echo cat)" >said/$c
		chmod +x said/$c
	done
	PATH=$PWD/said:$PATH
	cp "$SCRIPT" said/tailblame
	SCRIPT=$PWD/said/tailblame
}

calls() {
	for c in trace-collect cchart-filter blame-rank report; do cat "calls.$c"; echo; done | sed 's/ *$//'
}

@test "what is printed is what runs, and the stream stays for its owner alone" {
	say_calls
	run -0 --separate-stderr "$SCRIPT" -p postgres -l 100ms -d 10
	assert_output "a stream"
	file=$(echo tailblame-*.tb)
	assert_equal "$(head -n5 <<<"$stderr")" "trace-collect -c block -c runq -c syscall -c turn -p postgres -d 10 |
    cchart-filter --limit=100ms --only-limit |
    blame-rank |
    tee -i $file |
    report"
	[[ $stderr == *"report $file"* ]]
	assert_equal "$(calls)" "trace-collect -c block -c runq -c syscall -c turn -p postgres -d 10
cchart-filter --limit=100ms --only-limit
blame-rank
report"
	assert_equal "$(<"$file") $(stat -c %a "$file")" "a stream 600"
}

@test "a command is asked about itself, and its words stay words" {
	say_calls
	run -0 --separate-stderr "$SCRIPT" -c ./my.chart -- sh -c 'echo $0; true' 'a b'
	assert_equal "$(calls | head -n2)" $'trace-collect -c ./my.chart -p command -- sh -c echo $0; true a b\ncchart-filter --idle'
	assert_equal "$(head -n1 <<<"$stderr")" 'trace-collect -c ./my.chart -p command -- sh -c echo\ \$0\;\ true a\ b |'
	for options in "" "-l 1s" "-p x"; do
		# shellcheck disable=SC2086 # options are words
		rm -f ./*.tb calls.*
		run -0 "$SCRIPT" $options -- true
		calls | sed -n '1s/ -- true//p'
	done >chosen
	rm -f ./*.tb calls.*
	run -0 "$SCRIPT" -i -l 1s -p x -d 2
	assert_equal "$(calls | head -n2)" $'trace-collect -c block -c runq -c syscall -c turn -p x -d 2\ncchart-filter --limit=1s --only-limit --idle'
	assert_equal "$(<chosen)" "trace-collect -c block -c runq -c syscall -c command -p command
trace-collect -c block -c runq -c syscall -p command
trace-collect -c block -c runq -c syscall -c turn -p x"
}

@test "wrong use is status 2, what fails leaves no stream, what is incomplete is told" {
	say_calls
	run -2 "$SCRIPT" --nonsense
	run -2 "$SCRIPT" -p
	run -2 "$SCRIPT" postgres
	TRACED=1 run -1 "$SCRIPT"
	TRACED=2 run -2 "$SCRIPT"
	run ls
	refute_output --partial .tb
	TRACED=3 run -3 "$SCRIPT"
	assert_output --partial "look again:"
	rm tailblame-*.tb
	run -0 "$SCRIPT" -l 1s
	assert_output --partial "waits for work and sleeps did not count; with --idle they do"
	rm tailblame-*.tb
	run -0 "$SCRIPT" -i -l 1s
	refute_output --partial "did not count"
	rm tailblame-*.tb
	TRACED=137 run -1 "$SCRIPT" # it was killed
	mkdir full
	for minute in "$(date -u +tailblame-%F-%H%M)" "$(date -u -d '1 minute' +tailblame-%F-%H%M)"; do
		touch "full/$minute"{0,1,2,3,4,5}{0..9}.tb
	done
	if (cd full && "$SCRIPT"); then fail "it wrote over a file"; fi
}

@test "the page's SYNOPSIS and options are those of --help" {
	run -0 "$SCRIPT" --help
	for option in $(grep -oE -- '^  (-.,|  ) --[a-z]+' <<<"$output" | grep -oE -- '--[a-z]+'); do
		grep -qE "^\.It .*Fl ${option#-}( |$)" "$TOP/man/tailblame.1" || fail "$option is not on the page"
	done
	for letter in p c l d; do grep -q "^\.Op Fl $letter " "$TOP/man/tailblame.1" || fail "-$letter is not in the SYNOPSIS"; done
	mandoc -Tlint -Wwarning "$TOP/man/tailblame.1"
}

# bats test_tags=live
@test "a command is explained as a whole, with what it starts and becomes" {
	need_tracefs
	cp "$(command -v sleep)" tb-sleeper
	run -0 --separate-stderr "$SCRIPT" -- bash -c './tb-sleeper 0.2; ./tb-sleeper 0.2; exec ./tb-sleeper 0.4'
	assert_line --index 0 --regexp '^host '
	assert_line --regexp '^1\. .* bash/[0-9]+ took ([89][0-9]{2} ms|[1-9]\.[0-9]+ s)$'
	assert_line --regexp '^1 moment: bash/[0-9]+ took '
	assert_line --regexp 'to blame: timer \([23] processes\): clock_nanosleep of tb-sleeper (9[0-9]|100) %'
	run -0 "$SCRIPT" -d 0.5 -- ./tb-sleeper 9
	assert_line --regexp '^1\. .* tb-sleeper/[0-9]+ not done after [3-9][0-9]{2} ms$'
}

# bats test_tags=live
@test "a server that was stopped, or hung, before anybody asked is named" {
	need_tracefs
	cat >server.py <<-'PY'
		import fcntl, socket, sys
		listener = socket.create_server(("127.0.0.1", 0))
		print(listener.getsockname()[1], flush=True)
		fcntl.flock(open("lock", "w"), fcntl.LOCK_EX)
		while True: listener.accept()[0].close()
	PY
	cat >client.py <<-'PY'
		import socket, sys
		asks = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		asks.settimeout(0.3)
		asks.send(b"x")
		for i in range(3):
		    try: asks.recv(1)
		    except OSError: pass
	PY
	flock -o lock sleep 100 3>&- &
	holder=$!
	until ! flock -n lock true; do sleep 0.05; done
	/usr/bin/python3 server.py >port 3>&- &
	until [ -s port ]; do sleep 0.05; done
	COLUMNS=1000 run -0 "$SCRIPT" -- /usr/bin/python3 client.py "$(<port)"
	assert_output --partial "chain   python3 client.py waits for python3 server.py (poll): flock: holding the lock of "
	# where no events of locks are wanted there is none
	run -0 trace-collect -e sock:inet_sock_set_state -d 100ms -o out
	run -0 stream-cat --text out
	assert_output --partial "call=flock"
	refute_output --partial "filelock:"
	kill -STOP $!
	rm -f ./*.tb
	run -0 "$SCRIPT" -- /usr/bin/python3 client.py "$(<port)"
	assert_line --regexp '^   path .* python3 server.py still stopped by a signal$'
	kill -TERM $!
	kill -CONT $!
	pkill -P $holder
}

# bats test_tags=live
@test "for whom a server hangs since before anybody asked is named, by TCP, a socket of this machine and a pipe" {
	need_tracefs
	cat >back.py <<-'PY'
		import os, socket, sys, time
		kind = sys.argv[1]
		if kind == "pipe":
		    time.sleep(1000)
		listener = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET)
		listener.bind("sock" if kind == "unix" else ("127.0.0.1", 0))
		listener.listen()
		print("sock" if kind == "unix" else listener.getsockname()[1], flush=True)
		connection = listener.accept()[0]
		connection.recv(1)
		time.sleep(1000)
	PY
	cat >front.py <<-'PY'
		import socket, sys
		if sys.argv[1] != "pipe":
		    back = socket.socket(socket.AF_UNIX if sys.argv[1] == "unix" else socket.AF_INET)
		    back.connect("sock" if sys.argv[1] == "unix" else ("127.0.0.1", int(sys.argv[2])))
		listener = socket.create_server(("127.0.0.1", 0))
		with open("port", "w") as port: print(listener.getsockname()[1], file=port)
		if sys.argv[1] == "pipe":
		    sys.stdin.read(1)
		back.send(b"x")
		back.recv(1)
	PY
	cat >client.py <<-'PY'
		import socket, sys
		asks = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		asks.settimeout(0.3)
		asks.send(b"x")
		for i in range(3):
		    try: asks.recv(1)
		    except OSError: pass
	PY
	for kind in tcp unix pipe; do
		rm -f port back ./*.tb
		case $kind in
		pipe) /usr/bin/python3 back.py pipe 3>&- | /usr/bin/python3 front.py pipe 3>&- & ;;
		*)
			/usr/bin/python3 back.py $kind >back 3>&- &
			until [ -s back ]; do sleep 0.05; done
			/usr/bin/python3 front.py $kind "$(<back)" 3>&- &
			;;
		esac
		until [ -s port ]; do sleep 0.05; done
		front=$(pgrep -f "front.py $kind")
		until [[ $(cut -d' ' -f1 "/proc/$front/syscall") =~ ^(0|45|63)$ ]]; do sleep 0.05; done # read, recvfrom
		COLUMNS=1000 run -0 "$SCRIPT" -- /usr/bin/python3 client.py "$(<port)"
		assert_output --regexp "chain   python3 client.py waits for python3 front.py \(poll\) > python3 back.py \((recvfrom|read)[a-z ]*\), still asleep in clock_nanosleep"
		# attached to itself
		rm -f ./*.tb
		COLUMNS=1000 run -0 "$SCRIPT" -i -l 200ms -d 500ms -p "$front"
		assert_output --regexp "python3 front.py waits for python3 back.py \((recvfrom|read)[a-z ]*\), still asleep in clock_nanosleep"
		pkill -f "(front|back).py $kind"
	done
}

# bats test_tags=live
@test "a slow command is explained" {
	need_tracefs
	cp "$(command -v sleep)" tb-sleeper
	run -0 --separate-stderr "$SCRIPT" -c syscall -l 200ms -- sh -c './tb-sleeper 0.4; true'
	assert_output --partial "clock_nanosleep"
	run -0 report tailblame-*.tb
	assert_output --partial "clock_nanosleep"
}
