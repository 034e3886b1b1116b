#include "walk/whole_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "graph/graph_record.h"
#include "walk/moments.h"

static const char graph_id[] = "whole";

static int write_graph(const struct whole *whole, struct stream *stream, struct line *line)
{
	line_begin(line, "graph");
	line_text(line, "id", graph_id);
	line_text(line, "kind", "event");
	if (whole->from != TIME_NONE) {
		line_time(line, "from", whole->from);
		line_time(line, "to", whole->to);
	}
	return stream_write_line(stream, line);
}

static void spell_text(struct line *line, const struct whole *whole, const char *key, uint32_t word)
{
	if (word)
		line_text(line, key, whole_text(whole, word));
}

/* Sets in records, each spelled once: its words in the order of their texts, with ';' between them. */
struct spelled_sets {
	ARRAY(char *) text; /* by set; NULL: not yet */
};

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *join_words(const struct whole *whole, uint32_t set)
{
	size_t count;
	const uint32_t *words = whole_members(whole, set, &count);
	const char **texts = memory_new(count + 1, sizeof(*texts));
	struct line line = {0};

	for (size_t i = 0; i < count; i++)
		texts[i] = whole_text(whole, words[i]);
	if (count)
		qsort(texts, count, sizeof(*texts), compare_texts);
	line_append(&line, "", 0);
	for (size_t i = 0; i < count; i++) {
		if (i)
			line_append(&line, ";", 1);
		line_append(&line, texts[i], strlen(texts[i]));
	}
	free(texts);
	return line.text;
}

static void spell_set(struct line *line, const struct whole *whole, uint32_t set, struct spelled_sets *sets)
{
	while (sets->text.count <= set)
		*ARRAY_ADD(&sets->text) = NULL;
	if (!sets->text.items[set])
		sets->text.items[set] = join_words(whole, set);
	if (*sets->text.items[set])
		line_text(line, "events", sets->text.items[set]);
}

static void free_spelled(struct spelled_sets *sets)
{
	for (size_t i = 0; i < sets->text.count; i++)
		free(sets->text.items[i]);
	free(sets->text.items);
}

static void spell_wait(struct line *line, const struct whole *whole, const struct segment *segment)
{
	struct identity identity = whole_identity_at(whole, segment->identity);

	line_time(line, "wait_from", segment->wait_from);
	line_time(line, "wait", segment->end - segment->wait_from);
	if (segment->ended != ENDED_NOT)
		line_text(line, "ended", ending_name(segment->ended));
	spell_text(line, whole, "syscall", identity.syscall);
	spell_text(line, whole, "object", identity.object);
	spell_text(line, whole, "object_kind", whole_kind_of(whole, segment->identity));
	spell_text(line, whole, "function", identity.function);
	if (segment->has_ret)
		line_integer(line, "ret", segment->ret);
}

static int write_node(const struct whole *whole, struct stream *stream, const struct segment *segment, struct line *line,
		      struct spelled_sets *sets)
{
	const struct whole_thread *thread = &whole->threads.items[segment->thread];

	line_begin(line, "node");
	line_text(line, "graph", graph_id);
	line_integer(line, "id", segment->id);
	line_text(line, "name", whole_text(whole, thread->name));
	line_text(line, "what", "segment");
	line_integer(line, "tid", thread->tid);
	line_integer(line, "n", segment->n);
	if (thread->tgid)
		line_integer(line, "tgid", thread->tgid);
	spell_text(line, whole, "process", thread->process);
	line_time(line, "start", segment->start);
	line_time(line, "end", segment->end);
	if (segment_waits(segment))
		spell_wait(line, whole, segment);
	line_time(line, "run", segment->run);
	line_time(line, "runnable", segment->runnable);
	if (segment->flags & SEGMENT_LOST)
		line_text(line, "lost", "yes");
	spell_set(line, whole, segment->set, sets);
	return stream_write_line(stream, line);
}

static int write_edge(const struct whole *whole, struct stream *stream, const struct whole_edge *edge, struct line *line)
{
	line_begin(line, "edge");
	line_text(line, "graph", graph_id);
	line_integer(line, "from", segment_at(whole, edge->from)->id);
	line_integer(line, "to", segment_at(whole, edge->to)->id);
	line_text(line, "kind", edge_kind_name(edge->kind));
	line_time(line, "ts", edge->ts);
	if (edge->weak)
		line_text(line, "weak", "yes");
	return stream_write_line(stream, line);
}

static int write_sequence(const struct whole *whole, struct stream *stream, uint32_t number, struct line *line)
{
	const struct segment *segment = segment_at(whole, number);
	struct whole_edge edge = {.ts = segment->end, .from = number, .to = segment->after, .kind = EDGE_SEQ};

	return segment->after == NUMBER_NONE ? 0 : write_edge(whole, stream, &edge, line);
}

static int write_all(const struct whole *whole, struct stream *stream, struct line *line, struct spelled_sets *sets)
{
	if (write_graph(whole, stream, line) < 0)
		return -1;
	for (size_t i = 0; i < whole->segments.count; i++)
		if (write_node(whole, stream, &whole->segments.items[i], line, sets) < 0)
			return -1;
	for (size_t i = 0; i < whole->segments.count; i++)
		if (write_sequence(whole, stream, (uint32_t)i, line) < 0)
			return -1;
	for (size_t i = 0; i < whole->edges.count; i++)
		if (write_edge(whole, stream, &whole->edges.items[i], line) < 0)
			return -1;
	return 0;
}

int whole_write(const struct whole *whole, struct stream *stream)
{
	struct spelled_sets sets = {0};
	struct line line = {0};
	int status = write_all(whole, stream, &line, &sets);

	line_free(&line);
	free_spelled(&sets);
	return status;
}
