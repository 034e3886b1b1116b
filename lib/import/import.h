/*
 * import: saved traces of other tools into a stream.
 *
 * What a file is is told by its content. Each file becomes a stream of its own, one behind the other, for nothing in
 * such a file says whether it is of the same machine and boot as another; whoever knows that it is may ask for
 * trace.dat files to be merged by time.
 *
 *	import = import_new(stream, &options)
 *	import_only(import, events, count)	perhaps
 *	import_file(import, name)		for each; "-" is standard input
 *	import_end(import)			what waited to be merged
 *	import_note_count(import), import_note(import, i)
 *	import_free(import)
 *
 * What is not understood, left out or lost is counted and ends up in the notes, sentences for people; where events are missing because
 * of it, the stream is marked incomplete.
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
	const char *filter;  /* the kernel's (event/predicate.h); NULL: none */
	bool named;	     /* by somebody who wants to know if there is none */
};

struct import_options {
	const char *format;    /* its name; NULL: told by the content */
	struct events *names;  /* of the stream */
	bool instances;	       /* of all instances in a trace.dat, not of the main one only */
	bool merge;	       /* all files are of one machine and boot: one stream, by time */
	int (*begun)(void *context, struct stream *stream); /* after a stream's formats, before its events; 0, or -1 */
	void *context;
};

/* In the table's order; NULL: there are no more. */
const char *import_format_name(size_t index);

/* NULL after fail(): there is no such format. The options must stay. */
struct import *import_new(struct stream *stream, const struct import_options *options);
void import_free(struct import *import);

/* Only these events are wanted, which must stay; without them, all are. -1 after fail(): a filter is wrong. */
int import_only(struct import *import, const struct import_event *events, int count);

int import_file(struct import *import, const char *name); /* -1 after fail() */
int import_end(struct import *import);			  /* -1 after fail() */

size_t import_note_count(const struct import *import);
const char *import_note(const struct import *import, size_t i);

#endif
