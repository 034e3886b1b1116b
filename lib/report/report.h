/*
 * report: writes the report on a stream, as text, JSON or a page with charts. The last stage of the pipe.
 *
 *	if (report_check(&options) < 0) ...
 *	struct report *report = report_new(stream, &options);
 *	report_run(report);
 *	report_free(report);		before stream_close()
 *
 * The formats are a table in report.c. Each format is a file of its own; it gets moments and totals from the model (model/model.h), and the
 * parts of the model have the words, so that all formats say the same.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stream/stream.h"

struct report_options {
	const char *format;    /* "text", "json", "html"; "csv" with `table` */
	const char *output;    /* html: the folder of report.html (NULL: "."); other formats: the file (NULL: `out`) */
	FILE *out;
	size_t width;	       /* columns of text */
	bool bounded;	       /* a table must not be wider, either: it goes to a terminal, or the user set the width */
	bool whole;	       /* all input is there already: the summary can come first */
	bool all;	       /* text and JSON: list every signal of a moment */
	bool plot;	       /* text: draw the control chart */
	bool table;	       /* the values of each chart and key in a few numbers, instead of the report */
};

struct report;

/* Names of the formats, the default first; NULL: there are no more. */
const char *report_format_name(size_t index);

/* Checks the options. 0; -1 after fail(): there is no such format, or not with these options. */
int report_check(const struct report_options *options);

/* Copies the options, which must have passed report_check(). The stream must outlive the report. NULL after fail(): there is no output. */
struct report *report_new(struct stream *stream, const struct report_options *options);

/* Reads the stream to its end and writes the report. 0; -1 after fail(). */
int report_run(struct report *report);

/* Asks for the totals, which are printed at the next record or wait for input. Safe in a signal handler. */
void report_ask_totals(void);

/* Tells whether writing failed because our reader is gone: no reason to complain. */
bool report_closed(const struct report *report);

/* The reason why a part of the report is missing ("no charts: gnuplot is not installed"); NULL: it is complete. */
const char *report_complaint(const struct report *report);

void report_free(struct report *report);

#endif
