/*
 * file_call: system calls that have a descriptor first, and may sleep for what that is: read() and its like.
 */
#ifndef SOURCE_FILE_CALL_H
#define SOURCE_FILE_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* Tells whether the one of this name, or of this number on this machine, is such a call. */
bool file_call_named(const char *name);
bool file_call_numbered(int64_t number);

#endif
