/*
 * state: a stream from within. Private to stream.c and loop.c; see stream.h.
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
	int out;     /* where what we read goes in the end; -1: nowhere yet */
	bool unread; /* nobody reads that any more */
	const struct handlers *handlers;
	void *context;
	struct line line;
	struct fields fields; /* of a record that is not of the input */
	bool begun, seen, seen_stream; /* of the segment at hand: output, any input, its stream record */
	bool ended;		       /* its end record came */
	bool behind;		       /* it is not the first */
	bool copy_ends;
	bool cut, gaps;		       /* of the segment at hand, for its end to say */
	bool damaged;		       /* likewise: a record told so */
	bool incomplete, was_cut;      /* of any */
	uint64_t damages;	       /* places in all */
	bool (*knows)(void *context, const struct record *event); /* see stream_knows() */
	void *knower;
	unsigned cuts_told; /* of the reader's: end records were written that say so */
	uint64_t lost;			/* in all */
	uint64_t read, written, segment_lost; /* in the segment at hand */
	struct usage usage;
};

/* Each returns 0, or -1 after fail(). */
int watches_see_all(struct stream *stream, const struct record *record);
int segment_begin(struct stream *stream, bool swapped); /* a binary stream begins with its head; once */
int segment_end(struct stream *stream);			/* the stream at hand is over: the command's last words, then the end */

static inline int watches_see(struct stream *stream, const struct record *record)
{
	return stream->watches[record->kind][0].call ? watches_see_all(stream, record) : 0;
}

#endif
