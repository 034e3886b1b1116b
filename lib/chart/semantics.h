/*
 * semantics: facts about a program that a user knows, and events do not show (Argus, section 3.2): the lines of tailblame-semantics(5).
 *
 *	struct semantics semantics = {0};
 *	semantics_choose(&semantics, chosen), semantics_read(&semantics, path), semantics_add(&semantics, line, "FILE:3")
 *	semantics_free(&semantics)
 *
 * An event is func:BINARY:FUNCTION(EXPR), the entry of a function with an argument as its key, or its return with a result; or
 * SYSTEM:EVENT(FIELD), any other, also async:run, async:pause and async:post of tasks.
 */
#ifndef CHART_SEMANTICS_H
#define CHART_SEMANTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/memory.h"

enum rule_kind {
	RULE_BOUNDARY, /* a segment begins at `from` */
	RULE_EDGE,     /* and one at `to`, with an edge from the last `from` with the same key */
	RULE_FOR,      /* a segment begins at `from`, and is for the process that its key names */
	RULE_HANDOFF,  /* the call `to` is an asynchronous child of the call `from` with the same key */
	RULE_FLAG,     /* who reads a watched variable was waiting for who wrote it */
	RULE_CUT,      /* wake-ups of threads of a name that end such waits are no edges */
	RULE_JOIN,     /* an edge between two nodes of a stream */
};

struct rule_event {
	char *name; /* in a stream: "func:server__handle" */
	char *key;  /* a field; NULL: none */
	char *chart; /* of a function: as chart_load() takes it, "func:./server:handle(job)"; NULL: it is none */
};

struct rule {
	enum rule_kind kind;
	struct rule_event from, to;
	char *from_name, *to_name;	     /* patterns of threads' names (fnmatch(3)); nodes; the first: a flag */
	char *syscall, *object, *function;   /* of the wait; NULL: any */
	char *line, *place;		     /* as it was written, and where */
	bool shipped;			     /* of no account where the stream does not have its events */
};

struct semantics {
	ARRAY(struct rule) rules;
};

/* Tells whether it is an event of a program's own task (wake/task_events.h), which is made of `async` records, not an event of the kernel. */
bool rule_event_is_of_task(const struct rule_event *event);

/*
 * -1 after fail(), with file and line. `path` may be the name of a shipped file, "glib". semantics_choose() reads all shipped files, and the chosen
 * one; NULL: no other; "none": nothing at all.
 */
int semantics_read(struct semantics *semantics, const char *path);
int semantics_choose(struct semantics *semantics, const char *chosen);

/* Adds the rule of a line, except an empty one or one that begins with '#'. -1 after fail(), which begins with the place. */
int semantics_add(struct semantics *semantics, const char *line, const char *place);

void semantics_drop_last(struct semantics *semantics);
bool semantics_has_events(const struct semantics *semantics); /* a rule of the user's needs events: a graph alone will not do */
size_t semantics_write(const struct semantics *semantics, FILE *out); /* the rules of the user; returns how many */
void semantics_free(struct semantics *semantics);

#endif
