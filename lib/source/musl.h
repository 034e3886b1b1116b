/*
 * musl: tells which processes run with the C library musl.
 *
 * A futex tells a lock that others wait for by its value, which is 2 in all common libraries. In musl the conditions have that value, too, and its
 * mutexes have not, so there a thread that waits for work would seem to wait for a lock.
 */
#ifndef SOURCE_MUSL_H
#define SOURCE_MUSL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * By the name of its library among the first files that the process has mapped. It may wait for what the process waits for. False, too: the process
 * is gone or may not be looked at, has the library linked into it, or runs it on Android.
 */
bool musl_is_mapped(int32_t pid);

#endif
