/* Parses the text of a filter. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "event/predicate.h"
#include "event/predicate_node.h"

enum { DEPTH_MAX = 64, LENGTH_MAX = 4096 }; /* the kernel's limit of length is a page */

/* Longer before shorter: "<=" before "<". */
static const char *const operators[OPERATORS] = {
	[EQUAL] = "==", [UNEQUAL] = "!=", [AT_MOST] = "<=", [AT_LEAST] = ">=", [LESS] = "<", [GREATER] = ">", [BITS] = "&", [LIKE] = "~",
};

static const struct {
	const char *name;
	enum common is;
} commons[] = {
	{"CPU", COMMON_CPU}, {"cpu", COMMON_CPU}, {"common_cpu", COMMON_CPU}, {"COMM", COMMON_NAME}, {"comm", COMMON_NAME},
	{"common_pid", COMMON_TID},
};

struct parser {
	struct event_type *type;
	const char *at;
	int depth; /* of parentheses */
};

static struct node *read_either(struct parser *parser);

void predicate_widen(char **filter, const char *another)
{
	char *both;

	if (!*filter || (another && strcmp(*filter, another) == 0))
		return;
	both = another ? memory_format("(%s) || (%s)", *filter, another) : NULL;
	free(*filter);
	*filter = both;
}

void node_free(struct node *node)
{
	if (!node)
		return;
	node_free(node->left);
	node_free(node->right);
	free(node->text);
	free(node);
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

static struct node *fail_at(const struct parser *parser, struct node *node, const char *what)
{
	node_free(node);
	fail("%s is missing %s%.40s%s", what, *parser->at ? "before '" : "at the end", parser->at, *parser->at ? "'" : "");
	return NULL;
}

/* Reads "name" or "name.function". false: there is no name. */
static bool read_name(struct parser *parser, struct node *node)
{
	size_t length = 0;
	char *name;

	skip_blanks(parser);
	while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
		length++;
	if (length == 0)
		return false;
	name = memory_text(parser->at, length);
	node->field = event_type_field(parser->type, name);
	for (size_t i = 0; i < sizeof(commons) / sizeof(commons[0]); i++)
		if (strcmp(commons[i].name, name) == 0)
			node->common = commons[i].is;
	free(name);
	parser->at += length;
	if (*parser->at == '.') {
		parser->at += 1 + strspn(parser->at + 1, "abcdefghijklmnopqrstuvwxyz");
		node->value = VALUE_KERNELS;
	}
	return true;
}

static bool read_operator(struct parser *parser, struct node *node)
{
	for (int i = 0; i < OPERATORS; i++)
		if (take(parser, operators[i])) {
			node->operator = (enum operator)i;
			return true;
		}
	return false;
}

/* Numbers as in C: 18, 0x1f, 017, -1. */
static bool read_number(struct parser *parser, struct node *node)
{
	char copy[32], *end;
	size_t length;

	node->negative = *parser->at == '-';
	length = node->negative;
	while (isalnum((unsigned char)parser->at[length]))
		length++;
	if (length >= sizeof(copy) || !isdigit((unsigned char)parser->at[node->negative]))
		return false;
	memcpy(copy, parser->at, length);
	copy[length] = '\0';
	errno = 0;
	node->number = strtoull(copy, &end, 0);
	if (*end || errno)
		return false;
	parser->at += length;
	return true;
}

static bool read_quoted(struct parser *parser, struct node *node)
{
	const char *end = strchr(parser->at + 1, *parser->at);

	if (!end)
		return false;
	parser->at++;
	node->inverted = node->operator == LIKE && *parser->at == '!';
	parser->at += node->inverted;
	node->text = memory_text(parser->at, (size_t)(end - parser->at));
	if (node->value != VALUE_KERNELS)
		node->value = VALUE_TEXT;
	parser->at = end + 1;
	return node->operator <= UNEQUAL || node->operator == LIKE;
}

static bool read_value(struct parser *parser, struct node *node)
{
	skip_blanks(parser);
	if (*parser->at == '"' || *parser->at == '\'')
		return read_quoted(parser, node);
	if (node->operator == LIKE)
		return false;
	if (take(parser, "CPUS{") || node->value == VALUE_KERNELS) { /* a set of CPUs, or the name of a function */
		node->value = VALUE_KERNELS;
		parser->at += strcspn(parser->at, " \t\n)&|");
		return true;
	}
	return read_number(parser, node);
}

static struct node *read_term(struct parser *parser)
{
	struct node *node = NEW(struct node);

	if (!read_name(parser, node))
		return fail_at(parser, node, "a field");
	if (!read_operator(parser, node))
		return fail_at(parser, node, "one of == != < <= > >= & ~");
	if (!read_value(parser, node))
		return fail_at(parser, node, node->operator == LIKE ? "a text in quotes" : "a number, or a text in quotes that == != ~ compare,");
	return node;
}

static struct node *join(enum node_kind kind, struct node *left, struct node *right)
{
	struct node *node = NEW(struct node);

	*node = (struct node){.kind = kind, .left = left, .right = right};
	return node;
}

static struct node *read_one(struct parser *parser)
{
	bool inverted = false;
	struct node *node;

	while (take(parser, "!"))
		inverted = !inverted;
	if (!take(parser, "(")) {
		node = read_term(parser);
	} else if (++parser->depth > DEPTH_MAX) {
		fail("parentheses nest deeper than %d", DEPTH_MAX);
		return NULL;
	} else {
		node = read_either(parser);
		if (node && !take(parser, ")"))
			return fail_at(parser, node, "a )");
		parser->depth--;
	}
	return node && inverted ? join(NODE_NOT, node, NULL) : node;
}

static struct node *read_both(struct parser *parser)
{
	struct node *node = read_one(parser), *next;

	while (node && take(parser, "&&")) {
		next = read_one(parser);
		if (!next)
			node_free(node);
		node = next ? join(NODE_AND, node, next) : NULL;
	}
	return node;
}

static struct node *read_either(struct parser *parser)
{
	struct node *node = read_both(parser), *next;

	while (node && take(parser, "||")) {
		next = read_both(parser);
		if (!next)
			node_free(node);
		node = next ? join(NODE_OR, node, next) : NULL;
	}
	return node;
}

struct node *node_read(struct event_type *type, const char *text)
{
	struct parser parser = {.type = type, .at = text};
	struct node *node = NULL;

	if (strlen(text) < LENGTH_MAX)
		node = read_either(&parser);
	else
		fail("it is longer than %d characters", LENGTH_MAX - 1);
	skip_blanks(&parser);
	if (node && *parser.at)
		node = fail_at(&parser, node, "&& or ||");
	if (!node)
		fail("wrong filter '%.100s' of event '%s': %s", text, type->name, fail_text());
	return node;
}
