/*
 * state-build: turn events into states: what each thing was, and from when to when.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "event/event.h"
#include "state/history.h"
#include "stream/stage.h"

static struct option_list files;
static const char *history_path;
static uint64_t most = 1000000;
static bool as_text;

static const struct option_entry options[] = {
	{OPTION_LIST, 's', "states", &files, "FILE", "a state file, or the name of one that is shipped; may be given several times"},
	{OPTION_STRING, 'o', "output", &history_path, "HISTORY", "write a history file, not a stream"},
	{OPTION_COUNT, 0, "attributes", &most, "N", "keep at most N attributes (default 1000000)"},
	OPTION_TEXT(&as_text),
	{0},
};

struct build {
	struct stream *stream;
	struct events *events;
	struct state_machine *machine;
	struct history *history; /* NULL: state records go into the stream */
	struct line line;
	uint64_t alarms;
	ARRAY(const struct state_view *) views; /* those of the state files, as loaded for the first host */
	bool told_views; /* this stream has their records already */
	struct host *hosts; /* all hosts of the stream */
};

struct host {
	struct build *build;
	struct events *events;
	size_t number;
	struct host *next;
};

/* Writes a record "view kind path title?" for each view, before the first state or alarm of a stream. */
static int write_views(struct build *build)
{
	int status = 0;

	for (size_t i = 0; i < build->views.count && status == 0 && !build->told_views; i++) {
		const struct state_view *view = build->views.items[i];

		line_begin(&build->line, kind_name(KIND_VIEW));
		line_text(&build->line, "kind", view->kind);
		line_text(&build->line, "path", view->path);
		if (view->title)
			line_text(&build->line, "title", view->title);
		status = stream_write_line(build->stream, &build->line);
	}
	build->told_views = true;
	return status;
}

/* Writes a record "state ts path value? since?". */
static int write_state(struct build *build, uint32_t node, int64_t ts, struct state_value value, const int64_t *since)
{
	char path[STATE_PATH_ROOM], room[STATE_VALUE_ROOM];
	const char *text;
	size_t length;

	if (write_views(build) < 0)
		return -1;
	state_tree_path(state_machine_tree(build->machine), node, path);
	line_begin(&build->line, kind_name(KIND_STATE));
	line_time(&build->line, "ts", ts);
	line_text(&build->line, "path", path);
	text = state_value_spell(value, room, &length);
	if (value.kind != STATE_NULL)
		line_bytes(&build->line, "value", text, length);
	if (since)
		line_time(&build->line, "since", *since);
	return stream_write_line(build->stream, &build->line);
}

static int changed(void *context, uint32_t node, int64_t since, struct state_value before, int64_t ts, struct state_value now)
{
	(void)since;
	(void)before;
	return write_state(context, node, ts, now, NULL);
}

/* Writes null since `from`; since the beginning if `from` is not known. */
static int taken_back(void *context, uint32_t node, int64_t since, struct state_value before, int64_t from, int64_t ts)
{
	struct build *build = context;
	int64_t begin, now;

	(void)since;
	(void)before;
	state_machine_span(build->machine, &begin, &now);
	return write_state(build, node, ts, (struct state_value){0}, from > begin ? &from : &begin);
}

static const struct state_sink records = {changed, taken_back, true};

static int alarm_rings(void *context, const struct state_file *file, const struct event *event, const char *text)
{
	struct build *build = context;

	build->alarms++;
	if (build->history)
		return 0;
	if (write_views(build) < 0)
		return -1;
	line_begin(&build->line, kind_name(KIND_SIGNAL));
	line_unsigned(&build->line, "id", build->alarms);
	line_time(&build->line, "ts", event->ts);
	line_time(&build->line, "start", event->ts);
	line_text(&build->line, "chart", file->name);
	line_integer(&build->line, "value", 0);
	line_text(&build->line, "rules", "state");
	line_integer(&build->line, "tid", event->tid);
	line_text(&build->line, "comm", events_comm(build->events, event->tid));
	line_text(&build->line, "text", text);
	return stream_write_line(build->stream, &build->line);
}

static int record_seen(void *context, const struct record *record)
{
	struct build *build = context;
	const struct fields *fields = NULL;
	char wall[64];

	if (record->kind != KIND_EVENT) {
		fields = stream_fields(build->stream, record);
		if (!fields)
			return -1;
	}
	if (state_machine_record(build->machine, record, fields) < 0)
		return -1;
	if (build->history && record->kind == KIND_STREAM && fields_text(fields, "wall", wall, sizeof(wall)) == 1 &&
	    history_tell(build->history, "wall", wall) < 0)
		return -1;
	return STREAM_PASS;
}

static int stream_over(void *context)
{
	struct build *build = context;
	int status = state_machine_finish(build->machine);

	build->told_views = false;
	return status;
}

static int tell_views(struct history *history, const struct state_file *file, unsigned *number)
{
	for (size_t i = 0; i < file->views.count; i++) {
		const struct state_view *view = &file->views.items[i];
		const char *const facts[][2] = {{"kind", view->kind}, {"path", view->path}, {"title", view->title ? view->title : ""}};

		++*number;
		for (size_t n = 0; n < sizeof(facts) / sizeof(facts[0]); n++) {
			char *key = memory_format("view.%u.%s", *number, facts[n][0]);
			int status = history_tell(history, key, facts[n][1]);

			free(key);
			if (status < 0)
				return -1;
		}
	}
	return 0;
}

/* Loads the state files for the current host. -1 after fail(). */
static int load(struct build *build, bool first)
{
	unsigned views = 0;

	for (int i = 0; i < files.count; i++) {
		struct state_file *file = state_file_load(files.items[i], build->events);

		if (!file)
			return -1;
		state_machine_add(build->machine, file);
		for (size_t n = 0; first && n < file->views.count; n++)
			*ARRAY_ADD(&build->views) = &file->views.items[n];
		if (first && build->history && tell_views(build->history, file, &views) < 0)
			return -1;
	}
	return 0;
}

static int host_seen(void *context, const struct record *record)
{
	const struct host *host = context;

	(void)record;
	host->build->events = host->events;
	state_machine_enter(host->build->machine, host->number);
	return 0;
}

static void add_host(struct build *build, size_t number)
{
	struct host *host = NEW(struct host);

	*host = (struct host){build, build->events, number, build->hosts};
	build->hosts = host;
	stream_watch(build->stream, KIND_HOST, host_seen, host);
}

/* Adds another host of the stream: its events, and the state files for them. NULL after fail(). */
static void *another_host(void *context)
{
	struct build *build = context;

	build->events = events_new(build->stream);
	add_host(build, state_machine_add_host(build->machine, build->events));
	return load(build, false) < 0 ? NULL : build;
}

static void free_hosts(struct build *build)
{
	struct host *host;

	while ((host = build->hosts)) {
		build->hosts = host->next;
		events_free(host->events);
		free(host);
	}
}

/* Warns of changes and events that were left out, which makes the data incomplete, and of states whose events never came. */
static void complain(const struct build *build)
{
	struct state_machine_counts counts = state_machine_counts(build->machine);
	struct state_counts changes = state_attributes_counts(state_machine_attributes(build->machine));
	const struct {
		uint64_t count;
		const char *what;
	} left[] = {
		{changes.refused, "changes were left out, because there are more attributes than --attributes allows"},
		{counts.too_deep, "changes were left out, because their paths have more than 16 components"},
		{counts.older, "events were left out, because they are older than others before them"},
	};

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (left[i].count > 0) {
			warn("%llu %s", (unsigned long long)left[i].count, left[i].what);
			stream_mark_incomplete(build->stream);
		}
	for (const char *name = NULL; (name = state_machine_unseen(build->machine, name));)
		warn("none of the events of states '%s' came; trace-collect -s collects them", name);
}

/* Runs the build, and keeps the history if all went well. Returns the exit status. */
static int run(struct build *build)
{
	static const enum kind kinds[] = {KIND_STREAM, KIND_TASK, KIND_EVENT, KIND_LOST, KIND_TICK};
	struct handlers handlers = {.finish = stream_over, .host = another_host};
	int status;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		handlers.on[kinds[i]] = record_seen;
	status = stream_run(build->stream, &handlers, build);
	if (status == 0)
		complain(build);
	if (status == 0 && build->history)
		status = history_keep(build->history, build->machine);
	if (status < 0) {
		warn("%s", fail_text());
		stream_close(build->stream);
		return EXIT_FAILED;
	}
	status = stream_close(build->stream);
	if (status && *fail_text())
		warn("%s", fail_text());
	return status;
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "turn events into states: what each thing was, and from when to when");
	struct build build = {0};
	int status;

	if (files.count == 0)
		die_usage("a state file is missing: -s FILE");
	if (most == 0 || most > UINT32_MAX / 2)
		die_usage("--attributes must be from 1 to %u", UINT32_MAX / 2);

	/* open */
	build.stream = stream_open(argv + first, argc - first);
	if (!build.stream)
		die("%s", fail_text());
	stage_lets_others_first(build.stream);
	interrupt_defer();
	build.events = events_new(build.stream);
	build.machine = state_machine_new(build.events, most);
	build.history = history_path ? history_new(history_path) : NULL;
	if (history_path && !build.history)
		die("%s", fail_text());
	if (load(&build, true) < 0)
		die("%s", fail_text());
	add_host(&build, 0);
	if (!build.history)
		stream_output(build.stream, STDOUT_FILENO, as_text);
	state_attributes_sink(state_machine_attributes(build.machine), build.history ? &history_sink : &records,
			      build.history ? (void *)build.history : &build);
	state_machine_alarm(build.machine, alarm_rings, &build);
	confine(build.history ? CONFINE_RENAME : CONFINE_NOTHING_ELSE, history_path, argv + first, argc - first);

	/* build */
	status = run(&build);

	/* close */
	if (build.history)
		history_free(build.history);
	state_machine_free(build.machine);
	free_hosts(&build);
	free(build.views.items);
	line_free(&build.line);
	return status;
}
