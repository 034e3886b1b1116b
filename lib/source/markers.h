/*
 * markers: tasks of asyncio and Node, as `async` records, and exceptions of Node, as `exception` records. The preloads of lib/preload send them.
 *
 * The kernel knows nothing of a program's own tasks. The preloads send markers of them, in batches, to datagram sockets that any local user may
 * send to, one for tasks and one for exceptions; a socket exists only if its markers are wanted. The preload of asyncio only tells the socket where
 * its ring in memory is (source/marker_rings.h), which has the markers.
 *
 * Every datagram is checked. The kernel says which process sent it (SCM_CREDENTIALS); the thread that it names must be of that process. A datagram
 * with a number, length or time out of bounds is refused. A process may send SENDER_MOST markers a second, all together ALL_MOST. Further markers
 * are dropped, and so are those that a sender could not send because the socket's queue was full: `async` records with op=lost count them.
 *
 * A datagram consists of rows of five numbers (IEEE doubles in the machine's byte order), and of texts behind the last row:
 *
 *	MARKERS_MAGIC, rows behind this one, thread, process (as the sender sees these two), markers that the sender had to drop
 *	time (CLOCK_MONOTONIC, ns), op + 16 * mode + 256 * bytes of text, id, parent, on: each row
 *
 * In a row of op create, mode 1 says that the task was made earlier, unseen. In a row of op run, mode 1 says that the row is written before the
 * turn begins. In a row of op throw, the id is that of the object, and the parent that of its cause; mode 1 says that the object was thrown
 * before. The text of op throw has three lines: the exception's name, its text, and its calls, innermost first with ';' between them.
 *
 * Each process has ids of its own, from 1 on; 0 is none. The text of op create is the task's name; in a long life op run repeats it. Texts
 * follow each other in the order of their rows, without ends.
 *
 *	markers = markers_open(wanted)
 *	markers_take(markers, stream, last)	often: the senders may have to wait
 *	markers_close(markers)
 *
 * markers_close() removes the sockets' files. If the collector was killed, its guardian does, or the next start.
 */
#ifndef SOURCE_MARKERS_H
#define SOURCE_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

/* The socket, unless $TAILBLAME_MARKERS names another one, which the preloads read, too; and the suffix of the socket for exceptions. */
#define MARKERS_PATH "/run/tailblame/markers"
#define MARKERS_THROWN ".exceptions"

#define MARKERS_MAGIC 1952604465.0 /* "tba1" */

struct markers;

enum { MARKERS_OF_TASKS, MARKERS_OF_THROWS, MARKERS };

/* Opens the socket of each kind that is wanted. NULL after fail(): another collector has a socket, or it cannot be made. */
struct markers *markers_open(const bool wanted[MARKERS]);
void markers_close(struct markers *markers); /* NULL: nothing */

/* The socket of a kind, for poll(); -1: the kind is not wanted. */
int markers_descriptor(const struct markers *markers, int kind);

/* Writes the markers that have come as records; with `last` all of them, however many wait. -1 after fail(): the output failed. */
int markers_take(struct markers *markers, struct stream *stream, bool last);

/* How many markers were dropped so far. */
uint64_t markers_lost(const struct markers *markers);

/*
 * Writes one datagram of this kind and process as records; `now` is CLOCK_MONOTONIC in ns, and `tid` the thread that sent it; 0: not known.
 * Returns the number of its markers; -1: it is malformed, and nothing was written; -2 after fail(): the output failed.
 */
int markers_write(struct stream *stream, int kind, const void *datagram, size_t size, int32_t pid, int32_t tid, int64_t now);

/* Removes the sockets' files that no collector has any more. Nonzero: the folder could not be locked, or a file not removed. */
int markers_sweep(void);

/*
 * Each name of a Node task costs a stack, so Node tells names only while somebody holds a lock on the file `names` in the sockets' folder. It is a
 * write lock of fcntl(2), which needs the right to write to the file, so no other user can make Node slower. Opens the file, and makes it if it is
 * missing; returns the descriptor, -1 after fail().
 */
int markers_names(void);

/* Locks the file if `wanted`, else unlocks it; tells whether we hold the lock now. If another process has it, try again later. */
bool markers_name(int names, bool wanted);

#endif
