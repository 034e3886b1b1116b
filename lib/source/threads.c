#include "source/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tracefs.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/proc.h"
#include "source/execs.h"
#include "source/titles.h"

struct thread_entry *threads_at(struct threads *threads, int32_t tid)
{
	struct thread_entry **page = &threads->pages[(uint32_t)tid / THREADS_PAGE % THREADS_PAGES];

	if (!*page)
		*page = memory_new(THREADS_PAGE, sizeof(struct thread_entry));
	return &(*page)[tid % THREADS_PAGE];
}

enum { KTHREADD = 2 };

/* /proc spells a newline and a backslash in a name with two characters; events have them as they are. */
static void unescape(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		bool escaped = *from == '\\' && (from[1] == 'n' || from[1] == '\\');

		*to++ = escaped && from[1] == 'n' ? '\n' : *from;
		from += escaped;
	}
	*to = '\0';
}

struct process_program {
	struct program program;
	int64_t read;  /* time of reading, by the trace clock */
	uint32_t gaps; /* threads.gaps at that time */
	bool asked;    /* /proc was asked; else only the kernel told of it, at exec */
};

/* Tells whether it is a thread of the kernel: its status in /proc says so, or it is a child of kthreadd and has no memory of its own. */
static bool is_kernels(int32_t tid, const char *status)
{
	const char *said = strstr(status, "\nKthread:\t"), *parent = strstr(status, "\nPPid:\t");

	if (said)
		return said[strlen("\nKthread:\t")] == '1';
	return (tid == KTHREADD || (parent && atoi(parent + strlen("\nPPid:\t")) == KTHREADD)) && !strstr(status, "\nVmSize:\t");
}

/* The thread's group, its name, and whether it is the kernel's, by /proc; 0: the thread is gone. */
static int32_t look_up(int32_t tid, char comm[THREAD_NAME], bool *kernels)
{
	char text[512], name[2 * THREAD_NAME];
	const char *group;

	if (proc_read(tid, "status", text, sizeof(text)) <= 0)
		return 0;
	if (strncmp(text, "Name:\t", 6) == 0) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(text + 6, "\n"), text + 6);
		unescape(name);
		memcpy(comm, name, strnlen(name, THREAD_NAME - 1) + 1);
		comm[THREAD_NAME - 1] = '\0';
	}
	*kernels = is_kernels(tid, text);
	group = strstr(text, "\nTgid:\t");
	return group ? atoi(group + 7) : 0;
}

static void forget_program(struct thread_entry *process)
{
	free(process->program);
	process->program = NULL;
}

/*
 * Reads the program from /proc. If the exec was seen, its command line replaces that of /proc, which the program may have written over. If /proc
 * does not tell, because the process has just ended, all is taken from the exec. False: not known.
 */
static bool ask(struct threads *threads, int64_t ts, struct process_program *asked, int32_t tid, int32_t pid)
{
	struct program begun;
	bool has_group;

	asked->asked = true;
	if (!program_reader_read(threads->reader, &asked->program, &asked->read, tid, pid)) {
		asked->program = (struct program){0};
		asked->read = ts;
		return threads->execs && execs_find_then(threads->execs, pid, ts, false, &asked->program, &has_group);
	}
	if (threads->execs && execs_find(threads->execs, pid, EXECS_LAST, &begun, &has_group)) {
		memcpy(asked->program.words, begun.words, sizeof(begun.words));
		asked->program.script = begun.script;
	}
	return true;
}

/*
 * The program that the thread's process runs; NULL: not known. It is read anew for the process' own thread, whose name has changed. If only the
 * kernel told of the program, it is also read when the process gets its second thread: only then its C library matters (musl.h).
 */
static const struct process_program *program_of(struct threads *threads, int64_t ts, int32_t tid, int32_t pid)
{
	struct thread_entry *process = threads_at(threads, pid);
	struct process_program *known = process->program;

	if (!known || tid == pid || !known->asked || threads->always_asks || known->gaps != threads->gaps) {
		forget_program(process);
		known = NEW(struct process_program);
		known->gaps = threads->gaps;
		if (!ask(threads, ts, known, tid, pid)) {
			free(known);
			return NULL;
		}
		process->program = known;
		if (threads->titles && *known->program.title)
			titles_add(threads->titles, pid);
	}
	return known;
}

/*
 * The program that the thread begins to run at this time, as the kernel told it. /proc is asked only for the control group, if that is not known.
 * NULL: it begins no program, or an unknown one.
 */
static const struct process_program *begun_program(struct threads *threads, int64_t ts, int32_t tid)
{
	struct thread_entry *process = threads_at(threads, tid);
	struct process_program *begun, asked;
	bool has_group;

	if (!threads->execs || !threads->reader)
		return NULL;
	begun = NEW(struct process_program);
	if (!execs_find(threads->execs, tid, ts, &begun->program, &has_group)) {
		free(begun);
		return NULL;
	}
	begun->read = ts;
	begun->gaps = threads->gaps;
	if (!has_group && program_reader_read(threads->reader, &asked.program, &asked.read, tid, tid))
		memcpy(begun->program.group, asked.program.group, sizeof(asked.program.group));
	forget_program(process);
	process->program = begun;
	return begun;
}

/* The program of a process that is gone by now, if the thread was the first of a process. NULL: not known. */
static const struct process_program *gone_program(struct threads *threads, int64_t ts, int32_t tid)
{
	struct thread_entry *process = threads_at(threads, tid);
	struct process_program *gone;
	bool has_group;

	if (!threads->execs || !threads->reader || process->fresh == BORN)
		return NULL;
	gone = NEW(struct process_program);
	if (!execs_find_then(threads->execs, tid, ts, true, &gone->program, &has_group)) {
		free(gone);
		return NULL;
	}
	gone->read = ts;
	gone->gaps = threads->gaps;
	forget_program(process);
	process->program = gone;
	return gone;
}

const struct program *threads_program(struct threads *threads, int32_t pid)
{
	const struct process_program *known = pid > 0 ? threads_at(threads, pid)->program : NULL;

	return known ? &known->program : NULL;
}

static uint32_t hash(uint32_t sum, const char *text)
{
	do
		sum = (sum ^ (unsigned char)*text) * 16777619; /* FNV-1a */
	while (*text++);
	return sum;
}

static uint32_t hash_of(int32_t pid, const struct process_program *known)
{
	uint32_t sum = (uint32_t)pid * 2654435761u;

	if (known)
		sum = hash(hash(hash(sum, known->program.words), known->program.title), known->program.group) + known->program.musl;
	return sum ? sum : 1;
}

static void spell_program(struct line *line, const struct program *program, int64_t read)
{
	const char *script;
	size_t length = program_script(program, &script);

	if (*program->words)
		line_text(line, "program", program->words);
	if (length)
		line_bytes(line, "script", script, length);
	if (*program->title)
		line_text(line, "title", program->title);
	if (*program->group)
		line_text(line, "cgroup", program->group);
	if (program->musl)
		line_text(line, "libc", "musl");
	line_time(line, "read", read);
}

static int write_task(const struct thread_entry *thread, struct stream *stream, int64_t ts, int32_t tid, int32_t group, bool began,
		      bool kernels, const struct process_program *known)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_TASK));
	line_time(&line, "ts", ts);
	line_integer(&line, "tid", tid);
	line_text(&line, "comm", thread->comm);
	if (group)
		line_integer(&line, "tgid", group);
	if (began)
		line_text(&line, "began", "yes");
	if (kernels)
		line_text(&line, "kernel", "yes");
	if (known)
		spell_program(&line, &known->program, known->read);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

enum { READINGS_PER_SECOND = 10 }; /* the kernel's list is long */

static const char *remembered(struct threads *threads)
{
	int64_t now;
	char *path;

	if (threads->recorded)
		return threads->recorded;
	now = now_by(CLOCK_MONOTONIC);
	if (now < threads->remembered.next)
		return threads->remembered.text;
	threads->remembered.next = now + NSEC_PER_SEC / READINGS_PER_SECOND;
	path = tracefs_get_tracing_file("saved_cmdlines");
	free(threads->remembered.text);
	threads->remembered.text = path ? file_read(path, NULL) : NULL;
	tracefs_put_tracing_file(path);
	return threads->remembered.text;
}

/* Lines are "TID NAME"; "<...>" stands for a name that was forgotten. */
static void recall_name(const char *text, int32_t tid, char name[THREAD_NAME])
{
	char wanted[24];
	const char *line;
	int length = snprintf(wanted, sizeof(wanted), "\n%d ", tid);

	if (!text)
		return;
	line = strncmp(text, wanted + 1, (size_t)length - 1) == 0 ? text - 1 : strstr(text, wanted);
	if (!line || strncmp(line + length, "<...>\n", 6) == 0)
		return;
	snprintf(name, THREAD_NAME, "%.*s", (int)strcspn(line + length, "\n"), line + length);
}

/*
 * Takes the name from the event; after an exec, which renames the thread first, from the event before; else from /proc; else from what the
 * kernel remembers, which may be the name of a thread that had the number long ago.
 */
static void find_name(struct threads *threads, int32_t tid, const char *comm, const char *current, char name[THREAD_NAME])
{
	const struct thread_entry *thread = threads_at(threads, tid);

	if (!comm && thread->fresh == EXECUTED && *thread->comm)
		comm = thread->comm;
	if (comm || *current)
		memcpy(name, comm ? comm : current, strnlen(comm ? comm : current, THREAD_NAME - 1));
	if (!*name)
		recall_name(remembered(threads), tid, name);
}

/* Tells whether the thread runs another program by now: a reading of /proc would be void, as the record of that program's begin will say. */
static bool is_outdated(const struct threads *threads, int64_t ts, int32_t tid)
{
	return threads->execs && !threads->always_asks && execs_follow(threads->execs, tid, ts);
}

int threads_see(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid, const char *comm)
{
	char name[THREAD_NAME] = "", current[THREAD_NAME] = "";
	const struct process_program *known = NULL;
	struct thread_entry *thread;
	int32_t group = 0;
	uint32_t told;
	bool began, outdated, kernels = false;
	int status = 0;

	if (tid <= 0)
		return 0;
	thread = threads_at(threads, tid);
	if (thread->known && (!comm || strncmp(thread->comm, comm, THREAD_NAME) == 0))
		return 0;
	thread->known = true;
	outdated = is_outdated(threads, ts, tid);
	if (thread->fresh == EXECUTED)
		known = begun_program(threads, ts, tid);
	if (known)
		group = tid;
	else if (outdated)
		group = thread->process;
	else if (!threads->foreign)
		group = look_up(tid, current, &kernels);
	find_name(threads, tid, comm, current, name);
	if (!known && group && threads->reader && !outdated && strcmp(name, current) == 0)
		known = program_of(threads, ts, tid, group);
	if (!group && !outdated && (known = gone_program(threads, ts, tid)))
		group = tid;
	if (!group && thread->fresh == EXECUTED)
		group = tid; /* a thread that runs another program is its process' first thread from then on */
	if (!group && thread->fresh == BORN && !threads->foreign)
		group = thread->process; /* the thread is gone by now */
	thread->process = group;
	began = thread->fresh && threads->reader;
	told = group ? hash_of(group, known) : thread->fresh ? 0 : thread->told;
	if (*name && (strcmp(name, thread->comm) != 0 || told != thread->told || began)) {
		memcpy(thread->comm, name, THREAD_NAME);
		status = write_task(thread, stream, ts, tid, group, began, kernels, known);
		thread->told = told;
	}
	thread->fresh = SETTLED;
	return status;
}

void threads_made(struct threads *threads, int32_t maker, int32_t tid, bool is_process)
{
	if (tid > 0)
		threads_at(threads, tid)->process = is_process ? tid : maker > 0 ? threads_at(threads, maker)->process : 0;
}

void threads_forget(struct threads *threads, int32_t tid, bool made)
{
	struct thread_entry *thread = tid > 0 ? threads_at(threads, tid) : NULL;

	if (!thread)
		return;
	thread->known = false;
	thread->process = 0;
	thread->fresh = made ? BORN : EXECUTED;
	forget_program(thread);
}

static int write_title(struct stream *stream, const struct title_told *told)
{
	struct line line = {0};
	int status;

	line_begin(&line, kind_name(KIND_TASK));
	line_time(&line, "ts", told->ts);
	line_integer(&line, "tid", told->pid);
	line_text(&line, "title", told->title);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

int threads_tell_titles(struct threads *threads, struct stream *stream)
{
	struct title_told told;

	while (titles_next(threads->titles, &told))
		if (write_title(stream, &told) < 0)
			return -1;
	return 0;
}

int threads_end(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid)
{
	struct thread_entry *thread = tid > 0 ? threads_at(threads, tid) : NULL;
	struct line line = {0};
	int status;

	if (!thread || !*thread->comm)
		return 0;
	forget_program(thread);
	line_begin(&line, kind_name(KIND_TASK));
	line_time(&line, "ts", ts);
	line_integer(&line, "tid", tid);
	line_text(&line, "ended", "yes");
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

void threads_free(struct threads *threads)
{
	for (int page = 0; page < THREADS_PAGES; page++) {
		for (int i = 0; threads->pages[page] && i < THREADS_PAGE; i++)
			free(threads->pages[page][i].program);
		free(threads->pages[page]);
	}
	free(threads->remembered.text);
}
