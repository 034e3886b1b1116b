/*
 * limits: the limits of a chart and key, and books of them: kept in a file from a known-good time, the text of `limits` records,
 * which people can read and edit.
 */
#ifndef CHART_LIMITS_H
#define CHART_LIMITS_H

#include <stdio.h>

#include "base/file.h"
#include "chart/tail.h"
#include "stream/line.h"
#include "stream/record.h"

struct judgement;

/* Of one chart and key. Values are seconds for a latency, whatever the samples are in otherwise. */
struct limits {
	double center, lcl, ucl;
	double sigma;	    /* of a point, on the chart's scale; of a rate: of one of mean size */
	double dispersion;  /* of rates: how much more they vary than chance makes them; 0: as much */
	uint64_t n;	    /* values that they were made from */
	const char *unit;   /* of the values; see series.h */
	const char *method; /* its name, from the table, or "pot:lognormal" */
	const char *axis;   /* "log" or "linear": the scale, of methods that know both; NULL: the method's own, or not known */
	uint64_t subgroup;  /* values of a subgroup; 0: there is none, or not known */
	struct tail_fit tail; /* of method pot, once it has one */
};

struct limits_book; /* limits by chart and key */

/* An empty book, or that of a file. NULL after fail(), which names file and line. */
struct limits_book *limits_book_new(void);
struct limits_book *limits_book_read(const char *path);
void limits_book_free(struct limits_book *book);

/*
 * Whether all its limits were made the way in which values will be judged: by this method, on this scale, of such subgroups; those of
 * rates are of charts that have a method of their own. -1 after fail(), which names file and line.
 */
int limits_book_check(const struct limits_book *book, const struct judgement *how, const char *path);

/* The limits of a chart and key (NULL: none); NULL where the book lacks them. */
const struct limits *limits_book_find(const struct limits_book *book, const char *chart, const char *key);
void limits_book_set(struct limits_book *book, const char *chart, const char *key, const struct limits *limits);

/* Writes the whole book, and keeps the draft. -1 after fail(). */
int limits_book_save(const struct limits_book *book, struct file_draft *draft);

/* The record of these limits at this time, and what they need besides to be used later. */
void limits_line(struct line *line, int64_t ts, const char *chart, const char *key, const struct limits *limits);

#endif
