/*
 * hours: ranks the hour files of a folder, which tailblame-hours(1) records: each complete file (NAME.tb.zst) is ranked once, by
 * `zstd | blame-rank`, and excerpts of its moments (fleet/excerpt.h) go into the outbox.
 *
 *	hours = hours_new(&options);		NULL after fail()
 *	hours_step(hours);			once a second
 *	hours_end(hours);
 *
 * The folder, which nobody else may be able to write to, is opened once: if its path leads elsewhere later, the first folder stays in use.
 *
 * A note of the outbox lists the files that were ranked. After a crash, a file may be ranked again: then its excerpts have the same ids.
 */
#ifndef FLEET_HOURS_H
#define FLEET_HOURS_H

#include "fleet/outbox.h"

struct hours_options {
	const char *folder;	/* of the hour files */
	struct outbox *outbox;
	const char *spool;	/* the folder of the outbox */
	const char *node;
	const char *commands;	/* prefix of the path of blame-rank */
	void (*tell)(const char *text); /* prints a message */
};

struct hours;

struct hours *hours_new(const struct hours_options *options);

/* Begins to rank a file, if there is a new one and none is being ranked. */
void hours_step(struct hours *hours);

/* Ends the ranking of a file, which is ranked anew after the next start, and frees `hours`. */
void hours_end(struct hours *hours);

#endif
