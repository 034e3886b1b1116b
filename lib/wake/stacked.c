#include "wake/stacked.h"

#include "wake/part.h"

/* Bios that were remapped and not yet queued at the device behind. No more are under way at once, but events may be missing. */
enum { REMAPS = 64 };

struct remap {
	uint64_t disk, sector; /* where the bio goes */
	int32_t upper;	       /* index of the request that the bio is a part of; INDEX_NONE: the entry is not in use */
};

struct remaps {
	struct remap list[REMAPS];
	int next; /* the entry to be used next, which is the oldest */
};

static struct remaps *of(const struct wake *wake)
{
	return wake->of[PART_STACKED];
}

static void forget(struct wake *wake)
{
	*of(wake) = (struct remaps){.next = 0};
	for (int i = 0; i < REMAPS; i++)
		of(wake)->list[i].upper = INDEX_NONE;
}

static void lost(struct wake *wake, int64_t from)
{
	(void)from;
	forget(wake);
}

static struct remap *find_remap(const struct wake *wake, uint64_t disk, uint64_t sector)
{
	for (int i = 0; i < REMAPS; i++) {
		struct remap *remap = &of(wake)->list[i];

		if (remap->upper != INDEX_NONE && remap->disk == disk && remap->sector == sector)
			return remap;
	}
	return NULL;
}

/* A bio is remapped from one device to a place on another, or from a partition to its place on the same disk. */
static void on_remap(struct at *at)
{
	enum { DEV, SECTOR, NR_SECTOR, OLD_DEV, OLD_SECTOR };
	struct wake *wake = at->wake;
	uint64_t disk = events_device_disk(wake->events, (uint64_t)at_number(at, DEV));
	uint64_t old_disk = events_device_disk(wake->events, (uint64_t)at_number(at, OLD_DEV));
	uint64_t sector = (uint64_t)at_number(at, SECTOR), old_sector = (uint64_t)at_number(at, OLD_SECTOR);
	struct remap *remap = find_remap(wake, old_disk, old_sector);
	int32_t upper;

	if (remap) {
		remap->disk = disk;
		remap->sector = sector;
		return;
	}
	if (disk == old_disk)
		return;
	upper = request_find_queued(wake, old_disk, old_sector, (uint32_t)at_number(at, NR_SECTOR));
	if (upper == INDEX_NONE)
		return;
	of(wake)->list[of(wake)->next] = (struct remap){disk, sector, upper};
	of(wake)->next = (of(wake)->next + 1) % REMAPS;
}

void stacked_submit(struct wake *wake, int32_t index)
{
	struct request *request = request_at(wake, index), *upper;
	struct remap *remap = find_remap(wake, request->disk, request->sector);

	if (!remap)
		return;
	upper = request_at(wake, remap->upper);
	request->upper = remap->upper;
	request->swaps |= upper->swaps;
	if (upper->owner != INDEX_NONE)
		request->owner = upper->owner;
	upper->lower = index;
	remap->upper = INDEX_NONE;
}

static const struct part_event events[] = {
	{"block:block_bio_remap", on_remap, {"dev", "sector", "nr_sector", "old_dev", "old_sector"}},
	{0},
};

const struct part stacked_part = {.events = events, .window = sizeof(struct remaps), .begin = forget, .forget = forget, .lost = lost};
