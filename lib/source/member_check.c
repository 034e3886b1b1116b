#include "source/member_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

struct member_check {
	char *path;
	member_check_say *say;
	bool expected, wrong;
	unsigned right, others, gone, events;
};

struct member_check *member_check_new(const char *path, member_check_say *say)
{
	struct member_check *check = NEW(struct member_check);

	check->path = memory_text(path, strlen(path));
	check->say = say;
	return check;
}

void member_check_free(struct member_check *check)
{
	if (!check)
		return;
	free(check->path);
	free(check);
}

void member_check_expect(struct member_check *check)
{
	check->expected = true;
}

enum descriptor { DESCRIPTOR_SOCKET, DESCRIPTOR_OTHER, DESCRIPTOR_GONE };

static enum descriptor look(int32_t tid, int64_t fd)
{
	static const char socket[] = "socket:";
	char path[64], link[32];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%lld", tid, (long long)fd);
	length = readlink(path, link, sizeof(link));
	if (length < 0)
		return DESCRIPTOR_GONE;
	return (size_t)length >= strlen(socket) && memcmp(link, socket, strlen(socket)) == 0 ? DESCRIPTOR_SOCKET : DESCRIPTOR_OTHER;
}

/* By the time of the look the descriptor may have been closed, or even be another file. */
static bool check_descriptor(struct member_check *check, int32_t tid, int64_t fd)
{
	enum descriptor is = look(tid, fd);

	check->right += is == DESCRIPTOR_SOCKET;
	check->others += is == DESCRIPTOR_OTHER;
	check->gone += is == DESCRIPTOR_GONE;
	if ((check->others >= CHECK_WRONG && check->others > check->right) || (check->gone >= CHECK_GONE && check->right == 0)) {
		check->wrong = true;
		check->say("'%s': its layout line is wrong: the descriptors that it leads to are no sockets; arguments by members are left out from now on",
			   check->path);
	}
	return is == DESCRIPTOR_SOCKET || (is == DESCRIPTOR_GONE && check->right > 0);
}

bool member_check_holds(struct member_check *check, int32_t tid, int64_t fd)
{
	if (!check->expected)
		return true;
	if (check->wrong)
		return false;
	if (fd < 0)
		return check->right > 0;
	if (check->right >= CHECK_ENOUGH && ++check->events % CHECK_EVERY)
		return true;
	return check_descriptor(check, tid, fd);
}
