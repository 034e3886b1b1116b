/*
 * names: names of threads and block devices, as a stream gives them. Part of struct events; see event.h.
 */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/fields.h"

struct names;

struct names *names_new(void);
void names_free(struct names *names);
void names_forget(struct names *names);
void names_keep_living(struct names *names); /* see events_keep_living() */

void names_thread(struct names *names, int32_t tid, const char *comm); /* comm is cut at 15 characters */
int names_read_task(struct names *names, const struct fields *fields);
int names_read_stage(struct names *names, const struct fields *fields);
int names_read_device(struct names *names, const struct fields *fields);

const char *names_comm(const struct names *names, int32_t tid); /* NULL: unknown */
const char *names_called(const struct names *names, int32_t tid, int64_t at); /* see events_called(); NULL: by its own name */
bool names_miss(struct names *names, int32_t tid); /* its name is wanted: whether it was forgotten for want of room; true once */
uint64_t names_missed(const struct names *names);  /* how often it was true */
bool names_of_pipe(const struct names *names, int32_t tid);
int32_t names_tgid(const struct names *names, int32_t tid);
bool names_is_kernels(const struct names *names, int32_t tid);
void names_each(const struct names *names, void (*call)(void *context, int32_t tid, const char *comm), void *context);

struct device {
	char name[32], scheduler[16];
	uint64_t disk;
	bool swap;
};

const struct device *names_device(const struct names *names, uint64_t dev); /* NULL: unknown */

#endif
