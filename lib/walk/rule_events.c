#include "walk/rule_events.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "walk/whole_words.h"

enum { KEY_ROOM = 64, CAUSES_MOST = 1 << 16 /* keys of a rule that are remembered; the oldest goes first */ };

/* An event of a rule, on its way through a stream. */
struct watched {
	const struct rule *rule;
	bool is_to;
	struct event_type *type;
	struct event_field *key; /* NULL: none */
	bool seen;
	int next; /* of the same type; -1 */
};

struct cause { /* the last `from` of a rule with this key */
	struct {
		const struct rule *rule;
		char text[KEY_ROOM];
	} key;
	uint32_t segment;
	UT_hash_handle hh;
};

struct rule_events {
	struct events *events;
	struct cutter *cutter;
	struct whole *whole;
	ARRAY(struct watched) watched;
	ARRAY(int) first; /* by event_type.index: of watched; -1 */
	struct cause *causes;
};

static void watch(struct rule_events *rules, const struct rule *rule, const struct rule_event *event, bool is_to)
{
	struct watched watched = {.rule = rule, .is_to = is_to, .type = events_type(rules->events, event->name)};

	watched.key = event->key ? event_type_field(watched.type, event->key) : NULL;
	while (rules->first.count <= (size_t)watched.type->index)
		*ARRAY_ADD(&rules->first) = -1;
	watched.next = rules->first.items[watched.type->index];
	rules->first.items[watched.type->index] = (int)rules->watched.count;
	*ARRAY_ADD(&rules->watched) = watched;
}

struct rule_events *rule_events_new(const struct semantics *semantics, struct events *events, struct cutter *cutter)
{
	struct rule_events *rules = NEW(struct rule_events);

	rules->events = events;
	rules->cutter = cutter;
	for (size_t i = 0; i < semantics->rules.count; i++) {
		const struct rule *rule = &semantics->rules.items[i];

		if (rule->kind == RULE_HANDOFF)
			continue; /* of calls, not of segments */
		if (rule->from.name)
			watch(rules, rule, &rule->from, false);
		if (rule->to.name)
			watch(rules, rule, &rule->to, true);
	}
	return rules;
}

void rule_events_begin(struct rule_events *rules, struct whole *whole)
{
	struct cause *cause, *next;

	HASH_ITER(hh, rules->causes, cause, next) {
		HASH_DEL(rules->causes, cause);
		free(cause);
	}
	rules->whole = whole;
}

void rule_events_free(struct rule_events *rules)
{
	if (!rules)
		return;
	rule_events_begin(rules, NULL);
	free(rules->watched.items);
	free(rules->first.items);
	free(rules);
}

static struct cause *find_cause(struct rule_events *rules, const struct rule *rule, const char *key)
{
	struct cause *cause, wanted = {.key = {.rule = rule}};

	strcpy(wanted.key.text, key);
	HASH_FIND(hh, rules->causes, &wanted.key, sizeof(wanted.key), cause);
	return cause;
}

static void keep_cause(struct rule_events *rules, const struct rule *rule, const char *key, uint32_t segment)
{
	struct cause *cause = find_cause(rules, rule, key);

	if (cause) {
		HASH_DEL(rules->causes, cause); /* it is the youngest again */
	} else if (HASH_COUNT(rules->causes) >= CAUSES_MOST) {
		cause = rules->causes;
		HASH_DEL(rules->causes, cause);
		memset(cause, 0, sizeof(*cause));
	} else {
		cause = NEW(struct cause);
	}
	cause->key.rule = rule;
	strcpy(cause->key.text, key);
	cause->segment = segment;
	HASH_ADD(hh, rules->causes, key, sizeof(cause->key), cause);
}

/* "func:app__run" as a function: "app__run". */
static uint32_t function_word(struct rule_events *rules, const struct event *event)
{
	const char *colon = strchr(event->type->name, ':');

	return whole_word_of(rules->whole, "", colon ? colon + 1 : event->type->name);
}

static void arrive(struct rule_events *rules, const struct event *event, const struct rule *rule, const char *key)
{
	struct cause *cause = find_cause(rules, rule, key);

	if (cause)
		cutter_arrives(rules->cutter, event, cause->segment, function_word(rules, event));
	else
		cutter_bounds(rules->cutter, event);
}

static void serve(struct rule_events *rules, const struct event *event, const struct event_field *key)
{
	int32_t process = (int32_t)event_number(event, key);

	cutter_bounds(rules->cutter, event);
	cutter_happened(rules->cutter, event, whole_word_of(rules->whole, "for=", events_called(rules->events, process, event->ts)));
}

static int take_one(struct rule_events *rules, const struct event *event, struct watched *watched)
{
	const struct rule *rule = watched->rule;
	uint32_t segment;
	char key[KEY_ROOM] = "";

	watched->seen = true;
	if (watched->key && !event_has(event, watched->key))
		return event_is_unknown(event, watched->key) ? 0 : fail("%s: the event %s has no field '%s'", rule->place, event->type->name, watched->key->name);
	if (watched->key)
		event_spell_field(event, watched->key, key, sizeof(key));
	switch (rule->kind) {
	case RULE_BOUNDARY:
		cutter_bounds(rules->cutter, event);
		return 0;
	case RULE_FOR:
		serve(rules, event, watched->key);
		return 0;
	default:
		if (watched->is_to) {
			arrive(rules, event, rule, key);
			return 0;
		}
		segment = cutter_segment(rules->cutter, event);
		if (segment != NUMBER_NONE)
			keep_cause(rules, rule, key, segment);
		return 0;
	}
}

/* A cause is in the segment that begins at the same event, so it comes behind the others. */
static bool is_cause(const struct watched *watched)
{
	return watched->rule->kind == RULE_EDGE && !watched->is_to;
}

int rule_events_take(struct rule_events *rules, const struct event *event)
{
	size_t type = (size_t)event->type->index;
	int first = type < rules->first.count ? rules->first.items[type] : -1;

	for (int causes = 0; causes < 2; causes++)
		for (int i = first; i >= 0; i = rules->watched.items[i].next)
			if (is_cause(&rules->watched.items[i]) == causes && take_one(rules, event, &rules->watched.items[i]) < 0)
				return -1;
	return 0;
}

int rule_events_check(const struct rule_events *rules)
{
	for (size_t i = 0; i < rules->watched.count; i++) {
		const struct watched *watched = &rules->watched.items[i];

		if (!watched->seen)
			return fail("%s: the stream has no event %s; trace-collect records it (-c, -e)", watched->rule->place, watched->type->name);
	}
	return 0;
}
