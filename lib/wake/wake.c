#include "wake/wake.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "wake/wake_frequency.h"
#include "wake/wake_quota.h"
#include "wake/wake_stack.h"

struct wake *wake_new(struct events *events)
{
	struct wake *wake = NEW(struct wake);

	wake->events = events;
	wake->types = wake_types_new(events);
	wake->names = wake_names_new();
	wake->stacks = wake_stacks_new();
	wake->quotas = wake_quotas_new();
	wake->frequencies = wake_frequencies_new();
	return wake;
}

void wake_free(struct wake *wake)
{
	if (!wake)
		return;
	wake_forget(wake);
	wake_types_free(wake->types);
	wake_names_free(wake->names);
	wake_stacks_free(wake->stacks);
	wake_files_free(wake);
	wake_quotas_free(wake->quotas);
	wake_frequencies_free(wake->frequencies);
	free(wake);
}

static void forget_threads(struct wake *wake)
{
	HASH_CLEAR(hh, wake->by_tid);
	for (size_t i = 0; i < wake->threads.count; i++) {
		free(wake->threads.items[i]->pieces.items);
		free(wake->threads.items[i]->marks.items);
		free(wake->threads.items[i]->comm);
		called_forget(wake->threads.items[i]);
		free(wake->threads.items[i]);
	}
	free(wake->threads.items);
}

static void forget_cpus(struct wake *wake)
{
	for (size_t i = 0; i < wake->cpus.count; i++) {
		if (!wake->cpus.items[i])
			continue;
		free(wake->cpus.items[i]->tenures.items);
		free(wake->cpus.items[i]);
	}
	free(wake->cpus.items);
}

void wake_forget(struct wake *wake)
{
	struct wake empty = {.events = wake->events,
			     .types = wake->types,
			     .names = wake->names,
			     .stacks = wake->stacks,
			     .files = wake->files,
			     .quotas = wake->quotas,
			     .frequencies = wake->frequencies,
			     .switches = wake->switches,
			     .migrations = wake->migrations,
			     .wakers = wake->wakers,
			     .idlers = wake->idlers,
			     .contexts = wake->contexts};

	forget_threads(wake);
	forget_cpus(wake);
	request_forget(wake);
	work_forget(wake);
	timer_forget(wake);
	dirty_forget(wake);
	batch_forget(wake);
	wake_quotas_forget(wake->quotas);
	wake_frequencies_forget(wake->frequencies);
	free(wake->gaps.items);
	free(wake->raises.items);
	free(wake->throttles.items);
	free(wake->functions.items);
	*wake = empty;
}

void wake_forget_meanings(struct wake *wake)
{
	wake_files_free(wake);
	wake_stacks_free(wake->stacks);
	wake->stacks = wake_stacks_new();
}

int wake_stream(struct wake *wake, const struct fields *fields)
{
	char machine[32] = "";

	fields_text(fields, "machine", machine, sizeof(machine));
	wake_forget(wake);
	wake_names_begin(wake->names, machine);
	wake_forget_meanings(wake);
	wake->switches = wake->migrations = false;
	wake->wakers = wake->idlers = wake->contexts = false;
	return 0;
}

int64_t wake_first(const struct wake *wake)
{
	return wake->gaps.items[0].to;
}

int64_t wake_since(const struct wake *wake)
{
	return wake->gaps.items[wake->gaps.count - 1].to;
}

void wake_begin(struct wake *wake, int64_t ts)
{
	if (wake->gaps.count)
		return;
	wake->now = wake_time(ts);
	*ARRAY_ADD(&wake->gaps) = (struct gap){.from = INT64_MIN, .to = wake->now};
}

void wake_until(struct wake *wake, int64_t ts)
{
	wake_begin(wake, ts);
	if (wake_time(ts) > wake->now)
		wake->now = wake_time(ts);
}

/* What the CPU did after its last event is lost. */
static int64_t last_event(const struct wake *wake, uint32_t cpu)
{
	return cpu < wake->cpus.count && wake->cpus.items[cpu] ? wake->cpus.items[cpu]->last : wake_since(wake);
}

void wake_lost(struct wake *wake, uint32_t cpu, int64_t from, int64_t to)
{
	if (!wake->gaps.count)
		return; /* the window has not begun */
	wake_until(wake, to);
	if (from == TIME_NONE || from < wake_since(wake))
		from = last_event(wake, cpu);
	*ARRAY_ADD(&wake->gaps) = (struct gap){.from = wake_time(from), .to = wake->now};
	work_lost(wake);
	timer_forget(wake);
	wake_frequencies_lost(wake->frequencies, wake_time(from));
}

static struct cpu *cpu_new(uint32_t number)
{
	struct cpu *cpu = NEW(struct cpu);

	cpu->number = number;
	cpu->idle = INDEX_NONE;
	return cpu;
}

static void cpu_sync(struct wake *wake, struct cpu *cpu)
{
	if (cpu->epoch == wake->gaps.count)
		return;
	if (cpu->tenures.count)
		*ARRAY_ADD(&cpu->tenures) =
		    (struct tenure){.start = wake->gaps.items[cpu->epoch].from, .thread = INDEX_NONE};
	cpu->epoch = (uint32_t)wake->gaps.count;
	cpu->current = cpu->waking = cpu->leaving = INDEX_NONE;
	cpu->depth = 0;
	cpu->context[0] = (struct context){.kind = CONTEXT_THREAD, .by = RAISE_NONE, .completed = INDEX_NONE};
	for (int i = 0; i < SOFTIRQS; i++) {
		cpu->raised[i] = RAISE_NONE;
		cpu->pending[i] = false;
	}
}

struct cpu *wake_cpu(struct wake *wake, uint32_t number)
{
	if (number >= CPUS_MAX) {
		fail("there is no CPU %u", number);
		return NULL;
	}
	while (wake->cpus.count <= number)
		*ARRAY_ADD(&wake->cpus) = NULL;
	if (!wake->cpus.items[number])
		wake->cpus.items[number] = cpu_new(number);
	cpu_sync(wake, wake->cpus.items[number]);
	return wake->cpus.items[number];
}

static struct thread *thread_new(struct wake *wake, int32_t tid)
{
	struct thread *thread = NEW(struct thread);

	thread->tid = tid;
	thread->index = (int32_t)wake->threads.count;
	thread->parent = thread->work = thread->writer = INDEX_NONE;
	thread->born = thread->died = thread->asks_since = TIME_NONE;
	thread->fault = thread->woke = thread->spins = thread->broken = TIME_NONE;
	thread->call = thread->call_of_file = thread->lock = thread->asks_call = CALL_NONE;
	thread->fd = FD_NONE;
	thread->epoch = (uint32_t)wake->gaps.count;
	*ARRAY_ADD(&wake->threads) = thread;
	return thread;
}

static struct thread *find_thread(const struct wake *wake, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(wake->by_tid, &tid, thread);
	return thread;
}

struct thread *wake_thread_born(struct wake *wake, int32_t tid)
{
	struct thread *old = find_thread(wake, tid), *thread = thread_new(wake, tid);

	if (old) {
		const char *comm = events_comm(wake->events, tid);

		old->comm = memory_text(comm, strlen(comm));
		HASH_DEL(wake->by_tid, old);
	}
	HASH_ADD_INT(wake->by_tid, tid, thread);
	return thread;
}

struct thread *wake_thread(struct wake *wake, int32_t tid)
{
	struct thread *thread = find_thread(wake, tid);

	if (!thread || thread->died != TIME_NONE)
		return wake_thread_born(wake, tid);
	wake_thread_sync(wake, thread);
	return thread;
}

static bool has_begun(const struct thread *thread, int64_t ts)
{
	return thread->pieces.count && thread->pieces.items[0].start <= ts;
}

const struct thread *wake_thread_find(struct wake *wake, int32_t tid, int64_t ts)
{
	struct thread *thread = tid == TID_IDLE ? NULL : find_thread(wake, tid), *old;

	if (!thread)
		return NULL;
	for (int32_t i = thread->index; i >= 0 && !has_begun(thread, ts); i--) {
		old = wake->threads.items[i];
		if (old->tid == tid && has_begun(old, ts))
			thread = old;
	}
	wake_thread_sync(wake, thread);
	return thread;
}

struct thread *wake_thread_on(struct wake *wake, struct cpu *cpu, int32_t tid)
{
	if (tid != TID_IDLE)
		return wake_thread(wake, tid);
	if (cpu->idle == INDEX_NONE)
		cpu->idle = thread_new(wake, TID_IDLE)->index;
	wake_thread_sync(wake, wake->threads.items[cpu->idle]);
	return wake->threads.items[cpu->idle];
}

void wake_thread_sync(struct wake *wake, struct thread *thread)
{
	struct piece *piece;

	if (thread->epoch == wake->gaps.count)
		return;
	if (thread->pieces.count && thread->died == TIME_NONE) {
		piece = thread_piece(thread, WHAT_UNKNOWN, wake->gaps.items[thread->epoch].from, 0);
		piece->flags = PIECE_LOST;
	}
	thread->call = thread->lock = CALL_NONE;
	thread->early = thread->asks = false;
	thread->asks_since = thread->fault = thread->spins = TIME_NONE;
	thread->batch = (struct batch){0};
	thread->doing = 0;
	thread->work = thread->writer = INDEX_NONE;
	thread->epoch = (uint32_t)wake->gaps.count;
}

static void take_cpu(struct cpu *cpu, int32_t thread, int64_t ts)
{
	cpu->current = thread;
	*ARRAY_ADD(&cpu->tenures) = (struct tenure){.start = ts, .thread = thread};
}

/*
 * A CPU without any switch since the last gap has had its thread since then. But without scheduler switches in the
 * data nothing can be said about who ran how long.
 */
static struct thread *first_current(struct wake *wake, struct cpu *cpu, int32_t tid)
{
	struct thread *thread;

	if (!wake->switches)
		return NULL;
	thread = wake_thread_on(wake, cpu, tid);
	take_cpu(cpu, thread->index, wake_since(wake));
	if (thread_unseen(thread))
		thread_piece(thread, WHAT_RUN, wake_since(wake), cpu->number)->flags |= PIECE_ASSUMED;
	return thread;
}

/*
 * Another thread than the one that got the CPU: a switch is missing, as where the events of some threads are left
 * out. It happened after the last event there. An idle CPU is left for a thread as soon as that is runnable; otherwise
 * who had the CPU in between is not known.
 */
static struct thread *hidden_switch(struct wake *wake, struct cpu *cpu, struct thread *old, int32_t tid)
{
	struct thread *thread = wake_thread_on(wake, cpu, tid);
	int64_t ts = wake->now;

	if (old->tid == TID_IDLE && thread_runnable(thread)) {
		ts = thread->pieces.items[thread->pieces.count - 1].start;
		if (ts < cpu->last)
			ts = cpu->last;
	} else {
		if (thread_running(old))
			thread_piece(old, WHAT_UNKNOWN, cpu->last, cpu->number);
		thread_vanish(thread, cpu->last);
		take_cpu(cpu, INDEX_NONE, cpu->last);
	}
	wake_switch_in(wake, cpu, thread, ts);
	thread->pieces.items[thread->pieces.count - 1].flags |= PIECE_GUESSED;
	return thread;
}

struct thread *wake_current(struct wake *wake, struct cpu *cpu, int32_t tid)
{
	struct thread *thread;

	if (cpu->current == INDEX_NONE)
		return first_current(wake, cpu, tid);
	thread = wake->threads.items[cpu->current];
	return thread->tid == tid ? thread : hidden_switch(wake, cpu, thread, tid);
}

void wake_switch_in(struct wake *wake, struct cpu *cpu, struct thread *thread, int64_t ts)
{
	thread_switch_in(wake, thread, cpu, ts);
	take_cpu(cpu, thread->index, ts);
	cpu->depth = 0;
}
