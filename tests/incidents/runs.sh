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
		# a run that was cut short may still be in it
		if mountpoint -q "$work/$folder"; then umount "$work/$folder" 2>/dev/null || umount -l "$work/$folder"; fi
		rm -rf "${work:?}/$folder"
	done
}

clean()
{
	end_behind
	unmount
	loop_end
	end_group
	for ((node = 0; node < NODES; node++)); do ip netns delete "tailblame-$$-$node" 2>/dev/null; done
	ip link delete "tb$$" 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM HUP

# group CONTROLLER FILE VALUE FILE2 VALUE2: a control group with a bound: the file of the second version, and that of the first; sets $group
group()
{
	local top
	if top=$(findmnt -nr -t cgroup2 -o TARGET | head -n1) && grep -qw "$1" "$top/cgroup.controllers" 2>/dev/null; then
		echo "+$1" >"$top/cgroup.subtree_control"
		group=$top/tailblame-$$
		mkdir "$group" && echo "$3" >"$group/$2"
	else
		top=$(findmnt -nr -t cgroup -O "$1" -o TARGET | head -n1)
		group=$top/tailblame-$$
		[ -n "$top" ] && mkdir "$group" && echo "$5" >"$group/$4"
	fi 2>/dev/null && return
	group=
	echo "needs the controller $1 of control groups"
	return 77
}

group=
end_group()
{
	[ -z "$group" ] || rmdir "$group"
	group=
}

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

# A bridge with a web server, and nodes at it. WORSEN is called for each bad one, with its namespace and its link at the bridge.
web_nodes() # SIZE WORSEN
{
	web=10.213.0.254:8479
	command -v wget >/dev/null || { echo "needs wget"; return 77; }
	mkdir -p "$work/served"
	head -c "$1" /dev/urandom >"$work/served/file"
	ip link add "tb$$" type bridge && ip address add 10.213.0.254/24 dev "tb$$" && ip link set "tb$$" up || return 1
	for ((node = 0; node < NODES; node++)); do
		local space=tailblame-$$-$node
		ip netns add "$space" && ip link add "tb$$.$node" type veth peer name eth0 netns "$space" || return 1
		ip link set "tb$$.$node" master "tb$$" up
		ip -n "$space" address add "10.213.0.$((node + 1))/24" dev eth0
		ip -n "$space" link set lo up && ip -n "$space" link set eth0 up && ip -n "$space" route add default via 10.213.0.254
		if is_bad $node; then "$2" "$space" "tb$$.$node" || return; fi
	done
	(cd "$work/served" && exec python3 -m http.server --bind 10.213.0.254 8479) >/dev/null 2>&1 &
	behind+=($!)
	until wget -q --spider "http://$web/file" 2>/dev/null; do sleep 0.05; done
}

# few_runs JOB COMMAND...: three of each node; enter_node, which a case has, sets $enter.
few_runs()
{
	for ((run = 0; run < 3; run++)); do
		for ((node = 0; node < NODES; node++)); do
			enter_node $node
			record $node $run "$@"
		done
	done
}

in_namespace() { enter=(nsenter --net="/run/netns/tailblame-$$-$1"); }

# The paper's first case, where nobody records sysctls: what is left are more calls, of less data each.
case_wget_calls()
{
	tiny() { nsenter --net="/run/netns/$1" sysctl -q -w net.ipv4.tcp_rmem="4096 4096 4096"; }
	web_nodes 8M tiny || return
	enter_node() { in_namespace "$1"; }
	echo 'program wget' >"$work/calls.job"
	few_runs "$work/calls.job" wget -q -O /dev/null "http://$web/file"
}

# A slow link: packets wait at the bridge.
case_slow_link()
{
	shape() { tc qdisc replace dev "$2" root tbf rate 40mbit burst 20k latency 100ms 2>/dev/null || { echo "needs tc and tbf"; return 77; }; }
	web_nodes 2M shape || return
	enter_node() { in_namespace "$1"; }
	few_runs wget wget -q -O /dev/null "http://$web/file"
}

# A limit in the program's own configuration, at the same path on each machine.
case_wgetrc()
{
	web_nodes 2M : || return
	: >"$work/wgetrc"
	echo 'tries = 20' >"$work/wgetrc.good"
	printf 'tries = 20\nlimit_rate = 4m\n' >"$work/wgetrc.bad"
	printf 'program wget\nconfig Simplevars %s\nsysctl net.ipv4.*\n' "$work/wgetrc" >"$work/wgetrc.job"
	enter_node()
	{
		# shellcheck disable=SC2016
		enter=(nsenter --net="/run/netns/tailblame-$$-$1" unshare -m sh -c 'mount --bind "$1" "$2" && export WGETRC="$2" && shift 2 && exec "$@"' enter
			"$work/wgetrc.$(is_bad "$1" && echo bad || echo good)" "$work/wgetrc")
	}
	few_runs "$work/wgetrc.job" wget -q -O /dev/null "http://$web/file"
}

# A name server that does not answer stands first.
case_resolver()
{
	printf 'nameserver 127.0.0.3\noptions timeout:1 attempts:1\n' >"$work/resolv.good"
	printf 'nameserver 10.213.0.77\noptions timeout:1 attempts:1\n' >"$work/resolv.bad"
	printf 'program getent\nconfig Resolv /etc/resolv.conf\n' >"$work/resolver.job"
	web_nodes 1k : || return
	enter_node()
	{
		# shellcheck disable=SC2016
		enter=(nsenter --net="/run/netns/tailblame-$$-$1" unshare -m sh -c 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"' enter
			"$work/resolv.$(is_bad "$1" && echo bad || echo good)")
	}
	few_runs "$work/resolver.job" getent ahostsv4 files.example.org
}

# A control group that gets a twentieth of a CPU.
case_cpu_quota()
{
	group cpu cpu.max "5000 100000" cpu.cfs_quota_us 5000 || return
	head -c 3M /dev/urandom >"$work/data"
	echo 'program gzip' >"$work/quota.job"
	enter=(env)
	for ((run = 0; run < 3; run++)); do
		for ((node = 0; node < NODES; node++)); do
			# what records is not in the group
			# shellcheck disable=SC2016
			record $node $run "$work/quota.job" sh -c '[ "$1" = no ] || echo $$ >"$2/cgroup.procs"; exec gzip -c -1 "$3"' run \
				"$(is_bad $node && echo yes || echo no)" "$group" "$work/data"
		done
	done
}

# Libraries are looked for in 2,000 folders first.
case_search_path()
{
	local long
	long=$(seq -s: -f "$work/none/%g" 2000)
	echo 'program openssl' >"$work/search.job"
	command -v openssl >/dev/null || { echo "needs openssl"; return 77; }
	enter_node() { enter=(env); }
	run_one() { if is_bad "$node"; then few=(env LD_LIBRARY_PATH="$long" openssl version); else few=(env openssl version); fi; }
	for ((run = 0; run < 3; run++)); do
		for ((node = 0; node < NODES; node++)); do
			enter_node $node && run_one
			record $node $run "$work/search.job" "${few[@]}"
		done
	done
}

# A folder of 60,000 files.
case_large_folder()
{
	mkdir -p "$work/folder.good" "$work/folder.bad"
	touch "$work/folder.good/file"
	(cd "$work/folder.bad" && seq 60000 | xargs touch)
	echo 'program ls' >"$work/folder.job"
	# shellcheck disable=SC2016
	enter_node() { enter=(sh -c 'cd "$1" && shift && exec "$@"' enter "$work/folder.$(is_bad "$1" && echo bad || echo good)"); }
	few_runs "$work/folder.job" ls
	rm -rf "$work/folder.bad"
}

# Another build of the program.
case_outdated()
{
	command -v xz >/dev/null || { echo "needs xz"; return 77; }
	mkdir -p "$work/bin.good" "$work/bin.bad"
	cp "$(command -v gzip)" "$work/bin.good/pack"
	cp "$(command -v xz)" "$work/bin.bad/pack"
	head -c 2M /dev/urandom >"$work/data"
	echo 'program pack' >"$work/outdated.job"
	enter_node() { enter=(env PATH="$work/bin.$(is_bad "$1" && echo bad || echo good):$PATH"); }
	few_runs "$work/outdated.job" pack -c "$work/data"
}

# A file system that is mounted so that each write waits for the disk.
case_mount_sync()
{
	loop_begin mq-deadline && mkdir "$work/disk" && mkfs.ext4 -q "$loop" && mount "$loop" "$work/disk" || return 1
	mkdir "$work/tree" && seq -f "$work/tree/%g" 100 | xargs -I{} sh -c 'echo text >"{}"'
	tar -C "$work" -cf "$work/tree.tar" tree
	echo 'program tar' >"$work/tar.job"
	enter_node()
	{
		mount -o "remount,$(is_bad "$1" && echo sync || echo async)" "$work/disk"
		# shellcheck disable=SC2016
		enter=(sh -c 'cd "$1" && shift && exec "$@"' enter "$work/disk")
	}
	few_runs "$work/tar.job" tar -xf "$work/tree.tar"
}

# A database that lacks an index.
case_index()
{
	command -v sqlite3 >/dev/null || { echo "needs sqlite3"; return 77; }
	for kind in good bad; do
		mkdir -p "$work/base.$kind"
		{
			echo 'create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) insert into t select i, hex(randomblob(40)) from n;'
			[ $kind = bad ] || echo 'create index i on t(a);'
		} | sqlite3 "$work/base.$kind/db"
	done
	# shellcheck disable=SC2016
	enter_node() { enter=(sh -c 'cd "$1" && shift && exec "$@"' enter "$work/base.$(is_bad "$1" && echo bad || echo good)"); }
	few_runs sqlite3 sqlite3 db "$(seq -f 'select b from t where a = %g;' 1 1000 60000)"
}

# sort(1) with a buffer of 64 KiB, as a small machine has it.
case_sort_buffer()
{
	seq 200000 | awk '{ print ($1 * 7919) % 200003 }' >"$work/numbers"
	echo 'program sort' >"$work/sort.job"
	for ((run = 0; run < 3; run++)); do
		for ((node = 0; node < NODES; node++)); do
			enter=(env)
			record $node $run "$work/sort.job" sort -S "$(is_bad $node && echo 64k || echo 64M)" -T "$work" -o "$work/sorted" "$work/numbers"
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
wget_calls	elapsed	(count|result|next)[.](read|select)(-.*)?
slow_link	elapsed	(count|time|result|rate|next|gap)[.](read|select)(-.*)?
wgetrc		elapsed	.*/wgetrc/limit_rate
resolver	elapsed	/etc/resolv.conf/nameserver
cpu_quota	elapsed	time[.]outside|gap[.]read-write|gap[.]write-read
search_path	elapsed	(count|errors|next|time)[.](openat|newfstatat)(-.*)?
large_folder	elapsed	(count|errors|time|sum|result|rate|next|gap)[.](getdents64|write)(-.*)?
outdated	elapsed	fact[.]program
mount_sync	elapsed	fact[.]directory[.]options|(time|rate)[.](write|openat|mkdirat|close)
index		elapsed	(count|time|sum|next|rate)[.]pread64(-.*)?|time[.]outside
sort_buffer	elapsed	(count|time|next|sum|arg|result|gap)[.](read|write|openat|unlink|fadvise64)(-.*)?
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
	end_group
	[ -z "$loop" ] || { loop_end; loop=; }
done 3< <(cases)

echo "what slow runs share is among the first three in $found of $count"
[ "$found" -eq "$count" ]
