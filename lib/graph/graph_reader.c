#include "graph/graph_reader.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/fail.h"
#include "graph/graph_record.h"

struct past_graph {
	char *id;
	UT_hash_handle hh;
};

struct graph_reader {
	struct stream *stream;
	graph_sink *sink;
	void *context;
	struct graph *graph; /* being read; NULL: none */
	struct past_graph *past;
};

struct graph_reader *graph_reader_new(struct stream *stream, graph_sink *sink, void *context)
{
	struct graph_reader *reader = NEW(struct graph_reader);

	reader->stream = stream;
	reader->sink = sink;
	reader->context = context;
	return reader;
}

static void forget_past(struct graph_reader *reader)
{
	struct past_graph *past, *next;

	HASH_ITER(hh, reader->past, past, next) {
		HASH_DEL(reader->past, past);
		free(past->id);
		free(past);
	}
}

void graph_reader_free(struct graph_reader *reader)
{
	forget_past(reader);
	graph_free(reader->graph);
	free(reader);
}

static void remember(struct graph_reader *reader, const char *id)
{
	struct past_graph *past;

	HASH_FIND_STR(reader->past, id, past);
	if (past)
		return;
	past = NEW(struct past_graph);
	past->id = memory_text(id, strlen(id));
	HASH_ADD_KEYPTR(hh, reader->past, past->id, strlen(past->id), past);
}

static int end_graph(struct graph_reader *reader)
{
	struct graph *graph = reader->graph;

	reader->graph = NULL;
	remember(reader, graph->id);
	if (graph_read_end(graph) < 0) {
		uint64_t fault = graph_read_fault(graph);

		graph_free(graph);
		return fault ? fail_prefix("%s", stream_place_name(reader->stream, fault)) :
			       stream_fail(reader->stream, "%s", fail_text());
	}
	return reader->sink(reader->context, graph);
}

/* There mostly is none: this is asked at each event. */
static inline int finish_graph(struct graph_reader *reader)
{
	return reader->graph ? end_graph(reader) : 0;
}

int graph_reader_end(struct graph_reader *reader)
{
	int status = finish_graph(reader);

	forget_past(reader);
	return status;
}

static int begin(struct graph_reader *reader, const struct fields *fields)
{
	if (finish_graph(reader) < 0)
		return -1;
	reader->graph = graph_read_begin(fields);
	if (!reader->graph)
		return stream_fail(reader->stream, "%s", fail_text());
	graph_read_place(reader->graph, stream_place(reader->stream));
	return 0;
}

/* A node or edge of a graph that has no record of its own. */
static int begin_unannounced(struct graph_reader *reader, const char *id)
{
	struct past_graph *past;

	if (finish_graph(reader) < 0)
		return -1;
	HASH_FIND_STR(reader->past, id, past);
	if (past)
		return stream_fail(reader->stream, "graph %s has ended; its records must stand together", id);
	reader->graph = graph_new(GRAPH_RAG, id);
	return 0;
}

static int belong(struct graph_reader *reader, const struct fields *fields)
{
	const struct field *field = fields_find(fields, "graph");
	char *id;
	int status;

	if (reader->graph && (!field || fields_is(fields, "graph", reader->graph->id)))
		return 0;
	id = field ? fields_copy(fields, "graph") : memory_text("1", 1);
	status = begin_unannounced(reader, id);
	free(id);
	return status;
}

static int add(struct graph_reader *reader, const struct fields *fields, enum kind kind)
{
	int status;

	if (belong(reader, fields) < 0)
		return -1;
	graph_read_place(reader->graph, stream_place(reader->stream));
	status = kind == KIND_NODE ? graph_read_node(reader->graph, fields) : graph_read_edge(reader->graph, fields);
	return status < 0 ? stream_fail(reader->stream, "%s", fail_text()) : 0;
}

int graph_reader_record(struct graph_reader *reader, const struct record *record)
{
	const struct fields *fields;

	if (record->kind != KIND_GRAPH && record->kind != KIND_NODE && record->kind != KIND_EDGE)
		return finish_graph(reader);
	fields = stream_fields(reader->stream, record);
	if (!fields)
		return -1;
	return record->kind == KIND_GRAPH ? begin(reader, fields) : add(reader, fields, record->kind);
}
