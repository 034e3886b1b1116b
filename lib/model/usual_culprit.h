/*
 * usual_culprit: the thread that usually ends waits like that of a window, and so is the culprit (walk/vote.h). It needs a graph of everything in the
 * stream (graph-build --whole), which has the normal cases; to build that here would cost a report more than everything else.
 *
 *	usual = usual_culprit_new(stream)
 *	usual_culprit_take(usual, host, record)	for each graph, node, edge, signal and window record; host: its number, from 0
 *	usual_culprit_over(usual, host, name)	at the end of the host's stream
 *	usual_culprit_free(usual)
 */
#ifndef MODEL_USUAL_CULPRIT_H
#define MODEL_USUAL_CULPRIT_H

#include <jansson.h>
#include <stddef.h>

#include "stream/stream.h"

struct usual_culprit;

struct usual_culprit *usual_culprit_new(struct stream *stream);
void usual_culprit_free(struct usual_culprit *usual);

int usual_culprit_take(struct usual_culprit *usual, size_t host, const struct record *record); /* both: 0; -1 after fail() */
int usual_culprit_over(struct usual_culprit *usual, size_t host, const char *name);

/*
 * The lines about a window, the culprit first. There are none for a window with too few normal cases, or whose thread did not wait.
 */
struct usual_window {
	char *id, *host; /* the window's id; the host's name */
	size_t number;	 /* of the host */
	char *lines; /* with newlines between them */
	json_t *culprit; /* the same for programs: the answer of `culprit` in graph-walk(1), an array */
};
const struct usual_window *usual_culprit_window(const struct usual_culprit *usual, size_t index); /* NULL after the last */
const struct usual_window *usual_culprit_find(const struct usual_culprit *usual, size_t host, const char *id); /* NULL: there are no lines */

#endif
