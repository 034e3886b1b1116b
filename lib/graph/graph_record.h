/*
 * graph_record: graphs from records, and to records: the kinds graph, node and edge of tailblame-stream(5). A reader of whole streams
 * uses graph_reader.h.
 */
#ifndef GRAPH_GRAPH_RECORD_H
#define GRAPH_GRAPH_RECORD_H

#include "graph/graph.h"
#include "stream/stream.h"

/*
 * Reading. Each takes the fields of a graph, node or edge record. -1 or NULL after fail(); the caller adds file and line by
 * stream_fail(). Keeps records that name a node which is not there yet. graph_read_end() resolves parents, edges, root and
 * target, and calls graph_check(). A graph ends where the next one begins, or any record that is no node or edge. Without from= and
 * to= it lasts from its first node's start to its last node's end.
 */
struct graph *graph_read_begin(const struct fields *fields);
int graph_read_node(struct graph *graph, const struct fields *fields);
int graph_read_edge(struct graph *graph, const struct fields *fields);
int graph_read_end(struct graph *graph);

/*
 * Some mistakes show only at the end. The caller tells where a record stands (stream_place) before each graph_read_node() and
 * graph_read_edge(), and once after graph_read_begin() or graph_new(). After a failure of graph_read_end(), graph_read_fault()
 * returns the place of the record that made it; 0: not known.
 */
void graph_read_place(struct graph *graph, uint64_t place);
uint64_t graph_read_fault(const struct graph *graph);

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
