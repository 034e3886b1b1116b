# Loaded by every bats file: paths, assertions, and what a test may need of the machine.
# shellcheck shell=bash disable=SC2034

bats_require_minimum_version 1.5.0
bats_load_library bats-support
bats_load_library bats-assert

TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
BUILD=${TAILBLAME_BUILD:-$TOP/build}
PATH=$BUILD:$PATH

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Begins a live test. Where the kernel's own tracing cannot be had, it is skipped. What else the machine does at that moment
# is traced too, so a live test that fails has one further try, and that is told.
need_tracefs() {
	BATS_TEST_RETRIES=1
	[ "$BATS_TEST_TRY_NUMBER" = 1 ] || echo "# second try: $BATS_TEST_DESCRIPTION" >&3
	[ "$(id -u)" = 0 ] || skip "needs root"
	grep -qs tracefs /proc/filesystems || skip "needs a kernel with tracefs"
	grep -qs ' tracefs ' /proc/mounts || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || skip "needs tracefs"
}

# The instances and probe groups of ours that are there now.
tracing_left() {
	find /sys/kernel/tracing/instances -maxdepth 1 -name 'tailblame*'
	grep -s tailblame /sys/kernel/tracing/uprobe_events || true
}

# until_true SECONDS COMMAND...: runs the command until it succeeds; fails when the time is over.
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}
