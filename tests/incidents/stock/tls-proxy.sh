#!/usr/bin/env bash
# Two stunnels, plain to TLS and back, before an application that computes for long.
# Expected: python3( app.py)?: running.*
needs() { echo stunnel4 openssl python3; }

begin()
{
	background python3 "${0%/*}/app.py" "$DIRECTORY/app"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=stock \
		-keyout "$DIRECTORY/key" -out "$DIRECTORY/certificate" 2>"$DIRECTORY/log"
	printf '%s\n' "foreground = yes" "pid =" "[outer]" "client = yes" "accept = $DIRECTORY/web" \
		"connect = $DIRECTORY/tls" >"$DIRECTORY/outer"
	printf '%s\n' "foreground = yes" "pid =" "cert = $DIRECTORY/certificate" "key = $DIRECTORY/key" "[inner]" \
		"accept = $DIRECTORY/tls" "connect = $DIRECTORY/app" >"$DIRECTORY/inner"
	background stunnel4 "$DIRECTORY/inner"
	background stunnel4 "$DIRECTORY/outer"
	await test -S "$DIRECTORY/app" -a -S "$DIRECTORY/web" -a -S "$DIRECTORY/tls"
	printf '%s\n' "connect $DIRECTORY/web" 'request healthy\n' 'slow slow\n'
}

. "${0%/*}/stock.sh"
