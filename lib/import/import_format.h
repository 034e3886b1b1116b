/*
 * import_format: what the formats that can be imported have in common. Used by import*.c only.
 */
#ifndef IMPORT_IMPORT_FORMAT_H
#define IMPORT_IMPORT_FORMAT_H

#include "base/memory.h"
#include "import/choice.h"
#include "import/import.h"
#include "import/lines.h"

#define IMPORT_SURE SIZE_MAX /* the file begins as only those of the format do */

/* A file that is being imported. */
struct import_input {
	const char *name; /* as messages call it */
	int fd;
	struct lines lines; /* before the first of which its beginning was looked at */
};

struct import { /* of import.c; formats use the functions below */
	struct stream *stream;
	const struct import_options *options;
	struct choices *choices;	    /* NULL: all events are wanted */
	const struct import_format *format; /* asked for; NULL: told by the content */
	ARRAY(char *) notes;
	void *state;
	void (*free_state)(void *);
};

struct import_format {
	const char *name;
	size_t (*is)(const char *bytes, size_t length);		      /* how many lines of a file's first bytes are of it; IMPORT_SURE */
	int (*read)(struct import *import, struct import_input *input); /* -1 after fail() */
	int (*end)(struct import *import);			      /* what waited for the last file; NULL: nothing does */
};

extern const struct import_format import_tracedat, import_ftrace, import_perf, import_systrace;

/* Keeps a sentence for people; with `missing`, events are missing because of it. */
void import_say(struct import *import, bool missing, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Whether events of this name are wanted, and which of them. NULL after fail(). */
const struct choice *import_choose(struct import *import, const char *system, const char *name);

struct stream *import_stream(const struct import *import);
const struct import_options *import_options(const struct import *import);

/* What a format keeps from file to file; NULL at first. Freed by import_free(). */
void **import_state(struct import *import, void (*free_state)(void *state));

/* Begins a stream, of packed events in the other byte order if `swapped`; its `stream` record comes next. -1 after fail(). */
int import_begin(struct import *import, bool swapped);

#endif
