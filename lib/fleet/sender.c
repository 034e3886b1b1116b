#include "fleet/sender.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "fleet/order.h"
#include "fleet/parcel.h"
#include "fleet/subject.h"

enum {
	DAY_MINUTES = 24 * 60,
	STEP_SECONDS = 2,   /* most seconds of sending before it looks for orders */
	SWEEP_SECONDS = 60,
	RETRY_MOST = 600,   /* seconds */
};

struct sender {
	struct sender_options options;
	struct fleet_link *link;
	struct outbox *outbox;
	unsigned connections; /* number of connections when it last looked */
	unsigned failures;    /* successive failures of sending */
	int64_t wait_until;   /* ns of CLOCK_MONOTONIC */
	int64_t sweep_at;
	int64_t orders_at;    /* when to fetch the orders again after a failure; INT64_MAX: there was none */
	uint64_t dropped_mark;
	bool done, was_up;
	char *told; /* the last complaint, which is not repeated */
};

int sender_window(const char *text, int *from, int *to)
{
	int hours[2], minutes[2], end = -1;

	if (sscanf(text, "%2d:%2d-%2d:%2d%n", &hours[0], &minutes[0], &hours[1], &minutes[1], &end) < 4 || end != (int)strlen(text))
		return fail("a window is such as 01:00-05:00, not '%s'", text);
	for (int i = 0; i < 2; i++)
		if (hours[i] < 0 || hours[i] > 23 || minutes[i] < 0 || minutes[i] > 59)
			return fail("'%s' has a time that is none of a day", text);
	*from = hours[0] * 60 + minutes[0];
	*to = hours[1] * 60 + minutes[1];
	return 0;
}

bool sender_may(const struct sender_options *options, int minute)
{
	int length = (options->window_to - options->window_from + DAY_MINUTES) % DAY_MINUTES, own;

	if (length == 0)
		return true;
	own = (int)(XXH3_64bits(options->node, strlen(options->node)) % (unsigned)(length / 2 + 1));
	minute = (minute - options->window_from + DAY_MINUTES) % DAY_MINUTES;
	return minute >= own && minute < length;
}

struct sender *sender_new(const struct sender_options *options, struct fleet_link *link, struct outbox *outbox)
{
	struct sender *sender = NEW(struct sender);

	sender->options = *options;
	sender->link = link;
	sender->outbox = outbox;
	sender->orders_at = INT64_MAX;
	return sender;
}

void sender_free(struct sender *sender)
{
	free(sender->told);
	free(sender);
}

static void tell(struct sender *sender, const char *text)
{
	if (sender->told && !strcmp(sender->told, text))
		return;
	free(sender->told);
	sender->told = memory_text(text, strlen(text));
	sender->options.tell(text);
}

/* Fetches the orders; after a failure, again in RETRY_MOST seconds. Malformed ones must not replace those that hold. */
static void bring_orders(struct sender *sender)
{
	struct orders orders = {0};
	uint64_t revision;
	size_t length;
	char *text = fleet_link_orders(sender->link, &length, &revision);
	int status = text ? orders_read(&orders, text, length) : -1;

	if (text && status < 0)
		fail_prefix("the orders on the server are malformed, so those before hold");
	if (status == 0)
		status = folder_write(outbox_notes(sender->outbox), "orders", text, length);
	if (status < 0)
		tell(sender, fail_text());
	sender->orders_at = status < 0 ? now_by(CLOCK_MONOTONIC) + RETRY_MOST * INT64_C(1000000000) : INT64_MAX;
	orders_free(&orders);
	free(text);
}

/* Twice as long after each failure, with jitter. */
static void back_off(struct sender *sender)
{
	double seconds = sender->failures < 9 ? (double)(1 << sender->failures) : RETRY_MOST;

	if (seconds < RETRY_MOST)
		sender->failures++;
	sender->wait_until = now_by(CLOCK_MONOTONIC) + (int64_t)(seconds * (0.5 + 0.5 * (double)random() / RAND_MAX) * 1e9);
}

/* Sends one message. Returns 0; -1 after fail(): the server did not take it. */
static int send_one(struct sender *sender, const char *name, const char *bytes, size_t size)
{
	struct parcel parcel;
	char *subject, *own_name;
	int status;

	if (parcel_open(&parcel, bytes, size) < 0) {
		fail_prefix("'%s' in the spool is removed", name);
		tell(sender, fail_text());
		outbox_sent(sender->outbox, name, false);
		return 0;
	}
	subject = parcel_subject(&parcel, sender->options.node);
	own_name = outbox_message_name(sender->outbox, parcel.id);
	status = fleet_link_send(sender->link, subject, own_name, bytes, size);
	free(own_name);
	free(subject);
	parcel_free(&parcel);
	if (status == 0)
		outbox_sent(sender->outbox, name, true);
	return status;
}

/* Waits for the rate: less than a second in this function, longer through wait_until. */
static void hold_rate(struct sender *sender, size_t size)
{
	double seconds = sender->options.rate ? (double)size / (double)sender->options.rate : 0;
	struct timespec wait = {0, (long)(seconds * 1e9)};

	if (seconds >= 1)
		sender->wait_until = now_by(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9);
	else if (seconds > 0)
		nanosleep(&wait, NULL);
}

/* Sends messages until there are no more, the server does not take one, or STEP_SECONDS are over. */
static void send_some(struct sender *sender)
{
	int64_t end = now_by(CLOCK_MONOTONIC) + STEP_SECONDS * INT64_C(1000000000);
	const char *name;

	while (now_by(CLOCK_MONOTONIC) < end && now_by(CLOCK_MONOTONIC) >= sender->wait_until) {
		char *bytes;
		size_t size;
		int status;

		name = outbox_next(sender->outbox);
		sender->done = !name;
		if (!name)
			return;
		status = outbox_read(sender->outbox, name, &bytes, &size);
		if (status > 0)
			continue;
		if (status == 0)
			status = send_one(sender, name, bytes, size);
		free(bytes);
		if (status < 0) {
			tell(sender, fail_text());
			outbox_rewind(sender->outbox);
			back_off(sender);
			return;
		}
		sender->failures = 0;
		hold_rate(sender, size);
	}
}

/* Tells the hub how many messages were dropped for lack of room. */
static void tell_dropped(struct sender *sender)
{
	uint64_t mark = folder_mark(outbox_notes(sender->outbox), OUTBOX_DROPPED);
	char *text;

	if (mark == sender->dropped_mark)
		return;
	sender->dropped_mark = mark;
	text = memory_format("dropped %llu messages, because its spool was full", (unsigned long long)outbox_dropped(sender->outbox));
	sender->options.tell(text);
	outbox_tell(sender->outbox, sender->options.node, "", "dropped", text);
	free(text);
}

static bool is_time(const struct sender *sender)
{
	time_t now = time(NULL);
	struct tm day;

	localtime_r(&now, &day);
	return sender_may(&sender->options, day.tm_hour * 60 + day.tm_min);
}

void sender_step(struct sender *sender)
{
	bool up;
	unsigned connections = fleet_link_connections(sender->link, &up);
	char *complaint = fleet_link_complaint(sender->link);

	if (complaint)
		tell(sender, complaint);
	free(complaint);
	if (up && connections != sender->connections) {
		sender->connections = connections;
		sender->failures = 0;
		sender->wait_until = 0;
		sender->done = false;
		outbox_again(sender->outbox);
	}
	if (sender->was_up && !up)
		sender->options.tell("the connection to the server is lost; messages wait");
	sender->was_up = up;
	if (up && (fleet_link_orders_changed(sender->link) || now_by(CLOCK_MONOTONIC) >= sender->orders_at))
		bring_orders(sender);
	tell_dropped(sender);
	if (up && is_time(sender))
		send_some(sender);
	if (now_by(CLOCK_MONOTONIC) >= sender->sweep_at) {
		outbox_sweep(sender->outbox);
		sender->sweep_at = now_by(CLOCK_MONOTONIC) + SWEEP_SECONDS * INT64_C(1000000000);
	}
}

bool sender_is_done(const struct sender *sender)
{
	return sender->done;
}
