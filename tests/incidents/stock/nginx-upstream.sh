#!/usr/bin/env bash
# nginx before an application that computes for long.
# Expected: python3: running
needs() { echo nginx python3; }

begin()
{
	background python3 "${0%/*}/app.py" "$DIRECTORY/app"
	cat >"$DIRECTORY/nginx.conf" <<END
user root;
daemon off;
error_log $DIRECTORY/log;
pid $DIRECTORY/pid;
worker_processes 1;
events { }
http {
	access_log off;
	client_body_temp_path $DIRECTORY/body;
	proxy_temp_path $DIRECTORY/proxy;
	fastcgi_temp_path $DIRECTORY/fastcgi;
	uwsgi_temp_path $DIRECTORY/uwsgi;
	scgi_temp_path $DIRECTORY/scgi;
	keepalive_requests 10000;
	upstream app { server unix:$DIRECTORY/app; keepalive 4; }
	server {
		listen unix:$DIRECTORY/web;
		location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }
	}
}
END
	background nginx -c "$DIRECTORY/nginx.conf"
	await test -S "$DIRECTORY/app" -a -S "$DIRECTORY/web"
	printf '%s\n' "connect $DIRECTORY/web" 'until ok\n' \
		'request GET /healthy HTTP/1.1\r\nHost: stock\r\n\r\n' 'slow GET /slow HTTP/1.1\r\nHost: stock\r\n\r\n'
}

. "${0%/*}/stock.sh"
