#include "export/perfetto_calls.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "chart/chart.h"
#include "program/demangle.h"

/* What an event's name tells: whether it begins or ends a call, and of which function. */
struct sort {
	bool known, begins, ends, unwinds;
	char *function; /* the event's name without "__return", "func:prog__request"; NULL: the event is of no function */
	struct event_field *sp, *from, *to;
};

struct named { /* the function's name by a chart */
	char *event, *function;
	UT_hash_handle hh;
};

struct open_call {
	const char *function; /* that of its sort */
	int64_t depth;	      /* the stack pointer when it began; 0: unknown */
};

struct calling { /* a thread */
	int32_t tid;
	uint64_t track;
	ARRAY(struct open_call) open; /* the innermost last */
	UT_hash_handle hh;
};

struct call_slices {
	struct packets *packets;
	struct events *events;
	uint32_t machine;
	int64_t last; /* time of the last event of a function */
	struct named *names;
	struct calling *threads;
	ARRAY(struct sort) sorts; /* by event_type.index */
};

/* Deeper calls are not drawn: a viewer draws no more. Even deeper ones are left out: a hostile stream could nest calls without end. */
enum { DRAWN_MAX = 512, DEPTH_MAX = 1 << 14 };

struct call_slices *call_slices_new(struct packets *packets, struct events *events, uint32_t machine)
{
	struct call_slices *calls = NEW(struct call_slices);

	calls->packets = packets;
	calls->events = events;
	calls->machine = machine;
	return calls;
}

void call_slices_free(struct call_slices *calls)
{
	struct calling *thread, *next_thread;
	struct named *named, *next;

	HASH_ITER(hh, calls->threads, thread, next_thread) {
		HASH_DEL(calls->threads, thread);
		free(thread->open.items);
		free(thread);
	}
	HASH_ITER(hh, calls->names, named, next) {
		HASH_DEL(calls->names, named);
		free(named->event);
		free(named->function);
		free(named);
	}
	for (size_t i = 0; i < calls->sorts.count; i++)
		free(calls->sorts.items[i].function);
	free(calls->sorts.items);
	free(calls);
}

/* --- names ----------------------------------------------------------------------------------------------------------------- */

static void add_name(struct call_slices *calls, const char *event, char *function)
{
	struct named *named;

	HASH_FIND_STR(calls->names, event, named);
	if (named) {
		free(function);
		return;
	}
	named = NEW(struct named);
	named->event = memory_text(event, strlen(event));
	named->function = function;
	HASH_ADD_KEYPTR(hh, calls->names, named->event, strlen(named->event), named);
}

int call_slices_chart(struct call_slices *calls, const struct fields *fields)
{
	struct chart *chart = chart_recorded(fields);

	for (int i = 0; chart && chart->function && i < chart->count; i++)
		if (chart->events[i].role == CHART_START)
			add_name(calls, chart->events[i].event, demangle_whole(chart->function));
	if (chart)
		chart_free(chart);
	return 0;
}

static const char *name_of(const struct call_slices *calls, const char *function)
{
	struct named *named;

	HASH_FIND_STR(calls->names, function, named);
	return named ? named->function : strchr(function, ':') + 1;
}

/* --- events ---------------------------------------------------------------------------------------------------------------- */

static void learn(struct sort *sort, struct event_type *type)
{
	static const char system[] = "func:", suffix[] = "__return";
	size_t length = strlen(type->name), tail = sizeof(suffix) - 1;

	sort->known = true;
	if (strncmp(type->name, system, sizeof(system) - 1) != 0)
		return;
	sort->unwinds = strcmp(type->name, "func:unwind") == 0;
	sort->ends = length > tail && strcmp(type->name + length - tail, suffix) == 0;
	sort->begins = !sort->unwinds && !sort->ends;
	sort->function = memory_text(type->name, sort->ends ? length - tail : length);
	sort->sp = event_type_field(type, "sp");
	sort->from = event_type_field(type, "from");
	sort->to = event_type_field(type, "to");
}

static const struct sort *sort_of(struct call_slices *calls, const struct event_type *named)
{
	while (calls->sorts.count <= (size_t)named->index)
		*ARRAY_ADD(&calls->sorts) = (struct sort){0};
	if (!calls->sorts.items[named->index].known)
		learn(&calls->sorts.items[named->index], events_type(calls->events, named->name));
	return &calls->sorts.items[named->index];
}

static struct calling *thread_of(struct call_slices *calls, int32_t tid)
{
	struct calling *thread;

	HASH_FIND_INT(calls->threads, &tid, thread);
	if (thread)
		return thread;
	thread = NEW(struct calling);
	thread->tid = tid;
	thread->track = packet_thread_track(calls->packets, events_tgid(calls->events, tid), tid);
	HASH_ADD_INT(calls->threads, tid, thread);
	return thread;
}

static int end_call(struct call_slices *calls, struct calling *thread, int64_t ts)
{
	thread->open.count--;
	return thread->open.count < DRAWN_MAX ? packet_slice_end(calls->packets, thread->track, ts) : 0;
}

static int begin_call(struct call_slices *calls, struct calling *thread, const struct sort *sort, const struct event *event)
{
	int64_t depth = sort->sp && event_has(event, sort->sp) ? event_number(event, sort->sp) : 0;

	if (thread->open.count == DEPTH_MAX)
		return 0;
	*ARRAY_ADD(&thread->open) = (struct open_call){sort->function, depth};
	if (thread->open.count > DRAWN_MAX)
		return 0;
	return packet_event_end(calls->packets, packet_event(calls->packets, thread->track, event->ts, EVENT_BEGIN, name_of(calls, sort->function)));
}

/* Ends the innermost open call of the function, and the calls in it, whose ends were lost. A call that began before the data is not open. */
static int end_calls(struct call_slices *calls, struct calling *thread, const struct sort *sort, int64_t ts)
{
	size_t at = thread->open.count;
	int status = 0;

	while (at > 0 && strcmp(thread->open.items[at - 1].function, sort->function) != 0)
		at--;
	while (status == 0 && at > 0 && thread->open.count >= at)
		status = end_call(calls, thread, ts);
	return status;
}

/* A part of the stack was unwound: ends the calls in it. */
static int unwind(struct call_slices *calls, struct calling *thread, const struct sort *sort, const struct event *event)
{
	int64_t from = event_has(event, sort->from) ? event_number(event, sort->from) : 0;
	int64_t to = event_has(event, sort->to) ? event_number(event, sort->to) : 0;
	int status = 0;

	while (status == 0 && thread->open.count) {
		int64_t depth = thread->open.items[thread->open.count - 1].depth;

		if (depth == 0 || depth < from || depth > to)
			break;
		status = end_call(calls, thread, event->ts);
	}
	return status;
}

int call_slices_event(struct call_slices *calls, const struct event *event)
{
	const struct sort *sort = sort_of(calls, event->type);
	struct calling *thread;
	int status = 0;

	if (!sort->function || event->tid <= 0 || !packet_has_place(calls->packets, event->ts))
		return 0;
	calls->packets->machine = calls->machine;
	thread = thread_of(calls, event->tid);
	calls->last = event->ts;
	if (sort->begins)
		status = begin_call(calls, thread, sort, event);
	else if (sort->ends)
		status = end_calls(calls, thread, sort, event->ts);
	else
		status = unwind(calls, thread, sort, event);
	calls->packets->machine = 0;
	return status;
}

int call_slices_cut(struct call_slices *calls)
{
	int status = 0;

	calls->packets->machine = calls->machine;
	for (struct calling *thread = calls->threads; thread; thread = thread->hh.next)
		while (status == 0 && thread->open.count)
			status = end_call(calls, thread, calls->last);
	calls->packets->machine = 0;
	return status;
}
