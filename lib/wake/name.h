/*
 * wake_name: names for people; those of nodes are made in the graph and belong to it. Texts are kept once each, and go by
 * an index. Private to lib/wake and lib/calls.
 */
#ifndef WAKE_WAKE_NAME_H
#define WAKE_WAKE_NAME_H

#include "wake/part.h"
#include "wake/reason.h"

struct wake_names *wake_names_new(void);
void wake_names_free(struct wake_names *names);
void wake_names_begin(struct wake_names *names, const char *machine); /* a stream from this machine: its numbers are its own */
int32_t wake_vector(struct wake_names *names, int16_t name); /* the number of an interrupt, for its name */
void wake_name_receiver(struct wake_names *names, int32_t number); /* the interrupt has raised NET_RX */
bool wake_receives(const struct wake_names *names, int32_t number); /* it did once */
const char *wake_irq_name(const struct wake_names *names, int32_t number); /* NULL: none */
int16_t wake_name_text(struct wake_names *names, const char *text); /* of a work queue, a function: its index */
int16_t wake_number_call(struct wake *wake, int number); /* a reason (reason.h), by the call's number on the stream's machine */
const char *wake_text(const struct wake_names *names, int16_t index, const char *none);
uint64_t wake_name_disk(struct wake_names *names, const char *name); /* a number for what has only a name; 0: too many have */
const char *wake_disk_name(const struct wake_names *names, uint64_t disk); /* NULL: the number is of a disk */
void wake_name_function(struct wake_names *names, const char *event, char *function); /* a chart's; takes over the function */
const char *wake_function(const struct wake_names *names, int16_t index); /* NULL: no chart tells */
const char *wake_comm(const struct wake *wake, const struct thread *thread); /* what it was called last */

/* called.c: what it was called at this time */
const char *wake_comm_at(const struct wake *wake, const struct thread *thread, int64_t ts);

#endif
