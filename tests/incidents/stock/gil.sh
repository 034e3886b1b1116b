#!/usr/bin/env bash
# A Python server, one of whose threads keeps the interpreter's lock in a long call of C.
# Expected: cruncher: running( for .*)?
needs() { echo python3 socat; }

begin()
{
	background python3 "${0%/*}/app.py" "$DIRECTORY/app"
	await test -S "$DIRECTORY/app"
	printf '%s\n' "connect $DIRECTORY/app" 'request healthy\n'
}

disturb()
{
	printf 'name-cruncher\ncrunch\n' | socat -t1 - "UNIX:$DIRECTORY/app" >"$DIRECTORY/begun" &
	await eval '[ "$(wc -l <"$DIRECTORY/begun")" = 2 ]'
	rm "$DIRECTORY/begun"
}

. "${0%/*}/stock.sh"
