#!/usr/bin/env bash
# A server in Go pauses before it answers, while clients come and go that it answers at once.
# Expected: timer: epoll_pwait of service
needs() { echo go python3; }

begin()
{
	cp "${0%/*}/service.go" "$DIRECTORY"
	(cd "$DIRECTORY" && GOCACHE=${XDG_CACHE_HOME:-$DIRECTORY/cache}/go-build GO111MODULE=off go build service.go) >"$DIRECTORY/log" 2>&1 || die "$(cat "$DIRECTORY/log")"
	background "$DIRECTORY/service" "$DIRECTORY/socket"
	await test -S "$DIRECTORY/socket"
	background bash -c "while :; do python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.send(b\"x\n\"); s.recv(9)' $DIRECTORY/socket; done"
	printf '%s\n' "connect $DIRECTORY/socket" 'request fast\n' 'slow slow\n'
}

. "${0%/*}/stock.sh"
