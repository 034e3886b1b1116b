/*
 * tree: names of attributes, which form a tree: HOST/COMM.PID/Threads/17/Operation. A node is a number; its components are the way to it.
 * Node 0 is the root, which has no name. Nodes are never taken away.
 */
#ifndef STATE_TREE_H
#define STATE_TREE_H

#include <stddef.h>
#include <stdint.h>

/* A name has room for a text with three bytes for each of its own. */
enum { STATE_DEPTH_MAX = 16, STATE_NAME_MAX = 3 * 255 + 35, STATE_PATH_ROOM = STATE_DEPTH_MAX * (STATE_NAME_MAX + 1) };

#define STATE_NO_NODE UINT32_MAX

struct state_tree;

struct state_tree *state_tree_new(void);
void state_tree_free(struct state_tree *tree);

size_t state_tree_count(const struct state_tree *tree); /* of nodes, with the root */

/* The child of this name; STATE_NO_NODE: there is none. */
uint32_t state_tree_find(const struct state_tree *tree, uint32_t parent, const char *name, size_t length);

/* The same, made where there is none; a longer name is cut at STATE_NAME_MAX. STATE_NO_NODE: it would be deeper than STATE_DEPTH_MAX. */
uint32_t state_tree_get(struct state_tree *tree, uint32_t parent, const char *name, size_t length);

uint32_t state_tree_parent(const struct state_tree *tree, uint32_t node);
const char *state_tree_name(const struct state_tree *tree, uint32_t node);

/* Children in order of their making, from the last made to the first; STATE_NO_NODE ends both. */
uint32_t state_tree_last_child(const struct state_tree *tree, uint32_t node);
uint32_t state_tree_earlier(const struct state_tree *tree, uint32_t node);

/* The components with '/' between them, with NUL. Returns the length. */
size_t state_tree_path(const struct state_tree *tree, uint32_t node, char path[STATE_PATH_ROOM]);

/*
 * Writes a value as one component: '/', '%', '*' and bytes below 0x20 become %XX, and an empty one "%". Returns the length, at most
 * `room`; cut where it does not fit. No NUL.
 */
size_t state_tree_component(const char *value, size_t length, char *component, size_t room);

#endif
