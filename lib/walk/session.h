/*
 * session: runs the commands of graph-walk(1), which ask a whole graph, one after the other.
 *
 *	session = session_new(whole, &how)
 *	status = session_run(session, "at 1; culprit")		prints the answers to `how.out`
 *	session_free(session)
 *
 * A command that names no node means the node that the last `at` found.
 */
#ifndef WALK_SESSION_H
#define WALK_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "chart/semantics.h"
#include "walk/whole.h"

struct session;

struct session_options {
	FILE *out;
	bool as_json;
	bool asks;     /* the user is at a prompt: if there are several edges, `back` lets the user choose */
	uint64_t most; /* lines of an answer */
	int64_t wall;  /* wall-clock time of the trace clock's zero; TIME_NONE: not known */
	const struct whole *normal;  /* the stream with the normal cases; NULL: the asked one itself */
	struct semantics *semantics; /* the user's rules; commands add to them */
	/* Builds the whole of the same stream again, by the current semantics; the session frees it; NULL after fail(). NULL: not possible. */
	struct whole *(*again)(void *context);
	void *context;
};

struct session *session_new(struct whole *whole, const struct session_options *options);
void session_free(struct session *session);

enum session_status {
	SESSION_DONE,
	SESSION_QUIT,	/* the user wants to leave */
	SESSION_FAILED, /* after fail() */
	SESSION_MISUSED, /* after fail(): there is no such command, or its operands are wrong */
};

/* Runs commands with ';' or newlines between them, up to the first that fails. Skips empty commands and comments, which begin with '#'. */
enum session_status session_run(struct session *session, const char *commands);

/* Tells whether events were lost in the interval of an answer. */
bool session_incomplete(const struct session *session);

/*
 * The next completion of a word: commands for a line's first word, else threads. *next is 0 for the first one, and is moved on. NULL: there are
 * no more. The caller frees it.
 */
char *session_complete(const struct session *session, const char *word, bool first, size_t *next);

#endif
