/*
 * cuts: inputs that stopped without their end, or lack records: how many there were, and a sentence that names the place of the
 * first, or of damage before it. All zero: none.
 */
#ifndef STREAM_CUTS_H
#define STREAM_CUTS_H

#include <stdlib.h>

struct cuts {
	unsigned count;
	char *first; /* the owner frees it */
};

/* Damage is none, and told as well. Takes the sentence. */
static inline void cuts_note(struct cuts *cuts, char *sentence)
{
	if (cuts->first)
		free(sentence);
	else
		cuts->first = sentence;
}

/* Takes the sentence. */
static inline void cuts_add(struct cuts *cuts, char *sentence)
{
	cuts->count++;
	cuts_note(cuts, sentence);
}

#endif
