#!/usr/bin/env bash
# A row of PostgreSQL that another session has changed, whose client is slow to commit.
# Expected: timer: clock_nanosleep of sleep
needs() { echo postgres initdb psql setpriv; }

begin()
{
	postgres_at "$DIRECTORY/data" -c fsync=off
}

slow_client()
{
	echo "BEGIN; UPDATE stock SET n = 0 WHERE id = 1 RETURNING 'locked';"
	sleep 0.2
	echo "COMMIT;"
}

disturb()
{
	slow_client | ask_postgres >"$DIRECTORY/locked" &
	await grep -q locked "$DIRECTORY/locked"
	rm "$DIRECTORY/locked"
}

. "${0%/*}/stock.sh"
