#include "wake/device_queue.h"

#include <math.h>

#include "base/number.h"
#include "wake/disk.h"

enum {
	AHEAD_MIN = 4, /* fewer requests show no queue */
	STAND = 2,     /* if nothing was completed for half (1 / STAND) of the time, or only half as much as at other times, the device stood still */
};

/*
 * What is known of a device's pace is asked of that many requests before a service and behind it, in that many times its length. No device serves
 * a request for longer than LONGEST.
 */
enum { PACE_REQUESTS = 4096, PACE_TIMES = 16 };
#define LONGEST (3600 * NSEC_PER_SEC)

struct ahead { /* the requests that were in service when one was issued, and complete before it */
	int64_t until, stand;  /* the last completion; the longest time without any */
	int completions, count;
	uint64_t sectors;
};

static const struct request *issued_at(const struct wake *wake, const struct disk *disk, size_t at)
{
	return request_at(wake, disk->issued.items[at]);
}

/* Looks at them in the order of their issue, in which they are served. */
static struct ahead look_ahead(const struct wake *wake, const struct disk *disk, const struct request *request)
{
	struct ahead ahead = {.until = request->issued};
	size_t first = disk->issued.count;

	while (first > 0 && issued_at(wake, disk, first - 1)->issued >= request->issued - disk->longest)
		first--;
	for (size_t i = first; i < disk->issued.count; i++) {
		const struct request *other = issued_at(wake, disk, i);

		if (other == request || other->issued >= request->issued)
			break;
		if (other->completed <= request->issued || other->completed > request->completed)
			continue; /* it was over by then; or this request overtook it */
		ahead.count++;
		ahead.sectors += other->sectors;
		if (other->completed <= ahead.until)
			continue; /* together with another */
		ahead.stand = later(ahead.stand, other->completed - ahead.until);
		ahead.until = other->completed;
		ahead.completions++;
	}
	return ahead;
}

/* --- the pace of a device ------------------------------------------------------------------------------------------------ */

/*
 * Goes through the requests from place `at` to place `end` in the order of their issue, without those that were in service in the time of one
 * request. `busy`: how long the device was at work on those that were passed; `sectors`: how many these have.
 */
struct pace {
	const struct wake *wake;
	const struct disk *disk;
	const struct request *without;
	size_t at, end;
	int64_t until, busy;
	uint64_t sectors;
};

/* False: there are no more. */
static bool pace_step(struct pace *pace)
{
	while (pace->at < pace->end) {
		const struct request *other = issued_at(pace->wake, pace->disk, pace->at++);
		int64_t since = later(pace->until, other->issued);

		if (other->completed == TIME_NONE || (other->issued < pace->without->completed && other->completed > pace->without->issued))
			continue;
		if (other->completed > since) {
			pace->busy += other->completed - since;
			pace->until = other->completed;
		}
		pace->sectors += other->sectors;
		return true;
	}
	return false;
}

static struct pace pace_around(const struct wake *wake, const struct disk *disk, const struct request *request)
{
	struct pace pace = {.wake = wake, .disk = disk, .without = request, .until = TIME_NONE};
	int64_t reach = PACE_TIMES * sooner(request->completed - request->issued, LONGEST);
	size_t own = disk->issued.count;

	while (own > 0 && issued_at(wake, disk, own - 1)->issued >= request->issued)
		own--;
	for (pace.at = own; pace.at > 0 && own - pace.at < PACE_REQUESTS; pace.at--)
		if (issued_at(wake, disk, pace.at - 1)->issued < request->issued - reach)
			break;
	for (pace.end = own; pace.end < disk->issued.count && pace.end - own < PACE_REQUESTS; pace.end++)
		if (issued_at(wake, disk, pace.end)->issued > request->completed + reach)
			break;
	return pace;
}

/*
 * Tells whether the device did as much while the request was in service, with the requests ahead of it, as it can. What it can is seen in other
 * stretches of at least that length in which it was at work; without any it is not known.
 */
static bool kept_pace(const struct wake *wake, const struct disk *disk, const struct request *request, const struct ahead *ahead)
{
	struct pace head = pace_around(wake, disk, request), tail = head, next = head;
	int64_t length = ahead->until - request->issued;
	double most = 0;

	while (pace_step(&head)) {
		while (head.busy - next.busy >= length) {
			tail = next;
			pace_step(&next);
		}
		if (head.busy - tail.busy >= length)
			most = fmax(most, (double)(head.sectors - tail.sectors) * (double)length / (double)(head.busy - tail.busy));
	}
	return most > 0 && most <= STAND * (double)ahead->sectors;
}

int64_t device_queue_until(struct wake *wake, int32_t index)
{
	const struct request *request = request_at(wake, index);
	const struct disk *disk = disk_at(wake, request->disk);
	struct ahead ahead;
	int64_t until;

	if (request->completed == TIME_NONE)
		return request->issued;
	ahead = look_ahead(wake, disk, request);
	if (ahead.completions < AHEAD_MIN || ahead.stand > (ahead.until - request->issued) / STAND)
		if (ahead.count < AHEAD_MIN || !kept_pace(wake, disk, request, &ahead))
			return request->issued;
	until = sooner(ahead.until, request->completed - disk->shortest[disk_operation(request)]);
	return later(until, request->issued);
}
