/*
 * history: writes the values of each attribute over time to an SQLite file. tailblame-states(5) describes its tables.
 *
 *	history = history_new("A.history")
 *	state_attributes_sink(attributes, &history_sink, history)
 *	...
 *	history_keep(history, machine)			the file gets its name; an older file of that name stays until then
 *	history_free(history)
 *
 * Rows that are not full stay in memory. When these exceed a bound, all are written.
 */
#ifndef STATE_HISTORY_H
#define STATE_HISTORY_H

#include "state/machine.h"

struct history;

/* NULL after fail(). */
struct history *history_new(const char *path);
void history_free(struct history *history); /* leaves no file unless history_keep() was called */

extern const struct state_sink history_sink; /* its context is the struct history */

/* Writes a fact about the whole history, such as the wall-clock time of trace time 0. Returns 0; -1 after fail(). */
int history_tell(struct history *history, const char *key, const char *value);

/* Writes the present values, which last until the last record, and the names; then gives the file its name. Returns 0; -1 after fail(). */
int history_keep(struct history *history, const struct state_machine *machine);

#endif
