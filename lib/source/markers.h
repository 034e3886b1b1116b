/*
 * markers: what asyncio and Node tell of their tasks, by the preloads of lib/preload, as `async` records.
 *
 * A program's own tasks are nothing that the kernel knows. The preloads send them, in batches, to a datagram socket that any local user may
 * send to: all that comes is checked and bounded. The process is the kernel's word (SCM_CREDENTIALS), and so is the thread, if the process has it.
 * Numbers, lengths and times that are out of bounds refuse the datagram. A process may send SENDER_MOST markers a second, all together
 * ALL_MOST. What is over that is dropped, and so is what a sender could not send, because the socket's queue was full: `async` records
 * with op=lost count them.
 *
 * A datagram is of numbers (IEEE doubles in the machine's byte order), five to a row, and texts behind the last row:
 *
 *	MARKERS_MAGIC, rows behind this one, thread, process (as the sender sees these two), markers that it had to drop
 *	time (CLOCK_MONOTONIC, ns), op + 16 * mode + 256 * bytes of text, id, parent, on: each row
 *
 * An id is one of the process, from 1 on; 0 is none. The text is a name (op create), or what an exception is (op end, mode 1). Texts follow each
 * other in the order of their rows, without ends.
 *
 *	markers = markers_open()
 *	markers_take(markers, stream)	often: the senders may have to wait
 *	markers_close(markers)
 *
 * The socket's file goes with markers_close(); a killed collector's goes with its guardian, or at the next start.
 */
#ifndef SOURCE_MARKERS_H
#define SOURCE_MARKERS_H

#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

/* What $TAILBLAME_MARKERS names instead, for the preloads, too. */
#define MARKERS_PATH "/run/tailblame/markers"

#define MARKERS_MAGIC 1952604465.0 /* "tba1" */

struct markers;

/* NULL after fail(): another collector has the socket, or it cannot be made. */
struct markers *markers_open(void);
void markers_close(struct markers *markers); /* NULL: nothing */

/* For poll(). */
int markers_descriptor(const struct markers *markers);

/* Writes what has come as records. -1 after fail(): the output failed. */
int markers_take(struct markers *markers, struct stream *stream);

/*
 * Writes one datagram of this process as records, at this time (ns); returns how many markers it told of, or -1: it is none, and nothing was
 * written. -2 after fail(): the output failed. `tid`: its sender; 0: not known.
 */
int markers_write(struct stream *stream, const void *datagram, size_t size, int32_t pid, int32_t tid, int64_t now);

/* Removes a socket's file that no collector has any more. Nonzero: it cannot be told yet, or be removed. */
int markers_sweep(void);

#endif
