/*
 * outbox: the folder in which runs wait until the server has them, a file a run.
 *
 *	outbox = outbox_open(folder, 64 << 20);
 *	outbox_add(outbox, text, length);			any process
 *	while ((name = outbox_next(outbox))) {		one process
 *		outbox_read(outbox, name, &bytes, &size);
 *		outbox_sent(outbox, name, true);
 *	}
 *	outbox_free(outbox);
 *
 * What was sent is kept for ten minutes, as the server may not have synced it: after each new connection outbox_again() makes it wait anew.
 */
#ifndef FLEET_OUTBOX_H
#define FLEET_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/folder.h"

struct outbox;

/* Makes the folder, and the one that it is in. `most` bytes of runs. NULL after fail(): others can write to it, or it is another user's. */
struct outbox *outbox_open(const char *folder, uint64_t most);
void outbox_free(struct outbox *outbox);

/* Adds a run (fleet/parcel.h), synced; the oldest go if there is no room. 0; -1 after fail(). */
int outbox_add(struct outbox *outbox, const char *text, size_t length);

/*
 * The same for a sentence that the hub should hear; no run is dropped to make room for it. It takes the place of one about the same, a word
 * such as an order's id, if that one still waits; the server takes the same sentence once.
 */
int outbox_tell(struct outbox *outbox, const char *node, const char *job, const char *about, const char *text);

/* How many runs went for lack of room, since the folder was made. */
uint64_t outbox_dropped(const struct outbox *outbox);

/*
 * Each call returns the next name, the oldest first, valid until the next call. NULL: the last was returned, or none waits; the next call begins
 * again.
 */
const char *outbox_next(struct outbox *outbox);

/* The next is the oldest that waits: for when one could not be sent. */
void outbox_rewind(struct outbox *outbox);

/* 0, and the caller frees *bytes; 1: it went meanwhile; -1 after fail(). */
int outbox_read(const struct outbox *outbox, const char *name, char **bytes, size_t *size);

/*
 * What the server knows a message of this id by, which the caller frees: a secret of the outbox, and the id. The server takes a name once, whoever
 * sends it, and ids can be guessed: without the secret, another machine could use up those of this one.
 */
char *outbox_message_name(const struct outbox *outbox, const char *id);

/* The server has it; `kept`: it may be sent again. */
void outbox_sent(struct outbox *outbox, const char *name, bool kept);
void outbox_again(struct outbox *outbox);
void outbox_sweep(struct outbox *outbox); /* of what was sent ten minutes ago */

/* Where its users keep small files, of at most OUTBOX_NOTE bytes, beside the runs; OUTBOX_DROPPED changes when runs went for lack of room. */
enum { OUTBOX_NOTE = 2 << 20 };
#define OUTBOX_DROPPED "dropped"

const struct folder *outbox_notes(const struct outbox *outbox);

#endif
