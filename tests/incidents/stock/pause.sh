#!/usr/bin/env bash
# A redis that a script stops for a while.
# Expected: timer: .*sleep of sleep
needs() { echo redis-server redis-cli; }

begin()
{
	redis
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n'
}

disturb()
{
	kill -STOP "$(cat "$DIRECTORY/pid")"
	{ sleep 0.15; kill -CONT "$(cat "$DIRECTORY/pid")"; } &
}

. "${0%/*}/stock.sh"
