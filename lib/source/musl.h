/*
 * musl: tells which processes run with the C library musl.
 *
 * In all common C libraries, the futex of a lock that others wait for has the value 2. In musl condition variables have that value, and mutexes
 * do not, so a thread that waits for work would seem to wait for a lock.
 */
#ifndef SOURCE_MUSL_H
#define SOURCE_MUSL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tells whether the process runs with musl, by the names of the first files that it has mapped. It may wait for what the process waits for. Also
 * false if the process is gone or may not be looked at, has the library linked into it, or runs it on Android.
 */
bool musl_is_mapped(int32_t pid);

#endif
