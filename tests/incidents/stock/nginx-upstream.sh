#!/usr/bin/env bash
# nginx before an application that computes for long.
# Expected: python3 app.py: running( for .*)?
needs() { echo nginx python3; }

begin()
{
	background python3 "${0%/*}/app.py" "$DIRECTORY/app"
	nginx_between "unix:$DIRECTORY/web" "unix:$DIRECTORY/app" 1
	await test -S "$DIRECTORY/app" -a -S "$DIRECTORY/web"
	printf '%s\n' "connect $DIRECTORY/web" 'until ok\n' \
		'request GET /healthy HTTP/1.1\r\nHost: stock\r\n\r\n' 'slow GET /slow HTTP/1.1\r\nHost: stock\r\n\r\n'
}

. "${0%/*}/stock.sh"
