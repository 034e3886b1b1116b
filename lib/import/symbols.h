/*
 * symbols: the functions of a traced kernel and the formats of its trace_printk(), as a trace.dat file saved them.
 *
 * A stream gets of these what its events name: a `symbol` or `timer` record before the first event that has a function's address, and
 * the `printk` records before the first event that has a format's.
 */
#ifndef IMPORT_SYMBOLS_H
#define IMPORT_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

struct symbols;

/* The texts of /proc/kallsyms and printk_formats, which are freed; NULL: the file lacks them. */
struct symbols *symbols_new(struct stream *stream, char *functions, char *printks);
void symbols_free(struct symbols *symbols);

/* Takes an event's type: its id, "system:name", and the text of its format file. True: its events name functions or formats. */
bool symbols_type(struct symbols *symbols, uint16_t id, const char *name, const char *format, unsigned long_size);

/* Before such an event is written: writes the records of what it names (see struct scribe). 0; -1 after fail(). */
int symbols_introduce(void *symbols, const struct record *event);

#endif
