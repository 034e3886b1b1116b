#!/usr/bin/env bash
# haproxy lets one request at a time through to an application, which is busy with somebody else's.
# Expected: python3( app.py)?: running.*
needs() { echo haproxy python3 socat; }

begin()
{
	background python3 "${0%/*}/app.py" "$DIRECTORY/app"
	haproxy_before_app maxconn 1
}

disturb()
{
	printf 'GET /slow HTTP/1.1\r\nHost: stock\r\n\r\n' | socat -t1 - "UNIX:$DIRECTORY/web" >/dev/null &
	sleep 0.03
}

. "${0%/*}/stock.sh"
