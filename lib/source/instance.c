#include "source/instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"

#define MOUNT_POINT "/sys/kernel/tracing"
#define KEEPER_TAIL ".kept"

#define PAGE_SIZE_FILE "buffer_subbuf_size_kb"
#define PAGE_KB_TEXT "16"
enum { PAGE_KB = 16, PAGES_MIN = 16 };

#define FIRST_SPACE 0xEFFFFFFCu /* the number of the machine's own PID namespace (the kernel's PROC_PID_INIT_INO) */

enum { NAME_ROOM = 64, TRIES = 5, LOCK_TRIES = 400, LOCK_PAUSE_NS = 5 * 1000 * 1000 };

/* The maker of an instance in tracefs. Several collectors may have the same pid, each in a PID namespace of its own. */
struct owner {
	pid_t pid;
	unsigned space; /* the number of the namespace; 0: the machine's own */
};

/* Fails with errno's text and, if rights are missing, the next step. In a container root is not enough. */
static void fail_denied(const char *what, const char *unless_root)
{
	bool denied = errno == EACCES || errno == EPERM;

	fail_errno("%s", what);
	if (denied)
		fail("%s; %s", fail_text(),
		     geteuid() == 0 ? "in a container, it needs CAP_SYS_ADMIN or the host's tracefs" : unless_root);
}

const char *instance_tracefs(void)
{
	static const char *path; /* libtracefs's, which never frees it */

	if (tracefs_tracing_dir_is_mounted(false, &path) > 0)
		return path;
	if (mount("nodev", MOUNT_POINT, "tracefs", 0, NULL) < 0)
		fail_denied("cannot mount tracefs on '" MOUNT_POINT "'", "run as root, or: mount -t tracefs nodev " MOUNT_POINT);
	else if (tracefs_tracing_dir_is_mounted(false, &path) <= 0)
		fail("tracefs was mounted on '" MOUNT_POINT "', but is not there");
	return path;
}

int instance_fail_access(const char *verb, const char *path)
{
	char *what = memory_format("cannot %s '%s/%s'", verb, tracefs_tracing_dir(), path);

	fail_denied(what, "run as root, or: mount -o remount,uid=USER " MOUNT_POINT);
	free(what);
	return -1;
}

int instance_fail_file(struct tracefs_instance *instance, const char *verb, const char *file)
{
	return fail_errno("cannot %s '%s/instances/%s/%s'", verb, tracefs_instance_get_trace_dir(instance),
			  tracefs_instance_get_name(instance), file);
}

int instance_allowed(void)
{
	char *path = tracefs_get_tracing_file("instances");
	int status = path && faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -1;

	if (status < 0)
		instance_fail_access("make an instance in", "instances");
	tracefs_put_tracing_file(path);
	return status;
}

unsigned instance_space(void)
{
	struct stat space;

	return stat("/proc/self/ns/pid", &space) < 0 || space.st_ino == FIRST_SPACE ? 0 : (unsigned)space.st_ino;
}

static struct owner owner_here(pid_t pid)
{
	return (struct owner){pid, instance_space()};
}

/* "tailblame-PID", "tailblame-PID.SPACE", and the same with a tail. */
static void spell_instance(char name[NAME_ROOM], struct owner owner, const char *tail)
{
	if (owner.space)
		snprintf(name, NAME_ROOM, "tailblame-%d.%u%s", owner.pid, owner.space, tail);
	else
		snprintf(name, NAME_ROOM, "tailblame-%d%s", owner.pid, tail);
}

static bool read_instance(const char *name, struct owner *owner)
{
	int length = 0, more = 0;

	*owner = (struct owner){0};
	if (sscanf(name, "tailblame-%d%n", &owner->pid, &length) != 1)
		return false;
	if (sscanf(name + length, ".%u%n", &owner->space, &more) == 1)
		length += more;
	return !name[length] || strcmp(name + length, KEEPER_TAIL) == 0;
}

static void spell_group(char name[NAME_ROOM], struct owner owner)
{
	if (owner.space)
		snprintf(name, NAME_ROOM, "tailblame_%d_%u", owner.pid, owner.space);
	else
		snprintf(name, NAME_ROOM, "tailblame_%d", owner.pid);
}

const char *instance_probe_group(void)
{
	static char name[NAME_ROOM];

	spell_group(name, owner_here(getpid()));
	return name;
}

bool instance_is_probe_group(const char *system)
{
	int pid;

	return sscanf(system, "tailblame_%d", &pid) == 1;
}

int instance_write(struct tracefs_instance *instance, const char *file, const char *text)
{
	int fd = tracefs_instance_file_open(instance, file, O_WRONLY | O_TRUNC);
	ssize_t written;

	if (fd < 0)
		return instance_fail_file(instance, "open", file);
	written = write(fd, text, strlen(text));
	if (written < 0)
		fail_errno("cannot write '%s' to '%s'", text, file);
	close(fd);
	return written < 0 ? -1 : 0;
}

/*
 * A ring is read page by page. Pages of 16 KiB cost a quarter less than those of 4 KiB, and larger ones save no more.
 * Small rings keep small pages, and so do kernels before 6.8, which have no others.
 */
int instance_size_rings(struct tracefs_instance *instance, uint64_t size)
{
	if (size >= (uint64_t)PAGES_MIN * PAGE_KB * 1024 && tracefs_file_exists(instance, PAGE_SIZE_FILE) &&
	    instance_write(instance, PAGE_SIZE_FILE, PAGE_KB_TEXT) < 0)
		return -1;
	if (tracefs_instance_set_buffer_size(instance, (size + 1023) / 1024, -1) < 0)
		return fail_errno("cannot make rings of %llu bytes for each CPU", (unsigned long long)size);
	return 0;
}

/* "nooverwrite" becomes "overwrite", and "raw" "noraw". */
static int set_other(struct tracefs_instance *instance, const char *option)
{
	char other[NAME_ROOM];
	bool is_off = strncmp(option, "no", 2) == 0;

	snprintf(other, sizeof(other), "%s%s", is_off ? "" : "no", is_off ? option + 2 : option);
	return instance_write(instance, "trace_options", other);
}

/*
 * A new instance has the options that somebody has set for the whole machine. Some change what is in the rings, which threads have names, or
 * what instance_tid() reads. `others` lists these options as the kernel spells them if they are not as we need them.
 */
static int set_options(struct tracefs_instance *instance)
{
	static const char *const others[] = {"nooverwrite", "stacktrace", "userstacktrace", "norecord-cmd", "nomarkers",
					     "nocontext-info", "latency-format", "raw", "hex", "bin"};
	char *text = tracefs_instance_file_read(instance, "trace_options", NULL), *rest = text, *word;
	int status = text ? 0 : instance_fail_file(instance, "read", "trace_options");

	while (status == 0 && (word = strsep(&rest, "\n")))
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			if (strcmp(word, others[i]) == 0)
				status = set_other(instance, word);
	free(text);
	return status;
}

static struct tracefs_instance *create(const char *tail)
{
	struct tracefs_instance *instance;
	char name[NAME_ROOM], *path;

	spell_instance(name, owner_here(getpid()), tail);
	path = memory_format("instances/%s", name);
	instance = tracefs_instance_create(name);
	if (!instance) {
		instance_fail_access("make", path);
	} else if (!tracefs_instance_is_new(instance)) {
		fail("'%s/%s' is there already, and in use", tracefs_tracing_dir(), path);
		tracefs_instance_free(instance);
		instance = NULL;
	}
	free(path);
	return instance;
}

/*
 * Makes the instance trace nothing yet, and opens *hold. While *hold is open, the kernel does not remove the instance. When it is closed, that
 * is, when all processes that have it are gone, the kernel turns tracing off and frees the rings.
 */
static int prepare(struct tracefs_instance *instance, int *hold)
{
	*hold = tracefs_instance_file_open(instance, "free_buffer", O_WRONLY | O_CLOEXEC);
	if (*hold < 0)
		return instance_fail_file(instance, "open", "free_buffer");
	if (instance_write(instance, "trace_options", "disable_on_free") < 0 || set_options(instance) < 0)
		return -1;
	if (tracefs_trace_off(instance) < 0)
		return fail_errno("cannot turn tracing off in '%s'", tracefs_instance_get_name(instance));
	return 0;
}

/* Waits two seconds at most, so that a process that was stopped while it sweeps does not hold up all others. -1: not locked. */
static int lock(int how)
{
	char *path = tracefs_get_tracing_file("instances");
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
	int tries = how & LOCK_NB ? 1 : LOCK_TRIES;

	tracefs_put_tracing_file(path);
	while (fd >= 0 && tries-- > 0) {
		if (flock(fd, how | LOCK_NB) == 0)
			return fd;
		if (tries > 0)
			nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Until it is held, an instance looks like one that was left behind, so the lock keeps others from sweeping. If it is swept all the same, by a
 * collector of another version or because the lock could not be had in time, another one is made.
 */
static struct tracefs_instance *create_held(const char *tail, int *hold)
{
	struct tracefs_instance *instance;
	int locked = lock(LOCK_SH);

	for (int i = 0; i < TRIES && (instance = create(tail)); i++) {
		if (prepare(instance, hold) == 0)
			break;
		if (*hold >= 0)
			close(*hold);
		*hold = -1;
		tracefs_instance_destroy(instance);
		tracefs_instance_free(instance);
		instance = NULL;
	}
	if (locked >= 0)
		close(locked);
	return instance;
}

struct tracefs_instance *instance_create(int *hold)
{
	return create_held("", hold);
}

/* "  trace-collect-1234  [000] .....   12.345678: tracing_mark_write: ..." */
static int32_t tid_of_line(const char *line)
{
	const char *name = line + strspn(line, " "), *end = name + strcspn(name, " "), *dash;

	dash = memrchr(name, '-', (size_t)(end - name));
	return dash ? atoi(dash + 1) : 0;
}

int32_t instance_tid(struct tracefs_instance *instance)
{
	char *text = NULL;
	int32_t tid = 0;

	if (!instance_space())
		return gettid();
	if (tracefs_trace_on(instance) == 0 && tracefs_printf(instance, "%s", program_invocation_short_name) >= 0)
		text = tracefs_instance_file_read(instance, "trace", NULL);
	tracefs_print_close(instance);
	tracefs_trace_off(instance);
	for (char *line = text, *next; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (*line != '#')
			tid = tid_of_line(line);
	}
	free(text);
	tracefs_instance_file_write(instance, "trace", "");
	return tid;
}

struct tracefs_instance *instance_create_keeper(int *hold)
{
	return create_held(KEEPER_TAIL, hold);
}

/*
 * Removes an event with all its places at once. Removing with force looks at all events of all instances, so it comes last, for an event that
 * somebody else uses.
 */
static bool remove_event(struct tracefs_dynevent *place)
{
	return tracefs_dynevent_destroy(place, false) == 0 || errno == ENOENT || tracefs_dynevent_destroy(place, true) == 0;
}

/* The names of events that are removed. */
struct removed {
	ARRAY(char *) names;
};

static bool is_removed(const struct removed *removed, const char *name)
{
	for (size_t i = removed->names.count; i-- > 0;)
		if (strcmp(removed->names.items[i], name) == 0)
			return true;
	return false;
}

/*
 * Call it after the instance is removed: while events are enabled there, their probes are in use. Each removal waits for locks of tracefs, up to
 * a second on a busy machine, so an event is removed once, although each of its places is listed.
 */
static int remove_probes(const char *group)
{
	struct tracefs_dynevent **probes =
		tracefs_dynevent_get_all(TRACEFS_DYNEVENT_UPROBE | TRACEFS_DYNEVENT_URETPROBE, group);
	struct removed removed = {0};
	int status = 0;

	for (int i = 0; probes && probes[i]; i++) {
		char *name = NULL;

		tracefs_dynevent_info(probes[i], NULL, &name, NULL, NULL, NULL);
		if (!name || is_removed(&removed, name)) {
			free(name);
			continue;
		}
		if (!remove_event(probes[i]))
			status = fail_errno("cannot remove a uprobe of the group '%s'", group);
		*ARRAY_ADD(&removed.names) = name;
	}
	for (size_t i = 0; i < removed.names.count; i++)
		free(removed.names.items[i]);
	free(removed.names.items);
	if (probes)
		tracefs_dynevent_list_free(probes);
	return status;
}

static int remove_instance(const char *path)
{
	return rmdir(path) < 0 && errno != ENOENT ? fail_errno("cannot remove '%s'", path) : 0;
}

static int remove_of(struct owner owner)
{
	const char *tracing = tracefs_tracing_dir();
	static const char *const tails[] = {"", KEEPER_TAIL};
	char name[NAME_ROOM], *path;
	int status = 0;

	if (!tracing)
		return fail("tracefs is not mounted");
	for (int i = 0; i < 2 && status == 0; i++) { /* a living collector holds the first, so its second stays, too */
		spell_instance(name, owner, tails[i]);
		path = memory_format("%s/instances/%s", tracing, name);
		status = remove_instance(path);
		free(path);
	}
	if (status < 0)
		return -1;
	spell_group(name, owner);
	return remove_probes(name);
}

int instance_remove(pid_t pid)
{
	return remove_of(owner_here(pid));
}

static void remove_stale_instances(const char *tracing)
{
	char *path = memory_format("%s/instances", tracing);
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct owner owner;

	while (dir && (entry = readdir(dir)))
		if (read_instance(entry->d_name, &owner))
			remove_of(owner);
	if (dir)
		closedir(dir);
	free(path);
}

/* A collector makes its probes after its instance and removes them right after it, so probes without an instance are stale. */
static void remove_stale_probes(void)
{
	struct tracefs_dynevent **probes =
		tracefs_dynevent_get_all(TRACEFS_DYNEVENT_UPROBE | TRACEFS_DYNEVENT_URETPROBE, NULL);

	for (int i = 0; probes && probes[i]; i++) {
		struct owner owner = {0};
		char *group = NULL, name[NAME_ROOM];

		tracefs_dynevent_info(probes[i], &group, NULL, NULL, NULL, NULL);
		if (group && sscanf(group, "tailblame_%d_%u", &owner.pid, &owner.space) >= 1) {
			spell_instance(name, owner, "");
			if (!tracefs_instance_exists(name))
				tracefs_dynevent_destroy(probes[i], true);
		}
		free(group);
	}
	if (probes)
		tracefs_dynevent_list_free(probes);
}

void instance_remove_stale(void)
{
	const char *tracing = tracefs_tracing_dir();
	int locked = tracing ? lock(LOCK_EX | LOCK_NB) : -1;

	if (locked < 0) /* somebody sweeps, or makes an instance; the next start sweeps, too */
		return;
	remove_stale_instances(tracing);
	remove_stale_probes();
	close(locked);
}
