#!/usr/bin/env bash
# A worker of gunicorn sleeps in a request until its master ends it with SIGABRT, which the worker handles.
# Expected: unknown: clock_nanosleep of gunicorn.*
needs() { echo gunicorn curl; }

begin()
{
	cat >"$DIRECTORY/hanging.py" <<-END
		import time
		def app(environment, start):
		    if environment["PATH_INFO"] == "/slow":
		        time.sleep(60)
		    start("200 OK", [])
		    return [b"ok\\n"]
	END
	background gunicorn --chdir "$DIRECTORY" -w 2 --timeout 1 -b "unix:$DIRECTORY/socket" hanging:app
	await curl -sf --unix-socket "$DIRECTORY/socket" http://stock/healthy
}

request()
{
	exec curl -s --unix-socket "$DIRECTORY/socket" "http://stock/$1"
}

. "${0%/*}/stock.sh"
