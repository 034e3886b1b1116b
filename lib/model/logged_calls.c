#include "model/logged_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "model/display.h"
#include "model/value.h"

struct tally {
	UT_hash_handle hh;
	uint64_t calls[LOGGED_CLASSES];
	char value[];
};

struct argument {
	char *name;
	struct tally *values;
};

struct function {
	struct logged_function told;
	ARRAY(struct argument) arguments;
};

struct logged_calls {
	ARRAY(struct function *) functions;
	bool sorted;
};

struct logged_calls *logged_calls_new(void)
{
	return NEW(struct logged_calls);
}

static void forget_values(struct logged_function *told)
{
	for (size_t i = 0; i < told->values.count; i++) {
		free(told->values.items[i].name);
		free(told->values.items[i].value);
	}
	told->values.count = 0;
}

static void function_free(struct function *function)
{
	for (size_t i = 0; i < function->arguments.count; i++) {
		HASH_FREE(function->arguments.items[i].values);
		free(function->arguments.items[i].name);
	}
	free(function->arguments.items);
	forget_values(&function->told);
	free(function->told.values.items);
	free(function->told.trigger);
	free(function->told.name);
	free(function);
}

void logged_calls_free(struct logged_calls *called)
{
	for (size_t i = 0; i < called->functions.count; i++)
		function_free(called->functions.items[i]);
	free(called->functions.items);
	free(called);
}

/* --- what calls tell ---------------------------------------------------------------------------------------------------------- */

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Finds or makes a function; takes over both texts. NULL: there are too many. */
static struct function *find_function(struct logged_calls *called, char *trigger, char *name)
{
	struct function *function = NULL;

	for (size_t i = 0; i < called->functions.count && !function; i++)
		if (is_same(called->functions.items[i]->told.trigger, trigger) && strcmp(called->functions.items[i]->told.name, name) == 0)
			function = called->functions.items[i];
	if (function || called->functions.count == LOGGED_CALLS_FUNCTIONS) {
		free(trigger);
		free(name);
		return function;
	}
	function = *ARRAY_ADD(&called->functions) = NEW(struct function);
	function->told.trigger = trigger;
	function->told.name = name;
	return function;
}

static struct argument *find_argument(struct function *function, const char *name, size_t length)
{
	for (size_t i = 0; i < function->arguments.count; i++)
		if (strlen(function->arguments.items[i].name) == length && memcmp(function->arguments.items[i].name, name, length) == 0)
			return &function->arguments.items[i];
	if (function->arguments.count == LOGGED_CALLS_ARGUMENTS)
		return NULL;
	*ARRAY_ADD(&function->arguments) = (struct argument){.name = memory_text(name, length)};
	return &function->arguments.items[function->arguments.count - 1];
}

static void count_value(struct argument *argument, char *value, enum logged_class class)
{
	size_t length = strlen(value);
	struct tally *tally;

	HASH_FIND(hh, argument->values, value, length, tally);
	if (!tally && HASH_COUNT(argument->values) < LOGGED_CALLS_VALUES) {
		tally = memory_new(1, sizeof(*tally) + length + 1);
		memcpy(tally->value, value, length);
		HASH_ADD(hh, argument->values, value, length, tally);
	}
	if (tally)
		tally->calls[class]++;
	free(value);
}

/* Tells whether the field is one of those that are compared like arguments: how the call ended, and where it came from. */
static bool tells(const struct field *field)
{
	static const char *const keys[] = {"ret", "threw", "stack"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (field->key_length == strlen(keys[i]) && memcmp(field->key, keys[i], field->key_length) == 0)
			return true;
	return false;
}

static void count_values(struct function *function, const struct fields *fields, enum logged_class class)
{
	static const char prefix[] = "arg.";
	size_t before = strlen(prefix);

	for (int i = 0; i < fields->count; i++) {
		const struct field *field = &fields->item[i];
		bool is_argument = field->key_length > before && memcmp(field->key, prefix, before) == 0;
		struct argument *argument = NULL;
		char *raw;

		if (is_argument)
			argument = find_argument(function, field->key + before, field->key_length - before);
		else if (tells(field))
			argument = find_argument(function, field->key, field->key_length);
		if (!argument)
			continue;
		raw = memory_new(field->value_length + 1, 1);
		field_text(field, raw, field->value_length + 1);
		count_value(argument, display_cleaned(raw), class);
	}
}

int logged_calls_take(struct logged_calls *called, const struct fields *fields)
{
	enum logged_class class = fields_is(fields, "match", "no") ? LOGGED_OTHERS : LOGGED_MATCHED;
	struct function *function;
	int64_t start, ts;

	if (fields_time(fields, "start", &start) != 1 || fields_time(fields, "ts", &ts) != 1)
		return fail("a call record needs start= and ts= as numbers");
	function = find_function(called, fields_find(fields, "trigger") ? display_field(fields, "trigger") : NULL, display_field(fields, "function"));
	called->sorted = false;
	if (!function)
		return 0;
	function->told.calls[class]++;
	function->told.seconds[class] += (double)timestamp_between(start, ts) / 1e9;
	count_values(function, fields, class);
	return 0;
}

/* --- what tells classes apart --------------------------------------------------------------------------------------------------- */

static int surer(const void *left, const void *right)
{
	const struct logged_value *a = left, *b = right;
	double x = fabs(a->share[LOGGED_MATCHED] - a->share[LOGGED_OTHERS]), y = fabs(b->share[LOGGED_MATCHED] - b->share[LOGGED_OTHERS]);

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name) ? strcmp(a->name, b->name) : strcmp(a->value, b->value);
}

static void take_telling(struct logged_function *told, const struct argument *argument)
{
	for (const struct tally *tally = argument->values; tally; tally = tally->hh.next) {
		double matched = (double)tally->calls[LOGGED_MATCHED] / (double)told->calls[LOGGED_MATCHED];
		double others = (double)tally->calls[LOGGED_OTHERS] / (double)told->calls[LOGGED_OTHERS];

		if (!(matched >= LOGGED_CALLS_OFTEN && others <= LOGGED_CALLS_SELDOM) && !(others >= LOGGED_CALLS_OFTEN && matched <= LOGGED_CALLS_SELDOM))
			continue;
		*ARRAY_ADD(&told->values) = (struct logged_value){
			.name = memory_text(argument->name, strlen(argument->name)),
			.value = memory_text(tally->value, strlen(tally->value)),
			.share = {[LOGGED_MATCHED] = matched, [LOGGED_OTHERS] = others},
		};
	}
}

static void find_values(struct function *function)
{
	struct logged_function *told = &function->told;

	forget_values(told);
	if (!told->trigger || told->calls[LOGGED_MATCHED] < LOGGED_CALLS_LEAST || told->calls[LOGGED_OTHERS] < LOGGED_CALLS_LEAST)
		return;
	for (size_t i = 0; i < function->arguments.count; i++)
		take_telling(told, &function->arguments.items[i]);
	if (told->values.count > 1)
		qsort(told->values.items, told->values.count, sizeof(*told->values.items), surer);
}

static int longer(const void *left, const void *right)
{
	const struct logged_function *a = &(*(struct function *const *)left)->told, *b = &(*(struct function *const *)right)->told;
	double x = a->seconds[LOGGED_MATCHED] + a->seconds[LOGGED_OTHERS], y = b->seconds[LOGGED_MATCHED] + b->seconds[LOGGED_OTHERS];

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name);
}

const struct logged_function *logged_calls_function(struct logged_calls *called, size_t index)
{
	if (!called->sorted && called->functions.count) {
		for (size_t i = 0; i < called->functions.count; i++)
			find_values(called->functions.items[i]);
		qsort(called->functions.items, called->functions.count, sizeof(struct function *), longer);
		called->sorted = true;
	}
	return index < called->functions.count ? &called->functions.items[index]->told : NULL;
}

/* --- in words --------------------------------------------------------------------------------------------------------------------- */

static char *mean_words(const struct logged_function *function, enum logged_class class)
{
	return value_seconds(function->seconds[class] / (double)function->calls[class]);
}

/* "10 calls in requests that matched, which took 60.2 ms in the mean" */
static char *class_words(const struct logged_function *function, enum logged_class class, const char *where)
{
	char *count = value_count(function->calls[class], "call"), *mean, *words;

	if (function->calls[class] == 0) {
		free(count);
		return memory_format("no call%s", where);
	}
	mean = mean_words(function, class);
	words = memory_format("%s%s, which took %s%s", count, where, mean, function->calls[class] > 1 ? " in the mean" : "");
	free(mean);
	free(count);
	return words;
}

char *logged_calls_words(const struct logged_function *function)
{
	char *matched, *others, *words;

	if (!function->trigger) {
		matched = class_words(function, LOGGED_MATCHED, "");
		words = memory_format("%s: %s", function->name, matched);
		free(matched);
		return words;
	}
	matched = class_words(function, LOGGED_MATCHED, " in requests that matched");
	others = class_words(function, LOGGED_OTHERS, " in others");
	words = memory_format("%s: %s; %s", function->name, matched, others);
	free(others);
	free(matched);
	return words;
}

/* "in all calls", "in no call", "in 97 % of the calls" */
static char *share_words(double share)
{
	if (share >= 1)
		return memory_format("in all calls");
	if (share <= 0)
		return memory_format("in no call");
	return memory_format("in %.0f %% of the calls", share * 100);
}

char *logged_calls_value_words(const struct logged_value *value)
{
	char *matched = share_words(value->share[LOGGED_MATCHED]), *others = share_words(value->share[LOGGED_OTHERS]);
	char *words = memory_format("%s=%s %s of requests that matched, %s of others", value->name, value->value, matched, others);

	free(others);
	free(matched);
	return words;
}
