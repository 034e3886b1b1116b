/*
 * tracks: the charts of a stream: for each key of each chart a track, with its limits, values and signals.
 *
 * In bounded space: an input can name any number of charts and keys, and an all-day run has any number of values.
 *
 *	struct tracks *tracks = tracks_new(site, stream);
 *	tracks_take(tracks, record->kind, fields);	for each record
 *	tracks_stream_over(tracks);
 *	for (chart = tracks->charts; chart; chart = chart->hh.next)
 *		for (track = chart->tracks; track; track = track->hh.next) ...
 *	tracks_free(tracks);
 */
#ifndef MODEL_TRACKS_H
#define MODEL_TRACKS_H

#include <uthash.h>

#include "model/signal.h"
#include "model/timeline.h"

/* The level of a track changed and stayed so; its limits were learnt anew. */
struct shift {
	int64_t at; /* since when */
	struct clock clock;
	bool up;
	double from, to; /* the centre; from: NAN where not known */
};

/* Values that began, and whose end did not come. */
struct unfinished {
	uint64_t count;
	double oldest;	/* in seconds */
	bool overtaken; /* others that began later ended; else: */
	int64_t cpu;	/* this CPU was not recorded all the time */
};

/* All values of a chart and key in a few numbers, as the filter counted them. */
struct summed {
	uint64_t count; /* 0: no summary came */
	double mean, p50, p95, p99; /* NAN where they cannot be known: quantiles of several streams */
	double most;
	int64_t most_at;
	struct clock clock; /* of most_at */
};

enum { TRACK_SHIFTS = 3 };

/* One key of a chart. Of the keys beyond the bound, which are one track, no limits are known. */
struct track {
	struct tracked_chart *chart;
	char *key;  /* "" where the chart is not split */
	char *host; /* of a stream of several; NULL: it was of one */
	enum unit unit;

	/* limits */
	double center, lcl, ucl; /* the last ones; NAN: none came */
	bool limited;		 /* they are of the stream at hand */
	uint64_t learnt_from;	 /* n */
	char *method;
	double signal_center, signal_limit; /* of its first signal; NAN: none */
	ARRAY(struct shift) shifts;	    /* the newest TRACK_SHIFTS, oldest first */
	uint64_t all_shifts;		    /* how many there were */

	/* values */
	uint64_t values, signals; /* values: the healthy ones */
	double greatest;	  /* of the healthy values; NAN: none */
	bool greatest_is_early;	  /* it came before there were limits to judge it by */
	struct summed summed;
	struct unfinished open, doubted; /* open: no limits judged them; doubted: they may have ended unseen */

	/* for the control chart, in Unix time where there is any */
	struct timeline samples, marks; /* marks: signals */
	struct timeline levels;		/* signals that tell a new level */
	struct timeline limits;		/* median: center, greatest: ucl */

	/* private */
	char *id;	 /* key, and host */
	char *device;	 /* what a device of this number is called; NULL: not known */
	size_t number;	 /* of the host */
	uint64_t stream; /* the last one that named it, counted by host */
	UT_hash_handle hh;
};

struct tracked_chart {
	char *name, *title;
	bool counts; /* in intervals, instead of measuring what begins and ends */
	bool asked;  /* the collector was asked for it: its values are requests, which triggers look at */
	uint64_t signals, moments;
	struct track *tracks; /* hash by key, in order of arrival */
	struct track *others; /* the last of them: for all keys beyond the bounds; NULL: no more */
	uint64_t last_moment; /* private */
	UT_hash_handle hh;
};

/* A program's functions can be some thousand charts, and a machine's devices some hundred keys of each of a few charts. */
enum { TRACKS_CHARTS = 1 << 14, TRACKS_OF_CHART = 1024, TRACKS_OF_ALL = 1 << 16 };

struct tracks {
	struct tracked_chart *charts; /* hash by name, in order of arrival */
	struct tracked_chart *others; /* one of them: for all beyond TRACKS_CHARTS; NULL: there were no more */
	size_t count;		      /* of all charts */
	bool asked;		      /* the collector tells which it was asked for */

	/* private */
	const struct site *site;
	struct stream *stream;
	ARRAY(uint64_t) streams; /* that are over, by number of the host */
};

struct tracks *tracks_new(const struct site *site, struct stream *stream);
void tracks_free(struct tracks *tracks);

/* Takes a `chart`, `sample`, `limits`, `open` or `summary` record; ignores others. -1 after fail(). */
int tracks_take(struct tracks *tracks, enum kind kind, const struct fields *fields);

/* Counts a signal; takes back the count of a signal that turned out to be the beginning of another; counts a signal's moment. */
void tracks_signal(struct tracks *tracks, const struct signal *signal);
void tracks_signal_back(struct tracks *tracks, const struct signal *signal);
void tracks_moment(struct tracks *tracks, const struct signal *signal, uint64_t moment);

/* The track of a signal. */
const struct track *tracks_find(struct tracks *tracks, const struct signal *signal);

void tracks_stream_over(struct tracks *tracks);

/* A wall clock came: the points so far are of a trace clock, and fit no later ones. */
void tracks_forget_points(struct tracks *tracks);

/* The key of a track, a device by its name, of several hosts with the host: "loop0 on web1", "web1"; the caller frees it. */
char *tracks_name(const struct tracks *tracks, const struct track *track);

/* Chart and key as a label: "block of loop0". The caller frees it. */
char *tracks_label(const struct tracks *tracks, const struct track *track);

/* "block of loop0 became slower at 12:03:04.127 and stayed so: median 127 us -> 410 us; limits relearnt". The caller frees it. */
char *tracks_shift_words(const struct tracks *tracks, const struct track *track, const struct shift *shift);

#endif
