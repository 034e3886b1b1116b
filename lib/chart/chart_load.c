/* Where charts come from: shipped files, a user's own, functions. */
#include "chart/chart.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "program/demangle.h"
#include "program/symbol.h"
#include "stream/line.h"

/* Together they are shorter than the longest name of an event that format_read() takes. */
enum { BINARY_MAX = 64, FUNCTION_MAX = 120 };

/* A name as the kernel takes it for an event: letters, digits and '_'. */
static char *sanitised(const char *text, size_t most)
{
	char *name = memory_text(text, strnlen(text, most));

	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) || (unsigned char)*at > 127)
			*at = '_';
	return name;
}

/* Takes over the name. A number tells it from others that are made of another text (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/). */
static char *numbered(char *name, const char *text)
{
	uint32_t number = 2166136261u;
	char *whole;

	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		number = (number ^ *at) * 16777619u;
	whole = memory_format("%s_%08x", name, number);
	free(name);
	return whole;
}

static char *binary_event(const char *base)
{
	char *name = sanitised(base, BINARY_MAX);

	return strlen(base) > BINARY_MAX ? numbered(name, base) : name;
}

/* The function's part of its events' names. What remains of operator< and operator> is the same. */
static char *function_event(const char *function)
{
	char *name = sanitised(function, FUNCTION_MAX);
	bool told = strlen(function) <= FUNCTION_MAX;

	for (size_t i = 0; told && function[i]; i++)
		told = function[i] == '_' || function[i] == ':' || name[i] != '_';
	return told ? name : numbered(name, function);
}

struct chart *chart_of_function(const char *binary, const char *function)
{
	const char *slash = strrchr(binary, '/'), *base = slash ? slash + 1 : binary;
	char *prefix = binary_event(base), *suffix = function_event(function);
	char *shown = demangle_whole(function), *title = memory_format("calls of %s in %s", shown, base);
	char *name = memory_format("func:%s:%s", base, function);
	char *events = memory_format("\nstart event=func:%s__%s depth=sp\nend event=func:%s__%s__return depth=sp\n"
				     "end event=func:unwind depth=from to=to\ninclude name=wake\ninclude name=sleep\ninclude name=io\n", prefix, suffix, prefix, suffix);
	struct line text = {0};
	struct chart *chart = NULL;

	if (*base && *function) {
		line_begin(&text, "chart");
		line_text(&text, "name", name);
		line_text(&text, "title", title);
		line_text(&text, "nest", "yes");
		line_text(&text, "binary", binary);
		line_text(&text, "function", function);
		line_append(&text, events, strlen(events));
		chart = chart_parse(text.text, name);
	} else {
		fail("a function is charted as func:BINARY:FUNCTION");
	}
	line_free(&text);
	free(events);
	free(shown);
	free(title);
	free(name);
	free(suffix);
	free(prefix);
	return chart;
}

/* The shipped charts by name, for the message about one that is not there; "" where none are found. */
static char *shipped_names(void)
{
	char *block = file_shipped("charts/block.chart"), *slash = block ? strrchr(block, '/') : NULL;
	char *pattern = slash ? memory_format("%.*s/*.chart", (int)(slash - block), block) : NULL;
	struct line names = {0};
	glob_t found = {0};

	if (pattern && glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *base = strrchr(found.gl_pathv[i], '/') + 1;

			line_append(&names, base, strlen(base) - strlen(".chart"));
			line_append(&names, ", ", 2);
		}
	line_append(&names, "", 0);
	globfree(&found);
	free(pattern);
	free(block);
	return names.text ? names.text : memory_text("", 0);
}

/* "func:BINARY:FUNCTION" */
static struct chart *load_function(const char *name)
{
	const char *colon = symbol_colon(name);
	char *binary = colon > name ? memory_text(name, (size_t)(colon - name)) : memory_text("", 0);
	struct chart *chart = chart_of_function(binary, colon ? colon + 1 : "");

	free(binary);
	return chart;
}

static struct chart *load_file(const char *path)
{
	size_t size;
	char *text = file_read(path, &size);
	struct chart *chart = text ? chart_parse(text, path) : NULL;

	free(text);
	return chart;
}

static struct chart *load_shipped(const char *name)
{
	char *place = memory_format("charts/%s.chart", name), *path = file_shipped(place), *names;
	struct chart *chart = path ? load_file(path) : NULL;

	if (!path) {
		names = shipped_names();
		fail("unknown chart '%s'; there are %sfunc:BINARY:FUNCTION, or the path of a chart file", name, names);
		free(names);
	}
	free(path);
	free(place);
	return chart;
}

struct chart *chart_load(const char *name)
{
	size_t length = strlen(name);

	if (!strncmp(name, "func:", 5))
		return load_function(name + 5);
	if (strchr(name, '/') || (length > 6 && !strcmp(name + length - 6, ".chart")))
		return load_file(name);
	return load_shipped(name);
}
