#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/exited_tids.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "event/spell.h"
#include "event/types.h"
#include "stream/fields.h"

/*
 * names: names of threads and block devices, as a stream gives them. Part of struct events; see event.h.
 */

struct device {
	char name[32], scheduler[16];
	uint64_t disk;
	bool swap;
};

/* A large machine has some 100,000 threads at a time; the kernel's largest tid is 2^22. */
enum { COMM_SIZE = 16, THREADS_MAX = 1 << 18, TIDS = 1 << 22 };

struct thread_entry {
	int32_t tid, tgid;
	char comm[COMM_SIZE];
	bool gone, kernels, stage, musl; /* kernels: a kernel thread; musl: its process has this C library */
	bool named; /* named again since drop_oldest() last looked at it */
	int64_t called_since; /* `called` holds from then on */
	char *called; /* "python3 app.py", if the thread has the name of an interpreter; NULL: comm is its name */
	UT_hash_handle hh;
};

struct device_entry {
	uint64_t dev;
	struct device device;
	UT_hash_handle hh;
};

struct names {
	struct thread_entry *threads; /* the oldest first */
	struct device_entry *devices;
	struct exited_tids exited;
	bool brief;
	uint8_t *dropped; /* a bit for each tid that was forgotten for want of room; NULL: there are none */
	uint64_t missed;
};

static struct names *names_new(void)
{
	return NEW(struct names);
}

static void remove_thread(struct names *names, struct thread_entry *thread)
{
	HASH_DEL(names->threads, thread);
	free(thread->called);
	free(thread);
}

static void names_forget(struct names *names)
{
	struct thread_entry *thread, *next_thread;

	HASH_ITER(hh, names->threads, thread, next_thread)
		remove_thread(names, thread);
	HASH_FREE(names->devices);
	free(names->dropped);
	names->dropped = NULL;
}

static void names_free(struct names *names)
{
	names_forget(names);
	free(names);
}

static struct thread_entry *find_thread(const struct names *names, int32_t tid)
{
	struct thread_entry *entry;

	HASH_FIND_INT(names->threads, &tid, entry);
	return entry;
}

static void set_dropped(struct names *names, int32_t tid, bool dropped)
{
	uint8_t *place, bit = (uint8_t)(1 << tid % 8);

	if (!names->dropped && dropped)
		names->dropped = memory_new(TIDS / 8, 1);
	if (!names->dropped)
		return;
	place = &names->dropped[tid % TIDS / 8];
	*place = dropped ? *place | bit : *place & (uint8_t)~bit;
}

/* Drops the thread that was named longest ago, roughly: a thread that was named again since the last look is spared once. */
static void drop_oldest(struct names *names)
{
	struct thread_entry *oldest;

	for (oldest = names->threads; oldest->named; oldest = names->threads) {
		oldest->named = false;
		HASH_DEL(names->threads, oldest);
		HASH_ADD_INT(names->threads, tid, oldest);
	}
	set_dropped(names, oldest->tid, true);
	remove_thread(names, oldest);
}

/* Tells whether a thread whose name is wanted was forgotten for want of room; true only once for each thread. */
static bool names_miss(struct names *names, int32_t tid)
{
	if (tid < 0 || !names->dropped || !(names->dropped[tid % TIDS / 8] & 1 << tid % 8))
		return false;
	set_dropped(names, tid, false);
	names->missed++;
	return true;
}

/* Returns how often names_miss() was true. */
static uint64_t names_missed(const struct names *names)
{
	return names->missed;
}

static struct thread_entry *thread(struct names *names, int32_t tid)
{
	struct thread_entry *entry = find_thread(names, tid);

	if (!entry) {
		if (HASH_COUNT(names->threads) >= THREADS_MAX)
			drop_oldest(names);
		entry = NEW(struct thread_entry);
		entry->tid = tid;
		HASH_ADD_INT(names->threads, tid, entry);
		set_dropped(names, tid, false);
	}
	return entry;
}

/* see events_keep_living() */
static void names_keep_living(struct names *names)
{
	names->brief = true;
}

static void forget_called(struct thread_entry *entry)
{
	free(entry->called);
	entry->called = NULL;
}

/* comm is cut at 15 characters */
static void names_thread(struct names *names, int32_t tid, const char *comm)
{
	struct thread_entry *entry;

	if (tid <= 0 || !*comm)
		return;
	entry = thread(names, tid);
	if (entry->called && strncmp(entry->comm, comm, COMM_SIZE - 1) != 0)
		forget_called(entry);
	strncpy(entry->comm, comm, COMM_SIZE - 1);
	entry->named = true;
}

static void thread_ends(struct names *names, int32_t tid)
{
	struct thread_entry *entry = find_thread(names, tid);

	if (entry)
		entry->stage = false; /* another may have its number next */
	if (!entry || !names->brief)
		return;
	entry->gone = true;
	entry = find_thread(names, exited_tids_add(&names->exited, tid));
	if (entry && entry->gone)
		remove_thread(names, entry);
}

/* Tells whether the thread has the name of its program, "/usr/bin/python3 /srv/app.py", and so no name of its own. */
static bool is_of_program(const char *comm, const struct fields *fields)
{
	const struct field *program = fields_find(fields, "program");
	size_t length = program ? program->value_length : 0, first = 0, begin;

	while (first < length && program->value[first] != ' ')
		first++;
	for (begin = first; begin > 0 && program->value[begin - 1] != '/'; begin--) {
	}
	return first - begin == strlen(comm) && memcmp(program->value + begin, comm, first - begin) == 0;
}

/*
 * Gives a process one name everywhere: if an interpreter runs a script, the script follows the interpreter's name. The record replaces what the
 * same thread ran before under the same name: another script, or none.
 */
static int read_script(struct thread_entry *entry, const struct fields *fields, bool began)
{
	char *script = fields_copy(fields, "script"), *called = NULL;
	int64_t ts = INT64_MIN;

	if (fields_time(fields, "ts", &ts) < 0) {
		free(script);
		return -1;
	}
	if (script && is_of_program(entry->comm, fields))
		called = memory_format("%s %s", entry->comm, script);
	free(script);
	if (called && entry->called && strcmp(called, entry->called) == 0) {
		free(called);
		return 0;
	}
	forget_called(entry);
	entry->called = called;
	entry->called_since = began ? ts : INT64_MIN;
	return 0;
}

static int names_read_task(struct names *names, const struct fields *fields)
{
	int64_t tid = 0, tgid = 0;
	char comm[COMM_SIZE] = "";
	struct thread_entry *entry;

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "tgid", &tgid) < 0)
		return -1;
	if (tid <= 0 || tid > INT32_MAX)
		return fail("a task needs a tid");
	if (fields_is(fields, "ended", "yes")) {
		thread_ends(names, (int32_t)tid);
		return 0;
	}
	fields_text(fields, "comm", comm, sizeof(comm));
	names_thread(names, (int32_t)tid, comm);
	entry = find_thread(names, (int32_t)tid);
	if (entry)
		entry->gone = false;
	if ((tgid > 0 && tgid <= INT32_MAX) || fields_is(fields, "began", "yes")) {
		entry = thread(names, (int32_t)tid);
		entry->tgid = (int32_t)tgid;
		entry->kernels = fields_is(fields, "kernel", "yes");
		entry->musl = fields_is(fields, "libc", "musl");
		return read_script(entry, fields, fields_is(fields, "began", "yes"));
	}
	return 0;
}

static int names_read_stage(struct names *names, const struct fields *fields)
{
	int64_t tid = 0;

	if (fields_integer(fields, "tid", &tid) < 0)
		return -1;
	if (tid <= 0 || tid > INT32_MAX)
		return fail("a stage needs a tid");
	thread(names, (int32_t)tid)->stage = true;
	return 0;
}

static bool names_of_pipe(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	if (entry && !entry->stage && entry->tgid > 0)
		entry = find_thread(names, entry->tgid);
	return entry && entry->stage;
}

static int read_dev(const struct fields *fields, const char *key, uint64_t *dev)
{
	const struct field *field = fields_find(fields, key);

	return field ? device_parse(field->value, field->value_length, dev) : 0;
}

static int names_read_device(struct names *names, const struct fields *fields)
{
	uint64_t dev = 0, disk = 0;
	struct device_entry *entry;

	if (!fields_find(fields, "dev"))
		return fail("a device needs a dev");
	if (read_dev(fields, "dev", &dev) < 0 || read_dev(fields, "disk", &disk) < 0)
		return -1;
	HASH_FIND(hh, names->devices, &dev, sizeof(dev), entry);
	if (!entry) {
		entry = NEW(struct device_entry);
		entry->dev = dev;
		HASH_ADD(hh, names->devices, dev, sizeof(dev), entry);
	}
	fields_text(fields, "name", entry->device.name, sizeof(entry->device.name));
	fields_text(fields, "scheduler", entry->device.scheduler, sizeof(entry->device.scheduler));
	entry->device.swap = fields_is(fields, "swap", "yes");
	entry->device.disk = fields_find(fields, "disk") ? disk : dev;
	return 0;
}

/* NULL: unknown */
static const char *names_comm(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry && *entry->comm ? entry->comm : NULL;
}

/* see events_called(); NULL: comm is its name */
static const char *names_called(const struct names *names, int32_t tid, int64_t at)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry && entry->called && entry->called_since <= at ? entry->called : NULL;
}

static int32_t names_tgid(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry ? entry->tgid : 0;
}

static bool names_is_kernels(const struct names *names, int32_t tid)
{
	const struct thread_entry *entry = find_thread(names, tid);

	return entry && entry->kernels;
}

static void names_each(const struct names *names, void (*call)(void *context, int32_t tid, const char *comm), void *context)
{
	for (const struct thread_entry *entry = names->threads; entry; entry = entry->hh.next)
		if (*entry->comm)
			call(context, entry->tid, entry->comm);
}

/* NULL: unknown */
static const struct device *names_device(const struct names *names, uint64_t dev)
{
	struct device_entry *entry;

	HASH_FIND(hh, names->devices, &dev, sizeof(dev), entry);
	return entry ? &entry->device : NULL;
}

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

/* Reads a record that names a function of the kernel; `key` is the key of the name. */
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
	event->own = name + 1;
	event->type = types_named(events->types, name->value, name->value_length);
	own = fields_find(fields, "comm");
	if (own && own < name) { /* a comm= after name= is a field of the event */
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

bool events_has_musl(const struct events *events, int32_t tid)
{
	const struct thread_entry *entry = find_thread(events->names, tid);

	return entry && entry->musl;
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
