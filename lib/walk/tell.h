/*
 * tell: what commands of graph-walk found, in words and as JSON: the one place where these are made.
 */
#ifndef WALK_TELL_H
#define WALK_TELL_H

#include "walk/answer.h"
#include "walk/back.h"
#include "walk/similar.h"
#include "walk/vote.h"

struct teller {
	const struct whole *whole;
	struct answer *answer; /* that has begun */
	int64_t wall;	       /* wall-clock time of the trace clock's zero; TIME_NONE: not known */
	bool incomplete;       /* events were lost in the interval of an answer */
};

void tell_windows(struct teller *teller);
void tell_state(struct teller *teller, uint32_t thread, const struct state *state, int64_t from, int64_t to);
void tell_similar(struct teller *teller, const struct similar_list *list, const struct whole *whole); /* they are of this whole */
void tell_back(struct teller *teller, const struct back *back);
void tell_vote(struct teller *teller, const struct vote *vote); /* its steps, the culprit, a circle, where few cases were normal */
void tell_verdict(struct teller *teller, const struct vote *vote); /* the culprit, a circle */
void tell_node(struct teller *teller, uint32_t segment);

/* "waits", "in", "syscall", "object", "function": what a wait is for. */
void tell_wait(const struct teller *teller, json_t *object, uint32_t identity);

/* Where events were lost meanwhile, that what was said may be wrong. */
void tell_lost(struct teller *teller, int64_t from, int64_t to);

#endif
