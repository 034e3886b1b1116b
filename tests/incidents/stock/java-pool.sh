#!/usr/bin/env bash
# The two threads of a pool of Java are busy with long jobs.
# Expected: pooled: running
needs() { echo java; }
port=47303

tell()
{
	exec 3<>/dev/tcp/127.0.0.1/$port
	printf '%s\n' "$1" >&3
	read -r <&3
}

begin()
{
	background java "${0%/*}/Service.java" $port
	await eval "exec 3<>/dev/tcp/127.0.0.1/$port"
	printf '%s\n' "connect $port" 'request pool\n'
}

disturb()
{
	tell flood
}

. "${0%/*}/stock.sh"
