#include "graph/wake.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_FIELDS = 4 };

/* An event, where it happened, and to whom. */
struct happening {
	struct wake *wake;
	const struct slot *slot;
	const struct event *event;
	struct cpu *cpu;
	struct thread *current; /* NULL: nobody knows */
};

typedef void event_handler(struct happening *at);

struct handling {
	const char *name; /* of the event; all that begin so, if it ends in an underscore */
	event_handler *handle;
	const char *field[SLOT_FIELDS];
	bool names;	  /* it tells how threads are called */
	bool completing;  /* it belongs to the completion of a request, which a wake-up may follow */
	bool waking;	  /* it belongs to a wake-up, which the choice of a CPU may follow */
};

/* One for each type of event that the stream has. */
struct slot {
	const struct handling *handling; /* NULL: an event of no interest */
	bool resolved;
	int16_t call;	 /* index of the system call in its name; CALL_NONE */
	struct event_field *field[SLOT_FIELDS], *flags;
};

struct wake_types {
	struct events *events;
	ARRAY(struct slot) slots; /* by event_type.index */
};

static int64_t number(const struct happening *at, int field)
{
	return event_number(at->event, at->slot->field[field]);
}

static int flags_of(const struct happening *at)
{
	return event_has(at->event, at->slot->flags) ? (int)event_number(at->event, at->slot->flags) : FLAGS_NONE;
}

/* 'R' where it was preempted, 'X' or 'Z' where it is over, else another letter. */
static char switch_state(const struct happening *at, int field)
{
	char text[16];
	int64_t state;

	if (at->event->fields && event_text(at->event, at->slot->field[field], text, sizeof(text)) && *text >= 'A')
		return *text;
	/* The bits of a sleep and of an end are those of every kernel; the one for preemption moved. */
	state = number(at, field);
	if (state & 0x30)
		return 'X';
	return state & 0xff ? 'S' : 'R';
}

static void on_switch(struct happening *at)
{
	enum { PREV, STATE, NEXT };
	struct thread *prev;

	at->wake->switches = true;
	prev = wake_current(at->wake, at->cpu, (int32_t)number(at, PREV));
	thread_switch_out(prev, at->cpu, switch_state(at, STATE), at->wake->now);
	wake_switch_in(at->wake, at->cpu, wake_thread_on(at->wake, at->cpu, (int32_t)number(at, NEXT)), at->wake->now);
}

static void on_waking(struct happening *at)
{
	enum { PID, TARGET_CPU };
	struct thread *woken = wake_thread(at->wake, (int32_t)number(at, PID));
	int32_t index;
	enum cause cause = context_cause(at->wake, at->cpu, at->event->tid, flags_of(at), &index);

	thread_wake(at->wake, woken, cause, index, (uint32_t)number(at, TARGET_CPU), at->wake->now);
	at->cpu->waking = woken->index;
}

/* Comes on the CPU that the thread was put on, perhaps in an interrupt there: it does not say who woke it. */
static void on_wakeup(struct happening *at)
{
	enum { PID, TARGET_CPU };
	struct thread *woken = wake_thread(at->wake, (int32_t)number(at, PID));
	uint32_t target = (uint32_t)number(at, TARGET_CPU);

	if (!thread_running(woken))
		thread_wake(at->wake, woken, CAUSE_UNKNOWN, INDEX_NONE, target, at->wake->now);
	thread_migrate(woken, target, at->wake->now, true);
}

static void on_migrate(struct happening *at)
{
	enum { PID, DEST_CPU };
	struct thread *thread = wake_thread(at->wake, (int32_t)number(at, PID));

	at->wake->migrations = true;
	thread_migrate(thread, (uint32_t)number(at, DEST_CPU), at->wake->now, at->cpu->waking == thread->index);
}

static struct thread *born(const struct happening *at, int32_t tid)
{
	struct thread *child = wake_thread_born(at->wake, tid);

	child->born = at->wake->now;
	child->parent = at->current && at->current->tid != TID_IDLE ? at->current->index : INDEX_NONE;
	thread_piece(child, WHAT_RUNNABLE, at->wake->now, at->cpu->number);
	return child;
}

static void on_fork(struct happening *at)
{
	enum { CHILD };

	born(at, (int32_t)number(at, CHILD));
}

/* Follows the fork; where forks are not traced it stands for them. */
static void on_wakeup_new(struct happening *at)
{
	enum { PID, TARGET_CPU };
	struct thread *thread = wake_thread(at->wake, (int32_t)number(at, PID));

	if (thread->born == TIME_NONE || thread->pieces.count != 1)
		thread = born(at, thread->tid);
	thread_migrate(thread, (uint32_t)number(at, TARGET_CPU), at->wake->now, true);
}

static void on_irq_entry(struct happening *at)
{
	enum { IRQ, NAME };
	int32_t irq = (int32_t)number(at, IRQ);
	char name[32];

	if (!wake_irq_name(at->wake->names, irq)) {
		event_text(at->event, at->slot->field[NAME], name, sizeof(name));
		wake_name_irq(at->wake->names, irq, name);
	}
	context_enter(at->wake, at->cpu, CONTEXT_IRQ, irq);
}

static void on_irq_exit(struct happening *at)
{
	context_leave(at->wake, at->cpu, CONTEXT_IRQ);
}

static void on_softirq_raise(struct happening *at)
{
	enum { VEC };

	context_raise(at->wake, at->cpu, (int32_t)number(at, VEC), flags_of(at));
}

static void on_softirq_entry(struct happening *at)
{
	enum { VEC };

	context_enter(at->wake, at->cpu, CONTEXT_SOFTIRQ, (int32_t)number(at, VEC));
}

static void on_softirq_exit(struct happening *at)
{
	context_leave(at->wake, at->cpu, CONTEXT_SOFTIRQ);
}

static void on_timer_entry(struct happening *at)
{
	context_enter(at->wake, at->cpu, CONTEXT_TIMER, 0);
}

static void on_timer_exit(struct happening *at)
{
	context_leave(at->wake, at->cpu, CONTEXT_TIMER);
}

enum { DEV, SECTOR, NR_SECTOR, RWBS };

/* A bio names the partition that it was sent to, but its sector is already that of the disk. */
static struct request request_of(const struct happening *at)
{
	struct request request = {
		.disk = events_device_disk(at->wake->events, (uint64_t)number(at, DEV)),
		.sector = (uint64_t)number(at, SECTOR),
		.sectors = (uint32_t)number(at, NR_SECTOR),
		.submitter = INDEX_NONE,
		.queued = at->wake->now,
	};

	event_text(at->event, at->slot->field[RWBS], request.rwbs, sizeof(request.rwbs));
	return request;
}

static void on_bio_queue(struct happening *at)
{
	struct request request = request_of(at);

	request.submitter = (at->current ? at->current : wake_thread_on(at->wake, at->cpu, at->event->tid))->index;
	request_queue(at->wake, &request);
}

static void on_rq_issue(struct happening *at)
{
	struct request range = request_of(at);

	request_issue(at->wake, &range);
}

static void on_rq_requeue(struct happening *at)
{
	struct request range = request_of(at);

	request_requeue(at->wake, &range);
}

static void on_rq_complete(struct happening *at)
{
	struct request range = request_of(at);

	context_completed(at->cpu, request_complete(at->wake, &range));
}

static void on_bio_complete(struct happening *at)
{
	struct request range = request_of(at);

	request_hand_back(at->wake, &range);
}

static void on_queue_work(struct happening *at)
{
	enum { WORK, QUEUE };
	struct raise by = context_doer(at->wake, at->cpu, flags_of(at));
	char queue[32];

	event_text(at->event, at->slot->field[QUEUE], queue, sizeof(queue));
	work_queue(at->wake, (uint64_t)number(at, WORK), by, wake_name_text(at->wake->names, queue));
}

/* Some works are done in soft interrupts: the thread that these hit has nothing to do with them. */
static struct thread *worker(const struct happening *at)
{
	bool own = at->cpu->depth == 0 && !(flags_of(at) > 0 && flags_of(at) & (FLAG_HARDIRQ | FLAG_SOFTIRQ));

	return own && at->current && at->current->tid != TID_IDLE ? at->current : NULL;
}

static void on_work_start(struct happening *at)
{
	enum { WORK };
	struct thread *thread = worker(at);

	if (thread)
		work_start(at->wake, thread, (uint64_t)number(at, WORK), at->cpu->number);
}

static void on_work_end(struct happening *at)
{
	struct thread *thread = worker(at);

	if (thread)
		work_end(at->wake, thread, at->cpu->number);
}

static void in_call(const struct happening *at, int16_t call)
{
	if (at->event->tid != TID_IDLE)
		wake_thread_on(at->wake, at->cpu, at->event->tid)->call = call;
}

static void on_sys_enter(struct happening *at)
{
	in_call(at, at->slot->call);
}

static void on_raw_sys_enter(struct happening *at)
{
	enum { ID };

	in_call(at, wake_number_call(at->wake->names, (int)number(at, ID)));
}

static void on_sys_exit(struct happening *at)
{
	in_call(at, CALL_NONE);
}

static const struct handling handlings[] = {
	{"sched:sched_switch", on_switch, {"prev_pid", "prev_state", "next_pid"}, .names = true},
	{"sched:sched_waking", on_waking, {"pid", "target_cpu"}, .names = true, .completing = true},
	{"sched:sched_wakeup", on_wakeup, {"pid", "target_cpu"}, .names = true, .completing = true},
	{"sched:sched_wakeup_new", on_wakeup_new, {"pid", "target_cpu"}, .names = true},
	{"sched:sched_migrate_task", on_migrate, {"pid", "dest_cpu"}, .completing = true, .waking = true},
	{"sched:sched_process_fork", on_fork, {"child_pid"}, .names = true},
	{"sched:sched_process_exit", NULL, {"pid"}, .names = true},
	{"task:task_rename", NULL, {"pid"}, .names = true},
	{"irq:irq_handler_entry", on_irq_entry, {"irq", "name"}},
	{"irq:irq_handler_exit", on_irq_exit, {"irq"}},
	{"irq:softirq_raise", on_softirq_raise, {"vec"}},
	{"irq:softirq_entry", on_softirq_entry, {"vec"}},
	{"irq:softirq_exit", on_softirq_exit, {"vec"}},
	{"timer:hrtimer_expire_entry", on_timer_entry},
	{"timer:hrtimer_expire_exit", on_timer_exit},
	{"timer:timer_expire_entry", on_timer_entry},
	{"timer:timer_expire_exit", on_timer_exit},
	{"block:block_bio_queue", on_bio_queue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_issue", on_rq_issue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_requeue", on_rq_requeue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_complete", on_rq_complete, {"dev", "sector", "nr_sector", "rwbs"}, .completing = true},
	{"block:block_bio_complete", on_bio_complete, {"dev", "sector", "nr_sector", "rwbs"}, .completing = true},
	{"block:block_io_done", NULL, .completing = true},
	{"workqueue:workqueue_queue_work", on_queue_work, {"work", "workqueue"}},
	{"workqueue:workqueue_execute_start", on_work_start, {"work"}},
	{"workqueue:workqueue_execute_end", on_work_end, {"work"}},
	{"raw_syscalls:sys_enter", on_raw_sys_enter, {"id"}},
	{"raw_syscalls:sys_exit", on_sys_exit},
	{"syscalls:sys_enter_", on_sys_enter},
	{"syscalls:sys_exit_", on_sys_exit},
};

struct wake_types *wake_types_new(struct events *events)
{
	struct wake_types *types = NEW(struct wake_types);

	types->events = events;
	return types;
}

void wake_types_free(struct wake_types *types)
{
	free(types->slots.items);
	free(types);
}

static const struct handling *handling_of(const char *name)
{
	for (size_t i = 0; i < sizeof(handlings) / sizeof(handlings[0]); i++) {
		size_t length = strlen(handlings[i].name);

		if (handlings[i].name[length - 1] == '_' ? !strncmp(name, handlings[i].name, length)
							 : !strcmp(name, handlings[i].name))
			return &handlings[i];
	}
	return NULL;
}

static void resolve(struct wake *wake, struct slot *slot, const struct event_type *named)
{
	struct event_type *type = events_type(wake->events, named->name);

	slot->resolved = true;
	slot->call = CALL_NONE;
	slot->handling = handling_of(type->name);
	if (!slot->handling)
		return;
	slot->flags = event_type_field(type, "common_flags");
	for (int i = 0; i < SLOT_FIELDS && slot->handling->field[i]; i++)
		slot->field[i] = event_type_field(type, slot->handling->field[i]);
	if (slot->handling->handle == on_sys_enter)
		slot->call = wake_name_text(wake->names, type->name + strlen(slot->handling->name));
}

static const struct slot *slot_of(struct wake *wake, const struct event_type *type)
{
	struct wake_types *types = wake->types;

	while (types->slots.count <= (size_t)type->index)
		*ARRAY_ADD(&types->slots) = (struct slot){0};
	if (!types->slots.items[type->index].resolved)
		resolve(wake, &types->slots.items[type->index], type);
	return &types->slots.items[type->index];
}

static void handle(struct happening *at)
{
	const struct handling *handling = at->slot->handling;

	if (!handling || !handling->completing)
		context_other(at->cpu);
	if (!handling || !handling->waking)
		at->cpu->waking = INDEX_NONE;
	if (!handling)
		return;
	if (handling->names)
		events_learn_names(at->wake->events, at->event);
	if (handling->handle)
		handling->handle(at);
}

int wake_event(struct wake *wake, const struct event *event)
{
	const struct slot *slot = slot_of(wake, event->type);
	struct cpu *cpu;

	wake_until(wake, event->ts); /* merged CPUs may be out of step by a little */
	cpu = wake_cpu(wake, event->cpu);
	if (!cpu)
		return -1;
	handle(&(struct happening){wake, slot, event, cpu, wake_current(wake, cpu, event->tid)});
	cpu->last = wake->now;
	return 0;
}
