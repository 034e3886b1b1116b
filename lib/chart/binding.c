#include "chart/binding.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "stream/line.h"

enum { IN_INTERRUPT = 0x08 | 0x10 }; /* hard or soft: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ of the kernel */

static int make_fields(struct chart_field *fields, struct event_type *type, char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (chart_field_make(&fields[i], type, names[i]) < 0)
			return -1;
	return 0;
}

/* The name behind "sys_enter" or "sys_exit": "_read" in "syscalls:sys_enter_read", "" in "raw_syscalls:sys_enter"; NULL: no such event. */
static const char *call_in(const char *name, bool *enters)
{
	static const char enter[] = "sys_enter", leave[] = "sys_exit";

	*enters = !strncmp(name, enter, strlen(enter));
	if (*enters)
		return name + strlen(enter);
	return !strncmp(name, leave, strlen(leave)) ? name + strlen(leave) : NULL;
}

/* The names that the kernel gives to the second and the third argument of a call, in its own event. */
static const char *second_argument(enum call_use use)
{
	switch (use) {
	case CALL_FCNTL:
	case CALL_IOCTL:
		return "cmd";
	case CALL_SOCKET:
		return "type";
	case CALL_FUTEX_WAIT:
		return "val";
	default:
		return "op"; /* of a futex */
	}
}

static const char *third_argument(enum call_use use)
{
	return use == CALL_WRITE ? "count" : "val";
}

static void make_call(struct binding_call *call, struct event_type *type)
{
	const char *name = strchr(type->name, ':'), *own = call_in(name ? name + 1 : "", &call->enters);

	if (own && *own == '_')
		call->use = call_use_named(own + 1);
	call->number = event_type_field(type, call->use ? "__syscall_nr" : "id");
	call->arguments = event_type_field(type, "args");
	call->fd = event_type_field(type, own && !strcmp(own, "_sendfile64") ? "out_fd" : "fd");
	call->operation = event_type_field(type, second_argument(call->use));
	call->value = event_type_field(type, third_argument(call->use));
	call->result = event_type_field(type, "ret");
}

enum call_use binding_use(const struct binding *binding, const struct field_world *world, struct traffic *traffic, const struct event *event)
{
	const struct binding_call *call = &binding->call;

	return call->use ? call->use : traffic_use(traffic, world->machine, event_number(event, call->number));
}

enum call_use binding_call(const struct binding *binding, const struct field_world *world, struct traffic *traffic, const struct event *event,
			   int64_t argument[3])
{
	const struct binding_call *call = &binding->call;
	enum call_use use = binding_use(binding, world, traffic, event);

	if (use < CALL_MANY)
		return use;
	if (!event->payload && !call->use && !event_has(event, call->arguments))
		return CALL_OTHER;
	if (call->use) {
		argument[0] = event_number(event, call->fd);
		argument[1] = event_number(event, call->operation);
		argument[2] = event_number(event, call->value);
		return use;
	}
	for (unsigned i = 0; i < 3; i++)
		argument[i] = event_element(event, call->arguments, i);
	return use;
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
	make_call(&binding->call, type);
	if (event->failed && chart_field_make(&binding->failed, type, event->failed) < 0)
		return -1;
	if (event->where && chart_field_make(&binding->where, type, event->where) < 0)
		return -1;
	if (event->tid)
		binding->tid = event_type_field(type, event->tid);
	if (make_fields(binding->key, type, event->key, event->keys) < 0 ||
	    make_fields(binding->split, type, event->split, event->splits) < 0 ||
	    make_fields(binding->show, type, event->show, event->shows) < 0)
		return -1;
	return 0;
}

static void check_all(struct binding *binding, const struct chart_field *fields, int count, const struct event *event)
{
	for (int i = 0; i < count; i++)
		if (!event_has(event, fields[i].raw) && !event_is_unknown(event, fields[i].raw))
			binding->lacking = fields[i].name;
}

void binding_check(struct binding *binding, const struct event *event)
{
	if (!event->payload)
		return;
	check_all(binding, binding->key, binding->keys, event);
	check_all(binding, binding->split, binding->splits, event);
	check_all(binding, binding->show, binding->shows, event);
	check_all(binding, &binding->failed, binding->failed.raw != NULL, event);
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

static void read_all(const struct chart_field *fields, int count, const struct field_world *world,
		     const struct event *event, int64_t values[CHART_KEYS_MAX])
{
	memset(values, 0, CHART_KEYS_MAX * sizeof(*values));
	for (int i = 0; i < count; i++)
		values[i] = chart_field_number(&fields[i], world, event);
}

void binding_key(const struct binding *binding, const struct field_world *world, const struct event *event,
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

void binding_split(const struct binding *binding, const struct field_world *world, const struct event *event,
		   int64_t id[CHART_KEYS_MAX])
{
	read_all(binding->split, binding->splits, world, event, id);
}

void binding_spell_split(const struct binding *binding, const struct field_world *world, const struct event *event,
			 char *text, size_t room)
{
	char value[FIELD_ROOM];
	size_t used = 0;

	*text = '\0';
	for (int i = 0; i < binding->splits && used < room; i++) {
		chart_field_spell(&binding->split[i], world, event, value, sizeof(value));
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? "," : "", value);
	}
}

void binding_spelling(const struct binding *binding, const struct event *event, uint8_t spelling[CHART_KEYS_MAX])
{
	for (int i = 0; i < binding->keys; i++)
		spelling[i] = (uint8_t)chart_field_spelling(&binding->key[i], event);
}

/* A text to which fields are appended. */
struct shown {
	const struct binding *binding;
	const struct field_world *world;
	const struct event *event;
	struct line *scratch;
	char *text;
	size_t used, room, wanted; /* wanted: the length of all */
};

/* Puts " name=value" behind the text, if the event has the field and it fits. */
static void add_named(struct shown *shown, const struct chart_field *field)
{
	char value[SHOWN_ROOM];
	size_t length = chart_field_spell(field, shown->world, shown->event, value, sizeof(value));

	if (length == 0 && !event_has(shown->event, field->raw))
		return;
	line_begin(shown->scratch, "");
	line_bytes(shown->scratch, field->label, value, length);
	shown->wanted += shown->scratch->length;
	if (shown->used + shown->scratch->length >= shown->room)
		return;
	memcpy(shown->text + shown->used, shown->scratch->text, shown->scratch->length + 1);
	shown->used += shown->scratch->length;
}

static void add_all(struct shown *shown, const uint8_t spelling[CHART_KEYS_MAX])
{
	const struct binding *binding = shown->binding;

	*shown->text = '\0';
	for (int i = 0; i < binding->keys; i++)
		if (spelling[i] == SPELL_TEXT)
			add_named(shown, &binding->key[i]);
	for (int i = 0; i < binding->shows; i++)
		add_named(shown, &binding->show[i]);
}

char *binding_spell_show(const struct binding *binding, const struct field_world *world, const struct event *event,
			 const uint8_t spelling[CHART_KEYS_MAX], struct line *scratch, char *text, size_t room)
{
	struct shown shown = {binding, world, event, scratch, text, 0, room, 0}, whole = shown;

	add_all(&shown, spelling);
	if (shown.used == shown.wanted)
		return NULL;
	whole.room = shown.wanted + 1;
	whole.text = memory_new(whole.room, 1);
	add_all(&whole, spelling);
	return whole.text;
}
