#include "model/culprit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "graph/deed_family.h"
#include "graph/words.h"
#include "model/display.h"
#include "model/label.h"
#include "model/value.h"

#define CALLS_MAX 1e9

/* The deed as the graph has it, with devices by number; for a record without a deed, a deed of its name. */
static struct deed *raw_deed(const struct fields *fields)
{
	struct deed *deed = deed_read(fields);
	char *name;

	if (deed)
		return deed;
	name = fields_copy(fields, "name");
	deed = deed_text_copy(name ? name : "");
	free(name);
	return deed;
}

struct deed *culprit_deed(const struct site *site, const struct fields *fields)
{
	struct deed *deed = raw_deed(fields), *named = label_deed(site, deed);

	free(deed);
	return named;
}

static char *measured_words(const struct culprit *culprit)
{
	char *samples = words_samples(culprit->samples, culprit->in_function);
	char *counters = display_cleaned(words_counters(culprit->counters, culprit->counted));
	char *words = memory_format("%s%s%s%s%s%s", *culprit->threw ? ": " : "", culprit->threw, *samples ? ", " : "", samples, *counters ? ", " : "", counters);

	free(samples);
	free(counters);
	return words;
}

/* Tells whether the deed was done for the thread that it names in `whom`. */
static bool is_for_somebody(const struct deed *deed)
{
	return deed->whom && (deed->kind == DEED_RUN || deed->kind == DEED_SERVE || deed->kind == DEED_SLEEP);
}

int culprit_read(const struct site *site, struct culprit *culprit, const struct fields *fields)
{
	memset(culprit, 0, sizeof(*culprit));
	culprit->share = NAN;
	if (fields_double(fields, "score", &culprit->score) != 1)
		return fail("a blame record needs score= as a number");
	if (fields_unsigned(fields, "rank", &culprit->rank) < 0 ||
	    fields_double(fields, "share", &culprit->share) < 0 ||
	    fields_unsigned(fields, "instances", &culprit->instances) < 0 ||
	    fields_unsigned(fields, "samples", &culprit->samples) < 0 ||
	    fields_unsigned(fields, "in_function", &culprit->in_function) < 0 || fields_time(fields, "counted", &culprit->counted) < 0)
		return -1;
	culprit->on_path = fields_is(fields, "on_path", "yes") || fields_is(fields, "on_path", "1");
	culprit->name = display_field(fields, "name");
	culprit->label = display_field(fields, "label");
	culprit->algorithm = display_field(fields, "algorithm");
	culprit->timeless = !strcmp(culprit->algorithm, "exception");
	culprit->deed = culprit_deed(site, fields);
	culprit->who = display_clean(culprit->deed->who ? culprit->deed->who : "");
	culprit->whom = display_clean(is_for_somebody(culprit->deed) ? culprit->deed->whom : "");
	culprit->act = culprit->deed->kind == DEED_TEXT ? NULL : display_cleaned(words_act(culprit->deed));
	culprit->words = culprit_words(culprit->deed, 0, 0);
	culprit->fuller = culprit_words(culprit->deed, 0, 0);
	culprit->counters = display_field(fields, "counters");
	culprit->threw = display_field(fields, "threw");
	culprit->measured = measured_words(culprit);
	return 0;
}

void culprit_free(struct culprit *culprit)
{
	free(culprit->name);
	free(culprit->label);
	free(culprit->deed);
	free(culprit->who);
	free(culprit->whom);
	identity_free(&culprit->whom_identity);
	free(culprit->act);
	free(culprit->words);
	free(culprit->fuller);
	free(culprit->counters);
	free(culprit->threw);
	free(culprit->measured);
	free(culprit->algorithm);
	identity_free(&culprit->identity);
}

static int compare_tids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* The number of threads, or threads of a pool, that did this deed; if no thread did it, of those that suffered it. */
static uint64_t threads_of(const struct graph *graph, const struct deed *deed)
{
	int32_t *tids = memory_new(graph->nodes.count + 1, sizeof(*tids));
	uint64_t threads = 0;
	size_t i, n = 0;

	for (i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];
		int32_t tid = node->deed->who ? node->who_tid : node->tid;

		if (tid > 0 && deed_covers(deed, node->deed))
			tids[n++] = tid;
	}
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (i = 0; i < n; i++)
		threads += i == 0 || tids[i] != tids[i - 1];
	free(tids);
	return threads;
}

void culprit_count(struct culprit *culprit, const struct site *site, struct graph *graph, const struct fields *fields)
{
	struct deed *raw = raw_deed(fields);
	const struct deed *deed = graph_deed(graph, raw);
	struct doers doers = process_table_of_nodes(site->who, graph, deed);

	culprit->threads = threads_of(graph, deed);
	culprit->processes = doers.processes;
	culprit->identity = doers.identity;
	if (*culprit->whom)
		culprit->whom_identity = process_table_for_nodes(site->who, graph, deed).identity;
	free(culprit->fuller);
	culprit->fuller = culprit_words(culprit->deed, culprit->threads, culprit->processes);
	if (culprit->threads > 1) /* only one of them was measured */
		*culprit->measured = '\0';
	free(raw);
}

/* "318 threads", "318 threads of 2 processes"; "2 processes" if each has one thread. */
static char *say_crowd(uint64_t threads, uint64_t processes)
{
	char *crowd = value_count(threads, "thread"), number[NUMBER_ROOM], *words;

	if (processes < 2)
		return crowd;
	number_human_count(number, processes);
	words = memory_format("%s%s%s processes", processes == threads ? "" : crowd, processes == threads ? "" : " of ", number);
	free(crowd);
	return words;
}

char *culprit_words(const struct deed *deed, uint64_t threads, uint64_t processes)
{
	char *crowd = threads < 2 ? memory_format("%s", "") : say_crowd(threads, processes), *words;

	words = display_cleaned(words_blame(deed, crowd));
	free(crowd);
	return words;
}

char *culprit_label(const struct culprit *culprit)
{
	char *crowd, *label;

	if (culprit->deed->kind != DEED_RUN || culprit->deed->syscall || culprit->deed->function || culprit->deed->whom)
		return memory_format("%s", culprit->fuller);
	if (culprit->threads < 2)
		return memory_format("%s", culprit->who);
	crowd = say_crowd(culprit->threads, culprit->processes);
	label = memory_format("%s (%s)", culprit->who, crowd);
	free(crowd);
	return label;
}

char *culprit_score(const struct culprit *culprit)
{
	long calls = culprit->score > 0 ? lround(fmin(1 / culprit->score, CALLS_MAX)) - 1 : 0;
	char *count, *words;

	if (!culprit->timeless)
		return value_seconds(culprit->score);
	if (calls == 0)
		return memory_format("threw");
	count = value_count((uint64_t)calls, "call");
	words = memory_format("%s up", count);
	free(count);
	return words;
}
