#!/usr/bin/env bats
# run-features: runs of a program, and what their system calls were, in numbers.

load helper

W() { echo "$TOP/testdata/run/$1"; }

# "RUN KEY VALUE" of all features, as tests/reference/features.py prints them.
table() {
	awk '$1 == "run" { n = split($2, id, ":"); p = / partial=yes/ ? "yes" : "no"; c = / complete=no/ ? "no" : "yes"
			match($0, /elapsed=[0-9.]*/); print id[n], "elapsed", substr($0, RSTART + 8, RLENGTH - 8)
			print id[n], "partial", p; print id[n], "complete", c }
		$1 == "features" { n = split($2, id, ":")
			for (i = 3; i <= NF; i++) { split($i, pair, "="); printf "%s %s %.12g\n", id[n], pair[1], pair[2] } }' | LC_ALL=C sort
}

@test "a run: its calls, those of a child by vfork, and of a daemon what it entered before the end" {
	run -0 run-features -t --facts=never -j wget "$(W kin.txt)"
	assert_line 'run id=web1:01234567:1.001000000:10 node=web1 job=wget ts=1.001000000 elapsed=0.021000000 program=wget exit=3'
	assert_line --partial ' count.read=2 errors.read=1 time.read=0.003 arg.read=6144 result.read=100 sum.read=100 rate.read=33333.333333333336 '
	# poll is called select, and returned after the end
	assert_line --partial ' count.select=1 time.select=0.4903 '
	assert_line --partial ' count.sys_999=1 count.vfork=1 time.vfork=0.003 '
	assert_line --partial ' count.write=1 time.write=0.001 arg.write=16 result.write=16 sum.write=16 rate.write=16000 '
	# a call without a return of its own has a next one, but no gap
	assert_line --partial ' next.sys_999-exit_group=1 next.vfork-sys_999=1 '
	assert_line --partial ' gap.vfork-sys_999=0.01 '
	assert_line --partial ' time.outside=0.0152'
	refute_output --partial 'event '
	run-features -t --facts=never -k -j wget "$(W kin.txt)" | grep '^event' | diff - <(grep '^event' "$(W kin.txt)" | stream-cat -t | grep '^event')
}

@test "without a job file the program is the first that is executed; pairs can be left out" {
	run -0 run-features -t --facts=never --pairs=same "$(W kin.txt)"
	assert_line --partial ' job=wget '
	assert_line --partial ' next.read-read=1 gap.read-read=0.001 '
	refute_line --partial 'next.read-vfork'
	assert_line --partial 'count.poll=1'
}

@test "random streams give what an independent reference gives" {
	command -v python3 >/dev/null || skip "needs python3"
	echo 'program job' >job
	for seed in {1..12}; do
		python3 "$TOP/tests/reference/random_calls.py" "$seed" >calls
		python3 "$TOP/tests/reference/features.py" job calls | LC_ALL=C sort >want
		run-features -t --facts=never -j job calls 2>log | table | diff want - || fail "seed $seed"
		run-features -t --facts=never -j job <(stream-cat -b calls) 2>log | table | diff want - || fail "seed $seed, binary"
	done
}

@test "a loss of events makes the runs that it reaches incomplete" {
	{ cat "$(W kin.txt)"; echo 'lost ts=1.7 cpu=0 count=5 from=1.015'; } >in
	run -3 --separate-stderr run-features -t --facts=never -j wget in
	assert_line --partial 'exit=3 complete=no'
	[[ $stderr == *"lost within 1 of 1 runs"* ]]
	{ cat "$(W kin.txt)"; echo 'lost ts=1.7 cpu=0 count=5 from=1.4'; } >in
	run -3 run-features -t --facts=never -j wget in
	refute_output --partial 'complete=no'
	{ # of many losses, those before the run are forgotten, not the one within it
		grep ^stream "$(W kin.txt)"
		seq -f 'lost ts=0.%05.0f cpu=0 count=1 from=0' 2000
		grep -v ^stream "$(W kin.txt)"
		echo 'lost ts=1.7 cpu=0 count=5 from=1.015'
		seq -f 'lost ts=1.8%05.0f cpu=0 count=1 from=1.8' 2000
	} >in
	run -3 run-features -t in
	assert_line --regexp '^run .*complete=no'
	{ grep ^stream "$(W kin.txt)"; seq -f 'lost ts=-%g cpu=0 count=1' 100 2000; grep -v ^stream "$(W kin.txt)"; } >in
	run -3 run-features -t in
	refute_line --partial complete=no
}

@test "a job file that is wrong is told with its line, and nothing comes" {
	while IFS='|' read -r line message; do
		printf 'program wget\n%b\n' "$line" >job
		run -1 --separate-stderr run-features -t -j job "$(W kin.txt)"
		[ "$output" = "" ] || fail "$line: $output"
		[[ $stderr == *"$message"* ]] || fail "$line: $stderr"
	done <<'END'
progam x|job:2: unknown word 'progam'; is it 'program'?
map poll|job:2: 'poll' is not CALL=NAME
map poll=a-b|job:2: a call's name is made of letters
size read results|job:2: 'results' is neither 'result' nor 'arg=N'
size read arg=7|job:2: 'arg=7' is neither
config Sshd etc/x|job:2: the path 'etc/x' does not begin with '/'
sysctl|job:2: 'sysctl' needs a pattern
name a b|job:2: 'name' needs one word
config Nosuchlens /etc/passwd|Can not find lens Nosuchlens.lns
END
	run -1 run-features -j nosuch "$(W kin.txt)"
	assert_output --partial "cannot read 'nosuch'"
}

@test "settings by libaugeas and sysctl: lists of numbers are several, secrets are hashes, a file that does not parse is told" {
	printf 'tries = 20\nretry_key = 17\n# a remark\n' >ok.conf
	printf '= = =\n' >bad.conf
	printf 'program wget\nconfig Simplevars %s\nconfig Simplevars %s\nsysctl net.ipv4.tcp_rmem\n' "$PWD/ok.conf" "$PWD/bad.conf" >job
	run -0 --separate-stderr run-features -t --facts=always -j job "$(W kin.txt)"
	assert_line --partial " name=$PWD/ok.conf/tries value=20"
	assert_line --regexp " name=$PWD/ok.conf/retry_key value=hash:[./0-9A-Za-z]{32}$"
	assert_line --partial " name=$PWD/bad.conf error="
	for i in 1 2 3; do assert_line --regexp " name=sysctl.net.ipv4.tcp_rmem.$i value=[0-9]+$"; done
	assert_line --partial ' fact.arch='
	refute_output --partial remark
	[[ $stderr == *"the settings in '$PWD/bad.conf' are not known"* ]]
	# of another machine's stream they say nothing
	run -0 run-features -t -j job "$(W kin.txt)"
	refute_output --partial ' fact.'
	refute_output --partial 'config '
}

@test "settings are not read through another user's link" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir users
	echo 'password = hunter2' >secret
	chmod 600 secret
	ln -s ../secret users/own
	ln -s ../secret users/rc
	ln -s .. users/up
	echo 'tries = 20' >users/plain
	chown -h nobody users users/rc users/up users/plain
	printf 'config Simplevars %s\n' "$PWD/users/rc" "$PWD/users/up/secret" "$PWD/users/own" "$PWD/users/p*" "$PWD/users/./plain" "$PWD/users/plain" >job
	run -0 --separate-stderr run-features -t --facts=always -j job "$(W kin.txt)"
	assert_line --regexp " name=$PWD/users/own/password value=hash:"
	for file in rc up/secret; do
		assert_line --partial " name=$PWD/users/$file error=\"cannot read '$PWD/users/$file': '${file%/*}' is a symbolic link of another user\""
		refute_line --partial " name=$PWD/users/$file/"
	done
	assert_equal "$(grep -c "symbolic link of another user" <<<"$stderr")" 2
	# a file is read once, even if several lines have it
	assert_equal "$(grep -c " name=$PWD/users/plain/tries value=20" <<<"$output")" "$(grep -c ^run <<<"$output")"
}

@test "a secret's name may stand above its value, as in JSON and XML; what XML has between its elements is a setting, blanks are not" {
	mkdir keys
	echo '{"db": {"password": "hunter2", "size": 5, "tokens": ["abc1", "abc2"]}}' >keys/a.json
	printf '<conf>\n <timeout>30</timeout>\n <secret who="me">hunter3</secret>\n <!-- hunter4 -->\n</conf>\n' >keys/a.xml
	printf 'program wget\nconfig Json %s\nconfig Xml %s\n' "$PWD/keys/a.json" "$PWD/keys/a.xml" >job
	run -0 --separate-stderr run-features -t --facts=always -j job "$(W kin.txt)"
	assert_equal "$stderr" ""
	refute_output --regexp 'hunter|value=(abc|me)'
	assert_equal "$(grep -c '^config .*/a.json/.* value=hash:' <<<"$output")" 3
	assert_equal "$(grep -c '^config .*/a.xml/.* value=hash:' <<<"$output")" 2
	assert_line --regexp "^config .* name=$PWD/keys/a.json/.*/number value=5$"
	assert_line --regexp "^config .* name=$PWD/keys/a.xml/conf/timeout/#text value=30$"
	refute_line --regexp '^config .* value=" *(\\n)? *"$'
}

@test "no runs: a sentence says why" {
	run -0 run-features -t -j sqlite3 "$(W kin.txt)"
	assert_output --partial "no process ran 'sqlite3'"
	run -0 run-features -t "$TOP/testdata/lock.txt"
	assert_output --partial "there are no system calls"
}

@test "access logs: nginx, apache, a format of one's own; strange lines are counted" {
	cat >nginx.log <<'END'
10.1.2.3 - - [22/Nov/2026:20:00:02 +0100] "GET /a HTTP/1.1" 200 1048576 "-" "Wget/1.21.3" 1.500
2001:db8::7 - bob [22/Nov/2026:20:00:03 +0000] "GET /a \"b\" HTTP/1.1" 404 0 "http://x/" "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0 Safari/537.36 Edg/119.0" 0.004
this is no line of it
END
	run -3 --separate-stderr run-features -t --log=nginx nginx.log
	assert_line --regexp '^run id=10.1.2.3::1795374000.500000:1 node=10.1.2.3 job=requests ts=1795374000.500000000 elapsed=1.5 exit=0 light=yes$'
	assert_line --partial ' bytes=1048576 status=200 fact.program=Wget fact.program.version=1.21.3'
	assert_line --partial 'node=2001:db8::7 job=requests ts=1795377602.996000000 elapsed=0.004 exit=1 light=yes'
	assert_line --partial ' fact.program=Edg fact.program.version=119.0 fact.os="Windows NT 10.0"'
	[[ $stderr == *"1 of 3 lines do not fit the format, the first is nginx.log:3"* ]]
	run -0 bash -c 'echo "h1 - - [22/Nov/2026:20:00:02 +0100] \"GET /a HTTP/1.1\" 200 77 \"-\" \"curl/8\" 250000" | run-features -t --log=apache'
	assert_line --partial 'node=h1 job=requests ts=1795374002.000000000 elapsed=0.25 exit=0' # Apache's %t is when the request came
	run -0 bash -c 'echo "h1 [22/Nov/2026:20:00:02 +0100] \"GET /a HTTP/1.1\" 200 250000" | run-features -t --log="%h %t \\\"%r\\\" %>s %D"' # as in httpd.conf
	assert_line --partial 'node=h1 job=requests ts=1795374002.000000000 elapsed=0.25 exit=0'
	run -0 bash -c 'echo "h1 [22/Nov/2026:20:00:02 +0100] 2 2250000" | run-features -t --log="%h %t %T %D"' # the finer of two units
	assert_line --partial ' ts=1795374002.000000000 elapsed=2.25'
	{ head -c 100000 /dev/zero | tr '\0' x; echo; head -1 nginx.log; } >long.log
	run -3 --separate-stderr run-features -t --log=nginx long.log
	assert_line --partial 'node=10.1.2.3 job=requests'
	[[ $stderr == *"1 of 2 lines do not fit the format, the first is long.log:1"* ]]
	run -0 bash -c 'echo "7|client|12" | run-features -t --log="\$other|%h|%{ms}T"'
	assert_line --partial 'node=client job=requests ts=0.000000000 elapsed=0.012'
	# a log without an end is read until nobody wants more
	yes "h1 7" | { timeout 60 run-features -t --log='%h %T' && echo "done" >ended; } | head -n 1
	until_true 60 test -e ended
	run -2 run-features --log='%h %s' nginx.log
	assert_output --partial 'has no time that a request took'
	run -1 run-features --log=nginx nosuch.log
}

# bats test_tags=live
@test "live: features are the counts of the calls" {
	need_tracefs
	trace-collect -p command -e raw_syscalls -- dd if=/dev/zero of=/dev/null bs=512 count=1000 2>log >dd.tb || [ $? = 3 ]
	run -0 run-features -t dd.tb
	assert_line --regexp '^run id=.* job=dd .* program=dd exit=0$'
	assert_line --partial ' fact.kernel='
	run -0 bash -c 'run-features -t dd.tb | grep -o " next.read-write=[0-9]*\| result.write=[0-9.]*\| sum.write=[0-9]*"'
	assert_line ' next.read-write=1000'
	# dd says how much it copied on standard error
	run -0 awk -v sum="$(run-features -t dd.tb | grep -o ' sum.write=[0-9]*' | cut -d= -f2)" 'BEGIN { exit !(sum >= 512000 && sum < 512300) }'
}

# bats test_tags=live
@test "live: a log of strace gives the counts that trace-collect gives" {
	need_tracefs
	command -v strace >/dev/null || skip "needs strace"
	counts() { grep -oE ' (count|errors)\.[a-z0-9_]*=[0-9]*|(sum|result)\.(read|write)=[0-9.]*|next\.[a-z0-9_-]*=[0-9]*| exit=[0-9]*' | sed 's/^ *//' | sort; }
	command='cat /etc/hostname /etc/nosuch | wc -c; /bin/true'
	trace-collect -p command -e raw_syscalls -- sh -c "$command" 2>log >collected.tb || [ $? = 3 ]
	strace -f -ttt -T -o strace.log sh -c "$command" 2>log
	trace-import -f strace strace.log >imported.tb
	for program in cat wc true; do
		echo "program $program" >job
		run-features -t -j job --facts=never collected.tb | counts >want
		run-features -t -j job --facts=never imported.tb | counts | diff want - || fail "$program"
		[ "$(wc -l <want)" -gt 20 ]
	done
}

@test "live: a tick behind each run, and none of a process that goes on; no-children is told" {
	run -0 run-features -t --facts=never --live --no-children -j wget "$(W kin.txt)"
	assert_line --regexp '^run .* exit=3 children=no$'
	assert_line --regexp '^tick ts=1.022000000$'
	grep -v 'id=231\|ended' "$(W kin.txt)" >goes-on
	run -0 --separate-stderr run-features -t --facts=never --live -j wget goes-on
	refute_line --regexp '^run '
}

@test "light runs: begin, end, and the exit status that is known" {
	cat >light <<-END
		stream version=1 host=h machine=x86_64
		event ts=1.0 cpu=0 tid=7 comm=wget name=sched:sched_process_exec filename=/usr/bin/wget pid=7 old_pid=7
		event ts=1.1 cpu=0 tid=8 comm=cat name=sched:sched_process_exec filename=/bin/cat pid=8 old_pid=8
		event ts=1.2 cpu=0 tid=9 comm=wget name=sched:sched_process_exec filename=/usr/bin/wget pid=9 old_pid=9
		event ts=1.3 cpu=0 tid=9 comm=wget name=signal:signal_deliver sig=17 errno=0 code=1 sa_handler=0 sa_flags=0
		event ts=1.4 cpu=0 tid=8 comm=cat name=signal:signal_generate sig=15 errno=0 code=0 comm=wget pid=9 group=1 result=0
		event ts=1.4 cpu=0 tid=9 comm=wget name=signal:signal_deliver sig=9 errno=0 code=0 sa_handler=0 sa_flags=0
		event ts=1.5 cpu=0 tid=9 comm=wget name=sched:sched_process_exit pid=9 prio=120 group_dead=1
		event ts=2.0 cpu=0 tid=7 comm=wget name=raw_syscalls:sys_enter id=231 args=0x104
		event ts=2.1 cpu=0 tid=7 comm=wget name=sched:sched_process_exit pid=7 prio=120 group_dead=0
		event ts=2.25 cpu=0 tid=7 comm=wget name=sched:sched_process_exit pid=7 prio=120 group_dead=1
		event ts=2.5 cpu=0 tid=7 comm=wget name=sched:sched_process_exec filename=/usr/bin/wget pid=7 old_pid=7
		event ts=3.0 cpu=0 tid=7 comm=wget name=sched:sched_process_exit pid=7 prio=120 group_dead=1
		event ts=3.5 cpu=0 tid=7 comm=wget name=sched:sched_process_exec filename=/usr/bin/wget pid=7 old_pid=7
	END
	run -0 --separate-stderr run-features -t --facts=never --light --live -j wget light
	assert_equal "$(grep '^run' <<<"$output")" "$(cat <<-END
		run id=h::1.200000000:9 node=h job=wget ts=1.200000000 elapsed=0.300000000 program=wget exit=143 light=yes
		run id=h::1.000000000:7 node=h job=wget ts=1.000000000 elapsed=1.250000000 program=wget exit=4 light=yes
		run id=h::2.500000000:7 node=h job=wget ts=2.500000000 elapsed=0.500000000 program=wget light=yes
	END
	)"
	refute_line --regexp '^features'
}

# light_run BEGIN: a run of p, and an event by which it is over for long
light_run() {
	echo "event ts=$1.0 cpu=0 tid=7 comm=p name=sched:sched_process_exec filename=/bin/p pid=7"
	echo "event ts=$1.5 cpu=0 tid=7 comm=p name=sched:sched_process_exit pid=7 group_dead=1"
	echo "event ts=$(($1 + 12)).0 cpu=0 tid=8 comm=q name=raw_syscalls:sys_enter id=0"
}

@test "while a stream goes on, a run has the settings of its time, and one that changed meanwhile is unknown" {
	mkfifo in
	printf 'a = 1\nb = 1\n' >settings
	printf 'program p\nconfig Simplevars %s\n' "$PWD/settings" >p.job
	run-features --live --light --text -j p.job <in >out 3>&- &
	exec 4>in
	written() { [ "$(grep -c ^tick out)" = "$1" ]; }
	{ echo 'stream version=1 machine=x86_64'; light_run 10; } >&4
	until_true 60 written 1
	printf 'a = 2\nb = 1\n' >settings
	light_run 30 >&4
	until_true 60 written 2
	light_run 50 >&4
	until_true 60 written 3
	exec 4>&-
	wait $!
	assert_equal "$(sed -n "s|^config run=[^ ]* name=$PWD/settings/||p" out | tr '\n' ,)" \
		'a value=1,b value=1,a error="it changed meanwhile",b value=1,a value=2,b value=1,'
	assert_equal "$(grep -c '^features .* fact.kernel=' out)" 3
}
