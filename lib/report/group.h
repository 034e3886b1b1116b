/*
 * group: groups a moment's further signals by chart, key, thread name, whether they have ended, and culprit.
 */
#ifndef REPORT_GROUP_H
#define REPORT_GROUP_H

#include "model/moment.h"

struct group {
	const struct signal *first; /* the worst */
	const struct story *story;  /* of the worst that has one; NULL: none has */
	const char *culprit;	    /* who is to blame by the stories; "" where there is none */
	uint64_t count, explained;  /* signals; those with a story */
	double sum, longest;	    /* of the values; if they are too low, `longest` is the lowest */
};

struct groups {
	struct group *items;
	size_t count, room;
};

/*
 * Groups all signals but the one that the moment's head has: that of the first story or, without stories, the worst. The group with the most time
 * comes first. The caller frees groups->items.
 */
void groups_make(struct groups *groups, const struct moment *moment);

/* Returns how many signals the head of the moment has: one or none. */
uint64_t groups_told_first(const struct moment *moment);

/* "24 recvfrom of python3 took 9.6 s in all, the longest 404 ms; to blame: timer: sleep of reporter". The caller frees it. */
char *group_words(const struct site *site, const struct moment *moment, const struct group *group);

#endif
