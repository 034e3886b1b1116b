#include "span/units.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "base/number.h"

struct run {
	int64_t from, to;
};

struct runner { /* a thread */
	int32_t tid;
	int depth; /* of nested callbacks */
	int64_t since;
	ARRAY(struct run) runs; /* in order of time */
	ARRAY(uint64_t) doing;	/* numbers of the nested requests that it works on */
	ARRAY(struct called) called;
	struct keyed *keyed;
	UT_hash_handle hh;
};

struct keyed { /* the thread's last request with this key */
	uint64_t number;
	UT_hash_handle hh;
	char key[];
};

struct units {
	struct events *events;
	const struct flows *flows;
	struct state_tree *tree;
	struct state_texts *texts;
	struct state_attributes *attributes; /* empty: a unit's templates use only its event */
	ARRAY(const struct state_unit *) units;
	ARRAY(const struct state_call *) calls;
	ARRAY(const struct state_message *) messages;
	ARRAY(const struct state_backlog *) backlogs;
	ARRAY(struct state_dispatch) dispatches;
	ARRAY(struct begun) begun;
	ARRAY(struct queued) queued;
	struct runner *runners;
};

struct units *units_new(struct events *events, const struct flows *flows)
{
	struct units *units = NEW(struct units);

	units->events = events;
	units->flows = flows;
	units->tree = state_tree_new();
	units->texts = state_texts_new();
	units->attributes = state_attributes_new(units->tree, units->texts, 1);
	return units;
}

void units_free(struct units *units)
{
	struct runner *runner, *next;

	HASH_ITER(hh, units->runners, runner, next) {
		HASH_DEL(units->runners, runner);
		HASH_FREE(runner->keyed);
		free(runner->called.items);
		free(runner->runs.items);
		free(runner->doing.items);
		free(runner);
	}
	for (size_t i = 0; i < units->begun.count; i++)
		free(units->begun.items[i].name);
	free(units->begun.items);
	free(units->units.items);
	free(units->calls.items);
	free(units->messages.items);
	free(units->backlogs.items);
	free(units->queued.items);
	free(units->dispatches.items);
	state_attributes_free(units->attributes);
	state_texts_free(units->texts);
	state_tree_free(units->tree);
	free(units);
}

void units_add(struct units *units, const struct state_file *file)
{
	for (size_t i = 0; i < file->units.count; i++)
		*ARRAY_ADD(&units->units) = &file->units.items[i];
	for (size_t i = 0; i < file->calls.count; i++)
		*ARRAY_ADD(&units->calls) = &file->calls.items[i];
	for (size_t i = 0; i < file->messages.count; i++)
		*ARRAY_ADD(&units->messages) = &file->messages.items[i];
	for (size_t i = 0; i < file->backlogs.count; i++)
		*ARRAY_ADD(&units->backlogs) = &file->backlogs.items[i];
	for (size_t i = 0; i < file->dispatches.count; i++)
		*ARRAY_ADD(&units->dispatches) = file->dispatches.items[i];
}

/* --- events ------------------------------------------------------------------------------------------------------- */

/* Cuts "GET /cart?id=7 HTTP/1.1" and what may follow down to "GET /cart"; other texts stay as they are. */
static void cut_http(char *name)
{
	size_t method = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), path;

	if (method == 0 || name[method] != ' ' || (name[method + 1] != '/' && name[method + 1] != '*'))
		return;
	path = strcspn(name + method + 1, " ?\r\n");
	name[method + 1 + path] = '\0';
}

static char *text_of(struct units *units, const struct state_template *template, const struct event *event)
{
	struct state_scene scene = {units->events, units->tree, units->texts, units->attributes, event, STATE_NO_NODE};
	struct state_value value = template->pieces.count ? state_template_value(template, &scene) : (struct state_value){0};
	char room[STATE_VALUE_ROOM], *copy = NULL;
	const char *text;
	size_t length;

	if (value.kind != STATE_NULL) {
		text = state_value_spell(value, room, &length);
		copy = memory_text(text, length);
	}
	state_value_drop(units->texts, &value);
	return copy;
}

/* The number that a template gives; -1: there is none, or it is not from 0 to `most`. */
static int64_t read_number(struct units *units, const struct state_template *template, const struct event *event, int64_t most)
{
	char *text = text_of(units, template, event);
	int64_t number;
	bool whole = text && number_integer(text, strlen(text), &number) == 0 && number >= 0 && number <= most;

	free(text);
	return whole ? number : -1;
}

static int32_t read_fd(struct units *units, const struct state_template *template, const struct event *event)
{
	return (int32_t)read_number(units, template, event, INT32_MAX);
}

static struct runner *get_runner(struct units *units, int32_t tid)
{
	struct runner *runner;

	HASH_FIND_INT(units->runners, &tid, runner);
	if (runner)
		return runner;
	runner = NEW(struct runner);
	runner->tid = tid;
	HASH_ADD_INT(units->runners, tid, runner);
	return runner;
}

static void keep_key(struct runner *runner, const char *key, uint64_t number)
{
	size_t length = strlen(key);
	struct keyed *keyed;

	HASH_FIND(hh, runner->keyed, key, length, keyed);
	if (!keyed) {
		keyed = memory_new(1, sizeof(*keyed) + length + 1);
		memcpy(keyed->key, key, length);
		HASH_ADD(hh, runner->keyed, key, length, keyed);
	}
	keyed->number = number;
}

static void take_begun(struct units *units, const struct state_unit *unit, const struct event *event)
{
	struct begun begun = {.ts = event->ts, .tid = event->tid, .fd = read_fd(units, &unit->fd, event), .unit = unit, .number = units->begun.count + 1};
	int64_t bytes = read_number(units, &unit->bytes, event, INT64_MAX);
	char *key;

	if ((unit->fd.pieces.count && begun.fd < 0) || (unit->message && bytes <= 0))
		return; /* the event is of no connection: a script calls another command */
	begun.bytes = bytes > 0 ? (uint64_t)bytes : 0;
	begun.until = INT64_MAX;
	begun.end = flows_received_last(units->flows, event->tid);
	begun.name = text_of(units, &unit->request, event);
	if (begun.name)
		cut_http(begun.name);
	key = text_of(units, &unit->key, event);
	if (key)
		keep_key(get_runner(units, event->tid), key, begun.number);
	free(key);
	*ARRAY_ADD(&units->begun) = begun;
}

static void take_call(struct units *units, const struct state_call *call, const struct event *event)
{
	struct runner *runner = get_runner(units, event->tid);
	struct called called = {.ts = event->ts, .fd = read_fd(units, &call->fd, event)};
	char *key = text_of(units, &call->key, event);
	struct keyed *keyed = NULL;

	if (key)
		HASH_FIND(hh, runner->keyed, key, strlen(key), keyed);
	free(key);
	called.request = keyed ? keyed->number : 0;
	*ARRAY_ADD(&runner->called) = called;
}

/* A callback begins. Of nested callbacks, the outermost is the run. */
static void take_enter(struct units *units, const struct event *event)
{
	struct runner *runner = get_runner(units, event->tid);

	if (runner->depth++ == 0)
		runner->since = event->ts;
}

static void take_leave(struct units *units, const struct event *event)
{
	struct runner *runner = get_runner(units, event->tid);

	if (runner->depth > 0 && --runner->depth == 0)
		*ARRAY_ADD(&runner->runs) = (struct run){runner->since, event->ts};
}

static bool holds(struct units *units, const struct state_test *test, const struct event *event)
{
	struct state_scene scene = {units->events, units->tree, units->texts, units->attributes, event, STATE_NO_NODE};

	return state_test_holds(test, &scene);
}

/* A unit's event begins another request, or (`begun` 0) continues the one around it, as when a script calls another command. */
static void take_doing(struct units *units, const struct event *event, uint64_t begun)
{
	struct runner *runner = get_runner(units, event->tid);
	uint64_t around = runner->doing.count ? runner->doing.items[runner->doing.count - 1] : 0;

	*ARRAY_ADD(&runner->doing) = begun ? begun : around;
}

static void take_done(struct units *units, const struct event *event)
{
	struct runner *runner = get_runner(units, event->tid);
	uint64_t done;

	if (!runner->doing.count)
		return; /* the request began before the trace */
	done = runner->doing.items[--runner->doing.count];
	if (done && (!runner->doing.count || runner->doing.items[runner->doing.count - 1] != done))
		units->begun.items[done - 1].until = event->ts;
}

/* Several unit lines may name the same event: it still enters or leaves only one request. */
static void take_units(struct units *units, const struct event *event)
{
	uint64_t begun = 0;
	bool enters = false, leaves = false;

	for (size_t i = 0; i < units->units.count; i++) {
		const struct state_unit *unit = units->units.items[i];
		size_t before = units->begun.count;

		if (unit->until && unit->until == event->type)
			leaves = true;
		if (unit->type != event->type)
			continue;
		enters |= unit->until != NULL;
		if (holds(units, &unit->test, event))
			take_begun(units, unit, event);
		if (unit->until && units->begun.count > before)
			begun = units->begun.count;
	}
	if (enters)
		take_doing(units, event, begun);
	if (leaves)
		take_done(units, event);
}

void units_waits(struct units *units, int32_t tid)
{
	struct runner *runner;

	HASH_FIND_INT(units->runners, &tid, runner);
	if (runner)
		runner->doing.count = 0;
}

static void take_queued(struct units *units, const struct event *event)
{
	for (size_t i = 0; i < units->messages.count; i++) {
		const struct state_message *message = units->messages.items[i];
		struct queued queued = {.ts = event->ts, .tid = event->tid, .fd = -1, .to = message->to};
		const struct runner *runner;

		if (message->type != event->type || !holds(units, &message->test, event))
			continue;
		runner = get_runner(units, event->tid);
		queued.fd = message->to ? -1 : read_fd(units, &message->fd, event);
		queued.request = runner->doing.count ? runner->doing.items[runner->doing.count - 1] : 0;
		if (queued.fd >= 0 || queued.to)
			*ARRAY_ADD(&units->queued) = queued;
	}
	for (size_t i = 0; i < units->backlogs.count; i++) {
		const struct state_backlog *backlog = units->backlogs.items[i];

		if (backlog->type == event->type && holds(units, &backlog->test, event))
			*ARRAY_ADD(&units->queued) = (struct queued){.ts = event->ts, .tid = event->tid, .fd = read_fd(units, &backlog->fd, event),
								     .what = backlog->over ? QUEUE_EMPTY : QUEUE_LEFT};
	}
}

void units_event(struct units *units, const struct event *event)
{
	take_units(units, event);
	take_queued(units, event);
	for (size_t i = 0; i < units->calls.count; i++)
		if (units->calls.items[i]->type == event->type && holds(units, &units->calls.items[i]->test, event))
			take_call(units, units->calls.items[i], event);
	for (size_t i = 0; i < units->dispatches.count; i++) {
		if (units->dispatches.items[i].enter == event->type)
			take_enter(units, event);
		else if (units->dispatches.items[i].leave == event->type)
			take_leave(units, event);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct begun *a = left, *b = right;

	return (a->ts > b->ts) - (a->ts < b->ts);
}

void units_end(struct units *units)
{
	if (units->begun.count)
		qsort(units->begun.items, units->begun.count, sizeof(*units->begun.items), by_time);
}

bool units_count_for(const struct units *units, const struct state_unit *unit, uint16_t port)
{
	if (unit->port == port)
		return true;
	for (size_t i = 0; i < units->units.count; i++)
		if (units->units.items[i]->port == port)
			return false;
	return unit->port == 0;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

const struct begun *units_begun(const struct units *units, int64_t from, int64_t to, size_t *count)
{
	size_t first = COUNT_UNTIL(units->begun.items, units->begun.count, ts, from - 1), end;

	end = COUNT_UNTIL(units->begun.items, units->begun.count, ts, to);
	*count = end > first ? end - first : 0;
	return units->begun.items + first;
}

const struct queued *units_queued(const struct units *units, size_t *count)
{
	*count = units->queued.count;
	return units->queued.items;
}

const struct called *units_called(const struct units *units, int32_t tid, int64_t at)
{
	struct runner *runner;
	size_t before;

	HASH_FIND_INT(units->runners, &tid, runner);
	before = runner ? COUNT_UNTIL(runner->called.items, runner->called.count, ts, at) : 0;
	return before ? &runner->called.items[before - 1] : NULL;
}

bool units_run(const struct units *units, int32_t tid, int64_t at, int64_t *from, int64_t *to)
{
	struct runner *runner;
	size_t before;

	HASH_FIND_INT(units->runners, &tid, runner);
	if (!runner)
		return false;
	before = COUNT_UNTIL(runner->runs.items, runner->runs.count, from, at);
	if (before == 0 || runner->runs.items[before - 1].to < at)
		return false;
	*from = runner->runs.items[before - 1].from;
	*to = runner->runs.items[before - 1].to;
	return true;
}
