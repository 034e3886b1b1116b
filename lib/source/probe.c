#include "source/probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "program/leave.h"
#include "program/symbol.h"
#include "source/instance.h"

#define UNWIND_EVENT "func:unwind"

/* A program or library of which functions are probed. */
struct probed {
	char *path; /* absolute */
	struct leave *leave;
	size_t functions, at_exits, left_out;
	bool lands; /* it is known where exceptions land */
};

struct probes {
	struct wishes *wishes;
	struct lookup *lookup;
	ARRAY(struct probed) programs;
};

typedef struct tracefs_dynevent *probe_maker(const char *system, const char *event, const char *file,
					     unsigned long long offset, const char *arguments);

/* Where a probe is made, and of which kind. */
struct place {
	const char *path, *alias; /* the second as the kernel is told */
	const char *origin;
	probe_maker *maker;
	const char *arguments; /* NULL: none */
};

struct probes *probes_new(struct wishes *wishes, struct lookup *lookup)
{
	struct probes *probes = NEW(struct probes);

	probes->wishes = wishes;
	probes->lookup = lookup;
	return probes;
}

void probes_free(struct probes *probes)
{
	for (size_t i = 0; probes && i < probes->programs.count; i++) {
		leave_free(probes->programs.items[i].leave);
		free(probes->programs.items[i].path);
	}
	if (probes)
		free(probes->programs.items);
	free(probes);
}

static bool is_probed(const struct wishes *wishes, const char *event, const char *origin)
{
	for (size_t i = 0; i < wishes->list.count; i++) {
		const struct wish *wish = wishes->list.items[i];

		if (wish->origin && strcmp(wish->event, event) == 0 && strcmp(wish->origin, origin) == 0)
			return true;
	}
	return false;
}

static int make_one(const struct place *place, const char *name, uint64_t offset)
{
	struct tracefs_dynevent *probe = place->maker(instance_probe_group(), name, place->alias, offset, place->arguments);
	int status = probe ? tracefs_dynevent_create(probe) : -1;

	if (status < 0)
		fail_errno("cannot probe '%s:0x%llx'", place->path, (unsigned long long)offset);
	tracefs_dynevent_free(probe);
	return status < 0 ? -1 : 0;
}

/* One event of all these places. Names in tracefs are short and numbered: the kernel's limit is 64 characters, a C++ symbol's is not. */
static int make(struct wishes *wishes, const struct place *place, const char *event, const uint64_t *offsets, size_t count)
{
	char name[32];

	if (count == 0 || is_probed(wishes, event, place->origin))
		return 0;
	snprintf(name, sizeof(name), "p%zu", wishes->list.count);
	for (size_t i = 0; i < count; i++)
		if (make_one(place, name, offsets[i]) < 0)
			return -1;
	wishes_add_probe(wishes, event, name, place->origin);
	return 0;
}

/* The kernel's parser would split such a path in the wrong place. */
static bool is_plain(const char *path)
{
	return !strpbrk(path, " \t\n\"\\:#+");
}

static int make_both(struct wishes *wishes, struct place *place, const struct ends *ends, const char *start, const char *end, bool with_stack)
{
	place->maker = tracefs_uprobe_alloc;
	place->arguments = with_stack ? "sp=%sp:x64" : NULL;
	if (make(wishes, place, start, &ends->start, 1) < 0)
		return -1;
	if (ends->at_exits)
		return make(wishes, place, end, ends->exits, ends->count);
	place->maker = tracefs_uretprobe_alloc;
	place->arguments = NULL;
	return make(wishes, place, end, &ends->start, 1);
}

/* A path that is not plain goes by a name that is; the kernel looks it up only once. */
static int make_of_function(struct probes *probes, const struct probed *program, const char *origin, const struct ends *ends,
			    const char *start, const char *end)
{
	int fd = open(program->path, O_RDONLY | O_CLOEXEC), status;
	struct place place = {.path = program->path, .origin = origin};
	char alias[32];

	if (fd < 0)
		return fail_errno("cannot open '%s'", program->path);
	snprintf(alias, sizeof(alias), "/proc/self/fd/%d", fd);
	place.alias = is_plain(program->path) ? program->path : alias;
	status = make_both(probes->wishes, &place, ends, start, end, leave_may_jump(program->leave));
	close(fd);
	return status;
}

/* Takes the path. NULL after fail(). */
static struct probed *find_program(struct probes *probes, char *path)
{
	struct leave *leave;

	for (size_t i = 0; i < probes->programs.count; i++)
		if (strcmp(probes->programs.items[i].path, path) == 0) {
			free(path);
			return &probes->programs.items[i];
		}
	leave = leave_new(probes->lookup, path);
	if (!leave) {
		free(path);
		return NULL;
	}
	*ARRAY_ADD(&probes->programs) = (struct probed){.path = path, .leave = leave};
	return &probes->programs.items[probes->programs.count - 1];
}

static int probe_at(struct probes *probes, struct probed *program, const char *function, uint64_t offset, const char *start, const char *end)
{
	struct ends ends;
	char *origin;
	int status;

	if (leave_find(program->leave, function, offset, &ends) < 0) {
		program->left_out++;
		return PROBES_LEFT_OUT;
	}
	origin = memory_format("%s:0x%llx", program->path, (unsigned long long)offset);
	program->functions += !is_probed(probes->wishes, start, origin);
	program->at_exits += ends.at_exits && !is_probed(probes->wishes, start, origin);
	status = make_of_function(probes, program, origin, &ends, start, end);
	free(ends.exits);
	free(origin);
	return status;
}

int probes_function(struct probes *probes, const char *binary, const char *function, const char *start, const char *end)
{
	char *path = symbol_binary(binary);
	struct probed *program;
	uint64_t offset;

	if (!path || lookup_offset(probes->lookup, path, function, &offset) < 0) {
		free(path);
		return -1;
	}
	program = find_program(probes, path);
	return program ? probe_at(probes, program, function, offset, start, end) : -1;
}

typedef ARRAY(struct leave_switch) switches;

/* Several programs mostly have the same libraries. */
static bool is_known(const switches *known, const struct leave_switch *place)
{
	for (size_t i = 0; i < known->count; i++)
		if (known->items[i].at.offset == place->at.offset && strcmp(known->items[i].path, place->path) == 0)
			return true;
	return false;
}

static int make_switch(const struct leave_switch *place, const char *name)
{
	char *arguments = memory_format("from=%%sp:x64 to=%s:x64", place->at.to);
	struct place at = {place->path, place->path, NULL, tracefs_uprobe_alloc, arguments};
	int status = is_plain(place->path) ? make_one(&at, name, place->at.offset) : 0;

	free(arguments);
	return status;
}

static int add_switches(struct probed *program, switches *known, const char *name)
{
	struct leave_switch found[LEAVE_SWITCHES];
	size_t count = leave_may_jump(program->leave) ? leave_switches(program->leave, found) : 0;
	int status = 0;

	program->lands = count > 0;
	for (size_t i = 0; i < count; i++) {
		if (status < 0 || is_known(known, &found[i])) {
			free(found[i].path);
			continue;
		}
		status = make_switch(&found[i], name);
		*ARRAY_ADD(known) = found[i];
	}
	return status;
}

int probes_finish(struct probes *probes)
{
	switches known = {0};
	char name[32];
	int status = 0;

	snprintf(name, sizeof(name), "p%zu", probes->wishes->list.count);
	for (size_t i = 0; i < probes->programs.count && status == 0; i++)
		status = add_switches(&probes->programs.items[i], &known, name);
	if (known.count && status == 0)
		wishes_add_probe(probes->wishes, UNWIND_EVENT, name, UNWIND_EVENT);
	for (size_t i = 0; i < known.count; i++)
		free(known.items[i].path);
	free(known.items);
	return status;
}

void probes_tell(const struct probes *probes, void (*say)(const char *format, ...))
{
	for (size_t i = 0; i < probes->programs.count; i++) {
		const struct probed *program = &probes->programs.items[i];

		if (program->at_exits)
			say("'%s': %zu of %zu functions are probed at each instruction that leaves them, for an exception or another stack may",
			    program->path, program->at_exits, program->functions);
		if (program->at_exits && !program->lands)
			say("'%s': where its exceptions are caught cannot be seen; calls that they leave seem to go on", program->path);
		if (leave_may_load(program->leave) && program->functions > program->at_exits)
			say("'%s' may load libraries: one that throws an exception out of a traced function ends it", program->path);
		if (program->left_out)
			say("'%s': %zu functions were left out, for their code does not tell all places where they return",
			    program->path, program->left_out);
	}
}
