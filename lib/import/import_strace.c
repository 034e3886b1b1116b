/*
 * The output of strace(1): system calls with their results.
 *
 * The log names calls; the machine decides their numbers. strace does not name the thread if it traces only one. Then the thread is
 * that of the file's name ("log.1234", by -ff), or the only thread alive, or the first thread.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/open_files.h"
#include "event/machine.h"
#include "import/import_format.h"
#include "import/strace_line.h"
#include "import/strace_queue.h"
#include "import/text.h"
#include "import/trouble.h"

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* The effect of a call on threads. */
enum effect { EFFECT_NONE, EFFECT_EXEC, EFFECT_CLONE, EFFECT_RENAME };

struct call {
	char *name;
	int64_t number;
	bool known;
	enum effect effect;
	UT_hash_handle hh;
};

static enum effect effect_of(const char *name)
{
	static const struct {
		const char *name;
		enum effect effect;
	} effects[] = {
		{"execve", EFFECT_EXEC}, {"execveat", EFFECT_EXEC}, {"clone", EFFECT_CLONE}, {"clone2", EFFECT_CLONE},
		{"clone3", EFFECT_CLONE}, {"fork", EFFECT_CLONE}, {"vfork", EFFECT_CLONE}, {"prctl", EFFECT_RENAME},
	};

	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++)
		if (!strcmp(effects[i].name, name))
			return effects[i].effect;
	return EFFECT_NONE;
}

/* Reads "syscall_0x1b3": a call that strace has no name for. */
static bool read_number(const char *name, int64_t *number)
{
	static const char unnamed[] = "syscall_";
	uint64_t value;

	if (strncmp(name, unnamed, strlen(unnamed)) != 0)
		return false;
	name += strlen(unnamed);
	if (!strace_number((struct text_span){name, name + strlen(name)}, &value) || value > INT32_MAX)
		return false;
	*number = (int64_t)value;
	return true;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

enum { COMM_ROOM = 16 };

struct thread {
	int32_t tid, tgid; /* tgid 0: unknown */
	char comm[COMM_ROOM];
	const struct call *call; /* the unfinished call that the thread is in; NULL: none */
	int64_t since;		 /* when the thread's last call began */
	char begins[COMM_ROOM]; /* the program that the call begins, or the thread's new name */
	bool makes_thread;	/* the call makes a thread, not a process */
	uint64_t returning;	/* ticket of the last return, which may still wait */
	uint64_t entering;	/* ticket of an entry that lacks arguments; 0: there is none */
	int told;		/* how many arguments that entry has */
	UT_hash_handle hh;
};

struct log {
	struct import *import;
	struct strace_queue *queue;
	struct troubles troubles;
	struct call *calls;
	struct thread *threads;
	uint32_t machine;
	int32_t first; /* the thread of lines that name none */
	bool is_guess; /* `first` is a guess: the log may name that thread later */
	int32_t alias; /* the tid by which the log names that thread; 0: it has not named it */
	int32_t parted; /* the thread whose line was cut where strace attached to another thread; 0: none */
	struct line line;
	int64_t last;
};

static const struct call *find_call(struct log *log, struct text_span span)
{
	struct call *call;

	HASH_FIND(hh, log->calls, span.at, text_span_length(span), call);
	if (call)
		return call;
	call = NEW(struct call);
	call->name = memory_text(span.at, text_span_length(span));
	call->known = read_number(call->name, &call->number) || machine_call(log->machine, call->name, &call->number);
	call->effect = effect_of(call->name);
	HASH_ADD_KEYPTR(hh, log->calls, call->name, text_span_length(span), call);
	return call;
}

static struct thread *find_thread(struct log *log, int32_t tid)
{
	struct thread *thread;

	HASH_FIND_INT(log->threads, &tid, thread);
	return thread;
}

static struct thread *get_thread(struct log *log, int32_t tid)
{
	struct thread *thread = find_thread(log, tid);

	if (thread)
		return thread;
	thread = NEW(struct thread);
	thread->tid = tid;
	HASH_ADD_INT(log->threads, tid, thread);
	return thread;
}

static void forget_thread(struct log *log, struct thread *thread)
{
	HASH_DEL(log->threads, thread);
	free(thread);
}

/* --- records of threads ------------------------------------------------------------------------------------------- */

static void begin_task(struct log *log, int64_t ts, int32_t tid, const char *comm)
{
	line_begin(&log->line, "task");
	line_time(&log->line, "ts", ts);
	line_integer(&log->line, "tid", tid);
	if (*comm)
		line_text(&log->line, "comm", comm);
}

static char *taken(const struct log *log)
{
	return memory_text(log->line.text, log->line.length);
}

/* The thread runs another program, alone in its process. */
static char *tell_exec(struct log *log, struct thread *thread, int64_t ts)
{
	memcpy(thread->comm, thread->begins, COMM_ROOM);
	thread->tgid = thread->tid;
	begin_task(log, ts, thread->tid, thread->comm);
	line_integer(&log->line, "tgid", thread->tgid);
	line_text(&log->line, "began", "yes");
	return taken(log);
}

static char *tell_clone(struct log *log, const struct thread *thread, int64_t ts, int64_t result)
{
	struct thread *child;

	if (result <= 0 || result > INT32_MAX)
		return NULL;
	child = get_thread(log, (int32_t)result);
	if (child->tgid) /* the child has already run another program */
		return NULL;
	child->tgid = thread->makes_thread ? thread->tgid : child->tid;
	if (!*child->comm)
		memcpy(child->comm, thread->comm, COMM_ROOM);
	begin_task(log, ts, child->tid, child->comm);
	if (child->tgid)
		line_integer(&log->line, "tgid", child->tgid);
	return taken(log);
}

static char *tell_rename(struct log *log, struct thread *thread, int64_t ts)
{
	memcpy(thread->comm, thread->begins, COMM_ROOM);
	begin_task(log, ts, thread->tid, thread->comm);
	return taken(log);
}

/* The record of a returned call's effect on threads, for the caller to free; NULL: the call has none. */
static char *tell(struct log *log, struct thread *thread, const struct call *call, int64_t ts, int64_t result)
{
	if (call->effect == EFFECT_CLONE)
		return tell_clone(log, thread, ts, result);
	if (call->effect == EFFECT_NONE || result != 0 || !*thread->begins)
		return NULL;
	return call->effect == EFFECT_EXEC ? tell_exec(log, thread, ts) : tell_rename(log, thread, ts);
}

/* --- entries and returns ------------------------------------------------------------------------------------------ */

static void copy_comm(char comm[COMM_ROOM], struct text_span text)
{
	snprintf(comm, COMM_ROOM, "%.*s", (int)text_span_length(text), text.at);
}

/* Keeps what the arguments say of the call's effect on threads. */
static void note_effect(struct thread *thread, const struct call *call, struct text_span arguments)
{
	struct text_span text = strace_quoted(arguments);
	const char *slash = memrchr(text.at, '/', text_span_length(text));

	*thread->begins = '\0';
	thread->makes_thread = call->effect == EFFECT_CLONE && find(arguments, "CLONE_THREAD");
	if (call->effect == EFFECT_EXEC)
		copy_comm(thread->begins, slash ? (struct text_span){slash + 1, text.end} : text);
	else if (call->effect == EFFECT_RENAME && begins_with(arguments, "PR_SET_NAME"))
		copy_comm(thread->begins, text);
}

static void add_return(struct log *log, struct thread *thread, const struct call *call, int64_t ts, int64_t result)
{
	struct strace_event event = {.ts = ts, .tid = thread->tid, .returns = true, .number = call->number, .result = result};

	event.record = tell(log, thread, call, ts, result);
	thread->returning = strace_queue_add(log->queue, &event);
}

/* Appends `more` to the arguments of the entry; NULL: the entry gets no more. */
static void complete_entry(struct log *log, struct thread *thread, const uint64_t *more)
{
	strace_queue_complete(log->queue, thread->entering, more, more ? thread->told : STRACE_ARGUMENTS);
	thread->entering = 0;
}

/* strace cuts times and durations, so a call may seem to return after the thread's next one begins. */
static void begin_line(struct log *log, struct thread *thread, int64_t ts)
{
	strace_queue_advance(log->queue, thread->returning, ts);
	thread->returning = 0;
}

static int64_t behind(int64_t ts, int64_t duration)
{
	int64_t sum;

	return __builtin_add_overflow(ts, duration, &sum) ? INT64_MAX : sum;
}

static void take_call(struct log *log, struct thread *thread, const struct call *call, const struct strace_line *line, uint64_t number)
{
	struct strace_event event = {.ts = line->ts, .tid = thread->tid, .enters = true, .number = call->number};
	uint64_t ticket;
	int told;

	begin_line(log, thread, line->ts);
	complete_entry(log, thread, NULL);
	told = strace_line_numbers(line->arguments, event.arguments);
	event.held = line->unfinished && told < STRACE_ARGUMENTS && (!text_span_length(line->arguments) || line->arguments.end[-1] == ',');
	ticket = strace_queue_add(log->queue, &event);
	if (event.held) {
		thread->entering = ticket;
		thread->told = told;
	}
	if (call->effect != EFFECT_NONE)
		note_effect(thread, call, line->arguments);
	thread->call = line->unfinished ? call : NULL;
	thread->since = line->ts;
	if (!line->returned)
		return;
	if (line->duration != STRACE_UNTIMED)
		add_return(log, thread, call, behind(line->ts, line->duration), line->result);
	else
		troubles_count(&log->troubles, "how long these calls took is not told, so they have no return; record with strace -T", true,
			       number, 1);
}

static void take_resumed(struct log *log, struct thread *thread, const struct call *call, const struct strace_line *line)
{
	bool timed = thread->call == call && line->duration != STRACE_UNTIMED;

	uint64_t more[STRACE_ARGUMENTS];

	if (line->unfinished) /* on standard error, the line was cut again */
		return;
	if (thread->call == call && thread->entering) {
		strace_line_numbers(line->arguments, more);
		complete_entry(log, thread, more);
	}
	if (line->returned) {
		begin_line(log, thread, line->ts);
		add_return(log, thread, call, timed ? behind(thread->since, line->duration) : line->ts, line->result);
	}
	thread->call = NULL;
}

/* --- the thread of a line ----------------------------------------------------------------------------------------- */

static int32_t thread_of(struct log *log, const struct strace_line *line, int32_t of_file)
{
	if (line->tid && line->tid == log->alias)
		return log->first;
	if (line->tid && line->bracketed && log->is_guess && !log->alias && !find_thread(log, line->tid)) {
		log->alias = line->tid; /* strace names each thread when it attaches to it, except the first */
		return log->first;
	}
	if (line->tid || of_file)
		return line->tid ? line->tid : of_file;
	if (log->threads && !log->threads->hh.next)
		return log->threads->tid;
	return log->first;
}

static int end_thread(struct log *log, struct thread *thread, int64_t ts)
{
	struct strace_event event = {.ts = ts, .tid = thread->tid};

	begin_line(log, thread, ts);
	complete_entry(log, thread, NULL);
	begin_task(log, ts, thread->tid, "");
	line_text(&log->line, "ended", "yes");
	event.record = taken(log);
	strace_queue_add(log->queue, &event);
	forget_thread(log, thread);
	return 0;
}

static void take_timed(struct log *log, const struct strace_line *line, int32_t of_file, uint64_t number)
{
	struct thread *thread = get_thread(log, thread_of(log, line, of_file));
	const struct call *call;

	if (line->attached)
		get_thread(log, line->attached);
	log->parted = line->attached ? thread->tid : 0;
	if (line->kind == STRACE_ENDED)
		end_thread(log, thread, line->ts);
	if (line->kind == STRACE_ENDED || line->kind == STRACE_SIGNAL)
		return;
	call = find_call(log, line->name);
	if (!call->known) {
		char kind[128];

		snprintf(kind, sizeof(kind), "'%.32s' is no system call of the machine; see --machine", call->name);
		troubles_count(&log->troubles, kind, true, number, 1);
	} else if (line->kind == STRACE_CALL) {
		take_call(log, thread, call, line, number);
	} else {
		take_resumed(log, thread, call, line);
	}
}

static void take_tail(struct log *log, struct strace_line *line)
{
	struct thread *thread = log->parted ? find_thread(log, log->parted) : NULL;

	if (thread && thread->call) {
		line->ts = log->last;
		take_resumed(log, thread, thread->call, line);
	} else {
		line->kind = STRACE_OTHER;
	}
	log->parted = 0;
}

/* Messages about lines without a time or a call; `missing`: such lines may be events. */
static const struct {
	const char *kind;
	bool missing;
} others[] = {
	[STRACE_STACK] = {"call stacks are left out", false},
	[STRACE_NO_TIME] = {"these calls have no time since 1970; record with strace -ttt", true},
	[STRACE_OTHER] = {"this is no line of strace", true},
};

/* -1 after fail(). */
static int take_line(struct log *log, struct strace_line *line, int32_t of_file, uint64_t number)
{
	if (line->kind == STRACE_TAIL)
		take_tail(log, line);
	if (line->kind == STRACE_ATTACHED)
		get_thread(log, line->attached);
	if (line->kind > STRACE_ENDED) {
		if (others[line->kind].kind)
			troubles_count(&log->troubles, others[line->kind].kind, others[line->kind].missing, number, 1);
		return 0;
	}
	if (line->ts > log->last)
		log->last = line->ts;
	if (strace_queue_pass(log->queue, log->last) < 0)
		return -1;
	take_timed(log, line, of_file, number);
	return 0;
}

/* --- a log -------------------------------------------------------------------------------------------------------- */

static bool is_line(const char *text, size_t length)
{
	struct strace_line line;

	strace_line_read(text, length, &line);
	return line.kind <= STRACE_ENDED;
}

static bool is_untimed(const char *text, size_t length)
{
	struct strace_line line;

	strace_line_read(text, length, &line);
	return line.kind == STRACE_NO_TIME && (line.returned || line.unfinished);
}

static size_t is_strace(const char *bytes, size_t length)
{
	return text_count_lines(bytes, length, is_line);
}

struct names {
	ARRAY(struct text_span) items;
};

static void add_name(struct names *names, struct text_span name)
{
	for (size_t i = 0; i < names->items.count; i++)
		if (text_span_length(names->items.items[i]) == text_span_length(name) && memcmp(names->items.items[i].at, name.at, text_span_length(name)) == 0)
			return;
	*ARRAY_ADD(&names->items) = name;
}

enum { NAMES_MOST = 500 }; /* no machine has more calls */

/* The names of the calls in the first lines, each once. */
static struct names gather_names(const char *bytes, size_t length)
{
	const char *end = bytes + length, *newline;
	struct names names = {0};

	for (; (newline = memchr(bytes, '\n', (size_t)(end - bytes))) && names.items.count < NAMES_MOST; bytes = newline + 1) {
		struct strace_line line;

		strace_line_read(bytes, (size_t)(newline - bytes), &line);
		if (line.kind == STRACE_CALL)
			add_name(&names, line.name);
	}
	return names;
}

static size_t count_calls(uint32_t machine, const struct names *names)
{
	size_t count = 0;
	int64_t number;
	char name[32];

	for (size_t i = 0; i < names->items.count; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)text_span_length(names->items.items[i]), names->items.items[i].at);
		count += machine_call(machine, name, &number);
	}
	return count;
}

/* The machine that knows the most calls of the first lines; of several, the first, where this machine comes before all others. */
static const char *likely_machine(const char *bytes, size_t length)
{
	static struct utsname here;
	static const char *const machines[] = {here.machine, "x86_64", "aarch64", "i686", "armv7l", "riscv64", "ppc64le", "s390x"};
	struct names names = gather_names(bytes, length);
	const char *likely = NULL;
	size_t most = 0;

	uname(&here);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines) && (!likely || most < names.items.count); i++) {
		size_t count = count_calls(machine_of(machines[i]), &names);

		if (!likely || count > most)
			likely = machines[i];
		most = count > most ? count : most;
	}
	free(names.items.items);
	return likely;
}

/* The first "[pid 1234]" without an "attached" message before it: on standard error, that is the first process. 0: none. */
static int32_t first_of_pids(const char *bytes, size_t length)
{
	const char *end = bytes + length, *newline;
	ARRAY(int32_t) attached = {0};
	int32_t first = 0;

	for (; !first && (newline = memchr(bytes, '\n', (size_t)(end - bytes))); bytes = newline + 1) {
		struct strace_line line;
		size_t i = 0;

		strace_line_read(bytes, (size_t)(newline - bytes), &line);
		if (line.attached)
			*ARRAY_ADD(&attached) = line.attached;
		while (i < attached.count && attached.items[i] != line.tid)
			i++;
		if (line.tid && line.bracketed && i == attached.count)
			first = line.tid;
	}
	free(attached.items);
	return first;
}

static int write_beginning(struct log *log, const char *machine)
{
	const struct import_options *options = import_options(log->import);
	struct stream *stream = import_stream(log->import);

	line_begin(&log->line, "stream");
	line_integer(&log->line, "version", STREAM_VERSION);
	line_text(&log->line, "machine", machine);
	line_time(&log->line, "wall", 0);
	if (import_begin(log->import, false) < 0 || stream_write_line(stream, &log->line) < 0)
		return -1;
	log->queue = strace_queue_new(log->import);
	if (!log->queue)
		return -1;
	return options->begun ? options->begun(options->context, stream) : 0;
}

/* `first`: the thread of lines that name none; 0: unknown. */
static int begin_log(struct log *log, struct import *import, const char *name, const char *machine, int32_t first)
{
	*log = (struct log){.import = import, .last = INT64_MIN, .first = first ? first : 1, .is_guess = !first};
	if (import_options(import)->machine)
		machine = import_options(import)->machine;
	log->machine = machine_of(machine);
	log->troubles.name = name;
	return write_beginning(log, machine);
}

/* Writes the events that still wait if `status` is 0. Frees the log in any case. */
static int end_log(struct log *log, int status)
{
	struct thread *thread, *next;
	struct call *call, *behind;
	uint64_t late;

	if (status == 0)
		status = strace_queue_pass(log->queue, INT64_MAX);
	late = status == 0 ? strace_queue_late(log->queue) : 0;
	if (late)
		import_say(log->import, false, "%s: the time goes back before %llu events", log->troubles.name, (unsigned long long)late);
	troubles_say(&log->troubles, log->import);
	if (status == 0 && strace_queue_written(log->queue) == 0)
		import_say(log->import, true, "%s: no events", log->troubles.name);
	HASH_ITER(hh, log->threads, thread, next)
		forget_thread(log, thread);
	HASH_ITER(hh, log->calls, call, behind) {
		HASH_DEL(log->calls, call);
		free(call->name);
		free(call);
	}
	troubles_free(&log->troubles);
	strace_queue_free(log->queue);
	line_free(&log->line);
	return status;
}

/* The tid of a name such as "log.1234", as strace -ff names its files; 0: the name has none. */
static int32_t tid_of_file(const char *name)
{
	const char *dot = strrchr(name, '.');
	uint64_t tid;

	return dot && read_count((struct text_span){dot + 1, name + strlen(name)}, &tid) && tid <= INT32_MAX ? (int32_t)tid : 0;
}

static int read_log(struct log *log, struct lines *lines)
{
	int32_t of_file = tid_of_file(log->troubles.name);
	size_t length;
	char *text;
	int status = 0, more;

	while (status == 0 && (more = lines_next(lines, &text, &length)) > 0 && !stream_output_closed(import_stream(log->import))) {
		struct strace_line line;

		if (length == 0)
			continue;
		strace_line_read(text, length, &line);
		status = take_line(log, &line, of_file, lines->number);
	}
	return more < 0 ? -1 : status;
}

/* --- several logs of one run -------------------------------------------------------------------------------------- */

/* One thread's file by strace -ff. It is open only from its first time to its last, so memory depends on the number of live threads. */
struct part {
	char *name;
	int32_t tid;
	struct strace_line line; /* the next line with a time */
	struct lines lines;
	int fd; /* -1: not open */
};

struct parts {
	ARRAY(struct part *) all;  /* by their first time */
	ARRAY(struct part *) open; /* the part with the earliest line is the last */
	size_t begun;		   /* how many of `all` were opened */
	const char *machine;	   /* the likely machine, by the first file */
};

static void close_part(struct part *part)
{
	if (part->fd < 0)
		return;
	lines_close(&part->lines);
	close(part->fd);
	part->fd = -1;
}

static void free_parts(void *state)
{
	struct parts *parts = state;

	for (size_t i = 0; i < parts->all.count; i++) {
		close_part(parts->all.items[i]);
		free(parts->all.items[i]->name);
		free(parts->all.items[i]);
	}
	free(parts->all.items);
	free(parts->open.items);
	free(parts);
}

static int by_time(const void *left, const void *right)
{
	const struct part *const *one = left, *const *other = right;

	return ((*one)->line.ts > (*other)->line.ts) - ((*one)->line.ts < (*other)->line.ts);
}

/* The first time in a part; INT64_MAX: there is none. */
static int64_t first_time(const char *bytes, size_t length)
{
	const char *end = bytes + length, *newline;

	for (; (newline = memchr(bytes, '\n', (size_t)(end - bytes))); bytes = newline + 1) {
		struct strace_line line;

		strace_line_read(bytes, (size_t)(newline - bytes), &line);
		if (line.kind <= STRACE_ENDED)
			return line.ts;
	}
	return INT64_MAX;
}

/* Keeps the name of a file that is to be merged. */
static int keep_part(struct import *import, struct import_input *input)
{
	void **state = import_state(import, free_parts);
	struct parts *parts = *state ? *state : (*state = NEW(struct parts));
	struct part *part;
	struct stat about;
	const char *bytes;
	size_t length;

	if (fstat(input->fd, &about) < 0 || !S_ISREG(about.st_mode))
		return fail("%s: logs are merged by files, not by pipes", input->name);
	if (lines_peek(&input->lines, &bytes, &length) < 0)
		return -1;
	part = *ARRAY_ADD(&parts->all) = NEW(struct part);
	if (!parts->machine)
		parts->machine = likely_machine(bytes, length);
	part->name = memory_text(input->name, strlen(input->name));
	part->tid = tid_of_file(part->name);
	part->line.ts = first_time(bytes, length);
	part->fd = -1;
	return 0;
}

/* Moves on to the next line with a time; closes the part at the end of its file. -1 after fail(). */
static int next_of_part(struct log *log, struct part *part)
{
	size_t length;
	char *text;
	int more;

	while ((more = lines_next(&part->lines, &text, &length)) > 0) {
		strace_line_read(text, length, &part->line);
		if (part->line.kind <= STRACE_ENDED)
			return 0;
		log->troubles.name = part->name;
		if (length > 0 && take_line(log, &part->line, part->tid, part->lines.number) < 0)
			return -1;
	}
	close_part(part);
	return more;
}

/* Inserts an open part by the time of its next line. */
static void place_part(struct parts *parts, struct part *part)
{
	size_t at = parts->open.count;

	ARRAY_ADD(&parts->open);
	for (; at > 0 && parts->open.items[at - 1]->line.ts <= part->line.ts; at--)
		parts->open.items[at] = parts->open.items[at - 1];
	parts->open.items[at] = part;
}

static int open_part(struct log *log, struct parts *parts)
{
	struct part *part = parts->all.items[parts->begun++];

	part->fd = open(part->name, O_RDONLY | O_CLOEXEC);
	if (part->fd < 0)
		return fail_errno("cannot open '%s'", part->name);
	lines_open(&part->lines, part->name, part->fd, NULL, NULL);
	if (next_of_part(log, part) < 0)
		return -1;
	if (part->fd >= 0)
		place_part(parts, part);
	return 0;
}

/* Opens the parts that begin before the earliest line of those that are open. */
static int open_parts(struct log *log, struct parts *parts)
{
	while (parts->begun < parts->all.count &&
	       (parts->open.count == 0 ||
		parts->all.items[parts->begun]->line.ts <= parts->open.items[parts->open.count - 1]->line.ts))
		if (open_part(log, parts) < 0)
			return -1;
	return 0;
}

static int read_parts(struct log *log, struct parts *parts)
{
	while (open_parts(log, parts) == 0 && !stream_output_closed(import_stream(log->import))) {
		struct part *part;

		if (parts->open.count == 0)
			return 0;
		part = parts->open.items[--parts->open.count];
		log->troubles.name = part->name;
		if (take_line(log, &part->line, part->tid, part->lines.number) < 0 || next_of_part(log, part) < 0)
			return -1;
		if (part->fd >= 0)
			place_part(parts, part);
	}
	return stream_output_closed(import_stream(log->import)) ? 0 : -1;
}

static int end_strace(struct import *import)
{
	struct parts *parts = *import_state(import, free_parts);
	struct log log;
	int status;

	if (!parts)
		return 0;
	qsort(parts->all.items, parts->all.count, sizeof(*parts->all.items), by_time);
	open_files_raise();
	status = begin_log(&log, import, parts->all.items[0]->name, parts->machine, 0);
	if (status == 0)
		status = read_parts(&log, parts);
	return end_log(&log, status);
}

static int read_strace(struct import *import, struct import_input *input)
{
	const char *bytes;
	size_t length;
	struct log log;
	int status;

	if (import_options(import)->merge)
		return keep_part(import, input);
	if (lines_peek(&input->lines, &bytes, &length) < 0)
		return -1;
	status = begin_log(&log, import, input->name, likely_machine(bytes, length), first_of_pids(bytes, length));
	if (status == 0)
		status = read_log(&log, &input->lines);
	return end_log(&log, status);
}

/* Recognizes a summary, and calls without a time since 1970. */
static const char *hint_strace(const char *bytes, size_t length)
{
	if (memmem(bytes, length, " seconds  usecs/call ", 21))
		return "it is a summary by strace -c; record with strace -f -ttt -T -o FILE";
	if (text_count_lines(bytes, length, is_untimed))
		return "it has system calls without times since 1970; record with strace -f -ttt -T -o FILE";
	return NULL;
}

const struct import_format import_strace = {.name = "strace", .words = "what strace prints", .is = is_strace, .read = read_strace, .end = end_strace, .hint = hint_strace};
