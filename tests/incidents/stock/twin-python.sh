#!/usr/bin/env bash
# Of two Python programs one keeps a lock that the other wants; a third one sleeps beside them.
# Expected: timer: clock_nanosleep of python3 nightly.py
needs() { echo python3 flock; }

begin()
{
	background python3 "${0%/*}/lock.py" "$DIRECTORY/other" 30
}

request()
{
	exec python3 "${0%/*}/lock.py" "$DIRECTORY/lock" 0
}

disturb()
{
	python3 "${0%/*}/nightly.py" "$DIRECTORY/lock" 1 &
	await eval "! flock -n $DIRECTORY/lock true"
}

. "${0%/*}/stock.sh"
