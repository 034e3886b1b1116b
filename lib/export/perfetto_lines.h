/*
 * perfetto_lines: time lines that the stream has as records: a track for each attribute of state-build, or a counter if it is a number;
 * and a track for each service with its spans, with an arrow from the place where a span called to the span that was called.
 */
#ifndef EXPORT_PERFETTO_LINES_H
#define EXPORT_PERFETTO_LINES_H

#include "export/perfetto_packet.h"
#include "stream/fields.h"

struct time_lines;

struct time_lines *time_lines_new(struct packets *packets);
void time_lines_free(struct time_lines *lines);

/* Take a `state` and a `span` record. -1 after fail(). */
int time_lines_state(struct time_lines *lines, const struct fields *fields);
int time_lines_span(struct time_lines *lines, const struct fields *fields);

/* Takes a `graph` record: the spans behind it are of another tree. */
void time_lines_tree_over(struct time_lines *lines);

/* Ends the stream: each attribute keeps its last value until the last record. -1 after fail(). */
int time_lines_end(struct time_lines *lines);

#endif
