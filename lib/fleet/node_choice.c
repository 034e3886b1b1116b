#include "fleet/node_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "fleet/order.h"

struct light_runs {
	struct run_table *table;
	struct stream *stream;
	const char *job;
	size_t count;
	bool taken; /* the current run was taken into the table */
};

static int run_seen(void *context, const struct record *record)
{
	struct light_runs *runs = context;
	const struct fields *fields = stream_fields(runs->stream, record);

	if (!fields)
		return -1;
	runs->taken = fields_is(fields, "light", "yes") && fields_is(fields, "job", runs->job);
	runs->count += runs->taken;
	return runs->taken && run_table_record(runs->table, runs->stream, record) < 0 ? -1 : STREAM_DROP;
}

static int features_seen(void *context, const struct record *record)
{
	struct light_runs *runs = context;

	return runs->taken && run_table_record(runs->table, runs->stream, record) < 0 ? -1 : STREAM_DROP;
}

/* The numbers of a node's runs in the fastest (good) and the slowest (bad) group. */
struct node_runs {
	const char *name;
	size_t good, bad;
};

static double part(const struct node_runs *node)
{
	return (double)node->bad / (double)(node->good + node->bad);
}

/* Sorts the node with the greatest share of slow runs first; of equals, the one with more runs. */
static int by_part(const void *a, const void *b)
{
	const struct node_runs *x = a, *y = b;

	if (part(x) != part(y))
		return part(x) > part(y) ? -1 : 1;
	if (x->good + x->bad != y->good + y->bad)
		return x->good + x->bad > y->good + y->bad ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Fills `nodes` with the nodes that have runs of either group. Returns their number. */
static size_t count_runs(const struct run_table *table, const struct grouping *grouping, struct node_runs *nodes)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->nodes.count; i++)
		nodes[i] = (struct node_runs){.name = table->nodes.items[i]};
	for (size_t i = 0; i < table->rows.count; i++) {
		const char *class = grouping_class(grouping, i);
		int node = table->rows.items[i]->node;

		if (class && node != RUN_UNKNOWN_NODE) {
			nodes[node].bad += !strcmp(class, "bad");
			nodes[node].good += !strcmp(class, "good");
		}
	}
	for (size_t i = 0; i < table->nodes.count; i++)
		if (nodes[i].good + nodes[i].bad > 0 && order_node_is_name(nodes[i].name))
			nodes[kept++] = nodes[i];
	return kept;
}

static void add_names(FILE *out, const struct node_runs *nodes, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		fprintf(out, "%s%s", i > from ? "," : "", nodes[i].name);
}

static char *names(const struct node_runs *nodes, size_t from, size_t to)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	add_names(out, nodes, from, to);
	fclose(out);
	return text;
}

/* False: no nodes tell the groups apart. */
static bool choose(const struct run_table *table, const struct grouping *grouping, struct node_choice *choice)
{
	struct node_runs *nodes = memory_new(table->nodes.count + 1, sizeof(*nodes));
	size_t count = count_runs(table, grouping, nodes), most, slow;
	char *bad, *good;
	bool found;

	if (count)
		qsort(nodes, count, sizeof(*nodes), by_part);
	most = count / 2 < CHOICE_NODES ? count / 2 : CHOICE_NODES;
	for (slow = 0; slow < most && nodes[slow].bad > 0; slow++)
		;
	while (most > 0 && nodes[count - most].good == 0)
		most--;
	found = slow > 0 && most > 0 && part(&nodes[0]) > part(&nodes[count - 1]);
	if (found) {
		bad = names(nodes, 0, slow);
		good = names(nodes, count - most, count);
		choice->nodes = memory_format("%s,%s", bad, good);
		choice->text = memory_format("%s; whole runs are ordered of %s, which are slow, and %s", grouping_words(grouping), bad, good);
		free(bad);
		free(good);
	}
	free(nodes);
	return found;
}

static int group(const struct light_runs *runs, const struct grouping_options *options, struct node_choice *choice)
{
	struct grouping *grouping = runs->count ? grouping_make(runs->table, options) : NULL;
	bool found = grouping && grouping_exists(grouping) && choose(runs->table, grouping, choice);

	if (grouping)
		grouping_free(grouping);
	return runs->count && !grouping ? -1 : found;
}

int node_choice_make(char *path, const struct grouping_options *options, struct node_choice *choice)
{
	struct light_runs runs = {.table = run_table_new(), .job = options->job};
	struct handlers handlers = {0};
	char *files[] = {path};
	int status = -1;

	runs.stream = stream_open(files, 1);
	if (runs.stream) {
		grouping_want(options, runs.table);
		handlers.on[KIND_RUN] = run_seen;
		handlers.on[KIND_FEATURES] = features_seen;
		status = stream_finish(runs.stream, &handlers, &runs) == 1 ? -1 : group(&runs, options, choice);
	}
	run_table_free(runs.table);
	return status;
}
