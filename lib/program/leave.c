#include "program/leave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

struct leave {
	struct lookup *lookup;
	char *path;
	unsigned traits;
	bool unsafe;
};

/* The root of a program in a container: the length of "/proc/PID/root"; else 0. */
static int root_of(const char *path)
{
	int length = 0;

	if (sscanf(path, "/proc/%*d/root%n", &length) == 0 && length && path[length] == '/')
		return length;
	return 0;
}

static char *in_folder(const char *program, const char *folder, size_t length, const char *name)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	const char *slash = strrchr(program, '/');

	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
		size_t word = strlen(origins[i]);

		if (length >= word && strncmp(folder, origins[i], word) == 0)
			return memory_format("%.*s%.*s/%s", (int)(slash ? slash - program : 0), program, (int)(length - word),
					     folder + word, name);
	}
	return memory_format("%.*s%.*s/%s", root_of(program), program, (int)length, folder, name);
}

/* Without links, so that several programs' are the same. NULL: it is nowhere. */
static char *find_library(const char *program, const char *folders, const char *name)
{
	static const char usual[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";
	const char *lists[] = {folders, usual};

	if (strchr(name, '/'))
		return memory_text(name, strlen(name));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const char *at = lists[i]; *at; at += strcspn(at, ":"), at += *at == ':') {
			char *path = in_folder(program, at, strcspn(at, ":"), name);
			char *found = root_of(program) || access(path, R_OK) < 0 ? NULL : realpath(path, NULL);

			if (!found && root_of(program) && access(path, R_OK) == 0)
				return path;
			free(path);
			if (found)
				return found;
		}
	return NULL;
}

/* One that cannot be found or read may be any. */
static bool throws(const struct leave *leave, const char *folders, const char *name)
{
	char *path = find_library(leave->path, folders, name);
	unsigned traits;
	bool found = !path || lookup_traits(leave->lookup, path, &traits, NULL, 0) < 0 || traits & ENDS_THROWS;

	free(path);
	return found;
}

static bool any_throws(const struct leave *leave, const char *text, size_t length)
{
	const char *end = text + length;

	for (const char *name = text + strlen(text) + 1; name < end; name += strlen(name) + 1)
		if (*name && throws(leave, text, name))
			return true;
	return false;
}

enum { TEXT_ROOM = 1 << 14 };

struct leave *leave_new(struct lookup *lookup, const char *path)
{
	struct leave *leave = NEW(struct leave);
	char *text = memory_new(TEXT_ROOM + 1, 1);
	int length = lookup_traits(lookup, path, &leave->traits, text, TEXT_ROOM);

	leave->lookup = lookup;
	leave->path = memory_text(path, strlen(path));
	leave->unsafe = leave->traits & ENDS_UNSAFE;
	if (length < 0) {
		leave_free(leave);
		leave = NULL;
	} else if (!(leave->traits & (ENDS_UNSAFE | ENDS_LIBRARY))) {
		leave->unsafe = any_throws(leave, text, (size_t)length);
	}
	free(text);
	return leave;
}

void leave_free(struct leave *leave)
{
	if (!leave)
		return;
	free(leave->path);
	free(leave);
}

bool leave_may_jump(const struct leave *leave)
{
	return leave->unsafe || leave->traits & (ENDS_LIBRARY | ENDS_JUMPS);
}

int leave_find(const struct leave *leave, const char *function, uint64_t offset, struct ends *ends)
{
	return lookup_ends(leave->lookup, leave->path, function, offset, leave->unsafe, ends);
}

static size_t add_switches(const struct leave *leave, const char *path, struct leave_switch found[LEAVE_SWITCHES], size_t count)
{
	struct ends_switch here[ENDS_SWITCHES];
	size_t places = lookup_switches(leave->lookup, path, here);

	for (size_t i = 0; i < places && count < LEAVE_SWITCHES; i++)
		found[count++] = (struct leave_switch){memory_text(path, strlen(path)), here[i]};
	return count;
}

/* With -static-libgcc, or a C library of its own, a program may have two of each. */
size_t leave_switches(const struct leave *leave, struct leave_switch found[LEAVE_SWITCHES])
{
	static const char *const libraries[] = {"libgcc_s.so.1", "libc.so.6"};
	size_t count = add_switches(leave, leave->path, found, 0);

	for (size_t i = 0; i < 2 && !(leave->traits & ENDS_ALONE); i++) {
		char *path = find_library(leave->path, "", libraries[i]);

		if (path && strcmp(path, leave->path) != 0)
			count = add_switches(leave, path, found, count);
		free(path);
	}
	return count;
}
