#include "state/machine.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/exited_tids.h"

enum { COMM_ROOM = 16 };

struct process {
	UT_hash_handle hh;
	int32_t tgid;
	uint32_t home;	/* the node HOST/COMM.PID; STATE_NO_NODE: not yet asked for */
	char comm[COMM_ROOM]; /* first known name of its leader; "": none yet */
	unsigned known;	  /* threads that have not ended */
	unsigned threads; /* structs thread that refer to it, ended ones too */
	bool leader_ended;
};

struct thread {
	UT_hash_handle hh;
	int32_t tid;
	bool ended;
	struct process *process;
	ARRAY(uint32_t) own; /* nodes that {tid} named */
};

/* The rules for one type of event, in order. */
struct rules_of {
	ARRAY(const struct state_rule *) items;
	bool seen;
};

/* Each host has its own pids and tids, and its own event formats. */
struct host {
	struct events *events;
	ARRAY(struct state_file *) files;
	ARRAY(struct rules_of) rules; /* by index of the event type */
	ARRAY(int32_t) owners; /* by node: the thread that has it in `own`; 0: none */
	struct process *processes;
	struct thread *threads;
	struct exited_tids exited;
	uint32_t node;
	const struct event_type *exit;
	struct event_field *exit_tid;
	bool has_stream;
};

struct state_machine {
	struct state_tree *tree;
	struct state_texts *texts;
	struct state_attributes *attributes;
	struct host at; /* the current host */
	ARRAY(struct host) hosts; /* by number, in a stream of several hosts; the entry of the current host is stale */
	size_t number;
	bool several;
	bool begun;
	int64_t from, now;
	state_alarm *alarm;
	void *alarm_context;
	struct state_machine_counts counts;
};

static void set_host(struct state_machine *machine, const char *name)
{
	char component[STATE_NAME_MAX];
	size_t length = strlen(name);

	length = state_tree_component(name, length < STATE_TEXT_MAX ? length : STATE_TEXT_MAX, component, sizeof(component));
	machine->at.node = state_tree_get(machine->tree, 0, component, length);
}

static void begin_host(struct state_machine *machine, struct events *events)
{
	struct event_type *exit = events_type(events, "sched:sched_process_exit");

	machine->at = (struct host){.events = events, .exit = exit, .exit_tid = event_type_field(exit, "pid")};
	set_host(machine, "-");
}

struct state_machine *state_machine_new(struct events *events, size_t most)
{
	struct state_machine *machine = NEW(struct state_machine);

	machine->tree = state_tree_new();
	machine->texts = state_texts_new();
	machine->attributes = state_attributes_new(machine->tree, machine->texts, most);
	begin_host(machine, events);
	return machine;
}

static void forget_threads(struct state_machine *machine)
{
	struct process *process, *next_process;
	struct thread *thread, *next;

	HASH_ITER (hh, machine->at.threads, thread, next) {
		HASH_DEL(machine->at.threads, thread);
		free(thread->own.items);
		free(thread);
	}
	HASH_ITER (hh, machine->at.processes, process, next_process) {
		HASH_DEL(machine->at.processes, process);
		free(process);
	}
	for (size_t i = 0; i < machine->at.owners.count; i++)
		machine->at.owners.items[i] = 0;
	machine->at.exited = (struct exited_tids){0};
}

static void free_host(struct state_machine *machine)
{
	forget_threads(machine);
	for (size_t i = 0; i < machine->at.rules.count; i++)
		free(machine->at.rules.items[i].items.items);
	for (size_t i = 0; i < machine->at.files.count; i++)
		state_file_free(machine->at.files.items[i]);
	free(machine->at.rules.items);
	free(machine->at.files.items);
	free(machine->at.owners.items);
}

void state_machine_free(struct state_machine *machine)
{
	if (!machine)
		return;
	for (size_t i = 0; i < machine->hosts.count; i++) {
		state_machine_enter(machine, i);
		free_host(machine);
	}
	if (machine->hosts.count == 0)
		free_host(machine);
	free(machine->hosts.items);
	state_attributes_free(machine->attributes);
	state_texts_free(machine->texts);
	state_tree_free(machine->tree);
	free(machine);
}

size_t state_machine_add_host(struct state_machine *machine, struct events *events)
{
	if (machine->hosts.count == 0)
		*ARRAY_ADD(&machine->hosts) = machine->at;
	machine->hosts.items[machine->number] = machine->at;
	machine->number = machine->hosts.count;
	begin_host(machine, events);
	*ARRAY_ADD(&machine->hosts) = machine->at;
	machine->several = true;
	return machine->number;
}

void state_machine_enter(struct state_machine *machine, size_t number)
{
	machine->several = true;
	if (number == machine->number)
		return;
	machine->hosts.items[machine->number] = machine->at;
	machine->at = machine->hosts.items[number];
	machine->number = number;
}

void state_machine_lend(struct state_machine *machine, const struct state_file *file)
{
	for (size_t i = 0; i < file->rules.count; i++) {
		const struct state_rule *rule = file->rules.items[i];
		size_t index = (size_t)rule->type->index;

		while (machine->at.rules.count <= index)
			*ARRAY_ADD(&machine->at.rules) = (struct rules_of){.seen = false};
		*ARRAY_ADD(&machine->at.rules.items[index].items) = rule;
	}
}

void state_machine_add(struct state_machine *machine, struct state_file *file)
{
	*ARRAY_ADD(&machine->at.files) = file;
	state_machine_lend(machine, file);
}

const struct state_tree *state_machine_tree(const struct state_machine *machine)
{
	return machine->tree;
}

struct state_attributes *state_machine_attributes(const struct state_machine *machine)
{
	return machine->attributes;
}

void state_machine_alarm(struct state_machine *machine, state_alarm *alarm, void *context)
{
	machine->alarm = alarm;
	machine->alarm_context = context;
}

bool state_machine_span(const struct state_machine *machine, int64_t *from, int64_t *to)
{
	*from = machine->from;
	*to = machine->now;
	return machine->begun;
}

struct state_machine_counts state_machine_counts(const struct state_machine *machine)
{
	return machine->counts;
}

static bool is_seen(const struct host *host, const struct state_file *file)
{
	for (size_t i = 0; i < file->rules.count; i++)
		if (host->rules.items[file->rules.items[i]->type->index].seen)
			return true;
	return false;
}

/* All hosts have the same files, in the same order. */
static bool is_seen_anywhere(const struct state_machine *machine, size_t file)
{
	bool seen = is_seen(&machine->at, machine->at.files.items[file]);

	for (size_t i = 0; i < machine->hosts.count && !seen; i++)
		seen = i != machine->number && is_seen(&machine->hosts.items[i], machine->hosts.items[i].files.items[file]);
	return seen;
}

const char *state_machine_unseen(const struct state_machine *machine, const char *after)
{
	bool is_behind = !after;

	for (size_t i = 0; i < machine->at.files.count; i++) {
		const struct state_file *file = machine->at.files.items[i];

		if (is_behind && !is_seen_anywhere(machine, i))
			return file->name;
		is_behind |= file->name == after;
	}
	return NULL;
}

/* Threads and processes */

static struct process *get_process(struct state_machine *machine, int32_t tgid)
{
	struct process *process;

	HASH_FIND_INT(machine->at.processes, &tgid, process);
	if (process)
		return process;
	process = NEW(struct process);
	process->tgid = tgid;
	process->home = STATE_NO_NODE;
	HASH_ADD_INT(machine->at.processes, tgid, process);
	return process;
}

static struct thread *find_thread(const struct state_machine *machine, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(machine->at.threads, &tid, thread);
	return thread;
}

static struct thread *get_thread(struct state_machine *machine, int32_t tid)
{
	struct thread *thread = find_thread(machine, tid);
	int32_t tgid;

	if (thread)
		return thread;
	tgid = events_tgid(machine->at.events, tid);
	thread = NEW(struct thread);
	thread->tid = tid;
	thread->process = get_process(machine, tgid ? tgid : tid);
	thread->process->known++;
	thread->process->threads++;
	HASH_ADD_INT(machine->at.threads, tid, thread);
	return thread;
}

/* The node HOST/COMM.PID of the thread's process. COMM is the name of the leader or, if unknown, of this thread. */
static uint32_t home_of(struct state_machine *machine, const struct thread *thread)
{
	struct process *process = thread->process;
	char component[STATE_NAME_MAX], number[STATE_VALUE_ROOM];
	const char *comm, *spelled;
	size_t length, digits;

	if (process->home != STATE_NO_NODE)
		return process->home;
	comm = *process->comm ? process->comm : events_comm(machine->at.events, process->tgid);
	if (!strcmp(comm, "?"))
		comm = events_comm(machine->at.events, thread->tid);
	spelled = state_value_spell(state_value_number(process->tgid), number, &digits);
	length = state_tree_component(comm, strlen(comm), component, sizeof(component) - STATE_VALUE_ROOM);
	component[length++] = '.';
	memcpy(component + length, spelled, digits);
	return process->home = state_tree_get(machine->tree, machine->at.node, component, length + digits);
}

static void own(struct state_machine *machine, struct thread *thread, uint32_t node)
{
	while (machine->at.owners.count <= node)
		*ARRAY_ADD(&machine->at.owners) = 0;
	if (machine->at.owners.items[node] == thread->tid)
		return;
	machine->at.owners.items[node] = thread->tid;
	*ARRAY_ADD(&thread->own) = node;
}

static void thread_free(struct state_machine *machine, struct thread *thread)
{
	struct process *process = thread->process;

	HASH_DEL(machine->at.threads, thread);
	free(thread->own.items);
	free(thread);
	if (--process->threads > 0)
		return;
	HASH_DEL(machine->at.processes, process);
	free(process);
}

static void thread_ends(struct state_machine *machine, struct thread *thread)
{
	struct process *process = thread->process;
	struct thread *evicted;

	if (thread->ended)
		return;
	for (size_t i = 0; i < thread->own.count; i++)
		state_attributes_clear(machine->attributes, thread->own.items[i]);
	for (size_t i = 0; i < thread->own.count; i++)
		machine->at.owners.items[thread->own.items[i]] = 0;
	ARRAY_FREE(&thread->own);
	thread->ended = true;
	process->leader_ended |= thread->tid == process->tgid;
	if (--process->known == 0 && process->leader_ended && process->home != STATE_NO_NODE)
		state_attributes_clear_below(machine->attributes, process->home);
	evicted = find_thread(machine, exited_tids_add(&machine->at.exited, thread->tid));
	if (evicted && evicted->ended)
		thread_free(machine, evicted);
}

/* If the thread had ended, its tid now belongs to a new thread. If it was alive, it began another program (exec). */
static void thread_begins(struct state_machine *machine, int32_t tid)
{
	struct thread *thread = find_thread(machine, tid);
	struct process *process;

	if (!thread)
		return;
	process = thread->process;
	if (!thread->ended && process->tgid == tid && process->home != STATE_NO_NODE)
		state_attributes_clear_below(machine->attributes, process->home);
	if (process->tgid == tid) {
		process->home = STATE_NO_NODE;
		process->leader_ended = false;
		*process->comm = '\0';
	}
	if (thread->ended)
		thread_free(machine, thread);
}

/* Rules */

static int sound_alarm(struct state_machine *machine, const struct state_rule *rule, const struct state_scene *scene)
{
	struct state_value value = state_template_value(&rule->value, scene);
	char room[STATE_VALUE_ROOM];
	size_t length;
	int status = 0;

	if (machine->alarm)
		status = machine->alarm(machine->alarm_context, rule->file, scene->event, state_value_spell(value, room, &length));
	state_value_drop(machine->texts, &value);
	return status;
}

static int act(struct state_machine *machine, const struct state_rule *rule, const struct state_scene *scene, struct thread *thread)
{
	uint32_t node;

	if (!state_test_holds(&rule->test, scene))
		return 0;
	if (rule->action == ACTION_ALARM)
		return sound_alarm(machine, rule, scene);
	switch (state_path_make(&rule->path, scene, &node)) {
	case PATH_NULL:
		machine->counts.null_paths++;
		return 0;
	case PATH_TOO_DEEP:
		machine->counts.too_deep++;
		return 0;
	default:
		break;
	}
	if (rule->path.of_thread)
		own(machine, thread, node);
	switch (rule->action) {
	case ACTION_SET:
		state_attributes_set(machine->attributes, node, state_template_value(&rule->value, scene));
		break;
	case ACTION_PUSH:
		state_attributes_push(machine->attributes, node, state_template_value(&rule->value, scene));
		break;
	case ACTION_ADD:
		state_attributes_add(machine->attributes, node, state_template_value(&rule->value, scene));
		break;
	case ACTION_POP:
		state_attributes_pop(machine->attributes, node);
		break;
	default:
		state_attributes_clear(machine->attributes, node);
		break;
	}
	return 0;
}

static int act_all(struct state_machine *machine, const struct event *event)
{
	size_t index = (size_t)event->type->index;
	struct state_scene scene = {machine->at.events, machine->tree, machine->texts, machine->attributes, event, STATE_NO_NODE};
	struct thread *thread;
	struct rules_of *rules;

	if (index >= machine->at.rules.count || machine->at.rules.items[index].items.count == 0)
		return 0;
	rules = &machine->at.rules.items[index];
	rules->seen = true;
	thread = get_thread(machine, event->tid);
	if (thread->ended)
		return 0;
	scene.home = home_of(machine, thread);
	for (size_t i = 0; i < rules->items.count; i++)
		if (act(machine, rules->items.items[i], &scene, thread) < 0)
			return -1;
	return 0;
}

/* Records */

/* Moves the time on to ts. Returns 0; 1 if the record is older than an earlier one and must do nothing; -1 after fail(). */
static int move(struct state_machine *machine, int64_t ts)
{
	if (machine->begun && ts < machine->now) {
		machine->counts.older++;
		return 1;
	}
	if (!machine->begun)
		machine->from = ts;
	machine->begun = true;
	machine->now = ts;
	return state_attributes_move(machine->attributes, ts);
}

static int event_seen(struct state_machine *machine, const struct record *record)
{
	struct event event;
	struct thread *thread;
	int status;

	if (events_read(machine->at.events, record, &event) < 0)
		return -1;
	status = move(machine, event.ts);
	if (status != 0)
		return status < 0 ? -1 : 0;
	if (act_all(machine, &event) < 0)
		return -1;
	if (event.type != machine->at.exit || !event_has(&event, machine->at.exit_tid))
		return 0;
	thread = get_thread(machine, (int32_t)event_number(&event, machine->at.exit_tid));
	thread_ends(machine, thread);
	return 0;
}

/* The first known name of a leader names its process. */
static void note_name(struct state_machine *machine, int32_t tid, const struct fields *fields)
{
	struct process *process;

	if (!fields_find(fields, "comm") || events_tgid(machine->at.events, tid) != tid)
		return;
	process = get_thread(machine, tid)->process;
	if (!*process->comm && process->tgid == tid)
		fields_text(fields, "comm", process->comm, sizeof(process->comm));
}

/* A task record with a name may precede older events, so it does not move the time; records of a start or an end come in time order. */
static int task_seen(struct state_machine *machine, const struct fields *fields)
{
	bool began = fields_is(fields, "began", "yes"), ended = fields_is(fields, "ended", "yes");
	int64_t ts, tid;

	if (fields_time(fields, "ts", &ts) != 1 || fields_integer(fields, "tid", &tid) != 1)
		return 0;
	if ((began || ended) && (!machine->begun || ts > machine->now) && move(machine, ts) < 0)
		return -1;
	if (ended)
		thread_ends(machine, get_thread(machine, (int32_t)tid));
	if (began)
		thread_begins(machine, (int32_t)tid);
	note_name(machine, (int32_t)tid, fields);
	return 0;
}

/* Takes back changes of the current host only. */
static int take_back(struct state_machine *machine, int64_t from)
{
	ARRAY(uint32_t) others = {0};
	int status;

	for (size_t i = 0; i < machine->hosts.count; i++)
		if (i != machine->number)
			*ARRAY_ADD(&others) = machine->hosts.items[i].node;
	status = state_attributes_take_back(machine->attributes, from, others.items, others.count);
	free(others.items);
	return status;
}

static int lost_seen(struct state_machine *machine, const struct fields *fields)
{
	int64_t ts, from = INT64_MIN;
	int status;

	if (fields_time(fields, "ts", &ts) != 1 || fields_time(fields, "from", &from) < 0)
		return 0;
	status = move(machine, ts > machine->now || !machine->begun ? ts : machine->now);
	if (status < 0)
		return -1;
	return take_back(machine, from < machine->now ? from : machine->now);
}

/* A new stream has other processes, and its own times: what the earlier one left behind ends. */
static int stream_seen(struct state_machine *machine, const struct fields *fields)
{
	char host[STATE_TEXT_MAX + 1];

	if (machine->several) {
		state_attributes_clear_below(machine->attributes, machine->at.node);
		forget_threads(machine);
	} else if (machine->at.has_stream || machine->begun) {
		for (uint32_t child = state_tree_last_child(machine->tree, 0); child != STATE_NO_NODE;
		     child = state_tree_earlier(machine->tree, child))
			state_attributes_clear_below(machine->attributes, child);
		forget_threads(machine);
	}
	machine->at.has_stream = true;
	set_host(machine, fields_text(fields, "host", host, sizeof(host)) == 1 && *host ? host : "-");
	return 0;
}

int state_machine_record(struct state_machine *machine, const struct record *record, const struct fields *fields)
{
	int64_t ts;

	switch (record->kind) {
	case KIND_EVENT:
		return event_seen(machine, record);
	case KIND_STREAM:
		return stream_seen(machine, fields);
	case KIND_TASK:
		return task_seen(machine, fields);
	case KIND_LOST:
		return lost_seen(machine, fields);
	case KIND_TICK:
		if (fields_time(fields, "ts", &ts) == 1 && (!machine->begun || ts > machine->now))
			return move(machine, ts);
		return 0;
	default:
		return 0;
	}
}

int state_machine_finish(struct state_machine *machine)
{
	machine->several = false;
	return machine->begun ? state_attributes_move(machine->attributes, machine->now < INT64_MAX ? machine->now + 1 : machine->now) : 0;
}
