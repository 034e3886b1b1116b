#include "source/musl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 1 << 14 };

/*
 * musl and its dynamic linker are one file: ld-musl-x86_64.so.1, or libc.so if that name is a link to it. glibc's file is libc.so.6. The libc.so
 * of Android, whose condition variables are counts, lies in folders of its own.
 */
static bool is_musl(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return strncmp(name, "ld-musl-", strlen("ld-musl-")) == 0 ||
	       (strcmp(name, "libc.so") == 0 && strncmp(path, "/system/", strlen("/system/")) != 0 && strncmp(path, "/apex/", strlen("/apex/")) != 0);
}

bool musl_is_mapped(int32_t pid)
{
	char path[32], *line = NULL, *name;
	bool found = false;
	size_t room = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	for (int i = 0; maps && !found && i < LINES_MAX && getline(&line, &room, maps) > 0; i++) {
		line[strcspn(line, "\n")] = '\0';
		name = strchr(line, '/');
		found = name && is_musl(name);
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}
