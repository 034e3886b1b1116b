/*
 * doubt: times in which something may be missing from the stream, though nobody knows how much: `lost` records of count 0.
 *
 * Root may write to the files of any instance: turn its events off, set a filter, resize or empty its rings, read events away. The rings do
 * not show that. inotify does, also of a change that was undone at once. The collector knows of other reasons itself.
 *
 *	doubt_watch(&doubt, ...)	when all settings are as they shall be
 *	doubt_begin(&doubt, ts)		when tracing is on
 *	doubt_notice(&doubt, ...)	whenever we have written to our files
 *	doubt_look(&doubt, ts)		now and then
 *	doubt_say(&doubt, from, ts)	for another reason
 *	doubt_end(&doubt)
 */
#ifndef SOURCE_DOUBT_H
#define SOURCE_DOUBT_H

#include <stdbool.h>

#include "source/gate.h"
#include "source/merge.h"
#include "source/wishes.h"
#include "stream/stream.h"

struct meddling;

struct doubt { /* all zero at first */
	struct stream *stream;
	const struct merge *merge;
	int rings;	   /* the first of the merge, whose events the stream has */
	struct gate *gate; /* writes to `enable`, too; NULL: none */
	int64_t told;	   /* until then all was written, or said to be in doubt */

	/* private */
	struct meddling *meddling; /* by others; NULL: cannot be seen */
};

/*
 * Watches the instance, the keeper (NULL: none), and the events of `wishes` that are on in either. -1 after fail(): they cannot be watched, and
 * changes by others are not seen.
 */
int doubt_watch(struct doubt *doubt, struct tracefs_instance *instance, struct tracefs_instance *keeper, const struct wishes *wishes);

/* Tracing was turned on just now; all before `ts` was written. If it is off, somebody else has written to the same file. */
void doubt_begin(struct doubt *doubt, int64_t ts);

/* Notices whether somebody else has written to our files. `ours`: the name of those that we ourselves wrote to since the last call; NULL: none. */
void doubt_notice(struct doubt *doubt, const char *ours);

/* Says that something may be missing between these times. -1 after fail(). */
int doubt_say(struct doubt *doubt, int64_t from, int64_t ts);

/* All until `ts` is in the stream, or, if somebody else changed our instances, in doubt; that is said twice a second. -1 after fail(). */
int doubt_look(struct doubt *doubt, int64_t ts);

/* The same at the end, of all that was not said yet. -1 after fail(). */
int doubt_look_last(struct doubt *doubt, int64_t ts);

/* The first file that somebody else wrote to, or took events from, "tailblame-1/tracing_on"; NULL: none. Valid until doubt_end(). */
const char *doubt_file(const struct doubt *doubt);

void doubt_end(struct doubt *doubt);

#endif
