#!/usr/bin/env bash
# A row of PostgreSQL that another session has changed, which sleeps before it commits, because its client said so.
# Expected: timer: epoll_wait of postgres( for psql)?
needs() { echo postgres initdb psql setpriv; }

begin()
{
	postgres_at "$DIRECTORY/data" -c fsync=off
}

is_changed()
{
	ask_postgres -c "SELECT 'changed' FROM pg_stat_activity WHERE wait_event = 'PgSleep'" | grep -q changed
}

disturb()
{
	ask_postgres -c "BEGIN; UPDATE stock SET n = 0 WHERE id = 1; SELECT pg_sleep(0.3); COMMIT" >"$DIRECTORY/slept" &
	await is_changed
}

. "${0%/*}/stock.sh"
