/*
 * thin: the healthy values of a chart, thinned to a count, a median and a maximum per time bucket. However long it runs, a
 * chart has a few thousand buckets at most: after every THIN_RECORDS of them they get twice as wide.
 */
#ifndef CHART_THIN_H
#define CHART_THIN_H

#include <stdint.h>

#include "chart/span.h"

enum { THIN_RECORDS = 256, THIN_KEPT = 255 };

/* The clock of one chart, which all its keys share. All zero is a new one. */
struct thin_clock {
	int64_t width, begin; /* of the bucket at hand, ns; width 0: not begun */
	int records;	      /* written with this width */
};

/* The values of one key in the bucket at hand. All zero is the empty one. Its median is exact up to THIN_KEPT values, else
 * that of a sample of as many, each value equally likely in it. */
struct thin {
	uint64_t count;
	double max;
	int64_t last; /* time of the newest value */
	double kept[THIN_KEPT];
	uint64_t random;
};

/* Tells whether the current bucket ended before this time. */
static inline int thin_is_over(const struct thin_clock *clock, int64_t now)
{
	return clock->width && span_between(clock->begin, now) >= clock->width;
}

/* Begins the bucket that holds this time; `records` were written for the bucket before. */
void thin_begin(struct thin_clock *clock, int64_t now, int records);

void thin_add(struct thin *thin, int64_t ts, double value);
double thin_median(struct thin *thin); /* reorders `kept` */
void thin_clear(struct thin *thin);

#endif
