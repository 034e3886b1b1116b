#!/usr/bin/env bash
# A row of PostgreSQL that a session changed, which is idle in its transaction; other sessions are idle, too.
# Expected: timer: .*sleep of sleep
needs() { echo postgres initdb psql setpriv; }

begin()
{
	postgres_at "$DIRECTORY/data" -c fsync=off
	for _ in 1 2; do
		{ echo "SELECT 1;"; sleep 30; } | ask_postgres >/dev/null 2>&1 &
	done
}

slow_client()
{
	echo "BEGIN; UPDATE stock SET n = 0 WHERE id = 1 RETURNING 'locked';"
	sleep 0.4
	echo "COMMIT;"
}

disturb()
{
	slow_client | ask_postgres >"$DIRECTORY/locked" &
	await grep -q locked "$DIRECTORY/locked"
	rm "$DIRECTORY/locked"
}

. "${0%/*}/stock.sh"
