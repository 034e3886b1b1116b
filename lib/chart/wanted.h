/*
 * wanted: which events a chart, or a state file, wants the collector to trace: selected events (source/selection.h), and probes of functions.
 */
#ifndef CHART_WANTED_H
#define CHART_WANTED_H

#include "chart/chart.h"
#include "source/cost.h"
#include "source/probe.h"
#include "source/probe_lines.h"
#include "source/selection.h"

/*
 * Adds the events of a chart. With a bound on the cost, `cost` learns what goes when the chart goes; NULL: there is none. 0; -1 after fail();
 * PROBES_LEFT_OUT: a function that cannot be probed without harm.
 */
int wanted_by_chart(struct selection *selection, struct probes *probes, struct cost *cost, const struct chart *chart);

/* The first event of a chart that has this role; NULL: none has. */
const char *wanted_event(const struct chart *chart, enum chart_role role);

/* Adds the events of a state file, by its name or path, that this kernel has, and the lines of its probes. -1 after fail(). */
int wanted_by_states(struct selection *selection, struct probe_lines *lines, const char *name);

#endif
