/*
 * threads: names each thread in the stream, once, before its first event.
 *
 * A thread is looked up in /proc when it is first seen, not all of them beforehand: most threads of a machine sleep
 * through a trace. A thread that is gone by then has the name that an event gave, or that the kernel remembers, or none.
 *
 * At each exec the kernel tells the new program (execs.h), even if the process is gone by now. Earlier programs, and titles, are read
 * from /proc when the thread is named, and hold until the process is seen to run another program. This reading comes later than the event,
 * so the record has the time of reading, too. The record of a thread that was made, or began another program, says so: if such a moment
 * lies between an event and the reading, the reading is void.
 */
#ifndef SOURCE_THREADS_H
#define SOURCE_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "source/program_reader.h"
#include "stream/stream.h"

struct process_program;

enum { THREAD_NAME = 16, THREADS_PAGE = 1 << 10, THREADS_PAGES = 1 << 12 };

struct thread_entry {
	char comm[THREAD_NAME];
	bool known;
	enum { SETTLED, BORN, EXECUTED } fresh; /* why it is not known any more: it was just made, or runs another program */
	int32_t process; /* the process that it was made in, or was found in; 0: not known */
	uint32_t told;	/* a hash of the process as the stream has it; 0: the stream has nothing */
	struct process_program *program; /* of the process of this number; NULL: not known */
};

/* By tid, in pages made as they are needed; the kernel's largest tid is 2^22. All zero is the empty table. */
struct threads {
	struct thread_entry *pages[THREADS_PAGES];
	bool foreign;	      /* /proc is of another machine than the events, or has other numbers for its threads */
	struct program_reader *reader;  /* NULL: the stream gets no programs */
	struct execs *execs;  /* NULL: the kernel does not tell programs at exec, so /proc is read */
	struct titles *titles; /* NULL: the stream gets no later titles */
	bool always_asks;     /* the events do not show execs */
	uint32_t gaps;	      /* gaps in the data, which may have had execs */
	const char *recorded; /* names of threads as a recording has them; NULL: those that this kernel remembers */
	struct {
		char *text;   /* a copy of the kernel's list */
		int64_t next; /* when it may be read again, by CLOCK_MONOTONIC */
	} remembered;
};

/* The entry of the thread; `tid` is above 0. */
struct thread_entry *threads_at(struct threads *threads, int32_t tid);

static inline bool threads_known(const struct threads *threads, int32_t tid)
{
	const struct thread_entry *page = threads->pages[(uint32_t)tid / THREADS_PAGE % THREADS_PAGES];

	return tid <= 0 || (page && page[tid % THREADS_PAGE].known);
}

/* Tells whether the thread is known by this name, of THREAD_NAME bytes. May say no even if threads_see() finds nothing new. */
static inline bool threads_known_as(const struct threads *threads, int32_t tid, const char *comm)
{
	const struct thread_entry *page = threads->pages[(uint32_t)tid / THREADS_PAGE % THREADS_PAGES];

	return tid <= 0 || (page && page[tid % THREADS_PAGE].known &&
			    memcmp(page[tid % THREADS_PAGE].comm, comm, THREAD_NAME) == 0);
}

/*
 * Writes a `task` record if the thread was not named yet, or has another name now. `comm` is the name by an event, of
 * THREAD_NAME bytes; NULL: no event gave one. -1 after fail().
 */
int threads_see(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid, const char *comm);

/* The program of the process, for program_is_called(); valid until the process is seen or forgotten again. NULL: not known. */
const struct program *threads_program(struct threads *threads, int32_t pid);

/* `maker` made the thread, in its own process or as another process. */
void threads_made(struct threads *threads, int32_t maker, int32_t tid, bool is_process);

/* The thread was just made or, without `made`, began another program: its name is looked up anew. */
void threads_forget(struct threads *threads, int32_t tid, bool made);

/* Writes a `task` record for each new title. -1 after fail(). */
int threads_tell_titles(struct threads *threads, struct stream *stream);

/* The thread ends: writes a `task` record if it was named. Its last events are still to come. -1 after fail(). */
int threads_end(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid);
void threads_free(struct threads *threads);

#endif
