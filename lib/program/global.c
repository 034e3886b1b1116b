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

struct mapped { /* a mapping of the process: a line of /proc/PID/maps */
	uint64_t start, end, offset; /* `offset` is in the file */
	bool executable;
	const char *path; /* "": there is no file */
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
		unsigned long start, stop, offset;
		char access[5];
		int at = 0;

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (sscanf(line, "%lx-%lx %4s %lx %*x:%*x %*u %n", &start, &stop, access, &offset, &at) == 4 && at)
			*ARRAY_ADD(&maps->list) = (struct mapped){start, stop, offset, access[2] == 'x', line[at] == '/' ? line + at : ""};
	}
	return 0;
}

/* Tells whether the whole variable lies in one mapping. */
static bool has_memory(const struct maps *maps, const struct global *global)
{
	for (size_t i = 0; i < maps->list.count; i++) {
		const struct mapped *mapped = &maps->list.items[i];

		if (global->address >= mapped->start && global->address < mapped->end)
			return global->size <= mapped->end - global->address;
	}
	return false;
}

/* Tells whether the mapping is of the program's file. Behind the path of a deleted file the kernel writes " (deleted)". */
static bool is_of_program(const struct mapped *mapped, const char *seen)
{
	size_t length = strlen(seen);

	return strncmp(mapped->path, seen, length) == 0 && (!mapped->path[length] || strcmp(mapped->path + length, " (deleted)") == 0);
}

/* Finds the variable in a file that is mapped from `start` on. */
static int find_in(const struct maps *maps, const char *path, uint64_t start, const char *name, struct lookup *lookup, struct global *global)
{
	if (lookup_variable(lookup, path, name, &global->address, &global->size) < 0)
		return -1;
	global->address += start;
	return has_memory(maps, global) ? 0 : fail("'%s' of '%s' is not where the process has memory", name, path);
}

/* Tells whether this is the first mapping of its path, which is that of the file's beginning. */
static bool is_first(const struct maps *maps, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(maps->list.items[i].path, maps->list.items[index].path) == 0)
			return false;
	return *maps->list.items[index].path;
}

/* A path to the program that the process runs; the caller frees it. NULL after fail(). */
static char *program_path(int32_t process, const char *seen)
{
	struct stat file;

	if (executable_find(process, &file) == 0)
		return executable_path(process, &file, seen);
	fail("nobody can tell which program process %d runs", process);
	return NULL;
}

static int find_in_program(int32_t process, const struct maps *maps, const char *seen, const char *name, struct lookup *lookup, struct global *global)
{
	char *path = program_path(process, seen);
	int status = -1;

	if (!path)
		return -1;
	fail("the program of process %d is not mapped", process);
	for (size_t i = 0; i < maps->list.count; i++)
		if (is_of_program(&maps->list.items[i], seen) && is_first(maps, i)) {
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

		if (!is_first(maps, i) || is_of_program(mapped, seen))
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
		why = memory_text(fail_text(), strlen(fail_text())); /* this reason says more than that of the last library */
		status = find_in_libraries(process, &maps, seen, name, lookup, global);
		if (status < 0)
			fail("%s", why);
		free(why);
	}
	free(maps.list.items);
	free(maps.text);
	return status;
}

int global_has_memory(int32_t process, uint64_t address, uint64_t size)
{
	const struct global global = {address, size};
	struct maps maps = {0};
	bool has;

	if (read_maps(process, &maps) < 0)
		return fail("there is no process %d, or it is not to be seen", process);
	has = has_memory(&maps, &global);
	free(maps.list.items);
	free(maps.text);
	return has ? 0 : fail("process %d has no memory at 0x%llx", process, (unsigned long long)address);
}

/* Finds where an offset of the program's file is mapped as code, and the range of all such code. */
static int map_offset(const struct maps *maps, const char *seen, uint64_t offset, uint64_t *address, uint64_t *from, uint64_t *to)
{
	bool found = false;

	*from = UINT64_MAX;
	*to = 0;
	for (size_t i = 0; i < maps->list.count; i++) {
		const struct mapped *mapped = &maps->list.items[i];

		if (!mapped->executable || !is_of_program(mapped, seen))
			continue;
		*from = mapped->start < *from ? mapped->start : *from;
		*to = mapped->end > *to ? mapped->end : *to;
		if (offset < mapped->offset || offset - mapped->offset >= mapped->end - mapped->start)
			continue;
		*address = mapped->start + (offset - mapped->offset);
		found = true;
	}
	return found ? 0 : fail("the program's code is not mapped");
}

int global_function(int32_t process, const char *name, struct lookup *lookup, uint64_t *address, uint64_t *from, uint64_t *to)
{
	struct maps maps = {0};
	char seen[PATH_MAX], *path;
	uint64_t offset;
	bool deleted;
	int status = -1;

	if (!proc_exe(process, seen, sizeof(seen), &deleted) || read_maps(process, &maps) < 0)
		return fail("there is no process %d, or it is not to be seen", process);
	path = program_path(process, seen);
	if (path && lookup_offset(lookup, path, name, &offset) == 0)
		status = map_offset(&maps, seen, offset, address, from, to);
	free(path);
	free(maps.list.items);
	free(maps.text);
	return status;
}
