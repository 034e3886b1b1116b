/*
 * run_sample: a sample of runs, with each class and node in proportion, for a fleet that has too many runs to learn from.
 */
#ifndef RUN_RUN_SAMPLE_H
#define RUN_RUN_SAMPLE_H

#include "run/run_table.h"

/*
 * Keeps the labels of at most `most` good and bad runs, in proportion to class and node, and removes the others' labels. The choice depends only
 * on the runs' ids, classes and nodes and on the seed. Returns the number of good and bad runs that are left.
 */
size_t run_sample(struct run_table *table, size_t most, uint64_t seed);

#endif
