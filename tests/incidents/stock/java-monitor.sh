#!/usr/bin/env bash
# A thread of Java is in a synchronized block for long.
# Expected: holder: running
needs() { echo java; }
port=47301

begin()
{
	java_at $port
	printf '%s\n' "connect $port" 'request synchronized\n'
}

disturb()
{
	tell $port hold
}

. "${0%/*}/stock.sh"
