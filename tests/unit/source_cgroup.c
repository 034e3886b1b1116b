/* Quotas of control groups, as both versions of their files tell them. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/cgroup.h"

static int directory;

static void put(const char *file, const char *text)
{
	int fd = openat(directory, file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void check_second_version(void)
{
	int64_t quota = 0, period = 0, time = 0;
	uint64_t count = 0;
	char *threads;

	assert(!cgroup_quota(directory, false, &quota, &period)); /* the root has no such file */
	put("cpu.max", "max 100000\n");
	assert(!cgroup_quota(directory, false, &quota, &period));
	put("cpu.max", "20000 100000\n");
	assert(cgroup_quota(directory, false, &quota, &period) && quota == 20000000 && period == 100000000);
	assert(!cgroup_throttled(directory, false, &count, &time));
	put("cpu.stat", "usage_usec 9\nuser_usec 5\nsystem_usec 4\n"); /* the controller is not on */
	assert(!cgroup_throttled(directory, false, &count, &time));
	put("cpu.stat", "usage_usec 9\nuser_usec 5\nsystem_usec 4\nnice_usec 0\nnr_periods 12\nnr_throttled 11\n"
			"throttled_usec 884059\nnr_bursts 0\nburst_usec 0\n");
	assert(cgroup_throttled(directory, false, &count, &time) && count == 11 && time == 884059000);
	assert(!cgroup_threads(directory, false));
	put("cgroup.threads", "12\n13\n");
	threads = cgroup_threads(directory, false);
	assert(!strcmp(threads, "12\n13\n"));
	free(threads);
}

static void check_first_version(void)
{
	int64_t quota = 0, period = 0, time = 0;
	uint64_t count = 0;

	put("cpu.cfs_period_us", "100000\n");
	put("cpu.cfs_quota_us", "-1\n");
	assert(!cgroup_quota(directory, true, &quota, &period));
	put("cpu.cfs_quota_us", "150000\n");
	assert(cgroup_quota(directory, true, &quota, &period) && quota == 150000000 && period == 100000000);
	put("cpu.stat", "nr_periods 12\nnr_throttled 11\nthrottled_time 884059733\nnr_bursts 0\nburst_time 0\n");
	assert(cgroup_throttled(directory, true, &count, &time) && count == 11 && time == 884059733);
}

static void see(void *context, int group, const char *path)
{
	char *seen = context;

	(void)group;
	strcat(strcat(seen, path), ";");
}

static void check_walk(const char *mount)
{
	char seen[64] = "";
	int fd;

	assert(mkdirat(directory, "a", 0700) == 0 && mkdirat(directory, "a/b", 0700) == 0);
	cgroup_walk(mount, "", see, seen);
	assert(!strcmp(seen, ";/a;/a/b;"));
	fd = cgroup_open(mount, "/a/b");
	assert(fd >= 0);
	close(fd);
	assert(cgroup_open(mount, "/gone") < 0);
	cgroup_walk(mount, "/gone", see, seen);
	assert(!strcmp(seen, ";/a;/a/b;"));
}

static void count(void *context, int group, const char *path)
{
	(void)group;
	(void)path;
	++*(int *)context;
}

/* Somebody has made very many groups below one that was given to him. */
static void check_many(const char *mount)
{
	char name[32];
	int seen = 0;

	for (int i = 0; i < 3 * CGROUP_MOST; i++) {
		snprintf(name, sizeof(name), "a/b/%d", i);
		assert(mkdirat(directory, name, 0700) == 0 && (geteuid() != 0 || fchownat(directory, name, 65534, 65534, 0) == 0));
	}
	cgroup_walk(mount, "", count, &seen);
	assert(seen == (geteuid() == 0 ? 3 + CGROUP_MOST : CGROUP_MOST));
}

int main(void)
{
	char mount[] = "/tmp/tailblame-cgroup.XXXXXX", *remove;

	assert(mkdtemp(mount));
	directory = open(mount, O_RDONLY | O_DIRECTORY);
	check_second_version();
	check_first_version();
	check_walk(mount);
	check_many(mount);
	assert(asprintf(&remove, "rm -r %s", mount) > 0 && system(remove) == 0);
	free(remove);
	return 0;
}
