#include "blame/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/hash.h"
#include "base/memory.h"
#include "blame/rank_entry.h"
#include "graph/deed_family.h"
#include "graph/words.h"
#include "stream/fields.h"

/*
 * waiting: how long the machine waited, by the signals of a stream. A signal is a wait from start to ts, unless its value
 * is a plain number, a rate, a mean or a shift. A wait that had not ended at its signal counts up to the signal; a later signal of the same
 * wait adds only the rest.
 *
 * A window's waiting is the waiting of the signals since the window before it. Signals that no window follows count in the whole.
 */
struct window {
	char *id;
	double seconds[2]; /* not taken yet: by the total; by that of the recording pipe's own graphs */
	UT_hash_handle hh;
};

struct open_wait { /* a wait that had not ended at its signal; another signal may come when it has ended */
	struct {
		int64_t start, tid;
	} key;
	double seconds; /* counted so far */
	UT_hash_handle hh;
};

struct waiting {
	struct window *by_id;
	struct open_wait *open;
	double since; /* seconds waited since the last window */
	double whole; /* seconds waited in the stream */
};

static struct waiting *waiting_new(void)
{
	return NEW(struct waiting);
}

static void waiting_free(struct waiting *waiting)
{
	struct window *window, *next;

	HASH_ITER(hh, waiting->by_id, window, next) {
		HASH_DEL(waiting->by_id, window);
		free(window->id);
		free(window);
	}
	HASH_FREE(waiting->open);
	free(waiting);
}

/* The signal of a plain number, a rate, a mean, or a level that changed is no wait. */
static bool is_wait(const struct fields *fields)
{
	return fields_find(fields, "start") && fields_find(fields, "ts") && !fields_find(fields, "unit") &&
	       !fields_is(fields, "mean", "yes") && !fields_is(fields, "rules", "shift");
}

/* How much of this wait is not counted yet. */
static double not_counted(struct waiting *waiting, int64_t start, int64_t tid, double seconds, bool open)
{
	struct open_wait *wait, key = {.key = {start, tid}};
	double more = seconds;

	HASH_FIND(hh, waiting->open, &key.key, sizeof(key.key), wait);
	if (wait)
		more = fmax(seconds - wait->seconds, 0);
	if (open && !wait) {
		wait = NEW(struct open_wait);
		wait->key = key.key;
		HASH_ADD(hh, waiting->open, key, sizeof(wait->key), wait);
	}
	if (open) {
		wait->seconds = seconds;
	} else if (wait) {
		HASH_DEL(waiting->open, wait);
		free(wait);
	}
	return more;
}

/* Takes the fields of a signal record. -1 after fail(): a time or the tid is malformed. */
static int waiting_signal(struct waiting *waiting, const struct fields *fields)
{
	int64_t start = 0, ts = 0, tid = 0;
	double more;

	if (fields_time(fields, "start", &start) < 0 || fields_time(fields, "ts", &ts) < 0 || fields_integer(fields, "tid", &tid) < 0)
		return -1;
	if (!is_wait(fields) || ts <= start)
		return 0;
	more = not_counted(waiting, start, tid, ((uint64_t)ts - (uint64_t)start) / 1e9, fields_is(fields, "open", "yes"));
	waiting->since += more;
	waiting->whole += more;
	return 0;
}

static struct window *window_of(struct waiting *waiting, char *id)
{
	struct window *window;

	HASH_FIND_STR(waiting->by_id, id, window);
	if (window) {
		free(id);
		return window;
	}
	window = NEW(struct window);
	window->id = id;
	HASH_ADD_KEYPTR(hh, waiting->by_id, id, strlen(id), window);
	return window;
}

static void waiting_window(struct waiting *waiting, const struct fields *fields)
{
	char *id = fields_copy(fields, "id");
	struct window *window = id && waiting->since > 0 ? window_of(waiting, id) : NULL;

	for (int own = 0; window && own < 2; own++)
		window->seconds[own] += waiting->since;
	if (!window)
		free(id);
	waiting->since = 0;
}

/* Adds the waiting of a moment whose signals are not in the stream. */
static void waiting_add(struct waiting *waiting, double seconds)
{
	waiting->whole += seconds;
}

/* Adds the waiting of a moment without a window. What signals since the last window counted of it already is taken from those signals. */
static void waiting_claim(struct waiting *waiting, double seconds)
{
	double counted = fmin(waiting->since, seconds);

	waiting->since -= counted;
	waiting->whole += seconds - counted;
}

/* The window's waiting, in seconds; 0 if this total has taken it before. Less than 0: the stream has no signals of this window. */
static double waiting_take(struct waiting *waiting, const char *window, bool own)
{
	struct window *found;
	double seconds;

	HASH_FIND_STR(waiting->by_id, window, found);
	if (!found)
		return -1;
	seconds = found->seconds[own];
	found->seconds[own] = 0;
	return seconds;
}

/* All waiting so far, in seconds. */
static double waiting_whole(const struct waiting *waiting)
{
	return waiting->whole;
}

struct total_entry {
	struct rank_entry rank; /* owns deed, label and counters; its deed is the family's */
	struct deed_family deeds;	/* of the family */
	uint64_t graph;		/* number of the last graph in which it was blamed */
	struct share in_moment; /* its score in the current moment */
	bool of_moment;		/* it is among the moment's entries */
	UT_hash_handle hh;
};

struct moment {
	char *window; /* NULL: none */
	uint64_t graphs, duration;
	ARRAY(struct total_entry *) entries; /* blamed in it */
	ARRAY(struct moment_share) shares;   /* of these entries, when the moment is over */
};

struct ranking_total {
	struct ranking_total *own; /* over the graphs that are left out because of the recording pipe; NULL: none. Shares `waiting` */
	bool is_own; /* it is that total */
	struct total_entry *by_family;
	uint64_t graphs;
	enum graph_kind kind; /* of all of them */
	bool windows; /* at least one of them explains a window */
	uint64_t duration;
	struct moment moment; /* the current one */
	struct waiting *waiting;
	moment_sink *sink;
	void *context;
};

struct ranking_total *ranking_total_new(moment_sink *sink, void *context)
{
	struct ranking_total *total = NEW(struct ranking_total);

	total->waiting = waiting_new();
	total->sink = sink;
	total->context = context;
	return total;
}

static void free_entries(struct ranking_total *total)
{
	struct total_entry *entry, *next;

	HASH_ITER(hh, total->by_family, entry, next) {
		HASH_DEL(total->by_family, entry);
		deed_family_free(&entry->deeds);
		free((struct deed *)entry->rank.deed);
		free((char *)entry->rank.label);
		free((char *)entry->rank.counters);
		free(entry);
	}
	free(total->moment.window);
	free(total->moment.entries.items);
	free(total->moment.shares.items);
	free(total);
}

void ranking_total_free(struct ranking_total *total)
{
	waiting_free(total->waiting);
	if (total->own)
		free_entries(total->own);
	free_entries(total);
}

int ranking_total_signal(struct ranking_total *total, const struct fields *fields)
{
	return waiting_signal(total->waiting, fields);
}

void ranking_total_window(struct ranking_total *total, const struct fields *fields)
{
	if (!fields_find(fields, "request"))
		waiting_window(total->waiting, fields);
}

static double moment_waiting(struct ranking_total *total)
{
	const struct moment *moment = &total->moment;
	double duration = moment->duration / 1e9, seconds = moment->window ? waiting_take(total->waiting, moment->window, total->is_own) : -1;

	if (seconds >= 0)
		return seconds;
	if (moment->window)
		waiting_add(total->waiting, duration);
	else
		waiting_claim(total->waiting, duration);
	return duration;
}

static void end_moment(struct ranking_total *total)
{
	struct moment *moment = &total->moment;
	double waiting;

	if (!moment->graphs)
		return;
	waiting = moment_waiting(total);
	for (size_t i = 0; i < moment->entries.count; i++) {
		struct total_entry *entry = moment->entries.items[i];
		double share = share_part(entry->in_moment, moment->duration);

		entry->rank.waited += share * waiting;
		entry->in_moment = (struct share){0};
		entry->of_moment = false;
		*ARRAY_ADD(&moment->shares) = (struct moment_share){entry->rank.deed, deed_family_common(&entry->deeds), share};
	}
	if (total->sink)
		total->sink(total->context, total->kind, moment->shares.items, moment->shares.count);
	for (size_t i = 0; i < moment->shares.count; i++)
		free(moment->shares.items[i].deed);
	moment->entries.count = moment->shares.count = 0;
	moment->graphs = moment->duration = 0;
	free(moment->window);
	moment->window = NULL;
}

/* Tells whether the graph belongs to the current moment. */
static bool continues(const struct moment *moment, const struct graph *graph)
{
	return moment->window && graph->window && strcmp(moment->window, graph->window) == 0;
}

static void add_to_moment(struct moment *moment, struct total_entry *entry, struct share score)
{
	entry->in_moment = share_plus(entry->in_moment, score);
	if (entry->of_moment)
		return;
	entry->of_moment = true;
	*ARRAY_ADD(&moment->entries) = entry;
}

static struct total_entry *find_entry(struct ranking_total *total, const struct deed *deed)
{
	struct deed part = deed_family_of(deed), *family = deed_copy(&part);
	struct total_entry *entry;

	HASH_FIND(hh, total->by_family, family->key, family->key_length, entry);
	if (entry) {
		free(family);
		return entry;
	}
	entry = NEW(struct total_entry);
	entry->rank.deed = family;
	entry->rank.node = NODE_NONE;
	HASH_ADD_KEYPTR(hh, total->by_family, family->key, family->key_length, entry);
	return entry;
}

static void add_entry(struct total_entry *entry, const struct rank_entry *rank, const struct graph *graph, uint64_t number)
{
	struct rank_entry *sum = &entry->rank;

	deed_family_add(&entry->deeds, rank->deed, (double)share_round(rank->score));
	sum->score = share_plus(sum->score, rank->score);
	sum->on_path |= rank->on_path;
	sum->instances += entry->graph != number;
	entry->graph = number;
	if (sum->label && share_compare(rank->best, sum->best) <= 0)
		return;
	free((char *)sum->label);
	sum->label = words_label(&graph->nodes.items[rank->node]);
	sum->best = rank->best;
	sum->tid = rank->tid;
	sum->who_tid = rank->who_tid;
	sum->whom_tid = rank->whom_tid;
	sum->samples = rank->samples;
	sum->in_function = rank->in_function;
	free((char *)sum->counters);
	sum->counters = rank->counters ? memory_text(rank->counters, strlen(rank->counters)) : NULL;
	sum->counted = rank->counted;
}

static void begin_moment(struct moment *moment, const struct graph *graph)
{
	if (graph->window)
		moment->window = memory_text(graph->window, strlen(graph->window));
}

/* Tells whether the recording pipe has half of the graph's time or more. */
static bool is_own(const struct rank_list *ranks, uint64_t duration)
{
	struct share sum = {0};

	for (size_t i = 0; i < ranks->list.count; i++)
		if (ranks->list.items[i].deed->pipe)
			sum = share_plus(sum, ranks->list.items[i].score);
	return share_part(sum, duration) >= 0.5;
}

/* The total in which the graph counts. */
static struct ranking_total *total_for(struct ranking_total *total, const struct rank_list *ranks, uint64_t duration)
{
	if (!is_own(ranks, duration))
		return total;
	if (!total->own) {
		total->own = NEW(struct ranking_total);
		total->own->waiting = total->waiting;
		total->own->is_own = true;
	}
	return total->own;
}

void ranking_total_add(struct ranking_total *total, const struct rank_list *ranks, const struct graph *graph,
		       uint64_t duration)
{
	total = total_for(total, ranks, duration);
	if (graph->request || (total->graphs && total->kind != graph->kind))
		return; /* a request is there to compare with others, and need not be slow; another kind is another view of the same time */
	total->kind = graph->kind;
	if (!continues(&total->moment, graph)) {
		end_moment(total);
		begin_moment(&total->moment, graph);
	}
	total->graphs++;
	total->windows |= graph->window != NULL;
	total->duration += duration;
	total->moment.graphs++;
	total->moment.duration += duration;
	for (size_t i = 0; i < ranks->list.count; i++) {
		struct total_entry *entry = find_entry(total, ranks->list.items[i].deed);

		add_entry(entry, &ranks->list.items[i], graph, total->graphs);
		add_to_moment(&total->moment, entry, ranks->list.items[i].score);
	}
}

int ranking_total_write(struct ranking_total *total, const struct ranking_options *options, struct stream *stream)
{
	struct rank_list ranks = {0};
	struct rank_whole whole;
	int status;

	end_moment(total);
	if (total->own)
		end_moment(total->own);
	if (total->own && !total->graphs)
		total = total->own;
	if (total->graphs < 2 && !total->windows)
		return 0;
	for (struct total_entry *entry = total->by_family; entry; entry = entry->hh.next) {
		*ARRAY_ADD(&ranks.list) = entry->rank;
		ranks.list.items[ranks.list.count - 1].deed = deed_family_common(&entry->deeds);
	}
	rank_sort(&ranks);
	whole = (struct rank_whole){.duration = total->duration, .waited = waiting_whole(total->waiting)};
	status = rank_write(&ranks, options->count, &whole, options, stream);
	for (size_t i = 0; i < ranks.list.count; i++)
		free((struct deed *)ranks.list.items[i].deed);
	free(ranks.list.items);
	return status;
}
