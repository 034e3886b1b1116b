#!/usr/bin/env bats
# run-rules: trees, ties, deals, and what runs become as a table.

load helper

R() { echo "$TOP/testdata/run/$1"; }

# "FEATURE CUT GAIN RIGHT LEAVES P TEXT" and "same FEATURE CUT", as tests/reference/rules.py prints them; with "-", p is not told.
table() {
	python3 -c '
import shlex, sys
for line in sys.stdin:
    kind, *words = shlex.split(line)
    key = dict(word.split("=", 1) for word in words)
    cut = key.get("cut", "")
    try: cut = "%.12g" % float(cut)
    except ValueError: pass
    if kind == "rule":
        p = "%.9f" % float(key["p"]) if sys.argv[1] == "p" else "-"
        print(key["feature"], cut, "%.9f" % float(key["gain"]), "%.6f" % float(key["right"]), key["leaves"], p, key["text"])
    elif kind == "same":
        print("same", key["feature"], cut)' "$1"
}

@test "iris as in the paper: five leaves, 147 of 150; root, cut and gain are those of scikit-learn and Weka" {
	run -0 run-rules -t --csv --class=class --paper -n 1 "$(R iris.csv)"
	assert_line --regexp '^rule rank=1 feature=petal_length cut=2.45 gain=0.9182958340544[0-9]* right=147 runs=150 leaves=5 p=0.005 sure=yes '
	run -0 run-rules -t --csv --class=class --criterion=gini -n 1 "$(R iris.csv)"
	assert_line --regexp 'feature=petal_length cut=2.45 gain=0.33333333333333[0-9]* '
	run -0 run-rules -t --csv --class=class --paper -n 1 "$(R wine.csv)"
	assert_line --regexp 'feature=flavanoids cut=1.5750000000000002 gain=0.64685527114943[0-9]* right=176 runs=178 leaves=5 '
}

@test "play-tennis: by branches for each value, Quinlan's tree; two-way, it keeps a tree" {
	run -0 run-rules -t --csv --class=play --multiway -n 1 "$(R tennis.csv)"
	assert_line --regexp 'feature=outlook cut=any gain=0.24674981977443[0-9]* right=14 runs=14 leaves=5 '
	assert_line --partial 'text="no if (outlook = rainy and windy = true) or (outlook = sunny and humidity = high)"'
	run -0 run-rules -t --csv --class=play -n 1 "$(R tennis.csv)"
	assert_line --partial 'feature=outlook cut=overcast gain=0.22600024438491'
	assert_line --partial 'text="no if outlook != overcast and humidity = high"'
}

# bats test_tags=long
@test "random tables with unknown values give what an independent reference gives" {
	command -v python3 >/dev/null || skip "needs python3"
	for seed in 2 3 7 11 15 18; do
		python3 "$TOP/tests/reference/random_table.py" $seed >t.csv
		for flags in "" "--criterion=ratio" "--criterion=gini" "--multiway" "--paper"; do
			flag=${flags##*[-=]}
			# shellcheck disable=SC2086
			python3 "$TOP/tests/reference/rules.py" t.csv class $flag >want
			p=p; ! grep -q ' - ' want || p=-
			# shellcheck disable=SC2086
			run-rules -t --csv --class=class $flags t.csv 2>log | table $p | diff want - || fail "seed $seed $flags"
		done
	done
}

# fleet: 20 good runs on nodes a to d, 20 bad ones on e to h, with calls and settings.
fleet() {
	awk 'BEGIN { for (i = 0; i < 40; i++) { bad = i >= 20; node = substr("abcdefgh", int(i / 5) + 1, 1)
		printf "run id=r%d node=%s job=db ts=%d elapsed=%.3f class=%s\n", i, node, i, (bad ? 3 : 1) + i % 7 / 100, bad ? "bad" : "good"
		printf "features run=r%d count.read=%d time.read=%.4f gap.read-read=0.001 next.read-read=%d fact.kernel=6.%d", i, 100 + i * 7 % 13, 0.1 + i % 5 / 1000, 99 + i % 4, i % 3
		if (bad) printf " count.fdatasync=%d time.fdatasync=%.4f", 300 + i % 9, 1.7 + i % 3 / 100
		printf "\n"
		printf "config run=r%d name=/etc/db.conf/cache value=%d\n", i, bad ? 8 : 4096
		printf "config run=r%d name=/etc/machine-id value=id-%s\nconfig run=r%d name=/proc/counter value=%d\n", i, node, i, i
		if (bad) printf "config run=r%d name=/etc/db.conf/sync value=full\n", i } }'
}

@test "runs: a setting comes first, what parts the runs alike is listed with it, and calls that not all nodes make are told" {
	fleet >in
	run -0 run-rules -t in
	assert_line --regexp '^rule rank=1 feature=/etc/db.conf/cache cut=2052 gain=1 right=40 runs=40 leaves=2 p=0.0[0-9]* sure=yes bad=below text="good if /etc/db.conf/cache >= 2052"$'
	assert_line 'same rank=1 feature=/etc/db.conf/sync cut=absent bad=without'
	assert_line --regexp '^same rank=1 feature=count.fdatasync cut=150 bad=above explains=0.85[0-9]*$'
	assert_line --regexp '^same rank=1 feature=time.fdatasync cut=0.85 bad=above explains=0.85[0-9]*$'
	assert_line --regexp '^outside call=fdatasync runs_good=0 runs_bad=20 nodes_good=0 nodes_bad=4 mean_good=0 mean_bad=30[0-9.]* explains=0.8[0-9]*$'
	# a node's own number, and what changes within a node, are no settings
	refute_output --partial 'feature=/etc/machine-id'
	refute_output --partial 'feature=/proc/counter'
	# 8 nodes, 4 of them bad: 70 deals, and the other way round is as good
	assert_line --partial 'p=0.02857142857142857 '
	run -0 run-rules -t --calls=common in
	refute_output --partial 'feature=count.fdatasync'
	assert_line --partial 'outside call=fdatasync'
}

@test "of features that tell alike, the one that explains more comes first, then the larger margin" {
	fleet | grep -v '^config' >in
	run -0 run-rules -t in
	assert_line --regexp '^same rank=1 feature=count.fdatasync cut=150 bad=above explains=0.85[0-9]*$'
	assert_line --regexp '^rule rank=1 feature=time.fdatasync cut=0.85 gain=1 .* explains=0.8'
}

@test "few nodes are too few to tell; one node of five is p 0.2" {
	awk 'BEGIN { for (i = 0; i < 30; i++) { bad = i >= 20
		printf "run id=r%d node=n%d job=j ts=0 elapsed=%d class=%s\nfeatures run=r%d count.read=%d\n", i, i / 5, 1 + bad, bad ? "bad" : "good", i, 10 + 50 * bad } }' >in
	run -0 run-rules -t in
	assert_line --partial 'p=0.06666666666666667 sure=few '
	awk 'BEGIN { for (i = 0; i < 25; i++) { bad = i >= 20
		printf "run id=r%d node=n%d job=j ts=0 elapsed=%d class=%s\nfeatures run=r%d count.read=%d\n", i, i / 5, 1 + bad, bad ? "bad" : "good", i, 10 + 50 * bad } }' >in
	run -0 run-rules -t in
	assert_line --partial 'p=0.2 sure=few '
}

@test "dealt labels give no sure rule, but for one time in twenty" {
	sure=0
	for seed in {1..20}; do
		awk -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 60; i++) { printf "run id=r%d job=j ts=0 elapsed=1 class=%s\n", i, rand() < 0.5 ? "bad" : "good"
			printf "features run=r%d", i
			for (f = 0; f < 150; f++) printf " count.c%d=%d", f, rand() * 100
			printf "\n" } }' >in
		run-rules -t in | grep -q 'sure=yes' && sure=$((sure + 1))
	done
	[ $sure -le 2 ] || fail "$sure of 20"
}

@test "a file of settings that could not be read leaves its settings unknown, not absent" {
	fleet | sed -E 's/ count.fdatasync.*//; s/^config run=(r0) name=.etc.db.conf.*/config run=\1 name=\/etc\/db.conf error=x/' >in
	run -0 run-rules -t in
	assert_line --regexp '^rule rank=1 feature=/etc/db.conf/cache cut=2052 gain=0.97[0-9]* '
	refute_line --regexp '^same rank=1 feature=/etc/db.conf/cache'
	# a setting that changed meanwhile, too
	sed 's|error=x|error="it changed meanwhile"|; s|^config run=r0 name=/etc/db.conf |config run=r0 name=/etc/db.conf/cache |' in >one
	run -0 run-rules -t one
	assert_line --regexp '^rule rank=2 feature=/etc/db.conf/cache cut=2052 gain=0.97[0-9]* '
}

@test "bad input: a sentence, and no rule" {
	while IFS='|' read -r lines message; do
		printf "%b\n" "$lines" >in
		run -1 --separate-stderr run-rules -t in
		[[ $stderr == *"$message"* ]] || fail "$lines: $stderr"
		refute_output --partial rule
	done <<'END'
sample ts=1 chart=a value=1|there are no runs
run id=a job=j ts=0 elapsed=1|no run has a class
run id=a job=j ts=0 elapsed=1 class=bad\nfeatures run=a x=1|all runs are bad
run id=a job=j ts=0 elapsed=1 class=bad\nrun id=b job=j ts=0 elapsed=1 class=good\nfeatures run=a x=1\nfeatures run=b x=2\nfeatures run=a x=3|'x' comes twice for the run 'a'
run id=a job=j ts=0 elapsed=1\nfeatures run=a x=-inf|'x' is -inf
run id=a job=j ts=0 elapsed=1 class=bad\nrun id=b job=k ts=0 elapsed=1 class=good\nfeatures run=a x=1\nfeatures run=b x=2|runs of several jobs have a class, such as 'j' and 'k'
END
	while IFS='|' read -r lines message; do
		printf "%b\n" "$lines" >in.csv
		run -1 --separate-stderr run-rules -t --csv --class=c in.csv
		[[ $stderr == *"$message"* ]] || fail "$lines: $stderr"
		refute_output --partial rule
	done <<'END'
a,c\n1,x\n2|in.csv:3: 1 values, but the first line names 2 columns
a,a,c\n1,1,x|the column 'a' comes twice
a,b\n1,2|has no column 'c'
a,c\n1,x\n2,x|one class only
a,c\n1,x\nnan,y|in.csv:3: 'a' is nan
a,c\n1,x\n2,|row 2 has no class
a,c|no rows
a,c\n"1,x|the quote is not closed
"a,c\n1,x|the quote is not closed
END
	: >in.csv
	run -1 run-rules --csv --class=c in.csv
	assert_output --partial "is empty"
	run -2 run-rules --csv in.csv
	run -2 run-rules --criterion=best in.csv
}

@test "a table as spreadsheets and people write it: a mark before all, blanks around values, lines that end in CR" {
	printf 'a,"b",c\n1,"x, y",p\n2,"x, y",p\n5,z,q\n6,z,q\n' >plain.csv
	printf '\xef\xbb\xbf"a", b ,"c"\r\n 1, "x, y" ,"p"\r\n2 ,"x, y","p"\r\n\t5,z,"q"\r\n6, z ,q\r\n' >other.csv
	run -0 run-rules -t --csv --class=c plain.csv
	assert_line --regexp '^rule rank=1 feature=a cut=3.5 '
	assert_line --regexp '^same rank=1 feature=b cut="x, y"'
	assert_equal "$(run-rules -t --csv --class=c other.csv)" "$output"
}

@test "no groups: a sentence and status 0; the whole pipe, binary, at the end" {
	run -0 bash -c 'printf "run id=%s job=j ts=0 elapsed=1\n" a b c | run-cluster | run-rules -t'
	assert_output --partial 'the runs form no groups'
	refute_line --regexp '^rule'
	fleet | sed 's/ class=.*//' >in
	run -0 bash -c 'run-cluster in | run-rules | stream-cat -t | grep ^rule'
	assert_line --partial 'rank=1 feature=/etc/db.conf/cache '
}

@test "report says what slow runs share, in words, JSON and a page" {
	fleet | sed 's/ class=.*//' | run-cluster | run-rules >in
	run -0 bash -c 'COLUMNS=140 report in'
	assert_line --index 0 '40 runs of db on 8 nodes: 20 fast, 20 slow'
	assert_line --index 1 '1. slow runs have /etc/db.conf/cache below 2052: p 0.03'
	assert_line --index 2 '   the same runs have /etc/db.conf/sync, call fdatasync 150 times or more (85 %), spend in fdatasync 850 ms or more (85 %)'
	assert_line --index 3 '2 more rules could be chance'
	assert_line --index 4 '   not all nodes call fdatasync: 0 good and 20 bad runs do'
	assert_equal "${#lines[@]}" 5
	fleet | grep -v '^config' | sed 's/ class=.*//' | run-cluster | run-rules | COLUMNS=120 report >out
	grep -x '1. slow runs spend in fdatasync 850 ms or more: explains 85 % of the difference, p 0.03' out
	report -f json in >out
	grep -q '"bad_runs": "call fdatasync 150 times or more"' out
	report -f html -o page in
	grep -q '<p>1. slow runs have /etc/db.conf/cache below 2052: p 0.03</p>' page/report.html
	command -v gnuplot >/dev/null && assert_equal "$(grep -c '<svg' page/report.html)" 2
	# of rules that chance made nothing is said but their number
	fleet | grep -v '^config' | sed 's/ class=.*//; s/ count.fdatasync.*//' | run-cluster | run-rules | COLUMNS=120 report >out
	grep -qx 'nothing tells slow runs from others that chance would not: [0-9]* rules\? left out' out
}

@test "report: facts that are the same as a rule are told, sizes are bytes, and a count that all bad runs share is charted" {
	awk 'BEGIN { for (i = 0; i < 24; i++) { bad = i >= 12
		printf "run id=r%d node=n%d job=j ts=%d elapsed=%d class=%s\nfeatures run=r%d fact.route.link=%s fact.route.mtu=%d result.read=%d", i, i / 3, i,
			1 + bad, bad ? "bad" : "good", i, bad ? "tun" : "wired", bad ? 1400 : 1500, bad ? 512 : 60000
		printf "%s\n", bad ? " count.fsync=7 time.fsync=0.9" : "" } }' | run-rules >in
	COLUMNS=200 run -0 report in
	assert_line --index 1 '1. bad runs call fsync 4 times or more: explains 90 % of the difference, p 0.03'
	assert_line --index 2 '   the same runs have fact.route.link = tun, have fact.route.mtu below 1450, spend in fsync 450 ms or more (90 %), get from a read less than 30.26 kB'
	stream-cat -t in | grep '^run\|^features' | sed 's/ fact[^ ]*//g; s/ [a-z]*.fsync=[^ ]*//g' | run-rules >sizes
	run -0 report sizes
	assert_line --index 1 '1. bad runs get from a read less than 30.26 kB: p 0.03'
	command -v gnuplot >/dev/null || skip "needs gnuplot"
	report -f html -o page in
	assert_equal "$(grep -c '>count.fsync<' page/report.html)" 1
}

@test "report: of too few nodes to be sure, what chance makes more often than not is no rule" {
	awk 'BEGIN { for (i = 0; i < 15; i++) { bad = i >= 12
		printf "run id=r%d node=n%d job=j ts=%d elapsed=%d class=%s\nfeatures run=r%d count.read=%d count.write=%d next.read-read=%.1f next.write-read=%.1f", i,
			i / 3, i, 1 + bad, bad ? "bad" : "good", i, bad ? 90 + i : i, i * 7 % 5, bad ? 100 : i / 9, bad ? 50 : i
		for (n = 0; n < 5; n++) printf " result.call%d=%d", n, int(i / 3) == n && i % 3 < 2 # each node has one of its own
		printf "\n" } }' | run-rules >in
	run -0 bash -c 'COLUMNS=160 report in'
	assert_line --index 1 '1. bad runs have read right after read 51 times or more: p 0.40, too few to be sure'
	assert_line --index 2 '   the same runs call read 57 times or more, and 1 more'
	assert_line --index 3 '1 more rule could be chance'
	assert_equal "${#lines[@]}" 4
	refute_output --partial 'runs ,'
}

# labelled COUNT: runs of 10 nodes, a fifth bad; node 9 has as many runs as the others together.
labelled() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) { bad = i % 5 == 0; node = i % 2 ? 9 : i / 2 % 9
		printf "run id=r%d node=n%d job=j ts=%d elapsed=1 class=%s\nfeatures run=r%d count.read=%d\n", i, node, i, bad ? "bad" : "good", i, bad ? 9 : 2 } }'
}

# bats test_tags=long
@test "of many runs a sample is learnt from: each class and node in proportion, the same for the same seed" {
	labelled 9000 >in
	run -0 --separate-stderr run-rules -t --max-runs=900 in
	assert_regex "$stderr" 'learns from 900 of 9000 runs'
	assert_line --regexp '^rule rank=1 feature=count.read .* right=900 runs=900 '
	assert_equal "$(run-rules -t --max-runs=900 in 2>/dev/null | grep '^rule')" "$(grep '^rule' <<<"$output")"
	# the order of the input does not matter
	sort -t= -k2,2 -s <(paste -d '@' - - <in) | tr '@' '\n' | run-rules -t --max-runs=900 2>/dev/null | grep '^rule' >other
	assert_equal "$(cat other)" "$(grep '^rule' <<<"$output")"
	run -0 run-rules -t in
	refute_output --partial "learns from"
	run -2 run-rules --max-runs=1 in
}
