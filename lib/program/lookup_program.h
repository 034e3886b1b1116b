/*
 * lookup_program: questions about the file of a program at a path, such as where to put probes, answered by the process without rights of
 * program/lookup.h. lookup.c has both.
 */
#ifndef PROGRAM_LOOKUP_PROGRAM_H
#define PROGRAM_LOOKUP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lookup;
struct symbol_names;

/*
 * As symbol_offset(), symbol_variable() and symbol_matching(), of the file at this path, without the functions that language_allows_probes() refuses.
 * A probe in the wrong place ends programs; so only a process that has read no other file is asked.
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
 * The places of arguments (program/argument_find.h) of the function that begins at an offset in the file at this path, or, unless `at_entry`, of
 * the one that has its instruction there: of each expression of the text, which arguments_parse() understood, in order. `found` has room for
 * ARGUMENTS_MAX. Returns how many; -1 after fail().
 */
int lookup_arguments(struct lookup *lookup, const char *path, const char *function, uint64_t offset, bool at_entry, const char *text,
		     struct argument_found *found);

/*
 * The same at a function's entry; an argument that cannot be found is absent. All must have types. `lines` are for members_choose(). The caller
 * frees *why, the reason why the first absent one is absent; NULL: none is.
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
