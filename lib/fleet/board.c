#include "fleet/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/number.h"

int board_read(struct fleet_link *link, struct orders *orders, uint64_t *revision)
{
	uint64_t own;
	size_t length;
	char *text = fleet_link_orders(link, &length, revision ? revision : &own);
	int status = text ? orders_read(orders, text, length) : -1;

	free(text);
	return status;
}

/* Changes what was just read: 0; 1: others changed it meanwhile; -1 after fail(). */
static int change(struct fleet_link *link, const struct order *order, const char *remove)
{
	struct orders orders = {0};
	uint64_t revision;
	int status = board_read(link, &orders, &revision);

	if (status == 0 && order)
		orders_add(&orders, order);
	else if (status == 0 && !orders_remove(&orders, remove))
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

int board_put(struct fleet_link *link, const struct order *order)
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
		status = change(link, &own, NULL);
	while (status > 0);
	return status;
}

int board_remove(struct fleet_link *link, const char *job)
{
	int status;

	do
		status = change(link, NULL, job);
	while (status > 0);
	return status;
}

int board_has(struct fleet_link *link, const char *job, bool *found)
{
	struct orders orders = {0};
	int status = board_read(link, &orders, NULL);

	*found = false;
	for (size_t i = 0; i < orders.all.count && status == 0; i++)
		*found |= !strcmp(orders.all.items[i].job, job) && orders.all.items[i].until > time(NULL);
	orders_free(&orders);
	return status;
}
