/*
 * helper: a process of our own for work that may take for ever, as that of whoever asks a file system whose server does not answer: the kernel lets
 * nobody end who waits for FUSE. Another process takes its place, and the waiting one ends when it can.
 *
 *	static struct helper files = {.name = "tailblame-files", .serve = answer, .patience = 250, .socket = -1};
 *
 *	if (helper_is_silent(&files, subject) || !helper_start(&files))
 *		give up
 *	helper_send(files.socket, ...)
 *	if (helper_await(&files, subject) == 1) helper_receive(files.socket, ...)
 *
 * A subject is what a question is about, in words: what does not answer is not asked about again until HELPER_REST_S are over, nor as long as a process
 * still waits for it. So nobody can use up all processes (HELPER_LEFT) with one subject. A process that has answered may still wait, to close a file.
 *
 * A helper is not for several threads at a time; a lock is the caller's.
 */
#ifndef PROGRAM_HELPER_H
#define PROGRAM_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * HELPER_MOST_MS: how long to wait for an answer while the process lacks nothing but a CPU. HELPER_LEFT: processes that wait, at most. HELPER_FDS: descriptors
 * in a message.
 */
enum { HELPER_MOST_MS = 10000, HELPER_REST_S = 10, HELPER_LEFT = 16, HELPER_SUBJECTS = 8, HELPER_FDS = 2, HELPER_SOCKET = 3 };

struct helper {
	const char *name;	    /* of the process, 15 characters at most */
	bool (*serve)(int socket); /* in the process: waits for a question and answers it; false: nobody asks any more */
	int patience;		    /* how long to wait for an answer, in ms */
	int socket;		    /* -1: there is no process */
	pid_t process;
	char *before; /* the subject of its last answer; NULL: none */
	struct helper_left { /* killed, but it waits yet; 0: none */
		pid_t process;
		char *subject;
	} left[HELPER_LEFT];
	struct helper_silent { /* NULL: none */
		char *subject;
		int64_t since;
	} silent[HELPER_SUBJECTS];
	size_t next;
};

/* Starts the process, if there is none. False: it cannot, or HELPER_LEFT of them wait. */
bool helper_start(struct helper *helper);

bool helper_is_silent(struct helper *helper, const char *subject);

/* 1: there is an answer; 0: nobody answers; -1: the process is gone. Below 1 there is no process any more. */
int helper_await(struct helper *helper, const char *subject);

/* The process is gone, or cannot be understood. */
void helper_leave(struct helper *helper);

/* There are no more questions for now. */
void helper_end(struct helper *helper);

/* Messages, with descriptors. In the process, `socket` is what serve() was given. */
bool helper_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t descriptors);

/* How many bytes came; the descriptors that came along, or -1. */
ssize_t helper_receive(int socket, void *bytes, size_t room, int fds[HELPER_FDS], int flags);

/* Tells whether a message that was sent has not been received yet. */
bool helper_is_unread(int socket);

#endif
