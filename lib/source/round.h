/*
 * round: the newest part of a binary stream, in a file of bounded size that is written round (Argus, section 4.2): a ring that is kept
 * on disk, and stored when somebody asks.
 *
 * The file (source/ring_file.h) has no name, so whatever ends the process leaves nothing behind. What records say there of events to come (formats, stacks, names of threads and files) stays in memory, the last of each, and stands at
 * the beginning of what is stored: a stream that is whole.
 *
 *	round = round_open(path, size)
 *	stream_output_to(stream, round_sink, round)	all that the stream writes goes there
 *	round_pass(round, pipe)				perhaps: and to a pipe; round_offer() when the stream has begun
 *	round_ask()					a signal's handler may call it: what is there is stored as PATH.1, or the next free number
 *	round_close(round)				the same as PATH, and frees
 */
#ifndef SOURCE_ROUND_H
#define SOURCE_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

struct round;

/* At least ROUND_LEAST bytes. NULL after fail(): the folder of the path cannot be written to, or its file system has no such files. */
enum { ROUND_LEAST = 1 << 20 };
struct round *round_open(const char *path, uint64_t size);
int round_close(struct round *round); /* -1 after fail() */

int round_fd(const struct round *round); /* of the file */

/*
 * The reader of this pipe gets the stream, too. It may be a cchart-filter, which is offered to store the ring at its signals:
 * at the first at once; at later ones when nothing is left there of what was stored last, so that no event is stored twice. -1 after fail().
 */
void round_pass(struct round *round, int pipe);
int round_offer(struct round *round, struct stream *stream);

/* Pieces of whole blocks, in order. Stores what was asked for, by a thread of its own. -1 after fail(), also of the last that was stored. */
int round_sink(void *round, const char *bytes, size_t length, bool events);

void round_ask(void);

#endif
