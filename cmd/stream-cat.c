/*
 * stream-cat: copy streams, from binary to text and back.
 */
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "event/event.h"

static bool as_text, as_binary;

static const struct option_entry options[] = {
	OPTION_TEXT(&as_text),
	{OPTION_FLAG, 'b', "binary", &as_binary, NULL, "write binary (the default elsewhere); refused on a terminal"},
	{0},
};

int main(int argc, char **argv)
{
	int first = command_line(argc, argv, options, "[FILE...]", "copy streams, from binary to text and back");
	struct handlers handlers = {.hosts = true};
	struct events *events;
	struct stream *stream;
	int status;

	if (as_text && as_binary)
		die_usage("--text and --binary exclude each other");
	if (as_binary && isatty(STDOUT_FILENO))
		die_usage("binary is not for a terminal");

	/* open */
	stream = stream_open(argv + first, argc - first);
	if (!stream)
		die("%s", fail_text());
	stream_output(stream, STDOUT_FILENO, as_text);
	stream_copy_ends(stream);
	interrupt_defer();
	events = events_new(stream);
	confine(CONFINE_NOTHING_ELSE, NULL, argv + first, argc - first);

	/* copy */
	status = stream_finish(stream, &handlers, NULL);
	if (status && *fail_text())
		warn("%s", fail_text());
	events_free(events);
	return status;
}
