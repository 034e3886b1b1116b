#include "wake/wake.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/*
 * What drivers/block/loop.c of the kernel does, as its events show it. Requests of the device loop0 are put on a list, and
 * a work on the queue loop0 does them one after the other, in the order of their issue (each control group may have a list
 * and a work of its own). Either it does the whole of one, sleeps and all, or it submits requests to the disk of the
 * file behind the device, which complete it when they are complete.
 */

/* LOOP_MAJOR of the kernel's major.h */
enum { MAJOR = 7, MINOR_BITS = 20 };

/* What the device's request waited for was over for less than this part of its time when it was completed. */
enum { SLIVER = 10 };

uint64_t backed_by(const struct wake *wake, const char *queue)
{
	static const char prefix[] = "loop";
	char name[NUMBER_ROOM], spelled[NUMBER_ROOM];
	uint64_t minor, dev;

	if (strncmp(queue, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	queue += sizeof(prefix) - 1;
	if (number_count(queue, strlen(queue), &minor) < 0 || minor >> MINOR_BITS)
		return 0;
	dev = (uint64_t)MAJOR << MINOR_BITS | minor;
	events_device_name(wake->events, dev, name, sizeof(name));
	device_spell(spelled, dev);
	/* A device may have several numbers, for partitions. */
	return strcmp(name, spelled) == 0 || strcmp(name, queue - sizeof(prefix) + 1) == 0 ? dev : 0;
}

void backed_queue(struct wake *wake, uint64_t address, const struct work *work)
{
	struct backing *backing = work->serves ? &request_disk(wake, work->serves)->backing : NULL;

	if (!backing)
		return;
	backing->several |= backing->work && backing->work != address;
	backing->work = address;
}

/* A work that does the requests of several is nobody's. */
static void share(int32_t *owner, int32_t with)
{
	if (*owner == OWNER_NOBODY)
		*owner = with;
	else if (*owner != with)
		*owner = INDEX_NONE;
}

void backed_start(struct wake *wake, int32_t index)
{
	struct work *work = &wake->works.items[index];
	struct backing *backing = work->serves ? &request_disk(wake, work->serves)->backing : NULL;

	if (!backing)
		return;
	if (backing->owner != OWNER_NOBODY)
		work->owner = backing->owner;
	backing->owner = OWNER_NOBODY;
	backing->working = index;
}

/* Unless it is wanted again already, it has left nothing to do. */
void backed_end(struct wake *wake, int32_t index)
{
	const struct work *work = &wake->works.items[index];
	struct disk *disk = work->serves ? request_disk(wake, work->serves) : NULL;

	if (!disk || disk->backing.working != index)
		return;
	disk->backing.working = INDEX_NONE;
	if (work_is_queued(wake, disk->backing.work))
		return;
	disk->backing.disorder = false;
	disk->backing.next = disk->issued.count;
}

/*
 * The device's request that is next to be done, or the rest of it: where it is in disk->issued. `count` if nobody knows: as
 * long as one that a work did the whole of is not told, it may have done others, of which nothing told.
 */
static size_t find_next(const struct wake *wake, struct backing *backing, const struct disk *disk)
{
	if (backing->disorder || backing->several || backing->did)
		return disk->issued.count;
	for (; backing->next < disk->issued.count; backing->next++) {
		const struct request *request = &wake->requests.items[disk->issued.items[backing->next]];

		if (request->completed == TIME_NONE && (!request->sectors || request->handed_on < request->sectors))
			break;
	}
	return backing->next;
}

void backed_did(struct wake *wake, int32_t index)
{
	uint64_t dev = index == INDEX_NONE ? 0 : wake->works.items[index].serves;

	if (dev)
		request_disk(wake, dev)->backing.did = true;
}

/* The work that is being done may do it, or the next. */
void backed_issue(struct wake *wake, struct disk *disk, int32_t request)
{
	int32_t owner = wake->requests.items[request].owner;

	share(&disk->backing.owner, owner);
	if (disk->backing.working != INDEX_NONE)
		share(&wake->works.items[disk->backing.working].owner, owner);
}

/* How many sectors are left of that request, and of those that were merged with it: all were issued at once. Enough of them. */
static uint64_t left_of(const struct wake *wake, const struct disk *disk, size_t at, const struct request *lower)
{
	const struct request *first = NULL, *request;
	uint64_t left = 0;

	for (; at < disk->issued.count && left < lower->sectors; at++, first = first ? first : request) {
		request = &wake->requests.items[disk->issued.items[at]];
		if (request->rwbs[0] != lower->rwbs[0] || (first && request->issued != first->issued))
			break;
		left += request->sectors - request->handed_on;
	}
	return left;
}

static void hand_on(struct wake *wake, struct disk *disk, int32_t index)
{
	struct request *lower = &wake->requests.items[index], *upper;
	size_t at = find_next(wake, &disk->backing, disk);
	uint32_t left = lower->sectors, part;
	int32_t owner = OWNER_NOBODY;

	if (at == disk->issued.count)
		return;
	upper = &wake->requests.items[disk->issued.items[at]];
	if (!upper->sectors || disk->backing.whole) {
		lower->owner = upper->owner == INDEX_NONE ? lower->submitter : upper->owner;
		return;
	}
	if (left > left_of(wake, disk, at, lower))
		return;
	for (lower->upper = disk->issued.items[at]; left; left -= part, at++) {
		upper = &wake->requests.items[disk->issued.items[at]];
		part = upper->sectors - upper->handed_on;
		part = left < part ? left : part;
		upper->handed_on += part;
		upper->lower = index;
		share(&owner, upper->owner);
	}
	lower->owner = owner == INDEX_NONE ? lower->submitter : owner;
}

void backed_submit(struct wake *wake, const struct thread *thread, int32_t request)
{
	const struct work *work = thread->work == INDEX_NONE ? NULL : &wake->works.items[thread->work];
	struct disk *disk = work && work->serves ? request_disk(wake, work->serves) : NULL;

	if (!disk)
		return;
	wake->requests.items[request].serves = disk->dev;
	hand_on(wake, disk, request);
}

/*
 * What is complete is put on a list, for a soft interrupt. Where that was raised is known of the first on the list: by the
 * work that did the request; or by one that the completion of the request of the other disk had queued; or right there.
 */
void backed_ender(struct wake *wake, struct cpu *cpu, uint64_t disk, int32_t tid, int flags)
{
	const struct context *at = &cpu->context[cpu->depth];
	int32_t index, did = INDEX_NONE;
	const struct work *work;
	enum cause cause;

	wake->ender = (struct ender){CAUSE_NONE, INDEX_NONE};
	wake->handed_on = INDEX_NONE;
	if (!request_disk(wake, disk)->backing.work)
		return;
	cause = context_cause(wake, cpu, tid, flags, &index);
	if (at->kind == CONTEXT_SOFTIRQ && cause != CAUSE_REQUEST) {
		did = at->by.work;
		wake->handed_on = at->by.completed;
	} else if (cause == CAUSE_THREAD) {
		did = wake->threads.items[index]->work;
	}
	work = did == INDEX_NONE ? NULL : &wake->works.items[did];
	if (work && work->by.thread == INDEX_NONE && work->cause == CAUSE_REQUEST)
		wake->handed_on = work->cause_index;
	if (wake->handed_on != INDEX_NONE && wake->requests.items[wake->handed_on].serves != disk)
		wake->handed_on = INDEX_NONE;
	if (work && (cause == CAUSE_THREAD || cause == CAUSE_RAISED) && (work->serves == disk || wake->handed_on != INDEX_NONE))
		wake->ender = (struct ender){(uint8_t)cause, index};
	else if (wake->handed_on != INDEX_NONE)
		wake->ender = (struct ender){CAUSE_REQUEST, wake->handed_on};
}

/* It is not known after all for whom it was submitted, nor for whom others were. */
static void take_back(struct wake *wake, struct request *lower)
{
	request_disk(wake, lower->serves)->backing.disorder = true;
	lower->owner = lower->submitter;
	lower->upper = INDEX_NONE;
}

/* What was thought of the order is put right by what is known. */
static void compare(struct wake *wake, struct request *request)
{
	struct request *lower = request->lower == INDEX_NONE ? NULL : &wake->requests.items[request->lower];

	if (lower && (request->handed_on < request->sectors || lower->completed == TIME_NONE)) {
		take_back(wake, lower);
		request->lower = INDEX_NONE;
	}
	if (wake->handed_on == INDEX_NONE)
		return;
	lower = &wake->requests.items[wake->handed_on];
	if (lower->upper == INDEX_NONE)
		lower->owner = request->owner;
	else if (wake->requests.items[lower->upper].issued != request->issued)
		take_back(wake, lower);
}

void backed_complete(struct wake *wake, int32_t index)
{
	struct request *request = &wake->requests.items[index], *lower;
	struct backing *backing = &request_disk(wake, request->disk)->backing;
	bool did = wake->ender.cause != CAUSE_NONE && wake->handed_on == INDEX_NONE;

	if (request->upper != INDEX_NONE && wake->requests.items[request->upper].completed == TIME_NONE)
		wake->requests.items[request->upper].lower = index;
	if (!backing->work)
		return;
	if (did)
		backing->did = false;
	else
		compare(wake, request);
	if (request->sectors && wake->ender.cause != CAUSE_NONE)
		backing->whole = did;
	if (wake->ender.cause != CAUSE_NONE) {
		request->ender = wake->ender;
		return;
	}
	lower = request->lower == INDEX_NONE ? NULL : &wake->requests.items[request->lower];
	if (lower && wake->now - lower->completed <= (wake->now - request->issued) / SLIVER)
		request->ender = (struct ender){CAUSE_REQUEST, request->lower};
}
