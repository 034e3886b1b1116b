#include "fleet/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/number.h"

int board_read(struct fleet_link *link, struct orders *orders)
{
	uint64_t revision;
	size_t length;
	char *text = fleet_link_orders(link, &length, &revision);
	int status = text ? orders_read(orders, text, length) : -1;

	free(text);
	return status;
}

/* Reads the orders, adds `order` (or removes that of the job `remove`), and writes them. 0; 1: others changed them meanwhile; -1 after fail(). */
static int change(struct fleet_link *link, const struct order *order, const char *remove, bool *anew)
{
	struct orders orders = {0};
	uint64_t revision;
	size_t length;
	char *old = fleet_link_orders(link, &length, &revision);
	int status = old ? 0 : -1;

	*anew = old && orders_read(&orders, old, length) < 0;
	if (*anew)
		orders_free(&orders);
	free(old);
	if (status == 0 && order)
		orders_add(&orders, order);
	else if (status == 0 && !orders_remove(&orders, remove) && !*anew)
		status = fail("there is no order '%s'", remove);
	if (status == 0 && orders.all.count > ORDERS_MOST)
		status = fail("there are %d orders, which is the most", ORDERS_MOST);
	if (status == 0) {
		char *text = orders_spell(&orders);

		status = fleet_link_put_orders(link, text, revision);
		free(text);
	}
	orders_free(&orders);
	return status;
}

int board_put(struct fleet_link *link, const struct order *order, bool *anew)
{
	struct order own = *order;
	struct timespec now;
	char id[NUMBER_ROOM];
	int status;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(id, sizeof(id), "%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
	own.id = id;
	if (order_check(&own) < 0)
		return -1;
	do
		status = change(link, &own, NULL, anew);
	while (status > 0);
	return status;
}

int board_remove(struct fleet_link *link, const char *job, bool *anew)
{
	int status;

	do
		status = change(link, NULL, job, anew);
	while (status > 0);
	return status;
}

int board_has(struct fleet_link *link, const char *job, bool *found)
{
	struct orders orders = {0};
	int status = board_read(link, &orders);

	*found = false;
	for (size_t i = 0; i < orders.all.count && status == 0; i++)
		*found |= !strcmp(orders.all.items[i].job, job) && orders.all.items[i].until > time(NULL);
	orders_free(&orders);
	return status;
}
