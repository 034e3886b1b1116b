/*
 * graph_reader: whole graphs out of the records of a stream.
 *
 * A graph begins with its graph record, or where that is missing with the first node or edge, whose graph= is then its
 * id ("1" without) and whose kind is rag. It ends where the next one, or a record that is none of graph, node and edge,
 * begins. All records of a graph stand together: a node or edge of a graph that has ended is an error. A graph record
 * of a known id begins another graph.
 *
 *	reader = graph_reader_new(stream, take, context);
 *	on every kind of record: graph_reader_record(reader, record)
 *	when the stream is over: graph_reader_end(reader)
 *	graph_reader_free(reader);
 */
#ifndef GRAPH_GRAPH_READER_H
#define GRAPH_GRAPH_READER_H

#include "graph/graph.h"
#include "stream/stream.h"

/* Takes a graph that passed graph_check; it is the sink's to free. 0; -1 after fail(). */
typedef int graph_sink(void *context, struct graph *graph);

struct graph_reader;

struct graph_reader *graph_reader_new(struct stream *stream, graph_sink *sink, void *context);
void graph_reader_free(struct graph_reader *reader);

/* Each returns 0, or -1 after fail() with file and line, or with the sink's reason. The end forgets all ids. */
int graph_reader_record(struct graph_reader *reader, const struct record *record);
int graph_reader_end(struct graph_reader *reader);

#endif
