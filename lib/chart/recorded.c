#include "chart/recorded.h"

#include <stdlib.h>

#include "base/timestamp.h"

struct recorded_cpu {
	bool known, seen;    /* a wake-up named it, or it has an event; it has an event */
	int64_t first, last; /* of its events */
	int64_t silence;     /* the longest time between two events, ns */
	bool idled;	     /* it became idle, last at `idle` */
	int64_t idle;
	bool called;	     /* since its last event a thread was put into its queue, */
	int64_t call;	     /* the first at this time */
};

static struct recorded_cpu *cpu_of(struct recorded *recorded, size_t number)
{
	while (recorded->cpus.count <= number)
		*ARRAY_ADD(&recorded->cpus) = (struct recorded_cpu){0};
	return &recorded->cpus.items[number];
}

void recorded_event(struct recorded *recorded, uint32_t number, int64_t ts)
{
	struct recorded_cpu *cpu;
	int64_t silence;

	if (number >= RECORDED_CPUS_MAX)
		return;
	if (recorded->cpus.count == 0)
		recorded->begin = recorded->now = ts;
	cpu = cpu_of(recorded, number);
	if (!cpu->seen) {
		cpu->first = cpu->last = ts;
		recorded->seen++;
	}
	silence = timestamp_between(cpu->last, ts);
	if (silence > cpu->silence)
		cpu->silence = silence;
	if (ts > cpu->last)
		cpu->last = ts;
	if (ts > recorded->now)
		recorded->now = ts;
	cpu->known = cpu->seen = true;
	cpu->called = false;
}

void recorded_woken(struct recorded *recorded, int64_t number, int64_t ts, bool chosen)
{
	struct recorded_cpu *cpu;

	if (number < 0 || number >= RECORDED_CPUS_MAX)
		return;
	cpu = cpu_of(recorded, (size_t)number);
	cpu->known = true;
	if (chosen && !cpu->called) {
		cpu->called = true;
		cpu->call = ts;
	}
}

bool recorded_is_silent(struct recorded *recorded, int64_t ts)
{
	if (recorded->seen < recorded->expected)
		return true;
	for (size_t left = recorded->cpus.count; left > 0; left--) {
		const struct recorded_cpu *cpu;

		if (recorded->silent >= recorded->cpus.count)
			recorded->silent = 0;
		cpu = &recorded->cpus.items[recorded->silent];
		if (cpu->seen && cpu->last < ts)
			return true;
		recorded->silent++;
	}
	return false;
}

/* Tells whether a CPU was silent before its first event for longer than ever after, and `from` lies before that event. */
static bool begins_late(const struct recorded *recorded, const struct recorded_cpu *cpu, int64_t from)
{
	int64_t before = timestamp_between(recorded->begin, cpu->first);

	return cpu->first > from && before > cpu->silence && before > timestamp_between(cpu->last, recorded->now);
}

/* Tells whether a CPU has been silent since a thread was put into its queue, for longer than it ever was before. */
static bool ends_early(const struct recorded *recorded, const struct recorded_cpu *cpu)
{
	return cpu->called && timestamp_between(cpu->call, recorded->now) > cpu->silence;
}

int recorded_lacks(const struct recorded *recorded, int64_t from)
{
	for (size_t i = 0; i < recorded->cpus.count; i++) {
		const struct recorded_cpu *cpu = &recorded->cpus.items[i];

		if (cpu->known && (!cpu->seen || begins_late(recorded, cpu, from) || ends_early(recorded, cpu)))
			return (int)i;
	}
	return -1;
}

void recorded_idle(struct recorded *recorded, uint32_t number, int64_t ts)
{
	struct recorded_cpu *cpu;

	if (number >= RECORDED_CPUS_MAX)
		return;
	cpu = cpu_of(recorded, number);
	cpu->idled = true;
	cpu->idle = ts;
}

bool recorded_may_lack_run(const struct recorded *recorded, int64_t from, int chosen, uint32_t got)
{
	const struct recorded_cpu *cpu = got < recorded->cpus.count ? &recorded->cpus.items[got] : NULL;

	if (recorded_lacks(recorded, from) < 0)
		return false;
	return (chosen >= 0 && (uint32_t)chosen != got) || !cpu || (cpu->idled && cpu->idle > from);
}

enum { IDLE = 0, UNKNOWN = -1 };

struct switched_cpu {
	int32_t current; /* tid; IDLE; UNKNOWN */
	bool hides; /* its data lacked the switch from the idle thread */
	int64_t idle_until; /* when it was last seen idle; INT64_MIN: never */
};

static struct switched_cpu *switched_of(struct recorded *recorded, uint32_t number)
{
	struct switched_cpu *cpu;

	while (recorded->switched.count <= number)
		*ARRAY_ADD(&recorded->switched) = NULL;
	cpu = recorded->switched.items[number];
	if (!cpu) {
		recorded->switched.items[number] = cpu = NEW(struct switched_cpu);
		*cpu = (struct switched_cpu){.current = UNKNOWN, .idle_until = INT64_MIN};
	}
	return cpu;
}

void recorded_switch(struct recorded *recorded, uint32_t cpu, int64_t ts, int32_t prev, int32_t next)
{
	struct switched_cpu *at;

	if (cpu >= RECORDED_CPUS_MAX)
		return;
	at = switched_of(recorded, cpu);
	if (at->current == IDLE && prev != IDLE)
		at->hides = true;
	if (at->current == IDLE || prev == IDLE)
		at->idle_until = ts;
	at->current = next;
}

void recorded_lost(struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->switched.count; i++)
		if (recorded->switched.items[i])
			recorded->switched.items[i]->current = UNKNOWN;
}

bool recorded_hides_since(const struct recorded *recorded, int64_t ts)
{
	for (size_t i = 0; i < recorded->switched.count; i++) {
		const struct switched_cpu *cpu = recorded->switched.items[i];

		if (cpu && cpu->hides && (cpu->current == IDLE || cpu->idle_until >= ts))
			return true;
	}
	return false;
}

void recorded_clear(struct recorded *recorded)
{
	for (size_t i = 0; i < recorded->switched.count; i++)
		free(recorded->switched.items[i]);
	free(recorded->switched.items);
	free(recorded->cpus.items);
	*recorded = (struct recorded){.expected = recorded->expected};
}
