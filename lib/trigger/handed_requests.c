#include "trigger/handed_requests.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"

enum { HANDOFFS_MAX = 256, TAKEN_MAX = 64 /* calls of a thread */, THREADS_MAX = 1 << 16, VALUES_MAX = 1 << 16 };

struct set { /* a set of requests, by their numbers */
	size_t count;
	uint64_t numbers[HANDED_MOST];
};

/* A `handoff` record. */
struct handoff {
	char *from, *from_key, *to, *to_key;
	char *again; /* a call whose field of this name is 0 starts new and takes nothing; NULL: each call takes */
	bool anywhere;
};

struct side { /* the side of a `handoff` record that an event is */
	size_t handoff;
	bool takes;
	const struct event_field *key, *again;
};

/* What the events of a type mean; most types mean nothing. */
struct meaning {
	UT_hash_handle hh;
	const struct event_type *type;
	bool any, exits, unwinds, ends; /* any: it means something; ends: it ends calls that may have taken requests */
	const struct event_field *depth, *to; /* stack pointer; of an unwinding, the range's bounds */
	ARRAY(struct side) sides; /* the sides that take come first */
};

struct taken { /* an open call of a thread, and the requests that it took over */
	const struct event_type *entry;
	uint64_t depth; /* stack pointer; 0: unknown */
	struct set requests;
};

struct worker {
	UT_hash_handle hh;
	int32_t tid;
	struct set own; /* requests that are open on the thread */
	ARRAY(struct taken) taken; /* innermost last */
};

struct value { /* a value that was handed over */
	UT_hash_handle hh;
	struct value_key {
		uint64_t value;
		int64_t process, handoff;
	} key;
	struct set requests;
};

struct handed_requests {
	ARRAY(struct handoff) handoffs;
	struct meaning *meanings;
	struct worker *workers;
	struct value *values; /* the oldest first */
};

struct handed_requests *handed_requests_new(void)
{
	return NEW(struct handed_requests);
}

static void drop_worker(struct handed_requests *handed, struct worker *worker)
{
	HASH_DEL(handed->workers, worker);
	free(worker->taken.items);
	free(worker);
}

static void drop_value(struct handed_requests *handed, struct value *value)
{
	HASH_DEL(handed->values, value);
	free(value);
}

static void forget_meanings(struct handed_requests *handed)
{
	struct meaning *meaning, *next;

	HASH_ITER(hh, handed->meanings, meaning, next) {
		HASH_DEL(handed->meanings, meaning);
		free(meaning->sides.items);
		free(meaning);
	}
}

void handed_requests_forget(struct handed_requests *handed)
{
	struct worker *worker, *next;
	struct value *value, *after;

	HASH_ITER(hh, handed->workers, worker, next)
		drop_worker(handed, worker);
	HASH_ITER(hh, handed->values, value, after)
		drop_value(handed, value);
}

static void handoff_free(struct handoff *handoff)
{
	free(handoff->from);
	free(handoff->from_key);
	free(handoff->to);
	free(handoff->to_key);
	free(handoff->again);
}

void handed_requests_free(struct handed_requests *handed)
{
	handed_requests_forget(handed);
	forget_meanings(handed);
	for (size_t i = 0; i < handed->handoffs.count; i++)
		handoff_free(&handed->handoffs.items[i]);
	free(handed->handoffs.items);
	free(handed);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Tells whether the record is known: a further stream may repeat it. */
static bool is_known(const struct handed_requests *handed, const struct handoff *handoff)
{
	for (size_t i = 0; i < handed->handoffs.count; i++) {
		const struct handoff *known = &handed->handoffs.items[i];

		if (is_same(known->from, handoff->from) && is_same(known->from_key, handoff->from_key) && is_same(known->to, handoff->to) &&
		    is_same(known->to_key, handoff->to_key) && is_same(known->again, handoff->again) && known->anywhere == handoff->anywhere)
			return true;
	}
	return false;
}

void handed_requests_record(struct handed_requests *handed, const struct fields *fields)
{
	struct handoff handoff = {fields_copy(fields, "from"), fields_copy(fields, "from_key"), fields_copy(fields, "to"), fields_copy(fields, "to_key"),
				  fields_copy(fields, "again"), fields_is(fields, "process", "any")};

	if (!handoff.from || !handoff.from_key || !handoff.to || !handoff.to_key || handed->handoffs.count == HANDOFFS_MAX || is_known(handed, &handoff)) {
		handoff_free(&handoff);
		return;
	}
	forget_meanings(handed); /* types without a meaning may have one now */
	*ARRAY_ADD(&handed->handoffs) = handoff;
}

/* --- sets of requests ---------------------------------------------------------------------------------------------------------- */

static void set_add(struct set *set, uint64_t number)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->numbers[i] == number)
			return;
	if (set->count < HANDED_MOST)
		set->numbers[set->count++] = number;
}

static void set_remove(struct set *set, uint64_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++)
		if (set->numbers[i] != number)
			set->numbers[kept++] = set->numbers[i];
	set->count = kept;
}

static void set_join(struct set *set, const struct set *other)
{
	for (size_t i = 0; i < other->count; i++)
		set_add(set, other->numbers[i]);
}

/* --- threads ------------------------------------------------------------------------------------------------------------------- */

static struct worker *find_worker(const struct handed_requests *handed, int32_t tid)
{
	struct worker *worker;

	HASH_FIND_INT(handed->workers, &tid, worker);
	return worker;
}

/* The worker of a thread, which is made if needed. drop_if_idle() frees a worker that has neither requests nor calls. */
static struct worker *worker_of(struct handed_requests *handed, int32_t tid)
{
	struct worker *worker = find_worker(handed, tid);

	if (worker)
		return worker;
	if (HASH_COUNT(handed->workers) == THREADS_MAX)
		drop_worker(handed, handed->workers);
	worker = NEW(struct worker);
	worker->tid = tid;
	HASH_ADD_INT(handed->workers, tid, worker);
	return worker;
}

static void drop_if_idle(struct handed_requests *handed, struct worker *worker)
{
	if (worker->own.count == 0 && worker->taken.count == 0)
		drop_worker(handed, worker);
}

void handed_requests_begin(struct handed_requests *handed, int32_t tid, uint64_t number)
{
	if (handed->handoffs.count)
		set_add(&worker_of(handed, tid)->own, number);
}

void handed_requests_end(struct handed_requests *handed, int32_t tid, uint64_t number)
{
	struct worker *worker = find_worker(handed, tid);

	if (!worker)
		return;
	set_remove(&worker->own, number);
	drop_if_idle(handed, worker);
}

/* The requests that the worker's open calls took over. */
static struct set works_for(const struct worker *worker)
{
	struct set set = {0};

	for (size_t i = worker ? worker->taken.count : 0; i-- > 0;)
		set_join(&set, &worker->taken.items[i].requests);
	return set;
}

size_t handed_requests_for(const struct handed_requests *handed, int32_t tid, uint64_t numbers[HANDED_MOST])
{
	struct set set = works_for(find_worker(handed, tid));

	memcpy(numbers, set.numbers, sizeof(set.numbers));
	return set.count;
}

/* --- what events mean ---------------------------------------------------------------------------------------------------------- */

static const struct event_field *field_of(const struct event_type *type, const char *name)
{
	return event_type_field((struct event_type *)type, name);
}

static void add_side(struct meaning *meaning, size_t number, const struct handoff *handoff, bool takes)
{
	*ARRAY_ADD(&meaning->sides) = (struct side){
		.handoff = number,
		.takes = takes,
		.key = field_of(meaning->type, takes ? handoff->to_key : handoff->from_key),
		.again = takes && handoff->again ? field_of(meaning->type, handoff->again) : NULL,
	};
}

/* Tells whether the event `name` ends calls that the event `entry` begins. */
static bool is_end_of(const char *name, const char *entry)
{
	size_t length = strlen(entry);

	return strncmp(name, entry, length) == 0 && strcmp(name + length, "__return") == 0;
}

static void learn(const struct handed_requests *handed, struct meaning *meaning)
{
	const char *name = meaning->type->name;

	for (int takes = 1; takes >= 0; takes--)
		for (size_t i = 0; i < handed->handoffs.count; i++) {
			const struct handoff *handoff = &handed->handoffs.items[i];

			if (strcmp(name, takes ? handoff->to : handoff->from) == 0)
				add_side(meaning, i, handoff, takes);
			meaning->ends |= is_end_of(name, handoff->to);
		}
	meaning->exits = strcmp(name, "sched:sched_process_exit") == 0;
	meaning->unwinds = strcmp(name, "func:unwind") == 0;
	meaning->depth = field_of(meaning->type, meaning->unwinds ? "from" : "sp");
	meaning->to = meaning->unwinds ? field_of(meaning->type, "to") : NULL;
	meaning->any = meaning->sides.count || meaning->exits || meaning->unwinds || meaning->ends;
}

static const struct meaning *meaning_of(struct handed_requests *handed, const struct event_type *type)
{
	struct meaning *meaning;

	HASH_FIND_PTR(handed->meanings, &type, meaning);
	if (meaning)
		return meaning;
	meaning = NEW(struct meaning);
	meaning->type = type;
	learn(handed, meaning);
	HASH_ADD_PTR(handed->meanings, type, meaning);
	return meaning;
}

/* Makes a value's key. A thread whose process is unknown can hand over only to itself. */
static struct value_key key_of(const struct handed_requests *handed, const struct events *events, int32_t tid, size_t handoff, uint64_t value)
{
	int64_t process = events_tgid(events, tid);

	return (struct value_key){.value = value, .handoff = (int64_t)handoff, .process = handed->handoffs.items[handoff].anywhere ? 0 : process ? process : -tid};
}

static void give(struct handed_requests *handed, const struct value_key *key, const struct set *requests)
{
	struct value *value;

	HASH_FIND(hh, handed->values, key, sizeof(*key), value);
	if (value)
		drop_value(handed, value); /* it is added again below, because the newest value must be the last */
	if (requests->count == 0)
		return;
	if (HASH_COUNT(handed->values) == VALUES_MAX)
		drop_value(handed, handed->values);
	value = NEW(struct value);
	value->key = *key;
	value->requests = *requests;
	HASH_ADD(hh, handed->values, key, sizeof(value->key), value);
}

static void take(struct handed_requests *handed, const struct event *event, const struct meaning *meaning, const struct set *requests)
{
	struct worker *worker = find_worker(handed, event->tid);

	if (requests->count == 0 && !(worker && worker->taken.count)) /* within another call it is kept, so that its end does not end the other */
		return;
	worker = worker_of(handed, event->tid);
	if (worker->taken.count == TAKEN_MAX)
		ARRAY_REMOVE(&worker->taken, 0, 1);
	*ARRAY_ADD(&worker->taken) = (struct taken){meaning->type, (uint64_t)event_number(event, meaning->depth), *requests};
}

/* A call takes over before it hands over. */
static void see_call(struct handed_requests *handed, const struct events *events, const struct event *event, const struct meaning *meaning)
{
	struct set taken = {0}, given;
	struct worker *worker;
	size_t next = 0;
	uint64_t value;

	for (; next < meaning->sides.count && meaning->sides.items[next].takes; next++) {
		const struct side *side = &meaning->sides.items[next];
		struct value_key key;
		struct value *found;

		if ((side->again && event_number(event, side->again) == 0) || !event_value(event, side->key, &value))
			continue;
		key = key_of(handed, events, event->tid, side->handoff, value);
		HASH_FIND(hh, handed->values, &key, sizeof(key), found);
		if (found)
			set_join(&taken, &found->requests);
	}
	take(handed, event, meaning, &taken);
	worker = find_worker(handed, event->tid);
	given = works_for(worker);
	if (worker)
		set_join(&given, &worker->own);
	for (; next < meaning->sides.count; next++) {
		const struct side *side = &meaning->sides.items[next];
		struct value_key key;

		if (!event_value(event, side->key, &value))
			continue;
		key = key_of(handed, events, event->tid, side->handoff, value);
		give(handed, &key, &given);
	}
}

/* Removes the innermost open call that the event ends; if both stack pointers are known, they must be equal. */
static void see_end(struct handed_requests *handed, const struct event *event, const struct meaning *meaning)
{
	struct worker *worker = find_worker(handed, event->tid);
	uint64_t depth = (uint64_t)event_number(event, meaning->depth);

	for (size_t i = worker ? worker->taken.count : 0; i-- > 0;) {
		const struct taken *taken = &worker->taken.items[i];

		if (!is_end_of(meaning->type->name, taken->entry->name) || (depth && taken->depth && taken->depth != depth))
			continue;
		ARRAY_REMOVE(&worker->taken, i, 1);
		drop_if_idle(handed, worker);
		return;
	}
}

static void see_unwind(struct handed_requests *handed, const struct event *event, const struct meaning *meaning)
{
	struct worker *worker = find_worker(handed, event->tid);
	uint64_t from = (uint64_t)event_number(event, meaning->depth), to = (uint64_t)event_number(event, meaning->to);
	size_t kept = 0;

	if (!worker)
		return;
	for (size_t i = 0; i < worker->taken.count; i++) {
		const struct taken *taken = &worker->taken.items[i];

		if (!taken->depth || taken->depth < from || taken->depth > to)
			worker->taken.items[kept++] = *taken;
	}
	worker->taken.count = kept;
	drop_if_idle(handed, worker);
}

void handed_requests_event(struct handed_requests *handed, const struct events *events, const struct event *event)
{
	const struct meaning *meaning = handed->handoffs.count ? meaning_of(handed, event->type) : NULL;
	struct worker *worker;

	if (!meaning || !meaning->any)
		return;
	if (meaning->exits) {
		worker = find_worker(handed, event->tid);
		if (worker)
			drop_worker(handed, worker);
	} else if (meaning->unwinds) {
		see_unwind(handed, event, meaning);
	} else {
		if (meaning->ends)
			see_end(handed, event, meaning);
		if (meaning->sides.count)
			see_call(handed, events, event, meaning);
	}
}
