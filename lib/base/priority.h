/*
 * priority: lets others go first. A command behind the collector looks for the cause of a delay, and must not cause another.
 */
#ifndef BASE_PRIORITY_H
#define BASE_PRIORITY_H

/*
 * Never raises the priority that the command was started with. If the system refuses, that is no failure.
 *
 * PRIORITY_BATCH: does not take the CPU from the running thread when input comes, but has its full share. For a stage that must keep up with the
 * collector, which loses events while nobody reads.
 * PRIORITY_LOW: also gets only a tenth of the CPU share that others get. For stages that work on abnormal moments only.
 *
 * May be called when the command is confined (confine.h).
 */
enum priority { PRIORITY_BATCH, PRIORITY_LOW };

void priority_lower(enum priority priority);

#endif
