#include "log/waiting.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"

/* Two probes at one place come within this time of each other, nanoseconds. */
enum { PROBES_APART = 100000 };

struct call {
	int64_t start, end;
	char *head; /* " function=srv:lookup" */
	char *told; /* " arg.id=7 ret=0" */
};

struct thread {
	UT_hash_handle hh;
	int32_t tid;
	ARRAY(struct call) calls; /* by their ends */
};

struct waiting {
	struct stream *stream;
	bool with_verdicts;
	struct thread *threads;
	ARRAY(struct waiting_verdict) verdicts; /* of requests whose calls may still come */
	int64_t seen; /* all calls that ended before have come */
	size_t bytes;
	struct waiting_counts counts;
	struct line line;
};

struct waiting *waiting_new(struct stream *stream, bool with_verdicts)
{
	struct waiting *waiting = NEW(struct waiting);

	waiting->stream = stream;
	waiting->with_verdicts = with_verdicts;
	waiting->seen = INT64_MIN;
	return waiting;
}

static void forget_call(struct waiting *waiting, struct call *call)
{
	waiting->bytes -= sizeof(*call) + strlen(call->head) + strlen(call->told) + 2;
	free(call->head);
	free(call->told);
}

void waiting_free(struct waiting *waiting)
{
	struct thread *thread, *next;

	if (!waiting)
		return;
	HASH_ITER(hh, waiting->threads, thread, next)
	{
		for (size_t i = 0; i < thread->calls.count; i++)
			forget_call(waiting, &thread->calls.items[i]);
		HASH_DEL(waiting->threads, thread);
		free(thread->calls.items);
		free(thread);
	}
	free(waiting->verdicts.items);
	line_free(&waiting->line);
	free(waiting);
}

struct waiting_counts waiting_counts(const struct waiting *waiting)
{
	return waiting->counts;
}

/* --- calls ------------------------------------------------------------------------------------------------------------------ */

static struct thread *thread_of(struct waiting *waiting, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(waiting->threads, &tid, thread);
	if (!thread) {
		thread = NEW(struct thread);
		thread->tid = tid;
		HASH_ADD_INT(waiting->threads, tid, thread);
	}
	return thread;
}

static void halve(struct waiting *waiting, struct thread *thread)
{
	size_t gone = (thread->calls.count + 1) / 2;

	for (size_t i = 0; i < gone; i++)
		forget_call(waiting, &thread->calls.items[i]);
	thread->calls.count -= gone;
	memmove(thread->calls.items, thread->calls.items + gone, thread->calls.count * sizeof(struct call));
	waiting->counts.dropped += gone;
}

/* The thread with the most calls gives way. */
static void make_room(struct waiting *waiting)
{
	struct thread *most = NULL, *thread, *next;

	HASH_ITER(hh, waiting->threads, thread, next)
		if (!most || thread->calls.count > most->calls.count)
			most = thread;
	if (most)
		halve(waiting, most);
}

/* Where the key begins in the line, with the blank before it; its end: it is not there. */
static const char *begin_of(const struct fields *fields, int from, const char *end)
{
	return from < fields->count ? fields->item[from].key - 1 : end;
}

static int write_call(struct waiting *waiting, const struct call *call, int32_t tid, const struct waiting_verdict *verdict)
{
	struct line *line = &waiting->line;

	line_begin(line, kind_name(KIND_CALL));
	line_time(line, "ts", call->end);
	line_time(line, "start", call->start);
	line_integer(line, "tid", tid);
	line_append(line, call->head, strlen(call->head));
	if (verdict) {
		line_unsigned(line, "request", verdict->id);
		line_text(line, "trigger", verdict->trigger);
		line_text(line, "match", verdict->match ? "yes" : "no");
	}
	line_append(line, call->told, strlen(call->told));
	waiting->counts.written++;
	return stream_write_line(waiting->stream, line);
}

/* "call ts=... start=... tid=... function=... arg.id=7 ret=0", as pairing.c writes it. */
static int take_call(struct waiting *waiting, const struct fields *fields, const char *line, size_t length)
{
	enum { FUNCTION = 3, TOLD };
	struct call call = {0};
	int64_t tid = 0;
	const char *head, *told;

	if (fields_time(fields, "ts", &call.end) != 1 || fields_time(fields, "start", &call.start) != 1 ||
	    fields_integer(fields, "tid", &tid) != 1 || fields->count <= FUNCTION)
		return fail("a call that makes no sense");
	head = begin_of(fields, FUNCTION, line + length);
	told = begin_of(fields, TOLD, line + length);
	call.head = memory_text(head, (size_t)(told - head));
	call.told = memory_text(told, (size_t)(line + length - told));
	waiting->bytes += sizeof(call) + strlen(call.head) + strlen(call.told) + 2;
	if (call.end > waiting->seen)
		waiting->seen = call.end;
	if (!waiting->with_verdicts) {
		int status = write_call(waiting, &call, (int32_t)tid, NULL);

		forget_call(waiting, &call);
		return status;
	}
	*ARRAY_ADD(&thread_of(waiting, (int32_t)tid)->calls) = call;
	while (waiting->bytes > WAITING_BYTES)
		make_room(waiting);
	return 0;
}

/* --- what comes ------------------------------------------------------------------------------------------------------------- */

static void take_tick(struct waiting *waiting, const struct fields *fields)
{
	int64_t ts;

	if (fields_time(fields, "ts", &ts) == 1 && ts > waiting->seen)
		waiting->seen = ts;
}

int waiting_line(struct waiting *waiting, const char *line, size_t length)
{
	struct fields fields;
	enum kind kind;
	uint64_t lost = 0;

	if (fields_parse(&fields, line, length) < 0)
		return -1;
	kind = kind_of(fields.kind, fields.kind_length);
	if (kind == KIND_CALL)
		return take_call(waiting, &fields, line, length);
	if (kind == KIND_TICK)
		take_tick(waiting, &fields);
	if (kind == KIND_LOST && fields_unsigned(&fields, "count", &lost) == 1)
		waiting->counts.lost += lost;
	return 0;
}

void waiting_judge(struct waiting *waiting, const struct waiting_verdict *verdict)
{
	*ARRAY_ADD(&waiting->verdicts) = *verdict;
}

/* --- requests --------------------------------------------------------------------------------------------------------------- */

static bool is_of(const struct call *call, const struct waiting_verdict *verdict)
{
	int64_t middle = call->start + (call->end - call->start) / 2;

	return middle >= verdict->start && middle <= verdict->end &&
	       call->end - call->start <= verdict->end - verdict->start + PROBES_APART;
}

/* Writes the request's calls, or drops them. */
static int settle(struct waiting *waiting, const struct waiting_verdict *verdict)
{
	struct thread *thread = thread_of(waiting, verdict->tid);
	size_t first = thread->calls.count, kept;
	int status = 0;

	while (first > 0 && thread->calls.items[first - 1].end >= verdict->start)
		first--;
	kept = first;
	for (size_t i = first; i < thread->calls.count; i++) {
		struct call *call = &thread->calls.items[i];

		if (!is_of(call, verdict)) {
			thread->calls.items[kept++] = *call;
			continue;
		}
		if (verdict->logged && status == 0)
			status = write_call(waiting, call, verdict->tid, verdict);
		forget_call(waiting, call);
	}
	thread->calls.count = kept;
	return status;
}

int waiting_settle(struct waiting *waiting, bool all)
{
	size_t kept = 0;
	int status = 0;

	for (size_t i = 0; i < waiting->verdicts.count; i++) {
		const struct waiting_verdict *verdict = &waiting->verdicts.items[i];

		if (!all && waiting->seen <= verdict->end + PROBES_APART)
			waiting->verdicts.items[kept++] = *verdict;
		else if (status == 0)
			status = settle(waiting, verdict);
	}
	waiting->verdicts.count = kept;
	return status;
}
