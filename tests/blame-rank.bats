load helper

# What a ranking adds: the path, the blame, and nodes for what is unknown.
ranking() {
	blame-rank --text "$@" | grep -e '^path ' -e '^blame ' -e 'name="unknown: '
}

# The names blamed, in order, as one line.
names() {
	blame-rank --text "$@" | sed -n 's/^blame .*name=\([^ ]*\) label.*/\1/p' | xargs
}

labels() {
	blame-rank --text --instances "$@" | sed -n 's/^blame .* label=\([^ ]*\) score.*/\1/p' | xargs
}

compare_with_reference() { # SEED COUNT NODES OPTION...
	local reference=$TOP/tests/reference
	python3 "$reference/random_graphs.py" "$1" "$2" "$3" >graphs
	python3 "$reference/blame.py" "${@:4}" <graphs >expected
	blame-rank --text "${@:4}" graphs | grep -e '^path ' -e '^blame ' | grep -v graph=total >found
	[ -s expected ]
	diff expected found
}

need_python() {
	command -v python3 >/dev/null || skip "needs python3"
}

@test "golden examples" {
	local example
	for example in "$TOP"/testdata/blame/*.txt; do
		ranking "$example" | diff "${example%.txt}.out" -
	done
}

@test "the paper's figure 3: A + H/2 for the caller, half of B for each of the two called" {
	# B alone: a method for the first second, two methods that it awaits for the next two
	cat >graph <<-'EOF'
		graph id=1 kind=rag
		node id=1 name=Method1 start=0 end=4
		node id=2 name=Method1.1 parent=1 call=async start=1 end=3 wait_start=1 wait_end=3
		node id=3 name=Method1.2 parent=1 call=async start=1 end=3 wait_start=1 wait_end=3
		node id=4 name=Other parent=2 call=async start=3 end=4
	EOF
	blame-rank --text graph >out
	grep -q 'name=Method1 .* score=1.500000000 share=0.375000' out
	grep -q 'name=Method1.1 .* score=1.000000000' out
	grep -q 'name=Method1.2 .* score=1.000000000' out
}

# bats test_tags=long
@test "critical agrees with the reference on random graphs" {
	need_python
	for seed in 1 2 3 4; do compare_with_reference $seed 60 40; done
	compare_with_reference 5 100 8 -n 1
	compare_with_reference 6 5 300 -n 20
}

# bats test_tags=long
@test "tcm, exception and wanted agree with the reference on random graphs" {
	need_python
	local algorithm
	for algorithm in tcm exception wanted; do
		compare_with_reference 11 60 30 -a $algorithm
		compare_with_reference 12 60 30 -a $algorithm --instances -n 3
	done
}

# bats test_tags=long
@test "ilz agrees with the reference, which tries all nodes, on random graphs" {
	need_python
	compare_with_reference 13 80 12 -a ilz
	compare_with_reference 21 80 12 -a ilz --instances -n 9
}

@test "ilz: a name is what its best instance gains, in the turn of its first" {
	cat >graph <<-'EOF'
		graph id=1 kind=rag from=0 to=10
		node id=1 name=root start=0 end=10
		node id=2 name=A label=A1 parent=1 call=async start=0 end=10
		node id=3 name=A label=A2 parent=1 call=async start=0 end=9
		node id=4 name=J parent=1 join=all start=0 end=10 wait_start=0 wait_end=10
		edge from=2 to=4 kind=join
		edge from=3 to=4 kind=join
	EOF
	run -0 bash -c 'blame-rank -a ilz --text graph | grep ^blame'
	assert_output 'blame graph=1 rank=1 name=A label=A2 score=9.000000000 share=0.900000 on_path=yes instances=2 algorithm=ilz'
}

# bats test_tags=long
@test "AUDIT's table 2: 6, 8, 7 and 11 of 12 wanted methods, and 12 by wanted" {
	"$TOP"/tests/reference/table2.sh "$TOP/testdata/audit" | diff "$TOP/testdata/audit/table-2.txt" -
	grep -c '^[a-z]* *[1-4].* same' "$TOP/testdata/audit/table-2.txt" | grep -x 16
	# the manual shows the same table
	mandoc -Tascii -Owidth=200 "$TOP/man/tailblame-blame.7" | sed 's/^ *//' | grep -xFf <(sed 's/ *$//' "$TOP/testdata/audit/table-2.txt") |
		diff "$TOP/testdata/audit/table-2.txt" -
}

@test "wanted finds 12 of 12 even where nobody says that a delay is a timer" {
	local file
	for file in "$TOP"/testdata/audit/scenario-?.txt; do sed 's/ what=timer//' "$file" >"${file##*/}"; done
	"$TOP"/tests/reference/table2.sh . | tail -n 1 | grep -x 'wanted *total *- *12'
}

# How often the culprit is first, and among the first three.
found_culprits() { # ALGORITHM FILE
	blame-rank -n 5 -a "$1" --text "$2" | sed -n '/graph=total/d; s/^blame graph=[0-9]* rank=\([0-9]*\) name=culprit .*/\1/p' |
		awk '{ first += $1 == 1; three += $1 <= 3 } END { print first + 0, three + 0 }'
}

# bats test_tags=long
@test "who made random requests late: wanted finds more of them than critical" {
	need_python
	local critical wanted
	python3 "$TOP/tests/reference/planted.py" 1 500 >requests
	read -r -a critical <<<"$(found_culprits critical requests)"
	read -r -a wanted <<<"$(found_culprits wanted requests)"
	[ "${critical[0]}" -ge 425 ] && [ "${critical[1]}" -ge 490 ]
	[ "${wanted[0]}" -ge 480 ] && [ "${wanted[1]}" -ge "${critical[1]}" ]
}

@test "without timers wanted lists all that critical lists, with the same blame" {
	need_python
	local algorithm
	python3 "$TOP/tests/reference/random_graphs.py" 31 300 30 | sed 's/ what=timer//' >graphs
	for algorithm in critical wanted; do
		blame-rank -n 3 -a $algorithm --instances --text graphs | sed -n '/graph=total/d; s/^blame \(graph=[0-9]* \)rank=[0-9]*\(.*\) algorithm=[a-z]*/\1\2/p' |
			sort >$algorithm
	done
	[ -s critical ]
	comm -23 critical wanted >lost
	[ ! -s lost ]
}

@test "joins that await each other in a circle cannot be replayed" {
	cat >graph <<-'EOF'
		graph id=7
		node id=1 name=a start=0 end=2
		node id=2 name=b parent=1 join=all start=0 end=2 wait_start=0 wait_end=2
		node id=3 name=c parent=1 join=all start=0 end=2
		edge from=2 to=3 kind=join
		edge from=3 to=2 kind=join
	EOF
	run -1 --separate-stderr blame-rank -a ilz graph
	# shellcheck disable=SC2154
	assert_equal "$stderr" "blame-rank: graph:6: graph 7: joins await each other in a circle; the request cannot be replayed"
	blame-rank --text graph >/dev/null
}

@test "exception refuses wake graphs" {
	run -1 --separate-stderr blame-rank -a exception "$TOP/testdata/blame/wake-lock.txt"
	# shellcheck disable=SC2154
	assert_regex "$stderr" "graph 1: 'exception' .* request activity graph; this is a wake graph"
}

@test "ilz takes names of a wake graph as zero, one after the other" {
	run -0 bash -c 'blame-rank -a ilz -n 3 --text "$1" | sed -nE "s/^blame graph=1 rank=(.) name=(.*) label=.* score=([0-9.]*) .*/\1 \2 \3/p"' - \
		"$TOP/testdata/wake/work.txt"
	assert_output "$(printf '%s\n' '1 "bulky: work on flush" 4.400000000' '2 "victim: running" 0.400000000' '3 "victim: work on flush" 0.499900000')"
	run -0 bash -c 'blame-rank -a ilz -n 3 --text "$1" | sed -nE "s/^blame graph=1 rank=(.) name=(.*) label=.* score=([0-9.]*) .*/\1 \2 \3/p"' - \
		"$TOP/testdata/wake/read.txt"
	# of two that keep the queue busy at once, the one alone shortens it by less
	assert_line --index 0 '1 "crowd: write of 7:0 in service" 0.100000000'
	assert_line --index 1 '2 "crowd: read of 7:0 in service" 0.400000000'
}

@test "ilz: an interrupt may shorten a wake graph by more than it took" {
	cat >graph <<-'EOF'
		graph id=1 kind=wake from=0 to=11 target=2
		node id=1 name="w: waiting" start=0 end=10 what=wait
		node id=2 name="w: running" start=10 end=11 what=run
		node id=3 name="irq eth0: outside event for w" start=9.99 end=10 what=irq
		edge from=1 to=2 kind=seq
		edge from=3 to=1 kind=wake ts=10
	EOF
	run -0 bash -c 'blame-rank -a ilz --text graph | grep -o "rank.*name=.*score=[^ ]*"'
	assert_line --index 0 --regexp 'rank=1 name="irq eth0: outside event for w" .*score=10.000000000'
	assert_line --index 1 --regexp 'rank=2 name="w: running" .*score=1.000000000'
}

@test "ilz: of a name that is on the path, a node on it is named" {
	cat >graph <<-'EOF'
		graph id=1 kind=wake from=0 to=10 target=3
		node id=1 name="t: waiting" start=4 end=8 what=wait
		node id=3 name="t: running" start=8 end=10 what=run
		node id=4 name="h: running" label=late start=6 end=8 what=run
		node id=5 name="h: waiting" start=3 end=6 what=wait
		node id=6 name="h: running" label=early start=0 end=3 what=run
		node id=7 name="x: running" start=0 end=6 what=run
		node id=8 name="t: running" start=0 end=4 what=run
		edge from=8 to=1 kind=seq
		edge from=1 to=3 kind=seq
		edge from=4 to=1 kind=wake ts=8
		edge from=5 to=4 kind=seq
		edge from=6 to=5 kind=seq
		edge from=7 to=5 kind=wake ts=6
	EOF
	run -0 bash -c 'blame-rank -a ilz --text graph | grep "^blame.*h: running"'
	assert_output --regexp ' label=late .* on_path=yes '
}

@test "ilz: times of a wake graph may be as far apart as times can be" {
	cat >far <<-'EOF'
		graph id=1 kind=wake from=-9223372036 to=9223372036 target=1
		node graph=1 id=1 name=a start=9223372031 end=9223372036 what=run
		node graph=1 id=2 name=b start=-9223372036 end=9223372031 what=run
		node graph=1 id=3 name=w start=-9223372036 end=9223372031 what=wait
		node graph=1 id=4 name=q start=-9223372036 end=9223372030 what=queue
		edge graph=1 from=3 to=1 kind=seq
		edge graph=1 from=2 to=3 kind=wake ts=9223372031
		edge graph=1 from=2 to=4 kind=queue
	EOF
	run -0 bash -c "blame-rank -a ilz --text far | sed -nE 's/^blame .* rank=(.) name=(.*) label=.* score=([0-9.]*) .*/\1 \2 \3/p'"
	# nothing longer than that can be spelled
	assert_output "$(printf '%s\n' '1 b 9223372036.854775807' '2 a 5.000000000')"
	# the deed of a family is that of its longest part
	cat >graph <<-'EOF'
		graph id=1 kind=wake from=-9223372036 to=9223372036 target=1
		node id=1 deed=ready who=v tid=1 start=-9223372036 end=9223372036 what=runnable
		node id=2 deed=hold-cpu who=hog whom=v cpu=1 tid=2 start=-9223372036 end=9223372030 what=run
		node id=3 deed=hold-cpu who=hog whom=w cpu=2 tid=2 start=9223372030 end=9223372036 what=run
		edge from=2 to=1 kind=cpu
		edge from=3 to=1 kind=cpu
	EOF
	blame-rank --text graph | grep '^blame graph=1 rank=1 name="hog: on CPU 1 while v was runnable" '
}

@test "in wake graphs tcm gives each piece of the path to its name, and wanted is critical" {
	need_python
	python3 "$TOP/tests/reference/threads.py" 4 100 graphs expected
	blame-rank -n 1000 -a tcm --text graphs | awk '
		function value(key) { match($0, " " key "=(\"[^\"]*\"|[^ ]*)"); return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2) }
		/^node/ { name[value("graph") " " value("id")] = value("name") }
		/^path/ { sum[value("graph") " " name[value("graph") " " value("node")]] += value("to") - value("from") }
		/^blame/ && !/graph=total/ { said[value("graph") " " value("name")] = value("score"); names++ }
		END {
			for (i in sum) if (said[i] + 0 != sum[i]) { print i, said[i], sum[i]; exit 1 }
			for (i in said) if (!(i in sum)) { print i; exit 1 }
			exit !names
		}'
	blame-rank -n 1000 -a wanted --text graphs | sed 's/algorithm=wanted/algorithm=critical/' | cmp - <(blame-rank -n 1000 --text graphs)
}

@test "exception: the one that threw, then its callers; of a chain of exceptions the first" {
	cat >graph <<-'EOF'
		node id=1 name=Main start=0 end=9
		node id=2 name=Delete parent=1 start=0 end=8 threw=DeleteFailed
		node id=3 name=Feed parent=2 start=1 end=7
		node id=4 name=Send parent=3 start=2 end=6 threw=Timeout
		node id=5 name=Log parent=2 start=1 end=9
	EOF
	run -0 names -a exception graph
	assert_output "Send Feed Delete Main"
	run -0 names -a exception -n 2 graph
	assert_output "Send Feed"
	run -0 names -a exception <(sed 's/ threw=[A-Za-z]*//' graph)
	assert_output ""
	blame-rank --text -a exception graph | grep 'name=Delete .* score=0.333333333 share=0.333333 '
	blame-rank --text graph | grep '^node .*name=Send .*threw=Timeout'
}

# bats test_tags=long
@test "npt and instances agree with the reference on random graphs" {
	need_python
	compare_with_reference 7 80 30 -a npt
	compare_with_reference 8 80 30 --instances -n 3
	compare_with_reference 9 80 30 -a npt --instances -n 7
}

@test "equal sums of unequal fractions are equal" {
	# a: 1/2 + 1/3 + 1/6 of a nanosecond with others; b: a whole one; ids and starts put a behind b if they are equal
	cat >graph <<-'EOF'
		node id=1 name=root start=0 end=0.000000004
		node id=2 name=b parent=1 start=0 end=0.000000001 wait_start=0 wait_end=0.000000004
		node id=3 name=a parent=1 start=0.000000001 end=0.000000004
		node id=4 name=c parent=1 start=0.000000001 end=0.000000004
		node id=5 name=d parent=1 start=0.000000002 end=0.000000004
		node id=6 name=e parent=1 start=0.000000003 end=0.000000004
		node id=7 name=f parent=1 start=0.000000003 end=0.000000004
		node id=8 name=g parent=1 start=0.000000003 end=0.000000004
	EOF
	run -0 labels graph
	assert_output "b a c d e f g"
	run -0 names graph
	assert_output "a b c d e f g"
}

@test "join all takes the last, join any the first; ties: longer or shorter run, then lower id" {
	cat >graph <<-'EOF'
		node id=1 name=root start=0 end=9
		node id=5 name=short parent=1 start=2 end=5
		node id=6 name=long parent=1 start=1 end=5
		node id=7 name=long2 parent=1 start=1 end=5
		node id=8 name=late parent=1 start=2 end=6
		node id=9 name=join parent=1 join=JOIN start=0 end=6 wait_start=0 wait_end=6
		edge from=5 to=9 kind=join
		edge from=7 to=9 kind=join
		edge from=6 to=9 kind=join
	EOF
	sed 's/JOIN/all/' graph | blame-rank --text | grep '^path.*node=6 '
	sed 's/JOIN/any/' graph | blame-rank --text | grep '^path.*node=5 '
	echo 'edge from=8 to=9 kind=join' >>graph
	sed 's/JOIN/all/' graph | blame-rank --text | grep '^path.*node=8 '
	sed 's/JOIN/any/' graph | blame-rank --text | grep '^path.*node=5 '
}

@test "the pieces of a wake graph's path cover its time without gap or overlap" {
	local example
	for example in "$TOP"/testdata/blame/wake-*.txt; do
		ranking "$example" | awk -F'[= ]' '
			/^path/ && seen++ && $7 != last { exit 1 }
			/^path/ { last = $9 }'
	done
}

@test "blame in a wake graph adds up to its time" {
	run -0 bash -c "blame-rank -n 100 --text $TOP/testdata/blame/wake-lock.txt | awk -F'score=' '/^blame/ { sum += \$2 } END { print sum }'"
	assert_output 10
}

@test "random wake graphs, senseless ones too: the path ends and covers all, and all of it is blamed" {
	need_python
	python3 "$TOP/tests/reference/random_wakes.py" 1 1000 20 >wakes
	python3 "$TOP/tests/reference/random_wakes.py" 2 100 300 | sed 's/\(graph\|graph id\)=/\1=1000/' >>wakes
	blame-rank --text -n 1000 wakes >ranked
	run -0 awk -f "$TOP/tests/reference/check_wakes.awk" ranked
	assert_output 1100
}

# bats test_tags=long
@test "the path and blame of threads that run, wait and wake each other agree with the reference" {
	need_python
	for seed in 1 2 3; do
		python3 "$TOP/tests/reference/threads.py" $seed 150 graphs expected
		blame-rank -n 1000 --text graphs | grep -e '^path ' -e '^blame ' | grep -v graph=total |
			sed 's/ label=.* score/ score/; s/ share=.*//; s/ what=unknown deed=before-data$//' >found
		[ -s expected ]
		diff expected found
	done
}

@test "a ranked stream can be ranked again" {
	blame-rank "$TOP/testdata/blame/wake-fork.txt" >once
	blame-rank once | cmp once
	blame-rank -a npt once | blame-rank -t | cmp - <(stream-cat -t once)
}

@test "binary and text give the same" {
	stream-cat -b "$TOP/testdata/blame/wake-lock.txt" >binary
	blame-rank --text binary >a
	blame-rank --text "$TOP/testdata/blame/wake-lock.txt" >b
	cmp a b
}

@test "records of other kinds pass, in order, and end a graph" {
	cat >in <<-'EOF'
		unheard-of key=value
		node id=1 name=a start=0 end=1
		signal id=1 ts=1
		window id=1
	EOF
	blame-rank --text in | sed 's/ .*//' >kinds
	echo unheard-of node path blame signal window end | tr ' ' '\n' | cmp - kinds
}

@test "a total follows two graphs, or one of a window" {
	local graph=$TOP/testdata/blame/wake-circle.txt
	run ! grep 'graph=total' <(blame-rank --text "$graph")
	sed 's/graph id=1/& window=1/' "$graph" | blame-rank --text | grep '^blame graph=total rank=1'
	cat "$graph" <(sed 's/id=1 kind/id=2 kind/; s/graph=1/graph=2/' "$graph") >two
	blame-rank --text two | grep '^blame graph=total rank=1 .* score=16.000000000 .* instances=2'
}

@test "impact: the graphs of a window speak for its signals, and what has no graph goes back to nobody" {
	# window 1: 6 s of waiting, two graphs, half of their time a's; window 2: 2 s, all b's; window 3: 1 s, no graph; 1 s
	# in no window
	cat >in <<-'EOF'
		signal id=1 start=0 ts=2
		signal id=2 start=1 ts=5
		graph id=1 window=1 kind=wake from=0 to=2 target=1
		node id=1 graph=1 name=a start=0 end=2
		graph id=2 window=1 kind=wake from=0 to=2 target=1
		node id=1 graph=2 name=b start=0 end=2
		window id=1 signals=1-2
		signal id=3 start=10 ts=12
		window id=2 signals=3
		graph id=3 window=2 kind=wake from=10 to=12 target=1
		node id=1 graph=3 name=b start=10 end=12
		signal id=4 start=20 ts=21
		window id=3 signals=4
		signal id=5 start=30 ts=31
	EOF
	run -0 bash -c "blame-rank --text in | sed -n 's/.*graph=total .* name=\\(.\\) .* impact=/\\1 /p'"
	assert_output "b 0.500000 waited=5.000000000
a 0.300000 waited=3.000000000"
	run ! grep impact <(blame-rank --text in | grep -v graph=total)
	# without signals a moment's waiting is the time of its graphs: 4 s and 2 s
	run -0 bash -c "grep -v signal in | blame-rank --text | sed -n 's/.*graph=total .* name=\\(.\\) .* impact=/\\1 /p'"
	assert_output "b 0.666667 waited=4.000000000
a 0.333333 waited=2.000000000"
}

@test "impact: a graph that is the recording pipe's own takes no waiting from the others of its window" {
	for window in 1 2; do
		local from=$((window * 10)) n=0
		echo "signal id=$window start=$from ts=$((from + 10)) tid=5"
		for deed in 'me pipe=yes' "victim$window"; do
			echo "graph id=$window.$((++n)) window=$window kind=wake from=$from to=$((from + 10)) target=1"
			echo "node id=1 deed=run who=$deed tid=5 start=$from end=$((from + 10)) what=run"
		done
		echo "window id=$window"
	done >in
	blame-rank --text in | sed -n 's/^blame graph=total .* name="\(.*\)" label.* impact=\(\S*\) waited=\(\S*\).*/\1 \2 \3/p' >total
	diff - total <<-'EOF'
		victim1: running 0.500000 10.000000000
		victim2: running 0.500000 10.000000000
	EOF
}

# impact_of: what is said of name a in the total of this stream.
impact_of() {
	blame-rank --text | sed -n 's/.*graph=total .* name=a .* impact=//p'
}

@test "impact: what is no wait is not counted, and an open wait once" {
	local graph='graph id=1 window=1 kind=wake from=0 to=2 target=1\nnode id=1 graph=1 name=a start=0 end=2'
	local first="signal id=1 start=0 ts=2 tid=5\n$graph\nwindow id=1 signals=1"

	for other in 'unit=per_second' 'unit=number' 'mean=yes' 'rules=shift'; do
		run -0 impact_of <<<"$(printf '%b\nsignal id=2 start=10 ts=610 tid=5 %s\nwindow id=2' "$first" "$other")"
		assert_output "1.000000 waited=2.000000000"
	done
	# told of twice while open, and when it had ended: 5 s in all, in two windows
	run -0 impact_of <<<"$(printf '%b\n%s\n%s\nwindow id=2\n%s\nwindow id=3' "$first" 'signal id=2 start=10 ts=12 tid=5 open=yes' \
		'signal id=3 start=10 ts=13 tid=5 open=yes' 'signal id=4 start=10 ts=15 tid=5')"
	assert_output "0.285714 waited=2.000000000"
	# another thread's is another wait, and so is one that begins when that one is over
	run -0 impact_of <<<"$(printf '%b\n%s\n%s\n%s\nwindow id=2' "$first" 'signal id=2 start=10 ts=12 tid=5 open=yes' \
		'signal id=3 start=10 ts=12 tid=6' 'signal id=4 start=12 ts=14 tid=5')"
	assert_output "0.250000 waited=2.000000000"
}

@test "impact: a graph of no window has its waiting from signals of none" {
	cat >in <<-'EOF'
		signal id=1 start=0 ts=2
		signal id=2 start=10 ts=13
		graph id=1 kind=wake from=0 to=2 target=1
		node id=1 graph=1 name=a start=0 end=2
		graph id=2 kind=wake from=10 to=12 target=1
		node id=1 graph=2 name=a start=10 end=12
	EOF
	run -0 impact_of <in
	assert_output "0.800000 waited=4.000000000"
}

# Graphs, each a moment of so many seconds of somebody on a CPU that somebody waited for: SECONDS WHO CPU WAITER, a line each.
on_cpus() {
	local i=0 seconds who cpu waiter
	while read -r seconds who cpu waiter; do
		i=$((i + 1))
		cat <<-EOF
			graph id=$i window=$i kind=wake from=0 to=$seconds target=1
			node graph=$i id=1 deed=hold-cpu who=$who cpu=$cpu whom=$waiter start=0 end=$seconds tid=1 what=run
			window id=$i from=0 to=$seconds
		EOF
	done
}

@test "total: who kept others from a CPU is one, whoever they were" {
	# b has more than a of either CPU, and less than a
	on_cpus <<-'EOF' >in
		4 b 0 x
		3 a 0 x
		2 a 1 x
		2 c 0 x
		2 c 0 y
		0.1 b 1 y
	EOF
	blame-rank --text in | sed -n 's/^blame graph=total .* name="\(.*\)" label.* score=\([0-9]*\).* instances=\([0-9]*\).*/\1, \2, \3/p' >total
	diff - total <<-'EOF'
		a: on CPU while x was runnable, 5, 2
		b: on CPU 0 while x was runnable, 4, 2
		c: on CPU while others were runnable, 4, 2
	EOF
	# the report says the same, by its own sum where the ranker's is not there yet
	blame-rank --text in | report | sed -n '/^blamed/,/^$/p' >said
	grep 'a: on CPU while x was runnable' said | grep -w 2/6
	blame-rank --text in | sed '/graph=total/d' | report | sed -n '/^blamed/,/^$/p' | cmp - said
}

@test "what the pipe itself did is said so, and comes last among equals" {
	cat <<-'EOF' >events
		stream version=1
		stage command=hog tid=20
		event ts=1.0 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=hog next_pid=20
		event ts=2.0 cpu=1 tid=40 comm=waker name=sched:sched_waking comm=victim pid=10 target_cpu=0
		event ts=4.0 cpu=0 tid=20 comm=hog name=sched:sched_switch prev_pid=20 prev_state=R next_comm=zeal next_pid=30
		event ts=6.0 cpu=0 tid=30 comm=zeal name=sched:sched_switch prev_pid=30 prev_state=R next_comm=victim next_pid=10
		signal id=1 ts=6.5 start=2.0 chart=runq value=4.5 center=0.1 ucl=1 rules=1 tid=10 comm=victim
		window id=1 from=1.0 to=6.5 signals=1-1 complete=yes
	EOF
	blame-rank --text events | sed -n 's/^blame graph=1 rank=\(.\) name="\(.*\)" label.* score=\([0-9.]*\).*/\1 \2 \3/p' >ranked
	head -2 ranked | diff - <(printf '%s\n' '1 zeal: on CPU 0 while victim was runnable 2.000000000' \
		'2 this pipe (hog): on CPU 0 while victim was runnable 2.000000000')
	graph-build --text events | grep -q ' deed=hold-cpu who=hog pipe=yes '
	# the same with the graph in between, and when the number is another's by now
	graph-build events | blame-rank | report | grep -q 'this pipe (hog): on CPU 0'
	sed '/^stage/a task ts=1.5 tid=20 ended=yes' events | blame-rank | report >said
	grep -q ' hog: on CPU 0' said
	! grep 'this pipe' said
}

@test "a moment that the pipe itself is to blame for first is told apart" {
	cat <<-'EOF' >events
		stream version=1
		stage command=hog tid=20
		event ts=1.0 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=hog next_pid=20
		event ts=2.0 cpu=1 tid=40 comm=waker name=sched:sched_waking comm=victim pid=10 target_cpu=0
		event ts=6.0 cpu=0 tid=20 comm=hog name=sched:sched_switch prev_pid=20 prev_state=R next_comm=victim next_pid=10
		signal id=1 ts=6.5 start=2.0 chart=runq value=4.5 center=0.1 ucl=1 rules=1 tid=10 comm=victim
		window id=1 from=1.0 to=6.5 signals=1-1 complete=yes
	EOF
	others() {
		cat <<-'EOF'
			event ts=7.0 cpu=0 tid=10 comm=victim name=sched:sched_switch prev_pid=10 prev_state=S next_comm=zeal next_pid=30
			event ts=8.0 cpu=1 tid=40 comm=waker name=sched:sched_waking comm=victim pid=10 target_cpu=0
			event ts=9.0 cpu=0 tid=30 comm=zeal name=sched:sched_switch prev_pid=30 prev_state=R next_comm=victim next_pid=10
			signal id=2 ts=9.5 start=8.0 chart=runq value=1.5 center=0.1 ucl=1 rules=1 tid=10 comm=victim
			window id=2 from=7.0 to=9.5 signals=2-2 complete=yes
		EOF
	}
	export COLUMNS=1000
	blame-rank events >alone
	{ cat events; others; } | blame-rank >both
	report alone | head -1 | grep -q "^1 moment was this pipe's own: .*; to blame: this pipe (hog)"
	report both >said
	head -1 said | grep -q '^1 moment: .* 1.500 s'
	run ! grep -q '^   blame .*this pipe' said
	grep -q "^1 moment was this pipe's own: .* 4.500 s" said
	cat both | report >said # in a pipe, too
	grep -q '^2\. .* 1.500 s' said
	run ! grep -q '^1\. ' said
	report --all both | grep -q '^1\. .* 4.500 s'
	report -f json both | jq -e '[.moments[].own] == [true, null] and (.headline.words[0] | test("1.500 s"))'
	report -f html -o page both
	grep -q "moment was this pipe.*s own: .* 4.500 s" page/report.html
	# so are the writes of what it passes
	{ echo "stage command=crowd tid=20"; cat "$TOP/testdata/wake/block.txt"; } | blame-rank | report >said
	grep -q "^1 moment was this pipe's own: read of loop0 " said
	grep -q "to blame: this pipe (crowd): write of loop0 in service 50 %" said
}

@test "threads of a pool are one where none of them did the most" {
	for tid in 11 12 13; do
		echo "task ts=0 tid=$tid comm=w-$((tid - 10)) tgid=10 program=/srv/pool"
	done >pool
	cat <<-'EOF' >in
		graph id=1 window=1 kind=wake target=1 from=0 to=10
		node id=1 graph=1 deed=run who=v start=7 end=10 tid=1 what=run
		node id=2 graph=1 deed=ready who=v start=0 end=7 tid=1 what=runnable
		node id=3 graph=1 deed=hold-cpu who=w-1 cpu=0 whom=v start=0 end=2 tid=11 what=run
		node id=4 graph=1 deed=hold-cpu who=w-2 cpu=0 whom=v start=2 end=4.5 tid=12 what=run
		node id=5 graph=1 deed=hold-cpu who=w-3 cpu=0 whom=v start=4.5 end=7 tid=13 what=run
		edge graph=1 from=2 to=1 kind=seq
		edge graph=1 from=3 to=2 kind=cpu
		edge graph=1 from=4 to=2 kind=cpu
		edge graph=1 from=5 to=2 kind=cpu
		window id=1 from=0 to=10
	EOF
	run -0 bash -c 'cat pool in | blame-rank --text'
	assert_line --partial 'blame graph=1 rank=1 name="w-*: on CPU 0 while v was runnable" label="w-2/12 on CPU 0" score=7.000000000 share=0.700000 on_path=no instances=3'
	assert_line --partial 'blame graph=1 rank=2 name="v: running"'
	COLUMNS=200 run -0 bash -c 'cat pool in | blame-rank | report'
	assert_line --regexp '70.0 %  w-\* \(3 threads\): on CPU 0 while v was runnable$'
	assert_line --partial 'w-* is process 10, /srv/pool'
	# one that did half of it is to blame
	sed '/ id=4 /s/4.5/5.5/; / id=5 /s/start=4.5/start=5.5/' in >half
	run -0 bash -c 'cat pool half | blame-rank --text'
	assert_line --partial 'blame graph=1 rank=1 name="w-2: on CPU 0 while v was runnable"'
	# so are threads of several processes, or of nobody knows which
	run -0 bash -c 'sed "/tid=12/s/tgid=10/tgid=12/" pool | cat - in | blame-rank --text'
	assert_line --partial 'blame graph=1 rank=1 name="v: running"'
	run -0 blame-rank --text in
	assert_line --partial 'blame graph=1 rank=1 name="v: running"'
}

@test "pools of several processes that have one name are one" {
	{
		for n in 1 2 3 4 5 6; do
			echo "task ts=0 tid=1$n comm=w-$n tgid=$((n / 4)) program=/srv/pool"
		done | sed 's/tgid=/&1/'
		echo 'graph id=1 window=1 kind=wake target=6 from=0 to=6'
		for n in 1 2 3 4 5 6; do
			echo "node id=$n graph=1 deed=run who=w-$n cpu=0 start=$((n - 1)) end=$n tid=1$n what=run"
		done
		for n in 1 2 3 4 5; do
			echo "edge graph=1 from=$n to=$((n + 1)) kind=seq"
		done
		echo 'window id=1 from=0 to=6'
	} >in
	run -0 bash -c 'blame-rank --text in | grep "^blame graph=1"'
	assert_output 'blame graph=1 rank=1 name="w-*: running" label="w-1/11 on CPU 0" score=6.000000000 share=1.000000 on_path=yes instances=6 algorithm=critical tid=11 deed=run who=w-* pool=yes'
	run -0 bash -c 'blame-rank in | report | grep -F "w-* ("'
	assert_output --partial 'w-* (6 threads of 2 processes): running'
}

@test "diff: who kept others from a CPU is one" {
	on_cpus <<<$'1 a 0 x\n1 a 1 y\n1 b 0 x\n1 b 0 x' >good
	on_cpus <<<$'1 a 0 x\n1 a 1 x\n1 a 1 x\n1 a 1 y' >bad
	run -0 blame-rank --diff --text good bad
	assert_line --index 0 --partial 'name="a: on CPU while others were runnable" difference=0.500000 good=0.500000 bad=1.000000'
}

# Moments of two pieces, a and b; b's share of each.
moments_of() {
	local share i=0
	for share in "$@"; do
		i=$((i + 1))
		cat <<-EOF
			graph id=$i window=$i kind=wake from=0 to=1 target=2
			node graph=$i id=1 name=a start=0 end=$(awk "BEGIN { print 1 - $share }")
			node graph=$i id=2 name=b start=$(awk "BEGIN { print 1 - $share }") end=1
			edge graph=$i from=1 to=2 kind=seq
			window id=$i
		EOF
	done
}

@test "diff: what is blamed more, by how much, and how sure that is" {
	moments_of 0.1 0.2 0.3 0.4 >good
	moments_of 0.5 0.6 0.7 0.8 >bad
	run -0 blame-rank --diff --text good bad
	# of the 70 deals, this one and its opposite
	assert_line --index 0 "diff rank=1 name=b difference=0.400000 good=0.250000 bad=0.650000 p=0.028571 sure=yes good_moments=4 bad_moments=4 algorithm=critical"
	assert_line --index 1 "end records=1 lost=0"
	run -0 bash -c 'blame-rank --diff bad good | stream-cat --text'
	assert_line --index 0 --partial "name=a difference=0.400000 "
	run -0 bash -c "blame-rank --diff --text good <(cat good good)"
	assert_line --index 0 "diff good_moments=4 bad_moments=8 algorithm=critical"
}

@test "diff: two groups of hosts are dealt as hosts, for the moments of one are alike" {
	hosts() { # SHARE NAME...
		local share=$1
		shift
		for name; do
			echo "stream version=1 host=$name"
			moments_of "$share" "$share"
		done
	}
	hosts 0.2 a b c >good
	hosts 0.7 d e f >bad
	run -0 blame-rank --diff --text good bad
	# 20 deals of hosts, of which two are as large; of moments there are 924
	assert_line --index 0 "diff rank=1 name=b difference=0.500000 good=0.200000 bad=0.700000 sure=few good_moments=6 bad_moments=6 good_hosts=3 bad_hosts=3 algorithm=critical"
	hosts 0.7 g h i j >>bad
	run -0 blame-rank --diff --text good bad
	assert_line --index 0 --partial "p=0.008333 sure=yes good_moments=6 bad_moments=14 good_hosts=3 bad_hosts=7 "
	run -0 bash -c 'blame-rank --diff good bad | report'
	assert_line "moments compared: 6 good, 14 bad, of 3 and 7 hosts"
	hosts 0.7 a >>bad
	run -0 blame-rank --diff --text good bad
	assert_line --index 0 --regexp "p=0.[0-9]* sure=yes good_moments=6 bad_moments=16 algorithm"
}

@test "diff: graphs of threads are not compared with graphs of calls" {
	moments_of 0.1 0.2 0.3 0.4 >threads
	sed 's/kind=wake/kind=rag/; /^edge/d; s/ target=2//' threads >calls
	for streams in 'threads calls' 'calls threads'; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr blame-rank --diff --text $streams
		assert_output ''
		assert_regex "$stderr" '^blame-rank: graphs of threads .kind=wake. and graphs of calls .kind=rag. cannot be compared'
	done
	run -0 blame-rank --diff --text calls calls
}

@test "diff: that nothing is blamed more is an answer, in words" {
	moments_of 0.1 0.2 0.3 0.4 >good
	echo "stream version=1" >quiet
	run -0 --separate-stderr bash -c 'set -o pipefail; blame-rank --diff good good | report'
	assert_output "nothing is blamed more than in the good stream; moments compared: 4 good, 4 bad"
	assert_equal "$stderr" ""
	run -0 bash -c 'set -o pipefail; blame-rank --diff good quiet | report'
	assert_output "nothing is blamed more than in the good stream; moments compared: 4 good, 0 bad"
	run -0 bash -c 'set -o pipefail; blame-rank --diff quiet quiet | report -f json'
	assert_line '  "changes": [],'
}

@test "diff: the report says it in words" {
	moments_of 0.1 0.2 0.3 0.4 >good
	moments_of 0.5 0.6 0.7 0.8 >bad
	run -0 bash -c 'blame-rank --diff good bad | report | tr "\n" " "'
	assert_output --partial "blamed more than in the good stream: b, 65.0 % of the time instead of 25.0 % (sure: p 0.029) moments compared: 4 good, 4 bad"
	run -0 bash -c 'printf "%s\n" "diff name=x good=0.000182 bad=0.000243 good_moments=1 bad_moments=1" | report | tr "\n" " "'
	assert_output --partial ": x, 0.0243 % of the time instead of 0.0182 %"
	run -0 bash -c 'blame-rank --diff good <(head -n 5 bad) | report | tr "\n" " "'
	assert_output --partial "too few moments to be sure of that: 4 good, 1 bad"
	run -0 bash -c 'blame-rank --diff good bad | report -f html && grep -c "blamed more than in the good stream" report.html'
	run -1 --separate-stderr report <(echo "diff name=a good=x bad=1")
	run -0 report <(echo "different kind=1")
}

@test "diff: devices go by their names, and the records are a table too" {
	moments_of 0.1 | sed 's/name=b /deed=service who=b request=flush dev=7:0 /' >good
	{ echo "device dev=7:0 name=loop0"; moments_of 0.5 | sed 's/name=b /deed=service who=b request=flush dev=7:0 /'; } >bad
	run -0 bash -c 'blame-rank --diff good bad | report'
	assert_output --partial "flush of loop0"
	run -0 bash -c 'blame-rank --diff good bad | trace-export -f csv -k diff'
	assert_line --index 0 --partial 'rank,name,difference,good,bad,p,sure,'
	assert_line --index 1 --partial '1,b: flush of 7:0 in service,0.400000,'
}

@test "diff: with few moments nothing is sure, and it says so" {
	moments_of 0.1 0.2 0.3 >good
	moments_of 0.7 0.8 0.9 >bad
	run -0 bash -c "blame-rank --diff --text good bad"
	assert_line --index 0 "diff rank=1 name=b difference=0.600000 good=0.200000 bad=0.800000 sure=few good_moments=3 bad_moments=3 algorithm=critical"
	echo "stream version=1" >quiet
	run -0 bash -c "blame-rank --diff -n 1 --text quiet bad"
	assert_line --index 0 "diff rank=1 name=b difference=0.800000 good=0.000000 bad=0.800000 sure=few good_moments=0 bad_moments=3 algorithm=critical"
}

@test "diff: graphs of one window are one moment" {
	moments_of 0.1 0.2 0.3 0.4 | sed 's/window=./window=1/; /^window/d' >good
	moments_of 0.9 >bad
	run -0 blame-rank --diff --text good bad
	assert_line --index 0 --partial "good=0.250000 bad=0.900000 sure=few good_moments=1 bad_moments=1"
	# as a fleet's machine may send it
	printf '%s\n' 'stream version=1 moments=1' 'graph id=1 window=1 kind=wake from=0 to=0.000000001' \
		'blame graph=1 rank=1 name=b score=1e308' >far
	run -1 blame-rank --diff --text far bad
	assert_output "blame-rank: far:3: a blame record needs score= as a number of seconds"
}

# bats test_tags=long
@test "diff agrees with the reference on random threads" {
	need_python
	local reference=$TOP/tests/reference
	for seed in 1 2 3; do
		python3 "$reference/threads.py" $seed 6 good /dev/null
		python3 "$reference/threads.py" 9$seed 7 bad /dev/null
		python3 "$reference/compare.py" <(blame-rank -n 1000 --text good) <(blame-rank -n 1000 --text bad) >expected
		blame-rank -n 1000 --diff --text good bad |
			sed -n 's/^diff .* name=\("[^"]*"\|[^ ]*\) difference=\([^ ]*\) .* p=\([^ ]*\) sure=\([a-z]*\) .*/\1 \2 \3 \4/p' >found
		[ -s expected ]
		diff expected found
	done
}

@test "diff builds graphs where it has to, and fails as ranking does" {
	cchart-filter "$TOP/testdata/lock.txt" >bad
	echo "stream version=1" >quiet
	blame-rank --diff --text quiet bad | grep '^diff rank=1 '
	run -2 blame-rank --diff bad
	run -1 blame-rank --diff bad no-such-file
	run -1 bash -c 'blame-rank --diff quiet bad >/dev/full'
	head -c 3000 bad >part
	run -3 bash -c 'blame-rank --diff quiet part >/dev/null'
	echo "node id=1 name=a start=2 end=1" >broken
	run -1 --separate-stderr blame-rank --diff quiet broken
	# shellcheck disable=SC2154
	assert_equal "$stderr" "blame-rank: broken:1: graph 1: node 1 ends before it starts"
}

@test "building graphs first gives what graph-build gives" {
	cchart-filter "$TOP/testdata/lock.txt" >filtered
	blame-rank filtered >direct
	graph-build filtered | blame-rank >piped
	cmp <(stream-cat -t direct) <(stream-cat -t piped)
	stream-cat --text direct | grep '^blame graph=1 rank=1'
	graph-build --worst=1 filtered | blame-rank -t | cmp - <(blame-rank -t --worst=1 filtered)
}

@test "concatenated streams are ranked one by one" {
	cchart-filter "$TOP/testdata/lock.txt" >filtered
	blame-rank "$TOP/testdata/blame/wake-lock.txt" >ranked
	cat ranked filtered ranked | blame-rank >both
	stream-cat --text both | grep -c '^graph' | grep -x 3
	graph-build <(cat ranked filtered ranked) | blame-rank -t | cmp - <(stream-cat -t both)
	# a graph of everything in the first does not claim the nodes of the second
	printf '%s\n' 'graph id=w kind=event' 'node graph=w id=1 name=a what=segment tid=1 start=1 end=2' >whole
	echo 'node id=1 name=root start=0 end=1' >hand
	blame-rank --text whole hand | grep '^blame graph=1 rank=1 name=root '
}

@test "npt on a wake graph shares time among all that ran or served" {
	blame-rank -a npt --text "$TOP/testdata/blame/wake-fork.txt" >out
	grep -q 'name="child: running" .* score=3.500000000' out # 8 to 9 shared with its maker, 16 to 18
	run ! grep -q '^blame.*timer' out
}

# Each line: what is wrong, then the records, then the message.
@test "graphs that make no sense are refused with file and line" {
	while IFS='|' read -r records message; do
		echo "$records" | tr ';' '\n' >bad
		run -1 --separate-stderr blame-rank --text bad
		# shellcheck disable=SC2154
		assert_equal "$stderr" "blame-rank: bad:$message"
	done <<-'EOF'
		node id=1 name=a start=2 end=1|1: graph 1: node 1 ends before it starts
		node id=1 name=a start=0 end=1 parent=1|1: graph 1: node 1 is its own parent
		node id=1 name=a start=0 end=1 parent=2;node id=2 name=a start=0 end=1 parent=1|1: graph 1: node 1 is its own ancestor
		node id=1 name=a start=0 end=1 parent=7|1: graph 1: a parent is node 7, which is not there
		node id=1 name=a start=0 end=1;edge from=1 to=2 kind=seq|2: graph 1: an edge goes to node 2, which is not there
		node id=1 name=a start=0 end=1 wait_start=1 wait_end=0|1: graph 1: the wait for node 1 ends before it starts
		node id=1 name=a start=0 end=1 wait_start=1|1: graph 1: node 1 has only one of wait_start and wait_end
		node id=1 name=a start=0 end=1;node id=1 name=b start=0 end=1|2: graph 1: node 1 is there twice
		node id=1 name=a start=0 end=1 join=some|1: join 'some' is not known
		node id=1 name=a start=0 end=1 call=maybe|1: call 'maybe' is not known
		node id=1 name=a start=0 end=1 what=ever|1: what 'ever' is not known
		node id=1 name=a start=0|1: end= is missing
		node id=1 start=0 end=1|1: name= is missing
		node name=a start=0 end=1|1: id= is missing
		node id=1 name=a start=0 end=1;edge from=1 to=1 kind=odd|2: kind 'odd' is not known
		node id=1 name=a start=0 end=1;edge from=1 to=1 kind=join|2: graph 1: node 1 is awaited by node 1, which is no join
		graph id=1 kind=tree|1: kind 'tree' is not known
		graph kind=rag|1: id= is missing
		graph id=1 from=2 to=1|1: graph 1 ends before it starts
		graph id=1 to=5;node id=1 name=a start=10 end=20|1: graph 1 ends before it starts
		graph id=1 from=25;node id=1 name=a start=10 end=20|1: graph 1 ends before it starts
		graph id=1 root=3;node id=1 name=a start=0 end=1|1: graph 1: the root is node 3, which is not there
		node id=1 name=a start=0 end=1;node id=2 name=a start=0 end=1 parent=7;node id=3 name=a start=0 end=1;signal id=1|2: graph 1: a parent is node 7, which is not there
		node id=1 name=a start=0 end=1;edge from=1 to=2 kind=seq;edge from=1 to=1 kind=seq;signal id=1|2: graph 1: an edge goes to node 2, which is not there
		edge from=1 to=1 kind=seq;edge from=1 to=1 kind=join;node id=1 name=a start=0 end=1;window id=1|2: graph 1: node 1 is awaited by node 1, which is no join
		graph id=1;graph id=2;node graph=1 id=1 name=a start=0 end=1|3: graph 1 has ended; its records must stand together
	EOF
}

@test "a chain of a hundred thousand parents" {
	awk 'BEGIN {
		print "node id=0 name=n start=0 end=1000000"
		for (i = 1; i < 100000; i++)
			printf "node id=%d name=n start=%d end=1000000 wait_start=%d wait_end=1000000 parent=%d\n", i, i, i, i - 1
	}' | blame-rank --text -n 1 | grep '^blame' >out
	grep -q 'rank=1 name=n label=n score=900001.000000000 share=0.900001' out
}

@test "a wake graph of a hundred thousand waits, each ended by the next" {
	awk 'BEGIN {
		print "graph id=1 kind=wake target=0 from=0 to=100000"
		for (i = 0; i < 100000; i++) {
			printf "node id=%d name=n%d start=0 end=%d what=wait\n", i, i % 7, 100000 - i
			if (i) printf "edge from=%d to=%d kind=wake\n", i, i - 1
		}
	}' | blame-rank --text | grep '^path graph=1 node=99999 from=0.000000000 to=100000.000000000'
}

@test "a mistake that shows late is named where it stands: in its file, in binary too" {
	echo 'node id=1 name=a start=0 end=1 parent=7' >first
	echo 'signal id=1' >second
	run -1 --separate-stderr blame-rank first second
	# shellcheck disable=SC2154
	assert_equal "$stderr" "blame-rank: first:1: graph 1: a parent is node 7, which is not there"
	run -1 --separate-stderr bash -c 'cat first second | blame-rank'
	assert_equal "$stderr" "blame-rank: standard input:1: graph 1: a parent is node 7, which is not there"
	cat first second | stream-cat --binary >both
	run -1 --separate-stderr blame-rank both
	assert_equal "$stderr" "blame-rank: both: byte 48: graph 1: a parent is node 7, which is not there"
}

@test "an empty graph is nobody's fault" {
	echo 'graph id=1 kind=wake from=0 to=0' >empty
	run -0 --separate-stderr blame-rank --text empty
	refute_output --partial blame
	echo 'graph id=1 kind=wake from=0 to=1' | blame-rank --text | grep '^blame.*name="unknown: began before the data"'
}

# crowd COUNT: each CPU switch goes to a thread of its own, and the last of them waited for 10 us
crowd() {
	perl -e 'my $n = shift; for (1 .. $n) { my ($p, $q) = ($_ + 99, $_ + 100);
		printf "event ts=%.9f cpu=0 tid=$p comm=t$p name=sched:sched_switch prev_comm=t$p prev_pid=$p prev_state=S next_comm=t$q next_pid=$q\n", 1 + $_ * 1e-6 }
		printf "signal id=1 ts=%.9f start=%.9f chart=c value=0.00001 tid=%d\n", 1 + $n * 1e-6, 1 + ($n - 10) * 1e-6, $n + 99;
		printf "window id=1 from=1 to=%.9f signals=1-1 complete=yes\n", 1 + $n * 1e-6' "$1"
}

# bats test_tags=figures
@test "of 600,000 threads in a window the first are forgotten, which is said; 100,000 are not" {
	local command
	crowd 600000 >hostile
	crowd 100000 >real
	for command in blame-rank graph-build; do
		run -3 --separate-stderr bash -c "ulimit -v 350000; $command --text hostile >out"
		assert_regex "$stderr" "a window has more than 262,144 threads; what happened before the last of them was forgotten, 2 times"
		grep -q 'graph=1' out
		run -0 --separate-stderr bash -c "$command --text real >out"
		assert_equal "$stderr" ""
	done
}

@test "exit status" {
	run -2 blame-rank --no-such-option
	run -2 --separate-stderr blame-rank -a guess
	# shellcheck disable=SC2154
	assert_equal "${stderr_lines[0]}" "blame-rank: there is no algorithm 'guess'; there are critical, npt, tcm, ilz, exception and wanted"
	run -2 blame-rank -n 0
	run -1 blame-rank no-such-file
	run -1 bash -c "blame-rank $TOP/testdata/blame/wake-lock.txt >/dev/full"
	run -0 bash -o pipefail -c "blame-rank --text $TOP/testdata/blame/wake-lock.txt | head -n 1"
	blame-rank "$TOP/testdata/blame/wake-lock.txt" | head -c 900 >part
	run -3 bash -c 'blame-rank part >/dev/null'
	run -1 bash -c 'head -c 3000 /bin/true | blame-rank >/dev/null'
}
