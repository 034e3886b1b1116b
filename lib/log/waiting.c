#include "log/waiting.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "log/function_ranking.h"

/*
 * Nanoseconds: PROBES_APART: two probes at one place come within this time. LENT_WAIT: how long to wait for a call of another thread that
 * ends after the request.
 */
enum { PROBES_APART = 100000, LENT_WAIT = 100000000, LENT_MOST = 1 << 12, RATING_WAITS = 10, PARTS_MOST = 1 << 12, THREADS_MOST = 1 << 16 };

struct call {
	int64_t start, end;
	char *function; /* "srv:lookup" */
	char *told; /* " arg.id=7 ret=0" */
};

struct thread {
	UT_hash_handle hh;
	int32_t tid;
	bool serves;		  /* it serves requests of its own */
	ARRAY(struct call) calls; /* sorted by their ends */
};

/* A logged request for which other threads may have worked. */
struct lent {
	struct waiting_verdict verdict;
	ARRAY(struct waiting_part) parts;
	bool closed;
	bool rated; /* before its graphs came */
};

struct waiting {
	struct stream *stream;
	bool with_verdicts, with_graphs;
	struct function_ranking *ranking; /* NULL: functions are not rated */
	bool rated;	       /* enough requests were rated, and waiting_rated() was not called since */
	struct ranked_names kept; /* the best names; calls of the first `most` are wanted */
	bool keeps;		 /* only those calls are wanted */
	ARRAY(struct lent *) lent;
	struct thread *threads;
	ARRAY(struct waiting_verdict) verdicts; /* of requests whose calls may still come */
	int64_t seen; /* all calls that ended before this time have come */
	size_t bytes;
	struct waiting_counts counts;
	struct line line;
};

struct waiting *waiting_new(struct stream *stream, bool with_verdicts, bool with_graphs)
{
	struct waiting *waiting = NEW(struct waiting);

	waiting->stream = stream;
	waiting->with_verdicts = with_verdicts;
	waiting->with_graphs = with_graphs;
	waiting->seen = INT64_MIN;
	return waiting;
}

static void forget_call(struct waiting *waiting, struct call *call)
{
	waiting->bytes -= sizeof(*call) + strlen(call->function) + strlen(call->told) + 2;
	free(call->function);
	free(call->told);
}

static void forget_lent(struct waiting *waiting, size_t at)
{
	free(waiting->lent.items[at]->parts.items);
	free(waiting->lent.items[at]);
	ARRAY_REMOVE(&waiting->lent, at, 1);
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
	while (waiting->lent.count)
		forget_lent(waiting, waiting->lent.count - 1);
	for (size_t i = 0; i < waiting->kept.list.count; i++)
		free(waiting->kept.list.items[i]);
	free(waiting->kept.list.items);
	free(waiting->lent.items);
	function_ranking_free(waiting->ranking);
	free(waiting->verdicts.items);
	line_free(&waiting->line);
	free(waiting);
}

struct waiting_counts waiting_counts(const struct waiting *waiting)
{
	return waiting->counts;
}

/* --- calls ------------------------------------------------------------------------------------------------------------------ */

/* Forgets the oldest thread without calls, because it is not known which threads have ended. */
static void forget_idle(struct waiting *waiting)
{
	struct thread *thread = waiting->threads;

	while (thread && thread->calls.count)
		thread = thread->hh.next;
	if (!thread)
		return;
	HASH_DEL(waiting->threads, thread);
	free(thread->calls.items);
	free(thread);
}

static struct thread *thread_of(struct waiting *waiting, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(waiting->threads, &tid, thread);
	if (!thread) {
		if (HASH_COUNT(waiting->threads) >= THREADS_MOST)
			forget_idle(waiting);
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
	ARRAY_REMOVE(&thread->calls, 0, gone);
	waiting->counts.dropped += gone;
}

/* Drops half of the calls of the thread that has the most. */
static void make_room(struct waiting *waiting)
{
	struct thread *most = NULL, *thread, *next;

	HASH_ITER(hh, waiting->threads, thread, next)
		if (!most || thread->calls.count > most->calls.count)
			most = thread;
	if (most)
		halve(waiting, most);
}

/* Where field `from` begins in the line, with the blank before it; `end`: there is no such field. */
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
	line_text(line, "function", call->function);
	if (verdict) {
		line_unsigned(line, "request", verdict->id);
		line_text(line, "trigger", verdict->trigger);
		line_text(line, "match", verdict->match ? "yes" : "no");
	}
	line_append(line, call->told, strlen(call->told));
	waiting->counts.written++;
	return stream_write_line(waiting->stream, line);
}

/* Tells whether calls of the function are wanted. */
static bool is_kept(const struct waiting *waiting, const char *function)
{
	for (size_t i = 0; i < waiting->kept.list.count && i < waiting->kept.most; i++)
		if (strcmp(waiting->kept.list.items[i], function) == 0)
			return true;
	return !waiting->keeps;
}

/* Takes "call ts=... start=... tid=... function=... arg.id=7 ret=0", as pairing.c writes it. */
static int take_call(struct waiting *waiting, const struct fields *fields, const char *line, size_t length)
{
	enum { FUNCTION = 3, TOLD };
	struct call call = {0};
	int64_t tid = 0;
	const char *told;

	if (fields_time(fields, "ts", &call.end) != 1 || fields_time(fields, "start", &call.start) != 1 ||
	    fields_integer(fields, "tid", &tid) != 1 || fields->count <= FUNCTION)
		return fail("a call that makes no sense");
	call.function = fields_copy(fields, "function");
	if (!call.function)
		return fail("a call without a function");
	if (!is_kept(waiting, call.function)) {
		free(call.function);
		return 0;
	}
	told = begin_of(fields, TOLD, line + length);
	call.told = memory_text(told, (size_t)(line + length - told));
	waiting->bytes += sizeof(call) + strlen(call.function) + strlen(call.told) + 2;
	waiting->counts.came++;
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

/* Removes a function from the kept ones; the next in rank takes its place. */
static void keep_no_more(struct waiting *waiting, const char *name)
{
	size_t left = 0;

	for (size_t i = 0; i < waiting->kept.list.count; i++) {
		char *kept = waiting->kept.list.items[i];

		if (strcmp(kept, name) == 0)
			free(kept);
		else
			waiting->kept.list.items[left++] = kept;
	}
	waiting->kept.list.count = left;
}

static int take_shed(struct waiting *waiting, const struct fields *fields, const char *line, size_t length)
{
	char *name = fields_copy(fields, "name");

	if (waiting->ranking && name)
		function_ranking_exclude(waiting->ranking, name);
	if (name)
		keep_no_more(waiting, name);
	free(name);
	line_begin(&waiting->line, kind_name(KIND_SHED));
	line_append(&waiting->line, line + fields->kind_length, length - fields->kind_length);
	stream_mark_incomplete(waiting->stream);
	return stream_write_line(waiting->stream, &waiting->line);
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
	if (kind == KIND_SHED)
		return take_shed(waiting, &fields, line, length);
	if (kind == KIND_LOST && fields_unsigned(&fields, "count", &lost) == 1) {
		waiting->counts.lost += lost;
		if (fields_is(&fields, "cut", "yes"))
			waiting->counts.cut = true;
		else
			waiting->counts.blind |= lost == 0;
	}
	return 0;
}

void waiting_judge(struct waiting *waiting, const struct waiting_verdict *verdict)
{
	*ARRAY_ADD(&waiting->verdicts) = *verdict;
	waiting->counts.judged++;
	if (waiting->with_graphs && verdict->logged) {
		struct lent *lent = *ARRAY_ADD(&waiting->lent) = NEW(struct lent);

		lent->verdict = *verdict;
		if (waiting->lent.count > LENT_MOST)
			forget_lent(waiting, 0);
	}
}

static struct lent *find_lent(const struct waiting *waiting, uint64_t request)
{
	for (size_t i = 0; i < waiting->lent.count; i++)
		if (waiting->lent.items[i]->verdict.id == request)
			return waiting->lent.items[i];
	return NULL;
}

void waiting_part(struct waiting *waiting, uint64_t request, const struct waiting_part *part)
{
	struct lent *lent = find_lent(waiting, request);

	if (lent && !lent->closed && part->tid != lent->verdict.tid && lent->parts.count < PARTS_MOST)
		*ARRAY_ADD(&lent->parts) = *part;
}

void waiting_close(struct waiting *waiting, uint64_t request)
{
	struct lent *lent = find_lent(waiting, request);

	if (lent)
		lent->closed = true;
}

bool waiting_is_open(const struct waiting *waiting)
{
	for (size_t i = 0; i < waiting->lent.count; i++)
		if (!waiting->lent.items[i]->closed)
			return true;
	return false;
}

void waiting_rate(struct waiting *waiting, struct function_ranking *ranking)
{
	waiting->ranking = ranking;
}

bool waiting_rated(struct waiting *waiting, struct ranked_names *names)
{
	if (!waiting->rated)
		return false;
	waiting->rated = false;
	function_ranking_best(waiting->ranking, &waiting->kept);
	waiting->keeps = waiting->kept.list.count > 0;
	names->most = waiting->kept.most;
	for (size_t i = 0; i < waiting->kept.list.count; i++)
		*ARRAY_ADD(&names->list) = memory_text(waiting->kept.list.items[i], strlen(waiting->kept.list.items[i]));
	function_ranking_free(waiting->ranking);
	waiting->ranking = NULL;
	return true;
}

/* --- requests --------------------------------------------------------------------------------------------------------------- */

static bool is_of(const struct call *call, const struct waiting_verdict *verdict)
{
	int64_t middle = call->start + (call->end - call->start) / 2;

	return middle >= verdict->start && middle <= verdict->end &&
	       call->end - call->start <= timestamp_add(timestamp_between(verdict->start, verdict->end), PROBES_APART);
}

/* Rates a request whose calls are all known. */
static void rate_request(struct waiting *waiting, const struct waiting_verdict *verdict)
{
	if (waiting->ranking && verdict->match)
		waiting->rated = function_ranking_request(waiting->ranking, verdict->id, verdict->start, verdict->end) >= FUNCTION_RANKING_REQUESTS;
}

/*
 * Rates calls of other threads without a graph. The graphs of requests do not come while a window stays open, as on a server that is never
 * idle. Then it is not known which thread worked for which request; a thread that serves no requests of its own may have worked for any
 * that was open.
 */
static void rate_others(struct waiting *waiting, const struct waiting_verdict *verdict)
{
	for (const struct thread *thread = waiting->threads; thread; thread = thread->hh.next)
		for (size_t i = 0; i < thread->calls.count && !thread->serves; i++) {
			const struct call *call = &thread->calls.items[i];

			if (call->start < verdict->end && call->end > verdict->start)
				function_ranking_call(waiting->ranking, verdict->id, call->function, call->start, call->end);
		}
}

/* Writes the request's calls if the request is logged, and removes them. */
static int settle(struct waiting *waiting, const struct waiting_verdict *verdict)
{
	struct thread *thread = thread_of(waiting, verdict->tid);
	struct lent *lent = find_lent(waiting, verdict->id);
	size_t first = thread->calls.count, kept;
	bool rates = waiting->ranking && verdict->match;
	int status = 0;

	thread->serves = true;
	while (first > 0 && thread->calls.items[first - 1].end >= verdict->start)
		first--;
	kept = first;
	for (size_t i = first; i < thread->calls.count; i++) {
		struct call *call = &thread->calls.items[i];

		if (!is_of(call, verdict)) {
			thread->calls.items[kept++] = *call;
			continue;
		}
		if (rates)
			function_ranking_call(waiting->ranking, verdict->id, call->function, call->start, call->end);
		if (verdict->logged && status == 0)
			status = write_call(waiting, call, verdict->tid, verdict);
		forget_call(waiting, call);
	}
	thread->calls.count = kept;
	if (rates && (!lent || waiting->lent.count > RATING_WAITS)) {
		rate_others(waiting, verdict);
		rate_request(waiting, verdict);
		if (lent)
			lent->rated = true;
	}
	return status;
}

/* --- what other threads did for them ---------------------------------------------------------------------------------------------- */

static bool is_part(const struct call *call, const struct waiting_part *part)
{
	int64_t middle = call->start + (call->end - call->start) / 2;

	if (!part->within)
		return call->start < part->to && call->end > part->from;
	return middle >= part->from && middle <= part->to && call->end - call->start <= timestamp_add(timestamp_between(part->from, part->to), PROBES_APART);
}

static int settle_part(struct waiting *waiting, const struct lent *lent, const struct waiting_part *part)
{
	const struct waiting_verdict *verdict = &lent->verdict;
	struct thread *thread = thread_of(waiting, part->tid);
	size_t kept = 0;
	int status = 0;

	for (size_t i = 0; i < thread->calls.count; i++) {
		struct call *call = &thread->calls.items[i];

		if (!is_part(call, part)) {
			thread->calls.items[kept++] = *call;
			continue;
		}
		if (waiting->ranking && verdict->match && !lent->rated)
			function_ranking_call(waiting->ranking, verdict->id, call->function, call->start, call->end);
		if (status == 0)
			status = write_call(waiting, call, part->tid, verdict);
		forget_call(waiting, call);
	}
	thread->calls.count = kept;
	return status;
}

/* Tells whether requests of the threads in these parts may still claim their own calls. */
static bool has_verdicts(const struct waiting *waiting, const struct lent *lent)
{
	for (size_t i = 0; i < waiting->verdicts.count; i++)
		for (size_t k = 0; k < lent->parts.count; k++)
			if (waiting->verdicts.items[i].tid == lent->parts.items[k].tid)
				return true;
	return false;
}

/* Settles closed requests, after a wait: a call may last longer than the request that it worked for. */
static int settle_lent(struct waiting *waiting, bool all)
{
	int status = 0;

	for (size_t i = 0; i < waiting->lent.count && status == 0; i++) {
		const struct lent *lent = waiting->lent.items[i];

		if (!lent->closed || (!all && (waiting->seen <= timestamp_add(lent->verdict.end, LENT_WAIT) || has_verdicts(waiting, lent))))
			continue;
		for (size_t k = 0; k < lent->parts.count && status == 0; k++)
			status = settle_part(waiting, lent, &lent->parts.items[k]);
		if (!lent->rated)
			rate_request(waiting, &lent->verdict);
		forget_lent(waiting, i--);
	}
	return status;
}

int waiting_settle(struct waiting *waiting, bool all)
{
	size_t kept = 0;
	int status = 0;

	for (size_t i = 0; i < waiting->verdicts.count; i++) {
		const struct waiting_verdict *verdict = &waiting->verdicts.items[i];

		if (!all && waiting->seen <= timestamp_add(verdict->end, PROBES_APART))
			waiting->verdicts.items[kept++] = *verdict;
		else if (status == 0)
			status = settle(waiting, verdict);
	}
	waiting->verdicts.count = kept;
	return status < 0 ? -1 : settle_lent(waiting, all);
}
