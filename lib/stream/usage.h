/*
 * usage: counts events, bytes and CPU time of a command, for its `usage` record. Private to lib/stream.
 */
#ifndef STREAM_USAGE_H
#define STREAM_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/line.h"
#include "stream/record.h"

struct usage {
	const char *command; /* NULL: write no usage record */
	int64_t began;	     /* CLOCK_MONOTONIC, ns */
	int64_t used;	     /* CPU time until `began`, ns */
	int64_t setup;	     /* CPU time before the first stream, ns; 0: written already */
	uint64_t traced;     /* events that the kernel traced; 0: as many as were written */
	uint64_t events_in, events_out, bytes_in, bytes_out;
};

/* Start to count: for the first stream, and for each stream after it. */
void usage_begin(struct usage *usage);
void usage_next(struct usage *usage);

/* Makes the record. For a command without input (`source`), events written count as read. */
void usage_line(const struct usage *usage, bool source, struct line *line);

static inline void usage_count_in(struct usage *usage, const struct record *event)
{
	usage->events_in++;
	usage->bytes_in += record_size(event);
}

static inline void usage_count_out(struct usage *usage, const struct record *event)
{
	usage->events_out++;
	usage->bytes_out += record_size(event);
}

#endif
