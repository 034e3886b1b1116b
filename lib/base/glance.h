/*
 * glance: what a file is, by what the kernel knows already. A file system that lets a server answer (FUSE, NFS) is not asked: the server
 * may never answer, and the kernel lets nobody end who waits for it. Meant for the links in /proc that lead straight to a file
 * (exe, fd, map_files): on the way along any other path, folders are asked.
 */
#ifndef BASE_GLANCE_H
#define BASE_GLANCE_H

#include <stdbool.h>
#include <sys/types.h>

struct glance {
	dev_t device;
	ino_t inode;
	mode_t mode; /* only the type of the file: S_ISREG() and the like */
};

/* False: there is none, or it cannot be reached. */
bool glance_at(const char *path, struct glance *seen);

static inline bool glance_is_same(const struct glance *one, const struct glance *other)
{
	return one->inode == other->inode && one->device == other->device;
}

#endif
