#include "fleet/intake.h"

#include <stdbool.h>

#include "base/fail.h"
#include "stream/stream.h"

struct intake {
	struct outbox *outbox;
	uint64_t most, runs;
	void (*added)(void *context, uint64_t runs);
	void *context;
	struct line text; /* of the run that comes */
	bool enough;
};

/* The run is whole. */
static int finish(struct intake *intake)
{
	if (intake->text.length == 0)
		return 0;
	if (outbox_add(intake->outbox, intake->text.text, intake->text.length) < 0)
		return -1;
	intake->text.length = 0;
	intake->runs++;
	if (intake->added)
		intake->added(intake->context, intake->runs);
	if (intake->runs != intake->most)
		return 0;
	intake->enough = true;
	return fail("%s", "");
}

static int record_seen(void *context, const struct record *record)
{
	struct intake *intake = context;
	bool is_of_run = record->kind == KIND_FEATURES || record->kind == KIND_CONFIG;

	if (!is_of_run && finish(intake) < 0)
		return -1;
	if (record->kind == KIND_RUN || (is_of_run && intake->text.length)) {
		line_append(&intake->text, record->text, record->length);
		line_append(&intake->text, "\n", 1);
	}
	return STREAM_DROP;
}

static int stream_over(void *context)
{
	return finish(context);
}

int intake_run(char *const *files, int count, struct outbox *outbox, uint64_t most, void (*added)(void *context, uint64_t runs), void *context)
{
	struct intake intake = {.outbox = outbox, .most = most, .added = added, .context = context};
	struct handlers handlers = {.finish = stream_over};
	struct stream *stream = stream_open(files, count);
	int status;

	if (!stream)
		return 1;
	for (enum kind kind = KIND_RUN; kind <= KIND_CONFIG; kind++)
		handlers.on[kind] = record_seen;
	handlers.on[KIND_TICK] = record_seen;
	status = stream_finish(stream, &handlers, &intake);
	line_free(&intake.text);
	return intake.enough ? 0 : status;
}
