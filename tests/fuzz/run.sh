#!/bin/bash
# Fuzzes the readers, each for FUZZ_TIME seconds with inputs of at most FUZZ_LENGTH bytes: run.sh [TARGET...]. A finding is
# left in build-fuzz/findings/TARGET, and ends the run of that target only. What was found worth keeping by earlier runs is in
# build-fuzz/corpus/TARGET. Short inputs get far more tries in the same time, long ones reach the ends of buffers.
set -u
cd "$(dirname "$0")/../.." || exit 1
out=build-fuzz seconds=${FUZZ_TIME:-60} length=${FUZZ_LENGTH:-65536} status=0

make --no-print-directory -s -j"$(nproc)" O=$out CC=clang CFLAGS='-O1 -g' FUZZ_BY=mutate FUZZ_LINK=-fsanitize=fuzzer \
	SANITIZE='-fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize=pointer-overflow -fno-sanitize-recover=all' fuzz-programs || exit 1
if [ $# = 0 ]; then
	set -- tests/fuzz/*.c
	set -- "${@##*/}"
	set -- "${@%.c}"
fi

export TAILBLAME_DATA=$PWD
export LSAN_OPTIONS=suppressions=$PWD/tests/fuzz/leaks:print_suppressions=0
export ASAN_OPTIONS=quarantine_size_mb=16:detect_stack_use_after_return=0:${ASAN_OPTIONS:-}
for target; do
	corpus=$out/corpus/$target findings=$out/findings/$target
	mkdir -p "$corpus" "$findings"
	tests/fuzz/seeds.sh "$target" "$out/seeds/$target"
	start=$SECONDS
	# gnuplot would take all the time; no PATH, no gnuplot.
	PATH=/nonexistent "$out/fuzz/$target" -max_len="$length" -timeout="${FUZZ_TIMEOUT:-5}" -rss_limit_mb=512 -max_total_time="$seconds" \
		-dict=tests/fuzz/words.dict -artifact_prefix="$findings/" -close_fd_mask=1 -verbosity=1 -print_final_stats=1 \
		"$corpus" "$out/seeds/$target" >"$out/$target.log" 2>&1
	result=$?
	units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$target.log")
	coverage=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$out/$target.log" | tail -1)
	echo "$target: $((SECONDS - start)) s, ${units:-?} inputs, $coverage$([ $result = 0 ] || echo ", FINDING in $findings, told in $out/$target.log")"
	[ $result = 0 ] || status=1
done
exit $status
