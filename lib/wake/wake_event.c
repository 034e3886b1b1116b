#include "wake/wake_event.h"
#include "wake/wake_frequency.h"
#include "wake/wake_stack.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT_FIELDS = 4 };

/* What comes so long after the last event of its CPU has nothing to do with that. */
enum { APART_NS = 100000 };

#define SYS_ENTER "syscalls:sys_enter_"

struct handling {
	const char *name; /* of the event; all that begin so, if it ends in an underscore or a colon */
	event_handler *handle;
	const char *field[SLOT_FIELDS];
	bool names;	  /* it tells how threads are called */
	bool completing;  /* it belongs to the completion of a request, which a wake-up may follow */
	bool waking;	  /* it belongs to a wake-up, which the choice of a CPU may follow */
	bool aside;	  /* no event of the kernel's: it tells of one nearby, and nothing else */
};

/* One for each type of event that the stream has. */
struct slot {
	const struct handling *handling; /* NULL: an event of no interest */
	bool resolved;
	bool returns;	 /* of the function or interrupt in its name */
	int16_t call;	 /* index of the system call, function or interrupt in its name; CALL_NONE */
	struct event_field *field[SLOT_FIELDS], *flags;
};

struct wake_types {
	struct events *events;
	ARRAY(struct slot) slots; /* by event_type.index */
};

int64_t happening_number(const struct happening *at, int field)
{
	return event_number(at->event, at->slot->field[field]);
}

int64_t happening_first(const struct happening *at, int field)
{
	return event_first(at->event, at->slot->field[field]);
}

bool happening_has(const struct happening *at, int field)
{
	return at->slot->field[field] && event_has(at->event, at->slot->field[field]);
}

size_t happening_text(const struct happening *at, int field, char *text, size_t room)
{
	return event_spell_field(at->event, at->slot->field[field], text, room);
}

int happening_flags(const struct happening *at)
{
	return event_has(at->event, at->slot->flags) ? (int)event_number(at->event, at->slot->flags) : FLAGS_NONE;
}

int16_t happening_call(const struct happening *at)
{
	return at->slot->call;
}

bool happening_returns(const struct happening *at)
{
	return at->slot->returns;
}

struct thread *happening_own(const struct happening *at)
{
	int flags = happening_flags(at);

	if (at->cpu->depth > 0 || (flags != FLAGS_NONE && flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ)))
		return NULL;
	return at->current && at->current->tid != TID_IDLE ? at->current : NULL;
}

static const struct handling handlings[] = {
	{"sched:sched_switch", on_switch, {"prev_pid", "prev_state", "next_pid"}, .names = true},
	{"sched:sched_waking", on_waking, {"pid", "target_cpu"}, .names = true, .completing = true},
	{"sched:sched_wakeup", on_wakeup, {"pid", "target_cpu"}, .names = true, .completing = true},
	{"sched:sched_wakeup_new", on_wakeup_new, {"pid", "target_cpu"}, .names = true},
	{"sched:sched_migrate_task", on_migrate, {"pid", "dest_cpu"}, .completing = true, .waking = true},
	{"sched:sched_process_fork", on_fork, {"child_pid"}, .names = true},
	{"sched:sched_process_exit", on_thread_exit, {"pid"}, .names = true},
	{"task:task_rename", on_rename, {"pid", "oldcomm", "newcomm"}, .names = true},
	{"irq:irq_handler_entry", on_irq_entry, {"name"}},
	{"irq:irq_handler_exit", on_irq_exit, {"irq"}},
	{"irq_vectors:", on_vector},
	{"irq:softirq_raise", on_softirq_raise, {"vec"}},
	{"irq:softirq_entry", on_softirq_entry, {"vec"}},
	{"irq:softirq_exit", on_softirq_exit, {"vec"}},
	{"timer:hrtimer_expire_entry", on_hrtimer_entry, {"hrtimer", "function"}},
	{"timer:hrtimer_expire_exit", on_timer_exit},
	{"timer:timer_expire_entry", on_timer_entry},
	{"timer:timer_expire_exit", on_timer_exit},
	{"block:block_bio_queue", on_bio_queue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_issue", on_rq_issue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_requeue", on_rq_requeue, {"dev", "sector", "nr_sector", "rwbs"}},
	{"block:block_rq_complete", on_rq_complete, {"dev", "sector", "nr_sector", "rwbs"}, .completing = true},
	{"block:block_bio_complete", on_bio_complete, {"dev", "sector", "nr_sector", "rwbs"}, .completing = true},
	{"block:block_io_done", NULL, .completing = true},
	{"workqueue:workqueue_queue_work", on_queue_work, {"work", "workqueue", "function"}},
	{"workqueue:workqueue_execute_start", on_work_start, {"work"}},
	{"workqueue:workqueue_execute_end", on_work_end, {"work"}},
	{"timer:hrtimer_start", on_timer_start, {"hrtimer"}},
	{"writeback:writeback_dirty_folio", on_dirty, {"name", "ino"}},
	{"writeback:balance_dirty_pages", on_balance_dirty, {"bdi", "pause"}},
	{"writeback:writeback_single_inode_start", on_write_inode, {"name", "ino"}},
	{"writeback:writeback_single_inode", on_write_over},
	{"jbd2:jbd2_submit_inode_data", on_journal_inode, {"dev", "ino"}},
	{"jbd2:jbd2_commit_logging", on_write_over},
	{"vmscan:mm_vmscan_direct_reclaim_begin", on_reclaim_begin},
	{"vmscan:mm_vmscan_direct_reclaim_end", on_reclaim_end},
	{"vmscan:mm_vmscan_memcg_reclaim_begin", on_group_reclaim_begin},
	{"vmscan:mm_vmscan_memcg_reclaim_end", on_reclaim_end},
	{"oom:mark_victim", on_oom_victim, {"pid"}},
	{"sock:sock_recv_length", on_socket, {"family", "protocol"}},
	{"filemap:mm_filemap_fault", on_fault},
	{"lock:contention_begin", on_contention_begin, {"flags", "lock_addr"}},
	{"lock:contention_end", on_contention_end, {"lock_addr"}},
	{"power:cpu_frequency", on_frequency, {"state", "cpu_id"}},
	{"power:cpu_frequency_limits", on_frequency_limits, {"max_freq", "cpu_id"}},
	{"raw_syscalls:sys_enter", on_raw_sys_enter, {"id", "args"}},
	{"raw_syscalls:sys_exit", on_sys_exit, {"ret"}},
	{"syscalls:sys_enter_futex", on_futex, {"uaddr", "op", "utime"}},
	{"syscalls:sys_enter_", on_sys_enter, {"fd", "fd_in", "out_fd"}},
	{"syscalls:sys_exit_", on_sys_exit, {"ret"}},
	{"func:", on_function},
	{"stack:sleep", on_stack_sleep, {"stack"}, .aside = true},
	{"stack:wake", on_stack_wake, {"stack", "pid"}, .aside = true},
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

		if (strchr("_:", handlings[i].name[length - 1]) ? !strncmp(name, handlings[i].name, length)
								: !strcmp(name, handlings[i].name))
			return &handlings[i];
	}
	return NULL;
}

/* "prog__request" and "prog__request__return" are of one function. */
static void resolve_function(struct wake *wake, struct slot *slot, const char *name)
{
	static const char suffix[] = "__return";
	size_t length = strlen(name), tail = sizeof(suffix) - 1;
	char *function;

	slot->returns = length > tail && !strcmp(name + length - tail, suffix);
	function = memory_text(name, slot->returns ? length - tail : length);
	slot->call = wake_name_text(wake->names, function);
	free(function);
}

/* "local_timer_entry" and "local_timer_exit" are of one interrupt. */
static void resolve_vector(struct wake *wake, struct slot *slot, const char *name)
{
	const char *suffix = strrchr(name, '_');
	char *vector;

	slot->returns = suffix && !strcmp(suffix, "_exit");
	if (!slot->returns && (!suffix || strcmp(suffix, "_entry")))
		return;
	vector = memory_text(name, (size_t)(suffix - name));
	slot->call = wake_name_text(wake->names, vector);
	free(vector);
}

static void resolve(struct wake *wake, struct slot *slot, const struct event_type *named)
{
	struct event_type *type = events_type(wake->events, named->name);

	slot->resolved = true;
	slot->call = CALL_NONE;
	slot->handling = handling_of(type->name);
	slot->flags = event_type_field(type, "common_flags");
	if (!slot->handling)
		return;
	for (int i = 0; i < SLOT_FIELDS && slot->handling->field[i]; i++)
		slot->field[i] = event_type_field(type, slot->handling->field[i]);
	if (strncmp(type->name, SYS_ENTER, strlen(SYS_ENTER)) == 0)
		slot->call = wake_name_text(wake->names, type->name + strlen(SYS_ENTER));
	if (slot->handling->handle == on_vector)
		resolve_vector(wake, slot, type->name + strlen(slot->handling->name));
	if (slot->handling->handle == on_function)
		resolve_function(wake, slot, type->name + strlen(slot->handling->name));
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
	bool apart = at->wake->now - at->cpu->last > APART_NS;

	if (at->cpu->context[0].completed != INDEX_NONE && (apart || !handling || !handling->completing))
		context_other(at->cpu, apart ? FLAGS_NONE : happening_flags(at));
	if (!handling || !handling->waking)
		at->cpu->waking = INDEX_NONE;
	if (!handling)
		return;
	if (at->cpu->depth > 0)
		context_left(at->wake, at->cpu, happening_flags(at));
	if (handling->handle)
		handling->handle(at);
	if (handling->names) /* afterwards: the name of whoever had the tid before is saved first */
		events_learn_names(at->wake->events, at->event);
}

/* Between sched_switch and the switch itself the CPU still is the old thread's, as when it changes over to other memory. */
static bool still_leaves(const struct wake *wake, const struct cpu *cpu, const struct event *event)
{
	return cpu->leaving != INDEX_NONE && wake->threads.items[cpu->leaving]->tid == event->tid &&
	       wake->now - cpu->last <= APART_NS;
}

int wake_event(struct wake *wake, const struct event *event)
{
	const struct slot *slot = slot_of(wake, event->type);
	struct cpu *cpu;

	wake_until(wake, event->ts); /* merged CPUs may be out of step by a little */
	if (slot->handling && slot->handling->aside) {
		slot->handling->handle(&(struct happening){.wake = wake, .slot = slot, .event = event});
		return 0;
	}
	cpu = wake_cpu(wake, event->cpu);
	if (!cpu)
		return -1;
	if (slot->handling || !still_leaves(wake, cpu, event)) {
		cpu->leaving = INDEX_NONE;
		handle(&(struct happening){wake, slot, event, cpu, wake_current(wake, cpu, event->tid)});
	}
	cpu->last = wake->now;
	return 0;
}
