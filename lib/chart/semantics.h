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
	RULE_EDGE,     /* and at `to`, with an edge from the last `from` with the same key */
	RULE_FOR,      /* a segment begins at `from`, for the process that its key names */
	RULE_HANDOFF,  /* the call `to` is an asynchronous child of the call `from` with the same key */
	RULE_FLAG,     /* a thread that reads a watched variable waited for the thread that wrote it */
	RULE_CUT,      /* if a wake-up between threads of these names ends such a wait, it is no edge */
	RULE_JOIN,     /* an edge between two nodes of a stream */
};

struct rule_event {
	char *name; /* in a stream: "func:server__handle" */
	char *key;  /* a field; NULL: none */
	char *chart; /* of a function: as chart_load() takes it, "func:./server:handle(job)"; NULL: no function */
};

struct rule {
	enum rule_kind kind;
	struct rule_event from, to;
	char *from_name, *to_name;	     /* of a cut: patterns of thread names (fnmatch(3)); of a join: nodes; from_name of a flag: its name */
	char *syscall, *object, *function;   /* of the wait; NULL: any */
	char *line, *place;		     /* as it was written, and where */
	bool shipped;			     /* from a shipped file: ignored if the stream lacks its events */
};

struct semantics {
	ARRAY(struct rule) rules;
};

/* Tells whether it is no event of the kernel, but of a program's own task (wake/task_events.h), made from `async` records. */
bool rule_event_is_of_task(const struct rule_event *event);

/*
 * Read rules from files. -1 after fail(), with file and line. `path` may be the name of a shipped file, "glib". semantics_choose() reads all
 * shipped files and the chosen one; NULL: no other; "none": no file at all.
 */
int semantics_read(struct semantics *semantics, const char *path);
int semantics_choose(struct semantics *semantics, const char *chosen);

/* Adds the rule of a line, except an empty one or one that begins with '#'. -1 after fail(), which begins with the place. */
int semantics_add(struct semantics *semantics, const char *line, const char *place);

void semantics_drop_last(struct semantics *semantics);
bool semantics_has_events(const struct semantics *semantics); /* a flag, or a rule of the user's, needs events: a graph alone will not do */
size_t semantics_write(const struct semantics *semantics, FILE *out); /* writes the rules of the user; returns how many */
void semantics_free(struct semantics *semantics);

#endif
