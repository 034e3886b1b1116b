/*
 * name: names for people; those of nodes are made in the graph and belong to it. Texts are kept once each, and go by
 * an index. Private to lib/wake, lib/calls and lib/walk.
 */
#ifndef WAKE_NAME_H
#define WAKE_NAME_H

#include "wake/part.h"
#include "wake/reason.h"

struct name_table *name_table_new(void);
void name_table_free(struct name_table *names);
void name_table_begin(struct name_table *names, const char *machine); /* a stream from this machine: its numbers are its own */
int32_t name_vector(struct name_table *names, int16_t name); /* the number of an interrupt, for its name */
void name_receiver(struct name_table *names, int32_t number); /* the interrupt has raised NET_RX */
bool name_receives(const struct name_table *names, int32_t number); /* it did once */
const char *name_irq(const struct name_table *names, int32_t number); /* NULL: none */
int16_t name_text(struct name_table *names, const char *text); /* of a work queue, a function: its index */
int16_t name_call(struct wake *wake, int number); /* a reason (reason.h), by the call's number on the stream's machine */
const char *name_at(const struct name_table *names, int16_t index, const char *none);
uint64_t name_disk(struct name_table *names, const char *name); /* a number for what has only a name; 0: too many have */
const char *name_of_disk(const struct name_table *names, uint64_t disk); /* NULL: the number is of a disk */
void name_function(struct name_table *names, const char *event, char *function); /* a chart's; takes over the function */
const char *name_of_function(const struct name_table *names, int16_t index); /* NULL: no chart tells */
const char *wake_comm(const struct wake *wake, const struct thread *thread); /* what it was called last */

/* called.c: what it was called at this time */
const char *wake_comm_at(const struct wake *wake, const struct thread *thread, int64_t ts);

#endif
