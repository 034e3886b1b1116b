/*
 * marker_rings: rings in memory into which preloads put their markers (source/markers.h), so that no marker has to be sent, and a turn is known
 * while it lasts.
 *
 * A sender makes a file in memory (memfd_create(2)), and says by a datagram of one row which of its descriptors that is: MARKER_RING_MAGIC, the
 * descriptor. The collector opens the file by way of /proc, because a descriptor that is sent along would have to be closed, which may wait for
 * others. The sender may write to the file, or cut it, or hold up whoever writes to it, at any time. So the collector only reads it, except for
 * one number, and trusts nothing in it.
 *
 * The file consists of rows of five numbers. The first row has MARKERS_MAGIC, the number of rows put into the ring so far, thread and process as
 * the sender sees them, and 0, which the collector sets to 1 when it opens the file. The other MARKER_RING_ROWS rows are the ring: markers as in
 * datagrams, each with its text behind it, in whole rows. A marker that does not fit before the ring's end goes to the begin; rows of zeros fill
 * the end.
 *
 *	rings = marker_rings_new()
 *	marker_rings_add(rings, pid, user, fd)
 *	marker_rings_look(rings, false); while ((size = marker_rings_next(rings, datagram, room, &pid))) ...		often
 *	marker_rings_free(rings)
 */
#ifndef SOURCE_MARKER_RINGS_H
#define SOURCE_MARKER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct marker_rings;

enum { MARKER_RING_ROWS = 1 << 15 };
#define MARKER_RING_MAGIC 1952604466.0 /* "tba2" */

struct marker_rings *marker_rings_new(void);
void marker_rings_free(struct marker_rings *rings);

/* Adds the ring that is this descriptor of the user's process. False: it is no such file, it cannot be opened, or there are too many. */
bool marker_rings_add(struct marker_rings *rings, int32_t pid, uid_t user, int fd);

/*
 * Fixes how far marker_rings_next() will read: of each ring no more than its share, unless this is the last look. Closes the empty rings of
 * processes that have ended.
 */
void marker_rings_look(struct marker_rings *rings, bool last);

/*
 * Copies the next markers as a datagram, and sets their process. Returns its size; 0: there are none left. Markers that were overwritten before, and
 * rows that are no markers, count as dropped.
 */
size_t marker_rings_next(struct marker_rings *rings, char *datagram, size_t room, int32_t *pid);

#endif
