#!/usr/bin/env bash
# haproxy, with other clients too, before an application that hands requests on to threads of its own, one of which is slow.
# Expected: pooled: running( for .*)?
needs() { echo haproxy python3; }

begin()
{
	background python3 "${0%/*}/poller.py" "$DIRECTORY/app"
	haproxy_before_app
	printf '%s\n' 'slow GET /slow HTTP/1.1\r\nHost: stock\r\n\r\n'
	background python3 -c "
import socket, time
connection = socket.socket(socket.AF_UNIX)
connection.connect('$DIRECTORY/web')
while True:
    connection.sendall(b'GET /other HTTP/1.1\r\nHost: stock\r\n\r\n')
    connection.recv(1000)
    time.sleep(0.005)"
}

. "${0%/*}/stock.sh"
