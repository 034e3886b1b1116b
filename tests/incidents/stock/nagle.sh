#!/usr/bin/env bash
# A client that sends a request in two pieces waits for an acknowledgement, which the other side delays.
# Expected: timer: delayed acknowledgement to python3 nagle.py
needs() { echo python3; }

begin()
{
	background python3 "${0%/*}/nagle.py" serve "$DIRECTORY/port"
	await test -s "$DIRECTORY/port"
	echo "run python3 ${0%/*}/nagle.py ask $DIRECTORY/port"
	printf '%s\n' 'request one\n' 'slow two\n'
}

. "${0%/*}/stock.sh"
