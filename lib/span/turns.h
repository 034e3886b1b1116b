/*
 * turns: requests and their answers, as they are found at the ends of connections, and the hosts they are of. Private to requests.c, which finds
 * them, causes.c, which finds which request each call of a server belongs to, and messages.c, which finds what is not answered.
 */
#ifndef SPAN_TURNS_H
#define SPAN_TURNS_H

#include <uthash.h>

#include "event/event.h"
#include "span/lanes.h"
#include "span/requests.h"
#include "span/units.h"

enum { WAITS = 8, WAITS_OF_ALL = 5 /* the calls that exist on every machine; some machines lack the older ones */ };

struct turn_thread {
	int32_t tid, tgid; /* tgid 0: not told */
	char *service;	   /* the process' program; NULL: not told */
	char comm[32];	   /* "": not told */
	ARRAY(struct { int64_t ts; }) waited; /* when it began to wait for several descriptors */
	UT_hash_handle hh;
};

struct turn_gap {
	int64_t from, to;
};

struct turn_host {
	char *name; /* NULL: the only one, not named */
	struct flows *flows;
	struct units *units;
	struct lanes *lanes;
	struct turn_thread *threads;
	int64_t width; /* how far its clock may be wrong, ns; SPAN_WIDTH_UNKNOWN; 0: it is the reference's */
	ARRAY(struct turn_gap) gaps;
	unsigned told; /* the waits that the stream has, a bit each */
	bool few;      /* the machine has only those of all */
};

/* A request and its answer, at one end of a connection. */
struct turn {
	const struct end *end;
	int host;
	bool server;
	int32_t tid; /* who received the request, or sent it */
	bool alone;  /* no other thread had a hand in it */
	bool answered;
	int64_t start, taken, last;
	int64_t moved; /* when its first bytes had been moved */
	uint64_t from, to; /* positions of the request */
	uint64_t bytes_in, bytes_out;
	int32_t parent; /* another turn; -1: none */
	bool sure;
	uint64_t candidates;
	const char *name; /* of its unit; NULL: not told */
	uint64_t request; /* its number among the units (struct begun); 0: none told */
	bool split;	  /* one of several requests of a turn: which bytes are its own is not known */
	bool behind;	  /* and not the first */
};

struct width { /* of a clock record */
	char *host;
	int64_t ns;
};

struct requests {
	struct stream *stream;
	struct events *events;
	struct event_type *waits[WAITS];
	struct event_field *descriptors[WAITS];
	ARRAY(struct state_file *) files;
	ARRAY(struct turn_host) hosts;
	ARRAY(struct width) widths;
	int host; /* at hand */
	ARRAY(struct turn) turns;
	struct messages *messages; /* NULL: not looked for yet */
	struct activity_source sources[ACTIVITY_SOURCES]; /* the last: lanes */
	struct requests_counts counts;
};

/* The thread's process; 0: not told. */
int32_t turns_process(const struct turn_host *host, int32_t tid);

/* Tells whether the host's stream tells of all waits that there are. */
bool turns_see_waits(const struct turn_host *host);

/* When the thread first waited for several descriptors in [from, to]; TIME_NONE: it did not. */
int64_t turns_waited(const struct turn_host *host, int32_t tid, int64_t from, int64_t to);

/* When the byte behind this position had arrived; `otherwise` if no segment tells of an earlier time. */
int64_t turns_arrival(const struct end *end, uint64_t position, int64_t otherwise);

/* Of each turn, which are in order of their starts: whether it is certain what caused it, and what did. */
void causes_find(struct requests *requests);

/* Writes all turns and messages as spans. 0; -1 after fail(). */
int turns_write(struct requests *requests);

#endif
