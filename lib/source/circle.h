/*
 * circle: a file of bounded size that is written without end: its chunks are written again once what is in them is old. Places in it
 * only grow, as if the file kept everything.
 *
 * Of a chunk that is written anew the kernel has pages and blocks already. To give those back, and to take others, costs three times as much.
 *
 *	circle = circle_open(folder, size)
 *	circle_write(circle, bytes, length)	behind all before
 *	circle_forget(circle, from)		what lies before may be overwritten
 *	view = circle_view(circle, from, to)	what another thread reads; until it has, nothing there is forgotten
 *	circle_close(circle)
 */
#ifndef SOURCE_CIRCLE_H
#define SOURCE_CIRCLE_H

#include <stddef.h>
#include <stdint.h>

struct circle;
struct circle_view;

enum { CIRCLE_CHUNK = 1 << 16 }; /* no file system has larger blocks */

/*
 * The file has no name, so whatever ends the process leaves nothing behind, and nobody else may read it. It takes `size` bytes and two chunks, but more
 * while a view keeps old ones; these are given back. NULL after fail(): the file system cannot do that.
 */
struct circle *circle_open(int folder, uint64_t size);
void circle_close(struct circle *circle);

int circle_fd(const struct circle *circle);

/* -1 after fail(). */
int circle_write(struct circle *circle, const char *bytes, size_t length);
int circle_forget(struct circle *circle, uint64_t from);

/* Where the chunks of this part are, which may be read while the circle is written. */
struct circle_view *circle_view(const struct circle *circle, uint64_t from, uint64_t to);
int circle_read(const struct circle_view *view, char *bytes, size_t length, uint64_t at); /* -1 after fail() */
void circle_view_free(struct circle_view *view);

#endif
