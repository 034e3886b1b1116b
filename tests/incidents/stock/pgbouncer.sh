#!/usr/bin/env bash
# pgbouncer with a single connection to PostgreSQL, which a client keeps that is slow to commit.
# Expected: timer: clock_nanosleep of sleep
needs() { echo postgres initdb psql setpriv pgbouncer; }

begin()
{
	postgres_at "$DIRECTORY/data" -c fsync=off >/dev/null
	cat >"$DIRECTORY/pgbouncer.ini" <<-END
		[databases]
		postgres = host=$DIRECTORY user=postgres
		[pgbouncer]
		listen_addr =
		listen_port = 6432
		unix_socket_dir = $DIRECTORY
		auth_type = any
		pool_mode = transaction
		default_pool_size = 1
		logfile = $DIRECTORY/pgbouncer.log
	END
	background as_postgres pgbouncer "$DIRECTORY/pgbouncer.ini"
	await test -S "$DIRECTORY/.s.PGSQL.6432"
	echo "run psql -h $DIRECTORY -p 6432 -U postgres -qAtX postgres"
	echo 'request UPDATE stock SET n = n + 1 WHERE id = 1 RETURNING n;\n'
}

slow_client()
{
	echo "BEGIN; SELECT 'begun';"
	sleep 0.2
	echo "COMMIT;"
}

disturb()
{
	slow_client | ask_postgres -p 6432 >"$DIRECTORY/begun" &
	await grep -q begun "$DIRECTORY/begun"
	rm "$DIRECTORY/begun"
}

. "${0%/*}/stock.sh"
