/*
 * digest: the values of a series in a few numbers: count, mean, quantiles, maximum. It learns nothing and forgets nothing.
 *
 * Quantiles come from bins of a 32nd of an octave, by the bits of the number, so that a value costs no logarithm and a quantile is
 * wrong by 2 % at most. All zero is an empty digest.
 */
#ifndef CHART_DIGEST_H
#define CHART_DIGEST_H

#include <stdint.h>

struct digest {
	uint64_t count;
	double sum, max;
	int64_t max_ts;	   /* when the largest value ended */
	uint32_t *bins;	   /* counts, saturated; bins[0] has number `first` */
	int first, room;
};

void digest_forget(struct digest *digest); /* empty again; frees its memory */
void digest_add(struct digest *digest, double value, int64_t ts);

/* The quantile at this share; 0 if there are no values. */
double digest_quantile(const struct digest *digest, double share);

#endif
