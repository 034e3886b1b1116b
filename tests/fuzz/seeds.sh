#!/bin/bash
# The inputs that a target begins with: seeds.sh TARGET DIR fills the folder, out of testdata/ and the kept findings.
set -eu
cd "$(dirname "$0")/../.."
target=$1 to=$2
mkdir -p "$to"

# As they are, and with each of these variants (fuzz.h).
copy() { # VARIANTS FILE...
	local variants=$1 file name i
	shift
	for file; do
		name=$(basename "$(dirname "$file")")-$(basename "$file")
		[ -f "$file" ] || continue
		[ "$(stat -c %s "$file")" -le 65000 ] || continue
		cp "$file" "$to/$name"
		for ((i = 0; i < ${#variants}; i++)); do
			{ echo "#${variants:i:1}"; cat "$file"; } >"$to/$name.${variants:i:1}"
		done
	done
}

case $target in
cat) copy '' testdata/*/*.txt
	head -c 60000 testdata/demo.tb >"$to/demo.tb" ;;
filter) copy '123456789:;<=>?@ABC' testdata/filter/*.txt testdata/fuzz/seeds/*.stream
	copy '2<?' testdata/wake/*.txt testdata/rag/*.txt ;;
rank) copy '123456789:;' testdata/blame/*.txt testdata/audit/*.txt
	copy '=5' testdata/wake/*.txt testdata/rag/*.txt
	copy '' testdata/fuzz/seeds/*.stream ;;
report) copy '123' testdata/report/*.txt testdata/blame/*.out testdata/wake/*.graph ;;
pipe) copy '2<=>?C' testdata/filter/*.txt testdata/wake/*.txt testdata/rag/*.txt testdata/fuzz/seeds/*.stream ;;
symbol) for program in build/incidents/self build/incidents/sleep; do
		[ ! -f $program ] || strip -g -o "$to/$(basename $program)" $program
	done ;;
chart) copy 1 charts/*.chart charts/*.context ;;
esac
for kept in testdata/fuzz/"$target"/*; do
	[ ! -f "$kept" ] || cp "$kept" "$to/"
done
