/*
 * history_read: reads a history file (state/history.h). The file may be hostile: any error in it is reported by fail().
 *
 *	history = history_open(path)
 *	for (i = 0; i < history_count(history); i++)	names, sorted by path
 *		history_walk(history, i, from, to, seen, context)
 *	history_close(history)
 */
#ifndef STATE_HISTORY_READ_H
#define STATE_HISTORY_READ_H

#include "state/value.h"

struct history_file;

/* NULL after fail(). */
struct history_file *history_open(const char *path);
void history_close(struct history_file *file); /* NULL: does nothing */

/* The times of the first and the last record, trace clock, ns. False: the file does not know them, such as when no record had a time. */
bool history_span(const struct history_file *file, int64_t *from, int64_t *to);

/* Tells whether intervals that last until the end reach 1 ns beyond it. */
bool history_holds_end(struct history_file *file);

/* The text that history_tell() wrote; the caller frees it. NULL: none. */
char *history_fact(const struct history_file *file, const char *key);

size_t history_count(const struct history_file *file); /* number of attributes, and of nodes that are only part of longer paths */
const char *history_path(const struct history_file *file, size_t index);

/* Tells whether the attribute ever had a value: 1 or 0; -1 after fail(). It reads a part of the file that history_walk() may not need. */
int history_holds(struct history_file *file, size_t index);

/*
 * Calls `seen` for each interval of an attribute that overlaps from..to, in order, unclipped, nulls too. The value is valid until the call
 * returns. Returns 0; 1 if a call returned 1, which ends the walk; -1 after fail().
 */
typedef int history_seen(void *context, int64_t from, int64_t to, struct state_value value);
int history_walk(struct history_file *file, size_t index, int64_t from, int64_t to, history_seen *seen, void *context);

/*
 * Sets values[i] for each attribute with wanted[i] to its value at ts; the other values stay as they are. Both arrays have history_count()
 * items; the caller drops the values. Returns 0; -1 after fail(), when some values may be missing.
 */
int history_at(struct history_file *file, int64_t ts, const bool *wanted, struct state_value *values);

/* The pool of the texts in the file's values. */
struct state_texts *history_texts(const struct history_file *file);

#endif
