#!/usr/bin/env bash
# A name server that does not answer some queries, in a network of its own: the resolver waits and asks again.
# Expected: timer: poll of getent
needs() { echo python3 getent unshare nsenter ip; }

inside()
{
	nsenter -t "$(cat "$DIRECTORY/pid")" -n -m "$@"
}

begin()
{
	echo 'nameserver 127.0.0.1
options timeout:1 attempts:2' >"$DIRECTORY/resolv.conf"
	background unshare -n -m bash -c "echo \$\$ >$DIRECTORY/pid; ip link set lo up; ip address add 10.9.8.7/32 dev lo; mount --make-rprivate /;
		mount --bind $DIRECTORY/resolv.conf /etc/resolv.conf; exec python3 ${0%/*}/names.py"
	await inside getent ahostsv4 healthy.example
}

request()
{
	inside getent ahostsv4 "$1.example" >/dev/null
}

. "${0%/*}/stock.sh"
