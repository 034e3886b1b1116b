/* Kernel events as ftrace/ftrace_event_bundle.proto has them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "event/spell.h"
#include "export/perfetto.h"

enum { PACKET_FTRACE = 1, BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3 };
enum { EVENT_TS = 1, EVENT_TID = 2, EVENT_GENERIC = 327 };
enum { GENERIC_NAME = 1, GENERIC_FIELD = 2, FIELD_NAME = 1, FIELD_TEXT = 3, FIELD_SIGNED = 4, FIELD_UNSIGNED = 5 };
enum {
	CPUS = 1024,		/* the viewer refuses a trace with more */
	BUNDLE_SIZE = 32 << 10, /* when it is written */
	FIELDS = 8,
	SCHED_SWITCH = 0,   /* its place in known[] */
	NO_STATE = 1 << 15, /* not a thread state of any kernel: the viewer then shows none */
};

enum value { SIGNED, UNSIGNED, NUMBERS, TEXT, DEVICE, STATE };

/* ftrace/ftrace_event.proto, and of each event sched.proto, irq.proto, block.proto, task.proto, raw_syscalls.proto. */
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
	struct perfetto *perfetto;
	struct switches *switches;
	struct {
		const struct event_type *type;
		const struct event_field *fields[FIELDS];
	} known[KNOWN];
	struct waking_fields waking;
	struct bundle *bundles; /* by CPU */
	uint32_t cpus;
	struct line spelled;
	struct fields fields;
};

struct kernel *kernel_new(struct perfetto *perfetto)
{
	struct kernel *kernel = NEW(struct kernel);
	struct events *events = perfetto->model->site->events;

	kernel->perfetto = perfetto;
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
	line_free(&kernel->spelled);
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
	struct perfetto *perfetto = kernel->perfetto;
	struct bundle *bundle = &kernel->bundles[cpu];
	size_t mark;

	packet_begin(perfetto, TS_NONE);
	mark = proto_begin(&perfetto->file, PACKET_FTRACE);
	proto_unsigned(&perfetto->file, BUNDLE_CPU, cpu);
	bytes_add(&perfetto->file, bundle->events.data, bundle->events.length);
	wakings_write(&bundle->wakings, &perfetto->file);
	if (bundle->lost)
		proto_unsigned(&perfetto->file, BUNDLE_LOST, 1);
	proto_end(&perfetto->file, mark);
	bundle->events.length = 0;
	bundle->lost = false;
	return packet_end(perfetto);
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

/* User space's spelling of a device's number: the kernel's new_encode_dev(). */
static uint64_t encode_device(uint64_t dev)
{
	uint64_t major = dev >> 20, minor = dev & 0xfffff;

	return (minor & 0xff) | major << 8 | (minor & ~UINT64_C(0xff)) << 12;
}

/* "0x3,0x7ffc,0x10": an element for each. */
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

/* "-5" and "18446744073709551615" both are numbers; what is not is a text. */
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
	const struct fields *fields = event->fields;
	const char *colon = strchr(event->type->name, ':');
	const struct field *field;
	size_t mark;

	if (!fields) {
		event_spell(event, "", &kernel->spelled);
		if (fields_parse(&kernel->fields, kernel->spelled.text, kernel->spelled.length) < 0)
			return -1;
		fields = &kernel->fields;
	}
	mark = proto_begin(out, EVENT_GENERIC);
	proto_text(out, GENERIC_NAME, colon ? colon + 1 : event->type->name);
	for (field = fields_find(fields, "name") + 1; field < fields->item + fields->count; field++)
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

/* A sched_switch as known[] has it. */
static void add_switch(struct kernel *kernel, const struct missing_switch *missing, struct bytes *out)
{
	const struct events *events = kernel->perfetto->model->site->events;
	size_t mark = proto_begin(out, BUNDLE_EVENT), fields;

	proto_unsigned(out, EVENT_TS, (uint64_t)missing->ts);
	proto_unsigned(out, EVENT_TID, (uint32_t)missing->prev);
	fields = proto_begin(out, known[SCHED_SWITCH].number);
	proto_text(out, 1, events_comm(events, missing->prev));
	proto_signed(out, 2, missing->prev);
	if (missing->prev_prio != PRIO_UNKNOWN)
		proto_signed(out, 3, missing->prev_prio);
	proto_signed(out, 4, missing->prev ? NO_STATE : 0);
	proto_text(out, 5, events_comm(events, missing->next));
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
		export_leave_out(kernel->perfetto->export, "an event's time or CPU is out of range");
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
