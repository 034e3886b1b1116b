/*
 * wake: from events to graphs of who waited for whom. A struct wake remembers what the threads of an open window did, in a
 * compact form; wake_graph() cuts out of it what delayed a thread or a request, by walking backward from its end.
 * wake_forget() then drops all of it: nothing is known of the time between two windows.
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
void wake_forget(struct wake *wake); /* drops the window; keeps what formats and numbers of the stream mean */

/*
 * wake_semantics() sets the user's semantics of programs, before any event; they must outlive the wake. wake_semantics_check(), at the end of
 * the stream, returns -1 after fail() if an event lacked the key of a rule, or if an event of a rule never came.
 */
void wake_semantics(struct wake *wake, const struct semantics *semantics);
int wake_semantics_check(const struct wake *wake);

/* Takes a `stream` record or a record of a kind that a part reads; ignores others. -1 after fail(). */
int wake_record(struct wake *wake, enum kind kind, const struct fields *fields);

/* Takes the next event, in the order of time. -1 after fail(). */
int wake_event(struct wake *wake, const struct event *event);

/* Events of this CPU were lost between these times; `from` TIME_NONE: since the CPU's last event. */
void wake_lost(struct wake *wake, uint32_t cpu, int64_t from, int64_t to);

/* Forgets what numbers of stacks and file descriptors mean: lost records may have given them new meanings. */
void wake_forget_meanings(struct wake *wake);

/* Tells whether the window has as many threads as it may have: then wake_forget() must come before the next event. */
bool wake_is_full(const struct wake *wake);

/* wake_until() moves the time forward. wake_span() tells where the data begin and, so far, end; false: there are no data. */
void wake_until(struct wake *wake, int64_t ts);
bool wake_span(const struct wake *wake, int64_t *from, int64_t *to);

/*
 * Limits a time of the stream to 95 years from zero, so that the difference of two times fits in an int64_t, and a third time minus that
 * difference does, too. No trace has times beyond, but somebody may write them.
 */
static inline int64_t wake_time(int64_t ts)
{
	const int64_t most = INT64_C(3000000000000000000);

	return ts > most ? most : ts < -most ? -most : ts;
}

/* What ended too late: something that a thread did from `start` to `ts` or, with `request`, a block request by its disk and sector. */
struct wake_wanted {
	int64_t start, ts;
	int32_t tid;
	const char *comm, *call; /* the thread's name, and the system call that it was in; "": not known */
	bool request;
	uint64_t disk, sector;
};

struct wake_target {
	int part;	/* number of the part that it belongs to; 0: it is a thread */
	int32_t index; /* less than 0: it is not in the data */
	const struct wake_wanted *wanted;
};
struct wake_target wake_find(struct wake *wake, const struct wake_wanted *wanted);

/* The graph of what delayed the target in [from, to). */
struct graph *wake_graph(struct wake *wake, const char *id, struct wake_target target, int64_t from, int64_t to);

/*
 * Finds the thread of another process that the target answered last through this descriptor, in (from, to], by a call that woke it. Returns its
 * name, which the wake owns, and sets *tid. NULL: not known.
 */
const char *wake_answered(struct wake *wake, struct wake_target target, int32_t fd, int64_t from, int64_t to, int32_t *tid);

/* Tells whether the data lack what tells interrupts from threads: an interrupt may have done a wake-up that a thread seems to have done. */
bool wake_unsure(const struct wake *wake);

#endif
