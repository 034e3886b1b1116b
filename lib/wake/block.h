/*
 * block: follows block requests and flushes from the bio that is queued to the completion by the device (request.h), and explains waits for
 * them. Private to lib/wake.
 */
#ifndef WAKE_BLOCK_H
#define WAKE_BLOCK_H

#include "wake/node.h"
#include "wake/request.h"

/*
 * In [from, to), the node's time, a request (INDEX_NONE: a thread) waited for this disk. Adds an edge to the node from each other request that
 * the disk served meanwhile.
 */
void block_add_served(struct cut *cut, uint64_t dev, int32_t request, int32_t node, int64_t from, int64_t to);

#endif
