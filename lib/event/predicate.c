#include "event/predicate.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "event/condition.h"
#include "event/format.h"

/* Fields that every event has, whether or not its format names them. */
enum common_field { COMMON_NONE, COMMON_CPU, COMMON_NAME, COMMON_TID };

/* The sort of value that a field is compared with. AS_KERNELS: an address or the like, which only the kernel knows. */
enum compared_as { AS_NUMBER, AS_TEXT, AS_KERNELS };

struct asked_field {
	struct event_field *field;
	enum common_field common;
	enum compared_as as;
};

struct filter_terms { /* all zero is empty */
	struct condition *condition;
	ARRAY(struct asked_field) fields; /* the condition's named values */
};

enum { DEPTH_MAX = 64, LENGTH_MAX = 4096 }; /* the kernel's limit of length is a page */

/* Longer before shorter: "<=" before "<". */
static const char *const operators[CONDITION_OPERATORS] = {
	[CONDITION_EQUAL] = "==", [CONDITION_UNEQUAL] = "!=", [CONDITION_AT_MOST] = "<=", [CONDITION_AT_LEAST] = ">=",
	[CONDITION_LESS] = "<", [CONDITION_GREATER] = ">", [CONDITION_BITS] = "&", [CONDITION_LIKE] = "~",
};

static const struct {
	const char *name;
	enum common_field is;
} commons[] = {
	{"CPU", COMMON_CPU}, {"cpu", COMMON_CPU}, {"common_cpu", COMMON_CPU}, {"COMM", COMMON_NAME}, {"comm", COMMON_NAME},
	{"common_pid", COMMON_TID},
};

struct parser {
	struct event_type *type;
	struct filter_terms *terms;
	const char *at;
	int depth; /* of parentheses */
};

static struct condition *read_either(struct parser *parser);

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(parser->at, " \t\n");
}

static bool take(struct parser *parser, const char *text)
{
	skip_blanks(parser);
	if (strncmp(parser->at, text, strlen(text)) != 0)
		return false;
	parser->at += strlen(text);
	return true;
}

static struct condition *fail_at(const struct parser *parser, struct condition *condition, const char *what)
{
	condition_free(condition);
	fail("%s is missing %s%.40s%s", what, *parser->at ? "before '" : "at the end", parser->at, *parser->at ? "'" : "");
	return NULL;
}

/* Reads "name" or "name.function". false: there is no name. */
static bool read_name(struct parser *parser, struct asked_field *asked)
{
	size_t length = 0;
	char *name;

	skip_blanks(parser);
	while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
		length++;
	if (length == 0)
		return false;
	name = memory_text(parser->at, length);
	asked->field = event_type_field(parser->type, name);
	for (size_t i = 0; i < sizeof(commons) / sizeof(commons[0]); i++)
		if (strcmp(commons[i].name, name) == 0)
			asked->common = commons[i].is;
	free(name);
	parser->at += length;
	if (*parser->at == '.') {
		parser->at += 1 + strspn(parser->at + 1, "abcdefghijklmnopqrstuvwxyz");
		asked->as = AS_KERNELS;
	}
	return true;
}

static bool read_operator(struct parser *parser, enum condition_operator *operator)
{
	for (int i = 0; i < CONDITION_OPERATORS; i++)
		if (take(parser, operators[i])) {
			*operator = (enum condition_operator)i;
			return true;
		}
	return false;
}

/* Numbers as in C: 18, 0x1f, 017, -1. NULL: there is none. */
static struct condition *read_number(struct parser *parser)
{
	bool negative = *parser->at == '-';
	size_t length = negative;
	char copy[32], *end;
	uint64_t number;

	while (isalnum((unsigned char)parser->at[length]))
		length++;
	if (length >= sizeof(copy) || !isdigit((unsigned char)parser->at[negative]))
		return NULL;
	memcpy(copy, parser->at, length);
	copy[length] = '\0';
	errno = 0;
	number = strtoull(copy, &end, 0);
	if (*end || errno)
		return NULL;
	parser->at += length;
	return condition_integer(number, negative);
}

/* Sets *inverted if a pattern must not match. NULL: no text in quotes that this operator compares. */
static struct condition *read_quoted(struct parser *parser, struct asked_field *asked, enum condition_operator operator, bool *inverted)
{
	const char *from = parser->at + 1, *end = strchr(from, *parser->at);

	if (!end)
		return NULL;
	*inverted = operator == CONDITION_LIKE && *from == '!';
	from += *inverted;
	parser->at = end + 1;
	if (operator > CONDITION_UNEQUAL && operator != CONDITION_LIKE)
		return NULL;
	if (asked->as != AS_KERNELS)
		asked->as = AS_TEXT;
	return condition_text(from, (size_t)(end - from));
}

static struct condition *read_value(struct parser *parser, struct asked_field *asked, enum condition_operator operator, bool *inverted)
{
	skip_blanks(parser);
	if (*parser->at == '"' || *parser->at == '\'')
		return read_quoted(parser, asked, operator, inverted);
	if (operator == CONDITION_LIKE)
		return NULL;
	if (take(parser, "CPUS{") || asked->as == AS_KERNELS) { /* a set of CPUs, or the name of a function */
		asked->as = AS_KERNELS;
		parser->at += strcspn(parser->at, " \t\n)&|");
		return condition_integer(0, false);
	}
	return read_number(parser);
}

static struct condition *read_term(struct parser *parser)
{
	struct asked_field asked = {0};
	enum condition_operator operator;
	struct condition *value, *test;
	bool inverted = false;

	if (!read_name(parser, &asked))
		return fail_at(parser, NULL, "a field");
	if (!read_operator(parser, &operator))
		return fail_at(parser, NULL, "one of == != < <= > >= & ~");
	value = read_value(parser, &asked, operator, &inverted);
	if (!value)
		return fail_at(parser, NULL, operator == CONDITION_LIKE ? "a text in quotes" : "a number, or a text in quotes that == != ~ compare,");
	*ARRAY_ADD(&parser->terms->fields) = asked;
	test = condition_test(operator, condition_named((int)parser->terms->fields.count - 1), value);
	return inverted ? condition_one(CONDITION_NOT, test) : test;
}

static struct condition *read_one(struct parser *parser)
{
	struct condition *condition;
	bool inverted = false;

	while (take(parser, "!"))
		inverted = !inverted;
	if (!take(parser, "(")) {
		condition = read_term(parser);
	} else if (++parser->depth > DEPTH_MAX) {
		fail("parentheses nest deeper than %d", DEPTH_MAX);
		return NULL;
	} else {
		condition = read_either(parser);
		if (condition && !take(parser, ")"))
			return fail_at(parser, condition, "a )");
		parser->depth--;
	}
	return condition && inverted ? condition_one(CONDITION_NOT, condition) : condition;
}

static struct condition *read_both(struct parser *parser)
{
	struct condition *condition = read_one(parser), *next;

	while (condition && take(parser, "&&")) {
		next = read_one(parser);
		if (!next)
			condition_free(condition);
		condition = next ? condition_both(CONDITION_AND, condition, next) : NULL;
	}
	return condition;
}

static struct condition *read_either(struct parser *parser)
{
	struct condition *condition = read_both(parser), *next;

	while (condition && take(parser, "||")) {
		next = read_both(parser);
		if (!next)
			condition_free(condition);
		condition = next ? condition_both(CONDITION_OR, condition, next) : NULL;
	}
	return condition;
}

/* Reads a filter. 0; -1 after fail(), which says where the text is wrong. Call free_terms() in either case. */
static int read_terms(struct filter_terms *terms, struct event_type *type, const char *text)
{
	struct parser parser = {.type = type, .terms = terms, .at = text};
	struct condition *condition = NULL;

	if (strlen(text) < LENGTH_MAX)
		condition = read_either(&parser);
	else
		fail("it is longer than %d characters", LENGTH_MAX - 1);
	skip_blanks(&parser);
	if (condition && *parser.at)
		condition = fail_at(&parser, condition, "&& or ||");
	terms->condition = condition;
	if (condition)
		return 0;
	fail("wrong filter '%.100s' of event '%s': %s", text, type->name, fail_text());
	return -1;
}

static void free_terms(struct filter_terms *terms)
{
	condition_free(terms->condition);
	free(terms->fields.items);
}

struct predicate {
	struct events *events;
	struct filter_terms terms;
	const struct event *event; /* the event being judged */
	const char *lacking; /* the latest field that was unknown */
	const char *first;   /* the value of `lacking` when an event first passed because of it */
	uint64_t unknown;
};

struct predicate *predicate_new(struct events *events, struct event_type *type, const char *text)
{
	struct predicate *predicate = NEW(struct predicate);

	predicate->events = events;
	if (read_terms(&predicate->terms, type, text) == 0)
		return predicate;
	predicate_free(predicate);
	return NULL;
}

void predicate_free(struct predicate *predicate)
{
	if (!predicate)
		return;
	free_terms(&predicate->terms);
	free(predicate);
}

bool predicate_asks_name(const struct predicate *predicate)
{
	for (size_t i = 0; i < predicate->terms.fields.count; i++)
		if (predicate->terms.fields.items[i].common == COMMON_NAME)
			return true;
	return false;
}

/* Text omits the field's type: only a decimal number too large for a signed one shows that it is unsigned. */
static void read_written(const char *text, size_t length, struct value *value)
{
	bool is_hexadecimal = length > 1 && text[1] == 'x';
	int64_t number;
	uint64_t dev;

	if (number_integer(text, length, &number) == 0)
		*value = (struct value){.kind = VALUE_INTEGER, .bits = (uint64_t)number, .size = sizeof(number),
					.is_signed = number >= 0 || is_hexadecimal || *text == '-', .may_be_unsigned = true};
	else if (device_parse(text, length, &dev) == 0)
		*value = (struct value){.kind = VALUE_INTEGER, .bits = dev, .size = sizeof(dev)};
}

static void read_packed(const struct event *event, const struct event_field *field, struct value *value)
{
	if (!field->is_string && !field->is_dynamic && format_is_number(field->size))
		*value = (struct value){.kind = VALUE_INTEGER, .bits = (uint64_t)event_number(event, field), .size = field->size,
					.is_signed = field->is_signed};
}

/* Leaves *value unknown if the recording lacks the number. */
static void number_of(const struct event *event, const struct asked_field *asked, struct value *value)
{
	char text[64];
	size_t length;

	if (event_has(event, asked->field) && event->payload) {
		read_packed(event, asked->field, value);
	} else if (event_has(event, asked->field)) {
		length = event_text(event, asked->field, text, sizeof(text));
		read_written(text, length, value);
	} else if (asked->common == COMMON_CPU || asked->common == COMMON_TID) {
		*value = (struct value){.kind = VALUE_INTEGER, .bits = asked->common == COMMON_CPU ? event->cpu : (uint64_t)event->tid,
					.size = sizeof(int32_t), .is_signed = true};
	}
}

/* The text of a field, which may be in `room`; NULL: the recording lacks it. */
static const char *text_of(const struct predicate *predicate, const struct asked_field *asked, char room[VALUE_ROOM])
{
	const struct event *event = predicate->event;
	bool is_own = event_has(event, asked->field);
	const char *comm;

	if (is_own && event->payload && !asked->field->is_string)
		return NULL;
	if (is_own) {
		event_text(event, asked->field, room, VALUE_ROOM);
		return room;
	}
	if (asked->common != COMMON_NAME)
		return NULL;
	if (event->tid == 0) {
		snprintf(room, VALUE_ROOM, "swapper/%u", event->cpu);
		return room;
	}
	comm = events_comm(predicate->events, event->tid);
	return strcmp(comm, "?") ? comm : NULL;
}

static void value_of(void *context, int named, char room[VALUE_ROOM], struct value *value)
{
	struct predicate *predicate = context;
	const struct asked_field *asked = &predicate->terms.fields.items[named];

	if (asked->as == AS_NUMBER) {
		number_of(predicate->event, asked, value);
	} else if (asked->as == AS_TEXT) {
		value->text = text_of(predicate, asked, room);
		value->kind = value->text ? VALUE_TEXT : VALUE_UNKNOWN;
	}
	if (value->kind == VALUE_UNKNOWN)
		predicate->lacking = asked->field->name;
}

bool predicate_passes(struct predicate *predicate, const struct event *event)
{
	enum truth truth;

	predicate->event = event;
	truth = condition_truth(predicate->terms.condition, value_of, predicate);
	if (truth == TRUTH_UNKNOWN && predicate->unknown++ == 0)
		predicate->first = predicate->lacking;
	return truth != TRUTH_NO;
}

uint64_t predicate_unknown(const struct predicate *predicate, const char **field)
{
	*field = predicate->first;
	return predicate->unknown;
}

void predicate_widen(char **filter, const char *another)
{
	char *both;

	if (!*filter || (another && strcmp(*filter, another) == 0))
		return;
	both = another ? memory_format("(%s) || (%s)", *filter, another) : NULL;
	free(*filter);
	*filter = both;
}
