/*
 * graph_reader: whole graphs out of the records of a stream.
 *
 * A graph begins with its graph record. Without a graph record it begins with its first node or edge: then its id is the graph= of
 * that record ("1" if absent), and its kind is rag. It ends before the next graph, or before a record that is neither graph, node nor
 * edge. All records of a graph stand together: a node or edge of a graph that has ended is an error. A graph record whose id has
 * occurred before begins another graph.
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

/* Takes a graph that passed graph_check(), and frees it. Returns 0, or -1 after fail(). */
typedef int graph_sink(void *context, struct graph *graph);

struct graph_reader;

struct graph_reader *graph_reader_new(struct stream *stream, graph_sink *sink, void *context);
void graph_reader_free(struct graph_reader *reader);

/* Each returns 0, or -1 after fail() with file and line, or with the sink's reason. graph_reader_end() forgets all ids. */
int graph_reader_record(struct graph_reader *reader, const struct record *record);
int graph_reader_end(struct graph_reader *reader);

#endif
