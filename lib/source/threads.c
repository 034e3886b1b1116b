#include "source/threads.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "source/files.h"

struct thread *threads_at(struct threads *threads, int32_t tid)
{
	struct thread **page = &threads->pages[(uint32_t)tid / THREADS_PAGE % THREADS_PAGES];

	if (!*page)
		*page = memory_new(THREADS_PAGE, sizeof(struct thread));
	return &(*page)[tid % THREADS_PAGE];
}

/* A newline and a backslash in a name are written as two characters; events have them as they are. */
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

/* The thread group by /proc, and the name where `comm` is empty; 0: the thread is gone. */
static int32_t look_up(int32_t tid, char *comm)
{
	char path[32], text[512], name[2 * THREAD_NAME];
	const char *group;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	if (!*comm && strncmp(text, "Name:\t", 6) == 0) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(text + 6, "\n"), text + 6);
		unescape(name);
		memcpy(comm, name, strnlen(name, THREAD_NAME - 1) + 1);
		comm[THREAD_NAME - 1] = '\0';
	}
	group = strstr(text, "\nTgid:\t");
	return group ? atoi(group + 7) : 0;
}

int threads_see(struct threads *threads, struct stream *stream, int64_t ts, int32_t tid, const char *comm)
{
	char name[THREAD_NAME] = "";
	struct line line = {0};
	struct thread *thread;
	int32_t group;
	int status;

	if (tid <= 0)
		return 0;
	thread = threads_at(threads, tid);
	if (thread->known && (!comm || strncmp(thread->comm, comm, THREAD_NAME) == 0))
		return 0;
	thread->known = true;
	if (comm)
		memcpy(name, comm, strnlen(comm, THREAD_NAME - 1));
	group = threads->cmdlines.final ? 0 : look_up(tid, name);
	if (!*name)
		cmdlines_find(&threads->cmdlines, tid, name, sizeof(name));
	if (!*name || strcmp(name, thread->comm) == 0)
		return 0;
	memcpy(thread->comm, name, THREAD_NAME);
	line_begin(&line, "task");
	line_time(&line, "ts", ts);
	line_integer(&line, "tid", tid);
	line_text(&line, "comm", thread->comm);
	if (group)
		line_integer(&line, "tgid", group);
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

void threads_forget(struct threads *threads, int32_t tid)
{
	struct thread *thread = tid > 0 ? threads_at(threads, tid) : NULL;

	if (!thread)
		return;
	thread->known = false;
	files_forget(thread->files);
}

void threads_free(struct threads *threads)
{
	for (int page = 0; page < THREADS_PAGES; page++) {
		for (int i = 0; threads->pages[page] && i < THREADS_PAGE; i++)
			free(threads->pages[page][i].files);
		free(threads->pages[page]);
	}
	cmdlines_free(&threads->cmdlines);
}
