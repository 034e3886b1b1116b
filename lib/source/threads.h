/*
 * threads: which threads have been named in the stream, so that each is named once, before its first event.
 *
 * A thread is looked up in /proc when it is first seen, not all of them beforehand: most threads of a machine sleep
 * through a trace. One that is gone by then has the name that an event gave, or that the kernel remembers, or none.
 */
#ifndef SOURCE_THREADS_H
#define SOURCE_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "source/cmdlines.h"
#include "stream/stream.h"

enum { THREAD_NAME = 16, THREADS_PAGE = 1 << 10, THREADS_PAGES = 1 << 12 };

struct thread {
	char comm[THREAD_NAME];
	bool known;
	struct thread_files *files; /* see files.h; NULL: none */
};

/* By tid, in pages made as they are needed; the kernel's largest tid is 2^22. All zero is the empty table. */
struct threads {
	struct thread *pages[THREADS_PAGES];
	struct cmdlines cmdlines;
};

/* What is known of the thread; `tid` is above 0. */
struct thread *threads_at(struct threads *threads, int32_t tid);

static inline bool threads_known(const struct threads *threads, int32_t tid)
{
	const struct thread *page = threads->pages[(uint32_t)tid / THREADS_PAGE % THREADS_PAGES];

	return tid <= 0 || (page && page[tid % THREADS_PAGE].known);
}

/* Whether it is known by this name, of THREAD_NAME bytes. May say no where threads_see() finds nothing new. */
static inline bool threads_known_as(const struct threads *threads, int32_t tid, const char *comm)
{
	const struct thread *page = threads->pages[(uint32_t)tid / THREADS_PAGE % THREADS_PAGES];

	return tid <= 0 || (page && page[tid % THREADS_PAGE].known &&
			    memcmp(page[tid % THREADS_PAGE].comm, comm, THREAD_NAME) == 0);
}

/*
 * Writes a `task` record if the thread was not named yet, or has another name now. `comm` is the name by an event, of
 * THREAD_NAME bytes; NULL: no event told. -1 after fail().
 */
int threads_see(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid, const char *comm);

/* The thread runs another program now: its name is looked up afresh. */
void threads_forget(struct threads *threads, int32_t tid);
void threads_free(struct threads *threads);

#endif
