#include "source/instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

#define MOUNT_POINT "/sys/kernel/tracing"
#define INSTANCE_NAME "tailblame-%d"
#define KEEPER_TAIL ".kept"
#define KEEPER_NAME INSTANCE_NAME KEEPER_TAIL
#define PROBE_GROUP "tailblame_%d"

/* The fields of /proc/PID/stat between the state and the start time. */
#define NUMBERS_6 " %*d %*d %*d %*d %*d %*d"
#define NUMBERS_18 NUMBERS_6 NUMBERS_6 NUMBERS_6

/* Seconds by which the wall clock may have been set between the start of a process and the making of its instance. */
enum { CLOCK_SLACK = 10 };

const char *instance_tracefs(void)
{
	static const char *path; /* libtracefs's, which never frees it */

	if (tracefs_tracing_dir_is_mounted(false, &path) <= 0 &&
	    mount("nodev", MOUNT_POINT, "tracefs", 0, NULL) == 0)
		tracefs_tracing_dir_is_mounted(false, &path);
	if (!path)
		fail("tracefs is not mounted; run as root, or: mount -t tracefs nodev " MOUNT_POINT);
	return path;
}

int instance_fail_access(const char *verb, const char *path)
{
	bool denied = errno == EACCES || errno == EPERM;

	fail_errno("cannot %s '%s/%s'", verb, tracefs_tracing_dir(), path);
	return denied ? fail("%s; run as root or mount tracefs with gid=", fail_text()) : -1;
}

const char *instance_probe_group(void)
{
	static char name[32];

	snprintf(name, sizeof(name), PROBE_GROUP, getpid());
	return name;
}

int instance_write(struct tracefs_instance *instance, const char *file, const char *text)
{
	int fd = tracefs_instance_file_open(instance, file, O_WRONLY | O_TRUNC);
	ssize_t written;

	if (fd < 0)
		return fail_errno("cannot open '%s/%s'", tracefs_instance_get_trace_dir(instance), file);
	written = write(fd, text, strlen(text));
	if (written < 0)
		fail_errno("cannot write '%s' to '%s'", text, file);
	close(fd);
	return written < 0 ? -1 : 0;
}

static struct tracefs_instance *create(const char *name)
{
	struct tracefs_instance *instance;
	char *path;

	instance = tracefs_instance_create(name);
	if (!instance) {
		path = memory_format("instances/%s", name);
		instance_fail_access("make", path);
		free(path);
		return NULL;
	}
	if (tracefs_trace_off(instance) < 0) {
		fail_errno("cannot turn tracing off in '%s'", name);
		tracefs_instance_free(instance);
		return NULL;
	}
	return instance;
}

struct tracefs_instance *instance_create(void)
{
	char name[32];

	snprintf(name, sizeof(name), INSTANCE_NAME, getpid());
	return create(name);
}

struct tracefs_instance *instance_create_keeper(void)
{
	char name[32];

	snprintf(name, sizeof(name), KEEPER_NAME, getpid());
	return create(name);
}

/* An instance must go before its probes, which are in use while events are enabled in it. */
static int remove_probes(const char *group)
{
	struct tracefs_dynevent **probes =
		tracefs_dynevent_get_all(TRACEFS_DYNEVENT_UPROBE | TRACEFS_DYNEVENT_URETPROBE, group);
	int status = 0;

	for (int i = 0; probes && probes[i]; i++) {
		/* only where somebody else uses it: with force, all events of all instances are looked at */
		if (tracefs_dynevent_destroy(probes[i], false) < 0 && tracefs_dynevent_destroy(probes[i], true) < 0)
			status = fail_errno("cannot remove a uprobe of the group '%s'", group);
	}
	if (probes)
		tracefs_dynevent_list_free(probes);
	return status;
}

static int remove_instance(const char *path)
{
	return rmdir(path) < 0 && errno != ENOENT ? fail_errno("cannot remove '%s'", path) : 0;
}

int instance_remove(pid_t pid)
{
	const char *tracing = tracefs_tracing_dir();
	char *path, *keeper, group[32];
	int status;

	if (!tracing)
		return fail("tracefs is not mounted");
	path = memory_format("%s/instances/" INSTANCE_NAME, tracing, pid);
	keeper = memory_format("%s/instances/" KEEPER_NAME, tracing, pid);
	status = remove_instance(keeper);
	if (remove_instance(path) < 0)
		status = -1;
	free(keeper);
	free(path);
	snprintf(group, sizeof(group), PROBE_GROUP, pid);
	if (status == 0)
		status = remove_probes(group);
	return status;
}

/* When the process began, in seconds since the epoch; 0: there is none with this pid. */
static double process_start(pid_t pid)
{
	struct timespec now, boot;
	char *path = memory_format("/proc/%d/stat", pid), text[1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	unsigned long long ticks;
	const char *rest;

	free(path);
	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	rest = strrchr(text, ')'); /* the name before it may hold anything */
	if (!rest || sscanf(rest, ") %*c" NUMBERS_18 " %llu", &ticks) != 1)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (double)(now.tv_sec - boot.tv_sec) + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* Its process is gone, or a pid was given out again and belongs to one that is younger than the instance. */
static bool is_stale(int instances, const char *name, pid_t pid)
{
	struct stat made;
	double start = process_start(pid);

	if (start == 0)
		return true;
	return fstatat(instances, name, &made, 0) == 0 && start > (double)made.st_ctime + CLOCK_SLACK;
}

static void remove_stale_instances(const char *tracing)
{
	char *path = memory_format("%s/instances", tracing);
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int pid, end = 0;
		bool ours = sscanf(entry->d_name, INSTANCE_NAME "%n", &pid, &end) == 1;

		if (ours && (!entry->d_name[end] || strcmp(entry->d_name + end, KEEPER_TAIL) == 0) &&
		    is_stale(dirfd(dir), entry->d_name, pid))
			instance_remove(pid);
	}
	if (dir)
		closedir(dir);
	free(path);
}

/* A collector's probes come after its instance and go right behind it, so probes without an instance are stale. */
static void remove_stale_probes(void)
{
	struct tracefs_dynevent **probes =
		tracefs_dynevent_get_all(TRACEFS_DYNEVENT_UPROBE | TRACEFS_DYNEVENT_URETPROBE, NULL);

	for (int i = 0; probes && probes[i]; i++) {
		char *group = NULL, name[32];
		int pid;

		tracefs_dynevent_info(probes[i], &group, NULL, NULL, NULL, NULL);
		if (group && sscanf(group, PROBE_GROUP, &pid) == 1) {
			snprintf(name, sizeof(name), INSTANCE_NAME, pid);
			if (!tracefs_instance_exists(name))
				tracefs_dynevent_destroy(probes[i], true);
		}
		free(group);
	}
	if (probes)
		tracefs_dynevent_list_free(probes);
}

void instance_remove_stale(void)
{
	const char *tracing = tracefs_tracing_dir();

	if (!tracing)
		return;
	remove_stale_instances(tracing);
	remove_stale_probes();
}
