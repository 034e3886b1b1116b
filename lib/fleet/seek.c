#include "fleet/seek.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/proc.h"
#include "source/exec_probe.h"

enum { LINE_ROOM = 64 << 10, COMM_ROOM = 64 };

struct seek {
	const char *url;
	const struct permission *permission;
	struct exec_probe *probe; /* NULL: none, or it is not needed any more */
	bool looked;		  /* at all running programs; the probe tells of later ones */
	char *programs;
};

struct seek *seek_new(const char *url, const struct permission *permission)
{
	struct seek *seek = NEW(struct seek);

	seek->url = url;
	seek->permission = permission;
	seek->probe = exec_probe_open();
	seek->programs = memory_text("", 0);
	return seek;
}

void seek_free(struct seek *seek)
{
	if (!seek)
		return;
	exec_probe_close(seek->probe);
	free(seek->programs);
	free(seek);
}

static bool is_of_name(unsigned char c)
{
	return c >= 0x80 || isalnum(c) || c == '-' || c == '_';
}

/* Tells whether a longer name goes on here: example.org.uk is no example.org, though a name may end in a dot. */
static bool goes_on(const char *at, const char *end)
{
	if (at < end && *at == '.')
		at++;
	return at < end && is_of_name((unsigned char)*at);
}

bool seek_is_named(const char *url, const char *line, size_t length)
{
	size_t size = strlen(url);
	const char *end = line + length;

	for (const char *at = line; size > 0 && (size_t)(end - at) >= size; at++) {
		bool begins = at == line || (!is_of_name((unsigned char)at[-1]) && at[-1] != '.');

		if (begins && strncasecmp(at, url, size) == 0 && !goes_on(at + size, end))
			return true;
	}
	return false;
}

/* Adds a program that may be recorded, once. */
static void add(struct seek *seek, const char *program)
{
	char *with = memory_format(" %s ", program), *all = memory_format(" %s ", seek->programs), *longer;

	if (permission_covers(seek->permission, program) && !strstr(all, with)) {
		longer = memory_format("%s%s%s", seek->programs, *seek->programs ? " " : "", program);
		free(seek->programs);
		seek->programs = longer;
	}
	free(with);
	free(all);
}

static void began(void *context, const struct exec_seen *seen)
{
	struct seek *seek = context;

	if (seek_is_named(seek->url, seen->line, seen->length))
		add(seek, seen->comm);
}

static void look_at_all(struct seek *seek)
{
	char *line = memory_new(LINE_ROOM, 1), comm[COMM_ROOM];
	DIR *processes = opendir("/proc");
	const struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		int32_t id = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
		ssize_t length = id > 0 && id != getpid() ? proc_read(id, "cmdline", line, LINE_ROOM) : -1;

		if (length <= 0 || !seek_is_named(seek->url, line, (size_t)length))
			continue;
		proc_comm(id, comm, sizeof(comm));
		add(seek, comm);
	}
	if (processes)
		closedir(processes);
	free(line);
}

const char *seek_look(struct seek *seek)
{
	if (*seek->programs)
		return seek->programs;
	if (!seek->looked || !seek->probe)
		look_at_all(seek);
	seek->looked = true;
	if (seek->probe)
		exec_probe_take(seek->probe, began, seek);
	if (*seek->programs) {
		exec_probe_close(seek->probe);
		seek->probe = NULL;
	}
	return seek->programs;
}
