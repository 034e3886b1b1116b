/*
 * calls: the system calls of a stream by number: their names, as the job maps them, and which of their values are sizes.
 *
 * Numbers that the job maps to one name share an id. A number without a name is sys_N; the first 4096 of those have ids of their own.
 */
#ifndef RUN_CALLS_H
#define RUN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/job.h"

struct calls;

/* The effect of a call on threads. */
enum call_deed { CALL_PLAIN, CALL_EXEC, CALL_FORK, CALL_CLONE, CALL_EXIT, CALL_EXIT_GROUP };

struct call {
	uint32_t id; /* of its name: 0, 1, 2, ... */
	enum call_deed deed;
	bool result_is_size;
	int8_t size_argument; /* from 0; -1: none */
};

struct calls *calls_new(const struct job *job);
void calls_free(struct calls *calls);

/* Numbers are those of this machine from now on (event/machine.h); ids of names stay. True: that is another machine than before. */
bool calls_machine(struct calls *calls, uint32_t machine);

const struct call *calls_find(struct calls *calls, int64_t number); /* stays until calls_machine(); NULL: below 0 */
const char *calls_name(const struct calls *calls, uint32_t id);

#endif
