/*
 * signal: an abnormal value, how bad it is, and its sentence.
 */
#ifndef MODEL_SIGNAL_H
#define MODEL_SIGNAL_H

#include "model/site.h"
#include "model/value.h"

/* A field of a signal that the chart chose to show: sector=1880432. */
struct shown {
	char *key, *value;
};

struct signal {
	char *id;
	int64_t ts, start; /* end and beginning; equal where the record has no start */
	enum unit unit;
	bool open;	   /* had not ended when it was reported */
	bool shift;	   /* the level has changed: the value is the new median */
	bool mean;	   /* the value is the mean of several */
	char *trigger;	   /* that fired: the value is how long its request took; NULL: none */
	double value, center, lcl, ucl; /* in its unit; all but the value are NAN where not given */
	uint64_t signs;	   /* values beyond the warning line before it... */
	int64_t sign_ts;   /* ... and the first of them */
	double sign_value;
	char *chart, *key, *rules, *comm; /* "" where not given */
	int32_t tid;			  /* 0: not given */
	struct identity identity;	  /* of its thread's process */
	char *client;			  /* who asked, of a request to a process; NULL: not known */
	int32_t client_tid;
	struct identity client_identity;
	ARRAY(struct shown) shown;
};

struct signal *signal_read(const struct site *site, const struct fields *fields); /* NULL after fail() */
void signal_free(struct signal *signal);

/* It is a request of this thread, whose name is cleaned and copied. */
void signal_comes_from(struct signal *signal, const char *client, int32_t tid);

/* The seconds that it cost beyond the normal; -INFINITY for a signal that is no wait. */
double signal_time_lost(const struct signal *signal);

bool signal_is_low(const struct signal *signal); /* below the centre, on a chart that has a lower limit */
double signal_limit(const struct signal *signal); /* the limit that it passed; NAN: not given */

/*
 * As qsort() wants, the worse first: signals that cost the most time, then signals that are no wait, by how far outside their limits
 * they lie.
 */
int signal_compare(const struct signal *a, const struct signal *b);

/* "read of loop0 sector 1880432 by reader/3312 took 2.293 s". The caller frees it, and the words below. */
char *signal_words(const struct site *site, const struct signal *signal);

/* Several of one chart, key and thread name: "24 recvfrom of python3", "3 reads of loop0 by reader". */
char *signal_words_of_many(const struct site *site, const struct signal *signal, uint64_t count);

#endif
