#include "event/predicate.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "event/format.h"
#include "event/predicate_node.h"

enum { TEXT_ROOM = 1024 };

/* The truth of a condition: "and" is the lesser of two, "or" the greater. */
enum truth { NO, UNKNOWN, YES };

struct predicate {
	struct events *events;
	struct node *root;
	const char *lacking; /* the latest field that was unknown */
	const char *first;   /* the value of `lacking` when an event first passed because of it */
	uint64_t unknown;
};

struct predicate *predicate_new(struct events *events, struct event_type *type, const char *text)
{
	struct node *root = node_read(type, text);
	struct predicate *predicate;

	if (!root)
		return NULL;
	predicate = NEW(struct predicate);
	predicate->events = events;
	predicate->root = root;
	return predicate;
}

void predicate_free(struct predicate *predicate)
{
	if (!predicate)
		return;
	node_free(predicate->root);
	free(predicate);
}

static bool asks_name(const struct node *node)
{
	return node && ((node->kind == NODE_TERM && node->common == COMMON_NAME) || asks_name(node->left) || asks_name(node->right));
}

bool predicate_asks_name(const struct predicate *predicate)
{
	return asks_name(predicate->root);
}

/* The left-hand number of a comparison, with its field's width and sign. */
struct operand {
	uint64_t bits;
	unsigned size; /* bytes */
	bool is_signed;
};

static int64_t widened(uint64_t bits, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(bits << unused) >> unused;
}

static uint64_t cut(uint64_t bits, unsigned size)
{
	return size < 8 ? bits & ((UINT64_C(1) << 8 * size) - 1) : bits;
}

/* Converts both numbers to the field's type, as the kernel does. */
static bool compare(enum operator operator, struct operand field, uint64_t number)
{
	uint64_t left = cut(field.bits, field.size), right = cut(number, field.size);
	int64_t signed_left = widened(left, field.size), signed_right = widened(right, field.size);
	int order = field.is_signed ? (signed_left > signed_right) - (signed_left < signed_right) : (left > right) - (left < right);

	switch (operator) {
	case EQUAL:
		return order == 0;
	case UNEQUAL:
		return order != 0;
	case AT_MOST:
		return order <= 0;
	case AT_LEAST:
		return order >= 0;
	case LESS:
		return order < 0;
	case GREATER:
		return order > 0;
	default:
		return (left & right) != 0;
	}
}

/* Text omits the field's type: only a decimal number too large for a signed one shows that it is unsigned. */
static bool read_written(const char *text, size_t length, struct operand *operand)
{
	bool is_hexadecimal = length > 1 && text[1] == 'x';
	int64_t number;
	uint64_t dev;

	if (number_integer(text, length, &number) == 0)
		*operand = (struct operand){(uint64_t)number, sizeof(number), number >= 0 || is_hexadecimal || *text == '-'};
	else if (device_parse(text, length, &dev) == 0)
		*operand = (struct operand){dev, sizeof(dev), false};
	else
		return false;
	return true;
}

static bool read_packed(const struct event *event, const struct event_field *field, struct operand *operand)
{
	*operand = (struct operand){(uint64_t)event_number(event, field), field->size, field->is_signed};
	return !field->is_string && !field->is_dynamic && format_is_number(field->size);
}

/* false: the recording lacks it. */
static bool number_of(const struct event *event, const struct node *node, struct operand *operand)
{
	char text[64];

	if (event_has(event, node->field))
		return event->payload ? read_packed(event, node->field, operand)
				      : read_written(text, event_text(event, node->field, text, sizeof(text)), operand);
	*operand = (struct operand){node->common == COMMON_CPU ? event->cpu : (uint64_t)event->tid, sizeof(int32_t), true};
	return node->common == COMMON_CPU || node->common == COMMON_TID;
}

static enum truth judge_number(const struct event *event, const struct node *node)
{
	struct operand operand;

	if (!number_of(event, node, &operand))
		return UNKNOWN;
	if (!event->payload && !node->negative && (int64_t)node->number < 0) /* such a number is compared with no other field */
		operand.is_signed = false;
	return compare(node->operator, operand, node->number) ? YES : NO;
}

/* NULL: the recording lacks it. */
static const char *text_of(const struct predicate *predicate, const struct event *event, const struct node *node, char text[TEXT_ROOM])
{
	bool is_own = event_has(event, node->field);
	const char *comm;

	if (is_own && event->payload && !node->field->is_string)
		return NULL;
	if (is_own) {
		event_text(event, node->field, text, TEXT_ROOM);
		return text;
	}
	if (node->common != COMMON_NAME)
		return NULL;
	if (event->tid == 0) {
		snprintf(text, TEXT_ROOM, "swapper/%u", event->cpu);
		return text;
	}
	comm = events_comm(predicate->events, event->tid);
	return strcmp(comm, "?") ? comm : NULL;
}

static enum truth judge_text(const struct predicate *predicate, const struct event *event, const struct node *node)
{
	char room[TEXT_ROOM];
	const char *text = text_of(predicate, event, node, room);
	bool matches;

	if (!text)
		return UNKNOWN;
	matches = node->operator == LIKE ? fnmatch(node->text, text, 0) == 0 : strcmp(node->text, text) == 0;
	return matches != (node->inverted || node->operator == UNEQUAL) ? YES : NO;
}

static enum truth judge_term(struct predicate *predicate, const struct event *event, const struct node *node)
{
	enum truth truth = UNKNOWN;

	if (node->value == VALUE_NUMBER)
		truth = judge_number(event, node);
	else if (node->value == VALUE_TEXT)
		truth = judge_text(predicate, event, node);
	if (truth == UNKNOWN)
		predicate->lacking = node->field->name;
	return truth;
}

static enum truth judge(struct predicate *predicate, const struct event *event, const struct node *node)
{
	enum truth left, right;

	if (node->kind == NODE_TERM)
		return judge_term(predicate, event, node);
	left = judge(predicate, event, node->left);
	if (node->kind == NODE_NOT)
		return (enum truth)(YES - left);
	if (left == (node->kind == NODE_AND ? NO : YES))
		return left;
	right = judge(predicate, event, node->right);
	return (left < right) == (node->kind == NODE_AND) ? left : right;
}

bool predicate_passes(struct predicate *predicate, const struct event *event)
{
	enum truth truth = judge(predicate, event, predicate->root);

	if (truth == UNKNOWN && predicate->unknown++ == 0)
		predicate->first = predicate->lacking;
	return truth != NO;
}

uint64_t predicate_unknown(const struct predicate *predicate, const char **field)
{
	*field = predicate->first;
	return predicate->unknown;
}
