/*
 * argument: the arguments of a function's calls that a user wants to see: the expressions that the user writes, and where the values are.
 *
 *	expr  = [label "="] base {"->" member | "." member | "[" number "]"} [":" type];
 *	base  = parameter | "%" number | "ret" | "@" symbol;
 *	type  = "u8".."u64" | "s8".."s64" | "x64" | "string" | "text" | "path" | "ptr";
 *
 * %N is the Nth argument by the calling convention, from 1 on; `ret` is the result of the call; @ a global variable. Without a type, the
 * debugging information (DWARF) gives the type. `string` is text at the address that the value is, `text` text in place, `path` text at an
 * address up to the first blank, control character or '?' (only the path of an HTTP request, without its query), `ptr` an address. Blanks
 * may stand anywhere but in words.
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
	char label[ARGUMENT_WORD]; /* as written; else the last word; for %N "argN" */
	enum argument_base base;
	char name[ARGUMENT_WORD]; /* name of a parameter or global variable */
	unsigned number;
	struct argument_step steps[ARGUMENT_STEPS];
	int step_count;
	enum argument_kind kind;
	unsigned size; /* size in bytes of a number whose type the user wrote */
	const char *text; /* the expression, in the text that was parsed */
	int length;
};

struct arguments {
	struct argument items[ARGUMENTS_MAX];
	int count;
};

/* Reads expressions separated by commas. No two may have the same label. -1 after fail(), with the column (from 1) of the error. */
int arguments_parse(const char *text, struct arguments *arguments);

/*
 * Where the argument list in a function's name begins: behind the "(" that matches the final ")" and does not directly follow "operator".
 * Shortens `*name`, the length of the text, to the name before it. NULL: there is no such list.
 */
const char *arguments_in(const char *text, size_t *name);

/* --- where it is ----------------------------------------------------------------------------------------------------- */

/*
 * How to get at a value: begin with that of a register; then, for each offset, take the value in memory that number of bytes behind the
 * value so far. If the path starts at ARGUMENT_AT_FILE, the first offset is one in the file, as uprobes count them.
 */
enum { ARGUMENT_DEREFS = ARGUMENT_STEPS + 4, ARGUMENT_REGISTERS = 32, ARGUMENT_AT_RESULT = 64, ARGUMENT_AT_FILE = 65 };

struct argument_path {
	uint8_t start;	/* a register by its DWARF number, or ARGUMENT_AT_... */
	uint8_t derefs; /* number of offsets */
	int64_t offset[ARGUMENT_DEREFS];
};

/* Text begins where the last offset leads; the event holds at most `size` bytes of it, or as many as `length` says. */
enum argument_form { ARGUMENT_FORM_UNSIGNED, ARGUMENT_FORM_SIGNED, ARGUMENT_FORM_HEX, ARGUMENT_FORM_TEXT, ARGUMENT_FORM_COUNTED };
enum { ARGUMENT_TEXT_MOST = 255 };

struct argument_found {
	uint8_t form;
	uint8_t size;	   /* size in bytes of a number: 1, 2, 4 or 8; or of text */
	uint8_t bit, bits; /* the number is these bits, counted from the lowest; bits 0: all */
	uint8_t absent;	   /* it cannot be found; then only its form and size are valid */
	uint8_t path;	   /* the text ends before the first blank, control character or '?' */
	uint8_t by_members; /* its place comes from a layout line (program/members.h) */
	struct argument_path value, length;
};

/* The placeholder for an argument whose type the user wrote (kind is not ARGUMENT_BY_DWARF), for calls in which it cannot be found. */
struct argument_found argument_absent(const struct argument *argument);

/* Tells whether argument_find() could have made it: it may come from a process that was taken over. */
bool argument_is_sane(const struct argument_found *found);

#endif
