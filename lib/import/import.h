/*
 * import: turns saved traces of other tools into a stream.
 *
 * The content of a file gives its format. Each file becomes a stream of its own, one after the other, because a file does not
 * show whether another is of the same machine and boot. A user who knows that they are may have the files merged by time.
 *
 *	import = import_new(stream, &options)
 *	import_only(import, events, count)	perhaps
 *	import_file(import, name)		for each; "-" is standard input
 *	import_end(import)			merges and writes files that waited for it
 *	import_note_count(import), import_note(import, i)
 *	import_free(import)
 *
 * Lines not understood, events left out and losses are counted and reported in notes, sentences for people. If events are missing, the
 * stream is marked incomplete.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

struct import;

struct import_event {
	const char *pattern; /* "sched:*" */
	const char *filter;  /* in the kernel's filter language (event/predicate.h); NULL: none */
	bool named;	     /* the user named it: report it if there is none */
};

struct import_options {
	const char *format;    /* the format's name; NULL: find the format by content */
	const char *machine;   /* the traced machine, as uname -m names it; NULL: as the trace says */
	struct events *names;  /* the stream's event formats */
	bool instances;	       /* import all instances of a trace.dat, not only the main one */
	bool merge;	       /* all files are of one machine and boot: merge them by time */
	int (*begun)(void *context, struct stream *stream); /* called after a stream's formats, before its events; 0, or -1 */
	void *context;
};

/* The name of a format, in the table's order; NULL: there are no more. */
const char *import_format_name(size_t index);

/* NULL after fail(): there is no such format. `options` must outlive it. */
struct import *import_new(struct stream *stream, const struct import_options *options);
void import_free(struct import *import);

/* Imports only these events; without this call, all. `events` must outlive the import. 0; -1 after fail(): a filter is wrong. */
int import_only(struct import *import, const struct import_event *events, int count);

int import_file(struct import *import, const char *name); /* -1 after fail() */
int import_end(struct import *import);			  /* -1 after fail() */

size_t import_note_count(const struct import *import);
const char *import_note(const struct import *import, size_t i);

#endif
