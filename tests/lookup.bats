#!/usr/bin/env bats
# Programs of others, run beside trace-collect by somebody who means harm: trace-collect goes on, and so does everybody else.

# bats file_tags=live
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	chmod go+rx "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/.."
}

teardown() {
	for process in $others $collector; do
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
