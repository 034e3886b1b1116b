/*
 * handoffs: calls that cause other calls, by the values that they hand over: the `handoff` lines of tailblame-semantics(5), for trace-collect.
 *
 *	struct handoffs handoffs = {0};
 *	handoffs_read(&handoffs, path)			each file
 *	handoffs_name(&handoffs, charts)		the charts of their functions, with the arguments that tell
 *	handoffs_write(&handoffs, stream)		a `handoff` record each, behind the charts
 *	handoffs_free(&handoffs)
 */
#ifndef CHART_HANDOFFS_H
#define CHART_HANDOFFS_H

#include "base/command.h"
#include "chart/semantics.h"
#include "stream/stream.h"

struct handoffs {
	struct semantics semantics;
	ARRAY(char *) charts; /* texts of ours */
};

/* Passes over other lines. -1 after fail(), with file and line: a line cannot be read, or a value of it is not known when the call begins. */
int handoffs_read(struct handoffs *handoffs, const char *path);

/* Adds charts of the functions behind those that are there; a function that has a chart gets the argument as well. Returns how many it added. */
int handoffs_name(struct handoffs *handoffs, struct option_list *charts);

int handoffs_write(const struct handoffs *handoffs, struct stream *stream);
void handoffs_free(struct handoffs *handoffs);

#endif
