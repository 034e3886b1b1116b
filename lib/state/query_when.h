/*
 * query_when: the intervals of a history in which a condition holds, such as "Loop/Depth > 3 && Loop/State == 'waiting'".
 *
 * Conditions are those of state files (state/logic.h), whose operands are patterns of paths, with or without brackets. A condition is asked of
 * each choice of attributes for its patterns:
 *
 * - What stands before a pattern without a leading '/' is the same for all of them.
 * - A `*` binds anew at each place, `*1` to `*9` the same at all their places.
 * - Two patterns that are spelled alike, but for such digits, bind two different attributes. If two choices differ only by the
 *   order of these, and both hold, the answer has the first by path.
 */
#ifndef STATE_QUERY_WHEN_H
#define STATE_QUERY_WHEN_H

#include "state/history_read.h"
#include "state/rows.h"

enum { WHEN_PATTERNS = 8, WHEN_CHOICES = 1 << 20 };

/* Rows: from, to, and a path for each pattern. 0; -1 after fail(): the condition is wrong, or has more than WHEN_CHOICES choices. */
int query_when(struct history_file *file, const char *condition, struct rows *rows);

#endif
