/*
 * trace-export: turn a stream into a file that another program opens.
 */
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "export/export.h"

static struct export_options how = {.format = "ftrace", .host = ""};
static const char *output;

static const struct option_entry options[] = {
	{OPTION_STRING, 'f', "format", &how.format, "FORMAT", .names = export_format_name},
	{OPTION_STRING, 'o', "output", &output, "FILE", "write to a file instead of standard output"},
	{OPTION_STRING, 0, "host", &how.host, "HOST", "of a stream of several hosts, this one"},
	{OPTION_STRING, 'k', "kind", &how.kind, "KIND", "csv: the kind of records, such as signal or blame"},
	{OPTION_STRING, 'e', "event", &how.event, "EVENT", "csv --kind=event: one event, with its fields as columns"},
	{OPTION_FLAG, 'n', "nanoseconds", &how.nanoseconds, NULL, "ftrace: times with nine decimals, not six"},
	{OPTION_FLAG, 'x', "exact", &how.exact, NULL, "ftrace: as the kernel has it, brackets and all"},
	{0},
};

/* Temporary files go to TMPDIR, else beside the output, which needs as much room anyway. */
static char *folder_of(const char *path)
{
	const char *given = getenv("TMPDIR");
	char *copy, *folder;

	if (given && *given)
		return memory_text(given, strlen(given));
	if (!path)
		return memory_text(file_temporary_folder(), strlen(file_temporary_folder()));
	copy = memory_text(path, strlen(path));
	folder = dirname(copy);
	folder = memory_text(folder, strlen(folder));
	free(copy);
	return folder;
}

int main(int argc, char **argv)
{
	int first =
	    command_line(argc, argv, options, "[FILE...]", "turn a stream into a file that another program opens");
	struct file_draft *draft = NULL;
	struct export *export;
	struct stream *stream;
	char *folder;
	bool closed;
	int status;

	if (export_check(&how) < 0)
		die_usage("%s", fail_text());
	if (!output && export_is_binary(how.format) && isatty(STDOUT_FILENO))
		die_usage("%s is not for a terminal; name a file with --output", how.format);

	/* open */
	signal(SIGPIPE, SIG_IGN);
	interrupt_defer();
	stream = stream_open(argv + first, argc - first);
	if (!stream || (output && !(draft = file_draft(output))))
		die("%s", fail_text());
	folder = folder_of(output);
	export = export_new(stream, &how, draft ? file_draft_stream(draft) : stdout, folder);
	confine(CONFINE_TEMPORARY | (draft ? CONFINE_RENAME : 0), output ? output : folder, argv + first, argc - first);

	/* export; keep the file only if it is whole */
	closed = export_run(export) < 0;
	if (closed && !export_closed(export))
		die("%s", fail_text());
	if (draft && file_draft_keep(draft) < 0)
		die("%s", fail_text());
	if (!closed && export_complaint(export))
		warn("%s", export_complaint(export));

	/* close */
	export_free(export);
	free(folder);
	status = stream_close(stream);
	if (status && *fail_text())
		warn("%s", fail_text());
	return closed ? EXIT_DONE : status;
}
