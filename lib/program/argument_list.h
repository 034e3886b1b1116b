/*
 * argument_list: expressions for all that a function's calls can show: its parameters, and the numbers and texts that these point to or
 * consist of, as far as the debugging information (DWARF) describes them. Part of argument, see argument.h. Runs in the same process as
 * argument_find.h.
 */
#ifndef PROGRAM_ARGUMENT_LIST_H
#define PROGRAM_ARGUMENT_LIST_H

#include <stddef.h>

#include "program/argument_find.h"

enum { ARGUMENT_LIST_ROOM = ARGUMENTS_MAX * (ARGUMENT_WORD + ARGUMENT_WORD * 2 + 8) };

/*
 * Writes first the parameters, then the values that they lead to, "id,q,q_limit=q->limit", then the result. argument_find() finds a place
 * for each, and arguments_parse() accepts them together. Returns their number; -1: DWARF does not know the function.
 */
int argument_list(const struct argument_question *question, char text[ARGUMENT_LIST_ROOM]);

#endif
