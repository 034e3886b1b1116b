#!/usr/bin/env bash
# Somebody looks on with strace.
# Expected: strace: running
needs() { echo redis-server redis-cli strace; }

begin()
{
	redis
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n'
}

disturb()
{
	timeout 0.1 strace -q -k -p "$(cat "$DIRECTORY/pid")" -o /dev/null &
	await grep -q 'TracerPid:.[1-9]' "/proc/$(cat "$DIRECTORY/pid")/status"
}

. "${0%/*}/stock.sh"
