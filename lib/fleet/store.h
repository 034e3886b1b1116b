/*
 * store: the file to which the hub writes the runs and moments that it pulls, each once: a stream of text for each, one behind the other. If a
 * crash cut the last one, its rest is cut off when the file is opened. Ids tell which ones the file has.
 */
#ifndef FLEET_STORE_H
#define FLEET_STORE_H

#include <stdbool.h>

#include "fleet/parcel.h"

struct store;

/* NULL: standard output. NULL after fail(): the file cannot be written, or another pull writes it. */
struct store *store_open(const char *path);
void store_close(struct store *store);

/* Writes a run, or moments: 0; 1: the file, or this pull, has them already, so they arrived twice; -1 after fail(). */
int store_add(struct store *store, const struct parcel *parcel);

/* Brings all that was added to the disk, or to the reader of a pipe: 0; -1 after fail(), and sets *closed if a pipe has no reader. */
int store_sync(struct store *store, bool *closed);

#endif
