#include "source/probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "program/lookup.h"
#include "program/symbol.h"
#include "source/instance.h"

typedef struct tracefs_dynevent *probe_maker(const char *system, const char *event, const char *file,
					     unsigned long long offset, const char *arguments);

/* A place in a program or library. */
struct place {
	char *path; /* absolute */
	uint64_t offset;
	char *name; /* "PATH:OFFSET" */
};

static bool is_probed(const struct wishes *wishes, const char *event, const char *origin)
{
	for (size_t i = 0; i < wishes->list.count; i++) {
		const struct wish *wish = wishes->list.items[i];

		if (wish->origin && strcmp(wish->event, event) == 0 && strcmp(wish->origin, origin) == 0)
			return true;
	}
	return false;
}

/* Names in tracefs are short and numbered: the kernel's limit is 64 characters, a C++ symbol's is not. */
static int make(struct wishes *wishes, probe_maker *maker, const struct place *place, const char *path,
		const char *event)
{
	struct tracefs_dynevent *probe;
	char name[32];
	int status;

	if (is_probed(wishes, event, place->name))
		return 0;
	snprintf(name, sizeof(name), "p%zu", wishes->list.count);
	probe = maker(instance_probe_group(), name, path, place->offset, NULL);
	status = probe ? tracefs_dynevent_create(probe) : -1;
	if (status < 0)
		fail_errno("cannot probe '%s'", place->name);
	else
		wishes_add_probe(wishes, event, name, place->name);
	tracefs_dynevent_free(probe);
	return status < 0 ? -1 : 0;
}

/* The kernel's parser would split such a path in the wrong place. */
static bool is_plain(const char *path)
{
	return !strpbrk(path, " \t\n\"\\:#+");
}

/* A path that is not plain goes by a name that is; the kernel looks it up only once. */
static int make_both(struct wishes *wishes, const struct place *place, const char *start, const char *end)
{
	int fd = open(place->path, O_RDONLY | O_CLOEXEC), status;
	char alias[32];
	const char *path = is_plain(place->path) ? place->path : alias;

	if (fd < 0)
		return fail_errno("cannot open '%s'", place->path);
	snprintf(alias, sizeof(alias), "/proc/self/fd/%d", fd);
	status = make(wishes, tracefs_uprobe_alloc, place, path, start);
	if (status == 0)
		status = make(wishes, tracefs_uretprobe_alloc, place, path, end);
	close(fd);
	return status;
}

int probe_function(struct wishes *wishes, struct lookup *lookup, const char *binary, const char *function, const char *start, const char *end)
{
	struct place place = {.path = symbol_binary(binary)};
	int status;

	if (!place.path)
		return -1;
	status = lookup_offset(lookup, place.path, function, &place.offset);
	if (status == 0) {
		place.name = memory_format("%s:0x%llx", place.path, (unsigned long long)place.offset);
		status = make_both(wishes, &place, start, end);
	}
	free(place.name);
	free(place.path);
	return status;
}
