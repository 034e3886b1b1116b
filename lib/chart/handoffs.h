/*
 * handoffs: calls that cause other calls, paired by a value that one hands over to the other: the `handoff` lines of tailblame-semantics(5), for
 * trace-collect.
 *
 *	struct handoffs handoffs = {0};
 *	handoffs_read(&handoffs, path)			each file
 *	handoffs_name(&handoffs, charts)		charts of their functions, with the arguments that pair them
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
	ARRAY(char *) charts; /* texts that handoffs_name() made */
};

/* Ignores other lines. -1 after fail(), with file and line: a line cannot be read, or the call `to` does not know the value when it begins. */
int handoffs_read(struct handoffs *handoffs, const char *path);

/* Adds charts of the functions to the end of `charts`; if a function has a chart already, this gets the argument. Returns how many it added. */
int handoffs_name(struct handoffs *handoffs, struct option_list *charts);

int handoffs_write(const struct handoffs *handoffs, struct stream *stream);
void handoffs_free(struct handoffs *handoffs);

#endif
