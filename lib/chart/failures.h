/*
 * failures: which results of system calls say that somebody else has what the call tries to get: EEXIST of mkdir(2), EAGAIN of flock(2). The
 * list is that of charts/formats/waits.calls, lines "fails CALL ERROR...".
 */
#ifndef CHART_FAILURES_H
#define CHART_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

struct failures;

/* The list, which is read once, because a confined process can read no files. It is nobody's to free. NULL after fail(): it cannot be read. */
const struct failures *failures_shipped(void);

bool failures_has(const struct failures *failures, const char *call, int64_t result);

#endif
