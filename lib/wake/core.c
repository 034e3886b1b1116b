#include "wake/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "wake/part.h"
#include "wake/name.h"

/* Lists the parts that have the hook at this offset in struct part: there, it is not NULL. */
static void list_hooks(hook_list list, const struct part *const *parts, size_t offset)
{
	size_t count = 0;

	for (int i = 0; i < PARTS_COUNT; i++) {
		void (*hook)(void);

		memcpy(&hook, (const char *)parts[i] + offset, sizeof(hook));
		if (hook)
			list[count++] = parts[i];
	}
}

static struct hooks *hooks_new(const struct part *const *parts)
{
	struct hooks *hooks = NEW(struct hooks);

	list_hooks(hooks->elsewhere, parts, offsetof(struct part, elsewhere));
	list_hooks(hooks->event, parts, offsetof(struct part, event));
	list_hooks(hooks->leaves, parts, offsetof(struct part, leaves));
	list_hooks(hooks->left, parts, offsetof(struct part, left));
	list_hooks(hooks->enters, parts, offsetof(struct part, enters));
	list_hooks(hooks->returns, parts, offsetof(struct part, returns));
	list_hooks(hooks->wakes, parts, offsetof(struct part, wakes));
	list_hooks(hooks->woke, parts, offsetof(struct part, woke));
	list_hooks(hooks->serves, parts, offsetof(struct part, serves));
	return hooks;
}

/* Calls the hook of each part that has it. */
#define EACH(wake, hook, ...)                                                                                           \
	for (int number = 0; number < PARTS_COUNT; number++)                                                           \
		if ((wake)->parts[number]->hook)                                                                        \
			(wake)->parts[number]->hook(__VA_ARGS__)

struct wake *core_new(struct events *events, const struct part *const *parts)
{
	struct reasons *reasons = reasons_new();
	struct wake *wake;

	if (!reasons)
		return NULL;
	wake = NEW(struct wake);
	wake->events = events;
	wake->parts = parts;
	wake->hooks = hooks_new(parts);
	wake->names = name_table_new();
	wake->reasons = reasons;
	for (int i = 0; i < PARTS_COUNT; i++)
		wake->of[i] = parts[i]->window ? memory_new(1, parts[i]->window) : NULL;
	EACH(wake, begin, wake);
	return wake;
}

void wake_free(struct wake *wake)
{
	if (!wake)
		return;
	wake_forget(wake);
	EACH(wake, free, wake);
	for (int i = 0; i < PARTS_COUNT; i++)
		free(wake->of[i]);
	free(wake->slots.items);
	free(wake->hooks);
	name_table_free(wake->names);
	reasons_free(wake->reasons);
	free(wake);
}

static void forget_threads(struct wake *wake)
{
	HASH_CLEAR(hh, wake->by_tid);
	for (size_t i = 0; i < wake->threads.count; i++) {
		struct thread *thread = wake->threads.items[i];

		EACH(wake, thread_free, thread);
		free(thread->pieces.items);
		free(thread->comm);
		free(thread);
	}
	ARRAY_FREE(&wake->threads);
}

static void forget_cpus(struct wake *wake)
{
	for (size_t i = 0; i < wake->cpus.count; i++) {
		if (!wake->cpus.items[i])
			continue;
		free(wake->cpus.items[i]->slices.items);
		free(wake->cpus.items[i]);
	}
	ARRAY_FREE(&wake->cpus);
}

void wake_forget(struct wake *wake)
{
	EACH(wake, forget, wake);
	forget_threads(wake);
	forget_cpus(wake);
	ARRAY_FREE(&wake->gaps);
	ARRAY_FREE(&wake->raises);
	wake->now = 0;
}

void wake_forget_meanings(struct wake *wake)
{
	EACH(wake, forget_meanings, wake);
}

/* Another stream begins: its numbers have meanings of their own. */
static void begin_stream(struct wake *wake, const struct fields *fields)
{
	char machine[32] = "";

	fields_text(fields, "machine", machine, sizeof(machine));
	wake_forget(wake);
	wake_forget_meanings(wake);
	name_table_begin(wake->names, machine);
	wake->switches = wake->migrations = false;
	wake->wakers = wake->idlers = wake->contexts = false;
}

int wake_record(struct wake *wake, enum kind kind, const struct fields *fields)
{
	if (kind == KIND_STREAM)
		begin_stream(wake, fields);
	for (int i = 0; i < PARTS_COUNT; i++)
		for (const struct part_record *row = wake->parts[i]->records; row && row->read; row++)
			if (row->kind == kind && row->read(wake, fields) < 0)
				return -1;
	return 0;
}

bool wake_is_full(const struct wake *wake)
{
	return wake->threads.count >= THREADS_MAX;
}

bool wake_unsure(const struct wake *wake)
{
	return wake->wakers && wake->idlers && !wake->contexts;
}

/* The beginning of the data. */
static int64_t core_first(const struct wake *wake)
{
	return wake->gaps.items[0].to;
}

int64_t core_since(const struct wake *wake)
{
	return wake->gaps.items[wake->gaps.count - 1].to;
}

void wake_until(struct wake *wake, int64_t ts)
{
	if (!wake->gaps.count) {
		wake->now = wake_time(ts);
		*ARRAY_ADD(&wake->gaps) = (struct gap){.from = INT64_MIN, .to = wake->now};
	}
	if (wake_time(ts) > wake->now)
		wake->now = wake_time(ts);
}

bool wake_span(const struct wake *wake, int64_t *from, int64_t *to)
{
	if (!wake->gaps.count)
		return false;
	*from = core_first(wake);
	*to = wake->now;
	return true;
}

/* When the CPU had its last event: what it did after that is unknown. */
static int64_t last_event(const struct wake *wake, uint32_t cpu)
{
	return cpu < wake->cpus.count && wake->cpus.items[cpu] ? wake->cpus.items[cpu]->last : core_since(wake);
}

void wake_lost(struct wake *wake, uint32_t cpu, int64_t from, int64_t to)
{
	if (!wake->gaps.count)
		return; /* the window has not begun */
	wake_until(wake, to);
	if (from == TIME_NONE || from < core_since(wake))
		from = last_event(wake, cpu);
	*ARRAY_ADD(&wake->gaps) = (struct gap){.from = wake_time(from), .to = wake->now};
	EACH(wake, lost, wake, wake_time(from));
}

/* Makes a struct of this size and, behind it, the parts' states. struct part has their sizes at `part_size`; the struct points to them at `of`. */
static void *new_with_parts(size_t size, const struct wake *wake, size_t of, size_t part_size)
{
	size_t room = size, sizes[PARTS_COUNT];
	char *memory;

	for (int i = 0; i < PARTS_COUNT; i++) {
		memcpy(&sizes[i], (const char *)wake->parts[i] + part_size, sizeof(sizes[i]));
		sizes[i] = (sizes[i] + 7) & ~(size_t)7;
		room += sizes[i];
	}
	memory = memory_new(1, room);
	room = size;
	for (int i = 0; i < PARTS_COUNT; i++) {
		((void **)(memory + of))[i] = sizes[i] ? memory + room : NULL;
		room += sizes[i];
	}
	return memory;
}

static struct cpu *cpu_new(const struct wake *wake, uint32_t number)
{
	struct cpu *cpu = new_with_parts(sizeof(*cpu), wake, offsetof(struct cpu, of), offsetof(struct part, cpu));

	cpu->number = number;
	cpu->idle = INDEX_NONE;
	return cpu;
}

static void cpu_sync(struct wake *wake, struct cpu *cpu)
{
	if (cpu->epoch == wake->gaps.count)
		return;
	if (cpu->slices.count)
		*ARRAY_ADD(&cpu->slices) =
		    (struct cpu_slice){.start = wake->gaps.items[cpu->epoch].from, .thread = INDEX_NONE};
	cpu->epoch = (uint32_t)wake->gaps.count;
	cpu->current = cpu->waking = cpu->leaving = INDEX_NONE;
	cpu->depth = 0;
	EACH(wake, cpu_lost, cpu);
}

struct cpu *core_cpu(struct wake *wake, uint32_t number)
{
	if (number >= CPUS_MAX) {
		fail("there is no CPU %u", number);
		return NULL;
	}
	while (wake->cpus.count <= number)
		*ARRAY_ADD(&wake->cpus) = NULL;
	if (!wake->cpus.items[number])
		wake->cpus.items[number] = cpu_new(wake, number);
	cpu_sync(wake, wake->cpus.items[number]);
	return wake->cpus.items[number];
}

static struct thread *thread_new(struct wake *wake, int32_t tid)
{
	struct thread *thread = new_with_parts(sizeof(*thread), wake, offsetof(struct thread, of), offsetof(struct part, thread));

	thread->tid = tid;
	thread->index = (int32_t)wake->threads.count;
	thread->parent = thread->for_index = INDEX_NONE;
	thread->born = thread->died = TIME_NONE;
	thread->epoch = (uint32_t)wake->gaps.count;
	*ARRAY_ADD(&wake->threads) = thread;
	EACH(wake, thread_begin, thread);
	return thread;
}

static struct thread *find_thread(const struct wake *wake, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(wake->by_tid, &tid, thread);
	return thread;
}

struct thread *core_thread_born(struct wake *wake, int32_t tid)
{
	struct thread *old = find_thread(wake, tid), *thread = thread_new(wake, tid);

	if (old) {
		const char *comm = events_called(wake->events, tid, wake->now);

		old->comm = memory_text(comm, strlen(comm));
		HASH_DEL(wake->by_tid, old);
	}
	HASH_ADD_INT(wake->by_tid, tid, thread);
	return thread;
}

static void sync(struct wake *wake, struct thread *thread)
{
	struct piece *piece;

	if (thread->epoch == wake->gaps.count)
		return;
	if (thread->pieces.count && thread->died == TIME_NONE) {
		piece = thread_piece(thread, WHAT_UNKNOWN, wake->gaps.items[thread->epoch].from, 0);
		piece->flags = PIECE_LOST;
	}
	thread->early = false;
	thread->run_flags = 0;
	thread->for_cause = CAUSE_NONE;
	thread->for_index = INDEX_NONE;
	EACH(wake, thread_lost, thread);
	thread->epoch = (uint32_t)wake->gaps.count;
}

void core_trim(struct wake *wake, struct thread *thread, size_t pieces)
{
	if (thread->pieces.count <= pieces)
		return;
	ARRAY_REMOVE(&thread->pieces, 0, thread->pieces.count - pieces);
	EACH(wake, thread_trim, thread, thread->pieces.items[0].start);
}

struct thread *core_thread(struct wake *wake, int32_t tid)
{
	struct thread *thread = find_thread(wake, tid);

	if (!thread || thread->died != TIME_NONE)
		return core_thread_born(wake, tid);
	sync(wake, thread);
	return thread;
}

static bool has_begun(const struct thread *thread, int64_t ts)
{
	return thread->pieces.count && thread->pieces.items[0].start <= ts;
}

const struct thread *core_thread_find(struct wake *wake, int32_t tid, int64_t ts)
{
	struct thread *thread = tid == TID_IDLE ? NULL : find_thread(wake, tid), *old;

	if (!thread)
		return NULL;
	for (int32_t i = thread->index; i >= 0 && !has_begun(thread, ts); i--) {
		old = wake->threads.items[i];
		if (old->tid == tid && has_begun(old, ts))
			thread = old;
	}
	sync(wake, thread);
	return thread;
}

struct thread *core_thread_on(struct wake *wake, struct cpu *cpu, int32_t tid)
{
	if (tid != TID_IDLE)
		return core_thread(wake, tid);
	if (cpu->idle == INDEX_NONE)
		cpu->idle = thread_new(wake, TID_IDLE)->index;
	sync(wake, wake->threads.items[cpu->idle]);
	return wake->threads.items[cpu->idle];
}

struct thread *core_sync(struct wake *wake, int32_t index)
{
	struct thread *thread = wake->threads.items[index];

	sync(wake, thread);
	return thread;
}

bool core_is_kernels(const struct wake *wake, const struct thread *thread)
{
	return thread->works || events_is_kernels(wake->events, thread->tid);
}

bool core_same_process(const struct wake *wake, const struct thread *thread, int32_t other)
{
	int32_t process = events_tgid(wake->events, thread->tid);

	return process && process == events_tgid(wake->events, wake->threads.items[other]->tid);
}

int64_t core_started(const struct wake *wake, const struct thread *thread, const struct thread *other)
{
	enum { GENERATIONS = 8 };

	for (int generation = 0; generation < GENERATIONS && other->parent != INDEX_NONE; generation++) {
		if (core_same_process(wake, other, thread->index))
			return TIME_NONE;
		if (core_same_process(wake, thread, other->parent))
			return other->born;
		other = wake->threads.items[other->parent];
	}
	return TIME_NONE;
}

int32_t core_served(struct wake *wake, const struct thread *thread)
{
	int32_t whom;

	for (const struct part *const *part = wake->hooks->serves; *part; part++)
		if ((*part)->serves(wake, thread, &whom))
			return whom;
	return thread->index;
}

bool core_job(const struct wake *wake, const struct piece *run, struct kernel_job *job)
{
	const struct part *part = wake->parts[run->cause / CAUSES_EACH];

	return run->what == WHAT_RUN && part->job && part->job(wake, run, job);
}

struct doer core_ender(const struct wake *wake, const struct piece *wait)
{
	const struct part *part = wake->parts[wait->cause / CAUSES_EACH];

	if (wait->what == WHAT_WAIT && wait->cause == CAUSE_THREAD)
		return (struct doer){wait->cause_index, wait[1].start};
	if (wait->what == WHAT_WAIT && part->ender)
		return part->ender(wake, wait);
	return (struct doer){INDEX_NONE, TIME_NONE};
}

static void take_cpu(struct cpu *cpu, int32_t thread, int64_t ts)
{
	cpu->current = thread;
	*ARRAY_ADD(&cpu->slices) = (struct cpu_slice){.start = ts, .thread = thread};
}

/*
 * If a CPU has had no switch since the last gap, the thread has had it since then. But if the data lack switches, nobody
 * knows how long a thread ran.
 */
static struct thread *first_current(struct wake *wake, struct cpu *cpu, int32_t tid)
{
	struct thread *thread;

	if (!wake->switches)
		return NULL;
	thread = core_thread_on(wake, cpu, tid);
	take_cpu(cpu, thread->index, core_since(wake));
	if (thread_unseen(thread))
		thread_piece(thread, WHAT_RUN, core_since(wake), cpu->number)->flags |= PIECE_ASSUMED;
	return thread;
}

/* If the thread was runnable at that time, it may have done anything since. */
static void vanish(struct thread *thread, int64_t ts)
{
	if (thread_runnable(thread) && thread_last(thread)->start <= ts)
		thread_piece(thread, WHAT_UNKNOWN, ts, thread_last(thread)->cpu);
}

/*
 * The event is of another thread than the one that got the CPU, so a switch is missing, as in a trace without the events of
 * some threads. The switch came after the last event of the CPU. An idle CPU runs a thread as soon as that is runnable;
 * otherwise it is not known which thread had the CPU in between.
 */
static struct thread *hidden_switch(struct wake *wake, struct cpu *cpu, struct thread *old, int32_t tid)
{
	struct thread *thread = core_thread_on(wake, cpu, tid);
	int64_t ts = wake->now;

	if (old->tid == TID_IDLE && thread_runnable(thread)) {
		ts = thread->pieces.items[thread->pieces.count - 1].start;
		if (ts < cpu->last)
			ts = cpu->last;
	} else {
		if (thread_running(old))
			thread_piece(old, WHAT_UNKNOWN, cpu->last, cpu->number);
		vanish(thread, cpu->last);
		take_cpu(cpu, INDEX_NONE, cpu->last);
	}
	core_switch_in(wake, cpu, thread, ts);
	thread->pieces.items[thread->pieces.count - 1].flags |= PIECE_GUESSED;
	return thread;
}

struct thread *core_current(struct wake *wake, struct cpu *cpu, int32_t tid)
{
	struct thread *thread;

	if (cpu->current == INDEX_NONE)
		return first_current(wake, cpu, tid);
	thread = wake->threads.items[cpu->current];
	return thread->tid == tid ? thread : hidden_switch(wake, cpu, thread, tid);
}

/*
 * Tells whether the piece has the CPU that a runnable thread waited for. A wake-up names only the CPU where the thread ran last; if
 * the data lack migrations, the thread is taken to have waited for the CPU where it runs next. So is a new thread, because the
 * choice of its first CPU is no migration. A preempted thread waits for the CPU that it had.
 */
static bool queue_known(const struct wake *wake, const struct thread *thread)
{
	size_t count = thread->pieces.count;

	if (!thread_runnable(thread))
		return true;
	if (thread_last(thread)->start == thread->born)
		return false;
	return wake->migrations || (count > 1 && thread_last(thread)[-1].what != WHAT_WAIT);
}

static void begin_run(struct wake *wake, struct thread *thread, struct cpu *cpu, int64_t ts)
{
	struct piece *piece = thread_last(thread);

	if (thread_unseen(thread)) {
		if (thread->tid != TID_IDLE)
			thread_piece(thread, WHAT_UNKNOWN, core_since(wake), cpu->number)->flags = PIECE_ASSUMED;
	} else if (piece->what == WHAT_WAIT && piece->cause == CAUSE_NONE) {
		thread_woken_unseen(piece);
	} else if (thread_running(thread)) {
		piece->what = WHAT_UNKNOWN; /* it cannot have run here and there */
	}
	if (!queue_known(wake, thread))
		thread_last(thread)->cpu = (uint16_t)cpu->number;
	thread->early = false;
	thread_piece(thread, WHAT_RUN, ts, cpu->number);
}

void core_switch_in(struct wake *wake, struct cpu *cpu, struct thread *thread, int64_t ts)
{
	begin_run(wake, thread, cpu, ts);
	take_cpu(cpu, thread->index, ts);
	cpu->depth = 0;
}
