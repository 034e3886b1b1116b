#!/usr/bin/env bash
# The two threads of a pool of Java are busy with long jobs.
# Expected: pooled: running
needs() { echo java; }
port=47303

begin()
{
	java_at $port
	printf '%s\n' "connect $port" 'request pool\n'
}

disturb()
{
	tell $port flood
}

. "${0%/*}/stock.sh"
