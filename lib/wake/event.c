#include "wake/part.h"

#include <string.h>

/* HANDLERS: most parts that handle one type of event. APART_NS: an event so long after the last one of its CPU has nothing to do with that. */
enum { HANDLERS = 4, APART_NS = 100000 };

struct handler { /* what a part does with a type of event */
	void (*handle)(struct at *at);
	struct event_field *field[ROW_FIELDS];
	int16_t named;
	bool returns;
};

/* One for each type of event that the stream has. */
struct slot {
	struct handler handlers[HANDLERS];
	struct event_field *flags;
	uint8_t count;
	bool resolved;
	bool known; /* at least one part has a row for it; what these rows say: */
	bool names, completing, waking, aside;
};

int64_t at_number(const struct at *at, int field)
{
	return event_number(at->event, at->handler->field[field]);
}

int64_t at_element(const struct at *at, int field, unsigned index)
{
	return event_element(at->event, at->handler->field[field], index);
}

bool at_has(const struct at *at, int field)
{
	return at->handler->field[field] && event_has(at->event, at->handler->field[field]);
}

size_t at_text(const struct at *at, int field, char *text, size_t room)
{
	return event_spell_field(at->event, at->handler->field[field], text, room);
}

int at_flags(const struct at *at)
{
	return event_has(at->event, at->slot->flags) ? (int)event_number(at->event, at->slot->flags) : FLAGS_NONE;
}

int16_t at_named(const struct at *at)
{
	return at->handler->named;
}

bool at_returns(const struct at *at)
{
	return at->handler->returns;
}

bool at_completes(const struct at *at)
{
	return at->slot->completing;
}

bool at_known(const struct at *at)
{
	return at->slot->known;
}

struct thread *at_thread(const struct at *at)
{
	return at->current ? at->current : core_thread_on(at->wake, at->cpu, at->event->tid);
}

struct thread *at_own(const struct at *at)
{
	int flags = at_flags(at);

	if (at->cpu->depth > 0 || (flags != FLAGS_NONE && flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ)))
		return NULL;
	return at->current && at->current->tid != TID_IDLE ? at->current : NULL;
}

static const struct part_event *row_of(const struct part *part, const char *name)
{
	for (const struct part_event *row = part->events; row && row->name; row++) {
		size_t length = strlen(row->name);

		if (strchr("_:", row->name[length - 1]) ? !strncmp(name, row->name, length) : !strcmp(name, row->name))
			return row;
	}
	return NULL;
}

static void add_row(struct wake *wake, struct slot *slot, const struct part_event *row, struct event_type *type)
{
	struct handler *handler = &slot->handlers[slot->count];

	slot->known = true;
	slot->names |= row->names;
	slot->completing |= row->completing;
	slot->waking |= row->waking;
	slot->aside |= row->aside;
	if (!row->handle || slot->count == HANDLERS)
		return;
	*handler = (struct handler){.handle = row->handle, .named = CALL_NONE};
	for (int i = 0; i < ROW_FIELDS && row->field[i]; i++)
		handler->field[i] = event_type_field(type, row->field[i]);
	if (row->named)
		handler->named = row->named(wake, type->name + strlen(row->name), &handler->returns);
	slot->count++;
}

static void add_watch(struct wake *wake, struct slot *slot, const struct part *part, const struct event_type *type)
{
	if (slot->count < HANDLERS && part->watches && part->watches(wake, type))
		slot->handlers[slot->count++] = (struct handler){.handle = part->watched, .named = CALL_NONE};
}

static void resolve(struct wake *wake, struct slot *slot, const struct event_type *named)
{
	struct event_type *type = events_type(wake->events, named->name);

	slot->resolved = true;
	slot->flags = event_type_field(type, "common_flags");
	for (int i = 0; i < PARTS_COUNT; i++) {
		const struct part_event *row = row_of(wake->parts[i], type->name);

		if (row)
			add_row(wake, slot, row, type);
	}
	for (int i = 0; i < PARTS_COUNT; i++)
		add_watch(wake, slot, wake->parts[i], type);
}

static const struct slot *slot_of(struct wake *wake, const struct event_type *type)
{
	while (wake->slots.count <= (size_t)type->index)
		*ARRAY_ADD(&wake->slots) = (struct slot){0};
	if (!wake->slots.items[type->index].resolved)
		resolve(wake, &wake->slots.items[type->index], type);
	return &wake->slots.items[type->index];
}

static void handle(struct at *at)
{
	bool apart = at->cpu && at->wake->now - at->cpu->last > APART_NS;

	for (const struct part *const *part = at->wake->hooks->event; at->cpu && *part; part++)
		(*part)->event(at, apart);
	if (at->cpu && !at->slot->waking)
		at->cpu->waking = INDEX_NONE;
	for (int i = 0; i < at->slot->count; i++) {
		at->handler = &at->slot->handlers[i];
		at->handler->handle(at);
	}
	if (at->slot->names) /* after the handlers: they save the name of the thread that had the tid before */
		events_learn_names(at->wake->events, at->event);
}

/* Tells whether the event comes between sched_switch and the switch itself, as when memory is switched: the CPU is still the old thread's. */
static bool still_leaves(const struct wake *wake, const struct cpu *cpu, const struct event *event)
{
	return cpu->leaving != INDEX_NONE && wake->threads.items[cpu->leaving]->tid == event->tid &&
	       wake->now - cpu->last <= APART_NS;
}

static bool is_elsewhere(const struct wake *wake, const struct event *event)
{
	for (const struct part *const *part = wake->hooks->elsewhere; *part; part++)
		if ((*part)->elsewhere(wake, event))
			return true;
	return false;
}

int wake_event(struct wake *wake, const struct event *event)
{
	const struct slot *slot = slot_of(wake, event->type);
	struct at at = {.wake = wake, .event = event, .slot = slot};

	wake_until(wake, event->ts); /* merged CPUs may be out of step by a little */
	if (slot->aside) {
		handle(&at);
		return 0;
	}
	at.cpu = core_cpu(wake, event->cpu);
	if (!at.cpu)
		return -1;
	if (slot->known || !still_leaves(wake, at.cpu, event)) {
		at.cpu->leaving = INDEX_NONE;
		at.current = is_elsewhere(wake, event) ? NULL : core_current(wake, at.cpu, event->tid);
		handle(&at);
	}
	at.cpu->last = wake->now;
	return 0;
}
