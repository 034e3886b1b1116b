/*
 * file_call: system calls whose first argument is a descriptor, and which may sleep for its file: read() and its like.
 */
#ifndef SOURCE_FILE_CALL_H
#define SOURCE_FILE_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* Tells whether the call of this name, or of this number on this machine, is one of them. */
bool file_call_named(const char *name);
bool file_call_numbered(int64_t number);

#endif
