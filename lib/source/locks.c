#include "source/locks.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cached_stat.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/proc.h"
#include "source/selection.h"

enum {
	ID_HOLDER = SELECT_OWN_IDS + 16,
	PATH_ROOM = 128,
	LOOKED = 16,	   /* files that were looked up last */
	LINES_MAX = 1 << 13, /* of the kernel's list */
	LINKS_MAX = 1 << 10, /* descriptors of a process, until its file is found */
	REST = 200,	     /* the pause after a look is this number of times as long as the look */
};

/* A list that was read later than this after the try may differ from the list at the time of the try. */
static const int64_t late_max = NSEC_PER_SEC / 5, between_looks = NSEC_PER_SEC / 10;

/* An event in the format below. */
struct holder_event {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	int32_t pid; /* 0: not known */
	uint32_t s_dev;
	uint64_t i_ino;
	int64_t fl_start, fl_end, late;
	char path[PATH_ROOM]; /* its end, if it is longer; "": not known */
};

static const char format[] =
	"filelock\0name: holder\nID: 65535\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:dev_t s_dev;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long i_ino;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:loff_t fl_start;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:loff_t fl_end;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:s64 late;\toffset:40;\tsize:8;\tsigned:1;\n"
	"\tfield:char path[128];\toffset:48;\tsize:128;\tsigned:0;\n\n"
	"print fmt: \"pid=%d dev=0x%x ino=0x%lx start=%lld end=%lld late=%lld path=%s\", REC->pid, REC->s_dev, REC->i_ino, REC->fl_start, "
	"REC->fl_end, REC->late, REC->path\n";

struct looked {
	uint32_t dev;
	uint64_t inode;
	int64_t ts; /* when; 0: never */
};

struct locks {
	const struct trace_clock *clock;
	struct looked looked[LOOKED];
	int next;
	int64_t rests_until;
};

struct locks *locks_new(const struct trace_clock *clock)
{
	struct locks *locks = NEW(struct locks);

	locks->clock = clock;
	return locks;
}

void locks_free(struct locks *locks)
{
	free(locks);
}

int locks_format(struct stream *stream)
{
	struct record record = {.kind = KIND_FORMAT, .packed = true, .text = format, .length = sizeof(format) - 1};

	return stream_write_record(stream, &record);
}

/* Tells whether the file is due for a look, and if so notes the look. */
static bool is_due(struct locks *locks, uint32_t dev, uint64_t inode, int64_t now)
{
	struct looked *looked = NULL;

	if (now < locks->rests_until)
		return false;
	for (int i = 0; i < LOOKED && !looked; i++)
		if (locks->looked[i].ts && locks->looked[i].dev == dev && locks->looked[i].inode == inode)
			looked = &locks->looked[i];
	if (looked && now - looked->ts < between_looks)
		return false;
	if (!looked)
		looked = &locks->looked[locks->next++ % LOOKED];
	*looked = (struct looked){dev, inode, now};
	return true;
}

/* --- the list ------------------------------------------------------------------------------------------------------------- */

/*
 * Takes a lock's holder from "3: POSIX  ADVISORY  WRITE 4510 07:00:131 0 EOF"; the line of a waiter has "->" behind its number. The kernel's
 * dev_t has 20 bits of minor number. A process's own locks by fcntl() never stop it, as when it turns a lock to read into one to write.
 */
static bool take_line(const char *line, const char *sort, int32_t asker, struct holder_event *event)
{
	char kind[16], last[24];
	unsigned major, minor;
	long long start;
	uint64_t inode;
	int pid;

	if (sscanf(line, "%*d: %15s %*s %*s %d %x:%x:%" SCNu64 " %lld %23s", kind, &pid, &major, &minor, &inode, &start, last) != 7)
		return false;
	if (pid <= 0 || (major << 20 | minor) != event->s_dev || inode != event->i_ino || strcmp(kind, sort) != 0)
		return false;
	if (pid == asker && strcmp(kind, "POSIX") == 0)
		return false;
	if (start > event->fl_end || (strcmp(last, "EOF") != 0 && strtoll(last, NULL, 10) < event->fl_start))
		return false;
	event->pid = pid;
	return true;
}

/* Finds who has the lock that process `asker` (0: not known) wants. */
static void read_list(const char *sort, int32_t asker, struct holder_event *event)
{
	FILE *file = fopen("/proc/locks", "re");
	char line[256];

	for (int left = LINES_MAX; file && left > 0 && fgets(line, sizeof(line), file); left--)
		if (take_line(line, sort, asker, event))
			break;
	if (file)
		fclose(file);
}

/* "3: -> FLOCK  ADVISORY  WRITE 4510 07:00:131 0 EOF": the process waits for the lock of a file, which another has by the same number. */
static bool take_waiter(const char *line, int32_t pid, uint64_t inode, struct holder_event *event, int *number, char sort[16])
{
	unsigned major, minor;
	char last[24];
	long long start;
	uint64_t of;
	int waiter;

	if (sscanf(line, "%d: -> %15s %*s %*s %d %x:%x:%" SCNu64 " %lld %23s", number, sort, &waiter, &major, &minor, &of, &start, last) != 8)
		return false;
	if (waiter != pid || of != inode)
		return false;
	event->s_dev = major << 20 | minor;
	event->i_ino = inode;
	event->fl_start = start;
	event->fl_end = strcmp(last, "EOF") == 0 ? INT64_MAX : strtoll(last, NULL, 10);
	return true;
}

/* False: the process waits for no lock of this file. */
static bool find_wait(int32_t pid, uint64_t inode, struct holder_event *event, char sort[16])
{
	FILE *file = fopen("/proc/locks", "re");
	bool found = false;
	char line[256];
	int number;

	for (int left = LINES_MAX; file && !found && left > 0 && fgets(line, sizeof(line), file); left--)
		found = take_waiter(line, pid, inode, event, &number, sort);
	if (file)
		fclose(file);
	return found;
}

/* --- what the file is called ---------------------------------------------------------------------------------------------- */

/* The path by which the process has the file open; devices are not compared. False: it has no file of this number open, or the file has no path. */
static bool find_path(int32_t id, uint64_t inode, char path[PATH_ROOM])
{
	char name[48], target[PATH_MAX];
	ssize_t length = -1;
	DIR *folder;
	struct dirent *entry;

	snprintf(name, sizeof(name), "/proc/%d/fd", id);
	folder = opendir(name);
	for (int left = LINKS_MAX; folder && length < 0 && left > 0 && (entry = readdir(folder)); left--) {
		struct cached_stat seen;

		snprintf(name, sizeof(name), "/proc/%d/fd/%d", id, atoi(entry->d_name));
		if (*entry->d_name != '.' && cached_stat_at(name, &seen) && seen.inode == inode)
			length = readlink(name, target, sizeof(target) - 1);
	}
	if (folder)
		closedir(folder);
	if (length <= 0 || *target != '/')
		return false;
	target[length] = '\0';
	memcpy(path, target + (length < PATH_ROOM ? 0 : length - PATH_ROOM + 1), (size_t)(length < PATH_ROOM ? length : PATH_ROOM - 1) + 1);
	return true;
}

/* Tells whether the process has the file open by the very descriptor that has the lock. */
static bool has_locked(int32_t pid, uint64_t inode)
{
	char name[48], text[1024];
	bool found = false;
	struct dirent *entry;
	DIR *folder;

	snprintf(name, sizeof(name), "/proc/%d/fd", pid);
	folder = opendir(name);
	for (int left = LINKS_MAX; folder && !found && left > 0 && (entry = readdir(folder)); left--) {
		struct cached_stat seen;

		snprintf(name, sizeof(name), "/proc/%d/fd/%d", pid, atoi(entry->d_name));
		if (*entry->d_name == '.' || !cached_stat_at(name, &seen) || seen.inode != inode)
			continue;
		snprintf(name, sizeof(name), "fdinfo/%d", atoi(entry->d_name));
		found = proc_read(pid, name, text, sizeof(text)) > 0 && strstr(text, "\nlock:");
	}
	if (folder)
		closedir(folder);
	return found;
}

/*
 * A lock by flock() belongs to an open file. The process that took it for a shell, as flock(1) does, may have ended, but the shell still has it.
 * Returns the first process that has it; 0: we may not look at any such process.
 */
static int32_t heir(uint64_t inode)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	int32_t pid = 0;

	while (folder && (entry = readdir(folder)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9' && has_locked(atoi(entry->d_name), inode)) {
			pid = atoi(entry->d_name);
			break;
		}
	if (folder)
		closedir(folder);
	return pid;
}

static int64_t long_at(const struct ring *ring, uint16_t offset)
{
	int64_t number = 0;

	memcpy(&number, ring->page.payload + offset, sizeof(number));
	return number;
}

static int32_t int_at(const struct ring *ring, uint16_t offset)
{
	int32_t number = 0;

	memcpy(&number, ring->page.payload + offset, sizeof(number));
	return number;
}

/* Tells whether somebody else has the lock: the try failed, or the thread has to wait. */
static bool is_vain(const struct layout_lock *lock, const struct ring *ring)
{
	enum { DEFERRED = 1, AGAIN = -11 };
	int32_t result;

	if (!lock->inode_at || lock->result_at + sizeof(result) > ring->page.size || ring->page.swapped)
		return false;
	result = int_at(ring, lock->result_at);
	return result == DEFERRED || result == AGAIN;
}

int locks_within(struct stream *stream, struct threads *threads, int32_t tid, int32_t pid, long call, int32_t fd, int64_t ts)
{
	struct holder_event event = {.common_type = ID_HOLDER, .common_pid = tid};
	struct record record = {.kind = KIND_EVENT, .packed = true, .text = (const char *)&event, .length = sizeof(event), .ts = ts};
	char name[48], sort[16];
	struct cached_stat seen;

	if (call != SYS_flock && call != SYS_fcntl)
		return 0;
	snprintf(name, sizeof(name), "/proc/%d/fd/%d", tid, fd);
	if (!cached_stat_at(name, &seen) || !find_wait(pid, seen.inode, &event, sort))
		return 0;
	read_list(sort, pid, &event);
	if (event.pid && !proc_state(event.pid))
		event.pid = heir(event.i_ino);
	if (!event.pid)
		return 0;
	if (!find_path(tid, event.i_ino, event.path))
		find_path(event.pid, event.i_ino, event.path);
	if (!threads_known(threads, event.pid) && threads_see(threads, stream, ts, event.pid, NULL) < 0)
		return -1;
	return stream_write_record(stream, &record);
}

int locks_see(struct locks *locks, struct stream *stream, struct threads *threads, const struct layout *layout, const struct ring *ring, int32_t tid)
{
	const struct layout_lock *lock = &layout->lock;
	struct holder_event event = {.common_type = ID_HOLDER, .common_pid = tid};
	struct record record = {.kind = KIND_EVENT, .packed = true, .text = (const char *)&event, .length = sizeof(event), .ts = ring_ts(ring), .cpu = (uint32_t)ring->cpu};
	int64_t now, after;

	if (!is_vain(lock, ring))
		return 0;
	event.s_dev = (uint32_t)int_at(ring, lock->dev_at);
	event.i_ino = (uint64_t)long_at(ring, lock->inode_at);
	event.fl_start = long_at(ring, lock->start_at);
	event.fl_end = long_at(ring, lock->end_at);
	now = clock_now(locks->clock);
	event.late = now - ring_ts(ring);
	if (event.late > late_max || !is_due(locks, event.s_dev, event.i_ino, now))
		return 0;
	read_list(lock->is_flock ? "FLOCK" : "POSIX", threads_at(threads, tid)->process, &event);
	if (!find_path(tid, event.i_ino, event.path) && event.pid)
		find_path(event.pid, event.i_ino, event.path);
	after = clock_now(locks->clock);
	locks->rests_until = after + REST * (after - now);
	if (event.pid && !threads_known(threads, event.pid) && threads_see(threads, stream, ring_ts(ring), event.pid, NULL) < 0)
		return -1;
	return event.pid || *event.path ? stream_write_record(stream, &record) : 0;
}
