/*
 * command: name, messages, exit status and options, the same for every command of the suite.
 * For cmd/ only; no function of lib/ warns or exits.
 */
#ifndef BASE_COMMAND_H
#define BASE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/listing.h"

/* Exit status, the same everywhere. */
enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,     /* could not do it; a message says why */
	EXIT_USAGE = 2,	     /* used wrongly */
	EXIT_INCOMPLETE = 3, /* done, but the data were incomplete: events lost, input cut */
};

/* "NAME: " and the message on standard error. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like warn, then exit with EXIT_FAILED. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like warn, then a hint at --help, then exit with EXIT_USAGE. */
_Noreturn void die_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Options come from one table, which feeds the parser, --help and the test that compares them with the man page.
 * The table ends with an entry without type. An option needs a letter, a long name, or both.
 *
 * Type		value points at		argument
 * FLAG		bool			none; sets true
 * STRING	const char *		any text (not copied)
 * LIST		struct option_list	any text; may be given several times
 * COUNT	uint64_t		a whole number
 * NUMBER	double			a number
 * SHARE	double			a percentage, or a number up to 1
 * SIZE		uint64_t		bytes; k, M, G are powers of 1024
 * DURATION	int64_t			nanoseconds; ns, us, ms, s (default), m, h, d
 *
 * A value out of its type's range, or not a number to its end, ends the program with EXIT_USAGE.
 */
enum option_type { OPTION_END, OPTION_FLAG, OPTION_STRING, OPTION_LIST, OPTION_COUNT, OPTION_NUMBER, OPTION_SHARE, OPTION_SIZE, OPTION_DURATION };

struct option_list {
	const char **items;
	int count;
};

struct option_entry {
	enum option_type type;
	char letter;	      /* 0: none */
	const char *name;     /* long name without "--"; NULL: none */
	void *value;
	const char *argument; /* its name in the help: "DURATION" */
	const char *help;     /* one line, lower case; --help prints it after the names, if there are any */
	listing_name *names;  /* the values allowed; without `help`, the first is the default. NULL: any text */
};

/* The entry of --text for each command that writes a stream; sets a bool. */
#define OPTION_TEXT(set) {OPTION_FLAG, 't', "text", (set), NULL, "write text (the default on a terminal)"}

/*
 * Parses the options, sets the program's name, and handles --help and --version itself (both exit with 0).
 * If `operands` contains "-- ", everything after "--" is another command, and an operand before it is an error. Else operands may stand
 * among options. Returns the index in argv of the first operand; argv is permuted so that all operands follow it.
 *
 *	first = command_line(argc, argv, options, "[FILE...]", "pass only the abnormal moments of a stream");
 */
int command_line(int argc, char **argv, const struct option_entry *options, const char *operands, const char *purpose);

/* The name of the program, for messages. */
const char *command_name(void);

#endif
