#!/usr/bin/env bash
# The four threads in which Node.js reads files are all busy with passwords.
# Expected: (node|libuv-worker|MainThread): running( for .*)?
needs() { echo node socat; }

begin()
{
	background node -e "const fs = require('fs'), crypto = require('crypto');
require('net').createServer(s => s.on('data', d => {
	if (!String(d).startsWith('hog'))
		return fs.readFile('/etc/hostname', () => s.write('ok\n'));
	for (let i = 0; i < 4; i++)
		crypto.pbkdf2('password', 'salt', 200000, 64, 'sha512', () => 0);
	s.end('ok\n');
})).listen('$DIRECTORY/node');"
	await test -S "$DIRECTORY/node"
	printf '%s\n' "connect $DIRECTORY/node" 'request file\n'
}

disturb()
{
	echo hog | socat -t1 - "UNIX:$DIRECTORY/node" >/dev/null
}

. "${0%/*}/stock.sh"
