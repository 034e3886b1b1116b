/*
 * folder: a folder of this program's own, and the files in it, each whole or not there.
 */
#ifndef FLEET_FOLDER_H
#define FLEET_FOLDER_H

#include <stddef.h>
#include <stdint.h>

struct folder {
	char *path; /* for messages */
	int fd;
};

enum { FOLDER_NAME = 64 }; /* room for the name of a file */

/* Makes it if it is not there; `in`: another one, or AT_FDCWD. -1 after fail(): others can write to it, or it is another user's. */
int folder_open(struct folder *folder, int in, const char *name);
void folder_close(struct folder *folder);

/* The file has its name when all of it is on the disk. 0; -1 after fail(). */
int folder_write(const struct folder *folder, const char *name, const char *bytes, size_t length);

/* The caller frees the bytes, behind which is a NUL. NULL after fail(), with errno; it has more than `most`, or is no file: EFBIG. */
char *folder_read(const struct folder *folder, const char *name, size_t most, size_t *length);

/* Changes whenever the file does; 0: it is not there. */
uint64_t folder_mark(const struct folder *folder, const char *name);

void folder_remove(const struct folder *folder, const char *name);

#endif
