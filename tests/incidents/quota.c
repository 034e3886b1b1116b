/*
 * The victim and a thread beside it may use the CPUs for 60 ms in 200 (the CPU controller's quota). When the other has
 * used that up the victim is throttled for the rest of the period: it could run, and it may not.
 *	quota		nobody else wants its CPU
 *	quota busy	a process without a quota uses its CPU meanwhile; it is nice, so would hardly delay it otherwise
 *	quota spare	the quota is twice that, and not used up; a real-time process without one takes the CPU
 * Expected: cpu throttled: victim; with "spare" hog: on CPU N while victim was runnable
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "incident.h"

enum { QUOTA_US = 60000, SPARE_QUOTA_US = 120000, PERIOD_US = 200000, NICE = 19 };

static sem_t go;
static struct hog {
	sem_t go;
	atomic_bool over; /* the slow request is */
} *hog; /* NULL: there is none */
static bool spare;
static long before; /* how often the group had been throttled before the slow request */

static bool limit_cpu(void)
{
	int quota_us = spare ? SPARE_QUOTA_US : QUOTA_US;

	if (incident_group("/sys/fs/cgroup", "cpu.max", "%d %d", quota_us, PERIOD_US))
		return true;
	if (!incident_group("/sys/fs/cgroup/cpu", "cpu.cfs_period_us", "%d", PERIOD_US))
		return false;
	if (incident_group_put("cpu.cfs_quota_us", "%d", quota_us))
		return true;
	incident_group_remove();
	return false;
}

/* How often the group was throttled so far. */
static long throttled(void)
{
	return incident_group_number("cpu.stat", "nr_throttled");
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

int main(int argc, char **argv)
{
	spare = argc > 1 && !strcmp(argv[1], "spare");
	if (argc > 1)
		start_hog();
	if (!limit_cpu())
		incident_fail("no group with a CPU quota");
	return incident_run_in_group(run);
}
