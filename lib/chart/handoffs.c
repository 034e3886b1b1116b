#include "chart/handoffs.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "chart/chart.h"
#include "program/argument.h"
#include "program/symbol.h"

static const char prefix[] = "func:";

static bool is_handoff(const struct rule *rule)
{
	return rule->kind == RULE_HANDOFF;
}

static bool ends_call(const struct rule_event *event)
{
	static const char suffix[] = "__return";
	size_t length = strlen(event->name), tail = sizeof(suffix) - 1;

	return length > tail && strcmp(event->name + length - tail, suffix) == 0;
}

static int check(const struct rule *rule)
{
	if (!rule->from.chart || !rule->to.chart)
		return fail("%s: the value that is handed over must be an argument of a function: func:BINARY:FUNCTION(EXPR)", rule->place);
	if (ends_call(&rule->to))
		return fail("%s: the value that a call takes over must be known when the call begins, but '%s' is known at its end", rule->place, rule->to.chart);
	return 0;
}

int handoffs_read(struct handoffs *handoffs, const char *path)
{
	size_t before = handoffs->semantics.rules.count;

	if (semantics_read(&handoffs->semantics, path) < 0)
		return -1;
	for (size_t i = before; i < handoffs->semantics.rules.count; i++)
		if (is_handoff(&handoffs->semantics.rules.items[i]) && check(&handoffs->semantics.rules.items[i]) < 0)
			return -1;
	return 0;
}

/* Tells whether both texts name charts of one function. */
static bool is_same(const char *a, const char *b)
{
	char *function, *other, *arguments, *others;
	bool same;

	if (strncmp(a, prefix, strlen(prefix)) != 0)
		return false;
	chart_split_probe(a, &function, &arguments);
	chart_split_probe(b, &other, &others);
	same = strcmp(function, other) == 0;
	free(function);
	free(other);
	free(arguments);
	free(others);
	return same;
}

/* The chart's text with the argument of the other added, unless it has one of that label. The caller frees it. */
static char *joined(const char *chart, const char *more)
{
	struct arguments known = {0}, added = {0};
	char *function, *arguments, *wanted, *all;

	chart_split_probe(chart, &function, &arguments);
	free(function);
	chart_split_probe(more, &function, &wanted);
	if (arguments && arguments_parse(arguments, &known) == 0 && arguments_parse(wanted, &added) == 0)
		for (int i = 0; i < known.count; i++)
			if (strcmp(known.items[i].label, added.items[0].label) == 0) {
				free(wanted);
				wanted = NULL;
				break;
			}
	all = memory_format("%s(%s%s%s)", function, arguments ? arguments : "", arguments && wanted ? "," : "", wanted ? wanted : "");
	free(function);
	free(arguments);
	free(wanted);
	return all;
}

static int name(struct handoffs *handoffs, struct option_list *charts, const char *wanted)
{
	for (int i = 0; i < charts->count; i++)
		if (is_same(charts->items[i], wanted)) {
			char *all = joined(charts->items[i], wanted);

			*ARRAY_ADD(&handoffs->charts) = all;
			charts->items[i] = all;
			return 0;
		}
	charts->items = memory_grow(charts->items, (size_t)charts->count + 1, sizeof(*charts->items));
	charts->items[charts->count++] = wanted;
	return 1;
}

int handoffs_name(struct handoffs *handoffs, struct option_list *charts)
{
	int added = 0;

	for (size_t i = 0; i < handoffs->semantics.rules.count; i++) {
		const struct rule *rule = &handoffs->semantics.rules.items[i];

		if (is_handoff(rule)) {
			added += name(handoffs, charts, rule->from.chart);
			added += name(handoffs, charts, rule->to.chart);
		}
	}
	return added;
}

static char *path_of(const char *text)
{
	struct chart *chart = chart_load(text);
	char *path = chart ? symbol_binary(chart->binary) : NULL;

	chart_free(chart);
	return path;
}

/* Tells whether both functions are of one program: an address or a number then means the same thing only within a process. */
static bool is_of_one_program(const struct rule *rule)
{
	char *from = path_of(rule->from.chart), *to = path_of(rule->to.chart);
	bool one = from && to && strcmp(from, to) == 0;

	free(from);
	free(to);
	return one;
}

int handoffs_write(const struct handoffs *handoffs, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	for (size_t i = 0; i < handoffs->semantics.rules.count && status == 0; i++) {
		const struct rule *rule = &handoffs->semantics.rules.items[i];

		if (!is_handoff(rule))
			continue;
		line_begin(&line, kind_name(KIND_HANDOFF));
		line_text(&line, "from", rule->from.name);
		line_text(&line, "from_key", rule->from.key);
		line_text(&line, "to", rule->to.name);
		line_text(&line, "to_key", rule->to.key);
		if (!is_of_one_program(rule))
			line_text(&line, "process", "any");
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

void handoffs_free(struct handoffs *handoffs)
{
	semantics_free(&handoffs->semantics);
	for (size_t i = 0; i < handoffs->charts.count; i++)
		free(handoffs->charts.items[i]);
	free(handoffs->charts.items);
}
