#include "window/thread_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/exited_tids.h"
#include "base/memory.h"

enum { PAGE = 1 << 10, PAGES = 1 << 12 }; /* the kernel's largest tid is 2^22 */

/* Fields by which events name other threads. */
static const char *const naming[] = {"prev_pid", "next_pid", "pid", "child_pid", "parent_pid"};
enum { NAMINGS = sizeof(naming) / sizeof(naming[0]) };

/*
 * Sorts of records; the newest of each is kept. A sort is a process, a name alone, or the number of a descriptor. The last FILES
 * descriptors that a thread slept on are kept.
 */
enum { UNKNOWN = -3, OF_PROCESS = -2, OF_NAME = -1, FILES = 64 };

struct item {
	int64_t sort;
	enum kind kind;
	size_t length;
	char text[];
};

struct member {
	ARRAY(struct item *) items; /* waiting, in their order */
	int64_t read;	/* time at which the waiting record of the process was read from /proc */
	int64_t told;	/* the same for the record that passed; a program that began before it makes that record void */
	int64_t wanted; /* records of this time or earlier pass at once */
	bool gone;
};

struct thread_records {
	struct stream *stream;
	struct events *events;
	struct fields fields;
	size_t waiting; /* items */
	struct member **pages[PAGES];
	struct exited_tids exited;
	struct type_fields {
		struct event_field *of[NAMINGS];
	} *types; /* by index of event type; all NULL: not looked up yet */
	size_t type_count;
};

struct thread_records *thread_records_new(struct stream *stream, struct events *events)
{
	struct thread_records *threads = NEW(struct thread_records);

	threads->stream = stream;
	threads->events = events;
	return threads;
}

static bool is_tid(int64_t tid)
{
	return tid > 0 && tid < PAGE * PAGES;
}

static struct member **place_of(struct thread_records *threads, int32_t tid)
{
	struct member ***page = &threads->pages[tid / PAGE];

	if (!*page)
		*page = memory_new(PAGE, sizeof(**page));
	return &(*page)[tid % PAGE];
}

static struct member *find(const struct thread_records *threads, int64_t tid)
{
	return is_tid(tid) && threads->pages[tid / PAGE] ? threads->pages[tid / PAGE][tid % PAGE] : NULL;
}

static struct member *member_of(struct thread_records *threads, int32_t tid)
{
	struct member **place = place_of(threads, tid);

	if (!*place) {
		*place = NEW(struct member);
		(*place)->read = (*place)->told = (*place)->wanted = INT64_MIN;
	}
	return *place;
}

static void remove_item(struct thread_records *threads, struct member *member, size_t which)
{
	free(member->items.items[which]);
	memmove(&member->items.items[which], &member->items.items[which + 1],
		(--member->items.count - which) * sizeof(*member->items.items));
	threads->waiting--;
}

static void remove_all(struct thread_records *threads, struct member *member)
{
	while (member->items.count)
		remove_item(threads, member, member->items.count - 1);
}

static void remove_member(struct thread_records *threads, int32_t tid)
{
	struct member *member = find(threads, tid);

	if (!member)
		return;
	remove_all(threads, member);
	free(member->items.items);
	free(member);
	*place_of(threads, tid) = NULL;
}

void thread_records_forget(struct thread_records *threads)
{
	for (int page = 0; page < PAGES; page++) {
		for (int i = 0; threads->pages[page] && i < PAGE; i++)
			remove_member(threads, page * PAGE + i);
		free(threads->pages[page]);
		threads->pages[page] = NULL;
	}
}

void thread_records_free(struct thread_records *threads)
{
	thread_records_forget(threads);
	free(threads->types);
	free(threads);
}

static int tell_member(struct thread_records *threads, struct member *member)
{
	for (size_t i = 0; i < member->items.count; i++) {
		const struct item *item = member->items.items[i];
		const struct record record = {.kind = item->kind, .text = item->text, .length = item->length};

		if (stream_write_record(threads->stream, &record) < 0)
			return -1;
	}
	remove_all(threads, member);
	member->told = member->read;
	return 0;
}

static void add_item(struct thread_records *threads, struct member *member, int64_t sort, const struct record *record)
{
	struct item *item;
	size_t at = 0;

	while (at < member->items.count && member->items.items[at]->sort != sort)
		at++;
	if (at == member->items.count && at >= FILES)
		for (at = 0; member->items.items[at]->sort < 0; at++)
			;
	if (at < member->items.count)
		remove_item(threads, member, at);
	item = memory_new(1, sizeof(*item) + record->length);
	item->sort = sort;
	item->kind = record->kind;
	item->length = record->length;
	memcpy(item->text, record->text, record->length);
	*ARRAY_ADD(&member->items) = item;
	threads->waiting++;
}

/* A new record of the thread's process: the older one is void. */
static void learn_process(struct thread_records *threads, struct member *member, bool began)
{
	for (size_t i = member->items.count; i-- > 0;)
		if (began || member->items.items[i]->sort < 0)
			remove_item(threads, member, i);
	if (fields_time(&threads->fields, "read", &member->read) <= 0)
		member->read = INT64_MIN;
}

static void thread_ends(struct thread_records *threads, int32_t tid)
{
	struct member *member = find(threads, tid);
	int32_t oldest;

	if (!member)
		return;
	member->gone = true;
	oldest = exited_tids_add(&threads->exited, tid);
	member = find(threads, oldest);
	if (member && member->gone)
		remove_member(threads, oldest);
}

/* The sort of a record; UNKNOWN: it passes at once. */
static int64_t sort_of(const struct record *record, const struct fields *fields)
{
	int64_t tgid = 0, fd = UNKNOWN;

	if (record->kind == KIND_FILE)
		return fields_integer(fields, "fd", &fd) < 0 || fd < 0 ? UNKNOWN : fd;
	if (fields_integer(fields, "tgid", &tgid) < 0)
		return UNKNOWN;
	return tgid > 0 || fields_is(fields, "began", "yes") ? OF_PROCESS : OF_NAME;
}

int64_t thread_records_time(struct thread_records *threads, const struct record *record)
{
	int64_t ts;

	return fields_parse(&threads->fields, record->text, record->length) == 0 && fields_time(&threads->fields, "ts", &ts) > 0
		       ? ts
		       : INT64_MIN;
}

int thread_records_learn(struct thread_records *threads, const struct record *record)
{
	const struct fields *fields = &threads->fields;
	int64_t tid = 0, ts = INT64_MAX, sort;
	struct member *member;
	bool began, is_void;

	if (fields_parse(&threads->fields, record->text, record->length) < 0 || fields_integer(fields, "tid", &tid) < 0 ||
	    fields_time(fields, "ts", &ts) < 0 || !is_tid(tid) || (sort = sort_of(record, fields)) == UNKNOWN)
		return stream_write_record(threads->stream, record);
	if (fields_is(fields, "ended", "yes")) {
		thread_ends(threads, (int32_t)tid);
		return 0;
	}
	member = member_of(threads, (int32_t)tid);
	began = fields_is(fields, "began", "yes");
	is_void = began && ts <= member->told;
	if (sort == OF_PROCESS)
		learn_process(threads, member, began);
	member->gone = false;
	add_item(threads, member, sort, record);
	return is_void || ts <= member->wanted ? tell_member(threads, member) : 0;
}

int thread_records_tell_thread(struct thread_records *threads, int32_t tid, int64_t until)
{
	struct member *member;

	if (!is_tid(tid))
		return 0;
	member = member_of(threads, tid);
	if (until > member->wanted)
		member->wanted = until;
	return tell_member(threads, member);
}

static int tell_if_known(struct thread_records *threads, int64_t tid)
{
	struct member *member = find(threads, tid);

	return member && member->items.count ? tell_member(threads, member) : 0;
}

static int tell_spelled(struct thread_records *threads, const struct record *record)
{
	int64_t tid = 0;

	if (fields_parse(&threads->fields, record->text, record->length) < 0)
		return 0;
	if (fields_integer(&threads->fields, "tid", &tid) > 0 && tell_if_known(threads, tid) < 0)
		return -1;
	for (int i = 0; i < NAMINGS; i++)
		if (fields_integer(&threads->fields, naming[i], &tid) > 0 && tell_if_known(threads, tid) < 0)
			return -1;
	return 0;
}

static const struct type_fields *fields_of(struct thread_records *threads, const struct event_type *type)
{
	size_t index = (size_t)type->index, count = threads->type_count;
	struct type_fields *fields;

	if (index >= count) {
		threads->type_count = 2 * (index + 1);
		threads->types = memory_grow(threads->types, threads->type_count, sizeof(*threads->types));
		memset(&threads->types[count], 0, (threads->type_count - count) * sizeof(*threads->types));
	}
	fields = &threads->types[index];
	for (int i = 0; !fields->of[NAMINGS - 1] && i < NAMINGS; i++)
		fields->of[i] = event_type_field((struct event_type *)type, naming[i]);
	return fields;
}

int thread_records_tell(struct thread_records *threads, const struct record *record)
{
	const struct type_fields *fields;
	struct event event;

	if (!threads->waiting)
		return 0;
	if (!record->packed)
		return tell_spelled(threads, record);
	if (events_read(threads->events, record, &event) < 0)
		return 0; /* malformed: the next command will say so */
	if (tell_if_known(threads, event.tid) < 0)
		return -1;
	fields = fields_of(threads, event.type);
	for (int i = 0; i < NAMINGS; i++)
		if (event_has(&event, fields->of[i]) && tell_if_known(threads, event_number(&event, fields->of[i])) < 0)
			return -1;
	return 0;
}
