/*
 * order: a description of the runs that the hub wants. Orders come from the network, so they are parsed with bounds. A machine's own file decides
 * what the machine may record (fleet/permission.h).
 */
#ifndef FLEET_ORDER_H
#define FLEET_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

enum { ORDERS_MOST = 256, ORDER_TEXT_MOST = 16 << 10 };

struct order {
	char *id;	/* digits, unique among all orders ever given */
	char *job;	/* letters, digits, '_', '-' and '.' */
	int64_t until;	/* seconds since 1970 */
	uint64_t runs;	/* on each machine */
	char *nodes;	/* globs with commas between them */
	bool light;
	char *url;	/* a server: the programs are those whose command lines name it, on each machine; NULL: those of `text` */
	char *text;	/* the job's file */
};

typedef ARRAY(struct order) order_array;
struct orders {
	order_array all;
};

/* Adds the orders of a text, which has an `order` record a line. Ignores other records. Returns 0; -1 after fail(). */
int orders_read(struct orders *orders, const char *text, size_t length);
char *orders_spell(const struct orders *orders); /* the caller frees it */
void orders_free(struct orders *orders);

int order_check(const struct order *order); /* checks it as a machine does: 0; -1 after fail() */
void orders_add(struct orders *orders, const struct order *order); /* adds a copy; it replaces an order of the same job */
bool orders_remove(struct orders *orders, const char *job);	   /* tells whether there was such an order */

/* Tell whether a text may be the name of a job, of a node (without commas and glob characters), of a server. */
bool order_job_is_name(const char *job);
bool order_node_is_name(const char *node);
bool order_url_is_name(const char *url);

/* Tells whether one of the globs in `nodes` matches a node. */
bool order_is_for(const char *nodes, const char *node);

#endif
