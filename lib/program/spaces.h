/*
 * spaces: which code was mapped where in which process, as processes fork, exec, map files and exit. All processes that map the same file
 * share its code (program/code.h).
 */
#ifndef PROGRAM_SPACES_H
#define PROGRAM_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "program/code.h"
#include "program/sampler.h"

struct spaces;

/* A stretch of executable memory. */
struct mapping {
	uint64_t start, end, offset; /* offset in the file */
	struct code *code;	     /* NULL: memory without a file, or the kernel's own */
};

struct spaces *spaces_new(struct lookup *lookup);
void spaces_free(struct spaces *spaces);

/* Reads /proc/PID/maps of all processes that exist now. */
void spaces_read_all(struct spaces *spaces);

/* Takes in a record of the sampler about address spaces. Records must come in order of time. */
void spaces_see(struct spaces *spaces, const struct sampled_record *record);

/*
 * If records were lost, a process may have mapped other code than is known. So its mappings are read again when they are next needed; those
 * of all processes become doubtful at most once a second. To be called now and then, with the time up to which records have been read.
 */
void spaces_settle(struct spaces *spaces, int64_t now);

/*
 * Code of programs that no process runs any more is kept, because they may run again, until there is much of it. Then spaces_mark() marks
 * the code that is still mapped (code_is_mapped), and spaces_sweep() frees the rest.
 */
bool spaces_are_full(const struct spaces *spaces);
void spaces_mark(struct spaces *spaces);
void spaces_sweep(struct spaces *spaces);

/* NULL: no code is known to lie there. Valid until the next call that is not about code. */
const struct mapping *spaces_find(struct spaces *spaces, int32_t process, uint64_t address);

#endif
