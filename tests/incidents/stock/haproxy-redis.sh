#!/usr/bin/env bash
# haproxy before an application that asks redis, where somebody lists all keys.
# Expected: redis-server: running.*
needs() { echo haproxy python3 redis-server redis-cli; }

begin()
{
	background redis-server --port 0 --unixsocket "$DIRECTORY/redis" --save "" --dir "$DIRECTORY" --enable-debug-command yes
	await redis-cli -s "$DIRECTORY/redis" ping
	await redis-cli -s "$DIRECTORY/redis" debug populate 1000000
	background python3 "${0%/*}/app.py" "$DIRECTORY/app" "$DIRECTORY/redis"
	haproxy_before_app
}

disturb()
{
	redis-cli -s "$DIRECTORY/redis" keys 'nobody*' >/dev/null &
	sleep 0.02
}

. "${0%/*}/stock.sh"
