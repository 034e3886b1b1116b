#include "chart/hidden.h"

#include <stdlib.h>

enum { IDLE = 0, NOBODY_KNOWS = -1 };

struct hidden_cpu {
	int32_t current; /* tid; NOBODY_KNOWS */
	bool hides;
	int64_t idle_until; /* INT64_MIN: never seen idle */
};

static struct hidden_cpu *cpu_of(struct hidden *hidden, uint32_t number)
{
	struct hidden_cpu *cpu;

	while (hidden->cpus.count <= number)
		*ARRAY_ADD(&hidden->cpus) = NULL;
	cpu = hidden->cpus.items[number];
	if (!cpu) {
		hidden->cpus.items[number] = cpu = NEW(struct hidden_cpu);
		*cpu = (struct hidden_cpu){.current = NOBODY_KNOWS, .idle_until = INT64_MIN};
	}
	return cpu;
}

void hidden_switch(struct hidden *hidden, uint32_t cpu, int64_t ts, int32_t prev, int32_t next)
{
	struct hidden_cpu *at;

	if (cpu >= HIDDEN_CPUS_MAX)
		return;
	at = cpu_of(hidden, cpu);
	if (at->current == IDLE && prev != IDLE)
		at->hides = true;
	if (at->current == IDLE || prev == IDLE)
		at->idle_until = ts;
	at->current = next;
}

void hidden_lost(struct hidden *hidden)
{
	for (size_t i = 0; i < hidden->cpus.count; i++)
		if (hidden->cpus.items[i])
			hidden->cpus.items[i]->current = NOBODY_KNOWS;
}

bool hidden_since(const struct hidden *hidden, int64_t ts)
{
	for (size_t i = 0; i < hidden->cpus.count; i++) {
		const struct hidden_cpu *cpu = hidden->cpus.items[i];

		if (cpu && cpu->hides && (cpu->current == IDLE || cpu->idle_until >= ts))
			return true;
	}
	return false;
}

void hidden_clear(struct hidden *hidden)
{
	for (size_t i = 0; i < hidden->cpus.count; i++)
		free(hidden->cpus.items[i]);
	free(hidden->cpus.items);
	*hidden = (struct hidden){0};
}
