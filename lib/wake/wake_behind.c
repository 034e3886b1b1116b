#include "wake/wake.h"

/*
 * A device has a queue of its own, which no event shows. That a request stood in it can be told where others, issued
 * before it, were completed one after the other until its turn came, and the device has served its like in less.
 */

/* Less than this shows no queue; where nothing was completed for half of the time, the device was at a stand. */
enum { COMPLETIONS = 4, STAND = 2 };

struct ahead {
	int64_t until, stand; /* the last completion; the longest time without any */
	int count;
};

enum { OPERATIONS = sizeof(((struct disk *)NULL)->shortest) / sizeof(int64_t) };

static int operation(const struct request *request)
{
	switch (request->rwbs[0]) {
	case 'R':
		return 0;
	case 'W':
		return 1;
	case 'F':
		return 2;
	default:
		return OPERATIONS - 1;
	}
}

void behind_served(struct disk *disk, const struct request *request)
{
	int64_t *shortest = &disk->shortest[operation(request)], time = request->completed - request->issued;

	disk->longest = later(disk->longest, time);
	if (*shortest == 0 || time < *shortest)
		*shortest = time;
}

/* The requests that were in service when this one was issued, in the order of their issue, which is that of service. */
static struct ahead look_ahead(const struct wake *wake, const struct disk *disk, const struct request *request)
{
	struct ahead ahead = {.until = request->issued};
	size_t first = disk->issued.count;

	while (first > 0 && wake->requests.items[disk->issued.items[first - 1]].issued >= request->issued - disk->longest)
		first--;
	for (size_t i = first; i < disk->issued.count; i++) {
		const struct request *other = &wake->requests.items[disk->issued.items[i]];

		if (other == request || other->issued >= request->issued)
			break;
		if (other->completed <= ahead.until || other->completed > request->completed)
			continue; /* over by then, or with another; or overtaken */
		ahead.stand = later(ahead.stand, other->completed - ahead.until);
		ahead.until = other->completed;
		ahead.count++;
	}
	return ahead;
}

int64_t request_behind(struct wake *wake, int32_t index)
{
	const struct request *request = &wake->requests.items[index];
	const struct disk *disk = request_disk(wake, request->disk);
	struct ahead ahead;
	int64_t until;

	if (request->completed == TIME_NONE)
		return request->issued;
	ahead = look_ahead(wake, disk, request);
	until = request->completed - disk->shortest[operation(request)];
	if (until > ahead.until)
		until = ahead.until;
	if (ahead.count < COMPLETIONS || ahead.stand > (ahead.until - request->issued) / STAND)
		return request->issued;
	return later(until, request->issued);
}
