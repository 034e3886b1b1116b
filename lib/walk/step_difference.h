/*
 * step_difference: where two logs of step-log part, for `compare --steps` (Argus, section 4.4): the first block that differs, and what the branch
 * before it depends on.
 */
#ifndef WALK_STEP_DIFFERENCE_H
#define WALK_STEP_DIFFERENCE_H

#include "walk/describe.h"

/* Of streams in files; -1 after fail(): one cannot be read, or has no log. */
int describe_steps(struct describer *describer, char *good, char *bad);

#endif
