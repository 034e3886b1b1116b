#include "trigger/totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uthash.h>
#include <utlist.h>

#include "base/number.h"
#include "base/timestamp.h"

enum { PARTS_OF_SHORTEST = 60, GRAIN_LEAST = 1000000 };

/* The ratio between the bounds of a bin of a percentile: the middle of a bin differs from its values by 1 % at most. */
static const double bin_ratio = 1.01 / 0.99;

/*
 * The bin of 1. Positive values have positive bins, because doubles reach from e-745 to e710 and so stay within this offset; negative values have the
 * negative numbers of these bins; bin 0 is that of 0.
 */
enum { BIN_OFFSET = 1 << 17 };

/* A bin: how many values fell into it. */
struct bin {
	int number;
	uint64_t count;
};

/* By number, which is also the order of the values. */
typedef ARRAY(struct bin) bins;

/* What is kept of one value (a column) in a slot or a window. All zero: no events had it. */
struct sums {
	uint64_t count;
	double mean, squares; /* squares: the sum of the squared differences from the mean */
	double sum, min, max;
	bins bins; /* only if a percentile is asked for */
};

struct slot {
	int64_t number;
	uint64_t events;
	struct sums *sums; /* by column */
};

/* The part of a window that lies in the slots before the current one. */
struct window_past {
	int64_t number; /* of the current slot */
	uint64_t change; /* the key's `change` when this was computed */
	bool known;
	uint64_t events;
	struct sums sums;
};

struct totals_key {
	char *text;
	ARRAY(struct slot) items; /* by number; those before `first` were freed */
	size_t first;
	uint64_t change; /* counts changes of slots that are not the newest */
	struct window_past *past; /* by index of trigger->values */
	struct totals_key *prev, *next;
	UT_hash_handle hh;
};

struct totals {
	const struct trigger *trigger;
	int64_t grain;
	int64_t reach; /* slots from the earliest begin of a window up to now */
	ARRAY(int) columns;
	int *column_of; /* by index of trigger->values; -1: it has no column */
	bool *has_bins; /* by column */
	struct totals_key *keys;	  /* by text */
	struct totals_key *recent; /* the least recently used first */
	int64_t begin; /* of the data; INT64_MAX: they have not begun, or were lost */
	int64_t newest; /* time of the newest event; INT64_MIN: none */
};

static int64_t totals_up(const struct totals *totals, int64_t span)
{
	return (span + totals->grain - 1) / totals->grain;
}

static int64_t slot_of(const struct totals *totals, int64_t ts)
{
	int64_t rest = ts % totals->grain;

	return ts / totals->grain - (rest < 0);
}

static bool is_same_column(const struct trigger_value *a, const struct trigger_value *b)
{
	return a->field == b->field && (a->field != FIELD_SHOWN || !strcasecmp(a->shown, b->shown));
}

/* The column of an aggregate's value, which is added if needed; -1: it has none. */
static int column_of(struct totals *totals, int named)
{
	const struct trigger_value *values = totals->trigger->values.items;

	if (values[named].field == FIELD_NONE)
		return -1;
	for (size_t i = 0; i < totals->columns.count; i++)
		if (is_same_column(&values[totals->columns.items[i]], &values[named]))
			return (int)i;
	*ARRAY_ADD(&totals->columns) = named;
	return (int)totals->columns.count - 1;
}

static void measure_windows(struct totals *totals)
{
	const struct trigger *trigger = totals->trigger;
	int64_t shortest = INT64_MAX;

	for (size_t i = 0; i < trigger->values.count; i++)
		if (trigger->values.items[i].aggregate && trigger->values.items[i].from - trigger->values.items[i].to < shortest)
			shortest = trigger->values.items[i].from - trigger->values.items[i].to;
	totals->grain = (shortest + PARTS_OF_SHORTEST - 1) / PARTS_OF_SHORTEST;
	if (totals->grain < GRAIN_LEAST)
		totals->grain = GRAIN_LEAST;
	for (size_t i = 0; i < trigger->values.count; i++)
		if (trigger->values.items[i].aggregate && totals_up(totals, trigger->values.items[i].from) > totals->reach)
			totals->reach = totals_up(totals, trigger->values.items[i].from);
}

struct totals *totals_new(const struct trigger *trigger)
{
	struct totals *totals;
	size_t i = 0;

	while (i < trigger->values.count && !trigger->values.items[i].aggregate)
		i++;
	if (i == trigger->values.count)
		return NULL;
	totals = NEW(struct totals);
	totals->trigger = trigger;
	totals->begin = INT64_MAX;
	totals->newest = INT64_MIN;
	measure_windows(totals);
	totals->column_of = memory_new(trigger->values.count, sizeof(*totals->column_of));
	for (i = 0; i < trigger->values.count; i++)
		totals->column_of[i] = trigger->values.items[i].aggregate ? column_of(totals, (int)i) : -1;
	totals->has_bins = memory_new(totals->columns.count + 1, sizeof(*totals->has_bins));
	for (i = 0; i < trigger->values.count; i++)
		if (trigger->values.items[i].aggregate == AGGREGATE_PERCENTILE)
			totals->has_bins[totals->column_of[i]] = true;
	return totals;
}

const int *totals_columns(const struct totals *totals, size_t *count)
{
	*count = totals->columns.count;
	return totals->columns.items;
}

static void slot_free(const struct totals *totals, struct slot *slot)
{
	for (size_t i = 0; i < totals->columns.count; i++)
		free(slot->sums[i].bins.items);
	free(slot->sums);
}

static void key_free(struct totals *totals, struct totals_key *key)
{
	HASH_DEL(totals->keys, key);
	DL_DELETE(totals->recent, key);
	for (size_t i = key->first; i < key->items.count; i++)
		slot_free(totals, &key->items.items[i]);
	for (size_t i = 0; i < totals->trigger->values.count; i++)
		free(key->past[i].sums.bins.items);
	free(key->items.items);
	free(key->past);
	free(key->text);
	free(key);
}

void totals_forget(struct totals *totals)
{
	while (totals->recent)
		key_free(totals, totals->recent);
	totals->begin = INT64_MAX;
	totals->newest = INT64_MIN;
}

void totals_free(struct totals *totals)
{
	if (!totals)
		return;
	totals_forget(totals);
	free(totals->columns.items);
	free(totals->column_of);
	free(totals->has_bins);
	free(totals);
}

void totals_begin(struct totals *totals, int64_t ts)
{
	if (totals->begin == INT64_MAX)
		totals->begin = ts;
}

void totals_lost(struct totals *totals)
{
	totals->begin = INT64_MAX;
}

struct totals_key *totals_key(struct totals *totals, const char *text)
{
	struct totals_key *key = totals->recent ? totals->recent->prev : NULL; /* the most recent: utlist keeps it before the head */

	if (key && !strcmp(key->text, text))
		return key;
	HASH_FIND_STR(totals->keys, text, key);
	if (key) {
		DL_DELETE(totals->recent, key);
		DL_APPEND(totals->recent, key);
		return key;
	}
	if (HASH_COUNT(totals->keys) >= TOTALS_KEYS_MAX)
		key_free(totals, totals->recent);
	key = NEW(struct totals_key);
	key->text = memory_text(text, strlen(text));
	key->past = memory_new(totals->trigger->values.count, sizeof(*key->past));
	HASH_ADD_KEYPTR(hh, totals->keys, key->text, strlen(key->text), key);
	DL_APPEND(totals->recent, key);
	return key;
}

/* Frees slots that no window reaches any more. */
static void drop_old(struct totals *totals, struct totals_key *key, int64_t newest)
{
	while (key->first < key->items.count && key->items.items[key->first].number <= newest - totals->reach)
		slot_free(totals, &key->items.items[key->first++]);
	if (key->first > 16 && key->first > key->items.count / 2) {
		ARRAY_REMOVE(&key->items, 0, key->first);
		key->first = 0;
	}
}

/* The slot of this number, which is made if needed. */
static struct slot *slot_at(struct totals *totals, struct totals_key *key, int64_t number)
{
	size_t at = key->items.count;

	while (at > key->first && key->items.items[at - 1].number > number)
		at--;
	if (at < key->items.count)
		key->change++; /* the event is late: an older slot changes */
	if (at > key->first && key->items.items[at - 1].number == number)
		return &key->items.items[at - 1];
	if (at == key->items.count) {
		drop_old(totals, key, number);
		at = key->items.count;
	}
	*ARRAY_INSERT(&key->items, at) = (struct slot){.number = number, .sums = memory_new(totals->columns.count + 1, sizeof(struct sums))};
	return &key->items.items[at];
}

/* The number of a value's bin. */
static int bin_of(double value)
{
	int place = fabs(value) > 0 ? BIN_OFFSET + (int)ceil(log(fabs(value)) / log(bin_ratio)) : 0;

	return value < 0 ? -place : place;
}

/* The value in the (geometric) middle of a bin. */
static double bin_value(int number)
{
	double value = number == 0 ? 0 : exp((abs(number) - BIN_OFFSET - 0.5) * log(bin_ratio));

	return number < 0 ? -value : value;
}

static void add_bin(bins *to, size_t *from, struct bin bin)
{
	size_t at = *from;

	while (at < to->count && to->items[at].number < bin.number)
		at++;
	*from = at;
	if (at < to->count && to->items[at].number == bin.number) {
		to->items[at].count += bin.count;
		return;
	}
	*ARRAY_INSERT(to, at) = bin;
}

/* Adds `from` to `to`; the squares by Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983. */
static void sums_merge(struct sums *to, const struct sums *from)
{
	double all = (double)(to->count + from->count), apart = from->mean - to->mean;
	size_t at = 0;

	if (from->count == 0)
		return;
	to->min = to->count == 0 || from->min < to->min ? from->min : to->min;
	to->max = to->count == 0 || from->max > to->max ? from->max : to->max;
	to->squares += from->squares + apart * apart * (double)to->count * (double)from->count / all;
	to->mean += apart * (double)from->count / all;
	to->sum += from->sum;
	to->count += from->count;
	for (size_t i = 0; i < from->bins.count; i++)
		add_bin(&to->bins, &at, from->bins.items[i]);
}

void totals_add(struct totals *totals, struct totals_key *key, int64_t ts, const double *values)
{
	struct slot *slot = slot_at(totals, key, slot_of(totals, ts));

	slot->events++;
	totals->newest = ts > totals->newest ? ts : totals->newest;
	for (size_t i = 0; i < totals->columns.count; i++) {
		struct bin bin = {.count = 1};
		const struct sums one = {.count = 1, .mean = values[i], .sum = values[i], .min = values[i], .max = values[i], .bins = {&bin, 1, 1}};
		struct sums plain = one;

		if (isnan(values[i]))
			continue;
		bin.number = totals->has_bins[i] ? bin_of(values[i]) : 0;
		plain.bins.count = totals->has_bins[i];
		sums_merge(&slot->sums[i], &plain);
	}
}

static void add_slot(const struct slot *slot, int column, uint64_t *events, struct sums *sums)
{
	*events += slot->events;
	if (column >= 0)
		sums_merge(sums, &slot->sums[column]);
}

/* The part of a window before the current slot `hand`; computed anew only in another slot, or after a late event. */
static struct window_past *past_of(struct totals *totals, struct totals_key *key, int named, int64_t hand, int64_t first, int64_t last)
{
	struct window_past *past = &key->past[named];
	int column = totals->column_of[named];

	if (past->known && past->number == hand && past->change == key->change)
		return past;
	past->sums.bins.count = 0;
	*past = (struct window_past){.number = hand, .change = key->change, .known = true, .sums.bins = past->sums.bins};
	for (size_t i = key->first; i < key->items.count; i++)
		if (key->items.items[i].number >= first && key->items.items[i].number <= last && key->items.items[i].number < hand)
			add_slot(&key->items.items[i], column, &past->events, &past->sums);
	return past;
}

/* The value of rank ceil(p n / 100), but at least rank 1. */
static double percentile(const struct sums *sums, double percent)
{
	double rank = fmax(1, ceil(percent / 100 * (double)sums->count)), before = 0;

	for (size_t i = 0; i < sums->bins.count; i++) {
		before += (double)sums->bins.items[i].count;
		if (before >= rank)
			return fmin(fmax(bin_value(sums->bins.items[i].number), sums->min), sums->max);
	}
	return sums->max;
}

static double number_of(const struct trigger_value *asked, uint64_t events, const struct sums *sums, double seconds)
{
	switch (asked->aggregate) {
	case AGGREGATE_COUNT:
		return (double)events;
	case AGGREGATE_THROUGHPUT:
		return (double)events / seconds;
	case AGGREGATE_SUM:
		return sums->sum;
	case AGGREGATE_AVG:
		return sums->sum / (double)sums->count;
	case AGGREGATE_MIN:
		return sums->min;
	case AGGREGATE_MAX:
		return sums->max;
	case AGGREGATE_STD:
		return sqrt(sums->squares / (double)sums->count);
	default:
		return percentile(sums, asked->percent);
	}
}

/* Tells whether the aggregate of no values is still a number. */
static bool may_be_empty(enum trigger_aggregate aggregate)
{
	return aggregate == AGGREGATE_COUNT || aggregate == AGGREGATE_THROUGHPUT || aggregate == AGGREGATE_SUM;
}

void totals_value(struct totals *totals, struct totals_key *key, int named, int64_t ts, struct value *value)
{
	const struct trigger_value *asked = &totals->trigger->values.items[named];
	int64_t hand = slot_of(totals, ts), first = hand - totals_up(totals, asked->from) + 1, last = hand - totals_up(totals, asked->to);
	struct window_past *past = past_of(totals, key, named, hand, first, last);
	uint64_t events = past->events;
	struct sums sums = past->sums;
	bool owns_bins = false;
	double begin = (double)first * (double)totals->grain;

	if (asked->aggregate != AGGREGATE_COUNT && (totals->begin == INT64_MAX || begin < (double)totals->begin))
		return;
	for (size_t i = key->items.count; i > key->first && last == hand && key->items.items[i - 1].number >= hand; i--) {
		if (key->items.items[i - 1].number != hand)
			continue;
		if (past->sums.bins.count) {
			sums.bins = (bins){memory_new(past->sums.bins.count, sizeof(struct bin)), past->sums.bins.count, past->sums.bins.count};
			memcpy(sums.bins.items, past->sums.bins.items, past->sums.bins.count * sizeof(struct bin));
		} else {
			sums.bins = (bins){0};
		}
		owns_bins = true;
		add_slot(&key->items.items[i - 1], totals->column_of[named], &events, &sums);
	}
	if (may_be_empty(asked->aggregate) || sums.count > 0)
		*value = (struct value){.kind = VALUE_NUMBER, .number = number_of(asked, events, &sums, (double)((last - first + 1) * totals->grain) / 1e9)};
	if (owns_bins)
		free(sums.bins.items);
}

int64_t totals_change(const struct totals *totals, int64_t ts)
{
	int64_t last = totals->newest, slot = slot_of(totals, ts), end;

	if (totals->begin != INT64_MAX && totals->begin > last)
		last = totals->begin;
	if (last == INT64_MIN || slot > slot_of(totals, last) + totals->reach + 1)
		return INT64_MAX;
	return __builtin_mul_overflow(slot + 1, totals->grain, &end) ? INT64_MAX : end;
}
