/* What becomes of a question when the process that looks names up is killed, and which process is told which file. */
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/lookup.h"
#include "program/lookup_message.h"
#include "program/lookup_process.h"
#include "program/opener.h"

/* Shared with the processes that stand in for the real one. */
static struct {
	int begun;   /* processes */
	pid_t last;  /* of them */
	int to_die;  /* of the next questions */
	int unknown; /* questions about a file that the process never got */
} * shared;

static void serve_one(int socket)
{
	static bool known[1000];
	struct {
		struct lookup_question question;
		char text[QUESTION_ROOM];
	} asked;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {&asked, sizeof(asked)};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct lookup_answer found = {.kind = ANSWER_PLACE, .number = 1, .count = 1};

	if (recvmsg(socket, &message, 0) <= 0)
		_exit(0);
	if (shared->to_die > 0) {
		shared->to_die--;
		_exit(1);
	}
	if (CMSG_FIRSTHDR(&message)) {
		int fd;

		memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
		close(fd);
		known[asked.question.image] = true;
	}
	shared->unknown += !known[asked.question.image];
	lookup_send(socket, &found, sizeof(found), "nap", sizeof("nap"), -1, 0);
}

_Noreturn void lookup_serve(int socket)
{
	const struct lookup_answer confined = {.kind = ANSWER_DONE};
	struct lookup_question question;

	shared->begun++;
	shared->last = getpid();
	if (recv(socket, &question, sizeof(question), 0) < 0 || question.kind != ASK_CONFINED)
		_exit(1);
	lookup_send(socket, &confined, sizeof(confined), NULL, 0, -1, 0);
	for (;;)
		serve_one(socket);
}

static struct lookup_file *add(struct lookup *lookup)
{
	const struct opener_file file = {.place = open("/dev/null", O_PATH | O_CLOEXEC)};

	return lookup_add(lookup, &file, "/usr/bin/program");
}

static bool is_named(struct lookup *lookup, struct lookup_file *file)
{
	struct lookup_place place;
	bool named;

	lookup_place(lookup, file, 1, &place);
	named = place.count == 1 && strcmp(place.functions[0], "nap") == 0;
	for (int i = 0; i < place.count; i++)
		free(place.functions[i]);
	return named;
}

static void check_killed_once(struct lookup *lookup)
{
	struct lookup_file *first = add(lookup), *second = add(lookup);

	shared->to_die = 1;
	assert(is_named(lookup, first) && is_named(lookup, first) && shared->begun == 2);
	shared->to_die = 2; /* with both files at hand, and then alone */
	assert(is_named(lookup, second) && is_named(lookup, first) && shared->begun == 4);
	lookup_forget(lookup, first);
	lookup_forget(lookup, second);
}

static void check_killed_by_file(struct lookup *lookup)
{
	struct lookup_file *bad = add(lookup), *good = add(lookup);
	int begun;

	assert(is_named(lookup, good));
	shared->to_die = 3; /* beside the good one, and twice alone */
	assert(!is_named(lookup, bad) && shared->to_die == 0);
	begun = shared->begun;
	assert(!is_named(lookup, bad) && shared->begun == begun && is_named(lookup, good));
	lookup_forget(lookup, bad);
	lookup_forget(lookup, good);
}

/* Between two questions it is nobody's fault: the next one goes to another process. */
static void check_killed_idle(struct lookup *lookup)
{
	struct lookup_file *file = add(lookup);

	for (int i = 0; i < 5; i++) {
		int process;

		assert(is_named(lookup, file));
		process = shared->last;
		assert(kill(process, SIGKILL) == 0 && waitid(P_PID, (id_t)process, &(siginfo_t){0}, WEXITED | WNOWAIT) == 0);
	}
	assert(is_named(lookup, file));
	lookup_forget(lookup, file);
}

/* A process that has many files of which nobody asks any more is replaced; its successor is given what is asked about. */
static void check_forgotten(struct lookup *lookup)
{
	struct lookup_file *kept = add(lookup);
	int begun = shared->begun;

	assert(is_named(lookup, kept));
	for (int i = 0; i < 300; i++) {
		struct lookup_file *file = add(lookup);

		assert(is_named(lookup, file) && is_named(lookup, kept));
		lookup_forget(lookup, file);
	}
	assert(shared->begun == begun + 1 && shared->unknown == 0);
	lookup_forget(lookup, kept);
}

int main(void)
{
	struct lookup *lookup = lookup_new(NULL);

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(shared != MAP_FAILED);
	check_killed_once(lookup);
	check_killed_by_file(lookup);
	check_killed_idle(lookup);
	check_forgotten(lookup);
	lookup_free(lookup);
}
