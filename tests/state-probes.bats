#!/usr/bin/env bats
# Probe and layout lines of state files: functions of programs that go by a name, with arguments by debugging information or by layout.
# bats file_tags=live

load helper

# A server that waits for the file `go`, then calls `handle` for three clients, of whom the third has no connection, and four times more for the
# first. It says so by a file done.PID. With a word it calls until the file `end` is there, without waiting.
build() { # PROGRAM OPTION...
	cat >served.c <<-'C'
		#include <fcntl.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <sys/socket.h>
		#include <unistd.h>
		struct connection { long pad[3]; int fd, file; };
		struct client { uint64_t id; struct connection *conn; const char *cmd; struct { long length; const char *text; } line; };
		const char *version = "served-1.2.3";
		__attribute__((noinline, optimize("O0"))) int handle(struct client *c) { return (int)c->id; }
		__attribute__((naked, noinline)) void slow(struct client *c) { __asm__("test %rdi,%rdi\n\tret"); }
		#ifdef MORE
		__attribute__((noinline, optimize("O0"))) int serve(struct client *c) { return (int)c->id; }
		#else
		#define serve(c) 0
		#endif
		int main(int count, char **words)
		{
			struct connection one = {.file = open("/dev/null", O_RDONLY)}, two = one;
			struct client clients[] = {{7, &one, "first", {0, "/a/b?c=d HTTP"}}, {8, &two, "second", {0, "/e\r\nf"}}, {9, NULL, "third", {0, NULL}}};
			char done[32];
			int ends[2];
			if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
				return 1;
			one.fd = ends[0];
			two.fd = ends[1];
			while (count == 1 && access("go", F_OK) != 0)
				usleep(1000);
			do {
				for (int i = 0; i < 3; i++)
					slow(&clients[i]), handle(&clients[i]), serve(&clients[i]);
				for (int i = 0; i < 4 && count == 1; i++)
					handle(&clients[0]);
				if (count > 1)
					usleep(5000);
			} while (count > 1 && access(words[1], F_OK) != 0);
			snprintf(done, sizeof(done), "done.%d", (int)getpid());
			close(open(done, O_CREAT | O_WRONLY, 0644));
			while (access("end", F_OK) != 0)
				usleep(1000);
			return 0;
		}
	C
	gcc -O1 "${@:2}" -o "$1" served.c
}

# layout OFFSET: a state file with the descriptor at this offset.
states() {
	cat >served.state <<-END
		states name=served
		probe function=handle binary=served return=yes args="c=%1:ptr,fd=%1->conn->fd:s32,id=%1->id:u64,cmd=%1->cmd:string,path=%1->line.text:path,ret:s32"
		probe function=slow binary=served,other args="id=%1->id:u64"
		layout if="unserved-" handle.%1=client client.id=8:u64
		layout if="served-1.2" handle.%1=client slow.%1=client client.id=0:u64 client.conn=8:connection client.cmd=16 client.line=24:line line.text=8 connection.fd=$1:s32
		on event=probe:handle if="cmd != ''" push path="Threads/{tid}" value="{cmd} {fd}"
		on event=probe:handle__return pop path="Threads/{tid}"
	END
}

setup() {
	need_tracefs
	[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
	command -v gcc >/dev/null || skip "needs gcc"
	cd "$BATS_TEST_TMPDIR" || return 1
	rm -f go end done.*
}

teardown() {
	touch end
	# shellcheck disable=SC2086 # several
	[ -z "$pids" ] || kill $pids 2>/dev/null || true
}

begin() {
	"$@" 3>&- &
	pids="$pids $!"
}

# told: the events of probes, without times and addresses.
told() {
	stream-cat --text trace | grep ' name=probe:' | sed 's/.* tid=\([0-9]*\) .* name=probe:/\1 /; s/c=0x[0-9a-f]*/c=0x/'
}

# collect FILE...: the states of what runs, until these files are there.
collect() {
	trace-collect -s ./served.state -o trace -- sh -c 'touch go; for file; do until [ -e "$file" ]; do sleep 0.02; done; done' - "$@"
	touch end
}

@test "members are told by debugging information or by layout, in each file that a process of the name executes" {
	local first second
	states 24
	mkdir plain
	build served -g
	build plain/served -g0
	begin ./served
	first=$!
	# where this file is, nobody else sees
	begin unshare -m sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/plain && cp plain/served /mnt/plain && exec /mnt/plain/served'
	second=$!
	until_true 60 grep -q served /proc/$first/comm
	until_true 60 grep -q served /proc/$second/comm
	run -0 --separate-stderr collect done.$first done.$second
	assert_regex "$stderr" "'slow' of '$PWD/served' is not probed"
	assert_regex "$stderr" "/mnt/plain/served': each call costs about: handle "
	told >all
	for pid in $first $second; do
		sed -n "s/^$pid //p" all >one
		grep -v return one | head -n 3 >entries
		run -0 cat entries
		assert_line --index 0 --regexp '^handle c=0x fd=[0-9]+ id=7 cmd=first path=/a/b$'
		assert_line --index 1 --regexp '^handle c=0x fd=[0-9]+ id=8 cmd=second path=/e$'
		assert_line --index 2 --regexp '^handle c=0x fd=\? id=9 cmd=third path=\?$'
		assert_equal "$(grep -c '^handle__return ret=' one)" 7
	done
	state-build -s ./served.state -o history trace
	run -0 state-query history stats "Threads/*"
	assert_line --regexp '^first [0-9]+ +10 '
}

@test "what a wrong layout line leads to is never told" {
	local server
	states 28
	build served -g0
	begin ./served
	server=$!
	until_true 60 grep -q served /proc/$server/comm
	run -0 --separate-stderr collect done.$server
	assert_regex "$stderr" "'$PWD/served': its layout line is wrong"
	told >all
	assert_equal "$(grep -c 'handle c=0x fd=? id=? cmd=? path=?$' all)" 7
	assert_equal "$(grep -c 'handle__return ret=[789]$' all)" 7

	wait $server

	# no line is for this version
	sed -i 's/served-1.2/served-1.3/' served.state
	rm -f go end done.*
	begin ./served
	server=$!
	until_true 60 grep -q served /proc/$server/comm
	run -0 --separate-stderr collect done.$server
	assert_regex "$stderr" "'$PWD/served': some arguments are left out: cannot tell '%1->conn->fd:s32' of 'handle'"
	told >all
	assert_equal "$(grep -c 'handle c=0x fd=? id=? cmd=? path=?$' all)" 7
}

@test "each of several state files tells where members of one program are" {
	local server
	states 24
	cat >more.state <<-'END'
		states name=more
		probe function=serve binary=served args="fd=%1->conn->fd:s32,id=%1->id:u64"
		layout if="served-" serve.%1=caller caller.id=0:u64 caller.conn=8:link link.fd=24:s32
	END
	build served -g0 -DMORE
	begin ./served
	server=$!
	until_true 60 grep -q served /proc/$server/comm
	run -0 --separate-stderr trace-collect -s ./served.state -s ./more.state -o trace -- \
		sh -c "touch go; until [ -e done.$server ]; do sleep 0.02; done"
	refute_regex "$stderr" 'left out'
	told >all
	run -0 cat all
	assert_line --regexp 'handle c=0x fd=[0-9]+ id=7 cmd=first path=/a/b$'
	assert_line --regexp 'serve fd=[0-9]+ id=7$'
}

@test "lines with the same function may name different programs of which one is in both" {
	local server
	states 24
	cat >more.state <<-'END'
		states name=more
		probe function=slow binary=served args="id=%1->id:u64"
		layout if="served-" slow.%1=client client.id=0:u64
	END
	build served -g
	begin ./served
	server=$!
	until_true 60 grep -q served /proc/$server/comm
	run -0 --separate-stderr trace-collect -s ./served.state -s ./more.state --slow-probes -o trace -- \
		sh -c "touch go; until [ -e done.$server ]; do sleep 0.02; done"
	refute_regex "$stderr" 'already'
	run -0 stream-cat --text trace
	assert_equal "$(grep -c ' name=probe:slow id=7' <<<"$output")" 1
}

@test "a program of C that has the runtime of C++ from its start is traced on when another process of it begins" {
	local server
	states 24
	echo '#include <dlfcn.h>
	void *loads(const char *name) { return dlopen(name, RTLD_NOW); }' >loads.c
	build served -g0 loads.c -Wl,--no-as-needed -lstdc++
	begin ./served
	server=$!
	until_true 60 grep -q libstdc /proc/$server/maps
	run -0 --separate-stderr trace-collect -s ./served.state -o trace -- \
		sh -c "./served end >/dev/null 2>&1 3>&- & sleep 1; touch go; until [ -e done.$server ]; do sleep 0.02; done; touch end"
	refute_regex "$stderr" 'has loaded a library'
	told >all
	grep -q "^$server handle__return ret=7" all
}

@test "a program that begins later is probed when its exec was seen, dear entries if that is asked for" {
	states 24
	build other -g
	mkfifo out
	trace-collect --text -s ./served.state --slow-probes -- ./other end >out 2>log &
	run -0 grep -m 1 -o ' name=probe:slow id=[789]' <out
	touch end
	wait
	run -0 cat log
	assert_line --partial "no process is called 'served' yet"
	assert_line --regexp "'$PWD/other': each call costs about: slow 12.1 us"
}

@test "a program that takes the place of another at the same path is probed, too" {
	local seen=
	states 24
	build other -g
	cp other again
	mkfifo out
	trace-collect --text -s ./served.state --slow-probes -- \
		sh -c './other end & until [ -e first ]; do sleep 0.02; done; rm other; mv again other; exec ./other end' >out 2>log 3>&- &
	exec 5<out
	while read -r -t 60 line <&5; do
		[[ $line =~ \ tid=([0-9]+)\ .*\ name=probe:slow\ id=7 ]] || continue
		[[ "$seen " == *" ${BASH_REMATCH[1]} "* ]] || seen+=" ${BASH_REMATCH[1]}"
		touch first
		[ "$(wc -w <<<"$seen")" -lt 2 ] || break
	done
	exec 5<&-
	touch end
	wait
	assert_equal "$(wc -w <<<"$seen")" 2
}

@test "redis.state: the command and the client that block the loop of a stock server, and who comes next" {
	local port=$((20000 + RANDOM % 10000)) server blocker
	[[ $(redis-server --version 2>/dev/null) = *v=7.0.15* ]] || skip "needs redis-server 7.0.15"
	redis-server --port $port --bind 127.0.0.1 --save '' --daemonize no >redis.log 3>&- &
	server=$!
	pids="$pids $server"
	until_true 60 grep -q 'Ready to accept' redis.log || skip "redis-server cannot listen at port $port"
	cat >clients.sh <<-END
		exec 5<>/dev/tcp/127.0.0.1/$port 6<>/dev/tcp/127.0.0.1/$port
		ask() { printf '%s\\r\\n' "\$2" >&\$1; read -r answer <&\$1; echo "\$answer"; }
		ask 6 'set key word'
		ask 5 'client id'
		printf '%s\\r\\n' 'eval "local n = 0 repeat n = n + 1 until n == 20000000 return redis.call([[get]], [[key]])" 0' >&5
		ask 6 'get key'
		read -r answer <&6
		read -r answer <&5
	END
	run --separate-stderr trace-collect -s redis -p $server -o trace -- bash clients.sh
	[ "$status" = 0 ] || fail "$stderr"
	blocker=$(sed -n 's/^:\([0-9]*\).*/\1/p' <<<"$output")
	assert_regex "$stderr" "each call costs about: call [2-4]\.[0-9] us"
	refute_regex "$stderr" 'left out|not probed|wrong'
	state-build -s redis -o history trace
	run -0 state-query -f csv history range 'Threads/*/Request'
	assert_line --index 1 --regexp "/Threads/$server/Request,set of client [0-9]+\$"
	assert_line --index 2 --regexp "/Threads/$server/Request,client\\|id of client $blocker\$"
	assert_line --index 3 --regexp "/Threads/$server/Request,eval of client $blocker\$"
	assert_line --index 4 --regexp "/Threads/$server/Request,get of client [0-9]+\$"
	assert_equal "${#lines[@]}" 5
	# it took the loop for longer than all the rest together, and called a command of its own meanwhile
	run -0 state-query history stats 'Threads/*/Request'
	assert_line --index 1 --partial "eval of client $blocker"
	run -0 state-query history stats 'Threads/*/Operation'
	assert_line --regexp '^call get +2 '
	run -0 state-query history stats 'Requests/*/Type'
	assert_line --regexp '^read '
	assert_line --regexp '^write '
	assert_line --regexp '^other '
}

@test "redis.state: which connections are of clients, of a replica, and of its master" {
	local port=$((20000 + RANDOM % 10000)) other=$((30000 + RANDOM % 10000)) server replica
	[[ $(redis-server --version 2>/dev/null) = *v=7.0.15* ]] || skip "needs redis-server 7.0.15"
	mkdir one two
	redis-server --port $port --bind 127.0.0.1 --save '' --dir one --repl-diskless-sync-delay 0 >one/log 3>&- &
	server=$!
	redis-server --port $other --bind 127.0.0.1 --save '' --dir two >two/log 3>&- &
	replica=$!
	pids="$pids $server $replica"
	until_true 60 grep -q 'Ready to accept' one/log || skip "redis-server cannot listen"
	until_true 60 grep -q 'Ready to accept' two/log || skip "redis-server cannot listen"
	cat >clients.sh <<-END
		redis-cli -p $port set key first
		redis-cli -p $other replicaof 127.0.0.1 $port
		until redis-cli -p $other info replication | grep -q master_link_status:up; do sleep 0.1; done
	END
	trace-collect -s redis -p $server,$replica -o trace -- bash clients.sh
	state-build -s redis -o history trace
	run -0 state-query -f csv history range 'Connections/*/Type'
	assert_line --regexp "\.$server/Connections/[0-9]+/Type,replica\$"
	assert_line --regexp "\.$server/Connections/[0-9]+/Type,client\$"
	assert_line --regexp "\.$replica/Connections/[0-9]+/Type,master\$"
	refute_line --regexp "\.$server/.*,master\$"
}
