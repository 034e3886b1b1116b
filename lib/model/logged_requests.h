/*
 * logged_requests: the requests that triggers logged: the parts of their paths and the names blamed in them, of requests that matched compared with
 * others. A part of the model.
 *
 *	logged_requests_take(logged, host, fields)	for each `request` record
 *	logged_requests_stories(logged, host, id, ...)	when its graphs have been ranked
 *	for (i = 0; (trigger = logged_requests_trigger(logged, i)); i++) ...
 */
#ifndef MODEL_LOGGED_REQUESTS_H
#define MODEL_LOGGED_REQUESTS_H

#include "model/story.h"

struct logged_requests;

struct logged_requests *logged_requests_new(void);
void logged_requests_free(struct logged_requests *logged);

/* Takes a `request` record of the host with this number (struct site). Returns 0; -1 after fail(). */
int logged_requests_take(struct logged_requests *logged, size_t host, const struct fields *fields);

/* Counts the stories of the host's request with this id. */
void logged_requests_stories(struct logged_requests *logged, size_t host, const char *id, struct story *const *stories, size_t count);

/* A stream is over: the next one numbers its requests anew. */
void logged_requests_stream_over(struct logged_requests *logged);

enum logged_class { LOGGED_MATCHED, LOGGED_OTHERS, LOGGED_CLASSES };

/* A deed in the requests of a trigger: its mean times by class, over the requests that have a graph of this kind. */
struct logged_row {
	char *words;
	enum graph_kind kind;
	double path[LOGGED_CLASSES];  /* seconds on the critical path */
	double blame[LOGGED_CLASSES]; /* seconds of blame */
	uint64_t requests[LOGGED_CLASSES]; /* number of requests with the deed on their path */
};

struct logged_trigger {
	char *name;
	struct {
		uint64_t requests, ended; /* requests: those that were logged; ended: all that ended meanwhile */
		double seconds;		  /* total duration of the logged requests */
		uint64_t explained[2];	  /* number of their graphs, by enum graph_kind */
	} classes[LOGGED_CLASSES];
	ARRAY(struct logged_row) rows; /* graphs of threads first; then the greatest difference between the classes first */
};

/* A trigger; NULL: there are no more. Valid until the next record. */
const struct logged_trigger *logged_requests_trigger(struct logged_requests *logged, size_t index);

/* "trigger t logged 10 requests that matched, which took 50.0 ms in the mean; and 1 other, which took 10.0 ms". The caller frees it. */
char *logged_requests_words(const struct logged_trigger *trigger);

#endif
