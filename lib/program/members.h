/*
 * members: where the members of a program's structs are, for programs without debugging information, from layout lines that somebody wrote
 * for a version of the program. Words separated by blanks, each FUNCTION.%N=TYPE, FUNCTION.ret=TYPE, or TYPE.MEMBER=OFFSET[:TYPE]:
 *
 *	call.%1=client client.id=0:u64 client.conn=16:connection connection.fd=56:s32
 *
 * The TYPE of a base or member is the type that it points to, or one of u8 to u64 and s8 to s64 if it is a number. For a struct within a
 * struct, whose members follow a dot, TYPE is the struct's own type.
 */
#ifndef PROGRAM_MEMBERS_H
#define PROGRAM_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

/* A word of the text, which must outlive it; length 0: none. */
struct members_type {
	const char *name;
	size_t length;
};

/* Checks the words. 0; -1 after fail(): *wrong is then the word that has none of these forms. */
int members_check(const char *members, const char **wrong);

/* Finds the type that an argument ("%1") or the result ("ret") of a function points to. False: no word says it. */
bool members_base(const char *members, const char *function, const char *base, struct members_type *type);

/* Finds the offset and type of a member of a type. False: no word says it. */
bool members_find(const char *members, const struct members_type *of, const char *member, int64_t *offset, struct members_type *type);

/* Tells whether this is a type of numbers; sets its size in bytes, and whether it has a sign. */
bool members_number(const struct members_type *type, unsigned *size, bool *has_sign);

/*
 * Chooses from lines of TEXT, tab, words: the words of the first line whose TEXT begins a constant string (.rodata) of the program; behind
 * each empty line, also those of the first such line from there on. The caller frees the result; NULL: no line fits.
 */
char *members_choose(const char *lines, Elf *elf);

#endif
