/*
 * Who runs where. Perfetto takes that from sched_switch alone; where one is missing, a thread that ran is shown as
 * waiting for its CPU, and that as idle. Events do lack switches: of threads that were not recorded, in a gap, of the
 * idle thread with some kernels. An event says whose context it happened in, so a missing switch shows, and is put in.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/perfetto.h"

#define NEVER INT64_MIN

enum { PREV_STATE_PREEMPTED = 0x100 };

struct cpu {
	int32_t tid;  /* who has it */
	int64_t last; /* until when that is certain */
	int64_t told; /* the last switch, as it is in the file; 0: there is none */
	bool known;   /* false: no event of it came */
	bool gap;     /* what happened since is not known */
};

struct thread {
	int32_t tid;
	int32_t prio;	  /* PRIO_UNKNOWN */
	int64_t runnable; /* since when it waits for a CPU; NEVER: it does not, or nobody knows */
	UT_hash_handle hh;
};

struct switches {
	const struct event_type *sched_switch, *wakings[3];
	const struct event_field *prev_prio, *prev_state, *next_pid, *next_prio, *woken_pid[3], *woken_prio[3];
	struct cpu *cpus; /* by number */
	uint32_t count;
	struct thread *threads; /* by tid */
};

struct switches *switches_new(struct events *events)
{
	static const char *const wakings[] = {"sched:sched_waking", "sched:sched_wakeup", "sched:sched_wakeup_new"};
	struct switches *switches = NEW(struct switches);
	struct event_type *type = events_type(events, "sched:sched_switch");

	switches->sched_switch = type;
	switches->prev_prio = event_type_field(type, "prev_prio");
	switches->prev_state = event_type_field(type, "prev_state");
	switches->next_pid = event_type_field(type, "next_pid");
	switches->next_prio = event_type_field(type, "next_prio");
	for (int i = 0; i < 3; i++) {
		switches->wakings[i] = type = events_type(events, wakings[i]);
		switches->woken_pid[i] = event_type_field(type, "pid");
		switches->woken_prio[i] = event_type_field(type, "prio");
	}
	return switches;
}

void switches_free(struct switches *switches)
{
	struct thread *thread, *next;

	HASH_ITER(hh, switches->threads, thread, next)
	{
		HASH_DEL(switches->threads, thread);
		free(thread);
	}
	free(switches->cpus);
	free(switches);
}

static struct cpu *cpu_of(struct switches *switches, uint32_t number)
{
	if (number >= switches->count) {
		switches->cpus = memory_grow(switches->cpus, number + 1, sizeof(*switches->cpus));
		memset(switches->cpus + switches->count, 0, (number + 1 - switches->count) * sizeof(*switches->cpus));
		switches->count = number + 1;
	}
	return &switches->cpus[number];
}

static struct thread *thread_of(struct switches *switches, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(switches->threads, &tid, thread);
	if (!thread) {
		thread = NEW(struct thread);
		*thread = (struct thread){.tid = tid, .prio = PRIO_UNKNOWN, .runnable = NEVER};
		HASH_ADD_INT(switches->threads, tid, thread);
	}
	return thread;
}

static void learn(struct thread *thread, int64_t runnable, const struct event *event, const struct event_field *prio)
{
	thread->runnable = runnable;
	if (prio && event_has(event, prio))
		thread->prio = (int32_t)event_number(event, prio);
}

int64_t switch_state(const struct event *event, const struct event_field *field)
{
	static const char letters[] = "SDTtXZPI";
	char text[32];
	int64_t state = 0;

	event_spell_field(event, field, text, sizeof(text));
	if (text[strspn(text, "-0123456789")] == '\0')
		return event_number(event, field);
	for (const char *c = text; *c; c++)
		if (strchr(letters, *c))
			state |= INT64_C(1) << (strchr(letters, *c) - letters);
		else if (*c == '+')
			state |= PREV_STATE_PREEMPTED;
	return state;
}

/* What the event itself says of the times to come. */
static void look_ahead(struct switches *switches, struct cpu *cpu, const struct event *event)
{
	cpu->tid = event->tid;
	if (event->type == switches->sched_switch) {
		bool runnable = (switch_state(event, switches->prev_state) & (PREV_STATE_PREEMPTED - 1)) == 0;

		cpu->told = event->ts;
		cpu->tid = (int32_t)event_number(event, switches->next_pid);
		learn(thread_of(switches, event->tid), runnable ? event->ts : NEVER, event, switches->prev_prio);
		learn(thread_of(switches, cpu->tid), NEVER, event, switches->next_prio);
	}
	for (int i = 0; i < 3; i++)
		if (event->type == switches->wakings[i]) {
			struct thread *thread =
			    thread_of(switches, (int32_t)event_number(event, switches->woken_pid[i]));

			learn(thread, thread->runnable == NEVER ? event->ts : thread->runnable, event,
			      switches->woken_prio[i]);
		}
	cpu->known = true;
	cpu->gap = false;
	cpu->last = event->ts;
}

/* An idle CPU is left for a thread as soon as that may run, as graph-build has it. */
static int64_t idle_until(const struct switches *switches, const struct cpu *cpu, const struct event *event)
{
	const struct thread *thread;

	HASH_FIND_INT(switches->threads, &event->tid, thread);
	if (!thread || thread->runnable == NEVER)
		return event->ts;
	return thread->runnable > cpu->last ? thread->runnable : cpu->last;
}

size_t switches_before(struct switches *switches, const struct event *event, struct missing_switch missing[2])
{
	struct cpu *cpu = cpu_of(switches, event->cpu);
	bool changed = cpu->known && (cpu->gap || cpu->tid != event->tid);
	size_t count = 0;

	if (event->tid < 0)
		return 0;
	if (changed && cpu->tid == 0 && !cpu->gap) {
		missing[count++] = (struct missing_switch){.ts = idle_until(switches, cpu, event), .next = event->tid};
	} else if (changed) {
		if (cpu->tid != 0)
			missing[count++] = (struct missing_switch){.ts = cpu->last, .prev = cpu->tid};
		if (event->tid != 0)
			missing[count++] = (struct missing_switch){.ts = event->ts, .next = event->tid};
	} else if (!cpu->known && event->tid != 0 && event->type != switches->sched_switch) {
		missing[count++] = (struct missing_switch){.ts = event->ts, .next = event->tid};
	}
	for (size_t i = 0; i < count; i++) {
		struct thread *prev = thread_of(switches, missing[i].prev), *next = thread_of(switches, missing[i].next);

		if (missing[i].ts > event->ts) /* moments out of order */
			missing[i].ts = event->ts;
		cpu->told = missing[i].ts;
		prev->runnable = next->runnable = NEVER;
		missing[i].prev_prio = prev->prio;
		missing[i].next_prio = next->prio;
	}
	look_ahead(switches, cpu, event);
	return count;
}

bool switches_told(const struct switches *switches, const struct event *event)
{
	const struct cpu *cpu = switches->cpus + event->cpu;

	return event->cpu < switches->count && cpu->told > 0 && cpu->told < event->ts;
}

void switches_gap(struct switches *switches, uint32_t number)
{
	cpu_of(switches, number)->gap = true;
}

void switches_gap_everywhere(struct switches *switches, int64_t ts)
{
	for (struct cpu *cpu = switches->cpus; cpu < switches->cpus + switches->count; cpu++) {
		cpu->gap = true;
		cpu->last = ts > cpu->last ? ts : cpu->last;
	}
}
