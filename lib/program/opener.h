/*
 * opener: finds and opens files of others without being held up by the file system that they are on.
 *
 * A file of FUSE or NFS is found, opened, read, and even closed when its server answers, which may be never: the server may be the very
 * trouble that is looked into, or mean harm. So a process of its own, "tailblame-files" (program/helper.h), finds and opens files. Where that process
 * does not answer, no file in the same folder is asked for until HELPER_REST_S are over.
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
	int place;	    /* a descriptor, O_PATH; the holder closes it, which asks nobody */
	struct stat status; /* when it was found */
	uint64_t system;    /* the kind of its file system, as statfs(2) tells it */
};

/*
 * Finds a regular file; any other is refused (EINVAL). 0; -1 with errno and a place of -1. ETIMEDOUT: nobody answers, or nobody did lately.
 */
int opener_find(const char *path, struct opener_file *file);

/*
 * A socket from which one message (opener_receive) brings the file, opened to be read; -1 with errno. `path` is what it was found by. To
 * close the socket asks no file system, whether the message was received or not.
 */
int opener_open(const struct opener_file *file, const char *path);

/* In whatever process the socket was passed to: the open file; -1: it did not come. The socket is closed. */
int opener_receive(int socket);

/* Tells whether a message that was sent has not been received yet. */
bool opener_is_unread(int socket);

#endif
