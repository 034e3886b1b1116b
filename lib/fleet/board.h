/*
 * board: the orders on the server, which several hubs may change.
 */
#ifndef FLEET_BOARD_H
#define FLEET_BOARD_H

#include "fleet/link.h"
#include "fleet/order.h"

/* Reads the orders into *orders, which the caller frees, also after a failure. Returns 0; -1 after fail(). */
int board_read(struct fleet_link *link, struct orders *orders);

/*
 * These two change the orders. If the orders on the server are malformed, no hub has put them: they are dropped, *anew is true, and fail_text()
 * says why.
 */

/* Puts an order under a new id; it replaces an order of the same job. Returns 0; -1 after fail(). */
int board_put(struct fleet_link *link, const struct order *order, bool *anew);

/* Removes the order of a job. Returns 0; -1 after fail(), such as if there is none. */
int board_remove(struct fleet_link *link, const char *job, bool *anew);

/* Sets *found to whether there is an order of this job that is not over. Returns 0; -1 after fail(). */
int board_has(struct fleet_link *link, const char *job, bool *found);

#endif
