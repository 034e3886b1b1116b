/*
 * build: from events to graphs: who waited for whom, in the moments that a signal calls abnormal. A wake graph of
 * threads, and where several functions are traced and the signal is of a call of one of them, a request activity graph
 * of calls too.
 *
 * The builder takes the stream's events as they pass, keeps them in a compact form while a window is open, and at the
 * `window` record hands its sink a graph for each of the window's worst signals; where there is no graph of calls, and it
 * is to build no others, one without nodes, which says so. Then it forgets all: between two windows nobody knows what
 * happened. A trace that brings graphs has all that there are to be: from the first of them on nothing is built. Memory is
 * in proportion to the window, the graph in proportion to the answer: it holds only what can be reached by walking backward
 * from the target.
 *
 *	struct graph_builder *builder = graph_builder_new(stream, events, 3);
 *	graph_builder_sink(builder, write_it, context);
 *	graph_builder_reads(&handlers, ...): then graph_builder_record(builder, record) on each of them
 *	at the end of each trace (struct handlers, finish): graph_builder_finish(builder)
 *	if (graph_builder_complaint(builder)) ...
 *	graph_builder_free(builder);
 */
#ifndef CALLS_BUILD_H
#define CALLS_BUILD_H

#include "event/event.h"
#include "graph/graph.h"

struct graph_builder;

/* Builds graphs of the `worst` signals of each window, by how far they are beyond their limit, then by value. */
struct graph_builder *graph_builder_new(struct stream *stream, struct events *events, int worst);
void graph_builder_free(struct graph_builder *builder);

/* Which kinds to build; all, unless it is said. */
enum graphs { GRAPHS_WAKE = 1, GRAPHS_RAG = 2, GRAPHS_ALL = 3 };
void graph_builder_kinds(struct graph_builder *builder, enum graphs kinds);

/* Takes a graph, which becomes the sink's to free. 0; -1 after fail(), which ends the building. */
typedef int graph_sink(void *context, struct graph *graph);
void graph_builder_sink(struct graph_builder *builder, graph_sink *sink, void *context);

/* Gives every kind of record that the builder reads to this handler. */
void graph_builder_reads(struct handlers *handlers, record_handler *handler);

/*
 * To be called with every record of the kinds that graph_builder_reads() names, in the stream's order; ignores all others.
 * A window record calls the sink. 0; -1 after fail(): a malformed record, or the sink's failure.
 */
int graph_builder_record(struct graph_builder *builder, const struct record *record);

/* At the end of a trace: signals that no window record claimed are one window of their own. 0; -1 after fail(). */
int graph_builder_finish(struct graph_builder *builder);

/* What the data lack to be sure of what the graphs say, in one sentence; NULL: nothing of that kind. */
const char *graph_builder_complaint(const struct graph_builder *builder);

#endif
