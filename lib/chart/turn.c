/*
 * Turns: a process receives on a connection, and answers. A turn begins with the first byte received, and ends with the last byte sent
 * before the next is received, the connection is closed, or nothing was sent for a while.
 */
#include <stdio.h>

#include "chart/measure_state.h"

static int begin(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	struct start *start;

	if (start_begin(measure, binding, event, key, 0, &start) < 0)
		return -1;
	if (start)
		snprintf(start->sample.show, sizeof(start->sample.show), " fd=%lld", (long long)key[1]);
	return 0;
}

static int receive(struct measure *measure, struct binding *binding, const struct event *event, const int64_t *key)
{
	struct start *start = pair_find(binding->chart->pairs, key);

	if (start && !start->silence.since)
		return 0; /* more of the same request */
	if (start && outcome_silence(measure, start) < 0)
		return -1;
	return begin(measure, binding, event, key);
}

/* The connection is closed: a turn with an answer ends with it, a turn without is given up. */
static int close_turn(struct measure *measure, struct start *start, int64_t now)
{
	struct active_chart *chart = start_chart(start);

	if (start->silence.since)
		return outcome_silence(measure, start);
	start_take(start);
	return outcome_drop(measure, chart, start, now);
}

int turn_exit(struct measure *measure, const struct active_chart *chart, int64_t process, int64_t now)
{
	struct start *newer;

	for (struct start *start = pairs_oldest(measure->pairs); start; start = newer) {
		newer = start_newer(start);
		if (start_chart(start) == chart && start->sample.key[0] == process && close_turn(measure, start, now) < 0)
			return -1;
	}
	return 0;
}

/* A server often waits in accept() since before the trace: the return alone tells of the new connection. */
static void accepted(struct measure *measure, const struct binding *binding, const struct event *event)
{
	struct traffic *traffic = binding->chart->traffic;
	int64_t fd = event_number(event, binding->call.result);
	int32_t process = events_tgid(measure->events, event->tid);

	if (binding->call.use == CALL_ACCEPT && fd >= 0 && fd <= INT32_MAX && traffic_is_new(traffic, event->tid))
		traffic_side(traffic, process > 0 ? process : event->tid, (int32_t)fd, false);
}

int turn_event(struct measure *measure, struct binding *binding, const struct event *event)
{
	struct active_chart *chart = binding->chart;
	int64_t argument[3] = {0}, key[CHART_KEYS_MAX] = {0};
	struct call_transfer transfer;
	struct start *start;

	if (binding->call.enters) {
		enum call_use use = binding_call(binding, &measure->world, chart->traffic, event, argument);

		traffic_enter(chart->traffic, event->tid, events_tgid(measure->events, event->tid), use, argument, event->ts);
		return 0;
	}
	accepted(measure, binding, event);
	transfer = traffic_return(chart->traffic, event->tid, event_number(event, binding->call.result));
	key[0] = transfer.process;
	key[1] = transfer.fd;
	switch (transfer.what) {
	case TRANSFER_RECEIVED:
		return receive(measure, binding, event, key);
	case TRANSFER_SENT:
		start = pair_find(chart->pairs, key);
		if (start)
			start->silence.since = event->ts;
		return 0;
	case TRANSFER_CLOSED:
		start = pair_find(chart->pairs, key);
		return start ? close_turn(measure, start, event->ts) : 0;
	default:
		return 0;
	}
}
