/*
 * limits: the limits of a chart and key, and books of limits. A book can be kept in a file, from a known-good time: the text of
 * `limits` records, which people can read and edit.
 */
#ifndef CHART_LIMITS_H
#define CHART_LIMITS_H

#include <stdio.h>

#include "base/file.h"
#include "chart/tail.h"
#include "stream/line.h"
#include "stream/record.h"

struct policy;

/* The limits of one chart and key. A latency is in seconds; other values are in the samples' unit. */
struct limits {
	double center, lcl, ucl;
	double warning;	    /* a line that chance passes four times as often as the limit; 0: not known */
	double sigma;	    /* standard deviation of a point, on the chart's scale; of a rate: for a point of mean size */
	double dispersion;  /* of rates: their variation as a multiple of that by chance; 0 counts as 1 */
	uint64_t n;	    /* number of values that the limits were made from */
	const char *unit;   /* of the values; see series.h */
	const char *method; /* a name from the table, or "pot:lognormal"; "file": unknown to this version */
	const char *axis;   /* "log" or "linear": the scale, if the method knows both; NULL: the method's own, or unknown */
	uint64_t subgroup;  /* values of a subgroup; 0: none, or unknown */
	struct tail_fit tail; /* of method pot, once it has one */
};

struct limits_book; /* limits by chart and key */

/* limits_book_new() makes an empty book. limits_book_read() reads one from a file; NULL after fail(), which names file and line. */
struct limits_book *limits_book_new(void);
struct limits_book *limits_book_read(const char *path);
void limits_book_free(struct limits_book *book);

/*
 * Checks that all limits were made as values will be judged: by this method, on this scale, from subgroups of this size. Limits of rates
 * may be of another method, because charts that count have methods of their own. 0; -1 after fail(), which names file and line.
 */
int limits_book_check(const struct limits_book *book, const struct policy *how, const char *path);

/* The limits of a chart and key (NULL: no key); NULL if the book lacks them or they are outdated. New limits are of what runs now. */
const struct limits *limits_book_find(struct limits_book *book, const char *chart, const char *key);
void limits_book_set(struct limits_book *book, const char *chart, const char *key, const struct limits *limits, const char *build);

/*
 * With the limits, a book keeps the kernel that they were learnt on and, for a function's chart, the build id of the program.
 * limits_book_kernel() and limits_book_build() tell the book what runs now (NULL: not known). From then on limits_book_find() does not find
 * limits of another kernel or build, so they are learnt anew. limits_book_outdated() says in a sentence how many it did not find for that
 * reason; NULL: none. Valid until the next call.
 */
void limits_book_kernel(struct limits_book *book, const char *kernel);
void limits_book_build(struct limits_book *book, const char *chart, const char *build);
const char *limits_book_outdated(struct limits_book *book);

/* Writes the whole book, and keeps the draft. 0; -1 after fail(). */
int limits_book_save(const struct limits_book *book, struct file_draft *draft);

/* Writes the record of these limits at this time, complete enough to be read back into a book. */
void limits_line(struct line *line, int64_t ts, const char *chart, const char *key, const struct limits *limits);

#endif
