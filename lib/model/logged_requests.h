/*
 * logged_requests: the requests that triggers logged: the parts of the paths of those that matched, and the names blamed in them, beside the others. A part
 * of the model.
 *
 *	logged_requests_take(logged, host, fields)	each `request` record
 *	logged_requests_stories(logged, host, id, ...)	when its graphs have been ranked
 *	for (i = 0; (trigger = logged_requests_trigger(logged, i)); i++) ...
 */
#ifndef MODEL_LOGGED_REQUESTS_H
#define MODEL_LOGGED_REQUESTS_H

#include "model/story.h"

struct logged_requests;

struct logged_requests *logged_requests_new(void);
void logged_requests_free(struct logged_requests *logged);

/* Takes a `request` record of this host of the stream (struct site). 0; -1 after fail(). */
int logged_requests_take(struct logged_requests *logged, size_t host, const struct fields *fields);

/* The stories of the host's request with this id. */
void logged_requests_stories(struct logged_requests *logged, size_t host, const char *id, struct story *const *stories, size_t count);

/* A stream is over: the next one numbers its requests anew. */
void logged_requests_stream_over(struct logged_requests *logged);

enum logged_class { LOGGED_MATCHED, LOGGED_OTHERS, LOGGED_CLASSES };

/* The time of the requests of a trigger, in the mean of those that have a graph of this kind, by class. */
struct logged_row {
	char *words;
	enum graph_kind kind;
	double path[LOGGED_CLASSES];  /* seconds on the critical path */
	double blame[LOGGED_CLASSES]; /* seconds of blame */
	uint64_t requests[LOGGED_CLASSES]; /* how many have it on their path */
};

struct logged_trigger {
	char *name;
	struct {
		uint64_t requests, ended; /* logged; and all that ended meanwhile */
		double seconds;		  /* that the logged ones took, together */
		uint64_t explained[2];	  /* have a graph, by enum graph_kind */
	} classes[LOGGED_CLASSES];
	ARRAY(struct logged_row) rows; /* graphs of threads first; those that differ the most between the classes first */
};

/* A trigger that logged a request; NULL: there are no more. Good until the next record. */
const struct logged_trigger *logged_requests_trigger(struct logged_requests *logged, size_t index);

/* "trigger t logged 10 requests that matched, which took 50.0 ms in the mean, and 3 others, which took 10.0 ms". The caller frees it. */
char *logged_requests_words(const struct logged_trigger *trigger);

#endif
