/*
 * spool: the events of each CPU, kept in temporary files without name until all are known.
 *
 * A CPU has a file and a buffer from its first event on. Events come back in the order in which they went in.
 */
#ifndef EXPORT_SPOOL_H
#define EXPORT_SPOOL_H

#include <stdint.h>

struct spool;

enum { SPOOL_CPUS = 1 << 14 }; /* more CPUs than any machine has; a file descriptor each */

struct spooled {
	int64_t ts;
	uint64_t missed; /* events lost between this one and the one before */
	uint32_t size;
	char *payload; /* valid until the next spool_next() */
};

struct spool_cpu { /* of one CPU; all zero: none came */
	uint64_t events, missed; /* missed: at the end too */
};

/* Files are made in this folder, which must stay. */
struct spool *spool_new(const char *folder);
void spool_free(struct spool *spool);

/* cpu < SPOOL_CPUS. 0; -1 after fail(). */
int spool_add(struct spool *spool, uint32_t cpu, int64_t ts, const char *payload, uint32_t size);
void spool_lost(struct spool *spool, uint32_t cpu, uint64_t count); /* stands before the next event of this CPU */

uint32_t spool_cpus(const struct spool *spool); /* the highest that was named, + 1 */
const struct spool_cpu *spool_cpu(const struct spool *spool, uint32_t cpu);
uint32_t spool_largest(const struct spool *spool); /* the greatest size */

/* All of a CPU's events, when none will be added. 0: the file is at its beginning; 1: an event; 0: no more; -1 after fail(). */
int spool_rewind(struct spool *spool, uint32_t cpu);
int spool_next(struct spool *spool, uint32_t cpu, struct spooled *event);

#endif
