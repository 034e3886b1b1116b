#include "source/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

struct proof {
	char *path;
	proof_say *say;
	bool expected, wrong;
	unsigned right, others, gone, events;
};

struct proof *proof_new(const char *path, proof_say *say)
{
	struct proof *proof = NEW(struct proof);

	proof->path = memory_text(path, strlen(path));
	proof->say = say;
	return proof;
}

void proof_free(struct proof *proof)
{
	if (!proof)
		return;
	free(proof->path);
	free(proof);
}

void proof_expect(struct proof *proof)
{
	proof->expected = true;
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
static bool check(struct proof *proof, int32_t tid, int64_t fd)
{
	enum descriptor is = look(tid, fd);

	proof->right += is == DESCRIPTOR_SOCKET;
	proof->others += is == DESCRIPTOR_OTHER;
	proof->gone += is == DESCRIPTOR_GONE;
	if ((proof->others >= PROOF_WRONG && proof->others > proof->right) || (proof->gone >= PROOF_GONE && proof->right == 0)) {
		proof->wrong = true;
		proof->say("'%s': its layout line is wrong: the descriptors that it leads to are no sockets; arguments by members are left out from now on",
			   proof->path);
	}
	return is == DESCRIPTOR_SOCKET || (is == DESCRIPTOR_GONE && proof->right > 0);
}

bool proof_holds(struct proof *proof, int32_t tid, int64_t fd)
{
	if (!proof->expected)
		return true;
	if (proof->wrong)
		return false;
	if (fd < 0)
		return proof->right > 0;
	if (proof->right >= PROOF_ENOUGH && ++proof->events % PROOF_EVERY)
		return true;
	return check(proof, tid, fd);
}
