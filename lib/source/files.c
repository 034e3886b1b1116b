#include "source/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cached_stat.h"
#include "base/memory.h"
#include "base/number.h"

enum { FILES = 4, STAYS_NS = 1000000, PAGE = 1 << 10, PAGES = 1 << 12 /* the kernel's largest tid is 2^22 */ };

struct file_seen {
	bool used;
	int32_t fd;
	int64_t looked;	  /* time of the last look; 0: look again */
	const char *told; /* its kind in the stream; NULL: none */
	uint64_t inode;	  /* likewise; 0: it has none of its own */
};

struct thread_files {
	int32_t now; /* the descriptor of the call that the thread is in; FILE_NONE */
	int64_t since;
	bool watched;
	int next;    /* the place in `seen` that a new file takes */
	struct file_seen seen[FILES];
};

/* By tid, in pages made as they are needed. */
struct files {
	struct thread_files **pages[PAGES];
};

struct files *files_new(void)
{
	return NEW(struct files);
}

void files_free(struct files *files)
{
	for (int page = 0; files && page < PAGES; page++) {
		for (int i = 0; files->pages[page] && i < PAGE; i++)
			free(files->pages[page][i]);
		free(files->pages[page]);
	}
	free(files);
}

/* NULL: nothing is known of the thread. */
static struct thread_files *files_of(const struct files *files, int32_t tid)
{
	struct thread_files **page = tid > 0 ? files->pages[(uint32_t)tid / PAGE % PAGES] : NULL;

	return page ? page[tid % PAGE] : NULL;
}

static struct thread_files *add_thread(struct files *files, int32_t tid)
{
	struct thread_files ***page = &files->pages[(uint32_t)tid / PAGE % PAGES];

	if (!*page)
		*page = memory_new(PAGE, sizeof(**page));
	return (*page)[tid % PAGE] = NEW(struct thread_files);
}

/* The kinds of files, by how their links in /proc begin. */
static const struct {
	const char *begins, *kind;
} kinds[] = {
	{"pipe:", "pipe"},
	{"socket:", "socket"},
	{"anon_inode:[eventfd]", "eventfd"},
	{"anon_inode:[timerfd]", "timerfd"},
	{"anon_inode:[signalfd]", "signalfd"},
	{"anon_inode:inotify", "inotify"},
	{"anon_inode:[fanotify]", "fanotify"},
	{"anon_inode:[userfaultfd]", "userfaultfd"},
	{"/dev/pts/ptmx", "pty"},
	{"/dev/ptmx", "pty"},
	{"/dev/pts/", "tty"},
	{"/dev/tty", "tty"},
	{"/dev/console", "tty"},
	{"/dev/fuse", "fuse device"},
	{"/dev/kmsg", "kernel log"},
	{"/proc/kmsg", "kernel log"},
	{"/dev/input/", "input device"},
	{"/dev/net/tun", "network tunnel"},
};

/* The kind of all other files. */
static const char plain[] = "file";

void files_enter(struct files *files, int32_t tid, int32_t fd, int64_t ts)
{
	struct thread_files *thread = files_of(files, tid);

	if (!thread && (fd == FILE_NONE || tid <= 0))
		return;
	if (!thread)
		thread = add_thread(files, tid);
	thread->now = fd;
	thread->since = ts;
}

/* The kind of the descriptor's file, and the inode of a pipe or socket, as in pipe:[12345]. NULL: the thread is gone, or its descriptor is. */
static const char *look_up(int32_t tid, int32_t fd, uint64_t *inode)
{
	char path[48], target[64];
	struct cached_stat seen;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return NULL;
	target[length] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(target, kinds[i].begins, strlen(kinds[i].begins)) == 0) {
			const char *number = target + strlen(kinds[i].begins);

			*inode = *number == '[' ? strtoull(number + 1, NULL, 10) : 0;
			return kinds[i].kind;
		}
	if (*target == '/' && cached_stat_at(path, &seen) && S_ISFIFO(seen.mode))
		return "pipe";
	return plain;
}

static struct file_seen *find(struct thread_files *thread, int32_t fd)
{
	struct file_seen *seen;

	for (int i = 0; i < FILES; i++)
		if (thread->seen[i].used && thread->seen[i].fd == fd)
			return &thread->seen[i];
	seen = &thread->seen[thread->next++ % FILES];
	*seen = (struct file_seen){.used = true, .fd = fd};
	return seen;
}

/* The kind to write for the descriptor; NULL: nothing new. */
static const char *news_of(struct file_seen *seen, int64_t ts, int32_t tid)
{
	uint64_t inode = 0;
	const char *kind;

	if (seen->looked && ts - seen->looked < NSEC_PER_SEC)
		return NULL;
	seen->looked = ts;
	kind = look_up(tid, seen->fd, &inode);
	if (!kind || (kind == seen->told && inode == seen->inode) || (!seen->told && kind == plain))
		return NULL;
	seen->inode = inode;
	return seen->told = kind;
}

int files_sleep(struct files *files, struct stream *stream, int64_t ts, int32_t tid)
{
	struct thread_files *thread = files_of(files, tid);
	struct line line = {0};
	struct file_seen *seen;
	const char *kind;
	int status;

	if (!thread || thread->now == FILE_NONE)
		return 0;
	seen = find(thread, thread->now);
	kind = news_of(seen, ts, tid);
	if (!kind)
		return 0;
	line_begin(&line, kind_name(KIND_FILE));
	line_time(&line, "ts", ts);
	line_integer(&line, "tid", tid);
	line_integer(&line, "fd", seen->fd);
	line_text(&line, "kind", kind);
	if (seen->inode)
		line_unsigned(&line, "inode", seen->inode);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

bool files_watch(struct files *files, int32_t tid)
{
	struct thread_files *thread = files_of(files, tid);
	bool is_new = thread && !thread->watched;

	if (thread)
		thread->watched = true;
	return is_new;
}

int files_look(struct files *files, struct stream *stream, int64_t ts, int32_t tid)
{
	struct thread_files *thread = files_of(files, tid);

	if (thread->now != FILE_NONE && ts - thread->since < STAYS_NS)
		return 1;
	thread->watched = false;
	return files_sleep(files, stream, ts, tid);
}

void files_forget(struct files *files, int32_t tid)
{
	struct thread_files *thread = files_of(files, tid);

	for (int i = 0; thread && i < FILES; i++)
		thread->seen[i].looked = 0;
}
