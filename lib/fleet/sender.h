/*
 * sender: sends the messages that wait in an outbox: in a window of the day, at most at a rate, with longer and longer waits while the server does
 * not take them; and fetches the orders.
 */
#ifndef FLEET_SENDER_H
#define FLEET_SENDER_H

#include "fleet/link.h"
#include "fleet/outbox.h"

struct sender_options {
	const char *node;
	int window_from, window_to; /* minutes of the day; equal: all day */
	uint64_t rate;		    /* bytes a second; 0: any */
	void (*tell)(const char *text); /* for what is worth a message */
};

/* "01:00-05:00": 0; -1 after fail(). */
int sender_window(const char *text, int *from, int *to);

/* Tells whether this minute of the day is in the node's part of the window. */
bool sender_may(const struct sender_options *options, int minute);

struct sender;
struct sender *sender_new(const struct sender_options *options, struct fleet_link *link, struct outbox *outbox);
void sender_free(struct sender *sender);

/* Sends and fetches for a few seconds at most, or as long as the server takes to answer. To be called each second. */
void sender_step(struct sender *sender);

/* Tells whether all that waited in the outbox was sent. */
bool sender_is_done(const struct sender *sender);

#endif
