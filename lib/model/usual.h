/*
 * usual: who usually ends what a thread waited for in a window, and so is the culprit (walk/vote.h): where the stream has a graph of everything
 * (graph-build --whole), for without it the normal cases are not known; building it here would cost a report more than all else it does.
 *
 *	usual = usual_new(stream)
 *	usual_take(usual, record)	each graph, node, edge, lost, signal and window record
 *	usual_over(usual)		the end of the stream
 *	usual_free(usual)
 */
#ifndef MODEL_USUAL_H
#define MODEL_USUAL_H

#include <jansson.h>
#include <stddef.h>

#include "stream/stream.h"

struct usual;

struct usual *usual_new(struct stream *stream);
void usual_free(struct usual *usual);

int usual_take(struct usual *usual, const struct record *record); /* -1 after fail() */
int usual_over(struct usual *usual);

/*
 * What is said of a window, a line each, the culprit first. Of one that has too few normal cases, and of one in which the
 * thread did not wait, nothing.
 */
struct usual_window {
	char *id;
	char *lines; /* with newlines between them */
	json_t *culprit; /* the same for programs: what `culprit` of graph-walk(1) answers, an array */
};
const struct usual_window *usual_window(const struct usual *usual, size_t index); /* NULL behind the last */
const struct usual_window *usual_find(const struct usual *usual, const char *id); /* NULL: nothing is said of it */

#endif
