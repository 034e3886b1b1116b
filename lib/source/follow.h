/*
 * follow: the processes that a user chose, at the moment when tracing begins, and the system calls that they are in already.
 *
 * The call of a process that hangs already began before the trace, so no event tells of it. /proc says what call each thread is in. If a
 * thread is in the same call when tracing is on, and did not run in between, the stream gets the event that the kernel would have written,
 * at the time when tracing began: the call has lasted since then, at least. A `traced` record with `within` names the thread.
 *
 *	within = follow_look(follow)	before tracing is on
 *	follow_begin(follow, within, ts)	when it is on, so that no fork is missed
 *	within_free(within)
 *	follow_is_over(follow)		now and then
 */
#ifndef SOURCE_FOLLOW_H
#define SOURCE_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "source/clock.h"
#include "source/event_writer.h"
#include "source/process.h"
#include "source/program_reader.h"
#include "source/selection.h"
#include "stream/stream.h"

struct collection;
struct within;

struct follow {
	const struct collection *of; /* names the processes; see source/collector.h */
	int32_t command;	     /* pid of COLLECTOR_COMMAND */
	struct process *process;     /* gets them as members */
	const struct selection *selection;
	struct stream *stream;
	struct event_writer *writer;
	struct trace_clock *clock;
	struct program_reader *reader; /* NULL: /proc is not asked which program a process runs */
	bool foreign;	     /* /proc has other numbers than events */

	/* private */
	int32_t left; /* a thread that existed at the last look */
	int64_t next_look; /* when to look again */
};

/* Looks at the system calls that these processes are in. NULL: system calls are not streamed, or no process was chosen. */
struct within *follow_look(const struct follow *follow);

/*
 * Takes in the processes, and writes what is known of them: `traced` records of their threads, of the sides of their connections and of who
 * listens, `socket` records, and, at `ts`, the calls that they are in since before the trace. -1 after fail().
 */
int follow_begin(const struct follow *follow, const struct within *within, int64_t ts);
void within_free(struct within *within); /* NULL is allowed */

/* Tells whether the processes have ended, with all their children, if all were chosen by number. A message says so. Looks five times a second. */
bool follow_is_over(struct follow *follow);

#endif
