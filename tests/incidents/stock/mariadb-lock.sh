#!/usr/bin/env bash
# A row of MariaDB that another session has changed, whose client is slow to commit.
# Expected: timer: clock_nanosleep of sleep
needs() { echo mariadbd mariadb mariadb-install-db; }

session="mariadb -S \$DIRECTORY/mariadb -u root -N -B -q -n stock"

begin()
{
	start_mariadb
	eval "$session -e 'CREATE TABLE stock (id int PRIMARY KEY, n int); INSERT INTO stock VALUES (1, 0)'"
	echo "run $session"
	echo 'request UPDATE stock SET n = n + 1 WHERE id = 1; SELECT n FROM stock;\n'
}

slow_client()
{
	echo "BEGIN; UPDATE stock SET n = 0 WHERE id = 1; SELECT 'locked';"
	sleep 0.2
	echo "COMMIT;"
}

disturb()
{
	slow_client | eval "$session" >"$DIRECTORY/locked" &
	await grep -q locked "$DIRECTORY/locked"
	rm "$DIRECTORY/locked"
}

. "${0%/*}/stock.sh"
