/*
 * summary: lines about the stream as a whole, the same in text and page. A line has no newline; they are in order of importance.
 */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "model/model.h"

struct summary {
	ARRAY(char *) lines;
};

/* Lines before the moments: names blamed more than in another stream, why there is nothing to report, and missing data if there are no moments. */
void summary_findings(struct summary *summary, const struct model *model);

/* Lines after the moments: charts and their limits, host, time and counts, missing data, bounds that the report reached, and tailblame's own cost. */
void summary_data(struct summary *summary, const struct model *model);
void summary_free(struct summary *summary);

/* In how many moments a verdict was ranked: "2/3"; "" if there is only one moment. The caller frees it. */
char *summary_share_of_moments(const struct model *model, const struct verdict *verdict);

#endif
