#include "source/probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "source/instance.h"
#include "source/symbol.h"

typedef struct tracefs_dynevent *probe_maker(const char *, const char *, const char *, unsigned long long, const char *);

/* Where a definition is only letters, digits and little else, the kernel does not split it in the wrong place. */
static bool is_plain(const char *path)
{
	return !strpbrk(path, " \t\n\"\\:#+");
}

/* Names in tracefs are short and numbered: the kernel's limit is 64 characters, a C++ symbol's is not. */
static int make(struct wishes *wishes, probe_maker *maker, const char *path, uint64_t offset, const char *event)
{
	struct tracefs_dynevent *probe;
	char name[32];
	int status;

	snprintf(name, sizeof(name), "p%zu", wishes->list.count);
	probe = maker(instance_probe_group(), name, path, offset, NULL);
	status = probe ? tracefs_dynevent_create(probe) : -1;
	if (status < 0)
		fail_errno("cannot probe '%s' at 0x%llx", path, (unsigned long long)offset);
	else
		wishes_add_alias(wishes, event, instance_probe_group(), name);
	tracefs_dynevent_free(probe);
	return status < 0 ? -1 : 0;
}

static int make_both(struct wishes *wishes, const char *path, uint64_t offset, const char *start, const char *end)
{
	if (make(wishes, tracefs_uprobe_alloc, path, offset, start) < 0)
		return -1;
	return make(wishes, tracefs_uretprobe_alloc, path, offset, end);
}

/* A path that the kernel's parser would split goes by a name that it would not; the kernel looks it up only once. */
static int make_by_descriptor(struct wishes *wishes, const char *path, uint64_t offset, const char *start, const char *end)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), status;
	char alias[32];

	if (fd < 0)
		return fail_errno("cannot open '%s'", path);
	snprintf(alias, sizeof(alias), "/proc/self/fd/%d", fd);
	status = make_both(wishes, alias, offset, start, end);
	close(fd);
	return status;
}

int probe_function(struct wishes *wishes, const char *binary, const char *function, const char *start, const char *end)
{
	char *path;
	uint64_t offset;
	int status;

	for (size_t i = 0; i < wishes->list.count; i++) {
		if (strcmp(wishes->list.items[i]->event, start) == 0)
			return 0;
	}
	path = symbol_binary(binary);
	if (!path)
		return -1;
	status = symbol_offset(path, function, &offset);
	if (status == 0 && is_plain(path))
		status = make_both(wishes, path, offset, start, end);
	else if (status == 0)
		status = make_by_descriptor(wishes, path, offset, start, end);
	free(path);
	return status;
}
