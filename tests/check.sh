#!/bin/bash
# Every test. What needs no kernel runs with the address and undefined-behaviour sanitizers; figures, timing, and what takes long run with the
# build that is installed. Live tests run with that build, and once more with sanitizers.
#
# Live tests run one after the other, for each sees what else the machine does, in sessions that go before all others; beside them, all else at
# idle priority. Live tests that mostly wait (tag aside) come last.
#
# The last line is: N passed, N failed, N skipped. Called by make.
set -u
cd "$(dirname "$0")/.." || exit 1
logs=$(mktemp -d)
front=() # what bats is run by
built=$logs/built # an empty file, when the second build is made
trap 'rm -rf "$logs"' EXIT

# The C tests (TAP, or an exit status for the lot). At idle priority they may take a hundred times as long as they need.
unit() {
	local program
	for program in build-san/tests/*; do
		[ -x "$program" ] && [ ! -d "$program" ] || continue
		timeout 3600 "$program" >"$program.out" 2>&1
		case $? in
		0) echo "ok - unit $(basename "$program")" ;;
		77) echo "ok - unit $(basename "$program") # skip $(tail -n1 "$program.out")" ;;
		*) cat "$program.out" && echo "not ok - unit $(basename "$program")" ;;
		esac
	done
}

# The files with such a tag: bats reads every line of a file before it knows which tests to run.
tagged() { # TAG FILE...
	grep -lE "^# bats (file|test)_tags=.*\<$1\>" "${@:2}"
}

# Tests in bats with one build: those in the files that have the tags. Of several lists of tags, one must fit.
scripts() { # DIR 'TAG,...[ TAG,...]' FILE...
	local filters=()
	for tags in $2; do filters+=(--filter-tags "$tags"); done
	TAILBLAME_BUILD=$PWD/$1 "${front[@]}" timeout 3600 bats --timing --formatter tap "${filters[@]}" "${@:3}"
	[ $? -lt 2 ] || echo "not ok - bats itself"
}

count() { cat "$logs"/* | grep -cE "$1"; }

# Where python3 is a script that looks for one (pyenv), that takes longer than most of what is asked of it.
if interpreter=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null); then
	case :$PATH: in *":$interpreter:"*) ;; *) PATH=$interpreter:$PATH ;; esac
fi

jobs=$(nproc)
make --no-print-directory -j"$jobs" all incident-programs >/dev/null || exit 1

# With sanitizers run no tests of figures or timing (tag figures), none over two seconds (long), none that load a library before that of the
# sanitizers (preload), and none of programs and files of others (these files).
others=(tests/{incidents,install,manuals,page,viewers}.bats)
all=(tests/*.bats)
GLOBIGNORE=$(IFS=: && echo "${others[*]}")
some=(tests/*.bats)
unset GLOBIGNORE
mapfile -t live < <(tagged live "${all[@]}")
mapfile -t live_some < <(tagged live "${some[@]}")
mapfile -t aside < <(tagged aside "${all[@]}")
mapfile -t slow < <(tagged '(figures|long)' "${some[@]}")

# What needs no kernel takes the CPU time that live tests leave, and is preempted by them at once. So does the second build.
installed() {
	{
		scripts build '!live' "${others[@]}"
		scripts build '!live,!sanitized,figures !live,!sanitized,long' "${slow[@]}"
	} >"$logs/1" 2>&1
}
# Most of its tests are starts of programs. These lie where they were linked to, which takes a quarter off a start. The programs of incidents
# are those of the ordinary build.
sanitized() {
	mkdir -p build-san && ln -sfn ../build/incidents build-san/incidents &&
		make --no-print-directory -j"$jobs" O=build-san CFLAGS='-Og -g1 -w' LDFLAGS=-no-pie FUZZ_LINK=-no-pie \
			SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -static-libubsan' test-programs >/dev/null &&
		touch "$built" && { unit && scripts build-san '!live,!figures,!long' "${some[@]}"; } >"$logs/2" 2>&1
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
idle installed &
first=$!
idle sanitized &
second=$!
front=(tests/before_others.sh)
echo "# live, as installed"
scripts build 'live,!aside' "${live[@]}" | tee "$logs/3"
until [ -e "$built" ]; do # on a busy machine what is idle gets no CPU time at all
	kill -0 "$second" 2>/dev/null || exit 1
	schedule --other "$second"
	sleep 1
done
schedule --idle "$second"
echo "# live, with sanitizers"
scripts build-san 'live,!figures,!preload,!long' "${live_some[@]}" | tee "$logs/4"
echo "# live, those that mostly wait, as installed"
for part in 'cost' '!cost'; do
	scripts build "live,aside,$part" "${aside[@]}" >"$logs/5$part" &
	waiting+=($!)
done
wait "${waiting[@]}"
schedule --other "$first" "$second"
wait
cat "$logs"/5*

echo "# without the kernel, as installed"
cat "$logs/1"
echo "# without the kernel, with sanitizers"
cat "$logs/2"

skipped=$(count '^ok .*# skip')
passed=$(($(count '^ok') - skipped))
failed=$(count '^not ok')
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
