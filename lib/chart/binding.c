#include "chart/binding.h"

#include <stdio.h>
#include <string.h>

#include "stream/line.h"

enum { IN_INTERRUPT = 0x08 | 0x10 }; /* hard or soft: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ of the kernel */

static int make_readings(struct reading *readings, struct event_type *type, char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (reading_make(&readings[i], type, names[i]) < 0)
			return -1;
	return 0;
}

int binding_make(struct binding *binding, struct events *events, const struct chart_event *event)
{
	struct event_type *type = events_type(events, event->event);

	*binding = (struct binding){.role = event->role, .type = type};
	binding->keys = event->keys;
	binding->splits = event->splits;
	binding->shows = event->shows;
	binding->whole = event->whole;
	if (event->length)
		binding->length = event_type_field(type, event->length);
	if (event->depth)
		binding->depth = event_type_field(type, event->depth);
	if (event->to)
		binding->to = event_type_field(type, event->to);
	binding->flags = event_type_field(type, "common_flags");
	if (event->failed && reading_make(&binding->failed, type, event->failed) < 0)
		return -1;
	if (event->tid)
		binding->tid = event_type_field(type, event->tid);
	if (make_readings(binding->key, type, event->key, event->keys) < 0 ||
	    make_readings(binding->split, type, event->split, event->splits) < 0 ||
	    make_readings(binding->show, type, event->show, event->shows) < 0)
		return -1;
	return 0;
}

static void check_all(struct binding *binding, const struct reading *readings, int count, const struct event *event)
{
	for (int i = 0; i < count; i++)
		if (!event_has(event, readings[i].field))
			binding->lacking = readings[i].name;
}

void binding_check(struct binding *binding, const struct event *event)
{
	if (!event->payload)
		return;
	check_all(binding, binding->key, binding->keys, event);
	check_all(binding, binding->split, binding->splits, event);
	check_all(binding, binding->show, binding->shows, event);
	check_all(binding, &binding->failed, binding->failed.field != NULL, event);
	if (binding->length && !event_has(event, binding->length))
		binding->lacking = binding->length->name;
	if (binding->tid && !event_has(event, binding->tid))
		binding->lacking = binding->tid->name;
}

bool binding_is_by_thread(const struct chart_event *event)
{
	return event->keys == 0 || (event->keys == 1 && event->tid && !strcmp(event->tid, event->key[0]));
}

int32_t binding_cause(const struct binding *binding, const struct event *event)
{
	if (!binding->tid && event_number(event, binding->flags) & IN_INTERRUPT)
		return -1;
	return binding_tid(binding, event);
}

static void read_all(const struct reading *readings, int count, const struct reading_world *world,
		     const struct event *event, int64_t values[CHART_KEYS_MAX])
{
	memset(values, 0, CHART_KEYS_MAX * sizeof(*values));
	for (int i = 0; i < count; i++)
		values[i] = reading_number(&readings[i], world, event);
}

void binding_key(const struct binding *binding, const struct reading_world *world, const struct event *event,
		 int64_t key[CHART_KEYS_MAX])
{
	read_all(binding->key, binding->keys, world, event, key);
	if (binding->keys == 0)
		key[0] = event->tid;
}

int32_t binding_tid(const struct binding *binding, const struct event *event)
{
	return binding->tid ? (int32_t)event_number(event, binding->tid) : event->tid;
}

int64_t binding_depth(const struct binding *binding, const struct event *event, int64_t *to)
{
	int64_t depth = binding->depth && event_has(event, binding->depth) ? event_number(event, binding->depth) : 0;

	*to = depth && binding->to && event_has(event, binding->to) ? event_number(event, binding->to) : depth;
	return depth;
}

void binding_split(const struct binding *binding, const struct reading_world *world, const struct event *event,
		   int64_t id[CHART_KEYS_MAX])
{
	read_all(binding->split, binding->splits, world, event, id);
}

void binding_spell_split(const struct binding *binding, const struct reading_world *world, const struct event *event,
			 char *text, size_t room)
{
	char value[READING_ROOM];
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < binding->splits && used < room; i++) {
		reading_spell(&binding->split[i], world, event, value, sizeof(value));
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? "," : "", value);
	}
}

void binding_spelling(const struct binding *binding, const struct event *event, uint8_t spelling[CHART_KEYS_MAX])
{
	for (int i = 0; i < binding->keys; i++)
		spelling[i] = (uint8_t)reading_spelling(&binding->key[i], event);
}

/* Puts " name=value" behind a text of `used` bytes, if it fits; returns its length then. */
static size_t add_named(const struct reading *reading, const struct reading_world *world, const struct event *event,
			struct line *scratch, char *text, size_t used, size_t room)
{
	char value[READING_ROOM];
	size_t length = reading_spell(reading, world, event, value, sizeof(value));

	line_begin(scratch, "");
	line_bytes(scratch, reading->label, value, length);
	if (used + scratch->length >= room)
		return used;
	memcpy(text + used, scratch->text, scratch->length + 1);
	return used + scratch->length;
}

void binding_spell_show(const struct binding *binding, const struct reading_world *world, const struct event *event,
			const uint8_t spelling[CHART_KEYS_MAX], struct line *scratch, char *text, size_t room)
{
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < binding->keys; i++)
		if (spelling[i] == SPELL_TEXT)
			used = add_named(&binding->key[i], world, event, scratch, text, used, room);
	for (int i = 0; i < binding->shows; i++)
		used = add_named(&binding->show[i], world, event, scratch, text, used, room);
}
