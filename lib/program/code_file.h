/*
 * code_file: the file that code was mapped from, and its debug files: found (program/opener.h), not read. Part of code, see code.h.
 *
 * Paths and links come from processes that may mean harm: what is no regular file is not opened at all, for a FIFO would let us wait
 * for ever, and to open some devices is to work them.
 */
#ifndef PROGRAM_CODE_FILE_H
#define PROGRAM_CODE_FILE_H

#include "program/code.h"
#include "program/debug_wish.h"
#include "program/opener.h"

/* As code_open(), which says what the arguments are. False: it cannot be had. */
bool code_file_find(struct lookup *lookup, const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		    const struct code_identity *identity, struct opener_file *file);

/*
 * The debug file that somebody wishes for the program of this path. Whoever wishes has no rights, so the file is one that anybody may
 * read: in the folder of debug files, or, beside the program, written by nobody but root and who we are. It comes as by
 * opener_open(). -1: there is none.
 */
int code_file_debug(const char *path, enum debug_place place, const void *text, size_t length);

#endif
