#!/usr/bin/env bats
# TCP connections: what trace-collect tells of those that are older than the trace, and of what goes through them.

load helper

# A connection of which one end has sent 1000 bytes, and 3,000,000 as far as they go; the other has read 600. At `go` all is read, 11 bytes go back.
connection() {
	cat >connection.py <<-'END'
		import socket
		listener = socket.create_server(("127.0.0.1", 0))
		asker = socket.create_connection(listener.getsockname())
		answerer, _ = listener.accept()
		asker.sendall(b"x" * 1000)
		got = len(answerer.recv(600, socket.MSG_WAITALL))
		asker.setblocking(False)
		sent = 1000 + asker.send(b"x" * 3000000)
		with open("told", "w") as told:
		    print(*asker.getsockname(), *listener.getsockname(), asker.fileno(), answerer.fileno(), sent, file=told)
		with open("go") as go:
		    go.read()
		while got < sent:
		    got += len(answerer.recv(1 << 20))
		answerer.sendall(b"y" * 11)
		asker.setblocking(True)
		asker.recv(11, socket.MSG_WAITALL)
		with open("gone", "w") as gone:
		    print(file=gone)
	END
	rm -f told go gone
	mkfifo told go gone
	exec "$@" python3 connection.py
}

sockets_of() {
	stream-cat --text "$1" | grep '^socket '
}

teardown() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
}

# NAME LINE: the value of a key.
value_of() {
	sed "s/.* $1=\([^ ]*\).*/\1/" <<<"$2"
}

@test "of a connection that is older than the trace, its ends, bytes and owner are told, in other network namespaces, too" {
	need_tracefs
	command -v python3 >/dev/null || skip "needs python3"
	unshare -n true 2>/dev/null || skip "needs network namespaces"
	local asker answerer from to asks answers sent line

	connection unshare -n sh -c 'ip link set lo up && exec "$@"' - 3>&- &
	pid=$!
	until_true 60 test -p gone
	read -r _ from _ to asks answers sent <told
	trace-collect -s socket -o trace -- sh -c 'echo >go; cat gone'
	wait
	run -0 sockets_of trace
	asker=$(grep "local=127.0.0.1:$from peer=127.0.0.1:$to " <<<"$output")
	answerer=$(grep "local=127.0.0.1:$to peer=127.0.0.1:$from " <<<"$output")
	assert_regex "$answerer" ' side=server '
	refute_regex "$asker" ' side='
	assert_equal "$(value_of bytes_out "$asker") $(value_of bytes_in "$asker")" "$sent 0"
	assert_equal "$(value_of bytes_out "$answerer") $(value_of bytes_in "$answerer")" "0 600"
	assert_equal "$(value_of fd "$asker") $(value_of fd "$answerer")" "$asks $answers"

	# what went through it since, by events and by states
	line=$(stream-cat --text trace | grep "tid=$(value_of tid "$asker") .*name=sock:sock_recv_length " | tail -n 1)
	assert_equal "$(value_of ret "$line")" 11
	state-build -s socket -o history trace
	run -0 state-query -f csv history range "Sockets/$(value_of sk "$line")/**"
	assert_line --regexp "/Peer,$to\$"
	assert_line --regexp '/In,11$'
	run -0 state-query history stats 'Bytes/In'
	assert_line --regexp "^$((sent - 600 + 11)) "
}

@test "with processes chosen, only their connections are told" {
	need_tracefs
	command -v python3 >/dev/null || skip "needs python3"

	connection 3>&- &
	pid=$!
	until_true 60 test -p gone
	cat told >/dev/null
	trace-collect -s socket -p $pid -o trace -- sh -c 'echo >go; cat gone'
	wait
	run -0 sockets_of trace
	assert_equal "$(grep -c " tid=$pid " <<<"$output")" 2
	assert_equal "${#lines[@]}" 2
}
