#include "program/global.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/proc.h"
#include "program/executable.h"
#include "program/lookup_program.h"

struct mapped { /* memory of the process; lines of /proc/PID/maps */
	uint64_t start, end;
	const char *path; /* "": of no file */
};

struct maps {
	char *text;
	ARRAY(struct mapped) list;
};

static int read_maps(int32_t process, struct maps *maps)
{
	char *path = memory_format("/proc/%d/maps", process);

	maps->text = file_read(path, NULL);
	free(path);
	if (!maps->text)
		return -1;
	for (char *line = maps->text, *end; *line; line = end) {
		unsigned long start, stop;
		int at = 0;

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (sscanf(line, "%lx-%lx %*s %*x %*x:%*x %*u %n", &start, &stop, &at) == 2 && at)
			*ARRAY_ADD(&maps->list) = (struct mapped){start, stop, line[at] == '/' ? line + at : ""};
	}
	return 0;
}

/* Tells whether all of it is in one piece of memory. */
static bool has_memory(const struct maps *maps, const struct global *global)
{
	for (size_t i = 0; i < maps->list.count; i++) {
		const struct mapped *mapped = &maps->list.items[i];

		if (global->address >= mapped->start && global->address < mapped->end)
			return global->size <= mapped->end - global->address;
	}
	return false;
}

/* A file that is mapped from there on. */
static int find_in(const struct maps *maps, const char *path, uint64_t start, const char *name, struct lookup *lookup, struct global *global)
{
	if (lookup_variable(lookup, path, name, &global->address, &global->size) < 0)
		return -1;
	global->address += start;
	return has_memory(maps, global) ? 0 : fail("'%s' of '%s' is not where the process has memory", name, path);
}

/* In what has the same path, the first piece comes first in the file. */
static bool is_first(const struct maps *maps, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(maps->list.items[i].path, maps->list.items[index].path) == 0)
			return false;
	return *maps->list.items[index].path;
}

static int find_in_program(int32_t process, const struct maps *maps, const char *seen, const char *name, struct lookup *lookup, struct global *global)
{
	struct stat file;
	char *path;
	int status = -1;

	if (executable_find(process, &file) < 0)
		return fail("nobody can tell which program process %d runs", process);
	path = executable_path(process, &file, seen);
	fail("the program of process %d is not mapped", process);
	for (size_t i = 0; i < maps->list.count; i++)
		if (strncmp(maps->list.items[i].path, seen, strlen(seen)) == 0 && is_first(maps, i)) {
			status = find_in(maps, path, maps->list.items[i].start, name, lookup, global);
			break;
		}
	free(path);
	return status;
}

static int find_in_libraries(int32_t process, const struct maps *maps, const char *seen, const char *name, struct lookup *lookup, struct global *global)
{
	for (size_t i = 0; i < maps->list.count; i++) {
		const struct mapped *mapped = &maps->list.items[i];
		char *path;
		int status;

		if (!is_first(maps, i) || strncmp(mapped->path, seen, strlen(seen)) == 0)
			continue;
		path = memory_format("/proc/%d/map_files/%llx-%llx", process, (unsigned long long)mapped->start, (unsigned long long)mapped->end);
		status = find_in(maps, path, mapped->start, name, lookup, global);
		free(path);
		if (status == 0)
			return 0;
	}
	return -1;
}

int global_find(int32_t process, const char *name, struct lookup *lookup, struct global *global)
{
	struct maps maps = {0};
	char seen[PATH_MAX], *why;
	bool deleted;
	int status = -1;

	if (!proc_exe(process, seen, sizeof(seen), &deleted) || read_maps(process, &maps) < 0)
		return fail("there is no process %d, or it is not to be seen", process);
	if (find_in_program(process, &maps, seen, name, lookup, global) == 0) {
		status = 0;
	} else {
		why = memory_text(fail_text(), strlen(fail_text())); /* tells more than that of the last library */
		status = find_in_libraries(process, &maps, seen, name, lookup, global);
		if (status < 0)
			fail("%s", why);
		free(why);
	}
	free(maps.list.items);
	free(maps.text);
	return status;
}
