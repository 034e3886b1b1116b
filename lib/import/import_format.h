/*
 * import_format: the interface of a format that can be imported. Private to lib/import.
 */
#ifndef IMPORT_IMPORT_FORMAT_H
#define IMPORT_IMPORT_FORMAT_H

#include "base/memory.h"
#include "import/event_choice.h"
#include "import/import.h"
#include "import/lines.h"

#define IMPORT_SURE SIZE_MAX /* the file begins as only files of the format do */

/* A file that is being imported. */
struct import_input {
	const char *name; /* for messages */
	int fd;
	struct lines lines; /* its first bytes were peeked at; no line was read yet */
	bool since_1970;    /* times are seconds since 1970; its format sets this before text_read() */
};

struct import { /* of import.c; formats use the functions below */
	struct stream *stream;
	const struct import_options *options;
	struct event_choices *choices;	    /* NULL: all events are wanted */
	const struct import_format *format; /* named by the user; NULL: find it by content */
	const struct import_format *merging; /* the format of the files to merge; NULL: no file was read yet */
	ARRAY(char *) notes;
	void *state;
	void (*free_state)(void *);
};

struct import_format {
	const char *name;
	const char *words; /* for people: what its files are */
	size_t (*is)(const char *bytes, size_t length);		      /* number of lines of this format in the first bytes, or IMPORT_SURE */
	int (*read)(struct import *import, struct import_input *input); /* -1 after fail() */
	int (*end)(struct import *import);			      /* after the last file; NULL: nothing to do */
	const char *(*hint)(const char *bytes, size_t length); /* why such output of its program cannot be imported; NULL: another program's output */
};

extern const struct import_format import_ftrace; /* also the text in a trace.dat of a latency tracer */

/* Keeps a note for people; `missing`: events are missing because of this. */
void import_say(struct import *import, bool missing, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Returns the choice for events of this name. NULL after fail(). */
const struct event_choice *import_choose(struct import *import, const char *system, const char *name);

/* Tells whether an event passes the filter of its choice, if there is one. 1; 0; -1 after fail(). */
int import_passes(const struct import *import, const struct event_choice *choice, const struct record *record);

struct stream *import_stream(const struct import *import);
const struct import_options *import_options(const struct import *import);

/* The state that a format keeps from file to file; NULL at first. import_free() calls free_state(). */
void **import_state(struct import *import, void (*free_state)(void *state));

/* Begins a stream; `swapped`: its packed events have the other byte order. The caller writes its `stream` record next. -1 after fail(). */
int import_begin(struct import *import, bool swapped);

#endif
