#include "chart/requests.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/proc.h"
#include "program/argument.h"
#include "program/executable.h"
#include "program/lookup_program.h"
#include "program/symbol.h"
#include "source/connection_sides.h"
#include "source/process.h"
#include "source/program_reader.h"
#include "stream/fields.h"
#include "stream/line.h"

enum { PATH_ROOM = 4096 };

/* --- a line of the table -------------------------------------------------------------------------------------------------- */

/* The entry of a function as a line of a chart: "start event=... probe=...". */
static void append_probe(struct line *text, const char *role, const char *path, const char *probe)
{
	struct line line = {0};
	char *function, *arguments, *event;

	chart_split_probe(probe, &function, &arguments);
	event = chart_probe_event("point", path, function);
	line_begin(&line, role);
	line_text(&line, "event", event);
	line_text(&line, "probe", probe);
	line_append(text, "\n", 1);
	line_append(text, line.text, line.length);
	line_free(&line);
	free(event);
	free(arguments);
	free(function);
}

/* Appends the table's own value of this key to the chart's line. */
static void append_key(struct line *text, const struct fields *line, const char *key)
{
	char *value = fields_copy(line, key);

	if (value)
		line_text(text, key, value);
	free(value);
}

static struct chart *chart_of_span(const struct fields *line, const char *path, const char *begin, const char *end)
{
	static const char context[] = "\ninclude name=wake\ninclude name=sleep\ninclude name=io\n";
	char *name = memory_format("requests:%s", basename(path)), *title = memory_format("requests of %s", basename(path));
	struct line text = {0};
	struct chart *chart;

	line_begin(&text, "chart");
	line_text(&text, "name", name);
	line_text(&text, "title", title);
	line_text(&text, "binary", path);
	append_probe(&text, "start", path, begin);
	append_key(&text, line, "key");
	append_key(&text, line, "where");
	append_key(&text, line, "show");
	append_probe(&text, "end", path, end);
	append_key(&text, line, "key");
	line_append(&text, context, strlen(context));
	chart = chart_parse(text.text, name);
	line_free(&text);
	free(title);
	free(name);
	return chart;
}

static struct chart *chart_of_calls(const char *path, const char *calls)
{
	char *function, *arguments;
	struct chart *chart;

	chart_split_probe(calls, &function, &arguments);
	chart = chart_of_function(path, function, arguments);
	free(arguments);
	free(function);
	return chart;
}

/* The chart of one line, for a program at this path; NULL after fail(). The functions are not looked up. */
static struct chart *requests_chart(const struct fields *line, const char *path)
{
	char *calls = fields_copy(line, "calls"), *begin = fields_copy(line, "begin"), *end = fields_copy(line, "end");
	struct chart *chart = NULL;

	if (calls && !begin && !end)
		chart = chart_of_calls(path, calls);
	else if (!calls && begin && end)
		chart = chart_of_span(line, path, begin, end);
	else
		fail("a request has calls=, or begin= and end=");
	free(end);
	free(begin);
	free(calls);
	return chart;
}

static bool names_program(const struct fields *line, const char *program)
{
	char *names = fields_copy(line, "program"), *rest = names, *name;
	bool found = false;

	while (!found && (name = strsep(&rest, ",")))
		found = fnmatch(name, program, 0) == 0;
	free(names);
	return found;
}

/* --- whether a program has what a chart needs --------------------------------------------------------------------------------- */

static bool has_function(struct lookup *lookup, const char *path, const char *function, const char *text)
{
	struct argument_found found[ARGUMENTS_MAX];
	struct arguments arguments;
	uint64_t offset;

	if (lookup_offset(lookup, path, function, &offset) < 0)
		return false;
	return !text || (arguments_parse(text, &arguments) == 0 &&
			 lookup_arguments(lookup, path, function, offset, true, text, found) == arguments.count);
}

static bool has_probe(struct lookup *lookup, const char *path, const char *probe)
{
	char *function, *arguments;
	bool has;

	chart_split_probe(probe, &function, &arguments);
	has = has_function(lookup, path, function, arguments);
	free(arguments);
	free(function);
	return has;
}

static bool has_all(struct lookup *lookup, const struct chart *chart)
{
	if (chart->function)
		return has_function(lookup, chart->binary, chart->function, chart->arguments);
	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].probe && !has_probe(lookup, chart->binary, chart->events[i].probe))
			return false;
	return true;
}

/* --- the table ------------------------------------------------------------------------------------------------------------ */

struct search {
	struct lookup *lookup;
	requests_say *say;
	struct requests_found *found;
	ARRAY(char *) seen; /* paths of programs */
	const char *program; /* the current program: the name of its file, and the path to probe */
	const char *path;
	bool is_turned; /* the chart of turns was added */
};

/* Adds this line's chart of the current program. 1; 0: it names another program, or functions that this lacks; -1 after fail(): it is faulty. */
static int take_line(struct search *search, const char *text, size_t length)
{
	struct fields line;
	struct chart *chart;

	if (fields_parse(&line, text, length) < 0)
		return -1;
	if (line.kind_length != strlen("request") || strncmp(line.kind, "request", line.kind_length) != 0)
		return fail("unknown kind of line '%.*s'; there is request", (int)line.kind_length, line.kind);
	if (!names_program(&line, search->program))
		return 0;
	chart = requests_chart(&line, search->path);
	if (!chart)
		return -1;
	if (!has_all(search->lookup, chart)) {
		chart_free(chart);
		return 0;
	}
	*ARRAY_ADD(&search->found->charts) = chart;
	return 1;
}

static int take_file(struct search *search, const char *path)
{
	char *text = file_read(path, NULL), *rest = text, *line;
	int status = text ? 0 : -1;

	for (int number = 1; status == 0 && (line = strsep(&rest, "\n")); number++) {
		line += strspn(line, " \t\r");
		status = *line && *line != '#' ? take_line(search, line, strlen(line)) : 0;
		if (status < 0)
			fail("%s:%d: %s", path, number, fail_text());
	}
	free(text);
	return status;
}

/* As take_line(), with the first line that fits, of all files in the order of their names. */
static int take_table(struct search *search)
{
	char *folder = file_shipped("charts/requests"), *pattern = folder ? memory_format("%s/*.requests", folder) : NULL;
	glob_t files = {0};
	int status = 0;

	if (pattern && glob(pattern, 0, NULL, &files) == 0)
		for (size_t i = 0; status == 0 && i < files.gl_pathc; i++)
			status = take_file(search, files.gl_pathv[i]);
	globfree(&files);
	free(pattern);
	free(folder);
	return status;
}

/* --- programs ----------------------------------------------------------------------------------------------------------------- */

static void say_known(const struct search *search, const struct chart *chart)
{
	const char *begin = NULL, *end = NULL;

	for (int i = 0; i < chart->count; i++) {
		const char *probe = chart->events[i].probe;

		if (probe && chart->events[i].role == CHART_START)
			begin = probe;
		else if (probe)
			end = probe;
	}
	if (begin && end)
		search->say("requests of '%s': from %.*s to %.*s", search->program, (int)strcspn(begin, "("), begin, (int)strcspn(end, "("), end);
	else
		search->say("requests of '%s': calls of %s", search->program, chart->function);
}

static int add_turns(struct search *search)
{
	struct chart *chart;

	search->say("requests of '%s': its functions are not known, so a request is what it receives on a connection until it has answered", search->program);
	if (search->is_turned)
		return 0;
	search->is_turned = true;
	chart = chart_load("turn");
	if (!chart)
		return -1;
	*ARRAY_ADD(&search->found->charts) = chart;
	return 0;
}

static bool is_seen(struct search *search, const char *path)
{
	for (size_t i = 0; i < search->seen.count; i++)
		if (strcmp(search->seen.items[i], path) == 0)
			return true;
	*ARRAY_ADD(&search->seen) = memory_text(path, strlen(path));
	return false;
}

/* Adds the chart of a program's requests. `serves`: it serves connections, or is yet to begin and may serve some. */
static int take_program(struct search *search, const char *program, const char *path, bool serves)
{
	int status;

	search->program = program;
	search->path = path;
	status = take_table(search);
	if (status > 0)
		say_known(search, search->found->charts.items[search->found->charts.count - 1]);
	if (status != 0)
		return status < 0 ? -1 : 0;
	if (serves)
		return add_turns(search);
	search->say("requests of '%s': none are known, and it serves no connection", program);
	return 0;
}

/* If a program has several names, as Debian's redis-server is redis-check-rdb, returns the path with the name that the process has. Frees `path`. */
static char *take_alias(int32_t pid, const struct stat *file, char *path)
{
	char comm[32], *alias;

	proc_comm(pid, comm, sizeof(comm));
	if (!*comm || strchr(comm, '/') || strcmp(comm, basename(path)) == 0)
		return path;
	alias = memory_format("%.*s%s", (int)(basename(path) - path), path, comm);
	if (executable_is_at(file, alias)) {
		free(path);
		return alias;
	}
	free(alias);
	return path;
}

/* Takes a process' program, unless it was taken already. */
static int take_process(struct search *search, int32_t pid, bool serves)
{
	char seen[PATH_ROOM], *path;
	struct stat file;
	bool deleted, own;
	int status;

	if (!proc_exe(pid, seen, sizeof(seen), &deleted) || executable_find(pid, &file) < 0)
		return 0;
	path = executable_path(pid, &file, seen);
	own = strncmp(path, "/proc/", strlen("/proc/")) == 0;
	if (!own)
		path = take_alias(pid, &file, path);
	status = is_seen(search, seen) ? 0 : take_program(search, basename(own ? seen : path), path, serves);
	free(path);
	return status;
}

static bool read_program(void *reader, struct program *program, int32_t pid)
{
	int64_t read;

	return reader && program_reader_read(reader, program, &read, pid, pid);
}

/* Takes a program that is yet to begin. */
static int take_future(struct search *search, const char *name)
{
	char *path = symbol_binary(name);
	int status = path && is_seen(search, path) ? 0 : take_program(search, basename(path ? path : name), path ? path : name, true);

	free(path);
	return status;
}

static int take_processes(struct search *search, const struct process *process)
{
	int status = 0;

	/* of the processes of one program, those that serve connections come first */
	for (int32_t tid = 1; status == 0 && process->members && tid < PROCESS_TIDS; tid++)
		if (process_has(process, tid) && serves_connections(tid))
			status = take_process(search, tid, true);
	for (int32_t tid = 1; status == 0 && process->members && tid < PROCESS_TIDS; tid++)
		if (process_has(process, tid))
			status = take_process(search, tid, false);
	return status;
}

static int take_name(struct search *search, struct program_reader *reader, const char *name)
{
	struct process process = {0};
	int status;

	process_choose(&process, name);
	if (process_follow_chosen(&process, read_program, reader) > 0)
		status = take_processes(search, &process);
	else
		status = take_future(search, name);
	process_free(&process);
	return status;
}

static int take_all(struct search *search, const struct requests_of *of, struct program_reader *reader)
{
	struct process process = {0};
	int status = 0;

	for (size_t i = 0; status == 0 && i < of->pid_count; i++)
		status = of->pids[i] > 0 ? process_follow(&process, of->pids[i]) : 0;
	if (status == 0)
		status = take_processes(search, &process);
	for (size_t i = 0; status == 0 && i < of->name_count; i++)
		status = take_name(search, reader, of->names[i]);
	if (status == 0 && of->command)
		status = take_future(search, of->command);
	process_free(&process);
	return status;
}

int requests_find(const struct requests_of *of, struct lookup *lookup, requests_say *say, struct requests_found *found)
{
	const struct trace_clock clock = {.name = "mono", .id = CLOCK_MONOTONIC, .stats = -1};
	struct search search = {.lookup = lookup, .say = say, .found = found};
	struct program_reader *reader = of->name_count ? program_reader_start(&clock) : NULL;
	int status = of->name_count && !reader ? -1 : take_all(&search, of, reader);

	program_reader_end(reader);
	for (size_t i = 0; i < search.seen.count; i++)
		free(search.seen.items[i]);
	free(search.seen.items);
	if (status == 0 && found->charts.count == 0)
		status = fail("nothing is known of requests: name their function with func:BINARY:FUNCTION, or take another chart");
	return status;
}
