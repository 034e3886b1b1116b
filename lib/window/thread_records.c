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
 * descriptors that a thread slept on are kept, and the last TITLES titles of its process, because the title when a window opens may not be the
 * title that the process had in the window.
 */
enum { UNKNOWN = -3, OF_PROCESS = -2, OF_NAME = -1, FILES = 64, OF_TITLE = INT32_MAX, TITLES = 8 };

/* Bound on the records of all threads. A real machine's 100,000 threads take a fourth of it. */
enum { BYTES_MAX = 64 << 20 };

/* The waiting items of a thread lie in one piece of memory, in their order: most threads of a machine are never named. */
struct item {
	int32_t sort;
	enum kind kind;
	uint32_t length; /* of the text behind it */
};

struct member {
	int64_t read;	/* time at which the waiting record of the process was read from /proc */
	int64_t told;	/* the same for the process record that passed; a program that began before this time makes it void */
	int64_t wanted; /* records of this time or earlier pass at once */
	int32_t older, newer; /* tids of the neighbours by time of the last record; 0: none */
	uint32_t bytes; /* of the items */
	bool gone;
	_Alignas(struct item) char items[];
};

struct thread_records {
	struct stream *stream;
	struct events *events;
	struct fields fields;
	size_t waiting; /* bytes of items */
	size_t bytes;	/* of all members */
	struct member **pages[PAGES];
	int32_t oldest, newest;
	struct exited_tids exited;
	uint8_t *dropped;     /* a bit for each tid whose records were dropped for want of room; NULL: none were */
	uint64_t missed;      /* threads named after that */
	char *complaint;
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

static struct member *at(const struct thread_records *threads, int32_t tid)
{
	return threads->pages[tid / PAGE][tid % PAGE];
}

static void unlink_member(struct thread_records *threads, const struct member *member)
{
	*(member->older ? &at(threads, member->older)->newer : &threads->oldest) = member->newer;
	*(member->newer ? &at(threads, member->newer)->older : &threads->newest) = member->older;
}

static void link_newest(struct thread_records *threads, struct member *member, int32_t tid)
{
	member->older = threads->newest;
	member->newer = 0;
	*(threads->newest ? &at(threads, threads->newest)->newer : &threads->oldest) = tid;
	threads->newest = tid;
}

/* The member of a thread, made if need be. It becomes the newest. */
static struct member *member_of(struct thread_records *threads, int32_t tid)
{
	struct member **place = place_of(threads, tid);

	if (*place) {
		unlink_member(threads, *place);
	} else {
		*place = NEW(struct member);
		(*place)->read = (*place)->told = (*place)->wanted = INT64_MIN;
		threads->bytes += sizeof(**place);
	}
	link_newest(threads, *place, tid);
	return *place;
}

static struct item *item_at(const struct member *member, size_t offset)
{
	return (struct item *)(member->items + offset);
}

static size_t item_size(size_t length)
{
	return (sizeof(struct item) + length + _Alignof(struct item) - 1) & ~(_Alignof(struct item) - 1);
}

static size_t behind(const struct member *member, size_t offset)
{
	return offset + item_size(item_at(member, offset)->length);
}

static void remove_item(struct thread_records *threads, struct member *member, size_t offset)
{
	size_t next = behind(member, offset);

	memmove(member->items + offset, member->items + next, member->bytes - next);
	member->bytes -= (uint32_t)(next - offset);
	threads->waiting -= next - offset;
	threads->bytes -= next - offset;
}

static void remove_all(struct thread_records *threads, int32_t tid)
{
	struct member **place = place_of(threads, tid);

	threads->waiting -= (*place)->bytes;
	threads->bytes -= (*place)->bytes;
	(*place)->bytes = 0;
	*place = memory_grow(*place, 1, sizeof(**place));
}

static void remove_member(struct thread_records *threads, int32_t tid)
{
	struct member *member = find(threads, tid);

	if (!member)
		return;
	unlink_member(threads, member);
	threads->waiting -= member->bytes;
	threads->bytes -= sizeof(*member) + member->bytes;
	free(member);
	*place_of(threads, tid) = NULL;
}

static void set_dropped(struct thread_records *threads, int32_t tid)
{
	if (!threads->dropped)
		threads->dropped = memory_new(PAGES, PAGE / 8);
	threads->dropped[tid / 8] |= (uint8_t)(1 << tid % 8);
}

/* Tells whether records of the thread were dropped; says so only once. */
static bool take_dropped(struct thread_records *threads, int64_t tid)
{
	uint8_t bit;
	bool was;

	if (!threads->dropped || !is_tid(tid)) /* events name threads such as -1, too */
		return false;
	bit = (uint8_t)(1 << tid % 8);
	was = threads->dropped[tid / 8] & bit;
	threads->dropped[tid / 8] &= (uint8_t)~bit;
	return was;
}

/* Drops the records of the threads whose last record is oldest. */
static void make_room(struct thread_records *threads)
{
	while (threads->bytes > BYTES_MAX && threads->oldest != threads->newest) {
		int32_t oldest = threads->oldest;

		if (at(threads, oldest)->bytes)
			set_dropped(threads, oldest);
		remove_member(threads, oldest);
	}
}

void thread_records_forget(struct thread_records *threads)
{
	while (threads->oldest)
		remove_member(threads, threads->oldest);
	for (int page = 0; page < PAGES; page++) {
		free(threads->pages[page]);
		threads->pages[page] = NULL;
	}
	free(threads->dropped);
	threads->dropped = NULL;
}

void thread_records_free(struct thread_records *threads)
{
	thread_records_forget(threads);
	free(threads->complaint);
	free(threads->types);
	free(threads);
}

const char *thread_records_complaint(struct thread_records *threads)
{
	if (!threads->missed)
		return NULL;
	free(threads->complaint);
	threads->complaint = memory_format("the stream names too many threads: the names of %llu were forgotten before they were needed",
					  (unsigned long long)threads->missed);
	return threads->complaint;
}

static int tell_member(struct thread_records *threads, int32_t tid)
{
	struct member *member = at(threads, tid);

	for (size_t offset = 0; offset < member->bytes; offset = behind(member, offset)) {
		const struct item *item = item_at(member, offset);
		const struct record record = {.kind = item->kind, .text = (const char *)(item + 1), .length = item->length};

		if (stream_write_record(threads->stream, &record) < 0)
			return -1;
	}
	member->told = member->read;
	if (member->bytes)
		remove_all(threads, tid);
	return 0;
}

/* Removes the oldest title, if there are too many. */
static void make_place_for_title(struct thread_records *threads, struct member *member)
{
	size_t count = 0, first = 0;

	for (size_t offset = 0; offset < member->bytes; offset = behind(member, offset))
		if (item_at(member, offset)->sort == OF_TITLE && count++ == 0)
			first = offset;
	if (count >= TITLES)
		remove_item(threads, member, first);
}

/* Removes the item that a new item of this sort replaces. */
static void make_place(struct thread_records *threads, struct member *member, int32_t sort)
{
	size_t offset = 0, files = 0, first = SIZE_MAX;

	if (sort == OF_TITLE) {
		make_place_for_title(threads, member);
		return;
	}
	while (offset < member->bytes && item_at(member, offset)->sort != sort) {
		if (item_at(member, offset)->sort >= 0 && item_at(member, offset)->sort != OF_TITLE && files++ == 0)
			first = offset;
		offset = behind(member, offset);
	}
	if (offset < member->bytes)
		remove_item(threads, member, offset);
	else if (files >= FILES)
		remove_item(threads, member, first);
}

static void add_item(struct thread_records *threads, int32_t tid, int32_t sort, const struct record *record)
{
	struct member **place = place_of(threads, tid), *member = *place;
	size_t size = item_size(record->length);
	struct item *item;

	make_place(threads, member, sort);
	member = *place = memory_grow(member, 1, sizeof(*member) + member->bytes + size);
	item = item_at(member, member->bytes);
	*item = (struct item){sort, record->kind, (uint32_t)record->length};
	memcpy(item + 1, record->text, record->length);
	member->bytes += (uint32_t)size;
	threads->waiting += size;
	threads->bytes += size;
	make_room(threads);
}

/* A new record of the thread's process: the older one is void. */
static void learn_process(struct thread_records *threads, struct member *member, bool began)
{
	for (size_t offset = 0; offset < member->bytes;) {
		if (began || item_at(member, offset)->sort < 0)
			remove_item(threads, member, offset);
		else
			offset = behind(member, offset);
	}
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
static int32_t sort_of(const struct record *record, const struct fields *fields)
{
	int64_t tgid = 0, fd = UNKNOWN;

	if (record->kind == KIND_FILE)
		return fields_integer(fields, "fd", &fd) < 0 || fd < 0 || fd >= OF_TITLE ? UNKNOWN : (int32_t)fd;
	if (fields_integer(fields, "tgid", &tgid) < 0)
		return UNKNOWN;
	if (tgid > 0 || fields_is(fields, "began", "yes"))
		return OF_PROCESS;
	return fields_find(fields, "comm") ? OF_NAME : OF_TITLE;
}

int64_t thread_records_time(struct thread_records *threads, const struct record *record, bool *title)
{
	const struct fields *fields = &threads->fields;
	int64_t ts;

	*title = false;
	if (fields_parse(&threads->fields, record->text, record->length) < 0 || fields_time(fields, "ts", &ts) <= 0)
		return INT64_MIN;
	*title = sort_of(record, fields) == OF_TITLE && fields_find(fields, "title");
	return ts;
}

int thread_records_learn(struct thread_records *threads, const struct record *record)
{
	const struct fields *fields = &threads->fields;
	int64_t tid = 0, ts = INT64_MAX;
	struct member *member;
	int32_t sort;
	bool began, passes;

	if (fields_parse(&threads->fields, record->text, record->length) < 0 || fields_integer(fields, "tid", &tid) < 0 ||
	    fields_time(fields, "ts", &ts) < 0 || !is_tid(tid) || (sort = sort_of(record, fields)) == UNKNOWN)
		return stream_write_record(threads->stream, record);
	if (fields_is(fields, "ended", "yes")) {
		thread_ends(threads, (int32_t)tid);
		return 0;
	}
	member = member_of(threads, (int32_t)tid);
	began = fields_is(fields, "began", "yes");
	passes = began && ts <= member->told;
	if (sort == OF_PROCESS)
		learn_process(threads, member, began);
	member->gone = false;
	passes |= ts <= member->wanted;
	if (sort < 0)
		take_dropped(threads, tid);
	add_item(threads, (int32_t)tid, sort, record);
	return passes ? tell_member(threads, (int32_t)tid) : 0;
}

/* An event that passes names the thread: counts it if its records were dropped. */
static void miss(struct thread_records *threads, int64_t tid)
{
	if (!take_dropped(threads, tid))
		return;
	threads->missed++;
	stream_mark_incomplete(threads->stream);
}

int thread_records_tell_thread(struct thread_records *threads, int32_t tid, int64_t until)
{
	struct member *member;

	if (!is_tid(tid))
		return 0;
	member = member_of(threads, tid);
	if (until > member->wanted)
		member->wanted = until;
	make_room(threads);
	miss(threads, tid);
	return tell_member(threads, tid);
}

static int tell_if_known(struct thread_records *threads, int64_t tid)
{
	const struct member *member = find(threads, tid);

	miss(threads, tid);
	return member && member->bytes ? tell_member(threads, (int32_t)tid) : 0;
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

	if (!threads->waiting && !threads->dropped)
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
