/*
 * template: values and paths that a state file makes from an event, such as "call {cmd}" and "Connections/{[Threads/{tid}/Fd]}/In".
 *
 *	{field}		a field of the event, as text streams spell it
 *	{tid}		the thread of the event
 *	{comm} {cpu}	the name of that thread, and the CPU, unless the event has such a field
 *	{host}		the host of the event, unless the event has such a field
 *	{[PATH]}	the present value of an attribute
 *
 * A path begins at HOST/COMM.PID of the event's process, unless it begins with '/'. The value of {...} is always one component, see
 * state_tree_component(). If a part of a value is null, the value is null; if a part of a path is null, there is no path.
 */
#ifndef STATE_TEMPLATE_H
#define STATE_TEMPLATE_H

#include "base/memory.h"
#include "event/event.h"
#include "state/attributes.h"

enum state_piece_kind { PIECE_LITERAL, PIECE_FIELD, PIECE_TID, PIECE_COMM, PIECE_CPU, PIECE_HOST, PIECE_ATTRIBUTE };

struct state_path;

struct state_piece {
	enum state_piece_kind kind;
	char *literal;
	struct event_field *field; /* of FIELD, and of COMM, CPU and HOST, for events that have such a field */
	struct state_path *path;
};

struct state_template {
	ARRAY(struct state_piece) pieces;
};

struct state_path {
	bool absolute, of_thread; /* of_thread: the path has a {tid} that is not within a [PATH] */
	ARRAY(struct state_template) components;
};

/* The sources of the values that replace the braces of a template. */
struct state_scene {
	struct events *events;
	struct state_tree *tree;
	struct state_texts *texts;
	const struct state_attributes *attributes;
	const struct event *event;
	uint32_t home; /* the node HOST/COMM.PID; STATE_NO_NODE: there is none, and {host} is null unless the event has such a field */
};

/* Reads a template or path for events of this type. Returns 0; -1 after fail(), with *at at the error in the text. */
int state_template_read(struct state_template *template, struct event_type *type, const char *text, const char **at);
int state_path_read(struct state_path *path, struct event_type *type, const char *text, const char **at);
void state_template_free(struct state_template *template);
void state_path_free(struct state_path *path);

/* The value, with a reference that the caller drops. */
struct state_value state_template_value(const struct state_template *template, const struct state_scene *scene);

/* Sets *node to the path's node, which it makes if there is none. PATH_NULL, PATH_TOO_DEEP: there is no such path, and *node means nothing. */
enum state_path_outcome { PATH_FOUND, PATH_NULL, PATH_TOO_DEEP, PATH_NONE /* internal: a look-up found no node */ };
enum state_path_outcome state_path_make(const struct state_path *path, const struct state_scene *scene, uint32_t *node);

#endif
