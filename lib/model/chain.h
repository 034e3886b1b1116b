/*
 * chain: a critical path in the order of who waits for whom.
 */
#ifndef MODEL_CHAIN_H
#define MODEL_CHAIN_H

#include "model/story.h"

/*
 * Finds the threads that wait for each other: story->links, each with its process, and in words story->chain,
 * "victim waits for handler (read tcp socket) > reporter (futex), asleep in nanosleep (timer)": down to the place where most of the
 * time went. There are none if there is no such place, or no thread waits for another on the way to it.
 */
void chain_find(struct story *story, const struct site *site, const struct graph *graph);

/* Finds the waits of the path's threads: story->waits. */
void chain_waits(struct story *story, const struct graph *graph);

#endif
