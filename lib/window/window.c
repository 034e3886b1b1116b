#include "window/window.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "stream/stream.h"

/* --- the budget, shared among windows; bytes by record_size() ---------------------------------------------------------------- */

enum { BUDGET_SLICE = 1 << 18 }; /* bytes that the slice of a window should have */

struct budget {
	uint64_t burst; /* bytes that may pass in any case */
	double share;	/* fraction of all bytes that may pass besides; 1: no bound */
	uint64_t room;	/* bytes of the ring in which events wait for a window */
	uint64_t passed; /* bytes that have passed */
};

enum { SLICES = 4 }; /* a slice is at most this part of the room, because entries of the ring have heads, too */

/* The bytes that may pass now, out of `all` so far. */
static uint64_t budget_left(const struct budget *budget, uint64_t all)
{
	double may = (double)budget->burst + budget->share * (double)all;

	if (budget->share >= 1)
		return UINT64_MAX;
	return may > (double)budget->passed ? (uint64_t)may - budget->passed : 0;
}

/* Tells whether a window may pass events as they come: the budget covers all that wait and `kept` more, and leaves a slice. */
static bool budget_affords(const struct budget *budget, uint64_t all, uint64_t kept)
{
	uint64_t left = budget_left(budget, all), most = budget->room + kept;

	return left >= most && left - most >= budget->room;
}

/* Tells whether a window that passes events as they come must stop. */
static bool budget_is_short(const struct budget *budget, uint64_t all)
{
	return budget_left(budget, all) < budget->room;
}

/*
 * The bytes before its worst signal that a window may pass otherwise: half of the budget left, and at most a quarter of the room. Newer
 * events must not push them out of the ring: budget_slice_is_due() tells whether to pass them now, `behind` bytes after the signal.
 */
static uint64_t budget_slice(const struct budget *budget, uint64_t all)
{
	uint64_t half = budget_left(budget, all) / 2, most = budget->room / SLICES;

	return half < most ? half : most;
}

static bool budget_slice_is_due(const struct budget *budget, uint64_t all, uint64_t behind)
{
	uint64_t slice = budget_slice(budget, all), most = budget->room / SLICES;
	uint64_t usual = most < BUDGET_SLICE ? most : BUDGET_SLICE;

	return slice >= usual / 4 && behind >= (slice >= usual ? slice : 2 * most);
}

/* --- the window -------------------------------------------------------------------------------------------------------------- */

/* Losses to remember for windows that open later. Beyond this number, the two oldest count as one. */
enum { LOSSES = 16 };

struct loss {
	int64_t from, to;
};

/* A window with REQUESTS_FULL requests is full. In an earlier filter's window, those beyond REQUESTS_MAX get no record: data are incomplete. */
enum { REQUESTS_FULL = 1024, REQUESTS_MAX = 1 << 16 };

struct logged {
	uint64_t id;
	int64_t start, end;
};

struct window {
	struct stream *stream;
	struct past *past;
	int64_t before, after; /* ns around a signal */
	struct budget budget;
	int64_t ended;	  /* `to` of the window before this one */
	int64_t advanced; /* the time that window_advance() set last */
	int64_t asked; /* when the recorder was last asked how much it has kept */
	struct loss losses[LOSSES]; /* the newest last */
	int loss_count;
	struct line line;
	uint64_t last_id;
	bool expects; /* the input has windows of an earlier filter */
	bool all;     /* events pass as they come */
	bool alone;   /* windows wait for no other signals */
	/* the open window */
	bool open;
	bool complete;
	bool waits; /* nothing passes before its end */
	int holds; /* may be above zero without an open window: a window that grows too large is closed */
	int64_t from, to;
	int64_t earliest, latest; /* first start and last end of its signals and requests */
	int64_t worst_end; /* end of the worst signal */
	double badness;	   /* of the worst signal */
	uint64_t worst_bytes; /* bytes of all events when the worst signal came, or when the window opened */
	struct passage passage;
	uint64_t first_signal, last_signal;
	/* of the open window; of an input that was filtered before: since its last window */
	ARRAY(struct logged) requests;
};

struct window *window_new(struct stream *stream, struct past *past, const struct window_size *size)
{
	struct window *window = NEW(struct window);

	window->stream = stream;
	window->past = past;
	window->before = size->before;
	window->after = size->after;
	window->all = size->all;
	window->alone = size->alone;
	window->budget = (struct budget){.burst = size->burst, .share = size->share, .room = size->bytes};
	window->ended = window->advanced = window->asked = INT64_MIN;
	return window;
}

void window_free(struct window *window)
{
	if (!window)
		return;
	free(window->requests.items);
	line_free(&window->line);
	free(window);
}

void window_expect(struct window *window, uint64_t id)
{
	window->expects = true;
	if (id > window->last_id)
		window->last_id = id;
}

/* The time of the stream's newest event, or a later time that window_advance() set. */
static int64_t newest(const struct window *window)
{
	int64_t pushed = past_times(window->past)->newest;

	return pushed > window->advanced ? pushed : window->advanced;
}

/* Tells whether the budget covers all events since this time, and leaves enough for other windows. */
static bool affords(const struct window *window, int64_t from)
{
	return budget_affords(&window->budget, past_bytes(window->past), past_kept_from(window->past, from));
}

static void account(struct window *window, uint64_t before)
{
	window->budget.passed += window->passage.bytes - before;
	if (window->passage.lossy)
		window->complete = false;
}

static int pass(struct window *window, int64_t from, int64_t to, bool ask)
{
	uint64_t before = window->passage.bytes;
	int status = past_pass(window->past, from, to, ask, &window->passage);

	account(window, before);
	return status;
}

/* Tells whether the open window has a signal or a request, not only suspects. */
static bool is_sure(const struct window *window)
{
	return window->first_signal || (window->requests.count > 0 && !window->expects);
}

/* Tells whether the window has only suspects so far, and has passed nothing. */
static bool is_doubtful(const struct window *window)
{
	return window->open && !is_sure(window) && !window->passage.bytes;
}

/* The bytes that came since window->worst_bytes. Both counts are estimates, which a smaller mean size of the events may lower. */
static uint64_t bytes_since(const struct window *window, uint64_t all)
{
	return all > window->worst_bytes ? all - window->worst_bytes : 0;
}

/* Passes the open window's events up to now, or up to its end. A window of suspects passes none until they fill half of the room. */
static int pass_on(struct window *window)
{
	int64_t now = newest(window), to = window->holds > 0 ? INT64_MAX : window->to;

	if (is_doubtful(window) && bytes_since(window, past_bytes(window->past)) < window->budget.room / 2)
		return 0;
	return pass(window, window->from, to < now ? to : now, to < now);
}

/* Passes a slice of events before the end of the worst signal, and a few after it if they take only a small part of the slice. */
static int pass_slice(struct window *window)
{
	int64_t to = timestamp_add(window->worst_end, window->after);
	uint64_t slice = budget_slice(&window->budget, past_bytes(window->past));

	if (to > window->to)
		to = window->to;
	if (past_reach(window->past, to, slice / 4) > window->worst_end)
		to = window->worst_end;
	if (past_pass_newest(window->past, window->from, to, slice, &window->passage) < 0)
		return -1;
	account(window, 0);
	if (past_times(window->past)->floor >= window->earliest || to < window->latest)
		window->complete = false;
	if (to == window->to)
		return 0;
	past_settle(window->past, window->to);
	return past_drop(window->past, timestamp_add(window->to, 1));
}

static int write_window(struct window *window)
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
	if (window->all)
		line_text(line, "passed", "all");
	return stream_write_line(window->stream, line);
}

/* Writes the `window` records of the requests, cut to these times. */
static int write_requests(struct window *window, int64_t from, int64_t to, bool complete)
{
	struct line *line = &window->line;
	int status = 0;

	for (size_t i = 0; i < window->requests.count && status == 0; i++) {
		const struct logged *request = &window->requests.items[i];
		int64_t first = timestamp_add(request->start, -window->before), last = timestamp_add(request->end, window->after);

		line_begin(line, kind_name(KIND_WINDOW));
		line_unsigned(line, "id", ++window->last_id);
		line_time(line, "from", first > from ? first : from);
		line_time(line, "to", last < to ? last : to);
		line_unsigned(line, "request", request->id);
		line_text(line, "complete", complete && request->start >= from && request->end <= to ? "yes" : "no");
		status = stream_write_line(window->stream, line);
	}
	window->requests.count = 0;
	return status;
}

int window_close(struct window *window)
{
	int64_t now = newest(window), to = window->holds > 0 || window->to > now ? now : window->to;
	int status = 0;

	if (is_doubtful(window)) {
		window->open = false;
		return 0;
	}
	if (window->open)
		status = window->waits ? pass_slice(window) : pass(window, window->from, to, true);
	if (status == 0 && window->open && window->first_signal)
		status = write_window(window);
	if (status == 0 && window->open && !window->expects)
		status = write_requests(window, window->from, to, window->complete);
	if (window->passage.bytes)
		past_settle(window->past, window->passage.newest);
	window->ended = window->to;
	window->open = false;
	return status;
}

/* Begins a window. Whether it is for a signal or for a suspect is not known yet. */
static int begin(struct window *window, int64_t from, int64_t to)
{
	window->open = true;
	window->complete = true;
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

/* The window has its first signal or request: its beginning is known now. */
static int begin_passing(struct window *window, int64_t to)
{
	window->waits = !affords(window, window->from);
	window->worst_bytes = past_bytes(window->past);
	if (window->waits || !past_is_kept(window->past, to))
		return 0;
	return pass(window, window->from, to < newest(window) ? to : newest(window), true);
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
	int64_t from = timestamp_add(start, -window->before), to = timestamp_add(end, window->after);
	int64_t first = past_times(window->past)->first;

	if (from < first)
		from = start < first ? start : first;
	if (window->open && window->holds == 0 && (from > window->to || (!window->waits && !affords(window, window->to))) &&
	    window_close(window) < 0)
		return -1;
	if (!window->open && begin(window, from, to) < 0)
		return -1;
	if (past_times(window->past)->floor >= start)
		window->complete = false;
	else if (start < window->from)
		window->from = start;
	if (to > window->to)
		window->to = to;
	see_losses(window);
	return 0;
}

/* Adds an interval of a signal or a request to the open window. */
static int see_sure(struct window *window, int64_t start, int64_t end, double badness)
{
	if (is_doubtful(window) && begin_passing(window, timestamp_add(end, window->after)) < 0)
		return -1;
	if (start < window->earliest)
		window->earliest = start;
	if (end > window->latest)
		window->latest = end;
	if (badness > window->badness) {
		window->badness = badness;
		window->worst_end = end;
		window->worst_bytes = past_bytes(window->past);
	}
	return 0;
}

int window_signal(struct window *window, uint64_t id, int64_t start, int64_t end, double badness)
{
	if (cover(window, start, end) < 0)
		return -1;
	if (see_sure(window, start, end, badness) < 0)
		return -1;
	if (!window->first_signal)
		window->first_signal = id;
	window->last_signal = id;
	return 0;
}

static void add_request(struct window *window, uint64_t request, int64_t start, int64_t end)
{
	if (window->requests.count < REQUESTS_MAX)
		*ARRAY_ADD(&window->requests) = (struct logged){request, start, end};
	else
		stream_mark_incomplete(window->stream);
}

int window_request(struct window *window, uint64_t request, int64_t start, int64_t end)
{
	bool own = window->open && !window->expects && window->holds == 0, fired = own && window->first_signal;
	int64_t from = start;

	if (fired && start >= window->from && end <= window->to) { /* cover() would widen the window by `after` */
		add_request(window, request, start, end);
		return 0;
	}
	/* a firing's window does not end later for a request: its blame is to be known soon, even if requests never cease */
	if (own && (start > window->to || (fired && end > window->to)) && window_close(window) < 0)
		return -1;
	if (start <= window->ended && end > window->ended)
		from = window->ended + 1; /* earlier events have passed already; so other requests of this window lack nothing */
	if (!window->expects && (cover(window, from, end) < 0 || see_sure(window, from, end, 0) < 0))
		return -1;
	add_request(window, request, start, end);
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

void window_lost(struct window *window, int64_t from, int64_t to)
{
	add_loss(window, from, to);
	see_losses(window);
}

/* Tells whether a window that passes events as they come must stop, because the budget is short or the window is too large. */
static bool is_spent(const struct window *window, uint64_t all)
{
	return budget_is_short(&window->budget, all) || window->passage.bytes > WINDOW_CONTEXTS * window->budget.room;
}

/*
 * Tells whether to close the open window early. If it waits, that is when its slice is due: the slice lies before its worst signal, and newer
 * events must not push it out of the ring.
 */
static bool is_full(const struct window *window)
{
	uint64_t all, behind;

	if (!is_sure(window))
		return false;
	if (window->requests.count >= REQUESTS_FULL && !window->expects)
		return true;
	all = past_bytes(window->past);
	behind = bytes_since(window, all);
	if (!window->waits)
		return is_spent(window, all);
	return newest(window) > timestamp_add(window->worst_end, window->after) &&
	       budget_slice_is_due(&window->budget, all, behind);
}

bool window_is_spent(const struct window *window)
{
	return window->open && window->holds > 0 && !window->waits && is_spent(window, past_bytes(window->past));
}

/* A window that waits asks how much the recorder has kept, for the budget. */
static int wait_on(struct window *window)
{
	int64_t now = newest(window);

	if (!past_is_kept(window->past, now) || timestamp_between(window->asked, now) < PAST_ASK_EVERY)
		return 0;
	window->asked = now;
	return past_ask_bytes(window->past);
}

int window_advance(struct window *window, int64_t now)
{
	if (now > window->advanced)
		window->advanced = now;
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
	int64_t end = window->alone ? window->to : timestamp_add(window->to, window->before);

	*until = window->alone ? INT64_MIN : end;
	return window->open && window->holds == 0 && now > end;
}

int window_forget(struct window *window, int64_t horizon)
{
	int64_t before = timestamp_add(horizon, -window->before);

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
	window->advanced = INT64_MAX;
	if (window->open && window_close(window) < 0)
		return -1;
	window->ended = window->advanced = window->asked = INT64_MIN;
	window->loss_count = 0;
	window->requests.count = 0;
	window->holds = 0;
	window->expects = false;
	return 0;
}

/* An earlier filter's window, as its record says. */
struct adopted {
	int64_t from, to;
	uint64_t first_signal, last_signal; /* 0: the record names none */
};

/* If the open window's signals are all of the adopted one, the stream has that window, and the open one ends without a record. */
static void disown(struct window *window, const struct adopted *adopted)
{
	if (window->open && window->first_signal && window->first_signal >= adopted->first_signal &&
	    window->last_signal <= adopted->last_signal)
		window->open = false;
}

static int read_adopted(struct adopted *adopted, const struct fields *fields)
{
	char signals[64], *dash;

	if (fields_time(fields, "from", &adopted->from) < 0 || fields_time(fields, "to", &adopted->to) < 0)
		return -1;
	if (fields_text(fields, "signals", signals, sizeof(signals)) <= 0)
		return 0;
	adopted->first_signal = strtoull(signals, &dash, 10);
	adopted->last_signal = *dash == '-' ? strtoull(dash + 1, NULL, 10) : 0;
	return 0;
}

int window_adopt(struct window *window, const struct record *record, const struct fields *fields)
{
	struct adopted adopted = {.from = INT64_MAX, .to = INT64_MIN};
	struct passage passage = {0};
	bool whole;

	window->expects = true;
	if (read_adopted(&adopted, fields) < 0)
		return stream_fail(window->stream, "%s", fail_text());
	disown(window, &adopted);
	if (past_pass(window->past, adopted.from, adopted.to, false, &passage) < 0)
		return -1;
	if (passage.bytes)
		past_settle(window->past, passage.newest);
	whole = passage.left_out < adopted.from;
	line_copy(&window->line, fields, "complete", "no");
	if ((whole ? stream_write_record(window->stream, record) : stream_write_line(window->stream, &window->line)) < 0)
		return -1;
	return write_requests(window, adopted.from, adopted.to, whole);
}
