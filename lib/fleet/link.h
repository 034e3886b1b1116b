/*
 * link: the connection to a NATS server with JetStream (libnats), for one thread.
 *
 *	link = fleet_link_open(&options);	NULL after fail()
 *	while ((text = fleet_link_complaint(link))) ...
 *	fleet_link_close(link);
 *
 * With `patient`, fleet_link_open() does not wait for a connection: the link tries to connect again and again, 1 second to 10 minutes apart.
 * Without it, opening fails if there is no server. Some refusals of the server do not come as an answer, but as a complaint.
 */
#ifndef FLEET_LINK_H
#define FLEET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_options {
	const char *server;	 /* URLs with commas between them */
	const char *ca, *cert, *key, *login; /* paths; NULL: none */
	const char *name;	 /* this machine's name: answers come to _INBOX_NAME. NULL: a hub; they come to _INBOX */
	bool patient;
};

struct fleet_link;

struct fleet_link *fleet_link_open(const struct link_options *options);
void fleet_link_close(struct fleet_link *link);

/* The number of connections made so far; *up: whether there is one now. Renews a connection that the library gave up. */
unsigned fleet_link_connections(struct fleet_link *link, bool *up);

/* The last complaint of the server or the library since the last call, which the caller frees; NULL: none. */
char *fleet_link_complaint(struct fleet_link *link);

/* Makes the stream, of `most` bytes, or updates it, and makes the bucket if it is missing. Returns 0; -1 after fail(). */
int fleet_link_init(struct fleet_link *link, uint64_t most);

/* Sends a message, and waits until the server has stored it, or says that it has one of this name already. Returns 0; -1 after fail(). */
int fleet_link_send(struct fleet_link *link, const char *subject, const char *name, const char *bytes, size_t size);

/* The orders as text, which the caller frees; *revision is their revision. "" and 0: there are none. NULL after fail(). */
char *fleet_link_orders(struct fleet_link *link, size_t *length, uint64_t *revision);

/* Replaces the orders of this revision. Returns 0; 1: others changed them meanwhile; -1 after fail(). */
int fleet_link_put_orders(struct fleet_link *link, const char *text, uint64_t revision);

/* Tells whether the orders changed, or may have changed, since the last call. True after each new connection. */
bool fleet_link_orders_changed(struct fleet_link *link);

/* A pulled message, valid until fleet_link_acknowledge(). */
struct fleet_message {
	const char *subject, *bytes;
	size_t size;
};

/*
 * Pulls messages of these subjects (a pattern) that no pull with this name has acknowledged, and sets *messages to them. Returns their number, at
 * most 256. 0: there are none now; *all_seen: nor is there a message that another pull of this name has not acknowledged yet. -1 after fail().
 */
int fleet_link_pull(struct fleet_link *link, const char *name, const char *subjects, const struct fleet_message **messages, bool *all_seen);
int fleet_link_acknowledge(struct fleet_link *link); /* acknowledges all pulled messages: 0; -1 after fail() */

#endif
