/*
 * node_name: names of nodes, threads and waits: "browser-main/2646#73", "browser-main/2646", "futex, get_first_rect".
 * Texts are fit for a terminal; the caller frees them.
 */
#ifndef WALK_NODE_NAME_H
#define WALK_NODE_NAME_H

#include "walk/whole.h"

/* Prefix of the names of nodes in the stream with the normal cases. */
#define NODE_NORMAL "normal:"

char *node_name(const struct whole *whole, uint32_t segment);
char *thread_name(const struct whole *whole, uint32_t thread);
char *wait_name(const struct whole *whole, uint32_t identity); /* "read pipe 5", "futex 0x7f12", "an unknown place" */

/*
 * Find a node by THREAD/TID#N or THREAD/TID@SECONDS, and a thread by THREAD/TID. TID alone is enough for a thread, and so is NAME if only one
 * thread has it. NUMBER_NONE after fail().
 */
uint32_t node_find(const struct whole *whole, const char *name);
uint32_t thread_find_named(const struct whole *whole, const char *name);

#endif
