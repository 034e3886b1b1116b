#include "calls/hands.h"

#include <stdlib.h>

#include "wake/thread.h"

/* If a thread's process is not known, the thread hands on to itself only. */
static struct handed named(const struct wake *wake, const struct function_hand *hand, const struct function_event *event)
{
	int32_t tid = wake->threads.items[event->thread]->tid;
	int64_t process = events_tgid(wake->events, tid);
	struct handed handed = {.ts = event->ts};

	handed.key.value = hand->value;
	handed.key.handoff = hand->handoff;
	handed.key.process = hand->anywhere ? 0 : process ? process : -tid;
	return handed;
}

void hands_give(struct hands *hands, const struct wake *wake, const struct function_hand *hand, const struct function_event *event, int32_t call)
{
	struct handed key = named(wake, hand, event), *handed;

	HASH_FIND(hh, hands->by_value, &key.key, sizeof(key.key), handed);
	if (!handed) {
		handed = NEW(struct handed);
		*handed = key;
		HASH_ADD(hh, hands->by_value, key, sizeof(handed->key), handed);
	}
	handed->call = call;
	handed->ts = event->ts;
}

const struct handed *hands_take(const struct hands *hands, const struct wake *wake, const struct function_hand *hand, const struct function_event *event)
{
	struct handed key = named(wake, hand, event), *handed;

	HASH_FIND(hh, hands->by_value, &key.key, sizeof(key.key), handed);
	return handed;
}

void hands_free(struct hands *hands)
{
	struct handed *handed, *next;

	HASH_ITER(hh, hands->by_value, handed, next) {
		HASH_DEL(hands->by_value, handed);
		free(handed);
	}
}
