#!/bin/sh
# Names the functions that the comments of headers show in use, in lines that begin with a tab, and no header has. For make lint.
set -eu
cd "$(dirname "$0")/.."

missing=0
for name in $(grep -rhE '^ \*	' lib --include='*.h' | grep -oE '\b[a-z0-9]+_[a-z0-9_]+\(' | sort -u); do
	grep -rhvE '^ \*' lib --include='*.h' | grep -qE "\b${name%(}\(" || { missing=1; echo "no header has $name)" >&2; }
done
exit $missing
