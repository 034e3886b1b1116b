/*
 * lookup: names of functions, looked up in a process without rights. Its questions about a program as a whole are in program/lookup_program.h.
 *
 * Programs and libraries are read on behalf of root, but belong to anybody, and the libraries that parse them trust them more than they
 * should. So another process parses them, which can do nothing else (base/confine.h). It gets open files, and answers with text.
 *
 *	lookup = lookup_new(stopped)
 *	file = lookup_add(lookup, &found, path)	found by opener_find()
 *	lookup_place(lookup, file, offset, &place)	...
 *	lookup_free(lookup)
 *
 * The process is forked at the first question. If it dies, another one takes its place. A file is given up, so that its places remain addresses,
 * if the process dies of it twice with no other file at hand. So is one with a question that takes more than LOOKUP_CPU_MS of CPU time, or waits
 * for more than LOOKUP_WALL_MS (LOOKUP_FUSE_MS if a server answers for the file). If a user other than root owns LOOKUP_STRIKES such files, all files of
 * that user are given up. The server of a FUSE says who owns its files, so all of them count as one user's. The asker does not wait for a
 * process that waits for a file system. It does not trust the answers: it bounds their length, and takes out control characters.
 *
 * Places are asked one by one, at 45 us each, and each once: on a machine at load 23, 2,500 in the first second of --stack and 250 a second later,
 * which is 1 % of a CPU.
 *
 * One thread at a time may ask.
 */
#ifndef PROGRAM_LOOKUP_H
#define PROGRAM_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "program/code.h"
#include "program/image.h"

struct lookup;
struct lookup_file;
struct opener_file;

enum { LOOKUP_CPU_MS = 2000, LOOKUP_WALL_MS = 10000, LOOKUP_FUSE_MS = 2000, LOOKUP_STOP_MS = 2000, LOOKUP_STRIKES = 3 };

/*
 * `stopped` tells, by anything but 0, that somebody waits for the end: LOOKUP_STOP_MS later nothing more is looked up. NULL: nobody will.
 * Cannot fail.
 */
struct lookup *lookup_new(int (*stopped)(void));
void lookup_free(struct lookup *lookup);

/* Starts the process, if there is none. Returns the rights that it could not drop (base/confine.h). -1 after fail(): there cannot be one. */
int lookup_start(struct lookup *lookup);

/* A file, whose place becomes the lookup's; the path is what its debug files are found by. */
struct lookup_file *lookup_add(struct lookup *lookup, const struct opener_file *found, const char *path);
void lookup_forget(struct lookup *lookup, struct lookup_file *file);

/* The place at an offset in a file. */
struct lookup_place {
	struct step step;
	int count; /* of functions, innermost first, as image_functions() tells them; the caller frees each */
	char *functions[IMAGE_FUNCTIONS];
};

void lookup_place(struct lookup *lookup, struct lookup_file *file, uint64_t offset, struct lookup_place *place);

/* As image_block() and image_variable(), of the file. The caller frees the latter; NULL: there is none. */
void lookup_block(struct lookup *lookup, struct lookup_file *file, uint64_t offset, uint64_t behind, struct image_block *block);
char *lookup_variable_at(struct lookup *lookup, struct lookup_file *file, uint64_t offset, int64_t distance, uint64_t *byte);

/* The build id of a file that was found at this path; returns its size. 0: none is known. */
size_t lookup_build_id(struct lookup *lookup, const struct opener_file *found, const char *path, unsigned char id[CODE_BUILD_ID]);

#endif
