/*
 * share: exact sums of shared durations.
 *
 * Blame is a sum of terms duration/sharers, and ranking asks whether two such sums are equal: 3/3 against 1/2 + 1/2.
 * Binary fractions cannot tell, and a common denominator of all numbers of sharers up to some hundred has hundreds of
 * bits. So a share is kept in two ways: as time in units of 2^-64 ns, each term cut off, and as a fingerprint, the same
 * sum in the field of the integers modulo the prime 2^61 - 1, where every term has an exact value. Equal sums have
 * equal fingerprints, always. Different sums have equal ones by a chance of 2^-61, for any pair; then too they
 * compare equal. Sums that differ are ordered by their time: right unless they differ by less than 2^-64 ns for each
 * term, which no times in whole nanoseconds do but those made for it.
 *
 * All zero is the share of nothing.
 */
#ifndef BLAME_SHARE_H
#define BLAME_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct share {
	unsigned __int128 time; /* 2^-64 ns */
	uint64_t print;		/* modulo 2^61 - 1 */
};

/* The reciprocals of 1, 2, 3, ... in the field, found as they are asked for. All zero to begin with. */
struct reciprocals {
	ARRAY(uint64_t) of;
};

/* The duration divided among `sharers` (1 or more, fewer than 2^31). */
struct share share_of(struct reciprocals *reciprocals, uint64_t duration, uint32_t sharers);
struct share share_whole(uint64_t duration); /* share_of(duration, 1) */

struct share share_plus(struct share a, struct share b);
struct share share_minus(struct share a, struct share b); /* b must not be greater than a */

int share_compare(struct share a, struct share b); /* < 0, 0, > 0 */
bool share_is_zero(struct share a);

double share_part(struct share a, uint64_t duration); /* of a duration, roughly; 0 of no duration */

int64_t share_round(struct share a); /* nanoseconds, halves up */
uint64_t share_millionths(struct share a, uint64_t duration); /* of a duration, halves up; 0 of no duration */

#endif
