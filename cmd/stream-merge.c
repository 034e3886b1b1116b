/*
 * stream-merge: merge streams of several hosts by one clock, found by the bytes that the hosts sent each other.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "clock/feed.h"
#include "clock/live.h"
#include "clock/merge.h"

static const char *reference, *only;
static bool as_text;
static int64_t wait_for;

static const struct option_entry options[] = {
	{OPTION_STRING, 'r', "reference", &reference, "HOST", "whose clock counts (default: the first file's that was not set back)"},
	{OPTION_STRING, 0, "only", &only, "HOST", "write this host's records only, as a stream of it, by the reference's clock"},
	OPTION_TEXT(&as_text),
	{OPTION_DURATION, 'w', "wait", &wait_for, "TIME", "merge while records come; wait this long for a silent host"},
	{0},
};

/* The files to read, for confine(), in an array that the caller frees. */
static char **files_of(char **operands, int count)
{
	char **files = memory_new((size_t)count + 1, sizeof(*files));

	for (int i = 0; i < count; i++)
		files[i] = feed_file(operands[i]);
	return files;
}

static int merge_all(struct host_merge *merge, char **operands, int count, struct stream *stream)
{
	for (int i = 0; i < count; i++)
		if (merge_read(merge, operands[i]) < 0)
			return -1;
	if (merge_find(merge, reference) < 0)
		return -1;
	for (size_t i = 0; i < merge_note_count(merge); i++)
		warn("%s", merge_note(merge, i));
	return merge_write(merge, stream, only);
}

static void say(const char *sentence)
{
	warn("%s", sentence);
}

static int merge_live(struct live *live, char **operands, int count, struct stream *stream)
{
	for (int i = 0; i < count; i++)
		if (live_open(live, operands[i]) < 0)
			return -1;
	return live_run(live, reference, stream, say);
}

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[NAME=]FILE...", "merge streams of several hosts by one clock");
	struct stream *stream;
	struct host_merge *merge = NULL;
	struct live *live = NULL;
	char **files;
	int status, failed;

	if (first == argc)
		die_usage("a file is missing");
	if (wait_for && only)
		die_usage("--only reads all streams to their ends; it does not go with --wait");

	/* open */
	stream = stream_create();
	stream_output(stream, STDOUT_FILENO, as_text);
	stream_report_usage(stream, "stream-merge");
	if (wait_for)
		live = live_new(wait_for);
	else
		merge = merge_new();
	files = files_of(argv + first, argc - first);
	confine(live ? CONFINE_NOTHING_ELSE : CONFINE_TEMPORARY, NULL, files, argc - first);
	if (live)
		interrupt_defer();

	/* merge */
	failed = live ? merge_live(live, argv + first, argc - first, stream) : merge_all(merge, argv + first, argc - first, stream);
	if (failed < 0) {
		warn("%s", fail_text());
		stream_mark_cut(stream);
	}

	/* close */
	if (live)
		live_free(live);
	else
		merge_free(merge);
	free(files);
	status = stream_close(stream);
	if (status == EXIT_FAILED && failed == 0)
		warn("%s", fail_text());
	return failed < 0 ? EXIT_FAILED : status;
}
