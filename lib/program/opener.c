#include "program/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "program/helper.h"

enum { PATH_ROOM = 8192 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * A question is a byte and a path: FIND the path; or, with two descriptors, OPEN the file at the first, a place, and send it to the second,
 * a socket.
 */
enum { FIND, OPEN };

/* The answer to FIND brings the file's place along. */
struct answer {
	int error; /* errno; 0: none */
	struct stat status;
	uint64_t system;
};

int opener_receive(int socket)
{
	char byte = 0;
	int fds[HELPER_FDS];

	if (helper_receive(socket, &byte, sizeof(byte), fds, MSG_DONTWAIT) < 0)
		fds[0] = -1;
	close(socket);
	return fds[0];
}

bool opener_is_unread(int socket)
{
	return helper_is_unread(socket);
}

/* --- the process -------------------------------------------------------------------------------------------------------- */

static bool find_file(int socket, const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC);
	struct answer answer = {.error = place < 0 ? errno : 0};
	struct iovec part = {&answer, sizeof(answer)};
	struct statfs system;
	bool sent;

	if (place >= 0 && (fstat(place, &answer.status) < 0 || fstatfs(place, &system) < 0))
		answer.error = errno;
	else if (place >= 0 && !S_ISREG(answer.status.st_mode))
		answer.error = EINVAL;
	else if (place >= 0)
		answer.system = (uint64_t)system.f_type;
	sent = helper_send(socket, &part, 1, &place, answer.error ? 0 : 1);
	if (place >= 0)
		close(place);
	return sent;
}

/* Answers before it closes the file, because closing may take for ever. */
static bool open_file(int socket, int place, int to)
{
	struct answer answer = {.error = 0};
	struct iovec part = {&answer, sizeof(answer)}, byte = {"", 1};
	char path[32];
	int fd;
	bool sent;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || !helper_send(to, &byte, 1, &fd, 1))
		answer.error = errno;
	close(to);
	close(place);
	sent = helper_send(socket, &part, 1, NULL, 0);
	if (fd >= 0)
		close(fd);
	return sent;
}

static bool serve(int socket)
{
	static char question[1 + PATH_ROOM + 1];
	int fds[HELPER_FDS];
	ssize_t length = helper_receive(socket, question, 1 + PATH_ROOM, fds, 0);

	if (length <= 0)
		return false;
	question[length] = '\0';
	return *question == OPEN ? open_file(socket, fds[0], fds[1]) : find_file(socket, question + 1);
}

/* --- the side that asks ------------------------------------------------------------------------------------------------------- */

static struct helper files = {.name = "tailblame-files", .serve = serve, .patience = OPENER_MS, .socket = -1};

/* 1: there is an answer; 0: the process does not answer; -1: it is gone. */
static int exchange(char kind, const char *path, const char *folder, const int *fds, size_t count, struct answer *answer, int *place)
{
	struct iovec parts[2] = {{&kind, sizeof(kind)}, {(void *)path, strlen(path)}};
	int got[HELPER_FDS], answered;

	if (!helper_send(files.socket, parts, 2, fds, count)) {
		helper_leave(&files);
		return -1;
	}
	answered = helper_await(&files, folder);
	if (answered == 1 && helper_receive(files.socket, answer, sizeof(*answer), got, MSG_DONTWAIT) != sizeof(*answer)) {
		helper_leave(&files);
		return -1;
	}
	if (answered == 1)
		*place = got[0];
	return answered;
}

/* 0; -1 with errno. Asks again if the process was still busy with another file: by then another process has taken its place. */
static int ask(char kind, const char *path, const int *fds, size_t count, struct answer *answer, int *place)
{
	const char *slash = strrchr(path, '/');
	char *folder = memory_text(path, slash ? (size_t)(slash - path) : 0);
	int answered = -1;

	*place = -1;
	for (int tries = 0; tries < 2 && answered != 1; tries++) {
		if (helper_is_silent(&files, folder) || !helper_start(&files))
			break;
		answered = exchange(kind, path, folder, fds, count, answer, place);
	}
	free(folder);
	errno = answered == 1 ? answer->error : ETIMEDOUT;
	return errno ? -1 : 0;
}

int opener_find(const char *path, struct opener_file *file)
{
	struct answer answer;
	int status;

	file->place = -1;
	errno = ENAMETOOLONG;
	if (strlen(path) > PATH_ROOM)
		return -1;
	pthread_mutex_lock(&lock);
	status = ask(FIND, path, NULL, 0, &answer, &file->place);
	pthread_mutex_unlock(&lock);
	if (status == 0) {
		file->status = answer.status;
		file->system = answer.system;
	}
	return status;
}

int opener_open(const struct opener_file *file, const char *path)
{
	struct answer answer;
	int ends[2], none, status, error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	pthread_mutex_lock(&lock);
	status = ask(OPEN, path, (int[]){file->place, ends[1]}, 2, &answer, &none);
	pthread_mutex_unlock(&lock);
	error = errno;
	close(ends[status == 0 ? 1 : 0]);
	if (status == 0)
		return ends[0];
	close(ends[1]);
	errno = error;
	return -1;
}
