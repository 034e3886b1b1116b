/*
 * comparison: finds names that are blamed more in one stream than in another, and how sure that is.
 *
 * Moments (ranking.h) are compared, each with the share of every name blamed in it; a name that was not blamed
 * has a share of 0. A name's difference is its mean share over the bad moments less that over the good ones.
 *
 * How sure: a permutation test. If it made no difference which stream a moment came from, any deal of the moments into
 * as many good and as many bad ones would be as likely. p is the part of all deals in which some name, any of them,
 * has a difference at least as large, in either direction: so it holds for all names at once, however many are looked
 * at (the single-step maxT of Westfall and Young, Resampling-Based Multiple Testing, 1993). Up to 10,000 deals are all
 * looked at; of more, up to 10,000 are drawn, always the same, and the deal found is counted as one of them, so that p
 * is never 0 (Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9, 2010).
 *
 * The moments of one host are alike. So if both streams have moments of several hosts and no host has moments in both, as with two parts of
 * a fleet, hosts are dealt, each with all its moments.
 *
 * A difference is sure if p is at most 0.05. With too few moments for any deal to be sure, sure=few says so.
 */
#ifndef BLAME_COMPARISON_H
#define BLAME_COMPARISON_H

#include "blame/ranking.h"

struct comparison;

enum comparison_side { SIDE_GOOD, SIDE_BAD };

struct comparison *comparison_new(void);
void comparison_free(struct comparison *comparison);

/* A moment of this side, on this host ("": not known), by graphs of this kind. Names are copied. */
void comparison_moment(struct comparison *comparison, enum comparison_side side, const char *host, enum graph_kind kind,
		       const struct moment_share *shares, size_t count);

/* After the last moment. -1 after fail(): the moments have graphs of different kinds, whose names do not compare. */
int comparison_check(const struct comparison *comparison);

/*
 * Writes diff records of the first `count` names with more share in bad moments, most difference first; without such a name one
 * record that names none. -1 after fail().
 */
int comparison_write(struct comparison *comparison, const struct ranking_options *options, struct stream *stream);

#endif
