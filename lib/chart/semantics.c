#include "chart/semantics.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "chart/chart.h"
#include "program/argument.h"
#include "program/symbol.h"
#include "stream/fields.h"

static void free_rule(struct rule *rule)
{
	free(rule->from.name);
	free(rule->from.key);
	free(rule->from.chart);
	free(rule->to.name);
	free(rule->to.key);
	free(rule->to.chart);
	free(rule->from_name);
	free(rule->to_name);
	free(rule->syscall);
	free(rule->object);
	free(rule->function);
	free(rule->line);
	free(rule->place);
}

/* BINARY:FUNCTION or BINARY:FUNCTION(EXPR): the events are those of its chart, which need not be made for that. */
static int read_function(const char *text, struct rule_event *event)
{
	char *function, *expression, *begin;
	struct arguments arguments = {0};
	const char *colon;
	int status = 0;
	uint64_t offset;

	chart_split_probe(text, &function, &expression);
	colon = symbol_colon(function);
	if (!colon || colon == function || !colon[1])
		status = fail("'func:%s' is no event: it is func:BINARY:FUNCTION(EXPR) or SYSTEM:EVENT(FIELD)", text);
	else if (expression && arguments_parse(expression, &arguments) < 0)
		status = -1;
	else if (arguments.count > 1)
		status = fail("'func:%s' has several keys; an event has one at most", text);
	if (status == 0) {
		char *binary = memory_text(function, (size_t)(colon - function));

		begin = chart_probe_event(symbol_place(colon + 1, &offset) ? "point" : "func", binary, colon + 1);
		event->name = arguments.count && arguments.items[0].base == ARGUMENT_RESULT ? memory_format("%s__return", begin) : memory_text(begin, strlen(begin));
		event->key = arguments.count ? memory_text(arguments.items[0].label, strlen(arguments.items[0].label)) : NULL;
		free(begin);
		free(binary);
	}
	free(expression);
	free(function);
	return status;
}

/* SYSTEM:EVENT or SYSTEM:EVENT(FIELD) */
static int read_plain(const char *text, struct rule_event *event)
{
	size_t name = strcspn(text, "("), length = strlen(text);
	bool has_key = name < length;

	if (!memchr(text, ':', name) || (has_key && (text[length - 1] != ')' || length < name + 3)))
		return fail("'%s' is no event: it is func:BINARY:FUNCTION(EXPR) or SYSTEM:EVENT(FIELD)", text);
	event->name = memory_text(text, name);
	event->key = has_key ? memory_text(text + name + 1, length - name - 2) : NULL;
	return 0;
}

bool rule_event_is_of_task(const struct rule_event *event)
{
	static const char system[] = "async:";

	return event->name && strncmp(event->name, system, strlen(system)) == 0;
}

static int read_event(const struct fields *fields, const char *key, struct rule_event *event)
{
	char *text = fields_copy(fields, key);
	int status;

	if (!text)
		return fail("%s= is missing", key);
	if (strncmp(text, "func:", 5) == 0) {
		event->chart = text;
		return read_function(text + strlen("func:"), event);
	}
	status = read_plain(text, event);
	free(text);
	return status;
}

static int read_boundary(const struct fields *fields, struct rule *rule)
{
	return read_event(fields, "event", &rule->from);
}

static int read_edge(const struct fields *fields, struct rule *rule)
{
	if (read_event(fields, "from", &rule->from) < 0 || read_event(fields, "to", &rule->to) < 0)
		return -1;
	return !rule->from.key == !rule->to.key ? 0 : fail("both events of an edge have a key, or none has");
}

static int read_handoff(const struct fields *fields, struct rule *rule)
{
	if (read_edge(fields, rule) < 0)
		return -1;
	return rule->from.key ? 0 : fail("the events of a handoff have a key each");
}

static int read_for(const struct fields *fields, struct rule *rule)
{
	if (read_event(fields, "event", &rule->from) < 0)
		return -1;
	if (!rule->from.key || !fields_is(fields, "process", rule->from.key))
		return fail("process= is the event's key: a number of a process");
	return 0;
}

static int read_flag(const struct fields *fields, struct rule *rule)
{
	rule->from_name = fields_copy(fields, "name");
	return rule->from_name ? 0 : fail("name= is missing");
}

static int read_names(const struct fields *fields, struct rule *rule)
{
	rule->from_name = fields_copy(fields, "from");
	rule->to_name = fields_copy(fields, "to");
	rule->syscall = fields_copy(fields, "syscall");
	rule->object = fields_copy(fields, "object");
	rule->function = fields_copy(fields, "function");
	return rule->from_name && rule->to_name ? 0 : fail("from= and to= are needed");
}

static const struct {
	const char *name;
	const char *keys[6];
	int (*read)(const struct fields *fields, struct rule *rule);
} kinds[] = {
	[RULE_BOUNDARY] = {"boundary", {"event"}, read_boundary},
	[RULE_EDGE] = {"edge", {"from", "to"}, read_edge},
	[RULE_FOR] = {"for", {"event", "process"}, read_for},
	[RULE_HANDOFF] = {"handoff", {"from", "to"}, read_handoff},
	[RULE_FLAG] = {"flag", {"name"}, read_flag},
	[RULE_CUT] = {"cut", {"from", "to", "syscall", "object", "function"}, read_names},
	[RULE_JOIN] = {"join", {"from", "to"}, read_names},
};
enum { KINDS_OF_RULES = sizeof(kinds) / sizeof(kinds[0]) };

static int check_keys(const struct fields *fields, enum rule_kind kind)
{
	for (int i = 0; i < fields->count; i++) {
		const struct field *field = &fields->item[i];
		bool known = false;

		for (const char *const *key = kinds[kind].keys; *key && !known; key++)
			known = strlen(*key) == field->key_length && !strncmp(*key, field->key, field->key_length);
		if (!known)
			return fail("'%s' has no key '%.*s'", kinds[kind].name, (int)(field->key_length < 40 ? field->key_length : 40), field->key);
	}
	return 0;
}

static int read_rule(const struct fields *fields, struct rule *rule)
{
	for (int kind = 0; kind < KINDS_OF_RULES; kind++) {
		if (strlen(kinds[kind].name) != fields->kind_length || strncmp(kinds[kind].name, fields->kind, fields->kind_length) != 0)
			continue;
		rule->kind = (enum rule_kind)kind;
		return check_keys(fields, rule->kind) < 0 ? -1 : kinds[kind].read(fields, rule);
	}
	return fail("a line begins with boundary, edge, handoff, for, flag, cut or join");
}

/* A copy of the line with "value" in place of 'value', because records have double quotes only. The caller frees it. */
static char *with_double_quotes(const char *line)
{
	char *text = memory_new(2 * strlen(line) + 1, 1), *to = text, quote = '\0';

	for (const char *at = line; *at; at++) {
		bool opens = !quote && (*at == '"' || *at == '\'') && at > line && at[-1] == '=';

		if (quote == '\'' && (*at == '"' || *at == '\\'))
			*to++ = '\\';
		if (quote == '"' && *at == '\\' && at[1])
			*to++ = *at++;
		else if (opens || (quote && *at == quote)) {
			quote = opens ? *at : '\0';
			*to++ = '"';
			continue;
		}
		*to++ = *at;
	}
	return text;
}

/* A copy of the line without its comment, from a '#' at its start or behind a blank on, not in quotes; and without blanks at its ends. */
static char *without_comment(const char *line)
{
	char quote = '\0';
	size_t length = 0, first = strspn(line, " \t\r\n");

	line += first;
	for (; line[length] && (quote || line[length] != '#' || (length && !strchr(" \t", line[length - 1]))); length++) {
		if (quote && line[length] == quote)
			quote = '\0';
		else if (!quote && (line[length] == '"' || line[length] == '\''))
			quote = line[length];
	}
	while (length && strchr(" \t\r\n", line[length - 1]))
		length--;
	return memory_text(line, length);
}

int semantics_add(struct semantics *semantics, const char *line, const char *place)
{
	char *bare = without_comment(line), *text = with_double_quotes(bare);
	struct rule rule = {.line = bare, .place = memory_text(place, strlen(place))};
	struct fields fields;
	int status = 0;

	if (*bare) {
		status = fields_parse(&fields, text, strlen(text)) < 0 || read_rule(&fields, &rule) < 0 ? fail_prefix("%s", place) : 0;
	}
	if (*bare && status == 0)
		*ARRAY_ADD(&semantics->rules) = rule;
	else
		free_rule(&rule);
	free(text);
	return status;
}

static int read_file(struct semantics *semantics, const char *path, bool shipped)
{
	size_t before = semantics->rules.count, size;
	char *text = file_read(path, &size), *rest = text, *line;
	int status = text ? 0 : -1;

	if (text && strlen(text) != size)
		status = fail("'%s' is no text: it has a NUL", path);
	for (int number = 1; status == 0 && (line = strsep(&rest, "\n")); number++) {
		char *place = memory_format("%s:%d", path, number);

		status = semantics_add(semantics, line, place);
		free(place);
	}
	for (size_t i = before; i < semantics->rules.count; i++)
		semantics->rules.items[i].shipped = shipped;
	free(text);
	return status;
}

/* The path of a shipped file of this name, which the caller frees; NULL: there is none. */
static char *find_shipped(const char *name)
{
	char *file = memory_format("charts/semantics/%s.semantics", name), *path = strpbrk(name, "./") ? NULL : file_shipped(file);

	free(file);
	return path;
}

int semantics_read(struct semantics *semantics, const char *path)
{
	char *shipped = find_shipped(path);
	int status = read_file(semantics, shipped ? shipped : path, shipped != NULL);

	free(shipped);
	return status;
}

int semantics_choose(struct semantics *semantics, const char *chosen)
{
	bool none = chosen && strcmp(chosen, "none") == 0;
	char *folder = none ? NULL : file_shipped("charts/semantics"), *pattern = folder ? memory_format("%s/*.semantics", folder) : NULL;
	char *twice = chosen && !none ? find_shipped(chosen) : NULL; /* a shipped file is read with the others */
	glob_t files = {0};
	int status = none || folder ? 0 : -1;

	if (pattern && glob(pattern, 0, NULL, &files) == 0)
		for (size_t i = 0; status == 0 && i < files.gl_pathc; i++)
			status = read_file(semantics, files.gl_pathv[i], true);
	globfree(&files);
	free(pattern);
	free(folder);
	if (status == 0 && chosen && !none && !twice)
		status = semantics_read(semantics, chosen);
	free(twice);
	return status;
}

void semantics_drop_last(struct semantics *semantics)
{
	free_rule(&semantics->rules.items[--semantics->rules.count]);
}

bool semantics_has_events(const struct semantics *semantics)
{
	for (size_t i = 0; i < semantics->rules.count; i++)
		if (semantics->rules.items[i].kind == RULE_FLAG ||
		    (!semantics->rules.items[i].shipped && semantics->rules.items[i].from.name && semantics->rules.items[i].kind != RULE_HANDOFF))
			return true;
	return false;
}

size_t semantics_write(const struct semantics *semantics, FILE *out)
{
	size_t count = 0;

	for (size_t i = 0; i < semantics->rules.count; i++) {
		if (semantics->rules.items[i].shipped)
			continue;
		fprintf(out, "%s\n", semantics->rules.items[i].line);
		count++;
	}
	return count;
}

void semantics_free(struct semantics *semantics)
{
	while (semantics->rules.count)
		semantics_drop_last(semantics);
	ARRAY_FREE(&semantics->rules);
}
