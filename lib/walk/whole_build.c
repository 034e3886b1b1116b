#include "walk/whole_build.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "wake/rule_events.h"
#include "wake/task_events.h"
#include "wake/wake.h"
#include "walk/abnormal.h"
#include "walk/cutter.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

enum { HANDLER_IGNORES = 1 /* SIG_IGN; less is SIG_DFL */, TIMERS_MOST = 1 << 16 /* if there are more, the one armed first is forgotten */ };

/* The meaning of an event, by its type. */
enum role { ROLE_UNRESOLVED, ROLE_NONE, ROLE_SWITCH, ROLE_WAKING, ROLE_ENTER, ROLE_EXIT, ROLE_FUNCTION, ROLE_NAME, ROLE_SAMPLE, ROLE_COUNTER, ROLE_ARM, ROLE_CANCEL, ROLE_SIGNAL, ROLE_TASK };

struct type_role {
	enum role role;
	struct event_field *arguments, *first, *second; /* arguments: of a raw system call; else the fields that the role needs */
	uint32_t word; /* of a function or a counter */
	bool watched;  /* a rule of the user's is about it */
};

struct armed_timer {
	uint64_t address;
	uint32_t segment; /* the one in which it was armed last */
	UT_hash_handle hh;
};

struct whole_builder {
	struct stream *stream;
	struct events *events;
	struct wake *wake;
	struct open_segments *open_segments;
	struct identities *identities;
	struct cutter *cutter;
	struct armed_timer *timers;
	struct rule_events *rules;
	struct task_events *tasks;
	bool has_tasks; /* the stream has `async` records */
	struct whole *whole;
	bool begun; /* the trace has an event */
	ARRAY(struct type_role) roles; /* by event_type.index */
	bool partial, gap_behind_window;
	int64_t window_to;
	uint64_t crowded;
	char *complaint;
};

/* --- timers: an edge from the segment that armed one to a thread that cancelled it (Argus, section 2.1.1) ------------------ */

static void drop_timer(struct whole_builder *builder, struct armed_timer *timer)
{
	HASH_DEL(builder->timers, timer);
	free(timer);
}

static void forget_timers(struct whole_builder *builder)
{
	struct armed_timer *timer, *next;

	HASH_ITER(hh, builder->timers, timer, next)
		drop_timer(builder, timer);
}

static struct armed_timer *find_timer(const struct whole_builder *builder, uint64_t address)
{
	struct armed_timer *timer;

	HASH_FIND(hh, builder->timers, &address, sizeof(address), timer);
	return timer;
}

static void arm_timer(struct whole_builder *builder, const struct event *event, uint64_t address)
{
	uint32_t segment = cutter_segment(builder->cutter, event);
	struct armed_timer *timer = find_timer(builder, address);

	if (timer)
		drop_timer(builder, timer);
	if (segment == NUMBER_NONE)
		return;
	if (HASH_COUNT(builder->timers) >= TIMERS_MOST)
		drop_timer(builder, builder->timers);
	timer = NEW(struct armed_timer);
	timer->address = address;
	timer->segment = segment;
	HASH_ADD(hh, builder->timers, address, sizeof(timer->address), timer);
}

/* Adds no edge if the thread that armed the timer cancels it. */
static void cancel_timer(struct whole_builder *builder, const struct event *event, uint64_t address)
{
	uint32_t segment = cutter_segment(builder->cutter, event);
	struct armed_timer *timer = find_timer(builder, address);
	const struct whole *whole = builder->whole;

	if (!timer)
		return;
	if (segment != NUMBER_NONE && segment_at(whole, timer->segment)->thread != segment_at(whole, segment)->thread)
		whole_edge(builder->whole, timer->segment, segment, EDGE_TIMER, wake_time(event->ts), false);
	drop_timer(builder, timer);
}

static void begin_whole(struct whole_builder *builder)
{
	builder->whole = whole_new();
	builder->begun = false;
	open_segments_begin(builder->open_segments, builder->whole);
	identities_begin(builder->identities, builder->whole);
	cutter_begin(builder->cutter, builder->whole);
	forget_timers(builder);
	rule_events_forget(builder->rules);
	for (size_t i = 0; i < builder->roles.count; i++)
		builder->roles.items[i].role = ROLE_UNRESOLVED; /* their words are numbers of the last whole */
}

/* --- what happens in segments ------------------------------------------------------------------------------------------- */

static void note_word(struct whole_builder *builder, const struct event *event, uint32_t word)
{
	struct thread *thread = open_segments_thread(builder->open_segments, event);
	struct open_segment *open = thread ? open_segment_of(builder->open_segments, thread) : NULL;

	if (open && open->segment != NUMBER_NONE)
		segment_contents_add(&open->contents, word);
}

/* A sample found the thread in the function of this stack. It counts only if the thread runs. */
static void note_sample(struct whole_builder *builder, int32_t tid, uint32_t stack)
{
	struct thread *thread;
	struct open_segment *open = open_segment_find(builder->open_segments, tid, &thread);

	if (open && thread_running(thread))
		segment_contents_count(&open->contents.samples, identities_stack(builder->identities, stack).function, 1);
}

static void note_count(struct whole_builder *builder, int32_t tid, uint32_t counter, uint64_t count)
{
	struct thread *thread;
	struct open_segment *open = open_segment_find(builder->open_segments, tid, &thread);

	if (open)
		segment_contents_count(&open->contents.counters, counter, count);
}

/* The thread's descriptor stands for the object with this inode. */
static void note_file(struct whole_builder *builder, int32_t tid, int32_t fd, uint64_t inode)
{
	struct thread *thread;
	struct open_segment *open = open_segment_find(builder->open_segments, tid, &thread);

	if (open)
		identities_file(builder->identities, open_segment_process(builder->open_segments, thread, open)->tgid, fd, inode);
}

/* --- what the user knows ------------------------------------------------------------------------------------------------ */

static void rule_bounds(void *context, const struct event *event)
{
	cutter_bounds(((struct whole_builder *)context)->cutter, event);
}

/* Events without a CPU are events of tasks, which may come late. */
static bool rule_place(void *context, const struct event *event, uint32_t *place)
{
	struct cutter *cutter = ((struct whole_builder *)context)->cutter;

	*place = event->cpu == UINT32_MAX ? cutter_segment_then(cutter, event) : cutter_segment(cutter, event);
	return *place != NUMBER_NONE;
}

/*
 * The segment to which an edge from the writer of a flag leads. If the reader slept at the time of the write, it polled for the flag: the wait that
 * it came out of. If the thread reads its own write: the segment that reads. NUMBER_NONE: the read begins a segment of its own.
 */
static uint32_t flag_read(struct whole_builder *builder, const struct event *event, uint32_t writer, int64_t written)
{
	const struct whole *whole = builder->whole;
	uint32_t here = cutter_segment(builder->cutter, event), wait = here == NUMBER_NONE ? here : whole_origin(whole, here);

	if (here != NUMBER_NONE && segment_at(whole, here)->thread == segment_at(whole, writer)->thread)
		return here;
	return wait != NUMBER_NONE && written >= segment_at(whole, wait)->wait_from && written <= segment_at(whole, wait)->end ? wait : NUMBER_NONE;
}

static void rule_arrives(void *context, const struct event *event, uint32_t place, int64_t then, enum edge_kind kind, const char *what)
{
	struct whole_builder *builder = context;
	uint32_t to = kind == EDGE_FLAG ? flag_read(builder, event, place, wake_time(then)) : NUMBER_NONE;

	if (to == NUMBER_NONE)
		cutter_arrives(builder->cutter, event, place, kind, whole_word_of(builder->whole, "", what));
	else
		whole_edge(builder->whole, place, to, kind, wake_time(event->ts), segment_at(builder->whole, place)->flags & SEGMENT_HANDLER);
}

static void rule_serves(void *context, const struct event *event, int32_t process)
{
	struct whole_builder *builder = context;

	cutter_bounds(builder->cutter, event);
	note_word(builder, event, whole_word_of(builder->whole, "for=", events_called(builder->events, process, event->ts)));
}

static struct rule_events *rules_new(struct whole_builder *builder, const struct semantics *semantics)
{
	return rule_events_new(semantics, builder->events, &(struct rule_doer){builder, true, rule_bounds, rule_place, rule_arrives, rule_serves});
}

/* --- the graph ---------------------------------------------------------------------------------------------------------- */

struct whole_builder *whole_builder_new(struct stream *stream, struct events *events)
{
	struct wake *wake = wake_new(events);
	struct whole_builder *builder;

	if (!wake)
		return NULL;
	builder = NEW(struct whole_builder);
	builder->stream = stream;
	builder->events = events;
	builder->wake = wake;
	builder->open_segments = open_segments_new(events, wake);
	builder->identities = identities_new(wake);
	builder->cutter = cutter_new(wake, builder->open_segments, builder->identities);
	builder->rules = rules_new(builder, &(struct semantics){0});
	builder->tasks = task_events_new(events);
	begin_whole(builder);
	return builder;
}

void whole_builder_semantics(struct whole_builder *builder, const struct semantics *semantics)
{
	rule_events_free(builder->rules);
	builder->rules = rules_new(builder, semantics);
}

void whole_builder_free(struct whole_builder *builder)
{
	if (!builder)
		return;
	rule_events_free(builder->rules);
	forget_timers(builder);
	task_events_free(builder->tasks);
	cutter_free(builder->cutter);
	identities_free(builder->identities);
	open_segments_free(builder->open_segments);
	wake_free(builder->wake);
	whole_free(builder->whole);
	free(builder->roles.items);
	free(builder->complaint);
	free(builder);
}

static const char *timer_field(const char *event)
{
	return strstr(event, "hrtimer") ? "hrtimer" : "timer";
}

static void resolve(struct whole_builder *builder, struct type_role *role, const char *name)
{
	static const char calls[] = "syscalls:sys_enter_", returns[] = "syscalls:sys_exit_", function[] = "func:", suffix[] = "__return", counter[] = "counter:";
	struct event_type *type = events_type(builder->events, name);
	size_t length = strlen(name);

	*role = (struct type_role){.role = ROLE_NONE};
	if (!strcmp(name, "sched:sched_switch")) {
		role->role = ROLE_SWITCH;
	} else if (!strcmp(name, "sched:sched_waking") || !strcmp(name, "sched:sched_wakeup")) {
		role->role = ROLE_WAKING;
		role->first = event_type_field(type, "pid");
	} else if (!strcmp(name, "raw_syscalls:sys_enter")) {
		role->role = ROLE_ENTER;
		role->arguments = event_type_field(type, "args");
	} else if (!strncmp(name, calls, strlen(calls))) {
		bool futex = !strncmp(name + strlen(calls), "futex", 5);

		role->role = ROLE_ENTER;
		role->first = event_type_field(type, futex ? "uaddr" : "fd");
		role->second = event_type_field(type, futex ? "op" : "newfd");
	} else if (!strcmp(name, "raw_syscalls:sys_exit") || !strncmp(name, returns, strlen(returns))) {
		role->role = ROLE_EXIT;
		role->first = event_type_field(type, "ret");
	} else if (!strncmp(name, function, strlen(function)) && strcmp(name, "func:unwind") &&
		   (length < strlen(suffix) || strcmp(name + length - strlen(suffix), suffix))) {
		role->role = ROLE_FUNCTION;
		role->word = whole_word_of(builder->whole, "func=", name + strlen(function));
	} else if (!strcmp(name, "stack:run")) {
		role->role = ROLE_SAMPLE;
		role->first = event_type_field(type, "stack");
	} else if (!strncmp(name, counter, strlen(counter))) {
		role->role = ROLE_COUNTER;
		role->first = event_type_field(type, "count");
		role->word = whole_word_of(builder->whole, "", name + strlen(counter));
	} else if (!strcmp(name, "timer:hrtimer_start") || !strcmp(name, "timer:timer_start")) {
		role->role = ROLE_ARM;
		role->first = event_type_field(type, timer_field(name));
	} else if (!strcmp(name, "timer:hrtimer_cancel") || !strcmp(name, "timer:timer_cancel")) {
		role->role = ROLE_CANCEL;
		role->first = event_type_field(type, timer_field(name));
	} else if (!strcmp(name, "signal:signal_deliver")) {
		role->role = ROLE_SIGNAL;
		role->first = event_type_field(type, "sa_handler");
	} else if (!strcmp(name, "async:run")) {
		role->role = ROLE_TASK;
	} else if (!strcmp(name, "task:task_rename") || !strcmp(name, "sched:sched_process_exec")) {
		role->role = ROLE_NAME;
	}
}

static const struct type_role *role_of(struct whole_builder *builder, const struct event_type *type)
{
	while (builder->roles.count <= (size_t)type->index)
		*ARRAY_ADD(&builder->roles) = (struct type_role){0};
	if (builder->roles.items[type->index].role == ROLE_UNRESOLVED) {
		resolve(builder, &builder->roles.items[type->index], type->name);
		builder->roles.items[type->index].watched = rule_events_watches(builder->rules, type);
	}
	return &builder->roles.items[type->index];
}

/* Notes a gap in the data: events were lost, or a filter passed only windows. */
static void gap(struct whole_builder *builder, uint32_t cpu, int64_t from, int64_t to)
{
	size_t gaps = builder->wake->gaps.count;

	wake_lost(builder->wake, cpu, from, to);
	if (builder->wake->gaps.count > gaps)
		*ARRAY_ADD(&builder->whole->gaps) = (struct whole_gap){builder->wake->gaps.items[gaps].from, builder->wake->now};
}

static void enter(struct whole_builder *builder, const struct event *event, const struct type_role *role)
{
	if (role->arguments)
		cutter_entered(builder->cutter, event, (uint64_t)event_element(event, role->arguments, 0),
			       (uint64_t)event_element(event, role->arguments, 1));
	else
		cutter_entered(builder->cutter, event, (uint64_t)event_number(event, role->first), (uint64_t)event_number(event, role->second));
}

static void leave(struct whole_builder *builder, const struct event *event, const struct type_role *role)
{
	int64_t ret = event_number(event, role->first);

	cutter_returned(builder->cutter, event, event_has(event, role->first) ? &ret : NULL);
}

/* From now on it is the turn of this task on the thread; NULL: of no known task. */
static void note_turn(struct whole_builder *builder, const struct event *event, const char *name)
{
	struct thread *thread = open_segments_thread(builder->open_segments, event);
	struct open_segment *open = thread ? open_segment_of(builder->open_segments, thread) : NULL;

	if (!open)
		return;
	open->task = name ? whole_word_of(builder->whole, TASK_WORD, name) : 0;
	if (open->task && open->segment != NUMBER_NONE)
		segment_contents_add(&open->contents, open->task);
}

static void happen(struct whole_builder *builder, const struct event *event, const struct type_role *role)
{
	switch (role->role) {
	case ROLE_SWITCH:
		cutter_switched(builder->cutter, event);
		break;
	case ROLE_WAKING:
		cutter_woke(builder->cutter, (int32_t)event_number(event, role->first));
		break;
	case ROLE_ENTER:
		enter(builder, event, role);
		break;
	case ROLE_EXIT:
		leave(builder, event, role);
		break;
	case ROLE_FUNCTION:
		note_word(builder, event, role->word);
		break;
	case ROLE_SAMPLE:
		note_sample(builder, event->tid, (uint32_t)event_number(event, role->first));
		break;
	case ROLE_COUNTER:
		note_count(builder, event->tid, role->word, (uint64_t)event_number(event, role->first));
		break;
	case ROLE_ARM:
		arm_timer(builder, event, (uint64_t)event_number(event, role->first));
		break;
	case ROLE_CANCEL:
		cancel_timer(builder, event, (uint64_t)event_number(event, role->first));
		break;
	case ROLE_SIGNAL:
		if ((uint64_t)event_number(event, role->first) > HANDLER_IGNORES)
			cutter_signalled(builder->cutter, event);
		break;
	case ROLE_TASK:
		note_turn(builder, event, task_events_name(event));
		break;
	case ROLE_NAME:
		open_segments_renamed(builder->open_segments);
		break;
	default:
		break;
	}
}

static int follow(struct whole_builder *builder, const struct event *event)
{
	const struct type_role *role = role_of(builder, event->type);

	if (builder->whole->segments.count >= NUMBER_NONE - 1)
		return stream_fail(builder->stream, "there are more segments than %u", NUMBER_NONE - 1);
	if (role->watched && rule_events_take(builder->rules, event) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	happen(builder, event, role);
	return 0;
}

/* Takes the events of tasks until then. Skips a turn that comes late, because it cannot be cut out of its segment any more. */
static int take_tasks(struct whole_builder *builder, int64_t until)
{
	struct event event;

	while (task_events_next(builder->tasks, until, &event)) {
		bool turns = strcmp(event.type->name, "async:post") != 0;

		if (turns)
			note_turn(builder, &event, NULL);
		if (turns && event.ts < builder->wake->now)
			continue;
		wake_until(builder->wake, event.ts);
		if (follow(builder, &event) < 0)
			return -1;
	}
	return 0;
}

static int take_event(struct whole_builder *builder, const struct record *record)
{
	struct event event;

	if (events_read(builder->events, record, &event) < 0)
		return -1;
	if (builder->gap_behind_window) {
		builder->gap_behind_window = false;
		gap(builder, UINT32_MAX, builder->window_to, later(event.ts, builder->window_to));
	}
	if (wake_is_full(builder->wake)) {
		cutter_end(builder->cutter, true);
		wake_forget(builder->wake);
		builder->crowded++;
		stream_mark_incomplete(builder->stream);
	}
	if (builder->has_tasks && builder->begun && take_tasks(builder, wake_time(event.ts)) < 0)
		return -1;
	if (wake_event(builder->wake, &event) < 0)
		return stream_fail(builder->stream, "%s", fail_text());
	builder->begun = true;
	return follow(builder, &event);
}

static int take_lost(struct whole_builder *builder, const struct record *record, const struct fields *fields)
{
	uint64_t cpu = UINT32_MAX;
	int64_t from = TIME_NONE, to = TIME_NONE;

	if (fields_unsigned(fields, "cpu", &cpu) < 0 || fields_time(fields, "from", &from) < 0 || fields_time(fields, "ts", &to) < 0)
		return -1;
	if (fields_find(fields, "flag"))
		return 0; /* only hits of a flag were lost */
	gap(builder, (uint32_t)cpu, from, to);
	if (record_tells_damage(record)) {
		wake_forget_meanings(builder->wake);
		identities_new_stack(builder->identities, INDEX_NONE);
	}
	return 0;
}

static int take_async(struct whole_builder *builder, const struct fields *fields)
{
	builder->has_tasks = true;
	return task_events_take(builder->tasks, fields);
}

static int take_window(struct whole_builder *builder, const struct fields *fields)
{
	if (fields_find(fields, "request"))
		return 0; /* a request that a trigger logged is no abnormal moment */
	if (!fields_is(fields, "passed", "all")) {
		builder->partial = builder->gap_behind_window = true;
		builder->window_to = builder->wake->now;
	}
	return abnormal_read(builder->whole, KIND_WINDOW, fields);
}

static int take_file(struct whole_builder *builder, const struct fields *fields)
{
	int64_t tid = 0, fd = 0;
	uint64_t inode = 0;

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "fd", &fd) < 0 || fields_unsigned(fields, "inode", &inode) < 0)
		return -1;
	if (inode)
		note_file(builder, (int32_t)tid, (int32_t)fd, inode);
	return 0;
}

/* Takes a record that says what events mean. A number of a stack may get another meaning. */
static int take_meaning(struct whole_builder *builder, enum kind kind, const struct fields *fields)
{
	int64_t number = 0;

	if (kind == KIND_FILE && take_file(builder, fields) < 0)
		return -1;
	if (kind == KIND_STACK && fields_integer(fields, "id", &number) > 0 && number >= 0)
		identities_new_stack(builder->identities, number);
	if (kind == KIND_STREAM)
		cutter_end(builder->cutter, false); /* the wake core forgets the threads before it */
	if (kind != KIND_TASK)
		return wake_record(builder->wake, kind, fields);
	open_segments_renamed(builder->open_segments);
	return 0;
}

static const enum kind meanings[] = {KIND_STREAM, KIND_STACK, KIND_FILE, KIND_QUOTA, KIND_TIMER, KIND_TRACED, KIND_TASK};

void whole_builder_reads(struct handlers *handlers, record_handler *handler)
{
	static const enum kind others[] = {KIND_EVENT, KIND_LOST, KIND_SIGNAL, KIND_WINDOW, KIND_ASYNC};

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		handlers->on[meanings[i]] = handler;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		handlers->on[others[i]] = handler;
}

int whole_builder_record(struct whole_builder *builder, const struct record *record)
{
	const struct fields *fields;
	int status = 0;

	if (record->kind == KIND_EVENT)
		return take_event(builder, record);
	fields = stream_fields(builder->stream, record);
	if (!fields)
		return -1;
	if (record->kind == KIND_LOST)
		status = take_lost(builder, record, fields);
	else if (record->kind == KIND_SIGNAL)
		status = abnormal_read(builder->whole, KIND_SIGNAL, fields);
	else if (record->kind == KIND_WINDOW)
		status = take_window(builder, fields);
	else if (record->kind == KIND_ASYNC && rule_events_of_tasks(builder->rules))
		status = take_async(builder, fields);
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (record->kind == meanings[i])
			status = take_meaning(builder, record->kind, fields);
	return status < 0 ? stream_fail(builder->stream, "%s", fail_text()) : 0;
}

struct whole *whole_builder_finish(struct whole_builder *builder)
{
	struct whole *whole = builder->whole;

	if (builder->begun && (take_tasks(builder, builder->wake->now) < 0 || rule_events_check(builder->rules) < 0))
		return NULL;
	task_events_forget(builder->tasks);
	builder->has_tasks = false;
	cutter_end(builder->cutter, false);
	wake_forget(builder->wake);
	wake_forget_meanings(builder->wake);
	builder->gap_behind_window = false;
	begin_whole(builder);
	if (whole_ready(whole) < 0) {
		whole_free(whole);
		return NULL;
	}
	return whole;
}

const char *whole_builder_complaint(struct whole_builder *builder)
{
	free(builder->complaint);
	builder->complaint = NULL;
	if (builder->crowded)
		builder->complaint = memory_format("the stream has more than 262,144 threads; what was known of them was forgotten, %llu time%s",
						   (unsigned long long)builder->crowded, builder->crowded == 1 ? "" : "s");
	else if (builder->partial)
		builder->complaint = memory_format("the stream has windows only; to know what is usual, record all events (cchart-filter --pass=all)");
	else if (wake_unsure(builder->wake))
		builder->complaint = memory_format("interrupts woke threads, and no event tells which: a thread that is said to have woken another may only "
						   "have been hit by an interrupt; record events of irq and timer, too");
	return builder->complaint;
}
