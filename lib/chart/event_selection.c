#include "chart/event_selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "state/state_file.h"

/* Events that a chart measures are required; events that it keeps as context are not. */
static int want_chart_event(struct selection *selection, const struct chart_event *event)
{
	unsigned flags = event->required ? SELECT_REQUIRED : 0;

	if (event->instead) /* occurs in saved traces only */
		return 0;
	if (event->role != CHART_START && event->role != CHART_COUNT && event->role != CHART_CALL)
		flags |= SELECT_CONTEXT;
	if (event->role != CHART_CONTEXT)
		flags |= SELECT_STREAMED;
	return selection_add(selection, event->event, event->filter, event->tid, flags);
}

/* Tells the bound on the cost which events go when the chart is shed. */
static void want_parts(struct cost *cost, const struct chart *chart)
{
	for (int i = 0; cost && i < chart->count; i++)
		if (!chart->events[i].instead)
			cost_want(cost, chart->name, chart->events[i].event, chart->events[i].role != CHART_CONTEXT);
}

/* Adds probes at the function entries that are events of a chart. */
static int want_entries(struct probes *probes, const struct chart *chart)
{
	char *function, *arguments;
	int status = 0;

	for (int i = 0; i < chart->count && status == 0; i++) {
		if (!chart->events[i].probe)
			continue;
		chart_split_probe(chart->events[i].probe, &function, &arguments);
		status = probes_entry(probes, chart->binary, function, arguments, chart->events[i].event);
		free(arguments);
		free(function);
	}
	return status;
}

/* Adds the probes of a chart: at its function or, if it counts, its instruction; or at the entries of functions. */
static int want_probes(struct probes *probes, const struct chart *chart)
{
	const char *counted = chart_event_name(chart, CHART_COUNT);

	if (!chart->function)
		return want_entries(probes, chart);
	return counted ? probes_instruction(probes, chart->binary, chart->function, chart->arguments, counted)
		       : probes_function(probes, chart->binary, chart->function, chart->arguments, chart_event_name(chart, CHART_START),
					 chart_event_name(chart, CHART_END));
}

int event_selection_add_chart(struct selection *selection, struct probes *probes, struct cost *cost, const struct chart *chart)
{
	int status = chart->binary ? want_probes(probes, chart) : 0;

	if (status != 0)
		return status;
	want_parts(cost, chart);
	for (int i = 0; i < chart->count; i++) {
		if (chart->binary && chart->events[i].role != CHART_CONTEXT && (chart->function || chart->events[i].probe))
			continue;
		if (want_chart_event(selection, &chart->events[i]) < 0)
			return fail_prefix("chart '%s'", chart->name);
	}
	return 0;
}

/* Tells whether a context has this event. The context's filter then holds, whatever else names the event. */
static bool has_event(const struct chart *context, const char *event)
{
	for (int i = 0; i < context->count; i++)
		if (strcmp(context->events[i].event, event) == 0)
			return true;
	return false;
}

static int want_context(struct selection *selection, const struct chart *context)
{
	for (int i = 0; i < context->count; i++)
		if (selection_add(selection, context->events[i].event, context->events[i].filter, NULL, SELECT_CONTEXT | SELECT_STREAMED) < 0)
			return -1;
	return 0;
}

/* Adds the events of a state file's lines that no context has. */
static int want_rules(struct selection *selection, const struct state_file *file, struct chart *const *contexts)
{
	for (size_t i = 0; i < file->rules.count; i++) {
		const char *event = file->rules.items[i]->type->name;
		size_t n = 0;

		while (n < file->includes.count && !has_event(contexts[n], event))
			n++;
		if (n == file->includes.count && selection_add(selection, event, NULL, NULL, SELECT_STREAMED) < 0)
			return -1;
	}
	return 0;
}

static int want_probe_lines(struct probe_lines *lines, const struct state_file *file)
{
	for (size_t i = 0; i < file->layouts.count; i++)
		probe_lines_members(lines, file->layouts.items[i].text, file->layouts.items[i].members, i == 0);
	for (size_t i = 0; i < file->probes.count; i++) {
		const struct state_probe *probe = &file->probes.items[i];

		if (probe_lines_add(lines, probe->function, probe->binaries, probe->arguments, probe->returns) < 0)
			return -1;
	}
	return 0;
}

static int want_file(struct selection *selection, struct probe_lines *lines, const struct state_file *file)
{
	struct chart **contexts = memory_new(file->includes.count + 1, sizeof(*contexts));
	int status = want_probe_lines(lines, file);

	for (size_t i = 0; i < file->includes.count && status == 0; i++) {
		contexts[i] = chart_of_context(file->includes.items[i]);
		status = contexts[i] ? want_context(selection, contexts[i]) : -1;
	}
	if (status == 0)
		status = want_rules(selection, file, contexts);
	for (size_t i = 0; i < file->includes.count; i++)
		chart_free(contexts[i]);
	free(contexts);
	return status;
}

int event_selection_add_states(struct selection *selection, struct probe_lines *lines, const char *name)
{
	struct stream *none = stream_create();
	struct events *types = events_new(none);
	struct state_file *file = state_file_load(name, types);
	int status = file ? want_file(selection, lines, file) : -1;

	state_file_free(file);
	stream_close(none);
	events_free(types);
	return status;
}
