/*
 * wake: from events to graphs of who waited for whom. A struct wake remembers what the threads of an open window did, in a
 * compact form; wake_graph() cuts out of it what delayed a thread or a request, by walking backward from its end. Then it
 * forgets all: between two windows nobody knows what happened.
 *
 *	struct wake *wake = wake_new(events);
 *	wake_record(wake, kind, fields) with every record that says what events mean; wake_event(wake, &event) with every event;
 *	wake_lost(wake, cpu, from, to) where some are missing
 *	at the end of a window: target = wake_find(wake, &wanted); wake_graph(wake, "1", target, from, to); wake_forget(wake)
 *	wake_free(wake)
 */
#ifndef WAKE_WAKE_H
#define WAKE_WAKE_H

#include "chart/semantics.h"
#include "event/event.h"
#include "graph/graph.h"
#include "stream/fields.h"

struct wake;

struct wake *wake_new(struct events *events); /* NULL after fail(): a shipped list cannot be read */
void wake_free(struct wake *wake);
void wake_forget(struct wake *wake); /* the window is over: what formats and numbers of the stream mean stays */

/*
 * The user's semantics of programs, before any event; they must outlive the wake. At the end of the stream the check says what was wrong: -1 after
 * fail(): an event lacked the key of a rule, or never came.
 */
void wake_semantics(struct wake *wake, const struct semantics *semantics);
int wake_semantics_check(const struct wake *wake);

/* A `stream` record, or one of a kind that a part reads; others are ignored. -1 after fail(). */
int wake_record(struct wake *wake, enum kind kind, const struct fields *fields);

/* In the order of time. -1 after fail(). */
int wake_event(struct wake *wake, const struct event *event);

/* Events of this CPU were lost between these times; `from` may be TIME_NONE: since its last event. */
void wake_lost(struct wake *wake, uint32_t cpu, int64_t from, int64_t to);

/* The lost records may have given numbers of stacks and file descriptors new meanings. */
void wake_forget_meanings(struct wake *wake);

/* Tells whether the window has as many threads as it may: it must be forgotten before the next event. */
bool wake_is_full(const struct wake *wake);

/* wake_until() moves the time forward. wake_span() tells where the data begin and, so far, end; false: there are none. */
void wake_until(struct wake *wake, int64_t ts);
bool wake_span(const struct wake *wake, int64_t *from, int64_t *to);

/*
 * A time of the stream as it is kept here: at most 95 years from zero, so that what lies between any two times, and that
 * before a third, fits. No trace has others, but somebody may write them.
 */
static inline int64_t wake_time(int64_t ts)
{
	const int64_t most = INT64_C(3000000000000000000);

	return ts > most ? most : ts < -most ? -most : ts;
}

/* Something of a thread that ended too late or, with `request`, a block request that did, by its disk and sector. */
struct wake_wanted {
	int64_t start, ts;
	int32_t tid;
	const char *comm, *call; /* what the thread was called, and the system call that it was in; "": not known */
	bool request;
	uint64_t disk, sector;
};

struct wake_target {
	int part;	/* number of its part; 0: a thread */
	int32_t index; /* less than 0: it is not in the data */
	const struct wake_wanted *wanted;
};
struct wake_target wake_find(struct wake *wake, const struct wake_wanted *wanted);

/* The graph of what delayed the target in [from, to). */
struct graph *wake_graph(struct wake *wake, const char *id, struct wake_target target, int64_t from, int64_t to);

/*
 * The name and tid of the thread that the target answered last by this descriptor, after `from` and until `to`. It is of another process, and the
 * call woke it. NULL: not known. The wake owns the name.
 */
const char *wake_answered(struct wake *wake, struct wake_target target, int32_t fd, int64_t from, int64_t to, int32_t *tid);

/* The data show interrupts only by their effects: an interrupt may have hit a thread that seems to have woken another. */
bool wake_unsure(const struct wake *wake);

#endif
