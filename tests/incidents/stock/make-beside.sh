#!/usr/bin/env bash
# make with parallel jobs: one is slow, and many quick ones are done beside it meanwhile.
# Expected: xz: running
needs() { echo make xz; }

begin()
{
	head -c 300k /dev/urandom >"$DIRECTORY/noise"
	printf 'quick%%:\n\tsleep 0.004\narchive:\n\txz -6 -c %s >/dev/null\n' "$DIRECTORY/noise" >"$DIRECTORY/makefile"
	echo "healthy: quick1 quick2 quick3
slow: archive" quick{1..8} >>"$DIRECTORY/makefile"
}

request()
{
	exec make -s -j2 -f "$DIRECTORY/makefile" "$1"
}

. "${0%/*}/stock.sh"
