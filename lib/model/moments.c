#include "model/moments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "graph/graph_reader.h"
#include "graph/words.h"
#include "model/chain.h"
#include "model/display.h"
#include "model/label.h"

enum { PENDING_MAX = 4096 };

struct moments {
	struct stream *stream;
	struct site *site;
	struct tracks *tracks;
	struct verdicts *verdicts;
	struct logged_requests *logged;
	moment_teller *teller;
	void *context;
	struct moment_counts *counts, own; /* counts: `own`, or that of another host */

	/* current */
	struct moment *moment;
	char *request; /* the moment is that of this logged request; NULL: of none */
	struct story *story;
	struct graph *graph;
	struct graph_reader *reader;

	/* signals whose window has not come */
	ARRAY(struct signal *) pending;
	uint64_t dropped; /* signals dropped for lack of room since the last window */

	/* the current stream */
	uint64_t lost_before;	/* events lost in earlier streams */
	uint64_t graphs;
	enum graph_kind kind;	/* kind of its first graph: the verdicts are about graphs of this kind */
};

static int wrong(const struct moments *moments)
{
	return stream_fail(moments->stream, "%s", fail_text());
}

const struct moment_counts *moments_counts(const struct moments *moments)
{
	return moments->counts;
}

/* --- a moment is complete --------------------------------------------------------------------------------------------------- */

static int by_severity(const void *a, const void *b)
{
	return signal_compare(*(struct signal *const *)a, *(struct signal *const *)b);
}

static struct moment *begin_moment(struct moments *moments, const char *window)
{
	struct moment *moment = NEW(struct moment);

	moment->number = ++moments->counts->moments;
	moment->window = window ? memory_format("%s", window) : NULL;
	moment->clock = moments->site->clock;
	site_see_host(moments->site);
	moment->host = memory_format("%s", moments->site->host);
	moment->from = INT64_MAX;
	moment->data_from = INT64_MIN;
	moment->to = INT64_MIN;
	moment->complete = true;
	moments->moment = moment;
	return moment;
}

static void widen(struct moment *moment, int64_t from, int64_t to)
{
	if (from < moment->from)
		moment->from = from;
	if (to > moment->to)
		moment->to = to;
}

/* The totals, like the ranker's, count graphs of one kind only, because a graph of calls covers the same time as the graph of threads. */
static void count_story(struct moments *moments, const struct moment *moment, const struct story *story)
{
	struct sighting sighting;

	moments->counts->graphs++;
	if (moments->graphs++ == 0)
		moments->kind = story->kind;
	if (story->kind != moments->kind)
		return;
	sighting = (struct sighting){moment->number, moment->host, moment->clock.has_wall ? time_sum(story->from, moment->clock.wall) : INT64_MAX};
	verdicts_explain(moments->verdicts, story_length(story));
	for (size_t i = 0; i < story->culprits.count; i++)
		verdicts_count(moments->verdicts, &story->culprits.items[i], &sighting);
}

static int by_time(const struct story_part *a, const struct story_part *b)
{
	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return strcmp(a->words, b->words);
}

static void count_moment(struct moments *moments, struct moment *moment)
{
	for (size_t i = 0; i < moment->worst.count; i++)
		tracks_moment(moments->tracks, moment->worst.items[i], moment->number);
	moments->counts->incomplete += !moment->complete;
	if (!moment->complete)
		stream_mark_incomplete(moments->stream);
}

/* Puts signals of one wait, reported while it lasted and again when it was over, next to each other, the one that ended last. */
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

/* The new signal takes over the stories of the old one. If it has a story of its own, frees the old ones, which explain only its beginning. */
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

/* Takes a signal out of the counts, because its wait was counted twice. */
static void count_once(struct moments *moments, const struct signal *signal)
{
	tracks_signal_back(moments->tracks, signal);
	moments->counts->signals--;
	moments->moment->signals -= moments->moment->signals > 0;
}

static void merge_signals(struct moments *moments, struct moment *moment)
{
	struct signal **signals = moment->worst.items;
	size_t i, kept = 0;

	if (moment->worst.count == 0)
		return;
	qsort(signals, moment->worst.count, sizeof(*signals), by_wait);
	for (i = 0; i < moment->worst.count; i++) {
		if (i + 1 < moment->worst.count && goes_on(signals[i], signals[i + 1])) {
			replace_in_stories(moment, signals[i], signals[i + 1]);
			count_once(moments, signals[i]);
			signal_free(signals[i]);
			continue;
		}
		signals[kept++] = signals[i];
	}
	moment->worst.count = kept;
	qsort(signals, kept, sizeof(*signals), by_severity);
}

/* Sorts stories by their signals, the worst first; stories without a signal stay where they are. */
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

static void find_processes(const struct moments *moments, struct moment *moment)
{
	struct identity identity;

	for (size_t i = 0; i < moment->worst.count; i++) {
		struct signal *signal = moment->worst.items[i];

		if (signal->tid > 0 && !signal->identity.pid && process_table_find(moments->site->who, signal->tid, signal->ts, signal->comm, &identity))
			signal->identity = identity_copy(&identity);
		if (signal->client_tid > 0 && !signal->client_identity.pid &&
		    process_table_find(moments->site->who, signal->client_tid, signal->ts, signal->client, &identity))
			signal->client_identity = identity_copy(&identity);
	}
}

static void close_story(struct moments *moments)
{
	struct story *story = moments->story;

	if (!story || story->closed)
		return;
	story_close(story);
	chain_find(story, moments->site, moments->graph);
	chain_waits(story, moments->graph);
}

static int tell(struct moments *moments)
{
	struct moment *moment = moments->moment;
	size_t i;

	close_story(moments);
	if (moments->request) {
		moments->counts->moments--;
		logged_requests_stories(moments->logged, moments->site->number, moments->request, moment->stories.items, moment->stories.count);
		return 0;
	}
	merge_signals(moments, moment);
	for (i = 0; i < moment->stories.count; i++) {
		count_story(moments, moment, moment->stories.items[i]);
		HASH_SORT(moment->stories.items[i]->parts, by_time);
		widen(moment, moment->stories.items[i]->from, moment->stories.items[i]->to);
	}
	find_processes(moments, moment);
	for (i = 0; i < moment->worst.count; i++)
		widen(moment, moment->worst.items[i]->start, moment->worst.items[i]->ts);
	count_moment(moments, moment);
	moment->lost = stream_lost_here(moments->stream) > moments->lost_before;
	sort_stories(moment);
	if (moment->signals < moment->worst.count)
		moment->signals = moment->worst.count;
	return moments->teller(moments->context, moment);
}

static void forget_graph(struct moments *moments)
{
	close_story(moments);
	graph_free(moments->graph);
	moments->graph = NULL;
	moments->story = NULL;
}

static int close_moment(struct moments *moments)
{
	struct moment *moment = moments->moment;
	int status;

	if (!moment)
		return 0;
	status = tell(moments);
	moments->story = NULL; /* merge_signals() may have freed it */
	forget_graph(moments);
	moment_free(moment);
	moments->moment = NULL;
	free(moments->request);
	moments->request = NULL;
	return status;
}

/* --- signals ----------------------------------------------------------------------------------------------------------- */

/* An all-day run may see more signals than a window can name: drops the milder half, which nobody would read. */
static void bound_pending(struct moments *moments)
{
	size_t i;

	if (moments->pending.count < PENDING_MAX)
		return;
	qsort(moments->pending.items, moments->pending.count, sizeof(*moments->pending.items), by_severity);
	for (i = PENDING_MAX / 2; i < moments->pending.count; i++)
		signal_free(moments->pending.items[i]);
	moments->dropped += moments->pending.count - PENDING_MAX / 2;
	moments->pending.count = PENDING_MAX / 2;
}

static int take_signal(struct moments *moments, const struct fields *fields)
{
	struct signal *signal = signal_read(moments->site, fields);

	if (!signal)
		return wrong(moments);
	tracks_signal(moments->tracks, signal);
	bound_pending(moments);
	*ARRAY_ADD(&moments->pending) = signal;
	moments->counts->signals++;
	moments->counts->rates += signal->unit == UNIT_SHARE || signal->unit == UNIT_RATE || signal->mean;
	return 0;
}

/* Moves a pending signal to the current moment. */
static struct signal *claim(struct moments *moments, size_t i)
{
	struct signal *signal = moments->pending.items[i];

	*ARRAY_ADD(&moments->moment->worst) = signal;
	ARRAY_REMOVE(&moments->pending, i, 1);
	return signal;
}

/* Claims the signals of signals="12-31"; without it, those whose end lies in the window. */
static void claim_range(struct moments *moments, const char *range)
{
	struct moment *moment = moments->moment;
	uint64_t first = 0, last = 0, id;
	bool by_id = sscanf(range, "%" SCNu64 "-%" SCNu64, &first, &last) >= 1;
	size_t i = 0;
	bool inside;

	if (by_id && last < first)
		last = first;
	while (i < moments->pending.count) {
		id = strtoull(moments->pending.items[i]->id, NULL, 10);
		inside = by_id
			     ? id >= first && id <= last
			     : moments->pending.items[i]->ts >= moment->from && moments->pending.items[i]->ts <= moment->to;
		if (inside)
			claim(moments, i);
		else
			i++;
	}
	moment->signals = by_id ? last - first + 1 : moment->worst.count + moments->dropped;
	moments->dropped = 0;
}

static struct signal *find_signal(struct moments *moments, const char *id)
{
	struct moment *moment = moments->moment;
	size_t i;

	for (i = 0; i < moment->worst.count; i++)
		if (!strcmp(moment->worst.items[i]->id, id))
			return moment->worst.items[i];
	for (i = 0; i < moments->pending.count; i++)
		if (!strcmp(moments->pending.items[i]->id, id))
			return claim(moments, i);
	return NULL;
}

static int tell_rest(struct moments *moments, bool complete)
{
	if (moments->pending.count == 0)
		return 0;
	begin_moment(moments, NULL)->complete = complete;
	while (moments->pending.count > 0)
		claim(moments, moments->pending.count - 1);
	moments->moment->signals = moments->moment->worst.count + moments->dropped;
	moments->dropped = 0;
	return close_moment(moments);
}

/* --- windows ----------------------------------------------------------------------------------------------------------- */

/* If the record names a request, the current moment is that of the request. Takes over the text. */
static void see_request(struct moments *moments, char *request)
{
	if (request && *request && !moments->request)
		moments->request = request;
	else
		free(request);
}

static int take_window(struct moments *moments, const struct fields *fields)
{
	struct moment *moment = moments->moment;
	int64_t from, to;
	char *id, *signals;

	if (time_read(fields, "from", &from) != 1 || time_read(fields, "to", &to) != 1)
		return stream_fail(moments->stream, "a window record needs from= and to= as numbers");
	id = display_field(fields, "id");
	if (moment && (!moment->window || strcmp(moment->window, id)) && close_moment(moments) < 0) {
		free(id);
		return -1;
	}
	moment = moments->moment ? moments->moment : begin_moment(moments, id);
	widen(moment, from, to);
	moment->data_from = from;
	moment->complete = !fields_is(fields, "complete", "no");
	see_request(moments, display_field(fields, "request"));
	signals = display_field(fields, "signals");
	if (!moments->request)
		claim_range(moments, signals);
	free(signals);
	free(id);
	return moments->story && moments->story->culprits.count > 0 ? close_moment(moments) : 0;
}

/* --- graphs ------------------------------------------------------------------------------------------------------------ */

static const struct node *subject_node(const struct graph *graph)
{
	int32_t index = graph->target != NODE_NONE ? graph->target : graph->root;

	return index == NODE_NONE ? NULL : &graph->nodes.items[index];
}

/* The subject of a story: the target or root, by name and label; in a wake graph its thread. */
static char *subject_of(const struct graph *graph)
{
	const struct node *node = subject_node(graph);
	const char *name;

	if (!node)
		return memory_format("%s", "");
	if (graph->kind == GRAPH_WAKE)
		return display_cleaned(words_row(node));
	name = node->deed->name;
	if (!node->label || !strncmp(node->label, name, strlen(name)))
		return display_clean(node->label ? node->label : name);
	return display_cleaned(memory_format("%s %s", name, node->label));
}

static char *subject_name(const struct graph *graph)
{
	const struct node *node = graph->kind == GRAPH_WAKE ? subject_node(graph) : NULL;

	return node ? display_cleaned(words_row_name(node)) : subject_of(graph);
}

/* Gives nodes without the name of their device the name that the stream knows. */
static void name_disks(const struct moments *moments, struct graph *graph)
{
	char name[64];

	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct node *node = &graph->nodes.items[i];
		struct deed_detail detail = node->detail ? *node->detail : DEED_DETAIL_NONE;

		if (!node->deed->dev || detail.disk)
			continue;
		detail.disk = label_device(moments->site, node->deed->dev, name, sizeof(name));
		graph_detail(graph, (int32_t)i, &detail);
	}
}

/* Makes the moment of a graph with this window current: it may be already, or begin with this graph. */
static int moment_of(struct moments *moments, const char *window)
{
	struct moment *moment = moments->moment;

	if (moment && moment->window && (!*window || !strcmp(moment->window, window)))
		return 0;
	if (close_moment(moments) < 0)
		return -1;
	begin_moment(moments, *window ? window : NULL);
	return 0;
}

static struct story *begin_story(struct moments *moments, const char *graph, const char *window)
{
	if (moment_of(moments, window) < 0)
		return NULL;
	forget_graph(moments);
	moments->story = story_new(graph);
	*ARRAY_ADD(&moments->moment->stories) = moments->story;
	return moments->story;
}

static int whole_graph(void *context, struct graph *graph)
{
	struct moments *moments = context;
	struct story *story;
	char *window = display_clean(graph->window ? graph->window : ""),
	     *signal = display_clean(graph->signal ? graph->signal : "");

	/* This ends the story before, which needs its graph; so moments->graph is set after it. */
	story = begin_story(moments, graph->id, window);
	if (!story) {
		graph_free(graph);
	} else {
		see_request(moments, display_clean(graph->request ? graph->request : ""));
		moments->graph = graph;
		story->kind = graph->kind;
		story->from = time_bounded(graph->from);
		story->to = time_bounded(graph->to);
		story->signal = *signal ? find_signal(moments, signal) : NULL;
		if (story->signal && graph->answered)
			signal_comes_from(story->signal, graph->answered, graph->answered_tid);
		free(story->root);
		free(story->root_name);
		name_disks(moments, graph);
		story->root = subject_of(graph);
		story->root_name = subject_name(graph);
	}
	free(window);
	free(signal);
	return story ? 0 : -1;
}

int moments_graph(struct moments *moments, const struct record *record)
{
	/* A moment without a window has one graph. */
	if (record->kind == KIND_GRAPH && moments->moment && !moments->moment->window && close_moment(moments) < 0)
		return -1;
	return graph_reader_record(moments->reader, record);
}

/* The story that a path or blame record belongs to. If its graph did not come, the story begins here. NULL after fail(). */
static struct story *story_of(struct moments *moments, const struct fields *fields)
{
	char *graph = display_field(fields, "graph");
	struct story *story = moments->story;

	if (!story || strcmp(story->graph, graph))
		story = begin_story(moments, graph, "");
	free(graph);
	return story;
}

static int take_path(struct moments *moments, const struct fields *fields)
{
	struct story *story = story_of(moments, fields);

	if (!story)
		return -1;
	return story_path(moments->site, story, moments->graph, fields) < 0 ? wrong(moments) : 0;
}

/* Takes the ranker's total over all windows, which ends the last moment. */
static int total_seen(struct moments *moments, const struct fields *fields)
{
	struct culprit culprit;

	if (culprit_read(moments->site, &culprit, fields) < 0)
		return wrong(moments);
	verdicts_total(moments->verdicts, &culprit);
	return close_moment(moments);
}

static int take_blame(struct moments *moments, const struct fields *fields)
{
	struct story *story;

	if (fields_is(fields, "graph", "total"))
		return total_seen(moments, fields);
	story = story_of(moments, fields);
	if (!story)
		return -1;
	return story_blame(moments->site, story, moments->graph, fields) < 0 ? wrong(moments) : 0;
}

int moments_take(struct moments *moments, enum kind kind, const struct fields *fields)
{
	switch (kind) {
	case KIND_SIGNAL:
		return take_signal(moments, fields);
	case KIND_WINDOW:
		return take_window(moments, fields);
	case KIND_PATH:
		return take_path(moments, fields);
	default:
		return take_blame(moments, fields);
	}
}

/* --- from beginning to end --------------------------------------------------------------------------------------------- */

struct moments *moments_new(struct stream *stream, struct site *site, struct tracks *tracks, struct verdicts *verdicts,
			    struct logged_requests *logged, moment_teller *teller, void *context)
{
	struct moments *moments = NEW(struct moments);

	*moments = (struct moments){.stream = stream, .site = site, .tracks = tracks, .verdicts = verdicts, .logged = logged, .teller = teller, .context = context};
	moments->counts = &moments->own;
	moments->reader = graph_reader_new(stream, whole_graph, moments);
	return moments;
}

struct moments *moments_beside(struct moments *moments)
{
	struct moments *beside = moments_new(moments->stream, moments->site, moments->tracks, moments->verdicts, moments->logged, moments->teller,
					     moments->context);

	beside->counts = moments->counts;
	return beside;
}

int moments_next(struct moments *moments, const struct record *record)
{
	bool of_moment = record->kind == KIND_WINDOW || record->kind == KIND_PATH || record->kind == KIND_BLAME;

	if (graph_reader_record(moments->reader, record) < 0)
		return -1;
	return of_moment ? 0 : close_moment(moments);
}

int moments_stream_over(struct moments *moments)
{
	if (graph_reader_end(moments->reader) < 0 || close_moment(moments) < 0)
		return -1;
	if (moments->graphs > 0)
		verdicts_stream_over(moments->verdicts);
	moments->graphs = 0;
	if (tell_rest(moments, !stream_was_cut(moments->stream)) < 0)
		return -1;
	moments->lost_before = stream_lost_here(moments->stream);
	return 0;
}

void moments_give_up(struct moments *moments)
{
	close_moment(moments);
	tell_rest(moments, false);
}

void moments_free(struct moments *moments)
{
	for (size_t i = 0; i < moments->pending.count; i++)
		signal_free(moments->pending.items[i]);
	free(moments->pending.items);
	free(moments->request);
	moment_free(moments->moment);
	graph_free(moments->graph);
	graph_reader_free(moments->reader);
	free(moments);
}
