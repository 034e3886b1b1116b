#!/usr/bin/env bash
# A redis of many keys that somebody lets list them all.
# Expected: redis-server: running( for redis-cli)?
needs() { echo redis-server redis-cli; }

begin()
{
	redis
	ask_redis EVAL 'for i = 1, 300000 do redis.call("SET", "key:" .. i, i) end' 0 >"$DIRECTORY/said"
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n'
}

disturb()
{
	ask_redis KEYS '*' >/dev/null &
	sleep 0.05
}

. "${0%/*}/stock.sh"
