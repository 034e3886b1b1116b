#include "run/run_build.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "event/machine.h"
#include "run/run_list.h"

/* A `lost` record stands at the end of the loss, where events go on. So a run that is over waits this long for a loss that reaches into it. */
#define LOSS_TOLD (10 * NSEC_PER_SEC)

enum { LOSSES_LEAST = 256 }; /* losses that are kept in any case */
enum { PROGRAMS_MOST = 1 << 16 }; /* with more, the oldest goes, whose thread has most likely ended */

enum { CLONE_MAKES_THREAD = 0x10000 /* CLONE_THREAD */, BOOT_ROOM = 64 };

/* The program that a thread executes, by sched_process_exec or a `task` record. */
struct program {
	int32_t tid;
	bool by_event; /* from sched_process_exec, which overrides a `task` record */
	char first[RUN_NAME_ROOM], name[RUN_NAME_ROOM]; /* the last path components of its first and its last word */
	UT_hash_handle hh;
};

struct loss {
	int64_t from, to;
};

struct run_builder {
	struct stream *stream;
	struct events *events;
	struct run_options options;
	struct calls *calls;
	struct event_type *enter, *exit, *exec, *fork, *death, *sent, *signal; /* the last three are for light runs */
	struct event_field *enter_id, *enter_args, *exit_id, *exit_ret, *exec_pid, *exec_file, *fork_parent, *fork_child, *death_group, *sent_number, *sent_to, *signal_number, *signal_handler;
	/* of the current stream */
	struct run_list list;
	struct program *programs;
	ARRAY(struct loss) losses;
	size_t losses_most; /* with more losses than this, those before all runs are dropped */
	char node[RUN_NAME_ROOM], boot[BOOT_ROOM];
	bool named;	  /* the stream names its kind of machine, so its calls have names */
	bool from_here;	  /* the stream is of this machine since it was booted */
	/* of all streams */
	uint64_t count, incomplete, seen;
	bool unnamed;
};

struct run_builder *run_builder_new(struct stream *stream, struct events *events, const struct run_options *options)
{
	struct run_builder *builder = NEW(struct run_builder);

	builder->stream = stream;
	builder->events = events;
	builder->options = *options;
	builder->calls = calls_new(options->job);
	builder->enter = events_type(events, "raw_syscalls:sys_enter");
	builder->enter_id = event_type_field(builder->enter, "id");
	builder->enter_args = event_type_field(builder->enter, "args");
	builder->exit = events_type(events, "raw_syscalls:sys_exit");
	builder->exit_id = event_type_field(builder->exit, "id");
	builder->exit_ret = event_type_field(builder->exit, "ret");
	builder->exec = events_type(events, "sched:sched_process_exec");
	builder->exec_pid = event_type_field(builder->exec, "pid");
	builder->exec_file = event_type_field(builder->exec, "filename");
	builder->fork = events_type(events, "sched:sched_process_fork");
	builder->fork_parent = event_type_field(builder->fork, "parent_pid");
	builder->fork_child = event_type_field(builder->fork, "child_pid");
	builder->death = events_type(events, "sched:sched_process_exit");
	builder->death_group = event_type_field(builder->death, "group_dead");
	builder->sent = events_type(events, "signal:signal_generate");
	builder->sent_number = event_type_field(builder->sent, "sig");
	builder->sent_to = event_type_field(builder->sent, "pid");
	builder->signal = events_type(events, "signal:signal_deliver");
	builder->signal_number = event_type_field(builder->signal, "sig");
	builder->signal_handler = event_type_field(builder->signal, "sa_handler");
	run_list_clear(&builder->list);
	builder->from_here = true;
	builder->losses_most = LOSSES_LEAST;
	return builder;
}

static void drop_program(struct run_builder *builder, struct program *program)
{
	HASH_DEL(builder->programs, program);
	free(program);
}

static struct program *find_program(const struct run_builder *builder, int32_t tid)
{
	struct program *program;

	HASH_FIND_INT(builder->programs, &tid, program);
	return program;
}

static void note_program(struct run_builder *builder, int32_t tid, const char *path, bool by_event)
{
	struct program *program = find_program(builder, tid);
	const char *space;
	char *word;

	if (program && program->by_event && !by_event)
		return;
	if (!program) {
		if (HASH_COUNT(builder->programs) == PROGRAMS_MOST)
			drop_program(builder, builder->programs);
		program = NEW(struct program);
		program->tid = tid;
		HASH_ADD_INT(builder->programs, tid, program);
	}
	program->by_event = by_event;
	space = by_event ? NULL : strrchr(path, ' ');
	snprintf(program->name, sizeof(program->name), "%s", basename(space ? space + 1 : path));
	word = memory_text(path, by_event ? strlen(path) : strcspn(path, " "));
	snprintf(program->first, sizeof(program->first), "%s", basename(word));
	free(word);
}

/* Forgets the current stream. */
static void forget(struct run_builder *builder)
{
	struct program *program, *next;

	run_list_clear(&builder->list);
	HASH_ITER(hh, builder->programs, program, next)
		drop_program(builder, program);
	builder->losses.count = 0;
	builder->losses_most = LOSSES_LEAST;
	builder->node[0] = builder->boot[0] = '\0';
	builder->from_here = true;
	builder->named = false;
	calls_machine(builder->calls, MACHINE_UNKNOWN);
}

void run_builder_free(struct run_builder *builder)
{
	forget(builder);
	free(builder->losses.items);
	calls_free(builder->calls);
	free(builder);
}

/* Tells whether the stream is of this machine since it was booted. A stream that names neither host nor boot is taken to be. */
static bool is_from_here(const struct run_builder *builder)
{
	struct utsname names;
	char *boot;
	bool same;

	if (*builder->boot) {
		boot = file_read("/proc/sys/kernel/random/boot_id", NULL);
		same = boot && !strncmp(boot, builder->boot, strlen(builder->boot));
		free(boot);
		return same;
	}
	return !*builder->node || (uname(&names) == 0 && !strcmp(names.nodename, builder->node));
}

/* From now on, numbers mean other calls: forgets the calls that threads have open or made last. */
static void forget_calls(struct run_builder *builder)
{
	for (struct run_thread *thread = builder->list.tree.threads; thread; thread = thread->hh.next) {
		thread->open = thread->before = NULL;
		thread->has_returned = thread->idle = false;
	}
}

static int stream_seen(struct run_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	char machine[65] = "";

	if (!fields)
		return -1;
	fields_text(fields, "machine", machine, sizeof(machine));
	if (calls_machine(builder->calls, machine_of(machine)))
		forget_calls(builder);
	builder->named = machine_of(machine) != MACHINE_UNKNOWN;
	fields_text(fields, "host", builder->node, sizeof(builder->node));
	fields_text(fields, "boot", builder->boot, sizeof(builder->boot));
	builder->from_here = is_from_here(builder);
	return 0;
}

static int task_seen(struct run_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	char program[RUN_NAME_ROOM];
	struct program *known;
	struct run_thread *thread;
	int64_t tid = 0;

	if (!fields)
		return -1;
	if (fields_integer(fields, "tid", &tid) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	if (fields_is(fields, "ended", "yes") && !builder->options.light && (thread = process_tree_find(&builder->list.tree, (int32_t)tid)))
		run_list_end_thread(&builder->list, thread);
	else if (fields_text(fields, "program", program, sizeof(program)))
		note_program(builder, (int32_t)tid, program, false);
	else if (fields_is(fields, "began", "yes") && (known = find_program(builder, (int32_t)tid)) && !known->by_event)
		drop_program(builder, known);
	return 0;
}

/* Drops losses that ended more than LOSS_TOLD before the start of each unwritten run, and before now. */
static void drop_losses(struct run_builder *builder, int64_t now)
{
	int64_t from = run_list_begun(&builder->list, now);
	size_t kept = 0;

	from = from > INT64_MIN + LOSS_TOLD ? from - LOSS_TOLD : INT64_MIN;
	for (size_t i = 0; i < builder->losses.count; i++)
		if (builder->losses.items[i].to >= from)
			builder->losses.items[kept++] = builder->losses.items[i];
	builder->losses.count = kept;
	builder->losses_most = 2 * kept > LOSSES_LEAST ? 2 * kept : LOSSES_LEAST;
}

static int lost_seen(struct run_builder *builder, const struct record *record)
{
	const struct fields *fields = stream_fields(builder->stream, record);
	struct loss loss = {INT64_MIN, 0};

	if (!fields)
		return -1;
	if (fields_time(fields, "ts", &loss.to) < 0 || fields_time(fields, "from", &loss.from) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	if (loss.to == 0 && record_tells_damage(record))
		loss.to = INT64_MAX;
	*ARRAY_ADD(&builder->losses) = loss;
	if (builder->losses.count > builder->losses_most)
		drop_losses(builder, loss.to);
	return 0;
}

static bool is_complete(const struct run_builder *builder, const struct run *run)
{
	for (size_t i = 0; i < builder->losses.count; i++)
		if (builder->losses.items[i].from <= run->end && builder->losses.items[i].to >= run->begin)
			return false;
	return true;
}

/* The tick tells a reader that it has all records of this run, before the next run comes. */
static int write_tick(struct run_builder *builder, int64_t ts)
{
	struct line line = {0};
	int status;

	line_begin(&line, "tick");
	line_time(&line, "ts", ts);
	status = stream_write_line(builder->stream, &line);
	line_free(&line);
	return status;
}

static int write_run(struct run_builder *builder, const struct run *run, int64_t now)
{
	const char *node = builder->options.node ? builder->options.node : builder->node;
	struct utsname names;
	bool here = builder->from_here, complete = is_complete(builder, run);
	struct run_labels labels = {.node = node, .boot = builder->boot, .job = builder->options.job->name, .childless = builder->options.childless, .light = builder->options.light};
	char id[RUN_ID_ROOM];

	if (!*node && here && uname(&names) == 0)
		labels.node = names.nodename;
	builder->count++;
	builder->incomplete += !complete;
	if (run_write(run, &labels, complete, builder->calls, builder->stream, id) < 0)
		return -1;
	if (builder->options.more && builder->options.more(builder->options.context, id, builder->stream, here, &(struct run_times){run->begin, run->end, now}) < 0)
		return -1;
	return builder->options.live ? write_tick(builder, run->end) : 0;
}

/* Writes the runs that ended before a time. */
static int write_before(struct run_builder *builder, int64_t ts, int64_t now)
{
	struct run *run;
	int status = 0;

	while (status == 0 && (run = run_list_take(&builder->list, ts))) {
		status = write_run(builder, run, now);
		run_free(&builder->list.tree, run);
	}
	return status;
}

static bool is_long_over(const struct run *run, int64_t now)
{
	return run->end < now && (uint64_t)now - (uint64_t)run->end > LOSS_TOLD && now > INT64_MIN + LOSS_TOLD;
}

/* The parent made the thread `tid`, as the result of its call says. The child's first calls may have come before. */
static void made(struct run_builder *builder, struct run_thread *parent, int64_t tid, bool is_thread)
{
	struct run_thread *child = tid <= INT32_MAX ? process_tree_find(&builder->list.tree, (int32_t)tid) : NULL;

	if (tid > INT32_MAX || child == parent)
		return;
	if (child && child->first >= parent->entered)
		run_list_adopt(&builder->list, child, parent->process, is_thread);
	else if (!child || child->gone) /* else `tid` is a number of another pid namespace */
		process_tree_born(&builder->list.tree, (int32_t)tid, parent->process, is_thread);
}

/*
 * Sets `name` to the program that the thread executes now, and tells whether it is the job's. The candidates are the executed file, or else comm, and
 * the first and last word of the program of a `task` record, such as "bash nightly.sh". A candidate that is a program of the job wins.
 */
static bool executed(struct run_builder *builder, int32_t tid, char name[RUN_NAME_ROOM])
{
	const struct program *program = find_program(builder, tid);
	const char *comm = basename(events_comm(builder->events, tid));
	const char *candidates[] = {program && program->by_event ? program->name : comm, program ? program->first : comm,
				    program ? program->name : comm};

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
		if (job_runs(builder->options.job, candidates[i])) {
			snprintf(name, RUN_NAME_ROOM, "%s", candidates[i]);
			return true;
		}
	snprintf(name, RUN_NAME_ROOM, "%s", candidates[0]);
	return false;
}

static struct run_thread *other_thread(const struct run_builder *builder, const struct run_thread *left)
{
	for (struct run_thread *thread = builder->list.tree.threads; thread; thread = thread->hh.next)
		if (thread != left && thread->process == left->process && !thread->gone)
			return thread;
	return NULL;
}

/* When a thread executes a program, the other threads of its process end. */
static void end_others(struct run_builder *builder, struct run_thread *left)
{
	struct run_thread *other;

	while (left->process->live > 1 && (other = other_thread(builder, left)))
		process_tree_end(&builder->list.tree, other);
}

/* The thread's exec succeeded. Begins a run if it executes the job's program, unless its process is a whole run already. Tells whether it did. */
static bool exec_returned(struct run_builder *builder, struct run_thread *thread)
{
	struct job *job = builder->options.job;
	struct run_process *process = thread->process;
	struct run *former = process->run;
	bool own = former && former->process == process, begins;
	char name[RUN_NAME_ROOM];
	struct program *program = find_program(builder, thread->tid);

	end_others(builder, thread);
	begins = executed(builder, thread->tid, name);
	if (program)
		program->by_event = false; /* a task record may name the next program */
	if (job->programs.count == 0) {
		job_learn(job, name);
		begins = true;
	}
	if (!begins || (own && !former->partial))
		return false;
	if (own)
		run_list_unmake(&builder->list, former);
	run_list_call_over(&builder->list, thread);
	run_list_begin(&builder->list, process_tree_renew(&builder->list.tree, thread), name, false);
	thread->open = thread->before = NULL;
	thread->has_returned = thread->idle = false;
	return true;
}

/* Called once a process: if its parent is unknown and it has the name of the job's program, it is a run that began before the data. */
static void ask_name(struct run_builder *builder, struct run_process *process, int32_t tid)
{
	const char *name = events_comm(builder->events, process->tgid);

	process->asked = true;
	if (!strcmp(name, "?"))
		name = events_comm(builder->events, tid);
	if (!process->run && !process->muted && !process->parent && job_runs(builder->options.job, name))
		run_list_begin(&builder->list, process, name, true);
}

static struct run_thread *thread_of(struct run_builder *builder, const struct event *event)
{
	struct run_thread *thread = process_tree_thread(&builder->list.tree, event->tid, events_tgid(builder->events, event->tid), event->ts);

	if (!thread->process->asked)
		ask_name(builder, thread->process, thread->tid);
	return thread;
}

static struct tally *entry_tally(struct run_process *process)
{
	if (process->run)
		return run_entry(process->run, process);
	if (process->muted)
		return NULL;
	if (!process->sums)
		process->sums = tally_new();
	return process->sums;
}

static struct tally *return_tally(struct run_process *process, int64_t entered)
{
	return process->run ? run_return(process->run, process, entered) : process->muted ? NULL : process->sums;
}

static int64_t between(int64_t from, int64_t to)
{
	return (int64_t)((uint64_t)to - (uint64_t)from);
}

/* If the thread is one of the run's own process, notes the event in the run. */
static void tell_run(const struct run_thread *thread, int64_t ts)
{
	struct run *run = thread->process->run;

	if (run && run->process == thread->process)
		run_event(run, ts);
}

static void count_entry(struct run_builder *builder, struct run_thread *thread, const struct call *call, const struct event *event)
{
	struct tally *tally = entry_tally(thread->process);

	if (!tally)
		return;
	if (thread->idle)
		tally_outside(tally, between(thread->since, event->ts));
	tally_count(tally, call);
	if (call->size_argument >= 0)
		tally_argument(tally, call, event_element(event, builder->enter_args, (unsigned)call->size_argument));
	if (!thread->before || (builder->options.same_pairs && thread->before->id != call->id))
		return;
	tally_next(tally, thread->before, call);
	if (thread->has_returned)
		tally_gap(tally, thread->before, call, between(thread->returned, event->ts));
}

static void note_exit(struct run_builder *builder, struct run_thread *thread, const struct call *call, const struct event *event)
{
	struct run_process *process = thread->process;
	bool group = call->deed == CALL_EXIT_GROUP;

	if (process->run && process->run->process == process && (group || !process->run->has_exit)) {
		process->run->has_exit = group || process->live == 1;
		process->run->exit = (uint8_t)event_element(event, builder->enter_args, 0);
	}
	process->exiting |= group;
	run_list_end_thread(&builder->list, thread);
}

static void entered(struct run_builder *builder, const struct event *event)
{
	const struct call *call = calls_find(builder->calls, event_number(event, builder->enter_id));
	struct run_thread *thread = thread_of(builder, event);

	tell_run(thread, event->ts);
	if (!call)
		return;
	count_entry(builder, thread, call, event);
	thread->open = thread->before = call;
	thread->entered = event->ts;
	thread->has_returned = thread->idle = false;
	if (call->deed == CALL_CLONE)
		thread->makes_thread = event_element(event, builder->enter_args, 0) & CLONE_MAKES_THREAD;
	else if (call->deed == CALL_EXIT || call->deed == CALL_EXIT_GROUP)
		note_exit(builder, thread, call, event);
}

static void call_returned(struct run_builder *builder, struct run_thread *thread, const struct call *call, const struct event *event)
{
	int64_t result = event_number(event, builder->exit_ret);
	struct tally *tally = return_tally(thread->process, thread->entered);

	if (tally)
		tally_end(tally, call, between(thread->entered, event->ts), result);
	run_list_call_over(&builder->list, thread);
	thread->open = NULL;
	thread->has_returned = true;
	thread->returned = event->ts;
	if (result > 0 && !builder->list.forks && (call->deed == CALL_CLONE || call->deed == CALL_FORK))
		made(builder, thread, result, call->deed == CALL_CLONE && thread->makes_thread);
	tell_run(thread, event->ts); /* again, so that the calls of the child just made count */
}

static void returned(struct run_builder *builder, const struct event *event)
{
	const struct call *call = calls_find(builder->calls, event_number(event, builder->exit_id));
	struct run_thread *thread = thread_of(builder, event);
	bool begins = call && call->deed == CALL_EXEC && event_number(event, builder->exit_ret) == 0 && exec_returned(builder, thread);

	tell_run(thread, event->ts);
	if (!begins && call && call == thread->open)
		call_returned(builder, thread, call, event);
	if (!thread->idle)
		thread->since = event->ts;
	thread->idle = true;
	if (thread->process->exiting)
		run_list_end_thread(&builder->list, thread);
}

/* A fork may be the first event of the parent: then its thread is made here. */
static void forked(struct run_builder *builder, const struct event *event)
{
	int32_t parent = (int32_t)event_number(event, builder->fork_parent), child = (int32_t)event_number(event, builder->fork_child);
	struct run_thread *thread, *former;

	if (parent <= 0 || child <= 0 || parent == child)
		return;
	builder->list.forks = true;
	thread = process_tree_thread(&builder->list.tree, parent, events_tgid(builder->events, parent), event->ts);
	if (!thread->process->asked)
		ask_name(builder, thread->process, parent);
	former = process_tree_find(&builder->list.tree, child);
	if (former)
		run_list_end_thread(&builder->list, former);
	process_tree_born(&builder->list.tree, child, thread->process, false); /* its task record may say that it is a thread */
}

/* The run of the thread's process; NULL: none. */
static struct run *light_run(const struct run_builder *builder, int32_t tid)
{
	int32_t tgid = events_tgid(builder->events, tid);
	const struct run_thread *leader = process_tree_find(&builder->list.tree, tgid ? tgid : tid);

	return leader && !leader->gone ? leader->process->run : NULL;
}

static void light_begin(struct run_builder *builder, const struct event *event)
{
	int32_t tid = (int32_t)event_number(event, builder->exec_pid);
	struct run_thread *thread = process_tree_thread(&builder->list.tree, tid, tid, event->ts);
	char file[4096], *name;

	event_text(event, builder->exec_file, file, sizeof(file));
	name = basename(file);
	if (builder->options.job->programs.count == 0)
		job_learn(builder->options.job, name);
	if (thread->process->run || !job_runs(builder->options.job, name))
		return;
	run_list_begin(&builder->list, process_tree_renew(&builder->list.tree, thread), name, false);
	run_event(thread->process->run, event->ts);
}

/* Tells whether a signal ends a process that does not handle it (signal(7)). */
static bool is_deadly(int64_t number)
{
	static const int harmless[] = {SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (number == harmless[i])
			return false;
	return number > 0;
}

/*
 * When a deadly signal ends a process, the kernel delivers SIGKILL to its threads: then the cause is the deadly signal that was sent last. A signal
 * that comes while threads end because of exit_group() or of another signal says nothing.
 */
static void light_killed(struct run *run, int64_t number, bool is_handled)
{
	if (run->has_exit || is_handled || !is_deadly(number))
		return;
	run->has_exit = true;
	run->exit = (uint8_t)(128 + (number == SIGKILL && run->sent ? run->sent : number));
}

static void light_ends(struct run_builder *builder, struct run *run, const struct event *event)
{
	bool is_last = event_has(event, builder->death_group) ? event_number(event, builder->death_group) != 0
							       : event->tid == run->process->tgid;

	if (!is_last)
		return;
	run_event(run, event->ts);
	process_tree_end(&builder->list.tree, process_tree_find(&builder->list.tree, run->process->tgid));
	run_list_finish(&builder->list, run);
}

static void light_entered(struct run_builder *builder, struct run *run, const struct event *event)
{
	const struct call *call = calls_find(builder->calls, event_number(event, builder->enter_id));

	builder->unnamed |= !builder->named;
	if (!call || call->deed != CALL_EXIT_GROUP)
		return;
	run->has_exit = true;
	run->exit = (uint8_t)event_element(event, builder->enter_args, 0);
}

static void light_event(struct run_builder *builder, const struct event *event)
{
	int32_t tid = event->type == builder->sent ? (int32_t)event_number(event, builder->sent_to) : event->tid;
	struct run *run = tid > 0 ? light_run(builder, tid) : NULL;

	builder->seen++;
	if (event->type == builder->exec)
		light_begin(builder, event);
	else if (!run)
		return;
	else if (event->type == builder->death)
		light_ends(builder, run, event);
	else if (event->type == builder->enter)
		light_entered(builder, run, event);
	else if (event->type == builder->signal)
		light_killed(run, event_number(event, builder->signal_number), event_number(event, builder->signal_handler) != 0);
	else if (event->type == builder->sent && is_deadly(event_number(event, builder->sent_number)))
		run->sent = (uint8_t)event_number(event, builder->sent_number);
}

static int event_seen(struct run_builder *builder, const struct record *record)
{
	struct event event;

	if (events_read(builder->events, record, &event) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	if (builder->list.over && is_long_over(builder->list.over, event.ts) && write_before(builder, event.ts - LOSS_TOLD, event.ts) < 0)
		return -1;
	if (builder->options.light) {
		light_event(builder, &event);
	} else if (event.type == builder->enter || event.type == builder->exit) {
		builder->seen++;
		builder->unnamed |= !builder->named;
		if (event.tid <= 0)
			return 0;
		(event.type == builder->enter ? entered : returned)(builder, &event);
	} else if (event.type == builder->exec) {
		char file[4096];

		event_text(&event, builder->exec_file, file, sizeof(file));
		note_program(builder, (int32_t)event_number(&event, builder->exec_pid), file, true);
	} else if (event.type == builder->fork) {
		forked(builder, &event);
	}
	return 0;
}

int run_builder_record(struct run_builder *builder, const struct record *record)
{
	switch (record->kind) {
	case KIND_EVENT:
		return event_seen(builder, record);
	case KIND_STREAM:
		return stream_seen(builder, record);
	case KIND_TASK:
		return task_seen(builder, record);
	case KIND_LOST:
		return lost_seen(builder, record);
	default:
		return 0;
	}
}

int run_builder_finish(struct run_builder *builder)
{
	int status;

	while (builder->list.runs && !builder->options.live)
		run_list_finish(&builder->list, builder->list.runs);
	status = write_before(builder, INT64_MAX, INT64_MAX);
	forget(builder);
	return status;
}

uint64_t run_builder_count(const struct run_builder *builder)
{
	return builder->count;
}

uint64_t run_builder_incomplete(const struct run_builder *builder)
{
	return builder->incomplete;
}

bool run_builder_unnamed(const struct run_builder *builder)
{
	return builder->unnamed;
}

uint64_t run_builder_events(const struct run_builder *builder)
{
	return builder->seen;
}
