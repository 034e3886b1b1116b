/*
 * predicate_node: a filter as a tree. Used by predicate*.c only.
 */
#ifndef EVENT_PREDICATE_NODE_H
#define EVENT_PREDICATE_NODE_H

#include "event/event.h"

enum operator { EQUAL, UNEQUAL, AT_MOST, AT_LEAST, LESS, GREATER, BITS, LIKE, OPERATORS };

/* Fields that every event has, whether or not its format names them. */
enum common { COMMON_NONE, COMMON_CPU, COMMON_NAME, COMMON_TID };

/* The type of the right-hand side. VALUE_KERNELS: an address or the like, known only to the kernel. */
enum value { VALUE_NUMBER, VALUE_TEXT, VALUE_KERNELS };

enum node_kind { NODE_TERM, NODE_NOT, NODE_AND, NODE_OR };

struct node {
	enum node_kind kind;
	struct node *left, *right; /* NODE_NOT has only a left */
	/* NODE_TERM */
	struct event_field *field;
	enum common common;
	enum operator operator;
	enum value value;
	uint64_t number;
	bool negative;	 /* number is below zero */
	char *text;	 /* a pattern, if the operator is LIKE */
	bool inverted;	 /* LIKE: the pattern must not match */
};

struct node *node_read(struct event_type *type, const char *text); /* NULL after fail() */
void node_free(struct node *node);

#endif
