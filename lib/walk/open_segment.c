#include "walk/open_segment.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/hash.h"
#include "wake/earlier_names.h"
#include "walk/whole_words.h"

struct open_segments {
	struct events *events;
	struct wake *wake;
	struct whole *whole;
	ARRAY(struct open_segment *) list; /* by the thread's index in the wake core; NULL: not seen */
	struct open_segment_process *processes;
	uint32_t names_epoch;
};

struct open_segments *open_segments_new(struct events *events, struct wake *wake)
{
	struct open_segments *all = NEW(struct open_segments);

	all->events = events;
	all->wake = wake;
	return all;
}

void open_segments_forget(struct open_segments *all)
{
	for (size_t i = 0; i < all->list.count; i++) {
		struct open_segment *open = all->list.items[i];

		if (!open)
			continue;
		segment_contents_free(&open->contents);
		free(open);
	}
	all->list.count = 0;
}

static void forget_processes(struct open_segments *all)
{
	HASH_FREE(all->processes);
}

void open_segments_free(struct open_segments *all)
{
	if (!all)
		return;
	open_segments_forget(all);
	forget_processes(all);
	free(all->list.items);
	free(all);
}

void open_segments_begin(struct open_segments *all, struct whole *whole)
{
	open_segments_forget(all);
	forget_processes(all);
	all->whole = whole;
	all->names_epoch++;
}

void open_segments_renamed(struct open_segments *all)
{
	all->names_epoch++;
}

static struct open_segment *open_segment_at(struct open_segments *all, int32_t index)
{
	while (all->list.count <= (size_t)index)
		*ARRAY_ADD(&all->list) = NULL;
	if (!all->list.items[index]) {
		all->list.items[index] = NEW(struct open_segment);
		all->list.items[index]->call.reason = all->list.items[index]->waited.reason = CALL_NONE;
	}
	return all->list.items[index];
}

const struct open_segment_process *open_segment_process(struct open_segments *all, const struct thread *thread, struct open_segment *open)
{
	struct open_segment_process *process = open->process;
	int32_t tgid;

	if (process && open->process_epoch == all->names_epoch)
		return process;
	tgid = events_tgid(all->events, thread->tid);
	tgid = tgid ? tgid : thread->tid;
	HASH_FIND_INT(all->processes, &tgid, process);
	if (!process) {
		process = NEW(struct open_segment_process);
		process->tgid = tgid;
		process->epoch = all->names_epoch - 1;
		HASH_ADD_INT(all->processes, tgid, process);
	}
	if (process->epoch != all->names_epoch) {
		const char *name = events_called(all->events, tgid, all->wake->now);

		process->epoch = all->names_epoch;
		process->name = whole_word_of(all->whole, "", name);
		process->wakes = whole_word_of(all->whole, "wakes=", name);
		process->woken = whole_word_of(all->whole, "woken=", name);
	}
	open->process = process;
	open->process_epoch = all->names_epoch;
	return process;
}

void open_segment_name(struct open_segments *all, const struct thread *thread, struct open_segment *open)
{
	struct whole_thread *named = &all->whole->threads.items[open->thread];

	named->name = whole_word(all->whole, wake_comm(all->wake, thread));
	named->tgid = events_tgid(all->events, thread->tid);
	named->process = open_segment_process(all, thread, open)->name;
}

/* Sums up the time that the thread ran, and was runnable, from its segment's start to `until`. */
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

void open_segment_begin(struct open_segments *all, struct open_segment *open, int64_t start, uint32_t woken)
{
	open->segment = whole_segment(all->whole, open->thread, start);
	open->slept = false;
	open->took_from = NUMBER_NONE;
	if (open->handlers)
		all->whole->segments.items[open->segment].flags |= SEGMENT_HANDLER;
	if (woken)
		segment_contents_add(&open->contents, woken);
	if (open->task)
		segment_contents_add(&open->contents, open->task);
}

struct segment *open_segment_end(struct open_segments *all, const struct thread *thread, struct open_segment *open, int64_t wait_from,
				     int64_t end)
{
	struct segment *segment = &all->whole->segments.items[open->segment];

	segment->wait_from = later(wait_from, segment->start);
	segment->end = later(end, segment->wait_from);
	add_up(all->wake, thread, segment, segment->wait_from);
	segment_contents_close(&open->contents, all->whole, open->segment);
	open->segment = NUMBER_NONE;
	return segment;
}

/* Events were lost: ends the segment where the first new gap begins, and begins another where the last gap ends. */
static void cut_at_gaps(struct open_segments *all, const struct thread *thread, struct open_segment *open)
{
	const struct wake *wake = all->wake;
	int64_t from = wake->gaps.items[open->epoch].from;
	struct segment *segment;
	bool asleep;

	open->epoch = (uint32_t)wake->gaps.count;
	open->call.reason = CALL_NONE;
	open->task = 0;
	if (open->segment == NUMBER_NONE)
		return;
	asleep = open->slept && open->slept_from < from;
	segment = open_segment_end(all, thread, open, asleep ? open->slept_from : later(from, all->whole->segments.items[open->segment].start),
				later(from, all->whole->segments.items[open->segment].start));
	segment->flags |= SEGMENT_LOST;
	open_segment_begin(all, open, later(core_since(wake), segment->end), 0);
}

struct open_segment *open_segment_of(struct open_segments *all, struct thread *thread)
{
	struct open_segment *open = open_segment_at(all, thread->index), *parent;

	if (!open->known) {
		open->known = true;
		open->thread = whole_thread(all->whole, thread->tid);
		open->epoch = (uint32_t)all->wake->gaps.count;
		open_segment_begin(all, open, thread->born == TIME_NONE ? core_since(all->wake) : thread->born, 0);
		parent = thread->born != TIME_NONE && thread->parent != INDEX_NONE ? open_segment_at(all, thread->parent) : NULL;
		if (parent && parent->known && parent->segment != NUMBER_NONE && segment_at(all->whole, parent->segment)->start <= thread->born)
			whole_edge(all->whole, parent->segment, open->segment, EDGE_ASYNC, thread->born, false);
	}
	if (open->epoch != all->wake->gaps.count)
		cut_at_gaps(all, core_sync(all->wake, thread->index), open);
	return open;
}

struct open_segment *open_segments_next(struct open_segments *all, size_t *index)
{
	for (; *index < all->list.count; (*index)++) {
		struct open_segment *open = all->list.items[*index];

		if (open && open->known && !open->over)
			return open;
	}
	return NULL;
}

struct thread *open_segments_thread(const struct open_segments *all, const struct event *event)
{
	const struct cpu *cpu = event->cpu < all->wake->cpus.count ? all->wake->cpus.items[event->cpu] : NULL;
	struct thread *thread = cpu && cpu->current != INDEX_NONE ? all->wake->threads.items[cpu->current] : NULL;

	if (event->tid == TID_IDLE)
		return NULL;
	if (!thread || thread->tid != event->tid)
		HASH_FIND_INT(all->wake->by_tid, &event->tid, thread);
	return thread;
}

struct open_segment *open_segment_find(struct open_segments *all, int32_t tid, struct thread **thread)
{
	struct open_segment *open;

	HASH_FIND_INT(all->wake->by_tid, &tid, *thread);
	if (!*thread || tid == TID_IDLE)
		return NULL;
	open = open_segment_of(all, *thread);
	return open->segment == NUMBER_NONE ? NULL : open;
}
