/*
 * verdicts: the ranking of culprits over all moments.
 *
 * If there was only one stream, and the ranker's own total came, that is the ranking; else it is the sum over the rankings of all moments. For
 * a comparison of two streams, the verdicts also hold the names that are blamed more in the second.
 */
#ifndef MODEL_VERDICTS_H
#define MODEL_VERDICTS_H

#include "model/culprit.h"

struct verdicts;

struct verdicts *verdicts_new(void);
void verdicts_free(struct verdicts *verdicts);

/* The place and time at which a culprit was found. */
struct sighting {
	uint64_t moment;  /* its number */
	const char *host; /* "": not given */
	int64_t at;	  /* Unix time; INT64_MAX: unknown */
};

/* Add a culprit of a moment, and the length of a story in seconds, which its culprits explain. */
void verdicts_count(struct verdicts *verdicts, const struct culprit *culprit, const struct sighting *sighting);
void verdicts_explain(struct verdicts *verdicts, double seconds);

/* Takes a line of the ranker's own total, and takes over its texts. */
void verdicts_total(struct verdicts *verdicts, const struct culprit *culprit);

/* A stream with a ranking is over. */
void verdicts_stream_over(struct verdicts *verdicts);

/* Fills the list with at most `room` culprits, the most blamed first, and returns their number. The texts belong to the verdicts. */
struct verdict {
	const char *name; /* in words */
	const char *who;  /* the name of the thread, or pool; "": none */
	double score;	  /* seconds; NAN: the score is no time */
	double share;	  /* of all explained time, 0 to 1; NAN: the score is no time, or the explained time is unknown */
	uint64_t moments; /* number of moments that ranked it */
	const struct identity *identity; /* the process that did it in all of them; NULL: several, or unknown */
	uint64_t hosts;	  /* number of hosts on which it was ranked; 0: unknown */
	int64_t since;	  /* Unix time of the first moment; INT64_MAX: unknown */
};
size_t verdicts_list(struct verdicts *verdicts, struct verdict *list, size_t room);

/*
 * The number of hosts with moments; and of a verdict "on 3 of 12 hosts, since 2026-11-20 15:43:07 UTC", which the caller frees. NULL: there is only
 * one host, or the verdict's hosts are unknown.
 */
uint64_t verdicts_hosts(const struct verdicts *verdicts);
char *verdict_where(const struct verdicts *verdicts, const struct verdict *verdict);

/* Seconds blamed on names beyond the bound on their number, which are in no verdict. */
double verdicts_uncounted(const struct verdicts *verdicts);

/* A name that is blamed more in the second (bad) stream than in the first (good) one. */
struct change {
	char *name, *sure; /* sure: as in the record */
	struct deed *deed; /* with devices by name */
	char *words;	   /* a sentence */
	double good, bad;  /* shares of the time */
	double p;	   /* NAN: too few moments or hosts */
};
struct diff {
	uint64_t good_moments, bad_moments;
	uint64_t good_hosts, bad_hosts; /* 0: the permutation test dealt moments, not hosts */
	ARRAY(struct change) changes;
};

/* Takes a `diff` record. Returns 0; -1 after fail(). */
int verdicts_change(struct verdicts *verdicts, const struct site *site, const struct fields *fields);

/* The comparison. NULL: nothing was compared. */
const struct diff *verdicts_diff(const struct verdicts *verdicts);

/* "moments compared: 4 good, 4 bad, of 2 and 3 hosts". The caller frees it. */
char *diff_words(const struct diff *comparison);

#endif
