#include "clock/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "clock/merged.h"

struct input {
	struct feed *feed;
	int host;
	FILE *spool;
	/* while records are written, the next one: */
	struct held head;
	char *text;
	int64_t at; /* head.place by the reference's clock; not before that of the last record */
	bool over;
};

struct host_merge {
	struct hosts *hosts;
	ARRAY(struct input *) inputs;
	ARRAY(char *) notes;
	int reference;
};

struct host_merge *merge_new(void)
{
	struct host_merge *merge = NEW(struct host_merge);

	merge->hosts = hosts_new();
	return merge;
}

static void input_free(struct input *input)
{
	if (input->feed)
		feed_free(input->feed);
	if (input->spool)
		fclose(input->spool);
	free(input->text);
	free(input);
}

void merge_free(struct host_merge *merge)
{
	for (size_t i = 0; i < merge->inputs.count; i++)
		input_free(merge->inputs.items[i]);
	free(merge->inputs.items);
	for (size_t i = 0; i < merge->notes.count; i++)
		free(merge->notes.items[i]);
	free(merge->notes.items);
	hosts_free(merge->hosts);
	free(merge);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int spool(void *context, const struct held *held, const char *text)
{
	struct input *input = context;

	if (fwrite(held, sizeof(*held), 1, input->spool) == 1 && fwrite(text, 1, held->length, input->spool) == held->length)
		return 0;
	return fail_errno("cannot write a temporary file; TMPDIR names a folder with room");
}

static int read_all(struct feed *feed)
{
	int status = feed_run(feed);

	if (status < 0) {
		char *why = memory_format("%s", fail_text());

		feed_close(feed);
		fail("%s", why);
		free(why);
		return -1;
	}
	return feed_close(feed);
}

int merge_read(struct host_merge *merge, const char *operand)
{
	struct input *input = NEW(struct input);
	int64_t wall;

	*ARRAY_ADD(&merge->inputs) = input;
	input->spool = file_temporary(NULL);
	input->feed = input->spool ? feed_open(operand, -1, spool, input) : NULL;
	if (!input->feed || read_all(input->feed) < 0 || file_settle(input->spool) < 0)
		return -1;
	flows_end(input->feed->flows);
	input->host = merged_host(merge->hosts, input->feed, input->feed->flows, INT64_MIN, merged_wall(input->feed, &wall) ? &wall : NULL);
	return input->host == HOST_NONE ? -1 : 0;
}

/* --- clocks ------------------------------------------------------------------------------------------------------- */

size_t merge_note_count(const struct host_merge *merge)
{
	return merge->notes.count;
}

const char *merge_note(const struct host_merge *merge, size_t i)
{
	return merge->notes.items[i];
}

/* The first host whose clock was not set back; if there is none, the first. */
static int steady_host(const struct host_merge *merge)
{
	for (size_t i = 0; i < merge->inputs.count; i++)
		if (clock_steps_count(merge->inputs.items[i]->feed->clock_steps) == 0)
			return (int)i;
	return 0;
}

int merge_find(struct host_merge *merge, const char *reference)
{
	merge->reference = reference ? hosts_named(merge->hosts, reference) : steady_host(merge);
	if (merge->reference == HOST_NONE)
		return fail("no stream is of host '%s'", reference);
	hosts_find(merge->hosts, merge->reference);
	for (int i = 0; i < (int)merge->inputs.count; i++)
		for (int note = 0; note < MERGED_NOTES; note++) {
			char *text = merged_note(merge->hosts, i, merge->inputs.items[i]->feed, note);

			if (!text)
				continue;
			*ARRAY_ADD(&merge->notes) = text;
			merge->inputs.items[i]->feed->incomplete |= note >= MERGED_UNKNOWN;
		}
	return 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* Reads the next record of an input. 1; 0: all was read; -1 after fail(). */
static int next(struct host_merge *merge, struct input *input)
{
	int64_t before = input->at;

	if (fread(&input->head, sizeof(input->head), 1, input->spool) != 1) {
		input->over = true;
		return ferror(input->spool) ? fail_errno("cannot read a temporary file") : 0;
	}
	input->text = memory_grow(input->text, input->head.length + 1, 1);
	if (fread(input->text, 1, input->head.length, input->spool) != input->head.length)
		return fail_errno("cannot read a temporary file");
	input->text[input->head.length] = '\0';
	input->at = input->head.place == INT64_MIN ? INT64_MIN : hosts_map(merge->hosts, input->host, input->head.place);
	if (input->at < before)
		input->at = before;
	return 1;
}

static struct input *earliest(const struct host_merge *merge, const struct input *only)
{
	struct input *first = NULL;

	for (size_t i = 0; i < merge->inputs.count; i++) {
		struct input *input = merge->inputs.items[i];

		if (!input->over && (!only || input == only) && (!first || input->at < first->at))
			first = input;
	}
	return first;
}

/* If a host's clock was set back, its events are kept in order, even where their times are wrong. */
static int write_all(struct host_merge *merge, const struct input *only, struct stream *stream, struct merged *merged)
{
	struct input *input;

	while ((input = earliest(merge, only)) && !stream_output_closed(stream)) {
		int64_t floor = clock_steps_count(input->feed->clock_steps) ? input->at : INT64_MIN;

		if (merged_record(merged, merge->hosts, input->host, input->feed, &input->head, input->text, floor) < 0 || next(merge, input) < 0)
			return -1;
	}
	return 0;
}

static int begin(struct host_merge *merge, const struct input *only, struct stream *stream, struct merged *merged)
{
	for (size_t i = 0; i < merge->inputs.count; i++) {
		struct input *input = merge->inputs.items[i];

		if (only && input != only)
			continue;
		rewind(input->spool);
		input->at = INT64_MIN;
		if (next(merge, input) < 0)
			return -1;
		stream_count_lost(stream, input->feed->lost);
		if (input->feed->incomplete)
			stream_mark_incomplete(stream);
	}
	if (merged_begin(merged, merge->inputs.items[merge->reference]->feed, only ? only->feed : NULL) < 0)
		return -1;
	for (int i = 0; i < (int)merge->inputs.count; i++)
		if (hosts_write(merge->hosts, i, stream) < 0)
			return -1;
	return 0;
}

int merge_write(struct host_merge *merge, struct stream *stream, const char *only)
{
	int host = only ? hosts_named(merge->hosts, only) : HOST_NONE, status;
	const struct input *input = host == HOST_NONE ? NULL : merge->inputs.items[host];
	struct merged *merged;

	if (only && !input)
		return fail("no stream is of host '%s'", only);
	merged = merged_new(stream);
	status = begin(merge, input, stream, merged) < 0 ? -1 : write_all(merge, input, stream, merged);
	merged_free(merged);
	return status;
}
