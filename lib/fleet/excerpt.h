/*
 * excerpt: the part of a ranked moment that may leave its machine: signals, paths and blame, each with the keys that one table lists. Events,
 * fields that charts show, labels, titles, and keys of charts that are no device and no system call stay on the machine.
 *
 * An excerpt is a stream of text. Its `stream` record names the machine and the excerpt (moments=ID) and tells its clock; `device`,
 * `signal`, `window`, `graph`, `path`, `blame` and `lost` records follow, and an `end`. A graph has no nodes.
 *
 * The machine makes its excerpts with this function, and the hub checks with it what a machine sent: both use the same table.
 */
#ifndef FLEET_EXCERPT_H
#define FLEET_EXCERPT_H

#include "stream/fields.h"
#include "stream/line.h"

/*
 * Spells the excerpt's part of a record in *line, and returns 1. 0: the excerpt has nothing of the record: no excerpt has its kind, or it is the
 * ranker's total, which is about one machine's hour only, or a piece of a path that has no name without its node. -1 after fail(): commands that
 * read excerpts would refuse the record.
 */
int excerpt_record(const struct fields *fields, struct line *line);

#endif
