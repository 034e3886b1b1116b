/*
 * served: finds for which client a thread of a server worked when it ran or slept. A slow request may wait for a server that works for
 * another client, such as one that locks a table and waits. The server's thread is on the path and that client is not, so the node names it.
 *
 * If two processes wake each other, the data do not show which of them asks. Only one case is known: a program that began
 * within the data asks one that is older. Private to lib/wake.
 */
#ifndef WAKE_SERVED_H
#define WAKE_SERVED_H

#include "wake/node.h"

/*
 * Returns the index of the client at this time: the thread of another process whose request this thread had taken last, or had got from another
 * thread of its own process, and had not answered yet. INDEX_NONE: not known, or client or server is of the process that the graph is about.
 */
int32_t served_at(struct cut *cut, const struct thread *thread, int64_t ts);

#endif
