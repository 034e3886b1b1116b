#include "source/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/proc.h"
#include "source/interpreters.h"

enum { WORD_MAX = 120, GROUP_MAX = 240, COMM_MAX = 15 };

/* --- the command line ------------------------------------------------------------------------------------------------- */

/* Copies a text; if it is longer than `most`, its end, which tells more than the beginning. Returns the length. */
static size_t put(char *to, const char *text, size_t length, size_t most)
{
	static const char cut[] = "...";
	size_t dots = length > most ? sizeof(cut) - 1 : 0, kept = dots ? most - dots : length;

	memcpy(to, cut, dots);
	memcpy(to + dots, text + length - kept, kept);
	to[dots + kept] = '\0';
	return dots + kept;
}

/* The length of the word without options: a program may put its whole command line, or a title, into its first word. */
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
	const char *end = line + length, *script;
	size_t used;

	program->words[0] = program->title[0] = '\0';
	program->script = 0;
	if (!whole) /* the last word may go on */
		while (end > line && end[-1])
			end--;
	if (end == line)
		return;
	used = put(program->words, line, without_options(line), WORD_MAX);
	script = interpreters_script(line, line + strlen(line) + 1, end);
	if (!script)
		return;
	program->words[used++] = ' ';
	program->script = used;
	put(program->words + used, script, strlen(script), WORD_MAX);
}

/* --- names ------------------------------------------------------------------------------------------------------------ */

/* The last part of a path, which may end in slashes; *length becomes its length. A login shell has a '-' before its name. */
static const char *last_part(const char *path, size_t *length)
{
	size_t end = *length, begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--) {
	}
	begin += begin == 0 && end > 1 && *path == '-';
	*length = end - begin;
	return path + begin;
}

/* Tells whether `comm` is the name that a thread gets when it begins to run this file. */
static bool is_comm(const char *path, size_t length, const char *comm)
{
	const char *part = last_part(path, &length);
	size_t shown = length < COMM_MAX ? length : COMM_MAX;

	return strncmp(part, comm, shown) == 0 && !comm[shown];
}

void program_split_title(struct program *program, const char *file, const char *comm)
{
	size_t token = strcspn(program->words, " :");

	if (program->script || !strchr(program->words, ' ') || (file && strcmp(file, program->words) == 0))
		return;
	memcpy(program->title, program->words, strlen(program->words) + 1);
	if (file && !is_comm(program->words, token, comm))
		put(program->words, file, strlen(file), WORD_MAX);
	else
		program->words[token] = '\0';
}

size_t program_script(const struct program *program, const char **script)
{
	size_t length = program->script ? strlen(program->words + program->script) : 0;

	*script = program->words + program->script;
	if (length)
		*script = last_part(*script, &length);
	return length;
}

static bool is_part(const char *path, size_t length, const char *name)
{
	const char *part;

	if (length == strlen(name) && memcmp(path, name, length) == 0)
		return true;
	part = last_part(path, &length);
	return length == strlen(name) && memcmp(part, name, length) == 0;
}

bool program_is_called(const struct program *program, const char *comm, const char *name)
{
	size_t length = program->script ? program->script - 1 : strlen(program->words);

	if (!*name)
		return false;
	if (strcmp(comm, name) == 0 || is_part(program->words, length, name))
		return true;
	return program->script && is_part(program->words + program->script, strlen(program->words + program->script), name);
}

/* --- the control group ------------------------------------------------------------------------------------------------ */

/* The path of the first line "...:name:path" that is not the root; name NULL: of any line. NULL: there is none. */
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

/* Few programs give themselves titles; only for a first word with a space in it is more read from /proc. */
static void read_title(struct program *program, int32_t pid, char *text)
{
	char comm[2 * COMM_MAX] = "";
	bool deleted;

	if (program->script || !strchr(program->words, ' '))
		return;
	proc_comm(pid, comm, sizeof(comm));
	program_split_title(program, proc_exe(pid, text, PROGRAM_READ, &deleted) ? text : NULL, comm);
}

void program_read(struct program *program, int32_t pid)
{
	char *text = memory_new(PROGRAM_READ, 1);
	ssize_t length = proc_read(pid, "cmdline", text, PROGRAM_READ);

	*program = (struct program){0};
	if (length > 0) {
		program_words(program, text, (size_t)length, length < PROGRAM_READ - 1);
		read_title(program, pid, text);
	}
	if (proc_read(pid, "cgroup", text, PROGRAM_READ) > 0)
		program_group(program, text);
	free(text);
}
