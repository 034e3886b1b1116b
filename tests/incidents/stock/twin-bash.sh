#!/usr/bin/env bash
# Two scripts of the shell: one has the lock while it sleeps, the other wants it. A third one is idle.
# Expected: timer: .*sleep of sleep
needs() { echo bash flock sleep; }

begin()
{
	printf '%s\n' 'exec 9>"$1"' 'flock 9' 'sleep "$2"' >"$DIRECTORY/backup.sh"
	printf '%s\n' 'exec 9>"$1"' 'flock 9' >"$DIRECTORY/rotate.sh"
	background bash "$DIRECTORY/backup.sh" "$DIRECTORY/other" 30
}

request()
{
	exec bash "$DIRECTORY/rotate.sh" "$DIRECTORY/lock"
}

disturb()
{
	bash "$DIRECTORY/backup.sh" "$DIRECTORY/lock" 1 &
	await eval "! flock -n $DIRECTORY/lock true"
}

. "${0%/*}/stock.sh"
