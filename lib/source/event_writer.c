#include "source/event_writer.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
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

enum { PART_ROOM = 64 }; /* most bytes of a probe's event: common fields, two addresses, and two arguments */

/* Bits of an event's common_flags: the event happened in an interrupt, whichever thread that hit. */
enum { IN_INTERRUPT = 0x08 | 0x10 | 0x40 };

/* The common fields of every event. */
struct common_fields {
	uint16_t id;
	uint8_t flags, preempt_count;
	int32_t tid;
};

struct event_writer {
	struct event_writer_setup by;
	struct stream *stream;
	struct selected *const *by_id;
	struct process *process;
	struct stacks *stacks;
	struct threads threads;	 /* named so far */
	struct files *files;	 /* NULL: /proc does not tell of the threads' files */
	struct locks *locks;	 /* NULL: likewise */
	bool unswitched;	 /* the recorder has sched_switch, so a thread's sleep shows only by its staying in a call for a file */
	ARRAY(int32_t) callers;	 /* threads in such calls, to be looked at */
	int32_t own[EVENT_WRITER_OWN];
	uint64_t events;	 /* written in the last round */
	uint64_t strangers;	 /* events of unknown kind, left out so far */
	ARRAY(int32_t) mappers;	 /* threads that mapped code */
	ARRAY(int32_t) began;	 /* processes that began to run a program, in the last round */
	ARRAY(bool) described;	 /* by a stack's number: it was spelled out in this stream */
	int64_t tick_due;
};

static const int64_t tick_every = NSEC_PER_SEC / 10, tick_later = NSEC_PER_SEC / 1000 /* if a gap is in the way */;

struct event_writer *event_writer_new(const struct event_writer_setup *setup)
{
	struct event_writer *writer = NEW(struct event_writer);

	writer->by = *setup;
	writer->stream = setup->stream;
	writer->by_id = selection_by_id(setup->selection);
	writer->process = setup->process;
	writer->stacks = setup->stacks;
	writer->files = setup->foreign ? NULL : files_new();
	writer->locks = setup->foreign || !setup->clock ? NULL : locks_new(setup->clock);
	writer->threads.foreign = setup->foreign;
	writer->threads.reader = setup->reader;
	writer->threads.execs = setup->execs;
	writer->threads.titles = setup->titles;
	writer->threads.always_asks = setup->always_asks;
	writer->threads.recorded = setup->cmdlines;
	writer->tick_due = setup->ticks ? INT64_MIN : INT64_MAX;
	return writer;
}

void event_writer_free(struct event_writer *writer)
{
	if (!writer)
		return;
	threads_free(&writer->threads);
	files_free(writer->files);
	locks_free(writer->locks);
	free(writer->callers.items);
	free(writer->mappers.items);
	free(writer->began.items);
	free(writer->described.items);
	free(writer);
}

int event_writer_within(struct event_writer *writer, int32_t tid, int32_t pid, long call, int32_t fd, int64_t ts)
{
	return writer->locks ? locks_within(writer->stream, &writer->threads, tid, pid, call, fd, ts) : 0;
}

int event_writer_name(struct event_writer *writer, int32_t tid, int64_t ts)
{
	return threads_known(&writer->threads, tid) ? 0 : threads_see(&writer->threads, writer->stream, ts, tid, NULL);
}

int event_writer_put(struct event_writer *writer, int32_t tid, const struct record *event)
{
	return event_writer_name(writer, tid, event->ts) < 0 ? -1 : stream_write_record(writer->stream, event);
}

void event_writer_own(struct event_writer *writer, const int32_t tids[EVENT_WRITER_OWN])
{
	memcpy(writer->own, tids, sizeof(writer->own));
}

void event_writer_share(struct event_writer *writer, bool switches)
{
	writer->stacks = NULL;
	writer->unswitched = switches;
}

uint64_t event_writer_written(const struct event_writer *writer)
{
	return writer->events;
}

uint64_t event_writer_strangers(const struct event_writer *writer)
{
	return writer->strangers;
}

const int32_t *event_writer_began(struct event_writer *writer, size_t *count)
{
	*count = writer->began.count;
	writer->began.count = 0;
	return writer->began.items;
}

const int32_t *event_writer_mappers(struct event_writer *writer, size_t *count)
{
	*count = writer->mappers.count;
	writer->mappers.count = 0;
	return writer->mappers.items;
}

/* The kernel's format text, but with the name that the event has in the stream; its name in tracefs may be a makeshift. */
static char *format_record(const struct selected *selected, size_t *length)
{
	const char *name = strchr(selected->event, ':') + 1;
	const char *rest = selected->format + strcspn(selected->format, "\n");
	char *body;

	*length = (size_t)(name - selected->event) + strlen("name: ") + strlen(name) + strlen(rest);
	body = memory_format("%.*s%cname: %s%s", (int)(name - 1 - selected->event), selected->event, '\n', name, rest);
	body[name - 1 - selected->event] = '\0';
	return body;
}

int event_writer_format(struct stream *stream, const struct selected *selected, bool swapped)
{
	struct record record = {.kind = KIND_FORMAT, .packed = true, .swapped = swapped};
	char *body = format_record(selected, &record.length);
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

/* Only for events of the running kernel, whose words have our size: descriptors in recorded events are not looked up. */
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

int event_writer_lost(struct event_writer *writer, const struct ring *ring, int64_t ts, uint64_t count)
{
	struct line line = {0};
	int status;

	line_begin(&line, "lost");
	line_time(&line, "ts", ts);
	line_integer(&line, "cpu", ring->cpu);
	line_unsigned(&line, "count", count);
	if (ring->last != INT64_MIN)
		line_time(&line, "from", ring->last);
	status = stream_write_line(writer->stream, &line);
	stream_count_lost(writer->stream, count);
	writer->threads.gaps++;
	if (writer->by.exceptions)
		exceptions_forget(writer->by.exceptions, 0);
	line_free(&line);
	return status;
}

/* Tells whether the thread is one of tailblame's own. */
static bool is_ours(const struct event_writer *writer, int32_t tid)
{
	bool ours = false;

	if (tid == 0 || writer->own[0] == 0) /* a saved trace has none of ours */
		return false;
	for (int i = 0; i < EVENT_WRITER_OWN; i++)
		ours |= tid == writer->own[i];
	return ours;
}

static bool is_own(const struct event_writer *writer, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	if (!is_ours(writer, common->tid) || common->flags & IN_INTERRUPT || layout->shared)
		return false;
	for (int i = 0; i < layout->thread_count; i++) {
		if (!is_ours(writer, number_at(ring, layout->threads[i].tid)))
			return false;
	}
	return true;
}

/* If processes were chosen: tells whether the event is of their threads, or is needed by a chart. */
static bool is_wanted(const struct event_writer *writer, const struct selected *selected, const struct common_fields *common,
		      const struct ring *ring)
{
	const struct layout *layout = &selected->layout;

	if (selected->flags & SELECT_CONTEXT)
		return true;
	if (layout->waits_at)
		return process_has(writer->process, number_at(ring, layout->waits_at));
	if (process_has(writer->process, common->tid))
		return true;
	for (int i = 0; i < layout->thread_count; i++) {
		if (process_has(writer->process, number_at(ring, layout->threads[i].tid)))
			return true;
	}
	return false;
}

/* A dynamic field holds its text's place in the lower 16 bits and its length in the upper. NULL: the event does not give the name. */
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

static int see_fork(struct event_writer *writer, int32_t parent, int32_t child)
{
	if (!process_fork(writer->process, parent, child))
		return 0;
	return traced_write(writer->process, writer->stream, child);
}

/* Notes that a thread was made, runs another program, or ended. */
static int see_life(struct event_writer *writer, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	struct threads *threads = &writer->threads;

	if (writer->by.exceptions && (layout->is_exit || layout->is_exec) && common->tid > 0)
		exceptions_forget(writer->by.exceptions, common->tid);
	if (layout->is_fork && layout->thread_count) {
		threads_forget(threads, number_at(ring, layout->threads[0].tid), true);
		if (layout->clone_at)
			threads_made(threads, common->tid, number_at(ring, layout->threads[0].tid), !(number_at(ring, layout->clone_at) & CLONE_THREAD));
		if (writer->files)
			files_forget(writer->files, number_at(ring, layout->threads[0].tid));
		if (threads->titles)
			titles_born(threads->titles, number_at(ring, layout->threads[0].tid));
		if (threads->execs)
			execs_fork(threads->execs, common->tid, number_at(ring, layout->threads[0].tid), ring_ts(ring));
	}
	if (!layout->is_exec || common->tid <= 0)
		return 0;
	*ARRAY_ADD(&writer->began) = common->tid;
	threads_forget(threads, common->tid, false);
	if (writer->files)
		files_forget(writer->files, common->tid);
	if (threads_see(threads, writer->stream, ring_ts(ring), common->tid, NULL) < 0)
		return -1;
	if (!process_began(writer->process, common->tid, threads_program(threads, common->tid), threads_at(threads, common->tid)->comm))
		return 0;
	return traced_write(writer->process, writer->stream, common->tid);
}

/* Writes the names of the threads in an event before the event is written, and follows forks. */
static int see_threads(struct event_writer *writer, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	if (see_life(writer, layout, common, ring) < 0)
		return -1;
	for (int i = 0; i < layout->thread_count; i++) {
		const struct layout_thread *at = &layout->threads[i];
		int32_t tid = number_at(ring, at->tid);
		char room[THREAD_NAME];
		const char *name = name_at(ring, at, room);

		if (name ? threads_known_as(&writer->threads, tid, name) : threads_known(&writer->threads, tid))
			continue;
		if (threads_see(&writer->threads, writer->stream, ring_ts(ring), tid, name) < 0)
			return -1;
	}
	if (layout->is_exit)
		return threads_end(&writer->threads, writer->stream, ring_ts(ring), common->tid);
	return layout->is_fork && layout->thread_count && writer->process->members
		       ? see_fork(writer, common->tid, number_at(ring, layout->threads[0].tid))
		       : 0;
}

/* Follows the thread into system calls for a file, so that a sleep in one can be told apart from others. */
static int see_file(struct event_writer *writer, const struct layout *layout, const struct common_fields *common, const struct ring *ring)
{
	enum { INTERRUPTIBLE = 1 };

	if (layout->is_call) {
		bool of_file = layout->fd_at && (!layout->call_at || file_call_numbered(word_at(ring, layout->call_at)));

		files_enter(writer->files, common->tid, of_file ? (int32_t)word_at(ring, layout->fd_at) : FILE_NONE, ring_ts(ring));
		if (writer->unswitched && of_file && files_watch(writer->files, common->tid))
			*ARRAY_ADD(&writer->callers) = common->tid;
		return 0;
	}
	if (!(word_at(ring, layout->state_at) & INTERRUPTIBLE))
		return 0;
	return files_sleep(writer->files, writer->stream, ring_ts(ring), common->tid);
}

/* Applies the event's filter. By now the event may have given its own thread a new name. 1: it passes; 0: it does not; -1 after fail(). */
static int passes(struct event_writer *writer, const struct selected *selected, const struct record *record)
{
	struct event event;

	if (events_read(writer->by.names, record, &event) < 0)
		return -1;
	if (predicate_asks_name(selected->predicate) && !threads_known(&writer->threads, event.tid) &&
	    threads_see(&writer->threads, writer->stream, event.ts, event.tid, NULL) < 0)
		return -1;
	return predicate_passes(selected->predicate, &event);
}

/* Turns an event that many functions share into that of its function. NULL: the function was not selected, or the event is too long. */
static struct selected *take_part(const struct selected *shared, const struct ring *ring, struct record *record, char bytes[PART_ROOM])
{
	struct selected *selected = selection_part(shared, (uint32_t)number_at(ring, shared->layout.part_at));

	if (!selected || record->length > PART_ROOM)
		return NULL;
	memcpy(bytes, record->text, record->length);
	memcpy(bytes, &selected->id, sizeof(selected->id));
	record->text = bytes;
	return selected;
}

/* Tells whether the places that somebody wrote down for members of the program are right, as far as this event shows. */
static bool is_proven(const struct selected *selected, const struct record *record, int32_t tid)
{
	int64_t fd;

	if (!argument_record_descriptor(selected->arguments, record->text, record->length, &fd))
		fd = -1;
	return member_check_holds(selected->check, tid, fd);
}

/* Turns the kernel's words of a call into its arguments. NULL: the event is cut. */
static struct selected *take_arguments(struct selected *selected, struct record *record, int32_t tid, char bytes[ARGUMENT_RECORD_ROOM])
{
	bool trusted = !selected->check || is_proven(selected, record, tid);

	record->length = argument_record_take(selected->arguments, record->text, record->length, trusted, bytes);
	record->text = bytes;
	return record->length ? selected : NULL;
}

static void note_mapper(struct event_writer *writer, int32_t tid)
{
	if (writer->mappers.count == 0 || writer->mappers.items[writer->mappers.count - 1] != tid)
		*ARRAY_ADD(&writer->mappers) = tid;
}

static int see_exception(struct event_writer *writer, const struct selected *selected, const struct common_fields *common, const struct ring *ring)
{
	if (writer->process->members && !is_wanted(writer, selected, common, ring))
		return 0;
	if (event_writer_name(writer, common->tid, ring_ts(ring)) < 0)
		return -1;
	return exceptions_see(writer->by.exceptions, writer->stream, selected, common->tid, ring_ts(ring), ring->page.payload, ring->page.size);
}

int event_writer_event(struct event_writer *writer, const struct ring *ring)
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
	struct selected *selected = is_whole ? writer->by_id[common.id] : NULL;
	const struct layout *layout;
	char bytes[PART_ROOM], arguments[ARGUMENT_RECORD_ROOM];
	int status;

	if (selected && selected->parts.count)
		selected = take_part(selected, ring, &record, bytes);
	else if (selected && selected->arguments && !selected->exception)
		selected = take_arguments(selected, &record, common.tid, arguments);
	if (ring->missed && event_writer_lost(writer, ring, ring_ts(ring), ring->missed) < 0)
		return -1;
	if (!selected) {
		writer->strangers++;
		return 0;
	}
	selected->seen++;
	layout = &selected->layout;
	if (selected->flags & SELECT_MAPS) {
		note_mapper(writer, common.tid);
		return 0;
	}
	if (!selected->enabled || is_own(writer, layout, &common, ring))
		return 0;
	if (selected->exception && (see_exception(writer, selected, &common, ring) < 0))
		return -1;
	if ((layout->thread_count || layout->is_exec) && see_threads(writer, layout, &common, ring) < 0)
		return -1;
	status = selected->predicate ? passes(writer, selected, &record) : 1;
	if (status <= 0)
		return status;
	if (writer->files && (layout->is_call || layout->state_at) && see_file(writer, layout, &common, ring) < 0)
		return -1;
	if (selected->flags & SELECT_QUIET || (writer->process->members && !is_wanted(writer, selected, &common, ring)))
		return 0;
	if (event_writer_name(writer, common.tid, ring_ts(ring)) < 0)
		return -1;
	writer->events++;
	if (selected->introduced && writer->by.introduce(writer->by.context, &record) < 0)
		return -1;
	status = stream_write_record(writer->stream, &record);
	if (status == 0 && layout->lock.inode_at && writer->locks)
		status = locks_see(writer->locks, writer->stream, &writer->threads, layout, ring, common.tid);
	return status;
}

/* --- stacks: events of our own making, in the form of the kernel's ----------------------------------------------- */

/* Numbers of events, far above the kernel's own. */
enum { ID_SLEEP = SELECT_OWN_IDS + 15, ID_WAKE = ID_SLEEP - 1, ID_RUN = ID_SLEEP - 2, ID_FLAG_WRITE = ID_SLEEP - 3, ID_FLAG_READ = ID_SLEEP - 4,
       ID_CALL = ID_SLEEP - 5, ID_COUNTER = SELECT_OWN_IDS + 1 /* the first of COUNTERS_MAX */ };

/* Events in the formats below. */
struct stack_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint32_t stack;
	int32_t pid; /* of a wake-up only */
	uint64_t ip; /* of a call only */
};

struct counter_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint64_t count;
};

/* Its texts follow it. `flag` and `function` hold a text's place in the lower 16 bits and its length in the upper. */
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

static const char call_format[] = "stack\0name: call\nID: 65529\n" COMMON
				  "\tfield:void * ip;\toffset:16;\tsize:8;\tsigned:0;\n"
				  "\nprint fmt: \"stack=%u ip=%p\", REC->stack, REC->ip\n";

#define FLAG_FIELDS                                                               \
	"\tfield:void * ip;\toffset:8;\tsize:8;\tsigned:0;\n"                     \
	"\tfield:__data_loc char[] flag;\toffset:16;\tsize:4;\tsigned:0;\n"     \
	"\tfield:__data_loc char[] function;\toffset:20;\tsize:4;\tsigned:0;\n" \
	"\nprint fmt: \"flag=%s ip=%p function=%s\", __get_str(flag), REC->ip, __get_str(function)\n"

static const char flag_write_format[] = "flag\0name: write\nID: 65531\n" BEFORE FLAG_FIELDS;
static const char flag_read_format[] = "flag\0name: read\nID: 65530\n" BEFORE FLAG_FIELDS;

static int write_format(struct stream *stream, const char *text, size_t length)
{
	return stream_write_record(stream, &(struct record){.kind = KIND_FORMAT, .packed = true, .text = text, .length = length});
}

#define WRITE_FORMAT(stream, text) write_format(stream, text, sizeof(text) - 1)

static int write_counter_formats(struct stream *stream, const struct counters *counters)
{
	int status = 0;

	for (size_t i = 0; i < counters->list.count && status == 0; i++) {
		size_t size;
		char *text;
		FILE *out = open_memstream(&text, &size);

		fprintf(out, "counter%cname: %s\nID: %zu\n" BEFORE "\tfield:u64 count;\toffset:8;\tsize:8;\tsigned:0;\n"
			"\nprint fmt: \"count=%%llu\", REC->count\n", '\0', counters->list.items[i].event, ID_COUNTER + i);
		fclose(out);
		status = write_format(stream, text, size);
		free(text);
	}
	return status;
}

int event_writer_sample_formats(struct stream *stream, const struct sampler_wanted *wanted, bool calls)
{
	if (calls && WRITE_FORMAT(stream, call_format) < 0)
		return -1;
	if (wanted->flags && (WRITE_FORMAT(stream, flag_write_format) < 0 || WRITE_FORMAT(stream, flag_read_format) < 0))
		return -1;
	if (!wanted->waits)
		return 0;
	if (WRITE_FORMAT(stream, sleep_format) < 0 || WRITE_FORMAT(stream, wake_format) < 0 || WRITE_FORMAT(stream, run_format) < 0)
		return -1;
	return write_counter_formats(stream, wanted->counters);
}

/* Spells a stack out before it first comes into this stream. */
static int describe(struct event_writer *writer, uint32_t stack)
{
	struct line line = {0};
	int status;

	while (writer->described.count <= stack)
		*ARRAY_ADD(&writer->described) = false;
	if (writer->described.items[stack])
		return 0;
	writer->described.items[stack] = true;
	line_begin(&line, kind_name(KIND_STACK));
	line_unsigned(&line, "id", stack);
	stacks_describe(writer->by.stacks, stack, &line);
	status = stream_write_line(writer->stream, &line);
	line_free(&line);
	return status;
}

static int write_stack(struct event_writer *writer, const struct stack_seen *seen)
{
	static const struct {
		uint16_t id;
		size_t size;
	} kinds[STACK_COUNT] = {
		[STACK_SLEEP] = {ID_SLEEP, offsetof(struct stack_event, pid)}, [STACK_WAKE] = {ID_WAKE, offsetof(struct stack_event, ip)},
		[STACK_RUN] = {ID_RUN, offsetof(struct stack_event, pid)},     [STACK_CALL] = {ID_CALL, sizeof(struct stack_event)},
	};
	struct stack_event event = {.common_type = kinds[seen->moment].id,
				    .common_pid = seen->thread,
				    .stack = seen->stack,
				    .pid = seen->woken,
				    .ip = seen->ip};
	struct record record = {
		.kind = KIND_EVENT,
		.packed = true,
		.text = (const char *)&event,
		.length = kinds[seen->moment].size,
		.ts = seen->ts,
		.cpu = seen->cpu,
	};

	if (is_ours(writer, seen->thread) || (seen->moment == STACK_CALL && writer->process->members && !process_has(writer->process, seen->thread)))
		return 0;
	if (event_writer_name(writer, seen->thread, seen->ts) < 0)
		return -1;
	if (describe(writer, seen->stack) < 0)
		return -1;
	writer->events++;
	return stream_write_record(writer->stream, &record);
}

/* An event for each counter that counted something. */
static int write_counts(struct event_writer *writer, const struct stack_seen *seen, const uint64_t counts[COUNTERS_MAX])
{
	int status = 0;

	if (is_ours(writer, seen->thread))
		return 0;
	if (event_writer_name(writer, seen->thread, seen->ts) < 0)
		return -1;
	for (uint16_t i = 0; i < stacks_counters(writer->stacks) && status == 0; i++) {
		struct counter_event event = {.common_type = (uint16_t)(ID_COUNTER + i), .common_pid = seen->thread, .count = counts[i]};
		struct record record = {.kind = KIND_EVENT, .packed = true, .text = (const char *)&event, .length = sizeof(event), .ts = seen->ts, .cpu = seen->cpu};

		if (counts[i] == 0)
			continue;
		writer->events++;
		status = stream_write_record(writer->stream, &record);
	}
	return status;
}

/* A flag is watched no longer: from here on, an unknown number of its events is missing. */
static int write_flag_off(struct event_writer *writer, const struct stack_seen *seen)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_LOST));
	line_time(&line, "ts", seen->ts);
	line_unsigned(&line, "cpu", seen->cpu);
	line_unsigned(&line, "count", 0);
	line_text(&line, "flag", stacks_flag(writer->by.stacks, seen->flag));
	status = stream_write_line(writer->stream, &line);
	stream_mark_incomplete(writer->stream);
	line_free(&line);
	return status;
}

static int write_flag(struct event_writer *writer, const struct stack_seen *seen)
{
	enum { ROOM = 4096 };
	char bytes[sizeof(struct flag_event) + 2 * ROOM], *function = seen->stack ? stacks_function(writer->by.stacks, seen->stack, 0) : NULL;
	const char *flag = stacks_flag(writer->by.stacks, seen->flag);
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
	if (event_writer_name(writer, seen->thread, seen->ts) < 0)
		return -1;
	writer->events++;
	return stream_write_record(writer->stream, &record);
}

static int write_seen(struct event_writer *writer, const struct stack_seen *seen, const uint64_t counts[COUNTERS_MAX])
{
	switch (seen->moment) {
	case STACK_COUNT:
		return write_counts(writer, seen, counts);
	case STACK_FLAG_WRITE:
	case STACK_FLAG_READ:
		return write_flag(writer, seen);
	case STACK_FLAG_OFF:
		return write_flag_off(writer, seen);
	default:
		return write_stack(writer, seen);
	}
}

/* Hands on the stacks of throws before the bound. Each belongs to the next throw of its thread. */
static int take_throws(struct event_writer *writer, int64_t bound)
{
	struct stack_seen seen;

	while (writer->by.exceptions && writer->by.stacks && stacks_next_throw(writer->by.stacks, bound, &seen)) {
		if (writer->process->members && !process_has(writer->process, seen.thread))
			continue;
		if (describe(writer, seen.stack) < 0)
			return -1;
		exceptions_stack(writer->by.exceptions, seen.thread, seen.process, seen.stack, stacks_function(writer->by.stacks, seen.stack, 1));
	}
	return 0;
}

/* Writes the stacks before the bound, each behind the record that spells it out. -1 after fail(). */
static int write_stacks(struct event_writer *writer, int64_t bound)
{
	uint64_t counts[COUNTERS_MAX];
	struct stack_seen seen;

	while (writer->stacks && stacks_next(writer->stacks, bound, &seen, counts))
		if (write_seen(writer, &seen, counts) < 0)
			return -1;
	return 0;
}

static int look_at_callers(struct event_writer *writer, int64_t ts)
{
	size_t left = 0;

	for (size_t i = 0; i < writer->callers.count; i++) {
		int status = files_look(writer->files, writer->stream, ts, writer->callers.items[i]);

		if (status < 0)
			return -1;
		if (status > 0)
			writer->callers.items[left++] = writer->callers.items[i];
	}
	writer->callers.count = left;
	return 0;
}

int event_writer_tick(struct event_writer *writer, const struct merge *merge, int64_t ts)
{
	struct line line = {0};
	int status;

	if (merge_hides_gap(merge, ts)) {
		writer->tick_due = ts + tick_later;
		return 0;
	}
	writer->tick_due = ts + tick_every;
	line_begin(&line, kind_name(KIND_TICK));
	line_time(&line, "ts", ts);
	line_time(&line, "every", tick_every);
	status = stream_write_line(writer->stream, &line);
	line_free(&line);
	return status;
}

/* If nothing of the CPU was read before, as in overwritten rings, its gap has no known begin and gets no record: it may span all other rings. */
static int write_gaps(struct event_writer *writer, struct merge *merge)
{
	struct line line = {0};
	const struct ring *ring;
	int status = 0;

	while (status == 0 && (ring = merge_next_gap(merge))) {
		if (ring->last == INT64_MIN || !writer->by.gaps)
			continue;
		line_begin(&line, kind_name(KIND_GAP));
		line_time(&line, "ts", ring->last);
		line_time(&line, "until", ring_ts(ring));
		line_integer(&line, "cpu", ring->cpu);
		status = stream_write_line(writer->stream, &line);
	}
	line_free(&line);
	return status;
}

int event_writer_round(struct event_writer *writer, struct merge *merge, int64_t bound)
{
	struct ring *ring;
	int status = merge_begin(merge, bound);

	writer->events = 0;
	writer->began.count = 0;
	if (status == 0 && writer->threads.titles && bound != INT64_MAX)
		status = threads_tell_titles(&writer->threads, writer->stream);
	if (writer->by.stacks)
		stacks_take(writer->by.stacks, bound);
	while (status == 0 && !stream_output_closed(writer->stream) && (status = merge_next(merge, &ring)) > 0) {
		if (write_gaps(writer, merge) < 0 ||
		    (writer->by.stacks && (write_stacks(writer, ring_ts(ring)) < 0 || take_throws(writer, ring_ts(ring)) < 0)))
			return -1;
		if (ring_ts(ring) >= writer->tick_due && event_writer_tick(writer, merge, ring_ts(ring)) < 0)
			return -1;
		status = event_writer_event(writer, ring);
	}
	if (status < 0 || write_stacks(writer, bound) < 0)
		return -1;
	return bound == INT64_MAX ? 0 : look_at_callers(writer, bound); /* at the end, a thread in a call may have left it */
}
