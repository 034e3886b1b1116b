/*
 * opener: opens files of others without being held up by the file system that they are on.
 *
 * A file of FUSE or NFS opens when its server answers, which may be never, and that may be the very trouble that is looked into. The kernel
 * lets nobody end who waits for FUSE. So a process of its own, "tailblame-files", opens them, and whoever asks waits for it OPENER_MS, or
 * OPENER_MOST_MS while that process lacks nothing but a CPU: then another one takes its place, and what lies in the same folder is not asked
 * for until OPENER_REST_S are over.
 */
#ifndef PROGRAM_OPENER_H
#define PROGRAM_OPENER_H

enum { OPENER_MS = 250, OPENER_MOST_MS = 10000, OPENER_REST_S = 10, OPENER_LEFT = 16 /* processes that wait, at most */ };

/*
 * Opens a regular file to be read, and nothing else: what it is, is seen before it is opened. A descriptor; -1: it is none, cannot be opened,
 * or nobody answers. Any thread may ask.
 */
int opener_open(const char *path);

#endif
