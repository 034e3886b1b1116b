#include "program/aide.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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

#define NSEC_PER_MSEC (NSEC_PER_SEC / 1000)

enum { END_MS = 100 };

/* --- messages ----------------------------------------------------------------------------------------------------------- */

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(AIDE_FDS * sizeof(int))];
};

bool aide_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t descriptors)
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

ssize_t aide_receive(int socket, void *bytes, size_t room, int fds[AIDE_FDS], int flags)
{
	union control control = {.head = {0}};
	struct iovec part = {bytes, room};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
	const struct cmsghdr *head = length < 0 ? NULL : CMSG_FIRSTHDR(&message);

	for (int i = 0; i < AIDE_FDS; i++)
		fds[i] = -1;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len <= CMSG_LEN(AIDE_FDS * sizeof(int)))
		memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	return length;
}

bool aide_is_unread(int socket)
{
	int bytes = 0;

	return ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/* --- the process -------------------------------------------------------------------------------------------------------- */

/* It holds nothing but the socket, so that whatever else was open ends with the process that asks. */
static _Noreturn void work(const struct aide *aide, int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	prctl(PR_SET_NAME, aide->name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	dup2(socket, AIDE_SOCKET);
	open_files_close(AIDE_SOCKET + 1);
	for (int fd = 0; fd < AIDE_SOCKET; fd++)
		close(fd);
	while (aide->serve(AIDE_SOCKET))
		;
	_exit(0);
}

/* --- the side that asks ------------------------------------------------------------------------------------------------------- */

/* Of those that were left, one that has ended makes room; NULL: none has. */
static struct aide_left *room_to_leave(struct aide *aide)
{
	struct aide_left *room = NULL;

	for (size_t i = 0; i < AIDE_LEFT; i++) {
		struct aide_left *left = &aide->left[i];

		if (left->process && waitpid(left->process, NULL, WNOHANG) != 0) {
			free(left->subject);
			*left = (struct aide_left){0};
		}
		room = left->process ? room : left;
	}
	return room;
}

bool aide_start(struct aide *aide)
{
	int ends[2];

	if (aide->socket >= 0)
		return true;
	if (!room_to_leave(aide) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	aide->process = fork();
	if (aide->process == 0)
		work(aide, ends[1]);
	close(ends[1]);
	aide->socket = ends[0];
	if (aide->process < 0) {
		close(aide->socket);
		aide->socket = -1;
		return false;
	}
	helpers_add(aide->process);
	return true;
}

/* `subject`: what it waits for; NULL: nothing that is known. */
static void leave(struct aide *aide, const char *subject)
{
	struct aide_left *room = room_to_leave(aide);

	helpers_remove(aide->process);
	kill(aide->process, SIGKILL);
	if (room)
		*room = (struct aide_left){aide->process, subject ? memory_text(subject, strlen(subject)) : NULL};
	close(aide->socket);
	aide->socket = -1;
	free(aide->before);
	aide->before = NULL;
}

void aide_leave(struct aide *aide)
{
	leave(aide, NULL);
}

void aide_end(struct aide *aide)
{
	const struct timespec pause = {.tv_nsec = NSEC_PER_MSEC};
	pid_t process = aide->process;

	if (aide->socket < 0)
		return;
	leave(aide, NULL);
	for (int i = 0; i < END_MS; i++) {
		room_to_leave(aide);
		if (kill(process, 0) < 0)
			break;
		nanosleep(&pause, NULL);
	}
}

bool aide_is_silent(struct aide *aide, const char *subject)
{
	room_to_leave(aide);
	for (size_t i = 0; i < AIDE_LEFT; i++)
		if (aide->left[i].subject && strcmp(aide->left[i].subject, subject) == 0)
			return true;
	for (size_t i = 0; i < AIDE_SUBJECTS; i++)
		if (aide->silent[i].subject && strcmp(aide->silent[i].subject, subject) == 0 &&
		    now_by(CLOCK_MONOTONIC) - aide->silent[i].since < AIDE_REST_S * NSEC_PER_SEC)
			return true;
	return false;
}

static void note_silent(struct aide *aide, const char *subject)
{
	struct aide_silent *silent = &aide->silent[aide->next++ % AIDE_SUBJECTS];

	free(silent->subject);
	*silent = (struct aide_silent){memory_text(subject, strlen(subject)), now_by(CLOCK_MONOTONIC)};
}

int aide_await(struct aide *aide, const char *subject)
{
	int64_t begun = now_by(CLOCK_MONOTONIC);
	struct pollfd answered = {.fd = aide->socket, .events = POLLIN};
	int status;

	do
		status = poll(&answered, 1, aide->patience);
	while ((status < 0 && errno == EINTR) ||
	       (status == 0 && now_by(CLOCK_MONOTONIC) - begun < (int64_t)AIDE_MOST_MS * NSEC_PER_MSEC && proc_state(aide->process) == 'R'));
	if (status == 1) {
		free(aide->before);
		aide->before = memory_text(subject, strlen(subject));
		return 1;
	}
	if (status == 0 && aide_is_unread(aide->socket)) /* it is still busy with what it was asked before */
		subject = aide->before;
	if (status == 0 && subject)
		note_silent(aide, subject);
	leave(aide, status == 0 ? subject : NULL);
	return status;
}
