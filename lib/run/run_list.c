#include "run/run_list.h"

#include <stdlib.h>

static void free_runs(struct run_list *list, struct run **runs)
{
	while (*runs) {
		struct run *run = *runs;

		*runs = run->next;
		run_free(&list->tree, run);
	}
}

void run_list_clear(struct run_list *list)
{
	free_runs(list, &list->runs);
	free_runs(list, &list->over);
	list->last = &list->runs;
	list->over_last = &list->over;
	list->forks = false;
	process_tree_free(&list->tree);
}

static struct run **find_link(struct run_list *list, const struct run *run)
{
	struct run **link = &list->runs;

	while (*link && *link != run)
		link = &(*link)->next;
	return link;
}

static void take_out(struct run_list *list, struct run *run)
{
	struct run **link = find_link(list, run);

	*link = run->next;
	if (!*link)
		list->last = link;
	run->next = NULL;
}

/* Moves the run's processes to the run `to`. NULL: to no run, and their calls count no longer. */
static void move_processes(struct run_list *list, const struct run *run, struct run *to)
{
	for (struct run_process *process = list->tree.all; process; process = process->next)
		if (process->run == run) {
			process->run = to;
			process->muted = !to;
		}
}

void run_list_finish(struct run_list *list, struct run *run)
{
	run->closed = true;
	move_processes(list, run, NULL);
	take_out(list, run);
	if (!run->seen) {
		run_free(&list->tree, run);
		return;
	}
	*list->over_last = run;
	list->over_last = &run->next;
}

/* The run's own threads have ended. Calls that children entered before may still return. */
static void close_run(struct run_list *list, struct run *run)
{
	run->closed = true;
	for (const struct run_thread *thread = list->tree.threads; thread; thread = thread->hh.next)
		run->awaited += thread->process->run == run && thread->process != run->process && !thread->gone && thread->open &&
				thread->entered <= run->end;
	if (run->awaited == 0)
		run_list_finish(list, run);
}

void run_list_end_thread(struct run_list *list, struct run_thread *thread)
{
	struct run *run = thread->process->run;
	bool own = run && run->process == thread->process;

	if (thread->gone)
		return;
	process_ref(thread->process);
	process_tree_end(&list->tree, thread);
	if (own && run->process->live == 0 && !run->closed && (!run->partial || list->forks)) /* else a parent may still claim it */
		close_run(list, run);
	process_unref(&list->tree, thread->process);
}

struct run *run_list_begin(struct run_list *list, struct run_process *process, const char *program, bool partial)
{
	struct run *run = run_new(process, program);

	run->partial = partial;
	process->run = run;
	process->muted = false;
	*list->last = run;
	list->last = &run->next;
	return run;
}

/* Adds the calls that a process made before it had a run to `to` (NULL: nowhere), and forgets them. */
static void hand_over(struct run_process *process, struct tally *to)
{
	if (process->sums && to)
		tally_add(to, process->sums);
	tally_free(process->sums);
	process->sums = NULL;
}

/* A run that was taken for one begun before the data is a child of the run `into`: adds its calls to that, and frees it. */
static void fold(struct run_list *list, struct run *child, struct run *into)
{
	struct tally *to = into && !into->closed ? into->later : NULL;

	if (to) {
		tally_add(to, child->sums);
		tally_add(to, child->later);
	}
	move_processes(list, child, into);
	take_out(list, child);
	run_free(&list->tree, child);
}

void run_list_unmake(struct run_list *list, struct run *run)
{
	struct run_process *process = run->process;

	for (struct run_process *each = list->tree.all; each; each = each->next)
		if (each->run == run)
			each->run = NULL;
	process->run = NULL;
	tally_free(process->sums);
	process->sums = tally_new();
	tally_add(process->sums, run->sums);
	tally_add(process->sums, run->later);
	take_out(list, run);
	run_free(&list->tree, run);
}

/* Gives the run of a parent to its children, down the tree. */
static void inherit(struct run_list *list)
{
	bool again = true;

	while (again) {
		again = false;
		for (struct run_process *process = list->tree.all; process; process = process->next) {
			const struct run_process *parent = process->parent;

			if (process->run || process->muted || !parent || (!parent->run && !parent->muted))
				continue;
			process->run = parent->run;
			process->muted = parent->muted;
			hand_over(process, process->run && !process->run->closed ? process->run->later : NULL);
			again = true;
		}
	}
}

void run_list_adopt(struct run_list *list, struct run_thread *thread, struct run_process *parent, bool is_thread)
{
	struct run *own = thread->process->run, *former = own && own->partial && own->process == thread->process ? own : NULL;
	struct run_process *process = process_tree_adopt(&list->tree, thread, parent, is_thread);

	if (!process)
		return;
	if (former && former != parent->run)
		fold(list, former, parent->run);
	if (is_thread && !parent->run && !parent->muted && process->sums) {
		if (!parent->sums)
			parent->sums = tally_new();
		hand_over(process, parent->sums);
	} else {
		hand_over(process, !parent->run ? NULL : is_thread && parent == parent->run->process ? parent->run->sums
								  : parent->run->closed		     ? NULL
												     : parent->run->later);
	}
	process_unref(&list->tree, process);
	inherit(list);
}

void run_list_call_over(struct run_list *list, const struct run_thread *thread)
{
	struct run *run = thread->process->run;

	if (thread->open && run && run->closed && run->process != thread->process && thread->entered <= run->end && --run->awaited == 0)
		run_list_finish(list, run);
}

struct run *run_list_take(struct run_list *list, int64_t before)
{
	struct run *run = list->over;

	if (!run || run->end >= before)
		return NULL;
	list->over = run->next;
	if (!list->over)
		list->over_last = &list->over;
	return run;
}

static int64_t earliest(const struct run *runs, int64_t earliest)
{
	for (const struct run *run = runs; run; run = run->next)
		if (run->seen && run->begin < earliest)
			earliest = run->begin;
	return earliest;
}

int64_t run_list_begun(const struct run_list *list, int64_t now)
{
	return earliest(list->runs, earliest(list->over, now));
}
