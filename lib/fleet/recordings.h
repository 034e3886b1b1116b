/*
 * recordings: carries out a machine's orders: for each it starts `trace-collect | run-features` and puts the runs into the outbox, until
 * the order is over. The machine's own file decides what may be recorded (fleet/permission.h).
 *
 *	recordings = recordings_new(&options);
 *	recordings_step(recordings)		each second
 *	recordings_end(recordings);
 */
#ifndef FLEET_RECORDINGS_H
#define FLEET_RECORDINGS_H

#include "fleet/outbox.h"
#include "fleet/permission.h"

struct recordings_options {
	struct outbox *outbox;
	const char *folder; /* of the outbox */
	const struct permission *permission;
	const char *node;
	const char *commands; /* what the paths of trace-collect and run-features begin with */
	void (*tell)(const char *text);
};

struct recordings;

struct recordings *recordings_new(const struct recordings_options *options);

/* Begins and ends recordings by the orders. The processes that it starts end with this thread. */
void recordings_step(struct recordings *recordings);

/* Ends all that records, in good order within ten seconds, and frees. */
void recordings_end(struct recordings *recordings);

#endif
