#!/usr/bin/env bash
# Somebody asks a JVM what is in its memory; nothing else runs until it has counted.
# Expected: (GC Thread#[0-9]|VM Thread): running for jcmd
needs() { echo java jcmd; }
port=47308

begin()
{
	java_at $port
	tell $port fill
	printf '%s\n' "connect $port" 'request ping\n'
}

counts()
{
	grep -qE '\((GC Thread|VM Thread)[^)]*\) R ' /proc/"$1"/task/*/stat
}

disturb()
{
	local java

	java=$(pgrep -f "Service.java $port" | head -n 1)
	jcmd "$java" GC.class_histogram >"$DIRECTORY/histogram" &
	await counts "$java"
}

. "${0%/*}/stock.sh"
