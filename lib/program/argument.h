/*
 * argument: the arguments of a function's calls that a user wants to see, as the user writes them, and their places.
 *
 *	expr  = [label "="] base {"->" member | "." member | "[" number "]"} [":" type];
 *	base  = parameter | "%" number | "ret" | "@" symbol;
 *	type  = "u8".."u64" | "s8".."s64" | "x64" | "string" | "text" | "path" | "ptr";
 *
 * %N is the Nth argument by the calling convention, from 1 on; `ret` is the result of the call; @ a global variable. Without a type the type is
 * that of the debugging information (DWARF). `string` is text at the address that the value is, `text` text in place, `path` text at an address up
 * to the first blank, control character or '?' (the path of an HTTP request, and nothing else of it), `ptr` an address. Blanks may stand
 * anywhere but in words.
 *
 *	arguments_parse()	in any process
 *	argument_find()		their places, by DWARF, in a process without rights: program/argument_find.h, asked by lookup_arguments()
 */
#ifndef PROGRAM_ARGUMENT_H
#define PROGRAM_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGUMENTS_MAX = 12, ARGUMENT_STEPS = 8, ARGUMENT_WORD = 64, ARGUMENT_INDEX_MAX = 1 << 24, ARGUMENT_NUMBER_MAX = 64 };

enum argument_base { ARGUMENT_PARAMETER, ARGUMENT_NUMBERED, ARGUMENT_RESULT, ARGUMENT_GLOBAL };
enum argument_step_kind { ARGUMENT_ARROW, ARGUMENT_DOT, ARGUMENT_INDEX };
enum argument_kind { ARGUMENT_BY_DWARF, ARGUMENT_UNSIGNED, ARGUMENT_SIGNED, ARGUMENT_HEX, ARGUMENT_STRING, ARGUMENT_TEXT, ARGUMENT_PATH };

struct argument_step {
	enum argument_step_kind kind;
	char member[ARGUMENT_WORD];
	uint64_t index;
};

struct argument {
	char label[ARGUMENT_WORD]; /* as written, else the last word; of %N "argN" */
	enum argument_base base;
	char name[ARGUMENT_WORD]; /* of a parameter or global variable */
	unsigned number;
	struct argument_step steps[ARGUMENT_STEPS];
	int step_count;
	enum argument_kind kind;
	unsigned size; /* bytes of a number whose type was written */
	const char *text; /* as it was written, in what was parsed */
	int length;
};

struct arguments {
	struct argument items[ARGUMENTS_MAX];
	int count;
};

/* Reads expressions with commas between them. -1 after fail(), with the column (from 1) of the error. Two must not have one label. */
int arguments_parse(const char *text, struct arguments *arguments);

/*
 * Where the arguments of a function's name begin: behind the last "(" that is balanced to the end and not directly behind "operator". Cuts
 * `*name`, the length of the text, to the name before it. NULL: there are none.
 */
const char *arguments_in(const char *text, size_t *name);

/* --- where it is ----------------------------------------------------------------------------------------------------- */

/*
 * A value: that of a register; from there on, each offset leads to the value that lies in memory that number of bytes behind the one before. From
 * ARGUMENT_AT_FILE on, the first offset is one in the file, as uprobes count them.
 */
enum { ARGUMENT_DEREFS = ARGUMENT_STEPS + 4, ARGUMENT_REGISTERS = 32, ARGUMENT_AT_RESULT = 64, ARGUMENT_AT_FILE = 65 };

struct argument_path {
	uint8_t start;	/* a register, as DWARF numbers them, or ARGUMENT_AT_... */
	uint8_t derefs; /* how many offsets */
	int64_t offset[ARGUMENT_DEREFS];
};

/* Text is where the last offset leads; the event has `size` bytes of it at most, or as many as `length` says. */
enum argument_form { ARGUMENT_FORM_UNSIGNED, ARGUMENT_FORM_SIGNED, ARGUMENT_FORM_HEX, ARGUMENT_FORM_TEXT, ARGUMENT_FORM_COUNTED };
enum { ARGUMENT_TEXT_MOST = 255 };

struct argument_found {
	uint8_t form;
	uint8_t size;	   /* bytes of a number: 1, 2, 4 or 8; or of text */
	uint8_t bit, bits; /* the number is these bits of it, from the lowest on; bits 0: all */
	uint8_t absent;	   /* it cannot be told; then nothing but its form and size counts */
	uint8_t path;	   /* text that ends before the first blank, control character or '?' */
	uint8_t by_members; /* its place was written down (program/members.h) */
	struct argument_path value, length;
};

/* The default of an argument whose type was written (kind is not ARGUMENT_BY_DWARF), for calls in which it cannot be found. */
struct argument_found argument_absent(const struct argument *argument);

/* Tells whether argument_find() can have made it: it may come from a process that was taken over. */
bool argument_is_sane(const struct argument_found *found);

#endif
