#include "wake/wake_node.h"

#include <string.h>

#include "base/number.h"
#include "wake/block.h"
#include "wake/writeback.h"

/* The nodes of block requests: queued before a device, behind others in it, in service. */

enum { DISK_ROOM = 64 };

static const char *operation(const struct request *request)
{
	switch (request->rwbs[0]) {
	case 'R':
		return "read";
	case 'W':
		return "write";
	case 'D':
		return "discard";
	case 'F':
		return request->rwbs[1] == 'W' ? "write" : "flush";
	default:
		return "request";
	}
}

/* NULL: not known. */
static const char *owner(const struct cut *cut, const struct request *request)
{
	return request->owner == INDEX_NONE ? NULL
						: wake_comm_at(cut->wake, cut->wake->threads.items[request->owner], request->queued);
}

static int32_t owner_tid(const struct cut *cut, const struct request *request)
{
	return request->owner == INDEX_NONE ? 0 : cut->wake->threads.items[request->owner]->tid;
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
	int32_t index;

	told->deed.kind = kind;
	told->deed.cpu = CPU_NONE;
	told->deed.request = operation(request);
	*(kind == DEED_SERVICE ? &told->deed.who : &told->deed.whom) = owner(cut, request);
	tell_device(cut, told, request->disk);
	told->detail.cpu = CPU_NONE;
	told->detail.sector = kind == DEED_SERVICE && request->sectors ? request->sector : NO_SECTOR; /* a flush is of the whole disk */
	index = new_node(cut, what, start, end, owner_tid(cut, request), &told->deed);
	graph_detail(cut->graph, index, &told->detail);
	return index;
}

static int32_t new_service(struct cut *cut, int32_t index, const struct ender *ender, int64_t end)
{
	const struct request *request = request_at(cut->wake, index);
	struct request_deed told = {0};

	*ARRAY_ADD(&cut->requests) = index;
	return request_node(cut, &told, DEED_SERVICE, ender->cause == CAUSE_NONE ? WHAT_SERVICE : WHAT_WAIT, request, request->issued, end);
}

int32_t service_node(struct cut *cut, int32_t index)
{
	struct request *request = request_at(cut->wake, index);

	if (request->service_node == NODE_NONE)
		request->service_node = new_service(cut, index, &request->ender, block_end(cut->wake, request));
	return request->service_node;
}

int32_t data_node(struct cut *cut, int32_t index)
{
	struct data_part *data = block_data(cut->wake, request_at(cut->wake, index)->data);

	if (data->node == NODE_NONE)
		data->node = new_service(cut, index, &data->ender, data->completed);
	return data->node;
}

/*
 * Requests that the disk served while this one (INDEX_NONE: a thread) was queued; those issued earlier than any service
 * lasted are over.
 */
static void add_served(struct cut *cut, uint64_t dev, int32_t index, int32_t node, int64_t from, int64_t to)
{
	const struct disk *disk = block_disk(cut->wake, dev);
	size_t at = disk->issued.count;

	while (at-- > 0) {
		int32_t other = disk->issued.items[at];
		const struct request *request = request_at(cut->wake, other);

		if (request->issued == TIME_NONE || request->issued >= to || other == index)
			continue;
		if (block_end(cut->wake, request) <= from) {
			if (request->issued < from - disk->longest)
				break;
			continue;
		}
		graph_edge(cut->graph, service_node(cut, other), node, EDGE_QUEUE, TIME_NONE);
	}
}

/*
 * What is blamed on a queue node itself is the time in which its disk served nobody: the doing of the scheduler, which
 * so has its name there.
 */
int32_t queue_node(struct cut *cut, int32_t index)
{
	struct request *request = request_at(cut->wake, index);
	int64_t end = request->issued == TIME_NONE ? cut->wake->now : request->issued;
	const char *scheduler = events_device_scheduler(cut->wake->events, request->disk);
	struct request_deed told = {0};

	if (request->queue_node != NODE_NONE)
		return request->queue_node;
	told.deed.scheduler = *scheduler && strcmp(scheduler, "none") ? scheduler : NULL;
	request->queue_node = request_node(cut, &told, DEED_HOLD_BACK, WHAT_QUEUE, request, request->queued, end);
	*ARRAY_ADD(&cut->requests) = index;
	add_served(cut, request->disk, index, request->queue_node, later(request->queued, cut->graph->from),
		   sooner(end, cut->graph->to));
	return request->queue_node;
}

/* The rest of the time that it was in service is its own. */
int32_t behind_node(struct cut *cut, int32_t index)
{
	struct request *request = request_at(cut->wake, index);
	int64_t until = block_behind(cut->wake, index);
	int32_t service = service_node(cut, index);
	struct request_deed told = {0};

	if (request->behind_node != NODE_NONE || until <= request->issued)
		return request->behind_node;
	request->behind_node = request_node(cut, &told, DEED_BEHIND, WHAT_QUEUE, request, request->issued, until);
	add_served(cut, request->disk, index, request->behind_node, later(request->issued, cut->graph->from),
		   sooner(until, cut->graph->to));
	cut->graph->nodes.items[service].start = until;
	return request->behind_node;
}

int32_t dirty_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	uint64_t dev = writeback_disk(cut->wake, wait);
	const char *name = wake_disk_name(cut->wake->names, dev);
	struct request_deed told = {.deed.kind = DEED_THROTTLE_DIRTY, .deed.cpu = CPU_NONE, .detail.cpu = CPU_NONE, .detail.sector = NO_SECTOR};
	int32_t node;

	told.detail.disk = name ? name : events_device_name(cut->wake->events, dev, told.disk, sizeof(told.disk));
	told.deed.whom = wake_comm_at(cut->wake, thread, wait->start);
	node = new_node(cut, WHAT_QUEUE, wait->start, end, thread->tid, &told.deed);
	graph_detail(cut->graph, node, &told.detail);
	add_served(cut, dev, INDEX_NONE, node, later(wait->start, cut->graph->from), sooner(end, cut->graph->to));
	return node;
}
