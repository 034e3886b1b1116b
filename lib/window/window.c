#include "window/window.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "chart/span.h"
#include "window/ring.h"

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
	window->first = INT64_MAX;
	return window;
}

void window_free(struct window *window)
{
	if (!window)
		return;
	ring_free(window->ring);
	line_free(&window->line);
	free(window);
}

void window_number_after(struct window *window, uint64_t id)
{
	if (id > window->last_id)
		window->last_id = id;
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

static int pass_oldest(struct window *window)
{
	struct record record;
	int status;

	ring_oldest(window->ring, &record);
	if (record.kind == KIND_LOST)
		window->complete = false;
	window->passed += record.length;
	window->passed_to = record.ts;
	status = stream_write_record(window->stream, &record);
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

/* Passes what is in the window at hand as far as its end is known. */
static int pass(struct window *window)
{
	int64_t to = window->holds > 0 ? INT64_MAX : window->to;

	while (!ring_is_empty(window->ring) && ring_oldest_time(window->ring) <= to)
		if (pass_oldest(window) < 0)
			return -1;
	return 0;
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
		status = pass(window);
	if (status == 0 && window->open && window->first_signal)
		status = write_record(window);
	if (window->passed && window->passed_to > window->floor)
		window->floor = window->passed_to;
	window->ended = window->to;
	window->open = false;
	return status;
}

static int begin(struct window *window, int64_t from)
{
	window->open = true;
	window->complete = true;
	window->from = from > window->ended ? from : window->ended;
	window->to = window->from;
	window->passed = 0;
	window->first_signal = window->last_signal = 0;
	window->earliest = INT64_MAX;
	return drop_before(window, window->from);
}

/* Makes the window at hand hold this interval, or another one if this one does not reach it. */
static int cover(struct window *window, int64_t start, int64_t end)
{
	int64_t from = span_add(start, -window->before), to = span_add(end, window->after);

	if (from < window->first)
		from = start < window->first ? start : window->first;
	if (window->open && window->holds == 0 && from > window->to && window_close(window) < 0)
		return -1;
	if (!window->open && begin(window, from) < 0)
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
	return is_limited(window) ? window->allowed >= WINDOW_SLICE : window->passed > window->bytes;
}

int window_advance(struct window *window, int64_t now)
{
	if (!window->open)
		return 0;
	if (!is_limited(window) && pass(window) < 0)
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
	if (window->open && window_close(window) < 0)
		return -1;
	while (!ring_is_empty(window->ring))
		if (drop_oldest(window) < 0)
			return -1;
	window->floor = window->ended = INT64_MIN;
	window->first = INT64_MAX;
	window->holds = 0;
	return 0;
}
