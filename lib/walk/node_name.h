/*
 * node_name: how nodes, threads and waits are called: "browser-main/2646#73", "browser-main/2646", "futex, get_first_rect".
 * Texts are fit for a terminal, and the caller frees them.
 */
#ifndef WALK_NODE_NAME_H
#define WALK_NODE_NAME_H

#include "walk/whole.h"

/* Stands before the names of nodes in the stream of what is normal. */
#define NODE_NORMAL "normal:"

char *node_name(const struct whole *whole, uint32_t segment);
char *thread_name(const struct whole *whole, uint32_t thread);
char *wait_name(const struct whole *whole, uint32_t identity); /* in what: "read pipe 5", "futex 0x7f12", "an unknown place" */

/*
 * THREAD/TID#N, or with @SECONDS in place of #N; TID alone will do for the thread, and NAME where only one thread has it.
 * NUMBER_NONE after fail().
 */
uint32_t node_find(const struct whole *whole, const char *name);
uint32_t thread_find_named(const struct whole *whole, const char *name);

#endif
