/*
 * step_difference: where two logs of step-log part, for `compare --steps` (Argus, section 4.4): the first block that differs, and on what the
 * branch before it depends.
 */
#ifndef WALK_STEP_DIFFERENCE_H
#define WALK_STEP_DIFFERENCE_H

#include "walk/describe.h"

/* Compares the logs in two files. 0; -1 after fail(): a file cannot be read, or has no log. */
int describe_steps(struct describer *describer, char *good, char *bad);

#endif
