#!/usr/bin/env bash
# A redis that somebody lets run a script.
# Expected: redis-server: running for redis-cli
needs() { echo redis-server redis-cli; }

begin()
{
	redis --save ''
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n'
}

disturb()
{
	redis-cli -s "$DIRECTORY/redis" EVAL 'local x = 0 for i = 1, 40000000 do x = x + i end return x' 0 >"$DIRECTORY/said" &
	sleep 0.05
}

. "${0%/*}/stock.sh"
