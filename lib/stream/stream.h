/*
 * stream: the reader loop of every command. A command gives it a handler for each kind of record that it needs; the loop
 * passes all other records on, unchanged and in order.
 *
 *	struct stream *s = stream_open(files, count);
 *	stream_output(s, 1, text);			not for a command that writes no records
 *	struct handlers h = {.on[KIND_SIGNAL] = signal_seen, .finish = all_read};
 *	status = stream_finish(s, &h, ctx);
 *	if (status && *fail_text())
 *		warn("%s", fail_text());
 *
 * Input is binary or text, told apart by the first bytes, from each file in turn ("-" or no file: standard input). Each file
 * is a stream of its own; if a second file lacks a `stream` record, the loop makes one up, with nothing but the version.
 * Before a read that would block, the loop calls `idle` and flushes output, so that a live pipe shows its results at once.
 * In a stream of several hosts (stream-merge) each host has a context; the loop reads the `host` records itself. The first host has the
 * context given to stream_run(), with the watches attached to the stream. For each further host the loop calls `host` with the current context;
 * `host` makes a new context, attaches its watches to the stream and returns it, or NULL after fail(). The stream keeps the watches of each
 * host apart. Each context gets a `stream` record of its host, then the records of that host only, and `finish`. Watches of KIND_HOST are
 * called each time the stream returns to their host. The loop writes `host` records into the output itself, so a command uses a host's own
 * numbers of threads, processors, devices, windows and graphs.
 *
 * The loop checks each `end` record; in binary, also its count of records. At the end of all input it writes the command's
 * own `end`. stream/output.h says how a command writes; stream/losses.h counts lost data.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "stream/fields.h"
#include "stream/line.h"
#include "stream/losses.h"
#include "stream/output.h"
#include "stream/record.h"

struct stream;

enum { STREAM_PASS = 0, STREAM_DROP = 1 }; /* what a handler returns; or -1 after fail() */

typedef int record_handler(void *context, const struct record *record);

struct handlers {
	record_handler *on[KINDS];
	int (*idle)(void *context);   /* before the loop waits for input; 0, or -1 after fail() */
	bool hosts;		      /* the command handles `host` records itself, like all others */
	void *(*host)(void *context); /* see above; if none of `hosts`, `host` and `only` is set, the loop fails at a `host` record */
	const char *only;	      /* in a stream of several hosts, the loop gives only this host's records to the handlers; "": the user
					 named no host; NULL: the command cannot choose. For commands without output */
	int (*finish)(void *context); /* at the end of each of several concatenated streams, before its `end` is written;
					 0, or -1 after fail() */
};

/* Opens the first input; NULL after fail(). `files` must outlive the stream. */
struct stream *stream_open(char *const *files, int count);

/* Reads an open descriptor, which stream_close() closes; `name` names its file in messages. */
struct stream *stream_attach(int fd, const char *name);

/* A stream without input, for a command that makes records: output, write, close. Watches see each record written. */
struct stream *stream_create(void);

/*
 * Calls the handlers for every record. Returns 0 at the end of all input, or when the reader of our output is gone; -1 after
 * fail(), which names the file and the line or byte offset if the input was wrong.
 */
int stream_run(struct stream *stream, const struct handlers *handlers, void *context);

/* Called from a handler or `idle`: stream_run() returns 1 after the current record. To go on, call stream_run() again. */
void stream_pause(struct stream *stream);

/*
 * Flushes, closes, frees; a stream without input first gets usage and end records. Returns the exit status: 0; 1 after fail()
 * if the output could not be written; 3 if the data were incomplete (stream_incomplete()). With 3, fail_text() names the place
 * at which our own input was cut, or is "" if an earlier stage has reported it.
 */
int stream_close(struct stream *stream);
/* After fail(): closes the stream and keeps the reason. Returns 1, the exit status. */
int stream_abandon(struct stream *stream);

/* Runs and closes. Returns the exit status; fail_text() is the message to print, or "". */
int stream_finish(struct stream *stream, const struct handlers *handlers, void *context);

/* For layers that keep state: calls `watch` for each record of this kind, before the handler. */
void stream_watch(struct stream *stream, enum kind kind, record_handler *watch, void *context);

/*
 * The function that tells whether a packed event's format is known; the event layer installs it. After damage, the loop counts an
 * event of unknown format as lost; elsewhere it is an error.
 */
void stream_knows(struct stream *stream, bool (*knows)(void *context, const struct record *event), void *context);

/* The fields of a spelled record, parsed on the first call for it; NULL after fail(): it is malformed or packed. */
const struct fields *stream_fields(struct stream *stream, const struct record *record);

/* Fails with "NAME:LINE: sentence" or "NAME: byte N: sentence" for the current record; returns -1. */
int stream_fail(struct stream *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The place of the current record, to be kept; and a place's name, "NAME:LINE" or "NAME: byte N", valid until the next such call. */
uint64_t stream_place(const struct stream *stream); /* 0 only without input */
const char *stream_place_name(struct stream *stream, uint64_t place);

#endif
