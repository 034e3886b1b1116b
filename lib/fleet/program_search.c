#include "fleet/program_search.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/proc.h"
#include "run/job.h"
#include "source/exec_probe.h"

enum { LINE_ROOM = 64 << 10, COMM_ROOM = 64, PROGRAMS_MOST = JOB_WORDS - 1, SEEN_MOST = 1024 };

typedef ARRAY(char *) name_list;

struct program_search {
	const char *url;
	const struct permission *permission;
	struct exec_probe *probe; /* NULL: not available, or no longer needed */
	bool looked;		  /* all running programs were looked at; the probe tells of later ones */
	name_list named, fitting; /* programs whose whole names the machine's file has, and programs that fit a pattern there */
	char *programs;
};

struct program_search *program_search_new(const char *url, const struct permission *permission)
{
	struct program_search *search = NEW(struct program_search);

	search->url = url;
	search->permission = permission;
	search->probe = exec_probe_open();
	search->programs = memory_text("", 0);
	return search;
}

static void free_names(name_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
}

void program_search_free(struct program_search *search)
{
	if (!search)
		return;
	exec_probe_close(search->probe);
	free_names(&search->named);
	free_names(&search->fitting);
	free(search->programs);
	free(search);
}

static bool is_of_name(unsigned char c)
{
	return c >= 0x80 || isalnum(c) || c == '-' || c == '_';
}

/* Tells whether a longer host name goes on here: example.org.uk is not example.org, although a name may end in a dot. */
static bool goes_on(const char *at, const char *end)
{
	if (at < end && *at == '.')
		at++;
	return at < end && is_of_name((unsigned char)*at);
}

bool program_search_is_named(const char *url, const char *line, size_t length)
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

/* Adds a program if it may be recorded and is not in the list. */
static void add(struct program_search *search, const char *program)
{
	name_list *list = permission_names(search->permission, program) ? &search->named : &search->fitting;

	if (!permission_covers(search->permission, program) || list->count == SEEN_MOST)
		return;
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i], program))
			return;
	*ARRAY_ADD(list) = memory_text(program, strlen(program));
}

/* Joins the first PROGRAMS_MOST names. */
static void spell(struct program_search *search)
{
	for (size_t i = 0; i < search->named.count + search->fitting.count && i < PROGRAMS_MOST; i++) {
		const char *program = i < search->named.count ? search->named.items[i] : search->fitting.items[i - search->named.count];
		char *longer = memory_format("%s%s%s", search->programs, *search->programs ? " " : "", program);

		free(search->programs);
		search->programs = longer;
	}
}

size_t program_search_left_out(const struct program_search *search)
{
	size_t count = search->named.count + search->fitting.count;

	return count > PROGRAMS_MOST ? count - PROGRAMS_MOST : 0;
}

static void began(void *context, const struct exec_seen *seen)
{
	struct program_search *search = context;

	if (program_search_is_named(search->url, seen->line, seen->length))
		add(search, seen->comm);
}

static void look_at_all(struct program_search *search)
{
	char *line = memory_new(LINE_ROOM, 1), comm[COMM_ROOM];
	DIR *processes = opendir("/proc");
	const struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		int32_t id = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;
		ssize_t length = id > 0 && id != getpid() ? proc_read(id, "cmdline", line, LINE_ROOM) : -1;

		if (length <= 0 || !program_search_is_named(search->url, line, (size_t)length))
			continue;
		proc_comm(id, comm, sizeof(comm));
		add(search, comm);
	}
	if (processes)
		closedir(processes);
	free(line);
}

const char *program_search_look(struct program_search *search)
{
	if (*search->programs)
		return search->programs;
	if (!search->looked || !search->probe)
		look_at_all(search);
	search->looked = true;
	if (search->probe)
		exec_probe_take(search->probe, began, search);
	spell(search);
	if (*search->programs) {
		exec_probe_close(search->probe);
		search->probe = NULL;
	}
	return search->programs;
}
