#!/usr/bin/env bash
# A table of MariaDB that somebody changes by copying it. Who writes to it waits until the copy is done, and looks each second whether
# its client is still there.
# Expected: mariadbd: running.*
needs() { echo mariadbd mariadb mariadb-install-db; }

session="mariadb -S \$DIRECTORY/mariadb -u root -N -B -q -n stock"

begin()
{
	start_mariadb
	eval "$session" <<<'CREATE TABLE stock (id int PRIMARY KEY, n int); INSERT INTO stock SELECT seq, 0 FROM seq_1_to_400000;'
	echo "run $session"
	echo 'request UPDATE stock SET n = n + 1 WHERE id = 1; SELECT n FROM stock WHERE id = 1;\n'
}

disturb()
{
	eval "$session" <<<'ALTER TABLE stock FORCE, ALGORITHM = COPY' &
	sleep 0.1
}

. "${0%/*}/stock.sh"
