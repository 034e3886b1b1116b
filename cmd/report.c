/* report: says what a stream tells: the abnormal moments, and who is to blame. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command.h"
#include "base/confine.h"
#include "base/fail.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "report/report.h"
#include "stream/stage.h"

static const char *format = "text", *output;
static bool plot, all, table;

static const struct option_entry options[] = {
	{OPTION_STRING, 'f', "format", &format, "FORMAT", .names = report_format_name},
	{OPTION_STRING, 'o', "output", &output, "PLACE", "write to this file; of html, the folder of report.html (default .)"},
	{OPTION_FLAG, 'a', "all", &all, NULL, "list every moment and every signal, not only the worst moments and groups of signals"},
	{OPTION_FLAG, 0, "plot", &plot, NULL, "draw the control charts in text too"},
	{OPTION_FLAG, 0, "table", &table, NULL, "the values of each chart and key in a few numbers: mean, quantiles, largest"},
	{OPTION_END},
};

/* Sets *bounded if the user or a terminal says how wide lines may be. */
static size_t columns(bool *bounded)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	uint64_t width = 0;

	if (text && number_count(text, strlen(text), &width) < 0)
		width = 0;
	if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	*bounded = width > 0;
	return width == 0 ? 80 : width < 40 ? 40 : width > 400 ? 400 : width;
}

/* Tells whether all inputs are files, none of them a pipe. */
static bool input_is_whole(char *const *files, int count)
{
	struct stat status;
	int i;

	if (count == 0)
		return fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
	for (i = 0; i < count; i++)
		if ((strcmp(files[i], "-") ? stat(files[i], &status) : fstat(STDIN_FILENO, &status)) < 0 ||
		    !S_ISREG(status.st_mode))
			return false;
	return true;
}

static void totals_asked(int number)
{
	(void)number;
	report_ask_totals();
}

/* No SA_RESTART: a signal interrupts a waiting read, so that totals come at once. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = totals_asked};

	sigaction(SIGUSR1, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	interrupt_defer();
}

int main(int argc, char **argv)
{
	int operands = command_line(argc, argv, options, "[FILE...]", "say what was abnormal, and who is to blame");
	struct report_options how = {.format = format, .output = output, .out = stdout, .plot = plot, .all = all, .table = table};
	struct stream *stream;
	struct report *report;
	int status;

	if (report_check(&how) < 0)
		die_usage("%s", fail_text());

	/* open */
	how.width = columns(&how.bounded);
	how.whole = input_is_whole(argv + operands, argc - operands);
	catch_signals();
	stream = stream_open(argv + operands, argc - operands);
	if (!stream)
		die("%s", fail_text());
	stage_lets_others_first(stream);
	report = report_new(stream, &how);
	if (!report)
		die("%s", fail_text());
	confine(CONFINE_RENAME | CONFINE_TEMPORARY | CONFINE_SPAWN, output ? output : ".", argv + operands, argc - operands);

	/* run */
	if (report_run(report) < 0 && !report_closed(report))
		die("%s", fail_text());
	if (report_complaint(report))
		warn("%s", report_complaint(report));

	/* close */
	report_free(report);
	status = stream_close(stream);
	if (status == EXIT_FAILED)
		warn("%s", fail_text());
	return status;
}
