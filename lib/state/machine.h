/*
 * machine: applies the rules of state files to the events of a stream, which changes attributes.
 *
 *	machine = state_machine_new(events, most)
 *	state_machine_add(machine, file)			files act in this order; the machine owns them
 *	state_attributes_sink(state_machine_attributes(machine), &sink, context)
 *	state_machine_record(machine, record, fields)		for stream, task, event, lost and tick records
 *	state_machine_finish(machine)				at the end of each stream
 *
 * Paths begin at HOST/COMM.PID: the host of the stream record ("-" if it names none), the first known name of the process's leader, and the pid.
 * That name changes only at exec; then the attributes under the old name become null.
 *
 * The exit of a thread sets all attributes that its {tid} named to null; the exit of a process's last thread, all attributes below HOST/COMM.PID.
 * Later events of the thread change nothing. A `lost` record takes back all changes since its `from`, because events in between are missing, and
 * sets every attribute to null from there on. Without `from`, that applies from the beginning.
 */
#ifndef STATE_MACHINE_H
#define STATE_MACHINE_H

#include "state/attributes.h"
#include "state/state_file.h"

struct state_machine;

/* At most `most` attributes. `events` must outlive the machine. */
struct state_machine *state_machine_new(struct events *events, size_t most);
void state_machine_free(struct state_machine *machine);

/*
 * For a stream of several hosts. state_machine_add_host() adds a host, makes it current, and returns its number: from now on files and events
 * belong to it. state_machine_enter() makes an earlier host current; the first is number 0. All hosts share the attributes.
 */
size_t state_machine_add_host(struct state_machine *machine, struct events *events);
void state_machine_enter(struct state_machine *machine, size_t number);
void state_machine_add(struct state_machine *machine, struct state_file *file);
void state_machine_lend(struct state_machine *machine, const struct state_file *file); /* the same, but the file stays the caller's */

const struct state_tree *state_machine_tree(const struct state_machine *machine);
struct state_attributes *state_machine_attributes(const struct state_machine *machine);

/* Called for each alarm line whose condition holds. Returns 0; -1 after fail(). */
typedef int state_alarm(void *context, const struct state_file *file, const struct event *event, const char *text);
void state_machine_alarm(struct state_machine *machine, state_alarm *alarm, void *context);

/* `fields` are the fields of a text record; NULL for a packed event. Returns 0; -1 after fail(). */
int state_machine_record(struct state_machine *machine, const struct record *record, const struct fields *fields);
int state_machine_finish(struct state_machine *machine);

/* The times of the first and the last record that have one. False: no record had a time. */
bool state_machine_span(const struct state_machine *machine, int64_t *from, int64_t *to);

/* What the machine skipped. */
struct state_machine_counts {
	uint64_t null_paths; /* actions whose path had a null part */
	uint64_t too_deep;   /* actions whose path had more than STATE_DEPTH_MAX components */
	uint64_t older;	     /* records that are older than an earlier one */
};
struct state_machine_counts state_machine_counts(const struct state_machine *machine);

/* The name of the next state file after `after` (NULL: the first) none of whose events came, on any host. NULL: there is no further one. */
const char *state_machine_unseen(const struct state_machine *machine, const char *after);

#endif
