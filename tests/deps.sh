#!/bin/sh
# Installs what tailblame needs to be built, run and tested: Debian packages, through apt as root or with sudo.
# With arguments: these packages, which only some tests need. Prints nothing where nothing is missing; else the one line
# to run where it may not run it itself.
set -eu

packages="gcc g++ make pkg-config libtraceevent-dev libtracefs-dev libtracecmd-dev libelf-dev libdw-dev libjansson-dev
	libcapstone-dev libseccomp-dev libiberty-dev libpfm4-dev libzstd-dev zlib1g-dev libxxhash-dev libbpf-dev libaugeas-dev libcrypt-dev libnats-dev libsqlite3-dev libedit-dev uthash-dev gnuplot-nox zstd bats bats-assert bats-support mandoc"
# For `make lint` and the longer tests; a system without them still builds and checks.
extras="cppcheck shellcheck python3-minimal bsdextrautils time procps redis-server protobuf-compiler trace-cmd wget sqlite3 strace iproute2 nats-server openssl"
[ $# = 0 ] || packages="$*" extras=

missing=
# shellcheck disable=SC2086 # lists of words
for package in $packages $extras; do
	dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "deps: this is not Debian; install what provides:$missing" >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as_root=sudo
else
	echo "deps: run this, then again what you ran:" >&2
	echo "    apt-get install$missing" >&2
	exit 1
fi

echo "deps: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
install() { DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends $missing >"$log" 2>&1; }
install || { $as_root apt-get update >/dev/null && install; } || { cat "$log" >&2; exit 1; }
# Their services are none of ours: tests start servers of their own.
for server in redis-server nats-server; do
	case $missing in *$server*) $as_root systemctl disable --now $server >/dev/null 2>&1 || true ;; esac
done
