#include "report/who.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "base/memory.h"
#include "graph/family.h"
#include "report/model.h"
#include "report/words.h"

enum { RECORDS = 8, THREADS_MAX = 1 << 16, COMM_SIZE = 16, CLEAN_SIZE = 4 * COMM_SIZE, HEX_MIN = 32, HEX_SHOWN = 12 };

struct told {
	int64_t ts, read; /* read: when /proc was, of what is told of the process */
	bool began;
	char comm[CLEAN_SIZE]; /* cleaned */
	struct identity identity; /* pid 0: nothing is told; no program and group: nothing but that */
};

struct thread_told {
	int32_t tid;
	int count;
	struct told *told; /* in the order of time; RECORDS at most */
	UT_hash_handle hh;
};

struct who {
	struct thread_told *threads; /* the one that was told of the longest ago first */
};

struct who *who_new(void)
{
	return NEW(struct who);
}

void identity_free(struct identity *identity)
{
	free(identity->program);
	free(identity->cgroup);
	*identity = (struct identity){0};
}

static void remove_thread(struct who *who, struct thread_told *thread)
{
	HASH_DEL(who->threads, thread);
	for (int i = 0; i < thread->count; i++)
		identity_free(&thread->told[i].identity);
	free(thread->told);
	free(thread);
}

void who_forget(struct who *who)
{
	while (who->threads)
		remove_thread(who, who->threads);
}

void who_free(struct who *who)
{
	who_forget(who);
	free(who);
}

/* --- what is told ----------------------------------------------------------------------------------------------------- */

static struct thread_told *thread_of(struct who *who, int32_t tid)
{
	struct thread_told *thread;

	HASH_FIND_INT(who->threads, &tid, thread);
	if (thread) {
		HASH_DEL(who->threads, thread);
	} else {
		thread = NEW(struct thread_told);
		thread->tid = tid;
	}
	HASH_ADD_INT(who->threads, tid, thread);
	if (HASH_COUNT(who->threads) > THREADS_MAX)
		remove_thread(who, who->threads);
	return thread;
}

/* Takes the texts. The oldest gives way. */
static void insert(struct thread_told *thread, const struct told *new)
{
	int place = thread->count;

	while (place > 0 && thread->told[place - 1].ts > new->ts)
		place--;
	if (thread->count == RECORDS) {
		if (place == 0) {
			free(new->identity.program);
			free(new->identity.cgroup);
			return;
		}
		identity_free(&thread->told[0].identity);
		memmove(&thread->told[0], &thread->told[1], sizeof(*new) * (size_t)--place);
	} else {
		thread->told = memory_grow(thread->told, (size_t)thread->count + 1, sizeof(*new));
		memmove(&thread->told[place + 1], &thread->told[place], sizeof(*new) * (size_t)(thread->count++ - place));
	}
	thread->told[place] = *new;
}

int who_task(struct who *who, const struct fields *fields)
{
	struct told told = {.began = fields_is(fields, "began", "yes")};
	int64_t tid = 0, tgid = 0;
	char comm[COMM_SIZE] = "", *clean;

	if (fields_integer(fields, "tid", &tid) < 0 || fields_integer(fields, "tgid", &tgid) < 0 ||
	    read_time(fields, "ts", &told.ts) < 0)
		return -1;
	told.read = told.ts;
	if (read_time(fields, "read", &told.read) < 0)
		return -1;
	if (tid <= 0 || tid > INT32_MAX)
		return fail("a task needs a tid");
	if (fields_is(fields, "ended", "yes"))
		return 0;
	fields_text(fields, "comm", comm, sizeof(comm));
	clean = words_clean(comm);
	snprintf(told.comm, sizeof(told.comm), "%s", clean);
	free(clean);
	if (tgid > 0 && tgid <= INT32_MAX)
		told.identity = (struct identity){(int32_t)tgid, clean_field(fields, "program"), clean_field(fields, "cgroup")};
	insert(thread_of(who, (int32_t)tid), &told);
	return 0;
}

/* --- and asked -------------------------------------------------------------------------------------------------------- */

/* Whether another program was begun before it was read what runs. */
static bool is_void(const struct thread_told *thread, int which)
{
	const struct told *told = &thread->told[which];

	for (int i = which + 1; i < thread->count; i++)
		if (thread->told[i].began && thread->told[i].ts > told->ts && thread->told[i].ts <= told->read)
			return true;
	return false;
}

bool who_find(const struct who *who, int32_t tid, int64_t at, const char *name, struct identity *identity)
{
	struct thread_told *thread;
	int i;

	HASH_FIND_INT(who->threads, &tid, thread);
	i = thread ? thread->count - 1 : -1;
	while (i >= 0 && thread->told[i].ts > at)
		i--;
	if (i < 0 || !*name || strcmp(thread->told[i].comm, name) != 0)
		return false;
	/* one that only gives the name leaves what was told before */
	while (i > 0 && !thread->told[i].identity.pid && !thread->told[i].began)
		i--;
	*identity = thread->told[i].identity;
	return identity->pid && (*identity->program || *identity->cgroup) && !is_void(thread, i);
}

struct identity identity_copy(const struct identity *identity)
{
	if (!identity->pid)
		return (struct identity){0};
	return (struct identity){identity->pid, memory_format("%s", identity->program), memory_format("%s", identity->cgroup)};
}

static int compare_pids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t count_different(int32_t *pids, size_t count)
{
	uint64_t different = 0;

	qsort(pids, count, sizeof(*pids), compare_pids);
	for (size_t i = 0; i < count; i++)
		different += i == 0 || pids[i] != pids[i - 1];
	return different;
}

/* The process of whoever did the node's deed. */
static bool find_doer(const struct who *who, const struct node *node, struct identity *identity)
{
	char *name = words_clean(node->deed->who);
	bool found = who_find(who, node->who_tid, time_bounded(node->end), name, identity);

	free(name);
	return found;
}

uint64_t who_of_nodes(const struct who *who, const struct graph *graph, const struct deed *deed, struct identity *identity)
{
	int32_t *pids = memory_new(graph->nodes.count + 1, sizeof(*pids));
	struct identity first = {0}, found = {0};
	uint64_t processes;
	bool known = true;
	size_t n = 0;

	for (size_t i = 0; known && i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];

		if (node->who_tid <= 0 || !node->deed->who || !deed_covers(deed, node->deed))
			continue;
		known = find_doer(who, node, &found);
		if (known && n == 0)
			first = found;
		if (known && found.pid == first.pid && strcmp(found.program, first.program) != 0)
			known = false; /* it ran two programs */
		pids[n++] = found.pid;
	}
	processes = known ? count_different(pids, n) : 0;
	*identity = processes == 1 ? identity_copy(&first) : (struct identity){0};
	free(pids);
	return processes;
}

/* --- in words --------------------------------------------------------------------------------------------------------- */

/* The last part of the path tells, "nginx.service"; but not without the one before where it is no unit. Long numbers are cut as others do. */
static void say_group(FILE *out, const char *group)
{
	const char *slash = strrchr(group, '/');

	if (slash && strchr(slash, '.'))
		group = slash + 1;
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

char *identity_words(const struct identity *identity)
{
	char *words = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&words, &size);

	fprintf(out, "process %" PRId32, identity->pid);
	if (*identity->program)
		fprintf(out, ", %s", identity->program);
	if (*identity->cgroup) {
		fputs(", of ", out);
		say_group(out, identity->cgroup);
	}
	fclose(out);
	return words;
}
