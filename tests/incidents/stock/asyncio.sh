#!/usr/bin/env bash
# A server of asyncio, one of whose handlers sleeps in a call that blocks them all.
# Expected: timer: clock_nanosleep of python3( loop.py)?( for socat)?
needs() { echo python3 socat; }

begin()
{
	background python3 "${0%/*}/loop.py" "$DIRECTORY/app"
	await test -S "$DIRECTORY/app"
	printf '%s\n' "connect $DIRECTORY/app" 'request healthy\n'
}

disturb()
{
	echo block | socat -t1 - "UNIX:$DIRECTORY/app" >"$DIRECTORY/begun" &
	await test -s "$DIRECTORY/begun"
	rm "$DIRECTORY/begun"
}

. "${0%/*}/stock.sh"
