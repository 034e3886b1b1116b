# shellcheck shell=bash
# loop.sh: a loop device for a while, for other scripts to source. Needs root. The device, its file and the directory
# are removed by loop_end, which the caller puts into its trap:
#
#	. loop.sh; trap loop_end EXIT
#	loop_begin bfq && crowd "$loop"
#
# loop_begin SCHEDULER [SIZE] sets $loop; where it cannot, it says why on standard error and returns 1.

loop=
loop_directory=

loop_attach()
{
	losetup --find --show --direct-io=on "$1" 2>/dev/null || losetup --find --show "$1"
}

loop_begin()
{
	local scheduler=$1 size=${2:-256M} queue

	if [ "$(id -u)" != 0 ]; then
		echo "a loop device needs root" >&2
		return 1
	fi
	loop_directory=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-loop.XXXXXX") || return 1
	if ! truncate -s "$size" "$loop_directory/disk" ||
		! loop=$(loop_attach "$loop_directory/disk" 2>"$loop_directory/error"); then
		loop=
		echo "no loop device: $(cat "$loop_directory/error")" >&2
		return 1
	fi
	queue=/sys/block/${loop#/dev/}/queue/scheduler
	modprobe -q "$scheduler" 2>/dev/null || modprobe -q "$scheduler-iosched" 2>/dev/null || true
	if ! { echo "$scheduler" >"$queue"; } 2>/dev/null; then
		echo "$loop has no scheduler '$scheduler', only: $(cat "$queue")" >&2
		return 1
	fi
}

loop_end()
{
	if [ -n "$loop" ]; then
		{ echo none >"/sys/block/${loop#/dev/}/queue/scheduler"; } 2>/dev/null || true
		losetup --detach "$loop"
		loop=
	fi
	if [ -n "$loop_directory" ]; then
		rm -rf "$loop_directory"
		loop_directory=
	fi
}
