#include "wake/disk.h"

#include <stdlib.h>
#include <string.h>

static struct block_window *of(const struct wake *wake)
{
	return wake->of[PART_BLOCK];
}

struct disk *disk_at(struct wake *wake, uint64_t dev)
{
	struct disk *disk = of(wake)->last_disk;

	if (disk && disk->dev == dev)
		return disk;
	HASH_FIND(hh, of(wake)->disks, &dev, sizeof(dev), disk);
	if (!disk) {
		disk = NEW(struct disk);
		disk->dev = dev;
		HASH_ADD(hh, of(wake)->disks, dev, sizeof(dev), disk);
	}
	of(wake)->last_disk = disk;
	return disk;
}

const struct disk *disk_first(const struct wake *wake)
{
	return of(wake)->disks;
}

int disk_operation(const struct request *request)
{
	static const char operations[] = "RWF";
	const char *found = request->rwbs[0] ? strchr(operations, request->rwbs[0]) : NULL;

	return found ? (int)(found - operations) : OPERATIONS - 1;
}

void disk_served(struct wake *wake, struct request *request)
{
	struct disk *disk = disk_at(wake, request->disk);
	int64_t time = wake->now - request->issued, *shortest = &disk->shortest[disk_operation(request)];

	request->completed = wake->now;
	disk->longest = later(disk->longest, time);
	if (*shortest == 0 || time < *shortest)
		*shortest = time;
}

void disk_forget(struct wake *wake)
{
	struct block_window *window = of(wake);
	struct disk *disk, *next;

	window->last_disk = NULL;
	HASH_ITER(hh, window->disks, disk, next)
	{
		HASH_DEL(window->disks, disk);
		free(disk->issued.items);
		free(disk->flushes.items);
		free(disk);
	}
}
