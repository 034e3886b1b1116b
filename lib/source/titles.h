/*
 * titles: what processes call themselves as time goes by, "postgres: shop idle in transaction", by their command lines in /proc.
 *
 * One look over the machine at the start finds the processes that have a title; then those are added that threads.h meets, and children
 * of fork(2) are looked at a second later. Those are looked at again ten times a second, 25 at a time, 250 reads of
 * /proc a second at most. A title that lasts for less than that may be missed.
 *
 *	titles = titles_new(clock, asker, execs)	the asker's thread looks
 *	titles_next(titles, &told)		what is new
 *	titles_free(titles)			after asker_end()
 */
#ifndef SOURCE_TITLES_H
#define SOURCE_TITLES_H

#include <stdbool.h>
#include <stdint.h>

#include "source/asker.h"
#include "source/clock.h"
#include "source/execs.h"
#include "source/program.h"

struct titles;

struct title_told {
	int32_t pid;
	int64_t ts; /* when it was read, by the trace clock */
	char title[PROGRAM_TITLE_ROOM];
};

/* All must stay. What the first look finds, execs are told, too; they may be NULL. */
struct titles *titles_new(const struct trace_clock *clock, struct asker *asker, struct execs *execs);
void titles_free(struct titles *titles); /* NULL is allowed */

void titles_add(struct titles *titles, int32_t pid);  /* it has one */
void titles_born(struct titles *titles, int32_t tid); /* a thread or process was made, and may give itself one */

/* The next one that is new; false: there is none. */
bool titles_next(struct titles *titles, struct title_told *told);

#endif
