#include "trigger/condition_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/number.h"

enum {
	DEPTH_MAX = 64,		/* of nested parentheses */
	VALUES_MAX = 256,	/* of a trigger */
	WINDOW_LEAST = 1000000, /* ns */
};

static const int64_t time_most = INT64_MAX / 8;

/* The fields, the kinds of trigger that have them, and whether a field is text. */
static const struct field_words {
	const char *name;
	enum trigger_field field;
	unsigned of; /* bits of enum trigger_on */
	bool is_text;
} fields[] = {
	{"Latency", FIELD_LATENCY, 1 << ON_REQUEST_END | 1 << ON_ALWAYS, false},
	{"RetValue", FIELD_RET_VALUE, 1 << ON_REQUEST_END | 1 << ON_ALWAYS, false},
	{"Start", FIELD_START, 1 << ON_REQUEST_START | 1 << ON_REQUEST_END | 1 << ON_ALWAYS, false},
	{"Tid", FIELD_TID, 1 << ON_REQUEST_START | 1 << ON_REQUEST_END | 1 << ON_ALWAYS | 1 << ON_EXCEPTION, false},
	{"Comm", FIELD_COMM, 1 << ON_REQUEST_START | 1 << ON_REQUEST_END | 1 << ON_ALWAYS | 1 << ON_EXCEPTION, true},
	{"Program", FIELD_PROGRAM, 1 << ON_REQUEST_START | 1 << ON_REQUEST_END | 1 << ON_ALWAYS | 1 << ON_EXCEPTION, true},
	{"Chart", FIELD_CHART, 1 << ON_REQUEST_START | 1 << ON_REQUEST_END | 1 << ON_ALWAYS | 1 << ON_SIGNAL, true},
	{"Key", FIELD_KEY, 1 << ON_REQUEST_START | 1 << ON_REQUEST_END | 1 << ON_ALWAYS | 1 << ON_SIGNAL, true},
	{"Name", FIELD_NAME, 1 << ON_EXCEPTION, true},
	{"What", FIELD_WHAT, 1 << ON_EXCEPTION, true},
	{"Function", FIELD_FUNCTION, 1 << ON_EXCEPTION, true},
	{"Value", FIELD_VALUE, 1 << ON_SIGNAL, false},
	{"Center", FIELD_CENTER, 1 << ON_SIGNAL, false},
	{"Ucl", FIELD_UCL, 1 << ON_SIGNAL, false},
};

enum takes { TAKES_NOTHING, TAKES_FIELD, TAKES_FIELD_AND_NUMBER };

static const struct aggregate_words {
	const char *name;
	enum trigger_aggregate aggregate;
	enum takes takes;
} aggregates[] = {
	{"Count", AGGREGATE_COUNT, TAKES_NOTHING}, {"Throughput", AGGREGATE_THROUGHPUT, TAKES_NOTHING},
	{"Sum", AGGREGATE_SUM, TAKES_FIELD},	   {"Avg", AGGREGATE_AVG, TAKES_FIELD},
	{"Min", AGGREGATE_MIN, TAKES_FIELD},	   {"Max", AGGREGATE_MAX, TAKES_FIELD},
	{"Std", AGGREGATE_STD, TAKES_FIELD},	   {"Percentile", AGGREGATE_PERCENTILE, TAKES_FIELD_AND_NUMBER},
};

static const struct {
	const char *name;
	double ns;
} units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"sec", 1e9}, {"min", 60e9}, {"Minute", 60e9}, {"h", 3600e9}};

struct reader {
	struct script *script;
	struct trigger *trigger;
	const struct word *var;
	int depth;
};

enum part_is { PART_TRUTH, PART_NUMBER, PART_TEXT, PART_OPEN };

/* What was read: a condition, or a value that a condition may begin with. `node` is NULL after fail(). */
struct part {
	struct condition *node;
	enum part_is is;
	struct word at; /* the first word */
};

static const struct part nothing = {0};

static struct part read_or(struct reader *reader, bool value_may_stand);
static struct part read_sum(struct reader *reader, bool truth_may_stand);

double trigger_number(const struct word *word)
{
	double number = INFINITY;

	number_double(word->text, word->length, &number);
	return number;
}

bool trigger_unit(const struct script *script, double *scale)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (script_at(script, units[i].name)) {
			*scale = units[i].ns;
			return true;
		}
	return false;
}

int trigger_time(const struct script *script, const struct word *number, double scale, int64_t *ns)
{
	double time = round(trigger_number(number) * scale);

	if (!(time < (double)time_most))
		return script_fail(script, number, "a time of more than 30 years");
	*ns = (int64_t)time;
	return 0;
}

int trigger_time_read(struct script *script, int64_t *ns)
{
	struct word number = script->now;
	double scale;

	if (number.kind != WORD_NUMBER)
		return script_expected(script, "a time");
	if (script_next(script) < 0)
		return -1;
	if (!trigger_unit(script, &scale))
		return script_expected(script, "a unit of time (us, ms, s, sec, min, Minute, h)");
	return trigger_time(script, &number, scale, ns) < 0 ? -1 : script_next(script);
}

static const struct field_words *find_field(const struct word *name, size_t skip)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (name->length - skip == strlen(fields[i].name) && !strncasecmp(name->text + skip, fields[i].name, name->length - skip))
			return &fields[i];
	return NULL;
}

static bool looks_at_requests(const struct trigger *trigger)
{
	return trigger->on == ON_REQUEST_START || trigger->on == ON_REQUEST_END || trigger->on == ON_ALWAYS;
}

/* Sets a value's field by the text of a word from byte `skip` on; `of_all`: the field of an aggregate. 0; -1 after fail(). */
static int take_field(struct reader *reader, const struct word *name, size_t skip, bool of_all, struct trigger_value *value)
{
	const struct field_words *known = find_field(name, skip);
	const struct trigger *trigger = reader->trigger;
	const char *on = trigger_on_name(trigger->on);
	int length = (int)(name->length - skip < 64 ? name->length - skip : 64);
	bool has = known && known->of >> trigger->on & 1 && (of_all || trigger->on != ON_ALWAYS);

	if (has) {
		value->field = known->field;
		value->is_text = known->is_text;
		value->is_number = !known->is_text;
		return 0;
	}
	if (!looks_at_requests(trigger) || (trigger->on == ON_ALWAYS && !of_all))
		return script_fail(reader->script, name, "%s has no value '%.*s'", on, length, name->text + skip);
	if (known && (known->field == FIELD_LATENCY || known->field == FIELD_RET_VALUE))
		return script_fail(reader->script, name, "%s has no %s yet", on, known->name);
	value->field = FIELD_SHOWN;
	value->shown = memory_text(name->text + skip, name->length - skip);
	return 0;
}

/* The aggregate that the name is, or begins with, as in AvgLatency. *skip: where the field's name begins in it; 0: it has none. */
static const struct aggregate_words *find_aggregate(const struct word *name, size_t *skip)
{
	for (size_t i = 0; i < sizeof(aggregates) / sizeof(aggregates[0]); i++) {
		size_t length = strlen(aggregates[i].name);

		if (name->length < length || strncasecmp(name->text, aggregates[i].name, length) != 0)
			continue;
		*skip = name->length > length ? length : 0;
		if (!*skip || aggregates[i].takes == TAKES_FIELD)
			return &aggregates[i];
	}
	return NULL;
}

static int read_bound(struct reader *reader, int64_t *bound)
{
	struct script *script = reader->script;
	int taken = script_take(script, "now");

	*bound = 0;
	if (taken)
		return taken < 0 ? -1 : 0;
	taken = script_take_mark(script, "-");
	if (taken == 0)
		return script_expected(script, "now, or - and a time,");
	return taken < 0 ? -1 : trigger_time_read(script, bound);
}

static int read_percent(struct reader *reader, struct trigger_value *value, bool *has_number)
{
	struct word number = reader->script->now;

	if (number.kind != WORD_NUMBER)
		return 0;
	value->percent = trigger_number(&number);
	if (value->percent > 100)
		return script_fail(reader->script, &number, "a percentage is 0 to 100");
	*has_number = true;
	return script_next(reader->script) < 0 ? -1 : script_need_mark(reader->script, ",");
}

/* Reads "FIELD, PERCENT," behind the parenthesis; either may be absent. */
static int read_asked(struct reader *reader, const struct word *name, const struct aggregate_words *known, size_t skip,
		      struct trigger_value *value)
{
	struct script *script = reader->script;
	struct word field = script->now;
	bool has_field = field.kind == WORD_NAME && !script_at(script, "now"), has_number = false;

	if (has_field && known->takes != TAKES_NOTHING && !skip &&
	    take_field(reader, &field, 0, true, value) < 0)
		return -1;
	if (has_field && value->is_text)
		return script_fail(script, &field, "%s of a text", known->name);
	if (has_field && (script_next(script) < 0 || script_need_mark(script, ",") < 0 || read_percent(reader, value, &has_number) < 0))
		return -1;
	if (known->takes == TAKES_NOTHING && has_field)
		return script_fail(script, name, "%s takes no value, only two bounds", known->name);
	if (skip && has_field)
		return script_fail(script, name, "a value is given twice; write %s(VALUE,...) or %sVALUE(...)", known->name, known->name);
	if (!skip && known->takes != TAKES_NOTHING && !has_field)
		return script_fail(script, name, "%s needs a value before its bounds", known->name);
	if (has_number != (known->takes == TAKES_FIELD_AND_NUMBER))
		return script_fail(script, name, has_number ? "%s takes no number" : "%s needs a percentage behind its value", known->name);
	return 0;
}

/* Reads an aggregate, from behind its name on. 0; -1 after fail(). */
static int read_aggregate(struct reader *reader, const struct word *name, struct trigger_value *value)
{
	struct script *script = reader->script;
	size_t skip = 0;
	const struct aggregate_words *known = find_aggregate(name, &skip);
	int64_t from, to;

	if (!known)
		return script_fail(script, name, "unknown aggregate '%.*s'; there are Count, Throughput, Sum, Avg, Min, Max, Std, Percentile",
				  (int)(name->length < 64 ? name->length : 64), name->text);
	value->aggregate = known->aggregate;
	if (skip && take_field(reader, name, skip, true, value) < 0)
		return -1;
	if (skip && value->is_text)
		return script_fail(script, name, "%s of a text", known->name);
	if (script_need_mark(script, "(") < 0 || read_asked(reader, name, known, skip, value) < 0 || read_bound(reader, &from) < 0 ||
	    script_need_mark(script, ",") < 0 || read_bound(reader, &to) < 0)
		return -1;
	value->from = from > to ? from : to;
	value->to = from > to ? to : from;
	if (value->from - value->to < WINDOW_LEAST)
		return script_fail(script, name, "a window is 1 ms long at least");
	value->is_text = false;
	value->is_number = true;
	return script_need_mark(script, ")");
}

/* Reads a value: var "." name [...] */
static struct part read_value(struct reader *reader)
{
	struct script *script = reader->script;
	struct word var = script->now, name;
	struct trigger_value value = {0};
	int status;

	if (var.length != reader->var->length || strncasecmp(var.text, reader->var->text, var.length) != 0) {
		script_fail(script, &var, "'%.*s' is not the name that ON gives, '%.*s'", (int)(var.length < 64 ? var.length : 64), var.text,
			   (int)(reader->var->length < 64 ? reader->var->length : 64), reader->var->text);
		return nothing;
	}
	if (script_next(script) < 0 || script_need_mark(script, ".") < 0)
		return nothing;
	name = script->now;
	if (name.kind != WORD_NAME) {
		script_expected(script, "the name of a value");
		return nothing;
	}
	if (script_next(script) < 0)
		return nothing;
	if (reader->trigger->values.count == VALUES_MAX) {
		script_fail(script, &var, "more than %d values", VALUES_MAX);
		return nothing;
	}
	status = script_at_mark(script, "(") ? read_aggregate(reader, &name, &value) : take_field(reader, &name, 0, false, &value);
	if (status < 0) {
		free(value.shown);
		return nothing;
	}
	*ARRAY_ADD(&reader->trigger->values) = value;
	return (struct part){condition_named((int)reader->trigger->values.count - 1),
			     value.is_text ? PART_TEXT : value.is_number ? PART_NUMBER : PART_OPEN, var};
}

static struct part read_number(struct reader *reader)
{
	struct script *script = reader->script;
	struct word number = script->now;
	double scale, value = trigger_number(&number);
	int64_t ns = 0;

	if (!isfinite(value)) {
		script_fail(script, &number, "a number that is too large");
		return nothing;
	}
	if (script_next(script) < 0)
		return nothing;
	if (!trigger_unit(script, &scale))
		return (struct part){condition_number(value), PART_NUMBER, number};
	if (trigger_time(script, &number, scale, &ns) < 0 || script_next(script) < 0)
		return nothing;
	return (struct part){condition_number((double)ns / 1e9), PART_NUMBER, number};
}

static struct part read_string(struct reader *reader)
{
	struct word at = reader->script->now;
	size_t length;
	char *text = word_string(&at, &length);
	struct part part = nothing;

	if (strlen(text) != length)
		script_fail(reader->script, &at, "a string with a NUL");
	else if (script_next(reader->script) == 0)
		part = (struct part){condition_text(text, length), PART_TEXT, at};
	free(text);
	return part;
}

/* Reads parentheses around a value or, if truth_may_stand, a condition. */
static struct part read_nested(struct reader *reader, bool truth_may_stand)
{
	struct script *script = reader->script;
	struct word open = script->now;
	struct part part;

	if (++reader->depth > DEPTH_MAX) {
		script_fail(script, &open, "parentheses nest deeper than %d", DEPTH_MAX);
		return nothing;
	}
	if (script_next(script) < 0)
		return nothing;
	part = truth_may_stand ? read_or(reader, true) : read_sum(reader, false);
	reader->depth--;
	part.at = open;
	if (!part.node || script_need_mark(script, ")") == 0)
		return part;
	condition_free(part.node);
	return nothing;
}

static struct part read_primary(struct reader *reader, bool truth_may_stand)
{
	struct script *script = reader->script;

	if (script_at_mark(script, "("))
		return read_nested(reader, truth_may_stand);
	if (script->now.kind == WORD_NUMBER)
		return read_number(reader);
	if (script->now.kind == WORD_STRING)
		return read_string(reader);
	if (script->now.kind == WORD_NAME && !word_is_reserved(&script->now))
		return read_value(reader);
	script_expected(script, truth_may_stand ? "a condition" : "a value");
	return nothing;
}

static bool refuses_text(const struct reader *reader, const struct part *part)
{
	if (part->is != PART_TEXT)
		return false;
	script_fail(reader->script, &part->at, "a text is no number to reckon with");
	return true;
}

static struct part drop(struct part one, struct part another)
{
	condition_free(one.node);
	condition_free(another.node);
	return nothing;
}

static struct part read_unary(struct reader *reader, bool truth_may_stand)
{
	struct word minus = reader->script->now;
	int taken = script_take_mark(reader->script, "-");
	struct part part;

	if (taken < 0)
		return nothing;
	part = read_primary(reader, truth_may_stand && !taken);
	if (!taken || !part.node)
		return part;
	if (refuses_text(reader, &part))
		return drop(part, nothing);
	return (struct part){condition_one(CONDITION_NEGATE, part.node), PART_NUMBER, minus};
}

/* Joins two values by the operator between them. After fail(), frees both. */
static struct part reckon(struct reader *reader, enum condition_kind kind, struct part left, struct part right)
{
	if (!left.node || !right.node || refuses_text(reader, &left) || refuses_text(reader, &right))
		return drop(left, right);
	return (struct part){condition_both(kind, left.node, right.node), PART_NUMBER, left.at};
}

static struct part read_product(struct reader *reader, bool truth_may_stand)
{
	struct part part = read_unary(reader, truth_may_stand);
	enum condition_kind kind;

	while (part.node && part.is != PART_TRUTH && (script_at_mark(reader->script, "*") || script_at_mark(reader->script, "/"))) {
		kind = script_at_mark(reader->script, "*") ? CONDITION_MULTIPLY : CONDITION_DIVIDE;
		if (refuses_text(reader, &part) || script_next(reader->script) < 0)
			return drop(part, nothing);
		part = reckon(reader, kind, part, read_unary(reader, false));
	}
	return part;
}

static struct part read_sum(struct reader *reader, bool truth_may_stand)
{
	struct part part = read_product(reader, truth_may_stand);
	enum condition_kind kind;

	while (part.node && part.is != PART_TRUTH && (script_at_mark(reader->script, "+") || script_at_mark(reader->script, "-"))) {
		kind = script_at_mark(reader->script, "+") ? CONDITION_ADD : CONDITION_SUBTRACT;
		if (refuses_text(reader, &part) || script_next(reader->script) < 0)
			return drop(part, nothing);
		part = reckon(reader, kind, part, read_product(reader, false));
	}
	return part;
}

/* LIKE's pattern for fnmatch(3): escapes '[' and '\', which have a meaning there, but not in LIKE. */
static struct condition *pattern_of(const struct word *string)
{
	size_t length, used = 0;
	char *text = word_string(string, &length), *pattern = memory_new(2 * length + 1, 1);
	struct condition *node;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '[' || text[i] == '\\')
			pattern[used++] = '\\';
		pattern[used++] = text[i];
	}
	node = condition_text(pattern, used);
	free(pattern);
	free(text);
	return node;
}

static struct part read_like(struct reader *reader, struct part left)
{
	struct script *script = reader->script;
	struct condition *pattern;

	if (left.is == PART_NUMBER) {
		script_fail(script, &script->now, "LIKE compares texts, not a number");
		return drop(left, nothing);
	}
	if (script_next(script) < 0)
		return drop(left, nothing);
	if (script->now.kind != WORD_STRING) {
		script_expected(script, "a string");
		return drop(left, nothing);
	}
	pattern = pattern_of(&script->now);
	if (script_next(script) < 0) {
		condition_free(pattern);
		return drop(left, nothing);
	}
	return (struct part){condition_test(CONDITION_LIKE, left.node, pattern), PART_TRUTH, left.at};
}

static bool at_operator(const struct script *script, enum condition_operator *operator)
{
	static const char *const marks[] = {[CONDITION_EQUAL] = "=", [CONDITION_UNEQUAL] = "!=", [CONDITION_AT_MOST] = "<=",
					    [CONDITION_AT_LEAST] = ">=", [CONDITION_LESS] = "<", [CONDITION_GREATER] = ">"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (script_at_mark(script, marks[i])) {
			*operator = (enum condition_operator)i;
			return true;
		}
	return false;
}

/* Reads a comparison or, if value_may_stand, also a value alone. */
static struct part read_test(struct reader *reader, bool value_may_stand)
{
	struct script *script = reader->script;
	struct part left = read_sum(reader, true), right;
	enum condition_operator operator;
	struct word at = script->now;

	if (!left.node || left.is == PART_TRUTH)
		return left;
	if (script_at(script, "LIKE"))
		return read_like(reader, left);
	if (!at_operator(script, &operator)) {
		if (value_may_stand)
			return left;
		script_expected(script, "a comparison");
		return drop(left, nothing);
	}
	if (script_next(script) < 0)
		return drop(left, nothing);
	right = read_sum(reader, false);
	if (!right.node)
		return drop(left, nothing);
	if ((left.is == PART_TEXT && right.is == PART_NUMBER) || (left.is == PART_NUMBER && right.is == PART_TEXT)) {
		script_fail(script, &at, "a text is compared with a number");
		return drop(left, right);
	}
	return (struct part){condition_test(operator, left.node, right.node), PART_TRUTH, left.at};
}

static struct part read_not(struct reader *reader, bool value_may_stand)
{
	struct word at = reader->script->now;
	int taken = script_take(reader->script, "NOT");
	struct part part;

	if (taken < 0)
		return nothing;
	part = read_test(reader, value_may_stand && !taken);
	return taken && part.node ? (struct part){condition_one(CONDITION_NOT, part.node), PART_TRUTH, at} : part;
}

static struct part join(enum condition_kind kind, struct part left, struct part right)
{
	if (!left.node || !right.node)
		return drop(left, right);
	return (struct part){condition_both(kind, left.node, right.node), PART_TRUTH, left.at};
}

static struct part read_and(struct reader *reader, bool value_may_stand)
{
	struct part part = read_not(reader, value_may_stand);

	while (part.node && part.is == PART_TRUTH && script_at(reader->script, "AND"))
		part = script_next(reader->script) < 0 ? drop(part, nothing) : join(CONDITION_AND, part, read_not(reader, false));
	return part;
}

/* Reads a condition or, if value_may_stand, also a value. */
static struct part read_or(struct reader *reader, bool value_may_stand)
{
	struct part part = read_and(reader, value_may_stand);

	while (part.node && part.is == PART_TRUTH && script_at(reader->script, "OR"))
		part = script_next(reader->script) < 0 ? drop(part, nothing) : join(CONDITION_OR, part, read_and(reader, false));
	return part;
}

struct search {
	const struct trigger *trigger;
	bool found;
};

static void look_at(void *context, int named)
{
	struct search *search = context;
	const struct trigger_value *value = &search->trigger->values.items[named];

	search->found |= value->aggregate || value->field == FIELD_LATENCY || value->field == FIELD_RET_VALUE;
}

/* Finds the scope: the parts joined by AND that have no aggregate, Latency or RetValue. They select the events that aggregates count. */
static void find_scope(struct trigger *trigger, const struct condition *condition)
{
	struct search search = {.trigger = trigger};

	if (condition->kind == CONDITION_AND) {
		find_scope(trigger, condition->left);
		find_scope(trigger, condition->right);
		return;
	}
	condition_each_named(condition, look_at, &search);
	if (!search.found)
		*ARRAY_ADD(&trigger->scope) = condition;
}

int trigger_condition_read(struct trigger *trigger, struct script *script, const struct word *var)
{
	struct reader reader = {.script = script, .trigger = trigger, .var = var};

	trigger->condition = read_or(&reader, false).node;
	if (!trigger->condition)
		return -1;
	find_scope(trigger, trigger->condition);
	return 0;
}
