/*
 * run_table: the runs of a stream, with their features by name, settings and labels.
 *
 *	struct run_table *table = run_table_new();
 *	run_table_record(table, stream, record)		for each record
 *	run_table_free(table);
 *
 * A run comes before the records about it. The same run twice, or a feature that is NaN, is a failure: it would make a rule of nothing.
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
	uint32_t index;	      /* of the row */
	char *id;
	char *job;	      /* "" without one */
	char *label;	      /* its class; NULL: none */
	int node;	      /* index of its name; RUN_UNKNOWN_NODE */
	double elapsed;	      /* seconds; NAN: unknown */
	double ts;	      /* seconds; when it began */
	int exit;	      /* status; -1: unknown */
	bool partial, incomplete, childless, light; /* childless: calls of its children are missing; light: all are */
	bool own_label;	      /* of its own record */
	bool has_config;
	UT_hash_handle hh;
};

/* A value of a run, by its index. */
struct run_cell {
	uint32_t row;
	double number;	  /* NAN: it is no number */
	const char *text; /* as it is spelled; NULL: it is a number of no setting or fact */
};

struct run_column {
	char *name;
	bool config; /* a setting, by a `config` record */
	ARRAY(struct run_cell) cells;
	UT_hash_handle hh;
};

/* A file of settings that could not be read where a run was. */
struct run_unread {
	uint32_t row;
	char *file;
};

struct run_table {
	ARRAY(struct run_row *) rows;
	ARRAY(char *) nodes;
	struct run_column *columns; /* hash by name, in order of first mention */
	struct run_column *settings; /* the same, of config records */
	ARRAY(struct run_unread) unread;
	bool grouped;		    /* a `cluster` record came */
	bool few;		    /* it says sure=few */
	/* private */
	struct run_row *by_id;
	struct texts *texts;
	struct node_name *node_names;
	struct run_row *last;
	ARRAY(char *) only;
};

struct run_table *run_table_new(void);
void run_table_free(struct run_table *table);

/* Features of other names need not be kept; may be called for several names. */
void run_table_only(struct run_table *table, const char *name);

/* 0; -1 after fail(). Records of other kinds are passed over. */
int run_table_record(struct run_table *table, struct stream *stream, const struct record *record);

/* The same of a record's fields. */
int run_table_add(struct run_table *table, const struct fields *fields, enum kind kind);

/* Tells whether a feature of this name is 0 in a run that does not tell it, as counts and times are; others are unknown there. */
bool run_table_is_zero(const char *name);

/* Tells whether a value is spelled as NaN or as infinite, which no table may have. */
bool run_table_is_odd(const char *value, size_t length);

/* NULL: no run has it. */
const struct run_column *run_table_feature(const struct run_table *table, const char *name);

/* The same of settings. */
const struct run_column *run_table_setting(const struct run_table *table, const char *name);

#endif
