#!/usr/bin/env bash
# haproxy and an application beside more busy processes than there are CPUs.
# Expected: stress-ng-cpu: on CPU.*
needs() { echo haproxy python3 stress-ng; }

begin()
{
	background python3 "${0%/*}/app.py" "$DIRECTORY/app"
	haproxy_before_app
}

disturb()
{
	stress-ng --cpu 8 --timeout 0.5 -q &
	sleep 0.2
}

. "${0%/*}/stock.sh"
