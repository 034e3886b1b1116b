#include "state/state_file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/suggestions.h"
#include "program/argument.h"
#include "program/members.h"

enum { VALUE_LENGTH_MAX = 4096, FUNCTION_MAX = 120 };

struct parser {
	struct state_file *file;
	struct events *events;
	const char *line; /* the current line */
	int number;
};

static const char *const actions[] = {
	[ACTION_SET] = "set", [ACTION_PUSH] = "push", [ACTION_POP] = "pop", [ACTION_ADD] = "add", [ACTION_CLEAR] = "clear",
};

static const char *const view_kinds[] = {"lanes", "flow", "volume", "rate"};

static void test_free(struct state_test *test)
{
	state_logic_free(test->condition);
	for (size_t n = 0; n < test->operands.count; n++)
		state_template_free(&test->operands.items[n]);
	free(test->operands.items);
}

/* The lines that span-build reads. */
static void free_span_lines(struct state_file *file)
{
	for (size_t i = 0; i < file->units.count; i++) {
		free(file->units.items[i].name);
		test_free(&file->units.items[i].test);
		state_template_free(&file->units.items[i].request);
		state_template_free(&file->units.items[i].fd);
		state_template_free(&file->units.items[i].key);
		state_template_free(&file->units.items[i].bytes);
	}
	for (size_t i = 0; i < file->calls.count; i++) {
		test_free(&file->calls.items[i].test);
		state_template_free(&file->calls.items[i].fd);
		state_template_free(&file->calls.items[i].key);
	}
	for (size_t i = 0; i < file->messages.count; i++) {
		test_free(&file->messages.items[i].test);
		state_template_free(&file->messages.items[i].fd);
		free(file->messages.items[i].to);
	}
	for (size_t i = 0; i < file->backlogs.count; i++) {
		test_free(&file->backlogs.items[i].test);
		state_template_free(&file->backlogs.items[i].fd);
	}
	free(file->units.items);
	free(file->calls.items);
	free(file->messages.items);
	free(file->backlogs.items);
}

void state_file_free(struct state_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->rules.count; i++) {
		struct state_rule *rule = file->rules.items[i];

		test_free(&rule->test);
		state_path_free(&rule->path);
		state_template_free(&rule->value);
		free(rule);
	}
	for (size_t i = 0; i < file->views.count; i++) {
		free(file->views.items[i].kind);
		free(file->views.items[i].path);
		free(file->views.items[i].title);
	}
	for (size_t i = 0; i < file->includes.count; i++)
		free(file->includes.items[i]);
	for (size_t i = 0; i < file->probes.count; i++) {
		free(file->probes.items[i].function);
		free(file->probes.items[i].binaries);
		free(file->probes.items[i].arguments);
	}
	for (size_t i = 0; i < file->layouts.count; i++) {
		free(file->layouts.items[i].text);
		free(file->layouts.items[i].members);
	}
	free_span_lines(file);
	free(file->dispatches.items);
	free(file->probes.items);
	free(file->layouts.items);
	free(file->includes.items);
	free(file->rules.items);
	free(file->views.items);
	free(file->name);
	free(file->title);
	free(file);
}

/* "column N: sentence": the column of `at` in the field's value, whose unescaped text is `text`. With escapes, the column of the value. */
static int fail_within(const struct parser *parser, const struct field *field, const char *text, const char *at)
{
	size_t column = (size_t)(field->value - parser->line) + 1;

	if (!field->escaped)
		column += (size_t)(at - text);
	return fail_prefix("column %zu", column);
}

static int fail_key(const struct parser *parser, const struct field *field)
{
	return fail_prefix("column %zu", (size_t)(field->key - parser->line) + 1);
}

/* The key's value, which the caller frees. NULL after fail(): the value is missing, empty or too long. */
static char *need(const struct fields *fields, const char *key)
{
	char *text = fields_copy(fields, key);

	if (text && *text && strlen(text) <= VALUE_LENGTH_MAX)
		return text;
	fail(text && *text ? "%s= is longer than %d bytes" : "%s= is missing", key, VALUE_LENGTH_MAX);
	free(text);
	return NULL;
}

/* Fails for a key that is not in `keys`, a list in which a space follows each word. */
static int check_keys(const struct parser *parser, const struct fields *fields, const char *keys)
{
	for (int i = 0; i < fields->count; i++) {
		const struct field *field = &fields->item[i];
		const char *at = keys;

		while (*at && (strncmp(at, field->key, field->key_length) != 0 || at[field->key_length] != ' '))
			at = strchr(at, ' ') + 1;
		if (!*at) {
			fail("unknown key '%.*s'; here there are %s", (int)field->key_length, field->key, *keys ? keys : "none");
			return fail_key(parser, field);
		}
	}
	return 0;
}

/* Reads an operand of a condition: a field of the event, tid, comm, cpu, or [PATH]. */
struct operand_reader {
	struct state_test *test;
	struct event_type *type;
};

static int read_operand(void *context, const char **at)
{
	const struct operand_reader *reader = context;
	size_t length = 0;
	char *braced;
	const char *wrong;
	int status;

	if (**at == '[') {
		int depth = 0;

		do
			depth += ((*at)[length] == '[') - ((*at)[length] == ']');
		while ((*at)[length++] && depth > 0);
		if (depth > 0)
			return fail("']' is missing");
	} else {
		while (isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_')
			length++;
	}
	if (length == 0)
		return fail("a field, [PATH], a number, a text in quotes, or null is missing");
	braced = memory_format("{%.*s}", (int)length, *at);
	*ARRAY_ADD(&reader->test->operands) = (struct state_template){0};
	status = state_template_read(&reader->test->operands.items[reader->test->operands.count - 1], reader->type, braced, &wrong);
	*at += status < 0 ? (wrong - braced > 0 ? wrong - braced - 1 : 0) : (ptrdiff_t)length;
	free(braced);
	return status < 0 ? -1 : (int)reader->test->operands.count - 1;
}

static int read_condition(const struct parser *parser, const struct fields *fields, struct event_type *type, struct state_test *test)
{
	struct operand_reader reader = {test, type};
	char *text = fields_copy(fields, "if");
	const char *at = text;

	if (!text)
		return 0;
	test->condition = state_logic_read(text, read_operand, &reader, &at);
	if (!test->condition)
		fail_within(parser, fields_find(fields, "if"), text, at);
	free(text);
	return test->condition ? 0 : -1;
}

static int read_path(const struct parser *parser, const struct fields *fields, struct event_type *type, struct state_rule *rule)
{
	char *text = need(fields, "path");
	const char *at = text;
	int status = text ? state_path_read(&rule->path, type, text, &at) : -1;

	if (text && status < 0)
		fail_within(parser, fields_find(fields, "path"), text, at);
	free(text);
	return status;
}

static int read_value(const struct parser *parser, const struct fields *fields, const char *key, struct event_type *type,
		      struct state_rule *rule)
{
	char *text = fields_copy(fields, key);
	const char *at = text;
	int status;

	if (!text)
		return fail("%s= is missing", key);
	status = state_template_read(&rule->value, type, text, &at);
	if (status < 0)
		fail_within(parser, fields_find(fields, key), text, at);
	free(text);
	return status;
}

static struct state_rule *rule_new(struct parser *parser, const struct fields *fields, struct event_type **type)
{
	char *event = need(fields, "event");
	struct state_rule *rule = NULL;

	if (event && !strchr(event, ':')) {
		fail("event=%.100s is no SYSTEM:EVENT, such as sched:sched_switch", event);
	} else if (event) {
		rule = NEW(struct state_rule);
		rule->file = parser->file;
		rule->line = parser->number;
		rule->type = *type = events_type(parser->events, event);
		*ARRAY_ADD(&parser->file->rules) = rule;
	}
	free(event);
	return rule;
}

/* Reads path= and value=, the keys after the action, as if they were a line. */
static int read_action(struct parser *parser, struct state_rule *rule, struct event_type *type, const char *rest, size_t length)
{
	struct fields fields;
	size_t action = 0;
	bool has_value;

	if (fields_parse(&fields, rest, length) < 0)
		return -1;
	while (strlen(actions[action]) != fields.kind_length || memcmp(actions[action], fields.kind, fields.kind_length) != 0)
		action++;
	rule->action = (enum state_action)action;
	has_value = rule->action == ACTION_SET || rule->action == ACTION_PUSH || rule->action == ACTION_ADD;
	if (check_keys(parser, &fields, has_value ? "path value " : "path ") < 0 || read_path(parser, &fields, type, rule) < 0)
		return -1;
	return has_value ? read_value(parser, &fields, "value", type, rule) : 0;
}

/* Finds the action's word outside quotes. Returns the end of the line if there is none. */
static const char *find_action(const char *line, size_t length)
{
	bool quoted = false;

	for (size_t i = 0; i < length; i++) {
		if (quoted && line[i] == '\\')
			i++;
		else if (line[i] == '"')
			quoted = !quoted;
		else if (!quoted && i > 0 && (line[i - 1] == ' ' || line[i - 1] == '\t'))
			for (size_t a = 0; a < sizeof(actions) / sizeof(actions[0]); a++) {
				size_t word = strlen(actions[a]);

				if (length - i >= word && !memcmp(line + i, actions[a], word) &&
				    (i + word == length || line[i + word] == ' ' || line[i + word] == '\t'))
					return line + i;
			}
	}
	return line + length;
}

/* Reads an "on" line as two halves, split at the action. Blanks replace the first half in the second, so that its columns stay right. */
static int read_on(struct parser *parser, size_t length)
{
	const char *line = parser->line, *action = find_action(line, length);
	size_t head = (size_t)(action - line);
	char *rest = memory_text(line, length);
	struct event_type *type = NULL;
	struct state_rule *rule;
	struct fields fields;
	int status = -1;

	memset(rest, ' ', head);
	if (head == length)
		fail("column %zu: set, push, pop, add or clear is missing", length + 1);
	else if (fields_parse(&fields, line, head) == 0 && check_keys(parser, &fields, "event if ") == 0) {
		rule = rule_new(parser, &fields, &type);
		if (rule && read_condition(parser, &fields, type, &rule->test) == 0) {
			parser->line = rest;
			status = read_action(parser, rule, type, rest, length);
			parser->line = line;
		}
	}
	free(rest);
	return status;
}

static int read_states(struct parser *parser, const struct fields *fields)
{
	if (parser->file->name)
		return fail("there is a states line already");
	parser->file->name = need(fields, "name");
	parser->file->title = fields_copy(fields, "title");
	return parser->file->name ? 0 : -1;
}

static int read_alarm(struct parser *parser, const struct fields *fields)
{
	struct event_type *type = NULL;
	struct state_rule *rule = rule_new(parser, fields, &type);

	if (!rule)
		return -1;
	rule->action = ACTION_ALARM;
	return read_condition(parser, fields, type, &rule->test) < 0 ? -1 : read_value(parser, fields, "text", type, rule);
}

static int read_view(struct parser *parser, const struct fields *fields)
{
	struct state_view *view = ARRAY_ADD(&parser->file->views);
	size_t kind = 0, kinds = sizeof(view_kinds) / sizeof(view_kinds[0]);

	*view = (struct state_view){.kind = need(fields, "kind")};
	if (!view->kind)
		return -1;
	while (kind < kinds && strcmp(view->kind, view_kinds[kind]) != 0)
		kind++;
	if (kind == kinds)
		return fail("unknown kind of view '%.40s'; there are lanes, flow, volume, rate", view->kind);
	view->path = need(fields, "path");
	view->title = fields_copy(fields, "title");
	return view->path ? 0 : -1;
}

static int read_include(struct parser *parser, const struct fields *fields)
{
	char *name = need(fields, "name");

	if (!name)
		return -1;
	*ARRAY_ADD(&parser->file->includes) = name;
	return 0;
}

/* Each argument of a probe needs a type, so that events of different programs have the same format. */
static int check_arguments(const struct parser *parser, const struct fields *fields, const char *text, bool returns)
{
	struct arguments arguments;

	if (!text)
		return 0;
	if (arguments_parse(text, &arguments) < 0)
		return fail_key(parser, fields_find(fields, "args"));
	for (int i = 0; i < arguments.count; i++) {
		const struct argument *argument = &arguments.items[i];

		if (argument->kind == ARGUMENT_BY_DWARF)
			fail("argument '%s' needs a type, such as :u64, :ptr or :string", argument->label);
		else if (argument->base == ARGUMENT_RESULT && !returns)
			fail("argument '%s' comes from the function's return, so the line needs return=yes", argument->label);
		else
			continue;
		return fail_within(parser, fields_find(fields, "args"), text, argument->text);
	}
	return 0;
}

/* Tells whether the text can be part of an event's name. */
static bool is_name(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(text);
}

static int read_probe(struct parser *parser, const struct fields *fields)
{
	struct state_probe *probe = ARRAY_ADD(&parser->file->probes);

	*probe = (struct state_probe){.returns = fields_is(fields, "return", "yes")};
	if (fields_find(fields, "return") && !probe->returns && !fields_is(fields, "return", "no"))
		return fail("return= is yes or no");
	probe->function = need(fields, "function");
	probe->binaries = probe->function ? need(fields, "binary") : NULL;
	probe->arguments = fields_copy(fields, "args");
	if (!probe->binaries)
		return -1;
	if (!is_name(probe->function) || strlen(probe->function) > FUNCTION_MAX)
		return fail("function=%.140s is no name of a function in C", probe->function);
	return check_arguments(parser, fields, probe->arguments, probe->returns);
}

/* The text after if= is not parsed as fields, because "call.%1" is no valid key. */
static int read_layout(struct parser *parser, size_t length)
{
	const char *line = parser->line, *at = line + strspn(line, " \t") + strlen("layout"), *end = line + length, *wrong;
	struct state_layout *layout;
	struct fields fields;
	bool quoted = false;

	at += strspn(at, " \t");
	while (at < end && (quoted || (*at != ' ' && *at != '\t'))) {
		if (quoted && *at == '\\' && at + 1 < end)
			at++;
		else if (*at == '"')
			quoted = !quoted;
		at++;
	}
	if (fields_parse(&fields, line, (size_t)(at - line)) < 0 || check_keys(parser, &fields, "if ") < 0)
		return -1;
	layout = ARRAY_ADD(&parser->file->layouts);
	*layout = (struct state_layout){.text = need(&fields, "if"), .members = memory_text(at, (size_t)(end - at))};
	if (!layout->text)
		return -1;
	if (strpbrk(layout->text, "\t\n"))
		return fail("if= is a text without tabs and ends of lines");
	if (strlen(layout->members) > VALUE_LENGTH_MAX)
		return fail("a layout line is longer than %d bytes", VALUE_LENGTH_MAX);
	if (members_check(layout->members, &wrong) < 0)
		return fail_prefix("column %zu", (size_t)(at - line) + (size_t)(wrong - layout->members) + 1);
	return 0;
}

/* Reads the field's value as a template. Without a field, the template stays empty. */
static int read_template(const struct parser *parser, const struct field *field, struct event_type *type, struct state_template *template)
{
	char *text = field ? memory_new(field->value_length + 1, 1) : NULL;
	const char *at = text;
	int status;

	if (!text)
		return 0;
	field_text(field, text, field->value_length + 1);
	status = state_template_read(template, type, text, &at);
	if (status < 0)
		fail_within(parser, field, text, at);
	free(text);
	return status;
}

/* The type of the event that the key names. NULL after fail(). */
static struct event_type *need_type(const struct parser *parser, const struct fields *fields, const char *key)
{
	char *event = need(fields, key);
	struct event_type *type = event ? events_type(parser->events, event) : NULL;

	free(event);
	return type;
}

/* In a unit line, the second name= is the name of each request. */
static int read_unit_event(const struct parser *parser, const struct fields *fields, struct state_unit *unit)
{
	const struct field *first = fields_find(fields, "name");
	struct event_type *type = need_type(parser, fields, "event");
	int status = 0;

	if (!type)
		return -1;
	unit->type = type;
	for (int i = 0; i < fields->count && status == 0; i++) {
		const struct field *field = &fields->item[i];

		if (field > first && field->key_length == 4 && !memcmp(field->key, "name", 4)) {
			state_template_free(&unit->request);
			status = read_template(parser, field, type, &unit->request);
		}
	}
	if (status == 0)
		status = read_condition(parser, fields, type, &unit->test);
	if (status == 0)
		status = read_template(parser, fields_find(fields, "fd"), type, &unit->fd);
	if (status == 0)
		status = read_template(parser, fields_find(fields, "bytes"), type, &unit->bytes);
	if (status == 0 && fields_find(fields, "until"))
		status = (unit->until = need_type(parser, fields, "until")) ? 0 : -1;
	return status == 0 ? read_template(parser, fields_find(fields, "key"), type, &unit->key) : status;
}

static int read_unit(struct parser *parser, const struct fields *fields)
{
	struct state_unit *unit = ARRAY_ADD(&parser->file->units);
	bool by_message = fields_is(fields, "by", "message"), by_event = by_message || fields_is(fields, "by", "event");
	uint64_t port = 0;

	*unit = (struct state_unit){.name = need(fields, "name"), .message = by_message};
	if (!unit->name || fields_unsigned(fields, "port", &port) < 0)
		return -1;
	if (port > UINT16_MAX)
		return fail("port= is a number up to %d", UINT16_MAX);
	unit->port = (uint16_t)port;
	if (fields_find(fields, "by") && !by_event && !fields_is(fields, "by", "turn"))
		return fail("by= is turn, event or message");
	if (!by_event && (fields_find(fields, "event") || fields_find(fields, "fd") || fields_find(fields, "if") || fields_find(fields, "key") ||
			  fields_find(fields, "until")))
		return fail("event=, if=, fd=, key= and until= are for by=event and by=message");
	if (by_message != (fields_find(fields, "bytes") != NULL))
		return fail("by=message needs bytes=, which is for it alone");
	return by_event ? read_unit_event(parser, fields, unit) : 0;
}

static int read_call(struct parser *parser, const struct fields *fields)
{
	struct state_call *call = ARRAY_ADD(&parser->file->calls);
	const struct field *fd = fields_find(fields, "fd"), *key = fields_find(fields, "key");
	struct event_type *type = need_type(parser, fields, "event");

	*call = (struct state_call){0};
	if (!type)
		return -1;
	call->type = type;
	if (!fd || !key)
		return fail("%s= is missing", fd ? "key" : "fd");
	if (read_condition(parser, fields, type, &call->test) < 0 || read_template(parser, fd, type, &call->fd) < 0)
		return -1;
	return read_template(parser, key, type, &call->key);
}

static int read_message(struct parser *parser, const struct fields *fields)
{
	struct state_message *message = ARRAY_ADD(&parser->file->messages);
	const struct field *fd = fields_find(fields, "fd");
	struct event_type *type = need_type(parser, fields, "event");

	*message = (struct state_message){0};
	if (!type)
		return -1;
	message->type = type;
	message->to = fields_copy(fields, "to");
	if ((fd != NULL) == (message->to != NULL))
		return fail("a message line has fd= or to=");
	return read_condition(parser, fields, type, &message->test) < 0 ? -1 : read_template(parser, fd, type, &message->fd);
}

static int read_backlog(struct parser *parser, const struct fields *fields)
{
	struct state_backlog *backlog = ARRAY_ADD(&parser->file->backlogs);
	const struct field *fd = fields_find(fields, "fd");
	struct event_type *type = need_type(parser, fields, "event");

	*backlog = (struct state_backlog){.over = fields_is(fields, "over", "yes")};
	if (!type)
		return -1;
	backlog->type = type;
	if (!fd)
		return fail("fd= is missing");
	if (fields_find(fields, "over") && !backlog->over && !fields_is(fields, "over", "no"))
		return fail("over= is yes or no");
	return read_condition(parser, fields, type, &backlog->test) < 0 ? -1 : read_template(parser, fd, type, &backlog->fd);
}

/* A dispatch line also makes a probe with return=yes. */
static int read_dispatch(struct parser *parser, const struct fields *fields)
{
	struct state_probe probe = {.function = need(fields, "within"), .binaries = need(fields, "binary"), .returns = true};
	char *event;
	struct state_dispatch *dispatch;

	*ARRAY_ADD(&parser->file->probes) = probe;
	if (!probe.function || !probe.binaries)
		return -1;
	if (!is_name(probe.function) || strlen(probe.function) > FUNCTION_MAX)
		return fail("within=%.140s is no name of a function in C", probe.function);
	dispatch = ARRAY_ADD(&parser->file->dispatches);
	event = memory_format("probe:%s__return", probe.function);
	dispatch->leave = events_type(parser->events, event);
	event[strlen(event) - strlen("__return")] = '\0';
	dispatch->enter = events_type(parser->events, event);
	free(event);
	return 0;
}

static const struct line_kind {
	const char *name, *keys;
	int (*read)(struct parser *parser, const struct fields *fields);
} line_kinds[] = {
	{"states", "name title ", read_states},
	{"alarm", "event if text ", read_alarm},
	{"view", "kind path title ", read_view},
	{"include", "name ", read_include},
	{"probe", "function binary return args ", read_probe},
	{"unit", "name port by event if fd key bytes until ", read_unit},
	{"call", "event if fd key ", read_call},
	{"message", "event if fd to ", read_message},
	{"backlog", "event if fd over ", read_backlog},
	{"dispatch", "binary within ", read_dispatch},
};

static int read_line(struct parser *parser, size_t length)
{
	const char *line = parser->line;
	size_t blank = strspn(line, " \t"), word = strcspn(line + blank, " \t\n\r");
	const struct line_kind *kind = line_kinds, *end = line_kinds + sizeof(line_kinds) / sizeof(*line_kinds);
	struct fields fields;

	if (word == 2 && !strncmp(line + blank, "on", 2))
		return read_on(parser, length);
	if (word == strlen("layout") && !strncmp(line + blank, "layout", word))
		return read_layout(parser, length);
	if (fields_parse(&fields, line, length) < 0)
		return -1;
	while (kind < end && (strlen(kind->name) != fields.kind_length || memcmp(kind->name, fields.kind, fields.kind_length) != 0))
		kind++;
	if (kind == end)
		return fail("column %zu: unknown kind of line '%.*s'; there are states, on, alarm, view, include, probe, layout, unit, call, message, backlog, dispatch", blank + 1,
			    (int)(fields.kind_length < 40 ? fields.kind_length : 40), fields.kind);
	return check_keys(parser, &fields, kind->keys) < 0 ? -1 : kind->read(parser, &fields);
}

#define PROBE "probe:"

/* Tells whether a probe line of the file makes the event. */
static bool has_probe(const struct state_file *file, const char *event)
{
	static const char end[] = "__return";
	const char *name = event + strlen(PROBE);

	for (size_t i = 0; i < file->probes.count; i++) {
		const struct state_probe *probe = &file->probes.items[i];
		size_t length = strlen(probe->function);

		if (strncmp(name, probe->function, length) == 0 && (!name[length] || (probe->returns && strcmp(name + length, end) == 0)))
			return true;
	}
	return false;
}

static int check_probe(const struct state_file *file, const char *source, const struct event_type *type, const char *line)
{
	if (!type || strncmp(type->name, PROBE, strlen(PROBE)) != 0 || has_probe(file, type->name))
		return 0;
	return fail("%s: no probe line makes the event %.140s of a %s line", source, type->name, line);
}

static int check_probes(const struct state_file *file, const char *source)
{
	int status = 0;

	for (size_t i = 0; i < file->rules.count; i++) {
		const struct state_rule *rule = file->rules.items[i];

		if (strncmp(rule->type->name, PROBE, strlen(PROBE)) == 0 && !has_probe(file, rule->type->name))
			return fail("%s:%d: no probe line makes the event %.140s", source, rule->line, rule->type->name);
	}
	for (size_t i = 0; i < file->units.count; i++)
		status |= check_probe(file, source, file->units.items[i].type, "unit") | check_probe(file, source, file->units.items[i].until, "unit");
	for (size_t i = 0; i < file->calls.count; i++)
		status |= check_probe(file, source, file->calls.items[i].type, "call");
	for (size_t i = 0; i < file->messages.count; i++)
		status |= check_probe(file, source, file->messages.items[i].type, "message");
	for (size_t i = 0; i < file->backlogs.count; i++)
		status |= check_probe(file, source, file->backlogs.items[i].type, "backlog");
	return status;
}

struct state_file *state_file_read(const char *text, const char *source, struct events *events)
{
	struct parser parser = {.file = NEW(struct state_file), .events = events};
	int status = 0;

	for (parser.number = 1; *text && status == 0; parser.number++) {
		size_t length = strcspn(text, "\n"), blank = strspn(text, " \t\r");

		parser.line = text;
		if (blank < length && text[blank] != '#' && read_line(&parser, length) < 0)
			status = fail_prefix("%s:%d", source, parser.number);
		text += length + (text[length] == '\n');
	}
	if (status == 0 && !parser.file->name)
		status = fail("%s: there is no line 'states name=NAME'", source);
	if (status == 0 && check_probes(parser.file, source) == 0)
		return parser.file;
	state_file_free(parser.file);
	return NULL;
}

static struct state_file *load(const char *path, struct events *events)
{
	char *text = file_read(path, NULL);
	struct state_file *file = text ? state_file_read(text, path, events) : NULL;

	free(text);
	return file;
}

static void fail_unknown(const char *name)
{
	char *folder = file_shipped("charts/states");
	DIR *directory = folder ? opendir(folder) : NULL;
	struct suggestions suggestions = suggestions_begin(name);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		const char *end = strrchr(entry->d_name, '.');
		char *shipped = end ? memory_text(entry->d_name, (size_t)(end - entry->d_name)) : NULL;

		if (shipped && !strcmp(end, ".state"))
			suggestions_offer(&suggestions, shipped);
		free(shipped);
	}
	if (directory)
		closedir(directory);
	free(folder);
	fail("no state file '%.100s'%s", name, suggestions_text(&suggestions));
}

struct state_file *state_file_load(const char *name, struct events *events)
{
	size_t length = strlen(name);
	struct state_file *file;
	char *place, *path;

	if (strchr(name, '/') || (length > 6 && !strcmp(name + length - 6, ".state")))
		return load(name, events);
	place = memory_format("charts/states/%s.state", name);
	path = file_shipped(place);
	if (path)
		file = load(path, events);
	else
		fail_unknown(name);
	file = path ? file : NULL;
	free(path);
	free(place);
	return file;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

struct judging {
	const struct state_test *test;
	const struct state_scene *scene;
};

static struct state_value operand_value(void *context, int operand)
{
	const struct judging *judging = context;

	return state_template_value(&judging->test->operands.items[operand], judging->scene);
}

bool state_test_holds(const struct state_test *test, const struct state_scene *scene)
{
	struct judging judging = {test, scene};

	return state_logic_holds(test->condition, scene->texts, operand_value, &judging);
}
