#include "program/code_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "program/lookup.h"
#include "program/opener.h"

#define DEBUG_FILES "/usr/lib/debug"

enum { PATH_ROOM = 4200 };

/* Others have the same inode numbers. Of these file systems stat(2) and /proc tell devices of different kinds. */
static bool is_device(int fd, dev_t told, dev_t device)
{
	struct statfs system;

	return told == device ||
	       (fstatfs(fd, &system) == 0 && (system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC));
}

/* Whether the file is what was mapped, as far as that can be told. */
static bool is_it(struct lookup *lookup, int fd, const struct code_identity *identity)
{
	unsigned char id[CODE_BUILD_ID];
	struct stat file;

	if (fstat(fd, &file) < 0 ||
	    (identity->inode && (file.st_ino != identity->inode || !is_device(fd, file.st_dev, identity->device))))
		return false;
	return !identity->build_id_size || (lookup_build_id(lookup, fd, id) == identity->build_id_size &&
					    memcmp(id, identity->build_id, identity->build_id_size) == 0);
}

static int open_if_it(struct lookup *lookup, const char *path, const struct code_identity *identity)
{
	int fd = opener_open(path);

	if (fd >= 0 && !is_it(lookup, fd, identity)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_by_build_id(const unsigned char *id, size_t size)
{
	char path[128] = DEBUG_FILES "/.build-id/";
	size_t at = strlen(path);

	if (size < 2 || size > CODE_BUILD_ID)
		return -1;
	for (size_t i = 0; i < size; i++)
		at += (size_t)sprintf(path + at, i == 0 ? "%02x/" : "%02x", id[i]);
	strcpy(path + at, ".debug");
	return opener_open(path);
}

int code_file_open(struct lookup *lookup, const char *path, const int32_t *processes, int others, uint64_t start, uint64_t end,
		   const struct code_identity *identity)
{
	char other[PATH_ROOM];
	int fd;

	snprintf(other, sizeof(other), "/proc/%d/map_files/%llx-%llx", processes[0], (unsigned long long)start, (unsigned long long)end);
	fd = open_if_it(lookup, other, identity);
	if (fd < 0)
		fd = open_if_it(lookup, path, identity);
	for (int i = 0; i <= others && fd < 0; i++) {
		snprintf(other, sizeof(other), "/proc/%d/root%s", processes[i], path);
		fd = open_if_it(lookup, other, identity);
	}
	/* Only its debug file may be left of a file that is gone. It has names, if no way to walk. */
	return fd < 0 ? open_by_build_id(identity->build_id, identity->build_id_size) : fd;
}

static int keep_if(int fd, bool wanted)
{
	if (!wanted && fd >= 0)
		close(fd);
	return wanted ? fd : -1;
}

static bool is_public(int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && (file.st_mode & S_IROTH);
}

static bool is_written_by_others(int fd)
{
	struct stat file;

	return fstat(fd, &file) < 0 || (file.st_uid != 0 && file.st_uid != geteuid()) || (file.st_mode & (S_IWGRP | S_IWOTH));
}

static int open_beside(const char *path, const char *folder, const char *name)
{
	const char *slash = strrchr(path, '/');
	char other[PATH_ROOM];
	int fd;

	snprintf(other, sizeof(other), "%.*s%s%s%s", slash ? (int)(slash + 1 - path) : 0, path, folder, *name ? name : slash ? slash + 1 : path,
		 *name ? "" : ".debug");
	fd = opener_open(other);
	return keep_if(fd, fd >= 0 && !is_written_by_others(fd));
}

/* "/usr/lib/debug/usr/bin/NAME", or without folders before. */
static int open_in_folder(const char *path, const char *name)
{
	char other[PATH_ROOM + sizeof(DEBUG_FILES)];
	int fd = -1;

	for (const char *at = path; fd < 0 && at; at = strchr(at + 1, '/')) {
		const char *slash = strrchr(at, '/');

		snprintf(other, sizeof(other), DEBUG_FILES "%.*s%s%s", slash ? (int)(slash + 1 - at) : 0, at, *name ? name : slash ? slash + 1 : at,
			 *name ? "" : ".debug");
		fd = opener_open(other);
	}
	return fd;
}

/* "../../.dwz/x86_64-linux-gnu/NAME": of a debug file in a folder that is not known here, so it is taken from the uppermost. */
static int open_shared(const char *link)
{
	static const char folder[] = DEBUG_FILES "/";
	char path[PATH_ROOM], *real;
	int fd;

	if (strncmp(link, folder, strlen(folder)) == 0)
		link += strlen(folder);
	while (strncmp(link, "../", 3) == 0)
		link += 3;
	snprintf(path, sizeof(path), "%s%s", folder, link);
	real = realpath(path, NULL);
	fd = real && strncmp(real, folder, strlen(folder)) == 0 ? opener_open(real) : -1;
	free(real);
	return fd;
}

int code_file_debug(const char *path, enum debug_place place, const void *text, size_t length)
{
	char name[NAME_MAX + 1];
	int fd;

	if (place == DEBUG_BUILD_ID) {
		fd = open_by_build_id(text, length);
		return keep_if(fd, fd >= 0 && is_public(fd));
	}
	if (length >= sizeof(name) || memchr(text, '\0', length) || (place != DEBUG_SHARED && memchr(text, '/', length)))
		return -1;
	memcpy(name, text, length);
	name[length] = '\0';
	if (place == DEBUG_SHARED)
		fd = open_shared(name);
	else if (place == DEBUG_FOLDER)
		fd = open_in_folder(path, name);
	else
		fd = open_beside(path, place == DEBUG_BESIDE ? "" : ".debug/", name);
	return keep_if(fd, fd >= 0 && is_public(fd));
}
