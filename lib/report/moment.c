/*
 * A moment is over when its window comes behind what was ranked for it, as our stages write it, or a record comes that
 * belongs neither to a graph nor to its ranking: by hand, graphs may follow their window. Never is it taken for over because
 * no more input is there yet, for what is written together need not arrive together.
 */
#include <stdio.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/gather.h"
#include "report/words.h"

static int by_severity(const void *a, const void *b)
{
	return signal_compare(*(struct signal *const *)a, *(struct signal *const *)b);
}

static void take_host(struct model *model, struct moment *moment)
{
	model_see_host(model);
	moment->host = memory_format("%s", model->host);
}

struct moment *moment_begin(struct model *model, const char *window)
{
	struct moment *moment = NEW(struct moment);

	moment->number = ++model->moments;
	moment->window = window ? memory_format("%s", window) : NULL;
	moment->clock = model->clock;
	take_host(model, moment);
	moment->from = INT64_MAX;
	moment->data_from = INT64_MIN;
	moment->to = INT64_MIN;
	moment->complete = true;
	model->moment = moment;
	return moment;
}

void moment_span(struct moment *moment, int64_t from, int64_t to)
{
	if (from < moment->from)
		moment->from = from;
	if (to > moment->to)
		moment->to = to;
}

bool moment_began(const struct moment *moment, const struct story *story, int64_t *at)
{
	const struct signal *signal = story ? story->signal : moment->worst.count > 0 ? moment->worst.items[0] : NULL;

	*at = signal ? signal->start : story ? story->from : moment->from;
	return signal || (story ? story->from <= story->to : moment->from <= moment->to);
}

/* Into the totals go, as into the ranker's, the graphs of one kind: those of a wait's calls are of the same time again. */
static void count_story(struct model *model, const struct story *story)
{
	size_t i;

	if (model->graphs++ == model->graphs_before)
		model->kind = story->kind;
	if (story->kind != model->kind)
		return;
	model->explained += story_length(story);
	for (i = 0; i < story->culprits.count; i++) {
		model->timeless |= story->culprits.items[i].timeless;
		model_count_blame(model, &story->culprits.items[i]);
	}
}

static int by_time(const struct part *a, const struct part *b)
{
	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->words, b->words);
}

static void count_moment(struct model *model, struct moment *moment)
{
	struct chart_story *chart;
	size_t i;

	for (i = 0; i < moment->worst.count; i++) {
		chart = model_chart(model, moment->worst.items[i]->chart);
		if (chart->last_moment != moment->number) {
			chart->last_moment = moment->number;
			chart->moments++;
		}
	}
	model->incomplete_moments += !moment->complete;
	if (!moment->complete)
		stream_mark_incomplete(model->stream);
}

/* A wait that was told while it lasted, and again when it was over, is one. Of equals what is known best comes last. */
static int by_wait(const void *a, const void *b)
{
	const struct signal *x = *(struct signal *const *)a, *y = *(struct signal *const *)b;
	int order = strcmp(x->chart, y->chart);

	if (order == 0)
		order = strcmp(x->key, y->key);
	if (order == 0)
		order = x->tid < y->tid ? -1 : x->tid > y->tid;
	if (order == 0)
		order = x->start < y->start ? -1 : x->start > y->start;
	if (order == 0)
		order = x->ts < y->ts ? -1 : x->ts > y->ts;
	return order ? order : y->open - x->open;
}

static bool goes_on(const struct signal *open, const struct signal *later)
{
	return open->open && open->unit == UNIT_SECONDS && open->tid == later->tid && open->start == later->start &&
	       !strcmp(open->chart, later->chart) && !strcmp(open->key, later->key);
}

/* The stories of the signal are of the one that takes its place; a story of its own says more than the first part of it. */
static void replace_in_stories(struct moment *moment, const struct signal *old, struct signal *new)
{
	size_t i, kept = 0;
	bool told = false;

	for (i = 0; i < moment->stories.count; i++)
		told |= moment->stories.items[i]->signal == new;
	for (i = 0; i < moment->stories.count; i++) {
		struct story *story = moment->stories.items[i];

		if (story->signal == old && told) {
			story_free(story);
			continue;
		}
		if (story->signal == old)
			story->signal = new;
		moment->stories.items[kept++] = story;
	}
	moment->stories.count = kept;
}

/* It was counted as two. */
static void count_once(struct model *model, const struct signal *signal)
{
	struct track *track = model_track(model, signal->chart, signal->key);

	track->signals--;
	track->chart->signals--;
	model->signals--;
	model->moment->signals -= model->moment->signals > 0;
}

static void merge_signals(struct model *model, struct moment *moment)
{
	struct signal **signals = moment->worst.items;
	size_t i, kept = 0;

	if (moment->worst.count == 0)
		return;
	qsort(signals, moment->worst.count, sizeof(*signals), by_wait);
	for (i = 0; i < moment->worst.count; i++) {
		if (i + 1 < moment->worst.count && goes_on(signals[i], signals[i + 1])) {
			replace_in_stories(moment, signals[i], signals[i + 1]);
			count_once(model, signals[i]);
			signal_free(signals[i]);
			continue;
		}
		signals[kept++] = signals[i];
	}
	moment->worst.count = kept;
	qsort(signals, kept, sizeof(*signals), by_severity);
}

/* Stories in the order of their signals; those of none stay where they are. */
static void sort_stories(struct moment *moment)
{
	struct story **stories = moment->stories.items, *story;

	for (size_t i = 1; i < moment->stories.count; i++)
		for (size_t j = i; j > 0 && stories[j]->signal && stories[j - 1]->signal &&
				   signal_compare(stories[j]->signal, stories[j - 1]->signal) < 0; j--) {
			story = stories[j];
			stories[j] = stories[j - 1];
			stories[j - 1] = story;
		}
}

static void find_processes(const struct model *model, struct moment *moment)
{
	struct identity identity;

	for (size_t i = 0; i < moment->worst.count; i++) {
		struct signal *signal = moment->worst.items[i];

		if (signal->tid > 0 && !signal->identity.pid && who_find(model->who, signal->tid, signal->ts, signal->comm, &identity))
			signal->identity = identity_copy(&identity);
	}
}

static int tell(struct model *model)
{
	struct moment *moment = model->moment;
	size_t i;

	if (model->story)
		story_close(model->story, model->graph);
	merge_signals(model, moment);
	for (i = 0; i < moment->stories.count; i++) {
		count_story(model, moment->stories.items[i]);
		HASH_SORT(moment->stories.items[i]->parts, by_time);
		moment_span(moment, moment->stories.items[i]->from, moment->stories.items[i]->to);
	}
	find_processes(model, moment);
	for (i = 0; i < moment->worst.count; i++)
		moment_span(moment, moment->worst.items[i]->start, moment->worst.items[i]->ts);
	count_moment(model, moment);
	moment->lost = stream_lost(model->stream) + stream_damages(model->stream) > model->lost_before;
	sort_stories(moment);
	if (moment->signals < moment->worst.count)
		moment->signals = moment->worst.count;
	return model->teller(model->context, moment);
}

void moment_forget_graph(struct model *model)
{
	if (model->story)
		story_close(model->story, model->graph);
	graph_free(model->graph);
	model->graph = NULL;
	model->story = NULL;
}

int moment_close(struct model *model)
{
	struct moment *moment = model->moment;
	int status;

	if (!moment)
		return 0;
	status = tell(model);
	model->story = NULL; /* perhaps gone, as a part of another */
	moment_forget_graph(model);
	moment_free(moment);
	model->moment = NULL;
	return status;
}

/* Moves a pending signal to the moment at hand. */
struct signal *moment_claim(struct model *model, size_t i)
{
	struct signal *signal = model->pending.items[i];

	*ARRAY_ADD(&model->moment->worst) = signal;
	model->pending.count--;
	memmove(&model->pending.items[i], &model->pending.items[i + 1],
		(model->pending.count - i) * sizeof(*model->pending.items));
	return signal;
}

int moment_of_rest(struct model *model, bool complete)
{
	if (model->pending.count == 0)
		return 0;
	moment_begin(model, NULL)->complete = complete;
	while (model->pending.count > 0)
		moment_claim(model, model->pending.count - 1);
	model->moment->signals = model->moment->worst.count + model->dropped;
	model->dropped = 0;
	return moment_close(model);
}

void model_give_up(struct model *model)
{
	moment_close(model);
	moment_of_rest(model, false);
}

/* Claims the signals of signals="12-31"; without it, those whose end lies in the window. */
void moment_claim_range(struct model *model, const char *range)
{
	struct moment *moment = model->moment;
	uint64_t first = 0, last = 0, id;
	bool by_id = sscanf(range, "%" SCNu64 "-%" SCNu64, &first, &last) >= 1;
	size_t i = 0;
	bool inside;

	if (by_id && last < first)
		last = first;
	while (i < model->pending.count) {
		id = strtoull(model->pending.items[i]->id, NULL, 10);
		inside = by_id
			     ? id >= first && id <= last
			     : model->pending.items[i]->ts >= moment->from && model->pending.items[i]->ts <= moment->to;
		if (inside)
			moment_claim(model, i);
		else
			i++;
	}
	moment->signals = by_id ? last - first + 1 : moment->worst.count + model->dropped;
	model->dropped = 0;
}

struct signal *moment_find_signal(struct model *model, const char *id)
{
	struct moment *moment = model->moment;
	size_t i;

	for (i = 0; i < moment->worst.count; i++)
		if (!strcmp(moment->worst.items[i]->id, id))
			return moment->worst.items[i];
	for (i = 0; i < model->pending.count; i++)
		if (!strcmp(model->pending.items[i]->id, id))
			return moment_claim(model, i);
	return NULL;
}

/* The moment of the graph, which may be the one at hand, or begin with this graph. */
static int moment_of(struct model *model, const char *window)
{
	struct moment *moment = model->moment;

	if (moment && moment->window && (!*window || !strcmp(moment->window, window)))
		return 0;
	if (moment_close(model) < 0)
		return -1;
	moment_begin(model, *window ? window : NULL);
	return 0;
}

struct story *moment_story(struct model *model, const char *graph, const char *window)
{
	if (moment_of(model, window) < 0)
		return NULL;
	moment_forget_graph(model);
	model->story = story_new(graph);
	*ARRAY_ADD(&model->moment->stories) = model->story;
	return model->story;
}

/* An all-day run may see more signals than a window can name; the worse half of them is what anyone would read. */
void moment_bound_pending(struct model *model)
{
	size_t i;

	if (model->pending.count < MODEL_SIGNALS)
		return;
	qsort(model->pending.items, model->pending.count, sizeof(*model->pending.items), by_severity);
	for (i = MODEL_SIGNALS / 2; i < model->pending.count; i++)
		signal_free(model->pending.items[i]);
	model->dropped += model->pending.count - MODEL_SIGNALS / 2;
	model->pending.count = MODEL_SIGNALS / 2;
}

int moment_next_record(struct model *model, const struct record *record)
{
	bool of_moment = record->kind == KIND_WINDOW || record->kind == KIND_PATH || record->kind == KIND_BLAME;

	model->records++;
	if (graph_reader_record(model->reader, record) < 0)
		return -1;
	return of_moment ? 0 : moment_close(model);
}
