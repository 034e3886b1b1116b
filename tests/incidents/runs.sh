#!/usr/bin/env bash
# runs.sh: runs of a stock program on nodes of which half have a planted trouble; says at which place it is found.
#
#	runs.sh [-v] BUILD [NAME...]	all of them, or these; -v prints each report
#
# A node is a network namespace, or a folder. Needs root and tracefs. Ends with 1 unless every cause is among the first three.
set -u

here=$(cd "$(dirname "$0")" && pwd)
verbose=
if [ "${1-}" = -v ]; then
	verbose=yes
	shift
fi
build=$(cd "${1:?usage: runs.sh [-v] BUILD [NAME...]}" && pwd) || exit 2
PATH=$build:$PATH
shift

NODES=8 RUNS=5
# shellcheck source=tests/incidents/loop.sh
. "$here/loop.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/tailblame-runs.XXXXXX") || exit 1
behind=()

end_behind()
{
	[ ${#behind[@]} = 0 ] || { kill "${behind[@]}" && wait "${behind[@]}"; } 2>/dev/null
	behind=()
}

unmount()
{
	for folder in disk memory; do
		if mountpoint -q "$work/$folder"; then umount "$work/$folder"; fi
		rm -rf "${work:?}/$folder"
	done
}

clean()
{
	end_behind
	unmount
	loop_end
	for ((node = 0; node < NODES; node++)); do ip netns delete "tailblame-$$-$node" 2>/dev/null; done
	ip link delete "tb$$" 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

is_bad() { [ "$1" -ge $((NODES / 2)) ]; } # NODE

# record NODE RUN JOB COMMAND...: a run on a node; through `enter`, which a case sets to get there.
record()
{
	local node=$1 run=$2 job=$3
	shift 3
	# shellcheck disable=SC2016
	"${enter[@]}" sh -c 'out=$1 node=$2 job=$3; shift 3
		trace-collect -p command -e raw_syscalls -- "$@" 2>>errors | run-features -j "$job" --node="$node" >"$out" 2>>errors' \
		record "$work/$node-$run.run" "n$node" "$job" "$@" || cat errors >&2
}

# The paper's first case: a machine with tiny TCP buffers.
case_wget()
{
	local port=8477
	command -v wget >/dev/null || { echo "needs wget"; return 77; }
	mkdir "$work/served"
	head -c 12M /dev/urandom >"$work/served/file"
	ip link add "tb$$" type bridge && ip address add 10.213.0.254/24 dev "tb$$" && ip link set "tb$$" up || return 1
	for ((node = 0; node < NODES; node++)); do
		local space=tailblame-$$-$node
		ip netns add "$space" && ip link add "tb$$.$node" type veth peer name eth0 netns "$space" || return 1
		ip link set "tb$$.$node" master "tb$$" up
		ip -n "$space" address add "10.213.0.$((node + 1))/24" dev eth0
		ip -n "$space" link set eth0 up
		is_bad $node && nsenter --net="/run/netns/$space" sysctl -q -w net.ipv4.tcp_rmem="4096 4096 4096"
	done
	(cd "$work/served" && exec python3 -m http.server --bind 10.213.0.254 $port) >/dev/null 2>&1 &
	behind+=($!)
	until wget -q --spider "http://10.213.0.254:$port/file" 2>/dev/null; do sleep 0.05; done
	for ((run = 0; run < RUNS; run++)); do
		for ((node = 0; node < NODES; node++)); do
			enter=(nsenter --net="/run/netns/tailblame-$$-$node")
			record $node $run wget wget -q -O /dev/null "http://10.213.0.254:$port/file"
		done
	done
}

# The paper's third case: a download that needs a connection from the server comes to nothing behind NAT (VirtualBox' adapter there, the
# same stack of user space here), and works on a bridge.
case_nat()
{
	local port=8478
	"$here/../deps.sh" slirp4netns python3-pyftpdlib || { echo "needs slirp4netns and python3-pyftpdlib"; return 77; }
	mkdir -p "$work/served"
	head -c 1M /dev/urandom >"$work/served/file"
	ip link add "tb$$" type bridge && ip address add 10.213.0.254/24 dev "tb$$" && ip link set "tb$$" up || return 1
	for ((node = 0; node < NODES; node++)); do
		local space=tailblame-$$-$node
		ip netns add "$space" && ip -n "$space" link set lo up || return 1
		if is_bad $node; then
			slirp4netns --configure --mtu=1500 --netns-type=path "/run/netns/$space" eth0 >"slirp.$node" 2>&1 &
			behind+=($!)
			continue
		fi
		ip link add "tb$$.$node" type veth peer name eth0 netns "$space" || return 1
		ip link set "tb$$.$node" master "tb$$" up
		ip -n "$space" address add "10.213.0.$((node + 1))/24" dev eth0
		ip -n "$space" link set eth0 up && ip -n "$space" route add default via 10.213.0.254
	done
	/usr/bin/python3 -m pyftpdlib -i 10.213.0.254 -p $port -d "$work/served" >ftp.log 2>&1 &
	behind+=($!)
	for ((node = 0; node < NODES; node++)); do
		# a name that is looked up would be another trouble
		until nsenter --net="/run/netns/tailblame-$$-$node" wget -q -t 1 -T 5 -O /dev/null "ftp://10.213.0.254:$port/file" 2>/dev/null; do sleep 0.05; done
	done
	for ((run = 0; run < RUNS; run++)); do
		for ((node = 0; node < NODES; node++)); do
			# with a /sys that shows its own links; tracefs was below the other
			# shellcheck disable=SC2016
			enter=(ip netns exec "tailblame-$$-$node" sh -c 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"' enter)
			record $node $run wget wget -q -t 1 -T 5 --no-passive-ftp -O /dev/null "ftp://10.213.0.254:$port/file"
		done
	done
}

# Each run makes a database of 120 statements in the node's folder.
sqlite_runs()
{
	enter=(env)
	for ((run = 0; run < RUNS; run++)); do
		for ((node = 0; node < NODES; node++)); do
			cd "$(folder_of $node)" && rm -f db || return 1
			record $node $run sqlite3 sqlite3 -init "$work/init.$node" db "$(echo 'create table t(x);'; seq -f 'insert into t values(%g);' 120)"
		done
	done
	cd "$work" || return 1
}

sqlite_disk()
{
	command -v sqlite3 >/dev/null || { echo "needs sqlite3"; return 77; }
	loop_begin mq-deadline && mkdir "$work/disk" && mkfs.ext4 -q "$loop" && mount "$loop" "$work/disk"
}

# Half of the machines write each statement to the disk, as is the default; on the others that was turned off.
case_sqlite_sync()
{
	sqlite_disk || return
	for ((node = 0; node < NODES; node++)); do
		{ is_bad $node && echo 'pragma synchronous=full;' || echo 'pragma synchronous=off;'; } >"$work/init.$node"
	done
	folder_of() { echo "$work/disk"; }
	sqlite_runs
}

# Half of the machines have their database in memory, the others on a disk.
case_sqlite_disk()
{
	sqlite_disk || return
	mkdir "$work/memory" && mount -t tmpfs tmpfs "$work/memory" || return 1
	for ((node = 0; node < NODES; node++)); do echo 'pragma synchronous=full;' >"$work/init.$node"; done
	folder_of() { if is_bad "$1"; then echo "$work/disk"; else echo "$work/memory"; fi; }
	sqlite_runs
}

# Ends what a case has left of network namespaces, for the next has the same names.
leave_network()
{
	end_behind
	for ((node = 0; node < NODES; node++)); do ip netns delete "tailblame-$$-$node" 2>/dev/null; done
	ip link delete "tb$$" 2>/dev/null
}

# NAME, METRIC, and the features that are the cause or its nearest sign.
cases()
{
	cat <<'END'
wget		elapsed	sysctl.net.ipv4.tcp_rmem.[23]
nat		exit	fact[.]route[.].*
sqlite_sync	elapsed	(count|time|next|gap)[.]([a-z0-9_]*-)?f(data)?sync.*
sqlite_disk	elapsed	(time|gap)[.]([a-z0-9_]*-)?f(data)?sync.*|fact[.]directory[.].*
END
}

count=0 found=0
while read -r name metric pattern <&3; do
	[[ $# -gt 0 && " $* " != *" $name "* ]] && continue
	cd "$work" || exit 1
	rm -f ./*.run
	start=$EPOCHREALTIME
	"case_$name" >log 2>&1
	status=$?
	if [ $status = 77 ]; then
		printf '%-18s skipped: %s\n' "$name" "$(tail -n1 log)"
		continue
	fi
	cat ./*.run | run-cluster --metric="$metric" 2>>log | run-rules >rules.tb 2>>log
	stream-cat -t rules.tb | sed -nE 's/^(rule|same) rank=([0-9]+) feature=([^ ]*) .*/\2 \3/p' >features
	rank=$(awk -v p="^($pattern)$" '$2 ~ p { print $1; exit }' features)
	printf '%-18s %-48s %-48s %4s %5.1f s\n' "$name" "$pattern" "$(head -n1 features | cut -d' ' -f2)" "${rank:--}" \
		"$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')"
	[ -z "$verbose" ] || { tail -n 3 log; report rules.tb; }
	count=$((count + 1))
	[[ ${rank:--} == [123] ]] && found=$((found + 1))
	leave_network
	unmount
	[ -z "$loop" ] || { loop_end; loop=; }
done 3< <(cases)

echo "what slow runs share is among the first three in $found of $count"
[ "$found" -eq "$count" ]
