#!/usr/bin/env bash
# Somebody asks Java to collect its garbage.
# Expected: (GC Thread#[0-9*]|VM Thread|G1 .*): running( for .*)?
needs() { echo java; }
port=47302

begin()
{
	java_at $port
	tell $port fill
	printf '%s\n' "connect $port" 'request ping\n'
}

disturb()
{
	tell $port gc
}

. "${0%/*}/stock.sh"
