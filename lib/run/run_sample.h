/*
 * run_sample: the runs of a fleet may be too many to learn from: a sample of them, with each class and node in proportion.
 */
#ifndef RUN_RUN_SAMPLE_H
#define RUN_RUN_SAMPLE_H

#include "run/run_table.h"

/*
 * Takes the labels of all good and bad runs but `most`, by class and node. Which go depends on their ids and the seed, and on nothing else.
 * The number of runs that are left.
 */
size_t run_sample(struct run_table *table, size_t most, uint64_t seed);

#endif
