/* A state file, for a stream that stays the same: what it makes of it is a history that can be asked. */
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "state/history.h"
#include "state/history_read.h"
#include "state/query.h"
#include "state/query_when.h"
#include "support/fuzz.h"

static const char stream_text[] = "stream version=1 host=h wall=1790000000.0\n"
				  "task ts=1.0 tid=7 comm=redis tgid=7 began=yes\n"
				  "event ts=1.0 cpu=0 tid=7 comm=redis name=x:call cmd=get fd=5\n"
				  "event ts=1.1 cpu=1 tid=8 comm=worker name=x:call cmd=\"a/b*\" fd=-6 n=9223372036854775807\n"
				  "event ts=1.1 cpu=1 tid=8 comm=worker name=x:ret ret=9223372036854775807\n"
				  "lost ts=1.3 cpu=0 count=1 from=1.05\n"
				  "event ts=1.4 cpu=0 tid=7 comm=redis name=x:call cmd= fd=6\n"
				  "task ts=1.5 tid=8 ended=yes\n"
				  "event ts=1.6 cpu=0 tid=7 comm=redis name=x:ret ret=-1\n";

struct build {
	struct stream *stream;
	struct state_machine *machine;
};

static int seen(void *context, const struct record *record)
{
	const struct build *build = context;

	return state_machine_record(build->machine, record, stream_fields(build->stream, record)) < 0 ? -1 : STREAM_PASS;
}

static void ask(const char *path)
{
	struct history_file *file = history_open(path);
	int64_t from, to;

	fuzz_must(file);
	if (history_span(file, &from, &to) && from < to) {
		struct rows *rows = rows_new(stderr, ROWS_JSON, query_wall(file));

		fuzz_must(query_range(file, from, to, "**", 3, rows) == 0);
		rows_end(rows);
	}
	history_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_text((const char *)data, size), *path = memory_format("%s/history", fuzz_folder());
	char *const files[] = {(char *)fuzz_file(FUZZ_INPUT, stream_text, strlen(stream_text))};
	struct build build = {.stream = stream_open(files, 1)};
	struct events *events = events_new(build.stream);
	struct state_file *file = state_file_read(text, "input", events);

	if (file) {
		struct handlers handlers = {.on = {[KIND_STREAM] = seen, [KIND_TASK] = seen, [KIND_EVENT] = seen, [KIND_LOST] = seen}};
		struct history *history = history_new(path);

		build.machine = state_machine_new(events, 50);
		state_machine_add(build.machine, file);
		fuzz_must(history);
		state_attributes_sink(state_machine_attributes(build.machine), &history_sink, history);
		fuzz_must(stream_run(build.stream, &handlers, &build) == 0 && state_machine_finish(build.machine) == 0);
		fuzz_must(history_keep(history, build.machine) == 0);
		history_free(history);
		state_machine_free(build.machine);
		ask(path);
		unlink(path);
	}
	stream_close(build.stream);
	events_free(events);
	free(text);
	free(path);
	return 0;
}
