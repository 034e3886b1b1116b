/* A signal record, and how bad it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/model.h"
#include "report/words.h"

/* Fields with a place of their own; all others are what the chart shows. */
static bool is_own_field(const struct field *field)
{
	static const char *const names[] = {"id",  "ts",  "start", "chart", "key",  "value", "center",
					    "ucl", "lcl", "rules", "tid",   "comm", "open", "unit", "n", "mean"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == field->key_length && !memcmp(names[i], field->key, field->key_length))
			return true;
	return false;
}

static void read_shown(struct signal *signal, const struct fields *fields)
{
	struct shown *shown;
	char *key;
	int i;

	for (i = 0; i < fields->count; i++) {
		if (is_own_field(&fields->item[i]))
			continue;
		key = memory_text(fields->item[i].key, fields->item[i].key_length);
		shown = ARRAY_ADD(&signal->shown);
		shown->value = clean_field(fields, key);
		shown->key = key;
	}
}

enum unit unit_read(const struct fields *fields, bool has_start)
{
	if (fields_is(fields, "unit", "share"))
		return UNIT_SHARE;
	if (fields_is(fields, "unit", "per_second"))
		return UNIT_RATE;
	return has_start && !fields_find(fields, "unit") ? UNIT_SECONDS : UNIT_NONE;
}

static int read_numbers(struct signal *signal, const struct fields *fields)
{
	int64_t tid = 0;
	int has_start;

	if (read_time(fields, "ts", &signal->ts) != 1 || fields_double(fields, "value", &signal->value) != 1)
		return fail("a signal record needs ts= and value= as numbers");
	signal->start = signal->ts;
	signal->center = signal->lcl = signal->ucl = NAN;
	has_start = read_time(fields, "start", &signal->start);
	if (has_start < 0 || fields_double(fields, "center", &signal->center) < 0 ||
	    fields_double(fields, "lcl", &signal->lcl) < 0 || fields_double(fields, "ucl", &signal->ucl) < 0 || fields_integer(fields, "tid", &tid) < 0)
		return -1;
	if (signal->start > signal->ts)
		return fail("a signal ends before it starts");
	signal->unit = unit_read(fields, has_start);
	signal->shift = fields_is(fields, "rules", "shift");
	signal->mean = fields_is(fields, "mean", "yes");
	signal->open = fields_is(fields, "open", "yes");
	signal->tid = tid > 0 && tid <= INT32_MAX ? tid : 0;
	return 0;
}

struct signal *signal_read(const struct model *model, const struct fields *fields)
{
	struct signal *signal = NEW(struct signal);

	if (read_numbers(signal, fields) < 0) {
		free(signal);
		return NULL;
	}
	signal->id = clean_field(fields, "id");
	signal->chart = clean_field(fields, "chart");
	signal->key = clean_field(fields, "key");
	signal->rules = clean_field(fields, "rules");
	signal->comm = clean_field(fields, "comm");
	if (!*signal->comm && signal->tid > 0) {
		free(signal->comm);
		signal->comm = words_clean(events_comm(model->events, signal->tid));
	}
	read_shown(signal, fields);
	return signal;
}

void signal_free(struct signal *signal)
{
	size_t i;

	for (i = 0; i < signal->shown.count; i++) {
		free(signal->shown.items[i].key);
		free(signal->shown.items[i].value);
	}
	free(signal->shown.items);
	free(signal->id);
	free(signal->chart);
	free(signal->key);
	free(signal->rules);
	free(signal->comm);
	identity_free(&signal->identity);
	free(signal);
}

/* Seconds that were lost by it; of what is no wait less than nothing. */
static double time_lost(const struct signal *signal)
{
	if (signal->unit != UNIT_SECONDS || signal->shift)
		return -INFINITY;
	return signal->value - (isnan(signal->center) ? 0 : signal->center);
}

bool signal_is_low(const struct signal *signal)
{
	return signal->value < signal->center && !isnan(signal->lcl);
}

double signal_limit(const struct signal *signal)
{
	return signal_is_low(signal) ? signal->lcl : signal->ucl;
}

/* How far outside it lies, above or below: 1 is at the limit. */
static double excess(const struct signal *signal)
{
	double middle = isnan(signal->center) ? 0 : signal->center, limit = signal_limit(signal);

	if (isnan(limit) || limit == middle)
		return signal->value;
	return (signal->value - middle) / (limit - middle);
}

int signal_compare(const struct signal *a, const struct signal *b)
{
	double x = time_lost(a), y = time_lost(b);

	if (x == y) {
		x = excess(a);
		y = excess(b);
	}
	if (x != y)
		return x > y ? -1 : 1;
	return a->ts < b->ts ? -1 : a->ts > b->ts;
}
