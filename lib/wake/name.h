/*
 * name: names for people: of interrupts, work queues, functions, calls and disks. Each text is kept once, and has an index. Names of threads
 * are in earlier_names.h; those of nodes are made in the graph and belong to it. Private to lib/wake, lib/calls and lib/walk.
 */
#ifndef WAKE_NAME_H
#define WAKE_NAME_H

#include "wake/part.h"
#include "wake/reason.h"

struct name_table *name_table_new(void);
void name_table_free(struct name_table *names);
void name_table_begin(struct name_table *names, const char *machine); /* a stream from this machine: its numbers are its own */

/* The index of a text, as of a work queue; CALL_NONE: there are too many. And the text; `none` for CALL_NONE. */
int16_t name_text(struct name_table *names, const char *text);
const char *name_at(const struct name_table *names, int16_t index, const char *none);

/* The name of an interrupt by its number; NULL: none. name_vector() gives an interrupt that has only a name a number. */
const char *name_irq(const struct name_table *names, int32_t number);
int32_t name_vector(struct name_table *names, int16_t name);

/* An interrupt has raised NET_RX. Tells whether it ever did. */
void name_receiver(struct name_table *names, int32_t number);
bool name_receives(const struct name_table *names, int32_t number);

/* A reason (reason.h), by the number of a system call on the stream's machine; CALL_NONE: there is none. */
int16_t name_call(struct wake *wake, int number);

/* A number for a disk that has only a name; 0: too many have. And the name; NULL: the number is that of a disk. */
uint64_t name_disk(struct name_table *names, const char *name);
const char *name_of_disk(const struct name_table *names, uint64_t disk);

/* The function of a chart's event; takes over the text. By the index of the event's name; NULL: no chart has it. */
void name_function(struct name_table *names, const char *event, char *function);
const char *name_of_function(const struct name_table *names, int16_t index);

#endif
