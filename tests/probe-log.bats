#!/usr/bin/env bats
# probe-log: the calls of blamed functions, with what they were given and returned, and nothing left behind.
# bats file_tags=live

load helper

# A feed of posts, as in the case "Social 1" of AUDIT: a post that was deleted is asked of the store each time, in vain and slowly. It
# serves until its input ends.
feed() {
	cat >feed.c <<-'C'
		#include <poll.h>
		#include <unistd.h>
		struct post { int id; };
		struct request { const char *url; int post; };
		struct store { const char *name; struct post found; };
		__attribute__((noipa)) struct post *query_store(struct store *store, int post)
		{
			usleep(post == 4711 ? 60000 : 500);
			store->found.id = post;
			return post == 4711 ? 0 : &store->found;
		}
		__attribute__((noipa)) int render(struct post *post) { return post ? post->id : -1; }
		__attribute__((noipa)) int handle(struct store *store, struct request *r) { return render(query_store(store, r->post)); }
		int main(void)
		{
			struct pollfd input = {0, POLLIN};
			struct store store = {"posts"};
			for (int i = 0; poll(&input, 1, 5) == 0; i++) {
				struct request r = {"/feed", i % 4 == 3 ? 4711 : i};
				handle(&store, &r);
			}
			return 0;
		}
	C
	gcc -O2 -g -o feed feed.c
}

# come_true COMMAND: stages behind the collector let others go first, so that on a busy machine what they find takes its time.
come_true() {
	until_true 180 "$1" || fail "$(cat err; tail -n 20 out)"
}

probes_left() {
	grep -qs "$BATS_TEST_TMPDIR/" /sys/kernel/tracing/uprobe_events
}

both_logged() {
	grep -q '^call .* match=yes ' out && grep -q '^call .* match=no ' out
}

# bats test_tags=long
@test "the calls of requests that match tell the guilty argument and result" {
	need_tracefs
	feed
	mkfifo on
	printf "DEFINE TRIGGER slow ON RequestEnd R IF R.Latency > 50ms UNTIL 100000 Match OR 10min\n" >t.trigger
	sleep 100 >on &
	{ trace-collect -c 'func:./feed:handle(r->url)' -f './feed:*' -- ./feed <on 2>/dev/null |
		trigger-filter -T ./t.trigger | blame-rank | probe-log -t >out 2>err; } &
	come_true both_logged
	kill %1
	wait %2
	assert_equal "$(grep -c 'state=ended reason=input' out)" 1
	refute [ -s err ]
	# the function, what it was given, and what it returned
	run -0 bash -c "sed -n 's/^call .* function=feed:query_store .* match=yes \(.*\)/\1/p' out | sed 's/0x[1-9a-f][0-9a-f]*/PLACE/' | sort -u"
	assert_line "arg.store=PLACE arg.post=4711 arg.store_name=posts ret=0x0"
	# a machine that stalls makes other requests match, too, but none of the slow ones fails to
	run -1 grep -E '^call .* function=feed:query_store .* match=no .* arg.post=4711 ' out
	run -0 grep -E '^call .* function=feed:query_store .* match=no .* arg.post=[0-9]+ .* ret=0x[1-9a-f]' out
	# of requests that were chosen only, and each call is of one
	diff <(sed -n 's/^call .* request=\([0-9]*\) .*/\1/p' out | sort -u) \
		<(sed -n 's/^request .* id=\([0-9]*\) .* logged=yes .*/\1/p' out | sort -u) | grep '^<' && fail "calls of other requests"
	run probes_left
	assert_failure
	run -0 --separate-stderr report out # calls stand beside moments, not within
	assert_line --regexp '^feed:query_store: [0-9]+ calls? in requests that matched'
}

# A shop whose requests ask another thread, throw, and call one function far too often. Of 24 requests one is late, so that three have not come
# before the cost of that function is known. It says so itself: on a busy machine others last as long, and their own work is to blame.
shop() {
	cat >shop.cc <<-'CC'
		#include <poll.h>
		#include <pthread.h>
		#include <semaphore.h>
		#include <stdexcept>
		#include <unistd.h>
		static sem_t asked, answered;
		static int job, result;
		extern "C" {
		__attribute__((noipa)) int mix(int x) { return x * 31 + 7; }
		__attribute__((noipa)) int check(int id) { if (id % 4 == 3) throw std::out_of_range("no such item"); return id; }
		__attribute__((noipa)) int load(int name) { usleep(name % 24 == 23 ? 200000 : 300); return name + 1; }
		__attribute__((noipa)) int ask(int id) { job = id; sem_post(&asked); sem_wait(&answered); return result; }
		__attribute__((noipa)) int handle(int id, int late)
		{
			int sum = ask(id) + late;
			for (int i = 0; i < 2000; i++)
				sum += mix(i);
			try { return sum + check(id); } catch (std::exception &) { return -1; }
		}
		}
		static void *work(void *)
		{
			for (;;) {
				sem_wait(&asked);
				result = load(job);
				sem_post(&answered);
			}
		}
		int main()
		{
			struct pollfd input = {0, POLLIN, 0};
			pthread_t worker;
			pthread_create(&worker, nullptr, work, nullptr);
			for (int i = 0; poll(&input, 1, 4) == 0; i++)
				handle(i, i % 24 == 23);
		}
	CC
	g++ -O1 -g -o shop shop.cc -pthread
}

best_logged() {
	grep -q 'most blamed of the methods' err && grep -q '^call .* function=shop:load .* match=yes' out && grep -q ' cpu=.* threw=' out
}

# bats test_tags=long
@test "without a graph of calls methods are rated first; calls tell what threw and ran, on whatever thread, within the budget" {
	need_tracefs
	shop
	mkfifo on
	printf "DEFINE TRIGGER slow ON RequestEnd R IF R.Latency > 150ms AND R.late = 1\nLOG RequestActivity, Top(2) Methods WITH ToLog=args, exceptionName, cpu UNTIL 10min\n" >t.trigger
	sleep 100 >on &
	{ trace-collect -c 'func:./shop:handle(id,late)' -- ./shop <on 2>/dev/null |
		trigger-filter -T ./t.trigger | blame-rank | probe-log -t --methods './shop:[hlcm]*' >out 2>err; } &
	come_true best_logged
	kill %1
	wait %2 || [ $? = 3 ]
	# one of 2,000 calls a request goes for its cost
	run -0 cat err
	assert_line --regexp '^probe-log: calls of shop:mix cost [0-9.e+]+ % of all CPUs. time, .* and 1 % are allowed \(--budget\): it is logged no more$'
	grep -q '^shed .* what=function name=shop:mix ' out
	# of the others the worker's is the most blamed
	assert_line --regexp "^probe-log: trigger 'slow': the most blamed of the methods in 3 requests are logged from now on: (shop:load|shop:handle, shop:load|shop:load, shop:[a-z]*)$"
	run -0 bash -c "sed -n 's/^call .* function=shop:load .* match=yes .*\(arg.name=[0-9]*\)/\1/p' out | awk -F= '\$2 % 24 == 23' | head -1"
	assert_output --regexp '^arg.name=[0-9]+$'
	run -0 grep -m1 ' cpu=.* threw=' out # but of calls that ran before the first switch
	assert_output --regexp ' function=shop:check .* cpu=0\.[0-9]{9} arg.id=[0-9]+ left=yes threw=std::out_of_range$'
	refute grep -q '^call .* ret=' out
	run probes_left
	assert_failure
}

# A warehouse whose most blamed function is called so often that its calls alone cost more than is allowed: 4,000 times a second, however long its requests
# have to wait for a CPU.
warehouse() {
	cat >warehouse.c <<-'C'
		#include <poll.h>
		#include <time.h>
		#include <unistd.h>
		__attribute__((noipa)) int at_sort(int us) { return us ? usleep(us) : 0; }
		__attribute__((noipa)) int at_load(int us) { return usleep(us); }
		__attribute__((noipa)) int at_store(int us) { return usleep(us); }
		__attribute__((noipa)) int at_label(int us) { return usleep(us); }
		__attribute__((noipa)) int handle(int id)
		{
			static struct timespec begun;
			static long done;
			struct timespec now;
			int sum = at_sort(30000) + at_load(15000) + at_store(6000) + at_label(1000);
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (!begun.tv_sec)
				begun = now;
			for (double due = 4000 * (now.tv_sec - begun.tv_sec + (now.tv_nsec - begun.tv_nsec) / 1e9); done < due; done++)
				sum += at_sort(0);
			return sum + id;
		}
		int main(void)
		{
			struct pollfd input = {0, POLLIN};
			for (int i = 0; poll(&input, 1, 5) == 0; i++)
				handle(i);
			return 0;
		}
	C
	gcc -O1 -g -fpatchable-function-entry=1 -o warehouse warehouse.c # an instruction that the kernel need not step over
}

some_kept() {
	grep -qs 'most blamed of the methods' err && [ "$(grep -c '^call .* function=warehouse:at_load ' out)" -ge 12 ]
}

# bats test_tags=long
@test "what costs too much leaves its place to the next in rank, before it is said what is logged" {
	need_tracefs
	warehouse
	mkfifo on
	printf "DEFINE TRIGGER slow ON RequestEnd R IF R.Latency > 20ms\nLOG Top(2) Methods WITH ToLog=args UNTIL 10min\n" >t.trigger
	sleep 100 >on &
	# 4,000 calls a second, of 1.3 us (measured) and more, where 1.6 ms a second are allowed
	{ trace-collect -c 'func:./warehouse:handle(id)' -- ./warehouse <on 2>/dev/null | trigger-filter -T ./t.trigger | blame-rank |
		probe-log -t --budget="$(awk -v cpus="$(nproc)" 'BEGIN { print 0.0016 / cpus }')" --methods './warehouse:at_*' >out 2>err; } &
	come_true some_kept
	kill %1
	wait %2 || [ $? = 3 ]
	run -0 cat err
	assert_line --regexp '^probe-log: calls of warehouse:at_sort cost .*: it is logged no more$'
	assert_line "probe-log: trigger 'slow': the most blamed of the methods in 3 requests are logged from now on: warehouse:at_load, warehouse:at_store"
	assert_equal "$(grep '^call ' out | tail -n 6 | sed 's/.* function=//; s/ .*//' | sort | uniq -c | tr -s ' ')" " 3 warehouse:at_load
 3 warehouse:at_store"
}

# Two callers of one function, by turns. It loads a library when a file asks for it.
callers() {
	cat >callers.c <<-'C'
		#include <dlfcn.h>
		#include <poll.h>
		#include <unistd.h>
		__attribute__((noipa)) int work(int i) { return i + 1; }
		__attribute__((noipa)) int even(int i) { char room[3000] = {0}; __asm__ volatile("" : : "r"(room) : "memory"); return work(i) + room[i & 7]; }
		__attribute__((noipa)) int odd(int i) { return even(i) + work(i) * 2; }
		int main(void)
		{
			struct pollfd input = {0, POLLIN};
			void *loaded = 0;
			for (int i = 0; poll(&input, 1, 2) == 0; i++) {
				if (!loaded && i % 16 == 0 && access("load", F_OK) == 0)
					loaded = dlopen("./more.so", RTLD_NOW);
				if (i % 2 ? odd(i) : even(i))
					continue;
			}
			return 0;
		}
	C
	gcc -O2 -fomit-frame-pointer -g -o callers callers.c -ldl
	echo 'int more(void) { return 1; }' >more.c
	gcc -shared -fPIC -o more.so more.c
}

# of_work: whom calls of work() say that it was called by, odd and even numbers apart
of_work() {
	sed -n 's/^call .* function=callers:work .* arg.i=\([0-9]*\) ret=[0-9]* stack=\(.*\)/\1 \2/p' out |
		awk '{ i = $1 % 2; sub("^[0-9]* ", ""); print i, $0 }' | sed 's/main (callers).*/main/' | sort -u
}

hits() { # N: so often its probes were hit
	[ "$(awk -v p="$PWD/callers" '$1 == p { n += $NF } END { print n + 0 }' /sys/kernel/tracing/uprobe_profile)" -ge "$1" ]
}

# stacks_begin: calls of work() and even() are logged with their stacks, and have come
stacks_begin() {
	callers
	mkfifo on in
	sleep 100 >on &
	./callers <on &
	called=$!
	probe-log -t --methods './callers:work' --methods './callers:even' in >out 2>err &
	exec 5>in
	printf '%s\n' 'stream version=1 clock=mono' 'trigger ts=1 name=t state=fired activity=no methods=all to_log=args,retValue,stack' \
		'signal id=1 ts=1 start=1 chart=t value=0 rules=trigger trigger=t tid=7' 'window id=1 from=1 to=1 signals=1-1 complete=yes' >&5
	until_true 30 hits 400 # a call is three: its begin, a sample there, its end; the first ones have no sample
}

stacks_end() {
	echo "request ts=9999999 start=1 id=1 trigger=t match=yes logged=yes tid=$called chart=t value=1" >&5
	exec 5>&-
	status=0
	wait %3 || status=$?
	kill %1
	wait %2
}

@test "with stack, each call tells who called it, and no probe is left behind" {
	need_tracefs
	stacks_begin
	stacks_end
	assert_equal "$status" 0
	assert_equal "$(cat err)" ""
	refute probes_left
	[ "$(grep -c '^call ' out)" -ge 60 ]
	# of two calls by each odd number the first is even()'s, which has a return probe itself
	run -0 of_work
	assert_output '0 "work (callers);even (callers);main
1 "work (callers);even (callers);odd (callers);main
1 "work (callers);odd (callers);main'
	refute grep -q '^call .* ret=[0-9]*$' out
}

# While it is looked into what was loaded, probes are off, and what samples came last comes first behind that. Whom a call of even() returns to that
# began while they came on again is hidden: its stack says so. That is one call each time.
@test "stacks are those of their calls, too, after a program has loaded a library" {
	need_tracefs
	stacks_begin
	touch load
	until_true 20 grep -q more.so "/proc/$called/maps"
	until_true 60 hits "$(($(awk -v p="$PWD/callers" '$1 == p { n += $NF } END { print n + 0 }' /sys/kernel/tracing/uprobe_profile) + 12000))" # some seconds, in which it has been looked at
	stacks_end
	assert_equal "$status" 3
	assert_equal "$(cat err)" "probe-log: for a while calls of logged functions were not seen, because their probes were off"
	run -0 of_work
	assert_equal "$(grep -v '"work (callers);even (callers);\.\.\."$' <<<"$output")" '0 "work (callers);even (callers);main
1 "work (callers);even (callers);odd (callers);main
1 "work (callers);odd (callers);main'
	[ "$(grep -c ';\.\.\."$' out)" -le 2 ]
	# of the last calls all have one
	refute grep -q ' ret=[0-9]*$' <(grep '^call ' out | tail -n 50)
}

# bats test_tags=long
@test "killed, all of it at once or one by one, it leaves no probes behind" {
	need_tracefs
	feed
	mkfifo on
	sleep 100 >on &
	./feed <on &
	for victims in main both; do
		rm -f out
		stream-cat /dev/null 2>/dev/null | probe-log -t --methods './feed:*' >out 2>/dev/null &
		log=$!
		until_true 30 grep -q '^call ' out
		probes=$(cat "/proc/$log/task/$log/children")
		if [ $victims = both ]; then kill -9 "$log" $probes; else kill -9 "$log"; fi
		until_true 30 bash -c "! grep -q '$BATS_TEST_TMPDIR/' /sys/kernel/tracing/uprobe_events"
		wait "$log" || true
	done
	kill %1
	wait %2
}

# bats test_tags=long
@test "if the process that collects calls is killed, it is said that calls are missing" {
	need_tracefs
	feed
	mkfifo on
	sleep 100 >on &
	./feed <on &
	stream-cat /dev/null 2>/dev/null | probe-log -t --methods './feed:*' >out 2>err &
	local log=$! child probes
	until_true 30 grep -q '^call ' out
	for probes in $(cat "/proc/$log/task/$log/children"); do
		for child in $(cat "/proc/$probes/task/$probes/children"); do
			[ "$(cat "/proc/$child/comm")" != probe-log-calls ] || kill -9 "$child"
		done
	done
	local status=0
	wait "$log" || status=$?
	assert_equal "$status" 3
	grep -q '^probe-log: the process that collects calls ended too early: calls of logged functions are missing$' err
	kill %1
	wait %2
}

is_locked() { # FILE
	grep -q "OFDLCK ADVISORY  WRITE .*:$(stat -c %i "$1") " /proc/locks
}

@test "while a trigger logs, names of tasks are asked for" {
	need_tracefs
	export TAILBLAME_MARKERS=$PWD/markers
	mkfifo in
	probe-log -t in >out 2>err &
	exec 5>in
	until_true 20 test -e names
	refute is_locked names
	printf '%s\n' 'stream version=1' 'trigger ts=1 name=t state=fired' >&5
	until_true 20 is_locked names
	echo 'trigger ts=2 name=t state=ended reason=count' >&5
	until_true 20 eval '! is_locked names'
	exec 5>&-
	wait %1
}

@test "what would be logged is said, with debugging information and without" {
	feed
	echo 'stream version=1' >in
	run -0 --separate-stderr probe-log -t --dry-run --methods './feed:*e' in
	assert_equal "$(sed "s,$PWD,.,; s/^probe-log: //" <<<"$stderr" | sort)" "logs handle of './feed': store,r,store_name=store->name,r_url=r->url,r_post=r->post,ret
logs query_store of './feed': store,post,store_name=store->name,ret"
	strip -g feed
	run -0 --separate-stderr probe-log -t --dry-run --methods ./feed:render --methods ./feed:none in
	assert_equal "$(sed "s,$PWD,.,g; s/^probe-log: //" <<<"$stderr" | sort)" "'none' is not logged: no function in './feed' matches 'none'
logs render of './feed': %1,%2,%3,%4,%5,%6,ret"
	run -2 probe-log --methods nothing in
	assert_line "probe-log: option --methods: functions are chosen as BINARY:GLOB, not 'nothing'"
	run -2 probe-log -p 0 in
	run -2 probe-log -n 0 in
}

@test "a parameter that is called ret is not taken for the result" {
	echo '__attribute__((noipa)) int f(int *ret, int n) { return *ret + n; } int main(void) { int x = 1; return f(&x, 2); }' >ret.c
	gcc -O2 -g -o ret ret.c
	echo 'stream version=1' >in
	run -0 --separate-stderr probe-log -t --dry-run --methods ./ret:f in
	assert_equal "$stderr" "probe-log: logs f of '$PWD/ret': n,ret"
}

@test "functions on the way of an exception are logged in the program that threw, though nobody traced them before" {
	feed
	mkfifo on
	sleep 100 >on &
	./feed <on &
	local feed=$!
	until_true 20 grep -q "$PWD/feed" "/proc/$feed/maps"
	cat >in <<-END
		stream version=1
		trigger ts=1 name=t state=fired activity=yes methods=5 to_log=args
		signal id=1 ts=1 start=1 chart=t value=0 rules=trigger trigger=t tid=$feed
		graph id=1 kind=rag signal=1 from=1 to=1
		blame graph=1 rank=1 name=feed:query_store score=1 share=1 on_path=yes instances=1 algorithm=exception threw=Lost
		blame graph=1 rank=2 name=page.js:3:17 score=1 share=1 on_path=yes instances=1 algorithm=exception
		blame graph=1 rank=3 name=nothing:work score=0.5 share=0.5 on_path=yes instances=1 algorithm=exception
		window id=1 from=1 to=1 signals=1-1 complete=yes
	END
	run -0 --separate-stderr probe-log -t --dry-run in
	kill %1
	wait %2
	assert_equal "$(sed "s,$PWD,.,g; s/^probe-log: //" <<<"$stderr" | sort)" "'work' is not logged: the process of thread $feed has no file 'nothing'
logs query_store of './feed': store,post,store_name=store->name"
}

@test "a function of a thread that is blamed for two deeds counts once" {
	feed
	mkfifo on
	sleep 100 >on &
	./feed <on &
	local feed=$!
	until_true 20 grep -q "$PWD/feed" "/proc/$feed/maps"
	cat >in <<-END
		stream version=1
		graph id=1 kind=wake window=1 from=1 to=2
		blame graph=1 rank=1 name=feed score=3 share=0.5 on_path=yes instances=1 tid=$feed function=query_store
		blame graph=1 rank=2 name=sleep score=2 share=0.3 on_path=yes instances=1 tid=$feed function=query_store
		blame graph=1 rank=3 name=work score=1 share=0.2 on_path=yes instances=1 tid=$feed function=render
		window id=1 from=1 to=2 complete=yes
	END
	run -0 --separate-stderr probe-log -t --dry-run -n 2 in
	kill %1
	wait %2
	assert_equal "$(sed -n 's/^probe-log: logs \([a-z_]*\) of .*/\1/p' <<<"$stderr" | sort | paste -s)" $'query_store\trender'
}

# calls N TELL...: a call record of each of N requests, by its number i; TELL is awk that returns " match=... arg...".
calls() {
	awk -v n="$1" "function tell(i) { return $2 } BEGIN { for (i = 1; i <= n; i++)
		printf \"call ts=%d.5 start=%d tid=7 function=srv:look request=%d trigger=t%s\n\", i, i, i, tell(i) }"
}

@test "report names the values that tell calls of requests that matched from the others" {
	# of 20 that matched 18 have the post, of 20 others two
	{ echo 'stream version=1'; calls 40 '" match=" (i <= 20 ? "yes" : "no") " arg.post=" (i <= 18 || i > 38 ? "4711" : i) " arg.limit=10 ret=" (i <= 20 ? -110 : 0)'; } >in
	run -0 report in
	assert_line "srv:look: 20 calls in requests that matched, which took 500 ms in the mean; 20"
	assert_line "  ret=-110 in all calls of requests that matched, in no call of others"
	assert_line "  ret=0 in no call of requests that matched, in all calls of others"
	assert_line "  post=4711 in 90 % of the calls of requests that matched, in 10 % of the calls"
	refute_output -p "nothing to report"
	refute_output -p "limit="
	run -0 bash -c 'report -f json in | jq -c ".calls[0] | [.function, .matched.calls, .others.mean, (.values[] | .name, .value, .share.matched)]"'
	assert_output '["srv:look",20,0.5,"ret","-110",1,"ret","0",0,"post","4711",0.9]'
	report -f html -o page in
	grep -q '<li>ret=-110 in all calls' page/report.html
	# who called is a value, too
	sed 's/match=no .*/& stack="look (srv);crawl (srv);main (srv)"/; s/match=yes .*/& stack="look (srv);page (srv);main (srv)"/' in >stacks
	run -0 bash -c "report -f json stacks | jq -r '.calls[0].values[] | select(.name == \"stack\") | .value' | sort"
	assert_output "look (srv);crawl (srv);main (srv)
look (srv);page (srv);main (srv)"
	# 17 of 20 are too few, and so are two calls
	sed 's/request=17 \(.*\)4711/request=17 \115/' in >few
	run -0 report few
	refute_output -p "post="
	{ echo 'stream version=1'; calls 4 '" match=" (i <= 2 ? "yes" : "no") " ret=" (i <= 2)'; } >few
	run -0 report few
	refute_output -p "ret="
	assert_line "srv:look: 2 calls in requests that matched, which took 500 ms in the mean; 2"
}
