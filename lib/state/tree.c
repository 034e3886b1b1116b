#include "state/tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/memory.h"

struct node {
	uint32_t parent, last_child, earlier;
	uint8_t depth;
	uint16_t length; /* of the name */
	char name[];
};

/* A place of the hash table of nodes, with linear probing. It keeps the hash, so that a look-up compares only nodes with the same hash. */
struct place {
	uint32_t hash, node; /* node 0: the place is free, as the root is not in the table */
};

enum { PLACES_FIRST = 256 };

struct state_tree {
	struct place *places;
	size_t mask; /* number of places, a power of two, minus 1 */
	ARRAY(struct node *) nodes;
};

static struct node *make(struct state_tree *tree, uint32_t parent, const char *name, size_t length)
{
	struct node *node = memory_new(1, sizeof(*node) + length + 1);

	node->last_child = node->earlier = STATE_NO_NODE;
	node->parent = parent;
	node->length = (uint16_t)length;
	memcpy(node->name, name, length);
	*ARRAY_ADD(&tree->nodes) = node;
	return node;
}

struct state_tree *state_tree_new(void)
{
	struct state_tree *tree = NEW(struct state_tree);

	tree->places = memory_new(PLACES_FIRST, sizeof(*tree->places));
	tree->mask = PLACES_FIRST - 1;
	make(tree, STATE_NO_NODE, "", 0);
	return tree;
}

void state_tree_free(struct state_tree *tree)
{
	if (!tree)
		return;
	free(tree->places);
	for (size_t i = 0; i < tree->nodes.count; i++)
		free(tree->nodes.items[i]);
	free(tree->nodes.items);
	free(tree);
}

size_t state_tree_count(const struct state_tree *tree)
{
	return tree->nodes.count;
}

static uint32_t hash_of(uint32_t parent, const char *name, size_t length)
{
	return (uint32_t)XXH3_64bits_withSeed(name, length, parent);
}

/* The place of the child with this name, or the free place where it belongs. */
static struct place *find(const struct state_tree *tree, uint32_t hash, uint32_t parent, const char *name, size_t length)
{
	for (size_t at = hash & tree->mask;; at = (at + 1) & tree->mask) {
		struct place *place = &tree->places[at];
		const struct node *node;

		if (!place->node)
			return place;
		if (place->hash != hash)
			continue;
		node = tree->nodes.items[place->node];
		if (node->parent == parent && node->length == length && !memcmp(node->name, name, length))
			return place;
	}
}

/* Keeps at least half of the places free. */
static void grow(struct state_tree *tree)
{
	struct place *old = tree->places;
	size_t count = tree->mask + 1;

	if (2 * tree->nodes.count < count)
		return;
	tree->places = memory_new(2 * count, sizeof(*tree->places));
	tree->mask = 2 * count - 1;
	for (size_t i = 0; i < count; i++) {
		size_t at = old[i].hash & tree->mask;

		if (!old[i].node)
			continue;
		while (tree->places[at].node)
			at = (at + 1) & tree->mask;
		tree->places[at] = old[i];
	}
	free(old);
}

uint32_t state_tree_find(const struct state_tree *tree, uint32_t parent, const char *name, size_t length)
{
	uint32_t node = length <= STATE_NAME_MAX ? find(tree, hash_of(parent, name, length), parent, name, length)->node : 0;

	return node ? node : STATE_NO_NODE;
}

uint32_t state_tree_get(struct state_tree *tree, uint32_t parent, const char *name, size_t length)
{
	struct node *above = tree->nodes.items[parent], *node;
	struct place *place;
	uint32_t hash;

	length = length < STATE_NAME_MAX ? length : STATE_NAME_MAX;
	hash = hash_of(parent, name, length);
	place = find(tree, hash, parent, name, length);
	if (place->node)
		return place->node;
	if (above->depth == STATE_DEPTH_MAX)
		return STATE_NO_NODE;
	*place = (struct place){hash, (uint32_t)tree->nodes.count};
	node = make(tree, parent, name, length);
	node->depth = (uint8_t)(above->depth + 1);
	node->earlier = above->last_child;
	above->last_child = (uint32_t)tree->nodes.count - 1;
	grow(tree);
	return above->last_child;
}

uint32_t state_tree_parent(const struct state_tree *tree, uint32_t node)
{
	return tree->nodes.items[node]->parent;
}

const char *state_tree_name(const struct state_tree *tree, uint32_t node)
{
	return tree->nodes.items[node]->name;
}

uint32_t state_tree_last_child(const struct state_tree *tree, uint32_t node)
{
	return tree->nodes.items[node]->last_child;
}

uint32_t state_tree_earlier(const struct state_tree *tree, uint32_t node)
{
	return tree->nodes.items[node]->earlier;
}

static char *put_path(const struct state_tree *tree, uint32_t node, char *end)
{
	const struct node *at = tree->nodes.items[node];

	if (at->depth > 1) {
		end = put_path(tree, at->parent, end);
		*end++ = '/';
	}
	return (char *)memcpy(end, at->name, at->length) + at->length;
}

size_t state_tree_path(const struct state_tree *tree, uint32_t node, char path[STATE_PATH_ROOM])
{
	char *end = put_path(tree, node, path);

	*end = '\0';
	return (size_t)(end - path);
}

size_t state_tree_component(const char *value, size_t length, char *component, size_t room)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t at = 0;

	if (length == 0 && room > 0)
		component[at++] = '%';
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)value[i];
		bool plain = byte >= 0x20 && byte != '/' && byte != '%' && byte != '*';

		if (at + (plain ? 1 : 3) > room)
			break;
		if (plain) {
			component[at++] = (char)byte;
			continue;
		}
		component[at++] = '%';
		component[at++] = hex[byte >> 4];
		component[at++] = hex[byte & 15];
	}
	return at;
}
