/*
 * board: the orders as the server has them, which several hubs may change.
 */
#ifndef FLEET_BOARD_H
#define FLEET_BOARD_H

#include "fleet/link.h"
#include "fleet/order.h"

/* Reads them into *orders, which the caller frees also after a failure. 0; -1 after fail(). */
int board_read(struct fleet_link *link, struct orders *orders);

/*
 * These two change the orders. Orders that are malformed, which a hub cannot have put, make way: *anew tells, and fail_text() why.
 */

/* Puts an order, in place of one of the same job, under an id of its own. 0; -1 after fail(). */
int board_put(struct fleet_link *link, const struct order *order, bool *anew);

/* Takes away the order of a job. 0; -1 after fail(): there is none, or the server is gone. */
int board_remove(struct fleet_link *link, const char *job, bool *anew);

/* Tells in *found whether there is an order of this job that is not over. 0; -1 after fail(). */
int board_has(struct fleet_link *link, const char *job, bool *found);

#endif
