/*
 * The victim needs memory in a group (cgroup) that has reached its limit, filled with the pages that hoarder wrote to a
 * file: it must make room first, and wait for the disk.
 * Expected: hoarder: write of MAJOR:MINOR in service, or victim: reclaiming memory
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "incident.h"

enum { PAGE = 4096, LARGE = 1 << 20, LIMIT = 48 * LARGE, NEED = 12 * LARGE, HOARD = 44 * LARGE, STRIDE = 4 * PAGE };

static char group[128], file_name[64], page[PAGE];
static sem_t *hoard, *hoarded;

static void set(const char *name, const char *value)
{
	char path[256];
	int file;

	snprintf(path, sizeof(path), "%s/%s", group, name);
	file = open(path, O_WRONLY);
	if (file < 0)
		incident_fail(path);
	incident_write(file, value, strlen(value));
	close(file);
}

static void enter_group(void)
{
	char limit[16];
	bool old = access("/sys/fs/cgroup/memory", F_OK) == 0;

	snprintf(group, sizeof(group), "/sys/fs/cgroup/%sincident-reclaim.%d", old ? "memory/" : "", getpid());
	if (mkdir(group, 0755) < 0)
		incident_fail(group);
	snprintf(limit, sizeof(limit), "%d", LIMIT);
	set(old ? "memory.limit_in_bytes" : "memory.max", limit);
	set("cgroup.procs", "0");
}

static void leave_group(void)
{
	char *slash = strrchr(group, '/');
	char name[64];

	snprintf(name, sizeof(name), "%s", slash);
	*slash = '\0';
	set("cgroup.procs", "0");
	strcat(group, name);
	for (int tries = 0; rmdir(group) < 0 && tries < 100; tries++)
		incident_sleep(10000);
}

static void hoarder(void)
{
	int file = open(file_name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	unlink(file_name);
	for (;;) {
		incident_wait(hoard);
		for (off_t n = 0; n < HOARD / PAGE; n++) /* apart, so that the disk has work with them */
			if (pwrite(file, page, PAGE, n * STRIDE) != PAGE)
				incident_fail(file_name);
		sem_post(hoarded);
	}
}

void request(void)
{
	size_t size = incident_is_slow() ? NEED : LARGE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, size, MADV_HUGEPAGE);
	for (size_t at = 0; at < size; at += PAGE)
		memory[at] = 1;
	munmap(memory, size);
}

static void disturb(void)
{
	sem_post(hoard);
	incident_wait(hoarded);
}

int main(void)
{
	int status;

	enter_group();
	snprintf(file_name, sizeof(file_name), "/tmp/incident-reclaim.%d", getpid());
	hoard = incident_semaphore();
	hoarded = incident_semaphore();
	pid_t child = incident_process("hoarder", hoarder);
	status = incident_run(request, disturb);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	leave_group();
	return status;
}
