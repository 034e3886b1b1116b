/*
 * table: the data from which a decision tree is learnt: a row for each run, with its class, and a column for each feature.
 *
 *	table = table_of_runs(runs, CALLS_ALL);		the good and the bad runs of a stream
 *	table = table_of_csv(file, "class");		a table of the user's own
 *	table_free(table);
 *
 * A feature is numeric if every known value is a number, else nominal. A setting that a run lacks and other runs have is `absent`, a value
 * of its own; to `<` it is unknown.
 */
#ifndef RUN_TABLE_H
#define RUN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run_table.h"

enum { WORD_UNKNOWN = -1 };

struct feature {
	char *name;
	bool config;	   /* a setting: it wins among features of equal score */
	bool numeric;
	double *numbers;   /* numeric: of each row; NAN: unknown, or absent */
	uint32_t *order;   /* numeric: rows whose number is known, by ascending number */
	size_t known;	   /* numeric: count of these rows */
	int *words;	   /* nominal: index of each row's value in `values`; numeric: 0 where it is absent (NULL: nowhere); else WORD_UNKNOWN */
	char **values;	   /* nominal: distinct values, sorted by their bytes */
	size_t values_count;
	double explains;   /* its share of the difference in time between good and bad runs; NAN: unknown */
};

struct table {
	size_t rows, classes, features;
	int *class_of;	      /* class of each row */
	char **class_names;
	size_t *class_counts;
	int *unit_of;	      /* unit of each row: its node; each row without a node is a unit of its own */
	int units;
	struct feature *feature;
};

/* The calls whose features are used. */
enum table_calls { CALLS_ALL, CALLS_COMMON /* calls that each node made */ };

/* NULL after fail(): there are no good or no bad runs, or runs of several jobs, or a feature comes twice for a run. */
struct table *table_of_runs(const struct run_table *runs, enum table_calls calls);

/* NULL after fail(), which names the line. An empty value and '?' are unknown. `file` "-" is standard input. */
struct table *table_of_csv(const char *file, const char *class_column);

void table_free(struct table *table);

/* Writes an `outside` record for each call that some but not all nodes made. Returns 0; -1 after fail(). */
int table_write_outside(const struct run_table *runs, struct stream *stream);

/* For makers of tables: sets a feature's values from texts (NULL: unknown), which it takes over. The feature is numeric or nominal. */
void feature_set(struct feature *feature, char **texts, size_t rows);
/* The same, but the feature is nominal even if all texts are numbers. */
void feature_set_words(struct feature *feature, char **texts, size_t rows);
/* Sets a numeric feature's values from numbers, which it takes over. `absent`: of each row, whether it is absent; NULL: nowhere. */
void feature_set_numbers(struct feature *feature, double *numbers, const bool *absent, size_t rows);

#endif
