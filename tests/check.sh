#!/bin/bash
# Every test, with the ordinary build and once more with the address and undefined-behaviour sanitizers.
# The last line is: N passed, N failed, N skipped. Called by make.
set -u
cd "$(dirname "$0")/.." || exit 1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0

count() { grep -cE "$1" "$log"; }

# One build: its C tests (TAP, or an exit status for the lot), then the bats files.
run() { # NAME DIR
	local program status why
	echo "# $1"
	: >"$log"
	for program in "$2"/tests/*; do
		[ -x "$program" ] && [ ! -d "$program" ] || continue
		timeout 60 "$program" >"$program.out" 2>&1
		case $? in
		0) status=ok why= ;;
		77) status=ok why=" # skip $(tail -n1 "$program.out")" ;;
		*) status="not ok" why= && cat "$program.out" ;;
		esac
		echo "$status - unit $(basename "$program")$why" | tee -a "$log"
	done
	TAILBLAME_BUILD=$PWD/$2 timeout 900 bats --formatter tap "${@:3}" | tee -a "$log"
	[ "${PIPESTATUS[0]}" -lt 2 ] || echo "not ok - bats itself" | tee -a "$log"
	passed=$((passed + $(count '^ok') - $(count '^ok .*# skip')))
	failed=$((failed + $(count '^not ok')))
	skipped=$((skipped + $(count '^ok .*# skip')))
}

jobs=$(nproc)
make --no-print-directory -j"$jobs" test-programs >/dev/null || exit 1
make --no-print-directory -j"$jobs" O=build-san CFLAGS='-O1 -g' \
	SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer' test-programs >/dev/null || exit 1

run "as installed" build tests/*.bats
# Not what is about figures, timing, or programs and files of others: no memory is read there that is not elsewhere.
GLOBIGNORE=tests/incidents.bats:tests/install.bats:tests/manuals.bats:tests/page.bats:tests/viewers.bats
run "with sanitizers" build-san --filter-tags '!figures' tests/*.bats

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
