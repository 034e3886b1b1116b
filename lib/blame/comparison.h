/*
 * comparison: finds names that are blamed more in one stream than in another, and how sure that is.
 *
 * The comparison takes moments (ranking.h), each with the share of every name blamed in it; a name that was not blamed
 * has a share of 0. A name's difference is its mean share over the bad moments less its mean share over the good ones.
 *
 * How sure: a permutation test. If it made no difference which stream a moment came from, every deal of the moments into
 * as many good and as many bad ones would be equally likely. p is the part of all deals in which any name at all
 * has a difference at least as large, in either direction: so p holds for all names at once, however many there
 * are (the single-step maxT of Westfall and Young, Resampling-Based Multiple Testing, 1993). If there are at most 10,000 deals, the test
 * counts all. If there are more, it draws up to 10,000, always the same, and counts the deal in the data as one of them, so that p
 * is never 0 (Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9, 2010).
 *
 * The moments of one host are alike. So if both streams have moments of several hosts and no host has moments in both, as with two parts of
 * a fleet, the test deals hosts, each with all its moments.
 *
 * A difference is sure if p is at most 0.05. If there are too few moments for any deal to be sure, the records have sure=few.
 */
#ifndef BLAME_COMPARISON_H
#define BLAME_COMPARISON_H

#include "blame/ranking.h"

struct comparison;

enum comparison_side { SIDE_GOOD, SIDE_BAD };

struct comparison *comparison_new(void);
void comparison_free(struct comparison *comparison);

/* Adds a moment of this side, on this host ("": not known), with graphs of this kind. Copies host and deeds. */
void comparison_moment(struct comparison *comparison, enum comparison_side side, const char *host, enum graph_kind kind,
		       const struct moment_share *shares, size_t count);

/* Call it after the last moment. 0; -1 after fail(): the moments have graphs of different kinds, whose names cannot be compared. */
int comparison_check(const struct comparison *comparison);

/*
 * Writes diff records of the first options->count names whose share is larger in bad moments, largest difference first. If there is no such
 * name, writes one record without a name. -1 after fail().
 */
int comparison_write(struct comparison *comparison, const struct ranking_options *options, struct stream *stream);

#endif
