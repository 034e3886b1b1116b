/*
 * abnormal: the signals and windows of a stream, kept in its whole graph: what was abnormal, when, and in which thread.
 */
#ifndef WALK_ABNORMAL_H
#define WALK_ABNORMAL_H

#include "stream/fields.h"
#include "stream/record.h"
#include "walk/whole.h"

/* Reads a `signal` or `window` record. A window gets the worst of the signals whose ids it names. 0; -1 after fail(). */
int abnormal_read(struct whole *whole, enum kind kind, const struct fields *fields);

/* Makes a window of each signal that is in none; sorts the windows by time. */
void abnormal_ready(struct whole *whole);
void abnormal_free(struct whole *whole);

/* Tells whether a wait between these times overlaps a signal of this thread; tid 0: any signal. */
bool abnormal_overlap(const struct whole *whole, int64_t from, int64_t to, int32_t tid);

#endif
