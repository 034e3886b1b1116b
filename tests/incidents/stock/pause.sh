#!/usr/bin/env bash
# A redis that a script stops for a while.
# Expected: timer: .*sleep of sleep
needs() { echo redis-server redis-cli; }

begin()
{
	background redis-server --port 0 --unixsocket "$DIRECTORY/redis" --save "" --dir "$DIRECTORY"
	await redis-cli -s "$DIRECTORY/redis" ping
	pgrep -nx redis-server >"$DIRECTORY/pid"
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n'
}

disturb()
{
	kill -STOP "$(cat "$DIRECTORY/pid")"
	{ sleep 0.15; kill -CONT "$(cat "$DIRECTORY/pid")"; } &
}

. "${0%/*}/stock.sh"
