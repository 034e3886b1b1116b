/*
 * export: writes a stream as a file that another program opens. Like report, it ends a pipe.
 *
 *	if (export_check(&options) < 0) ...			used wrongly
 *	struct export *export = export_new(stream, &options, out, folder);
 *	status = export_run(export);
 *	if (export_complaint(export)) ...			what the format could not hold
 *	export_free(export);					before stream_close()
 *
 * Memory holds what every command must remember of a stream (formats, threads, devices), one moment, and a buffer per
 * CPU; larger data wait in temporary files without a name.
 *
 * What a format cannot hold is left out, counted and reported; the data are then incomplete (exit status 3).
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "stream/stream.h"

struct export;

struct export_options {
	const char *format;
	const char *host;   /* the only host to export, of a stream that may be of several; "": none was named */
	const char *kind;   /* csv: the kind of records; NULL: none was named */
	const char *event;  /* csv of kind event: the only event, "system:event"; NULL: all events, without columns for their own fields */
	bool nanoseconds;   /* ftrace: nine decimals, not the kernel's six */
	bool exact;	    /* ftrace: exactly as the kernel prints it, though viewers trip over that */
};

/* The names of the formats in the table's order, the default first; NULL: there are no more. */
const char *export_format_name(size_t index);

/* -1 after fail(): no such format or kind, or an option that the format does not have. */
int export_check(const struct export_options *options);

bool export_is_binary(const char *format); /* binary: not to be written to a terminal */

/* The caller owns `out`; temporary files are made in `folder`. The export is attached to the stream until the stream is closed. */
struct export *export_new(struct stream *stream, const struct export_options *options, FILE *out, const char *folder);

/* Reads the stream to its end and writes the file. 0; -1 after fail(). */
int export_run(struct export *export);

/* Tells whether export_run() failed only because the reader of the output is gone. */
bool export_closed(const struct export *export);

/* A sentence about how many records were left out, and why; NULL: none were. Valid until export_free(). */
const char *export_complaint(const struct export *export);

void export_free(struct export *export);

#endif
