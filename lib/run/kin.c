#include "run/kin.h"

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

static void unlist(struct kin *kin, struct run_process *process)
{
	struct run_process *listed;

	HASH_FIND_INT(kin->processes, &process->tgid, listed);
	if (listed == process)
		HASH_DEL(kin->processes, process);
}

void process_unref(struct kin *kin, struct run_process *process)
{
	while (process && --process->refs == 0) {
		struct run_process *parent = process->parent;

		process_unref(kin, process->before);
		unlist(kin, process);
		DL_DELETE(kin->all, process);
		tally_free(process->sums);
		free(process);
		process = parent;
	}
}

static void free_thread(struct kin *kin, struct run_thread *thread)
{
	HASH_DEL(kin->threads, thread);
	process_unref(kin, thread->process);
	free(thread);
}

static void free_birth(struct kin *kin, struct birth *birth)
{
	HASH_DEL(kin->births, birth);
	process_unref(kin, birth->process);
	free(birth);
}

void kin_free(struct kin *kin)
{
	struct run_thread *thread, *next_thread;
	struct birth *birth, *next_birth;

	HASH_ITER(hh, kin->threads, thread, next_thread)
		free_thread(kin, thread);
	HASH_ITER(hh, kin->births, birth, next_birth)
		free_birth(kin, birth);
	*kin = (struct kin){0};
}

struct run_thread *kin_find(const struct kin *kin, int32_t tid)
{
	struct run_thread *thread;

	HASH_FIND_INT(kin->threads, &tid, thread);
	return thread;
}

static struct run_process *find_process(const struct kin *kin, int32_t tgid)
{
	struct run_process *process;

	HASH_FIND_INT(kin->processes, &tgid, process);
	return process;
}

static struct run_process *new_process(struct kin *kin, int32_t tgid)
{
	struct run_process *process = NEW(struct run_process), *former = find_process(kin, tgid);

	if (former)
		HASH_DEL(kin->processes, former);
	process->tgid = tgid;
	HASH_ADD_INT(kin->processes, tgid, process);
	DL_APPEND(kin->all, process);
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
static struct run_process *process_of(struct kin *kin, int32_t tid, int32_t tgid, const struct birth *birth)
{
	struct run_process *process = find_process(kin, tgid ? tgid : tid);

	if (birth && birth->is_thread)
		return birth->process;
	if (process && !(process->live == 0 && (tgid == 0 || tgid == tid))) /* else its number is used anew */
		return process;
	process = new_process(kin, tgid ? tgid : tid);
	if (birth)
		set_parent(process, birth->process);
	return process;
}

static struct birth *find_birth(const struct kin *kin, int32_t tid)
{
	struct birth *birth;

	HASH_FIND_INT(kin->births, &tid, birth);
	return birth;
}

static void join(struct run_thread *thread, struct run_process *process)
{
	thread->process = process;
	process_ref(process);
	process->live += !thread->gone;
}

struct run_thread *kin_thread(struct kin *kin, int32_t tid, int32_t tgid, int64_t ts)
{
	struct run_thread *thread = kin_find(kin, tid);
	struct birth *birth;

	if (thread && !thread->gone)
		return thread;
	if (thread)
		free_thread(kin, thread);
	birth = find_birth(kin, tid);
	thread = NEW(struct run_thread);
	thread->tid = tid;
	thread->first = ts;
	HASH_ADD_INT(kin->threads, tid, thread);
	join(thread, process_of(kin, tid, tgid, birth));
	if (birth)
		free_birth(kin, birth);
	return thread;
}

void kin_born(struct kin *kin, int32_t tid, struct run_process *process, bool is_thread)
{
	struct run_thread *former = kin_find(kin, tid);
	struct birth *birth = find_birth(kin, tid);

	process_ref(process);
	if (former) {
		kin_end(kin, former);
		former = kin_find(kin, tid); /* kin_end() may have let it go */
		if (former)
			free_thread(kin, former);
	}
	if (birth)
		free_birth(kin, birth);
	birth = NEW(struct birth);
	birth->tid = tid;
	birth->process = process;
	birth->is_thread = is_thread;
	HASH_ADD_INT(kin->births, tid, birth);
}

void kin_end(struct kin *kin, struct run_thread *thread)
{
	struct run_thread *oldest;

	if (thread->gone)
		return;
	thread->gone = true;
	thread->process->live--;
	oldest = kin_find(kin, exited_tids_add(&kin->exited, thread->tid));
	if (oldest && oldest->gone && oldest != thread)
		free_thread(kin, oldest);
}

struct run_process *kin_renew(struct kin *kin, struct run_thread *thread)
{
	struct run_process *before = thread->process, *process = new_process(kin, before->tgid);

	process->before = before; /* with the thread's reference */
	process->asked = true;
	before->live -= !thread->gone;
	join(thread, process);
	return process;
}

struct run_process *kin_adopt(struct kin *kin, struct run_thread *thread, struct run_process *parent, bool is_thread)
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
	process_unref(kin, process);
	join(thread, parent);
	return process;
}
