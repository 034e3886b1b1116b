/*
 * unpack: the compressed parts of a trace.dat file.
 */
#ifndef IMPORT_UNPACK_H
#define IMPORT_UNPACK_H

#include <stddef.h>

/*
 * Unpacks what was compressed by "zstd" or "zlib" into at most `room` bytes. Returns how many there are, which may be
 * fewer than a trace.dat file says; -1 after fail(): compressed by neither, or damaged.
 */
long unpack(const char *method, const char *packed, size_t size, char *bytes, size_t room);

#endif
