#!/usr/bin/env bats
# Spans that services told of themselves, by OTLP and by Jaeger: trace-import makes span records and request activity graphs of them.

load helper

DATA=$BATS_TEST_DIRNAME/../testdata/spans

# told ID:PARENT:START:END[:MORE]...: spans of one trace as Jaeger has them, in microseconds; MORE is added to the span.
told() {
	local span id parent start end more comma=
	printf '{"data":[{"traceID":"t1","processes":{"p":{"serviceName":"shop"}},"spans":['
	for span; do
		IFS=: read -r id parent start end more <<<"$span"
		printf '%s{"traceID":"t1","spanID":"%s","operationName":"%s","startTime":%d,"duration":%d,"processID":"p","references":[%s]%s}' \
			"$comma" "$id" "$id" "$start" $((end - start)) \
			"${parent:+{\"refType\":\"${parent%%[a-zA-Z]*}CHILD_OF\",\"traceID\":\"t1\",\"spanID\":\"${parent#[-+]}\"\}}" "${more:+,$more}"
		comma=,
	done | sed 's/"+CHILD_OF"/"FOLLOWS_FROM"/g'
	printf ']}]}\n'
}

# path: the critical path of what told() prints: "A 0-10, B 10-30"
path() {
	trace-import -f jaeger 2>stderr | blame-rank --text | awk '
		/^node / { for (i = 2; i <= NF; i++) if ($i ~ /^id=/) id = substr($i, 4); split($0, part, "name=\""); split(part[2], name, "\"")
			sub(/^shop: /, "", name[1]); names[id] = name[1] }
		/^path / { for (i = 2; i <= NF; i++) { split($i, kv, "="); value[kv[1]] = kv[2] }
			printf "%s%s %d-%d", sep, names[value["node"]], value["from"] * 1e6 + 0.5, value["to"] * 1e6 + 0.5; sep = ", " }'
}

@test "spans of a request by OTLP, a document a service: records, graph, blame" {
	trace-import "$DATA/shop.otlp.json" | blame-rank --text | grep -v ^usage >got
	diff "$DATA/shop.out" got
}

@test "the same request by Jaeger: the same graph and blame" {
	diff <(grep -E '^(graph|node|edge|path|blame) ' "$DATA/shop.out") \
		<(trace-import "$DATA/shop.jaeger.json" | blame-rank --text | grep -E '^(graph|node|edge|path|blame) ')
}

@test "a report needs no change for spans" {
	trace-import "$DATA/shop.otlp.json" | blame-rank | report >text
	grep -q '35.0 ms   35.0 %  stock: GET /stock/\*' text
}

@test "the parent waits for the child that ended last, then for the one that ended last before that began" {
	assert_equal "$(told a::1:101 b:a:20:40 c:a:50:60 | path)" "a 1-20, b 20-40, a 40-50, c 50-60, a 60-101"
	# one that runs on when the last begins is not waited for
	assert_equal "$(told a::1:101 b:a:20:55 c:a:50:60 d:a:5:10 | path)" "a 1-5, d 5-10, a 10-50, c 50-60, a 60-101"
	# of two that end together, the longer; one that ends as the other begins is waited for
	assert_equal "$(told a::1:101 b:a:20:60 c:a:50:60 d:a:5:20 | path)" "a 1-5, d 5-20, b 20-60, a 60-101"
}

@test "children are clipped to their parents, and theirs to them" {
	assert_equal "$(told a::1:30 b:a:15:35 c:b:10:25 | path)" "a 1-15, c 15-25, b 25-30"
}

@test "a child outside of its parent's time is not waited for, and this is told; one behind the root is in no graph" {
	assert_equal "$(told a::1:101 b:a:10:20 c:b:30:50 | path)" "a 1-10, b 10-20, a 20-101"
	assert_regex "$(cat stderr)" "1 span lies outside its parent's time"
	assert_equal "$(told a::1:101 b:a:110:120 c:b:110:115 | path)" "a 1-101"
	assert_regex "$(cat stderr)" "2 spans are in no graph"
}

@test "what only FOLLOWS_FROM its parent is not waited for" {
	assert_equal "$(told a::1:101 b:+a:20:40 c:b:25:30 | path)" "a 1-101"
	told a::1:101 b:+a:20:40 | trace-import --text | grep -q '^node .*"shop: b".* parent=1 call=async$'
}

@test "a client and a server that share an id, as Zipkin's libraries have it, are parent and child" {
	told 'a::1:101:"tags":[{"key":"span.kind","value":"server"}]' 'b:a:20:60:"tags":[{"key":"span.kind","value":"server"}]' \
		'b:a:10:70:"tags":[{"key":"span.kind","value":"client"}]' c:b:30:40 >shared
	assert_equal "$(path <shared)" \
		"a 1-10, network: shop to shop 10-20, b 20-30, c 30-40, b 40-60, network: shop to shop 60-70, a 70-101"
	assert_equal "$(cat stderr)" ""
}

@test "numbers and ids in names become stars; names of services keep theirs" {
	local name
	while IFS='|' read -r name wanted; do
		told 'a::1:9:"tags":[]' | sed "s|\"operationName\":\"a\"|\"operationName\":\"$name\"|" | trace-import --text >got
		assert_regex "$(cat got)" "name=\"shop: $wanted\""
	done <<-'END'
		GET /v1/orders/1042/x2|GET /v1/orders/\*/x2
		10.0.0.7:8080 up|\*:\* up
		user 123e4567-e89b-12d3-a456-426614174000.|user \*\.
		blob deadbeef01 decade|blob \* decade
		key Zk3kD9a0o1h8QQxx of authenticationtoken|key \* of authenticationtoken
	END
}

# shop N [SED]: so many requests
shop() {
	local i
	for ((i = 1; i <= $1; i++)); do
		sed -e "s/4bf92f3577b34da6a3ce929d0e0e4736/$(printf '%032x' "$i")/g" -e "${2-}" "$DATA/shop.otlp.json"
	done
}

@test "normal against faulty requests: the slow service is ranked first, and surely" {
	shop 8 | trace-import >good
	shop 8 '/d2d2d2/s/0097000000"/0490000000"/; s/0095000000"/0495000000"/; s/0100000000"/0500000000"/' | trace-import >bad
	run -0 blame-rank --diff --text good bad
	assert_regex "$output" 'diff rank=1 name="stock: GET /stock/\*" .*sure=yes'
}

@test "files of several services make whole requests with --merge; alone they lack parents, which is told" {
	split -l 1 "$DATA/shop.otlp.json" part.
	diff <(trace-import --text "$DATA/shop.otlp.json" | grep -v ^usage) <(trace-import --merge --text part.* | grep -v ^usage)
	run -3 --separate-stderr trace-import --text part.*
	assert_equal "$(grep -c '^graph ' <<<"$output")" 4
	assert_regex "$stderr" "part.ab: 1 span has a parent that is not there"
	run -1 --separate-stderr trace-import --merge part.aa "$DATA/shop.jaeger.json"
	assert_regex "$stderr" "jaeger cannot be merged with otlp"
}

@test "the spellings of other versions and programs" {
	sed 's/scopeSpans/instrumentationLibrarySpans/; s/"resourceSpans"/"batches"/' "$DATA/shop.otlp.json" >tempo
	perl -pe 's/"kind": (\d)/"\"kind\": \"SPAN_KIND_" . (qw(X INTERNAL SERVER CLIENT PRODUCER CONSUMER))[$1] . "\""/ge;
		s/UnixNano": "(\d+)"/UnixNano": $1/g; s/"code": 2/"code": "STATUS_CODE_ERROR"/' "$DATA/shop.otlp.json" >names
	printf '\357\273\277[%s]' "$(paste -sd, "$DATA/shop.otlp.json")" >array
	for file in tempo names array; do
		diff <(trace-import --text "$DATA/shop.otlp.json" | grep -v ^usage) <(trace-import --text "$file" | grep -v ^usage)
	done
	# as Jaeger's stores keep spans, one a line, the parent in a member of its own
	printf '%s\n' '{"traceID":"t","spanID":"a","operationName":"x","startTime":1,"duration":9,"process":{"serviceName":"s"}}' \
		'{"traceID":"t","spanID":"b","parentSpanID":"a","operationName":"y","startTime":2,"duration":3,"process":{"serviceName":"s"}}' >store
	assert_equal "$(trace-import --text store | grep -c '^node .*parent=1 call=sync wait_start=0.000002000')" 1
}

@test "a span that a link alone ties to its trace follows from it" {
	sed 's/"parentSpanId": "e1e1e1e1e1e1e1e1"/"links": [{"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "e1e1e1e1e1e1e1e1"}]/' \
		"$DATA/shop.otlp.json" | trace-import --text | grep '^span id=e2' >got
	assert_regex "$(cat got)" 'parent=e1e1e1e1e1e1e1e1 .*follows=yes'
}

@test "what is wrong with spans is counted, and the data are incomplete where some are missing" {
	run -3 --separate-stderr trace-import --text < <(told a:b:1:9 b:a:1:9 c:a:2:3 d::5:9)
	assert_regex "$stderr" "3 spans are in no graph: they are their own ancestors"
	assert_equal "$(grep -c '^span ' <<<"$output")" 4
	assert_equal "$(grep -c '^graph ' <<<"$output")" 1
	run -0 --separate-stderr trace-import --text < <(told a::1:9 a::1:9)
	assert_regex "$stderr" "1 span is there twice"
	run -3 --separate-stderr trace-import --text < <(told a::1:9 a::1:8)
	assert_regex "$stderr" "1 span is left out: another of its trace has the id"
	run -3 --separate-stderr trace-import --text < <(told a::1:9 b:a:9:3 :a:1:2)
	assert_regex "$stderr" "2 spans without an id, or without times, are left out"
	run -0 --separate-stderr trace-import --text -f jaeger <<<'{"data":[]}' # what Jaeger finds where there is nothing
	assert_regex "$stderr" "no spans"
}

@test "two trees of one trace are two graphs; a root that took no time has none" {
	told a::1:9 b::11:19 c::20:20 | trace-import --text >got
	assert_equal "$(grep -o '^graph id=[^ ]*' got)" $'graph id=t1\ngraph id=t1/b'
}

@test "a file that is cut or no JSON: what came before counts, the place is told" {
	head -c 3000 "$DATA/shop.otlp.json" >part
	run -3 --separate-stderr trace-import --text part
	assert_regex "$stderr" "part: byte [0-9]+: .*; what stands from there on is not read"
	assert_equal "$(grep -c '^span id=b' <<<"$output")" 3
	head -c 1000 "$DATA/shop.jaeger.json" >part
	run -1 --separate-stderr trace-import part
	assert_regex "$stderr" "part: byte 1000: "
	run -1 --separate-stderr trace-import -f otlp "$DATA/shop.jaeger.json"
	assert_regex "$stderr" "no spans by OTLP are in it"
	run -1 --separate-stderr trace-import -f jaeger <<<'{"resourceSpans": 5}'
	assert_regex "$stderr" "no spans by Jaeger are in it"
}

@test "a chain of 20,000 spans" {
	awk 'BEGIN { printf "{\"traceID\":\"t\",\"processes\":{},\"spans\":["
		for (i = 1; i <= 20000; i++) printf "%s{\"spanID\":\"s%d\",\"operationName\":\"x\",\"startTime\":%d,\"duration\":%d,\"references\":[{\"refType\":\"CHILD_OF\",\"spanID\":\"%s\"}]}",
			(i > 1 ? "," : ""), i, i, 50000 - i, (i > 1 ? "s" (i - 1) : "")
		print "]}" }' | trace-import -f jaeger | blame-rank -n 1 --text >got
	assert_equal "$(grep -c ^node got)" 20000
	assert_equal "$(grep -c '^blame .*score=0.030000000' got)" 1
}
