/*
 * state_file: the lines of a state file (tailblame-states(5)), with their event types and fields resolved for one stream.
 *
 *	struct state_file *file = state_file_load("loop", events)	a path, or the name of a file in charts/states/
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
	ARRAY(struct state_template) operands; /* the condition's operands, by number */
};

struct state_rule {
	const struct event_type *type;
	struct state_test test;
	enum state_action action;
	struct state_path path;	     /* unused by an alarm */
	struct state_template value; /* the value of set, push and add; the text of an alarm */
	const struct state_file *file;
	int line;
};

struct state_view {
	char *kind, *path, *title;
};

/* A probed function: its calls are events probe:FUNCTION and, with `returns`, its returns are events probe:FUNCTION__return. */
struct state_probe {
	char *function, *binaries, *arguments; /* arguments: NULL if the line has no args= */
	bool returns;
};

/* The offsets of struct members (program/members.h), for programs that contain a constant string beginning with `text`. */
struct state_layout {
	char *text, *members;
};

/* Says what is a request on connections to this port (span-build). */
struct state_unit {
	char *name;
	uint16_t port; /* 0: any */
	const struct event_type *type;	     /* each event of this type for which the test holds is a request; NULL: a turn is one */
	struct state_test test;
	struct state_template request, fd;   /* the request's name, and the connection's descriptor; each may be empty */
	struct state_template key;	     /* by which `call` lines refer to the request; may be empty */
	bool message;			     /* the request is not answered: it is the last `bytes` bytes that the thread received */
	struct state_template bytes;
	const struct event_type *until;	     /* at this event the thread is done with the request; NULL: its end is unknown */
};

/*
 * An event at which its thread leaves a message in the queue of a connection, for the request that it is serving (span-build). The connection is
 * that of the descriptor `fd`, or each one of its process at whose other end units named `to` come in.
 */
struct state_message {
	const struct event_type *type;
	struct state_test test;
	struct state_template fd; /* empty: `to` counts */
	char *to;		  /* NULL: fd counts */
};

/* An event that says that part of this descriptor's queue could not be sent or, with `over`, that all of it now has been (span-build). */
struct state_backlog {
	const struct event_type *type;
	struct state_test test;
	struct state_template fd;
	bool over;
};

/* After this event, its thread sends on the descriptor `fd` on behalf of the request with this key (span-build). */
struct state_call {
	const struct event_type *type;
	struct state_test test;
	struct state_template fd, key;
};

/* A function that does one piece of work of an event loop: a call of it sends on behalf of the request that it received (span-build). */
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
	ARRAY(char *) includes; /* contexts (chart_of_context()) whose events are collected as well */
};

/* NULL after fail(), which names the file, the line and the column. `events` must outlive the state file. */
struct state_file *state_file_load(const char *name, struct events *events);
struct state_file *state_file_read(const char *text, const char *source, struct events *events);
void state_file_free(struct state_file *file);

/* Tells whether the condition holds for the scene's event, which must be of the type that the test was read for. */
bool state_test_holds(const struct state_test *test, const struct state_scene *scene);

#endif
