/*
 * perfetto_calls: calls of traced functions as slices on the track of their thread, which the viewer draws beside that thread's states. Calls
 * nest. If the stream lacks a call's end, the slice ends with the call around it, or where the data end.
 */
#ifndef EXPORT_PERFETTO_CALLS_H
#define EXPORT_PERFETTO_CALLS_H

#include "event/event.h"
#include "export/perfetto_packet.h"

struct call_slices;

struct call_slices *call_slices_new(struct packets *packets, struct events *events, uint32_t machine); /* machine: see struct packets */
void call_slices_free(struct call_slices *calls);

/* Take a `chart` record, which has the names of functions, and an event. -1 after fail(). */
int call_slices_chart(struct call_slices *calls, const struct fields *fields);
int call_slices_event(struct call_slices *calls, const struct event *event);

/* Events are missing behind the last one: all calls end there. -1 after fail(). */
int call_slices_cut(struct call_slices *calls);

#endif
