#!/usr/bin/env bash
# How fast runs are made features of, and rules of these; and what an order of full runs costs the calls of other programs; for make bench:
#
#	runs.sh BUILD
#
# The table is as large as the paper's: 750 runs with 958 features (there 130 s on a machine of 2012).
#
# Environment: RUNS (5), CALLS of a run (300000), READS by another program (3000000).
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 1

build=$(cd "${1:?usage: runs.sh BUILD}" && pwd) || exit 1
runs=${RUNS:-5} calls=${CALLS:-300000} reads=${READS:-3000000} collector=
PATH=$build:$PATH
work=$(mktemp -d "${TMPDIR:-/var/tmp}/tailblame-bench.XXXXXX") || exit 1

end_collector()
{
	[ -z "$collector" ] || { kill "$collector" && wait "$collector"; } 2>/dev/null
	collector=
}
trap 'end_collector; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# shellcheck source=tests/bench/common.bash
. tests/bench/common.bash

# A log by strace of a run of 21 different calls, as many as in the paper's first case.
log()
{
	awk -v n="$calls" 'BEGIN {
		split("read write close lseek fstat poll pread64 pwrite64 access getpid dup sendto recvfrom fcntl fsync getcwd getuid times getppid fdatasync openat", name, " ")
		print "7 1700000000.000000 execve(\"/usr/bin/wget\", [\"wget\"], 0x7ffc) = 0 <0.000100>"
		for (i = 1; i < n; i++) printf "7 %.6f %s(3, 0x7f, 4096) = %d <0.000002>\n", 1700000000 + i / 1e5, name[1 + (i * 7 + int(i / 50)) % 21], 100 + i % 7
	}'
}

table()
{
	awk 'BEGIN {
		state = 7 # a Lehmer generator: rand() is another in every awk
		for (j = 0; j < 958; j++) printf "f%d,", j
		print "class"
		for (i = 0; i < 750; i++) {
			for (j = 0; j < 958; j++) { state = state * 16807 % 2147483647; printf "%d,", state % 1000 + (j == 500 && i % 5 == 0 ? 5000 : 0) }
			print i % 5 ? "good" : "bad"
		}
	}'
}

row()
{
	measure "${@:3}" || { printf '%-60s failed: %s\n' "$1" "$(tail -n1 "$work/err")"; return; }
	awk -v name="$1" -v n="$2" -v real="$real" -v cpu="$cpu" 'BEGIN {
		printf "%-60s %8.3f s %8.3f s %s\n", name, real, cpu, n ? sprintf("%8.2f M/s", n / cpu / 1e6) : "" }'
}

bench_runs()
{
	local bytes
	log >"$work/log" && trace-import -f strace "$work/log" >"$work/calls.tb" || return 1
	bytes=$(stat -c %s "$work/log")
	# many concatenated streams are as many runs
	for ((i = 0; i < 10; i++)); do cat "$work/calls.tb"; done >"$work/ten.tb"
	printf '%-60s %10s %10s %12s\n' "medians of $runs runs" time "CPU time" events
	row "trace-import -f strace, a log of $((bytes / 1000000)) MB (bytes)" "$bytes" trace-import -f strace "$work/log"
	row "run-features, $((20 * calls)) events of 10 runs" $((20 * calls)) run-features -j wget --facts=never "$work/ten.tb"
	table >"$work/table" || return 1
	row "run-rules --csv, 750 runs with 958 features, 199 deals" 0 run-rules --csv --class=class "$work/table"
}

# The program is not the one that is ordered: the kernel's filter looks at each of its calls all the same.
bench_order()
{
	local alone
	measure dd if=/dev/zero of=/dev/null bs=1 count="$reads" || return 1
	alone=$cpu
	trace-collect -b 4M -e 'raw_syscalls/comm == "wget"' >"$work/order.tb" 2>"$work/err" &
	collector=$!
	until [ -s "$work/order.tb" ]; do
		kill -0 $collector 2>/dev/null || { sed 's/^/not measured: /' "$work/err"; return; }
		sleep 0.05
	done
	measure dd if=/dev/zero of=/dev/null bs=1 count="$reads" || return 1
	end_collector
	awk -v n="$reads" -v alone="$alone" -v with="$cpu" 'BEGIN {
		printf "a full order for wget: a call of dd takes %.0f ns alone, %.0f ns more while it lasts\n", alone / n / 2 * 1e9, (with - alone) / n / 2 * 1e9 }'
}

bench_runs
bench_order
