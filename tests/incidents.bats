#!/usr/bin/env bats
# The pipe, live, on programs with a planted culprit: the top blamed name is the culprit.

# bats file_tags=live
load helper

blames_the_culprit() {
	need_tracefs
	[ -x "$BUILD/incidents/$1" ] || [ -x "$TOP/tests/incidents/stock/$1.sh" ] || fail "make incident-programs has made no $1"
	# What else a busy machine does would rightly be blamed for a CPU that it takes away.
	run "$TOP/tests/before_others.sh" nice -n -20 "$TOP/tests/incidents/run.sh" -v "$BUILD" "$1"
	assert_success
	assert_line --regexp 'culprit first in 1 of 1'
}

@test "a lock whose holder waits for a third thread: that thread" {
	blames_the_culprit lock
}

@test "a real-time thread on the victim's CPU: that thread, and the CPU" {
	blames_the_culprit rt-hog
}

@test "a server behind a server: the one behind" {
	blames_the_culprit server-chain
}

@test "a pool worker busy with someone else's job: the worker" {
	blames_the_culprit pool
}

@test "a slow child process: the child" {
	blames_the_culprit child
}

@test "a server that starts a script, which waits for a lock: who has the lock" {
	blames_the_culprit script
}

@test "a plain sleep: the timer" {
	blames_the_culprit sleep
}

@test "two threads of one name: the function of the slow one" {
	blames_the_culprit functions
}

@test "a template in C++: the function of the slow kind, demangled" {
	blames_the_culprit shelves
}

@test "a server that others keep busy as well asks another one: that one" {
	"$TOP/tests/incidents/stock/redis-clients.sh" needs || skip "needs redis"
	blames_the_culprit redis-clients
}

@test "every incident's expected blame is written down" {
	for program in "$TOP"/tests/incidents/*.c "$TOP"/tests/incidents/*.cc "$TOP"/tests/incidents/stock/*.sh; do
		name=$(basename "${program%.*}")
		[[ $name == incident* ]] || [ "$name" = crowd ] || [ "$name" = desktop ] || [ "$name" = stock ] || grep -q "^$name	" "$TOP/tests/incidents/expected" ||
			fail "tests/incidents/expected lacks '$name'"
	done
}
