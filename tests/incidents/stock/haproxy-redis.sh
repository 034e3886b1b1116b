#!/usr/bin/env bash
# haproxy before an application that asks redis, where somebody lists all keys.
# Expected: redis-server: running.*
needs() { echo haproxy python3 redis-server redis-cli; }

begin()
{
	redis --enable-debug-command yes
	await ask_redis debug populate 1000000
	background python3 "${0%/*}/app.py" "$DIRECTORY/app" "$DIRECTORY/redis"
	haproxy_before_app
}

disturb()
{
	ask_redis keys 'nobody*' >/dev/null &
	sleep 0.02
}

. "${0%/*}/stock.sh"
