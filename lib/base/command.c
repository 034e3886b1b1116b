#include "base/command.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

enum {
	OPTIONS_MAX = 64,
	GIVE_HELP = 1, /* getopt returns one of these, a letter, or LONG_ONLY and the option's index in the table */
	GIVE_VERSION = 2,
	LONG_ONLY = 256,
	HELP_COLUMN = 28, /* where help texts begin */
};

static const char *program = "tailblame";

const char *command_name(void)
{
	return program;
}

static void message(const char *format, va_list args)
{
	char *text = NULL, *clean;
	int length = vasprintf(&text, format, args);

	clean = clean_text(length < 0 ? format : text, length < 0 ? strlen(format) : (size_t)length);
	fprintf(stderr, "%s: %s\n", program, clean);
	free(clean);
	if (length >= 0)
		free(text);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
}

_Noreturn void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	exit(EXIT_FAILED);
}

_Noreturn void die_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
	fprintf(stderr, "%s: '%s --help' lists the options\n", program, program);
	exit(EXIT_USAGE);
}

static _Noreturn void finish_output(void)
{
	if (fflush(stdout)) {
		fail_errno("cannot write to standard output");
		die("%s", fail_text());
	}
	exit(EXIT_DONE);
}

/* The help of one option; the caller frees it. */
static char *help_text(const struct option_entry *option)
{
	char *names, *text;

	if (!option->names)
		return memory_format("%s", option->help);
	names = listing_words(option->names, "or", option->help ? "" : " (default)");
	text = option->help ? memory_format("%s %s", names, option->help) : memory_format("%s", names);
	free(names);
	return text;
}

static _Noreturn void help(const struct option_entry *options, const char *operands, const char *purpose)
{
	printf("usage: %s [OPTION]... %s\n%s\n\n", program, operands, purpose);
	for (const struct option_entry *o = options; o->type != OPTION_END; o++) {
		char left[80], *text = help_text(o);
		const char *argument = o->argument ? o->argument : "";
		int width;

		if (o->letter && o->name)
			width = snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter, o->name, *argument ? "=" : "", argument);
		else if (o->name)
			width = snprintf(left, sizeof(left), "      --%s%s%s", o->name, *argument ? "=" : "", argument);
		else
			width = snprintf(left, sizeof(left), "  -%c%s%s", o->letter, *argument ? " " : "", argument);
		if (width >= HELP_COLUMN)
			printf("%s\n%*s%s\n", left, HELP_COLUMN, "", text);
		else
			printf("%-*s%s\n", HELP_COLUMN, left, text);
		free(text);
	}
	printf("%-*s%s\n", HELP_COLUMN, "      --help", "print this and exit");
	printf("%-*s%s\n", HELP_COLUMN, "      --version", "print the version and exit");
	finish_output();
}

static void list_add(struct option_list *list, const char *item)
{
	list->items = memory_grow(list->items, (size_t)list->count + 1, sizeof(*list->items));
	list->items[list->count++] = item;
}

static void take(const struct option_entry *option, const char *argument)
{
	size_t length = argument ? strlen(argument) : 0;
	int status = 0;

	switch (option->type) {
	case OPTION_FLAG:
		*(bool *)option->value = true;
		break;
	case OPTION_STRING:
		*(const char **)option->value = argument;
		break;
	case OPTION_LIST:
		list_add(option->value, argument);
		break;
	case OPTION_COUNT:
		status = number_count(argument, length, option->value);
		break;
	case OPTION_NUMBER:
		status = number_double(argument, length, option->value);
		break;
	case OPTION_SHARE:
		status = number_share(argument, length, option->value);
		break;
	case OPTION_SIZE:
		status = number_size(argument, length, option->value);
		break;
	case OPTION_DURATION:
		status = number_duration(argument, length, option->value);
		break;
	case OPTION_END:
		break;
	}
	if (status < 0)
		die_usage("option %s%s: %s", option->name ? "--" : "-",
			  option->name ? option->name : (char[]){option->letter, '\0'}, fail_text());
}

static int getopt_value(const struct option_entry *options, int i)
{
	return options[i].letter ? options[i].letter : LONG_ONLY + i;
}

/* The table in getopt's form. Static, because parsing may exit. */
static struct option longs[OPTIONS_MAX + 3];
static char shorts[2 * OPTIONS_MAX + 3];

static void make_getopt_tables(const struct option_entry *options, bool stop_at_operand)
{
	int count = 0, letters = 0;

	if (stop_at_operand)
		shorts[letters++] = '+';
	shorts[letters++] = ':';
	for (; options[count].type != OPTION_END && count < OPTIONS_MAX; count++) {
		const struct option_entry *option = &options[count];
		bool argument = option->type != OPTION_FLAG;

		longs[count] = (struct option){option->name ? option->name : "", argument, NULL, getopt_value(options, count)};
		if (option->letter) {
			shorts[letters++] = option->letter;
			if (argument)
				shorts[letters++] = ':';
		}
	}
	longs[count] = (struct option){"help", 0, NULL, GIVE_HELP};
	longs[count + 1] = (struct option){"version", 0, NULL, GIVE_VERSION};
}

/* Refuses a word. optopt is the unknown letter, or the value of a long option that takes no argument. */
static _Noreturn void refuse(const char *word)
{
	size_t length = strncmp(word, "--", 2) ? 0 : strcspn(word + 2, "=");
	char *meant = memory_text("", 0), *more;
	int count = 0;

	for (const struct option *option = longs; option->name; option++) {
		if (optopt && option->val == optopt)
			die_usage("option '--%s' takes no value", option->name);
		if (optopt || !length || strncmp(option->name, word + 2, length))
			continue;
		more = memory_format("%s%s--%s", meant, count++ ? ", " : "", option->name);
		free(meant);
		meant = more;
	}
	if (optopt)
		die_usage("no such option: '-%c'", optopt);
	if (count > 1)
		die_usage("option '%s' could be %s", word, meant);
	die_usage("no such option: '%s'", word);
}

static _Noreturn void give_version(void)
{
	printf("%s (tailblame) %s\n", program, TAILBLAME_VERSION);
	if (confine_obstacle())
		printf("%s\n", confine_obstacle());
	finish_output();
}

/*
 * If a standard descriptor is closed, a file opened later would get its number, and messages would be written into the file. So opens
 * /dev/null in its place, in the mode that makes its use fail.
 */
static void take_standard_places(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		/* cppcheck-suppress leakReturnValNotUsed ; it is meant to stay open */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			exit(EXIT_FAILED);
}

int command_line(int argc, char **argv, const struct option_entry *options, const char *operands, const char *purpose)
{
	const char *slash = strrchr(argv[0], '/');
	bool takes_command = strstr(operands, "-- ");
	int c, before;

	take_standard_places();
	program = slash ? slash + 1 : argv[0];
	make_getopt_tables(options, takes_command); /* options after -- belong to another command */
	opterr = 0;
	while (before = optind, (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (c == GIVE_HELP)
			help(options, operands, purpose);
		if (c == GIVE_VERSION)
			give_version();
		if (c == ':')
			die_usage("option '%s' needs an argument", argv[optind - 1]);
		if (c == '?')
			refuse(argv[optind - 1]);
		for (int i = 0; options[i].type != OPTION_END; i++)
			if (c == getopt_value(options, i))
				take(&options[i], optarg);
	}
	if (takes_command && optind == before && optind < argc) /* getopt stopped at an operand, not at -- */
		die_usage("'%s' is no option; a command to start comes behind --", argv[optind]);
	return optind;
}
