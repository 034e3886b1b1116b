/*
 * talks: which ends of connections belong together, by their addresses: of one host, or of two.
 *
 * Addresses that come again among the ends, and a connection that is seen to receive more than was sent, are no talk.
 *
 *	struct talks *talks = talks_new();
 *	talks_add(talks, host, flows)		for each host
 *	talk = talks_next(talks, NULL), talks_next(talks, talk) ...
 *	talks_free(talks)
 */
#ifndef SPAN_TALKS_H
#define SPAN_TALKS_H

#include <uthash.h>

#include "span/flows.h"

struct talk { /* a connection with both ends in the stream */
	const struct end *end[2];
	int host[2];
	bool loopback;
	/* private */
	struct address ends[2]; /* the lower first */
	unsigned count[2];
	UT_hash_handle hh;
};

struct talks;

struct talks *talks_new(void);
void talks_free(struct talks *talks);

/* The ends of a host's stream; `flows` must outlive the talks. */
void talks_add(struct talks *talks, int host, const struct flows *flows);

/* The first, or the next; NULL: there is none. */
const struct talk *talks_next(const struct talks *talks, const struct talk *talk);

#endif
