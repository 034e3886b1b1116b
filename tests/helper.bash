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

# Where the kernel's own tracing cannot be had, a live test is skipped.
need_tracefs() {
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
