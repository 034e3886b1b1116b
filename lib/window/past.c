#include "window/past.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "chart/span.h"
#include "window/ring.h"

/* A ring needs up to this many times the bytes of its events: an entry's head may be as large as the event. */
enum { SLICE_ROOM = 2 };

/* Events may come this many times more slowly than before. */
enum { REACH = 3 };

struct past {
	struct stream *stream;
	struct thread_records *threads;
	struct ring *ring;
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
	struct past_known known; /* told INT64_MAX: no recorder */
	char *complaint;
};

struct past *past_new(struct stream *stream, struct thread_records *threads, uint64_t bytes)
{
	struct past *past = NEW(struct past);

	past->stream = stream;
	past->threads = threads;
	past->ring = ring_new(bytes);
	past->first = past->known.told = INT64_MAX;
	past->now = past->known.floor = past->known.left_out = past->marked = INT64_MIN;
	return past;
}

void past_free(struct past *past)
{
	if (!past)
		return;
	ring_free(past->ring);
	recall_close(past->recall);
	free(past->complaint);
	free(past);
}

/* The recorder failed: from now on no window is complete. */
static void give_up(struct past *past)
{
	recall_close(past->recall);
	past->recall = NULL;
	past->known.told = INT64_MAX;
	if (!past->complaint)
		past->known.complaint = past->complaint = memory_format("%s", fail_text());
	stream_mark_incomplete(past->stream);
}

void past_recall(struct past *past, struct recall *recall, int64_t since)
{
	past->recall = recall;
	past->known.told = recall ? since : INT64_MAX;
	if (since < past->first)
		past->first = since;
	if (!recall)
		give_up(past);
}

bool past_is_kept(const struct past *past, int64_t ts)
{
	return past->recall && past->known.told <= ts;
}

const struct past_known *past_known(const struct past *past)
{
	return &past->known;
}

void past_raise_floor(struct past *past, int64_t ts)
{
	if (ts > past->known.floor)
		past->known.floor = ts;
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
	if (record->kind == KIND_EVENT && ts > past->known.left_out)
		past->known.left_out = ts;
	if (thread_records_takes(record))
		return thread_records_learn(past->threads, record);
	return record->kind == KIND_LOST ? write_lost(past, record) : 0;
}

static int drop_oldest(struct past *past)
{
	struct record record;
	int status;

	ring_oldest(past->ring, &record);
	status = drop(past, &record, record.ts);
	ring_drop(past->ring);
	return status;
}

int past_drop(struct past *past, int64_t before)
{
	while (!ring_is_empty(past->ring) && ring_oldest_time(past->ring) < before)
		if (drop_oldest(past) < 0)
			return -1;
	return 0;
}

/* If the recorder keeps events, a thread's record may be newer than the newest event of the stream. */
static int64_t place_of(struct past *past, const struct record *record, int64_t ts)
{
	int64_t own = past->recall && thread_records_takes(record) ? thread_records_time(past->threads, record) : ts;

	return own > ts ? own : ts;
}

int past_push(struct past *past, const struct record *record, int64_t ts)
{
	ts = place_of(past, record, ts);
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
		if (drop_oldest(past) < 0)
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

	while (!ring_is_empty(past->ring) && ring_oldest_time(past->ring) <= to) {
		ring_oldest(past->ring, &record);
		if (pass_record(past, &record, ring_oldest_time(past->ring), passage) < 0)
			return -1;
		ring_drop(past->ring);
	}
	return 0;
}

/* Passes the recorder's events, and the stream's among them in the order of time. */
static int pass_recalled(struct past *past, int64_t from, int64_t to, struct passage *passage)
{
	int64_t floor, ts;
	int status = recall_ask(past->recall, from > past->known.told ? from : past->known.told, span_add(to, 1), &floor);
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
	past->known.told = ts;
	past->kept_events = recall_kept(past->recall);
	return 0;
}

int past_pass(struct past *past, int64_t from, int64_t to, bool ask, struct passage *passage)
{
	if (ask && past_is_kept(past, to) && pass_recalled(past, from, to, passage) < 0)
		return -1;
	return pass_streamed(past, to < past->known.told ? to : past->known.told - 1, passage);
}


/* Before its first answer, the recorder's events are taken to be as large as the stream's. */
uint64_t past_bytes(const struct past *past)
{
	uint64_t events = past->recalled_events ? past->recalled_events : past->pushed_events;
	uint64_t bytes = past->recalled_events ? past->recalled_bytes : past->pushed;

	return past->pushed + (events ? (uint64_t)((double)bytes / (double)events * (double)past->kept_events) : 0);
}

static double overall_rate(const struct past *past)
{
	return (double)past_bytes(past) / (double)span_between(past->first, past->now);
}

uint64_t past_kept_from(const struct past *past, int64_t from)
{
	double rate = overall_rate(past);

	if (!past_is_kept(past, past->now))
		return 0;
	if (from < past->known.told)
		from = past->known.told;
	return (uint64_t)((past->rate > rate ? past->rate : rate) * (double)span_between(from, past->now));
}

int64_t past_reach(const struct past *past, int64_t to, uint64_t bytes)
{
	double rate = overall_rate(past);

	if (!past->recall)
		return ring_reach(past->ring, to, bytes);
	if (past->rate > 0 && past->rate < rate)
		rate = past->rate;
	return rate > 0 ? span_add(to, -(int64_t)(REACH * (double)bytes / rate)) : INT64_MIN;
}

static int pass_slice(struct past *past, struct passage *passage)
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

int past_pass_newest(struct past *past, int64_t from, int64_t to, uint64_t bytes, struct passage *passage)
{
	int64_t reach = past_reach(past, to, bytes);
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
		return pass_slice(past, passage);
	ring_free(past->slice);
	past->slice = NULL;
	return status;
}

int past_ask_bytes(struct past *past)
{
	struct passage nothing = {0};
	uint64_t bytes;

	if (past->recall && pass_recalled(past, past->known.told, past->known.told - 1, &nothing) < 0)
		return -1;
	bytes = past_bytes(past);
	if (past->now > past->marked && past->marked != INT64_MIN)
		past->rate = (double)(bytes - past->marked_bytes) / (double)span_between(past->marked, past->now);
	past->marked = past->now;
	past->marked_bytes = bytes;
	return 0;
}

int past_end(struct past *past)
{
	if (past_drop(past, INT64_MAX) < 0)
		return -1;
	thread_records_forget(past->threads);
	recall_close(past->recall);
	past->recall = NULL;
	past->first = past->known.told = INT64_MAX;
	past->now = past->known.floor = past->known.left_out = past->marked = INT64_MIN;
	past->rate = 0;
	return 0;
}
