/*
 * markers: tasks of asyncio and Node, as `async` records, and exceptions of Node, as `exception` records. The preloads of lib/preload send them.
 *
 * The kernel knows nothing of a program's own tasks. The preloads send markers of them, in batches, to datagram sockets that any local user may
 * send to, one for tasks and one for exceptions; a socket exists only if its markers are wanted. The preload of asyncio sends there only where its
 * ring in memory is (source/marker_rings.h), which has the markers.
 *
 * Every datagram is checked. The kernel says which process sent it (SCM_CREDENTIALS); the thread that it names must be of that process. A datagram
 * with a number, length or time out of bounds is refused. A process may send SENDER_MOST markers a second, all together ALL_MOST. Further markers
 * are dropped, and so are those that a sender could not send because the socket's queue was full: `async` records with op=lost count them.
 *
 * A datagram consists of rows of five numbers (IEEE doubles in the machine's byte order), and of texts behind the last row:
 *
 *	MARKERS_MAGIC, rows behind this one, thread, process (as the sender sees these two), markers that it had to drop
 *	time (CLOCK_MONOTONIC, ns), op + 16 * mode + 256 * bytes of text, id, parent, on: each row
 *
 * In a row of op create, mode 1 says that the task was made before, unseen; of op run, that the row is written before the turn begins. In a row
 * of op throw the id is that of the object, and parent that of its cause; mode 1 says that the object was thrown before. The text has three
 * lines: its name, its text, and its calls, innermost first with ';' between them.
 *
 * An id is one of the process, from 1 on; 0 is none. The text is a name (op create; again, in a long life, op run). Texts follow each
 * other in the order of their rows, without ends.
 *
 *	markers = markers_open(wanted)
 *	markers_take(markers, stream, last)	often: the senders may have to wait
 *	markers_close(markers)
 *
 * The sockets' files go with markers_close(); a killed collector's go with its guardian, or at the next start.
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

/* For poll(): -1 where the kind is not wanted. */
int markers_descriptor(const struct markers *markers, int kind);

/* Writes the markers that have come as records; `last`: all of them, however many. -1 after fail(): the output failed. */
int markers_take(struct markers *markers, struct stream *stream, bool last);

/* How many were dropped so far. */
uint64_t markers_lost(const struct markers *markers);

/*
 * Writes one datagram of this kind and process as records, at this time (ns); returns how many markers it told of, or -1: it is none, and nothing was
 * written. -2 after fail(): the output failed. `tid`: its sender; 0: not known.
 */
int markers_write(struct stream *stream, int kind, const void *datagram, size_t size, int32_t pid, int32_t tid, int64_t now);

/* Removes the sockets' files that no collector has any more. Nonzero: it cannot be told yet, or be removed. */
int markers_sweep(void);

/*
 * Names of Node's tasks cost a stack each, so Node tells them only while somebody holds a lock on the file `names` in the sockets' folder. It is a write
 * lock of fcntl(2), which only those can have who may write to the file, so nobody else makes Node slower. Opens it: a descriptor; -1 after fail().
 */
int markers_names(void);

/* Locks it, or not any more; tells whether it is locked now. Somebody else may have it: try again. */
bool markers_name(int names, bool wanted);

#endif
