/*
 * attributes: the present value of each attribute. An attribute is a stack whose top is its value. set and add replace the top, or push the first
 * value; push puts another value on top, pop takes it off; clear empties the stack. The value of an empty stack is null.
 *
 * At one time stamp only the last value counts: when time moves on, the sink gets each attribute whose value differs from its previous one.
 * So setting the same value begins no interval, and no interval has length 0.
 *
 *	attributes = state_attributes_new(tree, texts, most)
 *	state_attributes_sink(attributes, &sink, context)
 *	state_attributes_move(attributes, ts)		before each record, ts never less than before
 *	state_attributes_set(attributes, node, value)	...
 *	state_attributes_move(attributes, INT64_MAX)	at the end
 */
#ifndef STATE_ATTRIBUTES_H
#define STATE_ATTRIBUTES_H

#include "state/tree.h"
#include "state/value.h"

enum { STATE_STACK_MAX = 64 }; /* deeper pushes are only counted, so that their pops match */

/* Takes the changes. Each function returns 0; -1 after fail(). */
struct state_sink {
	/* The attribute was `before` from `since` to ts, and is `now` from ts on. */
	int (*change)(void *context, uint32_t node, int64_t since, struct state_value before, int64_t ts, struct state_value now);
	/*
	 * Events since `from` are missing: the attribute's values since then are taken back, it is null from there on. Before this call, it
	 * was `before` from `since` on; `since` may be later than `from`. The present time is ts.
	 */
	int (*take_back)(void *context, uint32_t node, int64_t since, struct state_value before, int64_t from, int64_t ts);
	bool by_path; /* the sink wants the changes of one time stamp sorted by path */
};

struct state_attributes;

/* At most `most` attributes; changes of further ones are only counted. The tree and the texts stay the caller's. */
struct state_attributes *state_attributes_new(struct state_tree *tree, struct state_texts *texts, size_t most);
void state_attributes_free(struct state_attributes *attributes);
void state_attributes_sink(struct state_attributes *attributes, const struct state_sink *sink, void *context);

/* Moves time on to ts: all earlier changes become final. Returns 0; -1 after fail() in the sink. */
int state_attributes_move(struct state_attributes *attributes, int64_t ts);

/* The present value; the caller gets no reference. Null if there is no such attribute. */
struct state_value state_attributes_value(const struct state_attributes *attributes, uint32_t node);

/* Changes. They take over the caller's reference to the value. False: there are too many attributes. */
bool state_attributes_set(struct state_attributes *attributes, uint32_t node, struct state_value value);
bool state_attributes_push(struct state_attributes *attributes, uint32_t node, struct state_value value);
bool state_attributes_add(struct state_attributes *attributes, uint32_t node, struct state_value value); /* null counts as 0 */
void state_attributes_pop(struct state_attributes *attributes, uint32_t node);
void state_attributes_clear(struct state_attributes *attributes, uint32_t node);
void state_attributes_clear_below(struct state_attributes *attributes, uint32_t node); /* the node and all below it */

/*
 * Takes back all changes since `from`, and empties all stacks. Spares the attributes at and below these children of the root. Returns 0; -1 after
 * fail() in the sink.
 */
int state_attributes_take_back(struct state_attributes *attributes, int64_t from, const uint32_t *spared, size_t count);

/* Calls `seen` for each attribute that was not null when time last moved on. Returns 0; -1 if a call returned less than 0, which ends it. */
typedef int state_attribute_seen(void *context, uint32_t node, int64_t since, struct state_value value);
int state_attributes_each(const struct state_attributes *attributes, state_attribute_seen *seen, void *context);

/* Actions that were not done, since the beginning. */
struct state_counts {
	uint64_t refused;  /* changes that needed one attribute too many */
	uint64_t empty;	   /* pops of an empty stack */
	uint64_t no_sum;   /* adds to a text, or of a value that is no number */
	uint64_t too_deep; /* pushes beyond STATE_STACK_MAX */
};
struct state_counts state_attributes_counts(const struct state_attributes *attributes);

#endif
