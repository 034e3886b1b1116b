#include "export/perfetto_kernel.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"
#include "export/format.h"

/*
 * The threads on the CPUs. Perfetto takes them from sched_switch alone. If a switch is missing, it shows a running thread as
 * waiting for its CPU, and the CPU as idle. Switches may be missing: those of threads that were not recorded, those in a gap,
 * and with some kernels those of the idle thread. Each event tells its thread, so a missing switch is noticed and added.
 */

enum { PRIO_UNKNOWN = INT32_MIN };
struct missing_switch {
	int64_t ts;
	int32_t prev, next; /* one of them is the idle thread; why a `prev` that is not idle left the CPU is unknown */
	int32_t prev_prio, next_prio;
};

#define NEVER INT64_MIN

enum { PREV_STATE_PREEMPTED = 0x100 };

struct cpu {
	int32_t tid;  /* the thread that runs on it */
	int64_t last; /* until when that is certain */
	int64_t told; /* time of the CPU's last switch in the file; 0: there is none */
	bool known;   /* false: the CPU had no event yet */
	bool gap;     /* events may be missing since `last` */
};

struct thread {
	int32_t tid;
	int32_t prio;	  /* or PRIO_UNKNOWN */
	int64_t runnable; /* since when it waits for a CPU; NEVER: it does not, or that is unknown */
	UT_hash_handle hh;
};

struct switches {
	const struct event_type *sched_switch, *wakings[3];
	const struct event_field *prev_prio, *prev_state, *next_pid, *next_prio, *woken_pid[3], *woken_prio[3];
	struct cpu *cpus; /* by number */
	uint32_t count;
	struct thread *threads; /* by tid */
};

static struct switches *switches_new(struct events *events)
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

static void switches_free(struct switches *switches)
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

/* The bits of a thread's state, which an event in text form may spell as letters. */
static int64_t switch_state(const struct event *event, const struct event_field *field)
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

/* Notes what the event tells about the time behind it: who runs, and who waits for a CPU. */
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

/* When an idle CPU switched to the event's thread: as soon as the thread was runnable, as graph-build also assumes. */
static int64_t idle_until(const struct switches *switches, const struct cpu *cpu, const struct event *event)
{
	const struct thread *thread;

	HASH_FIND_INT(switches->threads, &event->tid, thread);
	if (!thread || thread->runnable == NEVER)
		return event->ts;
	return thread->runnable > cpu->last ? thread->runnable : cpu->last;
}

/* Stores the switches that are missing before this event in `missing`. Returns how many there are. */
static size_t switches_before(struct switches *switches, const struct event *event, struct missing_switch missing[2])
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

		if (missing[i].ts > event->ts) /* the stream has moments out of order */
			missing[i].ts = event->ts;
		cpu->told = missing[i].ts;
		prev->runnable = next->runnable = NEVER;
		missing[i].prev_prio = prev->prio;
		missing[i].next_prio = next->prio;
	}
	look_ahead(switches, cpu, event);
	return count;
}

/* Tells whether the file has a switch of the event's CPU before the event. */
static bool switches_told(const struct switches *switches, const struct event *event)
{
	const struct cpu *cpu = switches->cpus + event->cpu;

	return event->cpu < switches->count && cpu->told > 0 && cpu->told < event->ts;
}

/* A thread that ran before a gap need not have run in the gap. */
static void switches_gap(struct switches *switches, uint32_t number)
{
	cpu_of(switches, number)->gap = true;
}

static void switches_gap_everywhere(struct switches *switches, int64_t ts)
{
	for (struct cpu *cpu = switches->cpus; cpu < switches->cpus + switches->count; cpu++) {
		cpu->gap = true;
		cpu->last = ts > cpu->last ? ts : cpu->last;
	}
}

/*
 * Wake-ups by interrupts, in the columns of CompactSched in ftrace/ftrace_event_bundle.proto. This is the only form in
 * which Perfetto reads an event's flags. Without the flags it takes the thread that the interrupt hit for the waker.
 */

enum { WAKING_COLUMNS = 6 };
struct waking_fields {
	const struct event_type *type;
	const struct event_field *pid, *target_cpu, *prio, *comm, *flags;
};
struct wakings {
	struct bytes comms, columns[WAKING_COLUMNS];
	uint32_t count;
	int64_t last;
};

enum { BUNDLE_COMPACT = 4, COMMS = 5, FIRST_COLUMN = 7 };
enum { INTERRUPT = 0x08 | 0x10 }; /* hard or soft, in common_flags: the kernel's include/linux/trace_events.h */

static void wakings_fields(struct waking_fields *of, struct events *events)
{
	struct event_type *type = events_type(events, "sched:sched_waking");

	of->type = type;
	of->pid = event_type_field(type, "pid");
	of->target_cpu = event_type_field(type, "target_cpu");
	of->prio = event_type_field(type, "prio");
	of->comm = event_type_field(type, "comm");
	of->flags = event_type_field(type, "common_flags");
}

/* Takes a wake-up by an interrupt. False: the event is no such wake-up, and must be written with the others. */
static bool wakings_take(struct wakings *wakings, const struct waking_fields *of, const struct event *event)
{
	char comm[64];

	if (event->type != of->type || event->ts < wakings->last || !(event_number(event, of->flags) & INTERRUPT))
		return false;
	event_text(event, of->comm, comm, sizeof(comm));
	proto_text(&wakings->comms, COMMS, comm);
	proto_varint(&wakings->columns[0], (uint64_t)(event->ts - wakings->last)); /* a difference; the first is the time itself */
	proto_varint(&wakings->columns[1], (uint64_t)event_number(event, of->pid));
	proto_varint(&wakings->columns[2], (uint64_t)event_number(event, of->target_cpu));
	proto_varint(&wakings->columns[3], (uint64_t)event_number(event, of->prio));
	proto_varint(&wakings->columns[4], wakings->count++); /* the index of its comm */
	proto_varint(&wakings->columns[5], (uint64_t)event_number(event, of->flags));
	wakings->last = event->ts;
	return true;
}

/* Writes the collected wake-ups and empties the columns. */
static void wakings_write(struct wakings *wakings, struct bytes *out)
{
	size_t mark;

	if (wakings->count == 0)
		return;
	mark = proto_begin(out, BUNDLE_COMPACT);
	bytes_add(out, wakings->comms.data, wakings->comms.length);
	for (int i = 0; i < WAKING_COLUMNS; i++) {
		proto_message(out, FIRST_COLUMN + (uint32_t)i, &wakings->columns[i]);
		wakings->columns[i].length = 0;
	}
	proto_end(out, mark);
	wakings->comms.length = 0;
	wakings->count = 0;
	wakings->last = 0;
}

static void wakings_free(struct wakings *wakings)
{
	bytes_free(&wakings->comms);
	for (int i = 0; i < WAKING_COLUMNS; i++)
		bytes_free(&wakings->columns[i]);
}

/* Kernel events as ftrace/ftrace_event_bundle.proto has them. */

enum { PACKET_FTRACE = 1, BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3 };
enum { EVENT_TS = 1, EVENT_TID = 2, EVENT_GENERIC = 327 };
enum { GENERIC_NAME = 1, GENERIC_FIELD = 2, FIELD_NAME = 1, FIELD_TEXT = 3, FIELD_SIGNED = 4, FIELD_UNSIGNED = 5 };
enum {
	CPUS = 1024,		/* the viewer refuses a trace with more */
	BUNDLE_SIZE = 32 << 10, /* a bundle is written when it has this many bytes */
	FIELDS = 8,
	SCHED_SWITCH = 0,   /* the index of sched_switch in known[] */
	NO_STATE = 1 << 15, /* no kernel has this thread state, so the viewer shows none */
};

enum value { SIGNED, UNSIGNED, NUMBERS, TEXT, DEVICE, STATE };

/* Numbers of events from ftrace/ftrace_event.proto; of fields from sched.proto, irq.proto, block.proto, task.proto, raw_syscalls.proto. */
static const struct {
	const char *event;
	uint32_t number;
	struct {
		const char *name;
		uint32_t number;
		enum value value;
	} fields[FIELDS];
} known[] = {
	{"sched:sched_switch", 4, {{"prev_comm", 1, TEXT}, {"prev_pid", 2, SIGNED}, {"prev_prio", 3, SIGNED}, {"prev_state", 4, STATE},
				   {"next_comm", 5, TEXT}, {"next_pid", 6, SIGNED}, {"next_prio", 7, SIGNED}}},
	{"sched:sched_wakeup", 17, {{"comm", 1, TEXT}, {"pid", 2, SIGNED}, {"prio", 3, SIGNED}, {"target_cpu", 5, SIGNED}}},
	{"sched:sched_waking", 20, {{"comm", 1, TEXT}, {"pid", 2, SIGNED}, {"prio", 3, SIGNED}, {"target_cpu", 5, SIGNED}}},
	{"sched:sched_wakeup_new", 114, {{"comm", 1, TEXT}, {"pid", 2, SIGNED}, {"prio", 3, SIGNED}, {"target_cpu", 5, SIGNED}}},
	{"irq:softirq_entry", 24, {{"vec", 1, UNSIGNED}}},
	{"irq:softirq_exit", 25, {{"vec", 1, UNSIGNED}}},
	{"irq:softirq_raise", 26, {{"vec", 1, UNSIGNED}}},
	{"irq:irq_handler_entry", 36, {{"irq", 1, SIGNED}, {"name", 2, TEXT}}},
	{"irq:irq_handler_exit", 37, {{"irq", 1, SIGNED}, {"ret", 2, SIGNED}}},
	{"sched:sched_process_exec", 237, {{"filename", 1, TEXT}, {"pid", 2, SIGNED}, {"old_pid", 3, SIGNED}}},
	{"sched:sched_process_exit", 238, {{"comm", 1, TEXT}, {"pid", 2, SIGNED}, {"prio", 4, SIGNED}}},
	{"sched:sched_process_fork", 239, {{"parent_comm", 1, TEXT}, {"parent_pid", 2, SIGNED}, {"child_comm", 3, TEXT}, {"child_pid", 4, SIGNED}}},
	{"task:task_newtask", 235, {{"pid", 1, SIGNED}, {"comm", 2, TEXT}, {"clone_flags", 3, UNSIGNED}, {"oom_score_adj", 4, SIGNED}}},
	{"task:task_rename", 236, {{"pid", 1, SIGNED}, {"oldcomm", 2, TEXT}, {"newcomm", 3, TEXT}, {"oom_score_adj", 4, SIGNED}}},
	{"raw_syscalls:sys_enter", 329, {{"id", 1, SIGNED}, {"args", 2, NUMBERS}}},
	{"raw_syscalls:sys_exit", 330, {{"id", 1, SIGNED}, {"ret", 2, SIGNED}}},
	{"block:block_bio_queue", 119, {{"dev", 1, DEVICE}, {"sector", 2, UNSIGNED}, {"nr_sector", 3, UNSIGNED}, {"rwbs", 4, TEXT}, {"comm", 5, TEXT}}},
	{"block:block_rq_insert", 126, {{"dev", 1, DEVICE}, {"sector", 2, UNSIGNED}, {"nr_sector", 3, UNSIGNED}, {"bytes", 4, UNSIGNED},
					{"rwbs", 5, TEXT}, {"comm", 6, TEXT}, {"cmd", 7, TEXT}}},
	{"block:block_rq_issue", 45, {{"dev", 1, DEVICE}, {"sector", 2, UNSIGNED}, {"nr_sector", 3, UNSIGNED}, {"bytes", 4, UNSIGNED},
				      {"rwbs", 5, TEXT}, {"comm", 6, TEXT}, {"cmd", 7, TEXT}}},
	{"block:block_rq_complete", 125, {{"dev", 1, DEVICE}, {"sector", 2, UNSIGNED}, {"nr_sector", 3, UNSIGNED}, {"rwbs", 5, TEXT},
					  {"cmd", 6, TEXT}, {"error", 7, SIGNED}}},
};

enum { KNOWN = sizeof(known) / sizeof(*known) };

struct bundle {
	struct bytes events;
	struct wakings wakings;
	bool lost;
};

struct kernel {
	struct packets *packets;
	uint32_t machine;
	struct events *events;
	struct switches *switches;
	struct {
		const struct event_type *type;
		const struct event_field *fields[FIELDS];
	} known[KNOWN];
	struct waking_fields waking;
	struct bundle *bundles; /* by CPU */
	uint32_t cpus;
	struct export_event event;
};

struct kernel *kernel_new(struct packets *packets, struct events *events, uint32_t machine)
{
	struct kernel *kernel = NEW(struct kernel);

	kernel->packets = packets;
	kernel->machine = machine;
	kernel->events = events;
	kernel->switches = switches_new(events);
	wakings_fields(&kernel->waking, events);
	for (int i = 0; i < KNOWN; i++) {
		struct event_type *type = events_type(events, known[i].event);

		kernel->known[i].type = type;
		for (int f = 0; f < FIELDS && known[i].fields[f].name; f++)
			kernel->known[i].fields[f] = event_type_field(type, known[i].fields[f].name);
	}
	return kernel;
}

void kernel_free(struct kernel *kernel)
{
	for (uint32_t cpu = 0; cpu < kernel->cpus; cpu++) {
		bytes_free(&kernel->bundles[cpu].events);
		wakings_free(&kernel->bundles[cpu].wakings);
	}
	free(kernel->bundles);
	switches_free(kernel->switches);
	line_free(&kernel->event.spelled);
	free(kernel);
}

static struct bundle *bundle_of(struct kernel *kernel, uint32_t cpu)
{
	if (cpu >= kernel->cpus) {
		kernel->bundles = memory_grow(kernel->bundles, cpu + 1, sizeof(*kernel->bundles));
		memset(kernel->bundles + kernel->cpus, 0, (cpu + 1 - kernel->cpus) * sizeof(*kernel->bundles));
		kernel->cpus = cpu + 1;
	}
	return &kernel->bundles[cpu];
}

static bool has_events(const struct bundle *bundle)
{
	return bundle->events.length > 0 || bundle->wakings.count > 0;
}

static int write_bundle(struct kernel *kernel, uint32_t cpu)
{
	struct packets *packets = kernel->packets;
	struct bundle *bundle = &kernel->bundles[cpu];
	size_t mark;

	packets->machine = kernel->machine;
	packet_begin(packets, TS_NONE);
	packets->machine = 0;
	mark = proto_begin(&packets->file, PACKET_FTRACE);
	proto_unsigned(&packets->file, BUNDLE_CPU, cpu);
	bytes_add(&packets->file, bundle->events.data, bundle->events.length);
	wakings_write(&bundle->wakings, &packets->file);
	if (bundle->lost)
		proto_unsigned(&packets->file, BUNDLE_LOST, 1);
	proto_end(&packets->file, mark);
	bundle->events.length = 0;
	bundle->lost = false;
	return packet_end(packets);
}

int kernel_flush(struct kernel *kernel)
{
	for (uint32_t cpu = 0; cpu < kernel->cpus; cpu++)
		if ((has_events(&kernel->bundles[cpu]) || kernel->bundles[cpu].lost) && write_bundle(kernel, cpu) < 0)
			return -1;
	return 0;
}

int kernel_lost(struct kernel *kernel, uint32_t cpu)
{
	if (cpu >= CPUS)
		return 0;
	if (has_events(bundle_of(kernel, cpu)) && write_bundle(kernel, cpu) < 0)
		return -1;
	kernel->bundles[cpu].lost = true;
	switches_gap(kernel->switches, cpu);
	return 0;
}

void kernel_gap(struct kernel *kernel, int64_t ts)
{
	switches_gap_everywhere(kernel->switches, ts);
}

/* A device's number as user space spells it: the kernel's new_encode_dev(). */
static uint64_t encode_device(uint64_t dev)
{
	uint64_t major = dev >> 20, minor = dev & 0xfffff;

	return (minor & 0xff) | major << 8 | (minor & ~UINT64_C(0xff)) << 12;
}

/* Adds an element for each number in a text such as "0x3,0x7ffc,0x10". */
static void add_numbers(const struct event *event, const struct event_field *field, uint32_t number, struct bytes *out)
{
	char text[256];

	event_spell_field(event, field, text, sizeof(text));
	for (char *at = text, *end; *at; at = end + strspn(end, ", ")) {
		uint64_t value = strtoull(at, &end, 0);

		if (end == at)
			return;
		proto_unsigned(out, number, value);
	}
}

static void add_known(struct kernel *kernel, int i, const struct event *event, struct bytes *out)
{
	size_t mark = proto_begin(out, known[i].number);
	char text[256];

	for (int f = 0; f < FIELDS && known[i].fields[f].name; f++) {
		const struct event_field *field = kernel->known[i].fields[f];
		uint32_t number = known[i].fields[f].number;

		if (!event_has(event, field))
			continue;
		if (known[i].fields[f].value == TEXT) {
			event_text(event, field, text, sizeof(text));
			proto_text(out, number, text);
		} else if (known[i].fields[f].value == NUMBERS) {
			add_numbers(event, field, number, out);
		} else if (known[i].fields[f].value == DEVICE) {
			proto_unsigned(out, number, encode_device((uint64_t)event_number(event, field)));
		} else if (known[i].fields[f].value == STATE) {
			proto_signed(out, number, switch_state(event, field));
		} else {
			proto_signed(out, number, event_number(event, field));
		}
	}
	proto_end(out, mark);
}

/* Writes "-5" as a signed and "18446744073709551615" as an unsigned number, and anything else as text. */
static void add_generic_field(const struct field *field, struct bytes *out)
{
	char *key = memory_text(field->key, field->key_length), *text = memory_new(field->value_length + 1, 1);
	size_t mark = proto_begin(out, GENERIC_FIELD);
	int64_t number;

	field_text(field, text, field->value_length + 1);
	proto_text(out, FIELD_NAME, key);
	if (number_integer(text, strlen(text), &number) < 0)
		proto_text(out, FIELD_TEXT, text);
	else if (*text == '-')
		proto_signed(out, FIELD_SIGNED, number);
	else
		proto_unsigned(out, FIELD_UNSIGNED, (uint64_t)number);
	proto_end(out, mark);
	free(key);
	free(text);
}

static int add_generic(struct kernel *kernel, const struct event *event, struct bytes *out)
{
	const struct fields *fields = export_event_fields(&kernel->event, event, "");
	const char *colon = strchr(event->type->name, ':');
	size_t mark;

	if (!fields)
		return -1;
	mark = proto_begin(out, EVENT_GENERIC);
	proto_text(out, GENERIC_NAME, colon ? colon + 1 : event->type->name);
	for (const struct field *field = export_own_fields(fields); field < fields->item + fields->count; field++)
		add_generic_field(field, out);
	proto_end(out, mark);
	return 0;
}

static int add_event(struct kernel *kernel, const struct event *event, struct bytes *out)
{
	size_t mark = proto_begin(out, BUNDLE_EVENT);
	int i = 0, status = 0;

	proto_unsigned(out, EVENT_TS, (uint64_t)event->ts);
	proto_unsigned(out, EVENT_TID, (uint32_t)event->tid);
	while (i < KNOWN && kernel->known[i].type != event->type)
		i++;
	if (i < KNOWN)
		add_known(kernel, i, event, out);
	else
		status = add_generic(kernel, event, out);
	proto_end(out, mark);
	return status;
}

/* Writes a missing switch as a sched_switch, with the field numbers of known[]. */
static void add_switch(struct kernel *kernel, const struct missing_switch *missing, struct bytes *out)
{
	size_t mark = proto_begin(out, BUNDLE_EVENT), fields;

	proto_unsigned(out, EVENT_TS, (uint64_t)missing->ts);
	proto_unsigned(out, EVENT_TID, (uint32_t)missing->prev);
	fields = proto_begin(out, known[SCHED_SWITCH].number);
	proto_text(out, 1, events_comm(kernel->events, missing->prev));
	proto_signed(out, 2, missing->prev);
	if (missing->prev_prio != PRIO_UNKNOWN)
		proto_signed(out, 3, missing->prev_prio);
	proto_signed(out, 4, missing->prev ? NO_STATE : 0);
	proto_text(out, 5, events_comm(kernel->events, missing->next));
	proto_signed(out, 6, missing->next);
	if (missing->next_prio != PRIO_UNKNOWN)
		proto_signed(out, 7, missing->next_prio);
	proto_end(out, fields);
	proto_end(out, mark);
}

int kernel_event(struct kernel *kernel, const struct event *event)
{
	struct missing_switch missing[2];
	struct bundle *bundle;
	size_t count;

	if (event->ts < 0 || event->cpu >= CPUS) {
		export_leave_out(kernel->packets->export, "an event's time or CPU is out of range");
		return 0;
	}
	bundle = bundle_of(kernel, event->cpu);
	count = switches_before(kernel->switches, event, missing);
	for (size_t i = 0; i < count; i++)
		add_switch(kernel, &missing[i], &bundle->events);
	if (!(switches_told(kernel->switches, event) && wakings_take(&bundle->wakings, &kernel->waking, event)) &&
	    add_event(kernel, event, &bundle->events) < 0)
		return -1;
	return bundle->events.length + bundle->wakings.comms.length < BUNDLE_SIZE ? 0 : write_bundle(kernel, event->cpu);
}
