/* Parses the text of a filter. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "event/predicate.h"
#include "event/predicate_terms.h"

enum { DEPTH_MAX = 64, LENGTH_MAX = 4096 }; /* the kernel's limit of length is a page */

/* Longer before shorter: "<=" before "<". */
static const char *const operators[CONDITION_OPERATORS] = {
	[CONDITION_EQUAL] = "==", [CONDITION_UNEQUAL] = "!=", [CONDITION_AT_MOST] = "<=", [CONDITION_AT_LEAST] = ">=",
	[CONDITION_LESS] = "<", [CONDITION_GREATER] = ">", [CONDITION_BITS] = "&", [CONDITION_LIKE] = "~",
};

static const struct {
	const char *name;
	enum predicate_common is;
} commons[] = {
	{"CPU", COMMON_CPU}, {"cpu", COMMON_CPU}, {"common_cpu", COMMON_CPU}, {"COMM", COMMON_NAME}, {"comm", COMMON_NAME},
	{"common_pid", COMMON_TID},
};

struct parser {
	struct event_type *type;
	struct predicate_terms *terms;
	const char *at;
	int depth; /* of parentheses */
};

static struct condition *read_either(struct parser *parser);

void predicate_widen(char **filter, const char *another)
{
	char *both;

	if (!*filter || (another && strcmp(*filter, another) == 0))
		return;
	both = another ? memory_format("(%s) || (%s)", *filter, another) : NULL;
	free(*filter);
	*filter = both;
}

void predicate_terms_free(struct predicate_terms *terms)
{
	condition_free(terms->condition);
	free(terms->fields.items);
}

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
static bool read_name(struct parser *parser, struct predicate_field *asked)
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
		asked->as = PREDICATE_KERNELS;
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
static struct condition *read_quoted(struct parser *parser, struct predicate_field *asked, enum condition_operator operator, bool *inverted)
{
	const char *from = parser->at + 1, *end = strchr(from, *parser->at);

	if (!end)
		return NULL;
	*inverted = operator == CONDITION_LIKE && *from == '!';
	from += *inverted;
	parser->at = end + 1;
	if (operator > CONDITION_UNEQUAL && operator != CONDITION_LIKE)
		return NULL;
	if (asked->as != PREDICATE_KERNELS)
		asked->as = PREDICATE_TEXT;
	return condition_text(from, (size_t)(end - from));
}

static struct condition *read_value(struct parser *parser, struct predicate_field *asked, enum condition_operator operator, bool *inverted)
{
	skip_blanks(parser);
	if (*parser->at == '"' || *parser->at == '\'')
		return read_quoted(parser, asked, operator, inverted);
	if (operator == CONDITION_LIKE)
		return NULL;
	if (take(parser, "CPUS{") || asked->as == PREDICATE_KERNELS) { /* a set of CPUs, or the name of a function */
		asked->as = PREDICATE_KERNELS;
		parser->at += strcspn(parser->at, " \t\n)&|");
		return condition_integer(0, false);
	}
	return read_number(parser);
}

static struct condition *read_term(struct parser *parser)
{
	struct predicate_field asked = {0};
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

int predicate_terms_read(struct predicate_terms *terms, struct event_type *type, const char *text)
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
