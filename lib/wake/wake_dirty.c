#include "wake/wake.h"

#include <stdlib.h>

struct inode {
	uint64_t disk, number;
};

struct dirty_inode {
	struct inode inode;
	int32_t owner; /* who wrote to it last */
	UT_hash_handle hh;
};

void dirty_inode(struct wake *wake, uint64_t disk, uint64_t number, int32_t by)
{
	struct inode inode = {disk, number};
	struct dirty_inode *dirty;

	HASH_FIND(hh, wake->inodes, &inode, sizeof(inode), dirty);
	if (!dirty) {
		dirty = NEW(struct dirty_inode);
		dirty->inode = inode;
		HASH_ADD(hh, wake->inodes, inode, sizeof(inode), dirty);
	}
	dirty->owner = by;
}

int32_t dirty_owner(const struct wake *wake, uint64_t disk, uint64_t number)
{
	struct inode inode = {disk, number};
	const struct dirty_inode *dirty;

	HASH_FIND(hh, wake->inodes, &inode, sizeof(inode), dirty);
	return dirty ? dirty->owner : INDEX_NONE;
}

void dirty_forget(struct wake *wake)
{
	struct dirty_inode *dirty, *next;

	HASH_ITER(hh, wake->inodes, dirty, next)
	{
		HASH_DEL(wake->inodes, dirty);
		free(dirty);
	}
}
