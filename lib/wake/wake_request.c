#include "wake/wake.h"

#include <stdlib.h>

struct place {
	uint64_t disk, sector;
};

/* The open requests at one sector: the oldest; the others follow by request.next. */
struct open_request {
	struct place place;
	int32_t first;
	struct open_request *spare; /* next in the list of those not in use */
	UT_hash_handle hh;
};

static struct open_request *find_open(const struct wake *wake, uint64_t disk, uint64_t sector)
{
	struct place place = {disk, sector};
	struct open_request *open;

	HASH_FIND(hh, wake->open, &place, sizeof(place), open);
	return open;
}

static struct open_request *add_open(struct wake *wake, uint64_t disk, uint64_t sector)
{
	struct open_request *open = wake->spare;

	if (open)
		wake->spare = open->spare;
	else
		open = NEW(struct open_request);
	open->place = (struct place){disk, sector};
	open->first = INDEX_NONE;
	HASH_ADD(hh, wake->open, place, sizeof(open->place), open);
	return open;
}

static int32_t add_request(struct wake *wake, const struct request *request)
{
	int32_t index = (int32_t)wake->requests.count, *link;
	struct open_request *open = find_open(wake, request->disk, request->sector);
	struct request *added;

	if (!open)
		open = add_open(wake, request->disk, request->sector);
	added = ARRAY_ADD(&wake->requests);
	*added = *request;
	added->issued = added->completed = TIME_NONE;
	added->service_node = added->queue_node = added->behind_node = NODE_NONE;
	added->next = added->lower = added->data = INDEX_NONE;
	added->handed_on = 0;
	for (link = &open->first; *link != INDEX_NONE; link = &wake->requests.items[*link].next)
		;
	*link = index;
	return index;
}

/*
 * The oldest open request at the sector that has, or has not, been issued. What became of one from before events were lost is
 * not known, so it is taken only where there is no other.
 */
static int32_t oldest(const struct wake *wake, uint64_t disk, uint64_t sector, bool issued)
{
	const struct open_request *open = find_open(wake, disk, sector);
	int32_t before = INDEX_NONE;

	for (int32_t i = open ? open->first : INDEX_NONE; i != INDEX_NONE; i = wake->requests.items[i].next) {
		const struct request *request = &wake->requests.items[i];

		if ((request->issued != TIME_NONE) != issued)
			continue;
		if ((issued ? request->issued : request->queued) >= wake_since(wake))
			return i;
		if (before == INDEX_NONE)
			before = i;
	}
	return before;
}

/* The request that was issued for just this range; else the oldest at its begin. */
static int32_t issued_for(const struct wake *wake, uint64_t disk, uint64_t sector, uint64_t sectors)
{
	int32_t first = oldest(wake, disk, sector, true), index = first;

	while (index != INDEX_NONE &&
	       (wake->requests.items[index].issued == TIME_NONE || wake->requests.items[index].sectors != sectors))
		index = wake->requests.items[index].next;
	return index == INDEX_NONE ? first : index;
}

static void close_request(struct wake *wake, int32_t index)
{
	struct request *request = &wake->requests.items[index];
	struct open_request *open = find_open(wake, request->disk, request->sector);
	int32_t *link = &open->first;

	while (*link != index)
		link = &wake->requests.items[*link].next;
	*link = request->next;
	request->next = INDEX_NONE;
	if (open->first != INDEX_NONE)
		return;
	HASH_DEL(wake->open, open);
	open->spare = wake->spare;
	wake->spare = open;
}

struct disk *request_disk(struct wake *wake, uint64_t dev)
{
	struct disk *disk;

	HASH_FIND(hh, wake->disks, &dev, sizeof(dev), disk);
	if (!disk) {
		disk = NEW(struct disk);
		disk->dev = dev;
		disk->backing = (struct backing){.working = INDEX_NONE, .owner = OWNER_NOBODY};
		HASH_ADD(hh, wake->disks, dev, sizeof(dev), disk);
	}
	return disk;
}

int32_t request_queue(struct wake *wake, const struct request *request)
{
	return add_request(wake, request);
}

static void issue(struct wake *wake, int32_t index)
{
	struct disk *disk = request_disk(wake, wake->requests.items[index].disk);

	wake->requests.items[index].issued = wake->now;
	*ARRAY_ADD(&disk->issued) = index;
	backed_issue(wake, disk, index);
}

/* The device takes less than was queued: the rest will be issued later. */
static void split(struct wake *wake, int32_t index, uint32_t sectors)
{
	struct request rest = wake->requests.items[index];

	wake->requests.items[index].sectors = sectors;
	rest.sector += sectors;
	rest.sectors -= sectors;
	add_request(wake, &rest);
}

/*
 * The device was full and had handed the request back, which the data do not tell: it is issued once more. Two requests for the
 * same sectors at the same time would both have been queued.
 */
static int32_t issued_before(const struct wake *wake, uint64_t disk, uint64_t at, uint64_t end)
{
	int32_t index = oldest(wake, disk, at, true);

	return index != INDEX_NONE && at + wake->requests.items[index].sectors <= end ? index : INDEX_NONE;
}

void request_issue(struct wake *wake, const struct request *range)
{
	uint64_t at = range->sector, end = at + range->sectors;
	struct request stranger = *range;
	int32_t index;

	do {
		index = oldest(wake, range->disk, at, false);
		if (index == INDEX_NONE && range->sectors)
			index = issued_before(wake, range->disk, at, end);
		if (index == INDEX_NONE && range->sectors) { /* queued before the data */
			stranger.sector = at;
			stranger.sectors = (uint32_t)(end - at);
			index = add_request(wake, &stranger);
		}
		if (index == INDEX_NONE)
			return;
		if (at + wake->requests.items[index].sectors > end)
			split(wake, index, (uint32_t)(end - at));
		issue(wake, index);
		flush_data_issued(&wake->requests.items[index], range);
		at += wake->requests.items[index].sectors;
	} while (at < end && wake->requests.items[index].sectors);
}

void request_requeue(struct wake *wake, const struct request *range)
{
	uint64_t at = range->sector, end = at + range->sectors;
	int32_t index;

	while (at < end && (index = oldest(wake, range->disk, at, true)) != INDEX_NONE) {
		wake->requests.items[index].issued = TIME_NONE;
		if (!wake->requests.items[index].sectors)
			return;
		at += wake->requests.items[index].sectors;
	}
}

int32_t request_complete(struct wake *wake, const struct request *range)
{
	struct disk *disk = request_disk(wake, range->disk);
	uint64_t at = range->sector, end = at + range->sectors;
	int32_t index, first = INDEX_NONE, last = INDEX_NONE;
	struct request *request;

	do {
		index = issued_for(wake, range->disk, at, end - at);
		if (index == INDEX_NONE)
			break;
		request = &wake->requests.items[index];
		if (at + request->sectors > end) {
			split(wake, index, (uint32_t)(end - at));
			issue(wake, (int32_t)wake->requests.count - 1);
			request = &wake->requests.items[index];
			wake->requests.items[wake->requests.count - 1].issued = request->issued;
		}
		request->completed = wake->now;
		behind_served(disk, request);
		backed_complete(wake, index);
		if (first == INDEX_NONE)
			first = index;
		close_request(wake, index);
		if (last != INDEX_NONE)
			wake->requests.items[last].next = index;
		last = index;
		flush_data_completed(wake, index);
		at += request->sectors;
	} while (at < end && request->sectors);
	return first;
}

int32_t request_own(const struct wake *wake, int32_t first, int32_t thread)
{
	for (int32_t i = first; i != INDEX_NONE; i = wake->requests.items[i].next)
		if (wake->requests.items[i].submitter == thread || wake->requests.items[i].owner == thread)
			return i;
	return first;
}

/*
 * A device that hands its bios on to others (device mapper, md) issues none itself: who waits for them waits for what
 * the others do.
 */
static bool hands_on(struct wake *wake, uint64_t disk)
{
	return request_disk(wake, disk)->issued.count == 0;
}

void request_hand_back(struct wake *wake, const struct request *range)
{
	int32_t index = oldest(wake, range->disk, range->sector, false);

	if (!hands_on(wake, range->disk))
		return;
	if (range->rwbs[0] == 'F')
		flush_hand_back(wake, range);
	if (index == INDEX_NONE || !range->sectors)
		return;
	wake->requests.items[index].completed = wake->now;
	close_request(wake, index);
}

static bool lasts_until(const struct request *request, int64_t ts)
{
	return request->queued <= ts && (request->completed == TIME_NONE || request->completed >= ts);
}

/*
 * A request that was split ends with the last of its parts, which has the time of the whole but another sector; so
 * the time goes before the sector.
 */
int32_t request_find(struct wake *wake, uint64_t disk, uint64_t sector, int64_t from, int64_t to)
{
	int32_t found = INDEX_NONE;

	if (hands_on(wake, disk))
		return INDEX_NONE;
	for (size_t i = wake->requests.count; i-- > 0;) {
		const struct request *request = &wake->requests.items[i];

		if (request->disk != disk || request->sector < sector || !lasts_until(request, to))
			continue;
		if (request->queued == from || request->issued == from)
			return (int32_t)i;
		if (request->sector == sector && found == INDEX_NONE)
			found = (int32_t)i;
	}
	return found;
}

int64_t request_end(const struct wake *wake, const struct request *request)
{
	const struct gap *gap;
	size_t lost;

	if (request->completed != TIME_NONE)
		return request->completed;
	lost = COUNT_UNTIL(wake->gaps.items, wake->gaps.count, to, request->issued);
	if (lost == wake->gaps.count)
		return wake->now;
	gap = &wake->gaps.items[lost];
	return gap->from > request->issued ? gap->from : request->issued;
}

static void settle(struct wake *wake, const struct request *request)
{
	struct disk *disk = request_disk(wake, request->disk);

	if (request->issued != TIME_NONE && request_end(wake, request) - request->issued > disk->longest)
		disk->longest = request_end(wake, request) - request->issued;
}

void request_settle(struct wake *wake)
{
	for (const struct open_request *open = wake->open; open; open = open->hh.next)
		for (int32_t i = open->first; i != INDEX_NONE; i = wake->requests.items[i].next)
			settle(wake, &wake->requests.items[i]);
	for (const struct disk *disk = wake->disks; disk; disk = disk->hh.next)
		for (size_t i = 0; i < disk->flushes.count; i++)
			settle(wake, &wake->requests.items[disk->flushes.items[i].request]);
}

void request_forget(struct wake *wake)
{
	struct open_request *open, *next_open;
	struct disk *disk, *next_disk;

	HASH_ITER(hh, wake->open, open, next_open)
	{
		HASH_DEL(wake->open, open);
		free(open);
	}
	while ((open = wake->spare)) {
		wake->spare = open->spare;
		free(open);
	}
	HASH_ITER(hh, wake->disks, disk, next_disk)
	{
		HASH_DEL(wake->disks, disk);
		free(disk->issued.items);
		free(disk->flushes.items);
		free(disk);
	}
	free(wake->requests.items);
	free(wake->data_parts.items);
}
