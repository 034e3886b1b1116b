#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"

enum {
	LINKS = 40, /* symbolic links to follow at most, as the kernel does */
	TRIES = 100,
	FRONT = 200, /* characters of a name to keep as the front of a longer one; the kernel takes 255 */
};

#define CANNOT "cannot write '%s': "

/* A folder that our own group can write to counts as ours alone, because the group may be: but not if it is sticky. */
static bool is_shared(const struct stat *folder)
{
	return folder->st_mode & S_IWOTH || (folder->st_mode & S_IWGRP && (folder->st_mode & S_ISVTX || folder->st_gid != getegid()));
}

/* Tells whether to trust a file of this owner in this folder. */
static bool is_trusted(const struct stat *folder, uid_t owner)
{
	return owner == geteuid() || owner == folder->st_uid || !is_shared(folder);
}

/* A path walked in part: the folder reached, and the rest. */
struct walk {
	int at;
	char *rest;
	int links;
	bool reads; /* the caller will read the file; false: write */
};

static int fail_walk(const struct walk *walk, const char *path)
{
	return fail_errno("cannot %s '%s'", walk->reads ? "read" : "write", path);
}

static void go_to(struct walk *walk, int folder)
{
	close(walk->at);
	walk->at = folder;
}

static void go_on(struct walk *walk, const char *target, const char *rest)
{
	char *whole = memory_format("%s%s", target, rest);

	free(walk->rest);
	walk->rest = whole;
}

static int begin(struct walk *walk, const char *path, bool reads)
{
	*walk = (struct walk){.reads = reads, .at = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC),
			      .rest = memory_text(path, strlen(path))};
	return walk->at < 0 ? fail_walk(walk, path) : 0;
}

/* Links in /proc may lead to files without a path: only the kernel can follow them. Users cannot create any there. */
static bool kernel_follows(const struct walk *walk)
{
	struct statfs system;

	return fstatfs(walk->at, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

/* Tells whether to follow a link of this owner. */
static bool is_followed(const struct walk *walk, const struct stat *folder, uid_t owner)
{
	return walk->reads ? owner == geteuid() || owner == 0 : is_trusted(folder, owner);
}

static int follow_link(struct place *place, struct walk *walk, const char *rest)
{
	char target[PATH_MAX];
	struct stat folder;
	ssize_t length;
	int root;

	if (fstat(walk->at, &folder) < 0 || (length = readlinkat(place->there, "", target, sizeof(target) - 1)) < 0)
		return fail_walk(walk, place->path);
	if (!is_followed(walk, &folder, place->status.st_uid))
		return fail("cannot %s '%s': '%s' is a symbolic link of another user%s", walk->reads ? "read" : "write", place->path, place->name,
			    walk->reads ? "" : ", in a folder that others can write to");
	errno = ELOOP;
	if (++walk->links > LINKS)
		return fail_walk(walk, place->path);
	target[length] = '\0';
	go_on(walk, target, rest);
	if (*target != '/')
		return 0;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail_walk(walk, place->path);
	go_to(walk, root);
	return 0;
}

static void leave(struct place *place)
{
	if (place->there >= 0)
		close(place->there);
	place->there = -1;
	free(place->name);
	place->name = NULL;
}

/* Walks one name further. 1: it was the last; 0: more follow; -1 after fail(). */
static int step(struct place *place, struct walk *walk)
{
	const char *name = walk->rest + strspn(walk->rest, "/"), *rest = name + strcspn(name, "/");
	int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, status = 0;

	leave(place);
	place->name = memory_text(name, (size_t)(rest - name));
	if (!*place->name)
		return 1; /* the folder itself */
	place->there = openat(walk->at, place->name, flags);
	if (place->there < 0 && errno == ENOENT && !*rest)
		return 1;
	if (place->there < 0 || fstat(place->there, &place->status) < 0)
		return fail_walk(walk, place->path);
	place->open = false;
	if (S_ISLNK(place->status.st_mode)) {
		if (!kernel_follows(walk))
			return follow_link(place, walk, rest);
		close(place->there);
		place->there = openat(walk->at, place->name, flags & ~O_NOFOLLOW);
		if (place->there < 0 || fstat(place->there, &place->status) < 0)
			return fail_walk(walk, place->path);
		place->open = true;
	}
	if (!*rest)
		return 1;
	go_to(walk, place->there);
	place->there = -1;
	go_on(walk, "", rest);
	return status;
}

static int walk_to(struct place *place, const char *path, bool reads)
{
	struct walk walk;
	int status;

	*place = (struct place){.path = memory_text(path, strlen(path)), .folder = -1, .there = -1};
	status = begin(&walk, path, reads);
	while (status == 0)
		status = step(place, &walk);
	free(walk.rest);
	place->folder = walk.at;
	return status < 0 ? -1 : 0;
}

static int check(const struct place *place)
{
	struct stat folder;

	errno = *place->path ? EISDIR : ENOENT;
	if (!*place->name || (place->there >= 0 && S_ISDIR(place->status.st_mode)) || fstat(place->folder, &folder) < 0)
		return fail_errno("cannot write '%s'", place->path);
	if (place->there < 0 || place->open || is_trusted(&folder, place->status.st_uid))
		return 0;
	return fail(CANNOT "it belongs to another user, in a folder that others can write to; name another file", place->path);
}

int place_find(struct place *place, const char *path)
{
	return walk_to(place, path, false) < 0 ? -1 : check(place);
}

void place_end(struct place *place)
{
	leave(place);
	if (place->folder >= 0)
		close(place->folder);
	free(place->path);
	*place = (struct place){.folder = -1, .there = -1};
}

bool place_is_file(const struct place *place)
{
	return place->there < 0 || (S_ISREG(place->status.st_mode) && !place->open);
}

/* The descriptor of this process that the path names, as /dev/fd/3 does; -1: none. */
static int own_number(const struct place *place)
{
	struct stat status;
	uint64_t number;

	if (!place->open || number_count(place->name, strlen(place->name), &number) < 0 || number > INT_MAX ||
	    fstat((int)number, &status) < 0)
		return -1;
	return status.st_dev == place->status.st_dev && status.st_ino == place->status.st_ino ? (int)number : -1;
}

/* Opens the file found before; the name may lead to another file by now. */
static int reopen(const struct place *place, int flags)
{
	char *path = memory_format("/proc/self/fd/%d", place->there);
	int fd = open(path, O_CLOEXEC | O_NOCTTY | flags);

	free(path);
	return fd < 0 ? fail_errno("cannot %s '%s'", flags & O_WRONLY ? "write" : "read", place->path) : fd;
}

static int open_of_another(const struct place *place)
{
	int fd;

	if (S_ISFIFO(place->status.st_mode))
		return fail(CANNOT "it is a pipe of another user; name a file, or a pipe of your own", place->path);
	fd = reopen(place, O_WRONLY | O_NONBLOCK);
	if (fd >= 0 && isatty(fd)) {
		close(fd);
		return fail(CANNOT "it is a terminal of another user", place->path);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

int place_open(const struct place *place)
{
	int number = own_number(place), fd;

	if (number >= 0) {
		fd = fcntl(number, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? fail_errno("cannot write '%s'", place->path) : fd;
	}
	if (!S_ISREG(place->status.st_mode) && place->status.st_uid != geteuid() && place->status.st_uid != 0)
		return open_of_another(place);
	return reopen(place, O_WRONLY);
}

int place_open_to_read(const char *path)
{
	struct place place;
	int fd = walk_to(&place, path, true);

	errno = ENOENT;
	if (fd == 0 && (place.there < 0 || !S_ISREG(place.status.st_mode)))
		fd = place.there < 0 ? fail_errno("cannot read '%s'", path) : fail("cannot read '%s': it is no regular file", path);
	else if (fd == 0)
		fd = reopen(&place, O_RDONLY);
	place_end(&place);
	return fd;
}

int place_folder(const char *path)
{
	struct place place;
	char *whole = memory_format("%s/", *path ? path : ".");
	int fd = -1;

	if (walk_to(&place, whole, false) == 0) {
		fd = place.folder;
		place.folder = -1;
	}
	place_end(&place);
	free(whole);
	return fd;
}

/* Refuses another user's folder in a shared one. */
static int check_folder(const struct place *place)
{
	struct stat folder;

	errno = ENOTDIR;
	if (!S_ISDIR(place->status.st_mode) || fstat(place->folder, &folder) < 0)
		return fail_errno("cannot make directory '%s'", place->path);
	if (is_trusted(&folder, place->status.st_uid))
		return 0;
	return fail(CANNOT "it is a folder of another user, in one that others can write to; name another", place->path);
}

int place_make_folder(const char *path)
{
	char *bare = memory_text(path, strlen(path));
	struct place place;
	int status;

	for (size_t length = strlen(bare); length > 1 && bare[length - 1] == '/'; length--)
		bare[length - 1] = '\0';
	status = walk_to(&place, bare, false);
	if (status == 0 && *place.name && place.there >= 0)
		status = check_folder(&place);
	else if (status == 0 && *place.name && mkdirat(place.folder, place.name, 0777) < 0)
		status = fail_errno("cannot make directory '%s'", path);
	place_end(&place);
	free(bare);
	return status;
}

char *place_name(const char *front)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)getpid();
	return memory_format("%.*s.%016llx", FRONT, front, (unsigned long long)random);
}

/* In a shared folder without the sticky bit, another user may have replaced the new folder. */
static int enter(struct place *place)
{
	place->there = openat(place->folder, place->name, O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC);
	if (place->there < 0 || fstat(place->there, &place->status) < 0)
		return fail_errno("cannot make a folder in '%s'", place->path);
	if (place->status.st_uid == geteuid())
		return 0;
	return fail("cannot make a folder in '%s': another user removes it", place->path);
}

int place_workspace(struct place *place, const char *parent)
{
	int status = -1;

	*place = (struct place){.path = memory_text(parent, strlen(parent)), .folder = place_folder(parent), .there = -1};
	if (place->folder < 0)
		return -1;
	errno = EEXIST;
	for (int try = 0; status < 0 && errno == EEXIST && try < TRIES; try++) {
		free(place->name);
		place->name = place_name("tailblame");
		status = mkdirat(place->folder, place->name, 0700);
	}
	return status < 0 ? fail_errno("cannot make a folder in '%s'", parent) : enter(place);
}

void place_remove(struct place *place)
{
	if (place->folder >= 0 && place->name)
		unlinkat(place->folder, place->name, AT_REMOVEDIR);
	place_end(place);
}
