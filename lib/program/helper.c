#include "program/helper.h"

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
	char room[CMSG_SPACE(HELPER_FDS * sizeof(int))];
};

bool helper_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t descriptors)
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

ssize_t helper_receive(int socket, void *bytes, size_t room, int fds[HELPER_FDS], int flags)
{
	union control control = {.head = {0}};
	struct iovec part = {bytes, room};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	ssize_t length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
	const struct cmsghdr *head = length < 0 ? NULL : CMSG_FIRSTHDR(&message);

	for (int i = 0; i < HELPER_FDS; i++)
		fds[i] = -1;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len <= CMSG_LEN(HELPER_FDS * sizeof(int)))
		memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	return length;
}

bool helper_is_unread(int socket)
{
	int bytes = 0;

	return ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/* --- the process -------------------------------------------------------------------------------------------------------- */

/* Holds no descriptor but the socket, so that everything else that was open is closed when the asking process ends. */
static _Noreturn void work(const struct helper *helper, int socket)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	prctl(PR_SET_NAME, helper->name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	dup2(socket, HELPER_SOCKET);
	open_files_close(HELPER_SOCKET + 1);
	for (int fd = 0; fd < HELPER_SOCKET; fd++)
		close(fd);
	while (helper->serve(HELPER_SOCKET))
		;
	_exit(0);
}

/* --- the side that asks ------------------------------------------------------------------------------------------------------- */

/* Returns a free slot for a process to leave behind; reaps those that have ended. NULL: there is none. */
static struct helper_left *room_to_leave(struct helper *helper)
{
	struct helper_left *room = NULL;

	for (size_t i = 0; i < HELPER_LEFT; i++) {
		struct helper_left *left = &helper->left[i];

		if (left->process && waitpid(left->process, NULL, WNOHANG) != 0) {
			free(left->subject);
			*left = (struct helper_left){0};
		}
		room = left->process ? room : left;
	}
	return room;
}

bool helper_start(struct helper *helper)
{
	int ends[2];

	if (helper->socket >= 0)
		return true;
	if (!room_to_leave(helper) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	helper->process = fork();
	if (helper->process == 0)
		work(helper, ends[1]);
	close(ends[1]);
	helper->socket = ends[0];
	if (helper->process < 0) {
		close(helper->socket);
		helper->socket = -1;
		return false;
	}
	helpers_add(helper->process);
	return true;
}

/* `subject`: what the process waits for; NULL: not known. */
static void leave(struct helper *helper, const char *subject)
{
	struct helper_left *room = room_to_leave(helper);

	helpers_remove(helper->process);
	kill(helper->process, SIGKILL);
	if (room)
		*room = (struct helper_left){helper->process, subject ? memory_text(subject, strlen(subject)) : NULL};
	close(helper->socket);
	helper->socket = -1;
	free(helper->before);
	helper->before = NULL;
}

void helper_leave(struct helper *helper)
{
	leave(helper, NULL);
}

void helper_end(struct helper *helper)
{
	const struct timespec pause = {.tv_nsec = NSEC_PER_MSEC};
	pid_t process = helper->process;

	if (helper->socket < 0)
		return;
	leave(helper, NULL);
	for (int i = 0; i < END_MS; i++) {
		room_to_leave(helper);
		if (kill(process, 0) < 0)
			break;
		nanosleep(&pause, NULL);
	}
}

bool helper_is_silent(struct helper *helper, const char *subject)
{
	room_to_leave(helper);
	for (size_t i = 0; i < HELPER_LEFT; i++)
		if (helper->left[i].subject && strcmp(helper->left[i].subject, subject) == 0)
			return true;
	for (size_t i = 0; i < HELPER_SUBJECTS; i++)
		if (helper->silent[i].subject && strcmp(helper->silent[i].subject, subject) == 0 &&
		    now_by(CLOCK_MONOTONIC) - helper->silent[i].since < HELPER_REST_S * NSEC_PER_SEC)
			return true;
	return false;
}

static void note_silent(struct helper *helper, const char *subject)
{
	struct helper_silent *silent = &helper->silent[helper->next++ % HELPER_SUBJECTS];

	free(silent->subject);
	*silent = (struct helper_silent){memory_text(subject, strlen(subject)), now_by(CLOCK_MONOTONIC)};
}

int helper_await(struct helper *helper, const char *subject)
{
	int64_t begun = now_by(CLOCK_MONOTONIC);
	struct pollfd answered = {.fd = helper->socket, .events = POLLIN};
	int status;

	do
		status = poll(&answered, 1, helper->patience);
	while ((status < 0 && errno == EINTR) ||
	       (status == 0 && now_by(CLOCK_MONOTONIC) - begun < (int64_t)HELPER_MOST_MS * NSEC_PER_MSEC && proc_state(helper->process) == 'R'));
	if (status == 1) {
		free(helper->before);
		helper->before = memory_text(subject, strlen(subject));
		return 1;
	}
	if (status == 0 && helper_is_unread(helper->socket)) /* the process is still busy with its earlier question */
		subject = helper->before;
	if (status == 0 && subject)
		note_silent(helper, subject);
	leave(helper, status == 0 ? subject : NULL);
	return status;
}
