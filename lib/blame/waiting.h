/*
 * waiting: how long the machine waited, by the signals of a stream. A signal is a wait from start to ts, unless its value
 * is a plain number, a rate, a mean or a shift. A wait that had not ended counts as far as it went; a later signal of the same
 * wait adds only the rest.
 *
 * A window's waiting is that of the signals since the window before it. Signals that no window follows count in the whole.
 */
#ifndef BLAME_WAITING_H
#define BLAME_WAITING_H

#include "stream/line.h"

struct waiting;

struct waiting *waiting_new(void);
void waiting_free(struct waiting *waiting);

/* The fields of a signal or window record. -1 after fail(): a time is malformed. */
int waiting_signal(struct waiting *waiting, const struct fields *fields);
void waiting_window(struct waiting *waiting, const struct fields *fields);

/* A moment whose signals are not in the stream waited `seconds`. */
void waiting_add(struct waiting *waiting, double seconds);

/* A moment without a window waited `seconds`: at most those of the signals since the last window. */
void waiting_claim(struct waiting *waiting, double seconds);

/* The window's waiting, in seconds, the first time that it is asked for; then 0. Less than 0: its signals are unknown. */
double waiting_take(struct waiting *waiting, const char *window);

/* All waiting so far, in seconds. */
double waiting_whole(const struct waiting *waiting);

#endif
