/*
 * meddling: whether somebody else changes our instances while we trace.
 *
 * Root may write to the files of any instance: turn its events off, set a filter, resize or empty its rings, read events away. The rings do
 * not show that. inotify does, also of a change that was undone at once.
 *
 *	meddling_watch(), meddling_add()	when all is set as it shall be
 *	meddling_seen()				now and then
 *	meddling_end()
 */
#ifndef SOURCE_MEDDLING_H
#define SOURCE_MEDDLING_H

#include "source/wishes.h"

struct meddling;

/* NULL after fail(): it cannot be told whether somebody meddles. */
struct meddling *meddling_watch(void);

/* Also watches this instance, with those events of the wishes that are on in it: the kept ones, or the others. -1 after fail(). */
int meddling_add(struct meddling *meddling, struct tracefs_instance *instance, const struct wishes *wishes, bool kept);

/*
 * The file that somebody wrote to since the last call, or read events away from, "tailblame-1/tracing_on"; NULL: none. `ours` is the
 * name of files that we ourselves have written to meanwhile; NULL: none. The text is good until the next call.
 */
const char *meddling_seen(struct meddling *meddling, const char *ours);

void meddling_end(struct meddling *meddling); /* NULL: none */

#endif
