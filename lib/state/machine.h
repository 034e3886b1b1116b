/*
 * machine: lets the events of a stream act on attributes, as state files say.
 *
 *	machine = state_machine_new(events, most)
 *	state_machine_add(machine, file)			in order; the machine owns them
 *	state_attributes_sink(state_machine_attributes(machine), &sink, context)
 *	state_machine_record(machine, record, fields)		for stream, task, event, lost and tick records
 *	state_machine_finish(machine)				at the end of each stream
 *
 * Paths begin at HOST/COMM.PID: the host of the stream record ("-" if it has none), the first known name of the process's leader, and the process.
 * That name changes at exec only; then the old name's attributes end.
 *
 * An exit sets to null all attributes that {tid} named, and with the last thread of a process all below HOST/COMM.PID; events of the thread
 * behind it change nothing. A `lost` record takes back all changes since its `from`, because events between are missing, and sets every attribute
 * to null from there on; without `from`, from the beginning.
 */
#ifndef STATE_MACHINE_H
#define STATE_MACHINE_H

#include "state/attributes.h"
#include "state/state_file.h"

struct state_machine;

/* At most `most` attributes. `events` must outlive it. */
struct state_machine *state_machine_new(struct events *events, size_t most);
void state_machine_free(struct state_machine *machine);

/*
 * Of a stream of several hosts: state_machine_add_host() adds a host and makes it current: files and events are its from now on. Returns its
 * number. state_machine_enter() makes an earlier host current; the first is 0. Attributes are of all hosts.
 */
size_t state_machine_add_host(struct state_machine *machine, struct events *events);
void state_machine_enter(struct state_machine *machine, size_t number);
void state_machine_add(struct state_machine *machine, struct state_file *file);
void state_machine_lend(struct state_machine *machine, const struct state_file *file); /* the same, but the file stays the caller's */

const struct state_tree *state_machine_tree(const struct state_machine *machine);
struct state_attributes *state_machine_attributes(const struct state_machine *machine);

/* An alarm line whose condition holds. 0; -1 after fail(). */
typedef int state_alarm(void *context, const struct state_file *file, const struct event *event, const char *text);
void state_machine_alarm(struct state_machine *machine, state_alarm *alarm, void *context);

/* `fields` are those of a spelled record; NULL of a packed event. 0; -1 after fail(). */
int state_machine_record(struct state_machine *machine, const struct record *record, const struct fields *fields);
int state_machine_finish(struct state_machine *machine);

/* From the first record with a time to the last one. False: there was none. */
bool state_machine_span(const struct state_machine *machine, int64_t *from, int64_t *to);

/* Actions that were not done. */
struct state_machine_counts {
	uint64_t null_paths; /* a part of the path was null */
	uint64_t too_deep;   /* paths of more than STATE_DEPTH_MAX components */
	uint64_t older;	     /* records that are older than one before them */
};
struct state_machine_counts state_machine_counts(const struct state_machine *machine);

/* The name of a state file of whose events none came, on any host: the next one behind `after` (NULL: the first). NULL: there is no further one. */
const char *state_machine_unseen(const struct state_machine *machine, const char *after);

#endif
