/*
 * folder: a folder of this program's own, and its files. A file is either whole or not there.
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

/*
 * Opens a folder, and makes it if it is missing. `in`: descriptor of the folder in which it is, or AT_FDCWD. Returns 0; -1 after fail(), such as if
 * others can write to it, or it is another user's.
 */
int folder_open(struct folder *folder, int in, const char *name);
void folder_close(struct folder *folder);

/* Writes a file: it gets its name when all of it is on the disk. Returns 0; -1 after fail(). */
int folder_write(const struct folder *folder, const char *name, const char *bytes, size_t length);

/* The bytes of a file and a NUL, which the caller frees. NULL after fail(), with errno; EFBIG: it has more than `most` bytes, or is no file. */
char *folder_read(const struct folder *folder, const char *name, size_t most, size_t *length);

/* A number that changes whenever the file is written; 0: the file is not there. */
uint64_t folder_mark(const struct folder *folder, const char *name);

void folder_remove(const struct folder *folder, const char *name);

#endif
