/*
 * Spans that services reported, as JSON: in OpenTelemetry's protocol (OTLP), as collectors write it to a file and Tempo answers, or in
 * Jaeger's form, as its user interface saves it and its stores keep it. A file holds one or more documents, each on its own line or not.
 *
 * If a thing has several spellings, all are read, because older versions and other programs spell it differently.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/number.h"
#include "import/import_format.h"
#include "span/spans.h"

/* The spans of a stream: of a file, or of all files if they are merged. */
struct spans_state {
	struct spans *spans;
	uint64_t broken; /* spans without id or times */
};

struct reading {
	struct spans_state *state;
	const char *name; /* of the file */
	uint64_t documents, understood;
};

/* --- values ------------------------------------------------------------------------------------------------------- */

/* The first of these members that the object has; the last name is NULL. */
static json_t *member(const json_t *object, const char *const *names)
{
	for (; *names; names++) {
		json_t *found = json_object_get(object, *names);

		if (found)
			return found;
	}
	return NULL;
}
#define MEMBER(object, ...) member(object, (const char *const[]){__VA_ARGS__, NULL})

static const char *text_at(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text && *text ? text : NULL;
}

/* An id is text; an id of only zeros counts as absent. */
static const char *id_of(const json_t *value)
{
	const char *text = json_string_value(value);

	return text && text[strspn(text, "0")] ? text : NULL;
}

/* OTLP spells 64-bit numbers as texts. Negative: the value is no number, or below 0. */
static int64_t count_of(const json_t *value)
{
	const char *text = json_string_value(value);
	uint64_t count;

	if (json_is_integer(value))
		return json_integer_value(value);
	if (json_is_real(value) && json_real_value(value) >= 0 && json_real_value(value) < 9e18)
		return (int64_t)json_real_value(value);
	return text && number_count(text, strlen(text), &count) == 0 && count <= INT64_MAX ? (int64_t)count : -1;
}

/* A process's number, given as a number or as text; 0: neither. */
static int64_t pid_of(const json_t *value)
{
	int64_t pid = count_of(value);

	return pid > 0 && pid <= INT32_MAX ? pid : 0;
}

/* Takes one attribute, or tag, of a span or its process. */
static void take_attribute(struct span_told *told, const char *key, const json_t *value)
{
	static const struct {
		const char *key;
		size_t field;
	} texts[] = {
		{"service.name", offsetof(struct span_told, service)}, {"host.name", offsetof(struct span_told, host)},
		{"hostname", offsetof(struct span_told, host)}, {"k8s.pod.name", offsetof(struct span_told, host)},
		{"peer.service", offsetof(struct span_told, peer)}, {"server.address", offsetof(struct span_told, peer)},
		{"net.peer.name", offsetof(struct span_told, peer)}, {"exception.type", offsetof(struct span_told, error)},
	};
	const char *text = json_string_value(value);

	for (size_t i = 0; text && i < sizeof(texts) / sizeof(*texts); i++) {
		const char **field = (const char **)(void *)((char *)told + texts[i].field);

		if (!strcmp(texts[i].key, key) && !*field)
			*field = text;
	}
	if (!strcmp(key, "process.pid") || !strcmp(key, "pid"))
		told->pid = pid_of(value);
	if (text && !strcmp(key, "span.kind"))
		told->kind = span_kind_of(text);
	if (!strcmp(key, "error") && (json_is_true(value) || (text && strcmp(text, "false") != 0)) && !told->error)
		told->error = text ? text : "true";
}

/* --- OTLP --------------------------------------------------------------------------------------------------------- */

/* A value is {"stringValue": "x"}; that of a number is {"intValue": "5"}. */
static void take_attributes(struct span_told *told, const json_t *attributes)
{
	size_t i;
	json_t *attribute;

	json_array_foreach(attributes, i, attribute) {
		const char *key = text_at(attribute, "key");
		const json_t *value = json_object_get(attribute, "value");

		if (key && json_is_object(value))
			take_attribute(told, key, MEMBER(value, "stringValue", "intValue", "boolValue", "string_value", "int_value"));
	}
}

/* The kind is a number, or text such as "SPAN_KIND_CLIENT". */
static enum span_kind kind_of_otlp(const json_t *value)
{
	static const char *const names[] = {"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER",
					    "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"};
	const char *text = json_string_value(value);

	if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < SPAN_KINDS)
		return (enum span_kind)json_integer_value(value);
	for (int kind = 0; text && kind < SPAN_KINDS; kind++)
		if (!strcmp(names[kind], text))
			return (enum span_kind)kind;
	return SPAN_UNKNOWN;
}

/* {"code": 2, "message": "..."}; code 2 is an error. */
static void take_status(struct span_told *told, const json_t *status)
{
	const json_t *code = json_object_get(status, "code");
	const char *text = json_string_value(code), *message = text_at(status, "message");

	if ((json_is_integer(code) && json_integer_value(code) == 2) || (text && !strcmp(text, "STATUS_CODE_ERROR")))
		told->error = message ? message : "true";
}

/* For a span without a parent: the first linked span of its trace becomes its parent. It caused the span, but did not wait for it. */
static void take_links(struct span_told *told, const json_t *links)
{
	size_t i;
	json_t *link;

	json_array_foreach(links, i, link) {
		const char *trace = id_of(MEMBER(link, "traceId", "trace_id")), *id = id_of(MEMBER(link, "spanId", "span_id"));

		if (!trace || !id || strcmp(trace, told->trace) != 0 || !strcmp(id, told->id))
			continue;
		told->parent = id;
		told->follows = true;
		return;
	}
}

static void keep(struct reading *reading, struct span_told *told)
{
	if (told->trace && told->id && told->start >= 0 && told->end >= told->start)
		spans_add(reading->state->spans, told);
	else
		reading->state->broken++;
}

static void take_otlp_span(struct reading *reading, const struct span_told *process, const json_t *span)
{
	struct span_told told = *process;

	told.trace = id_of(MEMBER(span, "traceId", "trace_id"));
	told.id = id_of(MEMBER(span, "spanId", "span_id"));
	told.parent = id_of(MEMBER(span, "parentSpanId", "parent_span_id"));
	told.name = text_at(span, "name");
	told.start = count_of(MEMBER(span, "startTimeUnixNano", "start_time_unix_nano"));
	told.end = count_of(MEMBER(span, "endTimeUnixNano", "end_time_unix_nano"));
	told.kind = kind_of_otlp(json_object_get(span, "kind"));
	take_attributes(&told, json_object_get(span, "attributes"));
	take_status(&told, json_object_get(span, "status"));
	if (told.trace && told.id && !told.parent)
		take_links(&told, json_object_get(span, "links"));
	keep(reading, &told);
}

static void take_resource(struct reading *reading, const json_t *resource)
{
	const json_t *scopes = MEMBER(resource, "scopeSpans", "instrumentationLibrarySpans", "scope_spans"), *scope, *span;
	struct span_told process = {0};
	size_t i, k;

	take_attributes(&process, json_object_get(json_object_get(resource, "resource"), "attributes"));
	json_array_foreach(scopes, i, scope) {
		json_array_foreach(json_object_get(scope, "spans"), k, span) {
			take_otlp_span(reading, &process, span);
		}
	}
}

/* Tells whether the document has spans. */
static bool take_otlp(struct reading *reading, const json_t *document)
{
	const json_t *resources = MEMBER(document, "resourceSpans", "batches", "resource_spans"), *resource;
	size_t i;

	if (!resources) /* Tempo wraps the spans in "trace" */
		resources = json_object_get(json_object_get(document, "trace"), "resourceSpans");
	json_array_foreach(resources, i, resource) {
		take_resource(reading, resource);
	}
	return json_is_array(resources);
}

/* --- Jaeger ------------------------------------------------------------------------------------------------------- */

/* The parent, in the same trace, is the first span that this one is a child of, or else the first that it follows from. */
static void take_references(struct span_told *told, const json_t *references)
{
	size_t i;
	json_t *reference;

	json_array_foreach(references, i, reference) {
		const char *type = text_at(reference, "refType"), *trace = id_of(json_object_get(reference, "traceID"));
		const char *id = id_of(json_object_get(reference, "spanID"));
		bool follows = type && !strcmp(type, "FOLLOWS_FROM");

		if (!id || (trace && told->trace && strcmp(trace, told->trace) != 0) || (told->parent && (follows || !told->follows)))
			continue;
		told->parent = id;
		told->follows = follows;
	}
}

/* [{"key": "span.kind", "type": "string", "value": "server"}] */
static void take_tags(struct span_told *told, const json_t *tags)
{
	size_t i;
	json_t *tag;

	json_array_foreach(tags, i, tag) {
		const char *key = text_at(tag, "key");

		if (key)
			take_attribute(told, key, json_object_get(tag, "value"));
	}
}

/* Nanoseconds of a number of microseconds. -1: no number, or too large. */
static int64_t micros(const json_t *value)
{
	int64_t count = count_of(value), ns;

	return count < 0 || __builtin_mul_overflow(count, 1000, &ns) ? -1 : ns;
}

static void take_jaeger_span(struct reading *reading, const json_t *trace, const json_t *span)
{
	const char *process_id = text_at(span, "processID");
	const json_t *process = json_object_get(span, "process"), *id = json_object_get(span, "traceID");
	struct span_told told = {.start = micros(json_object_get(span, "startTime"))};
	int64_t duration = micros(json_object_get(span, "duration"));

	if (!process && process_id)
		process = json_object_get(json_object_get(trace, "processes"), process_id);
	told.trace = id_of(id ? id : json_object_get(trace, "traceID"));
	told.id = id_of(json_object_get(span, "spanID"));
	told.name = text_at(span, "operationName");
	take_references(&told, json_object_get(span, "references"));
	if (!told.parent)
		told.parent = id_of(json_object_get(span, "parentSpanID"));
	if (told.start < 0 || duration < 0 || __builtin_add_overflow(told.start, duration, &told.end))
		told.end = -1;
	take_tags(&told, json_object_get(span, "tags"));
	told.service = text_at(process, "serviceName");
	take_tags(&told, json_object_get(process, "tags"));
	keep(reading, &told);
}

static bool take_trace(struct reading *reading, const json_t *trace)
{
	const json_t *spans = json_object_get(trace, "spans"), *span;
	size_t i;

	if (json_object_get(trace, "operationName")) { /* a span alone, as stores keep it */
		take_jaeger_span(reading, NULL, trace);
		return true;
	}
	json_array_foreach(spans, i, span) {
		take_jaeger_span(reading, trace, span);
	}
	return json_is_array(spans);
}

static bool take_jaeger(struct reading *reading, const json_t *document)
{
	const json_t *data = json_object_get(document, "data"), *trace;
	bool understood = false;
	size_t i;

	if (!data)
		return take_trace(reading, document);
	json_array_foreach(data, i, trace) {
		understood |= take_trace(reading, trace);
	}
	return understood || (json_is_array(data) && !json_array_size(data));
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static ssize_t read_more(void *lines, char *bytes, size_t room)
{
	return lines_read(lines, bytes, room);
}

/* White space, and the byte order mark that Windows puts before UTF-8, may stand before and between documents. */
static bool is_blank(char c)
{
	return c && strchr(" \t\r\n\357\273\277", c);
}

/* Skips blanks; returns how many. */
static uint64_t skip(FILE *file)
{
	uint64_t count = 0;
	int c;

	while ((c = fgetc(file)) != EOF && is_blank((char)c))
		count++;
	if (c != EOF)
		ungetc(c, file);
	return count;
}

/* Takes a document; if it is an array, also each of its elements. */
static void take_document(struct reading *reading, bool (*take)(struct reading *, const json_t *), const json_t *document)
{
	size_t i;
	json_t *element;

	reading->documents++;
	reading->understood += take(reading, document);
	json_array_foreach(document, i, element) {
		reading->understood += take(reading, element);
	}
}

/* 0; -1 after fail(): the file is no JSON from some place on. */
static int read_documents(struct reading *reading, FILE *file, bool (*take)(struct reading *, const json_t *))
{
	uint64_t place = 0;

	for (;;) {
		json_error_t error;
		json_t *document;
		int c;

		place += skip(file);
		c = fgetc(file);
		if (c == EOF)
			return ferror(file) ? -1 : 0;
		ungetc(c, file);
		document = json_loadf(file, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);
		if (!document)
			return ferror(file) ? -1 : fail("%s: byte %llu: %s", reading->name, (unsigned long long)place + (unsigned)error.position, error.text);
		take_document(reading, take, document);
		json_decref(document);
		place += (unsigned)error.position;
	}
}

static void say(struct import *import, bool missing, uint64_t count, const char *name, const char *one, const char *many)
{
	char number[NUMBER_ROOM];

	number_human_count(number, count);
	if (count)
		import_say(import, missing, "%s: %s %s", name, number, count == 1 ? one : many);
}

static void say_all(struct import *import, const struct spans_state *state, const char *name)
{
	const struct spans_counts *counts = spans_counts(state->spans);

	say(import, true, state->broken, name, "span without an id, or without times, is left out", "spans without an id, or without times, are left out");
	say(import, true, counts->clashing, name, "span is left out: another of its trace has the id",
	    "spans are left out: others of their traces have their ids");
	say(import, false, counts->twice, name, "span is there twice", "spans are there twice");
	say(import, true, counts->orphans, name, "span has a parent that is not there; it begins a tree of its own",
	    "spans have parents that are not there; each begins a tree of its own");
	say(import, true, counts->circular, name, "span is in no graph: it is its own ancestor, or comes of one",
	    "spans are in no graph: they are their own ancestors, or come of such");
	say(import, false, counts->outside, name, "span lies outside its parent's time; it is taken for one that the parent did not wait for",
	    "spans lie outside their parents' time; they are taken for such that the parents did not wait for");
	say(import, false, counts->late, name, "span is in no graph: it began behind its tree's root, or ended before it",
	    "spans are in no graph: they began behind their tree's root, or ended before it");
	if (!counts->all)
		import_say(import, false, "%s: no spans", name);
}

static int write_all(struct import *import, const struct spans_state *state)
{
	const struct import_options *options = import_options(import);
	struct stream *stream = import_stream(import);
	struct line line = {0};
	int status;

	line_begin(&line, "stream");
	line_integer(&line, "version", STREAM_VERSION);
	line_text(&line, "clock", "realtime");
	line_text(&line, "wall", "0.000000000");
	status = import_begin(import, false) < 0 ? -1 : stream_write_line(stream, &line);
	line_free(&line);
	if (status == 0 && options->begun)
		status = options->begun(options->context, stream);
	return status < 0 ? -1 : spans_write(state->spans, stream);
}

static void state_free(void *data)
{
	struct spans_state *state = data;

	spans_free(state->spans);
	free(state);
}

static struct spans_state *state_new(void)
{
	struct spans_state *state = NEW(struct spans_state);

	state->spans = spans_new();
	return state;
}

/* Reads a file's spans into the state. Spans before a fault in the file count. */
static int read_file(struct import *import, struct spans_state *state, struct import_input *input,
		     bool (*take)(struct reading *, const json_t *), const char *whose)
{
	struct reading reading = {.state = state, .name = input->name};
	FILE *file = fopencookie(&input->lines, "r", (cookie_io_functions_t){.read = read_more});
	int status = file ? read_documents(&reading, file, take) : fail_errno("cannot read '%s'", input->name);

	if (file)
		fclose(file);
	if (stream_output_closed(import_stream(import)))
		return 0;
	if (status < 0 && reading.understood) {
		import_say(import, true, "%s; what stands from there on is not read", fail_text());
		return 0;
	}
	if (status == 0 && !reading.understood)
		return fail("%s: no spans by %s are in it", input->name, whose);
	return status;
}

static int read_spans(struct import *import, struct import_input *input, bool (*take)(struct reading *, const json_t *), const char *whose)
{
	void **kept = import_state(import, state_free);
	struct spans_state *state;
	int status;

	if (import_options(import)->merge) {
		if (!*kept)
			*kept = state_new();
		return read_file(import, *kept, input, take, whose);
	}
	state = state_new();
	status = read_file(import, state, input, take, whose);
	if (status == 0)
		status = write_all(import, state);
	if (status == 0)
		say_all(import, state, input->name);
	state_free(state);
	return status;
}

static int end_spans(struct import *import)
{
	struct spans_state *state = *import_state(import, state_free);

	if (!state)
		return 0;
	if (write_all(import, state) < 0)
		return -1;
	say_all(import, state, "all files");
	return 0;
}

static bool has(const char *bytes, size_t length, const char *text)
{
	return memmem(bytes, length, text, strlen(text)) != NULL;
}

static bool is_json(const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length && is_blank(bytes[at]))
		at++;
	return at < length && (bytes[at] == '{' || bytes[at] == '[');
}

static size_t is_otlp(const char *bytes, size_t length)
{
	static const char *const marks[] = {"\"resourceSpans\"", "\"scopeSpans\"", "\"instrumentationLibrarySpans\"", "\"resource_spans\""};
	bool is = false;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		is |= has(bytes, length, marks[i]);
	return is && is_json(bytes, length) ? IMPORT_SURE : 0;
}

static size_t is_jaeger(const char *bytes, size_t length)
{
	bool is = is_json(bytes, length) && has(bytes, length, "\"traceID\"") &&
		  (has(bytes, length, "\"operationName\"") || has(bytes, length, "\"spans\""));

	return is ? IMPORT_SURE : 0;
}

static int read_otlp(struct import *import, struct import_input *input)
{
	return read_spans(import, input, take_otlp, "OTLP");
}

static int read_jaeger(struct import *import, struct import_input *input)
{
	return read_spans(import, input, take_jaeger, "Jaeger");
}

const struct import_format import_otlp = {.name = "otlp", .words = "spans of OTLP", .is = is_otlp, .read = read_otlp, .end = end_spans};
const struct import_format import_jaeger = {.name = "jaeger", .words = "spans of Jaeger", .is = is_jaeger, .read = read_jaeger, .end = end_spans};
