#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "wake/part.h"

/*
 * Threads that could run but were not allowed to, because their group had used up its CPU quota.
 *
 * The kernel's events do not show that: a thread leaves its CPU as if it were preempted, and comes back soon after the
 * timer of its group has expired. So a `quota` record is needed as well, which says for how long the group was throttled
 * between two looks at its cpu.stat.
 */

enum {
	TIMERS = 4,
	TOLERANCE_NS = 1000000, /* between the begin of a throttling as the kernel counts it and as it is found here */
	BRIEF_NS = 1000000,	/* a run this short may be in the kernel, where a quota does not end it */
};
#define KEPT (30 * NSEC_PER_SEC) /* how long the events of a window may be behind quota records */
#define TIME_LIMIT (INT64_MAX / 4) /* so that the difference of two times fits */

/* A group was throttled for `time`, over all CPUs, and each of its throttlings ended in (since, ts]. */
struct throttled {
	int64_t since, ts, time;
	int32_t *tids; /* of the group's threads, sorted */
	size_t tids_count;
	int64_t quota, period; /* the group may use `quota` of CPU time in each `period` */
	char *group;
};

struct quotas {
	uint64_t timers[TIMERS]; /* addresses of timer functions that end throttlings; 0: none */
	int64_t longest;	 /* longest time between two looks */
	ARRAY(struct throttled) times; /* in order of ts */
	ARRAY(int64_t) refills;	 /* when such timers expired in this window */
};

static struct quotas *of(const struct wake *wake)
{
	return wake->of[PART_QUOTA];
}

static void forget_before(struct quotas *quotas, int64_t ts)
{
	size_t kept = 0;

	for (size_t i = 0; i < quotas->times.count; i++) {
		struct throttled *time = &quotas->times.items[i];

		if (time->ts >= ts) {
			quotas->times.items[kept++] = *time;
			continue;
		}
		free(time->tids);
		free(time->group);
	}
	quotas->times.count = kept;
}

static void free_all(struct wake *wake)
{
	forget_before(of(wake), INT64_MAX);
	free(of(wake)->times.items);
	free(of(wake)->refills.items);
}

/* The latest throttlings stay. */
static void forget(struct wake *wake)
{
	struct quotas *quotas = of(wake);

	quotas->refills.count = 0;
	if (quotas->times.count)
		forget_before(quotas, quotas->times.items[quotas->times.count - 1].ts - KEPT);
}

/* "0xffffffff81234560,0xffffffff81234780" */
static int read_timers(struct quotas *quotas, const struct field *field)
{
	const char *at = field->value, *end = at + field->value_length;

	for (int i = 0; i < TIMERS && at < end; i++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		int64_t address;

		comma = comma ? comma : end;
		if (number_integer(at, (size_t)(comma - at), &address) < 0)
			return -1;
		quotas->timers[i] = (uint64_t)address;
		at = comma + 1;
	}
	return 0;
}

static int compare(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

	return (a > b) - (a < b);
}

/* "12,13,20" */
static int read_tids(struct throttled *time, const struct field *field)
{
	const char *at = field->value, *end = at + field->value_length;
	ARRAY(int32_t) tids = {0};
	int status = 0;

	while (status == 0 && at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		uint64_t tid = 0;

		comma = comma ? comma : end;
		status = number_count(at, (size_t)(comma - at), &tid);
		*ARRAY_ADD(&tids) = (int32_t)tid;
		at = comma + 1;
	}
	if (tids.count)
		qsort(tids.items, tids.count, sizeof(*tids.items), compare);
	time->tids = tids.items;
	time->tids_count = tids.count;
	return status;
}

static int read_limits(struct throttled *time, const struct fields *fields)
{
	char group[256] = "?";

	if (fields_time(fields, "quota", &time->quota) < 0 || fields_time(fields, "period", &time->period) < 0)
		return -1;
	fields_text(fields, "group", group, sizeof(group));
	time->group = memory_text(group, strlen(group));
	return 0;
}

/* Keeps the throttling: they come in the order of ts. If another stream begins, its clock may be behind; then the old ones are dropped. */
static void keep(struct quotas *quotas, struct throttled time)
{
	if (quotas->times.count && quotas->times.items[quotas->times.count - 1].ts > time.ts)
		forget_before(quotas, INT64_MAX);
	quotas->longest = later(quotas->longest, time.ts - time.since);
	*ARRAY_ADD(&quotas->times) = time;
}

static int read_quota(struct wake *wake, const struct fields *fields)
{
	const struct field *timers = fields_find(fields, "timers"), *tids = fields_find(fields, "tids");
	struct throttled time = {.since = TIME_NONE};

	if (timers && read_timers(of(wake), timers) < 0)
		return -1;
	if (fields_time(fields, "ts", &time.ts) < 0 || fields_time(fields, "since", &time.since) < 0 ||
	    fields_time(fields, "time", &time.time) < 0)
		return -1;
	if (time.time <= 0 || time.since == TIME_NONE || !tids)
		return 0; /* the record only says that the group exists */
	if (time.since > time.ts || time.since < -TIME_LIMIT || time.ts > TIME_LIMIT || time.time > TIME_LIMIT)
		return fail("a quota was used up at no time that there is");
	if (read_tids(&time, tids) < 0 || read_limits(&time, fields) < 0) {
		free(time.tids);
		return -1;
	}
	keep(of(wake), time);
	return 0;
}

/* A timer that ends throttlings expires. */
static void on_refill(struct at *at)
{
	enum { FUNCTION };
	struct quotas *quotas = of(at->wake);
	uint64_t function = (uint64_t)at_number(at, FUNCTION);

	for (int i = 0; i < TIMERS; i++)
		if (function && quotas->timers[i] == function) {
			*ARRAY_ADD(&quotas->refills) = at->wake->now;
			return;
		}
}

/* The end of the thread's last run between these times that was longer than a brief one in the kernel; `from`: it had none. */
static int64_t ran_until(const struct wake *wake, const struct thread *thread, int64_t from, int64_t to)
{
	int64_t until = TIME_NONE;

	for (size_t at = thread_find(thread, to); at-- > 0;) {
		const struct piece *piece = &thread->pieces.items[at];
		int64_t end = sooner(thread_piece_end(wake, thread, at), to);
		bool guessed = piece->flags & PIECE_GUESSED && end == to; /* perhaps the run began only at its end */

		if (end <= from)
			break;

		if (guessed || (piece->what != WHAT_RUN && piece->what != WHAT_IRQ && piece->what != WHAT_SOFTIRQ)) {
			until = TIME_NONE;
			continue;
		}
		if (until == TIME_NONE)
			until = end;
		if (until - piece->start > BRIEF_NS)
			return until;
	}
	return from;
}

/* When the group had used up its quota: as long as any of its threads runs, some quota is left. */
static int64_t used_up(struct wake *wake, const struct throttled *time, int64_t from, int64_t to)
{
	int64_t last = from;

	for (size_t i = 0; i < time->tids_count; i++) {
		const struct thread *thread = core_thread_find(wake, time->tids[i], to);

		if (thread)
			last = later(last, ran_until(wake, thread, from, to));
	}
	return last;
}

/* The index of the first throttling whose `ts` is this time or later. */
static size_t first_at(const struct quotas *quotas, int64_t ts)
{
	size_t low = 0, high = quotas->times.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (quotas->times.items[middle].ts < ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Time that the thread ran between these times. */
static int64_t time_run(const struct wake *wake, const struct thread *thread, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (size_t at = thread_find(thread, to); at-- > 0;) {
		int64_t start = later(thread->pieces.items[at].start, from), end = sooner(thread_piece_end(wake, thread, at), to);

		if (end <= from)
			break;
		sum += thread->pieces.items[at].what == WHAT_RUN ? end - start : 0;
	}
	return sum;
}

/* The index of the other thread of the group that ran for most, and more than half, of the quota in the period before it was used up; INDEX_NONE. */
static int32_t find_user(struct wake *wake, const struct thread *waiter, const struct throttled *time, int64_t used_up)
{
	int64_t most = time->quota / 2;
	int32_t user = INDEX_NONE;

	for (size_t i = 0; time->quota > 0 && i < time->tids_count; i++) {
		const struct thread *thread = core_thread_find(wake, time->tids[i], used_up);
		int64_t ran = thread && thread != waiter ? time_run(wake, thread, used_up - time->period, used_up) : 0;

		if (ran > most) {
			most = ran;
			user = thread->index;
		}
	}
	return user;
}

/* Tells whether a throttling of the thread ended with this refill: by the kernel's count, one of at least that length ended about then. */
static bool ended_by(struct wake *wake, const struct thread *thread, int64_t start, int64_t refill, struct throttling *found)
{
	const struct quotas *quotas = of(wake);

	for (size_t i = first_at(quotas, refill); i < quotas->times.count; i++) {
		const struct throttled *time = &quotas->times.items[i];
		int64_t from;

		if (time->ts - quotas->longest > refill)
			break;
		if (time->since >= refill || !time->tids_count ||
		    !bsearch(&thread->tid, time->tids, time->tids_count, sizeof(*time->tids), compare))
			continue;
		from = used_up(wake, time, start, refill);
		if (from >= refill || refill - from > time->time + TOLERANCE_NS)
			continue;
		*found = (struct throttling){from, refill, time->group, time->quota, time->period, find_user(wake, thread, time, from)};
		return true;
	}
	return false;
}

static bool throttled(struct wake *wake, const struct thread *thread, int64_t start, int64_t end, struct throttling *found)
{
	const struct quotas *quotas = of(wake);

	for (size_t i = 0; quotas->times.count && i < quotas->refills.count; i++) {
		int64_t refill = quotas->refills.items[i];

		if (refill > start && refill <= end && ended_by(wake, thread, start, refill, found))
			return true;
	}
	return false;
}

static const struct part_event events[] = {{"timer:hrtimer_expire_entry", on_refill, {"function"}}, {0}};

static const struct part_record records[] = {{KIND_QUOTA, read_quota}, {0}};

const struct part quota_part = {
	.events = events,
	.records = records,
	.window = sizeof(struct quotas),
	.forget = forget,
	.free = free_all,
	.throttled = throttled,
};
