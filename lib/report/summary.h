/*
 * summary: the first lines of a report, the same in text and page: where and when, how much was read, kept and lost,
 * what was abnormal by which limit. A line has no newline; they are in order of importance.
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "report/model.h"

struct summary {
	ARRAY(char *) lines;
};

/* The line of host, time and counts; NULL where the stream tells none of them. The caller frees it. */
char *summary_head(const struct model *model);

/* What makes the data incomplete; NULL: nothing. The caller frees it. */
char *summary_gaps(const struct model *model);

/* All lines. */
void summary_make(struct summary *summary, const struct model *model);
void summary_free(struct summary *summary);

/* In how many moments a verdict was ranked: "2/3"; "" where that tells nothing. The caller frees it. */
char *summary_share_of_moments(const struct model *model, const struct verdict *verdict);

/* Adds the lines about the charts. None where the stream has not passed cchart-filter, so that there is nothing to say. */
void summary_charts(struct summary *summary, const struct model *model);
bool summary_unfiltered(const struct model *model);

#endif
