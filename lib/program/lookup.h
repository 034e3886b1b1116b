/*
 * lookup: looks up names of functions in a process without rights. Questions about a program as a whole are in program/lookup_program.h.
 *
 * Programs and libraries are read on behalf of root, but any user may own them, and the libraries that parse them trust them more than they
 * should. So another process parses them, and that process can do nothing else (base/confine.h). It gets open files, and answers with text.
 *
 *	lookup = lookup_new(stopped)
 *	file = lookup_add(lookup, &found, path)	found by opener_find()
 *	lookup_place(lookup, file, offset, &place)	...
 *	lookup_free(lookup)
 *
 * The process is forked at the first question. If it dies, another one takes its place. The asker gives a file up, so that its places
 * remain addresses, if the process dies twice of that file while it has no other, if a question about the file takes more than
 * LOOKUP_CPU_MS of CPU time, or if a question waits for more than LOOKUP_WALL_MS (LOOKUP_FUSE_MS if a FUSE server answers for the file). If
 * a user other than root owns LOOKUP_STRIKES such files, all files of that user are given up. A FUSE server says who owns its files, so all
 * of them count as one user's. The asker does not wait for a process that waits for a file system. It does not trust the answers: it bounds
 * their length, and takes out control characters.
 *
 * Each place takes one question, which costs 45 us. On a machine at load 23, --stack asks 2,500 questions in its first second and 250 per
 * second later, which is 1 % of a CPU.
 *
 * Only one thread at a time may ask.
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
 * `stopped` returns nonzero once the program is to end: LOOKUP_STOP_MS after that, lookup answers no more questions. NULL: it never is.
 * Cannot fail.
 */
struct lookup *lookup_new(int (*stopped)(void));
void lookup_free(struct lookup *lookup);

/*
 * Starts the process if there is none. Returns the rights that the process could not drop (base/confine.h); -1 after fail() if it cannot be
 * started.
 */
int lookup_start(struct lookup *lookup);

/* Adds a file. The lookup takes over the descriptor `found->place`. Debug files are searched for by `path`. */
struct lookup_file *lookup_add(struct lookup *lookup, const struct opener_file *found, const char *path);
void lookup_forget(struct lookup *lookup, struct lookup_file *file);

/* The place at an offset in a file. */
struct lookup_place {
	struct step step;
	int count; /* number of functions, innermost first, as image_functions() returns them; the caller frees each */
	char *functions[IMAGE_FUNCTIONS];
};

void lookup_place(struct lookup *lookup, struct lookup_file *file, uint64_t offset, struct lookup_place *place);

/* As image_block() and image_variable(), for the file. The caller frees the name that lookup_variable_at() returns; NULL: there is none. */
void lookup_block(struct lookup *lookup, struct lookup_file *file, uint64_t offset, uint64_t behind, struct image_block *block);
char *lookup_variable_at(struct lookup *lookup, struct lookup_file *file, uint64_t offset, int64_t distance, uint64_t *byte);

/* Copies the build id of the file that was found at this path. Returns its size; 0: it is not known. */
size_t lookup_build_id(struct lookup *lookup, const struct opener_file *found, const char *path, unsigned char id[CODE_BUILD_ID]);

#endif
