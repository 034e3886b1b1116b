/*
 * cuts: counts inputs that stopped without their end or lack records, and keeps a sentence that names the place of the first cut
 * or damage. All zero: none.
 */
#ifndef STREAM_CUTS_H
#define STREAM_CUTS_H

#include <stdlib.h>

struct cuts {
	unsigned count;
	char *first; /* the owner frees it */
};

/* Notes damage, which does not count as a cut. Takes over the sentence, which is on the heap. */
static inline void cuts_note(struct cuts *cuts, char *sentence)
{
	if (cuts->first)
		free(sentence);
	else
		cuts->first = sentence;
}

/* Counts a cut. Takes over the sentence, which is on the heap. */
static inline void cuts_add(struct cuts *cuts, char *sentence)
{
	cuts->count++;
	cuts_note(cuts, sentence);
}

#endif
