#include "chart/coroutines.h"

#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "program/argument.h"
#include "program/coroutine.h"
#include "program/demangle.h"
#include "program/lookup_program.h"
#include "program/symbol.h"

static const char prefix[] = "func:";

/* A program and its actors. */
struct binary {
	char *name, *path;
	struct symbol_names actors;
};

typedef ARRAY(struct binary) binaries;

static struct binary *find_binary(binaries *known, struct lookup *lookup, const char *name, size_t length)
{
	struct binary *binary;

	for (size_t i = 0; i < known->count; i++)
		if (strlen(known->items[i].name) == length && memcmp(known->items[i].name, name, length) == 0)
			return &known->items[i];
	binary = ARRAY_ADD(known);
	*binary = (struct binary){.name = memory_text(name, length)};
	binary->path = symbol_binary(binary->name);
	if (binary->path)
		lookup_matching(lookup, binary->path, COROUTINE_ACTORS, &binary->actors); /* most have none */
	return binary;
}

/* Tells whether the function, as it is charted, is this ramp. */
static bool is_ramp(const char *function, const char *ramp)
{
	char *plain = demangle(ramp);
	bool is = strcmp(function, ramp) == 0 || (plain && strcmp(function, plain) == 0);

	free(plain);
	return is;
}

static bool can_tell(struct lookup *lookup, const char *path, const char *actor)
{
	struct argument_found found[ARGUMENTS_MAX];
	uint64_t offset;

	return lookup_offset(lookup, path, actor, &offset) == 0 && lookup_arguments(lookup, path, actor, offset, true, COROUTINE_ARGUMENTS, found) > 0;
}

static void name_actors(struct coroutines *coroutines, struct lookup *lookup, const struct binary *binary, const char *function)
{
	for (size_t i = 0; i < binary->actors.count; i++) {
		char *ramp = coroutine_ramp(binary->actors.items[i]);
		bool is = ramp && is_ramp(function, ramp);

		free(ramp);
		if (is && can_tell(lookup, binary->path, binary->actors.items[i]))
			*ARRAY_ADD(&coroutines->charts) = memory_format("%s%s:%s(%s)", prefix, binary->name, binary->actors.items[i], COROUTINE_ARGUMENTS);
		else
			coroutines->nameless |= is;
	}
}

static void forget(binaries *known)
{
	for (size_t i = 0; i < known->count; i++) {
		for (size_t n = 0; n < known->items[i].actors.count; n++)
			free(known->items[i].actors.items[n]);
		free(known->items[i].actors.items);
		free(known->items[i].name);
		free(known->items[i].path);
	}
	free(known->items);
}

void coroutines_name(struct coroutines *coroutines, struct lookup *lookup, struct option_list *charts)
{
	binaries known = {0};

	for (int i = 0; i < charts->count; i++) {
		char *name, *arguments;
		const char *colon;

		if (strncmp(charts->items[i], prefix, strlen(prefix)) != 0)
			continue;
		chart_split_probe(charts->items[i] + strlen(prefix), &name, &arguments);
		colon = symbol_colon(name);
		if (colon)
			name_actors(coroutines, lookup, find_binary(&known, lookup, name, (size_t)(colon - name)), colon + 1);
		free(name);
		free(arguments);
	}
	forget(&known);
	if (coroutines->charts.count == 0)
		return;
	charts->items = memory_grow(charts->items, (size_t)charts->count + coroutines->charts.count, sizeof(*charts->items));
	for (size_t i = 0; i < coroutines->charts.count; i++)
		charts->items[charts->count++] = coroutines->charts.items[i];
}

int coroutines_write(const struct coroutines *coroutines, struct stream *stream)
{
	struct line line = {0};
	int status = 0;

	for (size_t i = 0; i < coroutines->charts.count && status == 0; i++) {
		struct chart *chart = chart_load(coroutines->charts.items[i]);

		if (!chart) {
			status = -1;
			break;
		}
		line_begin(&line, kind_name(KIND_HANDOFF));
		line_text(&line, "from", chart->events[0].event);
		line_text(&line, "from_key", "frame");
		line_text(&line, "to", chart->events[0].event);
		line_text(&line, "to_key", "frame");
		line_text(&line, "again", "again");
		status = stream_write_line(stream, &line);
		chart_free(chart);
	}
	line_free(&line);
	return status;
}

void coroutines_free(struct coroutines *coroutines)
{
	for (size_t i = 0; i < coroutines->charts.count; i++)
		free(coroutines->charts.items[i]);
	free(coroutines->charts.items);
}
