/*
 * hours: the hour files of a folder, as tailblame-hours(1) records them: each that is whole (NAME.tb.zst) is ranked once, by
 * `zstd | blame-rank`, and excerpts of its moments (fleet/excerpt.h) go into the outbox.
 *
 *	hours = hours_new(&options);		NULL after fail()
 *	hours_step(hours);			each second
 *	hours_end(hours);
 *
 * The folder stays the one that it was at first, which nobody else can write to, wherever its path leads later.
 *
 * A note of the outbox lists the files that were ranked. After a crash one may be ranked again: its excerpts have the same ids.
 */
#ifndef FLEET_HOURS_H
#define FLEET_HOURS_H

#include "fleet/outbox.h"

struct hours_options {
	const char *folder;	/* of the hour files */
	struct outbox *outbox;
	const char *spool;	/* the folder of the outbox */
	const char *node;
	const char *commands;	/* what the path of blame-rank begins with */
	void (*tell)(const char *text);
};

struct hours;

struct hours *hours_new(const struct hours_options *options);

/* Begins to rank a file, if there is a new one and none is being ranked. */
void hours_step(struct hours *hours);

/* Ends what is being ranked, which is ranked anew by the next one, and frees. */
void hours_end(struct hours *hours);

#endif
