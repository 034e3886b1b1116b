#include "calls/tasks.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/fail.h"
#include "wake/wake.h"

enum {
	TASKS_MAX = 1 << 18,
	RUNS_MAX = 1 << 20,
	AWAITS_MAX = 1 << 20,
	NAME_ROOM = 256,
	CHAIN_MAX = 4096, /* limits how many parts of a task, and tasks in a chain of awaits, are followed */
	NONE = -1,
};

struct key {
	int64_t pid;
	uint64_t id;
};

struct task {
	struct key key;
	int32_t index, tid;
	char *name; /* NULL: unknown */
	int64_t created, ended; /* TIME_NONE: unknown; has not ended */
	int64_t first, last;	/* times of the first and last record that names it */
	uint64_t parent, ender; /* ids of the tasks that created and ended it; 0: unknown */
	bool goes_on; /* it was created to continue when something else has ended */
	bool ran;
	size_t waits; /* its last await that is not over, and its last run, counted from 1; 0: none */
	size_t last_run;
	/* for a graph */
	int32_t owner;	   /* the task that it is a part of; NONE: it is no part */
	int32_t awaiter;   /* the first task that began to await it in the graph's time; NONE */
	int32_t node;	   /* NONE: it is not in the graph */
	bool has_parts;	   /* it has parts, or awaits several tasks together */
	size_t first_await; /* the first await of the task and its parts, counted from 1; 0: none */
	UT_hash_handle hh;
};

struct run {
	int32_t task, tid;
	int64_t from, to; /* to: TIME_NONE: not over */
};

struct await {
	int32_t task;
	enum node_join mode;
	uint64_t on;
	int64_t from, to; /* to: TIME_NONE: not over */
	size_t before;	  /* the task's await before, if that was not over, counted from 1; 0: none */
	/* for a graph */
	int32_t target; /* the task that it waits for; NONE: unknown */
	size_t next;	/* the next await of the same task or a part of it, counted from 1; 0: none */
};

enum { OF_SEVERAL = 0 }; /* instead of a pid: any process may have lost something */

struct lost {
	int64_t pid, ts;
};

struct tasks {
	struct task *by_key;
	ARRAY(struct task *) list;
	ARRAY(struct run) runs;
	ARRAY(struct await) awaits;
	ARRAY(struct lost) lost;
};

struct tasks *tasks_new(void)
{
	return NEW(struct tasks);
}

void tasks_forget(struct tasks *tasks)
{
	HASH_CLEAR(hh, tasks->by_key);
	for (size_t i = 0; i < tasks->list.count; i++) {
		free(tasks->list.items[i]->name);
		free(tasks->list.items[i]);
	}
	ARRAY_FREE(&tasks->list);
	ARRAY_FREE(&tasks->runs);
	ARRAY_FREE(&tasks->awaits);
	ARRAY_FREE(&tasks->lost);
}

void tasks_free(struct tasks *tasks)
{
	tasks_forget(tasks);
	free(tasks);
}

/* --- records ------------------------------------------------------------------------------------------------------------- */

static struct task *find(const struct tasks *tasks, int64_t pid, uint64_t id)
{
	struct key key = {pid, id};
	struct task *task;

	HASH_FIND(hh, tasks->by_key, &key, sizeof(key), task);
	return task;
}

static struct task *find_or_add(struct tasks *tasks, int64_t pid, uint64_t id, int64_t ts)
{
	struct task *task = find(tasks, pid, id);

	if (!task) {
		task = NEW(struct task);
		*task = (struct task){.key = {pid, id}, .index = (int32_t)tasks->list.count, .created = TIME_NONE, .ended = TIME_NONE, .first = ts, .last = ts};
		*ARRAY_ADD(&tasks->list) = task;
		HASH_ADD(hh, tasks->by_key, key, sizeof(task->key), task);
	}
	task->first = sooner(task->first, ts);
	task->last = later(task->last, ts);
	return task;
}

static void add_await(struct tasks *tasks, struct task *task, uint64_t on, enum node_join mode, int64_t ts)
{
	struct await *await = ARRAY_ADD(&tasks->awaits);

	*await = (struct await){.task = task->index, .mode = mode, .on = on, .from = ts, .to = TIME_NONE, .before = task->waits};
	task->waits = tasks->awaits.count;
}

/* The task goes on: ends its awaits. */
static void go_on(struct tasks *tasks, struct task *task, int64_t ts)
{
	while (task->waits) {
		struct await *await = &tasks->awaits.items[task->waits - 1];

		await->to = ts;
		task->waits = await->before;
	}
}

static void create(struct tasks *tasks, struct task *task, uint64_t parent, uint64_t on, int64_t ts)
{
	task->created = ts;
	task->parent = parent;
	task->goes_on = on != 0;
	if (on)
		add_await(tasks, task, on, JOIN_NONE, ts);
}

static void run(struct tasks *tasks, struct task *task, int32_t tid, int64_t ts)
{
	go_on(tasks, task, ts);
	task->ran = true;
	task->tid = tid;
	*ARRAY_ADD(&tasks->runs) = (struct run){task->index, tid, ts, TIME_NONE};
	task->last_run = tasks->runs.count;
}

static void pause_run(struct tasks *tasks, const struct task *task, int64_t ts)
{
	struct run *last = task->last_run ? &tasks->runs.items[task->last_run - 1] : NULL;

	if (last && last->to == TIME_NONE)
		last->to = ts;
}

static void end(struct tasks *tasks, struct task *task, uint64_t ender, int64_t ts)
{
	if (task->ended != TIME_NONE)
		return;
	go_on(tasks, task, ts);
	task->ended = ts;
	task->ender = ender;
}

static bool is_full(const struct tasks *tasks)
{
	return tasks->list.count >= TASKS_MAX || tasks->runs.count >= RUNS_MAX || tasks->awaits.count >= AWAITS_MAX || tasks->lost.count >= RUNS_MAX;
}

static void do_op(struct tasks *tasks, struct task *task, const struct fields *fields, int64_t tid, int64_t ts)
{
	uint64_t parent = 0, on = 0;

	fields_unsigned(fields, "parent", &parent);
	fields_unsigned(fields, "on", &on);
	if (fields_find(fields, "name")) {
		free(task->name);
		task->name = fields_copy(fields, "name");
	}
	if (fields_is(fields, "op", "create")) {
		create(tasks, task, parent, on, ts);
	} else if (fields_is(fields, "op", "run")) {
		run(tasks, task, (int32_t)tid, ts);
	} else if (fields_is(fields, "op", "pause")) {
		pause_run(tasks, task, ts);
	} else if (fields_is(fields, "op", "await") && on) {
		add_await(tasks, task, on, fields_is(fields, "mode", "all") ? JOIN_ALL : fields_is(fields, "mode", "any") ? JOIN_ANY : JOIN_NONE, ts);
	} else if (fields_is(fields, "op", "end")) {
		end(tasks, task, parent, ts);
	}
}

int tasks_take(struct tasks *tasks, const struct fields *fields)
{
	int64_t ts = 0, pid = 0, tid = 0;
	uint64_t id = 0;
	bool full;

	if (fields_time(fields, "ts", &ts) < 0 || fields_integer(fields, "pid", &pid) < 0 || fields_integer(fields, "tid", &tid) < 0 ||
	    fields_unsigned(fields, "id", &id) < 0)
		return -1;
	if (tid < 0 || tid > INT32_MAX)
		tid = 0;
	full = is_full(tasks);
	if (full)
		tasks_forget(tasks);
	ts = wake_time(ts);
	if (fields_is(fields, "op", "lost"))
		*ARRAY_ADD(&tasks->lost) = (struct lost){pid, ts};
	else if (id)
		do_op(tasks, find_or_add(tasks, pid, id, ts), fields, tid, ts);
	return full;
}

/* --- parts of tasks, and what is awaited ---------------------------------------------------------------------------------- */

static struct task *parent_of(const struct tasks *tasks, const struct task *task)
{
	return task->parent ? find(tasks, task->key.pid, task->parent) : NULL;
}

/* The whole task that a task is a part of, perhaps by several steps. Shortens the way for the next call. */
static struct task *whole(const struct tasks *tasks, struct task *task)
{
	while (task->owner != NONE) {
		struct task *owner = tasks->list.items[task->owner];

		if (owner->owner != NONE)
			task->owner = owner->owner;
		task = owner;
	}
	return task;
}

/* Tells whether the task may become a part of another: it was created to go on, and is no part yet. */
static bool is_free(const struct task *task)
{
	return task && task->goes_on && task->owner == NONE;
}

/* Makes the tasks that led to a promise's end, since it was created, parts of the promise's task. */
static void own_parts(struct tasks *tasks, struct task *task)
{
	struct task *part = task->ender ? find(tasks, task->key.pid, task->ender) : NULL;

	for (int i = 0; i < CHAIN_MAX && part != task && is_free(part) && task->created != TIME_NONE && part->created >= task->created; i++) {
		if (whole(tasks, task) == part)
			return;
		part->owner = task->index;
		part = parent_of(tasks, part);
	}
}

/* The function that `last` is a part of has not ended yet: makes `last`, and the tasks before it, parts of the first of them. */
static void own_rest(struct tasks *tasks, struct task *last)
{
	struct task *first = last, *next;
	int i;

	for (i = 0; i < CHAIN_MAX && is_free(next = parent_of(tasks, first)) && next != last; i++)
		first = next;
	for (struct task *part = last; i-- > 0 && part && part != first; part = parent_of(tasks, part))
		part->owner = first->index;
}

/* The task that an await waits for; NULL: none is known. */
static struct task *awaited(const struct tasks *tasks, const struct await *await)
{
	struct task *task = tasks->list.items[await->task], *self = whole(tasks, task);
	struct task *on = find(tasks, task->key.pid, await->on), *target;

	if (!on)
		return NULL;
	target = whole(tasks, on);
	if (!target->ran && !target->has_parts) /* it did nothing itself: the task that ended it counts */
		target = on->ender ? find(tasks, task->key.pid, on->ender) : NULL;
	target = target ? whole(tasks, target) : NULL;
	return target == self ? NULL : target;
}

static int by_process(const void *left, const void *right)
{
	const struct lost *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->ts > b->ts) - (a->ts < b->ts);
}

/* Tells whether the await spans a loss of this process. The losses are sorted by process. */
static bool spans_loss_of(const struct tasks *tasks, const struct await *await, int64_t pid)
{
	const struct lost *losses = tasks->lost.items, begin = {pid, await->from};
	size_t low = 0, high = tasks->lost.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_process(&losses[middle], &begin) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tasks->lost.count && losses[low].pid == pid && (await->to == TIME_NONE || losses[low].ts <= await->to);
}

static bool spans_loss(const struct tasks *tasks, const struct await *await)
{
	return spans_loss_of(tasks, await, tasks->list.items[await->task]->key.pid) || spans_loss_of(tasks, await, OF_SEVERAL);
}

/* Finds for each task the task that it is a part of. `last` has not ended. */
static void find_parts(struct tasks *tasks, struct task *last)
{
	for (size_t i = 0; i < tasks->list.count; i++) {
		struct task *task = tasks->list.items[i];

		task->owner = task->awaiter = task->node = NONE;
		task->first_await = 0;
		task->has_parts = false;
	}
	for (size_t i = 0; i < tasks->list.count; i++)
		own_parts(tasks, tasks->list.items[i]);
	if (is_free(last))
		own_rest(tasks, last);
	for (size_t i = 0; i < tasks->list.count; i++)
		if (tasks->list.items[i]->owner != NONE)
			whole(tasks, tasks->list.items[i])->has_parts = true;
	for (size_t i = 0; i < tasks->awaits.count; i++)
		if (tasks->awaits.items[i].mode != JOIN_NONE)
			whole(tasks, tasks->list.items[tasks->awaits.items[i].task])->has_parts = true;
}

/* Finds for each await the task that it waits for, and for each task its awaits, and its first awaiter in [from, to). */
static void resolve(struct tasks *tasks, int64_t from, int64_t to)
{
	if (tasks->lost.count)
		qsort(tasks->lost.items, tasks->lost.count, sizeof(*tasks->lost.items), by_process);
	for (size_t i = tasks->awaits.count; i-- > 0;) {
		struct await *await = &tasks->awaits.items[i];
		struct task *self = whole(tasks, tasks->list.items[await->task]), *target = spans_loss(tasks, await) ? NULL : awaited(tasks, await);

		await->target = target ? target->index : NONE;
		await->next = self->first_await;
		self->first_await = i + 1;
		if (target && await->from >= from && await->from < to)
			target->awaiter = self->index;
	}
}

/* The innermost task that the thread ran at `ts`; if there is none, the last one that it ran since `from`. NULL: none. */
static struct task *task_at(const struct tasks *tasks, int32_t tid, int64_t from, int64_t ts)
{
	const struct run *best = NULL;

	for (size_t i = tasks->runs.count; i-- > 0;) {
		const struct run *at = &tasks->runs.items[i];

		if (at->tid != tid || at->from > ts || (at->to != TIME_NONE && at->to < from))
			continue;
		if (at->to == TIME_NONE || at->to >= ts) {
			best = at;
			break;
		}
		if (!best || at->to > best->to)
			best = at;
	}
	return best ? tasks->list.items[best->task] : NULL;
}

/* The outermost task that awaits this one, directly or not, and began to in the time given to resolve(). */
static struct task *climb(const struct tasks *tasks, struct task *task)
{
	for (int steps = 0; steps < CHAIN_MAX && task->awaiter != NONE; steps++)
		task = tasks->list.items[task->awaiter];
	return task;
}

/* --- the graph ----------------------------------------------------------------------------------------------------------- */

static int64_t within(const struct graph *graph, int64_t ts)
{
	return ts == TIME_NONE || ts > graph->to ? graph->to : ts < graph->from ? graph->from : ts;
}

static struct node *add_node(struct graph *graph, const struct events *events, struct task *task, int32_t parent)
{
	const char *name = task->name && *task->name ? task->name : "?";
	int32_t pid = (int32_t)task->key.pid;
	struct node *node;

	task->node = graph_named_node(graph, (int64_t)graph->nodes.count + 1, name);
	node = &graph->nodes.items[task->node];
	node->label = graph_keep(graph, memory_format("%s, task %llu of %s/%d", name, (unsigned long long)task->key.id, events_comm(events, pid), pid));
	node->start = within(graph, task->created == TIME_NONE ? graph->from : task->created);
	node->end = within(graph, task->ended);
	if (task->ended == TIME_NONE && task->ran && !task->waits) /* callbacks have no `end` records */
		node->end = within(graph, task->last);
	node->end = later(node->start, node->end);
	node->tid = task->tid;
	node->parent = parent;
	node->call = parent == NODE_NONE ? CALL_SYNC : CALL_ASYNC;
	return node;
}

/* Tells whether two awaits of a task are one wait for all, or any, of several tasks: they began together. */
static bool is_together(const struct await *a, const struct await *b)
{
	return a->task == b->task && a->mode == b->mode && a->from == b->from && a->to == b->to && a->mode != JOIN_NONE;
}

static int32_t add_join(struct graph *graph, const struct await *await, int32_t parent)
{
	int32_t index = graph_named_node(graph, (int64_t)graph->nodes.count + 1, await->mode == JOIN_ANY ? "join any" : "join all");
	struct node *node = &graph->nodes.items[index];

	node->join = await->mode == JOIN_ANY ? JOIN_ANY : JOIN_ALL;
	node->call = CALL_ASYNC;
	node->parent = parent;
	node->start = node->wait_start = within(graph, await->from);
	node->end = node->wait_end = within(graph, await->to);
	return index;
}

struct cutting {
	struct tasks *tasks;
	const struct events *events;
	struct graph *graph;
	ARRAY(struct task *) todo; /* tasks in the graph; those behind the current one have not been followed yet */
};

static void add_task(struct cutting *cutting, struct task *task, int32_t parent)
{
	add_node(cutting->graph, cutting->events, task, parent);
	*ARRAY_ADD(&cutting->todo) = task;
}

/* Follows an await of a single task. If the task is new in the graph, its node gets the wait; otherwise a join is added. */
static void follow_one(struct cutting *cutting, const struct await *await, int32_t parent)
{
	struct task *target = cutting->tasks->list.items[await->target];
	struct graph *graph = cutting->graph;

	if (target->node == NONE) {
		add_task(cutting, target, parent);
		graph->nodes.items[target->node].wait_start = within(graph, await->from);
		graph->nodes.items[target->node].wait_end = within(graph, await->to);
		return;
	}
	if (target->node != parent)
		graph_edge(graph, target->node, add_join(graph, await, parent), EDGE_JOIN, TIME_NONE);
}

/* Follows an await of several tasks together: they get a join. Returns the next await behind it. */
static size_t follow_together(struct cutting *cutting, size_t first, int32_t parent)
{
	const struct await *all = cutting->tasks->awaits.items;
	int32_t join = NODE_NONE;
	size_t next = first;

	for (; next && is_together(&all[first - 1], &all[next - 1]); next = all[next - 1].next) {
		const struct await *await = &all[next - 1];
		struct task *target = await->target == NONE ? NULL : cutting->tasks->list.items[await->target];

		if (!target || target->node == parent)
			continue;
		if (target->node == NONE)
			add_task(cutting, target, parent);
		if (join == NODE_NONE)
			join = add_join(cutting->graph, await, parent);
		graph_edge(cutting->graph, target->node, join, EDGE_JOIN, TIME_NONE);
	}
	return next;
}

/* Tells whether a promise awaits several tasks. If so, it does not wait for what these tasks do to end it. */
static bool awaits_several(const struct tasks *tasks, const struct task *task)
{
	for (size_t at = task->ran ? 0 : task->first_await; at; at = tasks->awaits.items[at - 1].next)
		if (tasks->awaits.items[at - 1].mode != JOIN_NONE)
			return true;
	return false;
}

/* Follows a task to the tasks that it, or a part of it, awaited. */
static void follow(struct cutting *cutting, const struct task *task)
{
	const struct tasks *tasks = cutting->tasks;
	bool several = awaits_several(tasks, task);
	size_t next;

	for (size_t at = task->first_await; at; at = next) {
		const struct await *await = &tasks->awaits.items[at - 1];
		bool counts = within(cutting->graph, await->from) < within(cutting->graph, await->to);

		next = await->next;
		if (counts && await->mode != JOIN_NONE)
			next = follow_together(cutting, at, task->node);
		else if (counts && await->target != NONE && !several)
			follow_one(cutting, await, task->node);
	}
}

/* Adds tasks that tasks of the graph created, and that no task awaited. */
static void add_others(struct cutting *cutting)
{
	const struct tasks *tasks = cutting->tasks;

	for (size_t i = 0; i < tasks->list.count; i++) {
		struct task *task = tasks->list.items[i], *parent = parent_of(tasks, task);

		parent = parent ? whole(tasks, parent) : NULL;
		if (task->node == NONE && task->owner == NONE && task->ran && !task->goes_on && parent && parent != task && parent->node != NONE &&
		    task->created >= cutting->graph->from && task->created < cutting->graph->to)
			add_task(cutting, task, parent->node);
	}
}

static void follow_all(struct cutting *cutting)
{
	for (size_t done = 0; done < cutting->todo.count; done++)
		follow(cutting, cutting->todo.items[done]);
}

struct graph *tasks_graph(struct tasks *tasks, const struct events *events, int32_t tid, int64_t from, int64_t to)
{
	struct task *last = from < to ? task_at(tasks, tid, from, to) : NULL, *root;
	struct cutting cutting = {.tasks = tasks, .events = events};

	if (!last)
		return NULL;
	find_parts(tasks, last);
	resolve(tasks, from, to);
	root = climb(tasks, whole(tasks, last));
	if (root->created != TIME_NONE && root->created > from + (to - from) / 2)
		return NULL;
	cutting.graph = graph_new(GRAPH_RAG, "");
	cutting.graph->from = from;
	cutting.graph->to = to;
	add_task(&cutting, root, NODE_NONE);
	cutting.graph->root = root->node;
	cutting.graph->nodes.items[root->node].end = to;
	follow_all(&cutting);
	add_others(&cutting);
	free(cutting.todo.items);
	return cutting.graph;
}
