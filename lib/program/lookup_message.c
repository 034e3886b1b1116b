#include "program/lookup_message.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

int lookup_send(int socket, const void *head, size_t size, const void *text, size_t length, int fd, int flags)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec parts[2] = {{(void *)head, size}, {(void *)text, length}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL | flags) < 0 ? -1 : 0;
}
