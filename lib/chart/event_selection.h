/*
 * event_selection: adds what a chart or a state file needs traced to the selected events (source/selection.h) and to the probes of functions.
 */
#ifndef CHART_EVENT_SELECTION_H
#define CHART_EVENT_SELECTION_H

#include "chart/chart.h"
#include "source/cost.h"
#include "source/probe.h"
#include "source/probe_lines.h"
#include "source/selection.h"

/*
 * Adds the events of a chart. If the cost is bounded, `cost` learns which events to shed with the chart; NULL: it is not bounded.
 * 0; -1 after fail(); PROBES_LEFT_OUT: a probe of the function would harm the program.
 */
int event_selection_add_chart(struct selection *selection, struct probes *probes, struct cost *cost, const struct chart *chart);

/* Adds those events of a state file (a name or path) that this kernel has, and its lines of probes. -1 after fail(). */
int event_selection_add_states(struct selection *selection, struct probe_lines *lines, const char *name);

#endif
