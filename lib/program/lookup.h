/*
 * lookup: names of functions, looked up in a process without rights.
 *
 * Programs and libraries are read on behalf of root, but belong to anybody, and the libraries that parse them trust them more than they
 * should. So another process parses them, which can do nothing else (base/confine.h). It gets open files, and answers with text.
 *
 *	lookup = lookup_new(stopped)
 *	file = lookup_add(lookup, &found, path)	found by opener_find()
 *	lookup_place(lookup, file, offset, &place)	...
 *	lookup_free(lookup)
 *
 * The process is forked at the first question. If it dies, another one takes its place. Of a file that it dies of twice, with no other file at
 * hand, or that takes more than LOOKUP_CPU_MS of CPU time or LOOKUP_WALL_MS in all (LOOKUP_FUSE_MS if a server answers for the file) for one
 * question, nothing more is asked: its places remain addresses. If a user other than root owns LOOKUP_STRIKES such files, nothing more is
 * asked about any file of that user; whose files those of a FUSE are, its server says, so they count as one user's. A process that waits
 * for a file system is not waited for. The answers are not trusted: their length is bounded, and control characters are taken out.
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

/* Starts the process, if there is none. Returns what it could not be rid of (base/confine.h). -1 after fail(): there cannot be one. */
int lookup_start(struct lookup *lookup);

/* A file, whose place becomes the lookup's; the path is what its debug files are found by. */
struct lookup_file *lookup_add(struct lookup *lookup, const struct opener_file *found, const char *path);
void lookup_forget(struct lookup *lookup, struct lookup_file *file);

/* The place at an offset in a file. */
struct lookup_place {
	bool found; /* code */
	struct step step;
	int count; /* of functions, innermost first, as image_functions() tells them; the caller frees each */
	char *functions[IMAGE_FUNCTIONS];
};

void lookup_place(struct lookup *lookup, struct lookup_file *file, uint64_t offset, struct lookup_place *place);

/* The build id of a file that was found at this path; returns its size. 0: none is known. */
size_t lookup_build_id(struct lookup *lookup, const struct opener_file *found, const char *path, unsigned char id[CODE_BUILD_ID]);

struct symbol_names;

/*
 * As symbol_offset(), symbol_variable() and symbol_matching(), of the file at this path, without the functions that returns_allowed() refuses. A probe in the
 * wrong place ends programs; so only a process that has read no other file is asked.
 */
int lookup_offset(struct lookup *lookup, const char *path, const char *function, uint64_t *offset);
int lookup_variable(struct lookup *lookup, const char *path, const char *variable, uint64_t *address, uint64_t *size);
int lookup_matching(struct lookup *lookup, const char *path, const char *pattern, struct symbol_names *names);

struct ends;
struct ends_switch;

/*
 * As ends_traits(), which says what the text is, ends_find() and ends_switches(), of the file at this path. The first returns the length of the
 * text, behind which there is a NUL; -1 after fail().
 */
int lookup_traits(struct lookup *lookup, const char *path, unsigned *traits, char *text, size_t room);
int lookup_ends(struct lookup *lookup, const char *path, const char *function, uint64_t offset, bool unsafe, struct ends *ends);
size_t lookup_switches(struct lookup *lookup, const char *path, struct ends_switch *found);

struct argument_found;

/* As ends_instruction(), of the file at this path. */
int lookup_instruction(struct lookup *lookup, const char *path, const char *function, uint64_t offset, uint64_t behind, uint64_t *at);

/*
 * Where arguments are (program/argument_find.h) of the function that begins at an offset in the file at this path, or, unless `at_entry`, of the
 * one that has its instruction there: of each expression of the text,
 * which arguments_parse() understood, in order; found has room for ARGUMENTS_MAX. Returns how many; -1 after fail().
 */
int lookup_arguments(struct lookup *lookup, const char *path, const char *function, uint64_t offset, bool at_entry, const char *text,
		     struct argument_found *found);

/*
 * The same at a function's entry, but where one cannot be told it is absent. All must have types. `lines` are for members_choose(). The caller frees
 * *why: why the first that is absent is; NULL: none is.
 */
int lookup_arguments_leniently(struct lookup *lookup, const char *path, const char *function, uint64_t offset, const char *text,
			       const char *lines, struct argument_found *found, char **why);

/* As demangle_type(). NULL: it is none, or nobody could tell. */
char *lookup_type(struct lookup *lookup, const char *name);

/*
 * Expressions for all that a call of this function can tell (program/argument_list.h); without debugging information the first six integer
 * arguments, by the calling convention, and the result. The caller frees the text; NULL after fail().
 */
char *lookup_parameters(struct lookup *lookup, const char *path, const char *function, uint64_t offset);

#endif
