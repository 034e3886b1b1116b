/* The second half of wishes: in tracefs. */
#include "source/wishes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/fail.h"
#include "event/format.h"
#include "source/file_call.h"
#include "source/instance.h"
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

#define LIVES "sched:sched_process_"

static uint16_t field_offset(struct tep_event *event, const char *name)
{
	struct tep_format_field *field = name ? tep_find_any_field(event, name) : NULL;

	return field ? (uint16_t)field->offset : 0;
}

static void add_thread(struct wish *wish, struct tep_event *event, const char *tid, const char *comm)
{
	struct tep_format_field *name = tep_find_field(event, comm);
	struct wish_thread thread = {.tid = field_offset(event, tid)};

	if (!thread.tid || wish->thread_count == WISH_THREADS)
		return;
	if (name && (name->flags & TEP_FIELD_IS_DYNAMIC || name->size == THREAD_NAME)) {
		thread.comm = (uint16_t)name->offset;
		thread.dynamic = name->flags & TEP_FIELD_IS_DYNAMIC;
	}
	wish->threads[wish->thread_count++] = thread;
}

static void find_threads(struct wish *wish, struct tep_event *event)
{
	for (size_t i = 0; i < sizeof(thread_fields) / sizeof(thread_fields[0]); i++) {
		if (strcmp(thread_fields[i].event, wish->event) == 0)
			add_thread(wish, event, thread_fields[i].tid, thread_fields[i].comm);
	}
}

/* See files.h. */
static void find_descriptor(struct wish *wish, struct tep_event *event)
{
	static const char entry[] = "sys_enter_";

	wish->is_call = strstr(wish->system, "syscalls") != NULL;
	if (strcmp(wish->event, "raw_syscalls:sys_enter") == 0) {
		wish->call_at = field_offset(event, "id");
		wish->fd_at = field_offset(event, "args");
	} else if (wish->is_call && strncmp(wish->name, entry, strlen(entry)) == 0 &&
		   file_call_named(wish->name + strlen(entry)) && event->format.nr_fields > 1) {
		wish->fd_at = (uint16_t)event->format.fields->next->offset;
	}
	if (wish->is_switch)
		wish->state_at = field_offset(event, "prev_state");
}

static void learn(struct wish *wish, struct tep_event *event)
{
	wish->id = (uint16_t)event->id;
	wish->is_switch = strcmp(wish->event, "sched:sched_switch") == 0;
	wish->is_fork = strcmp(wish->event, "sched:sched_process_fork") == 0;
	wish->is_exec = strcmp(wish->event, "sched:sched_process_exec") == 0;
	wish->is_exit = strcmp(wish->event, "sched:sched_process_exit") == 0;
	wish->is_block = strcmp(wish->system, "block") == 0;
	wish->shared = wish->is_switch;
	for (size_t i = 0; i < sizeof(shared_systems) / sizeof(shared_systems[0]); i++)
		wish->shared |= strcmp(wish->system, shared_systems[i]) == 0;
	find_threads(wish, event);
	wish->waits_at = field_offset(event, wish->waits);
	find_descriptor(wish, event);
}

static int read_format(struct wish *wish, struct tracefs_instance *instance, struct tep_handle *tep)
{
	struct tep_event *event;

	wish->format = tracefs_event_file_read(instance, wish->system, wish->name, "format", &wish->format_length);
	if (!wish->format)
		return fail_errno("cannot read the format of event '%s'", wish->event);
	tep_parse_event(tep, wish->format, (unsigned long)wish->format_length, wish->system);
	event = tep_find_event_by_name(tep, wish->system, wish->name);
	if (!event)
		return fail("cannot understand the format of event '%s'", wish->event);
	learn(wish, event);
	return 0;
}

int wishes_add_recorded(struct wishes *wishes, const char *system, const char *format, size_t length, struct tep_handle *tep)
{
	struct tep_event *event = format_read(tep, system, format, length, false);
	struct wish *wish;

	if (!event)
		return -1;
	if (wishes->by_id[event->id])
		return fail("two events have the number %d", event->id);
	wish = NEW(struct wish);
	wish->event = memory_format("%s:%s", system, event->name);
	wish->system = memory_text(system, strlen(system));
	wish->name = memory_text(event->name, strlen(event->name));
	wish->format = memory_text(format, length);
	wish->format_length = (int)length;
	wish->enabled = true;
	learn(wish, event);
	*ARRAY_ADD(&wishes->list) = wish;
	wishes->by_id[wish->id] = wish;
	return 0;
}

/* The kernel's last word: "...: error: Field not found" and lines below it that show where. */
static int fail_filter(const struct wish *wish, struct tracefs_instance *instance)
{
	char *log = tracefs_error_last(instance);
	char *reason = log ? strstr(log, "error: ") : NULL;

	while (reason && strstr(reason + 1, "error: "))
		reason = strstr(reason + 1, "error: ");
	if (reason)
		reason[strcspn(reason, "\n")] = '\0';
	fail("wrong filter '%s' of event '%s'%s%s", wish->filter, wish->event, reason ? ": " : "",
	     reason ? reason + strlen("error: ") : "");
	free(log);
	return -1;
}

/* Threads that come, go and are renamed are few; charts and names depend on them. */
static bool is_about_lives(const struct wish *wish)
{
	return strcmp(wish->system, "task") == 0 || strncmp(wish->event, LIVES, strlen(LIVES)) == 0;
}

static bool can_keep(const struct wish *wish)
{
	return !(wish->flags & WISH_STREAMED) && !is_about_lives(wish);
}

bool wishes_can_keep(const struct wishes *wishes)
{
	for (size_t i = 0; i < wishes->list.count; i++)
		if (can_keep(wishes->list.items[i]))
			return true;
	return false;
}

/* One that is not for the kernel to put is written all the same: it knows best whether it is right. */
static int put_filter(const struct wish *wish, struct tracefs_instance *instance)
{
	static const char none[] = "0";

	if (tracefs_event_file_write(instance, wish->system, wish->name, "filter", wish->filter) < 0)
		return fail_filter(wish, instance);
	if (wish->flags & WISH_WHOLE && tracefs_event_file_write(instance, wish->system, wish->name, "filter", none) < 0)
		return fail_errno("cannot take the filter off the event '%s'", wish->event);
	return 0;
}

/* Context that this kernel does not have is left out; -1 after fail(). */
static int switch_on(struct wish *wish, struct tracefs_instance *instance)
{
	if (!tracefs_event_file_exists(instance, wish->system, wish->name, "enable"))
		return wish->flags & WISH_REQUIRED ? fail("no event '%s' in this kernel that can be enabled", wish->event) : 0;
	if (wish->filter && put_filter(wish, instance) < 0)
		return -1;
	if (tracefs_event_file_write(instance, wish->system, wish->name, "enable", "1") < 0)
		return fail_errno("cannot enable the event '%s'", wish->event);
	wish->enabled = true;
	return 0;
}

/* Threads that the kernel makes for a process, as io_uring's workers, are told of by task_newtask, and not by sched_process_fork. */
static void learn_births(struct wishes *wishes)
{
	struct wish *fork = NULL, *birth = NULL;

	for (size_t i = 0; i < wishes->list.count; i++) {
		struct wish *wish = wishes->list.items[i];

		if (wish->is_fork)
			fork = wish;
		if (wish->enabled && strcmp(wish->event, "task:task_newtask") == 0)
			birth = wish;
	}
	if (!birth)
		return;
	birth->is_fork = true;
	if (fork)
		fork->is_fork = false;
}

int wishes_enable(struct wishes *wishes, struct tracefs_instance *instance, struct tracefs_instance *keeper)
{
	struct tep_handle *tep = tep_alloc();
	int status = 0;

	wishes->by_id = memory_new(WISH_IDS, sizeof(struct wish *));
	for (size_t i = 0; status == 0 && i < wishes->list.count; i++) {
		struct wish *wish = wishes->list.items[i];

		wish->kept = keeper && can_keep(wish);
		status = switch_on(wish, wish->kept ? keeper : instance);
		if (status == 0 && wish->enabled)
			status = read_format(wish, instance, tep);
		if (status == 0 && wish->enabled)
			wishes->by_id[wish->id] = wish;
	}
	learn_births(wishes);
	tep_free(tep);
	return status;
}
