#include "wake/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "wake/context.h"
#include "wake/device_queue.h"
#include "wake/disk.h"
#include "wake/earlier_names.h"
#include "wake/loop_device.h"
#include "wake/part.h"
#include "wake/recording.h"
#include "wake/request.h"
#include "wake/stacked.h"
#include "wake/swap.h"
#include "wake/walk.h"

/*
 * What the kernel's blk-flush.c does, as its events show it. A bio that asks for a flush (its rwbs begins with F) waits
 * until the kernel sends the disk a flush, a request of the kernel's own with rwbs FF and no sectors. One flush serves all bios
 * that had asked by then. Then the bio is over or, if it has data, these are written like any others. If the disk cannot
 * write past its cache, data that must not stay there (F behind the W of the bio, none in the request) are followed by
 * another flush. At the end the kernel completes the request that the bio became once more, with no sectors.
 */
enum flush_state { ASKED, RUNNING, AFTER, AFTER_RUNNING, OVER };

/* rwbs: F if a flush goes before it; then W, R, D, or F for a mere flush; then F if it goes past the cache. Returns the index of the operation. */
static int operation_at(const struct request *request)
{
	return request->rwbs[0] == 'F' && request->rwbs[1] && request->rwbs[1] != 'S' ? 1 : 0;
}

/* Tells whether the request is a flush and nothing else. */
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
	struct disk *disk = disk_at(wake, asker->disk);
	int32_t request = request_add_flush(wake, asker);

	*ARRAY_ADD(&disk->flushes) = (struct flush){.request = request, .state = ASKED, .alone = asker->sectors == 0};
	return request;
}

/* A bio is queued, which may ask for a flush. */
static void flush_queued(struct wake *wake, const struct request *asker)
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

/* A flush that was asked for before a loss of events may have ended unseen. If others asked since, the flush that is issued now serves only those. */
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

/*
 * flush_issued(): a flush is issued. flush_complete(): it is complete. flush_over(): a bio that asked for it is complete. The last two
 * return the first request that is over; INDEX_NONE: none.
 */
static void flush_issued(struct wake *wake, const struct request *range)
{
	struct disk *disk = disk_at(wake, range->disk);
	bool wanted = false;

	forget_lost(wake, disk);
	for (size_t i = 0; i < disk->flushes.count; i++)
		wanted |= disk->flushes.items[i].state == ASKED || disk->flushes.items[i].state == AFTER;
	if (!wanted)
		add_flush(wake, range); /* asked for before the data */
	for (size_t i = 0; i < disk->flushes.count; i++)
		start_flush(wake, disk, &disk->flushes.items[i]);
}

static void complete_flush(struct wake *wake, struct flush *flush)
{
	disk_served(wake, request_at(wake, flush->request));
	loop_device_complete(wake, flush->request);
	flush->state = OVER;
}

static int32_t flush_complete(struct wake *wake, const struct request *range)
{
	struct disk *disk = disk_at(wake, range->disk);
	int32_t first = INDEX_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < disk->flushes.count; i++) {
		struct flush flush = disk->flushes.items[i];

		if (flush.state == OVER)
			continue; /* how it ended was not seen */
		if (flush.state == RUNNING || flush.state == AFTER_RUNNING)
			complete_flush(wake, &flush);
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
	return take_first(disk_at(wake, range->disk), OVER);
}

/* flush_data_issued(): the data of a request are issued as this range. flush_data_written(): they are written. */
static void flush_data_issued(struct request *request, const struct request *range)
{
	request->flush_after = past_cache(request) && !past_cache(range);
}

static void flush_data_written(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index);

	if (request->flush_after)
		request_add_data(wake, index);
	if (request->flush_after || request->rwbs[0] == 'F')
		*ARRAY_ADD(&disk_at(wake, request->disk)->flushes) = (struct flush){
			.request = index, .state = request->flush_after ? AFTER : OVER, .alone = true};
}

static void flush_handed_back(struct wake *wake, const struct request *range)
{
	int32_t index = take_first(disk_at(wake, range->disk), ASKED);

	if (index != INDEX_NONE)
		request_at(wake, index)->completed = wake->now;
}

static struct block_window *of(const struct wake *wake)
{
	return wake->of[PART_BLOCK];
}

/* --- a list of the submitter's -------------------------------------------------------------------------------------------- */

/*
 * A thread that submits several bios gathers them in a list of its own (a plug), and queues them in one go: at the latest when it goes to
 * sleep, but not when it loses its CPU. Until then nobody else can issue them.
 */

/* How long the disk served other requests between these times. */
static int64_t served_others(const struct wake *wake, const struct disk *disk, const struct request *request, int64_t from, int64_t to)
{
	size_t first = disk->issued.count;
	int64_t served = 0, since = from;

	while (first > 0 && request_at(wake, disk->issued.items[first - 1])->issued >= from - disk->longest)
		first--;
	for (size_t i = first; i < disk->issued.count; i++) {
		const struct request *other = request_at(wake, disk->issued.items[i]);
		int64_t start = later(since, other->issued), end = sooner(to, request_end(wake, other));

		if (other == request || start >= end)
			continue;
		served += end - start;
		since = end;
	}
	return served;
}

static int64_t time_running(const struct wake *wake, const struct thread *thread, int64_t from, int64_t to)
{
	size_t at = thread_find(thread, from);
	int64_t ran = 0;

	for (at -= at > 0; at < thread->pieces.count && thread->pieces.items[at].start < to; at++)
		if (thread->pieces.items[at].what == WHAT_RUN)
			ran += sooner(to, thread_piece_end(wake, thread, at)) - later(from, thread->pieces.items[at].start);
	return ran;
}

/*
 * Tells whether the request was in its submitter's list until it was issued. If the submitter ran for at least half of that time, and the disk
 * served others for as long, the request may as well have been queued.
 */
static bool was_plugged(struct wake *wake, const struct request *request)
{
	int64_t time;

	if (!request->own_issue || request->issued == TIME_NONE)
		return false;
	time = request->issued - request->queued;
	return time_running(wake, wake->threads.items[request->submitter], request->queued, request->issued) < time / 2 ||
	       served_others(wake, disk_at(wake, request->disk), request, request->queued, request->issued) < time / 2;
}

/* --- events --------------------------------------------------------------------------------------------------------------- */

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

/*
 * Tells whether the device hands its bios on to others (device mapper, md): it issues none itself. A wait for its bios is a
 * wait for the other devices.
 */
static bool hands_on(struct wake *wake, uint64_t disk)
{
	return disk_at(wake, disk)->issued.count == 0;
}

static void on_bio_queue(struct at *at)
{
	struct request request = request_of(at);
	const struct thread *submitter;
	int32_t index;

	submitter = at_thread(at);
	request.swaps = events_device_swaps(at->wake->events, (uint64_t)at_number(at, DEV));
	request.submitter = submitter->index;
	request.owner = core_served(at->wake, submitter);
	flush_queued(at->wake, &request);
	if (!request.sectors)
		return;
	index = request_queue(at->wake, &request);
	stacked_submit(at->wake, index);
	loop_device_submit(at->wake, submitter, index);
}

static bool has_slept(const struct thread *thread, int64_t since)
{
	size_t at = thread_find(thread, since);

	for (at -= at > 0; at < thread->pieces.count; at++)
		if (thread->pieces.items[at].what == WHAT_WAIT || thread->pieces.items[at].what == WHAT_UNKNOWN)
			return true;
	return false;
}

static void issue(struct wake *wake, const struct request *range, const struct thread *issuer)
{
	for (int32_t i = request_issue(wake, range); i != INDEX_NONE; i = request_at(wake, i)->next) {
		struct request *request = request_at(wake, i);

		request->own_issue = issuer && issuer->index == request->submitter && !has_slept(issuer, request->queued);
		loop_device_issue(wake, range->disk, request_at(wake, i)->owner);
		flush_data_issued(request_at(wake, i), range);
	}
}

static void on_rq_issue(struct at *at)
{
	struct request range = request_of(at);

	if (range.sectors)
		issue(at->wake, &range, at_own(at));
	else if (flush_is(&range))
		flush_issued(at->wake, &range);
}

static void on_rq_requeue(struct at *at)
{
	struct request range = request_of(at);

	request_requeue(at->wake, &range);
}

static int32_t complete(struct wake *wake, const struct request *range)
{
	int32_t first = request_complete(wake, range);

	for (int32_t i = first; i != INDEX_NONE; i = request_at(wake, i)->next) {
		loop_device_complete(wake, i);
		flush_data_written(wake, i);
	}
	return first;
}

static void on_rq_complete(struct at *at)
{
	struct request range = request_of(at);
	int32_t completed;

	loop_device_ender(at->wake, at->cpu, range.disk, at->event->tid, at_flags(at));
	if (range.sectors)
		completed = complete(at->wake, &range);
	else if (flush_is(&range))
		completed = flush_complete(at->wake, &range);
	else
		completed = flush_over(at->wake, &range);
	context_completed(at->cpu, CAUSE_REQUEST, completed, at_flags(at));
}

static void on_bio_complete(struct at *at)
{
	struct request range = request_of(at);

	if (!hands_on(at->wake, range.disk))
		return;
	if (range.rwbs[0] == 'F')
		flush_handed_back(at->wake, &range);
	request_hand_back(at->wake, &range);
}

/* --- nodes: queued before a device, behind others in it, in service --------------------------------------------------------- */

enum { DISK_ROOM = 64 };

static const char *operation_name(const struct request *request)
{
	switch (request->rwbs[0]) {
	case 'R':
		return request->swaps ? "swap-in" : "read";
	case 'W':
		return request->swaps ? "swap-out" : "write";
	case 'D':
		return "discard";
	case 'F':
		return request->rwbs[1] == 'W' ? "write" : "flush";
	default:
		return "request";
	}
}

/* Index of the thread that the request is for, or whose pages it swaps out; INDEX_NONE: not known. */
static int32_t owner(const struct cut *cut, const struct request *request)
{
	int32_t swapped = request->swaps && request->rwbs[0] == 'W' ? swap_owner_at(cut->wake, request->queued) : INDEX_NONE;

	return swapped == INDEX_NONE ? request->owner : swapped;
}

/* A request's deed and detail, and the texts in them. */
struct request_deed {
	struct deed deed;
	struct deed_detail detail;
	char dev[NUMBER_ROOM], disk[DISK_ROOM];
};

static void tell_device(struct cut *cut, struct request_deed *told, uint64_t dev)
{
	device_spell(told->dev, dev);
	events_device_name(cut->wake->events, dev, told->disk, sizeof(told->disk));
	told->deed.dev = told->dev;
	told->detail.disk = strcmp(told->dev, told->disk) ? told->disk : NULL;
}

static int32_t request_node(struct cut *cut, struct request_deed *told, enum deed_kind kind, enum node_what what,
			    const struct request *request, int64_t start, int64_t end)
{
	int32_t index, by = owner(cut, request);
	const struct thread *thread = by == INDEX_NONE ? NULL : cut->wake->threads.items[by];

	told->deed.kind = kind;
	told->deed.cpu = CPU_NONE;
	told->deed.request = operation_name(request);
	*(kind == DEED_SERVICE ? &told->deed.who : &told->deed.whom) = thread ? wake_comm_at(cut->wake, thread, request->queued) : NULL;
	told->deed.pipe = kind == DEED_SERVICE && thread && events_of_pipe(cut->wake->events, thread->tid);
	tell_device(cut, told, request->disk);
	told->detail.cpu = CPU_NONE;
	told->detail.sector = kind == DEED_SERVICE && request->sectors ? request->sector : NO_SECTOR; /* a flush is of the whole disk */
	index = new_node(cut, what, start, end, thread ? thread->tid : 0, &told->deed);
	graph_detail(cut->graph, index, &told->detail);
	return index;
}

/* Tells whether more requests were issued after this one, and are complete, than a device would serve before it. */
static bool is_overtaken(struct wake *wake, const struct request *request)
{
	const struct disk *disk = disk_at(wake, request->disk);
	int count = 0;

	for (size_t i = disk->issued.count; i-- > 0 && count < OVERTAKEN_MIN;) {
		const struct request *other = request_at(wake, disk->issued.items[i]);

		if (other->issued < request->issued)
			break;
		count += other->issued > request->issued && other->completed != TIME_NONE;
	}
	return count == OVERTAKEN_MIN;
}

/* The reason why a completion that the data lack may have come unseen, as the key doubt= of a deed; NULL: none, or the data have it. */
static const char *doubt_of(struct wake *wake, int32_t index)
{
	const struct request *request = request_at(wake, index);

	if (request->completed != TIME_NONE || recording_vouched(wake))
		return NULL;
	return is_overtaken(wake, request) ? "overtaken" : recording_doubt(wake, request->issued);
}

static int32_t new_service(struct cut *cut, int32_t index, const struct ender *ender, int64_t end)
{
	const struct request *request = request_at(cut->wake, index);
	struct request_deed told = {0};

	*ARRAY_ADD(&of(cut->wake)->drawn) = index;
	told.deed.doubt = doubt_of(cut->wake, index);
	return request_node(cut, &told, DEED_SERVICE, ender->cause == CAUSE_NONE ? WHAT_SERVICE : WHAT_WAIT, request, request->issued, end);
}

static int32_t service_node(struct cut *cut, int32_t index)
{
	struct request *request = request_at(cut->wake, index);

	if (request->service_node == NODE_NONE)
		request->service_node = new_service(cut, index, &request->ender, request_end(cut->wake, request));
	return request->service_node;
}

static int32_t data_node(struct cut *cut, int32_t index)
{
	struct data_part *data = request_data(cut->wake, request_at(cut->wake, index)->data);

	if (data->node == NODE_NONE)
		data->node = new_service(cut, index, &data->ender, data->completed);
	return data->node;
}

/* A request that was issued longer ago than any service lasted is over. */
void block_add_served(struct cut *cut, uint64_t dev, int32_t index, int32_t node, int64_t from, int64_t to)
{
	const struct disk *disk = disk_at(cut->wake, dev);
	size_t at = disk->issued.count;

	while (at-- > 0) {
		int32_t other = disk->issued.items[at];
		const struct request *request = request_at(cut->wake, other);

		if (request->issued == TIME_NONE || request->issued >= to || other == index)
			continue;
		if (request_end(cut->wake, request) <= from) {
			if (request->issued < from - disk->longest)
				break;
			continue;
		}
		graph_edge(cut->graph, service_node(cut, other), node, EDGE_QUEUE, TIME_NONE);
	}
}

/*
 * The blame of a queue node itself is the time in which its disk served no request. The scheduler is to blame for that,
 * so the node has its name.
 */
static int32_t queue_node(struct cut *cut, int32_t index)
{
	struct request *request = request_at(cut->wake, index);
	int64_t end = request->issued == TIME_NONE ? cut->wake->now : request->issued;
	const char *scheduler = events_device_scheduler(cut->wake->events, request->disk);
	struct request_deed told = {0};

	if (request->queue_node != NODE_NONE)
		return request->queue_node;
	told.deed.scheduler = *scheduler && strcmp(scheduler, "none") ? scheduler : NULL;
	request->queue_node = request_node(cut, &told, DEED_HOLD_BACK, WHAT_QUEUE, request, request->queued, end);
	*ARRAY_ADD(&of(cut->wake)->drawn) = index;
	block_add_served(cut, request->disk, index, request->queue_node, later(request->queued, cut->graph->from),
		   sooner(end, cut->graph->to));
	return request->queue_node;
}

/* The time in which the request stood behind others in the device. The rest of the time in service is its own. */
static int32_t behind_node(struct cut *cut, int32_t index)
{
	struct request *request = request_at(cut->wake, index);
	int32_t service = service_node(cut, index);
	struct request_deed told = {0};
	int64_t until;

	if (request->behind_node != NODE_NONE)
		return request->behind_node;
	until = device_queue_until(cut->wake, index);
	if (until <= request->issued)
		return NODE_NONE;
	request->behind_node = request_node(cut, &told, DEED_BEHIND, WHAT_QUEUE, request, request->issued, until);
	block_add_served(cut, request->disk, index, request->behind_node, later(request->issued, cut->graph->from),
		   sooner(until, cut->graph->to));
	cut->graph->nodes.items[service].start = until;
	return request->behind_node;
}

/* --- the walk ------------------------------------------------------------------------------------------------------------- */

/* The service of a loop device's request lasts until something else ends it: the walk goes on with that. */
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
		errand.after = context_raised_node(&walk->cut, waiter, raise, end);
		walk_link(walk, errand.after, node, EDGE_WAKE, end);
		errand.index = raise->thread;
		errand.at = sooner(errand.at, raise->ts);
		errand.edge = EDGE_SEQ;
	}
	walk_later(walk, errand);
}

/*
 * Goes on from the end of the service of the errand's request. At a time when the data of a write are written and the request is not complete,
 * the flush that follows the data waited for them. Returns the node of the service.
 */
static int32_t walk_service(struct walk *walk, struct errand errand)
{
	struct request *request = request_at(walk->cut.wake, errand.index);
	struct data_part *data = request->data == INDEX_NONE ? NULL : request_data(walk->cut.wake, request->data);
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
	int64_t since = request->queued; /* when its submitter was done with it */
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
	if (was_plugged(walk->cut.wake, request)) {
		since = request->issued;
	} else if (request->issued != request->queued) {
		node = queue_node(&walk->cut, errand.index);
		walk_link(walk, node, errand.after, errand.edge, errand.ts);
		errand.after = node;
	}
	if (since <= errand.floor || (node == NODE_NONE && since == request->queued))
		return;
	walk_later(walk, (struct errand){.part = PART_SCHED,
					 .index = request->submitter,
					 .at = sooner(errand.at, since),
					 .floor = errand.floor,
					 .after = errand.after,
					 .edge = node == NODE_NONE ? errand.edge : EDGE_SEQ,
					 .ts = node == NODE_NONE ? errand.ts : TIME_NONE,
					 .asker = errand.asker});
}

static int32_t own_request(const struct wake *wake, int32_t first, int32_t thread)
{
	for (int32_t i = first; i != INDEX_NONE; i = request_at(wake, i)->next)
		if (request_at(wake, i)->submitter == thread || request_at(wake, i)->owner == thread)
			return i;
	return first;
}

static void wakes(struct wake *wake, struct waking *waking)
{
	if (waking->cause == CAUSE_REQUEST)
		waking->index = own_request(wake, waking->index, waking->woken->index);
}

static void explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	(void)node;
	errand.part = PART_BLOCK;
	errand.index = thread->pieces.items[at].cause_index;
	walk_later(walk, errand);
}

/* If the request was queued before the data, `wanted` tells when, and by which thread. */
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
	if (index != INDEX_NONE && hands_on(wake, wanted->disk))
		index = request_at(wake, index)->lower; /* the last part of it to complete */
	if (index != INDEX_NONE)
		tell_beginning(wake, wanted, request_at(wake, index));
	return index;
}

/* Forgets the nodes of the last graph: this is another one. */
static void cut_all(struct wake *wake)
{
	for (size_t i = 0; i < of(wake)->drawn.count; i++) {
		struct request *request = request_at(wake, of(wake)->drawn.items[i]);

		request->service_node = request->queue_node = request->behind_node = NODE_NONE;
		if (request->data != INDEX_NONE)
			request_data(wake, request->data)->node = NODE_NONE;
	}
	of(wake)->drawn.count = 0;
	request_settle(wake);
}

static void forget(struct wake *wake)
{
	of(wake)->drawn.count = 0;
	request_forget(wake);
}

static void free_all(struct wake *wake)
{
	free(of(wake)->drawn.items);
	request_free(wake);
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
	.window = sizeof(struct block_window),
	.begin = request_begin,
	.forget = forget,
	.free = free_all,
	.wakes = wakes,
	.find = find,
	.cut = cut_all,
	.walk = walk_request,
	.explain = explain,
};
