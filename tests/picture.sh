#!/bin/sh
# Draws the pictures of README from stored streams: the control chart of the demo's incident, and the path of a request for a lock.
#	picture.sh BUILD FOLDER
set -eu
data=$(cd "$(dirname "$0")/../testdata" && pwd)
PATH=$(cd "$1" && pwd):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# picture STREAM CAPTION FILE: the picture over this caption on the stream's page, alone
picture()
{
	cchart-filter "$data/$1" | blame-rank | report -f html -o "$work"
	awk -v caption="$2" '
		/<svg/ { svg = ""; on = 1 }
		on { sub(/[ \t]+$/, ""); svg = svg $0 "\n" }
		/<\/svg>/ { on = 0 }
		index($0, "<figcaption>" caption) { printf "%s", svg; found = 1; exit }
		END { exit !found }' "$work/report.html" >"$3"
}

picture demo.tb 'Chart ' "$2/chart.svg"
picture lock.txt 'The critical path' "$2/path.svg"
