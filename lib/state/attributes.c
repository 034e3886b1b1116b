#include "state/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct attribute {
	struct state_value *stack; /* bottom first */
	uint8_t count, room;
	bool touched;
	uint32_t beyond; /* pushes that had no room in the stack */
	struct state_value before; /* the value when time last moved on */
	int64_t since;	   /* when the attribute got that value */
};

struct state_attributes {
	struct state_tree *tree;
	struct state_texts *texts;
	size_t most, total;
	ARRAY(struct attribute *) of_node; /* NULL: none */
	ARRAY(uint32_t) touched;	   /* nodes whose stack changed at `now` */
	int64_t now;
	const struct state_sink *sink;
	void *context;
	struct state_counts counts;
};

struct state_attributes *state_attributes_new(struct state_tree *tree, struct state_texts *texts, size_t most)
{
	struct state_attributes *attributes = NEW(struct state_attributes);

	attributes->tree = tree;
	attributes->texts = texts;
	attributes->most = most;
	attributes->now = INT64_MIN;
	return attributes;
}

static void empty(struct state_attributes *attributes, struct attribute *attribute)
{
	while (attribute->count > 0)
		state_value_drop(attributes->texts, &attribute->stack[--attribute->count]);
	attribute->beyond = 0;
}

void state_attributes_free(struct state_attributes *attributes)
{
	if (!attributes)
		return;
	for (size_t i = 0; i < attributes->of_node.count; i++) {
		struct attribute *attribute = attributes->of_node.items[i];

		if (!attribute)
			continue;
		empty(attributes, attribute);
		state_value_drop(attributes->texts, &attribute->before);
		free(attribute->stack);
		free(attribute);
	}
	free(attributes->of_node.items);
	free(attributes->touched.items);
	free(attributes);
}

void state_attributes_sink(struct state_attributes *attributes, const struct state_sink *sink, void *context)
{
	attributes->sink = sink;
	attributes->context = context;
}

static struct attribute *find(const struct state_attributes *attributes, uint32_t node)
{
	return node < attributes->of_node.count ? attributes->of_node.items[node] : NULL;
}

/* Notes that the attribute's value may change at `now`. */
static void touch(struct state_attributes *attributes, uint32_t node, struct attribute *attribute)
{
	if (attribute->touched)
		return;
	attribute->touched = true;
	*ARRAY_ADD(&attributes->touched) = node;
}

/* Finds or makes an attribute, to change it. NULL: there are too many. */
static struct attribute *change(struct state_attributes *attributes, uint32_t node)
{
	struct attribute *attribute = find(attributes, node);

	if (!attribute && attributes->total >= attributes->most) {
		attributes->counts.refused++;
		return NULL;
	}
	if (!attribute) {
		while (attributes->of_node.count <= node)
			*ARRAY_ADD(&attributes->of_node) = NULL;
		attribute = attributes->of_node.items[node] = NEW(struct attribute);
		attribute->since = INT64_MIN;
		attributes->total++;
	}
	touch(attributes, node, attribute);
	return attribute;
}

static struct state_value value_of(const struct attribute *attribute)
{
	return attribute && attribute->count > 0 ? attribute->stack[attribute->count - 1] : (struct state_value){0};
}

struct state_value state_attributes_value(const struct state_attributes *attributes, uint32_t node)
{
	return value_of(find(attributes, node));
}

static void put(struct attribute *attribute, struct state_value value)
{
	if (attribute->count == attribute->room) {
		attribute->room = (uint8_t)(attribute->room ? 2 * attribute->room : 1);
		attribute->stack = memory_grow(attribute->stack, attribute->room, sizeof(*attribute->stack));
	}
	attribute->stack[attribute->count++] = value;
}

bool state_attributes_push(struct state_attributes *attributes, uint32_t node, struct state_value value)
{
	struct attribute *attribute = change(attributes, node);

	if (!attribute || attribute->count == STATE_STACK_MAX) {
		state_value_drop(attributes->texts, &value);
		if (attribute) {
			attribute->beyond++;
			attributes->counts.too_deep++;
		}
		return attribute != NULL;
	}
	put(attribute, value);
	return true;
}

bool state_attributes_set(struct state_attributes *attributes, uint32_t node, struct state_value value)
{
	struct attribute *attribute = change(attributes, node);

	if (!attribute) {
		state_value_drop(attributes->texts, &value);
		return false;
	}
	if (attribute->count > 0)
		state_value_drop(attributes->texts, &attribute->stack[--attribute->count]);
	put(attribute, value);
	return true;
}

bool state_attributes_add(struct state_attributes *attributes, uint32_t node, struct state_value value)
{
	struct state_value old = state_attributes_value(attributes, node);
	int64_t sum;

	if (value.kind != STATE_NUMBER || old.kind == STATE_TEXT) {
		attributes->counts.no_sum++;
		state_value_drop(attributes->texts, &value);
		return true;
	}
	if (__builtin_add_overflow(old.kind == STATE_NUMBER ? old.number : 0, value.number, &sum))
		sum = value.number < 0 ? INT64_MIN : INT64_MAX;
	return state_attributes_set(attributes, node, state_value_number(sum));
}

void state_attributes_pop(struct state_attributes *attributes, uint32_t node)
{
	struct attribute *attribute = find(attributes, node);

	if (!attribute || attribute->count == 0) {
		attributes->counts.empty++;
		return;
	}
	if (attribute->beyond > 0) {
		attribute->beyond--;
		return;
	}
	touch(attributes, node, attribute);
	state_value_drop(attributes->texts, &attribute->stack[--attribute->count]);
}

void state_attributes_clear(struct state_attributes *attributes, uint32_t node)
{
	struct attribute *attribute = find(attributes, node);

	if (!attribute || attribute->count == 0)
		return;
	touch(attributes, node, attribute);
	empty(attributes, attribute);
}

void state_attributes_clear_below(struct state_attributes *attributes, uint32_t node)
{
	state_attributes_clear(attributes, node);
	for (uint32_t child = state_tree_last_child(attributes->tree, node); child != STATE_NO_NODE; child = state_tree_earlier(attributes->tree, child))
		state_attributes_clear_below(attributes, child);
}

static int by_path(const void *a, const void *b, void *tree)
{
	char left[STATE_PATH_ROOM], right[STATE_PATH_ROOM];

	state_tree_path(tree, *(const uint32_t *)a, left);
	state_tree_path(tree, *(const uint32_t *)b, right);
	return strcmp(left, right);
}

/* The attribute's value at `now` is final: passes a change on to the sink. */
static int settle(struct state_attributes *attributes, uint32_t node)
{
	struct attribute *attribute = attributes->of_node.items[node];
	struct state_value value = value_of(attribute);
	int status = 0;

	attribute->touched = false;
	if (state_value_equal(value, attribute->before))
		return 0;
	if (attributes->sink)
		status = attributes->sink->change(attributes->context, node, attribute->since, attribute->before, attributes->now, value);
	state_value_drop(attributes->texts, &attribute->before);
	attribute->before = state_value_share(value);
	attribute->since = attributes->now;
	return status;
}

int state_attributes_move(struct state_attributes *attributes, int64_t ts)
{
	int status = 0;

	if (ts <= attributes->now)
		return 0;
	if (attributes->sink && attributes->sink->by_path && attributes->touched.count > 1)
		qsort_r(attributes->touched.items, attributes->touched.count, sizeof(*attributes->touched.items), by_path, attributes->tree);
	for (size_t i = 0; i < attributes->touched.count && status == 0; i++)
		status = settle(attributes, attributes->touched.items[i]);
	attributes->touched.count = 0;
	attributes->now = ts;
	return status;
}

/* Calls the sink first, because it may still ask for the attribute's value. */
static int take_back(struct state_attributes *attributes, uint32_t node, int64_t from)
{
	struct attribute *attribute = attributes->of_node.items[node];
	int status = 0;

	if (attributes->sink)
		status = attributes->sink->take_back(attributes->context, node, attribute->since, attribute->before, from, attributes->now);
	empty(attributes, attribute);
	state_value_drop(attributes->texts, &attribute->before);
	attribute->since = from;
	return status;
}

static bool is_below(const struct state_tree *tree, uint32_t node, const uint32_t *roots, size_t count)
{
	while (count > 0 && state_tree_parent(tree, node) != 0)
		node = state_tree_parent(tree, node);
	for (size_t i = 0; i < count; i++)
		if (roots[i] == node)
			return true;
	return false;
}

int state_attributes_take_back(struct state_attributes *attributes, int64_t from, const uint32_t *spared, size_t count)
{
	ARRAY(uint32_t) taken = {0};
	int status = 0;

	for (size_t node = 0; node < attributes->of_node.count; node++) {
		const struct attribute *attribute = attributes->of_node.items[node];

		if (attribute && !is_below(attributes->tree, (uint32_t)node, spared, count) &&
		    (attribute->count > 0 || attribute->before.kind != STATE_NULL || attribute->since >= from))
			*ARRAY_ADD(&taken) = (uint32_t)node;
	}
	if (attributes->sink && attributes->sink->by_path && taken.count > 1)
		qsort_r(taken.items, taken.count, sizeof(*taken.items), by_path, attributes->tree);
	for (size_t i = 0; i < taken.count && status == 0; i++)
		status = take_back(attributes, taken.items[i], from);
	free(taken.items);
	return status;
}

int state_attributes_each(const struct state_attributes *attributes, state_attribute_seen *seen, void *context)
{
	for (size_t node = 0; node < attributes->of_node.count; node++) {
		const struct attribute *attribute = attributes->of_node.items[node];

		if (attribute && attribute->before.kind != STATE_NULL && seen(context, (uint32_t)node, attribute->since, attribute->before) < 0)
			return -1;
	}
	return 0;
}

struct state_counts state_attributes_counts(const struct state_attributes *attributes)
{
	return attributes->counts;
}
