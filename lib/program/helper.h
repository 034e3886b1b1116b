/*
 * helper: a process of our own for work that may take for ever, such as asking a file system whose server does not answer: the kernel lets
 * no process end that waits for FUSE. When one waits, another process takes its place, and the waiting one ends when it can.
 *
 *	static struct helper files = {.name = "tailblame-files", .serve = answer, .patience = 250, .socket = -1};
 *
 *	if (helper_is_silent(&files, subject) || !helper_start(&files))
 *		give up
 *	helper_send(files.socket, ...)
 *	if (helper_await(&files, subject) == 1) helper_receive(files.socket, ...)
 *
 * A subject says in words what a question is about. A subject that did not answer is not asked about again until HELPER_REST_S are over and
 * no process still waits for it. So one subject cannot use up all processes (HELPER_LEFT). A process that has answered may still wait, to
 * close a file.
 *
 * Only one thread at a time may use a helper; a lock is the caller's business.
 */
#ifndef PROGRAM_HELPER_H
#define PROGRAM_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * HELPER_MOST_MS: how long to wait for an answer while the process lacks nothing but a CPU. HELPER_LEFT: the most processes left waiting.
 * HELPER_FDS: the most descriptors in a message.
 */
enum { HELPER_MOST_MS = 10000, HELPER_REST_S = 10, HELPER_LEFT = 16, HELPER_SUBJECTS = 8, HELPER_FDS = 2, HELPER_SOCKET = 3 };

struct helper {
	const char *name;	    /* name of the process, at most 15 characters */
	bool (*serve)(int socket); /* runs in the process: waits for a question and answers it; false: there are no more questions */
	int patience;		    /* how long to wait for an answer, in ms */
	int socket;		    /* -1: there is no process */
	pid_t process;
	char *before; /* the subject of its last answer; NULL: none */
	struct helper_left { /* process that was killed, but still waits; 0: none */
		pid_t process;
		char *subject;
	} left[HELPER_LEFT];
	struct helper_silent { /* a subject that did not answer; NULL: none */
		char *subject;
		int64_t since;
	} silent[HELPER_SUBJECTS];
	size_t next;
};

/* Starts the process if there is none. False: it cannot be started, or HELPER_LEFT processes wait. */
bool helper_start(struct helper *helper);

bool helper_is_silent(struct helper *helper, const char *subject);

/* Waits for an answer. 1: there is one; 0: the process does not answer; -1: it is gone. Unless it returns 1, there is no process any more. */
int helper_await(struct helper *helper, const char *subject);

/* Kills the process and leaves it, because it is gone or its answer made no sense. */
void helper_leave(struct helper *helper);

/* Kills the process, because there are no more questions for now, and waits shortly for its end. */
void helper_end(struct helper *helper);

/* Sends a message with descriptors. In the process, `socket` is the argument of serve(). */
bool helper_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t descriptors);

/* Receives a message. Returns its length in bytes; -1 with errno. `fds` gets the descriptors that came along, else -1. */
ssize_t helper_receive(int socket, void *bytes, size_t room, int fds[HELPER_FDS], int flags);

/* Tells whether a message that was sent has not been received yet. */
bool helper_is_unread(int socket);

#endif
