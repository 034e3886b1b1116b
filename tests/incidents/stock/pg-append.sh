#!/usr/bin/env bash
# A PostgreSQL whose log is on a disk that dd is writing to.
# Expected: dd: write of [0-9]+:[0-9]+ in service
needs() { echo postgres initdb psql setpriv dd mkfs.ext4; }

begin()
{
	disk
	chown postgres "$DIRECTORY/disk"
	postgres_at "$DIRECTORY/disk/data"
}

disturb()
{
	dd if=/dev/zero of="$DIRECTORY/disk/bulk" bs=32M count=2 oflag=direct status=none &
	sleep 0.01
}

. "${0%/*}/stock.sh"
