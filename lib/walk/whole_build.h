/*
 * whole_build: makes the whole graph of a stream, from its events. The wake core knows what ended each wait (wake/core.h); the builder cuts
 * threads into segments, names their waits, and collects the events of each.
 *
 *	builder = whole_builder_new(stream, events)
 *	whole_builder_reads(&handlers, ...): then whole_builder_record(builder, record) on each record that it asked for
 *	at the end of each trace (struct handlers, finish): whole = whole_builder_finish(builder)
 *	whole_builder_free(builder)
 *
 * A wait lasts from the first sleep in a system call to the last wake-up before the call returns: wake-ups in vain do not end it. Outside of
 * calls each sleep is a wait. Memory grows with the waits of the stream, not with its other events.
 */
#ifndef WALK_WHOLE_BUILD_H
#define WALK_WHOLE_BUILD_H

#include "chart/semantics.h"
#include "event/event.h"
#include "walk/whole.h"

struct whole_builder;

struct whole_builder *whole_builder_new(struct stream *stream, struct events *events); /* NULL after fail() */
void whole_builder_free(struct whole_builder *builder);

/* Sets the user's semantics, from the next trace on; they must outlive the builder. */
void whole_builder_semantics(struct whole_builder *builder, const struct semantics *semantics);

void whole_builder_reads(struct handlers *handlers, record_handler *handler);
int whole_builder_record(struct whole_builder *builder, const struct record *record); /* 0; -1 after fail() */

/* Returns the graph of the trace that is over; the caller owns it. NULL after fail(). The builder is ready for another trace. */
struct whole *whole_builder_finish(struct whole_builder *builder);

/* A sentence that says what the data lack, valid until the next call; NULL: nothing. */
const char *whole_builder_complaint(struct whole_builder *builder);

#endif
