#include "run/run_copy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"

struct run_copy {
	struct stream *input, *output;
	struct run_table *table;
	bool dropped[KINDS];
	char place[1024]; /* the message about the input's end, such as where it was cut; "": none */
};

struct run_copy *run_copy_open(char *const *files, int count)
{
	static const enum kind of_one_stream[] = {KIND_STREAM, KIND_FORMAT, KIND_EVENT,	 KIND_TASK,   KIND_DEVICE, KIND_TICK, KIND_STACK,
						  KIND_FILE,   KIND_QUOTA,  KIND_TRACED, KIND_STAGE,  KIND_USAGE,  KIND_RECORDER, KIND_HOST, KIND_GAP};
	struct stream *input = stream_open(files, count);
	struct run_copy *copy;

	if (!input)
		return NULL;
	copy = NEW(struct run_copy);
	copy->input = input;
	copy->output = stream_create();
	copy->table = run_table_new();
	for (size_t i = 0; i < sizeof(of_one_stream) / sizeof(of_one_stream[0]); i++)
		copy->dropped[of_one_stream[i]] = true;
	return copy;
}

void run_copy_write(struct run_copy *copy, int fd, bool text)
{
	stream_output(copy->output, fd, text);
	stream_ends_with(copy->input, fd);
}

void run_copy_drop(struct run_copy *copy, enum kind kind)
{
	copy->dropped[kind] = true;
}

struct run_table *run_copy_table(const struct run_copy *copy)
{
	return copy->table;
}

struct stream *run_copy_output(const struct run_copy *copy)
{
	return copy->output;
}

static int record_seen(void *context, const struct record *record)
{
	struct run_copy *copy = context;

	if (copy->dropped[record->kind])
		return STREAM_DROP;
	if (run_table_record(copy->table, copy->input, record) < 0)
		return -1;
	return stream_write_record(copy->output, record) < 0 ? -1 : STREAM_DROP;
}

int run_copy_run(struct run_copy *copy)
{
	struct handlers handlers = {.hosts = true};
	int status;

	for (int kind = 0; kind < KINDS; kind++)
		handlers.on[kind] = record_seen;
	if (stream_run(copy->input, &handlers, copy) < 0)
		return -1;
	stream_count_lost(copy->output, stream_lost(copy->input));
	if (stream_was_cut(copy->input))
		stream_mark_cut(copy->output);
	else if (stream_incomplete(copy->input))
		stream_mark_incomplete(copy->output);
	status = stream_close(copy->input);
	copy->input = NULL;
	snprintf(copy->place, sizeof(copy->place), "%s", status ? fail_text() : "");
	return status == 1 ? -1 : 0;
}

int run_copy_close(struct run_copy *copy)
{
	int status = stream_close(copy->output);

	if (copy->input) /* reading failed */
		stream_close(copy->input);
	if (status != 1)
		fail("%s", copy->place);
	run_table_free(copy->table);
	free(copy);
	return status;
}
