#include "window/window.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "chart/span.h"
#include "window/ring.h"

/* An open window asks so often, lest the kernel overwrites what is in it. */
static const int64_t recall_every = NSEC_PER_SEC / 10;

struct window {
	struct stream *stream;
	struct ring *ring;
	int64_t before, after;
	uint64_t bytes;
	double share;	 /* of the bytes pushed that may pass; 1: all */
	double allowed; /* bytes that may pass by now, where not all may */
	int64_t floor; /* time of the newest event that was dropped, or passed in a window before this one */
	int64_t ended; /* `to` of the window before this one */
	int64_t first; /* time of the first event of the stream */
	struct line line;
	uint64_t last_id;
	struct recall *recall; /* NULL: all events are in the stream */
	int64_t known;	       /* all events before this time came, or were asked for */
	int64_t now;
	char *complaint; /* the recorder cannot be asked */
	/* of the window at hand */
	bool open;
	bool complete;
	int holds; /* may be above zero while no window is open: it was closed because it had grown too large */
	int64_t from, to;
	int64_t earliest; /* start of its signals */
	int64_t passed_to; /* time of the newest event in it */
	uint64_t passed;   /* bytes */
	uint64_t first_signal, last_signal;
};

struct window *window_new(struct stream *stream, int64_t before, int64_t after, uint64_t bytes, double share)
{
	struct window *window = NEW(struct window);

	window->stream = stream;
	window->ring = ring_new(bytes);
	window->before = before;
	window->after = after;
	window->bytes = bytes;
	window->share = share;
	window->floor = window->ended = INT64_MIN;
	window->first = window->known = INT64_MAX;
	window->now = INT64_MIN;
	return window;
}

void window_free(struct window *window)
{
	if (!window)
		return;
	ring_free(window->ring);
	recall_close(window->recall);
	free(window->complaint);
	line_free(&window->line);
	free(window);
}

/* The recorder cannot be asked: from now on no window is complete. */
static void give_up(struct window *window)
{
	recall_close(window->recall);
	window->recall = NULL;
	window->known = INT64_MAX;
	window->complete = false;
	if (!window->complaint)
		window->complaint = memory_format("%s", fail_text());
	stream_mark_incomplete(window->stream);
}

void window_number_after(struct window *window, uint64_t id)
{
	if (id > window->last_id)
		window->last_id = id;
}

void window_recall(struct window *window, struct recall *recall, int64_t since)
{
	window->recall = recall;
	window->known = recall ? since : INT64_MAX;
	if (since < window->first)
		window->first = since;
	if (!recall)
		give_up(window);
}

const char *window_complaint(const struct window *window)
{
	return window->complaint;
}

/* Takes the oldest record from the ring without a window for it. */
static int drop_oldest(struct window *window)
{
	struct record record;
	int status = 0;

	ring_oldest(window->ring, &record);
	if (record.ts > window->floor)
		window->floor = record.ts;
	if (record.kind == KIND_LOST)
		status = stream_write_record(window->stream, &record);
	ring_drop(window->ring);
	return status;
}

static int drop_before(struct window *window, int64_t ts)
{
	while (!ring_is_empty(window->ring) && ring_oldest_time(window->ring) < ts)
		if (drop_oldest(window) < 0)
			return -1;
	return 0;
}

static int pass_record(struct window *window, const struct record *record, int64_t ts)
{
	if (record->kind == KIND_LOST)
		window->complete = false;
	if (record->kind == KIND_LOST || record->kind == KIND_EVENT) {
		window->passed += record->length;
		window->passed_to = ts;
	}
	return stream_write_record(window->stream, record);
}

static int pass_oldest(struct window *window)
{
	struct record record;
	int status;

	ring_oldest(window->ring, &record);
	status = pass_record(window, &record, ring_oldest_time(window->ring));
	ring_drop(window->ring);
	return status;
}

static bool is_limited(const struct window *window)
{
	return window->share < 1;
}

/* Drops the oldest events of the window at hand that are more than may pass. */
static int drop_surplus(struct window *window)
{
	size_t length = ring_length_until(window->ring, window->to);
	struct record record;

	while (!ring_is_empty(window->ring) && (double)length > window->allowed) {
		ring_oldest(window->ring, &record);
		length -= record.length;
		if (record.ts >= window->earliest)
			window->complete = false;
		if (drop_oldest(window) < 0)
			return -1;
	}
	window->allowed -= (double)length;
	return 0;
}

/* Passes what came in the stream and is in the window at hand. */
static int pass_streamed(struct window *window, int64_t to)
{
	while (!ring_is_empty(window->ring) && ring_oldest_time(window->ring) <= to)
		if (pass_oldest(window) < 0)
			return -1;
	return 0;
}

/* Passes what the recorder has kept, and between it what came in the stream. */
static int pass_recalled(struct window *window, int64_t to)
{
	int64_t from = window->from > window->known ? window->from : window->known, floor, ts;
	int status = recall_ask(window->recall, from, span_add(to, 1), &floor);
	struct record record;

	if (status == 0 && floor > window->floor)
		window->floor = floor;
	while (status == 0 && (status = recall_next(window->recall, &record, &ts)) > 0) {
		stream_count_aside(window->stream, &record);
		if (pass_streamed(window, ts) < 0 || pass_record(window, &record, ts) < 0)
			return -1;
		status = 0;
	}
	if (status < 0)
		give_up(window);
	else
		window->known = ts;
	return 0;
}

/* Passes what is in the window at hand as far as its end is known; `all` of it, or what is worth a question. */
static int pass(struct window *window, bool all)
{
	int64_t to = window->holds > 0 ? INT64_MAX : window->to, until = to < window->now ? to : window->now;

	if (window->recall && window->known <= until &&
	    (all || to < window->now || span_between(window->known, until) >= recall_every) &&
	    pass_recalled(window, until) < 0)
		return -1;
	return pass_streamed(window, to < window->known ? to : window->known - 1);
}

static int write_record(struct window *window)
{
	struct line *line = &window->line;
	char signals[64];

	snprintf(signals, sizeof(signals), "%llu-%llu", (unsigned long long)window->first_signal,
		 (unsigned long long)window->last_signal);
	line_begin(line, kind_name(KIND_WINDOW));
	line_unsigned(line, "id", ++window->last_id);
	line_time(line, "from", window->from);
	line_time(line, "to", window->to);
	line_text(line, "signals", signals);
	line_text(line, "complete", window->complete ? "yes" : "no");
	return stream_write_line(window->stream, line);
}

int window_close(struct window *window)
{
	int status = window->open && is_limited(window) ? drop_surplus(window) : 0;

	if (status == 0 && window->open)
		status = pass(window, true);
	if (status == 0 && window->open && window->first_signal)
		status = write_record(window);
	if (window->passed && window->passed_to > window->floor)
		window->floor = window->passed_to;
	window->ended = window->to;
	window->open = false;
	return status;
}

static int begin(struct window *window, int64_t from, int64_t to)
{
	window->open = true;
	window->complete = !window->complaint;
	window->from = from > window->ended ? from : window->ended;
	window->to = window->from;
	window->passed = 0;
	window->first_signal = window->last_signal = 0;
	window->earliest = INT64_MAX;
	if (drop_before(window, window->from) < 0)
		return -1;
	if (!window->recall || window->known > to)
		return 0;
	return pass_recalled(window, to < window->now ? to : window->now); /* now it is seen how far back it goes */
}

/* Makes the window at hand hold this interval, or another one if this one does not reach it. */
static int cover(struct window *window, int64_t start, int64_t end)
{
	int64_t from = span_add(start, -window->before), to = span_add(end, window->after);

	if (from < window->first)
		from = start < window->first ? start : window->first;
	if (window->open && window->holds == 0 && from > window->to && window_close(window) < 0)
		return -1;
	if (!window->open && begin(window, from, to) < 0)
		return -1;
	if (window->floor >= start)
		window->complete = false;
	else if (start < window->from)
		window->from = start;
	if (to > window->to)
		window->to = to;
	return 0;
}

int window_signal(struct window *window, uint64_t id, int64_t start, int64_t end)
{
	if (cover(window, start, end) < 0)
		return -1;
	if (!window->first_signal)
		window->first_signal = id;
	if (start < window->earliest)
		window->earliest = start;
	window->last_signal = id;
	return 0;
}

int window_hold(struct window *window, int64_t start, int64_t now)
{
	if (cover(window, start, now) < 0)
		return -1;
	window->holds++;
	return 0;
}

void window_release(struct window *window, int64_t now)
{
	/* What has been passed meanwhile is in the window. */
	if (window->open && now > window->to)
		window->to = now;
	window->holds--;
}

int window_push(struct window *window, const struct record *record, int64_t ts)
{
	if (ts < window->first)
		window->first = ts;
	if (ts > window->now)
		window->now = ts;
	window->allowed += window->share * (double)record->length;
	while (!ring_has_room(window->ring, record->length)) {
		if (ring_is_empty(window->ring)) {
			window->floor = ts > window->floor ? ts : window->floor;
			return record->kind == KIND_LOST ? stream_write_record(window->stream, record) : 0;
		}
		if (drop_oldest(window) < 0)
			return -1;
	}
	ring_push(window->ring, record, ts);
	return 0;
}

static bool is_full(const struct window *window)
{
	return is_limited(window) ? window->allowed >= WINDOW_SLICE : window->passed > WINDOW_CONTEXTS * window->bytes;
}

int window_advance(struct window *window, int64_t now)
{
	if (now > window->now)
		window->now = now;
	if (!window->open)
		return 0;
	if (!is_limited(window) && pass(window, false) < 0)
		return -1;
	if (!is_full(window) || !window->first_signal)
		return 0;
	/* Large enough. What is still open, or comes after it, is for the next one. */
	if (window->holds > 0 || now < window->to)
		window->to = now;
	return window_close(window);
}

bool window_is_over(const struct window *window, int64_t now, int64_t *until)
{
	*until = span_add(window->to, window->before);
	return window->open && window->holds == 0 && now > *until;
}

int window_forget(struct window *window, int64_t horizon)
{
	return window->open ? 0 : drop_before(window, span_add(horizon, -window->before));
}

int window_end(struct window *window)
{
	window->now = INT64_MAX;
	if (window->open && window_close(window) < 0)
		return -1;
	while (!ring_is_empty(window->ring))
		if (drop_oldest(window) < 0)
			return -1;
	recall_close(window->recall);
	window->recall = NULL;
	window->floor = window->ended = window->now = INT64_MIN;
	window->first = window->known = INT64_MAX;
	window->holds = 0;
	return 0;
}
