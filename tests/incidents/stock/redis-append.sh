#!/usr/bin/env bash
# A redis that writes a log and syncs it at once, on a disk that dd is writing to.
# Expected: dd: write of [0-9]+:[0-9]+ in service
needs() { echo redis-server redis-cli dd mkfs.ext4; }

begin()
{
	disk
	redis --dir "$DIRECTORY/disk" --appendonly yes --appendfsync always
	printf '%s\n' "connect $DIRECTORY/redis" 'request INCR visits\r\n'
}

disturb()
{
	dd if=/dev/zero of="$DIRECTORY/disk/bulk" bs=64M count=2 oflag=direct status=none &
	sleep 0.01
}

. "${0%/*}/stock.sh"
