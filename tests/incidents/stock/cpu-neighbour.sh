#!/usr/bin/env bash
# A memcached that has low priority, on a CPU where xz compresses something.
# Expected: xz: on CPU [0-9]+ while mc-worker was runnable
needs() { echo memcached xz taskset; }

begin()
{
	head -c 1M /dev/urandom >"$DIRECTORY/noise"
	background taskset -c 0 nice -n 19 memcached -u root -t 1 -s "$DIRECTORY/memcached"
	await test -S "$DIRECTORY/memcached"
	printf '%s\n' "connect $DIRECTORY/memcached" 'request incr visits 1\r\n'
}

disturb()
{
	taskset -c 0 timeout 0.3 xz -9 -c "$DIRECTORY/noise" >/dev/null &
	sleep 0.1
}

. "${0%/*}/stock.sh"
