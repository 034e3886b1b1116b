/*
 * ring_file: a file of bounded size that is written without end: its oldest chunks are overwritten. Offsets in it only grow, as if the
 * file kept everything.
 *
 * The kernel already has pages and blocks for a chunk that is overwritten. Giving them back and taking others would cost three times as much.
 *
 *	file = ring_file_open(folder, size)
 *	ring_file_write(file, bytes, length)	behind all before
 *	ring_file_forget(file, from)		what lies before may be overwritten
 *	view = ring_file_view(file, from, to)	a part for another thread to read; forget nothing there until it has
 *	ring_file_close(file)
 */
#ifndef SOURCE_RING_FILE_H
#define SOURCE_RING_FILE_H

#include <stddef.h>
#include <stdint.h>

struct ring_file;
struct ring_file_view;

enum { RING_FILE_CHUNK = 1 << 16 }; /* no file system has larger blocks */

/*
 * The file has no name, so whatever ends the process leaves nothing behind, and nobody else may read it. It takes `size` bytes and two chunks. While
 * old chunks are kept for a view it takes more, which it gives back later. NULL after fail(): the file system cannot do that.
 */
struct ring_file *ring_file_open(int folder, uint64_t size);
void ring_file_close(struct ring_file *file);

int ring_file_fd(const struct ring_file *file);

/* -1 after fail(). */
int ring_file_write(struct ring_file *file, const char *bytes, size_t length);
int ring_file_forget(struct ring_file *file, uint64_t from);

/* A view of this part, which may be read while more is written. The caller frees it. */
struct ring_file_view *ring_file_view(const struct ring_file *file, uint64_t from, uint64_t to);
int ring_file_read(const struct ring_file_view *view, char *bytes, size_t length, uint64_t at); /* -1 after fail() */
void ring_file_view_free(struct ring_file_view *view);

#endif
