/*
 * run_sample: a sample of runs, with each class and node in proportion, if a fleet has too many to learn from.
 */
#ifndef RUN_RUN_SAMPLE_H
#define RUN_RUN_SAMPLE_H

#include "run/run_table.h"

/*
 * Removes the labels of all good and bad runs but `most`, by class and node. The choice depends on their ids and the seed, and on nothing else.
 * Returns the number of runs that are left.
 */
size_t run_sample(struct run_table *table, size_t most, uint64_t seed);

#endif
