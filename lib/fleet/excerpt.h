/*
 * excerpt: the part of a ranked moment that may leave its machine: signals, paths and blame, each with the keys that one table lists. Events, the
 * fields that charts show, labels, titles, and keys of charts that are no device and no system call stay where they are.
 *
 * An excerpt is a stream of text. Its `stream` record names the machine and the excerpt (moments=ID) and tells its clock; `device`,
 * `signal`, `window`, `graph`, `path`, `blame` and `lost` records follow, and an `end`. A graph has no nodes.
 *
 * The machine that sends makes excerpts with this, and the hub reads with it what a machine has sent: both see the same table.
 */
#ifndef FLEET_EXCERPT_H
#define FLEET_EXCERPT_H

#include "stream/fields.h"
#include "stream/line.h"

/*
 * Spells the excerpt's part of a record in *line: 1. 0: the excerpt has nothing of it, because it is of a kind that no excerpt has, the ranker's
 * total, which is of one machine's hour only, or a piece of a path that nobody could name without its node. -1 after fail(): a command that
 * reads excerpts would refuse it.
 */
int excerpt_record(const struct fields *fields, struct line *line);

#endif
