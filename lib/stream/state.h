/*
 * state: the inside of struct stream. Private to stream.c and loop.c; see stream.h.
 */
#ifndef STREAM_STATE_H
#define STREAM_STATE_H

#include "stream/reader.h"
#include "stream/stream.h"
#include "stream/usage.h"
#include "stream/writer.h"

enum { WATCHES_MAX = 4 }; /* of one kind */

struct stream {
	struct reader *reader; /* NULL: output only */
	struct writer *writer; /* NULL: input only */
	struct {
		record_handler *call;
		void *context;
	} watches[KINDS][WATCHES_MAX];
	int out;     /* descriptor of the output in the end; -1: not known yet */
	bool unread; /* its reader is gone */
	const struct handlers *handlers;
	void *context;
	struct line line;
	struct fields fields; /* of a record that did not come from the reader */
	bool begun, seen, seen_stream; /* in this segment: output, any input, its stream record */
	bool ended;		       /* this segment's end record came */
	bool behind;		       /* this segment is not the first */
	bool copy_ends;
	bool cut, gaps;		       /* in this segment; its `end` says so */
	bool damaged;		       /* in this segment: a record reported damage */
	bool incomplete, was_cut;      /* in any segment */
	uint64_t damages;	       /* damaged places in all segments */
	bool (*knows)(void *context, const struct record *event); /* see stream_knows() */
	void *knower;
	unsigned cuts_told; /* cuts of the reader that an end record has reported */
	uint64_t lost;			/* in all segments */
	uint64_t read, written, segment_lost; /* in this segment */
	struct usage usage;
};

/* Each returns 0, or -1 after fail(). */
int watches_see_all(struct stream *stream, const struct record *record);
int segment_begin(struct stream *stream, bool swapped); /* writes the head of a binary stream, unless it was written */
int segment_end(struct stream *stream);			/* calls the finish handler, then writes the end */

static inline int watches_see(struct stream *stream, const struct record *record)
{
	return stream->watches[record->kind][0].call ? watches_see_all(stream, record) : 0;
}

#endif
