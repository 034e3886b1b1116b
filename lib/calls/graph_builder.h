/*
 * graph_builder: builds graphs from the events around each signal: a wake graph of threads, and a request activity graph of calls if several
 * functions are traced and the signal is of a call of one of them. An exception at which a trigger fired, and a program's own tasks, also
 * have request activity graphs.
 *
 * The builder takes the stream's events as they pass, and keeps them in a compact form. At a `window` record it gives its sink the graphs of
 * the window's worst signals; if none of them has a graph, because only graphs of calls are wanted, it gives a graph without nodes. At a
 * `window` record of a request that a trigger logged, it gives the graphs of that request. At the first other record behind windows it forgets
 * all events, because it does not know what happens between two windows. If the stream has graphs already, the builder builds none from there
 * on. Its memory grows with the window; a wake graph holds only nodes that can be reached by walking backward from the target.
 *
 *	struct graph_builder *builder = graph_builder_new(stream, events, 3);
 *	graph_builder_sink(builder, write_it, context);
 *	graph_builder_reads(&handlers, ...): then graph_builder_record(builder, record) for each record of these kinds
 *	at the end of each trace (struct handlers, finish): graph_builder_finish(builder)
 *	if (graph_builder_complaint(builder)) ...
 *	graph_builder_free(builder);
 */
#ifndef CALLS_GRAPH_BUILDER_H
#define CALLS_GRAPH_BUILDER_H

#include "chart/semantics.h"
#include "event/event.h"
#include "graph/graph.h"

struct graph_builder;

/* A builder for graphs of at most `worst` signals of each window, the worst first. NULL after fail(): a shipped list cannot be read. */
struct graph_builder *graph_builder_new(struct stream *stream, struct events *events, int worst);
void graph_builder_free(struct graph_builder *builder);

/* The kinds to build; the default is all. */
enum graphs { GRAPHS_WAKE = 1, GRAPHS_RAG = 2, GRAPHS_ALL = 3 };
void graph_builder_kinds(struct graph_builder *builder, enum graphs kinds);

/* Sets the user's semantics; call it before any record. They must outlive the builder. */
void graph_builder_semantics(struct graph_builder *builder, const struct semantics *semantics);

/* Takes and owns a graph. 0; -1 after fail(), which ends the building. */
typedef int graph_sink(void *context, struct graph *graph);
void graph_builder_sink(struct graph_builder *builder, graph_sink *sink, void *context);

/* Sets this handler for every kind of record that the builder reads. */
void graph_builder_reads(struct handlers *handlers, record_handler *handler);

/*
 * Takes a record; call it with each record of those kinds, in the stream's order. Ignores other kinds. A window record calls
 * the sink. 0; -1 after fail(): the record is malformed, or the sink failed.
 */
int graph_builder_record(struct graph_builder *builder, const struct record *record);

/* Ends a trace: signals behind the last window record form a window of their own. 0; -1 after fail(). */
int graph_builder_finish(struct graph_builder *builder);

/*
 * A sentence that says what was dropped for lack of room, or which data the graphs lack to be certain; NULL: none. Valid until the next
 * call.
 */
const char *graph_builder_complaint(struct graph_builder *builder);

#endif
