#include "source/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { DEPTH_MAX = 32, SMALL = 4096, THREADS_TEXT_MAX = 1 << 18, USERS = 64 };

/* A walk over a tree of groups. */
struct walk {
	cgroup_visitor *visit;
	void *context;
	struct {
		uid_t user;
		unsigned groups; /* so far */
	} users[USERS]; /* all users that have no place of their own share the last */
	size_t count;
};

/* Reads the beginning of the file; false: it is not there. */
static bool read_at(int directory, const char *file, char *text, size_t room)
{
	int fd = openat(directory, file, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = 0;

	if (fd < 0)
		return false;
	while (length + 1 < room && (got = read(fd, text + length, room - 1 - length)) > 0)
		length += (size_t)got;
	close(fd);
	text[length] = '\0';
	return got >= 0;
}

/* Tells whether the CPU controller is mounted there. A mount of the second version has it only if its root says so. */
static bool controls_cpu(const struct mntent *mount)
{
	char path[SMALL], controllers[SMALL];

	if (strcmp(mount->mnt_type, "cgroup") == 0)
		return hasmntopt(mount, "cpu");
	if (strcmp(mount->mnt_type, "cgroup2") != 0)
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount->mnt_dir);
	if (!read_at(AT_FDCWD, path, controllers, sizeof(controllers)))
		return false;
	for (char *rest, *word = strtok_r(controllers, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		if (strcmp(word, "cpu") == 0)
			return true;
	return false;
}

char *cgroup_cpu_mount(bool *first_version)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	struct mntent *mount;
	char *found = NULL;

	while (mounts && !found && (mount = getmntent(mounts)))
		if (controls_cpu(mount)) {
			found = memory_text(mount->mnt_dir, strlen(mount->mnt_dir));
			*first_version = strcmp(mount->mnt_type, "cgroup") == 0;
		}
	if (mounts)
		endmntent(mounts);
	return found;
}

/* The number of this user's groups visited so far. Root's are not counted. */
static unsigned *groups_of(struct walk *walk, uid_t user)
{
	static unsigned uncounted;

	uncounted = 0;
	if (user == 0)
		return &uncounted;
	for (size_t i = 0; i < walk->count; i++)
		if (walk->users[i].user == user)
			return &walk->users[i].groups;
	if (walk->count == USERS)
		return &walk->users[USERS - 1].groups;
	walk->users[walk->count].user = user;
	return &walk->users[walk->count++].groups;
}

/* The number of groups is bounded because a user who was given a group can make any number below it, and the collector waits for the walk. */
static void walk_from(struct walk *walk, int parent, const char *name, const char *path, int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat status;

	if (!directory || fstat(fd, &status) < 0 || ++*groups_of(walk, status.st_uid) > CGROUP_MOST) {
		if (directory)
			closedir(directory);
		else if (fd >= 0)
			close(fd);
		return; /* the group is gone, or it is one too many */
	}
	walk->visit(walk->context, fd, path);
	while (depth < DEPTH_MAX && *groups_of(walk, status.st_uid) <= CGROUP_MOST && (entry = readdir(directory))) {
		char *below;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		below = memory_format("%s/%s", path, entry->d_name);
		walk_from(walk, fd, entry->d_name, below, depth + 1);
		free(below);
	}
	closedir(directory);
}

void cgroup_walk(const char *mount, const char *path, cgroup_visitor *visit, void *context)
{
	char *whole = memory_format("%s%s", mount, path);
	struct walk walk = {.visit = visit, .context = context};

	walk_from(&walk, AT_FDCWD, whole, path, 0);
	free(whole);
}

int cgroup_open(const char *mount, const char *path)
{
	char *whole = memory_format("%s%s", mount, path);
	int fd = open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(whole);
	return fd;
}

/* "max 100000", "10000 100000"; the first version has a file for each, and -1 for none. */
bool cgroup_quota(int directory, bool first_version, int64_t *quota, int64_t *period)
{
	char text[64], *rest;

	if (!read_at(directory, first_version ? "cpu.cfs_quota_us" : "cpu.max", text, sizeof(text)))
		return false;
	*quota = strtoll(text, &rest, 10) * 1000;
	if (rest == text || *quota <= 0)
		return false;
	if (first_version && !read_at(directory, "cpu.cfs_period_us", rest = text, sizeof(text)))
		return false;
	*period = strtoll(rest, NULL, 10) * 1000;
	return true;
}

static const char *value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : NULL;
}

bool cgroup_throttled(int directory, bool first_version, uint64_t *count, int64_t *time)
{
	char text[SMALL];
	const char *times, *throttled;

	if (!read_at(directory, "cpu.stat", text, sizeof(text)))
		return false;
	times = value_of(text, "nr_throttled ");
	throttled = value_of(text, first_version ? "throttled_time " : "throttled_usec ");
	if (!times || !throttled)
		return false;
	*count = strtoull(times, NULL, 10);
	*time = strtoll(throttled, NULL, 10) * (first_version ? 1 : 1000);
	return true;
}

char *cgroup_threads(int directory, bool first_version)
{
	char *text = memory_new(1, THREADS_TEXT_MAX), *last;

	if (!read_at(directory, first_version ? "tasks" : "cgroup.threads", text, THREADS_TEXT_MAX)) {
		free(text);
		return NULL;
	}
	last = strrchr(text, '\n');
	if (last)
		last[1] = '\0'; /* the last line may have been cut */
	return text;
}
