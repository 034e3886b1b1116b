/*
 * verdicts: who is to blame over all moments.
 *
 * If the ranker's own total came, and there was one stream only, that counts; else the sum over the rankings of all moments. For a
 * comparison of two streams it holds the names that are blamed more in the second.
 */
#ifndef MODEL_VERDICTS_H
#define MODEL_VERDICTS_H

#include "model/culprit.h"

struct verdicts;

struct verdicts *verdicts_new(void);
void verdicts_free(struct verdicts *verdicts);

/* Where and when a culprit was found. */
struct sighting {
	uint64_t moment;  /* its number */
	const char *host; /* "" where not given */
	int64_t at;	  /* Unix time; INT64_MAX where not known */
};

/* Adds a culprit of a moment; and the seconds of a story that its culprits explain. */
void verdicts_count(struct verdicts *verdicts, const struct culprit *culprit, const struct sighting *sighting);
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
	uint64_t hosts;	  /* on how many of the hosts that had moments; 0: not known */
	int64_t since;	  /* Unix time of the first; INT64_MAX: not known */
};
size_t verdicts_list(struct verdicts *verdicts, struct verdict *list, size_t room);

/* How many hosts had moments; and of a verdict "on 3 of 12 hosts, since 2026-11-20 15:43:07 UTC", which the caller frees; NULL: there is one host. */
uint64_t verdicts_hosts(const struct verdicts *verdicts);
char *verdict_where(const struct verdicts *verdicts, const struct verdict *verdict);

/* Seconds blamed on names beyond the bound, which are in no verdict. */
double verdicts_uncounted(const struct verdicts *verdicts);

/* A name that is blamed more than in another stream. */
struct change {
	char *name, *sure; /* sure: as in the record */
	struct deed *deed; /* devices by their names */
	char *words;	   /* a sentence */
	double good, bad;  /* shares */
	double p;	   /* NAN: too few moments */
};
struct diff {
	uint64_t good_moments, bad_moments;
	uint64_t good_hosts, bad_hosts; /* 0: moments were dealt, not hosts */
	ARRAY(struct change) changes;
};

/* Takes a `diff` record. -1 after fail(). */
int verdicts_change(struct verdicts *verdicts, const struct site *site, const struct fields *fields);

/* NULL: nothing was compared. */
const struct diff *verdicts_diff(const struct verdicts *verdicts);

/* "moments compared: 4 good, 4 bad, of 2 and 3 hosts". The caller frees it. */
char *diff_words(const struct diff *comparison);

#endif
