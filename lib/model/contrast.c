#include "model/contrast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "model/display.h"
#include "model/value.h"
#include "run/run_table.h"

enum { OUTSIDE_SHOWN = 5, FACTS_SHOWN = 2, NODES_DRAWN = 40, VALUES_DRAWN = 6 };

static const double TOLD = 0.005; /* a smaller share of the difference is not told */
static const double LIKELY = 0.5; /* with sure=few, a rule with a greater p is left out: chance makes it more often than not */

enum side { SIDE_NONE, SIDE_ABOVE, SIDE_BELOW, SIDE_WITH, SIDE_WITHOUT };

static const char *const side_names[] = {"", "above", "below", "with", "without"};

/* The feature of a rule or, with `same`, a feature that splits the runs as the rule before it does. */
struct trait {
	char *feature, *cut, *text;
	enum side bad;
	double p, explains; /* NAN: unknown */
	char sure;	    /* 'y', 'n', 'f' */
	uint64_t rank;
	bool same;
};

struct foreign { /* a call that not every node made */
	char *call;
	uint64_t good, bad; /* runs that made it */
	double mean_good, mean_bad, explains;
};

struct contrast {
	struct run_table *table;
	ARRAY(struct trait) traits; /* those with `same` follow their rule */
	ARRAY(struct foreign) foreign;
	ARRAY(struct contrast_line) lines; /* made when first asked for */
	char *summary;		    /* NULL: there was no `cluster` record */
	uint64_t runs, good, bad;
	bool exit;		    /* groups are by exit status */
	bool made;
};

struct contrast *contrast_new(void)
{
	struct contrast *contrast = NEW(struct contrast);

	contrast->table = run_table_new();
	return contrast;
}

static void forget_lines(struct contrast *contrast)
{
	for (size_t i = 0; i < contrast->lines.count; i++) {
		free(contrast->lines.items[i].lead);
		free(contrast->lines.items[i].text);
	}
	contrast->lines.count = 0;
	contrast->made = false;
}

void contrast_free(struct contrast *contrast)
{
	forget_lines(contrast);
	run_table_free(contrast->table);
	for (size_t i = 0; i < contrast->traits.count; i++) {
		free(contrast->traits.items[i].feature);
		free(contrast->traits.items[i].cut);
		free(contrast->traits.items[i].text);
	}
	for (size_t i = 0; i < contrast->foreign.count; i++)
		free(contrast->foreign.items[i].call);
	free(contrast->traits.items);
	free(contrast->foreign.items);
	free(contrast->lines.items);
	free(contrast->summary);
	free(contrast);
}

static int see_trait(struct contrast *contrast, const struct fields *fields, bool same)
{
	struct trait trait = {.p = NAN, .explains = NAN, .same = same};
	char *side = display_field(fields, "bad"), *sure = display_field(fields, "sure");

	trait.sure = *sure;
	for (int i = SIDE_ABOVE; i <= SIDE_WITHOUT; i++)
		if (!strcmp(side, side_names[i]))
			trait.bad = (enum side)i;
	free(side);
	free(sure);
	if (fields_unsigned(fields, "rank", &trait.rank) < 0 || fields_double(fields, "p", &trait.p) < 0 ||
	    fields_double(fields, "explains", &trait.explains) < 0)
		return -1;
	trait.feature = display_field(fields, "feature");
	trait.cut = display_field(fields, "cut");
	trait.text = display_field(fields, "text");
	*ARRAY_ADD(&contrast->traits) = trait;
	return 0;
}

static int see_foreign(struct contrast *contrast, const struct fields *fields)
{
	struct foreign foreign = {.explains = NAN};

	if (fields_unsigned(fields, "runs_good", &foreign.good) < 0 || fields_unsigned(fields, "runs_bad", &foreign.bad) < 0 ||
	    fields_double(fields, "mean_good", &foreign.mean_good) < 0 || fields_double(fields, "mean_bad", &foreign.mean_bad) < 0 ||
	    fields_double(fields, "explains", &foreign.explains) < 0)
		return -1;
	foreign.call = display_field(fields, "call");
	*ARRAY_ADD(&contrast->foreign) = foreign;
	return 0;
}

static void see_class(struct contrast *contrast, const struct fields *fields)
{
	contrast->good += fields_is(fields, "class", "good");
	contrast->bad += fields_is(fields, "class", "bad");
}

static int see(struct contrast *contrast, enum kind kind, const struct fields *fields)
{
	switch (kind) {
	case KIND_RUN:
		contrast->runs++;
		see_class(contrast, fields);
		return 0;
	case KIND_LABEL:
		see_class(contrast, fields);
		return 0;
	case KIND_CLUSTER:
		free(contrast->summary);
		contrast->summary = display_field(fields, "text");
		contrast->exit = fields_is(fields, "metric", "exit");
		contrast->good = contrast->bad = 0; /* labels follow, also of runs with a class of their own */
		return 0;
	case KIND_OUTSIDE:
		return see_foreign(contrast, fields);
	case KIND_RULE:
	case KIND_SAME:
		return see_trait(contrast, fields, kind == KIND_SAME);
	default:
		return 0;
	}
}

int contrast_see(struct contrast *contrast, struct stream *stream, const struct record *record)
{
	const struct fields *fields;

	forget_lines(contrast);
	if (run_table_record(contrast->table, stream, record) < 0)
		return -1;
	fields = stream_fields(stream, record);
	if (!fields)
		return -1;
	return see(contrast, record->kind, fields) < 0 ? stream_fail(stream, "%s", fail_text()) : 0;
}

/* The words for a kind of numeric feature: above and below the cut. The first %s is the call, the second the cut in words. */
struct phrase {
	const char *prefix;
	enum side_of { TIMES, SECONDS, BYTES, SIDES } unit;
	const char *above, *below;
};

static const struct phrase phrases[] = {
	{"count.", TIMES, "call %s %s times or more", "call %s fewer than %s times"},
	{"errors.", TIMES, "have calls of %s fail %s times or more", "have calls of %s fail fewer than %s times"},
	{"time.outside", SECONDS, "spend%s %s or more in no call", "spend%s less than %s in no call"},
	{"time.", SECONDS, "spend in %s %s or more", "spend in %s less than %s"},
	{"next.", TIMES, "have %s %s times or more", "have %s fewer than %s times"},
	{"gap.", SECONDS, "take between %s %s or more", "take between %s less than %s"},
	{"result.", BYTES, "get from a %s %s or more", "get from a %s less than %s"},
	{"sum.", BYTES, "get from %s %s or more in all", "get from %s less than %s in all"},
	{"rate.", BYTES, "get from %s %s or more a second", "get from %s less than %s a second"},
	{"arg.", BYTES, "ask a %s for %s or more", "ask a %s for less than %s"},
};

static const struct phrase *phrase_of(const char *feature)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (!strncmp(feature, phrases[i].prefix, strlen(phrases[i].prefix)))
			return &phrases[i];
	return NULL;
}

/* "write right after read" for next.read-write, "read and write" for gap.read-write. */
static char *calls_words(const char *feature)
{
	const char *dot = strchr(feature, '.'), *rest = dot ? dot + 1 : feature, *dash = strchr(rest, '-');

	if (!strcmp(feature, "time.outside"))
		return memory_format("%s", "");
	if (!dash || (strncmp(feature, "next.", 5) != 0 && strncmp(feature, "gap.", 4) != 0))
		return memory_format("%s", rest);
	return strncmp(feature, "next.", 5) ? memory_format("%.*s and %s", (int)(dash - rest), rest, dash + 1)
					     : memory_format("%s right after %.*s", dash + 1, (int)(dash - rest), rest);
}

static char *bytes_words(double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	size_t unit = 0;

	while (fabs(bytes) >= 9999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1000;
		unit++;
	}
	return memory_format("%.4g %s", bytes, units[unit]);
}

static char *cut_words(const struct phrase *phrase, const char *cut)
{
	double number = 0;

	if (number_double(cut, strlen(cut), &number) < 0)
		return memory_format("%s", cut);
	if (phrase && phrase->unit == SECONDS)
		return value_seconds(number);
	if (phrase && phrase->unit == BYTES)
		return bytes_words(number);
	return phrase && phrase->unit == TIMES ? memory_format("%.0f", ceil(number)) : memory_format("%.6g", number);
}

/* The side of a rule on which the bad runs are: "call fdatasync 304 times or more", "have net.ipv4.tcp_rmem.3 below 6000". */
static char *trait_words(const struct trait *trait)
{
	const struct phrase *phrase = phrase_of(trait->feature);
	char *calls = calls_words(trait->feature), *cut = cut_words(phrase, trait->cut), *words;
	bool absent = !strcmp(trait->cut, "absent");

	if (trait->bad == SIDE_WITH || trait->bad == SIDE_WITHOUT)
		words = absent ? memory_format("%s %s", trait->bad == SIDE_WITH ? "lack" : "have", trait->feature)
			       : memory_format("have %s %s%s", trait->feature, trait->bad == SIDE_WITH ? "= " : "other than ", trait->cut);
	else if (trait->bad == SIDE_NONE)
		words = memory_format("differ by %s", trait->feature);
	else if (!phrase)
		words = memory_format(trait->bad == SIDE_ABOVE ? "have %s of %s or more" : "have %s below %s", trait->feature, cut);
	else
		words = memory_format(trait->bad == SIDE_ABOVE ? phrase->above : phrase->below, calls, cut);
	free(calls);
	free(cut);
	return words;
}

static void add_line(struct contrast *contrast, char *lead, char *text)
{
	*ARRAY_ADD(&contrast->lines) = (struct contrast_line){lead, text};
}

static char *how_sure(const struct trait *trait)
{
	char explains[64] = "", p[32] = "";

	if (fabs(trait->explains) >= TOLD)
		snprintf(explains, sizeof(explains), "explains %.0f %% of the difference, ", 100 * trait->explains);
	if (!isnan(trait->p))
		snprintf(p, sizeof(p), "p %.*f", trait->p < 0.0095 ? 3 : 2, trait->p);
	return memory_format("%s%s%s", explains, p, trait->sure == 'f' ? ", too few to be sure" : "");
}

static void put_trait(FILE *out, const struct trait *trait, size_t told)
{
	char *words = trait_words(trait);

	fprintf(out, "%s%s", told ? ", " : "", words);
	if (fabs(trait->explains) >= TOLD)
		fprintf(out, " (%.0f %%)", 100 * trait->explains);
	free(words);
}

/* The unit of a trait's feature. SIDES: it is a fact about the machine, or a setting. */
static enum side_of side_of(const struct trait *trait)
{
	const struct phrase *phrase = phrase_of(trait->feature);

	return phrase ? phrase->unit : SIDES;
}

/*
 * Among the features that are the same as a rule, finds the one of each unit that explains most, and that of all units (at SIDES); NULL: none.
 * Returns the number of these features.
 */
static size_t most_of_same(const struct contrast *contrast, size_t rule, const struct trait *most[SIDES + 1])
{
	size_t count = 0;

	for (size_t i = rule + 1; i < contrast->traits.count && contrast->traits.items[i].same; i++, count++) {
		const struct trait *trait = &contrast->traits.items[i];
		enum side_of side = side_of(trait);

		if (side < SIDES && (!most[side] || trait->explains > most[side]->explains + TOLD))
			most[side] = trait;
		if (!most[SIDES] || (!isnan(trait->explains) && !(trait->explains <= most[SIDES]->explains)))
			most[SIDES] = trait;
	}
	return count;
}

/*
 * "the same runs have fact.route.link = tun, call read 600 times or more (14 %), and 20 more". Facts come first, because they may be the cause. Of
 * the features with the same unit, the one that explains most stands for the others.
 */
static void add_same(struct contrast *contrast, size_t rule)
{
	const struct trait *traits = contrast->traits.items, *most[SIDES + 1] = {NULL};
	size_t count = most_of_same(contrast, rule, most), told = 0, size;
	char *text = NULL;
	FILE *out;

	if (count == 0)
		return;
	if (side_of(most[SIDES]) == side_of(&traits[rule]))
		most[side_of(most[SIDES])] = most[SIDES];
	out = open_memstream(&text, &size);
	fputs("the same runs ", out);
	for (size_t i = rule + 1; i <= rule + count && told < FACTS_SHOWN; i++)
		if (side_of(&traits[i]) == SIDES)
			put_trait(out, &traits[i], told++);
	for (int side = 0; side < SIDES; side++)
		if (most[side] && (side != (int)side_of(&traits[rule]) || most[side] == most[SIDES]))
			put_trait(out, most[side], told++);
	if (count > told)
		fprintf(out, ", and %zu more", count - told);
	fclose(out);
	add_line(contrast, memory_format("%s", "   "), text);
}

static const char *bad_runs(const struct contrast *contrast)
{
	return contrast->exit ? "failed runs" : contrast->summary ? "slow runs" : "bad runs";
}

static bool is_shown(const struct trait *trait)
{
	return !trait->same && trait->sure != 'n' && !(trait->sure == 'f' && trait->p > LIKELY);
}

static void add_rules(struct contrast *contrast)
{
	size_t shown = 0, rules = 0;

	for (size_t i = 0; i < contrast->traits.count; i++) {
		const struct trait *trait = &contrast->traits.items[i];
		char *words, *sure;

		rules += !trait->same;
		if (!is_shown(trait))
			continue;
		words = trait->bad ? trait_words(trait) : NULL;
		sure = how_sure(trait);
		add_line(contrast, memory_format("%zu. ", ++shown),
			 words ? memory_format("%s %s: %s", bad_runs(contrast), words, sure) : memory_format("%s: %s", trait->text, sure));
		free(words);
		free(sure);
		add_same(contrast, i);
	}
	if (rules && !shown)
		add_line(contrast, NULL, memory_format("nothing tells %s from others that chance would not: %zu rule%s left out",
						       bad_runs(contrast), rules, rules == 1 ? "" : "s"));
	else if (rules > shown)
		add_line(contrast, NULL, memory_format("%zu more rule%s could be chance", rules - shown, rules - shown == 1 ? "" : "s"));
}

static void add_outside(struct contrast *contrast)
{
	for (size_t i = 0; i < contrast->foreign.count && i < OUTSIDE_SHOWN; i++) {
		const struct foreign *foreign = &contrast->foreign.items[i];

		add_line(contrast, memory_format("%s", "   "),
			 memory_format("not all nodes call %s: %llu good and %llu bad runs do", foreign->call,
				       (unsigned long long)foreign->good, (unsigned long long)foreign->bad));
	}
	if (contrast->foreign.count > OUTSIDE_SHOWN)
		add_line(contrast, memory_format("%s", "   "),
			 memory_format("nor %zu other calls", contrast->foreign.count - OUTSIDE_SHOWN));
}

static void make_lines(struct contrast *contrast)
{
	contrast->made = true;
	if (contrast->summary)
		add_line(contrast, NULL, memory_format("%s", contrast->summary));
	else if (contrast->good + contrast->bad)
		add_line(contrast, NULL, memory_format("%llu runs: %llu good, %llu bad", (unsigned long long)contrast->runs,
						       (unsigned long long)contrast->good, (unsigned long long)contrast->bad));
	else if (contrast->runs)
		add_line(contrast, NULL, memory_format("%llu runs; run-cluster groups them", (unsigned long long)contrast->runs));
	add_rules(contrast);
	add_outside(contrast);
}

const struct contrast_line *contrast_line(struct contrast *contrast, size_t index)
{
	if (!contrast->made)
		make_lines(contrast);
	return index < contrast->lines.count ? &contrast->lines.items[index] : NULL;
}

static void put_real(json_t *object, const char *key, double value)
{
	if (!isnan(value))
		json_object_set_new(object, key, json_real(value));
}

static json_t *trait_object(const struct trait *trait)
{
	char *words = trait->bad ? trait_words(trait) : NULL;
	json_t *object = json_pack("{ss, ss}", "feature", trait->feature, "cut", trait->cut);

	if (words)
		json_object_set_new(object, "bad_runs", json_string(words));
	put_real(object, "p", trait->p);
	put_real(object, "explains", trait->explains);
	free(words);
	return object;
}

static json_t *rule_array(const struct contrast *contrast)
{
	json_t *rules = json_array(), *rule = NULL;

	for (size_t i = 0; i < contrast->traits.count; i++) {
		const struct trait *trait = &contrast->traits.items[i];

		if (trait->same && rule) {
			json_array_append_new(json_object_get(rule, "same"), trait_object(trait));
			continue;
		}
		rule = trait_object(trait);
		json_object_set_new(rule, "sure", json_string(trait->sure == 'y' ? "yes" : trait->sure == 'f' ? "few" : "no"));
		json_object_set_new(rule, "text", json_string(trait->text));
		json_object_set_new(rule, "same", json_array());
		json_array_append_new(rules, rule);
	}
	return rules;
}

json_t *contrast_object(struct contrast *contrast)
{
	json_t *object, *outside = json_array();

	if (!contrast->runs && !contrast->traits.count) {
		json_decref(outside);
		return NULL;
	}
	for (size_t i = 0; i < contrast->foreign.count; i++) {
		const struct foreign *foreign = &contrast->foreign.items[i];
		json_t *call = json_pack("{ss, sI, sI, sf, sf}", "call", foreign->call, "runs_good", (json_int_t)foreign->good, "runs_bad",
					 (json_int_t)foreign->bad, "mean_good", foreign->mean_good, "mean_bad", foreign->mean_bad);

		put_real(call, "explains", foreign->explains);
		json_array_append_new(outside, call);
	}
	object = json_pack("{sI, sI, sI}", "count", (json_int_t)contrast->runs, "good", (json_int_t)contrast->good, "bad",
			   (json_int_t)contrast->bad);
	if (contrast->summary)
		json_object_set_new(object, "text", json_string(contrast->summary));
	json_object_set_new(object, "rules", rule_array(contrast));
	json_object_set_new(object, "outside", outside);
	return object;
}

static int class_of(const struct run_row *run)
{
	return run->label && !strcmp(run->label, "good") ? 0 : run->label && !strcmp(run->label, "bad") ? 1 : 2;
}

/* A name in quotes, for gnuplot's data files. */
static void put_name(FILE *names, double y, const char *name)
{
	char *clean = display_clean(name);

	for (char *at = clean; *at; at++)
		*at = *at == '"' || *at == '\\' || *at == '\t' ? ' ' : *at;
	fprintf(names, "%.2f\t\"%.40s\"\n", y, clean);
	free(clean);
}

double contrast_put_runs(const struct contrast *contrast, FILE *points, FILE *names, size_t *rows)
{
	const struct run_table *table = contrast->table;
	double longest = 0, first[NODES_DRAWN + 1]; /* first: the start of each node's first run, because nodes have different clocks */
	bool nameless = false;

	*rows = 0;
	for (size_t i = 0; i <= NODES_DRAWN; i++)
		first[i] = INFINITY;
	for (size_t i = 0; i < table->rows.count; i++) {
		const struct run_row *run = table->rows.items[i];

		if (isnan(run->elapsed) || isnan(run->ts) || run->node >= NODES_DRAWN)
			continue;
		longest = fmax(longest, run->elapsed);
		first[run->node + 1] = fmin(first[run->node + 1], run->ts);
		nameless |= run->node == RUN_UNKNOWN_NODE;
	}
	for (size_t i = 0; i < table->rows.count && longest > 0; i++) {
		const struct run_row *run = table->rows.items[i];
		int row = run->node + nameless; /* runs without a node come first */

		if (!isnan(run->elapsed) && !isnan(run->ts) && run->node < NODES_DRAWN)
			fprintf(points, "%.6f\t%.6f\t%d\n", run->ts - first[run->node + 1], -row + 0.8 * run->elapsed / longest, class_of(run));
	}
	if (!(longest > 0))
		return 0;
	if (nameless)
		put_name(names, -(double)(*rows)++, "?");
	for (size_t node = 0; node < table->nodes.count && node < NODES_DRAWN; node++)
		put_name(names, -(double)(*rows)++, table->nodes.items[node]);
	return longest;
}

/* The range of a column's numbers. With `absent_is_zero`, a run without a number counts as 0. False: all numbers are the same, or there are none. */
static bool range_of(const struct contrast *contrast, const struct run_column *column, bool absent_is_zero, double *low, double *high)
{
	bool lacks = absent_is_zero && column && column->cells.count < contrast->table->rows.count;

	*low = lacks ? 0 : INFINITY;
	*high = lacks ? 0 : -INFINITY;
	for (size_t i = 0; column && i < column->cells.count; i++)
		if (!isnan(column->cells.items[i].number)) {
			*low = fmin(*low, column->cells.items[i].number);
			*high = fmax(*high, column->cells.items[i].number);
		}
	return *high > *low;
}

static const struct run_column *column_of(const struct contrast *contrast, const char *name)
{
	const struct run_column *column = run_table_feature(contrast->table, name);

	return column ? column : run_table_setting(contrast->table, name);
}

/* Writes the points of a column. With `absent_is_zero`, a run without a number has 0; else it has no point. */
static void put_column(const struct contrast *contrast, const struct run_column *column, bool absent_is_zero, double row, FILE *points)
{
	double low, high, *values;

	range_of(contrast, column, absent_is_zero, &low, &high);
	values = memory_new(contrast->table->rows.count + 1, sizeof(*values));
	for (size_t i = 0; i < contrast->table->rows.count; i++)
		values[i] = absent_is_zero ? 0 : NAN;
	for (size_t i = 0; i < column->cells.count; i++)
		values[column->cells.items[i].row] = column->cells.items[i].number;
	for (size_t i = 0; i < contrast->table->rows.count; i++) {
		int class = class_of(contrast->table->rows.items[i]);

		if (class < 2 && !isnan(values[i]))
			fprintf(points, "%.6f\t%.6f\t%d\n", (values[i] - low) / (high - low), row + (class ? 0.1 : 0.4) + i % 10 * 0.02, class);
	}
	free(values);
}

void contrast_put_values(const struct contrast *contrast, FILE *points, FILE *names, size_t *rows)
{
	*rows = 0;
	for (size_t i = 0; i < contrast->traits.count && *rows < VALUES_DRAWN; i++) {
		const struct trait *trait = &contrast->traits.items[i];
		const struct run_column *column = column_of(contrast, trait->feature);
		const struct phrase *phrase = phrase_of(trait->feature);
		double low, high;
		bool zero = phrase && (phrase->unit == TIMES || !strcmp(phrase->prefix, "time."));

		if (!is_shown(trait) || !range_of(contrast, column, zero, &low, &high))
			continue;
		put_column(contrast, column, zero, -(double)*rows, points);
		put_name(names, -(double)(*rows)++, trait->feature);
	}
}
