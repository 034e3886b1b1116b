#include "source/interpreters.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "stream/fields.h"

#define LIST "charts/formats/interpreters"

/* What the file can say of an interpreter; "" if it says nothing. Lists of words have a space before and behind each word. */
enum option { FLAGS, VALUED, NAMING, WORDS, WORDS_VALUED, WORDS_NAMING, WORDS_ENDING, OPTIONS };

static const char *const keys[OPTIONS] = {"flags", "valued", "naming", "words", "words_valued", "words_naming", "words_ending"};

struct interpreter {
	char *name;
	char *options[OPTIONS]; /* shared by the interpreters of one line */
};

/* For all threads, until the end. */
static ARRAY(struct interpreter) all;

/* --- the list ----------------------------------------------------------------------------------------------------------- */

static char *read_option(const struct fields *fields, enum option option)
{
	char *text = fields_copy(fields, keys[option]), *list;

	if (!text || option < WORDS)
		return text ? text : memory_text("", 0);
	list = memory_format(" %s ", text);
	free(text);
	return list;
}

static int read_line(const char *line, int number)
{
	static const char begin[] = "interpreter ";
	struct interpreter interpreter;
	struct fields fields;
	char *names, *rest;

	if (strncmp(line, begin, strlen(begin)) != 0 || fields_parse(&fields, line, strlen(line)) < 0)
		return fail(LIST ":%d: this is no interpreter", number);
	rest = names = fields_copy(&fields, "name");
	if (!names)
		return fail(LIST ":%d: name= is missing", number);
	for (int i = 0; i < OPTIONS; i++)
		interpreter.options[i] = read_option(&fields, (enum option)i);
	while ((interpreter.name = strsep(&rest, ",")))
		*ARRAY_ADD(&all) = interpreter;
	return 0;
}

static int status;

static void load(void)
{
	char *path = file_shipped(LIST), *text = path ? file_read(path, NULL) : NULL, *rest = text, *line;

	status = text ? 0 : -1;
	for (int number = 1; status == 0 && (line = strsep(&rest, "\n")); number++)
		if (*line && *line != '#')
			status = read_line(line, number);
	free(text);
	free(path);
}

int interpreters_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return status;
}

/* --- a command line ----------------------------------------------------------------------------------------------------- */

/* The words that are left. */
struct words {
	const char *at, *end;
};

/* NULL: there is none. */
static const char *next_word(struct words *words)
{
	const char *word = words->at;

	if (word >= words->end)
		return NULL;
	words->at += strlen(word) + 1;
	return word;
}

static bool is_listed(const char *list, const char *word, size_t length)
{
	for (const char *at = list; (at = strchr(at, ' ')) && *++at;) {
		size_t wanted = strcspn(at, " ");
		bool begins = at[wanted - 1] == '*';

		wanted -= begins;
		if ((begins ? length >= wanted : length == wanted) && strncmp(word, at, wanted) == 0)
			return true;
	}
	return false;
}

/* The meaning of an option: more options follow, the program follows, or the program is not known. */
enum step { STEP_ON, STEP_FOUND, STEP_END };

static enum step take_letters(const struct interpreter *known, const char *letters, struct words *words, const char **found)
{
	for (; *letters; letters++) {
		const char *argument = letters[1] ? letters + 1 : NULL;

		if (strchr(known->options[FLAGS], *letters))
			continue;
		if (!strchr(known->options[VALUED], *letters) && !strchr(known->options[NAMING], *letters))
			return STEP_END;
		if (!argument)
			argument = next_word(words);
		*found = argument;
		return !argument ? STEP_END : strchr(known->options[NAMING], *letters) ? STEP_FOUND : STEP_ON;
	}
	return STEP_ON;
}

static enum step take_option(const struct interpreter *known, const char *option, struct words *words, const char **found)
{
	size_t length = strcspn(option, "=");

	if (is_listed(known->options[WORDS_ENDING], option, length))
		return STEP_END;
	if (option[length] == '=' && is_listed(known->options[WORDS_NAMING], option, length))
		return (*found = option + length + 1)[0] ? STEP_FOUND : STEP_END;
	if (option[length] == '=' && option[1] == '-')
		return STEP_ON;
	if (is_listed(known->options[WORDS], option, strlen(option)))
		return STEP_ON;
	if (is_listed(known->options[WORDS_VALUED], option, length))
		return next_word(words) ? STEP_ON : STEP_END;
	if (is_listed(known->options[WORDS_NAMING], option, length))
		return (*found = next_word(words)) ? STEP_FOUND : STEP_END;
	return option[1] && option[1] != '-' ? take_letters(known, option + 1, words, found) : STEP_END;
}

/* The script that the interpreter runs; NULL: not known. */
static const char *find_script(const struct interpreter *known, struct words *words)
{
	const char *word, *found = NULL;

	while ((word = next_word(words))) {
		if (strcmp(word, "--") == 0 && !(is_listed(known->options[WORDS_ENDING], word, 2)))
			return next_word(words);
		if (*word != '-')
			return *word && *word != '+' ? word : NULL;
		switch (take_option(known, word, words, &found)) {
		case STEP_ON:
			break;
		case STEP_FOUND:
			return found;
		case STEP_END:
			return NULL;
		}
	}
	return NULL;
}

/* Finds an interpreter by the file's name without its version, as in python3.11. A login shell has a '-' before its name. */
static const struct interpreter *find_interpreter(const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program + (*program == '-');
	size_t length = strlen(name);

	while (length > 0 && strchr("0123456789.", name[length - 1]))
		length--;
	for (size_t i = 0; i < all.count; i++)
		if (strlen(all.items[i].name) == length && strncmp(all.items[i].name, name, length) == 0)
			return &all.items[i];
	return NULL;
}

const char *interpreters_script(const char *program, const char *words, const char *end)
{
	const struct interpreter *known = interpreters_load() == 0 ? find_interpreter(program) : NULL;

	return known ? find_script(known, &(struct words){words, end}) : NULL;
}
