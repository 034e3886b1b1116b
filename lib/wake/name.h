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
void name_table_begin(struct name_table *names, const char *machine); /* a stream from this machine begins: its numbers are its own */

/* name_text(): the index of a text, such as the name of a work queue; CALL_NONE: there are too many. name_at(): the text; `none` for CALL_NONE. */
int16_t name_text(struct name_table *names, const char *text);
const char *name_at(const struct name_table *names, int16_t index, const char *none);

/* The name of the interrupt with this number; NULL: none. name_vector() gives a number to an interrupt that has only a name. */
const char *name_irq(const struct name_table *names, int32_t number);
int32_t name_vector(struct name_table *names, int16_t name);

/* name_receiver(): an interrupt has raised NET_RX. name_receives(): tells whether it ever did. */
void name_receiver(struct name_table *names, int32_t number);
bool name_receives(const struct name_table *names, int32_t number);

/* The index of a reason (reason.h) for a system call, by its number on the stream's machine; CALL_NONE: there is none. */
int16_t name_call(struct wake *wake, int number);

/* name_disk() gives a number to a disk that has only a name; 0: there are too many. name_of_disk(): the name; NULL: the number is a disk's own. */
uint64_t name_disk(struct name_table *names, const char *name);
const char *name_of_disk(const struct name_table *names, uint64_t disk);

/* name_function() takes over the function of a chart's event. name_of_function(): by the index of the event's name; NULL: no chart has it. */
void name_function(struct name_table *names, const char *event, char *function);
const char *name_of_function(const struct name_table *names, int16_t index);

#endif
