// Tells trace-collect --async what promises and callbacks do, and --exceptions=node what is thrown: node --require .../preload/node.js; see tailblame-collect(7) and
// lib/source/markers.h.
//
// Without a collector nothing is hooked; once a second it looks whether one is there. No error of it reaches the program.
'use strict';

function install() {
	const {createHook, executionAsyncId} = require('async_hooks');
	const {threadId} = require('worker_threads');
	const util = require('util'), {types} = util;
	const fs = require('fs');
	const path = require('path');
	const socket = require(path.join(__dirname, 'markers.node'));

	const CREATE = 1, RUN = 2, PAUSE = 3, AWAIT = 4, END = 5, THROW = 6, AGAIN = 16;
	const ALL = 16, ANY = 32, ERROR = 16, TEXT = 256;
	const MAGIC = 1952604465, NUMBERS = 5, BATCH = 512, HELD_NS = 10e6, LATEST_MS = 20, LAST_MS = 500, TEXTS_MOST = 32000, // a datagram has 64 KiB
		 LOOK_MS = 1000;
	const where = process.env.TAILBLAME_MARKERS || '/run/tailblame/markers';
	const base = threadId * 2 ** 40; // each worker counts its own ids
	const rows = new Float64Array((BATCH + 1) * NUMBERS);
	const names = new Map(); // a type of resource: its text
	// performance.now() is of the same clock as hrtime(), and costs a third.
	const clock = performance, start = Number(process.hrtime.bigint()) - clock.now() * 1e6;
	const now = () => Math.floor(start + clock.now() * 1e6);
	const names_lock = path.join(path.dirname(where), 'names');
	let named = false, fd = -1, count = 0, texts = [], text_bytes = 0, dropped = 0, began = 0, own = new Set(), late, thread;

	// The last one waits, for a moment, for the collector: there is no next.
	function flush(last) {
		if (count === 0 || fd < 0)
			return;
		rows[0] = MAGIC;
		rows[1] = count;
		rows[2] = thread;
		rows[3] = process.pid;
		rows[4] = dropped;
		const sent = socket.send(fd, rows, (count + 1) * NUMBERS, texts.length ? Buffer.concat(texts) : Buffer.alloc(0), last === true ? LAST_MS : 0);
		if (sent === -11 && count < BATCH && text_bytes < TEXTS_MOST) // EAGAIN: later
			return;
		dropped = sent < 0 ? dropped + count : 0;
		count = text_bytes = 0;
		texts = [];
		if (sent < 0 && sent !== -11)
			leave();
	}

	function put(ts, what, id, parent, on, text) {
		const at = (count + 1) * NUMBERS;
		if (count === 0)
			began = ts;
		rows[at] = ts;
		rows[at + 1] = text ? what + TEXT * text.length : what;
		rows[at + 2] = base + id;
		rows[at + 3] = parent > 0 ? base + parent : 0;
		rows[at + 4] = on > 0 ? base + on : 0;
		count++;
		if (text) {
			texts.push(text);
			text_bytes += text.length;
		}
		if (count === BATCH || text_bytes >= TEXTS_MOST || ts - began >= HELD_NS)
			flush();
	}

	function name_of(type) {
		let name = names.get(type);
		if (!name) {
			name = Buffer.from(String(type)).subarray(0, 100);
			if (names.size < 1000)
				names.set(type, name);
		}
		return name;
	}

	// The function that creates a task: of its stack the first that has a name and is not Node's own; if there is none, a place.
	function creator() {
		const limit = Error.stackTraceLimit, prepare = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace'), holder = {};
		let sites;
		Error.stackTraceLimit = 12;
		Object.defineProperty(Error, 'prepareStackTrace', {configurable: true, writable: true, value: (error, frames) => frames});
		try {
			Error.captureStackTrace(holder, creator);
			sites = holder.stack;
		} finally {
			Error.stackTraceLimit = limit;
			delete Error.prepareStackTrace;
			if (prepare)
				Object.defineProperty(Error, 'prepareStackTrace', prepare);
		}
		sites = sites.filter((frame) => !(frame.getFileName() || 'node:').startsWith('node:') && frame.getFileName() !== __filename);
		const site = sites.find((frame) => frame.getFunctionName()) || sites[0];
		return site && (site.getFunctionName() || `${path.basename(site.getFileName())}:${site.getLineNumber()}`);
	}

	// A function's promise bears its name, another task that of who made it, too. It costs some 30 us, so only while somebody wants it.
	function full_name(type) {
		let by;
		try {
			by = creator();
		} catch {
		}
		return by ? Buffer.from(type === 'PROMISE' ? by : `${by} (${type})`).subarray(0, 200) : name_of(type);
	}

	// A promise that is created by then() or await goes on when another has ended.
	const hook = createHook({
		init(id, type, trigger) {
			const parent = executionAsyncId();
			put(now(), CREATE, id, parent, type === 'PROMISE' && trigger !== parent ? trigger : 0,
				named ? full_name(type) : name_of(type));
		},
		before(id) {
			if (!own.has(id))
				put(now(), RUN, id, 0, 0);
		},
		after(id) {
			if (!own.has(id))
				put(now(), PAUSE, id, 0, 0);
		},
		promiseResolve(id) {
			put(now(), END, id, executionAsyncId(), 0);
		},
	});

	const plain = {}, symbols = {};

	// Where Node keeps a promise's id.
	function find_symbol() {
		const promise = Promise.resolve();
		symbols.id = Object.getOwnPropertySymbols(promise).find((symbol) => symbol.description === 'async_id_symbol');
	}

	// Only what is a promise itself is asked: a proxy's trap, or a getter, is the program's.
	function tell_joined(joined, promises, mode) {
		const ts = now(), id = types.isPromise(joined) && joined[symbols.id];
		if (!id || !Array.isArray(promises) || types.isProxy(promises))
			return;
		for (let i = 0; i < promises.length; i++)
			if (types.isPromise(promises[i]) && promises[i][symbols.id])
				put(ts, AWAIT + mode, id, 0, promises[i][symbols.id]);
	}

	// A proxy, for as text, by name and by length it is what it was.
	function join(name, mode) {
		plain[name] = Promise[name];
		const joining = new Proxy(plain[name], {
			apply(target, constructor, args) {
				const joined = Reflect.apply(target, constructor, args);
				try {
					tell_joined(joined, args[0], mode);
				} catch {
				}
				return joined;
			},
		});
		Object.defineProperty(Promise, name, {value: joining, writable: true, configurable: true, enumerable: false});
	}

	function enter() {
		thread = socket.thread();
		hook.enable();
		find_symbol();
		join('all', ALL);
		join('allSettled', ALL);
		join('any', ANY);
		join('race', ANY);
		const tick = () => {
			named = socket.locked(names_lock) === 1;
			flush();
		};
		late = setInterval(tick, LATEST_MS).unref();
		tick();
		own.add(late[Object.getOwnPropertySymbols(late).find((symbol) => symbol.description === 'asyncId')]);
	}

	function leave() {
		hook.disable();
		for (const name in plain)
			Object.defineProperty(Promise, name, {value: plain[name], writable: true, configurable: true, enumerable: false});
		clearInterval(late);
		own = new Set();
		socket.close(fd);
		fd = -1;
	}

	// What is thrown. A promise is rejected only after V8 has told that it is settled, and shows why only to inspect(), so it is looked at later.
	const {promiseHooks} = require('v8');
	const prepare = Error.prepareStackTrace, SETTLED = 64, FRAMES = 16, THROWS_A_SECOND = 1000;
	const shown = {depth: 0, compact: true, breakLength: Infinity, maxStringLength: 200, maxArrayLength: 0, colors: false};
	let throws_fd = -1, objects = new WeakMap(), last_object = 0, settled = [], stop_settled, soon, second = 0, told = 0, untold = 0;

	function object_of(error) {
		let number = objects.get(error);
		if (number)
			return {number, again: true};
		objects.set(error, number = ++last_object);
		return {number, again: false};
	}

	// A property's value, of the object or of those that it inherits from, without a call of what the program has for a getter or a trap.
	function value_of(object, key) {
		for (let at = object; at && !types.isProxy(at); at = Object.getPrototypeOf(at)) {
			const found = Object.getOwnPropertyDescriptor(at, key);
			if (found)
				return found.value;
		}
	}

	// Where a getter makes the name, it mostly makes it of the class's.
	function class_of(error) {
		const name = value_of(error, 'name'), by = value_of(error, 'constructor');
		return typeof name === 'string' ? name : typeof by === 'function' && value_of(by, 'name') || 'Error';
	}

	// The stack is made when it is first read, of what toString() says; so not where the program has a say in that.
	const plain_text = Error.prototype.toString;

	function has_own_text(error) {
		for (const key of ['toString', 'name', 'message'])
			for (let at = error; at; at = Object.getPrototypeOf(at)) {
				const found = types.isProxy(at) ? {get: true} : Object.getOwnPropertyDescriptor(at, key);
				if (found && (found.get || (key === 'toString' && found.value !== plain_text)))
					return true;
				if (found)
					break;
			}
		return value_of(error, 'toString') !== plain_text;
	}

	// In later versions of V8 the stack has a getter, the same for all.
	function stack_of(error) {
		if (has_own_text(error))
			return undefined;
		const found = Object.getOwnPropertyDescriptor(error, 'stack'), usual = Object.getOwnPropertyDescriptor(Error(), 'stack');
		return found && found.get && found.get === usual.get ? error.stack : found && found.value;
	}

	// "at f (file:1:2)" is f, "at file:1:2" its place; Node's own functions depend on which timers end together. A program that makes its stacks itself is not asked for them.
	function calls_of(error) {
		const stack = Error.prepareStackTrace === prepare ? stack_of(error) : undefined;
		if (typeof stack !== 'string')
			return '';
		const frames = stack.split('\n').filter((line) => line.startsWith('    at ') && !line.includes('node:internal/') && !line.includes(__filename)).slice(0, FRAMES);
		return frames.map((line) => line.slice(7).replace(/^async /, '').replace(/ \(.*\)$/, '').replace(/ \[as .*\]$/, '').replace(/^.*\//, '').replace(/;/g, ':')).join(';');
	}

	const line_of = (text) => String(text).replace(/[\n\r]/g, ' ').slice(0, 200);

	// `text` is what is shown of what is no error.
	function tell(ts, error, text) {
		const is_error = types.isNativeError(error);
		const {number, again} = is_error ? object_of(error) : {number: ++last_object, again: false};
		const by = is_error ? value_of(error, 'cause') : undefined, cause = types.isNativeError(by) ? object_of(by).number : 0;
		const name = is_error ? line_of(class_of(error)) : '?', said = is_error ? value_of(error, 'message') : text;
		const what = typeof said === 'string' ? line_of(said) : '';
		const told_text = Buffer.from(`${name}\n${what}\n${is_error ? calls_of(error) : ''}`).subarray(0, 1000);
		const row = [MAGIC, 1, socket.thread(), process.pid, untold,
			ts, THROW + (again ? AGAIN : 0) + TEXT * told_text.length, base + number, cause && base + cause, 0];
		const now_second = Math.floor(ts / 1e9);
		told = now_second === second ? told + 1 : 1;
		second = now_second;
		untold = told > THROWS_A_SECOND || socket.send(throws_fd, Float64Array.from(row), row.length, told_text, 0) < 0 ? untold + 1 : 0;
	}

	// Why a promise was rejected; undefined: it was not. Behind the reason are properties of the promise.
	function rejection(promise) {
		const custom = util.inspect.custom, plain_error = Object.getOwnPropertyDescriptor(Error.prototype, custom);
		let error, text;
		Object.defineProperty(Error.prototype, custom, {configurable: true, value() { error = this; return ''; }});
		try {
			text = util.inspect(promise, shown);
		} finally {
			delete Error.prototype[custom];
			if (plain_error)
				Object.defineProperty(Error.prototype, custom, plain_error);
		}
		const start = text.indexOf('<rejected> ');
		return start < 0 ? undefined : {error, text: text.slice(start + 11, -2).split(', [Symbol(async_id_symbol)')[0]};
	}

	function look_at_settled() {
		const list = settled;
		settled = [];
		for (const {promise, ts} of list)
			try {
				const rejected = rejection(promise);
				if (rejected && !(rejected.error && objects.has(rejected.error)))
					tell(ts, rejected.error, rejected.text);
			} catch {
			}
	}

	function see_uncaught(error) {
		try {
			look_at_settled();
			tell(now(), error, util.inspect(error, {...shown, customInspect: false}));
		} catch {
		}
	}

	function enter_throws() {
		process.on('uncaughtExceptionMonitor', see_uncaught);
		stop_settled = promiseHooks.onSettled((promise) => {
			settled.push({promise, ts: now()});
			if (settled.length > SETTLED) {
				const newest = settled.pop();
				look_at_settled();
				settled.push(newest);
			}
		});
		soon = setInterval(look_at_settled, LATEST_MS).unref();
	}

	function leave_throws() {
		process.off('uncaughtExceptionMonitor', see_uncaught);
		stop_settled();
		clearInterval(soon);
		settled = [];
		socket.close(throws_fd);
		throws_fd = -1;
	}

	// Which sockets are there now.
	function look() {
		if (fd < 0 && fs.existsSync(where)) {
			fd = socket.open(where);
			if (fd >= 0)
				enter();
		}
		const there = fs.existsSync(where + '.exceptions');
		if (throws_fd >= 0 && !there)
			leave_throws();
		if (throws_fd < 0 && there) {
			throws_fd = socket.open(where + '.exceptions');
			if (throws_fd >= 0)
				enter_throws();
		}
	}

	setInterval(look, LOOK_MS).unref();
	process.on('exit', () => {
		look_at_settled();
		flush(true);
	});
	look();
}

try {
	install();
} catch {
}
