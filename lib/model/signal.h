/*
 * signal: an abnormal value, its severity, and its sentence.
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
	int64_t ts, start; /* end and beginning; equal if the record has no start */
	enum unit unit;
	bool open;	   /* it had not ended when it was reported */
	bool shift;	   /* the level has changed: the value is the new median */
	bool mean;	   /* the value is the mean of several */
	char *trigger;	   /* the trigger that fired: the value is the duration of its request; NULL: none */
	double value, center, lcl, ucl; /* in its unit; all but the value are NAN if not given */
	uint64_t signs;	   /* number of values beyond the warning line before the signal */
	int64_t sign_ts;   /* time and value of the first of them */
	double sign_value;
	char *chart, *key, *rules, *comm; /* "" if not given */
	int32_t tid;			  /* 0: not given */
	struct identity identity;	  /* the process of its thread */
	char *client;			  /* the thread that sent a request to a process; NULL: unknown */
	int32_t client_tid;
	struct identity client_identity;
	ARRAY(struct shown) shown;
};

struct signal *signal_read(const struct site *site, const struct fields *fields); /* NULL after fail() */
void signal_free(struct signal *signal);

/* Sets the client: the signal is of a request from this thread. The name is cleaned and copied. */
void signal_comes_from(struct signal *signal, const char *client, int32_t tid);

/* The seconds by which a wait exceeds the centre line; -INFINITY for a signal that is no wait. */
double signal_time_lost(const struct signal *signal);

bool signal_is_low(const struct signal *signal); /* below the centre, on a chart that has a lower limit */
double signal_limit(const struct signal *signal); /* the limit that its value passed; NAN: not given */

/*
 * Compares for qsort(), the worst first: waits by the time that they cost; then signals that are no wait, by the distance from their
 * limits.
 */
int signal_compare(const struct signal *a, const struct signal *b);

/* "read of loop0 sector 1880432 by reader/3312 took 2.293 s". The caller frees these words and those below. */
char *signal_words(const struct site *site, const struct signal *signal);

/* `count` signals with this one's chart, key and thread name: "24 calls of recvfrom by python3", "3 requests of loop0 by reader". */
char *signal_words_of_many(const struct site *site, const struct signal *signal, uint64_t count);

#endif
