/*
 * history_read: reads a history file (state/history.h). The file may be hostile: any error in it is a failure that says so.
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

/* Trace times, ns. False: no record had a time. */
bool history_span(const struct history_file *file, int64_t *from, int64_t *to);

/* Tells whether intervals that last until the end reach beyond it, by 1 ns. */
bool history_holds_end(struct history_file *file);

/* The text that history_tell() wrote; the caller frees it. NULL: none. */
char *history_fact(const struct history_file *file, const char *key);

size_t history_count(const struct history_file *file); /* of attributes, and of nodes that only stand before others in paths */
const char *history_path(const struct history_file *file, size_t index);

/* Whether it was ever more than null: 1 or 0; -1 after fail(). It reads a part of the file that history_walk() may not need. */
int history_holds(struct history_file *file, size_t index);

/*
 * Calls for each interval of an attribute that lies at least partly in from..to, as it is in the file, nulls too, in order. The value is
 * valid until the call returns. 0; 1 if a call returned that, which ends it; -1 after fail().
 */
typedef int history_seen(void *context, int64_t from, int64_t to, struct state_value value);
int history_walk(struct history_file *file, size_t index, int64_t from, int64_t to, history_seen *seen, void *context);

/*
 * What each of the attributes that are wanted was at a time; the others' values stay as they are. Both are as long as the names; the caller drops
 * the values. 0; -1 after fail(), when some may be missing.
 */
int history_at(struct history_file *file, int64_t ts, const bool *wanted, struct state_value *values);

/* Where values of the file have their texts. */
struct state_texts *history_texts(const struct history_file *file);

#endif
