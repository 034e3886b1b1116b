/*
 * coroutines: follows charted functions that are coroutines, however often and on whatever thread they are resumed.
 *
 *	struct coroutines coroutines = {0};
 *	coroutines_name(&coroutines, lookup, charts)	charts of their actors (program/coroutine.h)
 *	coroutines_write(&coroutines, stream)		a `handoff` record each: a call goes on from the last with the same frame
 *	coroutines_free(&coroutines)
 */
#ifndef CHART_COROUTINES_H
#define CHART_COROUTINES_H

#include "base/command.h"
#include "base/memory.h"
#include "stream/stream.h"

struct lookup;
struct coroutines {
	ARRAY(char *) charts; /* of the actors */
	bool nameless;	      /* some have no debugging information, and are not followed */
};

/* Adds the charts of the actors to the end of `charts`, which does not own them. */
void coroutines_name(struct coroutines *coroutines, struct lookup *lookup, struct option_list *charts);

int coroutines_write(const struct coroutines *coroutines, struct stream *stream);
void coroutines_free(struct coroutines *coroutines);

#endif
