/*
 * devices: block devices named in the stream: their names, the disk that a partition lies on or that a path leads to, the
 * I/O scheduler.
 */
#ifndef SOURCE_DEVICES_H
#define SOURCE_DEVICES_H

#include <stdint.h>

#include "stream/stream.h"

struct device_seen;

struct devices {
	struct device_seen *seen; /* hash by number */
	int64_t next;		  /* when to look again */
};

/*
 * Writes a `device` record for each block device that is new or has changed since the last call, for example in its
 * scheduler. Looks at most once a second, and where there are very many devices so rarely that it costs less than a
 * two-hundredth of a CPU. `now` is in nanoseconds of the trace clock. -1 after fail().
 */
int devices_look(struct devices *devices, struct stream *stream, int64_t now);
void devices_free(struct devices *devices);

#endif
