/*
 * describe: makes the answers of graph-walk, in words and as JSON; nothing else does.
 */
#ifndef WALK_DESCRIBE_H
#define WALK_DESCRIBE_H

#include "walk/answer.h"
#include "walk/similar.h"
#include "walk/vote.h"
#include "walk/walk_back.h"

struct describer {
	const struct whole *whole;
	struct answer *answer; /* has begun */
	int64_t wall;	       /* wall-clock time of the trace clock's zero; TIME_NONE: not known */
	bool incomplete;       /* events were lost in the interval of an answer */
};

void describe_windows(struct describer *describer);
void describe_state(struct describer *describer, uint32_t thread, const struct state *state, int64_t from, int64_t to);
void describe_similar(struct describer *describer, const struct similar_list *list, const struct whole *whole); /* whole: of the list */
void describe_back(struct describer *describer, const struct walk_back *back);
void describe_vote(struct describer *describer, const struct vote *vote); /* its steps, the verdict, a step with few normal cases, lost events */
void describe_verdict(struct describer *describer, const struct vote *vote); /* the culprit, a circle */
void describe_node(struct describer *describer, uint32_t segment);

/* Sets "in", "syscall", "object" and "function" of the object: what the wait is for. */
void describe_wait(const struct describer *describer, json_t *object, uint32_t identity);

/* If events were lost between these times, says that the answer may be wrong. */
void describe_lost(struct describer *describer, int64_t from, int64_t to);

#endif
