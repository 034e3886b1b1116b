/*
 * The victim and a thread beside it may use the CPUs for 60 ms in 200 (the CPU controller's quota). When the other has
 * used that up the victim is throttled for the rest of the period: it could run, nobody holds its CPU, and it may not.
 * Where others keep that CPU busy meanwhile, they are blamed.
 * Expected: cpu throttled: victim
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { QUOTA_US = 60000, PERIOD_US = 200000, SLICE_US = 8000 }; /* what a CPU may have taken of the quota */

static char group[128];
static sem_t go;

static bool put(const char *file, const char *text)
{
	char path[192];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	fd = open(path, O_WRONLY);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

static bool make_group(const char *parent)
{
	char quota[64];

	snprintf(group, sizeof(group), "%s/incident-quota.%d", parent, getpid());
	if (mkdir(group, 0700) < 0)
		return false;
	snprintf(quota, sizeof(quota), "%d %d", QUOTA_US, PERIOD_US);
	if (put("cpu.max", quota))
		return true;
	snprintf(quota, sizeof(quota), "%d", PERIOD_US);
	if (put("cpu.cfs_period_us", quota)) {
		snprintf(quota, sizeof(quota), "%d", QUOTA_US);
		if (put("cpu.cfs_quota_us", quota))
			return true;
	}
	rmdir(group);
	return false;
}

/* How often the group was throttled so far. */
static long throttled(void)
{
	char path[192], text[512] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/cpu.stat", group);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || !strstr(text, "nr_throttled "))
		incident_fail(path);
	close(fd);
	return atol(strstr(text, "nr_throttled ") + strlen("nr_throttled "));
}

static void glutton(void)
{
	incident_pin(1);
	for (;;) {
		incident_wait(&go);
		incident_compute(2 * QUOTA_US);
	}
}

void request(void)
{
	incident_compute(incident_is_slow() ? SLICE_US : HEALTHY_US);
}

static void disturb(void)
{
	long before = throttled();

	sem_post(&go);
	for (int tries = 0; throttled() == before && tries < 1000; tries++)
		incident_sleep(1000);
}

static int run(void)
{
	put("cgroup.procs", "0");
	incident_thread("glutton", glutton);
	incident_pin(0);
	return incident_run(request, disturb);
}

/* The group outlives whoever is in it, so another process removes it. */
int main(void)
{
	int status = 0;
	pid_t child;

	if (!make_group("/sys/fs/cgroup") && !make_group("/sys/fs/cgroup/cpu"))
		incident_fail("no group with a CPU quota");
	child = fork();
	if (child == 0)
		return run();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		status = 1;
	for (int tries = 0; rmdir(group) < 0 && tries < 100; tries++)
		incident_sleep(10000);
	return status != 0;
}
