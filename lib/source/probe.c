#include "source/probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "program/argument.h"
#include "program/lookup.h"
#include "program/lookup_program.h"
#include "program/program_ends.h"
#include "program/symbol.h"
#include "source/argument_record.h"
#include "source/gate.h"
#include "source/instance.h"
#include "source/instruction.h"

#define UNWIND_EVENT "func:unwind"

enum { NAME_ROOM = 32 }; /* of an event in tracefs */

/* A program or library whose functions are probed. */
struct probed {
	char *path; /* absolute */
	struct program_ends *program_ends;
	size_t functions, at_exits, left_out;
	bool lands; /* the places where its exceptions land are known */
	bool off;   /* its probes are turned off */
	bool gated;
	size_t gate; /* its number in the gate */
};

typedef struct tracefs_dynevent *probe_maker(const char *system, const char *event, const char *file,
					     unsigned long long offset, const char *arguments);

/* An event in tracefs that all probes of one kind share. They have the same arguments, because the kernel requires it. */
struct shared {
	probe_maker *maker;
	const char *arguments;
	const char *path; /* of the program, if it is at risk; else NULL */
	struct selected *selected;
};

struct probes {
	struct selection *selection;
	struct lookup *lookup;
	bool alone, sampled;
	size_t names; /* of events in tracefs, so far: one whose probes could not all be made keeps its name */
	ARRAY(struct probed) programs;
	ARRAY(struct shared) shared;
	struct gate *gate; /* NULL: none */
};

/* The place of a probe, and its kind. */
struct place {
	const char *path, *alias; /* alias: the path that the kernel gets */
	const char *origin, *function;
	int fd;
	probe_maker *maker;
	const char *arguments; /* NULL: none */
	bool at_risk;
	bool of_line; /* of a probe line: if another line has placed it, it has the same arguments */
	struct member_check *check; /* NULL: none */
	struct argument_record *told; /* arguments of the event; NULL: none. The selected event takes them over */
};

/* A function whose calls are traced, the names of its events, and their arguments. */
struct call {
	const char *function, *start, *end; /* start or end may be NULL: no such event */
	bool inside; /* the probe is at an instruction inside the function */
	const struct probe_line *line; /* NULL: the function is of no probe line */
	struct member_check *check;
	bool told; /* the events have arguments */
	struct arguments arguments;
	struct argument_found found[ARGUMENTS_MAX];
};

struct probes *probes_new(struct selection *selection, struct lookup *lookup, bool alone)
{
	struct probes *probes = NEW(struct probes);

	probes->alone = alone;
	probes->selection = selection;
	probes->lookup = lookup;
	return probes;
}

void probes_sample(struct probes *probes)
{
	probes->sampled = true;
}

void probes_free(struct probes *probes)
{
	for (size_t i = 0; probes && i < probes->programs.count; i++) {
		program_ends_free(probes->programs.items[i].program_ends);
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

/*
 * Names in tracefs are numbers, because the kernel allows 64 characters and C++ symbols have more. The kernel's count of hits
 * (uprobe_profile) does not show groups, so if each function has an event of its own, names have our pid, unlike those of other collectors.
 */
static void name_next(struct probes *probes, char name[NAME_ROOM])
{
	if (probes->alone)
		snprintf(name, NAME_ROOM, "p%zu_%d", probes->names++, getpid());
	else
		snprintf(name, NAME_ROOM, "p%zu", probes->names++);
}

static struct selected *shared_of(struct probes *probes, const struct place *place)
{
	const char *path = place->at_risk ? place->path : NULL;
	struct shared *shared;
	char name[NAME_ROOM];

	for (size_t i = 0; i < probes->shared.count; i++) {
		shared = &probes->shared.items[i];
		if (shared->maker == place->maker && shared->arguments == place->arguments && shared->path == path)
			return shared->selected;
	}
	name_next(probes, name);
	shared = ARRAY_ADD(&probes->shared);
	*shared = (struct shared){place->maker, place->arguments, path, selection_add_shared(probes->selection, name)};
	return shared->selected;
}

static int make_all(const struct place *place, const char *name, const char *arguments, const uint64_t *offsets, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (make_one(place, name, arguments, offsets[i]) < 0)
			return -1;
	return 0;
}

static struct selected *make_part(struct probes *probes, const struct place *place, const char *event, const uint64_t *offsets, size_t count)
{
	struct selected *shared = shared_of(probes, place), *selected;
	char *arguments = memory_format("%s%s" LAYOUT_PART "=\\%zu:u32", place->arguments ? place->arguments : "",
					place->arguments ? " " : "", shared->parts.count);

	selected = make_all(place, shared->name, arguments, offsets, count) < 0
		       ? NULL : selection_add_part(probes->selection, shared, event, place->origin);
	free(arguments);
	return selected;
}

static struct selected *make_alone(struct probes *probes, const struct place *place, const char *event, const uint64_t *offsets, size_t count)
{
	char name[NAME_ROOM];

	name_next(probes, name);
	if (make_all(place, name, place->arguments, offsets, count) < 0)
		return NULL;
	return selection_add_probe(probes->selection, event, name, place->origin);
}

static int make_told(const struct place *place, const char *name, uint64_t offset, bool at_exits)
{
	enum argument_end end = !at_exits ? ARGUMENT_END_BEHIND : instruction_is_return(place->fd, offset) ? ARGUMENT_END_RETURN : ARGUMENT_END_JUMP;
	char *words = argument_record_fetch(place->told, end), *all;
	int status;

	if (!words)
		return -1;
	all = memory_format("%s%s%s", place->arguments ? place->arguments : "", place->arguments ? " " : "", words);
	status = make_one(place, name, all, offset);
	free(all);
	free(words);
	return status;
}

/* An event with arguments has a format of its own, so no other function shares it. */
static struct selected *make_telling(struct probes *probes, struct place *place, const char *event, const uint64_t *offsets, size_t count, bool at_exits)
{
	char name[NAME_ROOM];
	struct selected *selected;

	name_next(probes, name);
	for (size_t i = 0; i < count; i++)
		if (make_told(place, name, offsets[i], at_exits) < 0)
			return NULL;
	selected = selection_add_probe(probes->selection, event, name, place->origin);
	selected->arguments = place->told;
	selected->check = place->check;
	if (place->check && argument_record_has_descriptor(place->told))
		member_check_expect(place->check);
	place->told = NULL;
	return selected;
}

/* Makes one event of all these places. */
static int make(struct probes *probes, struct place *place, const char *event, const uint64_t *offsets, size_t count, bool at_exits)
{
	struct selected *selected;

	if (selection_has_probe(probes->selection, event, place->origin))
		return place->told && !place->of_line ? fail("'%s' is traced already: give its arguments once, where it is first named", place->function) : 0;
	if (count == 0)
		return 0;
	selected = place->told ? make_telling(probes, place, event, offsets, count, at_exits)
			   : (probes->alone ? make_alone : make_part)(probes, place, event, offsets, count);
	if (!selected)
		return -1;
	selected->at_exits = at_exits;
	selected->stepped = !instruction_is_emulated(place->path, *offsets);
	return 0;
}

/* Tells whether the kernel's parser understands the path; others it would split in the wrong place. */
static bool is_plain(const char *path)
{
	return !strpbrk(path, " \t\n\"\\:#+");
}

static struct argument_record *record_of(const struct call *call, bool at_end)
{
	if (call->line)
		return argument_record_new_alike(&call->arguments, call->found, at_end);
	return call->told ? argument_record_new(&call->arguments, call->found, at_end) : NULL;
}

/*
 * Adds an event for samples, because the kernel does not let both tracefs and perf read one event. Both are at the same place, where the
 * kernel first calls the handler that was added last: so the sample precedes the call's event.
 */
static int make_sampled(const struct place *place, struct selected *selected, uint64_t offset)
{
	selected->sampled = memory_format("s%s", selected->name);
	return make_one(place, selected->sampled, NULL, offset);
}

static int make_start(struct probes *probes, struct place *place, const struct ends *ends, const struct call *call)
{
	size_t before = selection_count(probes->selection);

	place->told = record_of(call, false);
	if (make(probes, place, call->start, &ends->start, 1, false) < 0)
		return -1;
	if (!probes->sampled || selection_count(probes->selection) == before)
		return 0;
	return make_sampled(place, selection_at(probes->selection, before), ends->start);
}

static int make_end(struct probes *probes, struct place *place, const struct ends *ends, const struct call *call)
{
	place->told = record_of(call, true);
	if (ends->at_exits)
		return make(probes, place, call->end, ends->exits, ends->count, true);
	place->maker = tracefs_uretprobe_alloc;
	place->arguments = NULL;
	return make(probes, place, call->end, &ends->start, 1, false);
}

static int make_both(struct probes *probes, struct place *place, const struct ends *ends, const struct call *call, bool with_stack)
{
	static const char stack[] = "sp=%sp:x64";
	int status;

	place->maker = tracefs_uprobe_alloc;
	place->arguments = with_stack && call->start && call->end && !call->line ? stack : NULL;
	status = call->start ? make_start(probes, place, ends, call) : 0;
	argument_record_free(place->told);
	if (status < 0 || !call->end)
		return status;
	status = make_end(probes, place, ends, call);
	argument_record_free(place->told);
	return status;
}

/*
 * A path that is not plain is given to the kernel as /proc/self/fd/N, which it looks up only once. O_NONBLOCK, because a pipe may have the
 * path by now.
 */
static int make_of_function(struct probes *probes, const struct probed *program, const char *origin, const struct ends *ends,
			    const struct call *call)
{
	int fd = open(program->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;
	struct place place = {.path = program->path, .origin = origin, .function = call->function, .fd = fd,
			      .at_risk = program_ends_may_load(program->program_ends), .of_line = call->line, .check = call->check};
	char alias[32];

	if (fd < 0)
		return fail_errno("cannot open '%s'", program->path);
	snprintf(alias, sizeof(alias), "/proc/self/fd/%d", fd);
	place.alias = is_plain(program->path) ? program->path : alias;
	status = make_both(probes, &place, ends, call, program_ends_may_jump(program->program_ends));
	close(fd);
	return status;
}

/* Finds or adds the program at this path, and takes the path over. NULL after fail(). */
static struct probed *find_program(struct probes *probes, char *path)
{
	struct program_ends *program_ends;

	for (size_t i = 0; i < probes->programs.count; i++)
		if (strcmp(probes->programs.items[i].path, path) == 0) {
			free(path);
			return &probes->programs.items[i];
		}
	program_ends = program_ends_new(probes->lookup, path);
	if (!program_ends) {
		free(path);
		return NULL;
	}
	*ARRAY_ADD(&probes->programs) = (struct probed){.path = path, .program_ends = program_ends};
	return &probes->programs.items[probes->programs.count - 1];
}

/* Finds where the arguments in `text` are; NULL: there are none. -1 after fail(). */
static int find_arguments(struct probes *probes, const struct probed *program, struct call *call, const char *text, uint64_t offset)
{
	int found;

	if (!text)
		return 0;
	if (arguments_parse(text, &call->arguments) < 0)
		return -1;
	found = lookup_arguments(probes->lookup, program->path, call->function, offset, !call->inside, text, call->found);
	if (found < 0)
		return -1;
	call->told = found == call->arguments.count;
	return call->told ? 0 : fail("cannot read '%s': nobody can tell where arguments are", program->path);
}

static int probe_at(struct probes *probes, struct probed *program, struct call *call, const char *arguments, uint64_t offset)
{
	const char *event = call->start ? call->start : call->end;
	struct ends ends;
	char *origin;
	int status;

	if (program_ends_find(program->program_ends, call->function, offset, &ends) < 0) {
		program->left_out++;
		return PROBES_LEFT_OUT;
	}
	origin = memory_format("%s:0x%llx", program->path, (unsigned long long)offset);
	if (!(ends.at_exits && !program_ends_may_jump(program->program_ends)) && !selection_has_probe(probes->selection, event, origin)) {
		program->functions++; /* except those whose exits are probed for another reason */
		program->at_exits += ends.at_exits;
	}
	status = find_arguments(probes, program, call, arguments, offset);
	if (status == 0)
		status = make_of_function(probes, program, origin, &ends, call);
	free(ends.exits);
	free(origin);
	return status;
}

static int make_at(struct probes *probes, const struct probed *program, const struct ends *ends, const struct call *call)
{
	char *origin = memory_format("%s:0x%llx", program->path, (unsigned long long)ends->start);
	int status = make_of_function(probes, program, origin, ends, call);

	free(origin);
	return status;
}

/* Probes an instruction of the function at `begin`; its event is `start`. */
static int probe_instruction(struct probes *probes, struct probed *program, struct call *call, const char *arguments, uint64_t begin, uint64_t behind)
{
	struct ends ends = {0};

	if (lookup_instruction(probes->lookup, program->path, call->function, begin, behind, &ends.start) < 0 ||
	    find_arguments(probes, program, call, arguments, ends.start) < 0)
		return -1;
	return make_at(probes, program, &ends, call);
}

int probes_instruction(struct probes *probes, const char *binary, const char *place, const char *arguments, const char *event)
{
	uint64_t offset, behind;
	char *path = symbol_binary(binary), *function = memory_text(place, symbol_place(place, &behind));
	struct call call = {.function = function, .start = event, .inside = true};
	struct probed *program;
	int status = path ? lookup_offset(probes->lookup, path, function, &offset) : -1;

	if (status == 0) {
		program = find_program(probes, path);
		status = program ? probe_instruction(probes, program, &call, arguments, offset, behind) : -1;
	} else {
		free(path);
	}
	free(function);
	return status;
}

int probes_entry(struct probes *probes, const char *binary, const char *function, const char *arguments, const char *event)
{
	struct call call = {.function = function, .start = event};
	char *path = symbol_binary(binary);
	struct probed *program;
	struct ends ends = {0};
	int status;

	if (!path || lookup_offset(probes->lookup, path, function, &ends.start) < 0) {
		free(path);
		return -1;
	}
	program = find_program(probes, path);
	status = program ? find_arguments(probes, program, &call, arguments, ends.start) : -1;
	return status < 0 ? -1 : make_at(probes, program, &ends, &call);
}

int probes_function(struct probes *probes, const char *binary, const char *function, const char *arguments, const char *start, const char *end)
{
	struct call call = {.function = function, .start = start, .end = end};
	char *path = symbol_binary(binary);
	struct probed *program;
	uint64_t offset;

	if (!path || lookup_offset(probes->lookup, path, function, &offset) < 0) {
		free(path);
		return -1;
	}
	program = find_program(probes, path);
	return program ? probe_at(probes, program, &call, arguments, offset) : -1;
}

/* --- lines ------------------------------------------------------------------------------------------------------------- */

/*
 * The measured cost of a hit, in nanoseconds: at an instruction that the kernel emulates, and at one that it has to step over; in addition
 * for each step to another place in memory, and for a text; and of a return probe.
 */
enum { COST_EMULATED = 900, COST_STEPPED = 12000, COST_STEP = 100, COST_TEXT = 200, COST_RETURN = 1400 };

int probes_told(struct probes *probes, const char *binary, const char *function, const struct arguments *arguments, const struct argument_found *found,
		const char *event)
{
	struct call call = {.function = function, .start = event, .told = arguments->count > 0, .arguments = *arguments};
	char *path = symbol_binary(binary);
	struct probed *program;
	struct ends ends = {0};

	memcpy(call.found, found, (size_t)arguments->count * sizeof(*found));
	if (!path || lookup_offset(probes->lookup, path, function, &ends.start) < 0) {
		free(path);
		return -1;
	}
	ends.start = instruction_past_entry(path, ends.start, arguments->count == 0);
	program = find_program(probes, path);
	return program ? make_at(probes, program, &ends, &call) : -1;
}

/* Makes a probe at an offset in any file; arguments may be NULL. */
static int make_bare(const char *path, uint64_t offset, const char *event, const char *arguments)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;
	struct place place = {.path = path, .alias = path, .maker = tracefs_uprobe_alloc};
	char alias[32];

	if (fd < 0)
		return fail_errno("cannot open '%s'", path);
	snprintf(alias, sizeof(alias), "/proc/self/fd/%d", fd);
	place.alias = is_plain(path) ? path : alias;
	status = make_one(&place, event, arguments, offset);
	close(fd);
	return status;
}

int probes_bare(const char *path, uint64_t offset, const char *event)
{
	return make_bare(path, instruction_past_entry(path, offset, false), event, NULL);
}

static unsigned cost_of(const struct call *call, const struct ends *ends, bool emulated)
{
	unsigned cost = emulated ? COST_EMULATED : COST_STEPPED;

	for (int i = 0; i < call->arguments.count; i++) {
		const struct argument_found *found = &call->found[i];

		if (!found->absent)
			cost += COST_STEP * found->value.derefs + (found->form >= ARGUMENT_FORM_TEXT ? COST_TEXT : 0);
	}
	return call->end ? cost + (ends->at_exits ? COST_STEPPED : COST_RETURN) : cost;
}

static int check_slow(const struct call *call, const struct probed *program, const struct ends *ends, bool emulated)
{
	if (call->line->slow)
		return 0;
	if (!emulated)
		fail("'%s' of '%s' is not probed: it begins with an instruction that the kernel has to step over, at some %d us a call; --slow-probes",
		     call->function, program->path, COST_STEPPED / 1000);
	else if (call->end && ends->at_exits)
		fail("'%s' of '%s' is not probed: an exception may leave it, so that its end would cost some %d us a call; --slow-probes",
		     call->function, program->path, COST_STEPPED / 1000);
	else
		return 0;
	return PROBES_LEFT_OUT;
}

static int find_leniently(struct probes *probes, const struct probed *program, struct call *call, uint64_t offset, char **why)
{
	const struct probe_line *line = call->line;

	if (!line->arguments)
		return 0;
	if (arguments_parse(line->arguments, &call->arguments) < 0)
		return -1;
	return lookup_arguments_leniently(probes->lookup, program->path, call->function, offset, line->arguments, line->members, call->found, why) < 0
		       ? PROBES_LEFT_OUT
		       : 0;
}

/* The place of a line's probe. Another file may take the program's path while programs are traced, as when a package is installed again. */
static char *origin_of_line(const struct probed *program, uint64_t offset)
{
	struct cached_stat file = {0};

	cached_stat_at(program->path, &file);
	return memory_format("%s:0x%llx:%llu", program->path, (unsigned long long)offset, (unsigned long long)file.inode);
}

static int place_line(struct probes *probes, struct probed *program, struct call *call, uint64_t offset, unsigned *cost, char **why)
{
	struct ends ends;
	char *origin;
	bool emulated;
	int status;

	if (program_ends_find(program->program_ends, call->function, offset, &ends) < 0)
		return PROBES_LEFT_OUT;
	emulated = instruction_is_emulated(program->path, ends.start);
	status = check_slow(call, program, &ends, emulated);
	if (status == 0)
		status = find_leniently(probes, program, call, offset, why);
	if (status == 0) {
		*cost = cost_of(call, &ends, emulated);
		origin = origin_of_line(program, offset);
		program->functions += call->end != NULL;
		program->at_exits += call->end && ends.at_exits;
		status = make_of_function(probes, program, origin, &ends, call);
		free(origin);
	}
	free(ends.exits);
	return status;
}

int probes_line(struct probes *probes, const char *path, const struct probe_line *line, struct member_check *check, unsigned *cost, char **why)
{
	struct call call = {.function = line->function, .start = line->start, .end = line->end, .line = line, .check = check};
	struct probed *program;
	uint64_t offset;

	*why = NULL;
	if (lookup_offset(probes->lookup, path, line->function, &offset) < 0)
		return PROBES_LEFT_OUT;
	program = find_program(probes, memory_text(path, strlen(path)));
	return program ? place_line(probes, program, &call, offset, cost, why) : PROBES_LEFT_OUT;
}

/* --- stacks thrown away ------------------------------------------------------------------------------------------------ */

typedef ARRAY(struct program_ends_switch) switches;

/* Tells whether the place has a probe already, because several programs mostly have the same libraries. */
static bool is_known(const switches *known, const struct program_ends_switch *place)
{
	for (size_t i = 0; i < known->count; i++)
		if (known->items[i].at.offset == place->at.offset && strcmp(known->items[i].path, place->path) == 0)
			return true;
	return false;
}

static int make_switch(const struct program_ends_switch *place, const char *name)
{
	char *arguments = memory_format("from=%%sp:x64 to=%s:x64", place->at.to);
	int status = make_bare(place->path, place->at.offset, name, arguments);

	free(arguments);
	return status;
}

static int add_switches(struct probed *program, switches *known, const char *name)
{
	struct program_ends_switch found[PROGRAM_ENDS_SWITCHES];
	size_t count = program_ends_may_jump(program->program_ends) ? program_ends_switches(program->program_ends, found) : 0;
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

	name_next(probes, name);
	for (size_t i = 0; i < probes->programs.count && status == 0; i++)
		status = add_switches(&probes->programs.items[i], &known, name);
	if (known.count && status == 0)
		selection_add_probe(probes->selection, UNWIND_EVENT, name, UNWIND_EVENT);
	for (size_t i = 0; i < known.count; i++)
		free(known.items[i].path);
	free(known.items);
	return status;
}

/* --- programs that may load what throws ------------------------------------------------------------------------------ */

static bool is_at_risk(const struct probed *program)
{
	return program_ends_may_load(program->program_ends) && program->functions > program->at_exits;
}

bool probes_at_risk(const struct probes *probes)
{
	for (size_t i = 0; i < probes->programs.count; i++)
		if (is_at_risk(&probes->programs.items[i]))
			return true;
	return false;
}

/* Tells whether the event in tracefs has probes of this program. */
static bool is_of(const struct selected *selected, const char *path)
{
	const struct selected *first = selected->parts.count ? selected->parts.items[0] : selected;
	size_t length = strlen(path);

	return first->origin && strncmp(first->origin, path, length) == 0 && first->origin[length] == ':';
}

static int turn(const struct probes *probes, struct tracefs_instance *instance, const struct probed *program, const char *on)
{
	for (size_t i = selection_count(probes->selection); i-- > 0;) { /* from the last on: return probes, which do the harm, come after entries */
		const struct selected *selected = selection_at(probes->selection, i);

		if (!(selected->flags & SELECT_PARTIAL) && is_of(selected, program->path) &&
		    tracefs_event_file_write(instance, selected->system, selected->name, "enable", on) < 0)
			return fail_errno("cannot turn the probes of '%s' on or off", program->path);
	}
	return 0;
}

static void gate_events(const struct probes *probes, const struct probed *program, struct tracefs_instance *instance)
{
	for (size_t i = selection_count(probes->selection); i-- > 0;) {
		const struct selected *selected = selection_at(probes->selection, i);
		char *folder, *enable;

		if (selected->flags & SELECT_PARTIAL || !is_of(selected, program->path))
			continue;
		folder = tracefs_instance_get_file(instance, "events");
		enable = memory_format("%s/%s/%s/enable", folder, selected->system, selected->name);
		gate_add_event(probes->gate, program->gate, enable);
		free(enable);
		tracefs_put_tracing_file(folder);
	}
}

size_t probes_gate(struct probes *probes, struct gate *gate, struct tracefs_instance *instance)
{
	size_t gated = 0;

	probes->gate = gate;
	for (size_t i = 0; i < probes->programs.count; i++) {
		struct probed *program = &probes->programs.items[i];
		char *needs[PROGRAM_ENDS_NEEDS];
		struct cached_stat file;
		size_t count;

		if (!is_at_risk(program) || !cached_stat_at(program->path, &file))
			continue;
		count = program_ends_needs(program->program_ends, needs);
		if (count) {
			program->gated = true;
			program->gate = gate_add(gate, &file);
			gate_events(probes, program, instance);
			gated++;
		}
		while (count-- > 0) {
			gate_watch(gate, needs[count]);
			free(needs[count]);
		}
	}
	return gated;
}

static void tell_off(struct probed *program, probes_say *say)
{
	program->off = true;
	say("'%s' has loaded a library that throws, so its functions are traced no more", program->path);
}

/* 1: its probes were off; 0: it loaded nothing new; -1 after fail(). */
static int look_at(struct probes *probes, struct tracefs_instance *instance, struct probed *program, const int32_t *tids, size_t count,
		   probes_say *say)
{
	struct lookup *lookup;

	if (program->off || !is_at_risk(program))
		return 0;
	if (program->gated && gate_closed(probes->gate, program->gate)) {
		tell_off(program, say);
		return 1;
	}
	if (!program_ends_has_new(program->program_ends, tids, count))
		return 0;
	if (turn(probes, instance, program, "0") < 0)
		return -1;
	lookup = lookup_new(NULL); /* another thread may be asking probes->lookup */
	if (program_ends_has_loaded(program->program_ends, lookup))
		tell_off(program, say);
	lookup_free(lookup);
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

int probes_ungate(struct probes *probes, probes_say *say)
{
	int off = 0;

	for (size_t i = 0; i < probes->programs.count; i++) {
		struct probed *program = &probes->programs.items[i];

		if (!program->gated || program->off)
			continue;
		program->off = true;
		say("the process tailblame-gate was stopped or killed, so functions of '%s' are traced no more", program->path);
		off++;
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
		if (program->at_exits && !program->lands && program_ends_may_jump(program->program_ends))
			say("'%s': where its exceptions are caught cannot be seen; calls that they leave seem to go on", program->path);
		if (is_at_risk(program))
			say("'%s' may load libraries: if it loads one that throws, its functions are traced no more", program->path);
		if (program->left_out)
			say("'%s': %zu functions were left out, because their code does not show all places where they return",
			    program->path, program->left_out);
	}
}
