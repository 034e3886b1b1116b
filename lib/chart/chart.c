#include "chart/chart.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "chart/method.h"
#include "program/argument.h"
#include "program/coroutine.h"
#include "program/demangle.h"
#include "program/symbol.h"
#include "stream/fields.h"
#include "stream/line.h"

enum { INCLUDE_DEPTH_MAX = 4, CHART_INTERVAL_LEAST = 1000000 };

/* A definition while it is read. */
struct parser {
	struct chart *chart;
	ARRAY(struct chart_event) events;
	struct line definition;
	int depth; /* of includes */
};

typedef int line_reader(struct parser *parser, const struct fields *fields);

static line_reader read_chart, read_start, read_end, read_drop, read_arm, read_count, read_call, read_context, read_include;
static int read_lines(struct parser *parser, const char *text, const char *source);

static const struct line_kind {
	const char *name;
	const char *keys; /* the keys that it may have, each with a space behind it */
	line_reader *read;
} line_kinds[] = {
	{"chart", "name title nest first each calls common bursts shortest method interval least binary function arguments build ", read_chart},
	{"start", "event probe filter where key length depth tid split show instead ", read_start},
	{"end", "event probe filter where key length whole depth to instead ", read_end},
	{"drop", "event filter key length ", read_drop},
	{"arm", "event filter key ", read_arm},
	{"count", "event filter failed tid split ", read_count},
	{"call", "event filter ", read_call},
	{"context", "event filter ", read_context},
	{"include", "name ", read_include},
};

/* Reads how a chart counts, if it does. */
static int read_rate(struct chart *chart, const struct fields *fields)
{
	const struct field *interval = fields_find(fields, "interval");
	char *name = fields_copy(fields, "method");

	chart->interval = NSEC_PER_SEC;
	chart->least = 1;
	if (name)
		chart->method = method_find(name);
	if (name && !chart->method) {
		free(name);
		return -1;
	}
	free(name);
	if (chart->method && !chart->method->plots->rates)
		return fail("method= of a chart is one for rates, such as p or u; --method says how latencies are judged");
	if (interval && number_duration(interval->value, interval->value_length, &chart->interval) < 0)
		return -1;
	if (chart->interval < CHART_INTERVAL_LEAST)
		return fail("interval= must be a millisecond or more");
	return fields_unsigned(fields, "least", &chart->least) < 0 ? -1 : 0;
}

/* "yes" or "no", which is the default. */
static int read_choice(const struct fields *fields, const char *key, bool *choice)
{
	*choice = fields_is(fields, key, "yes");
	return !*choice && fields_find(fields, key) && !fields_is(fields, key, "no") ? fail("%s= must be yes or no", key) : 0;
}

static int read_chart(struct parser *parser, const struct fields *fields)
{
	const struct field *shortest = fields_find(fields, "shortest");
	struct chart *chart = parser->chart;

	if (chart->name)
		return fail("a second chart line");
	chart->name = fields_copy(fields, "name");
	if (!chart->name || !*chart->name)
		return fail("the chart has no name=");
	chart->title = fields_copy(fields, "title");
	if (!chart->title)
		chart->title = memory_text(chart->name, strlen(chart->name));
	chart->binary = fields_copy(fields, "binary");
	chart->function = fields_copy(fields, "function");
	chart->arguments = fields_copy(fields, "arguments");
	chart->build = fields_copy(fields, "build");
	if (read_choice(fields, "nest", &chart->nest) < 0 || read_choice(fields, "first", &chart->first) < 0 ||
	    read_choice(fields, "each", &chart->each) < 0 || read_choice(fields, "calls", &chart->calls) < 0 ||
	    read_choice(fields, "common", &chart->common) < 0 || read_choice(fields, "bursts", &chart->bursts) < 0)
		return -1;
	if (shortest && number_duration(shortest->value, shortest->value_length, &chart->shortest) < 0)
		return -1;
	return read_rate(chart, fields);
}

/* Cuts "a,b,c" into names. -1 after fail(): there are too many, or one is empty. */
static int read_names(const struct fields *fields, const char *key, char **names, int most, int *count)
{
	char *text = fields_copy(fields, key), *rest = text, *name;

	while ((name = strsep(&rest, ","))) {
		if (*name && *count < most) {
			names[(*count)++] = memory_text(name, strlen(name));
			continue;
		}
		if (*name)
			fail("%s= names more than %d fields", key, most);
		else
			fail("%s= has an empty name", key);
		free(text);
		return -1;
	}
	free(text);
	return 0;
}

/* A stand-in may name several events, by a '*' at its end. */
static bool is_event_name(const char *text, bool instead)
{
	const char *colon = text ? strchr(text, ':') : NULL, *star = text ? strchr(text, '*') : NULL;

	return colon && colon > text && colon[1] && !strchr(colon + 1, ':') && !strpbrk(text, " \t/?") &&
	       (!star || (instead && star > colon && !star[1]));
}

/* Reads an event line of any role. The event is in the array before it is checked, so that an error leaves it to be freed with the others. */
static int read_event(struct parser *parser, enum chart_role role, const struct fields *fields)
{
	struct chart_event *event = ARRAY_ADD(&parser->events);

	*event = (struct chart_event){.role = role, .required = role != CHART_CONTEXT};
	event->event = fields_copy(fields, "event");
	event->filter = fields_copy(fields, "filter");
	event->failed = fields_copy(fields, "failed");
	event->length = fields_copy(fields, "length");
	event->depth = fields_copy(fields, "depth");
	event->to = fields_copy(fields, "to");
	event->tid = fields_copy(fields, "tid");
	event->instead = fields_copy(fields, "instead");
	event->where = fields_copy(fields, "where");
	event->probe = fields_copy(fields, "probe");
	if (!is_event_name(event->event, event->instead))
		return fail("event= must be SYSTEM:NAME");
	if (read_names(fields, "key", event->key, CHART_KEYS_MAX, &event->keys) < 0 ||
	    read_names(fields, "split", event->split, CHART_KEYS_MAX, &event->splits) < 0 ||
	    read_names(fields, "show", event->show, CHART_SHOWS_MAX, &event->shows) < 0)
		return -1;
	if (read_choice(fields, "whole", &event->whole) < 0)
		return -1;
	if (event->whole && !event->length)
		return fail("whole= needs length=");
	if (event->depth && event->length)
		return fail("an event with length= has no depth=");
	if (event->to && !event->depth)
		return fail("to= needs depth=, from where on starts are ended");
	if (event->length && !event->keys)
		return fail("length= needs key=, whose last field is where the range begins");
	return 0;
}

static int read_start(struct parser *parser, const struct fields *fields)
{
	return read_event(parser, CHART_START, fields);
}

static int read_end(struct parser *parser, const struct fields *fields)
{
	return read_event(parser, CHART_END, fields);
}

static int read_drop(struct parser *parser, const struct fields *fields)
{
	return read_event(parser, CHART_DROP, fields);
}

static int read_arm(struct parser *parser, const struct fields *fields)
{
	return read_event(parser, CHART_ARM, fields);
}

static int read_count(struct parser *parser, const struct fields *fields)
{
	return read_event(parser, CHART_COUNT, fields);
}

static int read_call(struct parser *parser, const struct fields *fields)
{
	return read_event(parser, CHART_CALL, fields);
}

static int read_context(struct parser *parser, const struct fields *fields)
{
	return read_event(parser, CHART_CONTEXT, fields);
}

static int read_include(struct parser *parser, const struct fields *fields)
{
	char *name = fields_copy(fields, "name"), *place = NULL, *path = NULL, *text = NULL;
	size_t size;
	int status = -1;

	if (!name || !*name || strchr(name, '/')) {
		fail("include needs name=, a file charts/NAME.context");
	} else if (parser->depth >= INCLUDE_DEPTH_MAX) {
		fail("includes nest too deep");
	} else {
		place = memory_format("charts/%s.context", name);
		path = file_shipped(place);
		text = path ? file_read(path, &size) : NULL;
		if (text) {
			parser->depth++;
			status = read_lines(parser, text, path);
			parser->depth--;
		}
	}
	free(text);
	free(path);
	free(place);
	free(name);
	return status;
}

/* Tells whether `list` has this word. A space follows each word of the list. */
static bool in_list(const char *list, const char *word, size_t length)
{
	for (const char *at = list; *at; at = strchr(at, ' ') + 1)
		if (!strncmp(at, word, length) && at[length] == ' ')
			return true;
	return false;
}

static int read_line(struct parser *parser, const char *text, size_t length)
{
	struct fields fields;
	const struct line_kind *kind = line_kinds, *end = line_kinds + sizeof(line_kinds) / sizeof(*line_kinds);

	if (fields_parse(&fields, text, length) < 0)
		return -1;
	while (kind < end && (strlen(kind->name) != fields.kind_length || memcmp(kind->name, fields.kind, fields.kind_length)))
		kind++;
	if (kind == end)
		return fail("unknown kind of line '%.*s'; there are chart, start, end, drop, arm, count, call, context, include",
			    (int)fields.kind_length, fields.kind);
	for (int i = 0; i < fields.count; i++)
		if (!in_list(kind->keys, fields.item[i].key, fields.item[i].key_length))
			return fail("unknown key '%.*s' in a line of kind '%s'; there are %s",
				    (int)fields.item[i].key_length, fields.item[i].key, kind->name, kind->keys);
	if (kind->read != read_include) {
		line_append(&parser->definition, text, length);
		line_append(&parser->definition, "\n", 1);
	}
	return kind->read(parser, &fields);
}

static int read_lines(struct parser *parser, const char *text, const char *source)
{
	for (int number = 1; *text; number++) {
		size_t length = strcspn(text, "\n"), blank = strspn(text, " \t\r");

		if (blank < length && text[blank] != '#' && read_line(parser, text + blank, length - blank) < 0)
			return fail("%s:%d: %s", source, number, fail_text());
		text += length + (text[length] == '\n');
	}
	return 0;
}

/* Checks that all events of a chart that pairs have the same number of key fields, and that all or none have a length. */
static int check_keys(const struct chart *chart)
{
	const struct chart_event *first = NULL;

	for (const struct chart_event *event = chart->events; event < chart->events + chart->count; event++) {
		if (event->role >= CHART_COUNT)
			continue;
		if (!first)
			first = event;
		if (event->keys != first->keys)
			return fail("event %s has %d key fields, %s has %d", event->event, event->keys, first->event,
				    first->keys);
		if (event->role != CHART_ARM && !event->length != !first->length)
			return fail("only one of the events %s and %s has length=", event->event, first->event);
	}
	return 0;
}

/* Checks a chart that counts: what it counts must fit its method. */
static int check_counts(const struct chart *chart, const int count[])
{
	if (chart->shortest)
		return fail("chart '%s' counts, so it has no shortest=", chart->name);
	if (chart->common || chart->bursts)
		return fail("chart '%s' counts, so it has no %s=", chart->name, chart->common ? "common" : "bursts");
	if (chart->first || chart->each)
		return fail("chart '%s' counts, so it has no %s=", chart->name, chart->first ? "first" : "each");
	if (!chart->method)
		return fail("chart '%s' counts, so its chart line needs method=, such as p or u", chart->name);
	if (count[CHART_START] + count[CHART_END] + count[CHART_DROP] + count[CHART_ARM] > 0)
		return fail("chart '%s' counts, so it has no start, end, drop or arm lines", chart->name);
	for (const struct chart_event *event = chart->events; event < chart->events + chart->count; event++)
		if (event->role == CHART_COUNT && !event->failed == chart->method->is_share)
			return fail("chart '%s': method %s %s", chart->name, chart->method->name,
				    event->failed ? "counts all events: leave out failed=" :
						    "needs failed=, which of the events count");
	return 0;
}

static bool has_event(const struct chart *chart, enum chart_role role, const char *name, size_t length)
{
	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].role == role && strlen(chart->events[i].event) == length && !strncmp(chart->events[i].event, name, length))
			return true;
	return false;
}

/* Checks that `instead` names the events of other lines of its role. */
static int check_stand_in(const struct chart *chart, const struct chart_event *event)
{
	for (const char *name = event->instead; name && *name;) {
		size_t length = strcspn(name, ",");

		if ((strlen(event->event) == length && !strncmp(event->event, name, length)) || !has_event(chart, event->role, name, length))
			return fail("instead=%s is no event of another %s line", event->instead, event->role == CHART_START ? "start" : "end");
		name += length + (name[length] == ',');
	}
	return 0;
}

static int check_events(const struct chart *chart)
{
	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].probe && !chart->binary)
			return fail("chart '%s': probe= needs binary= in the chart line", chart->name);
		else if (check_stand_in(chart, &chart->events[i]) < 0)
			return -1;
	return 0;
}

static bool has_length(const struct chart *chart)
{
	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].length)
			return true;
	return false;
}

static int check_chart(const struct chart *chart)
{
	int count[CHART_CONTEXT + 1] = {0};

	if (!chart->name)
		return fail("no chart line");
	for (int i = 0; i < chart->count; i++)
		count[chart->events[i].role]++;
	if (count[CHART_COUNT] > 0)
		return check_counts(chart, count);
	if (count[CHART_CALL] > 0 && (chart->first || chart->each))
		return fail("chart '%s' has call lines, so it has no %s=", chart->name, chart->first ? "first" : "each");
	if (count[CHART_CALL] > 0)
		return count[CHART_START] + count[CHART_END] + count[CHART_DROP] + count[CHART_ARM] + (chart->method != NULL) > 0
			       ? fail("chart '%s' has call lines, so it has no method=, and no start, end, drop or arm lines", chart->name)
			       : 0;
	if (chart->method)
		return fail("chart '%s' has a method for rates, but no count line", chart->name);
	if (chart->first && (chart->nest || has_length(chart)))
		return fail("chart '%s' has first=, so it has no nest= and no length=", chart->name);
	if (!count[CHART_START] || !count[CHART_END])
		return fail("chart '%s' needs a start and an end line, or a count or call line", chart->name);
	return check_keys(chart) < 0 ? -1 : check_events(chart);
}

static struct chart *parse(const char *text, const char *source, bool whole)
{
	struct parser parser = {.chart = NEW(struct chart)};
	int status = read_lines(&parser, text, source);

	parser.chart->definition = parser.definition.text;
	parser.chart->events = parser.events.items;
	parser.chart->count = (int)parser.events.count;
	if (status == 0 && whole && check_chart(parser.chart) < 0)
		status = fail_prefix("%s", source);
	if (status == 0)
		return parser.chart;
	chart_free(parser.chart);
	return NULL;
}

struct chart *chart_parse(const char *text, const char *source)
{
	return parse(text, source, true);
}

struct chart *chart_of_context(const char *name)
{
	struct line line = {0};
	struct chart *chart;

	line_begin(&line, "include");
	line_text(&line, "name", name);
	chart = parse(line.text, name, false);
	line_free(&line);
	return chart;
}

struct chart *chart_recorded(const struct fields *record)
{
	char *definition = fields_copy(record, "definition");
	struct chart *chart = definition ? chart_parse(definition, "chart record") : NULL;

	if (!definition)
		fail("a chart record needs a definition");
	free(definition);
	if (!chart)
		return NULL;
	chart->collected = true;
	chart->asked = fields_is(record, "asked", "yes");
	return chart;
}

static void free_event(struct chart_event *event)
{
	free(event->event);
	free(event->filter);
	free(event->failed);
	free(event->length);
	free(event->depth);
	free(event->to);
	free(event->tid);
	free(event->instead);
	free(event->where);
	free(event->probe);
	for (int i = 0; i < CHART_KEYS_MAX; i++)
		free(event->key[i]), free(event->split[i]);
	for (int i = 0; i < CHART_SHOWS_MAX; i++)
		free(event->show[i]);
}

char *chart_called(const struct chart *chart)
{
	const char *slash = strrchr(chart->binary, '/');
	char *ramp = coroutine_ramp(chart->function), *function = ramp ? demangle(ramp) : NULL, *name;

	function = function ? function : demangle_whole(chart->function);
	name = memory_format("%s:%s", slash ? slash + 1 : chart->binary, function);
	free(function);
	free(ramp);
	return name;
}

const char *chart_event_name(const struct chart *chart, enum chart_role role)
{
	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].role == role)
			return chart->events[i].event;
	return NULL;
}

bool chart_has_keys(const struct chart *chart)
{
	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].splits > 0)
			return true;
	return false;
}

void chart_set_build(struct chart *chart, const char *build)
{
	size_t line = strcspn(chart->definition, "\n");
	char *whole = memory_format("%.*s build=%s%s", (int)line, chart->definition, build, chart->definition + line);

	free(chart->definition);
	chart->definition = whole;
	free(chart->build);
	chart->build = memory_text(build, strlen(build));
}

void chart_forget_context(struct chart *chart)
{
	int kept = 0;

	for (int i = 0; i < chart->count; i++)
		if (chart->events[i].role == CHART_CONTEXT)
			free_event(&chart->events[i]);
		else
			chart->events[kept++] = chart->events[i];
	chart->events = memory_grow(chart->events, (size_t)kept, sizeof(*chart->events));
	chart->count = kept;
	free(chart->definition);
	chart->definition = NULL;
}

void chart_free(struct chart *chart)
{
	if (!chart)
		return;
	for (int i = 0; i < chart->count; i++)
		free_event(&chart->events[i]);
	free(chart->events);
	free(chart->name);
	free(chart->title);
	free(chart->definition);
	free(chart->binary);
	free(chart->function);
	free(chart->arguments);
	free(chart->build);
	free(chart);
}

/* Where charts come from: shipped files, a user's own, functions. */

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

/* Frees the name. Returns it with a number that tells it from names of other texts (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/). */
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

/* The function's part of its events' names. It has a number if letters do not tell it from others, such as operator< from operator>. */
static char *function_event(const char *function)
{
	char *name = sanitised(function, FUNCTION_MAX);
	bool told = strlen(function) <= FUNCTION_MAX;

	for (size_t i = 0; told && function[i]; i++)
		told = function[i] == '_' || function[i] == ':' || name[i] != '_';
	return told ? name : numbered(name, function);
}

/* The lines behind the first. An instruction has no end, so it is counted; its event has another system, so no graph takes it for a call. */
static char *function_lines(const char *prefix, const char *suffix, const char *show, bool instruction)
{
	static const char context[] = "include name=wake\ninclude name=sleep\ninclude name=io\n";

	return instruction ? memory_format("\ncount event=point:%s__%s\n%s", prefix, suffix, context)
			   : memory_format("\nstart event=func:%s__%s depth=sp%s\nend event=func:%s__%s__return depth=sp\n"
					   "end event=func:unwind depth=from to=to\n%s", prefix, suffix, show, prefix, suffix, context);
}

static struct chart *make_of_function(const char *binary, const char *function, const char *arguments, const char *show)
{
	const char *base = basename(binary);
	uint64_t offset;
	bool instruction = symbol_place(function, &offset) > 0;
	char *prefix = binary_event(base), *suffix = function_event(function);
	char *shown = demangle_whole(function), *title = memory_format("%s of %s in %s", instruction ? "passes" : "calls", shown, base);
	char *name = memory_format("%s:%s:%s", instruction ? "point" : "func", base, function);
	char *events = function_lines(prefix, suffix, show, instruction);
	struct line text = {0};
	struct chart *chart = NULL;

	if (*base && *function) {
		line_begin(&text, "chart");
		line_text(&text, "name", name);
		line_text(&text, "title", title);
		line_text(&text, instruction ? "method" : "nest", instruction ? "laney-u" : "yes");
		line_text(&text, "binary", binary);
		line_text(&text, "function", function);
		if (arguments)
			line_text(&text, "arguments", arguments);
		line_append(&text, events, strlen(events));
		chart = chart_parse(text.text, name);
	} else {
		fail("a function is charted as func:BINARY:FUNCTION, or func:BINARY:FUNCTION(ARGUMENT,...)");
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

/* " show=a,b" with the arguments that are known when the call begins; "": none. NULL after fail(). */
static char *shown_arguments(const char *text)
{
	struct arguments arguments = {0};
	struct line shown = {0};

	if (text && arguments_parse(text, &arguments) < 0)
		return NULL;
	line_append(&shown, "", 0);
	for (int i = 0; i < arguments.count; i++)
		if (arguments.items[i].base != ARGUMENT_RESULT) {
			const char *before = shown.length ? "," : " show=", *label = arguments.items[i].label;

			line_append(&shown, before, strlen(before));
			line_append(&shown, label, strlen(label));
		}
	return shown.text;
}

struct chart *chart_of_function(const char *binary, const char *function, const char *arguments)
{
	char *show = shown_arguments(arguments);
	struct chart *chart = show ? make_of_function(binary, function, arguments, show) : NULL;

	free(show);
	return chart;
}

/* The names of the shipped charts, for a message; "" if there are none. */
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

void chart_split_probe(const char *text, char **function, char **arguments)
{
	size_t length = strlen(text);
	const char *in = arguments_in(text, &length);

	*function = memory_text(text, length);
	*arguments = in ? memory_text(in, strlen(in) - 1) : NULL;
}

char *chart_probe_event(const char *system, const char *binary, const char *function)
{
	const char *slash = strrchr(binary, '/');
	char *prefix = binary_event(slash ? slash + 1 : binary), *suffix = function_event(function);
	char *event = memory_format("%s:%s__%s", system, prefix, suffix);

	free(suffix);
	free(prefix);
	return event;
}

/* "BINARY:FUNCTION", "BINARY:FUNCTION(EXPR,...)" */
static struct chart *load_function(const char *text)
{
	char *name, *arguments;
	const char *colon;
	struct chart *chart;
	char *binary;

	chart_split_probe(text, &name, &arguments);
	colon = symbol_colon(name);
	binary = colon > name ? memory_text(name, (size_t)(colon - name)) : memory_text("", 0);
	chart = chart_of_function(binary, colon ? colon + 1 : "", arguments);
	free(binary);
	free(arguments);
	free(name);
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
