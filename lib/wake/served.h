/*
 * served: for whom a thread of a server worked when it ran or slept. A slow request may wait for a server that works for another client,
 * such as one that locks a table and waits. The server's thread is on the path, and that client is not, so it is named.
 *
 * Two processes that wake each other do not show which of them asks. Only one case is known: a program that began
 * within the data asks one that is older. Private to lib/wake.
 */
#ifndef WAKE_SERVED_H
#define WAKE_SERVED_H

#include "wake/node.h"

/*
 * The thread of another process whose request the thread had taken last at that time, or had been handed by another thread of its own process,
 * and had not answered yet. Index; INDEX_NONE: not known, or one of the two is of the process whose wait the graph is about.
 */
int32_t served_at(struct cut *cut, const struct thread *thread, int64_t ts);

#endif
