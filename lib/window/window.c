#include "window/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "chart/span.h"
#include "window/budget.h"
#include "window/past.h"

/* An open window asks the recorder this often, before the kernel overwrites its context. */
static const int64_t ask_every = NSEC_PER_SEC / 10;

/* Losses to remember for windows that open later. Beyond this number, the two oldest count as one. */
enum { LOSSES = 16 };

struct loss {
	int64_t from, to;
};

struct window {
	struct stream *stream;
	struct past *past;
	int64_t before, after; /* ns around a signal */
	struct budget budget;
	int64_t ended;	  /* `to` of the window before this one */
	int64_t first;	  /* time of the first event of the stream */
	int64_t now;
	int64_t asked; /* when the recorder was last asked how much it has kept */
	struct loss losses[LOSSES]; /* the newest last */
	int loss_count;
	struct line line;
	uint64_t last_id;
	bool expects; /* the input has windows of an earlier filter */
	/* the open window */
	bool open;
	bool complete;
	bool waits; /* nothing passes before its end */
	int holds; /* may be above zero without an open window: a window that grows too large is closed */
	int64_t from, to;
	int64_t earliest, latest; /* start and end of its signals */
	int64_t worst_end; /* end of the worst signal */
	double badness;	   /* of the worst signal */
	uint64_t worst_bytes; /* bytes of all events when the worst signal came, or when the window opened */
	struct passage passage;
	uint64_t first_signal, last_signal;
};

struct window *window_new(struct stream *stream, struct thread_records *threads, const struct window_size *size)
{
	struct window *window = NEW(struct window);

	window->stream = stream;
	window->past = past_new(stream, threads, size->bytes);
	window->before = size->before;
	window->after = size->after;
	window->budget = (struct budget){.burst = size->burst, .share = size->share, .room = size->bytes};
	window->ended = window->now = window->asked = INT64_MIN;
	window->first = INT64_MAX;
	return window;
}

void window_free(struct window *window)
{
	if (!window)
		return;
	past_free(window->past);
	line_free(&window->line);
	free(window);
}

void window_expect(struct window *window, uint64_t id)
{
	window->expects = true;
	if (id > window->last_id)
		window->last_id = id;
}

int window_adopt(struct window *window, int64_t from, int64_t to)
{
	struct passage passage = {0};

	window->expects = true;
	if (past_pass(window->past, from, to, false, &passage) < 0)
		return -1;
	if (passage.bytes)
		past_raise_floor(window->past, passage.newest);
	return past_known(window->past)->left_out < from;
}

void window_recall(struct window *window, struct recall *recall, int64_t since)
{
	if (since < window->first)
		window->first = since;
	past_recall(window->past, recall, since);
	if (!recall)
		window->complete = false;
}

const char *window_complaint(const struct window *window)
{
	return past_known(window->past)->complaint;
}

/* Tells whether the budget covers all events since this time, and leaves enough for other windows. */
static bool affords(const struct window *window, int64_t from)
{
	return budget_affords(&window->budget, past_bytes(window->past), past_kept_from(window->past, from));
}

static void account(struct window *window, uint64_t before)
{
	window->budget.passed += window->passage.bytes - before;
	if (window->passage.lossy || past_known(window->past)->complaint)
		window->complete = false;
}

static int pass(struct window *window, int64_t from, int64_t to, bool ask)
{
	uint64_t before = window->passage.bytes;
	int status = past_pass(window->past, from, to, ask, &window->passage);

	account(window, before);
	return status;
}

/* Tells whether there are only suspects so far, of which nothing passed. */
static bool is_doubtful(const struct window *window)
{
	return window->open && !window->first_signal && !window->passage.bytes;
}

/* Passes the open window's events up to now, or up to its end, if the recorder is due to be asked. */
static int pass_on(struct window *window)
{
	int64_t to = window->holds > 0 ? INT64_MAX : window->to, until = to < window->now ? to : window->now;
	bool ask;

	if (is_doubtful(window) && past_bytes(window->past) - window->worst_bytes < window->budget.room / 2)
		return 0;
	ask = to < window->now || span_between(past_known(window->past)->told, until) >= ask_every;

	return pass(window, window->from, until, ask);
}

/* Passes a slice of events before the end of the worst signal, and a few after it if they take only a small part of the slice. */
static int pass_slice(struct window *window)
{
	int64_t to = span_add(window->worst_end, window->after);
	uint64_t slice = budget_slice(&window->budget, past_bytes(window->past));

	if (to > window->to)
		to = window->to;
	if (past_reach(window->past, to, slice / 4) > window->worst_end)
		to = window->worst_end;
	if (past_pass_newest(window->past, window->from, to, slice, &window->passage) < 0)
		return -1;
	account(window, 0);
	if (past_known(window->past)->floor >= window->earliest || to < window->latest)
		window->complete = false;
	if (to == window->to)
		return 0;
	past_raise_floor(window->past, window->to);
	return past_drop(window->past, span_add(window->to, 1));
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
	int64_t to = window->holds > 0 || window->to > window->now ? window->now : window->to;
	int status = 0;

	if (is_doubtful(window)) {
		window->open = false;
		return 0;
	}
	if (window->open)
		status = window->waits ? pass_slice(window) : pass(window, window->from, to, true);
	if (status == 0 && window->open && window->first_signal)
		status = write_record(window);
	if (window->passage.bytes)
		past_raise_floor(window->past, window->passage.newest);
	window->ended = window->to;
	window->open = false;
	return status;
}

/* Whether a window opens for a signal or a suspect is not known yet. */
static int begin(struct window *window, int64_t from, int64_t to)
{
	window->open = true;
	window->complete = !past_known(window->past)->complaint;
	window->from = from > window->ended ? from : window->ended;
	window->to = window->from;
	window->passage = (struct passage){0};
	window->first_signal = window->last_signal = 0;
	window->earliest = window->worst_end = INT64_MAX;
	window->latest = INT64_MIN;
	window->badness = -1;
	if (past_is_kept(window->past, to) && past_ask_bytes(window->past) < 0)
		return -1;
	window->worst_bytes = past_bytes(window->past);
	window->waits = !affords(window, window->from);
	return window->expects ? 0 : past_drop(window->past, window->from);
}

/* The window's first signal: its beginning is known now. */
static int begin_passing(struct window *window, int64_t to)
{
	window->waits = !affords(window, window->from);
	window->worst_bytes = past_bytes(window->past);
	if (window->waits || !past_is_kept(window->past, to))
		return 0;
	return pass(window, window->from, to < window->now ? to : window->now, true);
}

/* A loss may be reported after the window opens, or the window open after the loss. */
static void see_losses(struct window *window)
{
	for (int i = 0; i < window->loss_count && window->open; i++) {
		const struct loss *loss = &window->losses[i];

		if ((loss->from <= window->to || window->holds > 0) && loss->to >= window->from)
			window->complete = false;
	}
}

/* Extends the open window to this interval, or opens another window if they do not touch. */
static int cover(struct window *window, int64_t start, int64_t end)
{
	int64_t from = span_add(start, -window->before), to = span_add(end, window->after);

	if (from < window->first)
		from = start < window->first ? start : window->first;
	if (window->open && window->holds == 0 && (from > window->to || (!window->waits && !affords(window, window->to))) &&
	    window_close(window) < 0)
		return -1;
	if (!window->open && begin(window, from, to) < 0)
		return -1;
	if (past_known(window->past)->floor >= start)
		window->complete = false;
	else if (start < window->from)
		window->from = start;
	if (to > window->to)
		window->to = to;
	see_losses(window);
	return 0;
}

int window_signal(struct window *window, uint64_t id, int64_t start, int64_t end, double badness)
{
	if (cover(window, start, end) < 0)
		return -1;
	if (!window->first_signal && is_doubtful(window) && begin_passing(window, span_add(end, window->after)) < 0)
		return -1;
	if (!window->first_signal)
		window->first_signal = id;
	if (start < window->earliest)
		window->earliest = start;
	if (end > window->latest)
		window->latest = end;
	if (badness > window->badness) {
		window->badness = badness;
		window->worst_end = end;
		window->worst_bytes = past_bytes(window->past);
	}
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
	/* Events passed meanwhile are in the window. */
	if (window->open && now > window->to)
		window->to = now;
	window->holds--;
}

int window_push(struct window *window, const struct record *record, int64_t ts)
{
	if (record_is_of_events(record) && ts < window->first)
		window->first = ts;
	if (ts > window->now)
		window->now = ts;
	return past_push(window->past, record, ts);
}

/* Merges a loss into the newest one if they touch. */
static void add_loss(struct window *window, int64_t from, int64_t to)
{
	struct loss *newest = window->loss_count > 0 ? &window->losses[window->loss_count - 1] : NULL;

	if (newest && from <= newest->to) {
		newest->from = from < newest->from ? from : newest->from;
		newest->to = to > newest->to ? to : newest->to;
		return;
	}
	if (window->loss_count == LOSSES) {
		window->losses[1].from = window->losses[0].from;
		memmove(window->losses, window->losses + 1, sizeof(window->losses) - sizeof(*window->losses));
		window->loss_count--;
	}
	window->losses[window->loss_count++] = (struct loss){from, to};
}

int window_lost(struct window *window, const struct record *record, int64_t from, int64_t ts)
{
	add_loss(window, from, ts);
	see_losses(window);
	return window_push(window, record, ts);
}

/*
 * Tells whether to close the open window early. For a window that waits: its slice lies before its worst signal, and newer events must
 * not push it out of the ring.
 */
static bool is_full(const struct window *window)
{
	uint64_t all, behind;

	if (!window->first_signal)
		return false;
	all = past_bytes(window->past);
	behind = all > window->worst_bytes ? all - window->worst_bytes : 0; /* estimates */
	if (!window->waits)
		return budget_is_short(&window->budget, all) || window->passage.bytes > WINDOW_CONTEXTS * window->budget.room;
	return window->now > span_add(window->worst_end, window->after) &&
	       budget_slice_is_due(&window->budget, all, behind);
}

/* A window that waits asks how much the recorder has kept, for the budget. */
static int wait_on(struct window *window)
{
	if (!past_is_kept(window->past, window->now) || span_between(window->asked, window->now) < ask_every)
		return 0;
	window->asked = window->now;
	return past_ask_bytes(window->past);
}

int window_advance(struct window *window, int64_t now)
{
	if (now > window->now)
		window->now = now;
	if (!window->open)
		return 0;
	if ((window->waits ? wait_on(window) : pass_on(window)) < 0)
		return -1;
	if (!is_full(window))
		return 0;
	/* Intervals that are still open, or come later, go to the next window. */
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
	int64_t before = span_add(horizon, -window->before);

	if (window->expects || (window->open && !is_doubtful(window)))
		return 0;
	if (window->open && before > window->from) {
		window->from = before;
		window->worst_bytes = past_bytes(window->past);
	}
	return past_drop(window->past, before);
}

int window_end(struct window *window)
{
	window->now = INT64_MAX;
	if ((window->open && window_close(window) < 0) || past_end(window->past) < 0)
		return -1;
	window->ended = window->now = window->asked = INT64_MIN;
	window->first = INT64_MAX;
	window->loss_count = 0;
	window->holds = 0;
	window->expects = false;
	return 0;
}
