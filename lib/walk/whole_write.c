#include "walk/whole_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "graph/graph_record.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

static const char graph_id[] = "whole";

int whole_announce(struct stream *stream)
{
	struct line line = {0};
	int status;

	line_begin(&line, "graph");
	line_text(&line, "id", graph_id);
	line_text(&line, "kind", "event");
	status = stream_write_line(stream, &line);
	line_free(&line);
	return status;
}

static void spell_text(struct line *line, const struct whole *whole, const char *key, uint32_t word)
{
	if (word)
		line_text(line, key, whole_text(whole, word));
}

/* A cache of sets, and of orders of their words, as records spell them. */
struct spelled_sets {
	ARRAY(char *) text; /* by set: its words in the order of their texts, with ';' between them; NULL: not yet */
	ARRAY(char *) orders; /* by sequence; NULL: not yet */
	ARRAY(uint32_t) of;   /* by sequence: the set that the order refers to */
};

static char *join_words(const struct whole *whole, uint32_t set)
{
	size_t count;
	uint32_t *words = whole_by_text(whole, set, &count);
	struct line line = {0};

	line_append(&line, "", 0);
	for (size_t i = 0; i < count; i++) {
		const char *text = whole_text(whole, words[i]);

		if (i)
			line_append(&line, ";", 1);
		line_append(&line, text, strlen(text));
	}
	free(words);
	return line.text;
}

static void spell_set(struct line *line, const struct whole *whole, const char *key, uint32_t set, struct spelled_sets *sets)
{
	while (sets->text.count <= set)
		*ARRAY_ADD(&sets->text) = NULL;
	if (!sets->text.items[set])
		sets->text.items[set] = join_words(whole, set);
	if (*sets->text.items[set])
		line_text(line, key, sets->text.items[set]);
}

/* The sequence as numbers of the set's words, from 0, with ',' between them. */
static char *join_order(const struct whole *whole, uint32_t set, uint32_t sequence)
{
	size_t count, length;
	uint32_t *words = whole_by_text(whole, set, &count), *order = memory_new(SEQUENCE_MOST, sizeof(*order));
	char digits[NUMBER_ROOM];
	struct line line = {0};

	length = whole_sequence_at(whole, sequence, order);
	line_append(&line, "", 0);
	for (size_t i = 0; i < length; i++) {
		size_t at = 0;

		while (at < count && words[at] != order[i])
			at++;
		if (i)
			line_append(&line, ",", 1);
		line_append(&line, digits, number_spell_unsigned(digits, at));
	}
	free(words);
	free(order);
	return line.text;
}

static void spell_order(struct line *line, const struct whole *whole, const struct segment *segment, struct spelled_sets *sets)
{
	while (sets->orders.count <= segment->sequence) {
		*ARRAY_ADD(&sets->orders) = NULL;
		*ARRAY_ADD(&sets->of) = 0;
	}
	if (!sets->orders.items[segment->sequence] || sets->of.items[segment->sequence] != segment->set) {
		free(sets->orders.items[segment->sequence]);
		sets->orders.items[segment->sequence] = join_order(whole, segment->set, segment->sequence);
		sets->of.items[segment->sequence] = segment->set;
	}
	if (*sets->orders.items[segment->sequence])
		line_text(line, "order", sets->orders.items[segment->sequence]);
}

static void free_spelled(struct spelled_sets *sets)
{
	for (size_t i = 0; i < sets->text.count; i++)
		free(sets->text.items[i]);
	for (size_t i = 0; i < sets->orders.count; i++)
		free(sets->orders.items[i]);
	free(sets->text.items);
	free(sets->orders.items);
	free(sets->of.items);
}

static void spell_counts(struct line *line, const struct whole *whole, const char *key, const struct whole_counts *counts, uint32_t number)
{
	size_t count;
	const struct whole_count *of = whole_counts_of(counts, number, &count);
	char digits[NUMBER_ROOM];
	struct line text = {0};

	for (size_t i = 0; i < count; i++) {
		const char *word = whole_text(whole, of[i].word);

		if (i)
			line_append(&text, ";", 1);
		line_append(&text, word, strlen(word));
		line_append(&text, ":", 1);
		line_append(&text, digits, number_spell_unsigned(digits, of[i].count));
	}
	if (count)
		line_text(line, key, text.text);
	line_free(&text);
}

static void spell_wait(struct line *line, const struct whole *whole, const struct segment *segment)
{
	struct wait_identity identity = whole_identity_at(whole, segment->identity);

	line_time(line, "wait_from", segment->wait_from);
	line_time(line, "wait", segment->end - segment->wait_from);
	if (segment->ended != ENDED_NOT)
		line_text(line, "ended", ending_name(segment->ended));
	spell_text(line, whole, "syscall", identity.syscall);
	spell_text(line, whole, "object", identity.object);
	spell_text(line, whole, "object_kind", whole_kind_of(whole, segment->identity));
	spell_text(line, whole, "function", identity.function);
	spell_text(line, whole, "stack", segment->stack);
	if (segment->has_ret)
		line_integer(line, "ret", segment->ret);
}

static int write_node(const struct whole *whole, struct stream *stream, uint32_t number, struct line *line, struct spelled_sets *sets)
{
	const struct segment *segment = segment_at(whole, number);
	const struct whole_thread *thread = &whole->threads.items[segment->thread];

	line_begin(line, "node");
	line_text(line, "graph", graph_id);
	line_integer(line, "id", segment_id(whole, number));
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
	if (segment->flags & SEGMENT_BOUNDARY)
		line_text(line, "boundary", "yes");
	spell_set(line, whole, "events", segment->set, sets);
	spell_order(line, whole, segment, sets);
	spell_set(line, whole, "results", segment->results, sets);
	spell_counts(line, whole, "counters", &whole->counters, number);
	spell_counts(line, whole, "samples", &whole->samples, number);
	return stream_write_line(stream, line);
}

static int write_edge(const struct whole *whole, struct stream *stream, const struct whole_edge *edge, struct line *line)
{
	line_begin(line, "edge");
	line_text(line, "graph", graph_id);
	line_integer(line, "from", segment_id(whole, edge->from));
	line_integer(line, "to", segment_id(whole, edge->to));
	line_text(line, "kind", edge_kind_name(edge->kind));
	line_time(line, "ts", edge->ts);
	if (edge->weak)
		line_text(line, "weak", "yes");
	return stream_write_line(stream, line);
}

static int write_sequence(const struct whole *whole, struct stream *stream, uint32_t number, struct line *line)
{
	const struct segment *segment = segment_at(whole, number);
	struct whole_edge edge = {.ts = segment->end, .from = number, .to = whole_after(whole, number), .kind = EDGE_SEQ};

	return edge.to == NUMBER_NONE ? 0 : write_edge(whole, stream, &edge, line);
}

static int write_all(const struct whole *whole, struct stream *stream, struct line *line, struct spelled_sets *sets)
{
	for (size_t i = 0; i < whole->segments.count; i++)
		if (write_node(whole, stream, (uint32_t)i, line, sets) < 0)
			return -1;
	for (size_t i = 0; i < whole->segments.count; i++)
		if (write_sequence(whole, stream, (uint32_t)i, line) < 0)
			return -1;
	for (size_t i = 0; i < whole->edges.count; i++)
		if (!whole->edges.items[i].cut && write_edge(whole, stream, &whole->edges.items[i], line) < 0)
			return -1;
	return 0;
}

int whole_write(const struct whole *whole, struct stream *stream, bool announced)
{
	struct spelled_sets sets = {0};
	struct line line = {0};
	int status = announced ? 0 : whole_announce(stream);

	if (status == 0)
		status = write_all(whole, stream, &line, &sets);

	line_free(&line);
	free_spelled(&sets);
	return status;
}
