/*
 * merged: writes the merged stream of several hosts: their records, with times by the reference's clock, behind `host` records.
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

/* Which keys of a record are times of its host's trace clock; the first is the record's own. NULL: none. */
const char *const *merged_times(enum kind kind);

/*
 * Adds the host, with its stream's facts about clocks, by its flows, which are ended. Its clock is wanted for its records from `first` on
 * (INT64_MIN: all). `wall` may be NULL. Its number; HOST_NONE after fail().
 */
int merged_host(struct hosts *hosts, const struct feed *feed, const struct flows *flows, int64_t first, const int64_t *wall);

/* The wall clock's time at 0 of the host's. False: its stream does not tell. */
bool merged_wall(const struct feed *feed, int64_t *wall);

/*
 * The notes about a host's clock, from 0 to MERGED_NOTES - 1: each a sentence, which the caller frees; NULL: it does not hold. Those from
 * MERGED_UNKNOWN on say that the host's times may be wrong by more than is known.
 */
enum { MERGED_UNKNOWN = 2, MERGED_NOTES = 5 };
char *merged_note(const struct hosts *hosts, int host, const struct feed *feed, int note);

struct merged;

struct merged *merged_new(struct stream *stream);
void merged_free(struct merged *merged);

/* Writes the `stream` record: with the reference's clock; of `only` (NULL: of several) as a stream of it, without host records. 0; -1 after fail(). */
int merged_begin(struct merged *merged, const struct feed *reference, const struct feed *only);

/* Writes a record of the host; an event's time is not before `floor`. 0; -1 after fail(). */
int merged_record(struct merged *merged, const struct hosts *hosts, int host, const struct feed *feed, const struct held *held,
		  const char *text, int64_t floor);

/* Writes a line of one's own as a record of the host. 0; -1 after fail(). */
int merged_line(struct merged *merged, const struct feed *feed, const struct line *line);

#endif
