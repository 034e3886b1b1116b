/*
 * whole_record: a whole graph in records, `graph kind=event` and its nodes and edges, as tailblame-graph(5) has them.
 *
 *	whole_announce(stream)		before the first event; and behind the last
 *	whole_write(whole, stream, true)
 *
 *	reader = whole_reader_new(stream)
 *	on each graph, node, edge, lost, signal and window record: whole_reader_record(reader, record)
 *	whole = whole_reader_finish(reader)	NULL: the stream had no such graph, or fail()
 *	whole_reader_free(reader)
 */
#ifndef WALK_WHOLE_RECORD_H
#define WALK_WHOLE_RECORD_H

#include "stream/stream.h"
#include "walk/whole.h"

/* Writes the graph's own record, so that readers need not build the graph from the events that follow. -1 after fail(). */
int whole_announce(struct stream *stream);

/* The graph, edges of kind seq, too; its own record only unless it was `announced`. -1 after fail(). */
int whole_write(const struct whole *whole, struct stream *stream, bool announced);

struct whole_reader;

struct whole_reader *whole_reader_new(struct stream *stream);
void whole_reader_free(struct whole_reader *reader);

/* Nodes and edges of other graphs are passed over. 0; -1 after fail() with file and line. */
int whole_reader_record(struct whole_reader *reader, const struct record *record);
bool whole_reader_has(const struct whole_reader *reader); /* a whole graph has begun */
struct whole *whole_reader_finish(struct whole_reader *reader);

#endif
