/*
 * graph_record: what a graph is in records, the kinds graph, node and edge of tailblame-stream(5): writes them, and spells and reads
 * what other records have in common with them. graph_reader.h reads graphs out of a stream.
 */
#ifndef GRAPH_GRAPH_RECORD_H
#define GRAPH_GRAPH_RECORD_H

#include "graph/graph.h"
#include "stream/stream.h"

/* Writes the graph's records to the stream: itself, its nodes, its edges. -1 after fail(). */
int graph_write(const struct graph *graph, struct stream *stream);

/* One node's record; and its deed with the threads in it, for other records. */
void graph_spell_node(const struct graph *graph, const struct node *node, struct line *line);
void node_spell_deed(const struct node *node, struct line *line);

/* The threads of a record, which was read. -1 after fail(): a number is malformed. */
int node_read_tids(const struct fields *fields, const struct deed_record *record, struct node *node);

const char *node_what_name(enum node_what what);
enum node_what node_what_read(const struct fields *fields, enum node_what otherwise); /* by what= */
const char *edge_kind_name(enum edge_kind kind);

#endif
