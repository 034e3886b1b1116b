#include "window/roster.h"

#include <stdlib.h>
#include <string.h>

#include "base/departed.h"
#include "base/memory.h"

enum { PAGE = 1 << 10, PAGES = 1 << 12 }; /* the kernel's largest tid is 2^22 */

/* Fields by which events name other threads. */
static const char *const naming[] = {"prev_pid", "next_pid", "pid", "child_pid", "parent_pid"};
enum { NAMINGS = sizeof(naming) / sizeof(naming[0]) };

/*
 * What a record tells, so that the newest of its sort is kept: a process, a name alone, or a descriptor, by its number. Of those
 * that a thread slept for, the last so many are kept.
 */
enum { UNKNOWN = -3, OF_PROCESS = -2, OF_NAME = -1, FILES = 64 };

struct item {
	int64_t sort;
	enum kind kind;
	size_t length;
	char text[];
};

struct member {
	ARRAY(struct item *) items; /* that did not pass yet, in their order */
	int64_t read;	/* when what they tell of the process was read, */
	int64_t told;	/* and what passed last; another program that began before makes it void */
	int64_t wanted; /* what is of this time or earlier passes at once */
	bool gone;
};

struct roster {
	struct stream *stream;
	struct events *events;
	struct fields fields;
	size_t waiting; /* items */
	struct member **pages[PAGES];
	struct departed departed;
	struct type_fields {
		struct event_field *of[NAMINGS];
	} *types; /* by their index; not known yet: all NULL */
	size_t type_count;
};

struct roster *roster_new(struct stream *stream, struct events *events)
{
	struct roster *roster = NEW(struct roster);

	roster->stream = stream;
	roster->events = events;
	return roster;
}

static bool is_tid(int64_t tid)
{
	return tid > 0 && tid < PAGE * PAGES;
}

static struct member **place_of(struct roster *roster, int32_t tid)
{
	struct member ***page = &roster->pages[tid / PAGE];

	if (!*page)
		*page = memory_new(PAGE, sizeof(**page));
	return &(*page)[tid % PAGE];
}

static struct member *find(const struct roster *roster, int64_t tid)
{
	return is_tid(tid) && roster->pages[tid / PAGE] ? roster->pages[tid / PAGE][tid % PAGE] : NULL;
}

static struct member *member_of(struct roster *roster, int32_t tid)
{
	struct member **place = place_of(roster, tid);

	if (!*place) {
		*place = NEW(struct member);
		(*place)->read = (*place)->told = (*place)->wanted = INT64_MIN;
	}
	return *place;
}

static void remove_item(struct roster *roster, struct member *member, size_t which)
{
	free(member->items.items[which]);
	memmove(&member->items.items[which], &member->items.items[which + 1],
		(--member->items.count - which) * sizeof(*member->items.items));
	roster->waiting--;
}

static void remove_all(struct roster *roster, struct member *member)
{
	while (member->items.count)
		remove_item(roster, member, member->items.count - 1);
}

static void remove_member(struct roster *roster, int32_t tid)
{
	struct member *member = find(roster, tid);

	if (!member)
		return;
	remove_all(roster, member);
	free(member->items.items);
	free(member);
	*place_of(roster, tid) = NULL;
}

void roster_forget(struct roster *roster)
{
	for (int page = 0; page < PAGES; page++) {
		for (int i = 0; roster->pages[page] && i < PAGE; i++)
			remove_member(roster, page * PAGE + i);
		free(roster->pages[page]);
		roster->pages[page] = NULL;
	}
}

void roster_free(struct roster *roster)
{
	roster_forget(roster);
	free(roster->types);
	free(roster);
}

static int tell_member(struct roster *roster, struct member *member)
{
	for (size_t i = 0; i < member->items.count; i++) {
		const struct item *item = member->items.items[i];
		const struct record record = {.kind = item->kind, .text = item->text, .length = item->length};

		if (stream_write_record(roster->stream, &record) < 0)
			return -1;
	}
	remove_all(roster, member);
	member->told = member->read;
	return 0;
}

static void add_item(struct roster *roster, struct member *member, int64_t sort, const struct record *record)
{
	struct item *item;
	size_t at = 0;

	while (at < member->items.count && member->items.items[at]->sort != sort)
		at++;
	if (at == member->items.count && at >= FILES)
		for (at = 0; member->items.items[at]->sort < 0; at++)
			;
	if (at < member->items.count)
		remove_item(roster, member, at);
	item = memory_new(1, sizeof(*item) + record->length);
	item->sort = sort;
	item->kind = record->kind;
	item->length = record->length;
	memcpy(item->text, record->text, record->length);
	*ARRAY_ADD(&member->items) = item;
	roster->waiting++;
}

/* What the thread's process runs: what was known of that before is not so any more. */
static void learn_process(struct roster *roster, struct member *member, bool began)
{
	for (size_t i = member->items.count; i-- > 0;)
		if (began || member->items.items[i]->sort < 0)
			remove_item(roster, member, i);
	if (fields_time(&roster->fields, "read", &member->read) <= 0)
		member->read = INT64_MIN;
}

static void thread_ends(struct roster *roster, int32_t tid)
{
	struct member *member = find(roster, tid);
	int32_t oldest;

	if (!member)
		return;
	member->gone = true;
	oldest = departed_add(&roster->departed, tid);
	member = find(roster, oldest);
	if (member && member->gone)
		remove_member(roster, oldest);
}

/* UNKNOWN: such a record passes. */
static int64_t sort_of(const struct record *record, const struct fields *fields)
{
	int64_t tgid = 0, fd = UNKNOWN;

	if (record->kind == KIND_FILE)
		return fields_integer(fields, "fd", &fd) < 0 || fd < 0 ? UNKNOWN : fd;
	if (fields_integer(fields, "tgid", &tgid) < 0)
		return UNKNOWN;
	return tgid > 0 || fields_is(fields, "began", "yes") ? OF_PROCESS : OF_NAME;
}

int64_t roster_time(struct roster *roster, const struct record *record)
{
	int64_t ts;

	return fields_parse(&roster->fields, record->text, record->length) == 0 && fields_time(&roster->fields, "ts", &ts) > 0
		       ? ts
		       : INT64_MIN;
}

int roster_learn(struct roster *roster, const struct record *record)
{
	const struct fields *fields = &roster->fields;
	int64_t tid = 0, ts = INT64_MAX, sort;
	struct member *member;
	bool began, is_void;

	if (fields_parse(&roster->fields, record->text, record->length) < 0 || fields_integer(fields, "tid", &tid) < 0 ||
	    fields_time(fields, "ts", &ts) < 0 || !is_tid(tid) || (sort = sort_of(record, fields)) == UNKNOWN)
		return stream_write_record(roster->stream, record);
	if (fields_is(fields, "ended", "yes")) {
		thread_ends(roster, (int32_t)tid);
		return 0;
	}
	member = member_of(roster, (int32_t)tid);
	began = fields_is(fields, "began", "yes");
	is_void = began && ts <= member->told;
	if (sort == OF_PROCESS)
		learn_process(roster, member, began);
	member->gone = false;
	add_item(roster, member, sort, record);
	return is_void || ts <= member->wanted ? tell_member(roster, member) : 0;
}

int roster_tell_thread(struct roster *roster, int32_t tid, int64_t until)
{
	struct member *member;

	if (!is_tid(tid))
		return 0;
	member = member_of(roster, tid);
	if (until > member->wanted)
		member->wanted = until;
	return tell_member(roster, member);
}

static int tell_if_known(struct roster *roster, int64_t tid)
{
	struct member *member = find(roster, tid);

	return member && member->items.count ? tell_member(roster, member) : 0;
}

static int tell_spelled(struct roster *roster, const struct record *record)
{
	int64_t tid = 0;

	if (fields_parse(&roster->fields, record->text, record->length) < 0)
		return 0;
	if (fields_integer(&roster->fields, "tid", &tid) > 0 && tell_if_known(roster, tid) < 0)
		return -1;
	for (int i = 0; i < NAMINGS; i++)
		if (fields_integer(&roster->fields, naming[i], &tid) > 0 && tell_if_known(roster, tid) < 0)
			return -1;
	return 0;
}

static const struct type_fields *fields_of(struct roster *roster, const struct event_type *type)
{
	size_t index = (size_t)type->index, count = roster->type_count;
	struct type_fields *fields;

	if (index >= count) {
		roster->type_count = 2 * (index + 1);
		roster->types = memory_grow(roster->types, roster->type_count, sizeof(*roster->types));
		memset(&roster->types[count], 0, (roster->type_count - count) * sizeof(*roster->types));
	}
	fields = &roster->types[index];
	for (int i = 0; !fields->of[NAMINGS - 1] && i < NAMINGS; i++)
		fields->of[i] = event_type_field((struct event_type *)type, naming[i]);
	return fields;
}

int roster_tell(struct roster *roster, const struct record *record)
{
	const struct type_fields *fields;
	struct event event;

	if (!roster->waiting)
		return 0;
	if (!record->packed)
		return tell_spelled(roster, record);
	if (events_read(roster->events, record, &event) < 0)
		return 0; /* it was read when it came, or whoever reads it next says what is wrong */
	if (tell_if_known(roster, event.tid) < 0)
		return -1;
	fields = fields_of(roster, event.type);
	for (int i = 0; i < NAMINGS; i++)
		if (event_has(&event, fields->of[i]) && tell_if_known(roster, event_number(&event, fields->of[i])) < 0)
			return -1;
	return 0;
}
