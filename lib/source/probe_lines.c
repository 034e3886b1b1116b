#include "source/probe_lines.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/proc.h"
#include "program/argument.h"
#include "program/executable.h"
#include "source/event_writer.h"

struct asked_line {
	char *function, *binaries, *arguments; /* arguments NULL: none */
	char *start, *end;
	bool returns;
};

/* A file that processes execute. */
struct executed {
	dev_t device;
	ino_t inode;
	uint64_t tried; /* a bit for each line whose probes were tried in it */
	struct member_check *check;
};

struct probe_lines {
	struct probes *probes;
	struct selection *selection;
	bool slow;
	probes_say *say;
	ARRAY(struct asked_line) lines;
	char *members;
	ARRAY(struct executed) files;
};

struct probe_lines *probe_lines_new(struct probes *probes, struct selection *selection, bool slow, probes_say *say)
{
	struct probe_lines *lines = NEW(struct probe_lines);

	lines->probes = probes;
	lines->selection = selection;
	lines->slow = slow;
	lines->say = say;
	lines->members = memory_text("", 0);
	return lines;
}

void probe_lines_free(struct probe_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->lines.count; i++) {
		struct asked_line *line = &lines->lines.items[i];

		free(line->function);
		free(line->binaries);
		free(line->arguments);
		free(line->start);
		free(line->end);
	}
	for (size_t i = 0; i < lines->files.count; i++)
		member_check_free(lines->files.items[i].check);
	free(lines->lines.items);
	free(lines->files.items);
	free(lines->members);
	free(lines);
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static char *copy(const char *text)
{
	return text ? memory_text(text, strlen(text)) : NULL;
}

int probe_lines_add(struct probe_lines *lines, const char *function, const char *binaries, const char *arguments, bool returns)
{
	for (size_t i = 0; i < lines->lines.count; i++) {
		struct asked_line *line = &lines->lines.items[i];

		if (strcmp(line->function, function) != 0)
			continue;
		if (!is_same(line->arguments, arguments))
			return fail("two probe lines have the function '%s', but not the same args=", function);
		if (strcmp(line->binaries, binaries) == 0) {
			line->returns |= returns;
			return 0;
		}
	}
	if (lines->lines.count == PROBE_LINES_MAX)
		return fail("there are more than %d probe lines", PROBE_LINES_MAX);
	*ARRAY_ADD(&lines->lines) = (struct asked_line){copy(function), copy(binaries), copy(arguments), memory_format("probe:%s", function),
						  memory_format("probe:%s__return", function), returns};
	return 0;
}

void probe_lines_members(struct probe_lines *lines, const char *text, const char *members, bool new_file)
{
	char *before = lines->members;

	lines->members = memory_format("%s%s%s\t%s\n", before, new_file && *before ? "\n" : "", text, members);
	free(before);
}

/* --- programs ---------------------------------------------------------------------------------------------------------- */

static bool in_list(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; length && *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
			return true;
	return false;
}

/* A bit for each line that names the program of the process. */
static uint64_t lines_of(const struct probe_lines *lines, int32_t pid, char target[PATH_MAX])
{
	const char *slash;
	uint64_t wanted = 0;
	char comm[32];
	bool deleted;

	if (!proc_exe(pid, target, PATH_MAX, &deleted))
		return 0;
	proc_comm(pid, comm, sizeof(comm));
	slash = strrchr(target, '/');
	for (size_t i = 0; i < lines->lines.count; i++) {
		const char *binaries = lines->lines.items[i].binaries;

		wanted |= (uint64_t)(in_list(binaries, comm) || in_list(binaries, slash ? slash + 1 : target)) << i;
	}
	return wanted;
}

/* --- probes ------------------------------------------------------------------------------------------------------------ */

/* The probes that were placed in a file, in words. */
struct outcome {
	char *costs, *why;
	size_t placed;
};

static void note_cost(struct outcome *outcome, const struct asked_line *line, unsigned cost)
{
	char *before = outcome->costs;

	outcome->costs = memory_format("%s%s%s %u.%u us", before ? before : "", before ? ", " : "", line->function, cost / 1000, cost % 1000 / 100);
	outcome->placed++;
	free(before);
}

static int place_one(struct probe_lines *lines, const struct asked_line *line, const char *path, struct member_check *check, struct outcome *outcome)
{
	const struct probe_line probe = {line->function, line->arguments, lines->members, line->start, line->returns ? line->end : NULL, lines->slow};
	unsigned cost = 0;
	char *why;
	int status = probes_line(lines->probes, path, &probe, check, &cost, &why);

	if (status == PROBES_LEFT_OUT)
		lines->say("%s", fail_text());
	if (status == 0)
		note_cost(outcome, line, cost);
	if (status == 0 && !outcome->why)
		outcome->why = why;
	else
		free(why);
	return status < 0 ? -1 : 0;
}

static struct executed *file_of(struct probe_lines *lines, const struct stat *status)
{
	for (size_t i = 0; i < lines->files.count; i++)
		if (lines->files.items[i].device == status->st_dev && lines->files.items[i].inode == status->st_ino)
			return &lines->files.items[i];
	*ARRAY_ADD(&lines->files) = (struct executed){.device = status->st_dev, .inode = status->st_ino};
	return &lines->files.items[lines->files.count - 1];
}

static int place_in(struct probe_lines *lines, struct executed *file, uint64_t wanted, const char *path)
{
	struct outcome outcome = {0};
	int status = 0;

	if (!file->check)
		file->check = member_check_new(path, lines->say);
	file->tried |= wanted;
	for (size_t i = 0; i < lines->lines.count && status == 0; i++)
		if (wanted >> i & 1)
			status = place_one(lines, &lines->lines.items[i], path, file->check, &outcome);
	if (outcome.placed)
		lines->say("'%s': each call costs about: %s", path, outcome.costs);
	if (outcome.why)
		lines->say("'%s': some arguments are left out: %s", path, outcome.why);
	free(outcome.costs);
	free(outcome.why);
	return status;
}

/* Probes the file that the process executes, for each line that names the process, if the line was not tried in this file before. */
static int look_at(struct probe_lines *lines, int32_t pid)
{
	char target[PATH_MAX], *found;
	uint64_t wanted = lines_of(lines, pid, target);
	struct stat exe;
	struct executed *file;
	int status;

	if (!wanted || executable_find(pid, &exe) < 0)
		return 0;
	file = file_of(lines, &exe);
	wanted &= ~file->tried;
	if (!wanted)
		return 0;
	found = executable_path(pid, &exe, target);
	status = place_in(lines, file, wanted, found);
	free(found);
	return status;
}

/* Says so if no process has a name of a line. */
static void say_absent(const struct probe_lines *lines)
{
	if (lines->files.count == 0 && lines->lines.count)
		lines->say("no process is called '%s' yet; one that begins is probed", lines->lines.items[0].binaries);
}

bool probe_lines_wanted(const struct probe_lines *lines)
{
	return lines->lines.count > 0;
}

int probe_lines_place(struct probe_lines *lines)
{
	DIR *folder = lines->lines.count ? opendir("/proc") : NULL;
	size_t before = selection_count(lines->selection);
	const struct dirent *entry;
	bool failed = false;

	while (folder && (entry = readdir(folder)))
		if (atoi(entry->d_name) > 0 && look_at(lines, atoi(entry->d_name)) < 0) {
			lines->say("%s", fail_text());
			failed = true;
		}
	if (folder)
		closedir(folder);
	if (failed && selection_count(lines->selection) == before)
		return fail("no program could be probed");
	say_absent(lines);
	return 0;
}

int probe_lines_began(struct probe_lines *lines, const int32_t *pids, size_t count, struct tracefs_instance *instance, struct stream *stream)
{
	size_t first = selection_count(lines->selection);
	struct selected *selected;
	int status = 0;

	for (size_t i = 0; i < count; i++)
		if (look_at(lines, pids[i]) < 0)
			lines->say("%s", fail_text());
	for (size_t i = first; status == 0 && (selected = selection_at(lines->selection, i)); i++)
		if (selection_enable_late(lines->selection, selected, instance) < 0)
			lines->say("%s", fail_text());
		else
			status = event_writer_format(stream, selected, false);
	return status;
}
