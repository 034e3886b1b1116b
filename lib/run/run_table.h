/*
 * run_table: the runs of a stream, with their features by name, settings and labels.
 *
 *	struct run_table *table = run_table_new();
 *	run_table_record(table, stream, record)		for each record
 *	run_table_free(table);
 *
 * A run comes before the records about it. A run that comes twice, or a feature that is NaN, is a failure, because it could make a false rule.
 */
#ifndef RUN_RUN_TABLE_H
#define RUN_RUN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/memory.h"
#include "stream/stream.h"

enum { RUN_UNKNOWN_NODE = -1 };

struct run_row {
	uint32_t index;	      /* in `rows` */
	char *id;
	char *job;	      /* "": none */
	char *label;	      /* its class; NULL: none */
	int node;	      /* index in `nodes`, or RUN_UNKNOWN_NODE */
	double elapsed;	      /* seconds; NAN: unknown */
	double ts;	      /* its start, seconds; NAN: unknown */
	int exit;	      /* exit status; -1: unknown */
	bool partial, incomplete, childless, light; /* childless: the calls of its children are missing; light: all calls are */
	bool own_label;	      /* the label is from the `run` record, and wins over `label` records */
	bool has_config;
	UT_hash_handle hh;
};

/* A value of a feature or setting in a run. */
struct run_cell {
	uint32_t row;
	double number;	  /* NAN: it is no number */
	const char *text; /* as it was spelled; NULL: a number that is neither a setting nor a fact */
};

struct run_column {
	char *name;
	bool config; /* a setting, from `config` records */
	ARRAY(struct run_cell) cells;
	UT_hash_handle hh;
};

/* A file of settings that could not be read on the machine of a run. */
struct run_unread {
	uint32_t row;
	char *file;
};

struct run_table {
	ARRAY(struct run_row *) rows;
	ARRAY(char *) nodes;
	struct run_column *columns; /* features: hash by name, in order of first mention */
	struct run_column *settings; /* the same of `config` records */
	ARRAY(struct run_unread) unread;
	bool grouped;		    /* a `cluster` record came */
	bool few;		    /* a `cluster` record says sure=few */
	/* private */
	struct run_row *by_id;
	struct texts *texts;
	struct node_name *node_names;
	struct run_row *last;
	ARRAY(char *) only;
};

struct run_table *run_table_new(void);
void run_table_free(struct run_table *table);

/* Keeps only features with this name. Call it once for each name to keep. */
void run_table_only(struct run_table *table, const char *name);

/* Adds a record; ignores those of other kinds. Returns 0; -1 after fail(). */
int run_table_record(struct run_table *table, struct stream *stream, const struct record *record);

/* The same, from the fields of a record. */
int run_table_add(struct run_table *table, const struct fields *fields, enum kind kind);

/* Tells whether a missing feature of this name means 0, as for counts and times; any other missing feature is unknown. */
bool run_table_is_zero(const char *name);

/* Tells whether a value is spelled as NaN or infinity, which no table may have. */
bool run_table_is_odd(const char *value, size_t length);

/* The column of a feature. NULL: no run has it. */
const struct run_column *run_table_feature(const struct run_table *table, const char *name);

/* The same for a setting. */
const struct run_column *run_table_setting(const struct run_table *table, const char *name);

#endif
