#include "wake/rule_events.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "wake/task_events.h"

enum { KEY_ROOM = 64, CAUSES_MOST = 1 << 16 /* keys of a rule that are remembered; the oldest goes first */ };

/* An event that a rule names, in the stream. */
struct watched {
	const struct rule *rule;
	bool is_to;
	struct event_type *type;
	struct event_field *key; /* NULL: none */
	bool seen;
	int next; /* the next of the same type of event; -1 */
};

struct cause { /* the last `from` of a rule with this key */
	struct {
		const struct rule *rule;
		char text[KEY_ROOM];
	} key;
	uint32_t place;
	int64_t ts;
	UT_hash_handle hh;
};

struct rule_events {
	struct events *events;
	struct rule_doer doer;
	ARRAY(struct watched) watched;
	ARRAY(int) first; /* by event_type.index: the first of `watched`; -1 */
	bool tasks;	  /* some events are of tasks */
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

/* Every watched variable is a flag, unless the user's rules name the flags. */
static const struct rule any_flag = {.kind = RULE_FLAG, .shipped = true};

static void watch_flag(struct rule_events *rules, const struct rule *rule)
{
	static char write[] = "flag:write", read[] = "flag:read", flag[] = "flag";

	watch(rules, rule, &(struct rule_event){.name = write, .key = flag}, false);
	watch(rules, rule, &(struct rule_event){.name = read, .key = flag}, true);
}

struct rule_events *rule_events_new(const struct semantics *semantics, struct events *events, const struct rule_doer *doer)
{
	struct rule_events *rules = NEW(struct rule_events);
	bool flags = false;

	rules->events = events;
	rules->doer = *doer;
	for (size_t i = 0; i < semantics->rules.count; i++) {
		const struct rule *rule = &semantics->rules.items[i];

		flags |= rule->kind == RULE_FLAG;
		if (rule->kind == RULE_FLAG)
			watch_flag(rules, rule);
		if (rule->kind == RULE_HANDOFF)
			continue; /* it is about calls, not segments */
		if (rule_event_is_of_task(&rule->from) || rule_event_is_of_task(&rule->to)) {
			if (!doer->tasks)
				continue;
			rules->tasks = true;
		}
		if (rule->from.name)
			watch(rules, rule, &rule->from, false);
		if (rule->to.name)
			watch(rules, rule, &rule->to, true);
	}
	if (!flags)
		watch_flag(rules, &any_flag);
	return rules;
}

static void drop_cause(struct rule_events *rules, struct cause *cause)
{
	HASH_DEL(rules->causes, cause);
	free(cause);
}

void rule_events_forget(struct rule_events *rules)
{
	struct cause *cause, *next;

	HASH_ITER(hh, rules->causes, cause, next)
		drop_cause(rules, cause);
}

void rule_events_free(struct rule_events *rules)
{
	if (!rules)
		return;
	rule_events_forget(rules);
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

static void keep_cause(struct rule_events *rules, const struct rule *rule, const char *key, uint32_t place, int64_t ts)
{
	struct cause *cause = find_cause(rules, rule, key);

	if (cause) {
		HASH_DEL(rules->causes, cause); /* it becomes the youngest again */
	} else if (HASH_COUNT(rules->causes) >= CAUSES_MOST) {
		cause = rules->causes;
		HASH_DEL(rules->causes, cause);
		memset(cause, 0, sizeof(*cause));
	} else {
		cause = NEW(struct cause);
	}
	cause->key.rule = rule;
	strcpy(cause->key.text, key);
	cause->place = place;
	cause->ts = ts;
	HASH_ADD(hh, rules->causes, key, sizeof(cause->key), cause);
}

/* The name of what the event is about: of "func:app__run" the function "app__run"; of a task its name. */
static const char *function_of(const struct event *event)
{
	const char *colon = strchr(event->type->name, ':'), *task = task_events_name(event);

	return task ? task : colon ? colon + 1 : event->type->name;
}

static void arrive(struct rule_events *rules, const struct event *event, const struct rule *rule, const char *key)
{
	const struct cause *cause = find_cause(rules, rule, key);

	if (cause)
		rules->doer.arrives(rules->doer.context, event, cause->place, cause->ts, EDGE_ASYNC, function_of(event));
	else
		rules->doer.bounds(rules->doer.context, event);
}

/* The first reader of what was written has waited for it, if it is not the writer itself in the same segment. */
static void read_flag(struct rule_events *rules, const struct event *event, const struct rule *rule, const char *flag)
{
	struct cause *cause = find_cause(rules, rule, flag);
	uint32_t here;
	char *what;

	if (!cause || !rules->doer.place(rules->doer.context, event, &here) || here == cause->place)
		return;
	what = memory_format("flag %s", flag);
	rules->doer.arrives(rules->doer.context, event, cause->place, cause->ts, EDGE_FLAG, what);
	drop_cause(rules, cause);
	free(what);
}

/* Takes an event of a rule that has two events, with its key. */
static void take_pair(struct rule_events *rules, const struct event *event, const struct watched *watched, const char *key)
{
	const struct rule *rule = watched->rule;
	uint32_t place;

	if (watched->is_to && rule->kind == RULE_FLAG)
		read_flag(rules, event, rule, key);
	else if (watched->is_to)
		arrive(rules, event, rule, key);
	else if (rules->doer.place(rules->doer.context, event, &place))
		keep_cause(rules, rule, key, place, event->ts);
}

static int take_one(struct rule_events *rules, const struct event *event, struct watched *watched)
{
	const struct rule *rule = watched->rule;
	char key[KEY_ROOM] = "";

	if (watched->key && !event_has(event, watched->key))
		return rule->shipped || event_is_unknown(event, watched->key)
			       ? 0
			       : fail("%s: the event %s has no field '%s'", rule->place, event->type->name, watched->key->name);
	if (watched->key)
		event_spell_field(event, watched->key, key, sizeof(key));
	if (rule->kind == RULE_FLAG && rule->from_name && strncmp(rule->from_name, key, KEY_ROOM - 1) != 0)
		return 0;
	watched->seen = true;
	if (rule->kind == RULE_BOUNDARY)
		rules->doer.bounds(rules->doer.context, event);
	else if (rule->kind == RULE_FOR)
		rules->doer.serves(rules->doer.context, event, (int32_t)event_number(event, watched->key));
	else
		take_pair(rules, event, watched, key);
	return 0;
}

/* Tells whether the event is the cause in its rule. A cause belongs to the segment that begins at the same event, so it is taken after the others. */
static bool is_cause(const struct watched *watched)
{
	return (watched->rule->kind == RULE_EDGE || watched->rule->kind == RULE_FLAG) && !watched->is_to;
}

bool rule_events_of_tasks(const struct rule_events *rules)
{
	return rules->tasks;
}

bool rule_events_watches(const struct rule_events *rules, const struct event_type *type)
{
	return (size_t)type->index < rules->first.count && rules->first.items[type->index] >= 0;
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

		if (watched->seen || watched->rule->shipped)
			continue;
		if (watched->rule->kind != RULE_FLAG)
			return fail("%s: the stream has no event %s; trace-collect records it (%s)", watched->rule->place, watched->type->name,
				    rule_event_is_of_task(watched->is_to ? &watched->rule->to : &watched->rule->from) ? "--async" : "-c, -e");
		if (!watched->is_to)
			return fail("%s: the stream has no writes to the flag '%s'", watched->rule->place, watched->rule->from_name);
	}
	return 0;
}
