/*
 * model: what a report says, gathered from the records of a stream, whatever form it is then given.
 *
 * The stream is told moment by moment. A moment is a window of the filter with its signals; where graphs of it follow,
 * each becomes a story: the one signal it explains, its critical path and who is to blame. A graph without window (a
 * request activity graph, written by hand) is a moment of its own. When a moment is complete the teller gets it, and
 * then it is forgotten: only what totals and charts need is kept, in bounded space.
 *
 * Invariants: every text in the model is fit for any output: valid UTF-8 without control characters (words_clean).
 * Times are nanoseconds of the trace clock; with the `wall` of their stream added, of the Unix epoch.
 *
 *	struct model *model = model_new(stream, &teller, context);
 *	stream_run(stream, model_handlers(model), model);	tells moments as they become complete
 *	...						the totals are in the struct
 *	model_free(model);
 */
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/memory.h"
#include "event/event.h"
#include "graph/graph_reader.h"
#include "graph/family.h"
#include "report/points.h"
#include "report/who.h"
#include "stream/stream.h"

/*
 * Times from outside are bounded when they are read, to some 146 years around zero, so that sums and differences of two
 * never overflow. Like fields_time().
 */
int read_time(const struct fields *fields, const char *key, int64_t *ns);
int64_t time_bounded(int64_t ns);
int64_t time_sum(int64_t a, int64_t b); /* bounded too */

/* What the times of a stream are: of the wall clock, with `wall` added, or only of a trace clock, which says nothing of other streams. */
struct clock {
	bool has_wall;
	int64_t wall; /* 0 where there is none */
};

/* From when to when; first > last: none. */
struct times {
	int64_t first, last;
};
#define NO_TIMES ((struct times){INT64_MAX, INT64_MIN})

/* A field of a signal that the chart chose to show: sector=1880432. */
struct shown {
	char *key, *value;
};

/* What values are. */
enum unit {
	UNIT_NONE,    /* plain numbers */
	UNIT_SECONDS, /* a latency */
	UNIT_SHARE,   /* so many of all, 0 to 1 */
	UNIT_RATE,    /* so many a second */
};

struct signal {
	char *id;
	int64_t ts, start; /* end and beginning; equal where the record has no start */
	enum unit unit;
	bool open;	   /* had not ended when it was reported */
	bool shift;	   /* the level has changed: the value is the new median */
	bool mean;	   /* the value is the mean of several */
	double value, center, lcl, ucl; /* in its unit; all but the value are NAN where not given */
	char *chart, *key, *rules, *comm; /* "" where not given */
	int32_t tid;			  /* 0: not given */
	struct identity identity;	  /* of its thread's process */
	ARRAY(struct shown) shown;
};

/* A piece of a critical path. */
struct piece {
	int64_t from, to;
	enum node_what what;
	struct part *part; /* of its story */
	int32_t node; /* of the graph; NODE_NONE; good while the graph is there */
	char *row;   /* who or what it belongs to: "grinder/77", "loop0" */
	char *name;  /* the same without the number of a thread: "grinder" */
};

struct holding { /* of a CPU that a thread waited for */
	char *owner, *name; /* as row and name of a piece */
	bool throttled;	    /* nobody held it: the thread was not let */
	double time; /* seconds */
};

/* All pieces of a path that are the same thing, in words. */
struct part {
	char *words; /* "in service at loop0" */
	char *act;   /* the same without the subject, if that is in the row of the piece */
	char *about; /* the name of the thread whose words can be put behind it, without it: "" if there is none */
	char *behind; /* these words: "asleep in nanosleep (timer)" */
	struct deed *deed; /* devices by their names */
	char *meanwhile; /* what went on, by words_meanwhile(); of pieces that differ, what can be said */
	enum node_what what;
	double time; /* seconds */
	double held; /* of them, those in which it is known who held the CPU */
	ARRAY(struct holding) holdings;
	uint64_t pieces;
	UT_hash_handle hh; /* by words */
};

/* One line of a ranking. */
struct culprit {
	uint64_t rank;
	char *name, *label;
	struct deed *deed; /* devices by their names */
	char *who;    /* the name of the thread, or pool, that did it; "" where it is none */
	char *words;  /* "reader: read of loop0 in service" */
	char *fuller; /* "reader (318 threads): read of loop0 in service" */
	double score; /* seconds; of an exception 1 over the calls from the throw */
	double share; /* of the graph's time, 0 to 1; NAN where not given */
	bool timeless; /* the score is no time */
	bool on_path;
	uint64_t instances, threads; /* threads: how many a wake graph's name stands for; 0: unknown */
	uint64_t processes;	     /* of how many these are; 0: unknown */
	struct identity identity;    /* of the only one */
	char *algorithm;
};

/* What is blamed more than in another stream. */
struct change {
	char *name, *sure; /* sure: as in the record */
	struct deed *deed; /* devices by their names */
	char *words;	   /* a sentence */
	double good, bad;  /* shares */
	double p;	   /* NAN: too few moments */
};

/* What the collector shed to bound its cost. */
struct shed {
	int64_t at;
	struct clock clock;
	char *what, *name; /* as in the record; "": not told */
	double cost, limit; /* shares of all CPUs; NAN: not told */
};

struct story {
	char *graph; /* its id */
	enum graph_kind kind;
	int64_t from, to;
	struct signal *signal; /* NULL: the graph names none that is known */
	char *root;	       /* label of the root or target; "" where unknown */
	char *root_name;       /* the same without the number of a thread */
	char *chain;	       /* who waits for whom, in words; NULL: nothing to tell */
	bool closed;	       /* its path is complete */
	ARRAY(struct piece) pieces;
	struct part *parts; /* hash; longest time first when told */
	ARRAY(struct culprit) culprits;
};

#define SLIVER 0.0005 /* of the whole: would read 0.0 % */

/* How long it took, in seconds; 0 where that is not known. And how much of that a part took, NAN where not known. */
double story_length(const struct story *story);
double story_share(const struct story *story, const struct part *part);

/* Whether its slivers are put together: they tell a reader little, two or more of them less. */
bool story_hides_slivers(const struct story *story);

/* How many of the culprits, from the first on, are worth a line, `room` at most: slivers behind others are not. */
size_t story_culprits(const struct story *story, size_t room);

/* Whether the ranking says the same as the path, in the same order, apart from slivers. */
bool story_is_ranked_alike(const struct story *story);

struct moment {
	uint64_t number; /* 1, 2, ... */
	char *window;	 /* its id; NULL: a graph without window, or signals whose window never came */
	int64_t from, to;
	struct clock clock;
	char *host;	 /* "" where not given */
	bool complete;
	bool lost;	    /* events of the stream were lost until then, perhaps some of this moment */
	int64_t data_from;  /* where the window begins; INT64_MIN: there is none */
	uint64_t signals; /* how many it has; of a great many the model keeps the worst only */
	ARRAY(struct signal *) worst; /* the worst first when told, by signal_compare(): those that cost the most time,
					 then what is no wait, by how far outside its limits it lies */
	ARRAY(struct story *) stories;
};

/* When one of its stories began, in trace time; without story: its worst signal, or the moment. False: not known. */
bool moment_began(const struct moment *moment, const struct story *story, int64_t *at);

/* The level of a track changed and stayed so; its limits were learnt anew. */
struct shift {
	int64_t at; /* since when */
	struct clock clock;
	bool up;
	double from, to; /* the centre; from: NAN where not known */
};

enum { TRACK_SHIFTS = 3 };

/* What is known of one key of a chart: its limits and values. Of the other keys together no limits are known. */
struct track {
	char *key; /* "" where the chart is not split */
	char *device;	 /* what the key is called, of a device; NULL: not known */
	uint64_t stream; /* the last one that told of it */
	struct chart_story *chart;
	double center, lcl, ucl; /* of its last limits; NAN: none came */
	bool limited;		 /* they are of the stream at hand */
	double signal_center, signal_limit; /* of its first signal; NAN: none */
	uint64_t learnt_from;	 /* n */
	char *method;
	uint64_t values, signals; /* values: the healthy ones */
	double greatest;	  /* of the healthy values; NAN: none */
	bool greatest_is_early;	  /* it came before there were limits to judge it by */
	enum unit unit;
	struct unfinished {	/* begun, and no end came */
		uint64_t count;
		double oldest;	/* in seconds */
		bool overtaken; /* of doubted: others were, and ended; else: */
		int64_t cpu;	/* was not recorded all the time */
	} open, doubted;	/* no limits judged them; it is not known whether they ended */
	ARRAY(struct shift) shifts; /* the newest TRACK_SHIFTS, oldest first */
	uint64_t all_shifts;	    /* how many there were */
	struct points samples, marks; /* for the control chart; at: Unix time; marks: signals */
	struct points levels;	      /* signals that told a new level */
	struct points limits;	      /* median: center, greatest: ucl */
	UT_hash_handle hh;
};

struct level_change { /* a shift, and of what */
	const struct track *track;
	const struct shift *shift;
};

struct chart_story {
	char *name, *title;
	bool counts; /* in intervals, instead of measuring what begins and ends */
	uint64_t signals, moments, last_moment;
	struct track *tracks; /* hash by key, in order of arrival */
	struct track *others; /* the last of them: for all keys beyond the first MODEL_TRACKS, or MODEL_TRACKS_OF_ALL; NULL: no more */
	UT_hash_handle hh;
};

/* Who was blamed over all moments; deeds of one family (graph/family.h) are one. */
struct tally {
	struct deed *family;
	char *words, *who;    /* of what they have in common; NULL: not asked for since the last was added */
	struct family deeds;
	double score;
	uint64_t moments, last_moment;
	struct identity identity; /* where it was the same process each time */
	bool vague;		  /* it was not, or that is not known */
	UT_hash_handle hh;
};

/*
 * Bounds on what an input can name. A program's functions can be some thousand charts, and a machine's devices some hundred keys of
 * each of a few charts.
 */
enum { MODEL_CHARTS = 1 << 14, MODEL_TRACKS_OF_ALL = 1 << 16 };
enum { MODEL_TRACKS = 1024, MODEL_TALLIES = 4096, MODEL_SIGNALS = 4096, MODEL_HOSTS = 16, MODEL_SHEDS = 16 };

/* Gets each moment once it is complete. 0; -1 after fail(). */
typedef int moment_teller(void *context, const struct moment *moment);

struct model {
	/* of the whole stream */
	char *host, *kernel; /* of the stream at hand; "" where not given */
	ARRAY(char *) hosts; /* of all streams, each once, at most MODEL_HOSTS */
	bool more_hosts;     /* there were others */
	bool has_stream; /* a stream record came */
	struct clock clock;  /* of the stream at hand */
	bool has_wall;	     /* a stream had one: those without do not count in first, last and points */
	int64_t first, last; /* Unix time where has_wall, else trace time; first > last: no time seen */
	bool has_read, has_kept;
	uint64_t read, kept; /* events; use filtered where no collector told `read` */
	uint64_t filtered;   /* events that the filter read */
	uint64_t seen;	     /* events that were read by the one or the other: of each stream what tells more */
	ARRAY(char *) stages; /* the commands that told what they used */
	double cpu, setup;    /* seconds of their CPU time; setup: before they began */
	double ran;	     /* seconds that were collected; 0: not live */
	uint64_t bytes, most; /* of events, by the command that saw most: before the stream at hand; in it */
	uint64_t cpus;	     /* of the machine of the stream at hand; 0: not known */
	double capacity;     /* CPU seconds that the machines had in these seconds */
	uint64_t watched_cpus; /* of the last of them */
	bool unlike;	     /* of the others not all had as many */
	uint64_t records;
	uint64_t moments, incomplete_moments, signals, rates, graphs; /* rates: signals of them, and of means */
	double explained; /* seconds of all stories */
	double uncounted; /* what was blamed on names beyond the first MODEL_TALLIES; 0: nothing */
	uint64_t dropped; /* signals that could not be kept, since the last window */
	bool timeless;	  /* what was blamed was blamed for no time */
	struct chart_story *charts;
	struct chart_story *other_charts; /* one of them: for all beyond the first MODEL_CHARTS; NULL: there were no more */
	size_t tracks; /* of all charts */
	struct tally *tallies;
	ARRAY(struct culprit) overall; /* the ranker's own total; empty: it gave none */
	bool compared;		       /* two streams were */
	uint64_t good_moments, bad_moments; /* then: how many each had */
	ARRAY(struct change) changes;
	ARRAY(struct shed) sheds; /* the first, and of more than MODEL_SHEDS the newest as the last */
	uint64_t all_sheds;
	uint64_t ranked_streams;       /* how many streams, one after the other, held a ranking */

	/* private: the moment at hand */
	uint64_t streams;	/* that are over */
	uint64_t lost_before;	/* in these */
	struct times over;	/* of these */
	struct times data, watched; /* of the stream at hand; watched: Unix time of the collector's run */
	uint64_t graphs_before; /* in streams that are over */
	enum graph_kind kind;   /* of the first graph of the stream at hand, if graphs > graphs_before: what the totals are of */
	uint64_t read_before, filtered_before, seen_before;
	bool was_filtered;	/* the stream at hand, as far as told; so much was kept of it then */
	uint64_t kept_before;
	struct stream *stream;
	struct events *events;
	struct who *who;
	moment_teller *teller;
	void *context;
	struct moment *moment;
	struct story *story;
	struct graph *graph;
	struct graph_reader *reader;
	ARRAY(struct signal *) pending; /* signals whose window has not come */
	struct handlers handlers;
};

struct model *model_new(struct stream *stream, moment_teller *teller, void *context);
void model_free(struct model *model);

/* The time that was watched, or of streams where that is not told, that of the data: Unix time where has_wall. False: not known. */
bool model_span(const struct model *model, int64_t *first, int64_t *last);

/* Whether that goes beyond one day, in UTC. */
bool model_has_days(const struct model *model);

/* For stream_run(), with the model as context. A command may set `idle`. */
struct handlers *model_handlers(struct model *model);

/* The input went wrong: tells what is known of the moment at hand, and signals whose window did not come. */
void model_give_up(struct model *model);

/* The deed with its device by name, as far as that is known; the caller frees it. */
struct deed *model_name_device(const struct model *model, const struct deed *deed);

/* "loop0" for "7:0", where the stream at hand told its name. */
const char *model_device_name(const struct model *model, const char *device, char *text, size_t room);

/* The key of a track, of a device as the streams that told of it called that; the caller frees it. */
char *model_track_name(const struct model *model, const struct track *track);

/*
 * Who was blamed most over all moments, the most blamed first: by the ranker's own total where it came and there was
 * one stream only, else by the sum of what was told. Fills at most `room` verdicts and returns how many; their names
 * belong to the model.
 */
struct verdict {
	const char *name; /* in words */
	const char *who;  /* the name of the thread, or pool; "" where it is none */
	double score;	  /* seconds; NAN: no time */
	double share;	  /* of all time explained, 0 to 1; NAN: of no time, or of one that is not known */
	uint64_t moments; /* in how many it was ranked */
	const struct identity *identity; /* whose process it was in all of them; NULL: that is not known, or they were several */
};
size_t model_verdicts(struct model *model, struct verdict *list, size_t room);

/*
 * A signal of a traced function has two graphs, of threads and of calls, and is told once: with the first of them, whose
 * companion is the second. NULL: it has none. Whether a story is the companion of an earlier one.
 */
const struct story *moment_companion(const struct moment *moment, const struct story *story);
bool moment_is_companion(const struct moment *moment, const struct story *story);

/*
 * Shifts that are worth a line, the worst first: what became worse before what became better, then by the ratio of the
 * levels. Fills at most `room`, and returns how many; *others: how many more there were.
 */
size_t shifts_that_matter(const struct model *model, struct level_change *found, size_t room, uint64_t *others);

/* For the model's own files. */
void model_see_host(struct model *model);
void model_see_wall(struct model *model); /* the stream at hand has one */
void model_see_times(struct times *times, int64_t first, int64_t last); /* more of them */
void model_stream_over(struct model *model);
void model_name_devices(struct model *model); /* of the tracks that the stream at hand told of */
bool model_is_dated(const struct model *model); /* its times fit those of the streams before */
struct chart_story *model_chart(struct model *model, const char *name);
struct track *model_track(struct model *model, const char *chart, const char *key);
void model_count_blame(struct model *model, const struct culprit *culprit);
char *clean_field(const struct fields *fields, const char *key); /* "" where it is not there; the caller frees it */
enum unit unit_read(const struct fields *fields, bool has_start); /* of a sample, signal or limits record */
struct signal *signal_read(const struct model *model, const struct fields *fields); /* NULL after fail() */
void signal_free(struct signal *signal);
bool signal_is_low(const struct signal *signal); /* below the centre, on a chart that has a lower limit */
double signal_limit(const struct signal *signal); /* the one that it passed; NAN: not given */
int signal_compare(const struct signal *a, const struct signal *b); /* as qsort() wants: the worse first */
struct story *story_new(const char *graph);
void story_free(struct story *story);
void story_close(struct story *story, const struct graph *graph); /* its path and ranking are complete */
int story_path(const struct model *model, struct story *story, const struct graph *graph, const struct fields *fields);
int story_blame(const struct model *model, struct story *story, struct graph *graph, const struct fields *fields);
struct deed *deed_of_record(const struct model *model, const struct fields *fields); /* by its name if it has no deed; the caller frees it */
int culprit_read(const struct model *model, struct culprit *culprit, const struct fields *fields);
void culprit_free(struct culprit *culprit);
void change_free(struct change *change);
void shed_free(struct shed *shed);
void moment_free(struct moment *moment);

#endif
