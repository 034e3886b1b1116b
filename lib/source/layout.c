#include "source/layout.h"

#include <string.h>

#include <event-parse.h>

#include "source/file_call.h"
#include "source/threads.h"

/* Where events name threads, and where they give these threads' names. */
static const struct {
	const char *event, *tid, *comm;
} thread_fields[] = {
	{"sched:sched_switch", "next_pid", "next_comm"},
	{"sched:sched_switch", "prev_pid", "prev_comm"},
	{"sched:sched_waking", "pid", "comm"},
	{"sched:sched_wakeup", "pid", "comm"},
	{"sched:sched_wakeup_new", "pid", "comm"},
	{"sched:sched_migrate_task", "pid", "comm"},
	{"sched:sched_process_fork", "child_pid", "child_comm"},
	{"sched:sched_process_exit", "pid", "comm"},
	{"task:task_newtask", "pid", "comm"},
	{"task:task_rename", "pid", "newcomm"},
};

/* Systems whose events tell of what threads share: devices, interrupts, the work of kernel threads for others. */
static const char *const shared_systems[] = {"block", "irq", "workqueue"};

static uint16_t field_offset(struct tep_event *event, const char *name)
{
	struct tep_format_field *field = name ? tep_find_any_field(event, name) : NULL;

	return field ? (uint16_t)field->offset : 0;
}

static void add_thread(struct layout *layout, struct tep_event *format, const char *tid, const char *comm)
{
	struct tep_format_field *name = tep_find_field(format, comm);
	struct layout_thread thread = {.tid = field_offset(format, tid)};

	if (!thread.tid || layout->thread_count == LAYOUT_THREADS)
		return;
	if (name && (name->flags & TEP_FIELD_IS_DYNAMIC || name->size == THREAD_NAME)) {
		thread.comm = (uint16_t)name->offset;
		thread.dynamic = name->flags & TEP_FIELD_IS_DYNAMIC;
	}
	layout->threads[layout->thread_count++] = thread;
}

static void find_threads(struct layout *layout, const char *event, struct tep_event *format)
{
	for (size_t i = 0; i < sizeof(thread_fields) / sizeof(thread_fields[0]); i++) {
		if (strcmp(thread_fields[i].event, event) == 0)
			add_thread(layout, format, thread_fields[i].tid, thread_fields[i].comm);
	}
}

/* See files.h. */
static void find_descriptor(struct layout *layout, const char *event, struct tep_event *format)
{
	static const char entry[] = "sys_enter_";

	layout->is_call = strstr(format->system, "syscalls") != NULL;
	if (strcmp(event, "raw_syscalls:sys_enter") == 0) {
		layout->call_at = field_offset(format, "id");
		layout->fd_at = field_offset(format, "args");
	} else if (layout->is_call && strncmp(format->name, entry, strlen(entry)) == 0 &&
		   file_call_named(format->name + strlen(entry)) && format->format.nr_fields > 1) {
		layout->fd_at = (uint16_t)format->format.fields->next->offset;
	}
	if (layout->is_switch)
		layout->state_at = field_offset(format, "prev_state");
}

static void find_lock(struct layout_lock *lock, const char *event, struct tep_event *format)
{
	lock->is_flock = strcmp(event, "filelock:flock_lock_inode") == 0;
	if (!lock->is_flock && strcmp(event, "filelock:posix_lock_inode") != 0)
		return;
	lock->dev_at = field_offset(format, "s_dev");
	lock->start_at = field_offset(format, "fl_start");
	lock->end_at = field_offset(format, "fl_end");
	lock->result_at = field_offset(format, "ret");
	if (lock->dev_at && lock->start_at && lock->end_at && lock->result_at > lock->end_at)
		lock->inode_at = field_offset(format, "i_ino");
}

void layout_learn(struct layout *layout, const char *event, const char *waits, struct tep_event *format)
{
	*layout = (struct layout){
		.is_switch = strcmp(event, "sched:sched_switch") == 0,
		.is_fork = strcmp(event, "sched:sched_process_fork") == 0,
		.is_exec = strcmp(event, "sched:sched_process_exec") == 0,
		.is_exit = strcmp(event, "sched:sched_process_exit") == 0,
		.waits_at = field_offset(format, waits),
		.part_at = field_offset(format, LAYOUT_PART),
	};
	layout->shared = layout->is_switch;
	if (strcmp(event, "task:task_newtask") == 0)
		layout->clone_at = field_offset(format, "clone_flags");
	for (size_t i = 0; i < sizeof(shared_systems) / sizeof(shared_systems[0]); i++)
		layout->shared |= strcmp(format->system, shared_systems[i]) == 0;
	find_threads(layout, event, format);
	find_descriptor(layout, event, format);
	find_lock(&layout->lock, event, format);
}
