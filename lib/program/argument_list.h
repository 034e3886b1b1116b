/*
 * argument_list: expressions for all that a function's call can tell: its parameters, and the numbers and texts that these point to or
 * consist of, as far as the debugging information (DWARF) knows them. Part of argument, see argument.h. Runs where argument_find.h does.
 */
#ifndef PROGRAM_ARGUMENT_LIST_H
#define PROGRAM_ARGUMENT_LIST_H

#include <stddef.h>

#include "program/argument_find.h"

enum { ARGUMENT_LIST_ROOM = ARGUMENTS_MAX * (ARGUMENT_WORD + ARGUMENT_WORD * 2 + 8) };

/*
 * Parameters first, then what they lead to, "id,q,q_limit=q->limit", and the result: each can be told, and together they can be parsed. Returns
 * how many there are; -1: DWARF does not know the function.
 */
int argument_list(const struct argument_question *question, char text[ARGUMENT_LIST_ROOM]);

#endif
