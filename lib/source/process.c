#include "source/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/proc.h"

void process_select(struct process *process)
{
	if (!process->members)
		process->members = memory_new(PROCESS_TIDS / 64, sizeof(uint64_t));
}

void process_add(struct process *process, int32_t tid)
{
	process_select(process);
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

/* Tells whether the thread has not ended. One that has ended stays a zombie until somebody waits for it. */
static bool exists(int32_t tid)
{
	char state = proc_state(tid);

	return state && state != 'Z' && state != 'X';
}

int32_t process_left(const struct process *process, int32_t known)
{
	if (known > 0 && exists(known))
		return known;
	for (int32_t tid = 1; tid < PROCESS_TIDS; tid++)
		if (process->members[tid / 64] && process_has(process, tid) && exists(tid))
			return tid;
	return 0;
}

void process_free(struct process *process)
{
	free(process->members);
	free(process->names.items);
	*process = (struct process){0};
}

static void add_threads(struct process *process, int32_t pid)
{
	char path[32];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			process_add(process, atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

/* The process's parent; 0: the process is gone. */
static int32_t parent_of(int32_t pid)
{
	struct proc_stat stat;

	proc_stat(pid, &stat);
	return stat.parent;
}

struct kin {
	int32_t pid, parent;
};

/* Finds descendants by their parents, because not every kernel lists the children of a thread (CONFIG_PROC_CHILDREN). */
static void add_descendants(struct process *process)
{
	ARRAY(struct kin) all = {0};
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			*ARRAY_ADD(&all) = (struct kin){atoi(entry->d_name), parent_of(atoi(entry->d_name))};
	if (dir)
		closedir(dir);
	for (bool grew = true; grew;) {
		grew = false;
		for (size_t i = 0; i < all.count; i++) {
			const struct kin *kin = &all.items[i];

			if (kin->parent <= 0 || !process_has(process, kin->parent) || process_has(process, kin->pid))
				continue;
			add_threads(process, kin->pid);
			grew |= process_has(process, kin->pid);
		}
	}
	free(all.items);
}

int process_follow(struct process *process, int32_t pid)
{
	add_threads(process, pid);
	if (!process->members || !process_has(process, pid))
		return fail("there is no process %d", pid);
	add_descendants(process);
	return 0;
}

/* --- by name ---------------------------------------------------------------------------------------------------------- */

void process_choose(struct process *process, const char *name)
{
	process_select(process);
	*ARRAY_ADD(&process->names) = name;
}

static bool is_chosen(const struct process *process, const struct program *program, const char *comm)
{
	static const struct program unknown;

	for (size_t i = 0; i < process->names.count; i++)
		if (program_is_called(program ? program : &unknown, comm, process->names.items[i]))
			return true;
	return false;
}

int process_follow_chosen(struct process *process, process_reader *read, void *context)
{
	DIR *dir = process->names.count ? opendir("/proc") : NULL;
	struct dirent *entry;
	int found = 0;

	while (dir && (entry = readdir(dir))) {
		int32_t pid = atoi(entry->d_name);
		struct program program;
		char comm[32];

		if (pid <= 0 || pid == getpid())
			continue;
		proc_comm(pid, comm, sizeof(comm));
		if (!is_chosen(process, NULL, comm) && !(read(context, &program, pid) && is_chosen(process, &program, comm)))
			continue;
		add_threads(process, pid);
		found++;
	}
	if (dir)
		closedir(dir);
	if (found)
		add_descendants(process);
	return found;
}

bool process_began(struct process *process, int32_t pid, const struct program *program, const char *comm)
{
	if (process->names.count == 0 || process_has(process, pid) || !is_chosen(process, program, comm))
		return false;
	process_add(process, pid);
	return true;
}
