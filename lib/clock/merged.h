/*
 * merged: writes the merged stream of several hosts: their records, with times by the reference's clock, after `host` records.
 *
 *	struct merged *merged = merged_new(stream);
 *	merged_begin(merged, reference, NULL)
 *	merged_record(merged, hosts, host, feed, &held, text, INT64_MIN)	each, in order
 *	merged_free(merged)
 */
#ifndef CLOCK_MERGED_H
#define CLOCK_MERGED_H

#include "clock/hosts.h"
#include "clock/feed.h"

/* The keys, ended by NULL, whose values are times of the host's trace clock; the first is the record's own time. NULL: the kind has none. */
const char *const *merged_times(enum kind kind);

/*
 * Adds the host of a feed, with what its stream tells about its clock, and with its flows, which have ended. Its clock is wanted for records from
 * `first` on (INT64_MIN: all). `wall` may be NULL. Returns the host's number; HOST_NONE after fail().
 */
int merged_host(struct hosts *hosts, const struct feed *feed, const struct flows *flows, int64_t first, const int64_t *wall);

/* The wall-clock time at 0 of the host's clock. False: its stream does not tell. */
bool merged_wall(const struct feed *feed, int64_t *wall);

/*
 * The notes about a host's clock, from 0 to MERGED_NOTES - 1: each is a sentence, which the caller frees; NULL: it is not true of this host. Those
 * from MERGED_UNKNOWN on say that the host's times may be wrong by more than is known.
 */
enum { MERGED_UNKNOWN = 2, MERGED_NOTES = 5 };
char *merged_note(const struct hosts *hosts, int host, const struct feed *feed, int note);

struct merged;

struct merged *merged_new(struct stream *stream);
void merged_free(struct merged *merged);

/* Writes the `stream` record, with the reference's clock; for `only`, as a stream of this host without `host` records. 0; -1 after fail(). */
int merged_begin(struct merged *merged, const struct feed *reference, const struct feed *only);

/* Writes a record of the host; an event's time earlier than `floor` becomes `floor`. 0; -1 after fail(). */
int merged_record(struct merged *merged, const struct hosts *hosts, int host, const struct feed *feed, const struct held *held,
		  const char *text, int64_t floor);

/* Writes a line of one's own as a record of the host. 0; -1 after fail(). */
int merged_line(struct merged *merged, const struct feed *feed, const struct line *line);

#endif
