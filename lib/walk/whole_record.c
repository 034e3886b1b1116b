#include "walk/whole_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "graph/graph_record.h"
#include "wake/wake.h"
#include "walk/marked.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

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

struct read_edge { /* until all nodes are known */
	int64_t from, to, ts;
	uint64_t place;
	uint8_t kind;
	bool weak;
};

struct read_id {
	int64_t id;
	uint32_t segment;
};

struct whole_reader {
	struct stream *stream;
	struct whole *whole;
	char *id; /* of the graph; NULL: none has begun */
	bool inside; /* the last graph record was its */
	ARRAY(struct read_edge) edges;
	ARRAY(struct read_id) ids;
};

struct whole_reader *whole_reader_new(struct stream *stream)
{
	struct whole_reader *reader = NEW(struct whole_reader);

	reader->stream = stream;
	reader->whole = whole_new();
	return reader;
}

void whole_reader_free(struct whole_reader *reader)
{
	if (!reader)
		return;
	whole_free(reader->whole);
	free(reader->id);
	free(reader->edges.items);
	free(reader->ids.items);
	free(reader);
}

bool whole_reader_has(const struct whole_reader *reader)
{
	return reader->id != NULL;
}

static int read_time(const struct fields *fields, const char *key, int64_t *ns)
{
	int found = fields_time(fields, key, ns);

	*ns = found > 0 ? wake_time(*ns) : *ns;
	return found;
}

static int read_graph(struct whole_reader *reader, const struct fields *fields)
{
	reader->inside = fields_is(fields, "kind", "event");
	if (!reader->inside)
		return 0;
	if (reader->id)
		return fail("there is another graph of everything; graph-walk asks one");
	reader->id = fields_copy(fields, "id");
	if (!reader->id)
		return fail("id= is missing");
	return read_time(fields, "from", &reader->whole->from) < 0 || read_time(fields, "to", &reader->whole->to) < 0 ? -1 : 0;
}

static uint32_t read_word(struct whole *whole, const struct fields *fields, const char *key)
{
	char *text = fields_copy(fields, key);
	uint32_t word = text ? whole_word(whole, text) : 0;

	free(text);
	return word;
}

/* The words of events=, and nothing that is empty. */
static uint32_t read_set(struct whole *whole, const struct fields *fields)
{
	char *text = fields_copy(fields, "events"), *rest = text;
	ARRAY(uint32_t) words = {0};
	uint32_t set;

	for (char *word; rest && (word = strsep(&rest, ";"));)
		if (*word)
			*ARRAY_ADD(&words) = whole_word(whole, word);
	set = whole_set(whole, words.items, words.count);
	free(words.items);
	free(text);
	return set;
}

static int read_ending(const struct fields *fields, struct segment *segment)
{
	if (!fields_find(fields, "ended"))
		return 0;
	for (int i = ENDED_NOT + 1; i < ENDINGS; i++)
		if (fields_is(fields, "ended", ending_name(i))) {
			segment->ended = (uint8_t)i;
			return 0;
		}
	return fail("ended= is open, thread, timer, device, outside or unknown");
}

static int read_times(const struct fields *fields, struct segment *segment)
{
	int64_t wait = 0;
	int has_end, has_wait, has_from;

	segment->end = segment->start;
	has_end = read_time(fields, "end", &segment->end);
	has_wait = read_time(fields, "wait", &wait);
	segment->wait_from = segment->end - (wait > 0 ? wait : 0);
	has_from = read_time(fields, "wait_from", &segment->wait_from);
	if (has_end < 0 || has_wait < 0 || has_from < 0 || read_time(fields, "run", &segment->run) < 0 ||
	    read_time(fields, "runnable", &segment->runnable) < 0)
		return -1;
	if (has_end == 0)
		return fail("end= is missing");
	if (segment->run < 0 || segment->runnable < 0)
		return fail("run= and runnable= are not negative");
	return 0;
}

static uint32_t thread_of_record(struct whole *whole, const struct fields *fields, int32_t tid)
{
	uint32_t number = whole_thread_of(whole, tid);
	struct whole_thread *thread;
	int64_t tgid = 0;

	number = number == NUMBER_NONE ? whole_thread(whole, tid) : number;
	thread = &whole->threads.items[number];
	thread->name = read_word(whole, fields, "name");
	thread->process = read_word(whole, fields, "process");
	if (fields_integer(fields, "tgid", &tgid) > 0 && tgid > 0 && tgid <= INT32_MAX)
		thread->tgid = (int32_t)tgid;
	return number;
}

static int read_node(struct whole_reader *reader, const struct fields *fields)
{
	struct whole *whole = reader->whole;
	struct segment read = {.wait_from = TIME_NONE}, *segment;
	struct identity identity;
	int64_t tid = 0, start = TIME_NONE;
	int found;
	uint32_t number;

	if (fields_integer(fields, "id", &read.id) <= 0 || fields_integer(fields, "tid", &tid) <= 0 || read_time(fields, "start", &start) <= 0)
		return fail("a segment needs id=, tid=, start= and end=");
	if (tid <= 0 || tid > INT32_MAX)
		return fail("tid %lld is out of range", (long long)tid);
	read.start = start;
	found = fields_integer(fields, "ret", &read.ret);
	if (found < 0 || read_times(fields, &read) < 0 || read_ending(fields, &read) < 0)
		return -1;
	if (whole->segments.count >= NUMBER_NONE - 1)
		return fail("there are more segments than %u", NUMBER_NONE - 1);
	identity = (struct identity){read_word(whole, fields, "syscall"), read_word(whole, fields, "object"), read_word(whole, fields, "function")};
	number = whole_segment(whole, thread_of_record(whole, fields, (int32_t)tid), start);
	segment = &whole->segments.items[number];
	segment->id = read.id;
	segment->wait_from = read.wait_from;
	segment->end = read.end;
	segment->run = read.run;
	segment->runnable = read.runnable;
	segment->ret = read.ret;
	segment->has_ret = found > 0;
	segment->ended = read.ended;
	segment->flags = fields_is(fields, "lost", "yes") ? SEGMENT_LOST : 0;
	segment->identity = whole_identity(whole, identity);
	segment->set = read_set(whole, fields);
	whole_kind(whole, segment->identity, read_word(whole, fields, "object_kind"));
	*ARRAY_ADD(&reader->ids) = (struct read_id){read.id, number};
	return 0;
}

static int read_edge(struct whole_reader *reader, const struct fields *fields)
{
	struct read_edge edge = {.ts = TIME_NONE, .kind = EDGE_KINDS, .place = stream_place(reader->stream)};

	if (fields_integer(fields, "from", &edge.from) <= 0 || fields_integer(fields, "to", &edge.to) <= 0)
		return fail("an edge needs from= and to=");
	for (int i = 0; i < EDGE_KINDS; i++)
		if (fields_is(fields, "kind", edge_kind_name(i)))
			edge.kind = (uint8_t)i;
	if (edge.kind == EDGE_KINDS)
		return fail("an edge needs a kind=: wake, timer, async, flag, ipc or seq");
	if (edge.kind == EDGE_SEQ)
		return 0; /* it follows from the threads */
	if (read_time(fields, "ts", &edge.ts) <= 0)
		return fail("an edge needs ts=");
	edge.weak = fields_is(fields, "weak", "yes");
	*ARRAY_ADD(&reader->edges) = edge;
	return 0;
}

/* One that does not name its graph belongs to the one that began last. */
static bool belongs(const struct whole_reader *reader, const struct fields *fields)
{
	if (!reader->id)
		return false;
	return fields_find(fields, "graph") ? fields_is(fields, "graph", reader->id) : reader->inside;
}

static int read_lost(struct whole *whole, const struct fields *fields)
{
	struct whole_gap gap = {TIME_NONE, TIME_NONE};

	if (read_time(fields, "ts", &gap.to) < 0 || read_time(fields, "from", &gap.from) < 0)
		return -1;
	if (gap.to == TIME_NONE)
		return 0;
	gap.from = gap.from == TIME_NONE ? gap.to - 1 : gap.from;
	*ARRAY_ADD(&whole->gaps) = gap;
	return 0;
}

static int read_record(struct whole_reader *reader, enum kind kind, const struct fields *fields)
{
	switch (kind) {
	case KIND_GRAPH:
		return read_graph(reader, fields);
	case KIND_NODE:
		return belongs(reader, fields) ? read_node(reader, fields) : 0;
	case KIND_EDGE:
		return belongs(reader, fields) ? read_edge(reader, fields) : 0;
	case KIND_LOST:
		return read_lost(reader->whole, fields);
	case KIND_SIGNAL:
	case KIND_WINDOW:
		return marked_read(reader->whole, kind, fields);
	default:
		return 0;
	}
}

int whole_reader_record(struct whole_reader *reader, const struct record *record)
{
	const struct fields *fields = stream_fields(reader->stream, record);

	if (!fields)
		return -1;
	return read_record(reader, record->kind, fields) < 0 ? stream_fail(reader->stream, "%s", fail_text()) : 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct read_id *one = a, *other = b;

	return one->id < other->id ? -1 : one->id > other->id;
}

/* The segment with an id; NUMBER_NONE: there is none. */
static uint32_t find_id(const struct whole_reader *reader, int64_t id)
{
	size_t count = COUNT_UNTIL(reader->ids.items, reader->ids.count, id, id);

	return count && reader->ids.items[count - 1].id == id ? reader->ids.items[count - 1].segment : NUMBER_NONE;
}

static int sort_ids(struct whole_reader *reader)
{
	bool ascending = true;

	for (size_t i = 1; i < reader->ids.count; i++)
		ascending &= reader->ids.items[i - 1].id < reader->ids.items[i].id;
	if (ascending)
		return 0;
	qsort(reader->ids.items, reader->ids.count, sizeof(*reader->ids.items), compare_ids);
	for (size_t i = 1; i < reader->ids.count; i++)
		if (reader->ids.items[i - 1].id == reader->ids.items[i].id)
			return fail("there are two segments %lld", (long long)reader->ids.items[i].id);
	return 0;
}

static int add_edges(struct whole_reader *reader)
{
	for (size_t i = 0; i < reader->edges.count; i++) {
		const struct read_edge *edge = &reader->edges.items[i];
		uint32_t from = find_id(reader, edge->from), to = find_id(reader, edge->to);

		if (from == NUMBER_NONE || to == NUMBER_NONE)
			return fail("%s: there is no segment %lld", stream_place_name(reader->stream, edge->place),
				    (long long)(from == NUMBER_NONE ? edge->from : edge->to));
		if (segment_at(reader->whole, from)->start > edge->ts)
			return fail("%s: the edge from %lld to %lld goes back in time", stream_place_name(reader->stream, edge->place),
				    (long long)edge->from, (long long)edge->to);
		whole_edge(reader->whole, from, to, edge->kind, edge->ts, edge->weak);
	}
	return 0;
}

/* Records written by hand need not say what ended a wait: the edges do. */
static void infer_endings(struct whole *whole)
{
	for (size_t i = 0; i < whole->segments.count; i++) {
		struct segment *segment = &whole->segments.items[i];
		const struct whole_edge *ender;

		if (segment->ended != ENDED_NOT || segment->end == segment->wait_from)
			continue;
		ender = whole_ender(whole, (uint32_t)i);
		segment->ended = !ender ? ENDED_UNKNOWN : ender->kind == EDGE_TIMER ? ENDED_TIMER : ENDED_THREAD;
	}
}

/* Where the graph's record does not say from when to when it is. */
static void infer_span(struct whole *whole)
{
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < whole->segments.count; i++) {
		from = sooner(from, whole->segments.items[i].start);
		to = later(to, whole->segments.items[i].end);
	}
	if (!whole->segments.count)
		return;
	whole->from = whole->from == TIME_NONE ? from : whole->from;
	whole->to = whole->to == TIME_NONE ? to : whole->to;
}

struct whole *whole_reader_finish(struct whole_reader *reader)
{
	struct whole *whole = reader->whole;

	if (sort_ids(reader) < 0 || add_edges(reader) < 0 || whole_ready(whole) < 0)
		return NULL;
	infer_endings(whole);
	infer_span(whole);
	reader->whole = whole_new();
	free(reader->id);
	reader->id = NULL;
	ARRAY_FREE(&reader->edges);
	ARRAY_FREE(&reader->ids);
	return whole;
}
