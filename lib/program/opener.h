/*
 * opener: finds and opens other users' files without being blocked by the file system that they are on.
 *
 * To find, open, read, and even close a file on FUSE or NFS takes an answer of its server, which may never come: the server may be the very
 * trouble under investigation, or malicious. So a process of its own, "tailblame-files" (program/helper.h), finds and opens files. If that
 * process does not answer, no file in the same folder is asked for until HELPER_REST_S are over.
 *
 * The asker never holds the open file either, because close(2) would ask the server, too. It holds the file's place (O_PATH), and passes the
 * open file on unseen, in a socket, to the process that reads it (program/lookup.h).
 *
 * Any thread may ask.
 */
#ifndef PROGRAM_OPENER_H
#define PROGRAM_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { OPENER_MS = 250 /* how long to wait */ };

struct opener_file {
	int place;	    /* a descriptor opened with O_PATH; the holder closes it, which asks no server */
	struct stat status; /* as of when the file was found */
	uint64_t system;    /* f_type of its file system (statfs(2)) */
};

/*
 * Finds a regular file; refuses any other (EINVAL). 0; -1 with errno and a place of -1. ETIMEDOUT: the process does not answer, or did not
 * lately.
 */
int opener_find(const char *path, struct opener_file *file);

/*
 * Returns a socket from which one message (opener_receive) brings the file, opened for reading; -1 with errno. `path` is the one that found
 * the file. Closing the socket asks no file system, whether the message was received or not.
 */
int opener_open(const struct opener_file *file, const char *path);

/* Receives the open file in the process that the socket was passed to; -1: it did not come. Closes the socket. */
int opener_receive(int socket);

/* Tells whether a message that was sent has not been received yet. */
bool opener_is_unread(int socket);

#endif
