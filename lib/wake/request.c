#include "wake/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "wake/disk.h"
#include "wake/part.h"

/*
 * Open requests are found by the slot of 512 sectors in which they begin. For an event, the slots of its range are searched
 * and, for requests that reach into the range, as many slots before it as the widest request of the disk spans. Requests that
 * span more than WIDE slots share one slot of the disk; for an event of more than LONG slots, all slots are searched instead. If a
 * slot has SLOT_MAX requests, the oldest is given up: it stays without an end.
 */
enum { SLOT_SHIFT = 9, WIDE = 16, LONG = 4096, SLOT_MAX = 1 << 12 };
#define WIDE_SLOT UINT64_MAX

struct place {
	uint64_t disk, slot;
};

struct slot_of_disk {
	struct place place;
	int32_t first, last, count; /* open requests, linked by next_open */
	struct slot_of_disk *spare; /* next in the list of unused slots */
	UT_hash_handle hh;
};

struct unit { /* a part of an event's range that no request has taken yet */
	uint64_t from, to;
};

struct requests {
	ARRAY(struct request) all;
	ARRAY(struct data_part) data_parts;
	struct slot_of_disk *slots, *spare;
	/* of the event at hand */
	ARRAY(int32_t) near; /* open requests that reach into its range */
	ARRAY(struct unit) units, left;
	ARRAY(int32_t) taken;
};

static struct requests *of(const struct wake *wake)
{
	return ((const struct block_window *)wake->of[PART_BLOCK])->requests;
}

void request_begin(struct wake *wake)
{
	((struct block_window *)wake->of[PART_BLOCK])->requests = NEW(struct requests);
}

void request_free(struct wake *wake)
{
	free(of(wake));
}

struct request *request_at(const struct wake *wake, int32_t index)
{
	return &of(wake)->all.items[index];
}

struct data_part *request_data(const struct wake *wake, int32_t index)
{
	return &of(wake)->data_parts.items[index];
}

/* --- open requests, by slot ---------------------------------------------------------------------------------------------- */

static unsigned hash_of(const struct place *place)
{
	uint64_t hash = (place->disk ^ place->slot * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);

	return (unsigned)(hash >> 32);
}

static struct slot_of_disk *find_slot(const struct wake *wake, uint64_t disk, uint64_t slot)
{
	struct place place = {disk, slot};
	struct slot_of_disk *found;

	HASH_FIND_BYHASHVALUE(hh, of(wake)->slots, &place, sizeof(place), hash_of(&place), found);
	return found;
}

static struct slot_of_disk *add_slot(struct wake *wake, uint64_t disk, uint64_t slot)
{
	struct slot_of_disk *added = of(wake)->spare;

	if (added)
		of(wake)->spare = added->spare;
	else
		added = NEW(struct slot_of_disk);
	added->place = (struct place){disk, slot};
	added->first = added->last = INDEX_NONE;
	added->count = 0;
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, of(wake)->slots, &added->place, sizeof(added->place), hash_of(&added->place), added);
	return added;
}

static uint64_t slots_of(const struct request *request)
{
	return (request->sectors >> SLOT_SHIFT) + 1;
}

static uint64_t slot_number(const struct request *request)
{
	return slots_of(request) > WIDE ? WIDE_SLOT : request->sector >> SLOT_SHIFT;
}

static void close_request(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index);
	struct slot_of_disk *slot = find_slot(wake, request->disk, slot_number(request));
	int32_t before = INDEX_NONE, at = slot->first;

	for (; at != index; at = request_at(wake, at)->next_open)
		before = at;
	*(before == INDEX_NONE ? &slot->first : &request_at(wake, before)->next_open) = request->next_open;
	if (slot->last == index)
		slot->last = before;
	request->next_open = INDEX_NONE;
	if (--slot->count)
		return;
	HASH_DEL(of(wake)->slots, slot);
	slot->spare = of(wake)->spare;
	of(wake)->spare = slot;
}

static void open_request(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index);
	struct disk *disk = disk_at(wake, request->disk);
	struct slot_of_disk *slot = find_slot(wake, request->disk, slot_number(request));

	if (!slot)
		slot = add_slot(wake, request->disk, slot_number(request));
	*(slot->last == INDEX_NONE ? &slot->first : &request_at(wake, slot->last)->next_open) = index;
	slot->last = index;
	slot->count++;
	if (slots_of(request) > WIDE)
		disk->has_wide = true;
	else if (slots_of(request) > disk->widest)
		disk->widest = slots_of(request);
}

static int32_t keep(struct wake *wake, const struct request *request)
{
	struct request *kept = ARRAY_ADD(&of(wake)->all);

	*kept = *request;
	kept->issued = kept->completed = TIME_NONE;
	kept->service_node = kept->queue_node = kept->behind_node = NODE_NONE;
	kept->next = kept->next_open = kept->lower = kept->data = INDEX_NONE;
	kept->handed_on = 0;
	return (int32_t)of(wake)->all.count - 1;
}

int32_t request_queue(struct wake *wake, const struct request *request)
{
	struct slot_of_disk *slot = find_slot(wake, request->disk, slot_number(request));
	int32_t index = keep(wake, request);

	if (slot && slot->count >= SLOT_MAX)
		close_request(wake, slot->first);
	open_request(wake, index);
	return index;
}

int32_t request_add_flush(struct wake *wake, const struct request *request)
{
	struct request flush = *request;

	flush.sectors = 0;
	flush.rwbs[0] = 'F';
	flush.rwbs[1] = '\0';
	return keep(wake, &flush);
}

/* --- sharing an event out ------------------------------------------------------------------------------------------------- */

enum lacking { LACKS_ISSUE, LACKS_COMPLETION };

static bool lacks(const struct request *request, enum lacking what)
{
	return (request->issued == TIME_NONE) == (what == LACKS_ISSUE);
}

static void gather_in(struct wake *wake, const struct slot_of_disk *slot, const struct unit *range, enum lacking what)
{
	for (int32_t i = slot ? slot->first : INDEX_NONE; i != INDEX_NONE; i = request_at(wake, i)->next_open) {
		const struct request *request = request_at(wake, i);

		if (request->sector < range->to && request->sector + request->sectors > range->from && lacks(request, what))
			*ARRAY_ADD(&of(wake)->near) = i;
	}
}

static void gather_everywhere(struct wake *wake, uint64_t disk, const struct unit *range, enum lacking what)
{
	for (const struct slot_of_disk *slot = of(wake)->slots; slot; slot = slot->hh.next)
		if (slot->place.disk == disk)
			gather_in(wake, slot, range, what);
}

/* Events were lost since the request: what became of it is not known, so it is taken only if there is no other. */
static bool is_stale(const struct wake *wake, const struct request *request)
{
	return (request->issued != TIME_NONE ? request->issued : request->queued) < core_since(wake);
}

static int by_age(const struct wake *wake, int32_t one, int32_t two)
{
	const struct request *left = request_at(wake, one), *right = request_at(wake, two);

	if (is_stale(wake, left) != is_stale(wake, right))
		return is_stale(wake, left) ? 1 : -1;
	if (left->queued != right->queued)
		return left->queued < right->queued ? -1 : 1;
	return one < two ? -1 : 1;
}

static int older_first(const void *a, const void *b, void *context)
{
	return by_age(context, *(const int32_t *)a, *(const int32_t *)b);
}

static int lower_first(const void *a, const void *b, void *context)
{
	int32_t one = *(const int32_t *)a, two = *(const int32_t *)b;
	const struct request *left = request_at(context, one), *right = request_at(context, two);

	if (left->sector != right->sector)
		return left->sector < right->sector ? -1 : 1;
	return by_age(context, one, two);
}

static void sort(struct wake *wake, int32_t *list, size_t count, int (*compare)(const void *a, const void *b, void *context))
{
	if (count > 1)
		qsort_r(list, count, sizeof(*list), compare, wake);
}

/* Collects in `near` the open requests that reach into the range and lack an issue or a completion, as `what` says. */
static void gather(struct wake *wake, uint64_t dev, const struct unit *range, enum lacking what)
{
	uint64_t first = range->from >> SLOT_SHIFT, last = (range->to - 1) >> SLOT_SHIFT;
	const struct disk *disk = disk_at(wake, dev);

	of(wake)->near.count = 0;
	first -= first < disk->widest ? first : disk->widest;
	if (last - first > LONG) {
		gather_everywhere(wake, dev, range, what);
	} else {
		if (disk->has_wide)
			gather_in(wake, find_slot(wake, dev, WIDE_SLOT), range, what);
		for (uint64_t slot = first; slot <= last; slot++)
			gather_in(wake, find_slot(wake, dev, slot), range, what);
	}
}

/* Cuts the request at this sector, which lies in it: the rest becomes a request of its own. Returns the index of the rest. */
static int32_t cut_off(struct wake *wake, int32_t index, uint64_t at)
{
	struct request rest = *request_at(wake, index);
	int64_t issued = rest.issued;
	int32_t behind;

	close_request(wake, index);
	request_at(wake, index)->sectors = (uint32_t)(at - rest.sector);
	open_request(wake, index);
	rest.sectors -= (uint32_t)(at - rest.sector);
	rest.sector = at;
	behind = keep(wake, &rest);
	open_request(wake, behind);
	request_at(wake, behind)->issued = issued;
	if (issued != TIME_NONE)
		*ARRAY_ADD(&disk_at(wake, rest.disk)->issued) = behind;
	return behind;
}

/* Takes the units that lie in the request out of the list. The request is cut where a unit begins or ends. */
static void take_units(struct wake *wake, int32_t index)
{
	struct requests *requests = of(wake);

	requests->left.count = 0;
	for (size_t i = 0; i < requests->units.count; i++) {
		struct unit unit = requests->units.items[i];
		const struct request *request = request_at(wake, index);
		uint64_t begin = request->sector, end = begin + request->sectors;
		uint64_t from = unit.from > begin ? unit.from : begin, to = unit.to < end ? unit.to : end;

		if (from >= to) {
			*ARRAY_ADD(&requests->left) = unit;
			continue;
		}
		if (from > begin)
			index = cut_off(wake, index, from);
		*ARRAY_ADD(&requests->taken) = index;
		if (to < end)
			index = cut_off(wake, index, to);
		if (unit.from < from)
			*ARRAY_ADD(&requests->left) = (struct unit){unit.from, from};
		if (to < unit.to)
			*ARRAY_ADD(&requests->left) = (struct unit){to, unit.to};
	}
	requests->units.count = 0;
	for (size_t i = 0; i < requests->left.count; i++)
		*ARRAY_ADD(&requests->units) = requests->left.items[i];
}

/* Of the requests from near[*at] on that begin at this sector: the one that ends where the event ends, else the oldest; INDEX_NONE: none. */
static int32_t begins_at(const struct wake *wake, size_t *at, uint64_t sector, uint64_t end)
{
	const struct requests *requests = of(wake);
	int32_t found = INDEX_NONE;

	for (; *at < requests->near.count; ++*at) {
		int32_t index = requests->near.items[*at];
		const struct request *request = request_at(wake, index);

		if (request->sector > sector)
			break;
		if (request->sector < sector)
			continue;
		if (sector + request->sectors == end)
			return index;
		if (found == INDEX_NONE)
			found = index;
	}
	return found;
}

/* Takes the requests that follow each other from the begin of the range on: the device has merged them. Returns how far they reach. */
static uint64_t take_chain(struct wake *wake, const struct unit *range)
{
	uint64_t at = range->from;
	size_t next = 0;
	int32_t index;

	sort(wake, of(wake)->near.items, of(wake)->near.count, lower_first);
	while (at < range->to && (index = begins_at(wake, &next, at, range->to)) != INDEX_NONE) {
		if (at + request_at(wake, index)->sectors > range->to)
			cut_off(wake, index, range->to);
		*ARRAY_ADD(&of(wake)->taken) = index;
		at += request_at(wake, index)->sectors;
	}
	return at;
}

/*
 * Shares the event's range out among the requests that lack it: first to those that it may consist of, then sector by sector. Units that
 * no request takes stay in the list.
 */
static void share_out(struct wake *wake, const struct request *event, enum lacking what)
{
	struct requests *requests = of(wake);
	struct unit range = {event->sector, event->sector + event->sectors};

	requests->units.count = requests->taken.count = 0;
	if (range.from >= range.to)
		return;
	gather(wake, event->disk, &range, what);
	range.from = take_chain(wake, &range);
	if (range.from == range.to)
		return;
	*ARRAY_ADD(&requests->units) = range;
	sort(wake, requests->near.items, requests->near.count, older_first);
	for (size_t i = 0; i < requests->near.count && requests->units.count; i++)
		take_units(wake, requests->near.items[i]);
}

/* Links the requests that were taken, and returns the first. */
static int32_t link_taken(struct wake *wake)
{
	struct requests *requests = of(wake);

	sort(wake, requests->taken.items, requests->taken.count, lower_first);
	for (size_t i = 0; i < requests->taken.count; i++)
		request_at(wake, requests->taken.items[i])->next =
			i + 1 < requests->taken.count ? requests->taken.items[i + 1] : INDEX_NONE;
	return requests->taken.count ? requests->taken.items[0] : INDEX_NONE;
}

/*
 * The device takes a request that is not queued. Either it was queued before the data; or the device was full and had handed it back, which the
 * data do not show, and it is issued once more. It is no second request for the same sectors at the same time: that would have been queued, too.
 */
static void take_strangers(struct wake *wake, const struct request *event)
{
	struct requests *requests = of(wake);
	struct request stranger = *event;

	gather(wake, event->disk, &(struct unit){event->sector, event->sector + event->sectors}, LACKS_COMPLETION);
	for (size_t i = 0; i < requests->near.count && requests->units.count; i++) {
		const struct request *request = request_at(wake, requests->near.items[i]);
		bool whole = false;

		for (size_t j = 0; j < requests->units.count; j++)
			whole |= requests->units.items[j].from <= request->sector &&
				 request->sector + request->sectors <= requests->units.items[j].to;
		if (whole)
			take_units(wake, requests->near.items[i]);
	}
	for (size_t i = 0; i < requests->units.count; i++) {
		stranger.sector = requests->units.items[i].from;
		stranger.sectors = (uint32_t)(requests->units.items[i].to - stranger.sector);
		*ARRAY_ADD(&requests->taken) = request_queue(wake, &stranger);
	}
}

int32_t request_issue(struct wake *wake, const struct request *range)
{
	struct disk *disk = disk_at(wake, range->disk);
	int32_t first;

	share_out(wake, range, LACKS_ISSUE);
	if (of(wake)->units.count)
		take_strangers(wake, range);
	first = link_taken(wake);
	for (int32_t i = first; i != INDEX_NONE; i = request_at(wake, i)->next) {
		request_at(wake, i)->issued = wake->now;
		*ARRAY_ADD(&disk->issued) = i;
	}
	return first;
}

void request_requeue(struct wake *wake, const struct request *range)
{
	share_out(wake, range, LACKS_COMPLETION);
	for (size_t i = 0; i < of(wake)->taken.count; i++)
		request_at(wake, of(wake)->taken.items[i])->issued = TIME_NONE;
}

int32_t request_complete(struct wake *wake, const struct request *range)
{
	int32_t first;

	share_out(wake, range, LACKS_COMPLETION);
	first = link_taken(wake);
	for (int32_t i = first; i != INDEX_NONE; i = request_at(wake, i)->next) {
		disk_served(wake, request_at(wake, i));
		close_request(wake, i);
	}
	return first;
}

/* The oldest request that ends where the range ends and was not issued; INDEX_NONE: there is none. */
static int32_t find_whole(struct wake *wake, const struct request *range)
{
	struct unit near = {range->sector, range->sector + range->sectors};

	if (near.to == 0)
		return INDEX_NONE;
	near.from -= near.from == near.to;
	gather(wake, range->disk, &near, LACKS_ISSUE);
	sort(wake, of(wake)->near.items, of(wake)->near.count, older_first);
	for (size_t i = 0; i < of(wake)->near.count; i++) {
		const struct request *request = request_at(wake, of(wake)->near.items[i]);

		if (request->sector + request->sectors == near.to)
			return of(wake)->near.items[i];
	}
	return INDEX_NONE;
}

int32_t request_find_queued(struct wake *wake, uint64_t disk, uint64_t sector, uint32_t sectors)
{
	struct unit range = {sector, sector + sectors};

	if (range.from >= range.to)
		return INDEX_NONE;
	gather(wake, disk, &range, LACKS_ISSUE);
	sort(wake, of(wake)->near.items, of(wake)->near.count, older_first);
	for (size_t i = 0; i < of(wake)->near.count; i++) {
		const struct request *request = request_at(wake, of(wake)->near.items[i]);

		if (request->sector <= range.from && range.to <= request->sector + request->sectors)
			return of(wake)->near.items[i];
	}
	return INDEX_NONE;
}

int32_t request_hand_back(struct wake *wake, const struct request *range)
{
	int32_t index = find_whole(wake, range);

	if (index == INDEX_NONE)
		return INDEX_NONE;
	request_at(wake, index)->completed = wake->now;
	request_at(wake, index)->next = INDEX_NONE;
	close_request(wake, index);
	return index;
}

void request_add_data(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index);

	request->data = (int32_t)of(wake)->data_parts.count;
	*ARRAY_ADD(&of(wake)->data_parts) = (struct data_part){request->ender, wake->now, NODE_NONE};
	request->ender = (struct ender){CAUSE_NONE, INDEX_NONE};
}

/*
 * A request that was cut ends with the last of its parts. That has the time of the whole but another sector, so the time counts more
 * than the sector.
 */
int32_t request_find(const struct wake *wake, uint64_t disk, uint64_t sector, int64_t from, int64_t to)
{
	int32_t found = INDEX_NONE;

	for (size_t i = of(wake)->all.count; i-- > 0;) {
		const struct request *request = request_at(wake, (int32_t)i);

		if (request->disk != disk || request->sector < sector || request->queued > to ||
		    (request->completed != TIME_NONE && request->completed < to))
			continue;
		if (request->queued == from || request->issued == from)
			return (int32_t)i;
		if (request->sector == sector && found == INDEX_NONE)
			found = (int32_t)i;
	}
	return found;
}

/* --- the end of a window -------------------------------------------------------------------------------------------------- */

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
	struct disk *disk = disk_at(wake, request->disk);

	if (request->issued != TIME_NONE && request_end(wake, request) - request->issued > disk->longest)
		disk->longest = request_end(wake, request) - request->issued;
}

void request_settle(struct wake *wake)
{
	for (const struct slot_of_disk *slot = of(wake)->slots; slot; slot = slot->hh.next)
		for (int32_t i = slot->first; i != INDEX_NONE; i = request_at(wake, i)->next_open)
			settle(wake, request_at(wake, i));
	for (const struct disk *disk = disk_first(wake); disk; disk = disk->hh.next)
		for (size_t i = 0; i < disk->flushes.count; i++)
			settle(wake, request_at(wake, disk->flushes.items[i].request));
}

static void forget_slots(struct requests *requests)
{
	struct slot_of_disk *slot, *next;

	HASH_ITER(hh, requests->slots, slot, next)
	{
		HASH_DEL(requests->slots, slot);
		free(slot);
	}
	while ((slot = requests->spare)) {
		requests->spare = slot->spare;
		free(slot);
	}
}

void request_forget(struct wake *wake)
{
	struct requests *requests = of(wake);

	forget_slots(requests);
	disk_forget(wake);
	ARRAY_FREE(&requests->all);
	ARRAY_FREE(&requests->data_parts);
	ARRAY_FREE(&requests->near);
	ARRAY_FREE(&requests->units);
	ARRAY_FREE(&requests->left);
	ARRAY_FREE(&requests->taken);
}
