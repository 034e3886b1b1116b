/*
 * usual: who usually ends what a thread waited for in a window, and so is the culprit (walk/vote.h): where the stream has a graph of everything
 * (graph-build --whole), for without it the normal cases are not known; building it here would cost a report more than all else it does.
 *
 *	usual = usual_new(stream)
 *	usual_take(usual, host, record)	each graph, node, edge, signal and window record; host: its number, from 0
 *	usual_over(usual, host, name)	the end of the host's stream
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

int usual_take(struct usual *usual, size_t host, const struct record *record); /* -1 after fail() */
int usual_over(struct usual *usual, size_t host, const char *name);

/*
 * The lines about a window, the culprit first. Of one that has too few normal cases, and of one in which the
 * thread did not wait, nothing.
 */
struct usual_window {
	char *id, *host; /* the host's name */
	size_t number;	 /* of the host */
	char *lines; /* with newlines between them */
	json_t *culprit; /* the same for programs: what `culprit` of graph-walk(1) answers, an array */
};
const struct usual_window *usual_window(const struct usual *usual, size_t index); /* NULL behind the last */
const struct usual_window *usual_find(const struct usual *usual, size_t host, const char *id); /* NULL: nothing is said of it */

#endif
