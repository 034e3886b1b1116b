#include "log/pairing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uthash.h>

#include "base/command.h"
#include "base/fail.h"
#include "base/memory.h"
#include "chart/chart.h"
#include "event/event.h"
#include "event/spell.h"

enum { OPEN_MOST = 64 /* calls of a thread */, THREADS_MOST = 1 << 16 };

#define TIME_UNKNOWN INT64_MIN

/* A logged function, by the event of its entry. */
struct logged {
	UT_hash_handle hh;
	char *event; /* "func:srv__lookup" */
	char *name;  /* "srv:lookup" */
	bool shed;   /* its probes are off, so the end of a call that begins would not be seen */
};

struct stack { /* a `stack` record of this stream */
	UT_hash_handle hh;
	uint64_t id;
	char *frames; /* "store_get (srv);query (srv);main (srv)" */
};

struct open_call {
	const struct logged *function;
	int64_t start, depth; /* depth: the stack pointer; 0: not known */
	int64_t ran;	      /* CPU time of its thread at the start; TIME_UNKNOWN */
	const struct stack *stack; /* stack of the call; NULL: not known */
	char *arguments;      /* " arg.id=7 arg.url=/a" */
};

struct caller {
	UT_hash_handle hh;
	int32_t tid;
	ARRAY(struct open_call) open;
	const struct stack *stack; /* stack of the call that begins next, if its probe is at `ip`; NULL: none */
	uint64_t ip;
	char *thrown; /* the last exception; NULL: none */
	int64_t thrown_at;
	int64_t ran, since; /* ran: CPU time until it last got a CPU; since: when it got it; TIME_UNKNOWN: it has none */
};

struct pairing {
	struct stream *stream;
	struct events *events;
	struct logged *functions;
	struct caller *callers;
	struct stack *stacks;
	struct line line, text;
	int64_t seen, told; /* time of the newest event; time that the output has reached */
	const struct event_type *switches; /* sched:sched_switch; NULL: not collected */
	const struct event_field *prev, *next;
	const struct event_type *calls; /* the event with stacks of calls; NULL: none has come */
	const struct event_field *stack, *ip;
};

/* --- functions ------------------------------------------------------------------------------------------------------------ */

static void learn_chart(struct pairing *pairing, const struct chart *chart)
{
	struct logged *function;

	for (int i = 0; i < chart->count; i++) {
		if (chart->events[i].role != CHART_START)
			continue;
		function = NEW(struct logged);
		function->event = memory_text(chart->events[i].event, strlen(chart->events[i].event));
		function->name = chart_called(chart);
		HASH_ADD_KEYPTR(hh, pairing->functions, function->event, strlen(function->event), function);
		return;
	}
}

static int see_chart(void *context, const struct record *record)
{
	struct pairing *pairing = context;
	const struct fields *fields = stream_fields(pairing->stream, record);
	struct chart *chart = fields ? chart_recorded(fields) : NULL;

	if (chart && chart->binary && chart->function)
		learn_chart(pairing, chart);
	if (chart)
		chart_free(chart);
	return STREAM_DROP;
}

static const struct logged *find_function(const struct pairing *pairing, const char *event, size_t length)
{
	struct logged *function;

	HASH_FIND(hh, pairing->functions, event, length, function);
	return function;
}

/* --- calls ---------------------------------------------------------------------------------------------------------------- */

static struct caller *caller_of(struct pairing *pairing, int32_t tid)
{
	struct caller *caller;

	HASH_FIND_INT(pairing->callers, &tid, caller);
	if (caller)
		return caller;
	if (HASH_COUNT(pairing->callers) == THREADS_MOST) { /* drops the oldest, because it is not known which threads have ended */
		caller = pairing->callers;
		HASH_DEL(pairing->callers, caller);
		for (size_t i = 0; i < caller->open.count; i++)
			free(caller->open.items[i].arguments);
		free(caller->open.items);
		free(caller->thrown);
		free(caller);
	}
	caller = NEW(struct caller);
	*caller = (struct caller){.tid = tid, .since = TIME_UNKNOWN};
	HASH_ADD_INT(pairing->callers, tid, caller);
	return caller;
}

/*
 * Appends the event's own fields, without those that all events (event_spell()) and all probes have: " arg.id=7", or without the prefix. A
 * parameter may be called "name", so the common fields are skipped by their number.
 */
static void append_told(struct line *line, const struct fields *fields, const char *prefix)
{
	enum { COMMON = 5 };
	static const char of_probes[] = " sp __probe_ip __probe_func __probe_ret_ip ";

	for (int i = COMMON; i < fields->count; i++) {
		const struct field *field = &fields->item[i];
		char *key = memory_format(" %.*s ", (int)field->key_length, field->key), *value;

		if (!strstr(of_probes, key)) {
			value = memory_new(field->value_length + 1, 1);
			field_text(field, value, field->value_length + 1);
			free(key);
			key = memory_format("%s%.*s", prefix, (int)field->key_length, field->key);
			line_text(line, key, value);
			free(value);
		}
		free(key);
	}
}

static int64_t depth_of(const struct fields *fields, const char *key)
{
	uint64_t depth = 0;

	fields_unsigned(fields, key, &depth);
	return (int64_t)depth;
}

/* Drops open calls whose ends will not be seen: otherwise an unwind of their callers would seem to end them, too. NULL: those of all functions. */
static void forget_open(struct pairing *pairing, const struct logged *function)
{
	for (struct caller *caller = pairing->callers; caller; caller = caller->hh.next) {
		size_t kept = 0;

		caller->stack = NULL;
		for (size_t i = 0; i < caller->open.count; i++) {
			if (!function || caller->open.items[i].function == function)
				free(caller->open.items[i].arguments);
			else
				caller->open.items[kept++] = caller->open.items[i];
		}
		caller->open.count = kept;
	}
}

/* The CPU time of a thread that runs now. */
static int64_t ran_until(const struct pairing *pairing, struct caller *caller, int64_t ts)
{
	if (!pairing->switches)
		return TIME_UNKNOWN;
	if (caller->since == TIME_UNKNOWN)
		caller->since = ts; /* it was not seen getting the CPU */
	return caller->ran + ts - caller->since;
}

static void begin_call(struct pairing *pairing, const struct event *event, const struct fields *fields, const struct logged *function)
{
	struct caller *caller = caller_of(pairing, event->tid);
	struct open_call *call;
	uint64_t ip = 0;

	fields_unsigned(fields, "__probe_ip", &ip);
	if (caller->open.count == OPEN_MOST) {
		free(caller->open.items[0].arguments);
		ARRAY_REMOVE(&caller->open, 0, 1);
	}
	line_begin(&pairing->text, "");
	append_told(&pairing->text, fields, "arg.");
	call = ARRAY_ADD(&caller->open);
	*call = (struct open_call){function, event->ts, depth_of(fields, "sp"), ran_until(pairing, caller, event->ts),
				   caller->ip == ip ? caller->stack : NULL, memory_text(pairing->text.text, pairing->text.length)};
	caller->stack = NULL;
}

/* `fields`: those of the event at its end; NULL: the call was left by an unwind. */
static int write_call(struct pairing *pairing, struct caller *caller, const struct open_call *call, int64_t ts, const struct fields *fields)
{
	struct line *line = &pairing->line;

	line_begin(line, "call");
	line_time(line, "ts", ts);
	line_time(line, "start", call->start);
	line_integer(line, "tid", caller->tid);
	line_text(line, "function", call->function->name);
	if (call->ran != TIME_UNKNOWN && ran_until(pairing, caller, ts) >= call->ran)
		line_time(line, "cpu", ran_until(pairing, caller, ts) - call->ran);
	line_append(line, call->arguments, strlen(call->arguments));
	if (fields)
		append_told(line, fields, "");
	else
		line_text(line, "left", "yes");
	if (!fields && caller->thrown && caller->thrown_at >= call->start)
		line_text(line, "threw", caller->thrown);
	if (call->stack)
		line_text(line, "stack", call->stack->frames);
	pairing->told = ts;
	return stream_write_line(pairing->stream, line);
}

/* Writes and removes a call. */
static int end_call(struct pairing *pairing, struct caller *caller, size_t at, int64_t ts, const struct fields *fields)
{
	int status = write_call(pairing, caller, &caller->open.items[at], ts, fields);

	free(caller->open.items[at].arguments);
	ARRAY_REMOVE(&caller->open, at, 1);
	return status;
}

static int see_end(struct pairing *pairing, const struct event *event, const struct fields *fields, const struct logged *function)
{
	struct caller *caller = caller_of(pairing, event->tid);
	int64_t depth = depth_of(fields, "sp");

	for (size_t i = caller->open.count; i-- > 0;) {
		const struct open_call *call = &caller->open.items[i];

		if (call->function == function && (!depth || !call->depth || call->depth == depth))
			return end_call(pairing, caller, i, event->ts, fields);
	}
	return 0; /* the call began before the logging */
}

static int see_unwind(struct pairing *pairing, const struct event *event, const struct fields *fields)
{
	struct caller *caller = caller_of(pairing, event->tid);
	uint64_t from = (uint64_t)depth_of(fields, "from"), to = (uint64_t)depth_of(fields, "to");
	int status = 0;

	for (size_t i = caller->open.count; i-- > 0 && status == 0;) {
		uint64_t depth = (uint64_t)caller->open.items[i].depth;

		if (depth && depth >= from && depth <= to)
			status = end_call(pairing, caller, i, event->ts, NULL);
	}
	return status;
}

/* --- what threads do besides ---------------------------------------------------------------------------------------------- */

static void see_switch(struct pairing *pairing, const struct event *event)
{
	int32_t prev, next;
	struct caller *caller;

	if (pairing->switches != event->type) {
		pairing->switches = event->type;
		pairing->prev = event_type_field((struct event_type *)event->type, "prev_pid");
		pairing->next = event_type_field((struct event_type *)event->type, "next_pid");
	}
	prev = (int32_t)event_number(event, pairing->prev);
	next = (int32_t)event_number(event, pairing->next);
	HASH_FIND_INT(pairing->callers, &prev, caller);
	if (caller && caller->since != TIME_UNKNOWN) {
		caller->ran += event->ts - caller->since;
		caller->since = TIME_UNKNOWN;
	}
	HASH_FIND_INT(pairing->callers, &next, caller);
	if (caller)
		caller->since = event->ts;
}

static int see_stack(void *context, const struct record *record)
{
	struct pairing *pairing = context;
	const struct fields *fields = stream_fields(pairing->stream, record);
	struct stack *stack;
	uint64_t id;
	char *frames;

	if (!fields)
		return -1;
	frames = fields_unsigned(fields, "id", &id) == 1 ? fields_copy(fields, "user") : NULL;
	if (!frames)
		return STREAM_DROP;
	stack = NEW(struct stack);
	*stack = (struct stack){.id = id, .frames = frames};
	HASH_ADD(hh, pairing->stacks, id, sizeof(stack->id), stack);
	return STREAM_DROP;
}

/* The stack comes before the event of its call. Both have their probes at the same place. */
static void see_call_stack(struct pairing *pairing, const struct event *event)
{
	struct caller *caller = caller_of(pairing, event->tid);
	uint64_t id;

	if (pairing->calls != event->type) {
		pairing->calls = event->type;
		pairing->stack = event_type_field((struct event_type *)event->type, "stack");
		pairing->ip = event_type_field((struct event_type *)event->type, "ip");
	}
	id = (uint64_t)event_number(event, pairing->stack);
	caller->ip = (uint64_t)event_number(event, pairing->ip);
	HASH_FIND(hh, pairing->stacks, &id, sizeof(id), caller->stack);
}

static int see_exception(void *context, const struct record *record)
{
	struct pairing *pairing = context;
	const struct fields *fields = stream_fields(pairing->stream, record);
	struct caller *caller;
	int64_t tid = 0, ts;

	if (!fields)
		return -1;
	if (fields_integer(fields, "tid", &tid) != 1 || fields_time(fields, "ts", &ts) != 1)
		return STREAM_DROP;
	caller = caller_of(pairing, (int32_t)tid);
	free(caller->thrown);
	caller->thrown = fields_copy(fields, "name");
	caller->thrown_at = ts;
	return STREAM_DROP;
}

/* --- records -------------------------------------------------------------------------------------------------------------- */

/* Events of the function that the kernel still held may come behind this record. */
static int see_shed(void *context, const struct record *record)
{
	struct pairing *pairing = context;
	const struct fields *fields = stream_fields(pairing->stream, record);

	if (!fields)
		return -1;
	for (struct logged *function = pairing->functions; function; function = function->hh.next)
		if (fields_is(fields, "name", function->name)) {
			function->shed = true;
			forget_open(pairing, function);
		}
	return STREAM_PASS;
}

static int see_lost(void *context, const struct record *record)
{
	(void)record;
	forget_open(context, NULL);
	return STREAM_PASS;
}

static int take_event(struct pairing *pairing, const struct event *event, const struct fields *fields)
{
	static const char end[] = "__return", unwind[] = "func:unwind";
	const char *name = event->type->name;
	size_t length = strlen(name);
	const struct logged *function = find_function(pairing, name, length);

	if (function) {
		if (!function->shed)
			begin_call(pairing, event, fields, function);
		return 0;
	}
	if (strcmp(name, unwind) == 0)
		return see_unwind(pairing, event, fields);
	if (length < strlen(end) || strcmp(name + length - strlen(end), end) != 0)
		return 0;
	function = find_function(pairing, name, length - strlen(end));
	return function ? see_end(pairing, event, fields, function) : 0;
}

static int see_event(void *context, const struct record *record)
{
	struct pairing *pairing = context;
	struct fields fields;
	struct event event;

	if (events_read(pairing->events, record, &event) < 0)
		return -1;
	pairing->seen = event.ts;
	if (strcmp(event.type->name, "sched:sched_switch") == 0)
		see_switch(pairing, &event);
	if (strcmp(event.type->name, "stack:call") == 0)
		see_call_stack(pairing, &event);
	if (strncmp(event.type->name, "func:", strlen("func:")) != 0)
		return STREAM_DROP;
	event_spell(&event, "", &pairing->text);
	if (fields_parse(&fields, pairing->text.text, pairing->text.length) < 0)
		return -1;
	/* the fields point into the text, which begin_call() would overwrite */
	struct line spelled = pairing->text;
	pairing->text = (struct line){0};
	int status = take_event(pairing, &event, &fields);
	line_free(&pairing->text);
	pairing->text = spelled;
	return status < 0 ? -1 : STREAM_DROP;
}

static int drop(void *context, const struct record *record)
{
	(void)context;
	(void)record;
	return STREAM_DROP;
}

static int pass(void *context, const struct record *record)
{
	(void)context;
	(void)record;
	return STREAM_PASS;
}

/* Writes how far the events have come, for readers that wait for calls. */
static int tell_time(void *context)
{
	struct pairing *pairing = context;

	if (pairing->seen <= pairing->told)
		return 0;
	pairing->told = pairing->seen;
	line_begin(&pairing->line, kind_name(KIND_TICK));
	line_time(&pairing->line, "ts", pairing->seen);
	return stream_write_line(pairing->stream, &pairing->line);
}

/* If the collector was killed, says that calls are missing. */
static int see_over(void *context)
{
	struct pairing *pairing = context;

	if (!pairing->functions || !stream_was_cut(pairing->stream))
		return 0;
	line_begin(&pairing->line, kind_name(KIND_LOST));
	line_unsigned(&pairing->line, "count", 0);
	line_text(&pairing->line, "cut", "yes");
	return stream_write_line(pairing->stream, &pairing->line);
}

int pairing_run(void)
{
	struct handlers handlers = {.idle = tell_time, .finish = see_over};
	struct pairing pairing = {.told = INT64_MIN, .seen = INT64_MIN};
	struct stream *stream = stream_open(NULL, 0);
	int status;

	if (!stream)
		return EXIT_FAILED;
	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = drop;
	handlers.on[KIND_CHART] = see_chart;
	handlers.on[KIND_EVENT] = see_event;
	handlers.on[KIND_EXCEPTION] = see_exception;
	handlers.on[KIND_STACK] = see_stack;
	handlers.on[KIND_SHED] = see_shed;
	handlers.on[KIND_LOST] = see_lost;
	handlers.on[KIND_TICK] = handlers.on[KIND_END] = pass;
	stream_output(stream, STDOUT_FILENO, true);
	pairing.stream = stream;
	pairing.events = events_new(stream);
	status = stream_finish(stream, &handlers, &pairing);
	events_free(pairing.events);
	return status; /* the rest is freed when the process ends */
}
