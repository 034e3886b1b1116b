/*
 * files: the kind of file that a thread sleeps for in read() and its like, for the name of the wait.
 *
 * A system call's event has the number of a descriptor. /proc tells what file that is; it is read when the events are written, a moment after
 * the thread fell asleep. If the number was given to another file in that moment, the answer is wrong. So a descriptor is looked up
 * again whenever its thread sleeps for it a second later.
 */
#ifndef SOURCE_FILES_H
#define SOURCE_FILES_H

#include <stdint.h>

#include "stream/stream.h"

enum { FILE_NONE = -1 };

struct files;

struct files *files_new(void);
void files_free(struct files *files); /* NULL is allowed */

/* The thread is in a call of file_call.h for this descriptor from this time on; FILE_NONE: in another call, or in none. */
void files_enter(struct files *files, int32_t tid, int32_t fd, int64_t ts);

/* The thread falls asleep: writes a `file` record if the kind of its file is news. -1 after fail(). */
int files_sleep(struct files *files, struct stream *stream, int64_t ts, int32_t tid);

/*
 * If sched_switch waits in the kernel (source/recorder.h), nobody sees threads fall asleep. So a thread that stays in a call is assumed to sleep
 * there. The caller calls files_watch() when the thread enters the call, and then files_look() until it returns 0. 1: the thread has only just
 * begun its call, look again; -1 after fail().
 */
bool files_watch(struct files *files, int32_t tid); /* false: it is watched already */
int files_look(struct files *files, struct stream *stream, int64_t ts, int32_t tid);

/* The thread was just made, or runs another program now. */
void files_forget(struct files *files, int32_t tid);

#endif
