/*
 * history: the values of each attribute over time, in a file of SQLite. tailblame-states(5) describes its tables.
 *
 *	history = history_new("A.history")
 *	state_attributes_sink(attributes, &history_sink, history)
 *	...
 *	history_keep(history, machine)			the file gets its name; an older one stays until then
 *	history_free(history)
 *
 * Rows that are not full stay in memory, up to a bound; then all are written.
 */
#ifndef STATE_HISTORY_H
#define STATE_HISTORY_H

#include "state/machine.h"

struct history;

/* NULL after fail(). */
struct history *history_new(const char *path);
void history_free(struct history *history); /* without a file, if it was not kept */

extern const struct state_sink history_sink; /* its context is the history */

/* Writes a fact about the whole, such as the wall-clock time of the trace clock's zero. 0; -1 after fail(). */
int history_tell(struct history *history, const char *key, const char *value);

/* Writes the present values of attributes, which hold until the last record; then the names. 0; -1 after fail(). */
int history_keep(struct history *history, const struct state_machine *machine);

#endif
