#include "program/loaded.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glance.h"

enum { NAME_ROOM = 64 };

static void take_line(const char *process, const char *line, loaded_taker *take, void *context)
{
	unsigned long from, to;
	char path[2 * NAME_ROOM], executable;
	int at = 0;

	if (sscanf(line, "%lx-%lx %*c%*c%c%*c %*x %*x:%*x %*u %n", &from, &to, &executable, &at) < 3 || executable != 'x' || line[at] != '/')
		return;
	snprintf(path, sizeof(path), "/proc/%.20s/map_files/%lx-%lx", process, from, to);
	take(context, path, line + at);
}

static size_t take_maps(const char *process, loaded_taker *take, void *context)
{
	char path[NAME_ROOM], *line = NULL;
	size_t room = 0, lines = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", process);
	maps = fopen(path, "re");
	for (; maps && getline(&line, &room, maps) > 0; lines++) {
		line[strcspn(line, "\n")] = '\0';
		take_line(process, line, take, context);
	}
	free(line);
	if (maps)
		fclose(maps);
	return lines > 0;
}

size_t loaded_by(const char *program, loaded_taker *take, void *context)
{
	DIR *folder = opendir("/proc");
	struct glance wanted, found;
	struct dirent *entry;
	size_t count = 0;

	if (!glance_at(program, &wanted))
		wanted.inode = 0;
	while (folder && (entry = readdir(folder))) {
		char exe[2 * NAME_ROOM];

		if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name) || strlen(entry->d_name) >= NAME_ROOM / 2)
			continue;
		snprintf(exe, sizeof(exe), "/proc/%.20s/exe", entry->d_name);
		if (glance_at(exe, &found) && glance_is_same(&found, &wanted))
			count += take_maps(entry->d_name, take, context);
	}
	if (folder)
		closedir(folder);
	return count;
}
