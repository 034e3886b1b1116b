#include "walk/whole_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/number.h"
#include "graph/graph_record.h"
#include "stream/keys.h"
#include "wake/wake.h"
#include "walk/abnormal.h"
#include "walk/whole_find.h"
#include "walk/whole_words.h"

/* Keys of nodes and edges. */
enum key {
	GRAPH, ID, NAME, TID, TGID, PROCESS, START, END, WAIT_FROM, WAIT, ENDED, SYSCALL, OBJECT, OBJECT_KIND, FUNCTION, STACK, RET, RUN, RUNNABLE,
	LOST, BOUNDARY, EVENTS, ORDER, RESULTS, COUNTERS, SAMPLES, FROM, TO, KIND, TS, WEAK,
	KEYS
};

static const char *const key_names[KEYS] = {
	[GRAPH] = "graph", [ID] = "id", [NAME] = "name", [TID] = "tid", [TGID] = "tgid", [PROCESS] = "process", [START] = "start", [END] = "end",
	[WAIT_FROM] = "wait_from", [WAIT] = "wait", [ENDED] = "ended", [SYSCALL] = "syscall", [OBJECT] = "object", [OBJECT_KIND] = "object_kind",
	[FUNCTION] = "function", [STACK] = "stack", [RET] = "ret", [RUN] = "run", [RUNNABLE] = "runnable", [LOST] = "lost",
	[BOUNDARY] = "boundary", [EVENTS] = "events", [ORDER] = "order", [RESULTS] = "results", [COUNTERS] = "counters", [SAMPLES] = "samples",
	[FROM] = "from", [TO] = "to", [KIND] = "kind", [TS] = "ts", [WEAK] = "weak",
};

typedef const struct field *found_fields[KEYS]; /* of a node or an edge */

struct read_edge { /* an edge whose nodes are not known yet */
	int64_t from, to, ts;
	uint64_t place;
	uint8_t kind;
	bool weak;
};

struct read_id {
	int64_t id;
	uint32_t segment;
};

struct read_words { /* the words of a text with ';' between them */
	uint32_t set;
	size_t first, count; /* in whole_reader.list, in the order of the text */
};

struct whole_reader {
	struct stream *stream;
	struct whole *whole;
	char *id; /* of the whole graph; NULL: none has begun */
	bool inside; /* the last graph record was that of the whole graph */
	struct keys node_keys, edge_keys;
	ARRAY(struct read_edge) edges;
	ARRAY(struct read_id) ids; /* empty while each id is the segment's number + 1 */
	/* Caches: a text that occurs again and again is parsed once. */
	struct intern texts, orders;
	ARRAY(struct read_words) words; /* by text */
	ARRAY(uint32_t) list, sequences; /* by order */
	ARRAY(char) buffer;
};

struct whole_reader *whole_reader_new(struct stream *stream)
{
	struct whole_reader *reader = NEW(struct whole_reader);

	reader->stream = stream;
	reader->whole = whole_new();
	reader->node_keys = reader->edge_keys = (struct keys){.names = key_names, .count = KEYS};
	return reader;
}

static void forget_texts(struct whole_reader *reader)
{
	intern_free(&reader->texts);
	intern_free(&reader->orders);
	ARRAY_FREE(&reader->words);
	ARRAY_FREE(&reader->list);
	ARRAY_FREE(&reader->sequences);
	ARRAY_FREE(&reader->buffer);
}

void whole_reader_free(struct whole_reader *reader)
{
	if (!reader)
		return;
	whole_free(reader->whole);
	forget_texts(reader);
	free(reader->id);
	free(reader->edges.items);
	free(reader->ids.items);
	free(reader);
}

bool whole_reader_has(const struct whole_reader *reader)
{
	return reader->id != NULL;
}

static int read_time(const struct field *field, int64_t *ns)
{
	int found = field_time(field, ns);

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
	return reader->id ? 0 : fail("id= is missing");
}

/* A field's text, valid until the next such call; "": no field. There is room for `more` bytes behind it. */
static char *read_text(struct whole_reader *reader, const struct field *field, size_t more)
{
	size_t room = (field ? field->value_length : 0) + 1 + more;

	if (reader->buffer.room < room) {
		reader->buffer.items = memory_grow(reader->buffer.items, 2 * room, 1);
		reader->buffer.room = 2 * room;
	}
	*reader->buffer.items = '\0';
	if (field)
		field_text(field, reader->buffer.items, reader->buffer.room);
	return reader->buffer.items;
}

static uint32_t read_word(struct whole_reader *reader, const struct field *field)
{
	if (field && !field->escaped)
		return intern_number(&reader->whole->words, field->value, field->value_length);
	return field ? whole_word(reader->whole, read_text(reader, field, 0)) : 0;
}

/* Reads words with ';' between them, without empty ones. Returns the text's number, an index of reader->words. */
static uint32_t read_words(struct whole_reader *reader, const struct field *field)
{
	char *rest = read_text(reader, field, 0);
	uint32_t number = intern_number(&reader->texts, rest, strlen(rest)), *sorted;
	struct read_words read = {.first = reader->list.count};

	if (number < reader->words.count)
		return number;
	for (char *word; rest && (word = strsep(&rest, ";"));)
		if (*word)
			*ARRAY_ADD(&reader->list) = whole_word(reader->whole, word);
	read.count = reader->list.count - read.first;
	sorted = memory_new(read.count + 1, sizeof(*sorted));
	for (size_t i = 0; i < read.count; i++)
		sorted[i] = reader->list.items[read.first + i];
	read.set = whole_set(reader->whole, sorted, read.count);
	free(sorted);
	*ARRAY_ADD(&reader->words) = read;
	return number;
}

/* Reads order=: numbers of the words in the text of events=, as a sequence. 0; -1 after fail(). */
static int read_order(struct whole_reader *reader, const struct field *field, uint32_t text, uint32_t *sequence)
{
	struct read_words words = reader->words.items[text];
	char *at = read_text(reader, field, sizeof(text)), *end;
	size_t length = strlen(at), count = 0;
	uint32_t number, order[SEQUENCE_MOST];

	*sequence = 0;
	if (!*at)
		return 0;
	memcpy(at + length + 1, &text, sizeof(text)); /* the same order of other words is another sequence */
	number = intern_number(&reader->orders, at, length + 1 + sizeof(text));
	if (number < reader->sequences.count) {
		*sequence = reader->sequences.items[number];
		return 0;
	}
	for (; count < SEQUENCE_MOST; at = end + 1) {
		unsigned long place = strtoul(at, &end, 10);

		if (end == at || place >= words.count || (*end && *end != ','))
			return fail("order= has numbers of the words of events=, from 0, with ',' between them");
		order[count++] = reader->list.items[words.first + place];
		if (!*end)
			break;
	}
	*sequence = whole_sequence(reader->whole, order, count);
	*ARRAY_ADD(&reader->sequences) = *sequence;
	return 0;
}

/* Reads WORD:NUMBER pairs with ';' between them. */
static int read_counts(struct whole_reader *reader, const struct field *field, struct whole_counts *counts, uint32_t segment)
{
	char *rest = field ? read_text(reader, field, 0) : NULL;

	for (char *word; rest && (word = strsep(&rest, ";"));) {
		char *colon = strrchr(word, ':');
		uint64_t count;

		if (!colon || number_count(colon + 1, strlen(colon + 1), &count) < 0)
			return fail("%.*s= has a name and a number each, as in 'cycles:12'", (int)field->key_length, field->key);
		*colon = '\0';
		*ARRAY_ADD(counts) = (struct whole_count){segment, whole_word(reader->whole, word), count};
	}
	return 0;
}

static uint32_t read_identity(struct whole_reader *reader, const found_fields found)
{
	struct whole *whole = reader->whole;
	struct wait_identity identity = {read_word(reader, found[SYSCALL]), read_word(reader, found[OBJECT]), read_word(reader, found[FUNCTION])};

	return whole_identity(whole, identity);
}

static int read_ending(const struct field *field, struct segment *segment)
{
	for (int i = ENDED_NOT + 1; field && i < ENDINGS; i++)
		if (*field->value == *ending_name(i) && field_is(field, ending_name(i))) {
			segment->ended = (uint8_t)i;
			return 0;
		}
	return field ? fail("ended= is open, thread, timer, device, outside or unknown") : 0;
}

static int read_times(const found_fields found, struct segment *segment)
{
	int64_t wait = 0;
	int has_end, has_wait, has_from;

	segment->end = segment->start;
	has_end = read_time(found[END], &segment->end);
	has_wait = read_time(found[WAIT], &wait);
	segment->wait_from = segment->end - (wait > 0 ? wait : 0);
	has_from = read_time(found[WAIT_FROM], &segment->wait_from);
	if (has_end < 0 || has_wait < 0 || has_from < 0 || read_time(found[RUN], &segment->run) < 0 ||
	    read_time(found[RUNNABLE], &segment->runnable) < 0)
		return -1;
	if (has_end == 0)
		return fail("end= is missing");
	if (segment->run < 0 || segment->runnable < 0)
		return fail("run= and runnable= are not negative");
	return 0;
}

static uint32_t thread_of_record(struct whole_reader *reader, const found_fields found, int32_t tid)
{
	struct whole *whole = reader->whole;
	uint32_t number = whole_thread_of(whole, tid);
	struct whole_thread *thread;
	int64_t tgid = 0;

	number = number == NUMBER_NONE ? whole_thread(whole, tid) : number;
	thread = &whole->threads.items[number];
	thread->name = read_word(reader, found[NAME]);
	thread->process = read_word(reader, found[PROCESS]);
	if (field_integer(found[TGID], &tgid) > 0 && tgid > 0 && tgid <= INT32_MAX)
		thread->tgid = (int32_t)tgid;
	return number;
}

/* Keeps the ids of all segments once one id is not the segment's number + 1. */
static void keep_id(struct whole_reader *reader, int64_t id, uint32_t number)
{
	struct whole *whole = reader->whole;

	if (!whole->ids.count && id == (int64_t)number + 1)
		return;
	for (uint32_t earlier = (uint32_t)whole->ids.count; earlier < number; earlier++) {
		*ARRAY_ADD(&reader->ids) = (struct read_id){(int64_t)earlier + 1, earlier};
		*ARRAY_ADD(&whole->ids) = (int64_t)earlier + 1;
	}
	*ARRAY_ADD(&reader->ids) = (struct read_id){id, number};
	*ARRAY_ADD(&whole->ids) = id;
}

static int read_happened(struct whole_reader *reader, const found_fields found, struct segment *segment)
{
	uint32_t text = read_words(reader, found[EVENTS]), results;

	segment->set = reader->words.items[text].set;
	if (found[RESULTS]) {
		results = read_words(reader, found[RESULTS]); /* may move reader->words */
		segment->results = reader->words.items[results].set;
	}
	segment->stack = read_word(reader, found[STACK]);
	return read_order(reader, found[ORDER], text, &segment->sequence);
}

static int read_node(struct whole_reader *reader, const found_fields found)
{
	struct whole *whole = reader->whole;
	struct segment read = {.wait_from = TIME_NONE}, *segment;
	int64_t tid = 0, start = TIME_NONE, id = 0;
	int has_ret;
	uint32_t number;

	if (field_integer(found[ID], &id) <= 0 || field_integer(found[TID], &tid) <= 0 || read_time(found[START], &start) <= 0)
		return fail("a segment needs id=, tid=, start= and end=");
	if (tid <= 0 || tid > INT32_MAX)
		return fail("tid %lld is out of range", (long long)tid);
	read.start = start;
	has_ret = field_integer(found[RET], &read.ret);
	if (has_ret < 0 || read_times(found, &read) < 0 || read_ending(found[ENDED], &read) < 0 || read_happened(reader, found, &read) < 0)
		return -1;
	if (whole->segments.count >= NUMBER_NONE - 1)
		return fail("there are more segments than %u", NUMBER_NONE - 1);
	number = whole_segment(whole, thread_of_record(reader, found, (int32_t)tid), start);
	segment = &whole->segments.items[number];
	read.thread = segment->thread;
	read.n = segment->n;
	read.before = segment->before;
	read.has_ret = has_ret > 0;
	read.flags = (field_is(found[LOST], "yes") ? SEGMENT_LOST : 0) | (field_is(found[BOUNDARY], "yes") ? SEGMENT_BOUNDARY : 0);
	read.identity = read_identity(reader, found);
	*segment = read;
	whole_kind(whole, segment->identity, read_word(reader, found[OBJECT_KIND]));
	keep_id(reader, id, number);
	if (read_counts(reader, found[COUNTERS], &whole->counters, number) < 0)
		return -1;
	return read_counts(reader, found[SAMPLES], &whole->samples, number);
}

/* Adds the edge if both nodes are known already and ids are the numbers + 1. */
static bool add_at_once(struct whole *whole, const struct read_edge *edge)
{
	int64_t known = whole->ids.count ? 0 : (int64_t)whole->segments.count;

	if (edge->from < 1 || edge->to < 1 || edge->from > known || edge->to > known ||
	    segment_at(whole, (uint32_t)(edge->from - 1))->start > edge->ts)
		return false;
	whole_edge(whole, (uint32_t)(edge->from - 1), (uint32_t)(edge->to - 1), edge->kind, edge->ts, edge->weak);
	return true;
}

static int read_edge(struct whole_reader *reader, const found_fields found)
{
	struct read_edge edge = {.ts = TIME_NONE, .kind = EDGE_KINDS, .place = stream_place(reader->stream)};

	if (field_integer(found[FROM], &edge.from) <= 0 || field_integer(found[TO], &edge.to) <= 0)
		return fail("an edge needs from= and to=");
	for (int i = 0; i < EDGE_KINDS && edge.kind == EDGE_KINDS; i++)
		if (found[KIND] && *found[KIND]->value == *edge_kind_name(i) && field_is(found[KIND], edge_kind_name(i)))
			edge.kind = (uint8_t)i;
	if (edge.kind == EDGE_KINDS)
		return fail("an edge needs a kind=: wake, timer, async, flag, ipc or seq");
	if (edge.kind == EDGE_SEQ)
		return 0; /* follows from the order of a thread's segments */
	if (read_time(found[TS], &edge.ts) <= 0)
		return fail("an edge needs ts=");
	edge.weak = field_is(found[WEAK], "yes");
	if (!add_at_once(reader->whole, &edge))
		*ARRAY_ADD(&reader->edges) = edge;
	return 0;
}

/* A node or edge that does not name its graph belongs to the graph that began last. */
static bool belongs(const struct whole_reader *reader, const found_fields found)
{
	return found[GRAPH] ? field_is(found[GRAPH], reader->id) : reader->inside;
}

static int read_part(struct whole_reader *reader, enum kind kind, const struct fields *fields)
{
	found_fields found;

	if (!reader->id)
		return 0;
	keys_find(kind == KIND_NODE ? &reader->node_keys : &reader->edge_keys, fields, found);
	if (!belongs(reader, found))
		return 0;
	return kind == KIND_NODE ? read_node(reader, found) : read_edge(reader, found);
}

static int read_lost(struct whole *whole, const struct fields *fields)
{
	struct whole_gap gap = {TIME_NONE, TIME_NONE};

	if (read_time(fields_find(fields, "ts"), &gap.to) < 0 || read_time(fields_find(fields, "from"), &gap.from) < 0)
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
	case KIND_EDGE:
		return read_part(reader, kind, fields);
	case KIND_LOST:
		return read_lost(reader->whole, fields);
	case KIND_SIGNAL:
	case KIND_WINDOW:
		return abnormal_read(reader->whole, kind, fields);
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
	size_t count;

	if (!reader->ids.count)
		return id > 0 && id <= (int64_t)reader->whole->segments.count ? (uint32_t)(id - 1) : NUMBER_NONE;
	count = COUNT_UNTIL(reader->ids.items, reader->ids.count, id, id);
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

/* Records written by hand need not say what ended a wait: their edges say it. */
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

struct whole *whole_reader_finish(struct whole_reader *reader)
{
	struct whole *whole = reader->whole;

	if (sort_ids(reader) < 0 || add_edges(reader) < 0 || whole_ready(whole) < 0)
		return NULL;
	infer_endings(whole);
	reader->whole = whole_new();
	free(reader->id);
	reader->id = NULL;
	forget_texts(reader);
	ARRAY_FREE(&reader->edges);
	ARRAY_FREE(&reader->ids);
	return whole;
}
