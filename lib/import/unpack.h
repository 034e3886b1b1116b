/*
 * unpack: unpacks the compressed parts of a trace.dat file.
 */
#ifndef IMPORT_UNPACK_H
#define IMPORT_UNPACK_H

#include <stddef.h>

/*
 * Unpacks data that "zstd" or "zlib" compressed into at most `room` bytes. Returns the number of bytes, which may be less
 * than a trace.dat file says; -1 after fail(): another method, or damaged data.
 */
long unpack(const char *method, const char *packed, size_t size, char *bytes, size_t room);

#endif
