# shellcheck shell=bash
# stock.sh: what the scripts of this folder share; they source it last. Each defines
#
#	needs		prints the programs that it starts
#	begin		starts servers, in $DIRECTORY, and leaves them in the background; it prints how to ask them:
#			connect PATH|PORT	of a socket
#			run COMMAND		a client that reads requests and prints answers
#			request TEXT		what to write, and where it differs for a slow one: slow TEXT
#			until TEXT		how an answer ends, unless with a newline
#			Without connect and run a request is the function `request`, called with healthy or slow.
#	disturb		called before a slow request; ends when the trouble has begun
#
# SCRIPT needs: ends with 1 and says what is not installed.
set -eu

die()
{
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# Until a command succeeds; 10 seconds at most.
await()
{
	local try

	for try in {1..500}; do
		"$@" >/dev/null 2>&1 && return
		sleep 0.02
	done
	die "waited in vain for '$*' (${try} times)"
}

background()
{
	"$@" </dev/null >"$DIRECTORY/log" 2>&1 &
}

# A server of MariaDB that listens at $DIRECTORY/mariadb, with an empty database.
start_mariadb()
{
	mariadb-install-db --no-defaults --user=root --auth-root-authentication-method=normal --skip-test-db \
		--datadir="$DIRECTORY/data" >"$DIRECTORY/log" 2>&1
	background mariadbd --no-defaults --user=root --datadir="$DIRECTORY/data" --socket="$DIRECTORY/mariadb" \
		--skip-networking --innodb-flush-log-at-trx-commit=0
	await mariadb -S "$DIRECTORY/mariadb" -u root -e 'CREATE DATABASE stock'
}

# A file system on $DISK, the loop device, as $DIRECTORY/disk.
disk()
{
	mkfs.ext4 -q -F "$DISK" >&2
	mkdir "$DIRECTORY/disk"
	mount "$DISK" "$DIRECTORY/disk"
}

# haproxy, with these options for its only server, app.py at $DIRECTORY/app.
haproxy_before_app()
{
	cat >"$DIRECTORY/haproxy.cfg" <<-END
		global
			nbthread 1
		defaults
			mode http
			timeout connect 10s
			timeout client 10s
			timeout server 10s
		frontend web
			bind unix@$DIRECTORY/web
			default_backend app
		backend app
			server app unix@$DIRECTORY/app $*
	END
	background haproxy -f "$DIRECTORY/haproxy.cfg"
	await test -S "$DIRECTORY/app" -a -S "$DIRECTORY/web"
	printf '%s\n' "connect $DIRECTORY/web" 'until ok\n' 'request GET /healthy HTTP/1.1\r\nHost: stock\r\n\r\n'
}

# nginx, which listens there, before the server there, with so many workers.
nginx_between()
{
	cat >"$DIRECTORY/nginx.conf" <<-END
		user root;
		daemon off;
		error_log $DIRECTORY/log;
		pid $DIRECTORY/pid;
		worker_processes $3;
		events { }
		http {
			access_log off;
			client_body_temp_path $DIRECTORY/body;
			proxy_temp_path $DIRECTORY/proxy;
			fastcgi_temp_path $DIRECTORY/fastcgi;
			uwsgi_temp_path $DIRECTORY/uwsgi;
			scgi_temp_path $DIRECTORY/scgi;
			keepalive_requests 10000;
			upstream app { server $2; keepalive 4; }
			server {
				listen $1;
				location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }
			}
		}
	END
	background nginx -c "$DIRECTORY/nginx.conf"
}

# redis at $DIRECTORY/redis, with these options; its process is in $DIRECTORY/pid.
redis()
{
	background redis-server --port 0 --unixsocket "$DIRECTORY/redis" --save "" --dir "$DIRECTORY" "$@"
	echo $! >"$DIRECTORY/pid"
	await ask_redis ping
}

ask_redis()
{
	redis-cli -s "$DIRECTORY/redis" "$@"
}

# A line to who listens at this port, and one back.
tell()
{
	exec 3<>/dev/tcp/127.0.0.1/"$1"
	printf '%s\n' "$2" >&3
	read -r <&3
}

# Service.java at this port.
java_at()
{
	background java "${0%/*}/Service.java" "$1"
	await eval "exec 3<>/dev/tcp/127.0.0.1/$1"
}

as_postgres()
{
	setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
}

ask_postgres()
{
	psql -h "$DIRECTORY" -U postgres -qAtX postgres "$@"
}

# PostgreSQL with data there and these options; a request changes the only row.
postgres_at()
{
	local data=$1

	shift
	chown postgres "$DIRECTORY"
	as_postgres initdb -N -A trust --wal-segsize=4 -D "$data" >"$DIRECTORY/log" 2>&1 || die "$(cat "$DIRECTORY/log")"
	background as_postgres postgres -D "$data" -k "$DIRECTORY" -c listen_addresses= -c autovacuum=off "$@"
	await ask_postgres -c 'CREATE TABLE stock (id int PRIMARY KEY, n int)'
	ask_postgres -c 'INSERT INTO stock VALUES (1, 0)'
	echo "run psql -h $DIRECTORY -U postgres -qAtX postgres"
	echo 'request UPDATE stock SET n = n + 1 WHERE id = 1 RETURNING n;\n'
}

missing()
{
	local program

	for program in $(needs); do
		command -v "$program" >/dev/null || echo "$program"
	done
}

# Redefined by the scripts that have something to do.
declare -F disturb >/dev/null || disturb()
{
	:
}

PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/sbin:/usr/bin:/bin:$PATH
case ${1-} in
needs)
	lacking=$(missing)
	[ -z "$lacking" ] || { echo "needs ${lacking//$'\n'/, }"; exit 1; }
	;;
begin)
	begin
	echo ready
	;;
exec) eval "exec $2" ;;
request) request "$2" ;;
disturb) disturb ;;
*) die "usage: $0 needs|begin|exec|request|disturb" ;;
esac
