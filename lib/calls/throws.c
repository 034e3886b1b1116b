#include "calls/throws.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/fail.h"
#include "event/thread_names.h"
#include "wake/stack.h"

enum {
	WAY_MAX = 64,	   /* throws on one way */
	FRAMES_MAX = 1024, /* functions on one way */
};

struct object { /* process: -tid if the process is unknown */
	int64_t process;
	uint64_t address;
};

struct thrown {
	int64_t ts;
	int32_t tid;
	struct object object; /* address 0: unknown */
	uint64_t before;      /* number of the throw that it continues; 0: none */
	char *name; /* with its message: "std::out_of_range: no such key" */
	char *calls; /* its stack, the innermost function first, with ';' between them */
};

struct latest { /* the last throw of an object */
	struct object object;
	uint64_t number;
	UT_hash_handle hh;
};

struct throws {
	struct thrown list[THROWS_MAX]; /* a ring */
	uint64_t count; /* of all throws so far, which are numbered from 1 */
	struct latest *latest;
};

struct throws *throws_new(void)
{
	return NEW(struct throws);
}

static struct thrown *at(const struct throws *throws, uint64_t number)
{
	return (struct thrown *)&throws->list[number % THROWS_MAX];
}

static bool is_kept(const struct throws *throws, uint64_t number)
{
	return number && number + THROWS_MAX > throws->count;
}

static struct latest *find_latest(const struct throws *throws, const struct object *object)
{
	struct latest *latest;

	HASH_FIND(hh, throws->latest, object, sizeof(*object), latest);
	return latest;
}

static void forget_latest(struct throws *throws, struct latest *latest)
{
	HASH_DEL(throws->latest, latest);
	free(latest);
}

void throws_lose(struct throws *throws)
{
	struct latest *latest, *next;

	HASH_ITER(hh, throws->latest, latest, next)
		forget_latest(throws, latest);
}

void throws_forget(struct throws *throws)
{
	throws_lose(throws);
	for (size_t i = 0; i < THROWS_MAX; i++) {
		free(throws->list[i].name);
		free(throws->list[i].calls);
		throws->list[i] = (struct thrown){0};
	}
	throws->count = 0;
}

void throws_free(struct throws *throws)
{
	throws_forget(throws);
	free(throws);
}

/* Adds a throw in the place of the oldest. */
static struct thrown *add(struct throws *throws)
{
	uint64_t number = ++throws->count;
	struct thrown *thrown = at(throws, number);
	struct latest *latest = thrown->object.address ? find_latest(throws, &thrown->object) : NULL;

	if (latest && latest->number + THROWS_MAX == number)
		forget_latest(throws, latest);
	free(thrown->name);
	free(thrown->calls);
	*thrown = (struct thrown){0};
	return thrown;
}

/* The number of the last throw of an object; 0: unknown, or its time is later than this: a program tells the time of each throw as it likes. */
static uint64_t last_of(const struct throws *throws, struct object object, int64_t ts)
{
	const struct latest *latest = object.address ? find_latest(throws, &object) : NULL;

	return latest && is_kept(throws, latest->number) && at(throws, latest->number)->ts <= ts ? latest->number : 0;
}

static void set_latest(struct throws *throws, const struct object *object)
{
	struct latest *latest = find_latest(throws, object);

	if (!latest) {
		latest = NEW(struct latest);
		latest->object = *object;
		HASH_ADD(hh, throws->latest, object, sizeof(latest->object), latest);
	}
	latest->number = throws->count;
}

/* The stack of a throw; without a stack, the function that threw; "?": both are unknown. The caller frees the text. */
static char *calls_of(const struct wake *wake, const struct fields *fields, uint64_t stack)
{
	char *calls = stack && stack <= UINT32_MAX ? stack_calls(wake, (uint32_t)stack) : fields_copy(fields, "calls");
	char *function = calls ? NULL : fields_copy(fields, "function");

	for (char *c = function; c && *c; c++)
		*c = *c == ';' ? ':' : *c;
	return calls ? calls : function ? function : memory_text("?", 1);
}

int throws_take(struct throws *throws, const struct wake *wake, const struct events *events, const struct fields *fields)
{
	int64_t ts = 0, tid = 0, process = 0, address = 0, handled = 0;
	struct object object, cause;
	uint64_t stack = 0;
	struct thrown *thrown;
	char *name, *what;

	if (fields_time(fields, "ts", &ts) < 0 || fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "pid", &process) < 0 || fields_integer(fields, "object", &address) < 0 ||
	    fields_integer(fields, "cause", &handled) < 0 || fields_unsigned(fields, "stack", &stack) < 0)
		return -1;
	if (tid <= 0 || tid > INT32_MAX)
		return 0;
	if (process <= 0)
		process = events_tgid(events, (int32_t)tid);
	object = (struct object){process > 0 ? process : -tid, (uint64_t)address};
	cause = (struct object){object.process, (uint64_t)handled};
	name = fields_copy(fields, "name");
	what = fields_copy(fields, "what");
	thrown = add(throws);
	*thrown = (struct thrown){.ts = wake_time(ts), .tid = (int32_t)tid, .object = object, .name = memory_format("%s%s%s", name ? name : "?", what ? ": " : "", what ? what : "")};
	free(name);
	free(what);
	thrown->calls = calls_of(wake, fields, stack);
	if (fields_is(fields, "again", "yes"))
		thrown->before = last_of(throws, object, thrown->ts);
	if (!thrown->before)
		thrown->before = last_of(throws, cause, thrown->ts);
	if (object.address)
		set_latest(throws, &object);
	return 0;
}

/* --- the way --------------------------------------------------------------------------------------------------------------- */

/* A function on the way; its name is a part of thrown->calls. */
struct call {
	const char *name;
	size_t length;
	const struct thrown *thrown; /* the throw in whose stack it was first seen */
	bool aside; /* the next function did not call it */
	const char *threw; /* what it threw last; NULL: nothing */
	int64_t to; /* time of the last throw that it took part in */
};

struct way {
	struct call calls[FRAMES_MAX]; /* begins with the function that threw first; each function is behind those it called */
	struct call own[FRAMES_MAX]; /* the stack of the current throw */
	size_t count;
	int32_t tid; /* the thread of the last throw */
};

static bool is_same(const struct call *a, const struct call *b)
{
	return a->length == b->length && memcmp(a->name, b->name, a->length) == 0;
}

static size_t split(const struct thrown *thrown, struct call calls[FRAMES_MAX])
{
	size_t count = 0;

	for (const char *text = thrown->calls; *text && count < FRAMES_MAX; count++) {
		size_t length = strcspn(text, ";");

		calls[count] = (struct call){.name = text, .length = length, .thrown = thrown, .to = thrown->ts};
		text += length + (text[length] == ';');
	}
	return count;
}

/* How many outermost functions the way and this throw share. In the same thread, they are taken for the same calls. */
static size_t common(const struct way *way, const struct thrown *thrown, const struct call *calls, size_t count)
{
	size_t same = 0;

	while (way->tid == thrown->tid && same < count && same < way->count && is_same(&way->calls[way->count - 1 - same], &calls[count - 1 - same]) &&
	       way->calls[way->count - 1 - same].thrown->tid == thrown->tid)
		same++;
	return same;
}

/* Extends the way by a throw. The functions that both share stay outermost. */
static void go_on(struct way *way, const struct thrown *thrown)
{
	size_t count = split(thrown, way->own), same = common(way, thrown, way->own, count), own = count - same;
	size_t first = way->count - same;

	if (way->count + own > FRAMES_MAX)
		own = FRAMES_MAX - way->count;
	if (first > 0)
		way->calls[first - 1].aside |= own > 0 || way->tid != thrown->tid;
	memmove(&way->calls[first + own], &way->calls[first], same * sizeof(*way->calls));
	memcpy(&way->calls[first], way->own, own * sizeof(*way->calls));
	way->count += own;
	if (first < way->count)
		way->calls[first].threw = thrown->name;
	for (size_t i = first; i < way->count; i++)
		way->calls[i].to = thrown->ts;
	way->tid = thrown->tid;
}

static void add_node(struct graph *graph, const struct events *events, const struct call *call)
{
	char *name = memory_text(call->name, call->length);
	int32_t index = graph_named_node(graph, (int64_t)graph->nodes.count + 1, name);
	struct node *node = &graph->nodes.items[index];

	node->label = graph_keep(graph, memory_format("%s by %s/%d", name, events_comm(events, call->thrown->tid), call->thrown->tid));
	node->tid = call->thrown->tid;
	node->start = call->thrown->ts;
	node->end = call->to;
	node->threw = call->threw ? graph_intern(graph, call->threw) : NULL;
	free(name);
}

static struct graph *graph_of(const struct way *way, const struct events *events)
{
	struct graph *graph = graph_new(GRAPH_RAG, "");

	graph->thrown = true;
	for (size_t i = 0; i < way->count; i++)
		add_node(graph, events, &way->calls[i]);
	for (size_t i = 0; i + 1 < way->count; i++) {
		struct node *node = &graph->nodes.items[i];

		node->parent = (int32_t)i + 1;
		node->call = way->calls[i].aside ? CALL_ASYNC : CALL_SYNC;
		if (!way->calls[i].aside) {
			node->wait_start = node->start;
			node->wait_end = node->end;
		}
	}
	graph->root = (int32_t)way->count - 1;
	graph->from = way->calls[0].thrown->ts;
	graph->to = way->calls[way->count - 1].to;
	return graph;
}

struct graph *throws_graph(const struct throws *throws, const struct events *events, int32_t tid, int64_t ts)
{
	uint64_t numbers[WAY_MAX], number = throws->count;
	struct graph *graph = NULL;
	struct way *way;
	size_t count = 0;

	while (is_kept(throws, number) && (at(throws, number)->tid != tid || at(throws, number)->ts != ts))
		number--;
	for (; is_kept(throws, number) && count < WAY_MAX; number = at(throws, number)->before)
		numbers[count++] = number;
	way = NEW(struct way);
	while (count-- > 0)
		go_on(way, at(throws, numbers[count]));
	if (way->count)
		graph = graph_of(way, events);
	free(way);
	return graph;
}
