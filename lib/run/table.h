/*
 * table: the data from which a decision tree is learnt: a row for each run, with its class, and a column for each feature.
 *
 *	table = table_of_runs(runs, &options);		the good and the bad runs of a stream
 *	table = table_of_csv(file, "class");		a table of one's own
 *	table_free(table);
 *
 * A feature is numeric if every known value is a number, else nominal. A setting that only other runs' files have is `absent`,
 * which is a value of its own; for `<` it is unknown.
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
	bool config;	   /* a setting: it wins among equals */
	bool numeric;
	double *numbers;   /* numeric: of each row; NAN: unknown, or absent */
	uint32_t *order;   /* numeric: rows whose number is known, in ascending order */
	size_t known;	   /* numeric: how many */
	int *words;	   /* nominal: of each row, an index of `values`; numeric: 0 where it is absent; WORD_UNKNOWN. NULL: none is */
	char **values;	   /* nominal: in order of their bytes */
	size_t values_count;
	double explains;   /* share of the difference in time; NAN: unknown */
};

struct table {
	size_t rows, classes, features;
	int *class_of;	      /* of each row */
	char **class_names;
	size_t *class_counts;
	int *unit_of;	      /* of each row: its node; rows without a node have one each */
	int units;
	struct feature *feature;
};

/* The calls whose features are used. */
enum table_calls { CALLS_ALL, CALLS_COMMON /* that each node made */ };

/* NULL after fail(): there are no good or no bad runs, or a feature comes twice for a run. */
struct table *table_of_runs(const struct run_table *runs, enum table_calls calls);

/* NULL after fail(), which names the line. An empty value and '?' are unknown. `file` "-" is standard input. */
struct table *table_of_csv(const char *file, const char *class_column);

void table_free(struct table *table);

/* Of a table of runs: `outside` records, of each call that not every node made. 0; -1 after fail(). */
int table_write_outside(const struct run_table *runs, struct stream *stream);

/* For makers of tables: sets order, values and numeric from texts (NULL: unknown), which it takes over. */
void feature_set(struct feature *feature, char **texts, size_t rows);
/* The same, but all values are words. */
void feature_set_words(struct feature *feature, char **texts, size_t rows);
/* The same from numbers, which it takes over; `absent` (NULL: none): rows where it is absent. */
void feature_set_numbers(struct feature *feature, double *numbers, const bool *absent, size_t rows);

#endif
