/*
 * contrast: the features that set slow runs of a program apart, from the records of run-cluster and run-rules, in words. A part of the model.
 *
 * Rules that chance may have made (sure=no) are counted and left out. The words of a rule are made here, from its feature, its cut,
 * and the side on which the bad runs are.
 */
#ifndef MODEL_CONTRAST_H
#define MODEL_CONTRAST_H

#include <jansson.h>
#include <stdio.h>

#include "base/memory.h"
#include "stream/stream.h"

struct contrast;

struct contrast *contrast_new(void);
void contrast_free(struct contrast *contrast);

/* Takes a record of the kinds run, features, config, label, cluster, rule, same, outside. Returns 0; -1 after stream_fail(). */
int contrast_see(struct contrast *contrast, struct stream *stream, const struct record *record);

/* A line of text; NULL: there are no more. `lead` (NULL: none) precedes it: "1. ". Both are valid until the next record. */
struct contrast_line {
	char *lead, *text;
};
const struct contrast_line *contrast_line(struct contrast *contrast, size_t index);

/* An object with the counts of runs, the rules, and the calls outside of them, which the caller owns; NULL: the stream has no runs and no rules. */
json_t *contrast_object(struct contrast *contrast);

/*
 * Data for charts, in rows from the top, 0, -1, -2...: a point for each run, "x y class", and a name for each row, "y name". Class 0 is
 * good, 1 bad, 2 another.
 *
 * contrast_put_runs(): a row is a node; x is the start of the run, in seconds from the node's first run; y is above the row by the run's
 * share of the longest run, whose seconds are returned. contrast_put_values(): a row is the feature of a rule in the report; x is the
 * place of the value in its range; y is higher for good runs. Both set the number of rows; 0: there is nothing to draw.
 */
double contrast_put_runs(const struct contrast *contrast, FILE *points, FILE *names, size_t *rows);
void contrast_put_values(const struct contrast *contrast, FILE *points, FILE *names, size_t *rows);

#endif
