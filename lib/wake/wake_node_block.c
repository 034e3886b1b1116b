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

static const char *owner(const struct cut *cut, const struct request *request)
{
	return request->owner == INDEX_NONE ? "unknown"
						: wake_comm_at(cut->wake, cut->wake->threads.items[request->owner], request->queued);
}

static int32_t owner_tid(const struct cut *cut, const struct request *request)
{
	return request->owner == INDEX_NONE ? 0 : cut->wake->threads.items[request->owner]->tid;
}

/* A flush is of the whole disk. */
static char *service_label(const struct cut *cut, const struct request *request)
{
	char disk[DISK_ROOM], *place = request->sectors ? memory_format(" sector %llu", (unsigned long long)request->sector)
							: memory_format("%s", ""), *label;

	events_device_name(cut->wake->events, request->disk, disk, sizeof(disk));
	label = memory_format("%s of %s%s by %s/%d", operation(request), disk, place, owner(cut, request),
			      owner_tid(cut, request));
	free(place);
	return label;
}

static int32_t new_service(struct cut *cut, int32_t index, const struct ender *ender, int64_t end)
{
	const struct request *request = request_at(cut->wake, index);
	char dev[NUMBER_ROOM];

	device_spell(dev, request->disk);
	*ARRAY_ADD(&cut->requests) = index;
	return new_node(cut, ender->cause == CAUSE_NONE ? WHAT_SERVICE : WHAT_WAIT, request->issued, end,
			owner_tid(cut, request),
			memory_format("%s: %s of %s in service", owner(cut, request), operation(request), dev),
			service_label(cut, request));
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
	bool scheduled = *scheduler && strcmp(scheduler, "none");
	char dev[NUMBER_ROOM], disk[DISK_ROOM];

	if (request->queue_node != NODE_NONE)
		return request->queue_node;
	device_spell(dev, request->disk);
	events_device_name(cut->wake->events, request->disk, disk, sizeof(disk));
	request->queue_node = new_node(cut, WHAT_QUEUE, request->queued, end, owner_tid(cut, request),
				       memory_format("%s of %s: held back %s by %s", scheduled ? scheduler : "queue",
						     dev, operation(request), owner(cut, request)),
				       scheduled ? memory_format("queued in %s of %s", scheduler, disk)
						 : memory_format("queued before %s", disk));
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
	char dev[NUMBER_ROOM], disk[DISK_ROOM];

	if (request->behind_node != NODE_NONE || until <= request->issued)
		return request->behind_node;
	device_spell(dev, request->disk);
	events_device_name(cut->wake->events, request->disk, disk, sizeof(disk));
	request->behind_node = new_node(cut, WHAT_QUEUE, request->issued, until, owner_tid(cut, request),
					memory_format("queue of %s: held back %s by %s", dev, operation(request),
						      owner(cut, request)),
					memory_format("behind others in %s", disk));
	add_served(cut, request->disk, index, request->behind_node, later(request->issued, cut->graph->from),
		   sooner(until, cut->graph->to));
	cut->graph->nodes.items[service].start = until;
	return request->behind_node;
}

int32_t dirty_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	uint64_t dev = writeback_disk(cut->wake, wait);
	const char *name = wake_disk_name(cut->wake->names, dev);
	char disk[DISK_ROOM];
	int32_t node;

	if (!name)
		name = events_device_name(cut->wake->events, dev, disk, sizeof(disk));
	node = new_node(cut, WHAT_QUEUE, wait->start, end, thread->tid,
			memory_format("dirty throttled: %s", wake_comm_at(cut->wake, thread, wait->start)),
			memory_format("until %s keeps up with what is written", name));
	add_served(cut, dev, INDEX_NONE, node, later(wait->start, cut->graph->from), sooner(end, cut->graph->to));
	return node;
}
