/*
 * recording: tells from the events of a saved recording whether something may have happened unseen (chart/recorded.h). A stream that
 * trace-collect wrote has the events of all CPUs. Private to lib/wake.
 */
#ifndef WAKE_RECORDING_H
#define WAKE_RECORDING_H

#include "wake/core.h"

/* A device does not serve this many later requests before one, however deep its queue is: then the recording lacks that one's completion. */
enum { OVERTAKEN_MIN = 100 };

/* The reason why something after `since` may have happened unseen, as the key doubt= of a deed: "cpu"; NULL: nothing can have. */
const char *recording_doubt(const struct wake *wake, int64_t since);

/* Tells whether trace-collect wrote the stream. */
bool recording_vouched(const struct wake *wake);

#endif
