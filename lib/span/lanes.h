/*
 * lanes: what each thread of a host was doing, by state files: the values of attributes in views of kind lanes whose paths vary only in {tid},
 * such as "Threads/{tid}/Operation". If two views tell something about the same time, the first one counts.
 *
 *	struct lanes *lanes = lanes_new(events)
 *	lanes_add(lanes, file)			state files; the caller owns them
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

/* `fields` are those of a record in text form; NULL: it is a packed event. 0; -1 after fail(). */
int lanes_record(struct lanes *lanes, const struct record *record, const struct fields *fields);
int lanes_end(struct lanes *lanes);

/* Adds what a thread did, as tell() of struct activity_source does. */
void lanes_tell(const struct lanes *lanes, int32_t tid, int64_t from, int64_t to, struct thread_activities *activities);

#endif
