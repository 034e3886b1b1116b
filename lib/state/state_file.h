/*
 * state_file: the lines of a state file (tailblame-states(5)), read for the events of a stream.
 *
 *	struct state_file *file = state_file_load("loop", events)	a path, or a name of those that are shipped in charts/states/
 *	struct state_file *file = state_file_read(text, source, events)
 */
#ifndef STATE_STATE_FILE_H
#define STATE_STATE_FILE_H

#include "base/memory.h"
#include "event/event.h"
#include "state/logic.h"
#include "state/template.h"

enum state_action { ACTION_SET, ACTION_PUSH, ACTION_POP, ACTION_ADD, ACTION_CLEAR, ACTION_ALARM };

struct state_test {
	struct state_logic *condition; /* NULL: always */
	ARRAY(struct state_template) operands; /* of the condition, by number */
};

struct state_rule {
	const struct event_type *type;
	struct state_test test;
	enum state_action action;
	struct state_path path;	     /* but of an alarm */
	struct state_template value; /* of set, push and add; the text of an alarm */
	const struct state_file *file;
	int line;
};

struct state_view {
	char *kind, *path, *title;
};

/* A function whose calls are events probe:FUNCTION and, with `returns`, probe:FUNCTION__return. */
struct state_probe {
	char *function, *binaries, *arguments; /* the latter: NULL: none */
	bool returns;
};

/* The places of members of structs, in programs that have a constant string which begins with this text (program/members.h). */
struct state_layout {
	char *text, *members;
};

/* The bytes that begin a request within a connection to this port (span-build). */
struct state_unit {
	char *name;
	uint16_t port; /* 0: any */
	const struct event_type *type;	     /* each for which the test holds is a request; NULL: a turn is one */
	struct state_test test;
	struct state_template request, fd;   /* its name, and the connection's descriptor; each may be empty */
	struct state_template key;	     /* what `call` lines know it by; may be empty */
	bool message;			     /* it is not answered, and has this many bytes, which end where its thread received last */
	struct state_template bytes;
	const struct event_type *until;	     /* the thread has done with it; NULL: nobody knows when */
};

/*
 * An event at which its thread leaves a message, for the request that it does then, in the queue of a connection: of this descriptor, or of each
 * that its process made and at whose other end units of this name come in (span-build).
 */
struct state_message {
	const struct event_type *type;
	struct state_test test;
	struct state_template fd; /* empty: `to` counts */
	char *to;		  /* NULL: fd counts */
};

/* An event that tells that the queue of a connection, as this descriptor, could not all be sent, or, `over`, that all of it is (span-build). */
struct state_backlog {
	const struct event_type *type;
	struct state_test test;
	struct state_template fd;
	bool over;
};

/* An event behind which its thread sends on this descriptor for the request of this key (span-build). */
struct state_call {
	const struct event_type *type;
	struct state_test test;
	struct state_template fd, key;
};

/* A function that runs one piece of work of an event loop: what it sends is for whom it received (span-build). */
struct state_dispatch {
	const struct event_type *enter, *leave;
};

struct state_file {
	char *name, *title;
	ARRAY(struct state_rule *) rules; /* in the order of the file */
	ARRAY(struct state_view) views;
	ARRAY(struct state_probe) probes;
	ARRAY(struct state_layout) layouts;
	ARRAY(struct state_unit) units;
	ARRAY(struct state_call) calls;
	ARRAY(struct state_message) messages;
	ARRAY(struct state_backlog) backlogs;
	ARRAY(struct state_dispatch) dispatches;
	ARRAY(char *) includes; /* contexts whose events are collected, too (chart_of_context()) */
};

/* NULL after fail(), which names the file, the line and the column. `events` must outlive it. */
struct state_file *state_file_load(const char *name, struct events *events);
struct state_file *state_file_read(const char *text, const char *source, struct events *events);
void state_file_free(struct state_file *file);

/* Tells whether the condition holds for the scene's event, of that type. */
bool state_test_holds(const struct state_test *test, const struct state_scene *scene);

#endif
