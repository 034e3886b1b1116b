#!/usr/bin/env bash
# A thread of Java is in a synchronized block for long.
# Expected: holder: running
needs() { echo java; }
port=47301

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
	printf '%s\n' "connect $port" 'request synchronized\n'
}

disturb()
{
	tell hold
}

. "${0%/*}/stock.sh"
