/*
 * usual_culprit: the thread that usually ends the waits of a window, and so is the culprit (walk/vote.h). It needs a graph of everything in the stream
 * (graph-build --whole), which has the normal cases; building that here would cost a report more than everything else.
 *
 *	usual = usual_culprit_new(stream)
 *	usual_culprit_take(usual, host, record)	each graph, node, edge, signal and window record; host: its number, from 0
 *	usual_culprit_over(usual, host, name)	the end of the host's stream
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

int usual_culprit_take(struct usual_culprit *usual, size_t host, const struct record *record); /* -1 after fail() */
int usual_culprit_over(struct usual_culprit *usual, size_t host, const char *name);

/*
 * The lines about a window, the culprit first. A window with too few normal cases, or in which the thread did not wait, has none.
 */
struct usual_window {
	char *id, *host; /* the host's name */
	size_t number;	 /* of the host */
	char *lines; /* with newlines between them */
	json_t *culprit; /* the same for programs: what `culprit` of graph-walk(1) answers, an array */
};
const struct usual_window *usual_culprit_window(const struct usual_culprit *usual, size_t index); /* NULL behind the last */
const struct usual_window *usual_culprit_find(const struct usual_culprit *usual, size_t host, const char *id); /* NULL: nothing is said of it */

#endif
