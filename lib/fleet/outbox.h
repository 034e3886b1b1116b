/*
 * outbox: the folder in which messages, such as runs, wait until the server has them, each in a file.
 *
 *	outbox = outbox_open(folder, 64 << 20);
 *	outbox_add(outbox, text, length);			any process
 *	while ((name = outbox_next(outbox))) {		one process
 *		outbox_read(outbox, name, &bytes, &size);
 *		outbox_sent(outbox, name, true);
 *	}
 *	outbox_free(outbox);
 *
 * A sent message is kept for ten minutes, because the server may not have synced it: after each new connection, outbox_again() makes it wait anew.
 */
#ifndef FLEET_OUTBOX_H
#define FLEET_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleet/folder.h"

struct outbox;

/*
 * Opens the folder; makes it, and its parent, if they are missing. `most`: bytes of all messages. NULL after fail(), such as if others can write to
 * the folder, or it is another user's.
 */
struct outbox *outbox_open(const char *folder, uint64_t most);
void outbox_free(struct outbox *outbox);

/* Adds a run or moments (fleet/parcel.h), and syncs. If there is no room, the oldest are dropped. Returns 0; -1 after fail(). */
int outbox_add(struct outbox *outbox, const char *text, size_t length);

/*
 * Adds a sentence for the hub; no run is dropped to make room for it. `about` is a word such as an order's id: the sentence replaces one about the
 * same if that still waits. The server takes the same sentence only once.
 */
int outbox_tell(struct outbox *outbox, const char *node, const char *job, const char *about, const char *text);

/* The number of messages that were dropped for lack of room since the folder was made. */
uint64_t outbox_dropped(const struct outbox *outbox);

/*
 * Returns the name of the next message that waits, the oldest first, valid until the next call. NULL: there are no more, and the next call begins
 * anew.
 */
const char *outbox_next(struct outbox *outbox);

/* Makes outbox_next() begin anew, such as when a message could not be sent. */
void outbox_rewind(struct outbox *outbox);

/* Reads a message. Returns 0, and the caller frees *bytes; 1: it is gone meanwhile; -1 after fail(). */
int outbox_read(const struct outbox *outbox, const char *name, char **bytes, size_t *size);

/*
 * The name under which the server knows a message with this id, which the caller frees: a secret of the outbox, and the id. The server takes each
 * name once, whoever sends it, and ids can be guessed: without the secret, another machine could use up the names of this one.
 */
char *outbox_message_name(const struct outbox *outbox, const char *id);

/* The message needs no sending any more; `kept`: it may be sent again, else it is removed. */
void outbox_sent(struct outbox *outbox, const char *name, bool kept);
void outbox_again(struct outbox *outbox); /* makes kept messages wait anew */
void outbox_sweep(struct outbox *outbox); /* removes messages that were sent ten minutes ago */

/* The folder for notes: small files of the outbox's users, of at most OUTBOX_NOTE bytes. OUTBOX_DROPPED changes when messages are dropped. */
enum { OUTBOX_NOTE = 2 << 20 };
#define OUTBOX_DROPPED "dropped"

const struct folder *outbox_notes(const struct outbox *outbox);

#endif
