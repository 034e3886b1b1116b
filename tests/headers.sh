#!/bin/sh
# For make lint: functions that the comments of headers show in use, in lines that begin with a tab, and no header has; and files of
# a layer of lib/ that include a header of a layer below it.
set -eu
cd "$(dirname "$0")/.."

missing=0
for name in $(grep -rhE '^ \*	' lib --include='*.h' | grep -oE '\b[a-z0-9]+_[a-z0-9_]+\(' | sort -u); do
	grep -rhvE '^ \*' lib --include='*.h' | grep -qE "\b${name%(}\(" || { missing=1; echo "no header has $name)" >&2; }
done

# Each layer is free to use those before it.
above=
for layer in base stream event program source state chart window trigger graph span import clock wake calls walk blame log run fleet model report export preload; do
	above="$above $layer"
	for used in $(grep -hoE '^#include "[a-z]+/' "lib/$layer"/*.[ch] | cut -d'"' -f2 | tr -d / | sort -u); do
		case " $above " in
		*" $used "*) ;;
		*) missing=1; echo "lib/$layer uses lib/$used, which is a layer below it" >&2 ;;
		esac
	done
done
for layer in lib/*/; do
	layer=$(basename "$layer")
	case " $above " in *" $layer "*) ;; *) missing=1; echo "lib/$layer is no layer" >&2 ;; esac
done
exit $missing
