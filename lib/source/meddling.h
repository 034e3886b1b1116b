/*
 * meddling: tells whether somebody else changes our instances while we trace.
 *
 * Root may write to the files of any instance: turn its events off, set a filter, resize or empty its rings, read events away. The rings do
 * not show that. inotify does, also of a change that was undone at once.
 *
 *	meddling_watch()		when all settings are as they shall be
 *	meddling_look()			now and then
 *	meddling_end()
 */
#ifndef SOURCE_MEDDLING_H
#define SOURCE_MEDDLING_H

#include <stdbool.h>

#include "source/wishes.h"

struct meddling;

/* Watches the instance, the keeper (NULL: none), and the events of `wishes` that are on in either. NULL after fail(): they cannot be watched. */
struct meddling *meddling_watch(struct tracefs_instance *instance, struct tracefs_instance *keeper, const struct wishes *wishes);

/*
 * Tells whether somebody else wrote to a file of the instances since the last call, or read events away. `ours` is the name of the files that
 * we ourselves have written to meanwhile; NULL: none.
 */
bool meddling_look(struct meddling *meddling, const char *ours);

/* The same right after we turned tracing on: if it is off, somebody else has written to the same file. */
bool meddling_look_on(struct meddling *meddling);

/* The first file that somebody else wrote to, or read, "tailblame-1/tracing_on"; NULL: none. Valid until meddling_end(). */
const char *meddling_file(const struct meddling *meddling);

void meddling_end(struct meddling *meddling); /* NULL is allowed */

#endif
