/*
 * aide: a process of our own for work that may take for ever, as that of whoever asks a file system whose server does not answer: the kernel lets
 * nobody end who waits for FUSE. Another process takes its place, and the waiting one ends when it can.
 *
 *	static struct aide files = {.name = "tailblame-files", .serve = answer, .patience = 250, .socket = -1};
 *
 *	if (aide_is_silent(&files, subject) || !aide_start(&files))
 *		give up
 *	aide_send(files.socket, ...)
 *	if (aide_await(&files, subject) == 1) aide_receive(files.socket, ...)
 *
 * A subject is what a question is about, in words: what does not answer is not asked about again until AIDE_REST_S are over, nor as long as a process
 * still waits for it. So nobody can use up all processes (AIDE_LEFT) with one subject. A process that has answered may still wait, to close a file.
 *
 * An aide is not for several threads at a time; a lock is the caller's.
 */
#ifndef PROGRAM_AIDE_H
#define PROGRAM_AIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * AIDE_MOST_MS: how long to wait for an answer while the process lacks nothing but a CPU. AIDE_LEFT: processes that wait, at most. AIDE_FDS: descriptors
 * in a message.
 */
enum { AIDE_MOST_MS = 10000, AIDE_REST_S = 10, AIDE_LEFT = 16, AIDE_SUBJECTS = 8, AIDE_FDS = 2, AIDE_SOCKET = 3 };

struct aide {
	const char *name;	    /* of the process, 15 characters at most */
	bool (*serve)(int socket); /* in the process: waits for a question and answers it; false: nobody asks any more */
	int patience;		    /* how long to wait for an answer, in ms */
	int socket;		    /* -1: there is no process */
	pid_t process;
	char *before; /* the subject of its last answer; NULL: none */
	struct aide_left { /* killed, but it waits yet; 0: none */
		pid_t process;
		char *subject;
	} left[AIDE_LEFT];
	struct aide_silent { /* NULL: none */
		char *subject;
		int64_t since;
	} silent[AIDE_SUBJECTS];
	size_t next;
};

/* Starts the process, if there is none. False: it cannot, or AIDE_LEFT of them wait. */
bool aide_start(struct aide *aide);

bool aide_is_silent(struct aide *aide, const char *subject);

/* 1: there is an answer; 0: nobody answers; -1: the process is gone. Below 1 there is no process any more. */
int aide_await(struct aide *aide, const char *subject);

/* The process is gone, or cannot be understood. */
void aide_leave(struct aide *aide);

/* There are no more questions for now. */
void aide_end(struct aide *aide);

/* Messages, with descriptors. In the process, `socket` is what serve() was given. */
bool aide_send(int socket, struct iovec *parts, size_t count, const int *fds, size_t descriptors);

/* How many bytes came; the descriptors that came along, or -1. */
ssize_t aide_receive(int socket, void *bytes, size_t room, int fds[AIDE_FDS], int flags);

/* Tells whether a message that was sent has not been received yet. */
bool aide_is_unread(int socket);

#endif
