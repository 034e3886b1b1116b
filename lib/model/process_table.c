#include "model/process_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "graph/deed_family.h"
#include "model/clock.h"
#include "model/display.h"

enum { RECORDS = 8, TITLES = 16, THREADS_MAX = 1 << 16, COMM_SIZE = 16, CLEAN_SIZE = 4 * COMM_SIZE, HEX_MIN = 32, HEX_SHOWN = 12 };

struct task_record {
	int64_t ts, read; /* read: when /proc was read for the process */
	bool began;
	char comm[CLEAN_SIZE]; /* cleaned */
	struct identity identity; /* pid 0: the process is unknown; no program and group: only its pid is known */
};

struct known_title {
	int64_t ts;
	char *title;
};

struct known_thread {
	int32_t tid;
	ARRAY(struct known_title) titles; /* of the process with this number, in the order of time; TITLES at most */
	int count;
	struct task_record *records; /* in the order of time; RECORDS at most */
	UT_hash_handle hh;
};

struct process_table {
	struct known_thread *threads; /* in the order of their last records, the oldest first */
	char *shared;		     /* the beginning that all groups share, in whole names; NULL: no group came yet */
	int32_t grouped;	     /* the process whose group came first */
	bool several;		     /* another process has a group, too */
};

struct process_table *process_table_new(void)
{
	return NEW(struct process_table);
}

void identity_free(struct identity *identity)
{
	free(identity->program);
	free(identity->cgroup);
	free(identity->script);
	free(identity->title);
	*identity = (struct identity){0};
}

static void remove_thread(struct process_table *who, struct known_thread *thread)
{
	HASH_DEL(who->threads, thread);
	for (int i = 0; i < thread->count; i++)
		identity_free(&thread->records[i].identity);
	for (size_t i = 0; i < thread->titles.count; i++)
		free(thread->titles.items[i].title);
	free(thread->titles.items);
	free(thread->records);
	free(thread);
}

void process_table_forget(struct process_table *who)
{
	while (who->threads)
		remove_thread(who, who->threads);
	free(who->shared);
	who->shared = NULL;
	who->several = false;
}

void process_table_free(struct process_table *who)
{
	process_table_forget(who);
	free(who);
}

/* --- records --------------------------------------------------------------------------------------------------------- */

static struct known_thread *thread_of(struct process_table *who, int32_t tid)
{
	struct known_thread *thread;

	HASH_FIND_INT(who->threads, &tid, thread);
	if (thread) {
		HASH_DEL(who->threads, thread);
	} else {
		thread = NEW(struct known_thread);
		thread->tid = tid;
	}
	HASH_ADD_INT(who->threads, tid, thread);
	if (HASH_COUNT(who->threads) > THREADS_MAX)
		remove_thread(who, who->threads);
	return thread;
}

/* Inserts a record in the order of time, and takes over its texts. If the thread has RECORDS, the oldest is dropped. */
static void insert(struct known_thread *thread, struct task_record *new)
{
	int place = thread->count;

	while (place > 0 && thread->records[place - 1].ts > new->ts)
		place--;
	if (thread->count == RECORDS) {
		if (place == 0) {
			identity_free(&new->identity);
			return;
		}
		identity_free(&thread->records[0].identity);
		memmove(&thread->records[0], &thread->records[1], sizeof(*new) * (size_t)--place);
	} else {
		thread->records = memory_grow(thread->records, (size_t)thread->count + 1, sizeof(*new));
		memmove(&thread->records[place + 1], &thread->records[place], sizeof(*new) * (size_t)(thread->count++ - place));
	}
	thread->records[place] = *new;
}

/* Inserts a title in the order of time, and takes over the text. If the process has TITLES, the oldest is dropped. */
static void insert_title(struct known_thread *thread, int64_t ts, char *title)
{
	struct known_title *titles;
	size_t place;

	if (thread->titles.count == TITLES) {
		free(thread->titles.items[0].title);
		ARRAY_REMOVE(&thread->titles, 0, 1);
	}
	place = thread->titles.count;
	*ARRAY_ADD(&thread->titles) = (struct known_title){ts, title};
	titles = thread->titles.items;
	for (; place > 0 && titles[place - 1].ts > ts; place--) {
		titles[place] = titles[place - 1];
		titles[place - 1] = (struct known_title){ts, title};
	}
}

/* The last title of the process from `since` to `at`, from records that tell only a title; NULL: there is none. */
static const char *title_at(const struct process_table *who, int32_t pid, int64_t at, int64_t since)
{
	const struct known_thread *process;
	const char *title = NULL;

	HASH_FIND_INT(who->threads, &pid, process);
	for (size_t i = 0; process && i < process->titles.count && process->titles.items[i].ts <= at; i++)
		if (process->titles.items[i].ts >= since)
			title = process->titles.items[i].title;
	return title;
}

/* The length of the beginning that two groups share, in whole names: 3 for "a/b" and "a/b/c", 1 for "a/b" and "a/bc". */
static size_t shared_by(const char *group, const char *other)
{
	size_t length = 0;

	for (size_t i = 0;; i++) {
		bool ends = !group[i] || group[i] == '/', ends_there = !other[i] || other[i] == '/';

		if (ends && ends_there)
			length = i;
		if (!group[i] || group[i] != other[i])
			return length;
	}
}

static void note_group(struct process_table *who, int32_t pid, const char *group)
{
	if (!pid || !*group)
		return;
	if (!who->shared) {
		who->shared = memory_format("%s", group);
		who->grouped = pid;
	}
	who->several |= who->grouped != pid;
	who->shared[shared_by(who->shared, group)] = '\0';
}

int process_table_task(struct process_table *who, const struct fields *fields)
{
	struct task_record record = {.began = fields_is(fields, "began", "yes")};
	int64_t tid = 0, tgid = 0;
	char comm[COMM_SIZE] = "", *clean;

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "tgid", &tgid) < 0 ||
	    time_read(fields, "ts", &record.ts) < 0)
		return -1;
	record.read = record.ts;
	if (time_read(fields, "read", &record.read) < 0)
		return -1;
	if (tid <= 0 || tid > INT32_MAX)
		return fail("a task needs a tid");
	if (fields_is(fields, "ended", "yes"))
		return 0;
	if (!fields_text(fields, "comm", comm, sizeof(comm)) && fields_find(fields, "title")) {
		insert_title(thread_of(who, (int32_t)tid), record.ts, display_field(fields, "title"));
		return 0;
	}
	clean = display_clean(comm);
	snprintf(record.comm, sizeof(record.comm), "%s", clean);
	free(clean);
	if (tgid > 0 && tgid <= INT32_MAX)
		record.identity = (struct identity){(int32_t)tgid, display_field(fields, "program"), display_field(fields, "cgroup"),
						  display_field(fields, "script"), display_field(fields, "title"), false, 0};
	note_group(who, record.identity.pid, record.identity.cgroup);
	insert(thread_of(who, (int32_t)tid), &record);
	return 0;
}

/* --- questions ------------------------------------------------------------------------------------------------------ */

/* Tells whether another program began after the record's event and before /proc was read for it. */
static bool is_void(const struct known_thread *thread, int which)
{
	const struct task_record *record = &thread->records[which];

	for (int i = which + 1; i < thread->count; i++)
		if (thread->records[i].began && thread->records[i].ts > record->ts && thread->records[i].ts <= record->read)
			return true;
	return false;
}

/* Tells whether `name` is that of the thread, perhaps followed by the script (event/thread_names.h). */
static bool is_named(const struct task_record *record, const struct identity *identity, const char *name)
{
	size_t length = strlen(record->comm);

	if (!*name || strncmp(record->comm, name, length) != 0)
		return false;
	return !name[length] || (name[length] == ' ' && identity->pid && *identity->script && strcmp(identity->script, name + length + 1) == 0);
}

bool process_table_find(const struct process_table *who, int32_t tid, int64_t at, const char *name, struct identity *identity)
{
	struct known_thread *thread;
	const char *title;
	int i, last;

	HASH_FIND_INT(who->threads, &tid, thread);
	i = thread ? thread->count - 1 : -1;
	while (i >= 0 && thread->records[i].ts > at)
		i--;
	/* a record with only a name does not change the process */
	for (last = i; i > 0 && !thread->records[i].identity.pid && !thread->records[i].began; i--) {
	}
	if (i < 0 || !is_named(&thread->records[last], &thread->records[i].identity, name))
		return false;
	*identity = thread->records[i].identity;
	identity->shared = identity->pid && who->several ? shared_by(identity->cgroup, who->shared) : 0;
	title = title_at(who, identity->pid, at, thread->records[i].began ? thread->records[i].ts : INT64_MIN);
	if (title)
		identity->title = (char *)title;
	return identity->pid && (*identity->program || *identity->cgroup) && !is_void(thread, i);
}

struct identity identity_copy(const struct identity *identity)
{
	if (!identity->pid)
		return (struct identity){0};
	return (struct identity){identity->pid, memory_format("%s", identity->program), memory_format("%s", identity->cgroup),
				 memory_format("%s", identity->script), memory_format("%s", identity->title), identity->mostly, identity->shared};
}

/* The process of the thread that did the node's deed, or for which it was done. */
static bool find_doer(const struct process_table *who, const struct node *node, bool for_whom, struct identity *identity)
{
	char *name = display_clean(for_whom ? node->deed->whom : node->deed->who);
	bool found = process_table_find(who, for_whom ? node->whom_tid : node->who_tid, time_bounded(node->end), name, identity);

	free(name);
	return found;
}

/* A process that did a deed for a time. */
struct doer {
	struct identity identity; /* its texts belong to the table */
	double time;
};

static int compare_doers(const void *a, const void *b)
{
	const struct doer *x = a, *y = b;

	if (x->identity.pid != y->identity.pid)
		return x->identity.pid < y->identity.pid ? -1 : 1;
	return strcmp(x->identity.program, y->identity.program);
}

/* Sums up the times by process and program, and returns the doer with the longest time. Sorts `doers`; adds the number of processes. */
static struct doer find_main(struct doer *doers, size_t count, uint64_t *processes)
{
	struct doer best = {0}, sum = {0};

	qsort(doers, count, sizeof(*doers), compare_doers);
	for (size_t i = 0; i < count; i++) {
		*processes += i == 0 || doers[i].identity.pid != doers[i - 1].identity.pid;
		if (i == 0 || compare_doers(&doers[i], &sum) != 0)
			sum = (struct doer){doers[i].identity, 0};
		sum.time += doers[i].time;
		if (sum.time > best.time)
			best = sum;
	}
	return best;
}

static struct doers find_doers(const struct process_table *who, const struct graph *graph, const struct deed *deed, bool for_whom)
{
	struct doer *doers = memory_new(graph->nodes.count + 1, sizeof(*doers)), best;
	struct doers of = {0};
	bool all_known = true;
	double time = 0;
	size_t n = 0;

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if ((for_whom ? node->whom_tid <= 0 || !node->deed->whom : node->who_tid <= 0 || !node->deed->who) ||
		    !deed_covers(deed, node->deed))
			continue;
		doers[n].time = 1 + (double)node->end - (double)node->start;
		time += doers[n].time;
		if (find_doer(who, node, for_whom, &doers[n].identity))
			n++;
		else
			all_known = false;
	}
	best = find_main(doers, n, &of.processes);
	if (best.time > time / 2) {
		of.identity = identity_copy(&best.identity);
		of.identity.mostly = best.time < time;
	}
	if (!all_known)
		of.processes = 0;
	free(doers);
	return of;
}

struct doers process_table_of_nodes(const struct process_table *who, const struct graph *graph, const struct deed *deed)
{
	return find_doers(who, graph, deed, false);
}

struct doers process_table_for_nodes(const struct process_table *who, const struct graph *graph, const struct deed *deed)
{
	return find_doers(who, graph, deed, true);
}

/* --- in words --------------------------------------------------------------------------------------------------------- */

/* A group in words: the unit, which is the last part of the path, "nginx.service"; else the part that differs from the other groups, "": none. */
static const char *group_of(const struct identity *identity)
{
	const char *unit = basename(identity->cgroup);

	return strchr(unit, '.') ? unit : identity->cgroup + identity->shared + (identity->cgroup[identity->shared] == '/');
}

/* Cuts long hexadecimal numbers, as docker does. */
static void say_group(FILE *out, const char *group)
{
	while (*group) {
		size_t hex = 0;

		while (isxdigit((unsigned char)group[hex]))
			hex++;
		if (hex >= HEX_MIN)
			fwrite(group, 1, HEX_SHOWN, out);
		else
			fwrite(group, 1, hex ? hex : 1, out);
		group += hex ? hex : 1;
	}
}

/* Tells whether the title begins with the program's name, as most do: "postgres: shop idle in transaction". */
static bool titles_program(const struct identity *identity)
{
	size_t length = *identity->script ? strcspn(identity->program, " ") : strlen(identity->program), begin = length;

	while (begin > 0 && identity->program[begin - 1] != '/')
		begin--;
	return strncmp(identity->title, identity->program + begin, length - begin) == 0;
}

/* Program, title and group: "python3 /srv/batch/rollup.py, of rollup.service"; without a program that only repeats the name. */
static char *say_program(const struct identity *identity, const char *name)
{
	bool program = *identity->program && strcmp(identity->program, name) != 0 && !(*identity->title && titles_program(identity));
	bool title = *identity->title && strcmp(identity->title, name) != 0;
	char *words = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&words, &size);

	fputs(program ? identity->program : "", out);
	if (title)
		fprintf(out, program ? " (%s)" : "%s", identity->title);
	if (*group_of(identity)) {
		fputs(program || title ? ", of " : "of ", out);
		say_group(out, group_of(identity));
	}
	fclose(out);
	return words;
}

char *identity_words(const struct identity *identity, const char *name)
{
	char *program = say_program(identity, name);
	char *words = memory_format("%sprocess %" PRId32 "%s%s", identity->mostly ? "mostly " : "", identity->pid, *program ? ", " : "", program);

	free(program);
	return words;
}

char *identity_sentence(const struct identity *identity, const char *name, int32_t tid)
{
	char *words = tid == identity->pid ? say_program(identity, name) : identity_words(identity, name), *sentence = NULL;

	if (!tid)
		sentence = memory_format("%s is %s", name, words);
	else if (tid != identity->pid)
		sentence = memory_format("%s/%" PRId32 " is of %s", name, tid, words);
	else if (*words)
		sentence = memory_format("%s/%" PRId32 " is %s", name, tid, words);
	free(words);
	return sentence;
}
