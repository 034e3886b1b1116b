# Loaded by every bats file: paths, assertions, and what a test may need of the machine.
# shellcheck shell=bash disable=SC2034

bats_require_minimum_version 1.5.0
# Their loaders start a program for each of their files, in each test: as long as a short test takes.
dirname() { printf '%s\n' "${1%/*}"; }
bats_load_library bats-support
bats_load_library bats-assert
unset -f dirname
# shellcheck source=tests/quick.bash
source "$BATS_TEST_DIRNAME/quick.bash"

TOP=${BATS_TEST_DIRNAME%/*}
BUILD=${TAILBLAME_BUILD:-$TOP/build}
PATH=$BUILD:$PATH

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Begins a live test. Where the kernel's own tracing cannot be had, it is skipped.
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

# is_tracing PID[.kept]: tells whether a collector traces. A new instance has tracing on, too, until the collector turns that off and opens its rings.
is_tracing() {
	[ -n "$(find /proc/"${1%.kept}"/fd -lname '*trace_pipe_raw' -print -quit 2>/dev/null)" ] &&
		[ "$(cat /sys/kernel/tracing/instances/tailblame-"$1"/tracing_on 2>/dev/null)" = 1 ]
}

# The head of a binary stream of the first version, whose records are not in blocks.
plain_head() {
	printf '\211tailb\r\n\002\001\001\000\000\000\000\000'
}

# plain FILE: a binary stream as the first version wrote it: its records, without the blocks.
plain() {
	plain_head
	perl -0777 -ne 'my $at = 16; while ($at < length) { my $size = unpack "V", substr $_, $at + 8, 4;
		print substr $_, $at + 32, $size; $at += 32 + $size }' "$1"
}

# packed FILE NAMES FIELDS PRINT EVENT...: a binary stream of events of these names, which have these fields, each DECLARATION:OFFSET:SIZE,
# with commas between them, from byte 8 on. An EVENT is its second, its name and its bytes, as in '1.5 x:begin 0a000007'; with '1.5@3' it is
# of CPU 3; '1.5@3 lost 7' are seven lost events.
packed() {
	command -v python3 >/dev/null || skip "needs python3"
	python3 - "$@" <<'END'
import struct, sys
path, names, fields, print_format, *events = sys.argv[1:]
common = "unsigned short common_type:0:2,unsigned char common_flags:2:1,unsigned char common_preempt_count:3:1,int common_pid:4:4"
def lines(fields):
    return "".join("\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:0;\n" % tuple(field.split(":")) for field in fields.split(","))
records = [(1, 0, b"stream version=1")]
for i, name in enumerate(names.split()):
    system, event = name.split(":")
    form = "name: %s\nID: %d\nformat:\n%s\n%s\nprint fmt: %s\n" % (event, 900 + i, lines(common), lines(fields), print_format)
    records.append((2, 1, (system + "\0" + form).encode()))
for second, name, data in (event.split() for event in events):
    second, cpu = (second + "@0").split("@")[:2]
    if name == "lost":
        records.append((8, 0, ("lost ts=%s cpu=%s count=%s" % (second, cpu, data)).encode()))
        continue
    head = struct.pack("<qIHBBi", round(float(second) * 1e9), int(cpu), 900 + names.split().index(name), 0, 0, 77)
    records.append((7, 1, head + bytes.fromhex(data)))
records.append((19, 0, b"end records=%d lost=0" % len(records)))
with open(path, "wb") as file:
    file.write(b"\x89tailb\r\n" + struct.pack("<HHI", 0x0102, 1, 0))
    for kind, form, body in records:
        file.write(struct.pack("<IBBBB", 8 + len(body), kind, form, 0, 0) + body)
END
}
