/* The part of symbol that finds the program or library. */
#include "program/symbol.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

/* The opening bracket for the closing one at `end`; `end` itself: there is no bracket. */
static const char *bracket_of(const char *text, const char *end)
{
	char open = *end == '}' ? '{' : *end == ']' ? '[' : '\0';
	int depth = 0;

	for (const char *at = end; open && at >= text; at--) {
		depth += (*at == *end) - (*at == open);
		if (depth == 0)
			return at;
	}
	return end;
}

const char *symbol_colon(const char *text)
{
	const char *at = text + strlen(text);

	while (at-- > text) {
		at = bracket_of(text, at);
		if (*at == ':' && at[1] != ':' && (at == text || at[-1] != ':'))
			return at;
	}
	return NULL;
}

static bool is_file(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Searches folders separated by ':' for a file that may be used in this way (`use` as for access(2)). */
static char *search(const char *folders, const char *name, int use)
{
	for (const char *dir = folders; *dir;) {
		size_t length = strcspn(dir, ":");
		char *candidate = memory_format("%.*s/%s", (int)length, length ? dir : ".", name);

		if (length == 0) { /* an empty entry is the current directory */
			free(candidate);
			candidate = memory_format("./%s", name);
		}
		if (is_file(candidate) && access(candidate, use) == 0)
			return candidate;
		free(candidate);
		dir += length;
		dir += *dir == ':';
	}
	return NULL;
}

/*
 * The path without symbolic links. Links in /proc into another root are kept: as text, they would lead to the file of that path in our
 * root. NULL with errno.
 */
static char *real_path(const char *name)
{
	char *path = realpath(name, NULL), *folder;
	struct stat asked, found;

	if (stat(name, &asked) < 0 || (path && stat(path, &found) == 0 && found.st_dev == asked.st_dev && found.st_ino == asked.st_ino))
		return path;
	free(path);
	if (*name == '/')
		return memory_text(name, strlen(name));
	folder = getcwd(NULL, 0);
	path = folder ? memory_format("%s/%s", folder, name) : NULL;
	free(folder);
	return path;
}

char *symbol_binary(const char *name)
{
	const char *programs = getenv("PATH");
	char *found = NULL, *path;

	if (!is_file(name) && !strchr(name, '/')) {
		found = search(programs ? programs : "/usr/bin:/bin", name, X_OK);
		found = found ? found : search(SYMBOL_LIBRARIES, name, R_OK);
	}
	path = real_path(found ? found : name);
	if (!path)
		fail_errno("cannot find the program '%s'", name);
	free(found);
	if (path && !is_file(path)) {
		fail("cannot probe '%s': not a file", path);
		free(path);
		return NULL;
	}
	return path;
}

size_t symbol_place(const char *text, uint64_t *offset)
{
	const char *plus = strrchr(text, '+');
	char *end;

	if (!plus || plus == text || !isdigit((unsigned char)plus[1]))
		return 0;
	*offset = strtoull(plus + 1, &end, plus[1] == '0' && plus[2] == 'x' ? 16 : 10);
	return *end ? 0 : (size_t)(plus - text);
}
