#!/bin/bash
# Every test, with the ordinary build and once more with the address and undefined-behaviour sanitizers: what is traced live, one
# after the other, and beside it what needs no kernel. Live tests that mostly wait have the tag aside: they come last, those that wait for
# the mean of ten seconds (cost) beside those that wait for somebody else's end.
# The last line is: N passed, N failed, N skipped. Called by make.
set -u
cd "$(dirname "$0")/.." || exit 1
logs=$(mktemp -d)
built=$logs/built # an empty file, when the second build is made
trap 'rm -rf "$logs"' EXIT

# The C tests of one build (TAP, or an exit status for the lot).
unit() { # DIR
	local program
	for program in "$1"/tests/*; do
		[ -x "$program" ] && [ ! -d "$program" ] || continue
		timeout 300 "$program" >"$program.out" 2>&1
		case $? in
		0) echo "ok - unit $(basename "$program")" ;;
		77) echo "ok - unit $(basename "$program") # skip $(tail -n1 "$program.out")" ;;
		*) cat "$program.out" && echo "not ok - unit $(basename "$program")" ;;
		esac
	done
}

# Tests in bats, those of one build that have the tags and are in the files.
scripts() { # DIR TAGS FILE...
	TAILBLAME_BUILD=$PWD/$1 timeout 3600 bats --timing --formatter tap --filter-tags "$2" "${@:3}"
	[ $? -lt 2 ] || echo "not ok - bats itself"
}

count() { cat "$logs"/* | grep -cE "$1"; }

# Where python3 is a script that looks for one (pyenv), that takes longer than most of what is asked of it.
if interpreter=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null); then
	case :$PATH: in *":$interpreter:"*) ;; *) PATH=$interpreter:$PATH ;; esac
fi

jobs=$(nproc)
make --no-print-directory -j"$jobs" test-programs >/dev/null || exit 1

all=(tests/*.bats)
# Not what is about figures, timing, or programs and files of others: no memory is read there that is not elsewhere. Nor
# what puts a library of its own before that of the sanitizers, nor what takes over two seconds (long), for there are
# shorter tests of the same code. Inputs that were trouble once need sanitizers to show (sanitized).
GLOBIGNORE=tests/incidents.bats:tests/install.bats:tests/manuals.bats:tests/page.bats:tests/viewers.bats
some=(tests/*.bats)

# What needs no kernel takes the CPU time that live tests leave, and is preempted by them at once. So does the second build.
background() { # LOG DIR TAGS FILE...
	{ unit "$2" && scripts "${@:2}"; } >"$logs/$1" 2>&1
}
# Most of its tests are starts of programs: these map no more libraries than they need, and lie where they were linked to, which leaves
# out a quarter of a start. The programs of incidents are those of the ordinary build.
sanitized() {
	mkdir -p build-san && ln -sfn ../build/incidents build-san/incidents &&
		make --no-print-directory -j"$jobs" O=build-san CFLAGS='-Og -g1 -w' LDFLAGS=-no-pie FUZZ_LINK=-no-pie \
			SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -static-libubsan' test-programs >/dev/null &&
		touch "$built" && background 2 build-san '!live,!figures,!long' "${some[@]}"
}
# Gives processes a policy, and what they have begun: whatever they begin from then on inherits it.
schedule() { # --idle|--other PID...
	local pid
	for pid in "${@:2}"; do
		chrt "$1" -p 0 "$pid" >/dev/null 2>&1
		# shellcheck disable=SC2046 # a word a child
		schedule "$1" $(cat "/proc/$pid/task"/*/children 2>/dev/null)
	done
}
idle() { # COMMAND...
	schedule --idle $BASHPID
	"$@"
}
idle background 1 build '!live,!sanitized' "${all[@]}" &
first=$!
idle sanitized &
second=$!
echo "# live, as installed"
scripts build 'live,!aside' "${all[@]}" | tee "$logs/3"
until [ -e "$built" ]; do # on a busy machine what is idle gets no CPU time at all
	kill -0 "$second" 2>/dev/null || exit 1
	schedule --other "$second"
	sleep 1
done
schedule --idle "$second"
echo "# live, with sanitizers"
scripts build-san 'live,!figures,!preload,!long' "${some[@]}" | tee "$logs/4"
echo "# live, those that mostly wait, as installed"
for part in 'cost' '!cost'; do
	scripts build "live,aside,$part" "${all[@]}" >"$logs/5$part" &
	waiting+=($!)
done
wait "${waiting[@]}"
schedule --other "$first" "$second"
wait
cat "$logs"/5*

# What else the machine does is traced, too, so live tests that failed twice have a last try when nothing else runs. It is told.
last_try() { # LOG DIR
	local name file pattern
	perl -ne 'if (/^not ok \d+ (.*) in \d+ms$/) { $name = $1 } elsif (defined $name && /^# \((?:.* )?in test file ([^ ,]+)/) {
		print "$1\t$name\n"; undef $name }' "$logs/$1" >"$logs/failed"
	while IFS=$'\t' read -r file name <&3; do
		echo "# second try, alone: $name"
		pattern=$(printf '%s' "$name" | sed 's/[^[:alnum:] ]/.*/g')
		TAILBLAME_BUILD=$PWD/$2 timeout 300 bats --formatter tap -f "^$pattern\$" "$file" </dev/null >"$logs/alone.tap" 2>&1 &&
			grep -qxF "ok 1 $name" "$logs/alone.tap" && NAME=$name perl -i -pe 's/^not (?=ok \d+ \Q$ENV{NAME}\E in \d+ms$)//' "$logs/$1"
		cat "$logs/alone.tap"
		rm "$logs/alone.tap"
	done 3<"$logs/failed" >"$logs/alone.$1"
	rm "$logs/failed"
	sed 's/^\(not \)\{0,1\}ok /# &/' "$logs/alone.$1" | tee "$logs/alone.$1.told"
	rm "$logs/alone.$1"
}
last_try 3 build
last_try 4 build-san
last_try '5cost' build
last_try '5!cost' build
echo "# without the kernel, as installed"
cat "$logs/1"
echo "# without the kernel, with sanitizers"
cat "$logs/2"

skipped=$(count '^ok .*# skip')
passed=$(($(count '^ok') - skipped))
failed=$(count '^not ok')
echo "# second tries: $(count '^# second try[:,]')"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
