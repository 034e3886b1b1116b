/*
 * waiting: calls of a logging that wait for the verdict on their request, and requests whose calls have not all come yet.
 *
 * A call is a request's if it is of the request's thread, no longer than it, and its middle lies in it; so it does not matter which of two
 * probes at one place came first. Calls of which nobody speaks take room until there are WAITING_BYTES; then the oldest half of a
 * thread's goes.
 *
 *	waiting_line(waiting, line, length)	each line from prober_begin()'s descriptor
 *	waiting_judge(waiting, &verdict)	each request
 *	waiting_settle(waiting, all)		writes the calls of those whose calls have all come
 */
#ifndef LOG_WAITING_H
#define LOG_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

struct waiting;

enum { WAITING_BYTES = 64 << 20 };

/* The calls go to this stream; without verdicts, each as it comes. */
struct waiting *waiting_new(struct stream *stream, bool with_verdicts);
void waiting_free(struct waiting *waiting);

struct waiting_verdict {
	int64_t start, end;
	uint64_t id;
	int32_t tid;
	bool match, logged;
	const char *trigger; /* which outlives it */
};

/* A `call`, `tick`, `shed` or `lost` record. 0; -1 after fail(). */
int waiting_line(struct waiting *waiting, const char *line, size_t length);

void waiting_judge(struct waiting *waiting, const struct waiting_verdict *verdict);

/* With `all`: there are no more lines. 0; -1 after fail(). */
int waiting_settle(struct waiting *waiting, bool all);

/* How many calls were written; dropped for want of room; and lost by the kernel. */
struct waiting_counts {
	uint64_t written, dropped, lost;
};
struct waiting_counts waiting_counts(const struct waiting *waiting);

#endif
