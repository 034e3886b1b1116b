# shellcheck shell=bash
# common.bash: what the benchmarks measure with, for them to source. Wants $work, a folder, and $runs.

median()
{
	sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

# Runs a command $runs times; sets $real and $cpu (of the command and all its children), the medians in seconds. Ends
# with 1 at the first failure; data lost (3) are none, the rows say how many.
measure()
{
	local n TIMEFORMAT='%R %U %S'
	for ((n = 0; n < runs; n++)); do
		{ time "$@" >"$work/out" 2>"$work/err"; } 2>&1 || [ $? = 3 ] || return 1
	done >"$work/times"
	# shellcheck disable=SC2034 # for whoever sources this
	real=$(cut -d' ' -f1 "$work/times" | median)
	# shellcheck disable=SC2034
	cpu=$(awk '{ print $2 + $3 }' "$work/times" | median)
}

# Compiles tests/bench/NAME.c for each name, with the library and these libraries.
compile()
{
	local libraries name
	# shellcheck disable=SC2046 # package names are words
	read -r -a libraries <<<"$(pkg-config --libs $(sed -n 's/^PACKAGES := //p' GNUmakefile) libtracecmd) -liberty -lm"
	mkdir -p "$build/bench"
	for name; do
		# shellcheck disable=SC2046 # flags are words
		${CC:-gcc} -std=gnu11 -O2 -D_GNU_SOURCE -Ilib $(pkg-config --cflags libtracecmd libtracefs) -o "$build/bench/$name" \
			"tests/bench/$name.c" "$build/libtailblame.a" "${libraries[@]}" || return 1
	done
}
