/*
 * graph_record: a graph as records of the kinds graph, node and edge, see tailblame-stream(5): writes these records, and spells and reads
 * the keys that other records share with them. graph_reader.h reads graphs out of a stream.
 */
#ifndef GRAPH_GRAPH_RECORD_H
#define GRAPH_GRAPH_RECORD_H

#include "graph/graph.h"
#include "stream/stream.h"

/* Writes the graph's records to the stream: the graph record, then nodes, then edges. -1 after fail(). */
int graph_write(const struct graph *graph, struct stream *stream);

/* Spells one node's record; appends to another record the keys of the node's deed, with who_tid= and whom_tid=. */
void graph_spell_node(const struct graph *graph, const struct node *node, struct line *line);
void node_spell_deed(const struct node *node, struct line *line);

/* Reads tid=, who_tid= and whom_tid=; `record` is what deed_record_read() made of the fields. -1 after fail(): a malformed number. */
int node_read_tids(const struct fields *fields, const struct deed_record *record, struct node *node);

const char *node_what_name(enum node_what what);
enum node_what node_what_read(const struct fields *fields, enum node_what otherwise); /* of what=; `otherwise` if it is absent or not known */
const char *edge_kind_name(enum edge_kind kind);

#endif
