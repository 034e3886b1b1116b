/*
 * model: the contents of a report or an export, in whatever form, read from the records of a stream.
 *
 * The teller gets each moment when it is complete; then the moment is freed. The parts keep only the numbers that totals and charts need, in
 * bounded space.
 *
 *	struct model *model = model_new(stream, &teller, context);
 *	stream_run(stream, model_handlers(model), model);	calls the teller for each moment
 *	...						now the parts have the totals
 *	model_free(model);
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/logged_calls.h"
#include "model/contrast.h"
#include "model/moments.h"
#include "model/overhead.h"
#include "model/usual_culprit.h"
#include "model/views.h"

struct model {
	struct stream *stream;
	struct site *site;	   /* hosts, clocks and names */
	struct tracks *tracks;	   /* charts: limits and values */
	struct verdicts *verdicts; /* culprits over all moments */
	struct overhead overhead;	   /* events read, and the CPU time of tailblame itself */
	struct contrast *contrast; /* the features that set slow runs apart */
	struct logged_requests *logged;	   /* requests that triggers logged */
	struct logged_calls *called;	   /* calls that were logged */
	struct usual_culprit *usual;	   /* the thread that usually ends such waits */
	struct views *views;	   /* pictures that state files ask for; NULL: nobody draws them */
	struct moments *moments; /* of the current host */
	const struct moment_counts *counts; /* counts of all moments */
	uint64_t records;
	void *context; /* the teller's */

	/* private */
	struct handlers handlers;
	ARRAY(struct model_host *) hosts; /* further hosts of a stream of several, from the second on */
	struct model_host *first;
};

struct model *model_new(struct stream *stream, moment_teller *teller, void *context);
void model_free(struct model *model);

/* The handlers for stream_run(), with the model as context. A command may set `idle`. */
struct handlers *model_handlers(struct model *model);

/* Reading the input failed: tells the current moment of each host as far as it is known, and signals whose window did not come. */
void model_give_up(struct model *model);

#endif
