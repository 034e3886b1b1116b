/*
 * The builder of wake graphs, module by module, on small streams: requests, flushes, timers, work queues, batches, and
 * threads whose names and numbers do not last. The victim is thread 10; times are in tenths of a second.
 */
#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "calls/graph_builder.h"

enum { VICTIM = 10 };

static FILE *text; /* the stream that is being written */
static int file;
static struct graph *built;

static void begin(void)
{
	file = memfd_create("stream", 0);
	text = fdopen(dup(file), "w");
	assert(text);
}

static void event(int tenths, int cpu, int tid, const char *format, ...)
{
	va_list arguments;

	fprintf(text, "event ts=%d.%d cpu=%d tid=%d name=", tenths / 10, tenths % 10, cpu, tid);
	va_start(arguments, format);
	vfprintf(text, format, arguments);
	va_end(arguments);
	fputc('\n', text);
}

static void name(int tid, int process, const char *comm)
{
	fprintf(text, "task ts=0 tid=%d comm=%s tgid=%d\n", tid, comm, process);
}

static void switches(int tenths, int cpu, int from, char state, int to)
{
	event(tenths, cpu, from, "sched:sched_switch prev_pid=%d prev_state=%c next_pid=%d", from, state, to);
}

static void wakes(int tenths, int cpu, int tid, int whom)
{
	event(tenths, cpu, tid, "sched:sched_waking pid=%d target_cpu=0", whom);
}

static void expires(int tenths, int timer, int whom)
{
	event(tenths, 0, 0, "timer:hrtimer_expire_entry hrtimer=0x%x", timer);
	wakes(tenths, 0, 0, whom);
	event(tenths, 0, 0, "timer:hrtimer_expire_exit hrtimer=0x%x", timer);
}

static void blocks(int tenths, int tid, const char *what, int sector, int sectors, const char *rwbs)
{
	event(tenths, 1, tid, "block:block_%s dev=7:0 sector=%d nr_sector=%d rwbs=%s", what, sector, sectors, rwbs);
}

static int keep_graph(void *context, struct graph *graph)
{
	(void)context;
	assert(!built);
	built = graph;
	return 0;
}

static int see(void *context, const struct record *record)
{
	return graph_builder_record(context, record) < 0 ? -1 : STREAM_PASS;
}

static int finish(void *context)
{
	return graph_builder_finish(context);
}

/* The graph of what delayed the victim between these times; the one before is freed. */
static const struct graph *graph(int from, int to)
{
	struct handlers handlers = {
		.on = {[KIND_EVENT] = see, [KIND_SIGNAL] = see, [KIND_WINDOW] = see, [KIND_LOST] = see,
		       [KIND_QUOTA] = see}, .finish = finish};
	char path[32], *paths[1] = {path};
	struct graph_builder *builder;
	struct stream *stream;
	struct events *events;

	fprintf(text, "signal id=1 ts=%d.%d start=%d.%d value=1 tid=%d\n", to / 10, to % 10, from / 10, from % 10, VICTIM);
	fclose(text);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	graph_free(built);
	built = NULL;
	stream = stream_open(paths, 1);
	assert(stream);
	events = events_new(stream);
	builder = graph_builder_new(stream, events, 1);
	graph_builder_sink(builder, keep_graph, NULL);
	if (stream_run(stream, &handlers, builder) < 0)
		fprintf(stderr, "%s\n", fail_text());
	stream_close(stream);
	events_free(events);
	graph_builder_free(builder);
	close(file);
	assert(built);
	return built;
}

/* How many nodes have this name, and between them how long they are, in tenths. */
static int nodes(const struct graph *graph, const char *wanted, int *tenths)
{
	int64_t sum = 0;
	int count = 0;

	for (size_t i = 0; i < graph->nodes.count; i++)
		if (!strcmp(graph->nodes.items[i].deed->name, wanted)) {
			sum += graph->nodes.items[i].end - graph->nodes.items[i].start;
			count++;
		}
	if (tenths)
		*tenths = (int)lround((double)sum / 1e8);
	return count;
}

static void expect(const struct graph *graph, const char *wanted, int count, int tenths)
{
	int found_tenths = 0, found = nodes(graph, wanted, &found_tenths);

	if (found != count || found_tenths != tenths) {
		fprintf(stderr, "%d of %d tenths, not %d of %d: %s\n", found, found_tenths, count, tenths, wanted);
		for (size_t i = 0; i < graph->nodes.count; i++)
			fprintf(stderr, "\t%s\n", graph->nodes.items[i].deed->name);
		abort();
	}
}

static bool has_edge(const struct graph *graph, const char *from, const char *to, enum edge_kind kind)
{
	for (size_t i = 0; i < graph->edges.count; i++) {
		const struct edge *edge = &graph->edges.items[i];

		if (edge->kind == kind && !strcmp(graph->nodes.items[edge->from].deed->name, from) &&
		    !strcmp(graph->nodes.items[edge->to].deed->name, to))
			return true;
	}
	return false;
}

/* The victim sleeps from 20 on, after it did something. */
static void victim_sleeps(void)
{
	name(VICTIM, VICTIM, "victim");
	switches(10, 0, 0, 'R', VICTIM);
}

static void check_requests(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	name(20, 20, "other");
	blocks(11, 20, "bio_queue", 64, 8, "W");
	blocks(12, 20, "rq_issue", 64, 8, "W");
	event(15, 0, VICTIM, "block:block_bio_queue dev=7:0 sector=100 nr_sector=16 rwbs=R");
	event(16, 0, VICTIM, "block:block_rq_issue dev=7:0 sector=100 nr_sector=8 rwbs=R"); /* half of it */
	switches(20, 0, VICTIM, 'D', 0);
	blocks(30, 0, "rq_complete", 64, 8, "W");
	blocks(35, 0, "rq_complete", 100, 8, "R");
	blocks(36, 0, "rq_issue", 108, 8, "R");
	blocks(50, 0, "rq_complete", 108, 8, "R");
	wakes(50, 1, 0, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "victim: read of 7:0 in service", 2, 19 + 14);
	expect(g, "other: write of 7:0 in service", 1, 18);
	assert(has_edge(g, "victim: read of 7:0 in service", "victim: waiting", EDGE_WAKE));
	assert(has_edge(g, "other: write of 7:0 in service", "queue of 7:0: held back read by victim", EDGE_QUEUE));
}

/* The same sector again: the request at hand is the later one. */
static void check_sector_again(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	name(20, 20, "other");
	blocks(11, 20, "bio_queue", 64, 8, "R");
	blocks(11, 20, "rq_issue", 64, 8, "R");
	blocks(13, 0, "rq_complete", 64, 8, "R");
	event(15, 0, VICTIM, "block:block_bio_queue dev=7:0 sector=64 nr_sector=8 rwbs=R");
	event(15, 0, VICTIM, "block:block_rq_issue dev=7:0 sector=64 nr_sector=8 rwbs=R");
	switches(20, 0, VICTIM, 'D', 0);
	blocks(40, 0, "rq_complete", 64, 8, "R");
	wakes(40, 1, 0, VICTIM);
	switches(41, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "victim: read of 7:0 in service", 1, 25);
	expect(g, "other: read of 7:0 in service", 0, 0);
}

/* The device was full: it handed the request back, told or not, and got it again. */
static void check_issued_again(bool told)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	event(15, 0, VICTIM, "block:block_bio_queue dev=7:0 sector=64 nr_sector=8 rwbs=R");
	event(16, 0, VICTIM, "block:block_rq_issue dev=7:0 sector=64 nr_sector=8 rwbs=R");
	if (told)
		event(16, 0, VICTIM, "block:block_rq_requeue dev=7:0 sector=64 nr_sector=8 rwbs=R");
	switches(20, 0, VICTIM, 'D', 0);
	blocks(30, 0, "rq_issue", 64, 8, "R");
	blocks(40, 0, "rq_complete", 64, 8, "R");
	wakes(40, 1, 0, VICTIM);
	switches(41, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "victim: read of 7:0 in service", 1, 10);
	expect(g, "unknown: read of 7:0 in service", 0, 0);
	expect(g, "queue of 7:0: held back read by victim", 1, 15);
}

/* Somebody and the victim ask a loop device, which has so many works. */
static void two_ask(int works)
{
	begin();
	victim_sleeps();
	name(20, 20, "other");
	name(30, 2, "kworker/1:0");
	blocks(13, 20, "bio_queue", 64, 8, "R");
	blocks(13, 20, "rq_issue", 64, 8, "R");
	event(14, 1, 20, "workqueue:workqueue_queue_work work=0xa workqueue=loop0");
	if (works > 1)
		event(14, 1, 20, "workqueue:workqueue_queue_work work=0xb workqueue=loop0");
	event(15, 0, VICTIM, "block:block_bio_queue dev=7:0 sector=100 nr_sector=8 rwbs=R");
	event(15, 0, VICTIM, "block:block_rq_issue dev=7:0 sector=100 nr_sector=8 rwbs=R");
	switches(20, 0, VICTIM, 'D', 0);
}

/*
 * Two ask a loop device; its work hands on one of them. It does the other at once, in which it says nothing of itself: so
 * nobody knows whose the one is that it hands on. Nor where a second work does requests of the device.
 */
static void check_loop(int works)
{
	const struct graph *g;

	two_ask(works);
	switches(22, 2, 0, 'R', 30);
	event(22, 2, 30, "workqueue:workqueue_execute_start work=0xa");
	event(24, 2, 30, "block:block_bio_queue dev=8:0 sector=1000 nr_sector=8 rwbs=R");
	event(24, 2, 30, "block:block_rq_issue dev=8:0 sector=1000 nr_sector=8 rwbs=R");
	event(25, 2, 30, "workqueue:workqueue_execute_end work=0xa");
	switches(26, 2, 30, 'I', 0);
	blocks(27, 0, "rq_complete", 64, 8, "R");
	event(50, 2, 0, "block:block_rq_complete dev=8:0 sector=1000 nr_sector=8 rwbs=R");
	blocks(50, 0, "rq_complete", 100, 8, "R");
	wakes(50, 1, 0, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "victim: read of 7:0 in service", 1, 35);
	assert(nodes(g, "victim: read of 8:0 in service", NULL) == 0);
	assert(nodes(g, "other: read of 8:0 in service", NULL) == 0);
}

/* The soft interrupt that the work of the loop device raised tells of a request. */
static void tells(int tenths, int sector)
{
	event(tenths, 2, 30, "irq:softirq_raise vec=4");
	event(tenths, 2, 30, "irq:softirq_entry vec=4");
	event(tenths, 2, 30, "block:block_rq_complete dev=7:0 sector=%d nr_sector=8 rwbs=R", sector);
	if (sector == 100)
		wakes(tenths, 2, 30, VICTIM);
	event(tenths, 2, 30, "irq:softirq_exit vec=4");
}

/* A work that does the whole of each request reads for the one that is its turn, even more than that is long. */
static void check_loop_whole(void)
{
	const struct graph *g;

	two_ask(1);
	switches(21, 2, 0, 'R', 30);
	event(21, 2, 30, "workqueue:workqueue_execute_start work=0xa");
	tells(22, 64);
	event(24, 2, 30, "block:block_bio_queue dev=8:0 sector=1000 nr_sector=24 rwbs=R");
	event(24, 2, 30, "block:block_rq_issue dev=8:0 sector=1000 nr_sector=24 rwbs=R");
	switches(25, 2, 30, 'D', 0);
	event(45, 2, 0, "block:block_rq_complete dev=8:0 sector=1000 nr_sector=24 rwbs=R");
	wakes(45, 2, 0, 30);
	switches(46, 2, 0, 'R', 30);
	tells(50, 100);
	event(50, 2, 30, "workqueue:workqueue_execute_end work=0xa");
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "victim: read of 8:0 in service", 1, 21);
	assert(has_edge(g, "victim: read of 8:0 in service", "kworker/1:0: waiting", EDGE_WAKE));
	assert(nodes(g, "kworker/1:0: work on loop0", NULL) > 0); /* of both */
}

static void check_flush(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	event(15, 0, VICTIM, "block:block_bio_queue dev=7:0 sector=0 nr_sector=0 rwbs=FWS");
	blocks(16, 30, "rq_issue", 0, 0, "FF");
	switches(20, 0, VICTIM, 'D', 0);
	event(50, 1, 0, "irq:softirq_entry vec=4");
	blocks(50, 0, "rq_complete", -1, 0, "FF");
	blocks(50, 0, "rq_complete", 0, 0, "WS");
	wakes(50, 1, 0, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "victim: flush of 7:0 in service", 1, 34);
	assert(has_edge(g, "victim: flush of 7:0 in service", "victim: waiting", EDGE_WAKE));
}

/* A timer is of who armed it last; its memory may become another's. */
static void check_timers(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	name(20, 20, "alarm");
	switches(10, 1, 0, 'R', 20);
	event(12, 1, 20, "timer:hrtimer_start hrtimer=0xa");
	event(15, 0, VICTIM, "timer:hrtimer_start hrtimer=0xa");
	switches(20, 0, VICTIM, 'S', 0);
	expires(30, 0xa, VICTIM);
	switches(31, 0, 0, 'R', VICTIM);
	switches(32, 0, VICTIM, 'S', 0);
	event(35, 1, 20, "timer:hrtimer_start hrtimer=0xa");
	expires(50, 0xa, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "timer: sleep of victim", 1, 10);
	expect(g, "timer: armed by alarm for victim", 1, 15);
	assert(has_edge(g, "alarm: running", "timer: armed by alarm for victim", EDGE_SEQ));
}

/* The strong edge is from who queued the work; what the kernel thread did before is followed since then only. */
static void check_work(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	name(20, 20, "bulky");
	name(30, 2, "kworker/1:0");
	switches(10, 1, 0, 'R', 20);
	event(11, 1, 20, "workqueue:workqueue_queue_work work=0xb workqueue=flush");
	switches(12, 1, 20, 'S', 30);
	event(13, 1, 30, "workqueue:workqueue_execute_start work=0xb");
	name(40, 40, "middle");
	switches(18, 2, 0, 'R', 40);
	switches(20, 0, VICTIM, 'D', 0);
	event(30, 2, 40, "workqueue:workqueue_queue_work work=0xa workqueue=flush");
	event(39, 1, 30, "workqueue:workqueue_execute_end work=0xb");
	event(41, 1, 30, "workqueue:workqueue_execute_start work=0xa");
	wakes(50, 1, 30, VICTIM);
	event(52, 1, 30, "workqueue:workqueue_execute_end work=0xa");
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	expect(g, "bulky: work on flush", 1, 26);
	expect(g, "middle: work on flush", 1, 11);
	assert(has_edge(g, "middle: running", "middle: work on flush", EDGE_ASYNC));
	expect(g, "kworker/1:0: running", 1, 2);
	assert(has_edge(g, "kworker/1:0: running", "middle: work on flush", EDGE_SEQ));
	assert(!has_edge(g, "bulky: running", "bulky: work on flush", EDGE_ASYNC)); /* queued before the wait began */
}

/* A work that an interrupt queued is the kernel thread's own, not that of whom the interrupt hit. */
static void check_work_of_interrupt(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	name(20, 20, "hit");
	name(30, 2, "kworker/1:0");
	switches(10, 1, 0, 'R', 20);
	switches(20, 0, VICTIM, 'D', 0);
	event(22, 1, 20, "irq:irq_handler_entry irq=5 name=disk");
	event(22, 1, 20, "workqueue:workqueue_queue_work work=0xa workqueue=flush");
	event(22, 1, 20, "irq:irq_handler_exit irq=5");
	switches(25, 1, 20, 'S', 30);
	event(25, 1, 30, "workqueue:workqueue_execute_start work=0xa");
	wakes(50, 1, 30, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	assert(nodes(g, "kworker/1:0: work on flush", NULL) == 1);
	assert(nodes(g, "hit: work on flush", NULL) == 0);
	assert(has_edge(g, "irq disk: work on flush", "kworker/1:0: work on flush", EDGE_ASYNC));
}

/* The victim asks at 20; the server answers bulky, of another process, at 40, and the victim at 50. */
static void serve(int process_of_bulky)
{
	begin();
	victim_sleeps();
	name(20, 20, "server");
	name(30, process_of_bulky, "bulky");
	switches(10, 2, 0, 'R', 30);
	wakes(11, 2, 30, 20);
	switches(12, 1, 0, 'R', 20);
	switches(13, 1, 20, 'S', 0);
	wakes(14, 0, VICTIM, 20);
	switches(15, 1, 0, 'R', 20);
	switches(16, 2, 30, 'S', 0);
	switches(20, 0, VICTIM, 'S', 0);
	wakes(40, 1, 20, 30);
	wakes(50, 1, 20, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
}

static void check_batches(void)
{
	const struct graph *g;

	serve(30);
	g = graph(17, 60);
	expect(g, "server: running for bulky", 1, 25);
	expect(g, "server: running", 1, 20); /* until the end of the data: it goes on */
	serve(VICTIM); /* a thread of the victim's own process: no other peer, no cut */
	g = graph(17, 60);
	expect(g, "server: running for bulky", 0, 0);
	expect(g, "server: running", 1, 45);
}

/* The kernel's housekeeping that hits a thread, and wakes, is not that thread's doing. */
static void check_housekeeping(void)
{
	static const int vectors[] = {1, 7, 8, 9}; /* timers, load balancing, RCU */

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const struct graph *g;

		begin();
		victim_sleeps();
		name(20, 20, "hit");
		switches(10, 1, 0, 'R', 20);
		switches(20, 0, VICTIM, 'D', 0);
		event(22, 1, 20, "irq:softirq_raise vec=%d", vectors[i]);
		event(50, 1, 20, "irq:softirq_entry vec=%d", vectors[i]);
		wakes(50, 1, 20, VICTIM);
		event(50, 1, 20, "irq:softirq_exit vec=%d", vectors[i]);
		switches(51, 0, 0, 'R', VICTIM);
		g = graph(14, 60);
		assert(nodes(g, "hit: running", NULL) == 0);
	}
}

/* A tid that is used again, and a thread that is renamed in between, are told apart. */
static void check_names(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	switches(10, 1, 0, 'R', 20);
	name(20, 20, "first");
	switches(20, 0, VICTIM, 'S', 0);
	wakes(30, 1, 20, VICTIM);
	switches(31, 0, 0, 'R', VICTIM);
	switches(32, 0, VICTIM, 'S', 0);
	switches(32, 1, 20, 'X', 40);
	name(40, 40, "parent");
	event(33, 1, 40, "sched:sched_process_fork comm=parent pid=40 child_comm=second child_pid=20");
	switches(35, 1, 40, 'S', 20);
	event(36, 1, 20, "task:task_rename pid=20 oldcomm=second newcomm=renamed");
	name(20, 20, "renamed");
	wakes(50, 1, 20, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(14, 60);
	assert(nodes(g, "first: running", NULL) == 1);
	expect(g, "renamed: running", 1, 25);
	assert(has_edge(g, "parent: running", "renamed: runnable", EDGE_ASYNC));
}

/* The trace begins in the midst of the wait: it lasted since then at least, and who ended it is known. */
static void check_begins_in_wait(void)
{
	const struct graph *g;

	begin();
	name(VICTIM, VICTIM, "victim");
	name(20, 20, "waker");
	switches(15, 1, 0, 'R', 20);
	wakes(50, 1, 20, VICTIM);
	switches(51, 0, 0, 'R', VICTIM);
	g = graph(5, 60);
	expect(g, "victim: waiting", 1, 35);
	assert(has_edge(g, "waker: running", "victim: waiting", EDGE_WAKE));
	for (size_t i = 0; i < g->nodes.count; i++)
		if (!strcmp(g->nodes.items[i].deed->name, "victim: waiting"))
			assert(!strcmp(g->nodes.items[i].detail->began, "before"));
}

/* The victim loses its CPU to hog at 15 and has it again at 42; at 40 its group gets a new quota. */
static const struct graph *preempted(const char *quota, int mate_until)
{
	begin();
	fputs("quota ts=1 group=/g quota=0.01 period=0.1 timers=0x200,0x100\n", text);
	victim_sleeps();
	name(20, 20, "hog");
	name(30, VICTIM, "mate");
	switches(10, 1, 0, 'R', 30);
	switches(15, 0, VICTIM, 'R', 20);
	switches(mate_until, 1, 30, 'R', 0);
	event(20, 0, 20, "timer:hrtimer_expire_entry hrtimer=0xa function=0x300");
	event(20, 0, 20, "timer:hrtimer_expire_exit hrtimer=0xa");
	event(40, 0, 20, "timer:hrtimer_expire_entry hrtimer=0xb function=0x100");
	event(40, 0, 20, "timer:hrtimer_expire_exit hrtimer=0xb");
	switches(42, 0, 20, 'R', VICTIM);
	fprintf(text, "quota ts=4.2 since=3.9 group=/g quota=0.01 period=0.1 timers=0x100 count=1 %s\n", quota);
	return graph(14, 60);
}

static void check_quota(void)
{
	static const char throttled[] = "cpu throttled: victim by the quota of /g", by_mate[] = "cpu throttled: victim by the quota of /g, used up by mate",
			  held[] = "hog: on CPU 0 while victim was runnable";
	const struct graph *g = preempted("time=2.5 tids=5,10,30", 14);

	expect(g, by_mate, 1, 25);
	expect(g, held, 1, 2);
	g = preempted("time=2.5 tids=5,10,30", 35); /* while another of the group runs, it is not used up */
	expect(g, by_mate, 1, 5);
	expect(g, held, 2, 20 + 2);
	g = preempted("time=2.4 tids=5,10,30", 14); /* the kernel says that it was shorter */
	expect(g, throttled, 0, 0);
	expect(g, held, 1, 27);
	g = preempted("time=2.5 tids=5,30", 14); /* another group */
	expect(g, throttled, 0, 0);
	g = preempted("time=2.5 tids=5,10,30", 41); /* runs on */
	expect(g, throttled, 0, 0);
}

static void frequency(int tenths, int cpu, int khz)
{
	event(tenths, 3, 90, "power:cpu_frequency state=%d cpu_id=%d", khz, cpu);
}

/* The frequency of a CPU is told on another; it is not known before it was told, nor after events were lost. */
static void check_frequency(void)
{
	const struct graph *g;

	begin();
	victim_sleeps();
	frequency(11, 0, 2000000);
	frequency(12, 0, 1000000);
	switches(13, 0, VICTIM, 'R', 20);
	switches(15, 0, 20, 'S', VICTIM);
	g = graph(12, 30);
	expect(g, "victim: running at a low frequency", 1, 15);
	expect(g, "victim: running", 1, 3); /* from 10 on, as it was not known at first */
	begin();
	victim_sleeps();
	frequency(11, 0, 2000000);
	frequency(12, 0, 1000000);
	fputs("lost ts=1.4 cpu=1 count=1 from=1.3\n", text);
	event(14, 0, VICTIM, "task:task_rename pid=10 newcomm=victim");
	g = graph(12, 30);
	assert(nodes(g, "victim: running at a low frequency", NULL) == 0);
	begin();
	victim_sleeps();
	frequency(11, 0, 2000000);
	frequency(12, 0, 1001000); /* a little more than half */
	frequency(12, 1, 1000000);
	switches(13, 0, VICTIM, 'R', 20);
	switches(15, 0, 20, 'S', VICTIM);
	g = graph(12, 30);
	assert(nodes(g, "victim: running at a low frequency", NULL) == 0);
}

/* The ring's own thread takes the answer while it runs, so no wake-up of it shows who gave that. */
static void check_ring(void)
{
	const struct graph *g;

	begin();
	name(VICTIM, 10, "victim");
	name(20, 20, "answerer");
	name(30, 10, "iou-sqp-10");
	switches(10, 0, 0, 'R', VICTIM);
	switches(10, 1, 0, 'R', 30);
	switches(10, 2, 0, 'R', 20);
	event(11, 0, VICTIM, "io_uring:io_uring_cqring_wait ctx=0x1");
	event(15, 1, 30, "io_uring:io_uring_submit_req ctx=0x1 req=0xa sq_thread=1");
	switches(20, 0, VICTIM, 'S', 0);
	event(45, 2, 20, "io_uring:io_uring_task_add req=0xa");
	event(46, 1, 30, "io_uring:io_uring_complete ctx=0x1 req=0xa");
	wakes(46, 1, 30, VICTIM);
	switches(47, 0, 0, 'R', VICTIM);
	g = graph(20, 50);
	expect(g, "victim: work on io_uring", 1, 35);
	assert(has_edge(g, "answerer: running", "victim: work on io_uring", EDGE_ASYNC));
	assert(has_edge(g, "victim: work on io_uring", "victim: waiting", EDGE_WAKE));
}

/* What a worker does is work of the thread that queued it; a worker is known by its first request. */
static void check_ring_worker(bool woken)
{
	const struct graph *g;

	begin();
	name(VICTIM, 10, "victim");
	name(20, 20, "keeper");
	name(30, 10, "iou-wrk-10");
	switches(10, 0, 0, 'R', VICTIM);
	switches(10, 1, 0, 'R', 20);
	event(19, 0, VICTIM, "io_uring:io_uring_submit_req ctx=0x1 req=0xa sq_thread=0");
	event(19, 0, VICTIM, "io_uring:io_uring_queue_async_work ctx=0x1 req=0xa");
	if (woken)
		wakes(19, 0, VICTIM, 30);
	else
		event(19, 0, VICTIM, "sched:sched_wakeup_new pid=30 target_cpu=0");
	switches(20, 0, VICTIM, 'S', 30);
	switches(22, 0, 30, 'S', 0);
	wakes(40, 1, 20, 30);
	switches(41, 0, 0, 'R', 30);
	event(43, 0, 30, "io_uring:io_uring_complete ctx=0x1 req=0xa");
	wakes(43, 0, 30, VICTIM);
	switches(44, 0, 30, 'S', VICTIM);
	g = graph(20, 50);
	assert(nodes(g, "victim: work on io_uring", NULL) > 0);
	assert(has_edge(g, "keeper: running", "iou-wrk-10: waiting", EDGE_WAKE));
	assert(nodes(g, "iou-wrk-10: running", NULL) == 0);
}

static void tries(int tenths, int cpu, int tid, int type, int result)
{
	event(tenths, cpu, tid, "filelock:flock_lock_inode s_dev=0x700000 i_ino=9 type=%d ret=%d fl_start=0 fl_end=9223372036854775807", type, result);
}

static void holds(int tenths, int tid, int holder, int inode)
{
	event(tenths, 0, tid, "filelock:holder pid=%d s_dev=0x700000 i_ino=%d fl_start=0 fl_end=9223372036854775807 late=1000 path=/db", holder, inode);
}

/* The victim tries to lock file 9, twice in vain; process 30 is told to have had that lock, or that of another file, before the data. */
static void victim_polls(int inode)
{
	begin();
	victim_sleeps();
	name(30, 30, "keeper");
	for (int at = 12; at < 50; at += 10) {
		tries(at, 0, VICTIM, 1, at < 40 ? -11 : 0);
		if (at == 12)
			holds(at, VICTIM, 30, inode);
		if (at > 40)
			break;
		switches(at, 0, VICTIM, 'S', 0);
		expires(at + 9, 1, VICTIM);
		switches(at + 9, 0, 0, 'R', VICTIM);
	}
}

/* A lock that was taken before the data. */
static void check_old_lock(void)
{
	const char *holding = "keeper: holding the lock of /db that victim wants";
	const struct graph *g;

	victim_polls(9);
	g = graph(12, 42);
	expect(g, holding, 3, 27);
	assert(has_edge(g, holding, "victim: waiting", EDGE_WAKE));
	victim_polls(8);
	g = graph(12, 42);
	expect(g, holding, 0, 0);
	expect(g, "unknown: holder of what victim polls by flock", 3, 27);
	victim_polls(9);
	name(40, 40, "other"); /* it takes the lock later */
	switches(44, 1, 0, 'R', 40);
	tries(45, 1, 40, 1, 0);
	g = graph(12, 42);
	expect(g, holding, 3, 27);
	begin(); /* it waits, and nobody has given the lock back yet */
	victim_sleeps();
	name(30, 30, "keeper");
	tries(12, 0, VICTIM, 1, 1);
	holds(12, VICTIM, 30, 9);
	switches(12, 0, VICTIM, 'S', 0);
	g = graph(12, 42);
	expect(g, holding, 1, 30);
}

int main(void)
{
	setenv("TAILBLAME_DATA", ".", 0); /* tests run in the source tree */
	check_quota();
	check_frequency();
	check_requests();
	check_sector_again();
	check_issued_again(true);
	check_issued_again(false);
	check_loop_whole();
	check_loop(1);
	check_loop(2);
	check_flush();
	check_timers();
	check_work();
	check_work_of_interrupt();
	check_batches();
	check_housekeeping();
	check_names();
	check_old_lock();
	check_begins_in_wait();
	check_ring();
	check_ring_worker(true);
	check_ring_worker(false);
	graph_free(built);
	return 0;
}
