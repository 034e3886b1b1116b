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
		[rules]=1,2,3,4,5,6,7,8)
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

@test "means by range and by deviation, of 2 to 25 values" {
	for n in 2 3 5 10 25; do
		LEAST=1 compare normal xbar-r subgroup=$n baseline=20
		LEAST=1 compare normal xbar-s subgroup=$n baseline=20
		LEAST=1 compare lognormal xbar-s subgroup=$n baseline=20 scale=log
	done
}

@test "individuals and moving range" {
	SEED=2 compare normal imr
	SEED=3 compare lognormal imr scale=log
	SEED=4 compare integer imr
	SEED=5 compare normal imr sigma=2.5 sides=upper
	SEED=6 compare normal imr sides=lower baseline=100
}

@test "each rule alone" {
	for rule in 1 2 3 4 5 6 7 8; do
		kind=normal
		case $rule in 4) kind=restless ;; 7) kind=calm ;; 8) kind=wandering ;; esac
		LEAST=10 SEED=7 compare $kind imr rules=$rule
		LEAST=0 SEED=8 compare integer imr rules=$rule sides=upper
	done
}

@test "exponentially weighted means" {
	SEED=9 compare normal ewma
	SEED=10 compare normal ewma weight=0.05 sigma=2.7
	SEED=11 compare lognormal ewma scale=log
}

@test "the paper's limits" {
	SEED=12 compare normal paper rules=1 sides=upper baseline=100
	SEED=13 compare lognormal paper
}

@test "rates: so many of n, so many in n" {
	SEED=14 compare p p
	SEED=15 compare u u rules=1,5 baseline=25
}

@test "points on a line are not beyond it" {
	echo "limits chart=x center=10 lcl=4 ucl=16 n=100 method=imr" >limits
	judged() { # VALUE...: the last one's rules
		local at=0
		printf '%s\n' "$@" | sed 's/^/sample ts=T chart=x value=/' | awk '{ sub("T", NR); print }' >in
		cchart-filter --text --method=imr --scale=linear --sides=both --min-ratio=0 --rules=1,2,3,4,5,6,7,8 \
			--limits=limits in | sed -n "s/^signal id=[0-9]* ts=$#\\..* rules=//p"
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
