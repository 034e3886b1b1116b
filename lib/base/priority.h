/*
 * priority: a command behind the collector lets others go first, so that who looks for the cause of a delay does not cause another.
 */
#ifndef BASE_PRIORITY_H
#define BASE_PRIORITY_H

/*
 * Never raises what the command was started with, and it is no failure where the system refuses.
 *
 * PRIORITY_BATCH: does not take the CPU from the running thread when input comes, and has its full share. For what must keep up with the
 * collector, which loses events while nobody reads.
 * PRIORITY_LOW: also has a tenth of the share of others. For stages that work on abnormal moments only.
 */
enum priority { PRIORITY_BATCH, PRIORITY_LOW };

void priority_lower(enum priority priority);

#endif
