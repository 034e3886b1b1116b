#!/bin/bash
# The inputs that a target begins with: seeds.sh TARGET DIR [EVERY] fills the folder out of testdata/, the kept findings, and what the
# commands in TAILBLAME_BUILD (build) make of them. Of files of testdata/ and their variants, it takes one of EVERY (1).
set -eu
cd "$(dirname "$0")/../.."
target=$1 to=$2 every=${3:-1} build=${TAILBLAME_BUILD:-build}
mkdir -p "$to"

# As they are, and with each of these variants (fuzz.h).
copy() { # VARIANTS FILE...
	local variants=$1 file name i
	shift
	for file; do
		name=${file%/*} name=${name##*/}-${file##*/}
		[ "$(stat -c %s "$file")" -le 65000 ] || continue
		((++copied % every)) || cp "$file" "$to/$name"
		for ((i = 0; i < ${#variants}; i++)); do
			((++copied % every)) || { echo "#${variants:i:1}"; cat "$file"; } >"$to/$name.${variants:i:1}"
		done
	done
}
copied=0

# COUNT values of a chart, skewed, of two keys; a few are slow, and the level of one key changes.
samples() { # COUNT
	awk -v count="$1" 'BEGIN {
		state = 7 # a Lehmer generator: rand() is another in every awk
		for (i = 1; i <= count; i++) {
			state = state * 16807 % 2147483647
			value = -log(state / 2147483647) / 1000 * (i % 2 && i > count * 0.6 ? 5 : 1) + (i % 97 == 96)
			printf "sample ts=%d.%03d start=%d chart=db key=%s value=%.6f n=%d tid=%d\n",
				i / 10, i % 10 * 100, i / 10, i % 2 ? "a" : "b", value, 100 + i % 3, 10 + i % 5
		}
	}'
}

# Calls that fail, wake-ups and interrupts, many more of each for a while in the end.
rates() {
	awk 'BEGIN {
		for (i = 0; i < 240; i++) {
			t = sprintf("%d.%03d", i < 160 ? i / 8 : 20 + (i - 160) / 40, i < 160 ? i % 8 * 125 : (i - 160) % 40 * 25)
			printf "event ts=%s cpu=%d tid=%d name=raw_syscalls:sys_exit id=%d ret=%d\n", t, i % 2, i % 5, i % 3, (i > 160 || i % 9 == 0 ? -5 : 4)
			printf "event ts=%s cpu=%d tid=%d name=sched:sched_waking comm=a pid=%d\n", t, i % 2, i % 5, i % 7
			printf "event ts=%s cpu=%d tid=0 name=irq:irq_handler_entry irq=%d name=disk\n", t, i % 2, i % 3
		}
	}'
}

# A thread of a group that had used up its quota, until the group's timer lets it run again.
throttled() {
	cat <<-'end'
		task ts=0 tid=10 comm=victim tgid=10
		quota ts=1.000 group=/g quota=0.01 period=0.1 timers=0xabc
		event ts=1.000 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=victim next_pid=10
		event ts=1.100 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=R next_pid=0
		event ts=1.200 cpu=0 tid=0 name=timer:hrtimer_expire_entry hrtimer=0x1 function=0xabc
		event ts=1.200 cpu=0 tid=0 name=timer:hrtimer_expire_exit hrtimer=0x1
		event ts=1.201 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_pid=10
		quota ts=1.250 since=1.050 group=/g quota=0.01 period=0.1 timers=0xabc count=1 time=0.1 tids=10,11
		event ts=1.300 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=S next_pid=0
		signal id=1 ts=1.290 start=1.050 chart=func:x:y value=0.24 center=0.01 ucl=0.1 rules=1 tid=10
		window id=1 from=1.0 to=1.3 signals=1-1 complete=yes
	end
}

# A recorded stream, cut short: its formats, and its first events. Without blocks: a changed record in a block is only a bad block.
recorded() { # BYTES
	head -c "$1" testdata/demo.tb
}

in_blocks() { # BYTES
	recorded "$1" | "$build/stream-cat" -b 2>/dev/null || [ $? = 3 ]
}

# A stream of three hosts, of whom one comes late, with the records of two files in turn; the numbers of their threads are the same.
hosts() { # FILE FILE
	echo 'stream version=1 clock=mono'
	paste -d '\n' <(grep -Ev '^(#|stream|end)' "$1") <(grep -Ev '^(#|stream|end)' "$2") |
		awk 'NF { h = NR % 40 == 0 ? "c" : NR % 2 ? "a" : "b"; print "host name=" h (told[h]++ ? "" : " kernel=6.18 cpus=4"); print }'
	echo 'lost ts=1.0 cpu=0 count=2 from=0.5'
}

lately() { # FILE: its beginning, and its end, where it becomes slow
	sed -n '1,40p' "$1"
	tail -n 60 "$1"
}

# With debugging information.
programs() {
	local program
	for program in build/incidents/self build/incidents/sleep; do
		[ ! -f $program ] || objcopy --compress-debug-sections $program "$to/$(basename $program)"
	done
	cp testdata/fuzz/image/*[!z] "$to/"
}

# Registers of a thread, and its stack: all point into the stack, but for the place in the file, which each caller has too.
walk() { # OFFSET
	python3 -c '
import struct, sys
offset, stack = int(sys.argv[1]), 0x7fff0000
sys.stdout.buffer.write(struct.pack("<16QQ", *[stack + 64] * 7, stack, *[stack + 128] * 8, offset))
sys.stdout.buffer.write(struct.pack("<Q", 0x400000 + offset) * 128)' "$1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lately testdata/filter/slow-read.txt >"$work/slow-read"
samples 600 >"$work/samples"
samples 120 >"$work/few"
rates >"$work/counts"
hosts testdata/wake/block.txt testdata/wake/asks.txt >"$work/hosts"
hosts "$work/slow-read" "$work/few" >"$work/slow-hosts"
throttled >"$work/throttled"
sed '/value=[1-9]/!s/value=[0-9.]*/value=0.01/; s/key=[ab]/& count=3/' "$work/few" >"$work/rates"

case $target in
semantics)
	printf '%s\n' '# a comment' "edge from='t:post(job)' to=\"t:run(job)\" # same key" 'boundary event=t:run' >"$to/edge"
	printf '%s\n' 'for event=t:run(job) process=job' 'cut from="m*" to=* syscall=read function=""' 'join from=20#1 to=10#3' >"$to/others"
	printf '%s\n' "edge from='async:post(turn)' to='async:run(turn)'" 'boundary event=async:pause' >"$to/tasks"
	printf '%s\n' "handoff from='func:./a:b(c)' to='func:./a:d(ret)'" "boundary event='func:./app:run(a\"b)'" >"$to/functions"
	;;
cat)
	copy '' testdata/*/*.txt "$work/few" "$work/hosts"
	recorded 45000 >"$to/recorded"
	;;
filter)
	copy '123456789:;<=>?@ABC' "$work/slow-read" "$work/few"
	copy '12' "$work/hosts" "$work/slow-hosts"
	copy '1C4' "$work/samples"
	copy ':;' "$work/rates"
	copy 'DEF' "$work/counts"
	copy '2<?' "$work/throttled" testdata/wake/*.txt testdata/rag/*.txt
	recorded 60000 >"$to/recorded"
	in_blocks 60000 >"$to/blocks"
	;;
rank)
	copy '123456789:;' testdata/blame/*.txt testdata/audit/*.txt
	copy '=5' "$work/throttled" testdata/wake/*.txt testdata/rag/*.txt
	copy '15:' "$work/hosts"
	cat testdata/blame/*.txt >"$work/all"
	copy '9:' "$work/all"
	;;
walk)
	copy '' testdata/wake/*.txt
	for file in testdata/wake/*.txt; do
		"$build/graph-build" --whole --text "$file" 2>/dev/null | grep -v '^event' >"$work/$(basename "$file" .txt).whole"
	done
	copy '' "$work"/*.whole
	;;
export)
	copy '0123456789:' testdata/export/*.txt testdata/report/charts.txt "$work/hosts"
	copy '0124567' testdata/wake/{asks,block,stack}*.txt testdata/wake/block.graph
	copy '235' testdata/blame/*.out
	for i in 0 1 2 3 4 5 6 7 8 9 10; do # the length chooses the format
		recorded $((45000 + i)) >"$to/recorded.$i"
	done
	in_blocks 60000 >"$to/blocks"
	;;
report)
	copy '123' testdata/report/*.txt testdata/blame/*.out testdata/wake/*.graph
	"$build/cchart-filter" --text --false-alarms 0.01 "$work/samples" >"$work/charted"
	"$build/cchart-filter" --text --method imr --relearn 1s "$work/samples" >"$work/changed"
	"$build/blame-rank" --text --diff testdata/blame/wake-circle.txt testdata/blame/wake-lock.txt >"$work/diff"
	for i in 1 2 3 4 5 6; do
		echo "call ts=$i.5 start=$i tid=7 function=srv:look request=$i trigger=t match=$([ $i -lt 4 ] && echo yes || echo no) arg.id=$((i / 4)) arg.name=\"a b\" ret=$i"
	done >"$work/calls"
	copy '123' "$work/charted" "$work/changed" "$work/diff" "$work/calls"
	hosts <(tail -n 40 "$work/charted") testdata/wake/block.graph >"$work/of-hosts"
	copy '1234' "$work/of-hosts"
	printf '%s\n' 'view kind=lanes path="a/*" title=t' 'view kind=rate path="**"' 'view kind=flow path="*"' 'state ts=1 path=h/a/b value=x' \
		'state ts=2 path=h/a/b value=7' 'state ts=3 path=h/a/b since=1.5' 'signal id=1 ts=3 start=3 chart=x value=0 rules=state tid=7 text=t' \
		'span id=1 ts=3 start=1 host=h service=a' 'span id=2 parent=1 ts=3 start=2 service=b' 'graph id=1 root=1 from=1 to=3 kind=rag' >"$work/views"
	copy '2' "$work/views"
	;;
pipe)
	copy '2<=>?C' "$work/slow-read" testdata/wake/*.txt testdata/rag/*.txt
	copy '1C4' "$work/samples"
	copy 'DEF' "$work/counts"
	copy '2?' "$work/throttled" "$work/hosts" "$work/slow-hosts"
	cp testdata/fuzz/rank/lock.tb "$to/"
	;;
symbol)
	for program in build/incidents/self build/incidents/sleep; do
		[ ! -f $program ] || strip -g -o "$to/$(basename $program)" $program
	done
	;;
lookup)
	perl - "$to" <<-'END'
		my $to = shift;
		sub answer { # KIND COUNT NUMBER TEXT
			my $head = pack "VVQCCCCl(ll)17", @_[0..2], 1, 0, 0, 7, 16, (1, -8) x 17;
			return pack "v/a", $head . $_[3];
		}
		my ($done, $failed, $more, $place, $wish) = (0 .. 4);
		my %seeds = (
			place => "\0" . answer($place, 2, 1, "inner\0outer\0") . answer($wish, 0, 0, "debug") . answer($place, 0, 0, ""),
			id => "\1" . answer($done, 0, 0, "0123456789abcdef"),
			offset => "\2" . answer($done, 0, 4096, ""),
			failed => "\2" . answer($failed, 0, 0, "no function 'f'\n\e[2J"),
			matching => "\3" . answer($more, 0, 0, "f1") . answer($more, 0, 0, "f2") . answer($done, 0, 2, ""),
			traits => "\4" . answer($done, 0, 18, "/lib\0libc.so.6\0libm.so.6\0"),
			ends => "\5" . answer($done, 0, 4100, pack "QQQ", 4200, 4300, 4400),
			arguments => "\7" . answer($done, 0, 0, pack "CCCC x4 CC x6 q12 CC x6 q12", 4, 255, 0, 0, 5, 2, 8, (0) x 11, 5, 1, 16, (0) x 11),
			instruction => "\10" . answer($done, 0, 4100, ""),
			switches => "\6" . answer($done, 0, 0, pack "Qa24Qa24", 1, "%r8", 2, "+56(%di)"),
		);
		for (keys %seeds) { open my $file, ">", "$to/$_" or die; print $file $seeds{$_} }
	END
	;;
image | scopes | functions)
	programs
	;;
arguments)
	programs
	printf "r->url,n=@a::b.c[12]:u32,%%3:string,ret" >"$to/words"
	printf "f::operator()(this->x)" >"$to/operator"
	;;
unwind)
	programs
	for program in "$to"/*; do
		start=$(readelf -sW "$program" | awk '$8 == "main" { print $2; exit }')
		walk "$((0x${start:-0} + 30))" | cat - "$program" >"$work/walk"
		mv "$work/walk" "$program"
	done
	;;
import_dat)
	cp testdata/import/*.dat "$to/"
	zcat testdata/import/hog.6.dat.gz >"$to/hog.6.dat"
	for file in "$to"/*.dat; do
		for variant in 0 1 2 3; do
			{ cat "$file"; printf '%d' $variant; } >"$file.$variant"
		done
	done
	;;
import_text)
	for file in testdata/import/*.gz; do
		case $file in *.dat.gz) continue ;; esac
		zcat "$file" | sed -n '1,60p' >"$work/$(basename "$file" .gz)"
	done
	copy 345 "$work"/*.*
	;;
states)
	cp charts/states/*.state "$to/"
	cat >"$to/server" <<-'end'
		states name=server title="a server"
		on event=x:call if="cmd != \"\" && !(fd == '5' || n > 3)" push path="Requests/{fd}/{cmd}" value="call {cmd}"
		on event=x:call set path="Threads/{tid}/Fd" value="{fd}"
		on event=x:ret if="[Threads/{tid}/Fd] != null" add path="Connections/{[Threads/{tid}/Fd]}/In" value="{ret}"
		on event=x:ret pop path="/CPUs/{cpu}/{comm}"
		on event=x:ret clear path="Threads/{tid}/Fd"
		alarm event=x:call if="[Threads/{tid}/Fd] == '5'" text="{cmd} again"
		view kind=lanes path="Threads/*/Fd"
	end
	;;
history)
	cat >"$work/t.state" <<-'end'
		states name=t
		on event=x:a set path="Threads/{tid}/Fd" value="{v}"
		on event=x:a set path="Requests/{v}/Command" value="call {v}"
		view kind=lanes path="Threads/**"
	end
	awk 'BEGIN { for (i = 1; i < 300; i++) printf "event ts=%d.0 cpu=0 tid=%d comm=a name=x:a v=%d\n", i, i % 2 + 1, i % 3 }' >"$work/events"
	"$build/state-build" -s "$work/t.state" -o "$to/history" "$work/events"
	;;
live | merge | spans)
	for host in a b c; do awk -v host=$host -v count=20 -f testdata/clock/talk.awk >"$to/$host"; done
	recorded 45000 >"$to/recorded"
	[ "$target" != live ] || for variant in 1 2 4 7 8; do { echo "#$variant"; cat "$to/a"; } >"$to/a.$variant"; done
	;;
import_spans) cp testdata/spans/*.json "$to/" ;;
import_ctf) copy '' testdata/import/*.ctf ;;
import_strace)
	for log in testdata/import/*.strace; do
		cp "$log" "$to/"
		{ cat "$log"; echo; } >"$to/$(basename "$log").merged" # of another parity
	done
	;;
timeshift)
	# a number, how to interpolate, one CPU, three samples: times, offsets, scales
	printf '%b' '\x67\x12\0\0\0\0\0\0' '\x01\0\0\0' '\x01\0\0\0' '\x03\0\0\0' '\x2c\x01\0\0\0\0\0\0' '\x64\0\0\0\0\0\0\0' \
		'\xc8\0\0\0\0\0\0\0' '\xc4\x09\0\0\0\0\0\0' '\xe8\x03\0\0\0\0\0\0' '\xd0\x07\0\0\0\0\0\0' \
		'\x01\0\0\0\0\0\0\0' '\x01\0\0\0\0\0\0\0' '\x01\0\0\0\0\0\0\0' >"$to/samples"
	;;
features)
	copy 1234 testdata/run/*.txt
	;;
runs)
	for seed in 1 2 3; do
		awk -v seed=$seed 'BEGIN { for (i = 0; i < 24; i++) { bad = i % 4 == seed; id = "r" i
			printf "run id=%s node=n%d job=j ts=%d elapsed=%.3f exit=%d%s\n", id, i % 8, i, (bad ? 3 : 1) + i * seed % 7 / 50, bad, i == 5 ? " partial=yes" : ""
			printf "features run=%s count.read=%d time.read=%.4f next.read-write=%d fact.os=%s\n", id, bad ? 90 + i : 3 + i % 3, bad ? 2 : 0.1, i, i % 3 ? "a" : "b"
			printf "config run=%s name=sysctl.a value=%s\n", id, bad ? "on" : 7 } }' >"$work/runs-$seed"
	done
	copy 123 "$work"/runs-*
	"$build/run-cluster" -t "$work/runs-1" 2>/dev/null >"$work/grouped" || [ $? = 3 ]
	copy 12 "$work/grouped"
	;;
table)
	awk 'BEGIN { print "a,b,class"; for (i = 0; i < 30; i++) printf "%s,\"x%d\",%s\n", i % 7 ? i : "?", i % 3, i < 20 ? "y" : "n" }' >"$to/table"
	cp charts/jobs/*.job charts/formats/calls.sizes "$to/"
	printf '%s\n' nginx '10.0.0.1 - - [22/Nov/2026:20:00:01 +0000] "GET / HTTP/1.1" 200 1000 "-" "Wget/1.21 (linux)" 1.5' >"$to/nginx"
	printf '%s\n' '%h %l [%t] "%r" %>s %b %D "%{User-Agent}i"' '::1 - [[22/Nov/2026:20:00:01 +0000]] "GET \"/" 404 - 1500 "curl/8"' >"$to/own"
	;;
fleet)
	printf '%s\n' 'stream version=1' 'run id=n:b:1.0:7 node=n job=j ts=1 elapsed=2 program=p' 'features run=n:b:1.0:7 count.read=3' \
		'config run=n:b:1.0:7 name=sysctl.a value="x y"' 'end records=4 lost=0' >"$to/run"
	printf 'told id=n:j:1 job=j node=n text="program x may not"\n' >"$to/told"
	printf '%s\n' 'order id=17 job=wget until=1900000000 runs=20 nodes=* light=yes text="program wget\nconfig Ini /etc/x\nsysctl net.* kernel.a\nmap poll=select # c"' \
		'order id=18 job=x until=1900000000 runs=1 nodes=k[1-3] text="program curl7\ndirectory /srv\n"' >"$to/orders"
	printf 'program wget curl*\nconfig Ini /etc/x*\n# none\nhost a\n' >"$to/may"
	printf '%s\n' 'stream version=1 host=k clock=mono wall=1795455815.5 boot=b moments=k:2026-11-23-170000:1' 'device dev=7:0 name=loop0' \
		'lost ts=1 cpu=0 count=3 from=0.5' 'signal id=1 ts=3 start=1 chart=block key=7:0 value=2 center=0.1 ucl=1 rules=1 tid=7 comm=a signs=2 sign_ts=0.5 sign_value=0.7' \
		'graph id=1 window=1 signal=1 from=1 to=3 kind=wake' 'path graph=1 node=2 from=1 to=2 tid=7 what=queue deed=hold-back whom=a request=read dev=7:0 scheduler=bfq' \
		'path graph=1 node=3 from=2 to=3 tid=9 what=run deed=run who=b' 'blame graph=1 rank=1 name="b: running" score=1 share=0.5 on_path=yes instances=1 algorithm=critical tid=9 deed=run who=b' \
		'window id=1 from=0 to=4 signals=1-1 complete=yes' 'end lost=3 cut=yes gaps=yes' >"$to/moments"
	;;
markers)
	perl - "$to" <<-'END'
		my $magic = 1952604465;
		my @head = ($magic, 5, 8, 7, 3);
		my @rows = ([1 + 256 * 5, 1, 0, 0], [2, 1, 0, 0], [3, 1, 0, 0], [4 + 16, 1, 0, 2], [5 + 32, 1, 3, 0]);
		my $all = pack("d5", @head) . join("", map { pack "d5", 999e9, @$_ } @rows) . "na\e[m";
		my %seeds = (all => $all, short => substr($all, 0, -1), none => pack("d5", $magic, 0, 0, 0, 0),
			thrown => "#" . pack("d10", $magic, 1, 8, 7, 0, 999e9, 6 + 16 + 256 * 12, 3, 2, 0) . "E\nwh\0t\nf;g;h",
			far => pack("d10", $magic, 1, 8, 7, 0, 999e9, 1, 1e300, -1, "nan"));
		for (keys %seeds) { open my $file, ">", "$ARGV[0]/$_" or die; print $file $seeds{$_} }
	END
	;;
chart) copy 1 charts/*.chart charts/*.context ;;
trigger)
	copy '' charts/triggers/* testdata/trigger/*.trigger
	while read -r place text; do
		[ "$place" = "#" ] || printf '%s' "$text" | tr '|' '\n' >"$to/bad-$place-${#text}"
	done <testdata/trigger/bad.txt
	{
		cat charts/triggers/slow-request.trigger charts/triggers/throughput-drop.trigger
		echo %%
		lately testdata/filter/slow-read.txt
	} >"$to/with-stream"
	{
		cat charts/triggers/slow-request.trigger
		echo %%
		cat "$work/slow-hosts"
	} >"$to/with-hosts"
	;;
esac
for kept in testdata/fuzz/"$target"/*; do
	case $kept in
	*.gz) zcat "$kept" >"$to/$(basename "$kept" .gz)" ;;
	*) [ ! -f "$kept" ] || cp "$kept" "$to/" ;;
	esac
done
