/*
 * past: what any thread did at any time of a trace, and who held it up: the critical path of its wake graph, piece by piece. It keeps what all
 * threads did, as wake.h does for a window; when there are too many it forgets, and knows nothing of before.
 *
 *	struct past *past = past_new(stream, events)	NULL after fail(): a shipped list cannot be read
 *	past_record(past, record)			each record of those kinds
 *	past_tell(past, 0, tid, from, to, &doings)	when all were taken
 *	past_forget(past)				before another trace
 *	past_free(past)
 *
 * It is for streams of one host: of others it tells nothing.
 */
#ifndef BLAME_PAST_H
#define BLAME_PAST_H

#include "event/event.h"
#include "span/doings.h"

struct past;

struct past *past_new(struct stream *stream, struct events *events);
void past_free(struct past *past);
bool past_reads(enum kind kind);
int past_record(struct past *past, const struct record *record); /* 0; -1 after fail() */
void past_forget(struct past *past);

/*
 * As struct doings_teller has it; the context is the past. What is unknown is not told, and neither are the thread's own runs: they are
 * what it does for itself. Time without a CPU goes to those who held it, who may overlap.
 */
void past_tell(void *context, int host, int32_t tid, int64_t from, int64_t to, struct doings *doings);

#endif
