/*
 * whole_record: a whole graph in records, `graph kind=event` and its nodes and edges; tailblame-graph(5) describes them.
 *
 *	whole_announce(stream)			before the first event
 *	whole_write(whole, stream, true)	behind the last event
 *
 *	reader = whole_reader_new(stream)
 *	on each graph, node, edge, lost, signal and window record: whole_reader_record(reader, record)
 *	whole = whole_reader_finish(reader)	the caller owns it; NULL after fail()
 *	whole_reader_free(reader)
 */
#ifndef WALK_WHOLE_RECORD_H
#define WALK_WHOLE_RECORD_H

#include "stream/stream.h"
#include "walk/whole.h"

/* Writes the graph's own record, so that readers need not build the graph from the events that follow. -1 after fail(). */
int whole_announce(struct stream *stream);

/* Writes the nodes, and the edges with those of kind seq; before them the graph's own record, unless it was `announced`. -1 after fail(). */
int whole_write(const struct whole *whole, struct stream *stream, bool announced);

struct whole_reader;

struct whole_reader *whole_reader_new(struct stream *stream);
void whole_reader_free(struct whole_reader *reader);

/* Skips nodes and edges of other graphs. 0; -1 after fail() with file and line. */
int whole_reader_record(struct whole_reader *reader, const struct record *record);
bool whole_reader_has(const struct whole_reader *reader); /* the stream had the record of a whole graph */
struct whole *whole_reader_finish(struct whole_reader *reader);

#endif
