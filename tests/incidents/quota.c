/*
 * The victim and a thread beside it may use the CPUs for 60 ms in 200 (the CPU controller's quota). When the other has
 * used that up the victim is throttled for the rest of the period: it could run, and it may not.
 *	quota		nobody else wants its CPU
 *	quota busy	a process without a quota uses its CPU meanwhile; it is nice, so would hardly delay it otherwise
 *	quota spare	the quota is twice that, and not used up; a real-time process without one takes the CPU
 * Expected: cpu throttled: victim; with "spare" hog: on CPU N while victim was runnable
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { QUOTA_US = 60000, SPARE_QUOTA_US = 120000, PERIOD_US = 200000, NICE = 19 };

static char group[128];
static sem_t go;
static struct hog {
	sem_t go;
	atomic_bool over; /* the slow request is */
} *hog; /* NULL: there is none */
static bool spare;
static long before; /* how often the group had been throttled before the slow request */

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
	int quota_us = spare ? SPARE_QUOTA_US : QUOTA_US;
	char quota[64];

	snprintf(group, sizeof(group), "%s/incident-quota.%d", parent, getpid());
	if (mkdir(group, 0700) < 0)
		return false;
	snprintf(quota, sizeof(quota), "%d %d", quota_us, PERIOD_US);
	if (put("cpu.max", quota))
		return true;
	snprintf(quota, sizeof(quota), "%d", PERIOD_US);
	if (put("cpu.cfs_period_us", quota)) {
		snprintf(quota, sizeof(quota), "%d", quota_us);
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

static void take_cpu(void)
{
	incident_pin(0);
	if (spare)
		incident_real_time();
	else if (nice(NICE) < 0)
		incident_fail("nice");
	for (;;) {
		incident_wait(&hog->go);
		if (spare)
			incident_sleep(HEALTHY_US); /* the request begins meanwhile */
		for (int ms = 0; spare ? ms < TROUBLE_MS : !hog->over; ms++)
			incident_compute(1000);
		hog->over = false;
	}
}

/* A slow one lasts until the quota has been used up, and is there again. */
void request(void)
{
	incident_compute(spare && incident_is_slow() ? 4 * HEALTHY_US : HEALTHY_US);
	while (!spare && incident_is_slow() && throttled() == before)
		incident_compute(1000);
	if (incident_is_slow() && hog)
		hog->over = true;
}

static void disturb(void)
{
	before = throttled();
	if (hog)
		sem_post(&hog->go);
	if (!spare)
		sem_post(&go);
}

static int run(void)
{
	put("cgroup.procs", "0");
	incident_thread("glutton", glutton);
	incident_pin(0);
	return incident_run(request, disturb);
}

static void start_hog(void)
{
	hog = incident_shared(sizeof(*hog));
	sem_init(&hog->go, 1, 0);
	incident_process("hog", take_cpu);
}

/* The group outlives whoever is in it, so another process removes it. */
int main(int argc, char **argv)
{
	int status = 0;
	pid_t child;

	spare = argc > 1 && !strcmp(argv[1], "spare");
	if (argc > 1)
		start_hog();

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
