/*
 * members: where the members of a program's structs are, as somebody wrote it down for a version of it: for programs without debugging
 * information. Words with blanks between them, each FUNCTION.%N=TYPE, FUNCTION.ret=TYPE, or TYPE.MEMBER=OFFSET[:TYPE]:
 *
 *	call.%1=client client.id=0:u64 client.conn=16:connection connection.fd=56:s32
 *
 * The TYPE of a base or member is what that points to, or one of u8 to u64 and s8 to s64, which it is. Of a struct within a struct, whose members are
 * named behind a dot, it is the type itself.
 */
#ifndef PROGRAM_MEMBERS_H
#define PROGRAM_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libelf.h>

/* A word of the text, which must stay; length 0: none. */
struct members_type {
	const char *name;
	size_t length;
};

/* -1 after fail(): *wrong is then the word that is none of these. */
int members_check(const char *members, const char **wrong);

/* The type that an argument ("%1") or the result ("ret") of a function points to. False: nobody wrote it down. */
bool members_base(const char *members, const char *function, const char *base, struct members_type *type);

/* Where a member of a type is. False: nobody says. */
bool members_find(const char *members, const struct members_type *of, const char *member, int64_t *offset, struct members_type *type);

/* Tells whether this is a type of numbers; its size, in bytes, and whether they have a sign. */
bool members_number(const struct members_type *type, unsigned *size, bool *has_sign);

/*
 * Of several, lines TEXT, tab, words, those of the first whose TEXT one of the constant strings (.rodata) of the program begins with; behind an empty
 * line, also those of the first from there on. The caller frees it; NULL: there is none.
 */
char *members_choose(const char *lines, Elf *elf);

#endif
