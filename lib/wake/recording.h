/*
 * recording: tells from the events of a saved recording whether something may have happened unseen (chart/recorded.h). A stream that the
 * collector wrote has the events of all CPUs. Private to lib/wake.
 */
#ifndef WAKE_RECORDING_H
#define WAKE_RECORDING_H

#include "wake/core.h"

/* A device may serve other requests first, but not as many as this, however deep its queue is: then the recording lacks the completion. */
enum { OVERTAKEN_MIN = 100 };

/* The reason why something after `since` may have happened unseen, as the key doubt= of a deed: "cpu"; NULL: nothing can have. */
const char *recording_doubt(const struct wake *wake, int64_t since);

/* The collector vouches for the stream. */
bool recording_vouched(const struct wake *wake);

#endif
