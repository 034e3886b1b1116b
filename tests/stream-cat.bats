load helper

text() {
	cat <<-'EOF'
		stream version=1 host=web1 kernel=6.1 clock=mono wall=1.5
		task ts=0.100000000 tid=7 comm="a \"b\" \x01é"
		event ts=1.500000000 cpu=0 tid=7 comm=fio name=block:block_bio_queue dev=7:0 sector=12 rwbs=R comm=fio
		unheard-of a=b=c d="" e=\x
		sample ts=1 chart=x value=1e-12
		end records=5 lost=0
	EOF
}

@test "text to binary to text is the identity" {
	text >t
	run -0 --separate-stderr stream-cat -t <(stream-cat -b t)
	assert_equal "$output" "$(cat t)"
}

@test "text without stream and end gets neither" {
	text | grep -v -e ^stream -e ^end >t
	stream-cat -b t >b
	run -0 --separate-stderr stream-cat -t b
	assert_equal "$output" "$(cat t)"
}

@test "concatenated streams stay two streams" {
	text >t
	stream-cat -b t >b
	cat b b | stream-cat -t >twice
	cmp twice <(cat t t)
	stream-cat -t b t >again
	cmp again twice
}

@test "text behind another file is a stream of its own" {
	text >t
	stream-cat -b t >b
	echo "event ts=2 cpu=0 tid=7 name=a:b" >behind
	{ text && echo "stream version=1" && cat behind; } >want
	stream-cat -t b behind >out
	cmp out want
	stream-cat -b b behind >both
	stream-cat -t both >out
	cmp out want
	stream-cat -b both | cmp - both
	stream-cat -t t behind | cmp - want
	# so names and numbers of the former do not hold in it
	run -0 --separate-stderr cchart-filter --text --keep=1 b behind
	assert_line "stream version=1"
}

@test "an output that does not block is waited for" {
	head -c 3000000 /dev/zero | tr '\0' x | fold -w 100 | sed 's/^/sample x=/' >t # more than a pipe holds
	echo >>t
	perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK) && exec @ARGV' stream-cat -t t 2>errors |
		{ sleep 0.3 && cat; } | cmp - <(grep . t)
	assert_equal "$(cat errors)" ""
}

@test "a copy of a binary stream is the same bytes" {
	text >t
	stream-cat -b t >b
	stream-cat -b b | cmp - b
	# one that has a packed record of a kind, 250, that only a later version knows
	{ plain_head && printf '\14\0\0\0\372\1\0\0\1\2\3\4' && plain b | tail -c +17; } >later
	stream-cat -b later >copy
	stream-cat -b copy | cmp - copy
	plain copy | cmp - later
}

@test "comments and blank lines are no records" {
	printf '# a comment\n\n   \n\t# another\nsample ts=1 value=2\n# the last' >t
	run -0 stream-cat -t t
	assert_output "sample ts=1 value=2"
}

@test "the largest record is as large in text as in binary" {
	local most=$((1024 * 1024 - 8)) size
	line() { printf 'sample x=' && head -c $(($1 - 9)) /dev/zero | tr '\0' x && echo; }
	for size in $((most - 1)) $most; do
		line $size >t
		stream-cat -b t >b
		stream-cat -t b | cmp - t
	done
	for size in $((most + 1)) $((3 * most)); do
		line $size >t
		run -1 --separate-stderr stream-cat -b t
		assert_equal "$stderr" "stream-cat: t:1: a line is longer than 1 MiB less 8 bytes"
	done
}

@test "records that are missing before the end are told, with status 3" {
	# without its last event
	bytes() { printf '%b' "$(printf '\\x%02x' "$@")"; }
	record() { bytes $((${#2} + 8)) 0 0 0 "$1" 0 0 0 && printf %s "$2"; }
	head() { printf '\211tailb\r\n\002\001\001\000\000\000\000\000' && record 1 "stream version=1"; }
	{ head && record 9 "sample ts=1 value=2" && record 19 "end records=2 lost=0"; } >whole
	{ head && record 19 "end records=2 lost=0"; } >less
	run -0 --separate-stderr stream-cat -t whole
	assert_output "$(printf '%s\n' "stream version=1" "sample ts=1 value=2" "end records=2 lost=0")"
	run -3 --separate-stderr stream-cat -t less
	assert_equal "$stderr" "stream-cat: less: byte 40: 1 records are missing before the end of the stream"
	assert_line --index 2 "end records=2 lost=0 cut=yes"
	run -3 --separate-stderr stream-cat -b less
	# of text that somebody edited nothing is said, nor when it is binary again
	stream-cat -t whole | sed 2d >t
	run -0 --separate-stderr stream-cat -t t
	run -0 --separate-stderr stream-cat -t <(stream-cat -b t)
	assert_output "$(cat t)"
}

@test "a bad block is a loss with its place in time, status 3, and no more than that" {
	{ text | head -n 2 && for n in {1..3000}; do printf 'event ts=2.%09d cpu=0 tid=7 name=a:b number=%d\n' $n $n; done; } >t
	stream-cat -b t >b
	printf X | dd of=b bs=1 seek=50000 conv=notrunc status=none
	run -3 --separate-stderr stream-cat -t b
	assert_regex "$stderr" "^stream-cat: b: byte [0-9]+: the stream is damaged\$"
	echo "$output" >out
	[ "$(grep -c ^lost out)" = 1 ]
	read -r before lost after <<<"$(grep -n ^lost out | sed 's/:.*//' | awk '{ print $1 - 1, $1, $1 + 1 }')"
	# from the event before it to the one behind it
	assert_regex "$(sed -n "${lost}p" out)" "^lost ts=$(sed -n "${after}s/.*ts=\([0-9.]*\).*/\1/p" out) from=$(sed -n \
		"${before}s/.*ts=\([0-9.]*\).*/\1/p" out) bytes=3[0-9]{4}\$"
	assert [ "$(grep -c ^event out)" -gt 2300 ]
	tail -n 1 out | grep -q "^end .*gaps=yes"
	# so say all that read it, and those behind them
	for c in cchart-filter graph-build blame-rank; do
		run -3 --separate-stderr $c b
		assert_regex "$stderr" "b: byte [0-9]+: the stream is damaged"
	done
	run -3 --separate-stderr report b
	assert_output --partial "1 damaged place in the stream"
	run -3 bash -c 'set -o pipefail; stream-cat -b b 2>/dev/null | stream-cat -b | stream-cat -t'
	assert_line "$(sed -n "${lost}p" out)"
}

@test "a block whose head is damaged does not swallow the next; nor does a head of a stream behind another" {
	text >t
	stream-cat -b t >b
	for byte in 0 7 9 11 13 20 30; do
		cat b b b >three
		printf '\x5a' | dd of=three bs=1 seek=$(($(stat -c %s b) + 16 + byte)) conv=notrunc status=none
		run -3 --separate-stderr stream-cat -t three
		[ "$(grep -c "^event" <<<"$output")" = 2 ] || fail "byte $byte: $output"
		assert_line --regexp "^lost ts=0.000000000 bytes=$(($(stat -c %s b) - 16))\$"
	done
	cat b b b >three
	printf '\x5a' | dd of=three bs=1 seek=$(($(stat -c %s b) + 1)) conv=notrunc status=none
	run -3 --separate-stderr stream-cat -t three
	[ "$(grep -c "^event" <<<"$output")" = 3 ]
	[ "$(grep -c "^stream" <<<"$output")" = 3 ]
	assert_line "lost ts=0.100000000 from=1.500000000 bytes=16"
}

@test "streams of the first version are read as before, and beside others" {
	text >t
	stream-cat -b t >new
	plain new >old
	stream-cat -t old | cmp - t
	cat old new old >mixed
	stream-cat -t mixed | cmp - <(cat t t t)
	stream-cat -b old | cmp - new
	cat <(head -c 100 old) new <(head -c 200 new) ./old >short
	run -3 --separate-stderr stream-cat -t short
	assert_regex "$stderr" "the stream was cut at byte 100"
	[ "$(grep -c ^unheard-of <<<"$output")" = 2 ]
}

@test "a record is there as soon as it was written, though its block is not full" {
	mkfifo in
	stream-cat -b <in | stream-cat -b | stream-cat -t >out &
	exec 8<>in # which waits for no reader: a command may not start
	for n in 1 2 3; do
		echo "sample ts=$n value=2" >&8
		until_true 60 grep -q "ts=$n" out
	done
	exec 8>&-
	wait $!
}

@test "a stream that was cut is copied as far as it goes, with status 3" {
	text | stream-cat -b >b
	for size in 20 24 60 150 $(($(stat -c %s b) - 1)); do
		run -3 --separate-stderr stream-cat -t <(head -c "$size" b)
		assert_regex "$stderr" "the stream was cut at byte $size"
	done
	cat b <(head -c 5 b) >two
	run -3 --separate-stderr stream-cat -t two
	assert_equal "$output" "$(stream-cat -t b; echo "end records=6 lost=0 cut=yes")"
	assert_regex "$stderr" "the stream was cut at byte $(stat -c %s two)"
	stream-cat -t <(head -c 150 b) >part 2>/dev/null || true
	run -3 stream-cat -t part # text says so too
	run -3 --separate-stderr stream-cat </dev/null
	assert_equal "$stderr" "stream-cat: standard input: no data"
	printf 'sample ts=1 value=2\nsample ts=2 value=31' | head -c -1 >t
	run -3 --separate-stderr stream-cat -t t
	assert_output $'sample ts=1 value=2\nend records=1 lost=0 cut=yes'
	assert_equal "$stderr" "stream-cat: t:2: the last line has no newline, so the text was cut there"
}

@test "a segment behind another that was cut at its beginning is one in text, too" {
	printf '\x89tailb\r\n\x02\x01\x01\0\0\0\0\0' >begin
	cat begin begin >twice
	run -3 --separate-stderr stream-cat --text twice
	assert_output "end records=0 lost=0 cut=yes
stream version=1
end records=0 lost=0 cut=yes"
	stream-cat --binary twice >binary || :
	run -3 --separate-stderr stream-cat --text binary
	assert_line -n 1 'stream version=1'
}

@test "a cut or a gap is told of the stream that has it, not of those behind" {
	printf '%s\n' "stream version=1" "sample ts=1 value=1" "end records=2 lost=0 cut=yes gaps=yes" >part
	printf '%s\n' "stream version=1" "sample ts=1 value=2" >whole
	stream-cat -b part whole >binary || :
	run -3 --separate-stderr stream-cat -t binary
	assert_equal "$output" "$(cat part whole)"
	assert_equal "$stderr" ""
	run -3 --separate-stderr bash -c 'cat part whole | blame-rank -t'
	assert_equal "$output" "$(cat part whole && echo "end records=2 lost=0")"
}

@test "an empty file is a stream of its own, which was cut" {
	printf '%s\n' "stream version=1" "sample ts=1 value=2" "end records=2 lost=0" >whole
	: >empty
	run -3 --separate-stderr stream-cat -t whole empty whole
	assert_equal "$output" "$(cat whole && printf 'stream version=1\nend records=0 lost=0 cut=yes\n' && cat whole)"
	assert_equal "$stderr" "stream-cat: empty: no data"
	run -3 --separate-stderr stream-cat -t empty whole
	assert_equal "$output" "$(echo "end records=0 lost=0 cut=yes" && cat whole)"
	stream-cat -t empty whole >text || :
	run -3 --separate-stderr blame-rank -t text
	assert_equal "$output" "$(cat text)"
}

@test "a stream of a later version is refused, text as binary" {
	printf '%s\n' "stream version=2" "sample ts=1 value=2" >t
	run -1 stream-cat -b t
	assert_output "stream-cat: t:1: stream version 2; this program reads version 1"
	printf '\211tailb\r\n\002\001\003\000\000\000\000\000' >b
	run -1 stream-cat -t b
	assert_output "stream-cat: b: byte 0: stream version 3; this program reads versions 1 and 2"
	echo "sample ts=1 value=2" | cat - t >behind
	run -1 --separate-stderr stream-cat -t behind
	assert_equal "$stderr" "stream-cat: behind:2: stream version 2; this program reads version 1"
}

@test "junk is refused with file and place" {
	printf 'no record at all\n' >junk
	run -1 stream-cat junk
	assert_output "stream-cat: junk:1: column 4: this is not key=value"
	printf 'sample ts=1\nsample "x\n' >junk
	run -1 --separate-stderr stream-cat junk
	assert_equal "$stderr" "stream-cat: junk:2: column 8: this is not key=value"
	printf '\211tailb\r' >junk
	run -1 stream-cat junk
	assert_output "stream-cat: junk: byte 0: the file ends within its first 16 bytes"
	head -c 100000 /dev/zero >junk
	run -1 stream-cat junk
}

@test "what cannot be seen in an input is named" {
	printf 'sample ts=1 value=2\r\n' >t
	run -1 stream-cat t
	assert_output "stream-cat: t:1: column 20: the line ends with a carriage return, as on Windows; take these out with tr -d '\\r'"
	printf 'sample ts=1 key="a"\r\n' >t
	run -1 stream-cat t
	assert_output --partial "t:1: column 20: the line ends with a carriage return"
	text | stream-cat -b >b
	text >t
	run -1 --separate-stderr stream-cat -t <(cat b t)
	assert_equal "$output" "$(cat t)"
	assert_regex "$stderr" ": byte $(stat -c %s b): text cannot stand behind binary in the same file; give it as a file of its own\$"
	stream-cat -t <(cat t b) | cmp - <(cat t t)
}

@test "the line is told of a file whose path is long" {
	local folder
	folder=$(printf 'x%.0s' {1..200})/$(printf 'y%.0s' {1..200})
	mkdir -p "$folder"
	echo 'sample "x' >"$folder/t"
	run -1 stream-cat "$folder/t"
	assert_output "stream-cat: $folder/t:1: column 8: this is not key=value"
}

@test "a record of four gigabytes is refused, not allocated" {
	plain_head >huge
	printf '\377\377\377\377\7\1\0\0' >>huge
	run -1 --separate-stderr stream-cat huge
	assert_equal "$stderr" "stream-cat: huge: byte 16: a record of 4294967295 bytes cannot be; the stream is damaged"
	plain_head >short
	printf '\3\0\0\0\7\1\0\0' >>short
	run -1 --separate-stderr stream-cat short
	assert_regex "$stderr" "a record of 3 bytes cannot be"
}

# The kernel's formats of these say less than there is.
@test "a marker has its text, and a stack all its entries" {
	packed mark.tb ftrace:print 'unsigned long ip:8:8,char buf[]:16:0' '"%ps: %s", (void *)REC->ip, REC->buf' \
		"1 ftrace:print 00000081ffffffff$(printf 'it is [on]\n\0' | od -An -tx1 | tr -d ' \n')"
	run -0 stream-cat -t mark.tb
	assert_line --partial 'ip=18446744071578845184 buf="it is [on]\n"'
	run -0 trace-export -x mark.tb
	assert_line --partial 'print: 0xffffffff81000000: it is [on]'
	local three=010000000000000002000000000000000300000000000000
	packed stack.tb ftrace:kernel_stack 'int size:8:4,unsigned long caller[8]:16:64' '"%ps", (void *)REC->caller[0]' \
		"1 ftrace:kernel_stack 0300000000000000$three" "2 ftrace:kernel_stack 0900000000000000$three$three$three"
	run -0 stream-cat -t stack.tb
	assert_line --partial ' size=3 caller=0x1,0x2,0x3'
	assert_line --partial ' size=9 caller=0x1,0x2,0x3,0x1,0x2,0x3,0x1,0x2,0x3'
	run -0 trace-export stack.tb
	assert_line --partial 'kernel_stack: size=9 caller=0x1,0x2,0x3,0x1,0x2,0x3,0x1,0x2,0x3'
}

@test "an event without its format cannot be printed" {
	plain_head >lone
	printf '\34\0\0\0\7\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0' >>lone
	run -1 stream-cat -t lone
	assert_output "stream-cat: lone: byte 16: no format came for event 1"
}

@test "what is compressed is named" {
	text | gzip >t.gz
	run -1 stream-cat t.gz
	assert_output "stream-cat: t.gz: it is compressed; use zcat"
}

@test "a saved trace is named, with the way to read it" {
	printf '# tracer: nop\n#\n' >trace
	run -1 stream-cat trace
	assert_output 'stream-cat: trace: it is ftrace text; use trace-import'
	printf 'PERFILE2\150\0' >perf.data
	run -1 stream-cat perf.data
	assert_output 'stream-cat: perf.data: it is a perf.data file; type perf script --ns --header -i FILE | trace-import'
	trace-export -f perfetto -o trace.pb "$TOP/testdata/demo.tb"
	run -1 stream-cat trace.pb
	assert_output "stream-cat: trace.pb: it is a Perfetto trace; give trace-import what 'traceconv systrace' makes of it"
}

@test "lost events are counted and give status 3" {
	echo 'lost ts=1 cpu=0 count=12' >t
	run -3 stream-cat -t t
	assert_output 'lost ts=1 cpu=0 count=12'
	echo 'lost ts=1 cpu=0' >t
	run -1 stream-cat -t t
	assert_output 'stream-cat: t:1: count= is missing'
}

@test "losses that only the end tells are handed on" {
	printf '%s\n' 'sample ts=1 value=2' 'lost ts=1 cpu=0 count=5' 'end records=2 lost=12' >t
	run -3 --separate-stderr blame-rank -t t
	assert_line 'end records=2 lost=12'
	grep -v ^lost t >less
	run -3 --separate-stderr blame-rank -t less
	assert_line 'end records=1 lost=12'
	run -3 --separate-stderr report <(blame-rank less)
	assert_line 'INCOMPLETE: 12 events were lost'
}

@test "a full disk is an error, a closed pipe is not" {
	text >t
	run -1 bash -c 'stream-cat -t t >/dev/full'
	assert_output "stream-cat: cannot write to standard output: no space left on device"
	bash -c 'set -o pipefail; yes "sample ts=1 value=1" | head -n 300000 | stream-cat -t 2>err | head -n 1; echo "${PIPESTATUS[2]}" >status' >/dev/null
	assert_equal "$(cat status)" 0
	assert_equal "$(cat err)" ""
}

@test "usage errors and missing files" {
	run -2 stream-cat --no-such-option
	run -2 stream-cat -t -b
	run -1 stream-cat missing
	assert_output "stream-cat: cannot open 'missing': no such file or directory"
}

@test "a terminal is not told what a stream says in its language" {
	printf 'sample ts=1 value=2 key="\033]0;title\007 \302\233 \377 caf\303\251"\n' >t
	run -0 script -qec "stream-cat t" /dev/null
	assert_output "sample ts=1 value=2 key=\"\\x1b]0;title\\x07 \\xc2\\x9b \\xff café\""$'\r'
	stream-cat -t t | cmp - t
	run -1 stream-cat "$(printf 'a\033[31m')"
	assert_output "stream-cat: cannot open 'a\\x1b[31m': no such file or directory"
}

@test "no file takes the place of a closed standard input or output" {
	text >t
	run -1 bash -c 'stream-cat t >&-'
	assert_output "stream-cat: cannot write to standard output: bad file descriptor"
	run -1 bash -c 'stream-cat <&-'
	assert_output "stream-cat: cannot read 'standard input': bad file descriptor"
	run -1 bash -c 'stream-cat --help >/dev/full'
	assert_output "stream-cat: cannot write to standard output: no space left on device"
}

@test "a damaged line in a binary stream is refused, not made text that nobody can read" {
	run -1 --separate-stderr stream-cat -t "$TOP/testdata/fuzz/cat/damaged-line.tb"
	assert_output $'sample ts=1 value=2\nunheard-of a=b'
	assert_regex "$stderr" 'damaged-line.tb: byte 65: column 6: the quote is not closed'
}

@test "what is wrong with an option is said" {
	wrong() { run -2 --separate-stderr "$1" "$2" && assert_equal "${stderr_lines[0]}" "$1: $3"; }
	wrong stream-cat -zt "no such option: '-z'"
	wrong stream-cat -tz "no such option: '-z'"
	wrong stream-cat --nothing "no such option: '--nothing'"
	wrong stream-cat --text=1 "option '--text' takes no value"
	wrong stream-cat --help=1 "option '--help' takes no value"
	wrong cchart-filter --si=2 "option '--si=2' could be --sides, --sigma"
}
