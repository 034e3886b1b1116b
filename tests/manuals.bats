#!/usr/bin/env bats
# What the manual pages say against what the commands do.

load helper

# KIND KEY... of tailblame-stream(5), a line for each kind.
keys_on_page() {
	# arg.NAME stands for keys that users name
	sed -nE 's/^\.It Sy ([a-z]+) Cm /\1 /p' "$TOP/man/tailblame-stream.5" | sed 's/ arg\.NAME//' | tr -d '?'
}

# "KIND KEY" for all that is in streams of text; of events the first five, for the others are the kernel's.
keys_in_streams() {
	sed -E 's/"([^"\\]|\\.)*"//g' "$@" |
		awk '!/^(#|$)/ { n = $1 == "event" && NF > 6 ? 6 : NF
			for (i = 2; i <= n; i++) print $1, substr($i, 1, index($i, "=") - 1) }' | sort -u
}

# All keys of the streams are on the page. Those of signals that a chart shows go by the names in its definition.
explained() { # FILE...
	keys_on_page | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort -u >page
	keys_in_streams "$@" >keys
	[ -s keys ] || return 1
	comm -13 page keys | while read -r kind key; do
		[ "$kind" = signal ] && grep -qwE -- "(key|show)=[a-z0-9_:,]*\b$key\b" "$TOP"/charts/*.chart && continue
		echo "$kind: $key"
	done >unknown
	[ ! -s unknown ] || fail "$(cat unknown)"
}

@test "the columns of a table are the keys that tailblame-stream(5) lists, in their order" {
	for kind in $(sed -nE 's/.*\[KIND_([A-Z]+)\] = .*/\L\1/p' "$TOP/lib/export/columns.c"); do
		trace-export -f csv -k "$kind" "$TOP/testdata/lock.txt" | head -n1 | tr -d '\r' >columns
		assert_equal "$(cat columns)" "$(keys_on_page | sed -n "s/^$kind //p" | tr ' ' ','),more"
	done
	assert [ "$(keys_on_page | wc -l)" -ge 20 ]
}

@test "every key in a stream is in tailblame-stream(5)" {
	cchart-filter --save-limits=limits -t "$TOP/testdata/demo.tb" 2>log | blame-rank -t >demo
	printf 'sample ts=%d chart=x value=3 n=812\n' {1..30} | cchart-filter -t --method=laney-p --baseline=20 >rate 2>log
	blame-rank --instances -t demo >instances
	blame-rank --diff -t demo demo >compared
	cp "$TOP/testdata/lock.txt" .
	run -0 explained demo limits rate instances compared lock.txt
}

# bats test_tags=live
@test "every key in a live stream is in tailblame-stream(5)" {
	need_tracefs
	trace-collect -t -c block -c runq --stack -o all -- sh -c 'sleep 0.1; dd if=/dev/zero of=file bs=4k count=9 oflag=direct; sleep 1.1' 2>log || [ $? = 3 ]
	run -0 explained all
	for kind in stream chart task device event end usage; do
		grep -q "^$kind " all || fail "no $kind"
	done
}

# The commands after "$ " in the examples of a page, with NUL behind each; a line that is folded or goes on is joined.
examples() { # PAGE
	awk '
		function done() { if (command != "") printf "%s%c", command, 0; command = ""; more = 0 }
		/^\.Sh/ { here = /EXAMPLES/ }
		!here { next }
		/^\.Ed/ { done(); literal = 0 }
		/^\.Bd -literal/ { literal = 1 }
		{ gsub(/\\e/, "\\") }
		/^\.Dl \$ / { done(); command = substr($0, 7); done(); next }
		literal && /^\$ / { done(); command = substr($0, 3); more = /<<EOF/ ? 2 : /(\||\\)$/; next }
		more && command ~ /\\$/ { sub(/^\t/, ""); command = substr(command, 1, length(command) - 1) $0; next }
		more { command = command "\n" $0; if (more == 2 ? /^EOF/ : !/(\||\\)$/) done() }' "$1"
}

# The files that the examples speak of.
example_files() {
	cp "$TOP/testdata/demo.tb" saved.tb
	cchart-filter saved.tb 2>/dev/null | blame-rank >night.tb
	cchart-filter "$TOP/testdata/lock.txt" 2>/dev/null | blame-rank >bad.tb || [ $? = 3 ]
	for name in good incident yesterday hour-1 hour-2; do cp night.tb $name.tb; done
	cp bad.tb today.tb
	! command -v zstd >/dev/null || zstd -q -o 2026-11-21-0300.tb.zst saved.tb
	! command -v zstd >/dev/null || cp 2026-11-21-0300.tb.zst minute.tb.zst
	cp "$TOP/testdata/import/hog.dat" trace.dat
	cp "$TOP/testdata/import/hog.trace.gz" trace.txt.gz
	cp "$TOP/testdata/import/threads.strace" log
	for name in web1=a db1=b web2=c; do awk -v host="${name#*=}" -f "$TOP/testdata/clock/talk.awk" | sed "1s/host=./host=${name%=*}/" >"${name%=*}.tb"; done
	for name in normal slow; do cp "$TOP/testdata/spans/shop.jaeger.json" $name.json; done
	printf 'sample ts=%d chart=bounces value=3 n=812\n' 1700000000 1700003600 >mails
	awk 'BEGIN { for (i = 0; i < 40; i++) printf "10.0.0.%d - - [22/Nov/2026:20:00:%02d +0000] \"GET / HTTP/1.1\" 200 1000 \"-\" \"Wget/%s\" %d.0\n", i % 8, i, i % 8 < 4 ? "1.21" : "1.13", i % 8 < 4 ? 1 : 4 }' >access.log
	printf 'run id=%s job=j ts=0 elapsed=1\nfeatures run=%s sum.read=5\n' a a b b >1.run
	export TZ=UTC
	{
		echo 'states name=s'
		for state in Fd=7 Operation=read; do echo "on event=x:y set path=\"Threads/{tid}/${state%=*}\" value=${state#*=}"; done
		echo 'on event=x:y set path="Loops/{tid}/State" value=running'
	} >s.state
	{
		echo 'stream version=1 host=h wall=1795448580.000000000' # 15:43:00
		for tid in 8 9; do echo "task ts=0.0 tid=$tid comm=redis-server tgid=8"; done
		for ts in 0 1 2 90; do for tid in 8 9; do echo "event ts=$ts.0 cpu=0 tid=$tid comm=redis-server name=x:y"; done; done
	} >A.txt
	state-build -s ./s.state -o A.history A.txt
	awk 'BEGIN { for (i = 0; i < 200; i++) print 1700000000 + i, 1 + i % 7 / 10 }' >load.log
}

@test "the examples of the pages work, those that need neither root nor a viewer" {
	example_files
	ran=0
	for page in "$TOP"/man/*.[157]; do
		while IFS= read -r -d '' example; do
			case $example in *kernelshark* | kill* | vmstat* | perf*) continue ;; esac
			for program in jq flamegraph.pl zstdcat less; do
				[[ $example != *$program* ]] || command -v $program >/dev/null || continue 2
			done
			bash -o pipefail -c "$example" >out 2>err || fail "$(basename "$page"): $example: $? $(head -n3 err)"
			[ -s out ] || [[ $example =~ -o\ |\>\  ]] || fail "$(basename "$page"): $example: nothing came"
			ran=$((ran + 1))
		done < <(examples "$page")
	done
	[ $ran -ge 15 ] || fail "only $ran examples"
}

# The shell spells its clock as the language of whoever runs it has it; no locale but C need be here.
@test "the example of a number that comes live works where the decimal sign is a comma" {
	vmstat() { printf '%s\n' procs r "$(seq -s ' ' 17)"; }
	export -f vmstat
	sed -n '/^\$ vmstat/,/^\.Ed/{ /^\.Ed/!s/^[$>] //p }' "$TOP/man/tailblame-methods.7" >example
	run -0 bash -c 'unset EPOCHREALTIME; EPOCHREALTIME=1700000000,25; source ./example'
	assert_line --regexp '^sample ts=1700000000.250000000 .*chart=switches value=12'
}
