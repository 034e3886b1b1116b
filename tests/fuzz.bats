#!/usr/bin/env bats
# Inputs that were trouble once, and those that fuzzing begins with, given to every reader, with sanitizers alone. `make fuzz` looks
# for more.

# bats file_tags=sanitized

load helper

# EVERY as in seeds.sh. Where there are hundreds of seeds it shares no factor with the number of variants.
replay() { # TARGET [EVERY]
	TAILBLAME_DATA=$TOP
	LSAN_OPTIONS=suppressions=$TOP/tests/fuzz/leaks:print_suppressions=0
	export TAILBLAME_DATA LSAN_OPTIONS
	"$TOP/tests/fuzz/seeds.sh" "$1" "$BATS_TEST_TMPDIR/seeds" "${2:-1}"
	[ -n "$(ls "$BATS_TEST_TMPDIR/seeds")" ]
	PATH=/nonexistent run -0 "$BUILD/fuzz/$1" "$BATS_TEST_TMPDIR/seeds"
}

@test "every target of the fuzzers is replayed here" {
	for target in "$TOP"/tests/fuzz/*.c; do
		grep -q "replay $(basename "$target" .c)\( [0-9]*\)\{0,1\}\$" "$BATS_TEST_FILENAME"
	done
}

@test "fuzz: cat" {
	replay cat
}

@test "fuzz: export" {
	replay export
}

@test "fuzz: chart" {
	replay chart
}

@test "fuzz: arguments" {
	replay arguments
}

@test "fuzz: filter" {
	replay filter
}

@test "fuzz: format" {
	replay format
}

@test "fuzz: limits" {
	replay limits
}

@test "fuzz: markers" {
	replay markers
}

@test "fuzz: page" {
	replay page
}

@test "fuzz: pipe" {
	replay pipe 5
}

@test "fuzz: rank" {
	replay rank 5
}

@test "fuzz: recall" {
	replay recall
}

@test "fuzz: report" {
	replay report
}

@test "fuzz: timeshift" {
	replay timeshift
}

@test "fuzz: image" {
	replay image
}

@test "fuzz: scopes" {
	replay scopes
}

@test "fuzz: functions" {
	replay functions
}

@test "fuzz: trigger" {
	replay trigger
}

@test "fuzz: unwind" {
	replay unwind
}

@test "fuzz: lookup" {
	replay lookup
}

@test "fuzz: symbol" {
	replay symbol
}

@test "fuzz: import_dat" {
	replay import_dat
}

@test "fuzz: import_ctf" {
	replay import_ctf
}

@test "fuzz: import_strace" {
	replay import_strace
}

@test "fuzz: import_text" {
	replay import_text
}

@test "fuzz: spans" {
	replay spans
}

@test "fuzz: live" {
	replay live
}

@test "fuzz: merge" {
	replay merge
}

@test "fuzz: import_spans" {
	replay import_spans
}

@test "fuzz: features" {
	replay features
}

@test "fuzz: runs" {
	replay runs
}

@test "fuzz: table" {
	replay table
}

@test "fuzz: fleet" {
	replay fleet
}

@test "fuzz: states" {
	replay states
}

@test "fuzz: history" {
	replay history
}

@test "fuzz: semantics" {
	replay semantics
}

@test "fuzz: walk" {
	replay walk 5
}
