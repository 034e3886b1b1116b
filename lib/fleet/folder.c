#include "fleet/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

int folder_open(struct folder *folder, int in, const char *name)
{
	struct stat status;
	int fd;

	if (mkdirat(in, name, 0700) < 0 && errno != EEXIST)
		return fail_errno("cannot make '%s'", name);
	fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0) {
		fail_errno("cannot open '%s'", name);
	} else if (status.st_uid != geteuid() || status.st_mode & (S_IWGRP | S_IWOTH)) {
		fail("others can write to '%s', or it is another user's", name);
	} else {
		folder->path = memory_text(name, strlen(name));
		folder->fd = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

void folder_close(struct folder *folder)
{
	close(folder->fd);
	free(folder->path);
}

static bool write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t done = write(fd, bytes, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		length -= (size_t)done;
	}
	return true;
}

int folder_write(const struct folder *folder, const char *name, const char *bytes, size_t length)
{
	char draft[FOLDER_NAME];
	bool done;
	int fd;

	snprintf(draft, sizeof(draft), "draft-%d", (int)getpid());
	fd = openat(folder->fd, draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	done = fd >= 0 && write_all(fd, bytes, length) && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	if (done && renameat(folder->fd, draft, folder->fd, name) == 0 && fsync(folder->fd) == 0)
		return 0;
	fail_errno("cannot write '%s' in '%s'", name, folder->path);
	unlinkat(folder->fd, draft, 0);
	return -1;
}

char *folder_read(const struct folder *folder, const char *name, size_t most, size_t *length)
{
	int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	char *bytes = NULL;
	ssize_t got = 0;

	*length = 0;
	if (fd < 0 || fstat(fd, &status) < 0) {
		fail_errno("cannot read '%s'", name);
	} else if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > most) {
		errno = EFBIG;
		fail("'%s' is too large, or no file", name);
	} else {
		bytes = memory_new((size_t)status.st_size + 1, 1);
		while (*length < (size_t)status.st_size && (got = read(fd, bytes + *length, (size_t)status.st_size - *length)) > 0)
			*length += (size_t)got;
		if (got < 0) {
			fail_errno("cannot read '%s'", name);
			free(bytes);
			bytes = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

uint64_t folder_mark(const struct folder *folder, const char *name)
{
	struct stat status;

	if (fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec + (uint64_t)status.st_ino;
}

void folder_remove(const struct folder *folder, const char *name)
{
	unlinkat(folder->fd, name, 0);
}
