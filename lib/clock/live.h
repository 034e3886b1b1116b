/*
 * live: merges streams of several hosts while they come, by one clock (clock/hosts.h).
 *
 * A record is held until every other host has come to its time. A host from which nothing came for `wait` holds nobody back; if its events then
 * come for times that were written meanwhile, they are lost, and counted. The output is in the order of the reference's time.
 *
 * The clocks are found again and again, by the bytes that the hosts sent each other in the last minute, and a `clock` record tells for which of
 * a host's times each line held. A host without bytes both ways is placed by the wall clocks or, if these differ by more than `wait` from the
 * moments at which its records come, by those moments.
 *
 *	struct live *live = live_new(wait);
 *	live_open(live, "web1=fifo")		each
 *	live_run(live, "web1", stream, say)	until all have ended
 *	live_free(live)
 */
#ifndef CLOCK_LIVE_H
#define CLOCK_LIVE_H

#include "stream/stream.h"

struct live;

struct live *live_new(int64_t wait); /* ns */
void live_free(struct live *live);

/* Opens a file, or a FIFO, which may have no writer yet: "FILE" or "NAME=FILE". The operand must outlive `live`. 0; -1 after fail(). */
int live_open(struct live *live, char *operand);

/*
 * Merges until all inputs have ended, or the reader of the output is gone. `reference`: the host whose clock counts; NULL: the first file's. If
 * that host has not begun after `wait`, the clock of the first that has begun counts. 0; -1 after fail().
 */
typedef void live_sayer(const char *sentence); /* gets sentences for people: which clocks are not known, what was lost */
int live_run(struct live *live, const char *reference, struct stream *stream, live_sayer *told);

#endif
