/*
 * recordings: carries out the orders for this machine: for each it starts `trace-collect | run-features` and puts the runs into the outbox, until
 * the order is over. The machine's own file decides what may be recorded (fleet/permission.h).
 *
 *	recordings = recordings_new(&options);
 *	recordings_step(recordings)		once a second
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
	const char *commands; /* prefix of the paths of trace-collect and run-features */
	void (*tell)(const char *text); /* prints a message */
};

struct recordings;

struct recordings *recordings_new(const struct recordings_options *options);

/* Begins and ends recordings as the orders say. The processes that it starts end with this thread. */
void recordings_step(struct recordings *recordings);

/* Ends all recordings, giving them up to ten seconds to write what they have, and frees `recordings`. */
void recordings_end(struct recordings *recordings);

#endif
