/*
 * turns: requests and their answers, as found at the ends of connections, and their hosts. Private to requests.c, which finds turns; causes.c, which
 * finds the request that each call of a server belongs to; messages.c, which finds messages without an answer; and telling.c, which writes spans.
 */
#ifndef SPAN_TURNS_H
#define SPAN_TURNS_H

#include <uthash.h>

#include "event/event.h"
#include "span/lanes.h"
#include "span/requests.h"
#include "span/units.h"

enum { WAITS = 8, WAITS_OF_ALL = 5 /* calls that exist on every machine; some machines lack the others, which are older */ };

struct turn_thread {
	int32_t tid, tgid; /* tgid 0: not told */
	char *service;	   /* the program of the process; NULL: not told */
	char comm[32];	   /* "": not told */
	ARRAY(struct { int64_t ts; }) waited; /* when it began to wait for several descriptors */
	UT_hash_handle hh;
};

struct turn_gap {
	int64_t from, to;
};

struct turn_host {
	char *name; /* NULL: the only host, without a name */
	struct flows *flows;
	struct units *units;
	struct lanes *lanes;
	struct turn_thread *threads;
	int64_t width; /* how far its clock may be wrong, ns; SPAN_WIDTH_UNKNOWN; 0: its clock is the reference */
	ARRAY(struct turn_gap) gaps;
	unsigned told; /* the waiting calls that the stream has, a bit each */
	bool few;      /* the machine has only the calls that all machines have */
};

/* A request and its answer, at one end of a connection. */
struct turn {
	const struct end *end;
	int host;
	bool server;
	int32_t tid; /* the thread that received the request, or sent it */
	bool alone;  /* no other thread took part in it */
	bool answered;
	int64_t start, taken, last;
	int64_t moved; /* when its first bytes had been sent or received */
	uint64_t from, to; /* positions of the request */
	uint64_t bytes_in, bytes_out;
	int32_t parent; /* index of the turn that caused it; -1: none */
	bool sure;
	uint64_t candidates;
	const char *name; /* of its unit; NULL: not told */
	uint64_t request; /* the number of its unit (struct begun); 0: it has none */
	bool split;	  /* it is one of several requests of a turn: which bytes are its own is unknown */
	bool behind;	  /* and it is not the first of them */
};

struct width { /* the width in a host's `clock` records */
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
	int host; /* of the current record */
	ARRAY(struct turn) turns;
	struct messages *messages; /* NULL: not found yet */
	struct activity_source sources[ACTIVITY_SOURCES]; /* the last one is the lanes */
	struct requests_counts counts;
};

/* The thread's process; 0: not told. */
int32_t turns_process(const struct turn_host *host, int32_t tid);

/* Tells whether the host's stream has all calls that wait for several descriptors. */
bool turns_see_waits(const struct turn_host *host);

/* When the thread first waited for several descriptors in (from, to]; TIME_NONE: it did not. */
int64_t turns_waited(const struct turn_host *host, int32_t tid, int64_t from, int64_t to);

/* When the byte behind this position had arrived; `otherwise` if no segment shows an earlier time. */
int64_t turns_arrival(const struct end *end, uint64_t position, int64_t otherwise);

/* Finds what caused each turn, and whether that is certain. The turns must be in order of their starts. */
void causes_find(struct requests *requests);

/* Writes all turns and messages as spans. 0; -1 after fail(). */
int turns_write(struct requests *requests);

#endif
