/*
 * query_when: the intervals of a history in which a condition holds, such as "Loop/Depth > 3 && Loop/State == 'waiting'".
 *
 * Conditions are those of state files (state/logic.h). Their operands are patterns of paths, with or without brackets. The condition is evaluated
 * for each choice of attributes that match its patterns:
 *
 * - A pattern without a leading '/' may begin at any component; the part of the path before it is the same for all such patterns.
 * - Each `*` may stand for another text. `*1` stands for the same text at all its places; so do `*2` to `*9`.
 * - Two patterns that differ only in such digits stand for two different attributes. If the condition holds for two choices that
 *   differ only in the order of these attributes, the answer has the choice that comes first by path.
 */
#ifndef STATE_QUERY_WHEN_H
#define STATE_QUERY_WHEN_H

#include "state/history_read.h"
#include "state/rows.h"

enum { WHEN_PATTERNS = 8, WHEN_CHOICES = 1 << 20 };

/* Rows: from, to, and a path for each pattern. Returns 0; -1 after fail(), such as for a wrong condition or more than WHEN_CHOICES choices. */
int query_when(struct history_file *file, const char *condition, struct rows *rows);

#endif
