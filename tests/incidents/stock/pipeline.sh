#!/usr/bin/env bash
# A pipeline of the shell with a slow stage.
# Expected: xz: running
needs() { echo sort xz gzip; }

begin()
{
	head -c 300k /dev/urandom | base64 >"$DIRECTORY/noise"
}

request()
{
	case $1 in
	slow) sort "$DIRECTORY/noise" | xz -6 | wc -c ;;
	*) head -n 20 "$DIRECTORY/noise" | sort | gzip | wc -c ;;
	esac >/dev/null
}

. "${0%/*}/stock.sh"
