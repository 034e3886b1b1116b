/*
 * device: block devices. A dev_t is the number in trace events, major << 20 | minor; names come from `device` records.
 */
#ifndef EVENT_DEVICE_H
#define EVENT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct events;

/* Writes "loop0" into `text`; "7:0" without a record. Returns `text`. */
const char *events_device_name(const struct events *events, uint64_t dev, char *text, size_t room);
const char *events_device_scheduler(const struct events *events, uint64_t dev); /* "bfq" or "" */
bool events_device_swaps(const struct events *events, uint64_t dev);   /* pages are swapped out to it */
uint64_t events_device_disk(const struct events *events, uint64_t dev); /* a partition's disk; else dev itself */

/* "7:0" and back; device_parse() reads "7340032" and "7,0" too: 0; -1 after fail(). */
size_t device_spell(char *text, uint64_t dev);
int device_parse(const char *text, size_t length, uint64_t *dev);

#endif
