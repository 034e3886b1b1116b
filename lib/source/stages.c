#include "source/stages.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

enum { LOOKS = 3, LOOK_EVERY = NSEC_PER_SEC, STAGES_MAX = 64 };

static bool is_told(const struct stages *stages, int32_t tid)
{
	for (size_t i = 0; i < stages->told.count; i++)
		if (stages->told.items[i] == tid)
			return true;
	return false;
}

static void read_comm(int32_t tid, char *comm, size_t room)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, (int)room, file))
		*comm = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	if (file)
		fclose(file);
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
		read_comm(tids[i], comm, sizeof(comm));
		line_begin(&line, "stage");
		line_text(&line, "command", comm);
		line_integer(&line, "tid", tids[i]);
		status = stream_write_line(stream, &line);
	}
	line_free(&line);
	return status;
}

/* The pipe that this descriptor of the process is; 0: it is none, or not to be seen. */
static ino_t pipe_of(const char *process, int fd)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%.20s/fd/%d", process, fd);
	return stat(path, &status) == 0 && S_ISFIFO(status.st_mode) ? status.st_ino : 0;
}

/* Those whose input is this pipe, and the pipes that these write to. */
struct readers {
	int32_t tids[STAGES_MAX];
	ino_t pipes[STAGES_MAX];
	size_t count;
};

static bool has_pipe(const struct readers *readers, ino_t pipe)
{
	for (size_t i = 0; i < readers->count; i++)
		if (readers->pipes[i] == pipe)
			return true;
	return false;
}

static void find_readers(ino_t pipe, struct readers *readers)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)) && readers->count < STAGES_MAX) {
		ino_t next;

		if (*entry->d_name < '1' || *entry->d_name > '9' || pipe_of(entry->d_name, STDIN_FILENO) != pipe)
			continue;
		next = pipe_of(entry->d_name, STDOUT_FILENO);
		readers->tids[readers->count] = (int32_t)strtol(entry->d_name, NULL, 10);
		readers->pipes[readers->count] = has_pipe(readers, next) ? 0 : next;
		readers->count++;
	}
	if (folder)
		closedir(folder);
}

int stages_look(struct stages *stages, struct stream *stream, int output, int64_t now)
{
	struct readers readers = {.count = 0};
	struct stat status;

	if (stages->looks == LOOKS || (stages->looks > 0 && now - stages->looked < LOOK_EVERY))
		return 0;
	stages->looks++;
	stages->looked = now;
	if (fstat(output, &status) < 0 || !S_ISFIFO(status.st_mode))
		return 0;
	find_readers(status.st_ino, &readers);
	for (size_t i = 0; i < readers.count; i++)
		if (readers.pipes[i] != 0 && readers.pipes[i] != status.st_ino)
			find_readers(readers.pipes[i], &readers);
	return stages_tell(stages, stream, readers.tids, readers.count);
}

void stages_free(struct stages *stages)
{
	free(stages->told.items);
}
