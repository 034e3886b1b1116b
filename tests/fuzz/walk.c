/* graph-walk: a graph of everything out of records or events, and all that can be asked of it. */
#include <stdio.h>

#include "event/event.h"
#include "support/fuzz.h"
#include "walk/whole_build.h"
#include "walk/session.h"
#include "walk/whole_record.h"

struct work {
	struct stream *stream;
	struct whole_builder *builder;
	struct whole_reader *reader;
	struct whole *built, *was_read;
};

static int seen(void *context, const struct record *record)
{
	struct work *work = context;

	if (record->kind != KIND_EVENT && record->kind != KIND_STREAM && whole_reader_record(work->reader, record) < 0)
		return -1;
	if (record->kind == KIND_GRAPH || record->kind == KIND_NODE || record->kind == KIND_EDGE)
		return STREAM_DROP;
	return whole_builder_record(work->builder, record) < 0 ? -1 : STREAM_DROP;
}

static int over(void *context)
{
	struct work *work = context;

	whole_free(work->built);
	whole_free(work->was_read);
	work->was_read = whole_reader_has(work->reader) ? whole_reader_finish(work->reader) : NULL;
	work->built = whole_builder_finish(work->builder);
	fuzz_must(work->built != NULL);
	return 0;
}

/* Questions about each node, for the first ones; unknown nodes are an error, and that is all. */
static void ask(struct whole *whole)
{
	static const char *const commands[] = {"windows", "at 1", "at 2", "culprit -r", "similar", "back", "show", "cut 1", "back", "dot", "undo"};
	static const char *const questions[] = {"at %s", "culprit -r %s", "similar --thread=any %s", "back %s", "show %s", "compare %s 10#1", "join %s 10#1", "compare %s normal:10#1"};
	struct semantics semantics = {0};
	struct session *session =
		session_new(whole, &(struct session_options){.out = stderr, .as_json = true, .most = 20, .normal = whole, .semantics = &semantics});
	char command[64], node[32];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		session_run(session, commands[i]);
	for (size_t i = 0; i < whole->segments.count && i < 16; i++) {
		snprintf(node, sizeof(node), "%d#%u", whole->threads.items[whole->segments.items[i].thread].tid, whole->segments.items[i].n);
		for (size_t k = 0; k < sizeof(questions) / sizeof(questions[0]); k++) {
			snprintf(command, sizeof(command), questions[k], node);
			fuzz_must(session_run(session, command) != SESSION_MISUSED);
		}
	}
	session_free(session);
	semantics_free(&semantics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const files[] = {(char *)fuzz_file(FUZZ_INPUT, data, size)};
	struct handlers handlers = {.finish = over, .on = {[KIND_GRAPH] = seen, [KIND_NODE] = seen, [KIND_EDGE] = seen}};
	struct work work = {.stream = stream_open(files, 1)};
	struct events *events = events_new(work.stream);

	work.builder = whole_builder_new(work.stream, events);
	fuzz_must(work.builder != NULL);
	work.reader = whole_reader_new(work.stream);
	whole_builder_reads(&handlers, seen);
	if (stream_finish(work.stream, &handlers, &work) != 1 && work.built)
		ask(work.was_read ? work.was_read : work.built);
	whole_free(work.built);
	whole_free(work.was_read);
	whole_builder_free(work.builder);
	whole_reader_free(work.reader);
	events_free(events);
	return 0;
}
