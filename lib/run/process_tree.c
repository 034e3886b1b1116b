#include "run/process_tree.h"

#include <stdlib.h>
#include <utlist.h>

struct birth {
	int32_t tid;
	struct run_process *process;
	bool is_thread;
	UT_hash_handle hh;
};

void process_ref(struct run_process *process)
{
	process->refs++;
}

static void unlist(struct process_tree *tree, struct run_process *process)
{
	struct run_process *listed;

	HASH_FIND_INT(tree->processes, &process->tgid, listed);
	if (listed == process)
		HASH_DEL(tree->processes, process);
}

void process_unref(struct process_tree *tree, struct run_process *process)
{
	while (process && --process->refs == 0) {
		struct run_process *parent = process->parent;

		process_unref(tree, process->before);
		unlist(tree, process);
		DL_DELETE(tree->all, process);
		tally_free(process->sums);
		free(process);
		process = parent;
	}
}

static void free_thread(struct process_tree *tree, struct run_thread *thread)
{
	HASH_DEL(tree->threads, thread);
	process_unref(tree, thread->process);
	free(thread);
}

static void free_birth(struct process_tree *tree, struct birth *birth)
{
	HASH_DEL(tree->births, birth);
	process_unref(tree, birth->process);
	free(birth);
}

void process_tree_free(struct process_tree *tree)
{
	struct run_thread *thread, *next_thread;
	struct birth *birth, *next_birth;

	HASH_ITER(hh, tree->threads, thread, next_thread)
		free_thread(tree, thread);
	HASH_ITER(hh, tree->births, birth, next_birth)
		free_birth(tree, birth);
	*tree = (struct process_tree){0};
}

struct run_thread *process_tree_find(const struct process_tree *tree, int32_t tid)
{
	struct run_thread *thread;

	HASH_FIND_INT(tree->threads, &tid, thread);
	return thread;
}

static struct run_process *find_process(const struct process_tree *tree, int32_t tgid)
{
	struct run_process *process;

	HASH_FIND_INT(tree->processes, &tgid, process);
	return process;
}

static struct run_process *new_process(struct process_tree *tree, int32_t tgid)
{
	struct run_process *process = NEW(struct run_process), *former = find_process(tree, tgid);

	if (former)
		HASH_DEL(tree->processes, former);
	process->tgid = tgid;
	HASH_ADD_INT(tree->processes, tgid, process);
	DL_APPEND(tree->all, process);
	return process;
}

static void set_parent(struct run_process *process, struct run_process *parent)
{
	process->parent = parent;
	process_ref(parent);
	process->run = parent->run;
	process->muted = parent->muted;
}

/* The process that a new thread belongs to. */
static struct run_process *process_of(struct process_tree *tree, int32_t tid, int32_t tgid, const struct birth *birth)
{
	struct run_process *process = find_process(tree, tgid ? tgid : tid);

	if (birth && birth->is_thread)
		return birth->process;
	if (process && !(process->live == 0 && (tgid == 0 || tgid == tid))) /* else a new process reuses its number */
		return process;
	process = new_process(tree, tgid ? tgid : tid);
	if (birth)
		set_parent(process, birth->process);
	return process;
}

static struct birth *find_birth(const struct process_tree *tree, int32_t tid)
{
	struct birth *birth;

	HASH_FIND_INT(tree->births, &tid, birth);
	return birth;
}

static void join(struct run_thread *thread, struct run_process *process)
{
	thread->process = process;
	process_ref(process);
	process->live += !thread->gone;
}

struct run_thread *process_tree_thread(struct process_tree *tree, int32_t tid, int32_t tgid, int64_t ts)
{
	struct run_thread *thread = process_tree_find(tree, tid);
	struct birth *birth;

	if (thread && !thread->gone)
		return thread;
	if (thread)
		free_thread(tree, thread);
	birth = find_birth(tree, tid);
	thread = NEW(struct run_thread);
	thread->tid = tid;
	thread->first = ts;
	HASH_ADD_INT(tree->threads, tid, thread);
	join(thread, process_of(tree, tid, tgid, birth));
	if (birth)
		free_birth(tree, birth);
	return thread;
}

void process_tree_born(struct process_tree *tree, int32_t tid, struct run_process *process, bool is_thread)
{
	struct run_thread *former = process_tree_find(tree, tid);
	struct birth *birth = find_birth(tree, tid);

	process_ref(process);
	if (former) {
		process_tree_end(tree, former);
		former = process_tree_find(tree, tid); /* process_tree_end() may have freed it */
		if (former)
			free_thread(tree, former);
	}
	if (birth)
		free_birth(tree, birth);
	birth = NEW(struct birth);
	birth->tid = tid;
	birth->process = process;
	birth->is_thread = is_thread;
	HASH_ADD_INT(tree->births, tid, birth);
}

void process_tree_end(struct process_tree *tree, struct run_thread *thread)
{
	struct run_thread *oldest;

	if (thread->gone)
		return;
	thread->gone = true;
	thread->process->live--;
	oldest = process_tree_find(tree, exited_tids_add(&tree->exited, thread->tid));
	if (oldest && oldest->gone && oldest != thread)
		free_thread(tree, oldest);
}

struct run_process *process_tree_renew(struct process_tree *tree, struct run_thread *thread)
{
	struct run_process *before = thread->process, *process = new_process(tree, before->tgid);

	process->before = before; /* takes over the thread's reference */
	process->asked = true;
	before->live -= !thread->gone;
	join(thread, process);
	return process;
}

struct run_process *process_tree_adopt(struct process_tree *tree, struct run_thread *thread, struct run_process *parent, bool is_thread)
{
	struct run_process *process = thread->process;

	while (process->before)
		process = process->before;
	if (process == parent || process->parent || process->muted)
		return NULL;
	for (const struct run_process *above = parent; above; above = above->parent)
		if (above == process)
			return NULL; /* no process is its own ancestor */
	process_ref(process);
	if (!is_thread || process->tgid != thread->tid) {
		set_parent(process, parent);
		return process;
	}
	process->live -= !thread->gone;
	process_unref(tree, process);
	join(thread, parent);
	return process;
}
