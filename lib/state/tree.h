/*
 * tree: names of attributes, which form a tree: HOST/COMM.PID/Threads/17/Operation. A node is a number. The components of its path are the names
 * from the root to the node. Node 0 is the root, which has no name. Nodes are never removed.
 */
#ifndef STATE_TREE_H
#define STATE_TREE_H

#include <stddef.h>
#include <stdint.h>

/* A name has room for a text of 255 bytes, each spelled as %XX, and for 35 bytes more. */
enum { STATE_DEPTH_MAX = 16, STATE_NAME_MAX = 3 * 255 + 35, STATE_PATH_ROOM = STATE_DEPTH_MAX * (STATE_NAME_MAX + 1) };

#define STATE_NO_NODE UINT32_MAX

struct state_tree;

struct state_tree *state_tree_new(void);
void state_tree_free(struct state_tree *tree);

size_t state_tree_count(const struct state_tree *tree); /* number of nodes, with the root */

/* The child with this name; STATE_NO_NODE: there is none. */
uint32_t state_tree_find(const struct state_tree *tree, uint32_t parent, const char *name, size_t length);

/* The same, but makes a missing child; a longer name is cut at STATE_NAME_MAX. STATE_NO_NODE: it would be deeper than STATE_DEPTH_MAX. */
uint32_t state_tree_get(struct state_tree *tree, uint32_t parent, const char *name, size_t length);

uint32_t state_tree_parent(const struct state_tree *tree, uint32_t node);
const char *state_tree_name(const struct state_tree *tree, uint32_t node);

/* Iterate over the children of a node, newest first: its last child, then the sibling made before. STATE_NO_NODE: there are no more. */
uint32_t state_tree_last_child(const struct state_tree *tree, uint32_t node);
uint32_t state_tree_earlier(const struct state_tree *tree, uint32_t node);

/* Writes the components of a node's path with '/' between them, and NUL. Returns the length without NUL. */
size_t state_tree_path(const struct state_tree *tree, uint32_t node, char path[STATE_PATH_ROOM]);

/*
 * Writes a value as one component, without NUL: '/', '%', '*' and bytes below 0x20 become %XX, an empty value "%". A component that does not fit
 * is cut. Returns the length, at most `room`.
 */
size_t state_tree_component(const char *value, size_t length, char *component, size_t room);

#endif
