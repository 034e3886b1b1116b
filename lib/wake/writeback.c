#include "wake/writeback.h"

#include <stdlib.h>
#include <string.h>

#include "wake/block.h"
#include "wake/context.h"
#include "wake/earlier_names.h"
#include "wake/part.h"
#include "wake/name.h"
#include "wake/walk.h"

/* Pages that are to be written to a disk: which threads wrote them, and which have to wait until the disk keeps up. */

struct inode {
	uint64_t disk, number;
};

struct dirty_inode {
	struct inode inode;
	int32_t owner; /* index of the thread that wrote to it last */
	UT_hash_handle hh;
};

struct dirty { /* of the window */
	struct dirty_inode *inodes;
	ARRAY(uint64_t) throttles; /* disks; causes refer to them by index */
};

struct writing { /* of a thread */
	int32_t writer;	    /* index of the thread whose pages (perhaps its own) it writes back; INDEX_NONE: it writes none back */
	uint64_t throttled; /* the disk that it is about to wait for, because it wrote more than the disk keeps up with; 0: none */
};

static struct dirty *dirty_of(const struct wake *wake)
{
	return wake->of[PART_WRITEBACK];
}

static struct writing *of(const struct thread *thread)
{
	return thread->of[PART_WRITEBACK];
}

static void thread_begin(struct thread *thread)
{
	of(thread)->writer = INDEX_NONE;
}

static void enters(struct wake *wake, struct thread *thread)
{
	(void)wake;
	of(thread)->throttled = 0;
}

static void write_to(struct wake *wake, uint64_t disk, uint64_t number, int32_t by)
{
	struct inode inode = {disk, number};
	struct dirty_inode *dirty;

	HASH_FIND(hh, dirty_of(wake)->inodes, &inode, sizeof(inode), dirty);
	if (!dirty) {
		dirty = NEW(struct dirty_inode);
		dirty->inode = inode;
		HASH_ADD(hh, dirty_of(wake)->inodes, inode, sizeof(inode), dirty);
	}
	dirty->owner = by;
}

static int32_t writer_of(const struct wake *wake, uint64_t disk, uint64_t number)
{
	struct inode inode = {disk, number};
	const struct dirty_inode *dirty;

	HASH_FIND(hh, dirty_of(wake)->inodes, &inode, sizeof(inode), dirty);
	return dirty ? dirty->owner : INDEX_NONE;
}

static void forget(struct wake *wake)
{
	struct dirty_inode *dirty, *next;

	HASH_ITER(hh, dirty_of(wake)->inodes, dirty, next)
	{
		HASH_DEL(dirty_of(wake)->inodes, dirty);
		free(dirty);
	}
	ARRAY_FREE(&dirty_of(wake)->throttles);
}

enum { DISK, INODE };

/* The writeback events name the disk as text; a file system that has none, or several, goes by a name: "btrfs-1". */
static uint64_t disk_named(const struct at *at)
{
	char name[32];
	uint64_t disk = 0;
	size_t length = at_text(at, DISK, name, sizeof(name));

	if (device_parse(name, length, &disk) == 0)
		return events_device_disk(at->wake->events, disk);
	return length ? name_disk(at->wake->names, name) : 0;
}

static void on_dirty(struct at *at)
{
	const struct thread *thread = at_own(at);

	if (thread)
		write_to(at->wake, disk_named(at), (uint64_t)at_number(at, INODE),
			    core_served(at->wake, thread));
}

/* If the pause is longer than 0, the thread sleeps right after this event. */
static void on_balance_dirty(struct at *at)
{
	enum { BDI, PAUSE };
	struct thread *thread = at_own(at);

	if (thread)
		of(thread)->throttled = at_has(at, PAUSE) && at_number(at, PAUSE) <= 0 ? 0 : disk_named(at);
}

/* If no writer of the pages is known, they belong to the thread that writes them back. */
static void write_back(const struct at *at, uint64_t disk)
{
	struct thread *thread = at_own(at);
	int32_t owner = writer_of(at->wake, disk, (uint64_t)at_number(at, INODE));

	if (thread)
		of(thread)->writer = owner == INDEX_NONE ? thread->index : owner;
}

static void on_write_inode(struct at *at)
{
	write_back(at, disk_named(at));
}

static void on_journal_inode(struct at *at)
{
	write_back(at, events_device_disk(at->wake->events, (uint64_t)at_number(at, DISK)));
}

static void on_write_over(struct at *at)
{
	struct thread *thread = at_own(at);

	if (thread)
		of(thread)->writer = INDEX_NONE;
}

/* The timer only says when to look again whether the disk has kept up. */
static void wakes(struct wake *wake, struct waking *waking)
{
	uint64_t disk = of(waking->woken)->throttled;

	of(waking->woken)->throttled = 0;
	if (waking->cause != CAUSE_TIMER || !disk)
		return;
	waking->cause = CAUSE_DIRTY;
	waking->index = (int32_t)dirty_of(wake)->throttles.count;
	*ARRAY_ADD(&dirty_of(wake)->throttles) = disk;
}

/* The thread stands behind all that the disk served meanwhile. */
static int32_t throttled_node(struct cut *cut, const struct thread *thread, const struct piece *wait, int64_t end)
{
	const struct wake *wake = cut->wake;
	uint64_t dev = dirty_of(wake)->throttles.items[wait->cause_index];
	struct deed deed = deed_of(DEED_THROTTLE_DIRTY);
	struct deed_detail detail = DEED_DETAIL_NONE;
	char disk[64];
	int32_t node;

	detail.disk = name_of_disk(wake->names, dev);
	if (!detail.disk)
		detail.disk = events_device_name(wake->events, dev, disk, sizeof(disk));
	deed.whom = wake_comm_at(wake, thread, wait->start);
	node = new_node(cut, WHAT_QUEUE, wait->start, end, thread->tid, &deed);
	graph_detail(cut->graph, node, &detail);
	block_add_served(cut, dev, INDEX_NONE, node, later(wait->start, cut->graph->from), sooner(end, cut->graph->to));
	return node;
}

static void explain(struct walk *walk, const struct thread *thread, size_t at, int32_t node, struct errand errand)
{
	walk_link(walk, throttled_node(&walk->cut, thread, &thread->pieces.items[at], errand.ts), node, EDGE_TIMER, errand.ts);
}

static bool serves(const struct wake *wake, const struct thread *thread, int32_t *whom)
{
	(void)wake;
	*whom = of(thread)->writer;
	return *whom != INDEX_NONE;
}

static const struct part_event events[] = {
	{"writeback:writeback_dirty_folio", on_dirty, {"name", "ino"}},
	{"writeback:balance_dirty_pages", on_balance_dirty, {"bdi", "pause"}},
	{"writeback:writeback_single_inode_start", on_write_inode, {"name", "ino"}},
	{"writeback:writeback_single_inode", on_write_over},
	{"jbd2:jbd2_submit_inode_data", on_journal_inode, {"dev", "ino"}},
	{"jbd2:jbd2_commit_logging", on_write_over},
	{0},
};

const struct part writeback_part = {
	.events = events,
	.window = sizeof(struct dirty),
	.thread = sizeof(struct writing),
	.forget = forget,
	.thread_begin = thread_begin,
	.thread_lost = thread_begin,
	.enters = enters,
	.wakes = wakes,
	.serves = serves,
	.explain = explain,
};
