#!/usr/bin/env bash
# haproxy, nginx, an application and redis, all by TCP, beside other clients of each; somebody lists all keys of redis.
# Expected: redis-server: running.*
needs() { echo haproxy nginx python3 redis-server redis-cli; }

begin()
{
	background redis-server --port 47311 --save "" --dir "$DIRECTORY" --enable-debug-command yes
	await redis-cli -p 47311 ping
	await redis-cli -p 47311 debug populate 1000000
	background python3 "${0%/*}/app.py" 47312 47311
	nginx_between 127.0.0.1:47313 127.0.0.1:47312 2
	cat >"$DIRECTORY/haproxy.cfg" <<END
defaults
	mode http
	timeout connect 10s
	timeout client 10s
	timeout server 10s
frontend web
	bind 127.0.0.1:47314
	default_backend app
backend app
	server app 127.0.0.1:47313
END
	background haproxy -f "$DIRECTORY/haproxy.cfg"
	await bash -c 'exec 3<>/dev/tcp/127.0.0.1/47314'
	background bash -c "while :; do echo PING; sleep 0.01; done | redis-cli -p 47311"
	background bash -c "exec 3<>/dev/tcp/127.0.0.1/47314; while :; do printf 'GET /x HTTP/1.1\r\nHost: stock\r\n\r\n' >&3; sleep 0.013; done"
	printf '%s\n' "connect 47314" 'until ok\n' 'request GET /healthy HTTP/1.1\r\nHost: stock\r\n\r\n'
}

disturb()
{
	redis-cli -p 47311 keys 'nobody*' >/dev/null &
	sleep 0.02
}

. "${0%/*}/stock.sh"
