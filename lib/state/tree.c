#include "state/tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/memory.h"

struct node {
	UT_hash_handle hh;
	uint32_t number, last_child, earlier;
	uint8_t depth;
	uint16_t length; /* of the name */
	struct {
		uint32_t parent;
		char name[];
	} key;
};

struct state_tree {
	struct node *named;
	ARRAY(struct node *) nodes;
};

static struct node *make(struct state_tree *tree, uint32_t parent, const char *name, size_t length)
{
	struct node *node = memory_new(1, sizeof(*node) + length + 1);

	node->number = (uint32_t)tree->nodes.count;
	node->last_child = node->earlier = STATE_NO_NODE;
	node->key.parent = parent;
	node->length = (uint16_t)length;
	memcpy(node->key.name, name, length);
	*ARRAY_ADD(&tree->nodes) = node;
	return node;
}

struct state_tree *state_tree_new(void)
{
	struct state_tree *tree = NEW(struct state_tree);

	make(tree, STATE_NO_NODE, "", 0);
	return tree;
}

void state_tree_free(struct state_tree *tree)
{
	if (!tree)
		return;
	HASH_CLEAR(hh, tree->named);
	for (size_t i = 0; i < tree->nodes.count; i++)
		free(tree->nodes.items[i]);
	free(tree->nodes.items);
	free(tree);
}

size_t state_tree_count(const struct state_tree *tree)
{
	return tree->nodes.count;
}

static struct node *find(const struct state_tree *tree, uint32_t parent, const char *name, size_t length)
{
	struct {
		uint32_t parent;
		char name[STATE_NAME_MAX];
	} key;
	struct node *node = NULL;

	key.parent = parent;
	memcpy(key.name, name, length);
	HASH_FIND(hh, tree->named, &key, sizeof(parent) + length, node);
	return node;
}

uint32_t state_tree_find(const struct state_tree *tree, uint32_t parent, const char *name, size_t length)
{
	const struct node *node = length <= STATE_NAME_MAX ? find(tree, parent, name, length) : NULL;

	return node ? node->number : STATE_NO_NODE;
}

uint32_t state_tree_get(struct state_tree *tree, uint32_t parent, const char *name, size_t length)
{
	struct node *above = tree->nodes.items[parent], *node;

	length = length < STATE_NAME_MAX ? length : STATE_NAME_MAX;
	node = find(tree, parent, name, length);
	if (node)
		return node->number;
	if (above->depth == STATE_DEPTH_MAX)
		return STATE_NO_NODE;
	node = make(tree, parent, name, length);
	node->depth = (uint8_t)(above->depth + 1);
	node->earlier = above->last_child;
	above->last_child = node->number;
	HASH_ADD(hh, tree->named, key, sizeof(parent) + length, node);
	return node->number;
}

uint32_t state_tree_parent(const struct state_tree *tree, uint32_t node)
{
	return tree->nodes.items[node]->key.parent;
}

const char *state_tree_name(const struct state_tree *tree, uint32_t node)
{
	return tree->nodes.items[node]->key.name;
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
		end = put_path(tree, at->key.parent, end);
		*end++ = '/';
	}
	return (char *)memcpy(end, at->key.name, at->length) + at->length;
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
