/*
 * export: a stream as a file that another program opens. The end of a pipe, beside report.
 *
 *	if (export_check(&options) < 0) ...			used wrongly
 *	struct export *export = export_new(stream, &options, out, folder);
 *	status = export_run(export);
 *	if (export_complaint(export)) ...			what the format could not hold
 *	export_free(export);					before stream_close()
 *
 * Memory is bounded by what the stream itself makes every command remember (formats, threads, devices), by one moment
 * of it, and by a buffer per CPU; what is larger waits in temporary files that have no name.
 *
 * What a format cannot hold is left out, counted and told, and the data are then incomplete (exit status 3).
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
	const char *host;   /* of a stream that may be of several: its records only; "": none was named */
	const char *kind;   /* csv: the kind of records; NULL: none was named */
	const char *event;  /* csv of kind event: "system:event", the only one; NULL: all, without their own fields as columns */
	bool nanoseconds;   /* ftrace: nine decimals, not the kernel's six */
	bool exact;	    /* ftrace: as the kernel has it, though viewers trip over that */
};

/* In the table's order, the default first; NULL: there are no more. */
const char *export_format_name(size_t index);

/* -1 after fail(): no such format or kind, or an option that the format does not have. */
int export_check(const struct export_options *options);

bool export_is_binary(const char *format); /* nothing for a terminal */

/* `out` is the caller's; `folder` is where temporary files may be made. Attached to the stream until that is closed. */
struct export *export_new(struct stream *stream, const struct export_options *options, FILE *out, const char *folder);

/* Reads the stream to its end and writes the file. 0; -1 after fail(). */
int export_run(struct export *export);

/* Tells whether export_run() failed only because the reader of our output is gone. */
bool export_closed(const struct export *export);

/* One sentence about the records that were left out, and why; NULL: none were. */
const char *export_complaint(const struct export *export);

void export_free(struct export *export);

#endif
