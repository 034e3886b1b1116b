#!/usr/bin/env bash
# A redis that somebody lets write all it has to the disk, asked by redis-benchmark, which wakes up by a timer of its own meanwhile.
# Expected: redis-server: running( for redis-cli)?
needs() { echo redis-server redis-cli redis-benchmark; }

begin()
{
	redis
	redis-cli -s "$DIRECTORY/redis" EVAL 'for i = 1, 400000 do redis.call("SET", i, i) end' 0 >"$DIRECTORY/said"
}

request()
{
	redis-benchmark -s "$DIRECTORY/redis" -c 1 -n 20 -q GET 1 >"$DIRECTORY/answers"
}

disturb()
{
	redis-cli -s "$DIRECTORY/redis" SAVE >"$DIRECTORY/said" &
	sleep 0.05
}

. "${0%/*}/stock.sh"
