/*
 * hands: what calls handed over, and by which value it is known. Private to lib/calls. All zero at first.
 *
 * A value belongs to its `handoff` record and, unless both functions may be of several processes, to the process.
 */
#ifndef CALLS_HANDS_H
#define CALLS_HANDS_H

#include <uthash.h>

#include "wake/function.h"

struct handed;
struct hands {
	struct handed *by_value; /* uthash */
};

/* The last call that handed over a value. */
struct handed {
	struct {
		uint64_t value;
		int64_t process; /* 0: any */
		int64_t handoff;
	} key;
	int32_t call;
	int64_t ts;
	UT_hash_handle hh;
};

/* A call hands this on; whoever did so before is forgotten. */
void hands_give(struct hands *hands, const struct wake *wake, const struct function_hand *hand, const struct function_event *event, int32_t call);

/* Which call handed over what this one takes; NULL: none is known. Valid until the next that is given. */
const struct handed *hands_take(const struct hands *hands, const struct wake *wake, const struct function_hand *hand, const struct function_event *event);

void hands_free(struct hands *hands);

#endif
