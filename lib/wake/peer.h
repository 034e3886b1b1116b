/*
 * peer: the process at the other end of the socket or pipe from which a thread has waited for data since before the data, as `traced` records with
 * `peer` tell. Private to lib/wake.
 */
#ifndef WAKE_PEER_H
#define WAKE_PEER_H

#include "wake/core.h"

/* Tells whether this wait of the thread is such a one, and nothing has ended it. Then the part's explain() explains it. */
bool peer_known(const struct wake *wake, const struct thread *thread, size_t wait);

#endif
