#!/usr/bin/env bats
# run-cluster: runs grouped by performance.

load helper

# runs KEYS...: a run for each line "ID NODE VALUE" of standard input.
runs() {
	awk -v more="$*" '{ print "run id=" $1, "node=" $2, "job=j ts=0 elapsed=" $3, more }'
}

# classes: "groups=N unit=UNIT" and "ID CLASS" lines of a clustered stream.
classes() {
	awk '$1 == "cluster" { print $2, $4 } $1 == "label" { split($2, a, "="); split($3, b, "="); print a[2], b[2] }'
}

# spread COUNT FACTOR NODE [FROM]: values around FACTOR.
spread() {
	seq "${4:-1}" $((${4:-1} + $1 - 1)) | awk -v f="$2" -v n="$3" '{ print "r" $1, n, f * (1 + ($1 * 7 % 11) / 100) }'
}

# bats test_tags=long
@test "random runs give what an independent reference gives, which tries every partition" {
	command -v python3 >/dev/null || skip "needs python3"
	for seed in {1..25}; do
		python3 "$TOP/tests/reference/random_runs.py" $seed >random
		python3 "$TOP/tests/reference/cluster.py" random >want
		runs <random | run-cluster -t 2>log | classes | diff want - || fail "seed $seed"
	done
}

@test "two groups of 30 runs; the stream passes, its parts become one, and labels stand behind" {
	spread 20 1 a | runs >one
	{ echo 'stream version=1 host=b'; spread 20 3 b 21 | runs; echo 'features run=r21 count.read=3'; } >two
	run -0 run-cluster -t one two
	assert_line --regexp '^cluster groups=2 metric=elapsed unit=run k=2 silhouette=0\.9.* sizes=20,20 medians=1\..*,3\.[0-9]* text="40 runs of j on 2 nodes: 20 fast, 20 slow"$'
	assert_equal "$(grep -c '^label .*class=bad' <<<"$output")" 20
	assert_line 'features run=r21 count.read=3'
	assert_equal "$(run-cluster one two | stream-cat -t | grep -c '^run\|^label')" 80
	assert_equal "$(run-cluster one two | stream-cat -t | grep -c '^stream\|^end')" 1
}

@test "one bad machine of five, whose runs vary by 30 %: its runs are bad" {
	command -v python3 >/dev/null || skip "needs python3"
	python3 -c 'import random
rnd = random.Random(3)
for node in range(5):
    for i in range(12):
        print("r%d-%d n%d %.4f" % (node, i, node, (3 if node == 4 else 1) * rnd.lognormvariate(0, 0.3)))' >in
	run -0 bash -c "$(declare -f runs); runs <in | run-cluster -t"
	# of the others one is odd among nodes, but not 1.5 times slower
	assert_line --regexp '^cluster groups=2 .*unit=node sizes=3,1 .* sure=few odd=1 text="60 runs of j on 5 nodes: 36 fast, 12 slow, 12 odd"'
	assert_equal "$(grep -c '^label run=r4-.* class=bad' <<<"$output")" 12
	assert_equal "$(grep -c '^label .*class=good' <<<"$output")" 36
}

@test "what cannot be compared is left out, counted, and told with status 3" {
	{ spread 10 1 a; spread 10 3 b 11; } | runs >in
	{ spread 3 9 c 21 | runs partial=yes; spread 2 9 c 24 | runs complete=no; echo 'c1 c 0' | runs; spread 2 1 c 27 | runs children=no; } >>in
	run -3 --separate-stderr run-cluster -t in
	assert_line --regexp '^cluster groups=2 .* left=8 '
	assert_equal "$(grep -c ^label <<<"$output")" 20
	for what in '2 runs within which events were lost' '3 runs that began before' "2 runs without their children's" '1 runs without a value'; do
		[[ $stderr == *"$what"* ]] || fail "$what: $stderr"
	done
}

@test "exit, a feature, one by another; a class of its own wins" {
	printf 'run id=r%d job=j ts=0 elapsed=%d exit=%d\nfeatures run=r%d sum.read=%d\n' 1 10 0 1 100 2 20 0 2 200 3 30 1 3 100 4 40 0 4 400 5 50 0 5 500 6 90 0 6 300 >in
	run -0 run-cluster -t --metric=exit in
	assert_line 'label run=r3 class=bad'
	assert_line 'label run=r5 class=good'
	assert_line 'cluster groups=2 metric=exit unit=run text="6 runs of j: 5 done, 1 failed"'
	{ cat in; printf 'run id=s%d job=j ts=0 elapsed=30\nfeatures run=s%d sum.read=100\n' 1 1; echo 'run id=x job=j ts=0 elapsed=1 class=between'; } >in2
	run -0 run-cluster -t --metric=elapsed/sum.read in2
	for r in r3 r6 s1; do assert_line "label run=$r class=bad"; done
	for r in r1 r2 r4 r5; do assert_line "label run=$r class=good"; done
	assert_line 'label run=x class=between'
}

@test "no groups, and no labels: a sentence, status 0" {
	spread 9 1 a | runs >in
	run -0 run-cluster -t in
	assert_line 'cluster groups=1 metric=elapsed unit=run text="9 runs of j on 1 node: they form no groups, for their times are not well apart"'
	refute_output --partial label
}

@test "bad input: a sentence, and no group" {
	while IFS='|' read -r lines message; do
		printf "%b\n" "$lines" >in
		run -1 --separate-stderr run-cluster -t in
		[[ $stderr == *"$message"* ]] || fail "$lines: $stderr"
		refute_output --partial cluster
	done <<'END'
sample ts=1 chart=a value=1|there are no runs
run id=a job=j ts=0 elapsed=1\nrun id=a job=j ts=0 elapsed=1|in:2: the run 'a' comes twice
run id=a job=j ts=0 elapsed=1\nrun id=b job=k ts=0 elapsed=1|runs of several jobs, such as 'j' and 'k'
run job=j ts=0 elapsed=1|in:1: a run needs an id
run id=a job=j ts=0 elapsed=nan|in:1: elapsed: 'nan' is not a number
run id=a job=j ts=0 elapsed=1\nfeatures run=a count.read=NaN|in:2: 'count.read' is NaN for the run 'a'
run id=a job=j ts=0 elapsed=1\nfeatures run=a elapsed=1 elapsed=1|'elapsed' comes twice
features run=a count.read=1|in:1: there is no run 'a' before this
run id=a job=j ts=0 elapsed=1 class=ugly|the class of a run is good, bad
END
	run -2 run-cluster --unit=host in
	run -0 bash -c 'printf "run id=a job=j ts=0 elapsed=1\nrun id=b job=k ts=0 elapsed=1\n" | run-cluster -t --job=k'
	assert_output --partial '1 run of k'
}

@test "light runs meet only light ones" {
	{ spread 10 1 a; spread 10 3 b 11; } | runs light=yes >in
	spread 5 9 c 21 | runs >>in
	run -3 --separate-stderr run-cluster -t in
	assert_line --regexp '^cluster groups=2 .* left=5 '
	assert_regex "$stderr" "5 light where most are not, or the other way round|light where most are not"
}
