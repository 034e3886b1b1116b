/*
 * sides: the readers of a stream of several hosts, one for each. Private to lib/stream.
 *
 * A side is what is attached to the stream for one host: watches, and the context of the handlers. The side at hand is stored in place,
 * so that a stream of one host costs nothing more; to enter another swaps the two. The first side is that of the first host, or of a stream
 * without hosts.
 */
#ifndef STREAM_SIDES_H
#define STREAM_SIDES_H

#include "base/memory.h"
#include "stream/fields.h"
#include "stream/output.h"
#include "stream/stream.h"

enum { WATCHES_MAX = 4 /* of one kind */, SIDES_MAX = 1024 };

struct side {
	struct {
		record_handler *call;
		void *context;
	} watches[KINDS][WATCHES_MAX];
	void *context; /* of the handlers */
	bool (*knows)(void *context, const struct record *event); /* see stream_knows() */
	void *knower;
	event_speller *speller; /* see stream_speller() */
	void *spelling;
};

struct side_host {
	char *name; /* NULL: of a stream without hosts, so far */
	char *line; /* its first `host` record in this segment; NULL: none came */
	bool told;  /* that record was written */
	uint64_t lost; /* events and damaged places, by its `lost` records so far */
	struct side *away; /* while another is at hand */
};

struct sides {
	struct side at;
	size_t number; /* of the side at hand */
	bool hosted;   /* a `host` record came in this segment */
	ARRAY(struct side_host) hosts;
};

void sides_begin(struct sides *sides);
void sides_free(struct sides *sides);

/* The side of the host with this name, made if there is none; -1 after fail(): there are too many. */
int sides_of(struct sides *sides, const char *name);

/* Puts this side at hand. */
void sides_enter(struct sides *sides, size_t number);

/* A segment is over: forgets its `host` records, and puts the first side at hand. */
void sides_segment_over(struct sides *sides);

/* The `stream` record of a host: the stream's, with what its `host` record tells. */
void sides_stream_line(struct line *line, const struct fields *stream, const struct fields *host);

#endif
