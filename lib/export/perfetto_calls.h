/*
 * perfetto_calls: calls of traced functions as slices on the track of their thread, which the viewer draws beside that thread's states. Calls
 * nest; one whose end is not in the stream ends with the call that it lies in, or where the data end.
 */
#ifndef EXPORT_PERFETTO_CALLS_H
#define EXPORT_PERFETTO_CALLS_H

#include "event/event.h"
#include "export/perfetto_packet.h"

struct call_slices;

struct call_slices *call_slices_new(struct packets *packets, struct events *events, uint32_t machine); /* machine: see struct packets */
void call_slices_free(struct call_slices *calls);

/* A `chart` record, which has the names of functions; an event. -1 after fail(). */
int call_slices_chart(struct call_slices *calls, const struct fields *fields);
int call_slices_event(struct call_slices *calls, const struct event *event);

/* Nothing is known of what comes between the last event and the next: all calls end. */
int call_slices_cut(struct call_slices *calls);

#endif
