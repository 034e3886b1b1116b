#!/usr/bin/env bash
# make with parallel jobs, one of which is slow.
# Expected: xz: running
needs() { echo make xz; }

begin()
{
	head -c 300k /dev/urandom >"$DIRECTORY/noise"
	printf '%s:\n\ttrue\n' one two three >"$DIRECTORY/makefile"
	printf 'archive:\n\txz -6 -c %s >/dev/null\n' "$DIRECTORY/noise" >>"$DIRECTORY/makefile"
	printf 'healthy: one two three\nslow: one two archive three\n' >>"$DIRECTORY/makefile"
}

request()
{
	exec make -s -j2 -f "$DIRECTORY/makefile" "$1"
}

. "${0%/*}/stock.sh"
