#include "import/strace_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/memory.h"

#define COMMON \
	"\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"

enum { ENTRY = 1, RETURN = 2, KINDS_OF_EVENT = 3 };

/* The event formats of a 64-bit kernel. */
static const struct {
	const char *name, *format;
} events[KINDS_OF_EVENT] = {
	[ENTRY] = {"raw_syscalls:sys_enter", "name: sys_enter\nID: 1" COMMON
		   "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
		   "print fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], REC->args[1], REC->args[2], "
		   "REC->args[3], REC->args[4], REC->args[5]\n"},
	[RETURN] = {"raw_syscalls:sys_exit", "name: sys_exit\nID: 2" COMMON
		    "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
		    "print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n"},
};

struct payload {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid;
	int64_t id;
	uint64_t rest[STRACE_ARGUMENTS]; /* arguments, or a result */
};

struct slot {
	struct strace_event event;
	uint64_t ticket; /* 0: no event is in it */
};

/* An entry of the row or the heap. */
struct waiting {
	int64_t ts;
	uint64_t ticket;
	uint32_t slot;
};

struct strace_queue {
	struct import *import;
	const struct event_choice *choices[KINDS_OF_EVENT];
	ARRAY(struct slot) slots;
	ARRAY(uint32_t) unused; /* slots */
	/* Nearly all events come nearly in order; they wait in a sorted row. The others wait in a heap. */
	ARRAY(struct waiting) row;
	size_t row_first;
	ARRAY(struct waiting) heap;
	uint64_t tickets, late, written;
	int64_t last;	 /* time of the last event that was written */
	int64_t entered; /* time of the last entry that was added */
};

/* --- what waits ---------------------------------------------------------------------------------------------------- */

static bool precedes(const struct waiting *one, const struct waiting *other)
{
	return one->ts < other->ts || (one->ts == other->ts && one->ticket < other->ticket);
}

/*
 * An event that would overtake more events of the row than this, or is further ahead of the last entry, waits in the heap.
 * Far ahead in the row, it would make all later events overtake it.
 */
enum { OVERTAKES_MOST = 32, AHEAD_MOST = 1000000 /* ns */ };

static size_t row_count(const struct strace_queue *queue)
{
	return queue->row.count - queue->row_first;
}

static size_t waiting_count(const struct strace_queue *queue)
{
	return row_count(queue) + queue->heap.count;
}

static bool is_far_ahead(const struct strace_queue *queue, int64_t ts)
{
	int64_t ahead;

	return __builtin_sub_overflow(ts, queue->entered, &ahead) || ahead > AHEAD_MOST;
}

/* Inserts an event into the row, searching its place from the back. False: it would overtake too many. */
static bool line_up(struct strace_queue *queue, struct waiting waiting)
{
	size_t at = queue->row.count, least = row_count(queue) > OVERTAKES_MOST ? at - OVERTAKES_MOST : queue->row_first;
	struct waiting *row = queue->row.items;

	while (at > least && precedes(&waiting, &row[at - 1]))
		at--;
	if (at == least && least > queue->row_first && precedes(&waiting, &row[at - 1]))
		return false;
	if (queue->row_first > row_count(queue)) { /* the front half is empty */
		memcpy(row, row + queue->row_first, row_count(queue) * sizeof(*row));
		at -= queue->row_first;
		queue->row.count -= queue->row_first;
		queue->row_first = 0;
	}
	*ARRAY_INSERT(&queue->row, at) = waiting;
	return true;
}

static const struct waiting *first_waiting(const struct strace_queue *queue)
{
	const struct waiting *row = row_count(queue) ? &queue->row.items[queue->row_first] : NULL;
	const struct waiting *heap = queue->heap.count ? &queue->heap.items[0] : NULL;

	return !heap || (row && precedes(row, heap)) ? row : heap;
}

static struct waiting pop(struct strace_queue *queue)
{
	bool heaped = queue->heap.count && first_waiting(queue) == &queue->heap.items[0];

	return heaped ? HEAP_POP(&queue->heap, precedes) : queue->row.items[queue->row_first++];
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static uint32_t new_slot(struct strace_queue *queue)
{
	if (queue->unused.count)
		return queue->unused.items[--queue->unused.count];
	ARRAY_ADD(&queue->slots);
	return (uint32_t)(queue->slots.count - 1);
}

/* Bounds memory if the log's time stands still: how many events wait at most; and how many others a held event may hold up. */
enum { WAITING_MOST = 1 << 17, HELD_MOST = 1 << 14 };

/* A ticket's upper bits are a counter; its lower bits are the slot. */
enum { SLOT_BITS = 24 };

uint64_t strace_queue_add(struct strace_queue *queue, const struct strace_event *event)
{
	uint32_t slot = new_slot(queue);
	uint64_t ticket = ++queue->tickets << SLOT_BITS | (slot & ((1U << SLOT_BITS) - 1));
	struct waiting waiting = {event->ts, ticket, slot};

	queue->slots.items[slot] = (struct slot){*event, ticket};
	if (event->enters)
		queue->entered = event->ts;
	if (is_far_ahead(queue, event->ts) || !line_up(queue, waiting))
		HEAP_PUSH(&queue->heap, waiting, precedes);
	return ticket;
}

static struct slot *find_slot(const struct strace_queue *queue, uint64_t ticket)
{
	size_t slot = ticket & ((1U << SLOT_BITS) - 1);

	return ticket && slot < queue->slots.count && queue->slots.items[slot].ticket == ticket ? &queue->slots.items[slot] : NULL;
}

void strace_queue_complete(struct strace_queue *queue, uint64_t ticket, const uint64_t *arguments, int from)
{
	struct slot *slot = find_slot(queue, ticket);

	if (!slot)
		return;
	slot->event.held = false;
	for (int i = from; i < STRACE_ARGUMENTS; i++)
		slot->event.arguments[i] = arguments[i - from];
}

void strace_queue_advance(struct strace_queue *queue, uint64_t ticket, int64_t ts)
{
	struct slot *slot = find_slot(queue, ticket);
	struct strace_event event;

	if (!slot || slot->event.ts <= ts)
		return;
	event = slot->event;
	slot->ticket = 0; /* the row or the heap still has the old ticket, which strace_queue_pass() then ignores */
	slot->event.record = NULL;
	event.ts = ts;
	strace_queue_add(queue, &event);
}

static int write_event(struct strace_queue *queue, const struct strace_event *event)
{
	int kind = event->enters ? ENTRY : RETURN, passes;
	struct payload payload = {.type = (uint16_t)kind, .pid = event->tid, .id = event->number};
	struct record record = {.kind = KIND_EVENT, .packed = true, .ts = event->ts, .text = (const char *)&payload};

	if (event->enters) {
		memcpy(payload.rest, event->arguments, sizeof(payload.rest));
		record.length = sizeof(payload);
	} else {
		payload.rest[0] = (uint64_t)event->result;
		record.length = offsetof(struct payload, rest) + sizeof(payload.rest[0]);
	}
	if (!queue->choices[kind]->wanted)
		return 0;
	passes = import_passes(queue->import, queue->choices[kind], &record);
	return passes <= 0 ? passes : stream_write_record(import_stream(queue->import), &record);
}

static int write_spelled(struct strace_queue *queue, char *text)
{
	struct line line = {0};
	int status;

	line_append(&line, text, strlen(text));
	status = stream_write_line(import_stream(queue->import), &line);
	line_free(&line);
	free(text);
	return status;
}

static int write_slot(struct strace_queue *queue, struct slot *slot)
{
	struct strace_event *event = &slot->event;
	char *record = event->record;

	slot->ticket = 0;
	event->record = NULL;
	if (record && write_spelled(queue, record) < 0)
		return -1;
	if (!event->enters && !event->returns)
		return 0;
	queue->late += event->ts < queue->last;
	queue->written++;
	if (event->ts < queue->last)
		event->ts = queue->last;
	queue->last = event->ts;
	return write_event(queue, event);
}

/* Tells whether the first event is held, and may hold up the others. */
static bool is_held(const struct strace_queue *queue, int64_t ts)
{
	const struct waiting *first = first_waiting(queue);
	const struct slot *slot = &queue->slots.items[first->slot];

	return slot->ticket == first->ticket && slot->event.held && waiting_count(queue) <= HELD_MOST && ts != INT64_MAX;
}

int strace_queue_pass(struct strace_queue *queue, int64_t ts)
{
	int64_t bound = ts == INT64_MAX ? ts : ts - STRACE_QUEUE_WINDOW;
	int status = 0;

	while (status == 0 && waiting_count(queue) && (first_waiting(queue)->ts <= bound || waiting_count(queue) > WAITING_MOST) &&
	       !is_held(queue, ts)) {
		struct waiting first = pop(queue);
		struct slot *slot = &queue->slots.items[first.slot];

		if (slot->ticket == first.ticket)
			status = write_slot(queue, slot);
		*ARRAY_ADD(&queue->unused) = first.slot;
	}
	return status;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* The body of a `format` record is the system, a NUL, and the text of the format file. */
static int write_format(struct strace_queue *queue, const char *name, const char *format)
{
	size_t system = strcspn(name, ":") + 1, length = strlen(format);
	char *body = memory_new(system + length, 1);
	struct record record = {.kind = KIND_FORMAT, .packed = true, .text = body, .length = system + length};
	int status;

	memcpy(body, name, system - 1);
	memcpy(body + system, format, length);
	status = stream_write_record(import_stream(queue->import), &record);
	free(body);
	return status;
}

struct strace_queue *strace_queue_new(struct import *import)
{
	struct strace_queue *queue = NEW(struct strace_queue);
	int status = 0;

	queue->import = import;
	queue->last = INT64_MIN;
	for (int i = ENTRY; i <= RETURN && status == 0; i++) {
		const char *name = events[i].name;

		queue->choices[i] = import_choose(import, "raw_syscalls", strchr(name, ':') + 1);
		if (!queue->choices[i])
			status = -1;
		else if (queue->choices[i]->wanted)
			status = write_format(queue, name, events[i].format);
	}
	if (status == 0)
		return queue;
	strace_queue_free(queue);
	return NULL;
}

void strace_queue_free(struct strace_queue *queue)
{
	for (size_t i = 0; queue && i < queue->slots.count; i++)
		free(queue->slots.items[i].event.record);
	if (!queue)
		return;
	free(queue->slots.items);
	free(queue->unused.items);
	free(queue->row.items);
	free(queue->heap.items);
	free(queue);
}

uint64_t strace_queue_late(const struct strace_queue *queue)
{
	return queue->late;
}

uint64_t strace_queue_written(const struct strace_queue *queue)
{
	return queue->written;
}
