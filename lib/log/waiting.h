/*
 * waiting: calls of a logging that wait for the verdict on their request, and requests whose calls have not all come yet.
 *
 * A call belongs to a request if it is of the request's thread, is no longer than the request, and its middle lies in it; so it does not
 * matter which of two probes at one place came first. A call of another thread belongs to a request if that thread worked for the request
 * meanwhile, as the request's graph tells, and no request of its own thread claimed the call before. Calls that no graph names take room
 * until there are WAITING_BYTES; then the oldest half of the calls of one thread is dropped.
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

/* Calls are written to this stream; without verdicts, each as it comes. With graphs, the caller will close each logged request. */
struct waiting *waiting_new(struct stream *stream, bool with_verdicts, bool with_graphs);
void waiting_free(struct waiting *waiting);

struct waiting_verdict {
	int64_t start, end;
	uint64_t id;
	int32_t tid;
	bool match, logged;
	const char *trigger; /* must outlive the verdict */
};

/*
 * waiting_rate() hands over a ranking, which gets the calls of matching requests (log/function_ranking.h). After FUNCTION_RANKING_REQUESTS
 * of these, waiting_rated() returns true once, with the best names in an array that the caller frees with its texts. From then on only
 * calls of the first `most` of these functions are kept. A function that a `shed` record names is replaced by the next best.
 */
struct function_ranking;
struct ranked_names;
void waiting_rate(struct waiting *waiting, struct function_ranking *ranking);
bool waiting_rated(struct waiting *waiting, struct ranked_names *names);

/* Takes a `call`, `tick`, `shed` or `lost` record. 0; -1 after fail(). */
int waiting_line(struct waiting *waiting, const char *line, size_t length);

void waiting_judge(struct waiting *waiting, const struct waiting_verdict *verdict);

/* A time in which a thread worked for a request. `within`: in every call that lies in this time; else: in any call that overlaps it. */
struct waiting_part {
	int32_t tid;
	int64_t from, to;
	bool within;
};
void waiting_part(struct waiting *waiting, uint64_t request, const struct waiting_part *part);
void waiting_close(struct waiting *waiting, uint64_t request);

/* Tells whether a logged request has not been closed yet. */
bool waiting_is_open(const struct waiting *waiting);

/* Settles the requests whose calls have all come. `all`: there are no more lines. 0; -1 after fail(). */
int waiting_settle(struct waiting *waiting, bool all);

/* Numbers of calls: written; dropped for want of room; lost by the kernel. */
struct waiting_counts {
	uint64_t came, judged; /* calls that came; requests that were judged */
	uint64_t written, dropped, lost;
	bool blind; /* for a while no calls were seen */
	bool cut;   /* the collector did not come to its end */
};
struct waiting_counts waiting_counts(const struct waiting *waiting);

#endif
