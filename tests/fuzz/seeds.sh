#!/bin/bash
# The inputs that a target begins with: seeds.sh TARGET DIR fills the folder out of testdata/, the kept findings, and what the
# commands in TAILBLAME_BUILD (build) make of them.
set -eu
cd "$(dirname "$0")/../.."
target=$1 to=$2 build=${TAILBLAME_BUILD:-build}
mkdir -p "$to"

# As they are, and with each of these variants (fuzz.h).
copy() { # VARIANTS FILE...
	local variants=$1 file name i
	shift
	for file; do
		name=$(basename "$(dirname "$file")")-$(basename "$file")
		[ "$(stat -c %s "$file")" -le 65000 ] || continue
		cp "$file" "$to/$name"
		for ((i = 0; i < ${#variants}; i++)); do
			{ echo "#${variants:i:1}"; cat "$file"; } >"$to/$name.${variants:i:1}"
		done
	done
}

# So many values of a chart, skewed, of two keys; a few are slow, and the level of one key changes.
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

# A recorded stream, cut short: its formats, and its first events.
recorded() { # BYTES
	head -c "$1" testdata/demo.tb
}

lately() { # FILE: its beginning, and its end, where it becomes slow
	sed -n '1,40p' "$1"
	tail -n 60 "$1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lately testdata/filter/slow-read.txt >"$work/slow-read"
samples 600 >"$work/samples"
samples 120 >"$work/few"
sed '/value=[1-9]/!s/value=[0-9.]*/value=0.01/; s/key=[ab]/& count=3/' "$work/few" >"$work/rates"

case $target in
cat)
	copy '' testdata/*/*.txt "$work/few"
	recorded 45000 >"$to/recorded"
	;;
filter)
	copy '123456789:;<=>?@ABC' "$work/slow-read" "$work/few"
	copy '1C4' "$work/samples"
	copy ':;' "$work/rates"
	copy '2<?' testdata/wake/*.txt testdata/rag/*.txt
	recorded 60000 >"$to/recorded"
	;;
rank)
	copy '123456789:;' testdata/blame/*.txt testdata/audit/*.txt
	copy '=5' testdata/wake/*.txt testdata/rag/*.txt
	cat testdata/blame/*.txt >"$work/all"
	copy '9:' "$work/all"
	;;
report)
	copy '123' testdata/report/*.txt testdata/blame/*.out testdata/wake/*.graph
	"$build/cchart-filter" --text --false-alarms 0.01 "$work/samples" >"$work/charted"
	"$build/cchart-filter" --text --method imr --relearn 1s "$work/samples" >"$work/changed"
	"$build/blame-rank" --text --diff testdata/blame/two-moments.txt testdata/blame/wake-lock.txt >"$work/diff"
	copy '123' "$work/charted" "$work/changed" "$work/diff"
	;;
pipe)
	copy '2<=>?C' "$work/slow-read" testdata/wake/*.txt testdata/rag/*.txt
	copy '1C4' "$work/samples"
	cp testdata/fuzz/rank/lock.tb "$to/"
	;;
symbol)
	for program in build/incidents/self build/incidents/sleep; do
		[ ! -f $program ] || strip -g -o "$to/$(basename $program)" $program
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
chart) copy 1 charts/*.chart charts/*.context ;;
esac
for kept in testdata/fuzz/"$target"/*; do
	[ ! -f "$kept" ] || cp "$kept" "$to/"
done
