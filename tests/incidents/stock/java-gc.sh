#!/usr/bin/env bash
# Somebody asks Java to collect its garbage.
# Expected: (GC Thread#[0-9]|VM Thread|G1 .*): running
needs() { echo java; }
port=47302

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
	tell fill
	printf '%s\n' "connect $port" 'request ping\n'
}

disturb()
{
	tell gc
}

. "${0%/*}/stock.sh"
