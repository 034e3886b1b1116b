/*
 * losses: counts what a stream lacks (stream/stream.h): events that the kernel lost, damaged places, an end that was cut off. No stage hides that.
 */
#ifndef STREAM_LOSSES_H
#define STREAM_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/record.h"

struct stream;

/* Marks the data incomplete (exit status 3); the `end` record says so to the next commands. The loop itself marks lost events and cut input. */
void stream_mark_incomplete(struct stream *stream);
void stream_mark_cut(struct stream *stream); /* the same, if the command's source lacks its end; the `end` record says that, too */
bool stream_incomplete(const struct stream *stream);
bool stream_was_cut(const struct stream *stream);      /* an input lacked its end, or an earlier stage said so */
bool stream_was_missing(const struct stream *stream);  /* the input was cut before its first record */
void stream_count_lost(struct stream *stream, uint64_t count); /* adds to the losses that the loop counts itself */
void stream_count_aside(struct stream *stream, const struct record *record); /* counts an event or loss from outside the input */
uint64_t stream_lost(const struct stream *stream);     /* events lost, by the `lost` and `end` records so far */
uint64_t stream_lost_here(const struct stream *stream); /* lost events and damaged places, without those known to be of other hosts */
uint64_t stream_damages(const struct stream *stream);  /* damaged places, by the `lost` records so far */

#endif
