/*
 * lookup_program: questions about the program file at a path, such as where to put probes. The process without rights of program/lookup.h
 * answers them. lookup.c implements both headers.
 */
#ifndef PROGRAM_LOOKUP_PROGRAM_H
#define PROGRAM_LOOKUP_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lookup;
struct symbol_names;

/*
 * As symbol_offset(), symbol_variable() and symbol_matching(), for the file at this path, without the functions that
 * language_allows_probes() refuses. A probe in the wrong place kills programs; so the process that answers has read no other file.
 */
int lookup_offset(struct lookup *lookup, const char *path, const char *function, uint64_t *offset);
int lookup_variable(struct lookup *lookup, const char *path, const char *variable, uint64_t *address, uint64_t *size);
int lookup_matching(struct lookup *lookup, const char *path, const char *pattern, struct symbol_names *names);

struct ends;
struct ends_switch;

/*
 * As ends_traits(), which explains the text, ends_find() and ends_switches(), for the file at this path. lookup_traits() returns the length
 * of the text and puts a NUL behind it; -1 after fail().
 */
int lookup_traits(struct lookup *lookup, const char *path, unsigned *traits, char *text, size_t room);
int lookup_ends(struct lookup *lookup, const char *path, const char *function, uint64_t offset, bool unsafe, struct ends *ends);
size_t lookup_switches(struct lookup *lookup, const char *path, struct ends_switch *found);

struct argument_found;

/* As ends_instruction(), for the file at this path. */
int lookup_instruction(struct lookup *lookup, const char *path, const char *function, uint64_t offset, uint64_t behind, uint64_t *at);

/*
 * Finds the places of arguments (program/argument_find.h) of a function of the file at this path. If `at_entry`, the function begins at
 * `offset`; else it has an instruction there. Looks up each expression of the text, which arguments_parse() accepted, in order. `found` has
 * room for ARGUMENTS_MAX. Returns their number; -1 after fail().
 */
int lookup_arguments(struct lookup *lookup, const char *path, const char *function, uint64_t offset, bool at_entry, const char *text,
		     struct argument_found *found);

/*
 * The same at a function's entry, but marks an argument that cannot be found as absent. All arguments must have types. `lines` are for
 * members_choose(). *why is the reason why the first absent argument is absent, which the caller frees; NULL: none is absent.
 */
int lookup_arguments_leniently(struct lookup *lookup, const char *path, const char *function, uint64_t offset, const char *text,
			       const char *lines, struct argument_found *found, char **why);

/* As demangle_type(). NULL: the name is no type's, or the process did not answer. */
char *lookup_type(struct lookup *lookup, const char *name);

/*
 * Expressions for all arguments and results that a call of this function can show (program/argument_list.h); without debugging information,
 * the first six integer arguments, by the calling convention, and the result. The caller frees the text; NULL after fail().
 */
char *lookup_parameters(struct lookup *lookup, const char *path, const char *function, uint64_t offset);

#endif
