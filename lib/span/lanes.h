/*
 * lanes: what each thread of a host was doing, by state files: the values of attributes in views of kind lanes, in whose paths only {tid}
 * changes, such as "Threads/{tid}/Operation". If two views tell something of one moment, the first one counts.
 *
 *	struct lanes *lanes = lanes_new(events)
 *	lanes_add(lanes, file)			state files, which stay the caller's
 *	lanes_record(lanes, record, fields)	each record that state_machine_record() takes
 *	lanes_end(lanes)			then
 *	lanes_tell(lanes, tid, from, to, &activities)
 *	lanes_free(lanes)
 */
#ifndef SPAN_LANES_H
#define SPAN_LANES_H

#include "span/thread_activity.h"
#include "state/machine.h"

struct lanes;

struct lanes *lanes_new(struct events *events);
void lanes_free(struct lanes *lanes);
void lanes_add(struct lanes *lanes, const struct state_file *file);
bool lanes_reads(enum kind kind);

/* `fields` are those of a spelled record; NULL of a packed event. 0; -1 after fail(). */
int lanes_record(struct lanes *lanes, const struct record *record, const struct fields *fields);
int lanes_end(struct lanes *lanes);

/* Tells it, as struct activity_source has it. */
void lanes_tell(const struct lanes *lanes, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities);

#endif
