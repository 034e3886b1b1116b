#include "source/execs.h"

#include <fcntl.h>
#include <mntent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/number.h"
#include "source/exec_probe.h"

/* A process may begin several programs in a row, as env(1) does. The last ones are kept, because the collector asks later. */
enum { BEGUN = 8 };

enum { PROCESSES_MAX = 1 << 14, GROUPS_MAX = 1 << 10, HANDLE_OF_GROUP = 0xfe /* FILEID_KERNFS */ };

/* The kernel tells of an exec twice, and an interrupt may come in between. */
enum { NEAR = NSEC_PER_SEC / 1000 };

struct begun {
	int64_t ts;
	uint64_t group;
	size_t script;
	bool inherited;
	char *words, *group_words; /* group_words: by /proc; NULL: ask for the group */
};

struct process_begun {
	int32_t pid;
	int count;
	struct begun begun[BEGUN]; /* in the order of time */
	UT_hash_handle hh;
};

struct group {
	uint64_t id;
	char *words; /* "": not known */
	UT_hash_handle hh;
};

struct execs {
	pthread_mutex_t lock;
	struct exec_probe *probe;
	struct process_begun *processes; /* the oldest first */
	struct group *groups;		 /* likewise */
	int mount;			 /* of the groups; -1: there is none */
	char *mounted;
};

static void open_mount(struct execs *execs)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	struct mntent *mount;

	execs->mount = -1;
	while (mounts && execs->mount < 0 && (mount = getmntent(mounts))) {
		if (strcmp(mount->mnt_type, "cgroup2") != 0)
			continue;
		execs->mount = open(mount->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		execs->mounted = memory_format("%s", mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
}

struct execs *execs_open(void)
{
	struct exec_probe *probe = exec_probe_open();
	struct execs *execs;

	if (!probe)
		return NULL;
	execs = NEW(struct execs);
	execs->probe = probe;
	pthread_mutex_init(&execs->lock, NULL);
	open_mount(execs);
	return execs;
}

static void begun_free(struct begun *begun)
{
	free(begun->words);
	free(begun->group_words);
}

static void remove_process(struct execs *execs, struct process_begun *process)
{
	HASH_DEL(execs->processes, process);
	for (int i = 0; i < process->count; i++)
		begun_free(&process->begun[i]);
	free(process);
}

static void remove_group(struct execs *execs, struct group *group)
{
	HASH_DEL(execs->groups, group);
	free(group->words);
	free(group);
}

void execs_close(struct execs *execs)
{
	if (!execs)
		return;
	exec_probe_close(execs->probe);
	while (execs->processes)
		remove_process(execs, execs->processes);
	while (execs->groups)
		remove_group(execs, execs->groups);
	if (execs->mount >= 0)
		close(execs->mount);
	free(execs->mounted);
	pthread_mutex_destroy(&execs->lock);
	free(execs);
}

/* --- control groups --------------------------------------------------------------------------------------------------- */

/* The path below the mount of the group with this number; NULL: it is gone, or lies above what is mounted. */
static char *find_path(const struct execs *execs, uint64_t id)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} of = {.handle = {.handle_bytes = sizeof(id), .handle_type = HANDLE_OF_GROUP}};
	char link[64], path[4096];
	size_t mounted = execs->mounted ? strlen(execs->mounted) : 0;
	ssize_t length;
	int fd;

	memcpy(of.handle.f_handle, &id, sizeof(id));
	fd = execs->mount < 0 ? -1 : open_by_handle_at(execs->mount, &of.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	close(fd);
	if (length < (ssize_t)mounted || strncmp(path, execs->mounted, mounted) != 0)
		return NULL;
	path[length] = '\0';
	return memory_format("0::%s\n", path[mounted] ? path + mounted : "/");
}

/* Finds the group's path. False: unknown, or the root: a process there may be in a group of the first version's tree, which /proc tells. */
static bool find_group(struct execs *execs, uint64_t id, struct program *program)
{
	struct group *group;
	char *path;

	HASH_FIND(hh, execs->groups, &id, sizeof(id), group);
	if (!group) {
		if (HASH_COUNT(execs->groups) >= GROUPS_MAX)
			remove_group(execs, execs->groups);
		group = NEW(struct group);
		group->id = id;
		path = find_path(execs, id);
		program_group(program, path ? path : "");
		group->words = memory_format("%s", program->group);
		HASH_ADD(hh, execs->groups, id, sizeof(group->id), group);
		free(path);
	}
	memcpy(program->group, group->words, strlen(group->words) + 1);
	return *group->words;
}

/* --- processes -------------------------------------------------------------------------------------------------------- */

/* Finds or adds the process, which becomes the newest. */
static struct process_begun *process_of(struct execs *execs, int32_t pid)
{
	struct process_begun *process;

	HASH_FIND_INT(execs->processes, &pid, process);
	if (process) {
		HASH_DEL(execs->processes, process);
	} else {
		process = NEW(struct process_begun);
		process->pid = pid;
	}
	HASH_ADD_INT(execs->processes, pid, process);
	if (HASH_COUNT(execs->processes) > PROCESSES_MAX)
		remove_process(execs, execs->processes);
	return process;
}

/* Adds a program that the process begins, and takes its texts over. */
static void begin(struct execs *execs, int32_t pid, const struct begun *begun)
{
	struct process_begun *process = process_of(execs, pid);

	if (process->count == BEGUN) {
		begun_free(&process->begun[0]);
		memmove(&process->begun[0], &process->begun[1], sizeof(*begun) * --process->count);
	}
	process->begun[process->count++] = *begun;
}

static void keep(void *context, const struct exec_seen *seen)
{
	struct program program;

	program_words(&program, seen->line, seen->length, seen->whole);
	begin(context, seen->pid, &(struct begun){seen->ts, seen->group, program.script, false, memory_format("%s", program.words)});
}

void execs_take(struct execs *execs)
{
	pthread_mutex_lock(&execs->lock);
	exec_probe_take(execs->probe, keep, execs);
	pthread_mutex_unlock(&execs->lock);
}

void execs_learn(struct execs *execs, int32_t pid, const struct program *program)
{
	struct process_begun *process;

	pthread_mutex_lock(&execs->lock);
	HASH_FIND_INT(execs->processes, &pid, process);
	if (!process && *program->words)
		begin(execs, pid, &(struct begun){INT64_MIN, 0, program->script, false, memory_format("%s", program->words),
						  memory_format("%s", program->group)});
	pthread_mutex_unlock(&execs->lock);
}

/* The last program that the process began until this time; NULL: there is none. */
static const struct begun *find_last(const struct execs *execs, int32_t pid, int64_t until)
{
	struct process_begun *process;
	int i;

	HASH_FIND_INT(execs->processes, &pid, process);
	for (i = process ? process->count : 0; i > 0 && process->begun[i - 1].ts > until; i--) {
	}
	return i > 0 ? &process->begun[i - 1] : NULL;
}

static const struct begun *find_nearest(const struct execs *execs, int32_t pid, int64_t ts)
{
	const struct begun *nearest = NULL;
	struct process_begun *process;

	HASH_FIND_INT(execs->processes, &pid, process);
	for (int i = 0; process && i < process->count; i++)
		if (!process->begun[i].inherited && !process->begun[i].group_words && (!nearest || llabs(process->begun[i].ts - ts) < llabs(nearest->ts - ts)))
			nearest = &process->begun[i];
	return nearest && llabs(nearest->ts - ts) <= NEAR ? nearest : NULL;
}

static bool take_group(struct execs *execs, const struct begun *begun, struct program *program)
{
	if (!begun->group_words)
		return find_group(execs, begun->group, program);
	memcpy(program->group, begun->group_words, strlen(begun->group_words) + 1);
	return true;
}

static bool tell(struct execs *execs, const struct begun *begun, struct program *program, bool *has_group)
{
	if (!begun || !*begun->words)
		return false;
	memcpy(program->words, begun->words, strlen(begun->words) + 1);
	program->script = begun->script;
	*has_group = take_group(execs, begun, program);
	return true;
}

bool execs_find(struct execs *execs, int32_t pid, int64_t ts, struct program *program, bool *has_group)
{
	bool found;

	pthread_mutex_lock(&execs->lock);
	found = tell(execs, ts == EXECS_LAST ? find_last(execs, pid, ts) : find_nearest(execs, pid, ts), program, has_group);
	pthread_mutex_unlock(&execs->lock);
	return found;
}

bool execs_find_then(struct execs *execs, int32_t pid, int64_t ts, bool own, struct program *program, bool *has_group)
{
	const struct begun *begun;
	bool found;

	pthread_mutex_lock(&execs->lock);
	begun = find_last(execs, pid, ts);
	found = begun && !(own && begun->inherited) && tell(execs, begun, program, has_group);
	pthread_mutex_unlock(&execs->lock);
	return found;
}

bool execs_follow(struct execs *execs, int32_t pid, int64_t ts)
{
	const struct begun *last;

	pthread_mutex_lock(&execs->lock);
	last = find_last(execs, pid, EXECS_LAST);
	pthread_mutex_unlock(&execs->lock);
	return last && !last->inherited && last->ts > ts;
}

void execs_fork(struct execs *execs, int32_t parent, int32_t child, int64_t ts)
{
	struct process_begun *process;
	const struct begun *begun;

	pthread_mutex_lock(&execs->lock);
	HASH_FIND_INT(execs->processes, &child, process);
	if (!process || process->begun[process->count - 1].ts < ts) { /* else it has begun another program by now */
		if (process)
			remove_process(execs, process); /* another process had the number before */
		begun = find_last(execs, parent, ts);
		if (begun)
			begin(execs, child, &(struct begun){begun->ts, begun->group, begun->script, true, memory_format("%s", begun->words),
							    begun->group_words ? memory_format("%s", begun->group_words) : NULL});
	}
	pthread_mutex_unlock(&execs->lock);
}
