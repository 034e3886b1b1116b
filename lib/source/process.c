#include "source/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"

static void add(struct process *process, int32_t tid)
{
	process->members[(uint32_t)tid % PROCESS_TIDS / 64] |= UINT64_C(1) << (tid % 64);
}

static void remove_member(struct process *process, int32_t tid)
{
	process->members[(uint32_t)tid % PROCESS_TIDS / 64] &= ~(UINT64_C(1) << (tid % 64));
}

void process_fork(struct process *process, int32_t parent, int32_t child)
{
	if (process_has(process, parent))
		add(process, child);
	else
		remove_member(process, child);
}

void process_free(struct process *process)
{
	free(process->members);
}

static void add_tree(struct process *process, int32_t pid);

static void add_children(struct process *process, int32_t pid, int32_t tid)
{
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1) {
		if (child > 0 && !process_has(process, child))
			add_tree(process, child);
	}
	if (file)
		fclose(file);
}

static void add_tree(struct process *process, int32_t pid)
{
	char path[32];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		if (tid <= 0)
			continue;
		add(process, tid);
		add_children(process, pid, tid);
	}
	if (dir)
		closedir(dir);
}

int process_follow(struct process *process, int32_t pid)
{
	process->members = memory_new(PROCESS_TIDS / 64, sizeof(uint64_t));
	add_tree(process, pid);
	return process_has(process, pid) ? 0 : fail("there is no process %d", pid);
}
