#!/usr/bin/env bash
# A job that is kept from running twice by flock(1), beside one that takes long.
# Expected: xz: running
needs() { echo flock xz; }

begin()
{
	head -c 400k /dev/urandom >"$DIRECTORY/noise"
}

request()
{
	exec flock "$DIRECTORY/lock" true
}

disturb()
{
	flock "$DIRECTORY/lock" xz -6 -c "$DIRECTORY/noise" >/dev/null &
	await eval "! flock -n $DIRECTORY/lock true"
}

. "${0%/*}/stock.sh"
