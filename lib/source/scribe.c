#include "source/scribe.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "source/argument_record.h"
#include "source/exceptions.h"
#include "source/execs.h"
#include "source/file_call.h"
#include "source/files.h"
#include "source/locks.h"
#include "source/member_check.h"
#include "source/threads.h"
#include "source/titles.h"
#include "source/traced.h"

enum { PART_ROOM = 64 }; /* a probe's event: its head, two addresses, and two arguments */

/* Bits of an event's common_flags: it happened in an interrupt, in whatever thread's context that was. */
enum { IN_INTERRUPT = 0x08 | 0x10 | 0x40 };

/* The common fields of every event. */
struct common_fields {
	uint16_t id;
	uint8_t flags, preempt_count;
	int32_t tid;
};

struct scribe {
	struct scribe_setup by;
	struct stream *stream;
	struct wish *const *by_id;
	struct process *process;
	struct stacks *stacks;
	struct threads threads;	 /* named so far */
	struct files *files;	 /* NULL: /proc does not tell of them */
	struct locks *locks;	 /* NULL: likewise */
	bool unswitched;	 /* who falls asleep is not seen here, so those are looked at that stay in a call for a file, */
	ARRAY(int32_t) callers;	 /* of these threads */
	int32_t own[SCRIBE_OWN];
	uint64_t events;	 /* written in the last round */
	uint64_t strangers;	 /* events of unknown kind, left out so far */
	ARRAY(int32_t) mappers;	 /* threads that mapped code */
	ARRAY(int32_t) began;	 /* processes that began to run a program, in the last round */
	ARRAY(bool) described;	 /* which stacks were spelled out in this stream, by number */
};

struct scribe *scribe_new(const struct scribe_setup *setup)
{
	struct scribe *scribe = NEW(struct scribe);

	scribe->by = *setup;
	scribe->stream = setup->stream;
	scribe->by_id = wishes_by_id(setup->wishes);
	scribe->process = setup->process;
	scribe->stacks = setup->stacks;
	scribe->files = setup->foreign ? NULL : files_new();
	scribe->locks = setup->foreign || !setup->clock ? NULL : locks_new(setup->clock);
	scribe->threads.foreign = setup->foreign;
	scribe->threads.asker = setup->asker;
	scribe->threads.execs = setup->execs;
	scribe->threads.titles = setup->titles;
	scribe->threads.always_asks = setup->always_asks;
	scribe->threads.recorded = setup->cmdlines;
	return scribe;
}

void scribe_free(struct scribe *scribe)
{
	if (!scribe)
		return;
	threads_free(&scribe->threads);
	files_free(scribe->files);
	locks_free(scribe->locks);
	free(scribe->callers.items);
	free(scribe->mappers.items);
	free(scribe->began.items);
	free(scribe->described.items);
	free(scribe);
}

int scribe_within(struct scribe *scribe, int32_t tid, int32_t pid, int32_t fd, int64_t ts)
{
	return scribe->locks ? locks_within(scribe->stream, &scribe->threads, tid, pid, fd, ts) : 0;
}

void scribe_own(struct scribe *scribe, const int32_t tids[SCRIBE_OWN])
{
	memcpy(scribe->own, tids, sizeof(scribe->own));
}

void scribe_share(struct scribe *scribe, bool switches)
{
	scribe->stacks = NULL;
	scribe->unswitched = switches;
}

uint64_t scribe_written(const struct scribe *scribe)
{
	return scribe->events;
}

uint64_t scribe_strangers(const struct scribe *scribe)
{
	return scribe->strangers;
}

const int32_t *scribe_began(struct scribe *scribe, size_t *count)
{
	*count = scribe->began.count;
	scribe->began.count = 0;
	return scribe->began.items;
}

const int32_t *scribe_mappers(struct scribe *scribe, size_t *count)
{
	*count = scribe->mappers.count;
	scribe->mappers.count = 0;
	return scribe->mappers.items;
}

/* The kernel's text, but with the event's name in the stream; the kernel's own may be a makeshift. */
static char *format_record(const struct wish *wish, size_t *length)
{
	const char *name = strchr(wish->event, ':') + 1;
	const char *rest = wish->format + strcspn(wish->format, "\n");
	char *body;

	*length = (size_t)(name - wish->event) + strlen("name: ") + strlen(name) + strlen(rest);
	body = memory_format("%.*s%cname: %s%s", (int)(name - 1 - wish->event), wish->event, '\n', name, rest);
	body[name - 1 - wish->event] = '\0';
	return body;
}

int scribe_format(struct stream *stream, const struct wish *wish, bool swapped)
{
	struct record record = {.kind = KIND_FORMAT, .packed = true, .swapped = swapped};
	char *body = format_record(wish, &record.length);
	int status;

	record.text = body;
	status = stream_write_record(stream, &record);
	free(body);
	return status;
}

static int32_t number_at(const struct ring *ring, uint16_t offset)
{
	uint32_t number = 0;

	if (offset + sizeof(number) <= ring->page.size)
		memcpy(&number, ring->page.payload + offset, sizeof(number));
	return (int32_t)(ring->page.swapped ? __builtin_bswap32(number) : number);
}

/* Of a live kernel, whose word is ours; a recorded one's descriptors are not asked for. */
static long word_at(const struct ring *ring, uint16_t offset)
{
	long word = 0;

	if (offset + sizeof(word) <= ring->page.size)
		memcpy(&word, ring->page.payload + offset, sizeof(word));
	return word;
}

static struct common_fields common_of(const struct ring *ring)
{
	struct common_fields common;

	memcpy(&common, ring->page.payload, sizeof(common));
	if (ring->page.swapped) {
		common.id = __builtin_bswap16(common.id);
		common.tid = (int32_t)__builtin_bswap32((uint32_t)common.tid);
	}
	return common;
}

int scribe_lost(struct scribe *scribe, const struct ring *ring, int64_t ts, uint64_t count)
{
	struct line line = {0};
	int status;

	line_begin(&line, "lost");
	line_time(&line, "ts", ts);
	line_integer(&line, "cpu", ring->cpu);
	line_unsigned(&line, "count", count);
	if (ring->last != INT64_MIN)
		line_time(&line, "from", ring->last);
	status = stream_write_line(scribe->stream, &line);
	stream_count_lost(scribe->stream, count);
	scribe->threads.gaps++;
	if (scribe->by.exceptions)
		exceptions_forget(scribe->by.exceptions, 0);
	line_free(&line);
	return status;
}

/* Tells whether the thread is one of tailblame's own. */
static bool is_ours(const struct scribe *scribe, int32_t tid)
{
	bool ours = false;

	if (tid == 0 || scribe->own[0] == 0) /* of a saved trace none is */
		return false;
	for (int i = 0; i < SCRIBE_OWN; i++)
		ours |= tid == scribe->own[i];
	return ours;
}

static bool is_own(const struct scribe *scribe, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	if (!is_ours(scribe, common->tid) || common->flags & IN_INTERRUPT || layout->shared)
		return false;
	for (int i = 0; i < layout->thread_count; i++) {
		if (!is_ours(scribe, number_at(ring, layout->threads[i].tid)))
			return false;
	}
	return true;
}

/* Where one process is traced: events of its threads, and what the charts need of others. */
static bool is_wanted(const struct scribe *scribe, const struct wish *wish, const struct common_fields *common,
		      const struct ring *ring)
{
	const struct layout *layout = &wish->layout;

	if (wish->flags & WISH_CONTEXT)
		return true;
	if (layout->waits_at)
		return process_has(scribe->process, number_at(ring, layout->waits_at));
	if (process_has(scribe->process, common->tid))
		return true;
	for (int i = 0; i < layout->thread_count; i++) {
		if (process_has(scribe->process, number_at(ring, layout->threads[i].tid)))
			return true;
	}
	return false;
}

/* A dynamic field holds the place and, above it, the length of its text. NULL: the event does not give the name. */
static const char *name_at(const struct ring *ring, const struct layout_thread *at, char name[THREAD_NAME])
{
	uint32_t place = at->dynamic ? (uint32_t)number_at(ring, at->comm) : 0;
	uint32_t offset = at->dynamic ? place & 0xffff : at->comm;
	uint32_t length = at->dynamic && place >> 16 < THREAD_NAME ? place >> 16 : THREAD_NAME;

	if (!at->comm || offset + length > ring->page.size)
		return NULL;
	if (!at->dynamic)
		return ring->page.payload + offset;
	memset(name, 0, THREAD_NAME);
	memcpy(name, ring->page.payload + offset, length);
	return name;
}

static int see_fork(struct scribe *scribe, int32_t parent, int32_t child)
{
	if (!process_fork(scribe->process, parent, child))
		return 0;
	return traced_write(scribe->process, scribe->stream, child);
}

/* A thread that was made, or that runs another program. */
static int see_life(struct scribe *scribe, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	struct threads *threads = &scribe->threads;

	if (scribe->by.exceptions && (layout->is_exit || layout->is_exec) && common->tid > 0)
		exceptions_forget(scribe->by.exceptions, common->tid);
	if (layout->is_fork && layout->thread_count) {
		threads_forget(threads, number_at(ring, layout->threads[0].tid), true);
		if (layout->clone_at)
			threads_made(threads, common->tid, number_at(ring, layout->threads[0].tid), !(number_at(ring, layout->clone_at) & CLONE_THREAD));
		if (scribe->files)
			files_forget(scribe->files, number_at(ring, layout->threads[0].tid));
		if (threads->titles)
			titles_born(threads->titles, number_at(ring, layout->threads[0].tid));
		if (threads->execs)
			execs_fork(threads->execs, common->tid, number_at(ring, layout->threads[0].tid), ring_ts(ring));
	}
	if (!layout->is_exec || common->tid <= 0)
		return 0;
	*ARRAY_ADD(&scribe->began) = common->tid;
	threads_forget(threads, common->tid, false);
	if (scribe->files)
		files_forget(scribe->files, common->tid);
	if (threads_see(threads, scribe->stream, ring_ts(ring), common->tid, NULL) < 0)
		return -1;
	if (!process_began(scribe->process, common->tid, threads_program(threads, common->tid), threads_at(threads, common->tid)->comm))
		return 0;
	return traced_write(scribe->process, scribe->stream, common->tid);
}

/* Names the threads that the event names before it is written, and follows forks. */
static int see_threads(struct scribe *scribe, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	if (see_life(scribe, layout, common, ring) < 0)
		return -1;
	for (int i = 0; i < layout->thread_count; i++) {
		const struct layout_thread *at = &layout->threads[i];
		int32_t tid = number_at(ring, at->tid);
		char room[THREAD_NAME];
		const char *name = name_at(ring, at, room);

		if (name ? threads_known_as(&scribe->threads, tid, name) : threads_known(&scribe->threads, tid))
			continue;
		if (threads_see(&scribe->threads, scribe->stream, ring_ts(ring), tid, name) < 0)
			return -1;
	}
	if (layout->is_exit)
		return threads_end(&scribe->threads, scribe->stream, ring_ts(ring), common->tid);
	return layout->is_fork && layout->thread_count && scribe->process->members
		       ? see_fork(scribe, common->tid, number_at(ring, layout->threads[0].tid))
		       : 0;
}

/* Follows the thread into system calls for a file, so that a sleep in one can be told apart from others. */
static int see_file(struct scribe *scribe, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	enum { INTERRUPTIBLE = 1 };

	if (layout->is_call) {
		bool of_file = layout->fd_at && (!layout->call_at || file_call_numbered(word_at(ring, layout->call_at)));

		files_enter(scribe->files, common->tid, of_file ? (int32_t)word_at(ring, layout->fd_at) : FILE_NONE, ring_ts(ring));
		if (scribe->unswitched && of_file && files_watch(scribe->files, common->tid))
			*ARRAY_ADD(&scribe->callers) = common->tid;
		return 0;
	}
	if (!(word_at(ring, layout->state_at) & INTERRUPTIBLE))
		return 0;
	return files_sleep(scribe->files, scribe->stream, ring_ts(ring), common->tid);
}

/* A recorded event's filter; by now the event may have named its own thread anew. 1: it passes; 0: it does not; -1 after fail(). */
static int passes(struct scribe *scribe, const struct wish *wish, const struct record *record)
{
	struct event event;

	if (events_read(scribe->by.names, record, &event) < 0)
		return -1;
	if (predicate_asks_name(wish->predicate) && !threads_known(&scribe->threads, event.tid) &&
	    threads_see(&scribe->threads, scribe->stream, event.ts, event.tid, NULL) < 0)
		return -1;
	return predicate_passes(wish->predicate, &event);
}

/* An event that many functions share becomes that of its function. NULL: it is none that was asked for. */
static struct wish *take_part(const struct wish *shared, const struct ring *ring, struct record *record, char bytes[PART_ROOM])
{
	struct wish *wish = wishes_part(shared, (uint32_t)number_at(ring, shared->layout.part_at));

	if (!wish || record->length > PART_ROOM)
		return NULL;
	memcpy(bytes, record->text, record->length);
	memcpy(bytes, &wish->id, sizeof(wish->id));
	record->text = bytes;
	return wish;
}

/* Tells whether what somebody wrote down about the program leads to what it should, as far as this event tells. */
static bool is_proven(const struct wish *wish, const struct record *record, int32_t tid)
{
	int64_t fd;

	if (!argument_record_descriptor(wish->arguments, record->text, record->length, &fd))
		fd = -1;
	return member_check_holds(wish->check, tid, fd);
}

/* The kernel's words of a call become its arguments. NULL: the event is cut. */
static struct wish *take_arguments(struct wish *wish, struct record *record, int32_t tid, char bytes[ARGUMENT_RECORD_ROOM])
{
	bool trusted = !wish->check || is_proven(wish, record, tid);

	record->length = argument_record_take(wish->arguments, record->text, record->length, trusted, bytes);
	record->text = bytes;
	return record->length ? wish : NULL;
}

static void note_mapper(struct scribe *scribe, int32_t tid)
{
	if (scribe->mappers.count == 0 || scribe->mappers.items[scribe->mappers.count - 1] != tid)
		*ARRAY_ADD(&scribe->mappers) = tid;
}

static int see_exception(struct scribe *scribe, const struct wish *wish, const struct common_fields *common, const struct ring *ring)
{
	if (scribe->process->members && !is_wanted(scribe, wish, common, ring))
		return 0;
	if (!threads_known(&scribe->threads, common->tid) &&
	    threads_see(&scribe->threads, scribe->stream, ring_ts(ring), common->tid, NULL) < 0)
		return -1;
	return exceptions_see(scribe->by.exceptions, scribe->stream, wish, common->tid, ring_ts(ring), ring->page.payload, ring->page.size);
}

int scribe_event(struct scribe *scribe, const struct ring *ring)
{
	struct record record = {
		.kind = KIND_EVENT,
		.packed = true,
		.swapped = ring->page.swapped,
		.text = ring->page.payload,
		.length = ring->page.size,
		.ts = ring_ts(ring),
		.cpu = (uint32_t)ring->cpu,
	};
	bool is_whole = ring->page.size >= sizeof(struct common_fields);
	struct common_fields common = is_whole ? common_of(ring) : (struct common_fields){0};
	struct wish *wish = is_whole ? scribe->by_id[common.id] : NULL;
	const struct layout *layout;
	char bytes[PART_ROOM], arguments[ARGUMENT_RECORD_ROOM];
	int status;

	if (wish && wish->parts.count)
		wish = take_part(wish, ring, &record, bytes);
	else if (wish && wish->arguments && !wish->exception)
		wish = take_arguments(wish, &record, common.tid, arguments);
	if (ring->missed && scribe_lost(scribe, ring, ring_ts(ring), ring->missed) < 0)
		return -1;
	if (!wish) {
		scribe->strangers++;
		return 0;
	}
	wish->seen++;
	layout = &wish->layout;
	if (wish->flags & WISH_MAPS) {
		note_mapper(scribe, common.tid);
		return 0;
	}
	if (!wish->enabled || is_own(scribe, layout, &common, ring))
		return 0;
	if (wish->exception && (see_exception(scribe, wish, &common, ring) < 0))
		return -1;
	if ((layout->thread_count || layout->is_exec) && see_threads(scribe, layout, &common, ring) < 0)
		return -1;
	status = wish->predicate ? passes(scribe, wish, &record) : 1;
	if (status <= 0)
		return status;
	if (scribe->files && (layout->is_call || layout->state_at) && see_file(scribe, layout, &common, ring) < 0)
		return -1;
	if (wish->flags & WISH_QUIET || (scribe->process->members && !is_wanted(scribe, wish, &common, ring)))
		return 0;
	if (!threads_known(&scribe->threads, common.tid) &&
	    threads_see(&scribe->threads, scribe->stream, ring_ts(ring), common.tid, NULL) < 0)
		return -1;
	scribe->events++;
	if (wish->introduced && scribe->by.introduce(scribe->by.context, &record) < 0)
		return -1;
	status = stream_write_record(scribe->stream, &record);
	if (status == 0 && layout->lock.inode_at && scribe->locks)
		status = locks_see(scribe->locks, scribe->stream, &scribe->threads, layout, ring, common.tid);
	return status;
}

/* --- stacks: events of our own making, in the form of the kernel's ----------------------------------------------- */

/* Far above the kernel's own numbers. */
enum { ID_SLEEP = WISH_OWN_IDS + 14, ID_WAKE = ID_SLEEP - 1, ID_RUN = ID_SLEEP - 2, ID_FLAG_WRITE = ID_SLEEP - 3, ID_FLAG_READ = ID_SLEEP - 4, ID_COUNTER = WISH_OWN_IDS /* the first of COUNTERS_MAX */ };

/* Events in the formats below. */
struct stack_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint32_t stack;
	int32_t pid; /* of a wake-up only */
};

struct counter_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint64_t count;
};

/* Texts lie behind it; of each its place and, above that, its length. */
struct flag_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint64_t ip;
	uint32_t flag, function;
};

#define BEFORE                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define COMMON BEFORE "\tfield:unsigned int stack;\toffset:8;\tsize:4;\tsigned:0;\n"

static const char run_format[] = "stack\0name: run\nID: 65532\n" COMMON "\nprint fmt: \"stack=%u\", REC->stack\n";
static const char sleep_format[] = "stack\0name: sleep\nID: 65534\n" COMMON "\nprint fmt: \"stack=%u\", REC->stack\n";
static const char wake_format[] = "stack\0name: wake\nID: 65533\n" COMMON
				  "\tfield:int pid;\toffset:12;\tsize:4;\tsigned:1;\n"
				  "\nprint fmt: \"stack=%u pid=%d\", REC->stack, REC->pid\n";

int scribe_stack_formats(struct stream *stream)
{
	struct record run = {.kind = KIND_FORMAT, .packed = true, .text = run_format, .length = sizeof(run_format) - 1};
	struct record sleep = {.kind = KIND_FORMAT, .packed = true, .text = sleep_format, .length = sizeof(sleep_format) - 1};
	struct record wake = {.kind = KIND_FORMAT, .packed = true, .text = wake_format, .length = sizeof(wake_format) - 1};

	return stream_write_record(stream, &sleep) < 0 || stream_write_record(stream, &wake) < 0 ? -1 : stream_write_record(stream, &run);
}

#define FLAG_FIELDS                                                               \
	"\tfield:void * ip;\toffset:8;\tsize:8;\tsigned:0;\n"                     \
	"\tfield:__data_loc char[] flag;\toffset:16;\tsize:4;\tsigned:0;\n"     \
	"\tfield:__data_loc char[] function;\toffset:20;\tsize:4;\tsigned:0;\n" \
	"\nprint fmt: \"flag=%s ip=%p function=%s\", __get_str(flag), REC->ip, __get_str(function)\n"

static const char write_format[] = "flag\0name: write\nID: 65531\n" BEFORE FLAG_FIELDS;
static const char read_format[] = "flag\0name: read\nID: 65530\n" BEFORE FLAG_FIELDS;

int scribe_flag_formats(struct stream *stream)
{
	struct record write = {.kind = KIND_FORMAT, .packed = true, .text = write_format, .length = sizeof(write_format) - 1};
	struct record read = {.kind = KIND_FORMAT, .packed = true, .text = read_format, .length = sizeof(read_format) - 1};

	return stream_write_record(stream, &write) < 0 ? -1 : stream_write_record(stream, &read);
}

int scribe_counter_formats(struct stream *stream, const struct counters *counters)
{
	int status = 0;

	for (size_t i = 0; i < counters->list.count && status == 0; i++) {
		size_t size;
		char *text;
		FILE *out = open_memstream(&text, &size);

		fprintf(out, "counter%cname: %s\nID: %zu\n" BEFORE "\tfield:u64 count;\toffset:8;\tsize:8;\tsigned:0;\n"
			"\nprint fmt: \"count=%%llu\", REC->count\n", '\0', counters->list.items[i].event, ID_COUNTER + i);
		fclose(out);
		status = stream_write_record(stream, &(struct record){.kind = KIND_FORMAT, .packed = true, .text = text, .length = size});
		free(text);
	}
	return status;
}

/* Spells the stack out when it comes into this stream for the first time. */
static int describe(struct scribe *scribe, uint32_t stack)
{
	struct line line = {0};
	int status;

	while (scribe->described.count <= stack)
		*ARRAY_ADD(&scribe->described) = false;
	if (scribe->described.items[stack])
		return 0;
	scribe->described.items[stack] = true;
	line_begin(&line, kind_name(KIND_STACK));
	line_unsigned(&line, "id", stack);
	stacks_describe(scribe->by.stacks, stack, &line);
	status = stream_write_line(scribe->stream, &line);
	line_free(&line);
	return status;
}

static int write_stack(struct scribe *scribe, const struct stack_seen *seen)
{
	static const uint16_t ids[STACK_COUNT] = {[STACK_SLEEP] = ID_SLEEP, [STACK_WAKE] = ID_WAKE, [STACK_RUN] = ID_RUN};
	struct stack_event event = {.common_type = ids[seen->moment],
				    .common_pid = seen->thread,
				    .stack = seen->stack,
				    .pid = seen->woken};
	struct record record = {
		.kind = KIND_EVENT,
		.packed = true,
		.text = (const char *)&event,
		.length = seen->moment == STACK_WAKE ? sizeof(event) : offsetof(struct stack_event, pid),
		.ts = seen->ts,
		.cpu = seen->cpu,
	};

	if (is_ours(scribe, seen->thread))
		return 0;
	if (!threads_known(&scribe->threads, seen->thread) &&
	    threads_see(&scribe->threads, scribe->stream, seen->ts, seen->thread, NULL) < 0)
		return -1;
	if (describe(scribe, seen->stack) < 0)
		return -1;
	scribe->events++;
	return stream_write_record(scribe->stream, &record);
}

/* An event for each counter that counted something. */
static int write_counts(struct scribe *scribe, const struct stack_seen *seen, const uint64_t counts[COUNTERS_MAX])
{
	int status = 0;

	if (is_ours(scribe, seen->thread))
		return 0;
	if (!threads_known(&scribe->threads, seen->thread) &&
	    threads_see(&scribe->threads, scribe->stream, seen->ts, seen->thread, NULL) < 0)
		return -1;
	for (uint16_t i = 0; i < stacks_counters(scribe->stacks) && status == 0; i++) {
		struct counter_event event = {.common_type = (uint16_t)(ID_COUNTER + i), .common_pid = seen->thread, .count = counts[i]};
		struct record record = {.kind = KIND_EVENT, .packed = true, .text = (const char *)&event, .length = sizeof(event), .ts = seen->ts, .cpu = seen->cpu};

		if (counts[i] == 0)
			continue;
		scribe->events++;
		status = stream_write_record(scribe->stream, &record);
	}
	return status;
}

/* A flag is watched no longer: what is missing from here on is of an unknown number. */
static int write_flag_off(struct scribe *scribe, const struct stack_seen *seen)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_LOST));
	line_time(&line, "ts", seen->ts);
	line_unsigned(&line, "cpu", seen->cpu);
	line_unsigned(&line, "count", 0);
	line_text(&line, "flag", stacks_flag(scribe->by.stacks, seen->flag));
	status = stream_write_line(scribe->stream, &line);
	stream_mark_incomplete(scribe->stream);
	line_free(&line);
	return status;
}

static int write_flag(struct scribe *scribe, const struct stack_seen *seen)
{
	enum { ROOM = 4096 };
	char bytes[sizeof(struct flag_event) + 2 * ROOM], *function = seen->stack ? stacks_function(scribe->by.stacks, seen->stack, 0) : NULL;
	const char *flag = stacks_flag(scribe->by.stacks, seen->flag);
	uint32_t flag_size = (uint32_t)strnlen(flag, ROOM - 1) + 1, function_size = function ? (uint32_t)strnlen(function, ROOM - 1) + 1 : 1;
	struct flag_event event = {.common_type = seen->moment == STACK_FLAG_WRITE ? ID_FLAG_WRITE : ID_FLAG_READ,
				   .common_pid = seen->thread,
				   .ip = seen->ip,
				   .flag = flag_size << 16 | sizeof(event),
				   .function = function_size << 16 | (uint32_t)(sizeof(event) + flag_size)};
	struct record record = {.kind = KIND_EVENT, .packed = true, .text = bytes, .length = sizeof(event) + flag_size + function_size, .ts = seen->ts, .cpu = seen->cpu};

	memcpy(bytes, &event, sizeof(event));
	snprintf(bytes + sizeof(event), flag_size, "%s", flag);
	snprintf(bytes + sizeof(event) + flag_size, function_size, "%s", function ? function : "");
	free(function);
	if (!threads_known(&scribe->threads, seen->thread) &&
	    threads_see(&scribe->threads, scribe->stream, seen->ts, seen->thread, NULL) < 0)
		return -1;
	scribe->events++;
	return stream_write_record(scribe->stream, &record);
}

static int write_seen(struct scribe *scribe, const struct stack_seen *seen, const uint64_t counts[COUNTERS_MAX])
{
	switch (seen->moment) {
	case STACK_COUNT:
		return write_counts(scribe, seen, counts);
	case STACK_FLAG_WRITE:
	case STACK_FLAG_READ:
		return write_flag(scribe, seen);
	case STACK_FLAG_OFF:
		return write_flag_off(scribe, seen);
	default:
		return write_stack(scribe, seen);
	}
}

/* A stack is that of what its thread throws next. */
static int take_throws(struct scribe *scribe, int64_t bound)
{
	struct stack_seen seen;

	while (scribe->by.exceptions && scribe->by.stacks && stacks_next_throw(scribe->by.stacks, bound, &seen)) {
		if (scribe->process->members && !process_has(scribe->process, seen.thread))
			continue;
		if (describe(scribe, seen.stack) < 0)
			return -1;
		exceptions_stack(scribe->by.exceptions, seen.thread, seen.process, seen.stack, stacks_function(scribe->by.stacks, seen.stack, 1));
	}
	return 0;
}

/* Stacks before the bound, each behind what it stands for. -1 after fail(). */
static int write_stacks(struct scribe *scribe, int64_t bound)
{
	uint64_t counts[COUNTERS_MAX];
	struct stack_seen seen;

	while (scribe->stacks && stacks_next(scribe->stacks, bound, &seen, counts))
		if (write_seen(scribe, &seen, counts) < 0)
			return -1;
	return 0;
}

static int look_at_callers(struct scribe *scribe, int64_t ts)
{
	size_t left = 0;

	for (size_t i = 0; i < scribe->callers.count; i++) {
		int status = files_look(scribe->files, scribe->stream, ts, scribe->callers.items[i]);

		if (status < 0)
			return -1;
		if (status > 0)
			scribe->callers.items[left++] = scribe->callers.items[i];
	}
	scribe->callers.count = left;
	return 0;
}

int scribe_round(struct scribe *scribe, struct merge *merge, int64_t bound)
{
	struct ring *ring;
	int status = merge_begin(merge, bound);

	scribe->events = 0;
	scribe->began.count = 0;
	if (status == 0 && scribe->threads.titles && bound != INT64_MAX)
		status = threads_tell_titles(&scribe->threads, scribe->stream);
	if (scribe->by.stacks)
		stacks_take(scribe->by.stacks, bound);
	while (status == 0 && !stream_output_closed(scribe->stream) && (status = merge_next(merge, &ring)) > 0) {
		if (scribe->by.stacks && (write_stacks(scribe, ring_ts(ring)) < 0 || take_throws(scribe, ring_ts(ring)) < 0))
			return -1;
		status = scribe_event(scribe, ring);
	}
	if (status < 0 || write_stacks(scribe, bound) < 0)
		return -1;
	return bound == INT64_MAX ? 0 : look_at_callers(scribe, bound); /* at the end, who is in a call may have left it */
}
