/*
 * calls_of: which system calls a feature is about, by its name: count.read, next.read-write.
 */
#ifndef RUN_CALLS_OF_H
#define RUN_CALLS_OF_H

#include <stdbool.h>
#include <stddef.h>

/* A name's part of the feature's. */
struct calls_of {
	const char *first, *second; /* second NULL: one call */
	size_t first_length, second_length;
	bool gap; /* time between the two */
};

/* False: it is about none: time.outside, facts. */
bool calls_of_feature(const char *name, struct calls_of *calls);

#endif
