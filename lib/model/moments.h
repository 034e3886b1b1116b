/*
 * moments: puts signals, windows and graphs together into moments, and passes each to the teller when it is complete.
 *
 * A moment is complete when its window comes after its ranking, as our stages write them, or when a record comes that belongs
 * neither to a graph nor to its ranking: in a stream written by hand, graphs may follow their window. A pause of the input does not end a
 * moment, because records that were written together need not arrive together. A moment is freed once the teller returns.
 *
 * The window of a request that a trigger logged is no abnormal moment: it is not told, and logged_requests gets its stories.
 *
 *	struct moments *moments = moments_new(stream, site, tracks, verdicts, logged, teller, context);
 *	moments_next(moments, record);			before each record that is not of a graph
 *	moments_take(moments, record->kind, fields);	for each record
 *	moments_stream_over(moments);
 *	moments_free(moments);
 */
#ifndef MODEL_MOMENTS_H
#define MODEL_MOMENTS_H

#include "model/logged_requests.h"
#include "model/moment.h"
#include "model/tracks.h"
#include "model/verdicts.h"

/* Gets each complete moment. Returns 0; -1 after fail(). */
typedef int moment_teller(void *context, const struct moment *moment);

struct moments;

/* Moments are counted in `tracks` and `verdicts`. The parts stay the caller's. */
struct moments *moments_new(struct stream *stream, struct site *site, struct tracks *tracks, struct verdicts *verdicts,
			    struct logged_requests *logged, moment_teller *teller, void *context);
void moments_free(struct moments *moments);

/* The moments of another host of the stream, told and counted together with these, which must outlive them. */
struct moments *moments_beside(struct moments *moments);

/* Closes the current graph and moment, if this record ends them. Returns 0; -1 after fail(), like all functions below that return int. */
int moments_next(struct moments *moments, const struct record *record);

/*
 * moments_take() takes a `signal`, `window`, `path` or `blame` record, moments_graph() a `graph`, `node` or `edge` record. The message of
 * their fail() names the place in the input.
 */
int moments_take(struct moments *moments, enum kind kind, const struct fields *fields);
int moments_graph(struct moments *moments, const struct record *record);

/* Both tell the current moment as far as it is known, and signals whose window did not come: at the end of a stream, and after an error. */
int moments_stream_over(struct moments *moments);
void moments_give_up(struct moments *moments);

struct moment_counts {
	uint64_t moments, incomplete, graphs;
	uint64_t signals, rates; /* rates: those signals that are of a rate, a share or a mean */
};
const struct moment_counts *moments_counts(const struct moments *moments);

#endif
