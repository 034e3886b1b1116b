#!/usr/bin/env bats
# shellcheck disable=SC2016 # what bash -c is to expand
# What all commands have in common: options, exit status, streams whole and broken. On recorded streams; no privileges.

load helper

# Every command; those that read a stream and pass it on. A history is none, what is asked of a graph is no stream, several are merged from files, what comes to a hub or goes from an edge goes by a server, and a step is of a process.
commands() {
	basename -s .c "$TOP"/cmd/*.c
}

readers() {
	commands | grep -vx -e trace-collect -e trace-import -e stream-merge -e state-query -e graph-walk -e run-hub -e run-edge -e step-log
}

# The option that a reader cannot do without.
declare -gA needs=([trigger-filter]=-Tslow-request [state-build]=-scpus [probe-log]=--dry-run)

recorded() {
	stream-cat --binary "$TOP/testdata/lock.txt" >lock.tb
}

# Streams that every command has something to do with, by its name.
streams() {
	local c
	recorded
	for c in $(readers); do ln -f lock.tb "$c.tb"; done
	rm run-features.tb run-cluster.tb run-rules.tb
	stream-cat --binary "$TOP/testdata/run/kin.txt" >run-features.tb
	awk 'BEGIN { for (i = 0; i < 40; i++) { slow = i >= 20
		printf "run id=%d node=%s job=j ts=%d elapsed=%d.%d program=p\n", i, substr("abcdefgh", int(i / 5) + 1, 1), i, slow ? 9 : 1, i % 5
		printf "features run=%d count.read=%d count.write=%d\n", i, slow ? 90 : 10, i % 7 } }' | stream-cat --binary >run-cluster.tb
	run-cluster run-cluster.tb >run-rules.tb
}

# Little-endian bytes of a number, as printf's escapes.
bytes() { # NUMBER COUNT
	local n value=$1
	for ((n = 0; n < $2; n++)); do
		printf '\\x%02x' $((value >> 8 * n & 255))
	done
}

# A record head as bytes: size, kind, form (spelled), flags, reserved.
record_head() {
	printf '%b' "$(bytes "$1" 4)$(bytes "$2" 1)\\x00\\x00\\x00"
}

# --- options -------------------------------------------------------------------------------------------------------

# The options of --help, a line each: "-t --text", "--version".
help_options() {
	"$1" --help | sed -nE 's/^ +(-[^-]), (--[a-z-]+).*/\1 \2/p; s/^ +(--[a-z-]+).*/\1/p; s/^ +(-[^-])( .*)?$/\1/p'
}

# A section of a man page as plain text, on one line.
man_section() {
	mandoc -T utf8 -O width=1000 "$TOP/man/$1.1" | col -bx |
		awk -v section="$2" '/^[A-Z]/ { inside = $0 ~ "^" section } inside' | tr '\n\t' '  '
}

@test "--help succeeds and begins with the usage" {
	for c in $(commands); do
		run "$c" --help
		assert_success
		assert_line --index 0 --regexp "^usage: $c "
	done
}

@test "every command has a man page without faults" {
	for c in $(commands); do
		run mandoc -Tlint -Wwarning "$TOP/man/$c.1"
		assert_success
		assert_output ""
	done
}

# bats test_tags=figures
@test "every option of --help is in the page's SYNOPSIS and explained in its text" {
	for c in $(commands); do
		synopsis=$(man_section "$c" SYNOPSIS)
		text=$(mandoc -T utf8 "$TOP/man/$c.1" | col -bx)
		while read -r short long; do
			[ "$short" = --help ] || [ "$short" = --version ] && continue
			grep -qE -- "(^|[^-[:alnum:]])($short|${long:-$short})([^-[:alnum:]]|\$)" <<<"$synopsis" ||
				fail "$c: SYNOPSIS lacks $short $long"
			for form in $short $long; do
				grep -qE -- "^ +.*(^|[^-[:alnum:]])$form([^-[:alnum:]]|\$)" <<<"$text" || fail "$c: the page does not explain $form"
			done
		done < <(help_options "$c")
	done
}

# bats test_tags=figures
@test "every option of a page's SYNOPSIS is in --help" {
	for c in $(commands); do
		known=" $(help_options "$c" | tr '\n' ' ') --help --version -- "
		for option in $(man_section "$c" SYNOPSIS | grep -oE -- '(^|[][ |])--?[[:alnum:]][a-z-]*' | tr -d '][ |'); do
			[[ $known == *" $option "* ]] || fail "$c: --help lacks $option"
		done
	done
}

@test "a wrong option ends with 2, says so, and writes nothing" {
	for c in $(commands); do
		run --separate-stderr "$c" --no-such-option
		assert_failure 2
		assert_output ""
		[[ $stderr == "$c: "*no-such-option* ]] || fail "$c: $stderr"
	done
}

# bats test_tags=figures
@test "completion offers what --help lists" {
	# shellcheck source=cmd/tailblame.bash
	source "$TOP/cmd/tailblame.bash"
	for c in $(commands); do
		complete -p "$c" || fail "no completion for $c"
		COMP_WORDS=("$c" --)
		COMP_CWORD=1
		_tailblame "$c" -- "$c"
		for long in $(help_options "$c" | grep -oE -- '--[a-z-]+'); do
			[[ " ${COMPREPLY[*]} " =~ " $long"=?" " ]] || fail "$c: $long is not offered, only ${COMPREPLY[*]}"
		done
	done
}

# What is offered behind these words, of which bash takes those with '=' and ':' apart.
offered() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_tailblame "$1" "${*: -1}" "${*: -2:1}"
	echo "${COMPREPLY[*]}"
}

@test "completion offers values: those that --help lists, charts, kinds of tables, events" {
	# shellcheck source=cmd/tailblame.bash
	source "$TOP/cmd/tailblame.bash"
	assert_equal "$(offered blame-rank -a '')" "critical npt tcm ilz exception wanted"
	assert_equal "$(offered report -f '')" "text json html csv"
	assert_equal "$(offered trace-import -f '')" "trace.dat systrace otlp jaeger strace ctf perf ftrace"
	assert_equal "$(offered trace-export --format = p)" "perfetto"
	assert_equal "$(offered cchart-filter --method = la)" "laney-p laney-u"
	assert_equal "$(offered cchart-filter --sides =)" "upper lower both"
	assert_equal "$(offered graph-build -k '')" "wake rag event"
	assert_equal "$(offered cchart-filter -c run)" "runq"
	for command in "blame-rank -n" "cchart-filter --rules =" "cchart-filter --limits =" "trace-collect -c func : ./server :" "report"; do
		# shellcheck disable=SC2086 # words
		assert_equal "$(offered $command '')" ""
	done
	diff <(offered trace-export -k '' | tr ' ' '\n' | sort) \
		<(sed -nE 's/.*\[KIND_([A-Z]+)\] = .*/\L\1/p' "$TOP/lib/export/columns.c" | sort)
	_tailblame_events() { printf '%s\n' sched:sched_waking sched:sched_switch block:block_rq_issue; }
	assert_equal "$(offered trace-collect -e sched : sched_w)" "sched_waking"
	assert_equal "$(offered trace-collect -c req)" "requests"
	assert_equal "$(offered trace-collect --event = bl)" "block:block_rq_issue"
}

@test "completion offers functions of a program, and nothing that a shell would take for more than a name" {
	# shellcheck source=cmd/tailblame.bash
	source "$TOP/cmd/tailblame.bash"
	cat >names.c <<-'C'
		void handle_one(void) {}
		void handle_two(void) {}
		void bad(void) {}
		int main(void) { return 0; }
	C
	gcc -c names.c
	objcopy --redefine-sym 'bad=handle$(id>was-here)' names.o
	gcc -o names names.o
	assert_equal "$(offered trace-collect -c func : ./names : handle)" "handle_one handle_two"
	assert_equal "$(offered trace-collect -f ./names : handle_t)" "handle_two"
	run -0 trace-collect -f './names:handle_*' --list
	assert_output "func:./names:handle_one
func:./names:handle_two"
	assert [ ! -e was-here ]
	run -2 trace-collect --list
}

# --- what is read --------------------------------------------------------------------------------------------------

@test "a missing file ends with 1 and is named" {
	for c in $(readers); do
		run --separate-stderr "$c" ${needs[$c]:+"${needs[$c]}"} no/such/file
		assert_failure 1
		[[ $stderr == "$c: "*"no/such/file"* ]] || fail "$c: $stderr"
	done
}

# all_refuse FILE PLACE: every reader ends with 1 and says where in the file it stopped.
all_refuse() {
	local c
	for c in $(readers); do
		run --separate-stderr "$c" ${needs[$c]:+"${needs[$c]}"} "$1"
		assert_failure 1
		[[ $stderr == "$c: $1$2"* ]] || fail "$c: $stderr"
	done
}

@test "junk ends with 1, file and line named" {
	printf 'stream version=1 host=h clock=mono\nevent ts=1 =\n' >bad-line
	printf '\177ELF\001\002\003\377\376 \000\000 junk\n' >junk
	all_refuse bad-line :2:
	all_refuse junk ""
}

@test "junk in a binary stream ends with 1, file and byte named" {
	recorded
	plain lock.tb | head -c 4000 >junk.tb
	head -c 4000 /dev/zero >>junk.tb
	all_refuse junk.tb ": byte "
}

@test "a record length of 4 GB ends with 1, file and byte named" {
	recorded
	{
		plain_head
		record_head 0xffffffff 7
	} >huge.tb
	all_refuse huge.tb ": byte 16"
}

@test "a record shorter than its head ends with 1" {
	recorded
	{
		plain_head
		record_head 3 7
	} >short.tb
	all_refuse short.tb ": byte 16"
}

@test "a cut stream is answered and ends with 3, wherever it was cut" {
	streams
	for c in $(readers); do
		size=$(stat -c %s "$c.tb")
		for at in 17 100 $((size / 3)) $((size / 2)) $((size - 1)); do
			[[ $c != run-[cr]* || $at = $((size - 1)) ]] || continue # without runs they fail
			head -c "$at" "$c.tb" >cut.tb
			run --separate-stderr "$c" ${needs[$c]:+"${needs[$c]}"} cut.tb
			[ "$status" = 3 ] || fail "$c: status $status for a stream cut at byte $at: $stderr"
		done
	done
}

@test "what was cut says so behind every further command" {
	recorded
	head -c $(($(stat -c %s lock.tb) / 2)) lock.tb >cut.tb
	run bash -c 'set -o pipefail; stream-cat --binary cut.tb 2>errors | stream-cat --text'
	assert_failure 3
	run bash -c 'cchart-filter cut.tb 2>errors | blame-rank 2>>errors | report >output'
	assert_failure 3
}

@test "an empty input is no crash" {
	: >empty
	for c in $(readers); do
		run "$c" ${needs[$c]:+"${needs[$c]}"} empty
		[ "$status" -le 3 ] || fail "$c: status $status: $output"
	done
}

# damage FILE SEED: overwrites a few bytes here and there, the same for the same seed.
damage() {
	local n size
	size=$(stat -c %s "$1")
	RANDOM=$2
	for n in 1 2 3 4 5 6; do
		printf '%b' "$(bytes $((RANDOM & 255)) 1)" |
			dd of="$1" bs=1 seek=$(((RANDOM << 15 | RANDOM) % size)) conv=notrunc status=none
	done
}

@test "damaged streams never crash or hang a command" {
	recorded
	for seed in 1 2 3 4 5 6; do
		cp lock.tb damaged.tb
		cp "$TOP/testdata/lock.txt" damaged.txt
		damage damaged.tb $seed
		damage damaged.txt $seed
		for c in $(readers); do
			for file in damaged.tb damaged.txt; do
				run timeout 100 "$c" ${needs[$c]:+"${needs[$c]}"} "$file"
				[ "$status" -le 3 ] || fail "$c: status $status, seed $seed, $file: $output"
				refute_output --partial Sanitizer
			done
		done
	done
}

# --- what is written -----------------------------------------------------------------------------------------------

@test "a full disk ends with 1 and a message" {
	streams
	for c in $(readers); do
		run --separate-stderr bash -c '"$1" ${2:+"$2"} "$1.tb" >/dev/full' - "$c" "${needs[$c]-}"
		assert_failure 1
		[[ $stderr == "$c: "*"no space left"* ]] || fail "$c: $stderr"
	done
}

@test "a closed pipe is a quiet end" {
	streams
	mkfifo pipe
	for c in $(readers); do
		# shellcheck disable=SC2094
		exec {both}<>pipe {closed}>pipe
		exec {both}>&-
		run --separate-stderr bash -c '"$1" ${3:+"$3"} "$1.tb" >&"$2"' - "$c" "$closed" "${needs[$c]-}"
		exec {closed}>&-
		assert_success
		[ -z "$stderr" ] || fail "$c: $stderr"
	done
}

# catches SIGNAL FILE: the process whose number is in the file has its own way with the signal by now
catches() {
	local caught
	caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$(cat "$2")/status") || return 1
	((0x${caught:-0} >> ($(kill -l "$1") - 1) & 1)) && [ "$(cat "/proc/$(cat "$2")/comm")" != bash ]
}

# bats test_tags=figures
@test "out of memory, a command says which one it is" {
	truncate -s 60M limits
	run -1 --separate-stderr bash -c 'ulimit -v 40000; cchart-filter --limits=limits </dev/null'
	assert_equal "$stderr" "cchart-filter: out of memory"
}

@test "a pipe ends when nobody reads it, though no input comes" {
	mkfifo quiet
	exec 8<>quiet # a writer that says nothing, and no end
	for command in cchart-filter graph-build blame-rank report "report -f json" stream-cat \
		trace-import "trace-export -f ftrace" "trace-export -f perfetto" "trace-export -f csv -k signal"; do
		run -0 timeout 60 bash -c "set -o pipefail; $command <quiet | true"
		assert_output ""
	done
	printf 'a-1 [000] 1.000000: sched_waking: comm=b pid=2 prio=120 target_cpu=000\n' >quiet
	run -0 timeout 60 bash -c "set -o pipefail; trace-import <quiet | true"
	assert_output ""
	run -0 timeout 60 bash -c "set -o pipefail; cchart-filter <quiet | graph-build | blame-rank | report | true"
}

@test "a SIGTERM or SIGHUP to all of a pipe ends its first command; the others tell all that came" {
	recorded
	for signal in TERM HUP; do
		# the first command goes on until it is told to end, as trace-collect does
		setsid bash -c 'bash -c "trap \"sleep 0.3; exit\" TERM HUP; cat lock.tb; touch begun; sleep 600 & wait" |
			(echo $BASHPID >1.pid; exec cchart-filter --save-limits=limits) |
			(echo $BASHPID >2.pid; exec blame-rank) | (echo $BASHPID >3.pid; exec report >told)' 2>errors &
		until_true 60 [ -e begun ]
		for n in 1 2 3; do until_true 60 catches $signal $n.pid; done
		kill -$signal -- -$!
		until_true 60 grep -q "^  to blame: .*grinder" told
		until_true 60 [ -s limits ]
		rm begun limits told ?.pid
	done
	run cat errors
	refute_output --partial "cut"
}

@test "a second SIGTERM ends a command whose input does not end" {
	local pids=()
	mkfifo endless
	for command in stream-cat cchart-filter graph-build blame-rank report; do
		$command <endless >/dev/null &
		pids+=($!)
	done
	exec 8>endless
	for pid in "${pids[@]}"; do
		until_true 60 eval "kill -TERM $pid 2>/dev/null; ! kill -0 $pid 2>/dev/null"
		wait "$pid" || [ $? = 143 ]
	done
	exec 8>&-
}

@test "text to binary to text is the identity" {
	for stream in "$TOP"/testdata/*.txt; do
		grep -v -e '^#' -e '^$' "$stream" >text
		stream-cat --binary text >binary || [ $? = 3 ]
		stream-cat --text binary >again || [ $? = 3 ]
		run cmp text again
		assert_success
	done
}

@test "binary to text to binary keeps every event" {
	stream-cat --text "$TOP/testdata/demo.tb" >text
	stream-cat --binary text | stream-cat --text >again
	run cmp text again
	assert_success
}

@test "streams can be concatenated" {
	recorded
	cat lock.tb lock.tb >twice.tb
	stream-cat --text lock.tb >once.txt
	stream-cat --text twice.tb >twice.txt
	cat once.txt once.txt >expected.txt
	run cmp expected.txt twice.txt
	assert_success
}

@test "kinds and keys that nobody knows pass through every filter" {
	printf '%s\n' 'stream version=1 host=h clock=mono colour=blue' 'mystery ts=1.000000000 answer="forty two"' >new.txt
	run bash -c 'cchart-filter --text new.txt | graph-build --text | blame-rank --text'
	assert_success
	assert_line 'mystery ts=1.000000000 answer="forty two"'
	assert_line --partial 'colour=blue'
}

# --- the answer ----------------------------------------------------------------------------------------------------

@test "the recorded lock incident: the grinder is blamed, text or binary" {
	recorded
	for input in lock.tb "$TOP/testdata/lock.txt"; do
		run bash -c 'set -o pipefail; cchart-filter "$1" | blame-rank --text | grep "^blame"' - "$input"
		assert_success
		assert_line --index 0 --regexp '^blame graph=1 rank=1 name="grinder: running"'
	done
}

@test "with graph-build in the pipe the answer is the same" {
	recorded
	cchart-filter lock.tb | blame-rank | report >without
	cchart-filter lock.tb | graph-build | blame-rank | report >with
	run diff without with
	assert_success
}

@test "the recorded crowd: the report names the queue and the crowd" {
	run bash -c 'set -o pipefail; cchart-filter -c block "$1" | blame-rank | report' - "$TOP/testdata/demo.tb"
	assert_success
	assert_output --partial 'in the bfq queue of loop0'
	assert_output --regexp 'bfq .*held back read by crowd'
	assert_output --regexp 'crowd .*read of loop0 in service'
}

@test "the demo without a loop device says so and shows the recorded incident" {
	mkdir bin
	printf '#!/bin/sh\necho none is free >&2\nexit 1\n' >bin/losetup
	chmod +x bin/losetup
	PATH=$PWD/bin:$PATH run "$TOP/tests/demo.sh" "$BUILD"
	assert_success
	assert_line --partial 'No live incident here'
	assert_output --partial 'in the bfq queue of loop0'
	grep -q '<svg' "$BUILD/demo/report.html"
}

# --- rights ---------------------------------------------------------------------------------------------------------

# state KEY PID
state() {
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status"
}

# A writer of the pipe "in" that says this, and then nothing until end_of_input. It opens the pipe beside the test: the command, which
# is $reader, may open it late, or never start.
silent_writer() { # [TEXT]
	touch held
	timeout 120 sh -c 'exec >in; printf "%s" "$1"; while [ -e held ]; do sleep 0.05; done' sh "${1:-}" 3>&- &
	writer=$!
}

end_of_input() {
	rm held
	wait "$reader" || true
	kill "$writer" 2>/dev/null || true
}

confined() { # PID
	[ "$(state NoNewPrivs "$1")" = 1 ] && [ "$(state CapEff "$1")" = 0000000000000000 ] &&
		[ "$(state CapPrm "$1")" = 0000000000000000 ] && { [[ $BUILD == *san* ]] || [ "$(state Seccomp "$1")" = 2 ]; }
}

@test "a command that reads a stream has no rights left when it reads" {
	mkfifo in
	for c in stream-cat cchart-filter "cchart-filter --save-limits=limits" graph-build blame-rank report "report -f json" \
		"report -f html -o page" "trace-export -f ftrace" "trace-export -f tracedat -o out.dat" "trace-export -f perfetto -o out.pb" \
		trace-import; do
		$c in >/dev/null 2>&1 &
		reader=$!
		silent_writer
		until_true 60 confined $reader
		end_of_input
	done
}

@test "what a command may not without its rights it still does: files of another user, and in that user's folder" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	recorded
	install -d -m 700 -o nobody theirs
	for name in a b; do install -m 600 -o nobody lock.tb theirs/$name.tb; done
	run -0 --separate-stderr stream-cat -t theirs/a.tb theirs/b.tb
	[ "$(grep -c ^end <<<"$output")" = 2 ]
	cchart-filter --save-limits=theirs/limits theirs/a.tb | blame-rank >blamed
	report -o theirs/report.txt blamed
	report -f html -o theirs/page blamed
	install -m 600 -o nobody "$TOP/testdata/demo.tb" theirs/demo.tb
	trace-export -f tracedat -o theirs/out.dat theirs/demo.tb
	trace-import theirs/out.dat | stream-cat -t | grep -c "^event"
	for name in limits report.txt page/report.html out.dat; do [ -s theirs/$name ]; done
}

# --- the pipe itself ------------------------------------------------------------------------------------------------

# field N PID: of its stat file, behind the name
field() {
	sed 's/.*) //' "/proc/$2/stat" | cut -d' ' -f$(($1 - 2))
}

low() { # PID POLICY NICE
	[ "$(field 41 "$1")" = "$2" ] && [ "$(field 19 "$1")" = "$3" ]
}

# Kernels before 6.12 have one length for all; not every kernel tells it.
in_short_pieces() { # PID
	[ "$(printf '%s\n' 6.12 "$(uname -r)" | sort -V | head -n1)" = 6.12 ] && [ -r "/proc/$1/sched" ] || return 0
	grep -qE '^se.slice .* 100000$' "/proc/$1/sched"
}

as_stage() { # PID
	printf 'stream version=1\nstage command=x tid=%s\n' "$1"
}

# Live tests alone run in the ordinary class, see check.sh.
# bats test_tags=live
@test "a stage of the pipe that records lets others go first, and never raises what it was given" {
	mkfifo in
	local batch=3 idle=5
	for c in "cchart-filter $batch 0" "graph-build $batch 10" "blame-rank $batch 10" "report $batch 10"; do
		set -- $c
		$1 in >/dev/null 2>&1 &
		reader=$!
		silent_writer "$(as_stage $reader)"$'\n'
		until_true 60 low $reader "$2" "$3"
		[ "$3" = 0 ] || until_true 60 in_short_pieces $reader
		end_of_input
	done
	nice -n 15 chrt -i 0 blame-rank in >/dev/null 2>&1 &
	reader=$!
	silent_writer "$(as_stage $reader)"$'\n'
	until_true 60 low $reader $idle 15
	end_of_input
}

# bats test_tags=live
@test "who reads a stream of another pipe keeps its priority" {
	mkfifo in
	for c in graph-build blame-rank; do
		$c --text in >out 2>&1 &
		reader=$!
		silent_writer "$(as_stage $$)"$'\n'
		until_true 60 grep -q '^stage' out
		low $reader 0 0
		end_of_input
	done
}

# bats test_tags=live,long
@test "live: the pipe knows its own commands, and says where one of them took the CPU" {
	need_tracefs
	cat >hog <<-'EOF'
		printf hogging >/proc/$$/comm
		cat <&0 &
		while kill -0 $! 2>/dev/null; do :; done
	EOF
	cat >victim <<-'EOF'
		mkfifo never
		for ((i = 0; i < 300; i++)); do read -rt 0.01 <>never; done
		true
	EOF
	# all on one CPU, so that each waits for the one that does not sleep, which may take so long that events are lost
	taskset -c 0 bash -c 'trace-collect -c runq -p command -- nice -n 10 bash victim | bash hog | tee raw |
		cchart-filter --limit=runq=1ms | blame-rank --text -n 1000 >blamed' || [ $? = 3 ]
	stream-cat -t raw | sed -n 's/^stage command=//p' >stages
	for c in trace-collect tee cchart-filter blame-rank; do grep -q "^$c " stages; done
	grep -q '^blame .*name="this pipe (hogging): on CPU .* who=hogging pipe=yes' blamed || fail "$(grep '^blame' blamed | head -30; grep -c . blamed; grep '^stage' blamed)"
	! grep -v pipe=yes blamed | grep '^blame .* who=hogging'
}

# recording KIND: in ftrace's text, 600 reads and as many wake-ups, one read that took 250 ms, and what never ends. woken: a thread that is woken
# to a CPU of which there is no event; begun: reads from before CPU 1 was recorded; overtaken: reads that all others overtook.
recording() {
	perl -e '
		my ($kind) = @ARGV;
		my @lines;
		sub event { my ($t, $cpu, $text) = @_; push @lines, [$t, sprintf "%16s-%-7d [%03d] d..2. %.6f: %s", "app", 50, $cpu, $t, $text] }
		sub read_at { my ($t, $sector, $time) = @_; event($t, 0, "block_bio_queue: 8,0 R $sector + 8 [app]");
			event($t + $time, 0, "block_rq_complete: 8,0 R () $sector + 8 none,0,0 [0]") if $time }
		for my $i (0 .. 599) {
			my $t = 100 + $i * 0.02;
			read_at($t, 1000 + $i * 8, 0.002 + $i * 7 % 60 * 1e-5);
			event($t + 0.005, 0, "sched_waking: comm=work pid=60 prio=120 target_cpu=000");
			event($t + 0.005 + (20 + $i % 10) * 1e-6, 0, "sched_switch: prev_comm=app prev_pid=50 prev_prio=120 prev_state=R ==> next_comm=work next_pid=60 next_prio=120");
			event($t + 0.0052, 0, "sched_switch: prev_comm=work prev_pid=60 prev_prio=120 prev_state=S ==> next_comm=app next_pid=50 next_prio=120");
			event($t + 0.006, 1, "irq_handler_entry: irq=9 name=x") if $kind eq "begun" && $i > 45;
		}
		read_at(106.0031, 900000, 0.25);
		event(103.0012, 0, "sched_waking: comm=gone pid=70 prio=120 target_cpu=003") if $kind eq "woken";
		read_at(100.5011 + $_ * 0.1, 700000 + $_ * 64, 0) for $kind eq "woken" ? () : 0 .. 2;
		print "# tracer: nop\n#\n", map { "$_->[1]\n" } sort { $a->[0] <=> $b->[0] } @lines' "$1"
}

@test "what may have ended unseen is told with doubt, and is never the first answer" {
	while IFS='|' read -r kind doubt; do
		recording "$kind" >trace.txt
		COLUMNS=400 run -0 bash -o pipefail -c 'trace-import trace.txt | cchart-filter -c block -c runq | blame-rank | report'
		assert_line --regexp '^1 moment: read of 8:0 sector 900000 by app/50 took 250 ms'
		assert_line --partial "$doubt"
		refute_output --regexp 'not done|still wait'
	done <<-'EOT'
		woken|1 begun whose end is not in the data, 8.984 s ago: unknown if it ended, as CPU 3 was not recorded all the time
		begun|3 begun whose ends are not in the data, the oldest 11.485 s ago (8:0): unknown if they ended, as CPU 1 was not recorded all the time
		overtaken|3 begun whose ends are not in the data, the oldest 11.484 s ago (8:0): unknown if they ended, as many others did that began after them
	EOT
}
