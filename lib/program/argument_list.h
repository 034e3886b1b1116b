/*
 * argument_list: expressions for all arguments that a function's calls can show: its parameters, and the numbers and texts that these point to or
 * consist of, as far as the debugging information (DWARF) has them. Part of argument, see argument.h. Runs where argument_find.h does.
 */
#ifndef PROGRAM_ARGUMENT_LIST_H
#define PROGRAM_ARGUMENT_LIST_H

#include <stddef.h>

#include "program/argument_find.h"

enum { ARGUMENT_LIST_ROOM = ARGUMENTS_MAX * (ARGUMENT_WORD + ARGUMENT_WORD * 2 + 8) };

/*
 * Parameters first, then the values that they lead to, "id,q,q_limit=q->limit", and the result: each has a place, and arguments_parse() takes
 * them together. Returns their number; -1: DWARF does not know the function.
 */
int argument_list(const struct argument_question *question, char text[ARGUMENT_LIST_ROOM]);

#endif
