/*
 * frames: which functions the pieces of critical paths were in, where graph-build could tell (trace-collect --stack): the
 * `stack` of `node` records.
 *
 * A path leads from a run straight to the thread that it woke; the wait between them is no piece of it. The functions
 * that such a wait was in are kept with the piece that ended it.
 *
 * Memory: the nodes of one graph, and the pieces of the graphs that are not told yet.
 */
#ifndef EXPORT_FRAMES_H
#define EXPORT_FRAMES_H

#include <stddef.h>

#include "stream/stream.h"

struct frames;

struct piece_frames { /* outermost first, ';' between them; NULL: not known */
	char *own;   /* of the piece */
	char *ended; /* of the wait that it ended */
};

struct frames *frames_new(struct stream *stream); /* watches it until it is closed */
void frames_free(struct frames *frames);

/* Of the pieces of this graph's path, in their order; *count of them. */
const struct piece_frames *frames_of(const struct frames *frames, const char *graph, size_t *count);

/* Forgets the paths so far, when a moment is told (NULL: for another reason); the record that ended it may have begun the path of the next. */
struct moment;
void frames_forget(struct frames *frames, const struct moment *moment);

#endif
