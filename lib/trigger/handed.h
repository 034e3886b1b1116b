/*
 * handed: the requests that a thread works for, because calls of these requests handed work over to its own call, as `handoff` records tell (those of
 * trace-collect --handoffs, and of coroutines). Wake-ups, and who made a thread, prove nothing and do not count.
 *
 * A call hands over for the requests in which it is, and for those that its thread works for by then. So coroutines, and chains of workers, go on
 * for the request where they began. Only requests that are paired by thread count: a thread may do several others at a time.
 *
 *	handed = handed_new()
 *	handed_record(handed, fields)		each `handoff` record; before the first the others do nothing
 *	handed_begin(), handed_end()		each request
 *	handed_event(handed, events, event)	each event
 *	count = handed_for(handed, tid, numbers)
 *	handed_forget(handed)			events were lost, or a stream has ended
 *	handed_free(handed)
 */
#ifndef TRIGGER_HANDED_H
#define TRIGGER_HANDED_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "stream/fields.h"

struct handed;

/* Requests of one thread, or that one thread works for at a time; of more, none counts. */
enum { HANDED_MOST = 4 };

struct handed *handed_new(void);
void handed_free(struct handed *handed);

void handed_record(struct handed *handed, const struct fields *fields);

/* A request of this number, from 1, begins or ends on its thread. */
void handed_begin(struct handed *handed, int32_t tid, uint64_t number);
void handed_end(struct handed *handed, int32_t tid, uint64_t number);

void handed_event(struct handed *handed, const struct events *events, const struct event *event);

/* The numbers of requests that the thread works for; those of its own are not among them. Returns how many. */
size_t handed_for(const struct handed *handed, int32_t tid, uint64_t numbers[HANDED_MOST]);

/* Forgets all but the records. */
void handed_forget(struct handed *handed);

#endif
