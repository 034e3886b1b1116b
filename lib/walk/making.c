#include "walk/making.h"

#include <stdlib.h>
#include <uthash.h>

#include "wake/name.h"
#include "walk/whole_words.h"

struct makings {
	struct events *events;
	struct wake *wake;
	struct whole *whole;
	ARRAY(struct making *) list; /* by the thread's index; NULL: not seen */
	struct making_process *processes;
	uint32_t names_epoch;
};

struct makings *makings_new(struct events *events, struct wake *wake)
{
	struct makings *makings = NEW(struct makings);

	makings->events = events;
	makings->wake = wake;
	return makings;
}

void makings_forget(struct makings *makings)
{
	for (size_t i = 0; i < makings->list.count; i++) {
		struct making *making = makings->list.items[i];

		if (!making)
			continue;
		happened_free(&making->happened);
		free(making);
	}
	makings->list.count = 0;
}

static void forget_processes(struct makings *makings)
{
	struct making_process *process, *next;

	HASH_ITER(hh, makings->processes, process, next) {
		HASH_DEL(makings->processes, process);
		free(process);
	}
}

void makings_free(struct makings *makings)
{
	if (!makings)
		return;
	makings_forget(makings);
	forget_processes(makings);
	free(makings->list.items);
	free(makings);
}

void makings_begin(struct makings *makings, struct whole *whole)
{
	makings_forget(makings);
	forget_processes(makings);
	makings->whole = whole;
	makings->names_epoch++;
}

void makings_renamed(struct makings *makings)
{
	makings->names_epoch++;
}

static struct making *making_at(struct makings *makings, int32_t index)
{
	while (makings->list.count <= (size_t)index)
		*ARRAY_ADD(&makings->list) = NULL;
	if (!makings->list.items[index]) {
		makings->list.items[index] = NEW(struct making);
		makings->list.items[index]->call.reason = makings->list.items[index]->waited.reason = CALL_NONE;
	}
	return makings->list.items[index];
}

const struct making_process *making_process(struct makings *makings, const struct thread *thread, struct making *making)
{
	struct making_process *process = making->process;
	int32_t tgid;

	if (process && making->process_epoch == makings->names_epoch)
		return process;
	tgid = events_tgid(makings->events, thread->tid);
	tgid = tgid ? tgid : thread->tid;
	HASH_FIND_INT(makings->processes, &tgid, process);
	if (!process) {
		process = NEW(struct making_process);
		process->tgid = tgid;
		process->epoch = makings->names_epoch - 1;
		HASH_ADD_INT(makings->processes, tgid, process);
	}
	if (process->epoch != makings->names_epoch) {
		const char *name = events_called(makings->events, tgid, makings->wake->now);

		process->epoch = makings->names_epoch;
		process->name = whole_word_of(makings->whole, "", name);
		process->wakes = whole_word_of(makings->whole, "wakes=", name);
		process->woken = whole_word_of(makings->whole, "woken=", name);
	}
	making->process = process;
	making->process_epoch = makings->names_epoch;
	return process;
}

void making_name(struct makings *makings, const struct thread *thread, struct making *making)
{
	struct whole_thread *named = &makings->whole->threads.items[making->thread];

	named->name = whole_word(makings->whole, wake_comm(makings->wake, thread));
	named->tgid = events_tgid(makings->events, thread->tid);
	named->process = making_process(makings, thread, making)->name;
}

/* Sums of what the thread did from its segment's start until then. */
static void add_up(const struct wake *wake, const struct thread *thread, struct segment *segment, int64_t until)
{
	size_t i = thread_find(thread, segment->start);

	for (i -= i > 0; i < thread->pieces.count && thread->pieces.items[i].start < until; i++) {
		const struct piece *piece = &thread->pieces.items[i];
		int64_t time = sooner(thread_piece_end(wake, thread, i), until) - later(piece->start, segment->start);

		if (time <= 0)
			continue;
		segment->run += piece->what == WHAT_RUN ? time : 0;
		segment->runnable += piece->what == WHAT_RUNNABLE ? time : 0;
	}
}

void making_open(struct makings *makings, struct making *making, int64_t start, uint32_t woken)
{
	making->open = whole_segment(makings->whole, making->thread, start);
	making->slept = false;
	making->took_from = NUMBER_NONE;
	if (making->handlers)
		makings->whole->segments.items[making->open].flags |= SEGMENT_HANDLER;
	if (woken)
		happened_add(&making->happened, woken);
}

struct segment *making_close(struct makings *makings, const struct thread *thread, struct making *making, int64_t wait_from,
				     int64_t end)
{
	struct segment *segment = &makings->whole->segments.items[making->open];

	segment->wait_from = later(wait_from, segment->start);
	segment->end = later(end, segment->wait_from);
	add_up(makings->wake, thread, segment, segment->wait_from);
	happened_close(&making->happened, makings->whole, making->open);
	making->open = NUMBER_NONE;
	return segment;
}

/* Events were lost: what the thread did since is not known. */
static void cut_at_gaps(struct makings *makings, const struct thread *thread, struct making *making)
{
	const struct wake *wake = makings->wake;
	int64_t from = wake->gaps.items[making->epoch].from;
	struct segment *segment;
	bool asleep;

	making->epoch = (uint32_t)wake->gaps.count;
	making->call.reason = CALL_NONE;
	if (making->open == NUMBER_NONE)
		return;
	asleep = making->slept && making->slept_from < from;
	segment = making_close(makings, thread, making, asleep ? making->slept_from : later(from, makings->whole->segments.items[making->open].start),
				later(from, makings->whole->segments.items[making->open].start));
	segment->flags |= SEGMENT_LOST;
	making_open(makings, making, later(core_since(wake), segment->end), 0);
}

struct making *making_of(struct makings *makings, struct thread *thread)
{
	struct making *making = making_at(makings, thread->index), *parent;

	if (!making->known) {
		making->known = true;
		making->thread = whole_thread(makings->whole, thread->tid);
		making->epoch = (uint32_t)makings->wake->gaps.count;
		making_open(makings, making, thread->born == TIME_NONE ? core_since(makings->wake) : thread->born, 0);
		parent = thread->born != TIME_NONE && thread->parent != INDEX_NONE ? making_at(makings, thread->parent) : NULL;
		if (parent && parent->known && parent->open != NUMBER_NONE && segment_at(makings->whole, parent->open)->start <= thread->born)
			whole_edge(makings->whole, parent->open, making->open, EDGE_ASYNC, thread->born, false);
	}
	if (making->epoch != makings->wake->gaps.count)
		cut_at_gaps(makings, core_sync(makings->wake, thread->index), making);
	return making;
}

struct making *makings_next(struct makings *makings, size_t *index)
{
	for (; *index < makings->list.count; (*index)++) {
		struct making *making = makings->list.items[*index];

		if (making && making->known && !making->over)
			return making;
	}
	return NULL;
}

struct thread *making_thread(const struct makings *makings, const struct event *event)
{
	const struct cpu *cpu = event->cpu < makings->wake->cpus.count ? makings->wake->cpus.items[event->cpu] : NULL;
	struct thread *thread = cpu && cpu->current != INDEX_NONE ? makings->wake->threads.items[cpu->current] : NULL;

	if (event->tid == TID_IDLE)
		return NULL;
	if (!thread || thread->tid != event->tid)
		HASH_FIND_INT(makings->wake->by_tid, &event->tid, thread);
	return thread;
}

struct making *making_find(struct makings *makings, int32_t tid, struct thread **thread)
{
	struct making *making;

	HASH_FIND_INT(makings->wake->by_tid, &tid, *thread);
	if (!*thread || tid == TID_IDLE)
		return NULL;
	making = making_of(makings, *thread);
	return making->open == NUMBER_NONE ? NULL : making;
}
