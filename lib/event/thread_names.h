/*
 * thread_names: what a stream tells about threads. Names come from `task` records, from comm= of text events, and from
 * events_learn_names(): a command that sees all scheduler events calls it for each.
 */
#ifndef EVENT_THREAD_NAMES_H
#define EVENT_THREAD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct event;
struct events;

/* The name; "?" for a thread without a name, "swapper" for tid 0. */
const char *events_comm(const struct events *events, int32_t tid);
const char *events_called(const struct events *events, int32_t tid, int64_t at); /* and the script that an interpreter ran then: "python3 app.py" */
int32_t events_tgid(const struct events *events, int32_t tid); /* 0: unknown */
bool events_is_kernels(const struct events *events, int32_t tid); /* its task record says that it is a kernel thread */
bool events_has_musl(const struct events *events, int32_t tid);	   /* its task record says that its process has the C library musl */
bool events_of_pipe(const struct events *events, int32_t tid); /* `stage` records say that it is a thread of the pipe that recorded the stream */
void events_each_thread(const struct events *events, void (*call)(void *context, int32_t tid, const char *comm), void *context);

void events_learn_names(struct events *events, const struct event *event);

/* From now on, forgets threads a while after they exit. */
void events_keep_living(struct events *events);

/* The number of threads that were dropped for want of room before anybody asked for their names. */
uint64_t events_nameless(const struct events *events);

#endif
