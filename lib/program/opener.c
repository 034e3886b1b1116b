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
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/open_files.h"

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

/* --- the process -------------------------------------------------------------------------------------------------------- */

static int open_regular(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	char same[32];
	struct stat file;

	if (place < 0)
		return -1;
	snprintf(same, sizeof(same), "/proc/self/fd/%d", place);
	if (fstat(place, &file) == 0 && S_ISREG(file.st_mode))
		fd = open(same, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(place);
	return fd;
}

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

/* A byte, with the descriptor if there is one. */
static bool answer(int fd)
{
	union control control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec byte = {"", 1};
	struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1};

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(SOCKET, &message, MSG_NOSIGNAL) == 1;
}

/* It holds nothing but the socket, so that whatever else was open ends with whoever asks. */
static _Noreturn void serve(int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	char path[PATH_ROOM + 1];
	ssize_t length;

	prctl(PR_SET_NAME, "tailblame-files");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	dup2(socket, SOCKET);
	open_files_close(SOCKET + 1);
	for (int fd = 0; fd < SOCKET; fd++)
		close(fd);
	while ((length = recv(SOCKET, path, PATH_ROOM, 0)) > 0) {
		int fd;

		path[length] = '\0';
		fd = open_regular(path);
		if (!answer(fd))
			break;
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

/* --- whoever asks ------------------------------------------------------------------------------------------------------- */

static int64_t now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

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
	}
	return opener.socket >= 0;
}

static void leave(void)
{
	pid_t *room = room_to_leave();

	kill(opener.process, SIGKILL);
	if (room)
		*room = opener.process;
	close(opener.socket);
	opener.socket = -1;
}

/* Whether the process has what it needs but a CPU: on a busy machine nobody else keeps it waiting. */
static bool lacks_cpu(pid_t process)
{
	char path[32], text[512], *name_end;
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && strncmp(name_end, ") R", 3) == 0;
}

/* 1: there is an answer; 0: not in time; -1: there will be none. */
static int await(void)
{
	int64_t begun = now();
	struct pollfd answered = {.fd = opener.socket, .events = POLLIN};
	int status;

	do
		status = poll(&answered, 1, OPENER_MS);
	while ((status < 0 && errno == EINTR) ||
	       (status == 0 && now() - begun < (int64_t)OPENER_MOST_MS * NSEC_PER_MSEC && lacks_cpu(opener.process)));
	return status;
}

/* The descriptor; -1: none. False: the process is gone. */
static bool receive(int *fd)
{
	union control control;
	char byte;
	struct iovec text = {&byte, 1};
	struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	const struct cmsghdr *head;

	*fd = -1;
	if (recvmsg(opener.socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1)
		return false;
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return true;
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
		    now() - folders[i].since < OPENER_REST_S * NSEC_PER_SEC)
			return true;
	return false;
}

static void note_silent(const char *path)
{
	size_t at = next_folder++ % FOLDERS;

	free(folders[at].path);
	folders[at].path = memory_text(path, folder_length(path));
	folders[at].since = now();
}

static int ask(const char *path)
{
	int fd = -1, answered;

	if (is_silent(path) || !start())
		return -1;
	answered = send(opener.socket, path, strlen(path), MSG_NOSIGNAL) < 0 ? -1 : await();
	if (answered == 0)
		note_silent(path);
	if (answered != 1 || !receive(&fd))
		leave();
	return fd;
}

int opener_open(const char *path)
{
	int fd;

	if (!*path || strlen(path) > PATH_ROOM)
		return -1;
	pthread_mutex_lock(&lock);
	fd = ask(path);
	pthread_mutex_unlock(&lock);
	return fd;
}
