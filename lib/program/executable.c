#include "program/executable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "program/opener.h"

static int find(const char *path, struct stat *file)
{
	struct opener_file found;

	if (opener_find(path, &found) < 0)
		return -1;
	close(found.place);
	*file = found.status;
	return 0;
}

int executable_find(int32_t pid, struct stat *file)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return find(path, file);
}

bool executable_is_at(const struct stat *file, const char *path)
{
	struct stat found;

	return find(path, &found) == 0 && found.st_dev == file->st_dev && found.st_ino == file->st_ino;
}

char *executable_path(int32_t pid, const struct stat *file, const char *seen)
{
	char *path;

	if (executable_is_at(file, seen))
		return memory_text(seen, strlen(seen));
	path = memory_format("/proc/%d/root%s", pid, seen);
	if (executable_is_at(file, path))
		return path;
	free(path);
	return memory_format("/proc/%d/exe", pid); /* it was deleted */
}
