#include "window/window.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "chart/span.h"
#include "stream/stream.h"
#include "window/budget.h"
#include "window/recall.h"
#include "window/ring.h"
#include "window/thread_records.h"

/*
 * past: past events in the order of time. Events of the stream wait in a ring; a recorder may keep others in the kernel
 * (window/recall.h). Each event is passed or dropped, once.
 *
 * `lost` records wait with the events and are always passed, at their place in time.
 * Functions return 0; -1 after fail() if the output cannot be written.
 */

/* The events passed by a call. */
struct passage {
	uint64_t bytes;	 /* of events, by record_size() */
	int64_t newest;	 /* time of the newest event */
	bool lossy;	 /* events were lost among them */
};

/* A ring needs up to this many times the bytes of its events: an entry's head may be as large as the event. */
enum { SLICE_ROOM = 2 };

/*
 * Events may come this many times more slowly than before; over a short time, still more slowly. So the recorder is asked for a least
 * number of bytes, which take a few milliseconds to read.
 */
enum { REACH = 3, REACH_LEAST = 1 << 18 };

struct past {
	struct stream *stream;
	struct thread_records *threads;
	struct ring *ring;
	struct ring *ahead; /* titles that hold from a time on that the stream has not reached */
	int64_t ahead_newest; /* time of the newest of them */
	int64_t first, now; /* times of the first and the newest event in the stream */
	uint64_t pushed_events, pushed; /* pushed: bytes */
	struct recall *recall; /* NULL: all events are in the stream */
	uint64_t kept_events;  /* events that the recorder kept so far */
	uint64_t recalled_events, recalled_bytes;
	int64_t marked;	     /* time of the last count of bytes */
	uint64_t marked_bytes; /* that count */
	double rate;	     /* bytes a nanosecond before that */
	struct ring *slice; /* the newest events to pass, while past_pass_newest() runs; else NULL */
	uint64_t limit, held; /* bytes that the slice may hold, and holds */
	/* how much of the past is known */
	int64_t told;	  /* all events before this time came from the stream or the recorder; INT64_MAX: no recorder */
	int64_t floor;	  /* time of the newest event that was dropped, or that the kernel overwrote; INT64_MIN: none */
	int64_t left_out; /* time of the stream's newest event that was not passed; INT64_MIN: none */
	char *complaint;  /* why the recorder failed, after which no window is complete; NULL: it did not, or there was none */
};

/*
 * Keeps `bytes` of the stream's events; newer ones push out the oldest. `threads` must outlive it; it gets `task` and `file` records
 * in the order of time.
 */
static struct past *past_new(struct stream *stream, struct thread_records *threads, uint64_t bytes)
{
	struct past *past = NEW(struct past);

	past->stream = stream;
	past->threads = threads;
	past->ring = ring_new(bytes);
	past->ahead = ring_new(RING_LEAST);
	past->first = past->told = INT64_MAX;
	past->now = past->ahead_newest = past->floor = past->left_out = past->marked = INT64_MIN;
	return past;
}

static void past_free(struct past *past)
{
	if (!past)
		return;
	ring_free(past->ring);
	ring_free(past->ahead);
	recall_close(past->recall);
	free(past->complaint);
	free(past);
}

/* The recorder failed: from now on no window is complete. */
static void give_up(struct past *past)
{
	recall_close(past->recall);
	past->recall = NULL;
	past->told = INT64_MAX;
	if (!past->complaint)
		past->complaint = memory_format("%s", fail_text());
	stream_mark_incomplete(past->stream);
}

/* From `since` on, the recorder keeps events that the stream lacks. Owns the recall; NULL: the recorder cannot be asked. */
static void past_recall(struct past *past, struct recall *recall, int64_t since)
{
	past->recall = recall;
	past->told = recall ? since : INT64_MAX;
	if (since < past->first)
		past->first = since;
	if (!recall)
		give_up(past);
}

/* Tells whether a recorder still keeps events from before this time. */
static bool past_is_kept(const struct past *past, int64_t ts)
{
	return past->recall && past->told <= ts;
}

/* Events up to this time were passed, or given up. */
static void past_raise_floor(struct past *past, int64_t ts)
{
	if (ts > past->floor)
		past->floor = ts;
}

/* Damage may have hidden new names of threads: forget the old ones. */
static int write_lost(struct past *past, const struct record *record)
{
	if (record_tells_damage(record))
		thread_records_forget(past->threads);
	return stream_write_record(past->stream, record);
}

/* Drops a record, except that `lost` records pass. */
static int drop(struct past *past, const struct record *record, int64_t ts)
{
	past_raise_floor(past, ts);
	if (record->kind == KIND_EVENT && ts > past->left_out)
		past->left_out = ts;
	if (thread_records_takes(record))
		return thread_records_learn(past->threads, record);
	return record->kind == KIND_LOST ? write_lost(past, record) : 0;
}

static int drop_oldest(struct past *past, struct ring *ring)
{
	struct record record;
	int status;

	ring_oldest(ring, &record);
	status = drop(past, &record, record.ts);
	ring_drop(ring);
	return status;
}

/* The ring that has the oldest record, if any has one. */
static struct ring *oldest_ring(const struct past *past)
{
	if (ring_is_empty(past->ahead))
		return past->ring;
	return ring_is_empty(past->ring) || ring_oldest_time(past->ahead) <= ring_oldest_time(past->ring) ? past->ahead : past->ring;
}

/* Drops the stream's events from before this time. */
static int past_drop(struct past *past, int64_t before)
{
	struct ring *ring;

	while (!ring_is_empty(ring = oldest_ring(past)) && ring_oldest_time(ring) < before)
		if (drop_oldest(past, ring) < 0)
			return -1;
	return 0;
}

/*
 * A title is read from /proc, at a time that the stream's events reach only later: it waits for them. If there is no room, the oldest holds
 * at once.
 */
static int push_ahead(struct past *past, const struct record *record, int64_t ts)
{
	struct record oldest;

	if (ts < past->ahead_newest)
		ts = past->ahead_newest;
	past->ahead_newest = ts;
	while (!ring_has_room(past->ahead, record->length)) {
		if (ring_is_empty(past->ahead))
			return thread_records_learn(past->threads, record);
		ring_oldest(past->ahead, &oldest);
		if (thread_records_learn(past->threads, &oldest) < 0)
			return -1;
		ring_drop(past->ahead);
	}
	ring_push(past->ahead, record, ts);
	return 0;
}

/* Adds an `event` or `lost` record with its time, or another record that must stay between the events around it. */
static int past_push(struct past *past, const struct record *record, int64_t ts)
{
	if (past->recall && thread_records_takes(record)) {
		bool title;
		int64_t own = thread_records_time(past->threads, record, &title);

		if (own > ts && title)
			return push_ahead(past, record, own);
		ts = own > ts ? own : ts; /* most events stay with the recorder: the stream's newest may be long ago */
	}
	if (record_is_of_events(record)) {
		if (ts < past->first)
			past->first = ts;
		if (ts > past->now)
			past->now = ts;
		past->pushed_events++;
		past->pushed += record_size(record);
	}
	while (!ring_has_room(past->ring, record->length)) {
		if (ring_is_empty(past->ring))
			return drop(past, record, ts);
		if (drop_oldest(past, past->ring) < 0)
			return -1;
	}
	ring_push(past->ring, record, ts);
	return 0;
}

/* Drops the oldest event of the slice. */
static int trim(struct past *past)
{
	struct record record;

	ring_oldest(past->slice, &record);
	if (record_is_of_events(&record))
		past->held -= record_size(&record);
	if (drop(past, &record, record.ts) < 0)
		return -1;
	ring_drop(past->slice);
	return 0;
}

/* Writes a record, after the waiting `task` and `file` records of the threads that it names. */
static int write_record(struct past *past, const struct record *record)
{
	if (thread_records_takes(record))
		return thread_records_learn(past->threads, record);
	if (record->kind == KIND_EVENT && thread_records_tell(past->threads, record) < 0)
		return -1;
	return record->kind == KIND_LOST ? write_lost(past, record) : stream_write_record(past->stream, record);
}

static int hold(struct past *past, const struct record *record, int64_t ts)
{
	size_t size = record_is_of_events(record) ? record_size(record) : 0;

	while (!ring_is_empty(past->slice) && (past->held + size > past->limit || !ring_has_room(past->slice, record->length)))
		if (trim(past) < 0)
			return -1;
	if (!ring_has_room(past->slice, record->length))
		return write_record(past, record);
	ring_push(past->slice, record, ts);
	past->held += size;
	return 0;
}

static int pass_record(struct past *past, const struct record *record, int64_t ts, struct passage *passage)
{
	if (past->slice && (record_is_of_events(record) || thread_records_takes(record)))
		return hold(past, record, ts);
	if (record->kind == KIND_LOST)
		passage->lossy = true;
	if (record_is_of_events(record)) {
		passage->bytes += record_size(record);
		passage->newest = ts;
	}
	return write_record(past, record);
}

static int pass_streamed(struct past *past, int64_t to, struct passage *passage)
{
	struct record record;
	struct ring *ring;

	while (!ring_is_empty(ring = oldest_ring(past)) && ring_oldest_time(ring) <= to) {
		ring_oldest(ring, &record);
		if (pass_record(past, &record, ring_oldest_time(ring), passage) < 0)
			return -1;
		ring_drop(ring);
	}
	return 0;
}

/* Passes the recorder's events, and the stream's among them in the order of time. */
static int pass_recalled(struct past *past, int64_t from, int64_t to, struct passage *passage)
{
	int64_t floor, ts;
	int status = recall_ask(past->recall, from > past->told ? from : past->told, span_add(to, 1), &floor);
	struct record record;

	if (status == 0)
		past_raise_floor(past, floor);
	while (status == 0 && (status = recall_next(past->recall, &record, &ts)) > 0) {
		past->recalled_events += record.kind == KIND_EVENT;
		past->recalled_bytes += record.kind == KIND_EVENT ? record_size(&record) : 0;
		stream_count_aside(past->stream, &record);
		if (pass_streamed(past, ts, passage) < 0 || pass_record(past, &record, ts, passage) < 0)
			return -1;
		status = 0;
	}
	if (status < 0) {
		give_up(past);
		return 0;
	}
	past->told = ts;
	past->kept_events = recall_kept(past->recall);
	return 0;
}

/* Passes the stream's events up to and including `to`; if `ask`, with the recorder's events from `from` on among them. */
static int past_pass(struct past *past, int64_t from, int64_t to, bool ask, struct passage *passage)
{
	if (ask && past_is_kept(past, to) && pass_recalled(past, from, to, passage) < 0)
		return -1;
	return pass_streamed(past, to < past->told ? to : past->told - 1, passage);
}

/*
 * Bytes of all events so far, in the stream and, as of its last answer, with the recorder. Before its first answer, the recorder's
 * events are taken to be as large as the stream's.
 */
static uint64_t past_bytes(const struct past *past)
{
	uint64_t events = past->recalled_events ? past->recalled_events : past->pushed_events;
	uint64_t bytes = past->recalled_events ? past->recalled_bytes : past->pushed;

	return past->pushed + (events ? (uint64_t)((double)bytes / (double)events * (double)past->kept_events) : 0);
}

static double overall_rate(const struct past *past)
{
	return (double)past_bytes(past) / (double)span_between(past->first, past->now);
}

/* An estimate of the bytes that the recorder keeps from this time on; 0: none, or there is no recorder. */
static uint64_t past_kept_from(const struct past *past, int64_t from)
{
	double rate = overall_rate(past);

	if (!past_is_kept(past, past->now))
		return 0;
	if (from < past->told)
		from = past->told;
	return (uint64_t)((past->rate > rate ? past->rate : rate) * (double)span_between(from, past->now));
}

/*
 * The time from which on the events up to `to` have `bytes` together. Exact if all are in the stream; else an estimate from the
 * rate of events, overall or of late, that errs to the early side.
 */
static int64_t past_reach(const struct past *past, int64_t to, uint64_t bytes)
{
	double rate = overall_rate(past);

	if (!past->recall)
		return ring_reach(past->ring, to, bytes);
	if (past->rate > 0 && past->rate < rate)
		rate = past->rate;
	return rate > 0 ? span_add(to, -(int64_t)(REACH * (double)bytes / rate)) : INT64_MIN;
}

static int pass_held(struct past *past, struct passage *passage)
{
	struct ring *slice = past->slice;
	struct record record;
	int status = 0;

	past->slice = NULL;
	for (; status == 0 && !ring_is_empty(slice); ring_drop(slice)) {
		int64_t ts = ring_oldest_time(slice);

		ring_oldest(slice, &record);
		status = pass_record(past, &record, ts, passage);
	}
	ring_free(slice);
	return status;
}

/* Passes the newest `bytes` of events between these times; drops the others. */
static int past_pass_newest(struct past *past, int64_t from, int64_t to, uint64_t bytes, struct passage *passage)
{
	int64_t reach = past_reach(past, to, past->recall && bytes < REACH_LEAST ? REACH_LEAST : bytes);
	int status;

	if (reach > from)
		from = reach;
	if (past_drop(past, from) < 0)
		return -1;
	if (!past->recall) /* the ring's answer is exact */
		return past_pass(past, from, to, false, passage);
	past->slice = ring_new(SLICE_ROOM * (size_t)bytes);
	past->limit = bytes;
	past->held = 0;
	status = past_pass(past, from, to, true, passage);
	if (status == 0)
		return pass_held(past, passage);
	ring_free(past->slice);
	past->slice = NULL;
	return status;
}

/* Asks the recorder for its count; call it now and then, for past_pass_newest(). */
static int past_ask_bytes(struct past *past)
{
	struct passage nothing = {0};
	uint64_t bytes;

	if (past->recall && pass_recalled(past, past->told, past->told - 1, &nothing) < 0)
		return -1;
	bytes = past_bytes(past);
	if (past->now > past->marked && past->marked != INT64_MIN)
		past->rate = (double)(bytes - past->marked_bytes) / (double)span_between(past->marked, past->now);
	past->marked = past->now;
	past->marked_bytes = bytes;
	return 0;
}

/* At the end of a stream: drops all events, closes the recall, forgets the times. */
static int past_end(struct past *past)
{
	if (past_drop(past, INT64_MAX) < 0)
		return -1;
	thread_records_forget(past->threads);
	recall_close(past->recall);
	past->recall = NULL;
	past->first = past->told = INT64_MAX;
	past->now = past->ahead_newest = past->floor = past->left_out = past->marked = INT64_MIN;
	past->rate = 0;
	return 0;
}

/* An open window asks the recorder this often, before the kernel overwrites its context. */
static const int64_t ask_every = NSEC_PER_SEC / 10;

/* Losses to remember for windows that open later. Beyond this number, the two oldest count as one. */
enum { LOSSES = 16 };

struct loss {
	int64_t from, to;
};

/* Requests of a window: with more it counts as full. Of an earlier filter's window, more get none, and the data are not complete. */
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
	int64_t first;	  /* time of the first event of the stream */
	int64_t now;
	int64_t asked; /* when the recorder was last asked how much it has kept */
	struct loss losses[LOSSES]; /* the newest last */
	int loss_count;
	struct line line;
	uint64_t last_id;
	bool expects; /* the input has windows of an earlier filter */
	bool all;     /* events pass as they come */
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
	/* of the open window; of an input that was filtered before, since its last window */
	ARRAY(struct logged) requests;
};

struct window *window_new(struct stream *stream, struct thread_records *threads, const struct window_size *size)
{
	struct window *window = NEW(struct window);

	window->stream = stream;
	window->past = past_new(stream, threads, size->bytes);
	window->before = size->before;
	window->after = size->after;
	window->all = size->all;
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

void window_disown(struct window *window, uint64_t first, uint64_t last)
{
	if (window->open && window->first_signal && window->first_signal >= first && window->last_signal <= last)
		window->open = false;
}

int window_adopt(struct window *window, int64_t from, int64_t to)
{
	struct passage passage = {0};

	window->expects = true;
	if (past_pass(window->past, from, to, false, &passage) < 0)
		return -1;
	if (passage.bytes)
		past_raise_floor(window->past, passage.newest);
	return window->past->left_out < from;
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
	return window->past->complaint;
}

/* Tells whether the budget covers all events since this time, and leaves enough for other windows. */
static bool affords(const struct window *window, int64_t from)
{
	return budget_affords(&window->budget, past_bytes(window->past), past_kept_from(window->past, from));
}

static void account(struct window *window, uint64_t before)
{
	window->budget.passed += window->passage.bytes - before;
	if (window->passage.lossy || window->past->complaint)
		window->complete = false;
}

static int pass(struct window *window, int64_t from, int64_t to, bool ask)
{
	uint64_t before = window->passage.bytes;
	int status = past_pass(window->past, from, to, ask, &window->passage);

	account(window, before);
	return status;
}

/* Tells whether the open window is of something that is certain. */
static bool is_sure(const struct window *window)
{
	return window->first_signal || (window->requests.count > 0 && !window->expects);
}

/* Tells whether there are only suspects so far, of which nothing passed. */
static bool is_doubtful(const struct window *window)
{
	return window->open && !is_sure(window) && !window->passage.bytes;
}

/* Passes the open window's events up to now, or up to its end, if the recorder is due to be asked. */
static int pass_on(struct window *window)
{
	int64_t to = window->holds > 0 ? INT64_MAX : window->to, until = to < window->now ? to : window->now;
	bool ask;

	if (is_doubtful(window) && past_bytes(window->past) - window->worst_bytes < window->budget.room / 2)
		return 0;
	ask = to < window->now || span_between(window->past->told, until) >= ask_every;

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
	if (window->past->floor >= window->earliest || to < window->latest)
		window->complete = false;
	if (to == window->to)
		return 0;
	past_raise_floor(window->past, window->to);
	return past_drop(window->past, span_add(window->to, 1));
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

/* Writes the windows of the requests, within these times. */
static int write_requests(struct window *window, int64_t from, int64_t to, bool complete)
{
	struct line *line = &window->line;
	int status = 0;

	for (size_t i = 0; i < window->requests.count && status == 0; i++) {
		const struct logged *request = &window->requests.items[i];
		int64_t first = span_add(request->start, -window->before), last = span_add(request->end, window->after);

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

int window_adopted(struct window *window, int64_t from, int64_t to, bool whole)
{
	return write_requests(window, from, to, whole);
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
		status = write_window(window);
	if (status == 0 && window->open && !window->expects)
		status = write_requests(window, window->from, to, window->complete);
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
	window->complete = !window->past->complaint;
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
	if (window->past->floor >= start)
		window->complete = false;
	else if (start < window->from)
		window->from = start;
	if (to > window->to)
		window->to = to;
	see_losses(window);
	return 0;
}

/* The open window has an interval that is certain. */
static int see_sure(struct window *window, int64_t start, int64_t end, double badness)
{
	if (is_doubtful(window) && begin_passing(window, span_add(end, window->after)) < 0)
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
	bool apart = window->open && !window->expects && window->holds == 0 && start > window->to;

	if (apart && window_close(window) < 0)
		return -1;
	if (!window->expects && (cover(window, start, end) < 0 || see_sure(window, start, end, 0) < 0))
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

int window_push(struct window *window, const struct record *record, int64_t ts)
{
	if (record_is_of_events(record) && ts < window->first)
		window->first = ts;
	if (ts > window->now)
		window->now = ts;
	return window->all ? stream_write_record(window->stream, record) : past_push(window->past, record, ts);
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

	if (!is_sure(window))
		return false;
	if (window->requests.count >= REQUESTS_FULL && !window->expects)
		return true;
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
	window->requests.count = 0;
	window->holds = 0;
	window->expects = false;
	return 0;
}
