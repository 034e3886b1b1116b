#include "state/logic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

enum { DEPTH_MAX = 64 };

/* An operand that is compared with a text in quotes has the number AS_TEXT + N, which makes its value a text. */
enum { AS_TEXT = 1 << 20 };

struct state_logic {
	struct condition *condition;
};

/* Reading */

struct reader {
	const char *at;
	state_operand_read *read;
	void *context;
	int depth;
};

enum operand_kind { OPERAND_NAMED, OPERAND_NUMBER, OPERAND_TEXT, OPERAND_NULL };

struct operand {
	enum operand_kind kind;
	int named;
	int64_t number;
	const char *text;
	size_t length;
};

static struct condition *read_either(struct reader *reader);

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t");
}

static bool take(struct reader *reader, const char *mark)
{
	skip_blanks(reader);
	if (strncmp(reader->at, mark, strlen(mark)) != 0)
		return false;
	reader->at += strlen(mark);
	return true;
}

static int read_quoted(struct reader *reader, struct operand *operand)
{
	const char *end = strchr(reader->at + 1, *reader->at);

	if (!end)
		return fail("the text in quotes does not end");
	operand->kind = OPERAND_TEXT;
	operand->text = reader->at + 1;
	operand->length = (size_t)(end - operand->text);
	if (operand->length > STATE_TEXT_MAX)
		return fail("a text has more than %d bytes, more than any value", STATE_TEXT_MAX);
	reader->at = end + 1;
	return 0;
}

static int read_number(struct reader *reader, struct operand *operand)
{
	size_t length = strspn(reader->at, "-0123456789");

	operand->kind = OPERAND_NUMBER;
	if (number_integer(reader->at, length, &operand->number) < 0)
		return -1;
	reader->at += length;
	return 0;
}

static bool is_word(const char *at, const char *word)
{
	size_t length = strlen(word);

	return strncmp(at, word, length) == 0 && !isalnum((unsigned char)at[length]) && !strchr("_/*.%", at[length] ? at[length] : ' ');
}

static int read_operand(struct reader *reader, struct operand *operand)
{
	*operand = (struct operand){.kind = OPERAND_NAMED};
	skip_blanks(reader);
	if (*reader->at == '"' || *reader->at == '\'')
		return read_quoted(reader, operand);
	if (isdigit((unsigned char)*reader->at) || (*reader->at == '-' && isdigit((unsigned char)reader->at[1])))
		return read_number(reader, operand);
	if (is_word(reader->at, "null")) {
		operand->kind = OPERAND_NULL;
		reader->at += 4;
		return 0;
	}
	operand->named = reader->read(reader->context, &reader->at);
	return operand->named < 0 ? -1 : 0;
}

static struct condition *node_of(const struct operand *operand, const struct operand *beside)
{
	switch (operand->kind) {
	case OPERAND_NUMBER:
		return condition_integer((uint64_t)operand->number, true);
	case OPERAND_TEXT:
		return condition_text(operand->text, operand->length);
	default:
		return condition_named(operand->named + (beside->kind == OPERAND_TEXT ? AS_TEXT : 0));
	}
}

static struct condition *known(const struct operand *operand)
{
	return condition_one(CONDITION_KNOWN, node_of(operand, operand));
}

static struct condition *compare(enum condition_operator operator, const struct operand *left, const struct operand *right)
{
	return condition_one(CONDITION_SURE, condition_test(operator, node_of(left, right), node_of(right, left)));
}

/* == null or != null. */
static struct condition *compare_null(enum condition_operator operator, const struct operand *with)
{
	if (operator == CONDITION_UNEQUAL)
		return known(with);
	return condition_one(CONDITION_NOT, known(with));
}

/* !=: neither is null, and they are not equal. So a number is unequal to a text. */
static struct condition *compare_unequal(const struct operand *left, const struct operand *right)
{
	struct condition *both = condition_both(CONDITION_AND, known(left), known(right));

	return condition_both(CONDITION_AND, both, condition_one(CONDITION_NOT, compare(CONDITION_EQUAL, left, right)));
}

static bool read_operator(struct reader *reader, enum condition_operator *operator)
{
	static const struct {
		const char *mark;
		enum condition_operator operator;
	} marks[] = {{"==", CONDITION_EQUAL},	 {"!=", CONDITION_UNEQUAL}, {"<=", CONDITION_AT_MOST},
		     {">=", CONDITION_AT_LEAST}, {"<", CONDITION_LESS},	    {">", CONDITION_GREATER}};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (take(reader, marks[i].mark)) {
			*operator = marks[i].operator;
			return true;
		}
	return false;
}

static struct condition *read_comparison(struct reader *reader)
{
	struct operand left, right;
	enum condition_operator operator;

	if (read_operand(reader, &left) < 0)
		return NULL;
	if (!read_operator(reader, &operator)) {
		fail("one of == != < <= > >= is missing");
		return NULL;
	}
	if (read_operand(reader, &right) < 0)
		return NULL;
	if (left.kind != OPERAND_NAMED && right.kind != OPERAND_NAMED) {
		fail("neither side of the comparison changes");
		return NULL;
	}
	if (left.kind == OPERAND_NULL || right.kind == OPERAND_NULL) {
		if (operator != CONDITION_EQUAL && operator != CONDITION_UNEQUAL) {
			fail("null is compared by == and != only");
			return NULL;
		}
		return compare_null(operator, left.kind == OPERAND_NULL ? &right : &left);
	}
	return operator == CONDITION_UNEQUAL ? compare_unequal(&left, &right) : compare(operator, &left, &right);
}

static struct condition *read_inner(struct reader *reader)
{
	struct condition *inner;

	if (++reader->depth > DEPTH_MAX) {
		fail("parentheses nest deeper than %d", DEPTH_MAX);
		return NULL;
	}
	inner = read_either(reader);
	reader->depth--;
	if (inner && !take(reader, ")")) {
		condition_free(inner);
		fail("a ')' is missing");
		return NULL;
	}
	return inner;
}

static struct condition *read_one(struct reader *reader)
{
	struct condition *one;
	bool inverted = false;

	while (take(reader, "!"))
		inverted = !inverted;
	one = take(reader, "(") ? read_inner(reader) : read_comparison(reader);
	return one && inverted ? condition_one(CONDITION_NOT, one) : one;
}

static struct condition *read_joined(struct reader *reader, const char *mark, enum condition_kind kind,
				     struct condition *(*read)(struct reader *reader))
{
	struct condition *condition = read(reader);

	while (condition && take(reader, mark)) {
		struct condition *next = read(reader);

		if (!next)
			condition_free(condition);
		condition = next ? condition_both(kind, condition, next) : NULL;
	}
	return condition;
}

static struct condition *read_both(struct reader *reader)
{
	return read_joined(reader, "&&", CONDITION_AND, read_one);
}

static struct condition *read_either(struct reader *reader)
{
	return read_joined(reader, "||", CONDITION_OR, read_both);
}

struct state_logic *state_logic_read(const char *text, state_operand_read *read, void *context, const char **at)
{
	struct reader reader = {.at = text, .read = read, .context = context};
	struct condition *condition = read_either(&reader);
	struct state_logic *logic;

	skip_blanks(&reader);
	*at = reader.at;
	if (condition && *reader.at) {
		condition_free(condition);
		fail("&& or || is missing");
		return NULL;
	}
	if (!condition)
		return NULL;
	logic = NEW(struct state_logic);
	logic->condition = condition;
	return logic;
}

void state_logic_free(struct state_logic *logic)
{
	if (logic)
		condition_free(logic->condition);
	free(logic);
}

/* Judging */

struct asking {
	struct state_texts *texts;
	state_operand_value *value;
	void *context;
};

static void value_of(void *context, int named, char room[VALUE_ROOM], struct value *value)
{
	const struct asking *asking = context;
	struct state_value is = asking->value(asking->context, named % AS_TEXT);
	size_t length;

	if (is.kind == STATE_NUMBER && named < AS_TEXT) {
		*value = (struct value){.kind = VALUE_INTEGER, .bits = (uint64_t)is.number, .size = sizeof(is.number), .is_signed = true};
	} else if (is.kind != STATE_NULL) {
		char spelled[STATE_VALUE_ROOM];
		const char *text = state_value_spell(is, spelled, &length);

		memcpy(room, text, length);
		room[length] = '\0';
		*value = (struct value){.kind = VALUE_TEXT, .text = room};
	}
	state_value_drop(asking->texts, &is);
}

bool state_logic_holds(const struct state_logic *logic, struct state_texts *texts, state_operand_value *value, void *context)
{
	struct asking asking = {texts, value, context};

	return !logic || condition_truth(logic->condition, value_of, &asking) == TRUTH_YES;
}
