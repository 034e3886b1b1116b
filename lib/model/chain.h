/*
 * chain: the threads of a critical path that wait for each other, in the order of their waits.
 */
#ifndef MODEL_CHAIN_H
#define MODEL_CHAIN_H

#include "model/story.h"

/*
 * Finds the threads that wait for each other, down to the piece of the path in which most of the time went: story->links, each with its
 * process, and in words story->chain, "victim waits for handler (read tcp socket) > reporter (futex), asleep in nanosleep (timer)".
 * There is no chain if no part took most of the time, or if no thread waits for another there.
 */
void chain_find(struct story *story, const struct site *site, const struct graph *graph);

/* Finds the waits of the path's threads: story->waits. */
void chain_waits(struct story *story, const struct graph *graph);

#endif
