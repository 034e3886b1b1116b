#!/usr/bin/env bash
# Node.js, with a tick, writes and syncs a file for each request, on a disk that dd is writing to.
# Expected: dd: write of [0-9]+:[0-9]+ in service
needs() { echo node dd mkfs.ext4; }

begin()
{
	disk
	background node -e "const fs = require('fs'), log = fs.openSync('$DIRECTORY/disk/log', 'w');
setInterval(() => 0, 5);
require('net').createServer(s => s.on('data', d => fs.write(log, 'request\n', () => fs.fsync(log, () => s.write('ok\n')))))
	.listen('$DIRECTORY/node');"
	await test -S "$DIRECTORY/node"
	printf '%s\n' "connect $DIRECTORY/node" 'request file\n'
}

disturb()
{
	dd if=/dev/zero of="$DIRECTORY/disk/bulk" bs=64M count=2 oflag=direct status=none &
	sleep 0.01
}

. "${0%/*}/stock.sh"
