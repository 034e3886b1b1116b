/*
 * moments: puts signals, windows and graphs together into moments, and tells each when it is complete.
 *
 * A moment is over when its window comes behind its ranking, as our stages write it, or when a record comes that belongs
 * neither to a graph nor to its ranking: in a stream written by hand, graphs may follow their window. A pause of the input does not end a
 * moment, because records that were written together need not arrive together. A moment is forgotten once its listener has it.
 *
 * The window of a request that a trigger logged is no abnormal moment: it is not told, and its stories go to the part of logged requests.
 *
 *	struct moments *moments = moments_new(stream, &parts, teller, context);
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

/* Gets each moment once it is complete. 0; -1 after fail(). */
typedef int moment_teller(void *context, const struct moment *moment);

struct moments;

/* The parts of the model that moments are counted in. */
struct moments *moments_new(struct stream *stream, struct site *site, struct tracks *tracks, struct verdicts *verdicts,
			    struct logged_requests *logged, moment_teller *teller, void *context);
void moments_free(struct moments *moments);

/* Those of another host of the stream, told and counted with these, which must outlive them. */
struct moments *moments_beside(struct moments *moments);

/* Closes the graph and the moment at hand, if this record ends them. 0; -1 after fail(), as all below. */
int moments_next(struct moments *moments, const struct record *record);

/*
 * Take a `signal`, `window`, `path` or `blame` record; a `graph`, `node` or `edge` record. The place in the input is in the sentence of
 * their fail().
 */
int moments_take(struct moments *moments, enum kind kind, const struct fields *fields);
int moments_graph(struct moments *moments, const struct record *record);

/* Tells the moment at hand as far as it is known, and signals whose window did not come. */
int moments_stream_over(struct moments *moments);
void moments_give_up(struct moments *moments);

struct moment_counts {
	uint64_t moments, incomplete, graphs;
	uint64_t signals, rates; /* rates: signals of rates and of means */
};
const struct moment_counts *moments_counts(const struct moments *moments);

#endif
