/*
 * gather: private to the model: how records become moments. The handlers are in gather.c and gather_graph.c, the
 * moment at hand in moment.c.
 */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include "report/model.h"

/* What every handler begins with: closes what the record ends, and gives its fields; NULL after fail(). */
const struct fields *gather_fields(struct model *model, const struct record *record);

/* Puts the place in the input before the sentence of the last fail(); -1. */
int gather_wrong(struct model *model);

record_handler gather_graph, gather_path, gather_blame, gather_usage, gather_change, gather_shed; /* gather_graph: nodes and edges too */

void gather_usage_end(struct model *model); /* of the stream at hand */

/* Takes a limits record that says change=; `center` is the new one. */
int gather_shift(struct model *model, struct track *track, const struct fields *fields, double center);

/* Takes a graph that is complete: a story begins. */
int gather_whole_graph(void *context, struct graph *graph);

/* Closes the graph and the moment at hand, if this record ends them. Each returns 0; -1 after fail(). */
int moment_next_record(struct model *model, const struct record *record);
int moment_close(struct model *model); /* tells it */

struct moment *moment_begin(struct model *model, const char *window);
void moment_span(struct moment *moment, int64_t from, int64_t to);
void moment_forget_graph(struct model *model);

/* A new story in the moment of this window ("": the one at hand, or one without window). NULL after fail(). */
struct story *moment_story(struct model *model, const char *graph, const char *window);

/* Signals wait until a window claims them. */
void moment_bound_pending(struct model *model);
struct signal *moment_claim(struct model *model, size_t i);
void moment_claim_range(struct model *model, const char *range); /* signals="12-31"; "": by time */
struct signal *moment_find_signal(struct model *model, const char *id); /* NULL: not known */

/* Tells those whose window never came, if there are any: of a cut stream, or one written by hand. 0; -1 after fail(). */
int moment_of_rest(struct model *model, bool complete);

#endif
