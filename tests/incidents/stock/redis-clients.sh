#!/usr/bin/env bash
# Jobs and their results go through lists of redis to a worker, beside many other clients; one job is long.
# Expected: worker: running( for .*)?
needs() { echo redis-server redis-cli python3; }

begin()
{
	redis
	background python3 "${0%/*}/broker.py" worker "$DIRECTORY/redis"
	background python3 "${0%/*}/broker.py" front "$DIRECTORY/redis" "$DIRECTORY/front"
	background bash -c "while :; do echo PING; sleep 0.01; done | redis-cli -s '$DIRECTORY/redis'"
	await test -S "$DIRECTORY/front"
	printf '%s\n' "connect $DIRECTORY/front" 'request healthy\n' 'slow slow\n'
}

. "${0%/*}/stock.sh"
