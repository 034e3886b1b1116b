#include "source/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"

void process_add(struct process *process, int32_t tid)
{
	if (!process->members)
		process->members = memory_new(PROCESS_TIDS / 64, sizeof(uint64_t));
	process->members[(uint32_t)tid % PROCESS_TIDS / 64] |= UINT64_C(1) << (tid % 64);
}

void process_remove(struct process *process, int32_t tid)
{
	if (process->members)
		process->members[(uint32_t)tid % PROCESS_TIDS / 64] &= ~(UINT64_C(1) << (tid % 64));
}

bool process_fork(struct process *process, int32_t parent, int32_t child)
{
	bool before = process_has(process, child), after = process_has(process, parent);

	if (before != after)
		(after ? process_add : process_remove)(process, child);
	return before != after;
}

void process_free(struct process *process)
{
	free(process->members);
	process->members = NULL;
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
		process_add(process, tid);
		add_children(process, pid, tid);
	}
	if (dir)
		closedir(dir);
}

int process_follow(struct process *process, int32_t pid)
{
	add_tree(process, pid);
	return process->members && process_has(process, pid) ? 0 : fail("there is no process %d", pid);
}
