#include "wake/loop_device.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/number.h"
#include "wake/context.h"
#include "wake/disk.h"
#include "wake/part.h"
#include "wake/softirq.h"

/*
 * What the kernel's drivers/block/loop.c does, as its events show it. Requests of the device loop0 are put on a list, and
 * a work on the queue loop0 does them one after the other, in the order of their issue (each control group may have a list
 * and a work of its own). The work either does the whole of a request, sleeps and all, or submits requests to the disk of the
 * file behind the device; when these are complete, so is the loop device's request.
 */

/* LOOP_MAJOR of the kernel's major.h */
enum { MAJOR = 7, MINOR_BITS = 20 };

/* What ends a loop device's request ended no earlier than this part of the request's time before its completion. */
enum { SLIVER = 10 };

/* The work that does the requests of a loop device. */
enum { OWNER_NOBODY = -2 };
struct backing {
	uint64_t dev;
	uint64_t work;	 /* address of the work; 0: none is known */
	bool several;	 /* there are other works, too */
	bool did;	 /* the work did the whole of a request whose completion has not been seen */
	bool whole;	 /* the work did the whole of the last request that has data */
	bool disorder;	 /* it is not known which of the issued requests is next */
	int32_t working; /* index of the work that is being done; INDEX_NONE */
	int32_t owner;	 /* of all requests issued since a work began; OWNER_NOBODY: there are none; INDEX_NONE: several, or not known */
	size_t next;	 /* index in disk->issued: the requests before were handed on */
	UT_hash_handle hh;
};

struct loop_devices {
	struct backing *backings;
	struct ender ender; /* of the loop device's request that is being completed */
	int32_t handed_on;  /* index of the request that was submitted for that request; INDEX_NONE: none, or not known */
};

static struct loop_devices *of(const struct wake *wake)
{
	return wake->of[PART_LOOP_DEVICE];
}

/* NULL: this is no loop device. */
static struct backing *backing_of(struct wake *wake, uint64_t dev)
{
	struct backing *backing;

	if (dev >> MINOR_BITS != MAJOR)
		return NULL;
	HASH_FIND(hh, of(wake)->backings, &dev, sizeof(dev), backing);
	if (!backing) {
		backing = NEW(struct backing);
		*backing = (struct backing){.dev = dev, .working = INDEX_NONE, .owner = OWNER_NOBODY};
		HASH_ADD(hh, of(wake)->backings, dev, sizeof(dev), backing);
	}
	return backing;
}

static void forget(struct wake *wake)
{
	HASH_FREE(of(wake)->backings);
}

uint64_t loop_device_of(const struct wake *wake, const char *queue)
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

void loop_device_queue(struct wake *wake, uint64_t address, const struct work *work)
{
	struct backing *backing = backing_of(wake, work->serves);

	if (!backing)
		return;
	backing->several |= backing->work && backing->work != address;
	backing->work = address;
}

/* A work that does the requests of several threads has no owner. */
static void share(int32_t *owner, int32_t with)
{
	if (*owner == OWNER_NOBODY)
		*owner = with;
	else if (*owner != with)
		*owner = INDEX_NONE;
}

void loop_device_start(struct wake *wake, int32_t index)
{
	struct work *work = work_at(wake, index);
	struct backing *backing = backing_of(wake, work->serves);

	if (!backing)
		return;
	if (backing->owner != OWNER_NOBODY)
		work->owner = backing->owner;
	backing->owner = OWNER_NOBODY;
	backing->working = index;
}

/* If the work is not already queued again, it has done all requests. */
void loop_device_end(struct wake *wake, int32_t index)
{
	struct backing *backing = backing_of(wake, work_at(wake, index)->serves);

	if (!backing || backing->working != index)
		return;
	backing->working = INDEX_NONE;
	if (work_is_queued(wake, backing->work))
		return;
	backing->disorder = false;
	backing->next = disk_at(wake, backing->dev)->issued.count;
}

/*
 * The index in disk->issued of the device's request that is to be done next, all of it or the rest; disk->issued.count: not
 * known. As long as no event shows the completion of a request that a work did the whole of, it may have done others, too.
 */
static size_t find_next(const struct wake *wake, struct backing *backing, const struct disk *disk)
{
	if (backing->disorder || backing->several || backing->did)
		return disk->issued.count;
	for (; backing->next < disk->issued.count; backing->next++) {
		const struct request *request = request_at(wake, disk->issued.items[backing->next]);

		if (request->completed == TIME_NONE && (!request->sectors || request->handed_on < request->sectors))
			break;
	}
	return backing->next;
}

/* If the work itself raises the soft interrupt for complete requests, it did the whole of one. */
static void on_raise(struct at *at)
{
	enum { VEC };
	struct raise by;
	int32_t work;
	struct backing *backing;

	if (at_number(at, VEC) != SOFTIRQ_BLOCK || at->cpu->depth > 0)
		return;
	by = context_doer(at->wake, at->cpu, at_flags(at));
	work = by.thread != INDEX_NONE && by.for_cause == CAUSE_WORK ? by.for_index : INDEX_NONE;
	backing = work == INDEX_NONE ? NULL : backing_of(at->wake, work_at(at->wake, work)->serves);
	if (backing)
		backing->did = true;
}

/* The work that is being done may do this request, or the next work may. */
void loop_device_issue(struct wake *wake, uint64_t dev, int32_t owner)
{
	struct backing *backing = backing_of(wake, dev);

	if (!backing)
		return;
	share(&backing->owner, owner);
	if (backing->working != INDEX_NONE)
		share(&work_at(wake, backing->working)->owner, owner);
}

/* How many sectors are left of the request `at` and those merged with it, which were issued at the same time; counts until there are enough. */
static uint64_t left_of(const struct wake *wake, const struct disk *disk, size_t at, const struct request *lower)
{
	const struct request *first = NULL, *request;
	uint64_t left = 0;

	for (; at < disk->issued.count && left < lower->sectors; at++, first = first ? first : request) {
		request = request_at(wake, disk->issued.items[at]);
		if (request->rwbs[0] != lower->rwbs[0] || (first && request->issued != first->issued))
			break;
		left += request->sectors - request->handed_on;
	}
	return left;
}

static void hand_on(struct wake *wake, struct backing *backing, int32_t index)
{
	struct request *lower = request_at(wake, index), *upper;
	const struct disk *disk = disk_at(wake, backing->dev);
	size_t at = find_next(wake, backing, disk);
	uint32_t left = lower->sectors, part;
	int32_t owner = OWNER_NOBODY;

	if (at == disk->issued.count)
		return;
	upper = request_at(wake, disk->issued.items[at]);
	if (!upper->sectors || backing->whole) {
		lower->owner = upper->owner == INDEX_NONE ? lower->submitter : upper->owner;
		lower->swaps |= upper->swaps;
		return;
	}
	if (left > left_of(wake, disk, at, lower))
		return;
	for (lower->upper = disk->issued.items[at]; left; left -= part, at++) {
		upper = request_at(wake, disk->issued.items[at]);
		part = upper->sectors - upper->handed_on;
		part = left < part ? left : part;
		upper->handed_on += part;
		upper->lower = index;
		lower->swaps |= upper->swaps;
		share(&owner, upper->owner);
	}
	lower->owner = owner == INDEX_NONE ? lower->submitter : owner;
}

void loop_device_submit(struct wake *wake, const struct thread *thread, int32_t request)
{
	int32_t work = work_of(thread);
	struct backing *backing = work == INDEX_NONE ? NULL : backing_of(wake, work_at(wake, work)->serves);

	if (!backing)
		return;
	request_at(wake, request)->serves = backing->dev;
	hand_on(wake, backing, request);
}

/*
 * Complete requests are put on a list for a soft interrupt. For the first on the list it is known where that was raised: in the
 * work that did the request; or in a work that the completion of the other disk's request had queued; or in that completion.
 */
void loop_device_ender(struct wake *wake, struct cpu *cpu, uint64_t disk, int32_t tid, int flags)
{
	const struct backing *backing = backing_of(wake, disk);
	const struct raise *raiser = context_raiser(cpu);
	int32_t index, did = INDEX_NONE;
	const struct work *work;
	uint8_t cause;

	of(wake)->ender = (struct ender){CAUSE_NONE, INDEX_NONE};
	of(wake)->handed_on = INDEX_NONE;
	if (!backing || !backing->work)
		return;
	cause = context_cause(wake, cpu, tid, flags, &index);
	if (raiser && cause != CAUSE_REQUEST) {
		did = raiser->for_cause == CAUSE_WORK ? raiser->for_index : INDEX_NONE;
		of(wake)->handed_on = raiser->completed_cause == CAUSE_REQUEST ? raiser->completed : INDEX_NONE;
	} else if (cause == CAUSE_THREAD) {
		did = work_of(wake->threads.items[index]);
	}
	work = did == INDEX_NONE ? NULL : work_at(wake, did);
	if (work && work->by.thread == INDEX_NONE && work->cause == CAUSE_REQUEST)
		of(wake)->handed_on = work->cause_index;
	if (of(wake)->handed_on != INDEX_NONE && request_at(wake, of(wake)->handed_on)->serves != disk)
		of(wake)->handed_on = INDEX_NONE;
	if (work && (cause == CAUSE_THREAD || cause == CAUSE_RAISED) && (work->serves == disk || of(wake)->handed_on != INDEX_NONE))
		of(wake)->ender = (struct ender){cause, index};
	else if (of(wake)->handed_on != INDEX_NONE)
		of(wake)->ender = (struct ender){CAUSE_REQUEST, of(wake)->handed_on};
}

/* It is not known after all for which request this one was submitted, nor for which ones others were. */
static void take_back(struct wake *wake, struct request *lower)
{
	struct backing *backing = backing_of(wake, lower->serves);

	if (backing) /* else an event said that the loop device's bio was remapped to another disk */
		backing->disorder = true;
	lower->owner = lower->submitter;
	lower->upper = INDEX_NONE;
}

/* Corrects the assumed order by what the events show. */
static void compare(struct wake *wake, struct request *request)
{
	struct request *lower = request->lower == INDEX_NONE ? NULL : request_at(wake, request->lower);

	if (lower && (request->handed_on < request->sectors || lower->completed == TIME_NONE)) {
		take_back(wake, lower);
		request->lower = INDEX_NONE;
	}
	if (of(wake)->handed_on == INDEX_NONE)
		return;
	lower = request_at(wake, of(wake)->handed_on);
	if (lower->upper == INDEX_NONE)
		lower->owner = request->owner;
	else if (request_at(wake, lower->upper)->issued != request->issued)
		take_back(wake, lower);
}

void loop_device_complete(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index), *lower;
	struct backing *backing = backing_of(wake, request->disk);
	bool did = of(wake)->ender.cause != CAUSE_NONE && of(wake)->handed_on == INDEX_NONE;

	if (request->upper != INDEX_NONE && request_at(wake, request->upper)->completed == TIME_NONE)
		request_at(wake, request->upper)->lower = index;
	if (!backing || !backing->work)
		return;
	if (did)
		backing->did = false;
	else
		compare(wake, request);
	if (request->sectors && of(wake)->ender.cause != CAUSE_NONE)
		backing->whole = did;
	if (of(wake)->ender.cause != CAUSE_NONE) {
		request->ender = of(wake)->ender;
		return;
	}
	lower = request->lower == INDEX_NONE ? NULL : request_at(wake, request->lower);
	if (lower && wake->now - lower->completed <= (wake->now - request->issued) / SLIVER)
		request->ender = (struct ender){CAUSE_REQUEST, request->lower};
}

static const struct part_event events[] = {{"irq:softirq_raise", on_raise, {"vec"}}, {0}};

const struct part loop_device_part = {.events = events, .window = sizeof(struct loop_devices), .forget = forget};
