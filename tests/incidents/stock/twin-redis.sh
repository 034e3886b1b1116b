#!/usr/bin/env bash
# Two redis, of which one runs a long script of one client while another client asks it.
# Expected: redis-server: running( for .*)?
needs() { echo redis-server redis-cli; }

begin()
{
	redis
	background redis-server --port 0 --unixsocket "$DIRECTORY/other" --save "" --dir "$DIRECTORY"
	background bash -c "while :; do echo PING; sleep 0.01; done | redis-cli -s '$DIRECTORY/other'"
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n' "slow EVAL 'for i = 1, 3e7 do end' 0\r\n"
}

. "${0%/*}/stock.sh"
