#include "source/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum { WORD_MAX = 120, GROUP_MAX = 240 };

/*
 * The options of interpreters that may stand before what they run: letters as of getopt(3), and whole words. All others end the
 * search.
 */
struct interpreter {
	const char *name;
	const char *flags, *valued, *naming;		  /* letters: without an argument, with one, with one that says what is run */
	const char *word_flags, *words_valued, *words_naming; /* words, with a space before and behind each; "-X*": all that begin so */
	const char *words_ending; /* that take a value behind '=', but no script follows; NULL: there are none */
};

#define SHELL_FLAGS "abefhiklmnprtuvxBCEHPT"

static const struct interpreter interpreters[] = {
	{"python", "bBdEiIOPqRsSuvx", "WX", "m", "", "", ""},
	{"pypy", "bBdEiIOPqRsSuvx", "WX", "m", "", "", ""},
	{"perl", "nsStTuUwWX", "I", "", "", "", ""},
	{"ruby", "dvwU", "CEIr", "", "", "", ""},
	{"php", "nq", "cdz", "f", "", "", " --file ", " -- --run --process-begin --process-code --process-end "},
	{"lua", "iEvW", "l", "", "", "", ""},
	{"sh", SHELL_FLAGS, "oO", "", " --login --norc --noprofile --posix ", " --rcfile --init-file ", ""},
	{"bash", SHELL_FLAGS, "oO", "", " --login --norc --noprofile --posix ", " --rcfile --init-file ", ""},
	{"dash", SHELL_FLAGS, "o", "", "", "", ""},
	{"node", "i", "rC", "", " --inspect* --expose* --no-* --enable-* --trace-* --harmony* ", " --require --import ", "", " --eval --print --run "},
	{"nodejs", "i", "rC", "", " --inspect* --expose* --no-* --enable-* --trace-* --harmony* ", " --require --import ", "", " --eval --print --run "},
	{"java", "", "", "", " -X* -D* -agent* -javaagent* -verbose* -server -client -ea* -da* -esa -dsa --enable-preview ",
	 " -cp -classpath --class-path -p --module-path --upgrade-module-path --add-modules --add-opens --add-exports --add-reads"
	 " --limit-modules --enable-native-access ",
	 " -jar -m --module "},
	{"dotnet", "", "", "", "", "", ""},
	{"mono", "", "", "", " --debug* --server ", "", ""},
};

/* --- the command line ------------------------------------------------------------------------------------------------- */

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

/* What an option leads to: more options, what is run, or nothing that can be told. */
enum step { STEP_ON, STEP_FOUND, STEP_END };

static enum step take_letters(const struct interpreter *known, const char *letters, struct words *words, const char **found)
{
	for (; *letters; letters++) {
		const char *argument = letters[1] ? letters + 1 : NULL;

		if (strchr(known->flags, *letters))
			continue;
		if (!strchr(known->valued, *letters) && !strchr(known->naming, *letters))
			return STEP_END;
		if (!argument)
			argument = next_word(words);
		*found = argument;
		return !argument ? STEP_END : strchr(known->naming, *letters) ? STEP_FOUND : STEP_ON;
	}
	return STEP_ON;
}

static enum step take_option(const struct interpreter *known, const char *option, struct words *words, const char **found)
{
	size_t length = strcspn(option, "=");

	if (known->words_ending && is_listed(known->words_ending, option, length))
		return STEP_END;
	if (option[length] == '=' && is_listed(known->words_naming, option, length))
		return (*found = option + length + 1)[0] ? STEP_FOUND : STEP_END;
	if (option[length] == '=' && option[1] == '-')
		return STEP_ON;
	if (is_listed(known->word_flags, option, strlen(option)))
		return STEP_ON;
	if (is_listed(known->words_valued, option, length))
		return next_word(words) ? STEP_ON : STEP_END;
	if (is_listed(known->words_naming, option, length))
		return (*found = next_word(words)) ? STEP_FOUND : STEP_END;
	return option[1] && option[1] != '-' ? take_letters(known, option + 1, words, found) : STEP_END;
}

/* What the interpreter runs; NULL: not known. */
static const char *find_script(const struct interpreter *known, struct words *words)
{
	const char *word, *found = NULL;

	while ((word = next_word(words))) {
		if (strcmp(word, "--") == 0 && !(known->words_ending && is_listed(known->words_ending, word, 2)))
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

/* By the file's name without its version: python3.11. A shell that logs in has a '-' before its name. */
static const struct interpreter *find_interpreter(const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program + (*program == '-');
	size_t length = strlen(name);

	while (length > 0 && strchr("0123456789.", name[length - 1]))
		length--;
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		if (strlen(interpreters[i].name) == length && strncmp(interpreters[i].name, name, length) == 0)
			return &interpreters[i];
	return NULL;
}

/* Of what is longer than `most` the end, which tells more than the beginning. Returns the length. */
static size_t put(char *to, const char *text, size_t length, size_t most)
{
	static const char cut[] = "...";
	size_t dots = length > most ? sizeof(cut) - 1 : 0, kept = dots ? most - dots : length;

	memcpy(to, cut, dots);
	memcpy(to + dots, text + length - kept, kept);
	to[dots + kept] = '\0';
	return dots + kept;
}

/* What a program makes of its first word may be its whole command line, or a title. */
static size_t without_options(const char *word)
{
	const char *option = strstr(word, " -");
	size_t length = option ? (size_t)(option - word) : strlen(word);

	while (length > 0 && word[length - 1] == ' ')
		length--;
	return length;
}

void program_words(struct program *program, const char *line, size_t length, bool whole)
{
	struct words words = {line, line + length};
	const char *first, *script;
	const struct interpreter *known;
	size_t used;

	program->words[0] = '\0';
	if (!whole) /* the last word may go on */
		while (words.end > line && words.end[-1])
			words.end--;
	first = next_word(&words);
	if (!first)
		return;
	used = put(program->words, first, without_options(first), WORD_MAX);
	known = find_interpreter(first);
	script = known ? find_script(known, &words) : NULL;
	if (!script)
		return;
	program->words[used++] = ' ';
	put(program->words + used, script, strlen(script), WORD_MAX);
}

/* --- the control group ------------------------------------------------------------------------------------------------ */

/* The path of a line that begins "...:name:"; its length 0 where there is none, or it is the root. */
static const char *find_path(const char *text, const char *name, size_t *length)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *colon = strchr(line, ':'), *path = colon ? strchr(colon + 1, ':') : NULL, *end = line + strcspn(line, "\n");

		if (!path || path >= end || *end != '\n' || end - path < 3)
			continue;
		if (name && ((size_t)(path - colon - 1) != strlen(name) || strncmp(colon + 1, name, strlen(name)) != 0))
			continue;
		*length = (size_t)(end - path - 1);
		return path + 1;
	}
	return NULL;
}

void program_group(struct program *program, const char *text)
{
	size_t length = 0, begin;
	const char *path = find_path(text, "", &length);
	int slashes = 0;

	if (!path)
		path = find_path(text, "name=systemd", &length);
	if (!path)
		path = find_path(text, NULL, &length);
	program->group[0] = '\0';
	if (!path)
		return;
	for (begin = length; begin > 0 && slashes < 2; begin--)
		slashes += path[begin - 1] == '/';
	begin += slashes == 2;
	begin += path[begin] == '/';
	put(program->group, path + begin, length - begin, GROUP_MAX);
}

/* --- /proc ------------------------------------------------------------------------------------------------------------ */

/* Returns the length; -1: it is gone. */
static ssize_t read_file(int32_t id, const char *file, char *text, size_t room)
{
	char path[48];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", id, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	length = read(fd, text, room - 1);
	close(fd);
	if (length >= 0)
		text[length] = '\0';
	return length;
}

void program_read(struct program *program, int32_t pid)
{
	char *text = memory_new(PROGRAM_READ, 1);
	ssize_t length = read_file(pid, "cmdline", text, PROGRAM_READ);

	*program = (struct program){0};
	if (length > 0)
		program_words(program, text, (size_t)length, length < PROGRAM_READ - 1);
	if (read_file(pid, "cgroup", text, PROGRAM_READ) > 0)
		program_group(program, text);
	free(text);
}
