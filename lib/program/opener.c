#include "program/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "base/memory.h"
#include "base/now.h"
#include "base/number.h"
#include "base/open_files.h"
#include "base/proc.h"
#include "program/helpers.h"

enum { FOLDERS = 8, PATH_ROOM = 8192, SOCKET = STDERR_FILENO + 1, NSEC_PER_MSEC = NSEC_PER_SEC / 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	int socket; /* -1: there is none */
	pid_t process;
} opener = {.socket = -1};

static pid_t left[OPENER_LEFT]; /* killed, but they wait yet; 0: none */

/* Where nobody answered, and when. */
static struct {
	char *path;
	int64_t since;
} folders[FOLDERS];

static size_t next_folder;

/* --- messages ----------------------------------------------------------------------------------------------------------- */

/* A question is a byte and a path, to be found; or with the place of a file, and a socket to send it to, to be opened. */
enum { FIND, OPEN, DESCRIPTORS };

/* Along with a file that was found comes its place. */
struct answer {
	int error; /* errno; 0: none */
	struct stat status;
	uint64_t system;
};

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

static bool send_all(int socket, struct iovec *parts, size_t count, const int *fds, size_t descriptors)
{
	union control control = {.head = {CMSG_LEN(descriptors * sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};

	if (descriptors) {
		memcpy(CMSG_DATA(&control.head), fds, descriptors * sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(descriptors * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

/* How many bytes came; the descriptors that came along, or -1. */
static ssize_t receive_all(int socket, void *bytes, size_t room, int fds[DESCRIPTORS], int flags)
{
	union control control = {.head = {0}};
	struct iovec part = {bytes, room};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
	const struct cmsghdr *head = length < 0 ? NULL : CMSG_FIRSTHDR(&message);

	fds[FIND] = fds[OPEN] = -1;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len <= CMSG_LEN(DESCRIPTORS * sizeof(int)))
		memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	return length;
}

int opener_receive(int socket)
{
	char byte = 0;
	int fds[DESCRIPTORS];

	if (receive_all(socket, &byte, sizeof(byte), fds, MSG_DONTWAIT) < 0)
		fds[0] = -1;
	close(socket);
	return fds[0];
}

bool opener_is_unread(int socket)
{
	int bytes = 0;

	return ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/* --- the process -------------------------------------------------------------------------------------------------------- */

static bool find_file(const char *path)
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
	sent = send_all(SOCKET, &part, 1, &place, answer.error ? 0 : 1);
	if (place >= 0)
		close(place);
	return sent;
}

/* The answer comes before the file is closed here, which may take for ever. */
static bool open_file(int place, int to)
{
	struct answer answer = {.error = 0};
	struct iovec part = {&answer, sizeof(answer)}, byte = {"", 1};
	char path[32];
	int fd;
	bool sent;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || !send_all(to, &byte, 1, &fd, 1))
		answer.error = errno;
	close(to);
	close(place);
	sent = send_all(SOCKET, &part, 1, NULL, 0);
	if (fd >= 0)
		close(fd);
	return sent;
}

/* It holds nothing but the socket, so that whatever else was open ends with the process that asks. */
static _Noreturn void serve(int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	char question[1 + PATH_ROOM + 1];
	int fds[DESCRIPTORS];
	ssize_t length;

	prctl(PR_SET_NAME, "tailblame-files");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	dup2(socket, SOCKET);
	open_files_close(SOCKET + 1);
	for (int fd = 0; fd < SOCKET; fd++)
		close(fd);
	while ((length = receive_all(SOCKET, question, 1 + PATH_ROOM, fds, 0)) > 0) {
		question[length] = '\0';
		if (!(*question == OPEN ? open_file(fds[0], fds[1]) : find_file(question + 1)))
			break;
	}
	_exit(0);
}

/* --- the side that asks ------------------------------------------------------------------------------------------------------- */

/* Of those that were left, one that has ended makes room; NULL: none has. */
static pid_t *room_to_leave(void)
{
	pid_t *room = NULL;

	for (size_t i = 0; i < OPENER_LEFT; i++) {
		if (left[i] && waitpid(left[i], NULL, WNOHANG) != 0)
			left[i] = 0;
		room = left[i] ? room : &left[i];
	}
	return room;
}

static bool start(void)
{
	int ends[2];

	if (opener.socket >= 0)
		return true;
	if (!room_to_leave() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	opener.process = fork();
	if (opener.process == 0)
		serve(ends[1]);
	close(ends[1]);
	opener.socket = ends[0];
	if (opener.process < 0) {
		close(opener.socket);
		opener.socket = -1;
		return false;
	}
	helpers_add(opener.process);
	return true;
}

static void leave(void)
{
	pid_t *room = room_to_leave();

	helpers_remove(opener.process);
	kill(opener.process, SIGKILL);
	if (room)
		*room = opener.process;
	close(opener.socket);
	opener.socket = -1;
}

/* 1: there is an answer; 0: not in time, though the process did not lack a CPU; -1: there will be none. */
static int await(void)
{
	int64_t begun = now_by(CLOCK_MONOTONIC);
	struct pollfd answered = {.fd = opener.socket, .events = POLLIN};
	int status;

	do
		status = poll(&answered, 1, OPENER_MS);
	while ((status < 0 && errno == EINTR) ||
	       (status == 0 && now_by(CLOCK_MONOTONIC) - begun < (int64_t)OPENER_MOST_MS * NSEC_PER_MSEC && proc_state(opener.process) == 'R'));
	return status;
}

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static bool is_silent(const char *path)
{
	size_t length = folder_length(path);

	for (size_t i = 0; i < FOLDERS; i++)
		if (folders[i].path && strlen(folders[i].path) == length && strncmp(folders[i].path, path, length) == 0 &&
		    now_by(CLOCK_MONOTONIC) - folders[i].since < OPENER_REST_S * NSEC_PER_SEC)
			return true;
	return false;
}

static void note_silent(const char *path)
{
	size_t at = next_folder++ % FOLDERS;

	free(folders[at].path);
	folders[at].path = memory_text(path, folder_length(path));
	folders[at].since = now_by(CLOCK_MONOTONIC);
}

/* 1: there is an answer; 0: nobody answers; -1: the process is gone. */
static int exchange(char kind, const char *path, const int *fds, size_t count, struct answer *answer, int *place)
{
	struct iovec parts[2] = {{&kind, sizeof(kind)}, {(void *)path, strlen(path)}};
	int got[DESCRIPTORS], answered = send_all(opener.socket, parts, 2, fds, count) ? await() : -1;

	if (answered == 0 && !opener_is_unread(opener.socket))
		note_silent(path); /* else it is still busy with what it was asked before */
	if (answered == 1 && receive_all(opener.socket, answer, sizeof(*answer), got, MSG_DONTWAIT) != sizeof(*answer))
		answered = -1;
	if (answered == 1)
		*place = got[0];
	else
		leave();
	return answered;
}

/* 0; -1 with errno. One that was still busy with another file has its place taken by now: that one is asked. */
static int ask(char kind, const char *path, const int *fds, size_t count, struct answer *answer, int *place)
{
	int answered = -1;

	*place = -1;
	for (int tries = 0; tries < 2 && answered != 1; tries++) {
		if (is_silent(path) || !start()) {
			errno = ETIMEDOUT;
			return -1;
		}
		answered = exchange(kind, path, fds, count, answer, place);
	}
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
