#include "event/condition.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

static struct condition *make(struct condition made)
{
	struct condition *condition = NEW(struct condition);

	*condition = made;
	return condition;
}

struct condition *condition_both(enum condition_kind kind, struct condition *left, struct condition *right)
{
	return make((struct condition){.kind = kind, .left = left, .right = right});
}

struct condition *condition_one(enum condition_kind kind, struct condition *of)
{
	return make((struct condition){.kind = kind, .left = of});
}

struct condition *condition_test(enum condition_operator operator, struct condition *left, struct condition *right)
{
	return make((struct condition){.kind = CONDITION_TEST, .operator = operator, .left = left, .right = right});
}

struct condition *condition_named(int named)
{
	return make((struct condition){.kind = CONDITION_NAMED, .named = named});
}

struct condition *condition_number(double number)
{
	return make((struct condition){.kind = CONDITION_LITERAL, .literal = {.kind = VALUE_NUMBER, .number = number}});
}

struct condition *condition_integer(uint64_t bits, bool is_signed)
{
	return make((struct condition){.kind = CONDITION_LITERAL,
				       .literal = {.kind = VALUE_INTEGER, .bits = bits, .size = sizeof(bits), .is_signed = is_signed}});
}

struct condition *condition_text(const char *text, size_t length)
{
	return make((struct condition){.kind = CONDITION_LITERAL, .literal = {.kind = VALUE_TEXT, .text = memory_text(text, length)}});
}

void condition_free(struct condition *condition)
{
	if (!condition)
		return;
	condition_free(condition->left);
	condition_free(condition->right);
	free((char *)condition->literal.text);
	free(condition);
}

void condition_each_named(const struct condition *condition, void (*call)(void *context, int named), void *context)
{
	if (!condition)
		return;
	if (condition->kind == CONDITION_NAMED)
		call(context, condition->named);
	condition_each_named(condition->left, call, context);
	condition_each_named(condition->right, call, context);
}

static int64_t widened(uint64_t bits, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(bits << unused) >> unused;
}

static uint64_t cut(uint64_t bits, unsigned size)
{
	return size < 8 ? bits & ((UINT64_C(1) << 8 * size) - 1) : bits;
}

static double number_of_integer(const struct value *value)
{
	return value->is_signed ? (double)widened(value->bits, value->size) : (double)cut(value->bits, value->size);
}

/* The value as a number; false: it is none, or unknown. */
static bool as_number(const struct value *value, double *number)
{
	switch (value->kind) {
	case VALUE_NUMBER:
		*number = value->number;
		return true;
	case VALUE_INTEGER:
		*number = number_of_integer(value);
		return true;
	case VALUE_OPEN:
		return number_double(value->text, strlen(value->text), number) == 0;
	default:
		return false;
	}
}

static enum truth truth_of(bool holds)
{
	return holds ? TRUTH_YES : TRUTH_NO;
}

static enum truth holds(enum condition_operator operator, int order)
{
	switch (operator) {
	case CONDITION_EQUAL:
		return truth_of(order == 0);
	case CONDITION_UNEQUAL:
		return truth_of(order != 0);
	case CONDITION_AT_MOST:
		return truth_of(order <= 0);
	case CONDITION_AT_LEAST:
		return truth_of(order >= 0);
	case CONDITION_LESS:
		return truth_of(order < 0);
	case CONDITION_GREATER:
		return truth_of(order > 0);
	default:
		return TRUTH_UNKNOWN;
	}
}

/* Converts both to the left one's type, as the kernel does. */
static enum truth compare_integers(enum condition_operator operator, const struct value *a, const struct value *b)
{
	uint64_t left = cut(a->bits, a->size), right = cut(b->bits, a->size);
	int64_t signed_left = widened(left, a->size), signed_right = widened(right, a->size);
	bool too_large = a->may_be_unsigned && !b->is_signed && (int64_t)b->bits < 0;

	if (operator == CONDITION_BITS)
		return truth_of((left & right) != 0);
	if (a->is_signed && !too_large)
		return holds(operator, (signed_left > signed_right) - (signed_left < signed_right));
	return holds(operator, (left > right) - (left < right));
}

static enum truth compare_numbers(enum condition_operator operator, double left, double right)
{
	if (operator == CONDITION_BITS)
		return TRUTH_UNKNOWN;
	return holds(operator, (left > right) - (left < right));
}

static bool is_text(const struct value *value)
{
	return value->kind == VALUE_TEXT || value->kind == VALUE_OPEN;
}

static enum truth compare(enum condition_operator operator, const struct value *left, const struct value *right)
{
	double a, b;

	if (left->kind == VALUE_INTEGER && right->kind == VALUE_INTEGER)
		return compare_integers(operator, left, right);
	if (operator != CONDITION_LIKE && as_number(left, &a) && as_number(right, &b))
		return compare_numbers(operator, a, b);
	if (!is_text(left) || !is_text(right))
		return TRUTH_UNKNOWN;
	if (operator == CONDITION_LIKE)
		return truth_of(fnmatch(right->text, left->text, 0) == 0);
	return holds(operator, strcmp(left->text, right->text));
}

static double reckon(enum condition_kind kind, double left, double right)
{
	switch (kind) {
	case CONDITION_ADD:
		return left + right;
	case CONDITION_SUBTRACT:
		return left - right;
	case CONDITION_MULTIPLY:
		return left * right;
	default:
		return left / right;
	}
}

static void evaluate(const struct condition *condition, value_function *value_of, void *context, char room[VALUE_ROOM], struct value *value)
{
	struct value left, right;
	double a, b = -1;

	*value = (struct value){.kind = VALUE_UNKNOWN};
	if (condition->kind == CONDITION_NAMED) {
		value_of(context, condition->named, room, value);
		return;
	}
	if (condition->kind == CONDITION_LITERAL) {
		*value = condition->literal;
		return;
	}
	evaluate(condition->left, value_of, context, room, &left);
	if (!as_number(&left, &a))
		return;
	if (condition->right) {
		evaluate(condition->right, value_of, context, room, &right);
		if (!as_number(&right, &b) || (condition->kind == CONDITION_DIVIDE && b == 0))
			return;
	}
	value->number = reckon(condition->kind == CONDITION_NEGATE ? CONDITION_MULTIPLY : condition->kind, a, b);
	value->kind = isnan(value->number) ? VALUE_UNKNOWN : VALUE_NUMBER;
}

static enum truth judge_test(const struct condition *test, value_function *value_of, void *context)
{
	char rooms[2][VALUE_ROOM];
	struct value left, right;

	evaluate(test->left, value_of, context, rooms[0], &left);
	evaluate(test->right, value_of, context, rooms[1], &right);
	return compare(test->operator, &left, &right);
}

static enum truth judge_known(const struct condition *known, value_function *value_of, void *context)
{
	char room[VALUE_ROOM];
	struct value value;

	evaluate(known->left, value_of, context, room, &value);
	return truth_of(value.kind != VALUE_UNKNOWN);
}

enum truth condition_truth(const struct condition *condition, value_function *value_of, void *context)
{
	enum truth left, right;

	if (!condition)
		return TRUTH_YES;
	if (condition->kind == CONDITION_TEST)
		return judge_test(condition, value_of, context);
	if (condition->kind == CONDITION_KNOWN)
		return judge_known(condition, value_of, context);
	left = condition_truth(condition->left, value_of, context);
	if (condition->kind == CONDITION_NOT)
		return (enum truth)(TRUTH_YES - left);
	if (condition->kind == CONDITION_SURE)
		return truth_of(left == TRUTH_YES);
	if (left == (condition->kind == CONDITION_AND ? TRUTH_NO : TRUTH_YES))
		return left;
	right = condition_truth(condition->right, value_of, context);
	return (left < right) == (condition->kind == CONDITION_AND) ? left : right;
}
