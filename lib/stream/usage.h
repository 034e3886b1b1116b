/*
 * usage: what a command read, let through and used, for its `usage` record. Used by stream.c and loop.c only.
 */
#ifndef STREAM_USAGE_H
#define STREAM_USAGE_H

#include "stream/line.h"
#include "stream/record.h"

struct usage {
	const char *command; /* NULL: nobody wants to know */
	int64_t began;	     /* by CLOCK_MONOTONIC, ns */
	int64_t used;	     /* CPU time until then */
	int64_t setup;	     /* of that, what came before the first stream; 0: told already */
	uint64_t traced;     /* events that the kernel traced; 0: those that were written */
	uint64_t events_in, events_out, bytes_in, bytes_out;
};

void usage_begin(struct usage *usage);
void usage_next(struct usage *usage); /* all of it was told: another stream begins */
void usage_count_in(struct usage *usage, const struct record *event);
void usage_count_out(struct usage *usage, const struct record *event);

/* Makes the record. Of a command without input (`source`), what it wrote is what it read. */
void usage_line(const struct usage *usage, bool source, struct line *line);

#endif
