/*
 * verdicts: who is to blame over all moments.
 *
 * The ranker's own total counts where it came and there was one stream only; else the sum of what each moment's ranking said. Of a
 * comparison of two streams it holds what is blamed more in the second.
 */
#ifndef MODEL_VERDICTS_H
#define MODEL_VERDICTS_H

#include "model/culprit.h"

struct verdicts;

struct verdicts *verdicts_new(void);
void verdicts_free(struct verdicts *verdicts);

/* Adds a culprit of a moment; and the seconds of a story that its culprits explain. */
void verdicts_count(struct verdicts *verdicts, const struct culprit *culprit, uint64_t moment);
void verdicts_explain(struct verdicts *verdicts, double seconds);

/* Takes a line of the ranker's own total. */
void verdicts_total(struct verdicts *verdicts, const struct culprit *culprit);

/* A stream is over that held a ranking. */
void verdicts_stream_over(struct verdicts *verdicts);

/* The culprits, the most blamed first: fills at most `room` and returns how many; their texts belong to the verdicts. */
struct verdict {
	const char *name; /* in words */
	const char *who;  /* the name of the thread, or pool; "" where it is none */
	double score;	  /* seconds; NAN: no time */
	double share;	  /* of all time explained, 0 to 1; NAN: of no time, or of one that is not known */
	uint64_t moments; /* how many moments ranked it */
	const struct identity *identity; /* the process that did it in all of them; NULL: several, or not known */
};
size_t verdicts_list(struct verdicts *verdicts, struct verdict *list, size_t room);

/* Seconds blamed on names beyond the bound, which are in no verdict. */
double verdicts_uncounted(const struct verdicts *verdicts);

/* What is blamed more than in another stream. */
struct change {
	char *name, *sure; /* sure: as in the record */
	struct deed *deed; /* devices by their names */
	char *words;	   /* a sentence */
	double good, bad;  /* shares */
	double p;	   /* NAN: too few moments */
};
struct comparison {
	uint64_t good_moments, bad_moments;
	ARRAY(struct change) changes;
};

/* Takes a `diff` record. -1 after fail(). */
int verdicts_change(struct verdicts *verdicts, const struct site *site, const struct fields *fields);

/* NULL: nothing was compared. */
const struct comparison *verdicts_comparison(const struct verdicts *verdicts);

/* "moments compared: 4 good, 4 bad". The caller frees it. */
char *comparison_words(const struct comparison *comparison);

#endif
