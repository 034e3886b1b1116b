/* What a user knows of a program, and the graphs of a stream by that. An input is a file of rules; the stream is fixed. */
#include <stdio.h>
#include <string.h>

#include "calls/graph_builder.h"
#include "event/event.h"
#include "support/fuzz.h"
#include "walk/whole_build.h"
#include "walk/edge_rules.h"
#include "walk/whole_record.h"

static const char fixed[] = "async ts=1.25 op=run pid=10 tid=10 id=1 prompt=yes name=load\n"
			    "async ts=1.05 op=create pid=10 tid=20 id=1\n"
			    "async ts=1.35 op=pause pid=10 tid=10 id=1\n"
			    "async ts=1.35 op=await pid=10 tid=10 id=1 on=2 mode=any\n"
			    "async ts=1.36 op=end pid=10 tid=20 id=2\n"
			    "async ts=1.37 op=run pid=10 tid=10 id=1 prompt=yes\n"
			    "event ts=1 cpu=0 tid=0 comm=x name=sched:sched_switch prev_pid=0 prev_state=R next_comm=io next_pid=10\n"
			    "event ts=1 cpu=1 tid=0 comm=x name=sched:sched_switch prev_pid=0 prev_state=R next_comm=main next_pid=20\n"
			    "event ts=1.1 cpu=1 tid=20 name=t:post job=7\n"
			    "event ts=1.1 cpu=1 tid=20 name=flag:write flag=a:b\n"
			    "event ts=1.2 cpu=0 tid=10 name=t:run job=7\n"
			    "event ts=1.2 cpu=0 tid=10 name=flag:read flag=a:b\n"
			    "event ts=1.3 cpu=0 tid=10 name=t:run job=20\n"
			    "event ts=1.4 cpu=0 tid=10 name=raw_syscalls:sys_enter id=0 args=0x3,0x0\n"
			    "event ts=1.5 cpu=0 tid=10 name=sched:sched_switch prev_comm=io prev_pid=10 prev_state=S next_pid=0\n"
			    "event ts=1.6 cpu=1 tid=20 name=sched:sched_waking comm=io pid=10\n"
			    "event ts=1.7 cpu=0 tid=0 name=sched:sched_switch prev_pid=0 prev_state=R next_comm=io next_pid=10\n"
			    "event ts=1.8 cpu=0 tid=10 name=raw_syscalls:sys_exit id=0 ret=1\n"
			    "signal id=1 ts=1.8 start=1.15 chart=x value=0.65 tid=10 comm=io\n";

struct work {
	struct whole_builder *builder;
	const struct semantics *semantics;
};

static int seen(void *context, const struct record *record)
{
	struct work *work = context;

	return whole_builder_record(work->builder, record) < 0 ? -1 : STREAM_DROP;
}

static int over(void *context)
{
	struct work *work = context;
	struct whole *whole = whole_builder_finish(work->builder);

	if (whole && edge_rules_apply(whole, work->semantics, true, NULL) == 0)
		fuzz_must(edge_rules_apply(whole, work->semantics, false, NULL) == 0);
	whole_free(whole);
	return 0;
}

static void build(const struct semantics *semantics)
{
	char *const files[] = {(char *)fuzz_file(FUZZ_INPUT, fixed, sizeof(fixed) - 1)};
	struct handlers handlers = {.finish = over};
	struct stream *stream = stream_open(files, 1);
	struct events *events = events_new(stream);
	struct work work = {whole_builder_new(stream, events), semantics};

	fuzz_must(work.builder != NULL);
	whole_builder_semantics(work.builder, semantics);
	whole_builder_reads(&handlers, seen);
	stream_finish(stream, &handlers, &work);
	whole_builder_free(work.builder);
	events_free(events);
}

static int graph_made(void *context, struct graph *graph)
{
	(void)context;
	graph_free(graph);
	return 0;
}

static int moment_seen(void *context, const struct record *record)
{
	return graph_builder_record(context, record) < 0 ? -1 : STREAM_DROP;
}

static int moment_over(void *context)
{
	return graph_builder_finish(context);
}

static void build_moments(const struct semantics *semantics)
{
	char *const files[] = {(char *)fuzz_file(FUZZ_INPUT, fixed, sizeof(fixed) - 1)};
	struct handlers handlers = {.finish = moment_over};
	struct stream *stream = stream_open(files, 1);
	struct events *events = events_new(stream);
	struct graph_builder *builder = graph_builder_new(stream, events, 3);

	fuzz_must(builder != NULL);
	graph_builder_sink(builder, graph_made, NULL);
	graph_builder_semantics(builder, semantics);
	graph_builder_reads(&handlers, moment_seen);
	stream_finish(stream, &handlers, builder);
	graph_builder_free(builder);
	events_free(events);
}

/* What is written means the same once more. */
static void check_written(const struct semantics *semantics)
{
	struct semantics again = {0};

	for (size_t i = 0; i < semantics->rules.count; i++)
		fuzz_must(semantics_add(&again, semantics->rules.items[i].line, "again") == 0 && again.rules.count == i + 1 &&
			  again.rules.items[i].kind == semantics->rules.items[i].kind && !strcmp(again.rules.items[i].line, semantics->rules.items[i].line));
	semantics_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct semantics semantics = {0};

	if (semantics_read(&semantics, fuzz_file(FUZZ_INPUT, data, size)) == 0) {
		check_written(&semantics);
		build(&semantics);
		build_moments(&semantics);
	}
	semantics_free(&semantics);
	return 0;
}
