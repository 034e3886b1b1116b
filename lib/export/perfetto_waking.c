/*
 * Wake-ups by interrupts, in columns, as CompactSched of ftrace/ftrace_event_bundle.proto has them: the one form in
 * which Perfetto looks at an event's flags. Without these it names the thread that the interrupt hit as the waker.
 */
#include <stdlib.h>

#include "export/perfetto.h"

enum { BUNDLE_COMPACT = 4, COMMS = 5, FIRST_COLUMN = 7 };
enum { INTERRUPT = 0x08 | 0x10 }; /* hard or soft, in common_flags: the kernel's include/linux/trace_events.h */

void wakings_fields(struct waking_fields *of, struct events *events)
{
	struct event_type *type = events_type(events, "sched:sched_waking");

	of->type = type;
	of->pid = event_type_field(type, "pid");
	of->target_cpu = event_type_field(type, "target_cpu");
	of->prio = event_type_field(type, "prio");
	of->comm = event_type_field(type, "comm");
	of->flags = event_type_field(type, "common_flags");
}

bool wakings_take(struct wakings *wakings, const struct waking_fields *of, const struct event *event)
{
	char comm[64];

	if (event->type != of->type || event->ts < wakings->last || !(event_number(event, of->flags) & INTERRUPT))
		return false;
	event_text(event, of->comm, comm, sizeof(comm));
	proto_text(&wakings->comms, COMMS, comm);
	proto_varint(&wakings->columns[0], (uint64_t)(event->ts - wakings->last)); /* the first is the time itself */
	proto_varint(&wakings->columns[1], (uint64_t)event_number(event, of->pid));
	proto_varint(&wakings->columns[2], (uint64_t)event_number(event, of->target_cpu));
	proto_varint(&wakings->columns[3], (uint64_t)event_number(event, of->prio));
	proto_varint(&wakings->columns[4], wakings->count++); /* which comm */
	proto_varint(&wakings->columns[5], (uint64_t)event_number(event, of->flags));
	wakings->last = event->ts;
	return true;
}

void wakings_write(struct wakings *wakings, struct bytes *out)
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

void wakings_free(struct wakings *wakings)
{
	bytes_free(&wakings->comms);
	for (int i = 0; i < WAKING_COLUMNS; i++)
		bytes_free(&wakings->columns[i]);
}
