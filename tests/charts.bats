#!/usr/bin/env bats
# Control charts by cchart-filter and by tests/reference/charts.py, on random data: limits to nine digits, every signal.

load helper

reference() {
	python3 "$TOP/tests/reference/charts.py" "$@"
}

# Numbers with nine digits, so that two ways of adding up compare equal.
rounded() {
	awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) $i = sprintf("%.9g", $i); print }'
}

# compare KIND METHOD [OPTION=VALUE]...: 3000 samples, both implementations
compare() {
	local kind=$1 options=() given
	shift
	declare -A o=([method]=$1 [scale]=linear [sides]=both [subgroup]=5 [baseline]=40 [sigma]=3 [weight]=0.2
		[rules]="1,2,3,4,5,6,7,8")
	shift
	for given; do o[${given%%=*}]=${given#*=}; done
	for given in "${!o[@]}"; do options+=("$given=${o[$given]}"); done
	reference draw "${SEED:-1}" 3000 "$kind" >samples
	reference judge "${options[@]}" <samples | rounded | sed 's/ \([0-9]\)$/ \1/' >expected
	cchart-filter --text --min-ratio=0 "${options[@]/#/--}" samples >out
	{
		sed -n 's/^limits .* center=\([^ ]*\) lcl=\([^ ]*\) ucl=\([^ ]*\) n=\([^ ]*\).*/\1 \2 \3 \4/p' out
		sed -n 's/^signal .* ts=\([^ ]*\) .* value=\([^ ]*\) .* rules=\([^ ]*\).*/\1 \2 \3/p' out
	} | rounded >came
	diff expected came || fail "$kind ${options[*]}"
	[ "$(wc -l <came)" -gt "${LEAST:-20}" ] || fail "$kind ${options[*]}: $(wc -l <came) lines test nothing"
}

# bats test_tags=figures
@test "means by range and by deviation, of 2 to 25 values" {
	for n in 2 3 5 10 25; do
		LEAST=1 compare normal xbar-r subgroup=$n baseline=20
		LEAST=1 compare normal xbar-s subgroup=$n baseline=20
		LEAST=1 compare lognormal xbar-s subgroup=$n baseline=20 scale=log
	done
}

# bats test_tags=figures
@test "individuals and moving range" {
	SEED=2 compare normal imr
	SEED=3 compare lognormal imr scale=log
	SEED=4 compare integer imr
	SEED=5 compare normal imr sigma=2.5 sides=upper
	SEED=6 compare normal imr sides=lower baseline=100
}

# bats test_tags=figures
@test "each rule alone" {
	for rule in 1 2 3 4 5 6 7 8; do
		kind=normal
		case $rule in 4) kind=restless ;; 7) kind=calm ;; 8) kind=wandering ;; esac
		LEAST=10 SEED=7 compare $kind imr rules=$rule
		LEAST=0 SEED=8 compare integer imr rules=$rule sides=upper
	done
}

# bats test_tags=figures
@test "exponentially weighted means" {
	SEED=9 compare normal ewma
	SEED=10 compare normal ewma weight=0.05 sigma=2.7
	SEED=11 compare lognormal ewma scale=log
}

# bats test_tags=figures
@test "the paper's limits" {
	SEED=12 compare normal paper rules=1 sides=upper baseline=100
	SEED=13 compare lognormal paper
}

# bats test_tags=figures
@test "rates: so many of n, so many in n" {
	SEED=14 compare p p
	SEED=15 compare u u rules=1,5 baseline=25
}

# bats test_tags=figures
@test "rates that vary more than by chance" {
	SEED=16 LEAST=5 compare p laney-p baseline=25
	SEED=17 LEAST=5 compare u laney-u rules=1,5 baseline=25
	SEED=18 LEAST=5 compare u laney-u sigma=2 sides=upper
}

# The limits and signals of a file of records, as the reference prints them.
told() {
	sed -n 's/^limits .* center=\([^ ]*\) lcl=\([^ ]*\) ucl=\([^ ]*\) n=\([^ ]*\).*/\1 \2 \3 \4/p' "$1"
	sed -n 's/^signal .* ts=\([^ ]*\) .* value=\([^ ]*\) .* rules=\([^ ]*\).*/\1 \2 \3/p' "$1"
}

# bats test_tags=long,figures
@test "rates counted from events" {
	for method in p laney-p u laney-u; do
		options=(interval=0.1 sigma=3 "rules=1,2,5" sides=both baseline=30)
		reference draw 19 60000 events >events
		case $method in *p) failed=failed=ret:error ;; *) failed= ;; esac
		printf '%s\n' "chart name=x method=$method" "count event=raw_syscalls:sys_exit $failed" >x.chart
		reference count method=$method scale=linear subgroup=1 "${options[@]}" <events | rounded >expected
		cchart-filter --text -c ./x.chart --method=imr --min-ratio=0 --relearn=0 "${options[@]/#/--}" <events >out
		told out | rounded >came
		diff expected came || fail "$method"
		[ "$(wc -l <came)" -gt 20 ] || fail "$method: $(wc -l <came) lines test nothing"
	done
}

@test "points on a line are not beyond it" {
	echo "limits chart=x center=10 lcl=4 ucl=16 n=100 method=imr" >limits
	judged() { # VALUE...: the last one's rules
		printf '%s\n' "$@" | sed 's/^/sample ts=T chart=x value=/' | awk '{ sub("T", NR); print }' >in
		cchart-filter --text --method=imr --scale=linear --sides=both --min-ratio=0 --rules=1,2,3,4,5,6,7,8 \
			--limits=limits in | sed -n "s/^signal id=[0-9]* ts=$#\\..* rules=\([0-9,]*\).*/\1/p"
	}
	assert_equal "$(judged 16)" ""
	assert_equal "$(judged 16.01)" 1
	assert_equal "$(judged 14 14)" "" # two sigma
	assert_equal "$(judged 14.1 10 14.1)" 5
	assert_equal "$(judged 14.1 14.1 10)" ""
	assert_equal "$(judged 14.1 10 5.9)" ""
	assert_equal "$(judged 12.1 12.1 7 12.1 12.1)" 6
	assert_equal "$(judged 12.1 12.1 12 12 12.1)" ""
	assert_equal "$(judged 11 11 11 11 11 11 11 11 11)" 2
	assert_equal "$(judged 11 11 11 11 10 11 11 11 11)" ""
	assert_equal "$(judged 8 9 10 11 12 13)" 3
	assert_equal "$(judged 13 12 11 10 9 8)" 3
	assert_equal "$(judged 8 9 10 10 12 13)" ""
	assert_equal "$(judged 9 11 9 11 9 11 9 11 9 11 9 11 9 11)" 4
	assert_equal "$(judged 12 8 12 8 12 8 12 8 12 8 12 8 12 8 12)" 4,7
	assert_equal "$(judged 13 7 7 13 13 7 13 7)" 8
	assert_equal "$(judged 13 7 7 13 12 7 13 7)" ""
}

# bats test_tags=figures
@test "equal values lie on all lines, however those are rounded" {
	for value in 5 0.1 0.3 1e-3; do
		awk -v value=$value 'BEGIN { for (i = 0; i < 400; i++) print "sample ts=" i " chart=load value=" value }' >in
		for method in pot imr xbar-r xbar-s ewma paper; do
			for scale in log linear; do
				case $method,$scale in pot,linear | paper,log) continue ;; esac
				rules=1 sides=upper
				[ $method = pot ] || rules=1,2,3,4,5,6,8 sides=both # 7 is that all are near the centre
				cchart-filter --text --method=$method --scale=$scale --min-ratio=0 --rules=$rules --sides=$sides in >out
				run grep -c '^signal ' out
				[ "$output" = 0 ] || fail "$value $method $scale: $output"
			done
		done
	done
}

# --- false alarms, changes, relearning ------------------------------------------------------------------------------

# Every awk draws its own numbers, which would make every machine another test: chance() is a Lehmer generator (16807).
chance='function begin(seed) { state = seed * 7919 + 1 } function chance() { return (state = state * 16807 % 2147483647) / 2147483647 }'

# healthy COUNT SEED [FACTOR [START]]: log-normal values a millisecond apart, median 1 ms times the factor
healthy() {
	awk -v n="$1" -v seed="$2" -v factor="${3:-1}" -v start="${4:-0}" "$chance"' BEGIN {
		begin(seed)
		for (i = 0; i < n; i++) {
			normal = sqrt(-2 * log(chance())) * cos(6.283185307179586 * chance())
			printf "sample ts=%.3f chart=x value=%.9f\n", start + i / 1000, factor * 0.001 * exp(0.5 * normal)
		}
	}'
}

filter() {
	cchart-filter --text "$@"
}

records() { # KIND: those of this kind on standard input
	grep "^$1 " || true
}

# bats test_tags=figures
@test "alarms come as often as they were asked for" {
	healthy 200000 1 >in
	for p in 1e-3 1e-4; do
		run -0 bash -c "cchart-filter --text --false-alarms=$p in | grep -c '^signal '"
		[ "$output" -ge "$(awk "BEGIN { print $p * 100000 }")" ] && [ "$output" -le "$(awk "BEGIN { print $p * 400000 }")" ]
	done
	# 1000 values a second: 6 a minute are 1e-4 of them
	filter --false-alarms=6/m in | records signal | wc -l >by_rate
	filter --false-alarms=1e-4 in | records signal | wc -l >by_probability
	[ "$(cat by_rate)" -le $(($(cat by_probability) * 3 / 2 + 5)) ] && [ "$(cat by_rate)" -gt 0 ]
}

@test "the limits record says when the tail carries the limit" {
	healthy 1000 2 | filter --baseline=50 | records limits >out
	run sed -n 's/.* n=\([0-9]*\) method=\([^ ]*\).*/\1 \2/p' out
	assert_line --index 0 "50 pot:lognormal"
	assert_line --regexp '^1[0-9]{2} pot$'
}

@test "a single value far out is found, whatever came with the baseline" {
	{ healthy 50 3; echo "sample ts=0.0500 chart=x value=3"; echo "sample ts=0.0501 chart=x value=3"; healthy 5000 4 1 0.051
	  echo "sample ts=6 chart=x value=0.5"; } | filter >out
	run sed -n 's/^signal .* ts=\([0-9.]*\) .*/\1/p' out
	assert_line 0.050000000
	assert_line 0.050100000
	assert_line 6.000000000
}

# slow COUNT SEED EVERY START: healthy values, one of EVERY twenty to fifty times slower
slow() {
	healthy "$1" "$2" 1 "$4" | awk -v every="$3" -v seed="$2" "$chance"' BEGIN { begin(seed) } { split($4, v, "=")
		if (NR % every == int(every / 2)) { $4 = "value=" v[2] * (20 + 30 * chance()) } print }'
}

@test "slow calls one in a hundred do not hide one another" {
	{ healthy 1000 30; slow 300 31 100 1; } | filter >out
	run grep -cE '^signal .* ts=1\.[0-9]{3}0' out
	assert_output 3
	{ healthy 1000 32; slow 300 33 40 1; } | filter >out
	run grep -cE '^signal .* ts=1\.[0-9]{3}0' out
	[ "$output" -ge 7 ] # as many as were slow
}

@test "few values of a heavy tail give few false alarms" {
	for seed in 1 2 3 4 5 6 7 8 9 10; do
		awk -v seed=$seed "$chance"' BEGIN { begin(seed); for (i = 0; i < 1000; i++) # Pareto of exponent 2.5
			printf "sample ts=%.3f chart=x value=%.9f\n", i / 1000, 0.001 * chance() ^ -0.4 }' |
			filter --false-alarms=1e-6 | records signal
	done >signals
	[ "$(wc -l <signals)" -le 10 ]
}

@test "an incident of many signals does not lift the limit" {
	{ healthy 20000 5; healthy 3000 6 300 20; healthy 20000 7 1 23; } | filter --relearn=1h >out
	first=$(records limits <out | awk '{ split($2, t, "="); if (t[2] < 20) last = $0 } END { print last }' | grep -o 'ucl=[^ ]*' | cut -d= -f2)
	last=$(records limits <out | tail -n1 | grep -o 'ucl=[^ ]*' | cut -d= -f2)
	awk "BEGIN { exit !($last < 3 * $first) }"
	[ "$(records signal <out | wc -l)" -gt 2500 ]
}

# bats test_tags=figures
@test "a change of level is told once, and learnt when it lasts" {
	(healthy 20000 8; healthy 40000 9 3 20) >in
	filter in >out
	run grep -c 'shift' out
	assert_output 0
	filter --rules=1,shift in >out
	run sed -n 's/^signal .* ts=\([0-9]*\).* rules=shift.*/\1/p' out
	assert_output 20
	run grep -c '^limits .* change=up' out
	assert_output 1
	run sed -nE 's/^limits ts=([0-9]*).* center=([0-9.]*) .*change=up.*/\1 \2/p' out
	assert_output --regexp '^(29|30) 0\.00[23]'
	filter --relearn=0 in >out
	run grep -c 'change=' out
	assert_output 0
}

# bats test_tags=figures
@test "what is told as a change of level is one, by the medians before and after" {
	# slow values became frequent, the median fell: 20 % less is no change, and no slower level
	{ healthy 20000 40; healthy 40000 41 0.8 20 | awk "$chance"' BEGIN { begin(42) } { split($4, v, "=")
		if (chance() < 0.1) $4 = "value=" v[2] * 30; print }'; } | filter --rules=1,shift >out
	run grep -cE 'change=' out
	assert_output 0
	{ healthy 20000 43; healthy 40000 44 0.3 20; } | filter >out
	run sed -nE 's/^limits .* center=([0-9.]*) .*change=down since=(..\..).*/\1 \2/p' out
	assert_output --regexp '^0\.000(29|30|31)[0-9]* (19\.9|20\.0)$'
}

# bats test_tags=figures
@test "a stall that keeps coming back keeps being told, and so does what is about as slow" {
	for every in 3 10 60; do
		healthy 200000 45 | awk -v every=$every '{ split($2, t, "=") } t[2] >= next_at + 1.5 { $4 = "value=0.4"; next_at += every; n++ }
			{ print } END { print n >"stalls" }' | filter >out
		assert_equal "$(grep -c '^signal .*value=0\.4 ' out)" "$(cat stalls)"
		run bash -c "sed -n 's/^limits .* ucl=\([^ ]*\).*/\1/p' out | sort -g | tail -n1"
		awk "BEGIN { exit !($output < 0.05) }"
	done
	healthy 200000 46 | awk "$chance"' BEGIN { begin(47) } { split($2, t, "=") } t[2] >= next_at + 1.5 {
		$4 = "value=" 0.03 * 13 ^ chance(); next_at += 3 } { print }' | filter >out # 30 to 400 ms
	[ "$(records signal <out | wc -l)" -ge 60 ] # of 67
}

# bats test_tags=figures
@test "what comes once in a hundred values from some time on is learnt, though not at once" {
	{ healthy 20000 48; healthy 120000 49 1 20 | awk '{ split($4, v, "=") } NR % 100 == 50 { $4 = "value=" v[2] * 300 } { print }'; } | filter >out
	[ "$(records signal <out | awk '{ split($3, t, "="); if (t[2] < 28) n++ } END { print n }')" -ge 78 ] # of 80
	[ "$(records signal <out | awk '{ split($3, t, "="); if (t[2] > 90) n++ } END { print n + 0 }')" -le 5 ]
}

# bats test_tags=figures
@test "a load that alternates between two levels gives no alarms once both are known" {
	for ((i = 0; i < 16; i++)); do healthy 20000 $((50 + i)) $((1 + i % 2 * 5)) $((i * 20)); done | filter >out
	[ "$(records signal <out | awk '{ split($3, t, "="); if (t[2] > 40) n++ } END { print n + 0 }')" -le 1 ]
}

# bats test_tags=figures
@test "a level of few values that lie decades apart still has a limit within reach" {
	awk 'function sample(value) { printf "sample ts=%.3f start=%.3f chart=a value=%g\n", t + value, t, value }
		BEGIN { for (i = 0; i < 120; i++) { sample(0.001 * (1 + i % 3 * 0.1)); t += 0.1 }
			for (i = 0; i < 34; i++) { sample(0.0001 * 10 ^ (i % 5)); t += 1.1 }
			sample(60) }' | cchart-filter --text >out
	run bash -c 'grep "^signal" out | tail -1'
	assert_output --partial ' value=60 '
}

@test "two ways that are taken about as often are both usual" {
	for slow in 0.4 0.1; do
		for count in 40 100 60000; do
			awk -v slow=$slow -v count=$count "$chance"' BEGIN { begin(51); for (i = 0; i < count; i++)
				printf "sample ts=%.3f chart=x value=%.9f\n", i / 1000, (chance() < slow ? 0.05 : 1e-6) * (1 + 0.2 * chance()) }' | filter >out
			run grep -c '^signal' out
			assert_output 0
		done
	done
	run bash -c "sed -n 's/^limits .* center=\([^ ]*\).*/\1/p' out | sort -g | head -n1"
	awk "BEGIN { exit !($output >= 1e-6) }"
}

# equal COUNT BASE SLOW WHEN: values a second apart, all equal but those that awk's WHEN holds for (of i, and of chance())
equal() {
	awk -v n="$1" -v base="$2" -v slow="$3" "$chance"' BEGIN { begin(72); for (i = 0; i < n; i++)
		print "sample ts=" i " chart=x value=" ('"$4"' ? slow : base) }'
}

@test "over values that are all equal, slow ones are learnt where they are usual, and told where not" {
	for base in 0 1 0.001; do
		for share in 0.01 0.03 0.06; do
			equal 5000 $base 100 "chance() < $share" | filter >out
			[ "$(grep -c '^signal ' out)" -le 12 ] || fail "$base $share"
		done
		equal 5000 $base 100 "i == 200 || i == 400 || i % 1000 == 999" | filter >out
		assert_equal "$(grep -c '^signal ' out)" 7
	done
}

# bats test_tags=figures
@test "values in coarse steps give no more alarms than were asked for" {
	for size in 1 2; do
		healthy 100000 73 | awk -v size=$size '{ split($4, v, "="); $4 = "value=" int(size * (v[2] * 1000) ^ 0.6 + 0.5) / 1000; print }' >in
		run bash -c "cchart-filter --text --false-alarms=1e-4 --min-ratio=0 in | grep -c '^signal '"
		[ "$output" -le 20 ]
	done
}

# bats test_tags=figures
@test "a shift for 200 values and a slow climb are found" {
	{ healthy 20000 10; healthy 200 11 2 20; healthy 1000 12 1 20.2; } | filter --rules=1,shift >out
	run sed -nE 's/^signal .* ts=(20\.[0-9]*) .* rules=shift.*/\1/p' out
	[[ "$output" == 20.[01]* ]]
	healthy 40000 13 | awk '{ split($4, v, "="); $4 = "value=" v[2] * (NR < 20000 ? 1 : 1 + (NR - 20000) / 8000); print }' | filter --rules=1,shift >out
	run grep -c '^signal .*rules=shift' out
	[ "$output" -ge 1 ]
}

@test "textbook charts relearn where that is asked for" {
	(healthy 3000 14; healthy 3000 15 3 3) >in
	filter --method=ewma --relearn=500ms in >out
	run grep -c '^limits .* change=up' out
	assert_output 1
	filter --method=ewma in >out
	run grep -c '^limits ' out
	assert_output 1
	{ healthy 3000 14 1e5; healthy 3000 15 3e5 3; } | filter --method=imr --relearn=50ms >out
	run sed -n 's/^limits .* ucl=\([0-9]*\).* change=up.*/\1/p' out # 300 and three sigma of half a logarithm
	assert_output --regexp '^1[0-9]{3}$'
}

@test "limits are learnt anew every so often, and on SIGHUP without a stop" {
	healthy 10000 16 >in
	filter --method=imr --recompute=2s in >out
	run grep -c '^limits ' out
	assert_output 5
	mkfifo pipe
	cchart-filter --text --method=imr <pipe >relearnt &
	pid=$!
	exec 5>pipe
	healthy 500 17 >&5
	until_true 60 grep -q '^limits ' relearnt
	kill -HUP $pid
	healthy 5000 18 2 1 >&5
	exec 5>&-
	wait $pid
	run grep -c '^limits ' relearnt
	assert_output 2
	# Nothing was lost of what came.
	run awk '/^sample / { split($0, a, "count="); split(a[2], c, " "); n += c[1] } /^signal / { n++ } END { print n }' relearnt
	assert_output 5500
}

@test "what is kept of a tail answers for another rate" {
	healthy 50000 19 | filter --save-limits=good >/dev/null
	grep -q ' threshold=.* share=.* shape=.* scale=.* largest=' good
	healthy 5000 20 >in
	often=$(filter --limits=good --false-alarms=1e-2 in | records signal | wc -l)
	seldom=$(filter --limits=good --false-alarms=1e-6 in | records signal | wc -l)
	[ "$often" -ge 15 ] && [ "$seldom" -le 2 ]
	for bytes in 40 120 200; do
		head -c $bytes good >half
		run -1 filter --limits=half in
		assert_output --partial "half:1: "
	done
	run -1 filter --limits=gone in
	assert_output --partial "gone"
	cp good before
	mkfifo never && exec {never}<>never # that it cannot be written is told before any input is read
	run -1 timeout 20 cchart-filter --save-limits=none/limits never
	assert_output --partial "cannot write 'none/limits'"
	exec {never}<&-
	run -1 filter --save-limits=/dev/full in
	[ -c /dev/full ]
	assert_output --partial "cannot write '/dev/full'"
	run -1 filter --limits=half --save-limits=good in
	cmp good before
}

@test "limits of less than a baseline hold until there is one" {
	healthy 9 60 >few
	filter --save-limits=limits few >/dev/null
	assert grep -q ' n=9 ' limits
	{ echo "sample ts=0 chart=x value=1"; healthy 3000 61 1 1 | awk '{ split($4, v, "=") } NR % 33 == 0 { $4 = "value=" v[2] * 20 } { print }'; } >in
	filter --limits=limits --save-limits=limits in >out
	run sed -n 's/^signal .* ts=\([0-9.]*\) .*/\1/p' out
	assert_line --index 0 0.000000000
	[ "${#lines[@]}" -le 12 ] # of 91
	refute grep -q ' n=[0-9]\{1,3\} ' limits
	filter --limits=limits --save-limits=limits few >out # those of a baseline stay
	refute grep -q '^limits .* n=9 ' out
	refute grep -q ' n=[0-9]\{1,3\} ' limits
	for method in imr ewma xbar-s; do
		{ echo "stream version=1 host=h boot=b"; healthy 50 62; echo "stream version=1 host=h boot=b"; healthy 500 63 1 1; } |
			filter --method=$method --save-limits=limits >out
		assert_equal "$(grep -c '^limits ' out)" 2
		assert grep -q ' n=100 ' limits
	done
}

@test "limits from a file that were made of few values stay as wide as they were" {
	even() { # COUNT SEED: 1 to 10 ms
		awk -v n="$1" -v seed="$2" "$chance"' BEGIN { begin(seed); for (i = 0; i < n; i++) printf "sample ts=%d chart=x value=%.6f\n", i, 0.001 + 0.009 * chance() }'
	}
	even 100 67 | filter --false-alarms=1e-3 --save-limits=limits >/dev/null
	even 300 68 | filter --false-alarms=1e-3 --limits=limits >out
	assert_equal "$(records limits <out | sed 's/.* ucl=\([^ ]*\) .*/\1/')" "$(sed 's/.* ucl=\([^ ]*\) .*/\1/' limits)"
}

@test "the coldest of many keys go, and the limits say so" {
	for ((i = 0; i < 600; i++)); do for ((j = 0; j < 12; j++)); do echo "sample ts=$i.$((100 + j)) chart=x key=k$i value=1"; done; done |
		filter --baseline=10 >out
	run grep -c '^limits .*forgotten=' out
	assert_output 88
	assert_equal "$(records limits <out | tail -n1 | grep -o 'forgotten=.*')" forgotten=88
}

@test "samples of each name are a chart of its own" {
	awk "$chance"' BEGIN {
		begin(31)
		for (i = 0; i < 200; i++) {
			printf "sample ts=%d chart=rare value=%.9f\n", i, 1 + chance()
			for (k = 1; k < 20; k++) printf "sample ts=%d.%02d chart=often value=%.9f\n", i, k, 1 + chance()
		}
	}' >in
	filter in | grep '^limits .*chart=rare' >out
	grep chart=rare in | filter | grep '^limits ' | diff - out
	# names and keys may be anything: of too many the least recent go
	(for ((i = 0; i < 1000; i++)); do echo "sample ts=$i chart=c$i value=1"; done) >many
	run -0 --separate-stderr filter many
	# shellcheck disable=SC2154
	assert_regex "$stderr" 'samples: .* the least recent were forgotten 488 times'
}

@test "of a chart that counts, those keys go whose last event is the longest ago" {
	printf 'chart name=x method=u\ncount event=a:b split=id\n' >x.chart
	(
		for ((i = 0; i < 512; i++)); do echo "event ts=0.$((100 + i)) cpu=0 tid=1 comm=x name=a:b id=$i"; done
		for ((i = 0; i < 90; i++)); do echo "event ts=$((1 + i / 30)).$((100 + i)) cpu=0 tid=1 comm=x name=a:b id=$((600 + i % 3))"; done
	) >in
	run -0 --separate-stderr filter -c ./x.chart in
	# shellcheck disable=SC2154
	assert_equal "$(grep -o 'forgotten.*' <<<"$stderr")" "forgotten 3 times"
}

# moment SECOND EACH PADDING: four seconds of events, a thousand a second, the last of EACH of them with a value that is not healthy
moment() {
	awk -v second="$1" -v each="$2" -v padding="$3" 'BEGIN {
		for (i = 0; i < 4000; i++) {
			printf "event ts=%.3f cpu=0 tid=1 comm=x name=a:b padding=%s\n", second + i / 1000, padding
			if (i % each == each - 1)
				printf "sample ts=%.3f start=%.3f chart=x value=5\n", second + i / 1000, second + i / 1000 - 0.002
		}
	}'
}

@test "a share of all bytes is all that passes, and every signal has its window" {
	{ healthy 2000 21; moment 2 50 0123456789; } >in
	filter --keep=0.1 --burst=0 -c runq in >out
	run awk '/^event/ { n++ } END { print n }' out
	[ "$output" -gt 100 ] && [ "$output" -le 400 ]
	run awk '/^signal/ { split($2, a, "="); last = a[2] } /^window/ { sub(/.*signals=[0-9]*-/, ""); sub(/ .*/, ""); to = $0 }
		END { print last - to }' out
	assert_output 0
	filter --keep=0 --burst=20k -c runq in >out
	run awk '/^event/ { n++ } END { print n }' out
	[ "$output" -gt 100 ] && [ "$output" -le 250 ]
	run grep -c '^window' out
	assert_output 1
	run -2 cchart-filter --keep=2
}

@test "a long moment leaves something of the budget for the next ones" {
	local moment
	{ healthy 2000 21; for moment in 2 7; do moment $moment 500 0123456789012345678901234567890123456789; done; } >in
	filter --keep=0 --burst=300k --context=64k -c runq in >out
	for moment in 2 7; do
		run grep -c "^event ts=$moment\." out
		[ "$output" -ge 200 ]
	done
	run sed -nE 's/^usage command=cchart-filter .* kept_bytes=([0-9]+).*/\1/p' out
	[ "$output" -le 307200 ]
}

@test "a weighted mean begins anew with each stream" {
	{ healthy 200 64; healthy 20 65 50 0.2; } >in # it ends in an incident
	{ echo "stream version=1 host=h boot=b"; cat in; echo "stream version=1 host=h boot=b"; healthy 100 66 1 1; } | filter --method=ewma --scale=log >out
	[ "$(grep -cE '^signal .* ts=0\.2' out)" -ge 15 ]
	run grep -cE '^signal .* ts=1\.' out
	assert_output 0
}

# --- rates ----------------------------------------------------------------------------------------------------------

# calls SECONDS START FAILING: 200 returns a second of system call 0, of which FAILING a hundred fail, by thread 9 where many do
calls() {
	awk -v n="$1" -v start="$2" -v failing="$3" 'BEGIN {
		many = (failing > 5)
		for (i = 0; i < n * 200; i++) printf "event ts=%.6f cpu=0 tid=%d comm=%s name=raw_syscalls:sys_exit id=0 ret=%d\n",
			start + i / 200, many ? 9 : 10 + i % 3, many ? "clumsy" : "sound", (i % 100 < failing) ? -2 : 0
	}'
}

@test "a chart that counts has its own method, beside one of latencies" {
	{ echo "stream version=1 machine=x86_64 wall=0"; calls 40 1 1; calls 2 41 60; calls 20 43 1; } >in
	filter -c syscall-errors -c runq in >out
	run sed -nE 's/^signal .* start=([0-9]+)\..* chart=syscall-errors key=read value=([0-9.]+) unit=share n=([0-9]+) .* tid=(.*)/\1 \2 \3 \4/p' out
	assert_output "$(printf '%s\n' '41 0.6 200 9 comm=clumsy' '42 0.6 200 9 comm=clumsy')"
	run sed -nE 's/^limits .* key=read center=([^ ]*) .* method=(.*) unit=share .*/\1 \2/p' out
	assert_output "0.01 laney-p"
	# the window has the interval's events
	run awk '/^window/ { sub(/.*from=/, ""); print int($1) }' out
	assert_output 40
	run report out
	assert_output --partial "60 % of read failed, most of them by clumsy/9"
	assert_output --partial "normally 1 %"
	filter -c syscall-errors --interval=500ms in >out
	run grep -c '^signal ' out
	assert_output 4
}

@test "what a call returns where it did not fail" {
	cat >x.chart <<-END
		chart name=x method=p
		count event=raw_syscalls:sys_exit failed=ret:error split=ret
	END
	(for ((i = 0; i < 30; i++)); do
		for ret in -1 -2 -4 -11 -13 -115 -511 -512 -516 -517 -4095 -4096 0 7; do
			echo "event ts=$i.1 cpu=0 tid=1 comm=x name=raw_syscalls:sys_exit id=0 ret=$ret"
		done
	done) >in
	filter -c ./x.chart in >out
	for ret in -1 -2 -13 -511 -517 -4095; do grep -q "^limits .* key=$ret center=1 " out; done
	for ret in -4 -11 -115 -512 -516 -4096 0 7; do grep -q "^limits .* key=$ret center=0 " out; done
}

@test "events a second: nothing is a number too, and lost events make no interval" {
	cat >x.chart <<-END
		chart name=x method=laney-u
		count event=a:b
	END
	event() { echo "event ts=$1 cpu=0 tid=1 comm=x name=a:$2"; }
	(
		for ((i = 0; i < 30; i++)); do for ((j = 0; j < 30 + i % 3; j++)); do event $i.$((100 + j)) b; done; done
		event 30.5 other
		event 31.5 other
		event 32.5 other
		for ((j = 100; j < 300; j++)); do event 33.$j b; done
		event 35 other
	) >in
	filter -c ./x.chart in >out
	run sed -nE 's/^signal .* value=([^ ]*) unit=per_second n=1 .*/\1/p' out
	assert_output 200
	filter -c ./x.chart --sides=both --method=imr in >out
	run sed -nE 's/^signal .* value=([^ ]*) unit=per_second n=1 .*/\1/p' out
	assert_output "$(printf '%s\n' 0 0 0 200)"
	sed 's/^event ts=33.250 .*/&\nlost ts=33.250000000 cpu=0 count=5/' in >lossy
	run -3 filter -c ./x.chart lossy
	refute_output --partial "signal "
}

# level SECONDS START COUNT: so many events in each of the seconds
level() {
	awk -v n="$1" -v start="$2" -v count="$3" 'BEGIN {
		for (i = 0; i < n * count; i++) printf "event ts=%.6f cpu=0 tid=1 comm=x name=a:b\n", start + i / count
	}'
}

@test "a rate that alternates gives no alarms once both levels are known, but beyond both of them" {
	printf '%s\n' "chart name=x method=laney-u" "count event=a:b" >x.chart
	{ level 60 0 30; level 60 60 2; level 60 120 30; level 40 180 2; level 1 220 90; level 39 221 2; level 40 260 30; } >in
	filter -c ./x.chart in >out
	run sed -nE 's/^signal .* start=([0-9]*)\..* value=([0-9]*) .*/\1 \2/p' out
	assert_output "220 90"
	run grep -c '^limits .* change=' out
	assert_output 3
	# a level is remembered for ten minutes at most
	{ level 60 0 30; level 800 60 2; level 3 860 30; } >in
	filter -c ./x.chart in >out
	run sed -nE 's/^signal .* start=([0-9]*)\..* value=([0-9]*) .*/\1 \2/p' out
	assert_output "$(printf '%s\n' "860 30" "861 30")"
}

@test "a gap in which nothing at all was traced is no low rate" {
	printf '%s\n' "chart name=x method=laney-u" "count event=a:b" >x.chart
	{ level 60 0 10; level 61 1000 10; } >in
	filter -c ./x.chart in >out
	run grep -cE '^signal |^limits .* change=' out
	assert_output 0
	# nothing of what is counted, in a trace that goes on
	{ level 60 0 10; level 60 60 1 | sed 's/a:b/a:other/'; level 3 1000 10; } >in
	filter -c ./x.chart in >out
	run grep -c '^limits .* center=0 .* change=down' out
	assert_output 1
}

@test "a definition that counts wrongly is refused" {
	wrong() { # LINES: the message
		printf '%b' "$1" >wrong.chart
		run -1 cchart-filter -c ./wrong.chart </dev/null
	}
	wrong 'chart name=x\ncount event=a:b\n'
	assert_output --partial "needs method="
	wrong 'chart name=x method=pot\ncount event=a:b\n'
	assert_output --partial "one for rates, such as p or u"
	wrong 'chart name=x method=p\ncount event=a:b\n'
	assert_output --partial "needs failed="
	wrong 'chart name=x method=u\ncount event=a:b failed=c\n'
	assert_output --partial "leave out failed="
	wrong 'chart name=x method=u\ncount event=a:b\nstart event=a:b\nend event=a:c\n'
	assert_output --partial "no start, end, drop or arm lines"
	wrong 'chart name=x method=u\nstart event=a:b\nend event=a:c\n'
	assert_output --partial "no count line"
	wrong 'chart name=x method=u interval=1us\ncount event=a:b\n'
	assert_output --partial "a millisecond or more"
	wrong 'chart name=x method=guess\ncount event=a:b\n'
	assert_output --partial "wrong.chart:1: there is no method 'guess'"
	run -2 cchart-filter --interval=1us
}

# bats test_tags=live
@test "live: a client hangs whose server waits for a lock: told while it lasts, down to who has the lock" {
	need_tracefs
	command -v python3 >/dev/null || skip "needs python3"
	cat >server.py <<-'END'
		import fcntl, os, socket
		listener = socket.create_server(("127.0.0.1", 0))
		print(listener.getsockname()[1], flush=True)
		while True:
		    client = listener.accept()[0]
		    client.recv(9)
		    if os.path.exists("held"): fcntl.flock(open("lock", "w"), fcntl.LOCK_EX)
		    client.close()
	END
	cat >client.py <<-'END'
		import select, socket, sys, time
		while True:
		    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    server.send(b"q")
		    poll = select.poll()
		    poll.register(server, select.POLLIN)
		    while not poll.poll(1000): pass
		    time.sleep(0.02)
	END
	python3 server.py >port 3>&- &
	program=$!
	until_true 60 [ -s port ]
	python3 client.py "$(cat port)" 3>&- &
	client=$! own=$BASHPID
	mkfifo pipe
	cchart-filter --text <pipe >live 3>&- &
	filter=$!
	trace-collect -c syscall -p "$own" >pipe 3>&- &
	collector=$!
	until_true 60 grep -qs '^limits .*key=poll ' live
	flock lock sh -c 'touch held; exec sleep 60' 3>&- &
	holder=$!
	until_true 60 grep -q '^signal .*key=poll .*open=yes' live
	kill $collector
	wait $filter || [ $? = 3 ]
	kill $holder $client $program # which ends the wait
	wait
	blame-rank live | COLUMNS=400 report >told || [ $? = 3 ]
	run -0 grep -A5 'poll by python3/.* still waiting' told
	assert_line --regexp 'waits for python3 server.py(/[0-9]+)? .poll. > .*, still asleep in clock_nanosleep'
}

teardown() {
	for process in $program $client $collector $filter $holder; do kill -KILL $process 2>/dev/null || true; done
}

# live PROGRAM CHART LIMITS SIGNAL: the stream, in the file live. The program is python, in which `trouble()` begins when there are
# such limits, and all is over when there is such a signal; a signal of the other kind tells it so, which is no system call.
live() {
	need_tracefs
	command -v python3 >/dev/null || skip "needs python3"
	printf '%s\n' 'import os, signal, threading, time' 'told = set()' \
		'for number in signal.SIGUSR1, signal.SIGUSR2: signal.signal(number, lambda number, frame: told.add(number))' \
		'def trouble(): return signal.SIGUSR1 in told' 'def over(): return signal.SIGUSR2 in told' \
		'open("ready", "w").close()' "$1" >program.py
	python3 program.py 3>&- &
	program=$!
	until_true 60 [ -e ready ]
	mkfifo pipe
	cchart-filter --text --interval=100ms <pipe >live 3>&- &
	filter=$!
	trace-collect -c "$2" -p $program >pipe 3>&- &
	collector=$!
	until_true 60 grep -qE "^limits .*$3" live
	kill -USR1 $program
	until_true 60 grep -qE "^signal .*$4" live
	kill -USR2 $program
	wait $program
	kill $collector
	wait $collector
	wait $filter
}

# bats test_tags=figures, live
@test "live: a program whose open() fails all of a sudden" {
	live '
while not over():
    for i in range(20):
        try: os.close(os.open("/nowhere" if trouble() else "/etc/passwd", os.O_RDONLY))
        except OSError: pass
    time.sleep(0.01)' syscall-errors 'chart=syscall-errors key=openat ' 'key=openat .* unit=share .* comm=python3'
	[ "$(records signal <live | grep -vc key=openat)" -le 1 ]
	run report live
	assert_output --regexp '[0-9]+ % of openat failed, most of them by python3/[0-9]+'
}

# bats test_tags=figures, live
@test "live: a storm of wake-ups" {
	live '
a, b = os.pipe(), os.pipe()
def echo():
    while os.read(a[0], 1) == b"x": os.write(b[1], b"x")
threading.Thread(target=echo).start()
while not over():
    os.write(a[1], b"x"); os.read(b[0], 1)
    if not trouble(): time.sleep(0.005)
os.write(a[1], b"y")' wakeups 'chart=wakeups ' 'unit=per_second .* comm=python3'
	run report live
	assert_output --regexp '[0-9]+ wake-ups a second, most of them by python3/[0-9]+'
}

# --- what has not ended ---------------------------------------------------------------------------------------------

# reads COUNT: reads of 10 and 12 ms, 20 ms apart
reads() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) {
		printf "event ts=%.3f cpu=0 tid=1 comm=x name=block:block_bio_queue dev=7:0 sector=%d nr_sector=8 rwbs=R\n", i / 50, i * 8
		printf "event ts=%.3f cpu=0 tid=1 comm=x name=block:block_rq_complete dev=7:0 sector=%d nr_sector=8\n", i / 50 + 0.01 + i % 2 * 0.002, i * 8
	} }'
}

@test "a hang is noticed with every method of latencies, by the limit of a single value" {
	(
		reads 150
		echo "event ts=3.1 cpu=0 tid=7 comm=stuck name=block:block_bio_queue dev=7:0 sector=8888 nr_sector=8 rwbs=R"
		for ((i = 0; i < 30; i++)); do echo "event ts=$((4 + i / 10)).$((i % 10)) cpu=0 tid=1 comm=x name=a:b"; done
		echo "event ts=7.1 cpu=0 tid=7 comm=stuck name=block:block_rq_complete dev=7:0 sector=8888 nr_sector=8"
	) >in
	for method in pot imr paper xbar-r xbar-s ewma; do
		filter -c block --method=$method in >out
		run sed -nE 's/^signal .* start=3\.1.* value=([0-9.]*) .* tid=7 .*open=yes/\1/p' out
		assert_output --regexp '^1\.1' # a second after it passed the limit
		run grep -cE '^signal .* ts=7\.1.* value=4\.0+ ' out
		assert_output 1
		filter -c block --method=$method < <(head -n -2 in) >out
		run grep -c ' open=yes' out
		assert_output 1
	done
	# Mean 11 ms, mean range 2 ms: sigma of a single value is 2 / 2.3259 ms, the limit three of them away.
	filter -c block --method=xbar-r in >out
	run sed -nE 's/^signal .* ucl=([0-9.]*) .*open=yes/\1/p' out
	assert_output --regexp '^0\.01357'
	# Where the upper limit is not asked for, age does not count.
	filter -c block --method=xbar-r --rules=2 in >out
	run grep -c ' open=yes' out
	assert_output 0
}

@test "rule 1 is told only where it was asked for" {
	(healthy 50 70; echo "sample ts=0.05 chart=x value=3"; healthy 100 71 1 0.051) >in
	filter --rules=1,shift in >out
	run grep -cE '^signal .* rules=1( |$)' out
	assert_output 1
	for rules in 2 shift; do
		filter --rules=$rules in >out
		run grep '^signal ' out
		assert_output ""
	done
	(
		reads 150
		echo "event ts=3.1 cpu=0 tid=7 comm=stuck name=block:block_bio_queue dev=7:0 sector=8888 nr_sector=8 rwbs=R"
		for ((i = 4; i < 7; i++)); do echo "event ts=$i cpu=0 tid=1 comm=x name=a:b"; done
		echo "event ts=7.1 cpu=0 tid=7 comm=stuck name=block:block_rq_complete dev=7:0 sector=8888 nr_sector=8"
	) >in
	told_rules() { filter -c block --limit=50ms "$@" in | sed -n 's/^signal .* rules=\([^ ]*\).*/\1/p' | paste -sd ' '; }
	assert_equal "$(told_rules --rules=1,shift)" "1 1,fixed"
	assert_equal "$(told_rules --rules=shift)" "fixed fixed"
}

@test "a mean is told as one, and as nobody's" {
	{
		reads 150
		for ((i = 0; i < 5; i++)); do
			echo "event ts=3.$((10 + i)) cpu=0 tid=$((20 + i)) comm=x name=block:block_bio_queue dev=7:0 sector=8888 nr_sector=8 rwbs=R"
			echo "event ts=3.$((i < 4 ? 50 + i : 15)) cpu=0 tid=1 comm=x name=block:block_rq_complete dev=7:0 sector=8888 nr_sector=8"
		done
	} | sort -t= -k2,2n >in
	for method in xbar-r ewma; do
		filter -c block --method=$method --baseline=20 --sides=upper in >out
		run grep '^signal' out
		assert_output --regexp ' rules=1 mean=yes$'
		refute_output --partial " tid="
		run bash -c 'blame-rank out | report'
		assert_output --regexp "block of 7:0: the mean was [0-9]* ms"
		refute_output --partial "blame-rank"
	done
}

# bats test_tags=long
@test "charts that a stream brings cost no more than they hold" {
	for i in {1..4097}; do
		printf 'chart name=c%d definition="chart name=c%d\\nstart event=a:b\\nend event=a:c\\ninclude name=wake\\n"\n' $i $i
	done >many
	head -n 4000 many >some
	/usr/bin/time -f %M -o peak "$(command -v cchart-filter)" some >/dev/null 2>err
	case $BUILD in *san*) ;; *) [ "$(cat peak)" -lt $((50 * 1024)) ] ;; esac
	run -1 --separate-stderr cchart-filter -t many
	assert_equal "$stderr" "cchart-filter: many:4097: more than 4096 charts"
}

on_loop_device() ( # COMMAND...: it, with the name of the device, recorded
	# shellcheck source=tests/incidents/loop.sh
	. "$TOP/tests/incidents/loop.sh"
	trap loop_end EXIT
	loop_begin none 8M || exit 77
	cat "/sys/block/${loop#/dev/}/dev" >device
	trace-collect -c block -o live -- "$@" "$loop" >longest
)

# Requests of uneven sizes at the same places, split as the device likes it: the program knows how long the longest took.
@test "live: requests that overlap end all, and none lasts longer than its program waited" {
	need_tracefs
	command -v python3 >/dev/null || skip "needs python3"
	cat >overlap.py <<-'END'
		import mmap, os, random, sys, threading, time
		disk = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
		over = time.monotonic() + 2
		longest = []

		def work():
		    buffer, worst = memoryview(mmap.mmap(-1, 1 << 20)), 0
		    while time.monotonic() < over:
		        size, at = random.randrange(1, 2048) * 512, random.randrange(4096) * 512
		        begin = time.monotonic()
		        random.choice((os.preadv, os.pwritev))(disk, [buffer[:size]], at)
		        worst = max(worst, time.monotonic() - begin)
		    longest.append(worst)

		threads = [threading.Thread(target=work) for _ in range(16)]
		for thread in threads: thread.start()
		for thread in threads: thread.join()
		print(max(longest))
	END
	on_loop_device python3 overlap.py || { [ $? = 77 ] && skip "no loop device"; }
	cchart-filter --text -c block --limit=1us live >told 2>/dev/null
	grep "key=$(cat device) " told >ours
	refute grep -E '^open|open=yes' ours
	sed -nE 's/^signal .* value=([0-9.]+) .*/\1/p' ours >values
	[ "$(wc -l <values)" -ge 50 ]
	assert_equal "$(awk -v most="$(cat longest)" '$1 > most' values)" ""
}
