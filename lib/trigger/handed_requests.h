/*
 * handed_requests: finds the requests that a thread works for, because calls in these requests handed work over to a call of the thread.
 * `handoff` records tell which calls hand over and take (those of trace-collect --handoffs, and of coroutines). Wake-ups and the creator of a
 * thread prove nothing and do not count.
 *
 * A call hands over for the requests that it is a part of, and for those that its thread works for at that time. So coroutines and chains of
 * workers continue the request where they began. Only requests that are paired by thread count: of others, a thread may serve several at a time.
 *
 *	handed = handed_requests_new()
 *	handed_requests_record(handed, fields)		each `handoff` record; before the first one, the other calls do nothing
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

/* The most requests that are open on a thread, or that it works for, at a time; further ones do not count. */
enum { HANDED_MOST = 4 };

struct handed_requests *handed_requests_new(void);
void handed_requests_free(struct handed_requests *handed);

void handed_requests_record(struct handed_requests *handed, const struct fields *fields);

/* A request of this number, from 1, begins or ends on its thread. */
void handed_requests_begin(struct handed_requests *handed, int32_t tid, uint64_t number);
void handed_requests_end(struct handed_requests *handed, int32_t tid, uint64_t number);

void handed_requests_event(struct handed_requests *handed, const struct events *events, const struct event *event);

/* Stores the numbers of the requests that the thread works for, without its own requests. Returns how many. */
size_t handed_requests_for(const struct handed_requests *handed, int32_t tid, uint64_t numbers[HANDED_MOST]);

/* Forgets everything except the `handoff` records. */
void handed_requests_forget(struct handed_requests *handed);

#endif
