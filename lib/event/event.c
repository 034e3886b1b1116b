#include "event/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "event/names.h"
#include "event/spell.h"
#include "event/types.h"

/* Fields of scheduler events that give a thread's number and name. */
static const struct {
	const char *type, *tid, *comm;
} naming[] = {
	{"sched:sched_switch", "prev_pid", "prev_comm"},
	{"sched:sched_switch", "next_pid", "next_comm"},
	{"sched:sched_waking", "pid", "comm"},
	{"sched:sched_wakeup", "pid", "comm"},
	{"sched:sched_wakeup_new", "pid", "comm"},
	{"sched:sched_process_fork", "child_pid", "child_comm"},
	{"sched:sched_process_exit", "pid", "comm"},
	{"task:task_newtask", "pid", "comm"},
	{"task:task_rename", "pid", "newcomm"},
};

enum { NAMINGS = sizeof(naming) / sizeof(naming[0]) };

struct events {
	struct stream *stream;
	struct types *types;
	struct names *names;
	struct {
		struct event_type *type;
		struct event_field *tid, *comm;
	} naming[NAMINGS];
};

static int forget(void *context, const struct record *record)
{
	struct events *events = context;

	(void)record;
	types_forget(events->types);
	names_forget(events->names);
	return 0;
}

static int see_format(void *context, const struct record *record)
{
	struct events *events = context;

	if (!record->packed)
		return stream_fail(events->stream, "a format record is not packed");
	if (types_learn(events->types, record->text, record->length, record->swapped) < 0)
		return stream_fail(events->stream, "%s", fail_text());
	return 0;
}

static int see_task(void *context, const struct record *record)
{
	struct events *events = context;
	const struct fields *fields = stream_fields(events->stream, record);

	if (!fields)
		return -1;
	return names_read_task(events->names, fields) < 0 ? stream_fail(events->stream, "%s", fail_text()) : 0;
}

static int see_stage(void *context, const struct record *record)
{
	struct events *events = context;
	const struct fields *fields = stream_fields(events->stream, record);

	if (!fields)
		return -1;
	return names_read_stage(events->names, fields) < 0 ? stream_fail(events->stream, "%s", fail_text()) : 0;
}

static int see_device(void *context, const struct record *record)
{
	struct events *events = context;
	const struct fields *fields = stream_fields(events->stream, record);

	if (!fields)
		return -1;
	return names_read_device(events->names, fields) < 0 ? stream_fail(events->stream, "%s", fail_text()) : 0;
}

/* `key` is the name of the function. */
static int see_function(struct events *events, const struct record *record, const char *key)
{
	const struct fields *fields = stream_fields(events->stream, record);
	uint64_t offset = 0;
	int64_t address;
	char name[128];

	if (!fields)
		return -1;
	if (fields_integer(fields, "address", &address) <= 0 || fields_unsigned(fields, "offset", &offset) < 0 ||
	    fields_text(fields, key, name, sizeof(name)) <= 0)
		return stream_fail(events->stream, "a %s needs address and %s", kind_name(record->kind), key);
	types_symbol(events->types, (uint64_t)address, offset, name);
	return 0;
}

static int see_symbol(void *context, const struct record *record)
{
	return see_function(context, record, "name");
}

static int see_timer(void *context, const struct record *record)
{
	return see_function(context, record, "function");
}

static int see_printk(void *context, const struct record *record)
{
	struct events *events = context;
	const struct fields *fields = stream_fields(events->stream, record);
	char format[1024];
	int64_t address;

	if (!fields)
		return -1;
	if (fields_integer(fields, "address", &address) <= 0 || !fields_text(fields, "format", format, sizeof(format)))
		return stream_fail(events->stream, "a printk needs address and format");
	types_printk(events->types, (uint64_t)address, format);
	return 0;
}

/* The lost part may have renamed threads. */
static int see_lost(void *context, const struct record *record)
{
	struct events *events = context;

	if (record_tells_damage(record))
		names_forget(events->names);
	return 0;
}

static bool knows(void *context, const struct record *record)
{
	const struct events *events = context;
	uint16_t id;

	if (record->length < sizeof(id))
		return false;
	memcpy(&id, record->text, sizeof(id));
	return types_numbered(events->types, record->swapped ? __builtin_bswap16(id) : id) != NULL;
}

static int spell(void *context, const struct record *record, struct line *line)
{
	struct events *events = context;
	struct event event;

	if (events_read(events, record, &event) < 0)
		return -1;
	events_learn_names(events, &event);
	event_spell(&event, events_comm(events, event.tid), line);
	return 0;
}

struct events *events_new(struct stream *stream)
{
	struct events *events = NEW(struct events);

	events->stream = stream;
	events->types = types_new();
	events->names = names_new();
	for (int i = 0; i < NAMINGS; i++) {
		events->naming[i].type = events_type(events, naming[i].type);
		events->naming[i].tid = event_type_field(events->naming[i].type, naming[i].tid);
		events->naming[i].comm = event_type_field(events->naming[i].type, naming[i].comm);
	}
	stream_watch(stream, KIND_STREAM, forget, events);
	stream_watch(stream, KIND_FORMAT, see_format, events);
	stream_watch(stream, KIND_TASK, see_task, events);
	stream_watch(stream, KIND_STAGE, see_stage, events);
	stream_watch(stream, KIND_DEVICE, see_device, events);
	stream_watch(stream, KIND_LOST, see_lost, events);
	stream_watch(stream, KIND_SYMBOL, see_symbol, events);
	stream_watch(stream, KIND_TIMER, see_timer, events);
	stream_watch(stream, KIND_PRINTK, see_printk, events);
	stream_speller(stream, spell, events);
	stream_knows(stream, knows, events);
	return events;
}

void events_keep_living(struct events *events)
{
	names_keep_living(events->names);
}

void events_printable(struct events *events)
{
	types_printable(events->types);
}

void events_free(struct events *events)
{
	types_free(events->types);
	names_free(events->names);
	free(events);
}

struct event_type *events_type(struct events *events, const char *name)
{
	return types_named(events->types, name, strlen(name));
}

struct event_field *event_type_field(struct event_type *type, const char *name)
{
	struct event_field *field;

	for (field = type->fields; field; field = field->next)
		if (!strcmp(field->name, name))
			return field;
	field = NEW(struct event_field);
	field->name = memory_text(name, strlen(name));
	field->type = type;
	field->next = type->fields;
	type->fields = field;
	field_resolve(field);
	return field;
}

static int read_raw(struct events *events, const struct record *record, struct event *event)
{
	uint16_t id;
	int32_t tid;

	if (record->length < 8)
		return stream_fail(events->stream, "an event's payload is too short");
	memcpy(&id, record->text, sizeof(id));
	memcpy(&tid, record->text + 4, sizeof(tid)); /* common_pid, at this offset in every kernel with ftrace */
	if (record->swapped) {
		id = __builtin_bswap16(id);
		tid = (int32_t)__builtin_bswap32((uint32_t)tid);
	}
	*event = (struct event){
		.ts = record->ts,
		.cpu = record->cpu,
		.tid = tid,
		.type = types_numbered(events->types, id),
		.payload = record->text,
		.size = (uint32_t)record->length,
		.swapped = record->swapped,
	};
	return event->type ? 0 : stream_fail(events->stream, "no format came for event %u", id);
}

static int read_text(struct events *events, const struct record *record, struct event *event)
{
	const struct fields *fields = stream_fields(events->stream, record);
	const struct field *name, *own;
	int64_t cpu = 0, tid = 0;
	char comm[16];
	int status;

	if (!fields)
		return -1;
	*event = (struct event){.fields = fields};
	status = fields_time(fields, "ts", &event->ts);
	name = fields_find(fields, "name");
	if (status == 0 || !name)
		return stream_fail(events->stream, "an event needs ts and name");
	if (status < 0 || fields_integer(fields, "cpu", &cpu) < 0 || fields_integer(fields, "tid", &tid) < 0)
		return stream_fail(events->stream, "%s", fail_text());
	if (cpu < 0 || cpu > UINT16_MAX || tid < 0 || tid > INT32_MAX)
		return stream_fail(events->stream, "cpu or tid is out of range");
	event->cpu = (uint32_t)cpu;
	event->tid = (int32_t)tid;
	event->type = types_named(events->types, name->value, name->value_length);
	own = fields_find(fields, "comm");
	if (own && own < name) { /* a comm= behind name= is a field of the event */
		field_text(own, comm, sizeof(comm));
		names_thread(events->names, event->tid, comm);
	}
	return 0;
}

int events_read(struct events *events, const struct record *record, struct event *event)
{
	return record->packed ? read_raw(events, record, event) : read_text(events, record, event);
}

void events_learn_names(struct events *events, const struct event *event)
{
	char comm[16];

	for (int i = 0; i < NAMINGS; i++)
		if (events->naming[i].type == event->type && event_text(event, events->naming[i].comm, comm, sizeof(comm)))
			names_thread(events->names, (int32_t)event_number(event, events->naming[i].tid), comm);
}

const char *events_comm(const struct events *events, int32_t tid)
{
	const char *comm = tid == 0 ? "swapper" : names_comm(events->names, tid);

	if (!comm && names_miss(events->names, tid))
		stream_mark_incomplete(events->stream);
	return comm ? comm : "?";
}

const char *events_called(const struct events *events, int32_t tid, int64_t at)
{
	const char *called = names_called(events->names, tid, at);

	return called ? called : events_comm(events, tid);
}

bool events_is_kernels(const struct events *events, int32_t tid)
{
	return names_is_kernels(events->names, tid);
}

uint64_t events_nameless(const struct events *events)
{
	return names_missed(events->names);
}

bool events_of_pipe(const struct events *events, int32_t tid)
{
	return names_of_pipe(events->names, tid);
}

int32_t events_tgid(const struct events *events, int32_t tid)
{
	return names_tgid(events->names, tid);
}

void events_each_thread(const struct events *events, void (*call)(void *context, int32_t tid, const char *comm), void *context)
{
	names_each(events->names, call, context);
}

const char *events_device_name(const struct events *events, uint64_t dev, char *text, size_t room)
{
	const struct device *device = names_device(events->names, dev);
	char spelled[NUMBER_ROOM];

	if (!device || !*device->name)
		device_spell(spelled, dev);
	snprintf(text, room, "%s", device && *device->name ? device->name : spelled);
	return text;
}

const char *events_device_scheduler(const struct events *events, uint64_t dev)
{
	const struct device *device = names_device(events->names, dev);

	return device ? device->scheduler : "";
}

bool events_device_swaps(const struct events *events, uint64_t dev)
{
	const struct device *device = names_device(events->names, dev);

	return device && device->swap;
}

uint64_t events_device_disk(const struct events *events, uint64_t dev)
{
	const struct device *device = names_device(events->names, dev);

	return device ? device->disk : dev;
}
