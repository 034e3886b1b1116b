// service.js LOG REDIS_PORT: answers "ask ID" when Redis has answered, which it asks at once, or by setTimeout, or by setImmediate, in turn. What it
// asks for, it logs before: HOW ID. Its first line is its port.
const net = require('net'), fs = require('fs')
const log = fs.openSync(process.argv[2], 'w'), redis = +process.argv[3]
const note = words => fs.writeSync(log, words + '\n')
const server = net.createServer(end => {
	const call = net.connect(redis, '127.0.0.1'), waiting = []
	let served = 0
	call.on('data', () => { const next = waiting.shift(); if (next) end.write('answer ' + next + '\n') })
	end.on('data', text => {
		const id = text.toString().split(/\s+/)[1], n = ++served
		const ask = how => () => {
			note(how + ' ' + id)
			waiting.push(id)
			call.write('GET ' + id + '\r\n')
		}
		n % 3 == 0 ? setTimeout(ask('timeout'), 1) : n % 3 == 1 ? setImmediate(ask('immediate')) : ask('direct')()
	})
	end.on('error', () => {}); end.on('close', () => call.destroy()); call.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => note(server.address().port))
