#!/usr/bin/env bats
# Programs of others, run beside trace-collect by somebody who means harm: trace-collect goes on, and so does everybody else.

# bats file_tags=live
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	chmod go+rx "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/.."
}

teardown() {
	for process in $reader $others $collector; do
		kill -KILL "$process" 2>/dev/null || true
		wait "$process" 2>/dev/null || true
	done
}

need_stacks() {
	need_tracefs
	[ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
}

# Runs the program over and over as somebody without rights.
somebody_runs() {
	setpriv --reuid 65534 --regid 65534 --clear-groups setsid sh -c "while :; do $*; sleep 0.01; done" >/dev/null 2>&1 3>&- &
	others+=" $!"
}

# Into the file out. On a busy machine a stack may be lost, which is told.
collect_a_while() {
	run timeout -s KILL 30 trace-collect --stack -e sched:sched_process_exit -d 1 --text -o out
	assert [ "$status" = 0 -o "$status" = 3 ]
}

# frames COMM: those of each stack of a thread of this name that goes to sleep.
frames() {
	awk -v comm="comm=$1 " '
		/^stack / { split($0, part, "user="); id = $2; sub("id=", "stack=", id)
			    text = part[2]; sub(" kernel=.*", "", text); gsub("\"", "", text); user[id] = text }
		index($0, "name=stack:sleep ") && index($0, comm) { for (i = 1; i <= NF; i++) if ($i ~ /^stack=/) print user[$i] }' out
}

@test "a function that says it is inlined from itself, without end" {
	need_stacks
	cp "$TOP/testdata/fuzz/image/endless-origin" endless
	chmod 755 endless
	somebody_runs ./endless
	collect_a_while
	run frames endless
	assert_line --regexp ';main::evil \(endless\);main \(endless\)'
}

@test "a function's name that does not end before its section does" {
	need_stacks
	cp "$TOP/testdata/fuzz/image/name-without-end" unended
	chmod 755 unended
	somebody_runs ./unended
	collect_a_while
	assert [ -s out ]
	run grep -P '[^\x09\x0a\x20-\x7e]' out
	assert_output ""
}

# Leaves the process that looks names up in $reader.
await_reader() { # TRACE-COLLECT'S PID
	reader=
	until_true 60 sh -c "pgrep -P $1 -x tailblame-names >reader"
	reader=$(tail -1 reader)
}

# A program that sleeps in a function of its own, in COMM prog.
honest_program() {
	cat >prog.c <<-'EOT'
		#include <unistd.h>
		__attribute__((noinline)) static int nap(void) { return usleep(1000) + 1; }
		int main(int count, char **arguments) { (void)arguments; for (int i = 0; i < 300; i++) count += nap(); return count == 0; }
	EOT
	gcc -O1 -o prog prog.c
}

# Whether a stack of it has the functions of an honest program.
names_nap() { # COMM
	frames "$1" | grep -q ";nap ($1);main ($1)"
}

# hostile NAME ABBREVIATIONS ENTRIES [SECTION]: a program that sleeps in main(), and has these entries beside the code that does so.
hostile() {
	cat >"$1.s" <<-EOT
		.text
		.globl main
		.type main,@function
		main:	push %rbp
			mov %rsp,%rbp
			push %rbx
			push %rbx
			mov \$200,%ebx
		1:	mov \$1000,%edi
		.Lin0:	call usleep@PLT
			nop
		.Lin1:	dec %ebx
			jnz 1b
			xor %eax,%eax
			pop %rbx
			pop %rbx
			pop %rbp
			ret
		.Lend:	.size main,.-main
		.section .debug_abbrev,"",@progbits
			.uleb128 1, 0x11; .byte 1; .uleb128 0x11, 0x01, 0x12, 0x07; .byte 0, 0	# a unit, of the code
			.uleb128 2, 0x2e; .byte 1; .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07; .byte 0, 0	# a function
			$2
			.byte 0
		.section .debug_info,"",@progbits
		.Lcu:	.long .Lcue-.Lv
		.Lv:	.short 4
			.long 0
			.byte 8
			.uleb128 1; .quad main; .quad .Lend-main
			$3
			.byte 0
		.Lcue:
		$4
		.section .note.GNU-stack,"",@progbits
	EOT
	gcc -o "$1" "$1.s"
}

@test "whoever looks names up has no rights" {
	need_stacks
	trace-collect --stack -e sched:sched_switch --text -o out &
	collector=$!
	await_reader $collector
	until_true 60 grep -q '^Seccomp:.*2$' "/proc/$reader/status"
	run cat "/proc/$reader/status"
	assert_line --regexp '^Uid:(.2147480000){4}$'
	assert_line --regexp '^Gid:(.2147480000){4}$'
	assert_line --regexp '^Groups:\s*$'
	for set in Inh Prm Eff Bnd Amb; do assert_line --regexp "^Cap$set:.0+\$"; done
	assert_line --regexp '^NoNewPrivs:.1$'
	run readlink "/proc/$reader/root"
	assert_output "/proc/$reader/fdinfo"
	run readlink "/proc/$reader/fd/0" "/proc/$reader/fd/1" "/proc/$reader/fd/2" "/proc/$reader/fd/3"
	assert_output --regexp $'^/dev/null\n/dev/null\n/dev/null\nsocket:[^\n]*$'
	until_true 60 sh -c "pgrep -P $collector -x tailblame-files >files" # begins when it first opens a file
	files=$(tail -1 files)
	for process in "$reader" "$files"; do # the pipe's own work, not somebody else's
		until_true 60 grep -q "^stage .* tid=$process\$" out
	done
	kill $collector
	wait $collector || [ $? = 3 ]
	refute [ -e "/proc/$reader" ]
}

# bats test_tags=long
@test "a program whose names take for ever to find: those of others are found" {
	need_stacks
	honest_program
	hostile slow '.uleb128 3, 0x0b; .byte 0; .uleb128 0x55, 0x17; .byte 0, 0' \
		'.uleb128 2; .asciz "main"; .quad main; .quad .Lend-main; .rept 300000; .uleb128 3; .long .Lranges; .endr; .byte 0' \
		'.section .debug_ranges,"",@progbits; .Lranges: .rept 20000; .quad 1, 2; .endr; .quad 0, 0'
	somebody_runs ./slow
	somebody_runs ./prog
	run timeout -s KILL 60 trace-collect --stack -e sched:sched_process_exit -d 5 --text -o out
	assert [ "$status" = 0 -o "$status" = 3 ]
	run frames slow
	assert_line --regexp 'slow\+0x[0-9a-f]+'
	run frames prog
	assert_line --partial ';nap (prog);main (prog)'
}

# bats test_tags=long
@test "a program that brings down whoever looks for its names: those of others are found" {
	need_stacks
	honest_program
	# Namespaces in each other, as deep as nobody can follow, before the function whose place among them is sought.
	hostile deep '.uleb128 3, 0x39; .byte 1, 0, 0; .uleb128 4, 0x1d; .byte 0; .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07; .byte 0, 0' \
		'.rept 400000; .uleb128 3; .endr; .rept 400000; .byte 0; .endr
		.uleb128 2; .asciz "main"; .quad main; .quad .Lend-main; .uleb128 4; .asciz "evil"; .quad .Lin0; .quad .Lin1-.Lin0; .byte 0'
	somebody_runs ./deep
	somebody_runs ./prog
	run timeout -s KILL 60 trace-collect --stack -e sched:sched_process_exit -d 2 --text -o out
	assert [ "$status" = 0 -o "$status" = 3 ]
	run frames deep
	assert_line --regexp 'deep\+0x[0-9a-f]+'
	run frames prog
	assert_line --partial ';nap (prog);main (prog)'
}

# bats test_tags=long
@test "a process that looks names up is replaced when it is gone" {
	need_stacks
	honest_program
	trace-collect --stack -e sched:sched_process_exit --text -o out &
	collector=$!
	await_reader $collector
	for signal in SEGV KILL BUS; do
		kill -$signal "$reader"
		cp prog "prog.$signal"
		setpriv --reuid 65534 --regid 65534 --clear-groups "./prog.$signal"
		until_true 60 sh -c "pgrep -P $collector -x tailblame-names | grep -qv '^$reader\$'"
		until_true 60 names_nap "prog.$signal" # nobody is killed twice over one file, which would be blamed for it
		await_reader $collector
	done
	kill $collector
	wait $collector || [ $? = 3 ]
	for signal in SEGV KILL BUS; do
		run frames "prog.$signal"
		assert_line --partial ";nap (prog.$signal);main (prog.$signal)"
	done
}

is_over() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"
}

# bats test_tags=long
@test "a program on a file system whose server stops answering: nobody waits for it" {
	need_stacks
	[ -c /dev/fuse ] || skip "needs FUSE"
	gcc -O1 -o server "$TOP/tests/mute.c"
	printf '#include <unistd.h>\nint main(void) { for (;;) usleep(1000); }\n' >silent.c
	gcc -O1 -static -o silent silent.c
	mkdir folder
	for kind in "getattr open" flush read; do
		rm -f mute
		# shellcheck disable=SC2086
		unshare --mount ./server folder silent $kind 3>&- &
		others=$!
		until_true 60 pgrep -P "$others" -x prog
		others+=" $(pgrep -P "$others" -x prog)"
		touch mute
		trace-collect --stack -e sched:sched_process_exit --text -o out &
		collector=$!
		until_true 60 grep -qs ' comm=prog name=stack:sleep ' out
		kill "$collector"
		until_true 60 is_over "$collector"
		wait "$collector" || [ $? = 3 ]
		collector=
		teardown
		rm out
	done
}

# bats test_tags=long
@test "sockets of a process that become files on a file system whose server does not answer: nobody waits for it" {
	need_tracefs
	[ -c /dev/fuse ] || skip "needs FUSE"
	gcc -O1 -o server "$TOP/tests/mute.c"
	cat >swaps.c <<-'EOT'
		#include <fcntl.h>
		#include <sys/socket.h>
		#include <unistd.h>
		int main(void)
		{
			int ends[2], file = open("/proc/self/exe", O_RDONLY), i = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);

			for (;; i++)
				dup2(i & 1 ? file : ends[0], 20);
		}
	EOT
	gcc -O1 -static -o swaps swaps.c
	mkdir folder
	unshare --mount ./server folder swaps flush 3>&- &
	others=$!
	until_true 60 pgrep -P "$others" -x prog
	swaps=$(pgrep -P "$others" -x prog)
	others+=" $swaps"
	until_true 60 test -e "/proc/$swaps/fd/20"
	touch mute
	for _ in {1..10}; do
		trace-collect -c turn -p "$swaps" -d 0.1 -o out &
		collector=$!
		until_true 20 is_over "$collector"
		wait "$collector" || [ $? = 3 ]
		collector=
	done
}

@test "debug links to a pipe and to a device, a program of 8 TiB, compressed sections, one that replaces itself: names are found" {
	need_stacks
	honest_program
	gcc -g -gz=zlib -O1 -o packed prog.c
	cp prog sparse
	truncate -s 8T sparse || truncate -s 1T sparse
	for name in piped device; do
		cp prog $name
		objcopy --only-keep-debug $name $name.debug
		objcopy --add-gnu-debuglink=$name.debug $name
		rm $name.debug
	done
	mkfifo piped.debug
	ln -s /dev/zero device.debug
	mkdir own
	cp prog own/self
	cat >own/replace <<-'EOT'
		cp self new
		dd if=/dev/urandom of=new bs=1 seek=$(($$ % 15000)) count=64 conv=notrunc
		cp self old && (./self & mv new self && ./self; wait; mv old self)
	EOT
	chown -R 65534 own
	for name in packed sparse piped device; do somebody_runs "./$name"; done
	somebody_runs "cd own; sh ./replace; cd .."
	trace-collect --stack -e sched:sched_process_exit --text -o out &
	collector=$!
	for name in packed sparse piped device self; do
		until_true 30 names_nap $name
	done
	kill $collector
	wait $collector || [ $? = 3 ]
}

@test "one SIGTERM ends a collection, though whoever looks names up does not answer" {
	need_stacks
	honest_program
	trace-collect --stack -e sched:sched_process_exit --text -o out &
	collector=$!
	await_reader $collector
	kill -STOP "$reader"
	timeout 5 ./prog || true
	kill -TERM $collector
	run timeout 60 tail --pid=$collector -f /dev/null
	assert_success
	wait $collector || [ $? = 3 ]
	collector=
	assert_equal "$(tail -n 1 out | cut -d' ' -f1)" end
	refute [ -e "/proc/$reader" ]
}

# bats test_tags=long
@test "a probed program in whose place there is a pipe, time and again: nobody waits for that" {
	need_tracefs
	honest_program
	cat >flip.c <<-'EOT'
		#define _GNU_SOURCE
		#include <stdio.h>
		#include <unistd.h>
		int main(int count, char **names)
		{
			while (count == 3 && renameat2(-100, names[1], -100, names[2], RENAME_EXCHANGE) == 0)
				usleep(20);
			return 1;
		}
	EOT
	gcc -O1 -o flip flip.c
	mkdir his
	chown 65534 his
	setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'cp prog his/prog; mkfifo his/pipe; exec ./flip his/prog his/pipe' 3>&- &
	others=$!
	until_true 20 test -e his/pipe
	for _ in {1..40}; do
		run timeout -s KILL 20 trace-collect -f ./his/prog:nap -d 0 -o out
		assert [ "$status" -le 3 ]
	done
}

# bats test_tags=long
@test "a user with processes that have very many mappings takes no more than a part of the time" {
	need_stacks
	cat >maps.c <<-'EOT'
		#define _GNU_SOURCE
		#include <sys/mman.h>
		#include <unistd.h>
		/* 32,000 stretches of code in each of 61 processes. */
		int main(void)
		{
			for (int stretch = 0; stretch < 32000; stretch += 128) {
				int file = memfd_create("", 0);
				char *code = ftruncate(file, 1 << 20) ? MAP_FAILED : mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
				for (int i = 0; code != MAP_FAILED && i < 256; i += 2)
					mprotect(code + i * 4096, 4096, PROT_READ);
				close(file);
			}
			for (int i = 0; i < 60 && fork() > 0; i++)
				;
			pause();
		}
	EOT
	gcc -O1 -o maps maps.c
	setpriv --reuid 65534 --regid 65534 --clear-groups setsid ./maps 3>&- &
	others=" -$!"
	until_true 60 bash -c '[ "$(pgrep -u 65534 -x maps | wc -l)" -ge 61 ]'
	# shellcheck disable=SC2034
	TIMEFORMAT='%R %U %S'
	{ time trace-collect --stack -e sched:sched_process_exit -d 0 -o out 2>err; } 2>spent || [ $? = 3 ]
	# two seconds, one part in ten of the time, and what reading one process takes, and all the rest
	run awk '{ print $1, $2 + $3, $2 + $3 < 3.5 + $1 / 10 ? "fine" : "too much" }' spent
	assert_output --partial fine
}

# V8's functions are called Builtins_..., and are not probed: a file is searched for what tells that it is V8 once, not for each name.
@test "a pattern that many functions of a large file match is answered" {
	local name
	name=Builtins_$(printf 'n%.0s' {1..200})
	awk -v name="$name" 'BEGIN { for (i = 0; i < 12000; i++) printf ".globl %s%d\n.type %s%d, @function\n%s%d: ret\n", name, i, name, i, name, i }' >many.s
	cc -shared -nostdlib -o many many.s
	run -0 bash -c 'trace-collect -f "./many:*" --list | wc -l'
	assert_output 12000
}

# bats test_tags=long, aside
@test "symbols that are much when they are uncompressed take no more memory than is allowed" {
	need_stacks
	honest_program
	head -c 1500M /dev/zero | xz -0 >bomb.xz
	cp prog packed
	strip packed
	objcopy --add-section .gnu_debugdata=bomb.xz packed
	for owner in 65534 0; do
		chown $owner packed
		others=
		somebody_runs ./packed
		trace-collect --stack -e sched:sched_process_exit -d 4 --text -o out &
		collector=$!
		await_reader $collector
		most=0
		while kill -0 $collector 2>/dev/null; do
			for process in $(pgrep -P $collector -x tailblame-names); do
				used=$(awk '/VmHWM/ { print $2 }' "/proc/$process/status" 2>/dev/null) || used=
				[ "${used:-0}" -le $most ] || most=$used
			done
			sleep 0.1
		done
		wait $collector || [ $? = 3 ]
		collector=
		assert [ $most -lt $((900 * 1024)) ]
		run frames packed
		assert_line --regexp ';packed\+0x[0-9a-f]+'
		kill $others
	done
}
