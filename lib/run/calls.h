/*
 * calls: the system calls of a stream by number: their names, as the job maps them, and which of their values are sizes.
 *
 * Numbers that the job maps to one name share an id. A number without a name is called sys_N. Of the numbers from 1024 on, only the first 4096 that
 * occur have ids of their own; the others share one, sys_other.
 */
#ifndef RUN_CALLS_H
#define RUN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/job.h"

struct calls;

/* The effect of a call on threads and processes. */
enum call_deed { CALL_PLAIN, CALL_EXEC, CALL_FORK, CALL_CLONE, CALL_EXIT, CALL_EXIT_GROUP };

struct call {
	uint32_t id; /* number of its name: 0, 1, 2, ... */
	enum call_deed deed;
	bool result_is_size;
	int8_t size_argument; /* index from 0 of the argument that is a size; -1: none */
};

struct calls *calls_new(const struct job *job);
void calls_free(struct calls *calls);

/* From now on, numbers are those of this machine (event/machine.h); ids of names stay. True: the machine differs from the previous one. */
bool calls_machine(struct calls *calls, uint32_t machine);

const struct call *calls_find(struct calls *calls, int64_t number); /* valid until calls_machine(); NULL: the number is below 0 */
const char *calls_name(const struct calls *calls, uint32_t id);

#endif
