/*
 * sender: sends the messages that wait in an outbox, within a window of the day and a rate, with longer and longer pauses while the server does not
 * take them; and fetches the orders.
 */
#ifndef FLEET_SENDER_H
#define FLEET_SENDER_H

#include "fleet/link.h"
#include "fleet/outbox.h"

struct sender_options {
	const char *node;
	int window_from, window_to; /* minutes of the day; equal: all day */
	uint64_t rate;		    /* bytes a second; 0: unlimited */
	void (*tell)(const char *text); /* prints a message */
};

/* Reads a window such as "01:00-05:00". Returns 0; -1 after fail(). */
int sender_window(const char *text, int *from, int *to);

/* Tells whether this minute of the day is in the node's part of the window, whose start depends on the node's name. */
bool sender_may(const struct sender_options *options, int minute);

struct sender;
struct sender *sender_new(const struct sender_options *options, struct fleet_link *link, struct outbox *outbox);
void sender_free(struct sender *sender);

/* Sends and fetches for at most a few seconds, or as long as the server takes to answer. To be called once a second. */
void sender_step(struct sender *sender);

/* Tells whether all that waited in the outbox was sent. */
bool sender_is_done(const struct sender *sender);

#endif
