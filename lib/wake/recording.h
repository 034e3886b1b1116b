/*
 * recording: whether something may have happened unseen, as far as the events of a saved recording tell (chart/recorded.h). Of a
 * stream that the collector wrote it is known that all CPUs were recorded. Private to lib/wake.
 */
#ifndef WAKE_RECORDING_H
#define WAKE_RECORDING_H

#include "wake/core.h"

/* A device may serve others first, but not that many, however deep its queue is: then the recording lacks the completion. */
enum { OVERTAKEN_MIN = 100 };

/* Why something since then may have come unseen, as the key doubt= of a deed: "cpu"; NULL: it cannot have. */
const char *recording_doubt(const struct wake *wake, int64_t since);

/* The collector vouches for the stream. */
bool recording_vouched(const struct wake *wake);

#endif
