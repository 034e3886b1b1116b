/*
 * share: exact sums of shared durations.
 *
 * Blame is a sum of terms duration/sharers, and ranking asks whether two such sums are equal: 3/3 against 1/2 + 1/2.
 * Binary fractions cannot tell, and a common denominator of all numbers of sharers up to some hundred has hundreds of
 * bits. So a share is kept in two ways: as time in units of 2^-64 ns, with each term truncated, and as a fingerprint: the same
 * sum in the field of the integers modulo the prime 2^61 - 1, where every term has an exact value. Equal sums always have
 * equal fingerprints. Two different sums have equal ones with a chance of 2^-61; if their times also differ by less than 2^-32 ns, they
 * compare equal. Sums that differ are ordered by their time. That order is right unless they differ by less than 2^-64 ns per
 * term; among times in whole nanoseconds only those constructed for it do.
 *
 * A share of all zero bytes is no time.
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

/* The reciprocals of 1, 2, 3, ... in the field, computed on demand. Starts as all zero; the owner frees of.items. */
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

double share_part(struct share a, uint64_t duration); /* as a part of the duration, inexact; 0 if the duration is 0 */

int64_t share_round(struct share a); /* nanoseconds, halves up; at most INT64_MAX */
uint64_t share_millionths(struct share a, uint64_t duration); /* millionths of the duration, halves up; 0 if it is 0 */

#endif
