#include "log/suspects.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "chart/chart.h"
#include "program/symbol.h"

enum { NAMES_MOST = 1 << 16, BLAMES_MOST = 1 << 12 };

/* A function of the stream's charts, by the name that graphs of calls give it. */
struct known {
	UT_hash_handle hh;
	char *name; /* "srv:lookup" */
	char *binary, *function;
};

/* A method of the window, in the order of blame; behind these, those that no ranking names. */
struct suspect {
	uint64_t signal;
	bool of_calls; /* from a graph of calls; else from a wake graph */
	char *name;    /* "srv:lookup"; from a wake graph, a function of the thread's program */
	int32_t tid;
};

struct graph_seen {
	char *id;
	uint64_t signal;
	bool of_calls, has_nodes;
};

struct suspects {
	struct known *known;
	ARRAY(struct graph_seen) graphs;
	ARRAY(struct suspect) blamed, others;
};

struct suspects *suspects_new(void)
{
	return NEW(struct suspects);
}

void suspects_chart(struct suspects *suspects, const struct fields *fields)
{
	struct chart *chart = chart_recorded(fields);
	char *name = chart && chart->binary && chart->function ? chart_called(chart) : NULL;
	struct known *known;

	if (name)
		HASH_FIND_STR(suspects->known, name, known);
	if (name && !known && HASH_COUNT(suspects->known) < NAMES_MOST) {
		known = NEW(struct known);
		*known = (struct known){.name = name, .binary = chart->binary, .function = chart->function};
		HASH_ADD_KEYPTR(hh, suspects->known, known->name, strlen(known->name), known);
		name = chart->binary = chart->function = NULL;
	}
	free(name);
	chart_free(chart);
}

static void forget_all(struct suspect *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i].name);
}

void suspects_forget(struct suspects *suspects)
{
	forget_all(suspects->blamed.items, suspects->blamed.count);
	forget_all(suspects->others.items, suspects->others.count);
	for (size_t i = 0; i < suspects->graphs.count; i++)
		free(suspects->graphs.items[i].id);
	suspects->blamed.count = suspects->others.count = suspects->graphs.count = 0;
}

void suspects_free(struct suspects *suspects)
{
	struct known *known, *next;

	HASH_ITER(hh, suspects->known, known, next)
	{
		HASH_DEL(suspects->known, known);
		free(known->name);
		free(known->binary);
		free(known->function);
		free(known);
	}
	suspects_forget(suspects);
	free(suspects->graphs.items);
	free(suspects->blamed.items);
	free(suspects->others.items);
	free(suspects);
}

void suspects_graph(struct suspects *suspects, const struct fields *fields)
{
	struct graph_seen graph = {.id = fields_copy(fields, "id"), .of_calls = fields_is(fields, "kind", "rag")};

	fields_unsigned(fields, "signal", &graph.signal);
	if (graph.id && suspects->graphs.count < BLAMES_MOST)
		*ARRAY_ADD(&suspects->graphs) = graph;
	else
		free(graph.id);
}

static struct graph_seen *graph_of(const struct suspects *suspects, const struct fields *fields)
{
	for (size_t i = suspects->graphs.count; i-- > 0;)
		if (fields_is(fields, "graph", suspects->graphs.items[i].id))
			return &suspects->graphs.items[i];
	return NULL;
}

void suspects_node(struct suspects *suspects, const struct fields *fields)
{
	const struct graph_seen *graph = graph_of(suspects, fields);
	char *name = graph && graph->of_calls && !fields_find(fields, "join") ? fields_copy(fields, "name") : NULL;

	for (size_t i = 0; name && i < suspects->others.count; i++)
		if (suspects->others.items[i].signal == graph->signal && strcmp(suspects->others.items[i].name, name) == 0) {
			free(name);
			return;
		}
	if (name && suspects->others.count < BLAMES_MOST)
		*ARRAY_ADD(&suspects->others) = (struct suspect){.signal = graph->signal, .of_calls = true, .name = name};
	else
		free(name);
}

void suspects_blame(struct suspects *suspects, const struct fields *fields)
{
	struct graph_seen *graph = graph_of(suspects, fields);
	struct suspect blamed = {0};
	int64_t tid = 0;

	if (!graph || suspects->blamed.count >= BLAMES_MOST)
		return;
	graph->has_nodes = true;
	blamed.signal = graph->signal;
	blamed.of_calls = graph->of_calls;
	blamed.name = fields_copy(fields, graph->of_calls ? "name" : "function");
	if (!blamed.name)
		return;
	if (fields_integer(fields, "tid", &tid) != 1)
		fields_integer(fields, "who_tid", &tid); /* the thread that slept */
	blamed.tid = (int32_t)tid;
	*ARRAY_ADD(&suspects->blamed) = blamed;
}

bool suspects_has_calls(const struct suspects *suspects, uint64_t signal)
{
	for (size_t i = 0; i < suspects->graphs.count; i++) {
		const struct graph_seen *graph = &suspects->graphs.items[i];

		if (graph->of_calls && graph->has_nodes && (!signal || graph->signal == signal))
			return true;
	}
	return false;
}

/* `binary` NULL: the program of the thread. */
static bool is_ordered(const struct prober_order *order, const char *binary, int32_t tid, const char *name)
{
	for (size_t i = 0; i < order->functions.count; i++) {
		const struct prober_function *function = &order->functions.items[i];
		bool alike = binary ? function->binary && strcmp(function->binary, binary) == 0 : !function->binary && function->tid == tid;

		if (alike && strcmp(function->name, name) == 0)
			return true;
	}
	return false;
}

/*
 * Adds "thr:find", where "thr" is a file that the thread's process has mapped. Other names are places in a script, "page.js:7:12", or its
 * functions.
 */
static void add_mapped(const char *name, int32_t tid, struct prober_order *order)
{
	const char *colon = symbol_colon(name);
	char *binary;

	if (!colon || tid <= 0 || isdigit((unsigned char)colon[1]))
		return;
	binary = memory_text(name, (size_t)(colon - name));
	if (!is_ordered(order, binary, tid, colon + 1))
		prober_order_add(order, binary, colon + 1, tid, false);
	free(binary);
}

static void add(const struct suspects *suspects, const struct suspect *suspect, int32_t tid, struct prober_order *order)
{
	struct known *known;

	if (!suspect->of_calls) {
		if (suspect->tid > 0 && !is_ordered(order, NULL, suspect->tid, suspect->name))
			prober_order_add(order, NULL, suspect->name, suspect->tid, false);
		return;
	}
	HASH_FIND_STR(suspects->known, suspect->name, known);
	if (!known)
		add_mapped(suspect->name, tid, order);
	else if (!is_ordered(order, known->binary, 0, known->function))
		prober_order_add(order, known->binary, known->function, 0, false);
}

void suspects_name(const struct suspects *suspects, uint64_t signal, int32_t tid, uint64_t most, struct prober_order *order)
{
	for (int of_calls = 1; of_calls >= 0 && order->functions.count == 0; of_calls--)
		for (size_t i = 0; i < suspects->blamed.count + suspects->others.count && order->functions.count < most; i++) {
			const struct suspect *suspect = i < suspects->blamed.count ? &suspects->blamed.items[i]
										   : &suspects->others.items[i - suspects->blamed.count];

			if (suspect->of_calls == of_calls && (!signal || suspect->signal == signal))
				add(suspects, suspect, tid, order);
		}
}
