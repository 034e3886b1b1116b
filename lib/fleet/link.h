/*
 * link: the connection to a NATS server with JetStream (libnats), for one thread.
 *
 *	link = fleet_link_open(&options);	NULL after fail()
 *	while ((text = fleet_link_complaint(link))) ...
 *	fleet_link_close(link);
 *
 * With `patient`, the link is there at once and tries to connect again and again, 1 second to 10 minutes apart. Without it, there must be
 * a server. If the server refuses something, it says so beside the answers, as a complaint.
 */
#ifndef FLEET_LINK_H
#define FLEET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_options {
	const char *server;	 /* URLs with commas between them */
	const char *ca, *cert, *key, *login; /* paths; NULL: none */
	const char *name;	 /* of this machine; its answers come to _INBOX_NAME. NULL: _INBOX */
	bool patient;
};

struct fleet_link;

struct fleet_link *fleet_link_open(const struct link_options *options);
void fleet_link_close(struct fleet_link *link);

/* The number of connections so far; 0, or with *up false: there is none now. */
unsigned fleet_link_connections(struct fleet_link *link, bool *up);

/* The complaints of the server or the library since the last call, which the caller frees; NULL: none. */
char *fleet_link_complaint(struct fleet_link *link);

/* Makes the stream, of `most` bytes, and the bucket, unless they are there. 0; -1 after fail(). */
int fleet_link_init(struct fleet_link *link, uint64_t most);

/* Sends a message, and waits until the server has stored it, or had one of this name already: 0; -1 after fail(). */
int fleet_link_send(struct fleet_link *link, const char *subject, const char *name, const char *bytes, size_t size);

/* The orders as text, which the caller frees, "" if there are none; *revision is theirs, 0 if there are none. NULL after fail(). */
char *fleet_link_orders(struct fleet_link *link, size_t *length, uint64_t *revision);

/* Replaces those of this revision. 0; 1: others changed them meanwhile; -1 after fail(). */
int fleet_link_put_orders(struct fleet_link *link, const char *text, uint64_t revision);

/* Tells whether they were changed, or may have been, since the last call; the first time: yes. */
bool fleet_link_orders_changed(struct fleet_link *link);

/* A message that was pulled, valid until fleet_link_acknowledge(). */
struct fleet_message {
	const char *subject, *bytes;
	size_t size;
};

/*
 * Pulls messages of these subjects (a pattern) that no pull of this name has acknowledged: how many came into *messages, at most 256; 0: none
 * now, and *all_seen tells whether there are none that another pull has not acknowledged yet; -1 after fail().
 */
int fleet_link_pull(struct fleet_link *link, const char *name, const char *subjects, const struct fleet_message **messages, bool *all_seen);
int fleet_link_acknowledge(struct fleet_link *link); /* all of them: 0; -1 after fail() */

#endif
