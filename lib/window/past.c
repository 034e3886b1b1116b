#include "window/past.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "window/ring.h"

/* A ring needs up to this many times the bytes of its events: an entry's head may be as large as the event. */
enum { SLICE_ROOM = 2 };

/*
 * Events may have come REACH times more slowly than usual; over a short time, still more slowly. So the recorder is asked for REACH_LEAST
 * bytes at least, which take a few milliseconds to read.
 */
enum { REACH = 3, REACH_LEAST = 1 << 18 };

struct past {
	struct stream *stream;
	struct thread_records *threads;
	bool all; /* records pass as they are pushed */
	struct context_ring *ring;
	struct context_ring *ahead; /* titles that hold from a later time on than the stream has reached */
	int64_t ahead_newest; /* time of the newest of them */
	struct past_times times;
	uint64_t pushed_events, pushed; /* events of the stream, and their bytes */
	struct recall *recall; /* NULL: all events are in the stream */
	uint64_t kept_events;  /* events that the recorder kept so far */
	uint64_t recalled_events, recalled_bytes;
	int64_t marked;	     /* time of the last count of bytes */
	uint64_t marked_bytes; /* that count */
	double rate;	     /* bytes a nanosecond between that count and the one before */
	struct context_ring *slice; /* the newest events to pass, while past_pass_newest() runs; else NULL */
	uint64_t limit, held; /* bytes that the slice may hold, and holds */
	/* how much of the past is known */
	int64_t told;	  /* all events before this time came from the stream or the recorder; INT64_MAX: no recorder */
	int64_t left_out; /* time of the stream's newest event that was not passed; INT64_MIN: none */
	char *complaint;  /* why the recorder failed, after which no window is complete; NULL: it did not, or there was none */
};

static void forget_times(struct past *past)
{
	past->times = (struct past_times){.first = INT64_MAX, .newest = INT64_MIN, .floor = INT64_MIN};
	past->told = INT64_MAX;
	past->ahead_newest = past->left_out = past->marked = INT64_MIN;
}

struct past *past_new(struct stream *stream, struct thread_records *threads, uint64_t bytes, bool all)
{
	struct past *past = NEW(struct past);

	past->stream = stream;
	past->threads = threads;
	past->all = all;
	past->ring = ring_new(bytes);
	past->ahead = ring_new(RING_LEAST);
	forget_times(past);
	return past;
}

void past_free(struct past *past)
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

void past_recall(struct past *past, struct recall *recall, int64_t since)
{
	past->recall = recall;
	past->told = recall ? since : INT64_MAX;
	if (since < past->times.first)
		past->times.first = since;
	if (!recall)
		give_up(past);
}

bool past_is_kept(const struct past *past, int64_t ts)
{
	return past->recall && past->told <= ts;
}

void past_settle(struct past *past, int64_t ts)
{
	if (ts > past->times.floor)
		past->times.floor = ts;
}

const struct past_times *past_times(const struct past *past)
{
	return &past->times;
}

const char *past_complaint(const struct past *past)
{
	return past->complaint;
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
	past_settle(past, ts);
	if (record->kind == KIND_EVENT && ts > past->left_out)
		past->left_out = ts;
	if (thread_records_takes(record))
		return thread_records_learn(past->threads, record);
	return record->kind == KIND_LOST ? write_lost(past, record) : 0;
}

static int drop_oldest(struct past *past, struct context_ring *ring)
{
	struct record record;
	int status;

	ring_oldest(ring, &record);
	status = drop(past, &record, record.ts);
	ring_drop(ring);
	return status;
}

/* The ring that has the oldest record, if any has one. */
static struct context_ring *oldest_ring(const struct past *past)
{
	if (ring_is_empty(past->ahead))
		return past->ring;
	return ring_is_empty(past->ring) || ring_oldest_time(past->ahead) <= ring_oldest_time(past->ring) ? past->ahead : past->ring;
}

int past_drop(struct past *past, int64_t before)
{
	struct context_ring *ring;

	while (!ring_is_empty(ring = oldest_ring(past)) && ring_oldest_time(ring) < before)
		if (drop_oldest(past, ring) < 0)
			return -1;
	return 0;
}

/*
 * A title is read from /proc, at a time that the stream's events reach only later, so it waits for them. If there is no room, the oldest title
 * that waits holds at once.
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

int past_push(struct past *past, const struct record *record, int64_t ts)
{
	if (past->recall && thread_records_takes(record)) {
		bool title;
		int64_t own = thread_records_time(past->threads, record, &title);

		if (own > ts && title)
			return push_ahead(past, record, own);
		ts = own > ts ? own : ts; /* most events stay with the recorder: the stream's newest may be long ago */
	}
	if (record_is_of_events(record)) {
		if (ts < past->times.first)
			past->times.first = ts;
		if (ts > past->times.newest)
			past->times.newest = ts;
	}
	if (past->all)
		return stream_write_record(past->stream, record);
	if (record_is_of_events(record)) {
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
	struct context_ring *ring;

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
	int status = recall_ask(past->recall, from > past->told ? from : past->told, timestamp_add(to, 1), &floor);
	struct record record;

	if (status == 0)
		past_settle(past, floor);
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

int past_pass(struct past *past, int64_t from, int64_t to, bool ask, struct passage *passage)
{
	bool due = ask || timestamp_between(past->told, to) >= PAST_ASK_EVERY;

	if (due && past_is_kept(past, to) && pass_recalled(past, from, to, passage) < 0)
		return -1;
	if (pass_streamed(past, to < past->told ? to : past->told - 1, passage) < 0)
		return -1;
	passage->left_out = past->left_out;
	passage->lossy |= past->complaint != NULL;
	return 0;
}

uint64_t past_bytes(const struct past *past)
{
	uint64_t events = past->recalled_events ? past->recalled_events : past->pushed_events;
	uint64_t bytes = past->recalled_events ? past->recalled_bytes : past->pushed;

	return past->pushed + (events ? (uint64_t)((double)bytes / (double)events * (double)past->kept_events) : 0);
}

static double overall_rate(const struct past *past)
{
	int64_t passed = timestamp_between(past->times.first, past->times.newest);

	return passed > 0 ? (double)past_bytes(past) / (double)passed : 0;
}

uint64_t past_kept_from(const struct past *past, int64_t from)
{
	double rate = overall_rate(past);

	if (!past_is_kept(past, past->times.newest))
		return 0;
	if (from < past->told)
		from = past->told;
	return (uint64_t)((past->rate > rate ? past->rate : rate) * (double)timestamp_between(from, past->times.newest));
}

int64_t past_reach(const struct past *past, int64_t to, uint64_t bytes)
{
	double rate = overall_rate(past);

	if (!past->recall)
		return ring_reach(past->ring, to, bytes);
	if (past->rate > 0 && past->rate < rate)
		rate = past->rate;
	return rate > 0 ? timestamp_add(to, -(int64_t)(REACH * (double)bytes / rate)) : INT64_MIN;
}

static int pass_held(struct past *past, struct passage *passage)
{
	struct context_ring *slice = past->slice;
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

int past_pass_newest(struct past *past, int64_t from, int64_t to, uint64_t bytes, struct passage *passage)
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

int past_ask_bytes(struct past *past)
{
	struct passage nothing = {0};
	uint64_t bytes;

	if (past->recall && pass_recalled(past, past->told, past->told - 1, &nothing) < 0)
		return -1;
	bytes = past_bytes(past);
	if (past->times.newest > past->marked && past->marked != INT64_MIN)
		past->rate = fmax((double)bytes - (double)past->marked_bytes, 0) / (double)timestamp_between(past->marked, past->times.newest);
	past->marked = past->times.newest;
	past->marked_bytes = bytes;
	return 0;
}

int past_end(struct past *past)
{
	struct context_ring *ring;

	while (!ring_is_empty(ring = oldest_ring(past)))
		if (drop_oldest(past, ring) < 0)
			return -1;
	thread_records_forget(past->threads);
	recall_close(past->recall);
	past->recall = NULL;
	forget_times(past);
	past->rate = 0;
	return 0;
}
