#include "source/probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "program/leave.h"
#include "program/lookup.h"
#include "program/symbol.h"
#include "source/instance.h"

#define UNWIND_EVENT "func:unwind"

enum { NAME_ROOM = 32 }; /* of an event in tracefs */

/* A program or library of which functions are probed. */
struct probed {
	char *path; /* absolute */
	struct leave *leave;
	size_t functions, at_exits, left_out;
	bool lands; /* it is known where exceptions land */
	bool off;   /* its probes are */
};

typedef struct tracefs_dynevent *probe_maker(const char *system, const char *event, const char *file,
					     unsigned long long offset, const char *arguments);

/* An event in tracefs for all probes of a kind; the kernel wants the same arguments of all. */
struct shared {
	probe_maker *maker;
	const char *arguments;
	const char *path; /* of the program, if it is at risk; else NULL */
	struct wish *wish;
};

struct probes {
	struct wishes *wishes;
	struct lookup *lookup;
	bool alone;
	ARRAY(struct probed) programs;
	ARRAY(struct shared) shared;
};

/* Where a probe is made, and of which kind. */
struct place {
	const char *path, *alias; /* the second as the kernel is told */
	const char *origin;
	probe_maker *maker;
	const char *arguments; /* NULL: none */
	bool at_risk;
};

struct probes *probes_new(struct wishes *wishes, struct lookup *lookup, bool alone)
{
	struct probes *probes = NEW(struct probes);

	probes->alone = alone;
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
	if (!probes)
		return;
	free(probes->programs.items);
	free(probes->shared.items);
	free(probes);
}

static int make_one(const struct place *place, const char *name, const char *arguments, uint64_t offset)
{
	struct tracefs_dynevent *probe = place->maker(instance_probe_group(), name, place->alias, offset, arguments);
	int status = probe ? tracefs_dynevent_create(probe) : -1;

	if (status < 0)
		fail_errno("cannot probe '%s:0x%llx'", place->path, (unsigned long long)offset);
	tracefs_dynevent_free(probe);
	return status < 0 ? -1 : 0;
}

/* Names in tracefs are short and numbered: the kernel's limit is 64 characters, a C++ symbol's is not. */
static void name_next(const struct wishes *wishes, char name[NAME_ROOM])
{
	snprintf(name, NAME_ROOM, "p%zu", wishes_count(wishes));
}

static struct wish *shared_of(struct probes *probes, const struct place *place)
{
	const char *path = place->at_risk ? place->path : NULL;
	struct shared *shared;
	char name[NAME_ROOM];

	for (size_t i = 0; i < probes->shared.count; i++) {
		shared = &probes->shared.items[i];
		if (shared->maker == place->maker && shared->arguments == place->arguments && shared->path == path)
			return shared->wish;
	}
	name_next(probes->wishes, name);
	shared = ARRAY_ADD(&probes->shared);
	*shared = (struct shared){place->maker, place->arguments, path, wishes_add_shared(probes->wishes, name)};
	return shared->wish;
}

static int make_all(const struct place *place, const char *name, const char *arguments, const uint64_t *offsets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (make_one(place, name, arguments, offsets[i]) < 0)
			return -1;
	return 0;
}

static struct wish *make_part(struct probes *probes, const struct place *place, const char *event, const uint64_t *offsets, size_t count)
{
	struct wish *shared = shared_of(probes, place), *wish;
	char *arguments = memory_format("%s%s" LAYOUT_PART "=\\%zu:u32", place->arguments ? place->arguments : "",
					place->arguments ? " " : "", shared->parts.count);

	wish = make_all(place, shared->name, arguments, offsets, count) < 0
		       ? NULL : wishes_add_part(probes->wishes, shared, event, place->origin);
	free(arguments);
	return wish;
}

static struct wish *make_alone(struct probes *probes, const struct place *place, const char *event, const uint64_t *offsets, size_t count)
{
	char name[NAME_ROOM];

	name_next(probes->wishes, name);
	if (make_all(place, name, place->arguments, offsets, count) < 0)
		return NULL;
	return wishes_add_probe(probes->wishes, event, name, place->origin);
}

/* One event of all these places. */
static int make(struct probes *probes, const struct place *place, const char *event, const uint64_t *offsets, size_t count, bool at_exits)
{
	struct wish *wish;

	if (count == 0 || wishes_has_probe(probes->wishes, event, place->origin))
		return 0;
	wish = (probes->alone ? make_alone : make_part)(probes, place, event, offsets, count);
	if (wish)
		wish->at_exits = at_exits;
	return wish ? 0 : -1;
}

/* The kernel's parser would split such a path in the wrong place. */
static bool is_plain(const char *path)
{
	return !strpbrk(path, " \t\n\"\\:#+");
}

static int make_both(struct probes *probes, struct place *place, const struct ends *ends, const char *start, const char *end, bool with_stack)
{
	static const char stack[] = "sp=%sp:x64";

	place->maker = tracefs_uprobe_alloc;
	place->arguments = with_stack ? stack : NULL;
	if (make(probes, place, start, &ends->start, 1, false) < 0)
		return -1;
	if (ends->at_exits)
		return make(probes, place, end, ends->exits, ends->count, true);
	place->maker = tracefs_uretprobe_alloc;
	place->arguments = NULL;
	return make(probes, place, end, &ends->start, 1, false);
}

/* A path that is not plain goes by a name that is; the kernel looks it up only once. */
static int make_of_function(struct probes *probes, const struct probed *program, const char *origin, const struct ends *ends,
			    const char *start, const char *end)
{
	int fd = open(program->path, O_RDONLY | O_CLOEXEC), status;
	struct place place = {.path = program->path, .origin = origin, .at_risk = leave_may_load(program->leave)};
	char alias[32];

	if (fd < 0)
		return fail_errno("cannot open '%s'", program->path);
	snprintf(alias, sizeof(alias), "/proc/self/fd/%d", fd);
	place.alias = is_plain(program->path) ? program->path : alias;
	status = make_both(probes, &place, ends, start, end, leave_may_jump(program->leave));
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
	program->functions += !wishes_has_probe(probes->wishes, start, origin);
	program->at_exits += ends.at_exits && !wishes_has_probe(probes->wishes, start, origin);
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
	struct place at = {.path = place->path, .alias = place->path, .maker = tracefs_uprobe_alloc};
	int status = is_plain(place->path) ? make_one(&at, name, arguments, place->at.offset) : 0;

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
	char name[NAME_ROOM];
	int status = 0;

	name_next(probes->wishes, name);
	for (size_t i = 0; i < probes->programs.count && status == 0; i++)
		status = add_switches(&probes->programs.items[i], &known, name);
	if (known.count && status == 0)
		wishes_add_probe(probes->wishes, UNWIND_EVENT, name, UNWIND_EVENT);
	for (size_t i = 0; i < known.count; i++)
		free(known.items[i].path);
	free(known.items);
	return status;
}

/* --- programs that may load what throws ------------------------------------------------------------------------------ */

static bool is_at_risk(const struct probed *program)
{
	return leave_may_load(program->leave) && program->functions > program->at_exits;
}

bool probes_at_risk(const struct probes *probes)
{
	for (size_t i = 0; i < probes->programs.count; i++)
		if (is_at_risk(&probes->programs.items[i]))
			return true;
	return false;
}

/* Whether it is an event in tracefs with probes of the program. */
static bool is_of(const struct wish *wish, const char *path)
{
	const struct wish *first = wish->parts.count ? wish->parts.items[0] : wish;
	size_t length = strlen(path);

	return first->origin && strncmp(first->origin, path, length) == 0 && first->origin[length] == ':';
}

static int turn(const struct probes *probes, struct tracefs_instance *instance, const struct probed *program, const char *on)
{
	for (size_t i = wishes_count(probes->wishes); i-- > 0;) { /* those of returns are behind those of entries, and the ones that harm */
		const struct wish *wish = wishes_at(probes->wishes, i);

		if (!(wish->flags & WISH_PARTIAL) && is_of(wish, program->path) &&
		    tracefs_event_file_write(instance, wish->system, wish->name, "enable", on) < 0)
			return fail_errno("cannot turn the probes of '%s' on or off", program->path);
	}
	return 0;
}

/* 1: its probes were off; 0: it loaded nothing new; -1 after fail(). */
static int look_at(struct probes *probes, struct tracefs_instance *instance, struct probed *program, const int32_t *tids, size_t count,
		   probes_say *say)
{
	struct lookup *lookup;

	if (program->off || !is_at_risk(program) || !leave_has_new(program->leave, tids, count))
		return 0;
	if (turn(probes, instance, program, "0") < 0)
		return -1;
	lookup = lookup_new(NULL); /* the other one may be asked by another thread */
	program->off = leave_has_loaded(program->leave, lookup);
	lookup_free(lookup);
	if (program->off)
		say("'%s' has loaded a library that throws, so its functions are traced no more", program->path);
	return !program->off && turn(probes, instance, program, "1") < 0 ? -1 : 1;
}

int probes_look(struct probes *probes, struct tracefs_instance *instance, const int32_t *tids, size_t count, probes_say *say)
{
	int off = 0;

	for (size_t i = 0; i < probes->programs.count; i++) {
		int status = look_at(probes, instance, &probes->programs.items[i], tids, count, say);

		if (status < 0)
			return -1;
		off += status;
	}
	return off;
}

void probes_tell(const struct probes *probes, probes_say *say)
{
	for (size_t i = 0; i < probes->programs.count; i++) {
		const struct probed *program = &probes->programs.items[i];

		if (program->at_exits)
			say("'%s': %zu of %zu functions are probed at each instruction that leaves them, for an exception or another stack may",
			    program->path, program->at_exits, program->functions);
		if (program->at_exits && !program->lands && leave_may_jump(program->leave))
			say("'%s': where its exceptions are caught cannot be seen; calls that they leave seem to go on", program->path);
		if (is_at_risk(program))
			say("'%s' may load libraries: if it loads one that throws, its functions are traced no more", program->path);
		if (program->left_out)
			say("'%s': %zu functions were left out, for their code does not tell all places where they return",
			    program->path, program->left_out);
	}
}
