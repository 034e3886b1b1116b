#include "source/stages.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cached_stat.h"
#include "base/number.h"
#include "base/proc.h"

enum { LOOKS = 3, LOOK_EVERY = NSEC_PER_SEC, STAGES_MAX = 64 };

static bool is_told(const struct stages *stages, int32_t tid)
{
	for (size_t i = 0; i < stages->told.count; i++)
		if (stages->told.items[i] == tid)
			return true;
	return false;
}

int stages_tell(struct stages *stages, struct stream *stream, const int32_t *tids, size_t count)
{
	struct line line = {0};
	char comm[32];
	int status = 0;

	for (size_t i = 0; i < count && status == 0; i++) {
		if (tids[i] <= 0 || is_told(stages, tids[i]))
			continue;
		*ARRAY_ADD(&stages->told) = tids[i];
		proc_comm(tids[i], comm, sizeof(comm));
		line_begin(&line, "stage");
		line_text(&line, "command", comm);
		line_integer(&line, "tid", tids[i]);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

/* Inode 0: no pipe. A pipe with a name has an inode number of its file system, which a file on another one may have, too. */
struct pipe {
	dev_t device;
	ino_t inode;
};

static bool is_same(struct pipe one, struct pipe other)
{
	return one.inode == other.inode && one.device == other.device;
}

static struct pipe to_pipe(dev_t device, ino_t inode, mode_t mode)
{
	return S_ISFIFO(mode) ? (struct pipe){device, inode} : (struct pipe){0};
}

/* The pipe that this descriptor of the process is; none if we may not see it. */
static struct pipe pipe_of(const char *process, int fd)
{
	char path[64];
	struct cached_stat seen;

	snprintf(path, sizeof(path), "/proc/%.20s/fd/%d", process, fd);
	return cached_stat_at(path, &seen) ? to_pipe(seen.device, seen.inode, seen.mode) : (struct pipe){0};
}

/* Processes whose input is a certain pipe, and the pipes that these write to. */
struct readers {
	int32_t tids[STAGES_MAX];
	struct pipe pipes[STAGES_MAX];
	size_t count;
};

static bool has_pipe(const struct readers *readers, struct pipe pipe)
{
	for (size_t i = 0; i < readers->count; i++)
		if (is_same(readers->pipes[i], pipe))
			return true;
	return false;
}

static void find_readers(struct pipe pipe, struct readers *readers)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)) && readers->count < STAGES_MAX) {
		struct pipe next;

		if (*entry->d_name < '1' || *entry->d_name > '9' || !is_same(pipe_of(entry->d_name, STDIN_FILENO), pipe))
			continue;
		next = pipe_of(entry->d_name, STDOUT_FILENO);
		readers->tids[readers->count] = (int32_t)strtol(entry->d_name, NULL, 10);
		if (!has_pipe(readers, next))
			readers->pipes[readers->count] = next;
		readers->count++;
	}
	if (folder)
		closedir(folder);
}

int stages_look(struct stages *stages, struct stream *stream, int output, int64_t now)
{
	struct readers readers = {.count = 0};
	struct stat status;
	struct pipe pipe;

	if (stages->looks == LOOKS || (stages->looks > 0 && now - stages->looked < LOOK_EVERY))
		return 0;
	stages->looks++;
	stages->looked = now;
	if (fstat(output, &status) < 0)
		return 0;
	pipe = to_pipe(status.st_dev, status.st_ino, status.st_mode);
	if (!pipe.inode)
		return 0;
	find_readers(pipe, &readers);
	for (size_t i = 0; i < readers.count; i++)
		if (readers.pipes[i].inode && !is_same(readers.pipes[i], pipe))
			find_readers(readers.pipes[i], &readers);
	return stages_tell(stages, stream, readers.tids, readers.count);
}

void stages_free(struct stages *stages)
{
	free(stages->told.items);
}
