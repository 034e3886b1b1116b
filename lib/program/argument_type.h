/*
 * argument_type: types by the debugging information (DWARF), as far as arguments need them: members, sizes, which types are numbers or
 * text, and how they are passed. Part of argument_find, see argument_find.h. Every walk is bounded; beyond the bound the result is
 * "unknown".
 */
#ifndef PROGRAM_ARGUMENT_TYPE_H
#define PROGRAM_ARGUMENT_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include <elfutils/libdwfl.h>

#include "program/argument.h"

/* The type of a variable, parameter, member or function's result, or the type that a pointer points to; false: none (void). */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Strips typedefs, const and the like; false: nothing is left. */
bool type_peel(const Dwarf_Die *type, Dwarf_Die *peeled);

int64_t type_size(Dwarf_Die *type); /* in bytes; 0: not known, or not near */

/* Tells whether two objects of one program may be that far apart. Whatever DWARF says, the sum of a few such distances does not overflow. */
bool type_is_near(int64_t distance);

/* These take a peeled type. */
bool type_is_reference(Dwarf_Die *type);
bool type_is_declared(Dwarf_Die *type); /* declared, but not defined in this unit */
bool type_is_matrix(Dwarf_Die *type);	/* an array of more than one dimension */
const char *type_refusal(Dwarf_Die *type); /* why it is neither a number nor text */

bool type_is_char(Dwarf_Die *type); /* takes a type that is not peeled */

struct type_number {
	unsigned size; /* 1, 2, 4, 8 */
	enum argument_form form;
};

bool type_is_number(Dwarf_Die *type, struct type_number *number);

/* A class of strings: the offsets in it of the pointer to the text, and, if `counted`, of the length. */
struct type_text {
	int64_t data, length;
	bool counted;
};

bool type_is_text(Dwarf_Die *type, struct type_text *text);

/*
 * A bit-field: `count` bits from bit `first` on of a number of `size` bytes, which lies `container` bytes behind the member's offset; count
 * 0: no bit-field.
 */
struct type_bits {
	int64_t container;
	uint8_t size, first, count;
};

struct type_member {
	int64_t offset;
	Dwarf_Die type;
	struct type_bits bits;
	char suggestions[256]; /* if there is no such member: members with similar names, for a message */
};

/* Finds a member by its name, also in base classes and in members without a name. */
bool type_find_member(Dwarf_Die *type, const char *name, struct type_member *member);

/* Finds the definition of a declared type in another unit of the program. *seen bounds the search. */
bool type_define(Dwfl_Module *module, Dwarf_Die *declared, int *seen, Dwarf_Die *definition);

/* How a parameter of this type is passed on x86-64 (System V ABI 3.2.3): a part is eight bytes. */
enum { CLASS_INTEGER, CLASS_VECTOR };
struct type_class {
	bool unknown, on_stack;
	bool by_reference; /* its address is passed instead */
	int64_t size;	   /* bytes that it takes on the stack */
	int count;
	uint8_t part[2];
};

/* C++ passes types by reference that may not be copied byte by byte. Says whether a parameter's type is such a one; PASSED_UNTOLD: not known. */
enum type_passing { PASSED_UNTOLD, PASSED_BY_VALUE, PASSED_BY_REFERENCE };
struct type_class type_classify(Dwarf_Die *type, enum type_passing passing);

#endif
