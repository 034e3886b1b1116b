#include "fleet/order.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "stream/fields.h"
#include "stream/line.h"

enum { JOB_MOST = 64, ID_MOST = 20, NODES_MOST = 4096, NODE_MOST = 253, URL_MOST = 256, RUNS_MOST = 1000000 };

static bool is_of(const char *text, size_t most, const char *more)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] >= 0x80 || (!isalnum((unsigned char)text[i]) && !strchr(more, text[i])))
			return false;
	return length > 0 && length <= most;
}

bool order_job_is_name(const char *job)
{
	return is_of(job, JOB_MOST, "_-.") && *job != '.' && *job != '-';
}

bool order_node_is_name(const char *node)
{
	return is_of(node, NODE_MOST, "_-.:@+");
}

bool order_url_is_name(const char *url)
{
	return is_of(url, URL_MOST, "_-.:/[]");
}

bool order_is_for(const char *nodes, const char *node)
{
	char *copy = memory_text(nodes, strlen(nodes)), *rest = NULL;
	bool found = false;

	for (char *glob = strtok_r(copy, ",", &rest); glob && !found; glob = strtok_r(NULL, ",", &rest))
		found = fnmatch(glob, node, 0) == 0;
	free(copy);
	return found;
}

static void free_order(struct order *order)
{
	free(order->id);
	free(order->job);
	free(order->nodes);
	free(order->text);
	free(order->url);
}

void orders_free(struct orders *orders)
{
	for (size_t i = 0; i < orders->all.count; i++)
		free_order(&orders->all.items[i]);
	ARRAY_FREE(&orders->all);
}

bool orders_remove(struct orders *orders, const char *job)
{
	for (size_t i = 0; i < orders->all.count; i++)
		if (!strcmp(orders->all.items[i].job, job)) {
			free_order(&orders->all.items[i]);
			orders->all.items[i] = orders->all.items[--orders->all.count];
			return true;
		}
	return false;
}

static char *copy(const char *text)
{
	return memory_text(text, strlen(text));
}

void orders_add(struct orders *orders, const struct order *order)
{
	struct order own = *order;

	own.id = copy(order->id);
	own.job = copy(order->job);
	own.nodes = copy(order->nodes);
	own.text = copy(order->text);
	own.url = order->url ? copy(order->url) : NULL;
	orders_remove(orders, order->job);
	*ARRAY_ADD(&orders->all) = own;
}

int order_check(const struct order *order)
{
	if (!order->id || !is_of(order->id, ID_MOST, "") || strspn(order->id, "0123456789") != strlen(order->id))
		return fail("an order needs an id of digits");
	if (!order->job || !order_job_is_name(order->job))
		return fail("an order needs the name of a job, of letters, digits, '_', '-' and '.'");
	if (!order->text || strlen(order->text) > ORDER_TEXT_MOST)
		return fail("the order '%s' has no job file, or one of more than %d bytes", order->job, ORDER_TEXT_MOST);
	if (order->url && !order_url_is_name(order->url))
		return fail("the order '%s' has a server whose name is not of letters, digits and _-.:/[]", order->job);
	if (order->until <= 0 || order->runs == 0 || order->runs > RUNS_MOST)
		return fail("the order '%s' needs an end, and 1 to %d runs", order->job, RUNS_MOST);
	return strlen(order->nodes) <= NODES_MOST ? 0 : fail("the order '%s' has too long a pattern of nodes", order->job);
}

static int read_order(struct orders *orders, const struct fields *fields)
{
	struct order order = {.id = fields_copy(fields, "id"), .job = fields_copy(fields, "job"), .nodes = fields_copy(fields, "nodes"),
			      .text = fields_copy(fields, "text"), .url = fields_copy(fields, "url"), .light = fields_is(fields, "light", "yes")};
	int status = -1;

	if (!order.nodes)
		order.nodes = copy("*");
	if (fields_integer(fields, "until", &order.until) >= 0 && fields_unsigned(fields, "runs", &order.runs) >= 0)
		status = order_check(&order);
	if (status == 0)
		orders_add(orders, &order);
	free_order(&order);
	return status;
}

int orders_read(struct orders *orders, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t size = (size_t)((newline ? newline : end) - text);
		struct fields fields;

		if (fields_parse(&fields, text, size) < 0)
			return -1;
		if (fields.kind_length == 5 && !memcmp(fields.kind, "order", 5)) {
			if (orders->all.count == ORDERS_MOST)
				return fail("there are more than %d orders", ORDERS_MOST);
			if (read_order(orders, &fields) < 0)
				return -1;
		}
		text += size + 1;
	}
	return 0;
}

char *orders_spell(const struct orders *orders)
{
	struct line line = {0};
	char *text = memory_text("", 0);

	for (size_t i = 0; i < orders->all.count; i++) {
		const struct order *order = &orders->all.items[i];
		char *longer;

		line_begin(&line, "order");
		line_text(&line, "id", order->id);
		line_text(&line, "job", order->job);
		line_integer(&line, "until", order->until);
		line_unsigned(&line, "runs", order->runs);
		line_text(&line, "nodes", order->nodes);
		if (order->light)
			line_text(&line, "light", "yes");
		if (order->url)
			line_text(&line, "url", order->url);
		line_text(&line, "text", order->text);
		longer = memory_format("%s%s\n", text, line.text);
		free(text);
		text = longer;
	}
	line_free(&line);
	return text;
}
