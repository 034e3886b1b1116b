#!/usr/bin/env bash
# Somebody takes a look at redis with gdb.
# Expected: gdb: running
needs() { echo redis-server redis-cli gdb; }

begin()
{
	redis
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n'
}

disturb()
{
	gdb -nx -batch -p "$(cat "$DIRECTORY/pid")" -ex 'thread apply all bt' >/dev/null 2>&1 &
	await grep -q 'TracerPid:.[1-9]' "/proc/$(cat "$DIRECTORY/pid")/status"
}

. "${0%/*}/stock.sh"
