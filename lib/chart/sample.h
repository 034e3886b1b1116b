/*
 * sample: one measured value and what a signal says about it.
 */
#ifndef CHART_SAMPLE_H
#define CHART_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chart/chart.h"

struct fields;
struct policy;
struct line;
struct series;
struct chart_field;
struct field_world;

enum { SAMPLE_SHOW_ROOM = 64 };

struct sample {
	struct series *series; /* of its chart and key */
	double value;	       /* seconds for a latency */
	int64_t start, end;    /* ns of the trace clock; of a value without start both are its time */
	int32_t tid;	       /* the thread that waited; -1: not known */
	bool open;	       /* not over yet: the value is its age */
	bool plain;	       /* the value is not just the time from start to end */
	bool mean;	       /* the value is a mean of several, and so of no thread */
	bool by_hand;	       /* from a `sample` record: the value need not be a time */
	double passed;	       /* the learnt limit that its age passed while it was open; 0: none */
	double size;	       /* of a rate: the number that could count, or the seconds of counting */
	unsigned rules;	       /* of a signal: the rules that hold; `center`, `lcl`, `ucl`: what it was judged by */
	int key_count;	       /* of `keys`, whose values are in `key` */
	double center, lcl, ucl;
	uint64_t number, marks; /* the listener's, of a request that is handed over; see struct measure_listener */
	bool has_result;	/* the event that ended it has a `ret` that is a number */
	double result;
	const char *unit;      /* of a value by hand; see series.h */
	const struct chart_field *keys;	 /* the start's key fields */
	const struct field_world *world; /* to spell them */
	uint8_t spelling[CHART_KEYS_MAX]; /* enum event_spelling, of each */
	char show[SAMPLE_SHOW_ROOM]; /* its keys that are text, and its show fields, as " name=value" ready for a line; as many as fit */
	const char *whole; /* all of these; freed with its start; NULL: `show` has all, or the rest is no longer kept */
	int64_t key[CHART_KEYS_MAX];
};

/* Reads a value by hand, of a chart without definition. 1: it is one; 0: a rate of nothing, which has no value; -1 after fail(). */
int sample_read(struct sample *sample, const struct fields *fields, const struct policy *how);

/*
 * Spells the key or show field of this name, in upper or lower case, as the signal has it. Returns its length, cut at room - 1; -1: there is none.
 */
int sample_field(const struct sample *sample, const char *name, char *text, size_t room);

/* Sorts samples by their starts; there may be none. */
void sample_sort(struct sample *samples, size_t count);

/* Adds the key and show fields, " dev=8,0 sector=4", as the signal has them. */
void sample_add_shown(struct line *line, const struct sample *sample);

/*
 * The `signal` record of a sample; `comm` is the name of its thread. Key and show fields that are called like a key of the
 * record itself get "event." in front.
 */
void sample_signal_line(struct line *line, const struct sample *sample, uint64_t id, const char *comm);

/* The `sample` record of the healthy values that a series has gathered since `from`. */
void sample_healthy_line(struct line *line, const struct series *series, int64_t from, double median);

/* The `summary` record of a series. */
void sample_summary_line(struct line *line, const struct series *series);

/* Why a start may have ended though no end was seen. */
enum doubt {
	DOUBT_NONE,
	DOUBT_IDLE,	/* it waits for a CPU, and one was idle of those that hide which thread they run next; see recorded.h */
	DOUBT_CPU,	/* a CPU was not recorded all the time; see recorded.h */
	DOUBT_OVERTAKEN, /* in a saved recording, many others have ended meanwhile */
};

/* Starts whose ends were not seen. */
struct unended {
	uint64_t count;
	int64_t oldest; /* when the oldest began; `doubt` is about that one */
	enum doubt doubt;
	int cpu; /* of DOUBT_CPU */
};

/* The `open` record of a series. */
void sample_open_line(struct line *line, const struct series *series, const struct unended *unended, int64_t now);

/* A field's name as the signal has it. */
enum { SAMPLE_NAME_ROOM = 72 };
void sample_field_name(const char *field, char label[SAMPLE_NAME_ROOM]);

#endif
