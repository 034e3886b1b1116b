/*
 * store: the file to which the hub writes the runs and moments that it pulls, each once, as a stream of text each, one after the other. If a
 * crash cut the last one, store_open() removes its remains. Ids tell which runs and moments the file has.
 */
#ifndef FLEET_STORE_H
#define FLEET_STORE_H

#include <stdbool.h>

#include "fleet/parcel.h"

struct store;

/* `path` NULL: standard output. Returns NULL after fail(), such as if another pull writes the file. */
struct store *store_open(const char *path);
void store_close(struct store *store);

/* Writes a run, or moments. Returns 0; 1: they arrived twice, the file or this pull has them already; -1 after fail(). */
int store_add(struct store *store, const struct parcel *parcel);

/* Brings all that was added to the disk, or to the reader of a pipe. Returns 0; -1 after fail(), with *closed if the pipe has no reader. */
int store_sync(struct store *store, bool *closed);

#endif
