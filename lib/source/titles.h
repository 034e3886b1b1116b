/*
 * titles: watches the titles that processes give themselves, "postgres: shop idle in transaction", in their command lines in /proc.
 *
 * One look over the machine at the start finds the processes with a title. threads.h adds the processes that it meets, and a child of
 * fork(2) is looked at a second later. All of these are read again in turn, 25 of them ten times a second, so a title that lasts only
 * briefly may be missed.
 *
 *	titles = titles_new(clock, reader, execs)	the thread of program_reader looks
 *	titles_next(titles, &told)			the new titles
 *	titles_free(titles)			after program_reader_end()
 */
#ifndef SOURCE_TITLES_H
#define SOURCE_TITLES_H

#include <stdbool.h>
#include <stdint.h>

#include "source/clock.h"
#include "source/execs.h"
#include "source/program.h"
#include "source/program_reader.h"

struct titles;

struct title_told {
	int32_t pid;
	int64_t ts; /* time of reading, by the trace clock */
	char title[PROGRAM_TITLE_ROOM];
};

/* All must outlive the titles. `execs` get the programs that the first look finds; NULL is allowed. */
struct titles *titles_new(const struct trace_clock *clock, struct program_reader *reader, struct execs *execs);
void titles_free(struct titles *titles); /* NULL is allowed */

void titles_add(struct titles *titles, int32_t pid);  /* the process has a title */
void titles_born(struct titles *titles, int32_t tid); /* a thread or process was made, and may get a title */

/* The next new title; false: there is none. */
bool titles_next(struct titles *titles, struct title_told *told);

#endif
