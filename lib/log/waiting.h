/*
 * waiting: calls of a logging that wait for the verdict on their request, and requests whose calls have not all come yet.
 *
 * A call is a request's if it is of the request's thread, no longer than it, and its middle lies in it; so it does not matter which of two
 * probes at one place came first. A call of another thread is a request's if that thread worked for the request meanwhile, as the request's
 * graph tells, and no request of its own thread claimed it before. Calls that no graph names take room until there are WAITING_BYTES;
 * then the oldest half of a thread's goes.
 *
 *	waiting_line(waiting, line, length)	each line from prober_begin()'s descriptor
 *	waiting_judge(waiting, &verdict)	each request
 *	waiting_part(waiting, id, &part)	what other threads did for one that is logged
 *	waiting_close(waiting, id)		no more parts of this request will come
 *	waiting_settle(waiting, all)		writes the calls of those whose calls have all come
 */
#ifndef LOG_WAITING_H
#define LOG_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

struct waiting;

enum { WAITING_BYTES = 64 << 20 };

/* The calls go to this stream; without verdicts, each as it comes. With graphs, each logged request will be closed. */
struct waiting *waiting_new(struct stream *stream, bool with_verdicts, bool with_graphs);
void waiting_free(struct waiting *waiting);

struct waiting_verdict {
	int64_t start, end;
	uint64_t id;
	int32_t tid;
	bool match, logged;
	const char *trigger; /* which outlives it */
};

/*
 * The ranking gets the calls of matching requests (log/function_ranking.h). After FUNCTION_RANKING_REQUESTS of these, waiting_rated() returns
 * the best names, once, in an array that the caller frees with its texts. From then on only calls of the first of these are kept, as many
 * functions as are wanted. A function that a `shed` record names is replaced by the next best.
 */
struct function_ranking;
struct ranked_names;
void waiting_rate(struct waiting *waiting, struct function_ranking *ranking);
bool waiting_rated(struct waiting *waiting, struct ranked_names *names);

/* A `call`, `tick`, `shed` or `lost` record. 0; -1 after fail(). */
int waiting_line(struct waiting *waiting, const char *line, size_t length);

void waiting_judge(struct waiting *waiting, const struct waiting_verdict *verdict);

/* A thread worked for a request. `within`: in every call that lies in this time; else: in any call that touches it. */
struct waiting_part {
	int32_t tid;
	int64_t from, to;
	bool within;
};
void waiting_part(struct waiting *waiting, uint64_t request, const struct waiting_part *part);
void waiting_close(struct waiting *waiting, uint64_t request);

/* Tells whether a request is still to be closed. */
bool waiting_is_open(const struct waiting *waiting);

/* With `all`: there are no more lines. 0; -1 after fail(). */
int waiting_settle(struct waiting *waiting, bool all);

/* How many calls were written; dropped for want of room; and lost by the kernel, or not seen. */
struct waiting_counts {
	uint64_t came, judged; /* calls; requests that may have made some */
	uint64_t written, dropped, lost;
	bool blind; /* for a while nothing was seen */
};
struct waiting_counts waiting_counts(const struct waiting *waiting);

#endif
