/*
 * tracks: the charts of a stream: a track for each key of each chart, with its limits, values and signals.
 *
 * Space is bounded, although an input can name any number of charts and keys, and an all-day run has any number of values.
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

/* A lasting change of a track's level, after which its limits were learnt anew. */
struct shift {
	int64_t at; /* the start of the new level */
	struct clock clock;
	bool up;
	double from, to; /* centres before and after; from: NAN if unknown */
};

/* Values that began, but whose end did not come. */
struct unfinished {
	uint64_t count;
	double oldest;	/* age of the oldest, in seconds */
	bool overtaken; /* the reason for doubt: values that began later have ended; else: */
	int64_t cpu;	/* this CPU was not recorded all the time */
};

/* A summary of all values of a chart and key, as the filter counted them. */
struct summed {
	uint64_t count; /* 0: no summary came */
	double mean, p50, p95, p99; /* quantiles are NAN if unknown, as with several streams */
	double most;
	int64_t most_at;
	struct clock clock; /* of most_at */
};

enum { TRACK_SHIFTS = 3 };

/* One key of a chart. The keys beyond the bound share one track, which has no limits. */
struct track {
	struct tracked_chart *chart;
	char *key;  /* "": the chart is not split */
	char *host; /* in a stream of several hosts; NULL: the stream had one */
	enum unit unit;

	/* limits */
	double center, lcl, ucl; /* the last limits; NAN: none came */
	bool limited;		 /* the limits are of the current stream */
	uint64_t learnt_from;	 /* number of values, n= */
	char *method;
	double signal_center, signal_limit; /* of its first signal; NAN: none */
	ARRAY(struct shift) shifts;	    /* the newest TRACK_SHIFTS, oldest first */
	uint64_t all_shifts;		    /* number of all shifts */

	/* values */
	uint64_t values, signals; /* values: the healthy ones */
	double greatest;	  /* greatest healthy value; NAN: none */
	bool greatest_is_early;	  /* it came before there were limits to judge it by */
	struct summed summed;
	struct unfinished open, doubted; /* open: no limits judged them; doubted: they may have ended unseen */

	/* for the control chart, in Unix time if the stream has a wall clock */
	struct timeline samples, marks; /* marks: signals */
	struct timeline levels;		/* signals of a new level */
	struct timeline limits;		/* median: center, greatest: ucl */

	/* private */
	char *id;	 /* key, and host */
	char *device;	 /* name of the device that the key is; NULL: unknown */
	size_t number;	 /* of the host */
	uint64_t stream; /* the last stream that named the track, as a number among the streams of its host */
	UT_hash_handle hh;
};

struct tracked_chart {
	char *name, *title;
	bool counts; /* the chart counts events in intervals, instead of measuring latencies */
	bool asked;  /* the collector was asked for it: its values are requests, which triggers look at */
	uint64_t signals, moments;
	struct track *tracks; /* hash by key, in order of arrival */
	struct track *others; /* the last of them, for all keys beyond the bounds; NULL: there are none */
	uint64_t last_moment; /* private */
	UT_hash_handle hh;
};

/* A program can have a few thousand functions, each a chart; a machine can have a few hundred devices, each a key of a few charts. */
enum { TRACKS_CHARTS = 1 << 14, TRACKS_OF_CHART = 1024, TRACKS_OF_ALL = 1 << 16 };

struct tracks {
	struct tracked_chart *charts; /* hash by name, in order of arrival */
	struct tracked_chart *others; /* one of them, for all charts beyond TRACKS_CHARTS; NULL: there are none */
	size_t count;		      /* number of tracks in all charts */
	bool asked;		      /* the collector tells which charts it was asked for */

	/* private */
	const struct site *site;
	struct stream *stream;
	ARRAY(uint64_t) streams; /* count of streams that are over, by number of the host */
};

struct tracks *tracks_new(const struct site *site, struct stream *stream);
void tracks_free(struct tracks *tracks);

/* Takes a `chart`, `sample`, `limits`, `open` or `summary` record; ignores others. Returns 0; -1 after fail(). */
int tracks_take(struct tracks *tracks, enum kind kind, const struct fields *fields);

/* Counts a signal; undoes the count of a signal that was the beginning of another; counts the moment of a signal, once for each chart. */
void tracks_signal(struct tracks *tracks, const struct signal *signal);
void tracks_signal_back(struct tracks *tracks, const struct signal *signal);
void tracks_moment(struct tracks *tracks, const struct signal *signal, uint64_t moment);

/* The track of a signal. */
const struct track *tracks_find(struct tracks *tracks, const struct signal *signal);

/* The current stream is over: keeps the names of its devices. */
void tracks_stream_over(struct tracks *tracks);

/* Forgets the points so far, because a wall clock came: they have times of a trace clock, which do not fit later ones. */
void tracks_forget_points(struct tracks *tracks);

/* The key of a track, a device by name, and its host if there are several: "loop0 on web1", "web1". The caller frees it. */
char *tracks_name(const struct tracks *tracks, const struct track *track);

/* Chart, key and host as a label: "block of loop0", "block of loop0 on web1". The caller frees it. */
char *tracks_label(const struct tracks *tracks, const struct track *track);

/* "block of loop0 became slower at 12:03:04.127 and stayed so: median 127 us -> 410 us; limits relearnt". The caller frees it. */
char *tracks_shift_words(const struct tracks *tracks, const struct track *track, const struct shift *shift);

#endif
