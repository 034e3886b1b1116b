/*
 * session: the commands of graph-walk(1), which ask a whole graph, one after the other.
 *
 *	session = session_new(whole, &how)
 *	status = session_run(session, "at 1; culprit")		what it prints goes to `how.out`
 *	session_free(session)
 *
 * Later commands that name no node mean the one that `at` found.
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
	bool asks;     /* of several edges, `back` does not choose: the user is at a prompt */
	uint64_t most; /* lines of an answer */
	int64_t wall;  /* wall-clock time of the trace clock's zero; TIME_NONE: not known */
	const struct whole *normal;  /* the stream that has the normal cases; NULL: this one */
	struct semantics *semantics; /* what the user knows already, and adds */
	/* The same stream again, by the semantics as they are then; the session frees it. NULL after fail(). NULL: that cannot be done. */
	struct whole *(*again)(void *context);
	void *context;
};

struct session *session_new(struct whole *whole, const struct session_options *options);
void session_free(struct session *session);

enum session_status {
	SESSION_DONE,
	SESSION_QUIT,	/* the user wants to leave */
	SESSION_FAILED, /* after fail() */
	SESSION_MISUSED, /* after fail(): there is no such command, or it has other operands */
};

/* Runs commands with ';' between them, up to the first that fails. An empty one, or one that begins with '#', does nothing. */
enum session_status session_run(struct session *session, const char *commands);

/* Events were lost in the interval of an answer. */
bool session_incomplete(const struct session *session);

/* The names that a word may be completed to: of commands for a line's first word, else of nodes; NULL behind the last. The caller frees it. */
char *session_complete(const struct session *session, const char *word, bool first, size_t index);

#endif
