#include "wake/task_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/heap.h"
#include "base/memory.h"
#include "wake/wake.h"

/* Records that are kept until an event comes; known tasks; waits of tasks. The oldest records and tasks go for new ones; new waits are left out. */
enum { TOLD_MOST = 1 << 20, TASKS_MOST = 1 << 18, WAITS_MOST = 1 << 20 };

enum { NAME_ROOM = 256, TURN_ROOM = 96, NOBODY = 0 };

static const char prefix[] = "async:";

enum op { OP_OTHER, OP_CREATE, OP_RUN, OP_PAUSE, OP_AWAIT, OP_END, OP_LOST };
static const char *const op_names[] = {[OP_CREATE] = "create", [OP_RUN] = "run", [OP_PAUSE] = "pause", [OP_AWAIT] = "await", [OP_END] = "end", [OP_LOST] = "lost"};

struct key {
	int64_t pid;
	uint64_t id; /* NOBODY: the process itself */
};

struct told { /* a record */
	int64_t ts;
	uint64_t order; /* of arrival */
	struct key key;
	uint64_t on;
	char *name; /* NULL: it gives none */
	int32_t tid;
	uint8_t op;
	bool any, prompt, before; /* it awaits the first of several; it was sent when it happened; it had happened before */
};

struct wait { /* of a task, until another task ends */
	struct key waiter;
	uint64_t turn; /* the number of the waiter's next turn */
	bool any;
	struct wait *next;
};

struct task {
	struct key key;
	char *name;    /* NULL: not known */
	uint64_t turn; /* the number of its next; of a process: how often markers of it were lost */
	bool over;     /* it awaits the first of several, and that has ended */
	struct wait *waits;
	UT_hash_handle hh;
};

struct task_events {
	struct event_type *types[OP_END + 1]; /* by op; OP_CREATE: a task is posted */
	ARRAY(struct told) heap; /* the earliest first */
	uint64_t order;
	struct task *tasks; /* the oldest first */
	size_t wait_count;
	struct wait *ended; /* waits that the last record has ended */
	struct told last;
	/* of the event at hand */
	char turn[TURN_ROOM], name[NAME_ROOM];
	struct fields fields;
};

struct task_events *task_events_new(struct events *events)
{
	struct task_events *tasks = NEW(struct task_events);

	tasks->types[OP_CREATE] = events_type(events, "async:post");
	tasks->types[OP_RUN] = events_type(events, "async:run");
	tasks->types[OP_PAUSE] = events_type(events, "async:pause");
	return tasks;
}

static void free_waits(struct task_events *tasks, struct wait *waits)
{
	for (struct wait *next; waits; waits = next) {
		next = waits->next;
		free(waits);
		tasks->wait_count--;
	}
}

static void drop_task(struct task_events *tasks, struct task *task)
{
	HASH_DEL(tasks->tasks, task);
	free_waits(tasks, task->waits);
	free(task->name);
	free(task);
}

void task_events_forget(struct task_events *tasks)
{
	struct task *task, *next;

	HASH_ITER(hh, tasks->tasks, task, next)
		drop_task(tasks, task);
	free_waits(tasks, tasks->ended);
	tasks->ended = NULL;
	for (size_t i = 0; i < tasks->heap.count; i++)
		free(tasks->heap.items[i].name);
	ARRAY_FREE(&tasks->heap);
	tasks->order = 0;
}

void task_events_free(struct task_events *tasks)
{
	if (!tasks)
		return;
	task_events_forget(tasks);
	free(tasks);
}

/* --- records, in the order of time -------------------------------------------------------------------------------------- */

static bool is_before(const struct told *a, const struct told *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->order < b->order;
}

static enum op op_of(const struct fields *fields)
{
	for (size_t op = 1; op < sizeof(op_names) / sizeof(op_names[0]); op++)
		if (fields_is(fields, "op", op_names[op]))
			return (enum op)op;
	return OP_OTHER;
}

int task_events_take(struct task_events *tasks, const struct fields *fields)
{
	struct told told = {.op = (uint8_t)op_of(fields), .any = fields_is(fields, "mode", "any"), .prompt = fields_is(fields, "prompt", "yes"),
			    .before = fields_is(fields, "before", "yes")};
	int64_t tid = 0;

	if (fields_time(fields, "ts", &told.ts) < 0 || fields_integer(fields, "pid", &told.key.pid) < 0 || fields_integer(fields, "tid", &tid) < 0 ||
	    fields_unsigned(fields, "id", &told.key.id) < 0 || fields_unsigned(fields, "on", &told.on) < 0)
		return -1;
	if (told.op == OP_OTHER || (told.op != OP_LOST && told.key.id == NOBODY) || tid < 0 || tid > INT32_MAX)
		return 0;
	told.ts = wake_time(told.ts);
	told.tid = (int32_t)tid;
	told.order = tasks->order++;
	if (told.op == OP_LOST)
		told.key.id = NOBODY;
	if (told.op == OP_CREATE || told.op == OP_RUN)
		told.name = fields_copy(fields, "name");
	if (tasks->heap.count >= TOLD_MOST)
		free(HEAP_POP(&tasks->heap, is_before).name);
	HEAP_PUSH(&tasks->heap, told, is_before);
	return 0;
}

/* --- what is known of tasks ---------------------------------------------------------------------------------------------- */

static struct task *find(const struct task_events *tasks, struct key key)
{
	struct task *task;

	HASH_FIND(hh, tasks->tasks, &key, sizeof(key), task);
	return task;
}

static struct task *find_or_add(struct task_events *tasks, struct key key)
{
	struct task *task = find(tasks, key);

	if (task)
		return task;
	if (HASH_COUNT(tasks->tasks) >= TASKS_MOST)
		drop_task(tasks, tasks->tasks);
	task = NEW(struct task);
	task->key = key;
	HASH_ADD(hh, tasks->tasks, key, sizeof(task->key), task);
	return task;
}

static void add_wait(struct task_events *tasks, const struct task *waiter, uint64_t on, bool any)
{
	struct wait *wait;
	struct task *awaited;

	if (on == NOBODY || tasks->wait_count >= WAITS_MOST)
		return;
	wait = NEW(struct wait);
	*wait = (struct wait){.waiter = waiter->key, .turn = waiter->turn, .any = any};
	awaited = find_or_add(tasks, (struct key){wait->waiter.pid, on}); /* this may drop the waiter */
	wait->next = awaited->waits;
	awaited->waits = wait;
	tasks->wait_count++;
}

/* The next task that goes on because its wait has ended, if it still waits; NULL: there is none left. */
static struct task *next_awakened(struct task_events *tasks)
{
	while (tasks->ended) {
		struct wait *wait = tasks->ended;
		struct task *task = find(tasks, wait->waiter);
		bool goes_on = task && task->turn == wait->turn && !task->over;

		if (goes_on)
			task->over = wait->any;
		tasks->ended = wait->next;
		free(wait);
		tasks->wait_count--;
		if (goes_on)
			return task;
	}
	return NULL;
}

/* --- events -------------------------------------------------------------------------------------------------------------- */

static uint64_t losses_of(const struct task_events *tasks, int64_t pid)
{
	const struct task *process = find(tasks, (struct key){pid, NOBODY});

	return process ? process->turn : 0;
}

/*
 * How often markers of the process were lost, or of several, which are told with pid 0. The cause of a turn may be among these, so turns after a
 * loss are named differently.
 */
static uint64_t losses(const struct task_events *tasks, int64_t pid)
{
	return losses_of(tasks, pid) + losses_of(tasks, 0);
}

static void set_field(struct fields *fields, const char *key, const char *value)
{
	fields->item[fields->count++] =
		(struct field){.key = key, .value = value, .key_length = (uint32_t)strlen(key), .value_length = (uint32_t)strlen(value)};
}

static void make_event(struct task_events *tasks, enum op what, const struct task *task, struct event *event)
{
	snprintf(tasks->turn, sizeof(tasks->turn), "%" PRId64 ":%" PRIu64 ".%" PRIu64 "+%" PRIu64, task->key.pid, task->key.id, task->turn,
		 losses(tasks, task->key.pid));
	snprintf(tasks->name, sizeof(tasks->name), "%s", task->name ? task->name : "");
	tasks->fields.count = 0;
	set_field(&tasks->fields, "turn", tasks->turn);
	if (task->name)
		set_field(&tasks->fields, "name", tasks->name);
	*event = (struct event){
		.ts = tasks->last.ts,
		.cpu = UINT32_MAX,
		.tid = tasks->last.tid,
		.type = tasks->types[what],
		.fields = &tasks->fields,
		.own = tasks->fields.item,
	};
}

static void take_name(struct task *task, struct told *told)
{
	if (!told->name)
		return;
	free(task->name);
	task->name = told->name;
	told->name = NULL;
}

static bool create(struct task_events *tasks, struct told *told, struct event *event)
{
	struct task *task = find_or_add(tasks, told->key);

	take_name(task, told);
	add_wait(tasks, task, told->on, false);
	if (told->on != NOBODY || told->before)
		return false;
	make_event(tasks, OP_CREATE, task, event);
	return true;
}

static bool run(struct task_events *tasks, struct told *told, struct event *event)
{
	struct task *task = find_or_add(tasks, told->key);

	take_name(task, told);
	if (told->prompt)
		make_event(tasks, OP_RUN, task, event);
	task->turn++;
	task->over = false;
	return told->prompt;
}

/* The task has ended: the tasks that await it go on. */
static void end(struct task_events *tasks, const struct told *told)
{
	struct task *task = find(tasks, told->key);

	if (!task)
		return;
	tasks->ended = task->waits;
	task->waits = NULL;
	drop_task(tasks, task);
}

/* Tells whether the record becomes an event, and makes it. */
static bool happens(struct task_events *tasks, struct told *told, struct event *event)
{
	switch (told->op) {
	case OP_CREATE:
		return create(tasks, told, event);
	case OP_RUN:
		return run(tasks, told, event);
	case OP_PAUSE:
		make_event(tasks, OP_PAUSE, find_or_add(tasks, told->key), event);
		return true;
	case OP_AWAIT:
		add_wait(tasks, find_or_add(tasks, told->key), told->on, told->any);
		return false;
	case OP_END:
		end(tasks, told);
		return false;
	default:
		find_or_add(tasks, told->key)->turn++;
		return false;
	}
}

bool task_events_next(struct task_events *tasks, int64_t until, struct event *event)
{
	const struct task *awakened;
	bool found = false;

	while (!found) {
		awakened = next_awakened(tasks);
		if (awakened) {
			make_event(tasks, OP_CREATE, awakened, event);
			return true;
		}
		if (!tasks->heap.count || tasks->heap.items[0].ts > until)
			return false;
		tasks->last = HEAP_POP(&tasks->heap, is_before);
		found = happens(tasks, &tasks->last, event);
		free(tasks->last.name);
		tasks->last.name = NULL;
	}
	return true;
}

const char *task_events_name(const struct event *event)
{
	if (!event->fields || strncmp(event->type->name, prefix, strlen(prefix)) != 0 || event->fields->count < 2 || event->own != event->fields->item)
		return NULL;
	return event->own[1].value;
}
