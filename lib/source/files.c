#include "source/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"

enum { FILES = 4, STAYS_NS = 1000000 };

struct file_seen {
	bool used;
	int32_t fd;
	int64_t looked;	  /* when; 0: look again */
	const char *told; /* its kind in the stream; NULL: none */
};

struct thread_files {
	int32_t now; /* the descriptor of the call that it is in; FILE_NONE */
	int64_t since;
	bool watched;
	int next;    /* to be given up for a new one */
	struct file_seen seen[FILES];
};

/* How /proc spells them. */
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
};

/* Of no kind that has a name of its own. */
static const char plain[] = "file";

void files_enter(struct threads *threads, int32_t tid, int32_t fd, int64_t ts)
{
	struct thread *thread = tid > 0 ? threads_at(threads, tid) : NULL;

	if (!thread || (fd == FILE_NONE && !thread->files))
		return;
	if (!thread->files)
		thread->files = NEW(struct thread_files);
	thread->files->now = fd;
	thread->files->since = ts;
}

/* NULL: the thread is gone, or its descriptor is. */
static const char *look_up(int32_t tid, int32_t fd)
{
	char path[48], target[64];
	struct statx about;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return NULL;
	target[length] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(target, kinds[i].begins, strlen(kinds[i].begins)) == 0)
			return kinds[i].kind;
	/* no question to a server: it may be what is slow */
	if (*target == '/' && statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &about) == 0 && S_ISFIFO(about.stx_mode))
		return "pipe";
	return plain;
}

static struct file_seen *find(struct thread_files *files, int32_t fd)
{
	struct file_seen *seen;

	for (int i = 0; i < FILES; i++)
		if (files->seen[i].used && files->seen[i].fd == fd)
			return &files->seen[i];
	seen = &files->seen[files->next++ % FILES];
	*seen = (struct file_seen){.used = true, .fd = fd};
	return seen;
}

/* What is to be told of it; NULL: nothing new. */
static const char *news_of(struct file_seen *seen, int64_t ts, int32_t tid)
{
	const char *kind;

	if (seen->looked && ts - seen->looked < NSEC_PER_SEC)
		return NULL;
	seen->looked = ts;
	kind = look_up(tid, seen->fd);
	if (!kind || kind == seen->told || (!seen->told && kind == plain))
		return NULL;
	return seen->told = kind;
}

int files_sleep(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid)
{
	struct thread *thread = tid > 0 && !threads->foreign ? threads_at(threads, tid) : NULL;
	struct line line = {0};
	struct file_seen *seen;
	const char *kind;
	int status;

	if (!thread || !thread->files || thread->files->now == FILE_NONE)
		return 0;
	seen = find(thread->files, thread->files->now);
	kind = news_of(seen, ts, tid);
	if (!kind)
		return 0;
	line_begin(&line, kind_name(KIND_FILE));
	line_time(&line, "ts", ts);
	line_integer(&line, "tid", tid);
	line_integer(&line, "fd", seen->fd);
	line_text(&line, "kind", kind);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

bool files_watch(struct threads *threads, int32_t tid)
{
	struct thread_files *files = tid > 0 ? threads_at(threads, tid)->files : NULL;
	bool is_new = files && !files->watched;

	if (files)
		files->watched = true;
	return is_new;
}

int files_look(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid)
{
	struct thread_files *files = threads_at(threads, tid)->files;

	if (files->now != FILE_NONE && ts - files->since < STAYS_NS)
		return 1;
	files->watched = false;
	return files_sleep(threads, stream, ts, tid);
}

void files_forget(struct thread_files *files)
{
	for (int i = 0; files && i < FILES; i++)
		files->seen[i].looked = 0;
}
