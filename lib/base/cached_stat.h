/*
 * cached_stat: stat(2) by what the kernel knows already. It does not ask a file system that lets a server answer (FUSE, NFS): the server
 * may never answer, and a process that waits for it cannot be killed. Meant for the links in /proc that lead straight to a file
 * (exe, fd, map_files): along any other path, the kernel may still ask for the folders.
 */
#ifndef BASE_CACHED_STAT_H
#define BASE_CACHED_STAT_H

#include <stdbool.h>
#include <sys/types.h>

struct cached_stat {
	dev_t device;
	ino_t inode;
	mode_t mode; /* only the type of the file: S_ISREG() and the like */
};

/* False: there is no such file, or it cannot be reached. */
bool cached_stat_at(const char *path, struct cached_stat *seen);

static inline bool cached_stat_is_same(const struct cached_stat *one, const struct cached_stat *other)
{
	return one->inode == other->inode && one->device == other->device;
}

#endif
