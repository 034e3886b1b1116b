/*
 * thread_past: what any thread did at any time of a trace, and who held it up: the critical path of its wake graph, piece by piece. For each
 * host of the trace it keeps what all threads did, as wake.h does for a window; when there are too many threads, it forgets everything before.
 *
 *	struct thread_past *past = thread_past_new(stream, events)	NULL after fail(): a shipped list cannot be read
 *	thread_past_record(past, host, record)				each record of a kind that thread_past_reads() accepts
 *	thread_past_tell(past, host, tid, from, to, &activities)		after all records
 *	thread_past_forget(past)					before another trace
 *	thread_past_free(past)
 *
 * Hosts have numbers from 0, which the caller assigns. A `host` record is passed with the number of the host that it names.
 */
#ifndef BLAME_THREAD_PAST_H
#define BLAME_THREAD_PAST_H

#include "event/event.h"
#include "span/thread_activity.h"

struct thread_past;

struct thread_past *thread_past_new(struct stream *stream, struct events *events);
void thread_past_free(struct thread_past *past);
bool thread_past_reads(enum kind kind);
int thread_past_record(struct thread_past *past, int host, const struct record *record); /* 0; -1 after fail() */
void thread_past_forget(struct thread_past *past);

/*
 * The function of a struct activity_source; the context is the past. It leaves out unknown times, and the thread's own runs, because those are
 * its own work. Time runnable or queued becomes the pieces of those that held the CPU or were served, which may overlap.
 */
void thread_past_tell(void *context, int host, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities);

#endif
