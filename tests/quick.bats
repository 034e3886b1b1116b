#!/usr/bin/env bats
# quick.bash: a test that fails is told, whatever fails in it, and where.

load helper

# What bats says of the tests on standard input, which begin with "test:".
tried() {
	mkdir tests
	ln -s "$TOP"/tests/{helper,quick}.bash tests/
	{ echo 'load helper'; sed 's/^test:/@test/'; } >tests/tried.bats
	env -i PATH="${PATH//$BATS_LIBEXEC:/}" bats tests/tried.bats
}

@test "what fails is told, whatever it is, with its place" {
	run -1 tried <<'END'
at_fault() {
	true
	[ 1 = 2 ]
}
teardown() { echo "torn down $x"; }
test: "an assertion" {
	x=1
	assert_equal a b
	x=2
}
test: "within a function" {
	at_fault
	true
}
test: "a test that is none of the last" {
	[[ 1 = 2 ]]
	true
}
test: "a status" {
	run -0 bash -c 'exit 3'
	true
}
test: "arithmetic" {
	(( 1 == 2 ))
	true
}
test: "a copy of the shell" {
	run -1 bash -c 'echo a; echo; echo b >&2; exit 1'
	assert_equal "${#lines[@]}" 2
	run --separate-stderr -1 bash -c 'echo a; echo b >&2; exit 1'
	assert_equal "$output/$stderr/$status" a/b/1
	run ! false
	(false)
	true
}
test: "an exit" {
	exit 3
}
test: "skipped" {
	skip "no"
}
test: "a condition is no failure" {
	! true
	if at_fault; then false; fi
	sleep 100 &
	kill %1
	wait %1 || [ $? = 143 ]
}
END
	assert_output "1..9
not ok 1 an assertion
# (in test file tests/tried.bats, line 9)
#   \`assert_equal a b' failed
#
# -- values do not equal --
# expected : b
# actual   : a
# --
#
# torn down 1
not ok 2 within a function
# (from function \`at_fault' in file tests/tried.bats, line 4,
#  in test file tests/tried.bats, line 13)
#   \`at_fault' failed
# torn down
not ok 3 a test that is none of the last
# (in test file tests/tried.bats, line 17)
#   \`[[ 1 = 2 ]]' failed
# torn down
not ok 4 a status
# (in test file tests/tried.bats, line 21)
#   \`run -0 bash -c 'exit 3'' failed, expected exit code 0, got 3
# torn down
not ok 5 arithmetic
# (in test file tests/tried.bats, line 25)
#   \`(( 1 == 2 ))' failed
# torn down
not ok 6 a copy of the shell
# (in test file tests/tried.bats, line 34)
#   \`(false)' failed
# torn down
not ok 7 an exit
# torn down
ok 8 skipped # skip no
ok 9 a condition is no failure"
}

@test "a test sees nothing of the others, but what is set up for all of the file" {
	run -0 tried <<'END'
setup_file() { export FOR_ALL=1; }
setup() { cd "$BATS_TEST_TMPDIR"; mine=set; }
test: "first" {
	other=1
	changed() { :; }
	trap 'echo never' USR1
	cd /
}
test: "second" {
	[ "$FOR_ALL$mine${other-}" = 1set ]
	! declare -F changed
	[ -z "$(trap -p USR1)" ]
	[ "$PWD" = "$BATS_TEST_TMPDIR" ]
	[ "$BATS_TEST_NUMBER" = 2 ]
}
END
}
