/*
 * executable: the file that a process executes.
 *
 * Its path (proc_exe()) is the one that the process sees. Here that path may lead to another file: the process may have other mounts, or
 * its file was replaced. So the file is identified by device and inode, and a path counts only if it leads to them. opener.h finds the
 * files, so a file system whose server does not answer blocks nobody.
 */
#ifndef PROGRAM_EXECUTABLE_H
#define PROGRAM_EXECUTABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Finds the file that the process executes. 0; -1: the process is gone, or the file system does not answer. */
int executable_find(int32_t pid, struct stat *file);

/* Tells whether the path leads to this file. */
bool executable_is_at(const struct stat *file, const char *path);

/*
 * A path that leads to the file here: `seen`, the path that the process sees; else the same path in the root of the process; else
 * /proc/PID/exe. The caller frees it.
 */
char *executable_path(int32_t pid, const struct stat *file, const char *seen);

#endif
