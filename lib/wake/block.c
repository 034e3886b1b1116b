#include "wake/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "wake/context.h"
#include "wake/loop_device.h"
#include "wake/part.h"
#include "wake/wake_name.h"
#include "wake/walk.h"

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

struct requests {
	ARRAY(struct request) all;
	ARRAY(struct data_part) data_parts;
	struct open_request *open, *spare; /* by disk and sector */
	struct disk *disks;
};

static struct requests *of(const struct wake *wake)
{
	return wake->of[PART_BLOCK];
}

struct request *request_at(const struct wake *wake, int32_t index)
{
	return &of(wake)->all.items[index];
}

struct data_part *block_data(const struct wake *wake, int32_t index)
{
	return &of(wake)->data_parts.items[index];
}

struct disk *block_disk(struct wake *wake, uint64_t dev)
{
	struct disk *disk;

	HASH_FIND(hh, of(wake)->disks, &dev, sizeof(dev), disk);
	if (!disk) {
		disk = NEW(struct disk);
		disk->dev = dev;
		HASH_ADD(hh, of(wake)->disks, dev, sizeof(dev), disk);
	}
	return disk;
}

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

static void behind_served(struct disk *disk, const struct request *request)
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

	while (first > 0 && request_at(wake, disk->issued.items[first - 1])->issued >= request->issued - disk->longest)
		first--;
	for (size_t i = first; i < disk->issued.count; i++) {
		const struct request *other = request_at(wake, disk->issued.items[i]);

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

int64_t block_behind(struct wake *wake, int32_t index)
{
	const struct request *request = request_at(wake, index);
	const struct disk *disk = block_disk(wake, request->disk);
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

static struct open_request *find_open(const struct wake *wake, uint64_t disk, uint64_t sector)
{
	struct place place = {disk, sector};
	struct open_request *open;

	HASH_FIND(hh, of(wake)->open, &place, sizeof(place), open);
	return open;
}

static struct open_request *add_open(struct wake *wake, uint64_t disk, uint64_t sector)
{
	struct open_request *open = of(wake)->spare;

	if (open)
		of(wake)->spare = open->spare;
	else
		open = NEW(struct open_request);
	open->place = (struct place){disk, sector};
	open->first = INDEX_NONE;
	HASH_ADD(hh, of(wake)->open, place, sizeof(open->place), open);
	return open;
}

static int32_t add_request(struct wake *wake, const struct request *request)
{
	int32_t index = (int32_t)of(wake)->all.count, *link;
	struct open_request *open = find_open(wake, request->disk, request->sector);
	struct request *added;

	if (!open)
		open = add_open(wake, request->disk, request->sector);
	added = ARRAY_ADD(&of(wake)->all);
	*added = *request;
	added->issued = added->completed = TIME_NONE;
	added->service_node = added->queue_node = added->behind_node = NODE_NONE;
	added->next = added->lower = added->data = INDEX_NONE;
	added->handed_on = 0;
	for (link = &open->first; *link != INDEX_NONE; link = &request_at(wake, *link)->next)
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

	for (int32_t i = open ? open->first : INDEX_NONE; i != INDEX_NONE; i = request_at(wake, i)->next) {
		const struct request *request = request_at(wake, i);

		if ((request->issued != TIME_NONE) != issued)
			continue;
		if ((issued ? request->issued : request->queued) >= core_since(wake))
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
	       (request_at(wake, index)->issued == TIME_NONE || request_at(wake, index)->sectors != sectors))
		index = request_at(wake, index)->next;
	return index == INDEX_NONE ? first : index;
}

static void close_request(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index);
	struct open_request *open = find_open(wake, request->disk, request->sector);
	int32_t *link = &open->first;

	while (*link != index)
		link = &request_at(wake, *link)->next;
	*link = request->next;
	request->next = INDEX_NONE;
	if (open->first != INDEX_NONE)
		return;
	HASH_DEL(of(wake)->open, open);
	open->spare = of(wake)->spare;
	of(wake)->spare = open;
}

/*
 * What blk-flush.c of the kernel does, as its events show it. A bio that asks for a flush (rwbs begins with F) waits
 * until the disk is sent a flush, a request of the kernel's own with rwbs FF and no sectors. One flush serves all that
 * had asked by then. Then the bio is over, or if it has data these are written as any other's. Where the disk cannot
 * write past its cache, data that must not stay there (F behind the W of the bio, none in the request) are followed by
 * another flush. At the end the kernel completes what the bio had become once more, with no sectors.
 */
enum flush_state { ASKED, RUNNING, AFTER, AFTER_RUNNING, OVER };

/* rwbs: F if a flush goes before it; W, R, D, or F for a flush that is nothing else; F if it goes past the cache. */
static int operation_at(const struct request *request)
{
	return request->rwbs[0] == 'F' && request->rwbs[1] && request->rwbs[1] != 'S' ? 1 : 0;
}

static bool flush_is(const struct request *request)
{
	return request->rwbs[operation_at(request)] == 'F';
}

static bool past_cache(const struct request *request)
{
	return request->rwbs[operation_at(request)] && request->rwbs[operation_at(request) + 1] == 'F';
}

static int32_t add_flush(struct wake *wake, const struct request *asker)
{
	struct disk *disk = block_disk(wake, asker->disk);
	struct request *request = ARRAY_ADD(&of(wake)->all);

	*request = *asker;
	request->sectors = 0;
	request->issued = request->completed = TIME_NONE;
	request->service_node = request->queue_node = request->behind_node = NODE_NONE;
	request->next = request->lower = request->data = INDEX_NONE;
	request->rwbs[0] = 'F';
	request->rwbs[1] = '\0';
	*ARRAY_ADD(&disk->flushes) = (struct flush){.request = (int32_t)of(wake)->all.count - 1,
						    .state = ASKED,
						    .alone = asker->sectors == 0};
	return (int32_t)of(wake)->all.count - 1;
}

static void flush_ask(struct wake *wake, const struct request *asker)
{
	if (asker->rwbs[0] == 'F')
		add_flush(wake, asker);
}

static void start_flush(struct wake *wake, struct disk *disk, struct flush *flush)
{
	if (flush->state == AFTER)
		flush->state = AFTER_RUNNING;
	if (flush->state != ASKED)
		return;
	flush->state = RUNNING;
	request_at(wake, flush->request)->issued = wake->now;
	*ARRAY_ADD(&disk->issued) = flush->request;
	loop_device_issue(wake, disk->dev, request_at(wake, flush->request)->owner);
}

static bool asked_since(const struct wake *wake, const struct flush *flush)
{
	return request_at(wake, flush->request)->queued >= core_since(wake);
}

/* What became of a flush from before events were lost is not known: the one that is issued is for those who asked since. */
static void forget_lost(const struct wake *wake, struct disk *disk)
{
	size_t kept = 0;
	bool asked = false;

	for (size_t i = 0; i < disk->flushes.count; i++)
		asked |= asked_since(wake, &disk->flushes.items[i]);
	for (size_t i = 0; asked && i < disk->flushes.count; i++)
		if (asked_since(wake, &disk->flushes.items[i]))
			disk->flushes.items[kept++] = disk->flushes.items[i];
	if (asked)
		disk->flushes.count = kept;
}

static void flush_issue(struct wake *wake, const struct request *range)
{
	struct disk *disk = block_disk(wake, range->disk);
	bool wanted = false;

	forget_lost(wake, disk);
	for (size_t i = 0; i < disk->flushes.count; i++)
		wanted |= disk->flushes.items[i].state == ASKED || disk->flushes.items[i].state == AFTER;
	if (!wanted)
		add_flush(wake, range); /* asked for before the data */
	for (size_t i = 0; i < disk->flushes.count; i++)
		start_flush(wake, disk, &disk->flushes.items[i]);
}

static void complete_flush(struct wake *wake, struct disk *disk, struct flush *flush)
{
	struct request *request = request_at(wake, flush->request);

	request->completed = wake->now;
	behind_served(disk, request);
	loop_device_complete(wake, flush->request);
	flush->state = OVER;
}

static int32_t flush_complete(struct wake *wake, const struct request *range)
{
	struct disk *disk = block_disk(wake, range->disk);
	int32_t first = INDEX_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < disk->flushes.count; i++) {
		struct flush flush = disk->flushes.items[i];

		if (flush.state == OVER)
			continue; /* how it ended was not seen */
		if (flush.state == RUNNING || flush.state == AFTER_RUNNING)
			complete_flush(wake, disk, &flush);
		if (flush.state == OVER && !flush.alone)
			continue; /* its data are next */
		if (flush.state == OVER && first == INDEX_NONE)
			first = flush.request;
		disk->flushes.items[kept++] = flush;
	}
	disk->flushes.count = kept;
	return first;
}

static void remove_flush(struct disk *disk, size_t at)
{
	for (disk->flushes.count--; at < disk->flushes.count; at++)
		disk->flushes.items[at] = disk->flushes.items[at + 1];
}

static int32_t take_first(struct disk *disk, int state)
{
	for (size_t i = 0; i < disk->flushes.count; i++)
		if (disk->flushes.items[i].state == state) {
			int32_t request = disk->flushes.items[i].request;

			remove_flush(disk, i);
			return request;
		}
	return INDEX_NONE;
}

static int32_t flush_over(struct wake *wake, const struct request *range)
{
	return take_first(block_disk(wake, range->disk), OVER);
}

static void flush_data_issued(struct request *request, const struct request *range)
{
	request->flush_after = past_cache(request) && !past_cache(range);
}

static void flush_data_completed(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index);

	if (request->flush_after) {
		request->data = (int32_t)of(wake)->data_parts.count;
		*ARRAY_ADD(&of(wake)->data_parts) = (struct data_part){request->ender, wake->now, NODE_NONE};
		request->ender = (struct ender){CAUSE_NONE, INDEX_NONE};
	}
	if (request->flush_after || request->rwbs[0] == 'F')
		*ARRAY_ADD(&block_disk(wake, request->disk)->flushes) = (struct flush){
			.request = index, .state = request->flush_after ? AFTER : OVER, .alone = true};
}

static void flush_hand_back(struct wake *wake, const struct request *range)
{
	int32_t index = take_first(block_disk(wake, range->disk), ASKED);

	if (index != INDEX_NONE)
		request_at(wake, index)->completed = wake->now;
}

static void issue(struct wake *wake, int32_t index)
{
	struct disk *disk = block_disk(wake, request_at(wake, index)->disk);

	request_at(wake, index)->issued = wake->now;
	*ARRAY_ADD(&disk->issued) = index;
	loop_device_issue(wake, disk->dev, request_at(wake, index)->owner);
}

/* The device takes less than was queued: the rest will be issued later. */
static void split(struct wake *wake, int32_t index, uint32_t sectors)
{
	struct request rest = *request_at(wake, index);

	request_at(wake, index)->sectors = sectors;
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

	return index != INDEX_NONE && at + request_at(wake, index)->sectors <= end ? index : INDEX_NONE;
}

static void request_issue(struct wake *wake, const struct request *range)
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
		if (at + request_at(wake, index)->sectors > end)
			split(wake, index, (uint32_t)(end - at));
		issue(wake, index);
		flush_data_issued(request_at(wake, index), range);
		at += request_at(wake, index)->sectors;
	} while (at < end && request_at(wake, index)->sectors);
}

static void request_requeue(struct wake *wake, const struct request *range)
{
	uint64_t at = range->sector, end = at + range->sectors;
	int32_t index;

	while (at < end && (index = oldest(wake, range->disk, at, true)) != INDEX_NONE) {
		request_at(wake, index)->issued = TIME_NONE;
		if (!request_at(wake, index)->sectors)
			return;
		at += request_at(wake, index)->sectors;
	}
}

static int32_t request_complete(struct wake *wake, const struct request *range)
{
	struct disk *disk = block_disk(wake, range->disk);
	uint64_t at = range->sector, end = at + range->sectors;
	int32_t index, first = INDEX_NONE, last = INDEX_NONE;
	struct request *request;

	do {
		index = issued_for(wake, range->disk, at, end - at);
		if (index == INDEX_NONE)
			break;
		request = request_at(wake, index);
		if (at + request->sectors > end) {
			split(wake, index, (uint32_t)(end - at));
			issue(wake, (int32_t)of(wake)->all.count - 1);
			request = request_at(wake, index);
			request_at(wake, of(wake)->all.count - 1)->issued = request->issued;
		}
		request->completed = wake->now;
		behind_served(disk, request);
		loop_device_complete(wake, index);
		if (first == INDEX_NONE)
			first = index;
		close_request(wake, index);
		if (last != INDEX_NONE)
			request_at(wake, last)->next = index;
		last = index;
		flush_data_completed(wake, index);
		at += request->sectors;
	} while (at < end && request->sectors);
	return first;
}

static int32_t request_own(const struct wake *wake, int32_t first, int32_t thread)
{
	for (int32_t i = first; i != INDEX_NONE; i = request_at(wake, i)->next)
		if (request_at(wake, i)->submitter == thread || request_at(wake, i)->owner == thread)
			return i;
	return first;
}

/*
 * A device that hands its bios on to others (device mapper, md) issues none itself: who waits for them waits for what
 * the others do.
 */
static bool hands_on(struct wake *wake, uint64_t disk)
{
	return block_disk(wake, disk)->issued.count == 0;
}

static void request_hand_back(struct wake *wake, const struct request *range)
{
	int32_t index = oldest(wake, range->disk, range->sector, false);

	if (!hands_on(wake, range->disk))
		return;
	if (range->rwbs[0] == 'F')
		flush_hand_back(wake, range);
	if (index == INDEX_NONE || !range->sectors)
		return;
	request_at(wake, index)->completed = wake->now;
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
static int32_t request_find(struct wake *wake, uint64_t disk, uint64_t sector, int64_t from, int64_t to)
{
	int32_t found = INDEX_NONE;

	if (hands_on(wake, disk))
		return INDEX_NONE;
	for (size_t i = of(wake)->all.count; i-- > 0;) {
		const struct request *request = request_at(wake, i);

		if (request->disk != disk || request->sector < sector || !lasts_until(request, to))
			continue;
		if (request->queued == from || request->issued == from)
			return (int32_t)i;
		if (request->sector == sector && found == INDEX_NONE)
			found = (int32_t)i;
	}
	return found;
}

int64_t block_end(const struct wake *wake, const struct request *request)
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
	struct disk *disk = block_disk(wake, request->disk);

	if (request->issued != TIME_NONE && block_end(wake, request) - request->issued > disk->longest)
		disk->longest = block_end(wake, request) - request->issued;
}

/* No more events: disk->longest counts those still in service, too. */
static void settle_all(struct wake *wake)
{
	for (const struct open_request *open = of(wake)->open; open; open = open->hh.next)
		for (int32_t i = open->first; i != INDEX_NONE; i = request_at(wake, i)->next)
			settle(wake, request_at(wake, i));
	for (const struct disk *disk = of(wake)->disks; disk; disk = disk->hh.next)
		for (size_t i = 0; i < disk->flushes.count; i++)
			settle(wake, request_at(wake, disk->flushes.items[i].request));
}

static void forget(struct wake *wake)
{
	struct open_request *open, *next_open;
	struct disk *disk, *next_disk;

	HASH_ITER(hh, of(wake)->open, open, next_open)
	{
		HASH_DEL(of(wake)->open, open);
		free(open);
	}
	while ((open = of(wake)->spare)) {
		of(wake)->spare = open->spare;
		free(open);
	}
	HASH_ITER(hh, of(wake)->disks, disk, next_disk)
	{
		HASH_DEL(of(wake)->disks, disk);
		free(disk->issued.items);
		free(disk->flushes.items);
		free(disk);
	}
	ARRAY_FREE(&of(wake)->all);
	ARRAY_FREE(&of(wake)->data_parts);
}

enum { DEV, SECTOR, NR_SECTOR, RWBS };

/* A bio names the partition that it was sent to, but its sector is already that of the disk. */
static struct request request_of(const struct at *at)
{
	struct request request = {
		.disk = events_device_disk(at->wake->events, (uint64_t)at_number(at, DEV)),
		.sector = (uint64_t)at_number(at, SECTOR),
		.sectors = (uint32_t)at_number(at, NR_SECTOR),
		.submitter = INDEX_NONE,
		.owner = INDEX_NONE,
		.upper = INDEX_NONE,
		.queued = at->wake->now,
	};

	at_text(at, RWBS, request.rwbs, sizeof(request.rwbs));
	return request;
}

static void on_bio_queue(struct at *at)
{
	struct request request = request_of(at);
	const struct thread *submitter;

	submitter = at_thread(at);
	request.submitter = submitter->index;
	request.owner = core_served(at->wake, submitter);
	flush_ask(at->wake, &request);
	if (request.sectors)
		loop_device_submit(at->wake, submitter, add_request(at->wake, &request));
}

static void on_rq_issue(struct at *at)
{
	struct request range = request_of(at);

	if (range.sectors)
		request_issue(at->wake, &range);
	else if (flush_is(&range))
		flush_issue(at->wake, &range);
}

static void on_rq_requeue(struct at *at)
{
	struct request range = request_of(at);

	request_requeue(at->wake, &range);
}

static void on_rq_complete(struct at *at)
{
	struct request range = request_of(at);
	int32_t completed;

	loop_device_ender(at->wake, at->cpu, range.disk, at->event->tid, at_flags(at));
	if (range.sectors)
		completed = request_complete(at->wake, &range);
	else if (flush_is(&range))
		completed = flush_complete(at->wake, &range);
	else
		completed = flush_over(at->wake, &range);
	context_completed(at->cpu, CAUSE_REQUEST, completed, at_flags(at));
}

static void on_bio_complete(struct at *at)
{
	struct request range = request_of(at);

	request_hand_back(at->wake, &range);
}

/* A loop device serves a request no longer than what ended that. */
static void walk_ender(struct walk *walk, int32_t index, const struct ender *ender, int64_t end, struct errand errand)
{
	const struct request *request = request_at(walk->cut.wake, index);
	const struct thread *waiter;
	const struct raise *raise;
	int32_t node = errand.after;

	errand.edge = EDGE_WAKE;
	errand.ts = end;
	errand.at = sooner(errand.at, end);
	errand.part = ender->cause == CAUSE_REQUEST ? PART_BLOCK : PART_SCHED;
	errand.index = ender->index;
	if (ender->cause == CAUSE_RAISED) {
		raise = &walk->cut.wake->raises.items[ender->index];
		waiter = core_sync(walk->cut.wake, request->owner == INDEX_NONE ? raise->thread : request->owner);
		errand.after = raised_node(&walk->cut, waiter, raise, end);
		walk_link(walk, errand.after, node, EDGE_WAKE, end);
		errand.index = raise->thread;
		errand.at = sooner(errand.at, raise->ts);
		errand.edge = EDGE_SEQ;
	}
	walk_later(walk, errand);
}

/*
 * What ended the service of the errand's request. Who waits for a write that is followed by a flush before that is over is the
 * flush. Returns the node of the service.
 */
static int32_t walk_service(struct walk *walk, struct errand errand)
{
	struct request *request = request_at(walk->cut.wake, errand.index);
	struct data_part *data = request->data == INDEX_NONE ? NULL : block_data(walk->cut.wake, request->data);
	const struct ender *ender = &request->ender;
	int64_t end = request->completed;
	bool is_data = false;

	if (data && errand.at >= data->completed && (request->completed == TIME_NONE || errand.at < request->completed)) {
		ender = &data->ender;
		end = data->completed;
		is_data = true;
	}
	errand.after = is_data ? data_node(&walk->cut, errand.index) : service_node(&walk->cut, errand.index);
	errand.floor = later(errand.floor, request->issued);
	if (ender->cause != CAUSE_NONE && walk_visit(walk, errand.after, errand.floor))
		walk_ender(walk, errand.index, ender, end, errand);
	return errand.after;
}

static void walk_request(struct walk *walk, struct errand errand)
{
	const struct request *request = request_at(walk->cut.wake, errand.index);
	int32_t node = NODE_NONE;

	if (request->issued != TIME_NONE && request->issued < errand.at) {
		node = walk_service(walk, errand);
		walk_link(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
		errand.edge = EDGE_SEQ;
		errand.ts = TIME_NONE;
		node = walk->cut.graph->nodes.items[node].what == WHAT_SERVICE && node == request->service_node
			       ? behind_node(&walk->cut, errand.index)
			       : NODE_NONE;
		if (node != NODE_NONE) {
			walk_link(walk, node, errand.after, errand.edge, errand.ts);
			errand.after = node;
		}
		node = errand.after;
		if (request->issued <= errand.floor)
			return;
	}
	if (request->submitter == INDEX_NONE)
		return;
	if (request->issued != request->queued) {
		node = queue_node(&walk->cut, errand.index);
		walk_link(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
	}
	if (request->queued <= errand.floor || node == NODE_NONE)
		return;
	walk_later(walk, (struct errand){.part = PART_SCHED,
					 .index = request->submitter,
					 .at = request->queued,
					 .floor = errand.floor,
					 .after = errand.after,
					 .edge = EDGE_SEQ,
					 .ts = TIME_NONE,
					 .asker = errand.asker});
}

static void wakes(struct wake *wake, struct waking *waking)
{
	if (waking->cause == CAUSE_REQUEST)
		waking->index = request_own(wake, waking->index, waking->woken->index);
}

static void explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	(void)node;
	errand.part = PART_BLOCK;
	errand.index = thread->pieces.items[at].cause_index;
	walk_later(walk, errand);
}

/* A request that was queued before the data: what is wanted tells when, and by whom. */
static void tell_beginning(struct wake *wake, const struct wake_wanted *wanted, struct request *request)
{
	struct thread *thread;

	if (request->submitter != INDEX_NONE || wanted->start >= request->issued || wanted->tid == TID_IDLE)
		return;
	thread = core_thread(wake, wanted->tid);
	if (!thread->comm && *wanted->comm)
		thread->comm = memory_text(wanted->comm, strlen(wanted->comm));
	request->queued = wanted->start;
	request->submitter = request->owner = thread->index;
}

static int32_t find(struct wake *wake, const struct wake_wanted *wanted)
{
	int32_t index = INDEX_NONE;

	if (wanted->request)
		index = request_find(wake, wanted->disk, wanted->sector, wanted->start, wanted->ts);
	if (index != INDEX_NONE)
		tell_beginning(wake, wanted, request_at(wake, index));
	return index;
}

static const struct part_event events[] = {
	{"block:block_bio_queue", on_bio_queue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_issue", on_rq_issue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_requeue", on_rq_requeue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_complete", on_rq_complete, {"dev", "sector", "nr_sector", "rwbs"}, .completing = true},
	{"block:block_bio_complete", on_bio_complete, {"dev", "sector", "nr_sector", "rwbs"}, .completing = true},
	{"block:block_io_done", NULL, .completing = true},
	{0},
};

const struct part block_part = {
	.events = events,
	.window = sizeof(struct requests),
	.forget = forget,
	.wakes = wakes,
	.find = find,
	.cut = settle_all,
	.walk = walk_request,
	.explain = explain,
};
