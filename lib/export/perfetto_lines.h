/*
 * perfetto_lines: time lines that records of the stream tell themselves: a track for each attribute of state-build, a counter where it is a
 * number, and a track for each service with its spans, with an arrow from where a span called to the span that was called.
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

/* A `graph` record: the spans that come behind it are of another tree. */
void time_lines_tree_over(struct time_lines *lines);

/* At the end: attributes that are still something are so until the last record. -1 after fail(). */
int time_lines_end(struct time_lines *lines);

#endif
