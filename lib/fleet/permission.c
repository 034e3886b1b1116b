#include "fleet/permission.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/job.h"

enum { PROGRAM_MOST = 4096 };

/* A line of the machine's file: its first word, and the names and patterns that it allows after that word. */
struct allowed {
	char *words[JOB_WORDS + 1]; /* NULL after the last */
	char *line;
};

struct permission {
	ARRAY(struct allowed) lines;
};

/* First words of lines in a job's file: `limited` if the machine's file must list what follows, `harmless` if not. */
static const char *const limited[] = {"program", "config", "sysctl", "directory", "host", NULL}, *const harmless[] = {"map", "size", "salt", NULL};

static bool is_among(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words;
}

/* A pattern may only end in '*'. Other patterns would allow names that nobody expects. */
static int check_allowed(const struct allowed *allowed, const char *path, int number)
{
	if (!is_among(limited, allowed->words[0]))
		return fail("%s:%d: unknown word '%s'; a line begins with program, config, sysctl, directory or host", path, number,
			    allowed->words[0]);
	for (int i = 1; allowed->words[i]; i++)
		if (strcspn(allowed->words[i], "*?[") + 1 < strlen(allowed->words[i]) ||
		    (*allowed->words[i] && strchr("?[", allowed->words[i][strlen(allowed->words[i]) - 1])))
			return fail("%s:%d: a name is whole, or ends in '*', unlike '%s'", path, number, allowed->words[i]);
	return 0;
}

static int add_allowed(struct permission *permission, const char *line, size_t length, const char *path, int number)
{
	struct allowed allowed = {.line = memory_text(line, length)};
	int count = job_cut(allowed.line, allowed.words);

	if (count <= 0) {
		free(allowed.line);
		return count < 0 ? fail("%s:%d: too many words", path, number) : 0;
	}
	*ARRAY_ADD(&permission->lines) = allowed;
	return check_allowed(&allowed, path, number);
}

struct permission *permission_load(const char *path)
{
	struct permission *permission = NEW(struct permission);
	int status = 0, number = 1;
	size_t length;
	char *text;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return permission;
	text = file_read(path, &length);
	for (const char *line = text; line && status == 0; number++) {
		size_t size = strcspn(line, "\n");

		status = add_allowed(permission, line, size, path, number);
		line = line[size] ? line + size + 1 : NULL;
	}
	free(text);
	if (text && status == 0)
		return permission;
	permission_free(permission);
	return NULL;
}

void permission_free(struct permission *permission)
{
	for (size_t i = 0; i < permission->lines.count; i++)
		free(permission->lines.items[i].line);
	free(permission->lines.items);
	free(permission);
}

/* Tells whether `allowed` covers all that `asked` stands for, which may be a pattern itself; ".." could lead out of an allowed folder. */
static bool covers(const char *allowed, const char *asked)
{
	size_t length = strlen(allowed);

	if (length > 0 && allowed[length - 1] == '*')
		return !strncmp(allowed, asked, length - 1) && !strstr(asked, "..");
	return !strcmp(allowed, asked);
}

static bool is_same(const char *allowed, const char *asked)
{
	return !strcmp(allowed, asked);
}

/* Tells whether a line of this kind in the machine's file has a word that fits the one asked for. */
static bool allows_word(const struct permission *permission, const char *kind, const char *asked, bool (*fits)(const char *allowed, const char *asked))
{
	for (size_t i = 0; i < permission->lines.count; i++)
		for (char *const *word = permission->lines.items[i].words + 1; !strcmp(permission->lines.items[i].words[0], kind) && *word; word++)
			if (fits(*word, asked))
				return true;
	return false;
}

static bool allows_config(const struct permission *permission, char *const *words)
{
	for (size_t i = 0; i < permission->lines.count; i++) {
		char *const *own = permission->lines.items[i].words;

		if (!strcmp(own[0], "config") && own[1] && own[2] && words[1] && words[2] && !strcmp(own[1], words[1]) &&
		    covers(own[2], words[2]))
			return true;
	}
	return false;
}

static bool allows(const struct permission *permission, char *const *words)
{
	if (is_among(harmless, words[0]))
		return true;
	if (!strcmp(words[0], "config"))
		return allows_config(permission, words);
	for (char *const *word = words + 1; *word; word++)
		if (!allows_word(permission, words[0], *word, covers))
			return false;
	return words[1] != NULL;
}

/* Appends `more`, after the separator if the text is not empty. */
static void append(char **text, const char *separator, const char *more)
{
	char *longer = memory_format("%s%s%s", *text, **text ? separator : "", more);

	free(*text);
	*text = longer;
}

static void append_line(char **text, const char *line)
{
	append(text, "", line);
	append(text, "", "\n");
}

/* Tells whether the name can stand in quotes in the kernel's event filter. */
static bool is_plain(const char *program)
{
	size_t length = strlen(program);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)program[i] >= 0x80 || (!isalnum((unsigned char)program[i]) && !strchr("_-.+", program[i])))
			return false;
	return length > 0 && length <= PROGRAM_MOST;
}

bool permission_covers(const struct permission *permission, const char *program)
{
	return is_plain(program) && allows_word(permission, "program", program, covers);
}

bool permission_names(const struct permission *permission, const char *program)
{
	return is_plain(program) && allows_word(permission, "program", program, is_same);
}

static bool covers_all(const struct permission *permission, char *const *programs)
{
	for (char *const *program = programs; *program; program++)
		if (!permission_covers(permission, *program))
			return false;
	return *programs != NULL;
}

/* Appends one line to the kept or to the left ones. Returns 0; -1 after fail(): it names a program that may not be recorded. */
static int filter_line(const struct permission *permission, const char *line, size_t length, char **kept, char **left, bool *has_program)
{
	char *whole = memory_text(line, length), *cut_text = memory_text(line, length), *words[JOB_WORDS + 1];
	int count = job_cut(cut_text, words), status = 0;

	if (count < 0 || (count > 0 && !strcmp(words[0], "name"))) {
		append(left, "; ", count < 0 ? "a line of too many words" : whole);
	} else if (count > 0 && !strcmp(words[0], "program")) {
		*has_program = true;
		if (!covers_all(permission, words + 1))
			status = fail("'%s' may not be recorded here", whole);
		else
			append_line(kept, whole);
	} else if (count > 0 && allows(permission, words)) {
		append_line(kept, whole);
	} else if (count > 0) {
		append(left, "; ", whole);
	}
	free(whole);
	free(cut_text);
	return status;
}

char *permission_filter(const struct permission *permission, const char *text, char **left)
{
	char *kept = memory_text("", 0);
	bool has_program = false;
	int status = 0;

	*left = memory_text("", 0);
	for (const char *line = text; line && status == 0;) {
		size_t size = strcspn(line, "\n");

		status = filter_line(permission, line, size, &kept, left, &has_program);
		line = line[size] ? line + size + 1 : NULL;
	}
	if (status == 0 && !has_program)
		status = fail("the order names no program");
	if (status == 0)
		return kept;
	free(kept);
	free(*left);
	*left = NULL;
	return NULL;
}

char *permission_with_programs(const char *text, const char *programs)
{
	char *whole = memory_format("program %s\n", programs);

	for (const char *line = text; line;) {
		size_t size = strcspn(line, "\n"), space = strspn(line, " \t");
		bool names = !strncmp(line + space, "program", 7) && (line[space + 7] == ' ' || line[space + 7] == '\t');
		char *own = memory_text(line, size);

		if (!names)
			append_line(&whole, own);
		free(own);
		line = line[size] ? line + size + 1 : NULL;
	}
	return whole;
}
