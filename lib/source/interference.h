/*
 * interference: times in which somebody else changed the tracing, or events may be missing for another reason. Nobody knows how many,
 * so the stream gets `lost` records of count 0.
 *
 * Root may write to the files of any instance: turn its events off, set a filter, resize or empty its rings, read events away. The rings do
 * not show that. inotify does, also of a change that was undone at once. The collector knows of other reasons itself.
 *
 *	interference_watch(&interference, ...)	when all settings are made
 *	interference_begin(&interference, ts)	when tracing is on
 *	interference_notice(&interference, ...)	whenever we have written to our files
 *	interference_look(&interference, ts)	now and then
 *	interference_say(&interference, from, ts)	for another reason
 *	interference_end(&interference)
 */
#ifndef SOURCE_INTERFERENCE_H
#define SOURCE_INTERFERENCE_H

#include <stdbool.h>

#include "source/gate.h"
#include "source/merge.h"
#include "source/selection.h"
#include "stream/stream.h"

struct file_watch;

struct interference { /* all zero at first */
	struct stream *stream;
	const struct merge *merge;
	int rings;	   /* number of the merge's first rings, whose events the stream has */
	struct gate *gate; /* writes to `enable`, too; NULL: none */
	int64_t told;	   /* until then the stream has all events, or `lost` records */

	/* private */
	struct file_watch *watch; /* of writes by others; NULL: they cannot be seen */
};

/*
 * Watches the instance, the keeper (NULL: none), and the events of `selection` that are on in either. -1 after fail(): they cannot be watched, and
 * changes by others are not seen.
 */
int interference_watch(struct interference *interference, struct tracefs_instance *instance, struct tracefs_instance *keeper, const struct selection *selection);

/* Tracing was turned on just now; all before `ts` was written. If it is off, somebody else has written to the same file. */
void interference_begin(struct interference *interference, int64_t ts);

/* Notices whether somebody else has written to our files. `ours`: the name of the files that we wrote to since the last call; NULL: none. */
void interference_notice(struct interference *interference, const char *ours);

/* Says that something may be missing between these times. -1 after fail(). */
int interference_say(struct interference *interference, int64_t from, int64_t ts);

/*
 * All events before `ts` have been written. If somebody else has changed our instances, says twice a second that something may be missing. -1
 * after fail().
 */
int interference_look(struct interference *interference, int64_t ts);

/* The same at the end, of all that was not said yet. -1 after fail(). */
int interference_look_last(struct interference *interference, int64_t ts);

/* The first file that somebody else wrote to, or took events from, "tailblame-1/tracing_on"; NULL: none. Valid until interference_end(). */
const char *interference_file(const struct interference *interference);

void interference_end(struct interference *interference);

#endif
