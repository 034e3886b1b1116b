#!/usr/bin/env bash
# A database file of SQLite that another process has locked: sqlite3 asks again after ever longer sleeps.
# Expected: timer: clock_nanosleep of sleep
needs() { echo sqlite3; }

begin()
{
	sqlite3 "$DIRECTORY/db" "PRAGMA journal_mode = ${journal:-MEMORY}; CREATE TABLE stock (n int); INSERT INTO stock VALUES (0);" >&2
	printf '%s\n' '.timeout 5000' 'PRAGMA synchronous = OFF;' >"$DIRECTORY/init"
	echo "run sqlite3 -batch -init $DIRECTORY/init $DIRECTORY/db"
	echo 'request UPDATE stock SET n = n + 1 RETURNING n;\n'
}

slow_client()
{
	echo "BEGIN IMMEDIATE; UPDATE stock SET n = 0; SELECT 'locked';"
	sleep 0.2
	echo "COMMIT;"
}

disturb()
{
	slow_client | sqlite3 -init "$DIRECTORY/init" "$DIRECTORY/db" >"$DIRECTORY/locked" &
	sleep 0.05
}

. "${0%/*}/stock.sh"
