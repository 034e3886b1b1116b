/*
 * outbox: the folder in which runs wait until the server has them, a file a run.
 *
 *	outbox = outbox_open(folder, 64 << 20);
 *	outbox_add(outbox, text, length);			any process
 *	while ((name = outbox_next(outbox))) {		one process
 *		outbox_read(outbox, name, &bytes, &size);
 *		outbox_sent(outbox, name);
 *	}
 *	outbox_free(outbox);
 *
 * What was sent is kept for ten minutes, as the server may not have synced it: after each new connection outbox_again() makes it wait anew.
 */
#ifndef FLEET_OUTBOX_H
#define FLEET_OUTBOX_H

#include <stddef.h>
#include <stdint.h>

struct outbox;

/* Makes the folder, and the one that it is in. `most` bytes of runs. NULL after fail(): others can write to it, or it is another user's. */
struct outbox *outbox_open(const char *folder, uint64_t most);
void outbox_free(struct outbox *outbox);

/* Adds a run (fleet/parcel.h), synced; the oldest go if there is no room. 0; -1 after fail(). */
int outbox_add(struct outbox *outbox, const char *text, size_t length);

/*
 * The same for a sentence that the hub should hear, for which nothing goes. It takes the place of one about the same, a word such as an
 * order's id, if that waits yet; the server takes the same sentence once.
 */
int outbox_tell(struct outbox *outbox, const char *node, const char *job, const char *about, const char *text);

/* How many runs went for lack of room, since the folder was made. */
uint64_t outbox_dropped(const struct outbox *outbox);

/* The name of the oldest that waits, until the next call; each once, and then anew from the oldest; NULL: that was the last, or none waits. */
const char *outbox_next(struct outbox *outbox);

/* The next is the oldest that waits: for when one could not be sent. */
void outbox_rewind(struct outbox *outbox);

/* 0, and the caller frees *bytes; 1: it went meanwhile; -1 after fail(). */
int outbox_read(const struct outbox *outbox, const char *name, char **bytes, size_t *size);

void outbox_sent(struct outbox *outbox, const char *name);
void outbox_remove(struct outbox *outbox, const char *name);
void outbox_again(struct outbox *outbox);
void outbox_sweep(struct outbox *outbox); /* of what was sent ten minutes ago */

/* A small file beside the runs, whole or not at all: 0; -1 after fail(). And its text, which the caller frees; NULL after fail(). */
int outbox_note(const struct outbox *outbox, const char *name, const char *text, size_t length);
char *outbox_noted(const struct outbox *outbox, const char *name, size_t *length);

void outbox_forget(const struct outbox *outbox, const char *name); /* the note */

/* Changes whenever the note does; 0: it is not there. */
uint64_t outbox_note_mark(const struct outbox *outbox, const char *name);

#endif
