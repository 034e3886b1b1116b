/*
 * handed_requests: the requests that a thread works for, because calls of these requests handed work over to its own call, as `handoff` records tell (those of
 * trace-collect --handoffs, and of coroutines). Wake-ups, and who made a thread, prove nothing and do not count.
 *
 * A call hands over for the requests in which it is, and for those that its thread works for by then. So coroutines, and chains of workers, go on
 * for the request where they began. Only requests that are paired by thread count: a thread may do several others at a time.
 *
 *	handed = handed_requests_new()
 *	handed_requests_record(handed, fields)		each `handoff` record; before the first the others do nothing
 *	handed_requests_begin(), handed_requests_end()		each request
 *	handed_requests_event(handed, events, event)	each event
 *	count = handed_requests_for(handed, tid, numbers)
 *	handed_requests_forget(handed)			events were lost, or a stream has ended
 *	handed_requests_free(handed)
 */
#ifndef TRIGGER_HANDED_REQUESTS_H
#define TRIGGER_HANDED_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "stream/fields.h"

struct handed_requests;

/* Requests of one thread, or that one thread works for at a time; of more, none counts. */
enum { HANDED_MOST = 4 };

struct handed_requests *handed_requests_new(void);
void handed_requests_free(struct handed_requests *handed);

void handed_requests_record(struct handed_requests *handed, const struct fields *fields);

/* A request of this number, from 1, begins or ends on its thread. */
void handed_requests_begin(struct handed_requests *handed, int32_t tid, uint64_t number);
void handed_requests_end(struct handed_requests *handed, int32_t tid, uint64_t number);

void handed_requests_event(struct handed_requests *handed, const struct events *events, const struct event *event);

/* The numbers of requests that the thread works for; those of its own are not among them. Returns how many. */
size_t handed_requests_for(const struct handed_requests *handed, int32_t tid, uint64_t numbers[HANDED_MOST]);

/* Forgets all but the records. */
void handed_requests_forget(struct handed_requests *handed);

#endif
