/*
 * disk_ring: the newest part of a binary stream, in a ring file (source/ring_file.h; Argus, section 4.2), and stored when somebody asks
 * (trace-collect --ring).
 *
 * The ring file has no name, so whatever ends the process leaves nothing behind. Of records that give later ones their meaning (formats, stacks,
 * names of threads and files), the last of each stays in memory when it leaves the ring. What is stored begins with these records, so it is a
 * whole stream.
 *
 *	ring = disk_ring_open(path, size)
 *	stream_output_to(stream, disk_ring_sink, ring)	all that the stream writes goes there
 *	disk_ring_pass(ring, pipe)			perhaps: and to a pipe; disk_ring_offer() when the stream has begun
 *	disk_ring_ask()					a signal handler may call it: stores the ring as PATH.1, or the next free number
 *	disk_ring_close(ring)				stores it as PATH, and frees
 */
#ifndef SOURCE_DISK_RING_H
#define SOURCE_DISK_RING_H

#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

struct disk_ring;

/* At least DISK_RING_LEAST bytes. NULL after fail(): the folder of the path cannot be written to, or its file system has no such files. */
enum { DISK_RING_LEAST = 1 << 20 };
struct disk_ring *disk_ring_open(const char *path, uint64_t size);
int disk_ring_close(struct disk_ring *ring); /* -1 after fail() */

int disk_ring_fd(const struct disk_ring *ring); /* of the file */

/*
 * The reader of this pipe gets the stream, too. If it is a cchart-filter, its signals store the ring: the first at once, a later one when the
 * ring has nothing left of what was stored last, so that no event is stored twice. -1 after fail().
 */
void disk_ring_pass(struct disk_ring *ring, int pipe);
int disk_ring_offer(struct disk_ring *ring, struct stream *stream);

/* Takes whole blocks, in order. When asked, a separate thread stores the ring. -1 after fail(), also if the last storing failed. */
int disk_ring_sink(void *ring, const char *bytes, size_t length, bool events);

void disk_ring_ask(void);

#endif
